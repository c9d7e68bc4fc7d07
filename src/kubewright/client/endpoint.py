"""Where a kind is served, and the paths below it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import lru_cache
from typing import TypeAlias

import msgspec

from kubewright.machinery.gvk import GroupVersionKind, GroupVersionResource
from kubewright.machinery.paths import encode_segment, group_version_path

__all__ = ["Endpoint", "Resolve", "endpoint_of"]


class Endpoint(msgspec.Struct, frozen=True):
    """A kind and the resource that serves it."""

    gvk: GroupVersionKind
    gvr: GroupVersionResource
    namespaced: bool

    def path(self, namespace: str | None = None, name: str | None = None, subresource: str = "") -> str:
        """The path of a collection, an object or a subresource. Raises ParseError for what is no name."""
        path = _collection(self.gvr, namespace if self.namespaced else None)
        if name is not None:
            path += f"/{encode_segment(name)}"
        return f"{path}/{subresource}" if subresource else path


@lru_cache(1024)
def _collection(gvr: GroupVersionResource, namespace: str | None) -> str:
    """The path of all objects of a resource, in a namespace or everywhere; programs use few of them."""
    path = group_version_path(gvr.group_version)
    if namespace:
        path += f"/namespaces/{encode_segment(namespace, 'namespace')}"
    return f"{path}/{gvr.resource}"


Resolve: TypeAlias = Callable[[GroupVersionKind], Awaitable[Endpoint]]
"""Finds the endpoint of a kind by discovery. Raises NotFound."""


def endpoint_of(kind: type) -> Endpoint | None:
    """The endpoint that a type says itself; None for types that do not say where they are served."""
    return _endpoint_of(kind)


@lru_cache(1024)
def _endpoint_of(kind: type) -> Endpoint | None:
    gvk, gvr = getattr(kind, "gvk", None), getattr(kind, "gvr", None)
    if not isinstance(gvk, GroupVersionKind) or not isinstance(gvr, GroupVersionResource):
        return None
    return Endpoint(gvk, gvr, bool(getattr(kind, "namespaced", True)))
