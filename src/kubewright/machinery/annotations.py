"""Annotations of classes and functions, the same on every Python.

Before 3.14 a class body leaves a dict of values, or of texts with `from __future__ import annotations`. Since
3.14 it leaves a function that makes the values when they are asked for (PEP 649), and a metaclass that only
looks for the dict sees no annotations at all.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, ForwardRef, get_type_hints

__all__ = ["evaluate", "forward_text", "return_text", "take_annotations"]


def take_annotations(namespace: dict[str, Any]) -> dict[str, Any]:
    """Returns the annotations of a class that is being made; changes to the dict change those of the class.

    Names that are not defined yet, or for type checkers only, are `ForwardRef`s, which know where to look
    for the name later: in the module, or in the function that defines the class.
    """
    annotations: dict[str, Any] | None = namespace.get("__annotations__")
    if annotations is None:
        annotations = _from_function(namespace)
        namespace["__annotations__"] = annotations
    return annotations


def forward_text(annotation: object) -> str | None:
    """Returns the source text of an annotation that is not evaluated, else None."""
    if isinstance(annotation, ForwardRef):
        return annotation.__forward_arg__
    return annotation if isinstance(annotation, str) else None


def evaluate(annotation: Any, scope: dict[str, Any]) -> Any:
    """Returns the type that an annotation stands for, with all forward references in it resolved.

    Raises NameError for a name that is not defined in the scope, nor where the annotation was written.
    """
    # The only public function that also looks into list["Name"] and Annotated["Name", ...].
    holder: Any = SimpleNamespace(__annotations__={"it": annotation})
    return get_type_hints(holder, scope, scope, include_extras=True)["it"]


if sys.version_info >= (3, 14):
    # msgspec imports it as well, so that this costs nothing.
    from annotationlib import (
        Format,
        call_annotate_function,
        get_annotate_from_class_namespace,
        get_annotations,
    )

    def _from_function(namespace: dict[str, Any]) -> dict[str, Any]:
        annotate = get_annotate_from_class_namespace(namespace)
        if annotate is None:
            return {}
        # From here on the dict counts; the function would still have what the metaclass changes.
        for name in ("__annotate__", "__annotate_func__"):
            namespace.pop(name, None)
        return dict(call_annotate_function(annotate, Format.FORWARDREF))

    def return_text(function: Callable[..., object]) -> str:
        """Returns the text of what a function says that it returns; empty when it does not say."""
        return str(get_annotations(function, format=Format.STRING).get("return", ""))

else:

    def _from_function(namespace: dict[str, Any]) -> dict[str, Any]:
        return {}

    def return_text(function: Callable[..., object]) -> str:
        """Returns the text of what a function says that it returns; empty when it does not say."""
        return str(getattr(function, "__annotations__", {}).get("return", ""))
