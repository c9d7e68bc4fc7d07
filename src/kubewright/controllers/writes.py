"""Making an object be as it should be, whether it is there or not, and writing only what has changed."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, TypeVar

from kubewright.client.api import Api
from kubewright.controllers.api_of import Change, api_of, changed, copy_of, same
from kubewright.controllers.context import Context
from kubewright.machinery.errors import AlreadyExists, Conflict, NotFound
from kubewright.machinery.patch import make_merge_patch
from kubewright.machinery.resource import Resource
from kubewright.machinery.status import Status
from kubewright.machinery.unstructured import Unstructured

__all__ = ["Operation", "apply", "create_or_patch", "create_or_update"]

K = TypeVar("K", bound=Resource | Unstructured)


class Operation(StrEnum):
    """What was done; the values are those of controller-runtime."""

    UNCHANGED = "unchanged"
    CREATED = "created"
    UPDATED = "updated"
    UPDATED_STATUS = "updatedStatus"
    """The object and its status."""
    UPDATED_STATUS_ONLY = "updatedStatusOnly"


async def create_or_update(target: Context | Api[K], obj: K | str, change: Change[K]) -> tuple[K, Operation]:
    """Read an object, change it, and write it if that made a difference; create it if it is not there.

    `obj` says which one: by its name, or as an object with a name, which is what `change` gets when there is
    none, and of which else nothing but the name counts. Of a name alone an object is made that has nothing
    else. `change` makes what it gets, in place or by returning another one, what it should be. It sees the
    defaults that the server filled in, and should set only what it cares about: what it resets to nothing is
    sent each time, since the server fills it in each time; that counts as unchanged if nothing else differs.
    The status is for `patch_status`.

    Raises Conflict when somebody else has changed the object since it was read, or has created it since it
    was not there, which a cache may learn a moment later; and ValueError when `change` renames it.
    """
    api, wanted = _named(target, obj)
    try:
        current = await api.get(wanted.metadata.name)
    except NotFound:
        return await _created(api, await changed(wanted, change)), Operation.CREATED
    before = copy_of(current)
    after = await changed(current, change)
    if same(before, after):
        return after, Operation.UNCHANGED
    # One that says no revision would overwrite what happened since.
    after.metadata.resource_version = after.metadata.resource_version or before.metadata.resource_version
    written = await api.update(after)
    # With its defaults filled in again, it may be what it was: then there is no new revision.
    same_revision = written.metadata.resource_version == before.metadata.resource_version
    return written, Operation.UNCHANGED if same_revision else Operation.UPDATED


async def create_or_patch(target: Context | Api[K], obj: K | str, change: Change[K]) -> tuple[K, Operation]:
    """As `create_or_update`, but send only what has changed, as merge patches; of the status as well.

    Other fields may change meanwhile, and nothing conflicts. But lists are sent whole: what others put into
    the same list meanwhile is lost, so use `create_or_update` for lists that others write too. The status is
    written only if the object was there.
    """
    api, wanted = _named(target, obj)
    try:
        current = await api.get(wanted.metadata.name)
    except NotFound:
        return await _created(api, await changed(wanted, change)), Operation.CREATED
    before = copy_of(current)
    after = await changed(current, change)
    if same(before, after):
        return after, Operation.UNCHANGED
    return await _patched(api, after, make_merge_patch(before.to_dict(), after.to_dict()))


async def _created(api: Api[K], obj: K) -> K:
    """Create an object that was not there. Raises Conflict if it is by now: so it is looked at again."""
    try:
        return await api.create(obj)
    except AlreadyExists as error:
        told = error.status
        message = f"{told.message or obj}: somebody else has created it meanwhile"
        raise Conflict(
            Status(status=told.status, reason="Conflict", code=409, message=message, details=told.details)
        ) from error


async def _patched(api: Api[K], obj: K, patch: dict[str, Any]) -> tuple[K, Operation]:
    name = obj.metadata.name
    of_status = {"status": patch.pop("status")} if "status" in patch else {}
    operation = Operation.UNCHANGED
    if patch:
        obj = await api.patch(name, patch, type="merge")
        operation = Operation.UPDATED
    if of_status:
        obj = await api.patch(name, of_status, type="merge", subresource="status")
        operation = Operation.UPDATED_STATUS if patch else Operation.UPDATED_STATUS_ONLY
    return obj, operation


async def apply(
    target: Context | Api[K], obj: K, *, manager: str, force: bool = True, subresource: str = ""
) -> K:
    """Server-side apply of an object, as controllers do it: fields that others own are taken over.

    `manager` is the controller's name, always the same; what it applied before and does not now, goes. Apply
    what it should have, and not an object that was read. It is always sent, as only the server knows whether
    it makes a difference, and makes no new revision if not. Raises Conflict, which names the other managers,
    without `force`.
    """
    return await api_of(target, obj).apply(obj, manager=manager, force=force, subresource=subresource)


def _named(target: Context | Api[K], obj: K | str) -> tuple[Api[K], K]:
    if not isinstance(obj, str):
        api = api_of(target, obj)
        if api.namespace and not obj.metadata.namespace:
            # So that what `change` gets says where it is: owners must be in the same namespace.
            obj = copy_of(obj)
            obj.metadata.namespace = api.namespace
        return api, obj
    if isinstance(target, Context):
        raise TypeError(f"which kind is {obj!r}? Give an Api: ctx.client.api(Kind, namespace)")
    metadata = {"name": obj, **({"namespace": target.namespace} if target.namespace else {})}
    empty = {"apiVersion": target.gvk.api_version, "kind": target.gvk.kind, "metadata": metadata}
    made: Any = target.form.kind.from_dict(empty)
    return target, made
