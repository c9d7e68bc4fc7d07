"""Custom resources: typed classes as definitions, and what a definition's schema makes of an object.

`declaration` has the decorator `custom_resource`, which makes of a class the schema (`class_schema`) and the
definition (`definition`); `verdict` says what a server would say of an object; `conversion` makes an object
one of another version, and `conversion_review` does so for an API server; `compatibility` says which changes
of a definition break stored objects.

The API server prunes, defaults and validates custom resources with the rules here, and a program can do
the same without one: tests, generators and admission webhooks want the server's answer before they ask it. So
they stand below the server; there is no I/O here. `structural` reads an `openAPIV3Schema`; `pruning`,
`defaulting` and `validation` apply it to an object, in this order, as the server does.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from kubewright.crd.columns import PrinterColumn as PrinterColumn
    from kubewright.crd.compatibility import BreakingChange as BreakingChange
    from kubewright.crd.compatibility import breaking_changes as breaking_changes
    from kubewright.crd.conversion import ConversionError as ConversionError
    from kubewright.crd.conversion import convert as convert
    from kubewright.crd.conversion_webhook import webhook_conversion as webhook_conversion
    from kubewright.crd.declaration import custom_resource as custom_resource
    from kubewright.crd.rules import rule as rule
    from kubewright.crd.subresources import Scale as Scale
    from kubewright.crd.verdict import validate as validate

_HOMES: Final = {
    "BreakingChange": "compatibility",
    "ConversionError": "conversion",
    "PrinterColumn": "columns",
    "Scale": "subresources",
    "breaking_changes": "compatibility",
    "convert": "conversion",
    "custom_resource": "declaration",
    "rule": "rules",
    "validate": "verdict",
    "webhook_conversion": "conversion_webhook",
}

__all__ = [
    "BreakingChange",
    "ConversionError",
    "PrinterColumn",
    "Scale",
    "breaking_changes",
    "convert",
    "custom_resource",
    "rule",
    "validate",
    "webhook_conversion",
]


def __getattr__(name: str) -> object:
    """Load a public name when it is first used: the server's half needs none of them."""
    if name not in _HOMES:
        raise AttributeError(f"module 'kubewright.crd' has no attribute {name!r}")
    value: object = getattr(import_module(f"kubewright.crd.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
