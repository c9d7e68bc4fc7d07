"""Writing the status of an object, only when it differs from what it was.

A status is written as a merge patch of the `status` subresource: just the fields that differ, so that fields
which a type does not know stay as they are. It carries the resourceVersion of the object that it was computed
from, so that a status which was computed from an older object, by a manager that does not lead any more for
one, never replaces a newer one: the server answers with Conflict, and the reconcile is repeated.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple, Self, TypeVar

from kubewright.client.api import Api
from kubewright.controllers.api_of import Change, api_of, changed, copy_of
from kubewright.controllers.context import Context
from kubewright.controllers.leader_election import LeadershipLost
from kubewright.machinery import codec
from kubewright.machinery.errors import KubewrightError
from kubewright.machinery.patch import make_merge_patch
from kubewright.machinery.resource import Resource
from kubewright.machinery.twins import known_type
from kubewright.machinery.unstructured import Unstructured

__all__ = ["patch_status", "status_of"]

K = TypeVar("K", bound=Resource | Unstructured)


async def patch_status(target: Context | Api[K], obj: K, change: Change[K], *, lock: bool = True) -> K:
    """Change the status of an object and write it if that made a difference; the object as the server has it.

    `change` gets a copy of the object, and of what it does to that only the status counts. `lock=False` lets
    it be written also when the object has changed since it was read.

    Raises Conflict when it has changed, and NotFound when the object is gone, or its kind has no `status`
    subresource.
    """
    before = _Before.of(obj)
    after = await changed(copy_of(obj), change)
    written = await _write(api_of(target, obj), before, after, lock=lock)
    return obj if written is None else written


@asynccontextmanager
async def status_of(target: Context | Api[K], obj: K, *, lock: bool = True) -> AsyncIterator[K]:
    """Write the status that a block gives an object, if it differs: `async with status_of(ctx, app): ...`.

    The block changes `obj.status` in place or sets it. It is written also when the block raises, so that a
    condition can say what went wrong; what the block raised is raised then, with a note if the status could
    not be written. When it was cancelled, or the leadership lost, nothing is written. After the block the
    object has the status and the resourceVersion that the server returned.

    Raises and takes `lock` as `patch_status` does.
    """
    before = _Before.of(obj)
    try:
        yield obj
    except LeadershipLost:
        raise
    except Exception as error:
        try:
            await _write_back(api_of(target, obj), before, obj, lock=lock)
        except KubewrightError as second:
            error.add_note(f"the status could not be written either: {second}")
        raise
    await _write_back(api_of(target, obj), before, obj, lock=lock)


class _Before(NamedTuple):
    """What an object was, as far as the writing of its status depends on it."""

    shown: str
    revision: str
    status: bytes

    @classmethod
    def of(cls, obj: Resource | Unstructured) -> Self:
        # Encoded, as that is the cheapest way of telling that nothing has changed.
        return cls(str(obj), obj.metadata.resource_version, codec.encode(_status(obj)))


async def _write_back(api: Api[K], before: _Before, obj: K, *, lock: bool) -> None:
    written = await _write(api, before, obj, lock=lock)
    if written is None:
        return
    _set_status(obj, _status(written))
    if lock:
        # Without the lock others may have changed the rest, and this object must not pass for theirs.
        obj.metadata.resource_version = written.metadata.resource_version


async def _write(api: Api[K], before: _Before, obj: K, *, lock: bool) -> K | None:
    """Write the status of an object if it differs from what it was; None if it does not."""
    patch = _difference(before.status, obj)
    if not patch:
        return None
    if lock:
        if not before.revision:
            raise ValueError(
                f"{before.shown} has no resourceVersion; use it as the server returned it, or lock=False"
            )
        patch["metadata"] = {"resourceVersion": before.revision}
    return await api.patch(obj.metadata.name, patch, type="merge", subresource="status")


def _difference(before: bytes, obj: Resource | Unstructured) -> dict[str, Any]:
    """The merge patch of a status; empty when both mean the same, by the rules of their types: 1000m is 1."""
    after = codec.encode(_status(obj))
    if after == before:
        return {}
    old, new = (_part(codec.decode_plain(each)) for each in (before, after))
    patch = make_merge_patch(old, new)
    if patch and isinstance(obj, Resource):
        was: Any = known_type(type(obj)).from_dict(old)  # type: ignore[attr-defined]
        if _status(was) == _status(obj):
            return {}
    return patch


def _part(status: Any) -> dict[str, Any]:
    return {"status": status} if status is not None else {}


def _status(obj: Resource | Unstructured) -> Any:
    if isinstance(obj, Unstructured):
        return obj.get("status")
    if "status" not in obj.__struct_fields__:
        raise TypeError(f"{type(obj).__name__} has no field status")
    return obj.status  # type: ignore[attr-defined]


def _set_status(obj: Resource | Unstructured, status: Any) -> None:
    if isinstance(obj, Resource):
        obj.status = status  # type: ignore[attr-defined]
    elif status is None:
        obj.pop("status", None)
    else:
        obj["status"] = status
