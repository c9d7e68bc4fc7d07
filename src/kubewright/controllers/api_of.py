"""Where the helpers for reconcilers read and write an object."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import msgspec

from kubewright.client.api import Api
from kubewright.controllers.context import Context
from kubewright.machinery import codec
from kubewright.machinery.patch.values import json_equal
from kubewright.machinery.resource import Resource
from kubewright.machinery.twins import known_type
from kubewright.machinery.unstructured import Unstructured

__all__ = ["Change", "api_of", "changed", "copy_of", "same"]

K = TypeVar("K", bound=Resource | Unstructured)

Change = Callable[[K], K | Awaitable[K | None] | None]
"""What a caller does to an object: change it in place, or return another one; it may be awaited."""


def api_of(target: Context | Api[K], obj: K) -> Api[K]:
    """The objects of an object's kind, in its namespace.

    `target` is the context of a reconcile, or an Api of the kind.
    """
    namespace = obj.metadata.namespace or None
    if isinstance(target, Api):
        return target if target.namespace or not namespace else target.in_namespace(namespace)
    api: Any = (
        target.client.dynamic(obj.api_version, obj.kind, namespace)
        if isinstance(obj, Unstructured)
        else target.client.api(known_type(type(obj)), namespace)
    )
    return api  # type: ignore[no-any-return]


def copy_of(obj: K) -> K:
    """A copy that shares nothing with an object, for type checkers of the same type."""
    copied: Any = obj.copy()
    return copied  # type: ignore[no-any-return]


async def changed(obj: K, change: Change[K]) -> K:
    """The object as a caller leaves it.

    Raises ValueError when that has another name or namespace, and TypeError when it is no object.
    """
    before = (obj.metadata.namespace, obj.metadata.name)
    made = change(obj)
    if isinstance(made, Awaitable):
        made = await made
    wanted = obj if made is None else made
    if not hasattr(wanted, "metadata"):
        returned = type(wanted).__name__
        raise TypeError(
            f"the function that changes an object returned {returned}; have it return the object, or None"
        )
    after = (wanted.metadata.namespace, wanted.metadata.name)
    if after != before:
        was, is_now = ("/".join(filter(None, each)) for each in (before, after))
        raise ValueError(f"the change makes {was!r} {is_now!r}; an object keeps its name and namespace")
    return wanted


def same(one: K, other: K) -> bool:
    """Whether two objects of a kind mean the same, by the rules of their types: 1000m is 1."""
    if _canonical(one) == _canonical(other):
        # The usual answer, at a fraction of the cost of asking each field.
        return True
    if isinstance(one, Unstructured):
        return json_equal(one.to_dict(), other.to_dict(), numbers_alike=True)
    return one == other


def _canonical(obj: Resource | Unstructured) -> bytes:
    return msgspec.json.encode(codec.decode_plain(obj.to_json()), order="sorted")
