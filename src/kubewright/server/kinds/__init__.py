"""The rules of the built-in kinds: defaults, validation, and who may write which fields.

One package or module per API group, named by the first label of the group (`core` for the core group), each
with `KINDS: Mapping[str, Kind]` by resource. They are imported when a resource is first written.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

from kubewright.server.kinds.kind import Context, Errors, Kind, NameRule, Object, Subresource

__all__ = ["Context", "Errors", "Kind", "NameRule", "Object", "Subresource", "kind_of"]


@cache
def kind_of(group: str, resource: str) -> Kind:
    """The rules of a built-in resource, such as ("apps", "deployments"). Raises KeyError for any other."""
    first, _, _ = group.partition(".")
    module = import_module(f"{__name__}.{first or 'core'}")
    kinds: dict[str, Kind] = module.KINDS
    return kinds[resource]
