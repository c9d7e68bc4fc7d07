"""Finalizers: what must be cleaned up before an object may go.

    async def reconcile(ctx: Context, request: Request) -> None:
        app = await finalize(ctx, app, "example.com/bucket", delete_bucket)
        if app is None:
            return  # It is being deleted.

The server keeps an object that is to be deleted until its list of finalizers is empty, and takes no new
finalizer for such an object.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

from kubewright.client.api import Api
from kubewright.controllers.api_of import api_of
from kubewright.controllers.context import Context
from kubewright.machinery.errors import Conflict, NotFound
from kubewright.machinery.names import is_qualified_name
from kubewright.machinery.resource import Resource
from kubewright.machinery.unstructured import Unstructured

__all__ = [
    "add_finalizer",
    "drop_finalizer",
    "ensure_finalizer",
    "finalize",
    "has_finalizer",
    "remove_finalizer",
]

K = TypeVar("K", bound=Resource | Unstructured)

_ATTEMPTS: Final = 5
"""How often a finalizer is taken away anew when others write the object: client-go's DefaultRetry."""


def has_finalizer(obj: Resource | Unstructured, name: str) -> bool:
    """Whether an object has a finalizer."""
    return name in obj.metadata.finalizers


def add_finalizer(obj: Resource | Unstructured, name: str) -> bool:
    """Add a finalizer in memory; whether it was added, which it is not to an object that is being deleted."""
    _check(name)
    if _is_deleted(obj) or has_finalizer(obj, name):
        return False
    obj.metadata.finalizers.append(name)
    return True


def remove_finalizer(obj: Resource | Unstructured, name: str) -> bool:
    """Remove a finalizer in memory; whether it was there."""
    if not has_finalizer(obj, name):
        return False
    obj.metadata.finalizers = [each for each in obj.metadata.finalizers if each != name]
    return True


async def finalize(
    target: Context | Api[K], obj: K, name: str, cleanup: Callable[[K], Awaitable[object]]
) -> K | None:
    """Have `cleanup` run before an object goes; call it before anything that would have to be cleaned up.

    An object that is not being deleted gets the finalizer, and is returned: reconcile it. For one that is,
    `cleanup` is called and the finalizer taken away, and None is returned: there is nothing left to do.

    What it guarantees:

    - When it returns an object, the server has the finalizer: whatever is made then is not forgotten.
    - After the deletion of such an object was asked for, and before it is gone, `cleanup` is called until it
      returns: what it raises is raised here, and the reconcile is repeated. So it is called at least once,
      may be called again after it succeeded, and must be glad to find nothing to do.
    - Finalizers of others are never lost, and no finalizer is added to an object that is being deleted.

    Raises Conflict when the object has changed before it got the finalizer, ValueError for a name that is
    none, and what `cleanup` raises.
    """
    if not _is_deleted(obj):
        return await ensure_finalizer(target, obj, name)
    _check(name)
    if has_finalizer(obj, name):
        await cleanup(obj)
        await drop_finalizer(target, obj, name)
    return None


async def ensure_finalizer(target: Context | Api[K], obj: K, name: str) -> K:
    """The object with the finalizer, which the server has then as well. Raises Conflict as `finalize` does.

    An object that is being deleted gets none, and is returned as it is.
    """
    _check(name)
    if _is_deleted(obj) or has_finalizer(obj, name):
        return obj
    patch = _patch(obj, [*obj.metadata.finalizers, name])
    return await api_of(target, obj).patch(obj.metadata.name, patch, type="merge")


async def drop_finalizer(target: Context | Api[K], obj: K, name: str) -> None:
    """Take a finalizer away on the server, also when others write the object meanwhile.

    An object that is gone, or another one of its name, is left alone. Raises Conflict when others are
    faster again and again.
    """
    api = api_of(target, obj)
    uid, object_name = obj.metadata.uid, obj.metadata.name
    try:
        for left in reversed(range(_ATTEMPTS)):
            if obj.metadata.uid != uid or not has_finalizer(obj, name):
                return
            try:
                kept = [each for each in obj.metadata.finalizers if each != name]
                await api.patch(object_name, _patch(obj, kept), type="merge")
            except Conflict:
                if not left:
                    raise
            else:
                return
            # From the server: a cache may still have what it just refused.
            obj = await Api.get(api, object_name)
    except NotFound:
        return


def _patch(obj: Resource | Unstructured, finalizers: list[str]) -> dict[str, Any]:
    """What gives an object other finalizers, and what the server refuses when it has changed since.

    A merge patch, because a JSON patch of one entry is refused as invalid, and not as a conflict, where the
    list has become shorter.
    """
    revision = obj.metadata.resource_version
    if not revision:
        raise ValueError(f"{obj} has no resourceVersion; use it as the server returned it")
    return {"metadata": {"resourceVersion": revision, "finalizers": finalizers}}


def _is_deleted(obj: Resource | Unstructured) -> bool:
    return obj.metadata.deletion_timestamp is not None


def _check(name: str) -> None:
    wrong = is_qualified_name(name)
    if wrong or "/" not in name:
        raise ValueError(f"{name!r} is no name of a finalizer; write it as example.com/cleanup")
