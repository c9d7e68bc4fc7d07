"""Descriptions for schemas: docstrings of classes, and texts below attributes.

    class Spec(Struct):
        \"\"\"What is wanted.\"\"\"

        replicas: int = 1
        \"\"\"How many pods there shall be.\"\"\"

Texts below attributes are in the source alone, which is read when a definition is asked for. The API's own
types have none here: a definition that repeated their documentation would be too large to apply.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import sys
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from kubewright.crd.field_types import is_built_in
from kubewright.machinery.field import Field

__all__ = ["DocStrings"]

_SOURCES_KEPT: Final = 64
"""How many modules' texts are kept: a project has its kinds in a few, and asks for one after the other."""


class DocStrings:
    """The descriptions of classes and their fields, at most `limit` characters each; 0 means none at all."""

    def __init__(self, limit: int) -> None:
        self._limit: Final = limit

    def of_class(self, cls: type) -> str:
        """The class's own docstring."""
        if not self._limit or is_built_in(cls):
            return ""
        return self._shortened(inspect.cleandoc(cls.__dict__.get("__doc__") or ""))

    def of_field(self, cls: type, name: str, field: Field) -> str:
        """What the field says, or the text below the attribute."""
        if not self._limit:
            return ""
        text = field.description or self._below(cls, name)
        if field.deprecated:
            text = f"{text}\n\nDeprecated." if text else "Deprecated."
        return self._shortened(text)

    def _below(self, cls: type, name: str) -> str:
        for base in cls.__mro__:
            if not is_built_in(base) and name in inspect.get_annotations(base):
                found = _texts_of(base).get(f"{base.__qualname__}.{name}")
                if found is not None:
                    return found
        return ""

    def _shortened(self, text: str) -> str:
        if len(text) <= self._limit:
            return text
        cut = text[: max(self._limit - 3, 0)]
        words = cut.rsplit(None, 1)[0] if len(cut.split()) > 1 else cut
        return f"{words.rstrip()}..."[: self._limit]


def _texts_of(cls: type) -> Mapping[str, str]:
    module = sys.modules.get(cls.__module__)
    path = getattr(module, "__file__", None)
    if not path:
        return {}
    lines = linecache.getlines(path, vars(module))
    return _texts_in("".join(lines))


@lru_cache(_SOURCES_KEPT)
def _texts_in(source: str) -> Mapping[str, str]:
    """The texts below attributes of all classes in a source, by qualified name."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return {}
    return dict(_texts_below(tree.body, ""))


def _texts_below(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, str]]:
    for at, node in enumerate(body):
        if isinstance(node, ast.ClassDef):
            yield from _texts_below(node.body, f"{prefix}{node.name}.")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _texts_below(node.body, f"{prefix}{node.name}.<locals>.")
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and at + 1 < len(body):
            text = _text(body[at + 1])
            if text:
                yield f"{prefix}{node.target.id}", inspect.cleandoc(text)


def _text(node: ast.stmt) -> str:
    if (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    ):
        return node.value.value
    return ""
