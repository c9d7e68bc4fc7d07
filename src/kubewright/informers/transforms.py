"""Transforms: what is done to objects before they are kept."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Final, TypeAlias, TypeVar

from kubewright.machinery.kept import SharedValues, keep
from kubewright.machinery.resource import Resource
from kubewright.machinery.unstructured import Unstructured

__all__ = ["Transform", "drop_managed_fields", "transformed"]

K = TypeVar("K", bound=Resource | Unstructured)

Transform: TypeAlias = Callable[[K], K | None]
"""Gets each object before it is kept, changes it in place or returns another one."""

_log: Final = logging.getLogger("kubewright.informers")


def drop_managed_fields(obj: K) -> K:
    """The transform that informers have by default: few need managed fields, a third of an object."""
    del obj.metadata.managed_fields
    return obj


def transformed(obj: K, transform: Transform[K] | None, shared: SharedValues | None = None) -> K:
    """A decoded object as it is kept; `shared` has what it may have in common with others.

    A transform that fails, or that makes another object of it, is logged, and the object kept as it came.
    """
    default: Any = drop_managed_fields
    if transform is None or transform is default:
        return keep(obj, managed_fields=transform is None, shared=shared)
    try:
        changed: Any = _changed(obj.copy(), transform)  # type: ignore[arg-type]
        kept: K = keep(changed.copy(), managed_fields=True, shared=shared)
    except Exception:
        _log.exception("a transform failed, and %s is kept as it is", obj)
        return keep(obj, managed_fields=True, shared=shared)
    return kept


def _changed(obj: K, transform: Transform[K]) -> K:
    before = _identity(obj)
    result = transform(obj)
    changed = obj if result is None else result
    if _identity(changed) != before:
        raise ValueError("it changed the name, namespace, uid or resourceVersion, which a cache is built on")
    return changed


def _identity(obj: Resource | Unstructured) -> tuple[str, str, str, str]:
    meta = obj.metadata
    return meta.namespace, meta.name, meta.uid, meta.resource_version
