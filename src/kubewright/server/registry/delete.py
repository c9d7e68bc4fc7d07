"""Deleting an object: preconditions, grace, propagation policies and finalizers, as upstream does it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Final, NamedTuple, TypeAlias

import msgspec

from kubewright.machinery.field_errors import FieldError, not_supported
from kubewright.machinery.field_errors import invalid as invalid_field
from kubewright.machinery.gvk import GroupKind, GroupResource
from kubewright.machinery.time import format_time, parse_time
from kubewright.server.admission.attributes import Attributes
from kubewright.server.admission.chain import admit_and_validate
from kubewright.server.errors import conflict
from kubewright.server.kinds.kind import Object
from kubewright.server.registry.metadata import seconds_after
from kubewright.server.registry.resource_type import ResourceType
from kubewright.server.registry.store import Store
from kubewright.server.registry.stored import decode_stored
from kubewright.server.registry.write import Write
from kubewright.server.storage import Entry, KeyMissing, RevisionMismatch

__all__ = [
    "DELETE_OPTIONS",
    "DeleteRequest",
    "Deleted",
    "delete",
    "validate_delete_options",
    "warn_of_orphans",
]

DELETE_OPTIONS: Final = GroupKind("meta.k8s.io", "DeleteOptions")

ORPHAN: Final = "orphan"
"""The finalizer that has the garbage collector let dependents live."""
FOREGROUND: Final = "foregroundDeletion"
"""The finalizer that has the garbage collector delete dependents first."""


_Admit: TypeAlias = Callable[[Object, "int | None"], Awaitable[None]]
"""Asks the plugins about the object as it is, and the seconds that it gets; None for kinds without any."""


class DeleteRequest(msgspec.Struct, kw_only=True):
    """The options of a delete that are about the object."""

    grace_period_seconds: int | None = None
    uid: str | None = None
    resource_version: str | None = None
    orphan_dependents: bool | None = None
    propagation_policy: str | None = None


class Deleted(NamedTuple):
    """What came of a delete: the object as it was or now is, and whether it is gone."""

    value: bytes
    gone: bool


def validate_delete_options(request: DeleteRequest) -> list[FieldError]:
    """What is wrong with the options."""
    errors = []
    policy = request.propagation_policy
    if request.orphan_dependents is not None and policy is not None:
        errors.append(
            invalid_field(
                "propagationPolicy", policy, "orphanDependents and deletionPropagation cannot be both set"
            )
        )
    if policy is not None and policy not in {"Foreground", "Background", "Orphan"}:
        errors.append(
            not_supported("propagationPolicy", policy, ("Foreground", "Background", "Orphan", "nil"))
        )
    return errors


def warn_of_orphans(resource: ResourceType, request: DeleteRequest, warnings: list[str]) -> None:
    """Warn of a delete that leaves the pods of jobs behind without saying so; upstream does it first."""
    warning = resource.orphan_warning
    if warning and not request.propagation_policy and request.orphan_dependents is None:
        warnings.append(warning)


async def delete(
    store: Store,
    name: str,
    request: DeleteRequest,
    write: Write,
    *,
    admission: bool = True,
    of_collection: bool = False,
) -> Deleted:
    """Delete an object, or mark it as being deleted while something holds it.

    Without `admission` no plugin is asked: for deletes that the server itself does, or has asked for already.
    Raises ApiError: NotFound, Conflict, and whatever admission refuses with.
    """
    plugins = store.admission if admission else ()

    async def admit(old: Object, grace: int | None) -> None:
        if plugins:
            # Upstream tells nobody the names of what it deletes of a collection.
            told = "" if of_collection else name
            asked = msgspec.structs.replace(write, options=_options(store, old, request, grace, write))
            attributes = Attributes(
                operation="DELETE", type=store.type, name=told, obj=None, old=old, write=asked
            )
            await admit_and_validate(plugins, attributes)

    while True:
        entry = store.get(write.namespace, name)
        obj = await store.load(entry.value)
        _check_preconditions(store, obj, request)
        try:
            return await _deleted(store, entry, obj, request, write, admit)
        except (RevisionMismatch, KeyMissing):
            # Somebody was faster: look again.
            continue


async def _deleted(
    store: Store, entry: Entry, obj: Object, request: DeleteRequest, write: Write, admit: _Admit
) -> Deleted:
    resource = store.type
    if resource.holds(obj):
        return Deleted(entry.value, gone=False)
    old = await store.load(entry.value)
    if not obj["metadata"].get("deletionTimestamp") and resource.begin_delete(
        obj, write.now, request.propagation_policy or "", request.orphan_dependents
    ):
        await admit(old, None)
        return Deleted(await _marked(store, entry, obj, write), gone=False)
    graceful = _begin_grace(store, obj, request, write)
    if graceful is None:
        return Deleted(entry.value, gone=False)
    metadata = obj["metadata"]
    grace = metadata["deletionGracePeriodSeconds"] if graceful else None
    await admit(old, grace)
    _set_finalizers(metadata, request, resource)
    if metadata.get("finalizers"):
        if not graceful:
            _mark(metadata, write)
        return Deleted(await _marked(store, entry, obj, write), gone=False)
    if graceful and metadata.get("deletionGracePeriodSeconds"):
        return Deleted(await _marked(store, entry, obj, write), gone=False)
    if graceful and not write.dry_run:
        return await _delete_at_once(store, entry, obj, write, lambda: admit(_copied(obj), grace))
    return Deleted(await _removed(store, entry, obj, write), gone=True)


async def _delete_at_once(
    store: Store, entry: Entry, obj: Object, write: Write, admit_again: Callable[[], Awaitable[None]]
) -> Deleted:
    """Delete an object whose grace period is 0: mark it, ask admission once more, then remove it.

    Like upstream in two writes, so that watchers see the object being deleted before it is gone. A refusal of
    the second admission leaves it marked; the next delete removes it.
    """
    marked = await _write_mark(store, entry, obj)
    await admit_again()
    try:
        return Deleted(await _removed(store, marked, obj, write), gone=True)
    except KeyMissing:
        # Another client has deleted it in between, which is what this one wants.
        return Deleted(marked.value, gone=True)


def _options(store: Store, old: Object, request: DeleteRequest, grace: int | None, write: Write) -> Object:
    """The DeleteOptions of a request, with what the kind makes of them, in the order of upstream's type."""
    made: Object = {}
    seconds = request.grace_period_seconds if grace is None else grace
    if seconds is not None:
        made["gracePeriodSeconds"] = seconds
    uid = request.uid
    if uid is None and store.type.pins_uid:
        uid = old["metadata"].get("uid")
    preconditions = {"uid": uid, "resourceVersion": request.resource_version}
    if any(each is not None for each in preconditions.values()):
        made["preconditions"] = {name: each for name, each in preconditions.items() if each is not None}
    if request.orphan_dependents is not None:
        made["orphanDependents"] = request.orphan_dependents
    if request.propagation_policy:
        made["propagationPolicy"] = request.propagation_policy
    if write.dry_run:
        made["dryRun"] = ["All"]
    return made


def _copied(obj: Object) -> Object:
    copied: Object = msgspec.json.decode(msgspec.json.encode(obj))
    return copied


def _check_preconditions(store: Store, obj: Object, request: DeleteRequest) -> None:
    metadata = obj["metadata"]
    # Upstream names the kind where it says resource.
    where = GroupResource(store.type.served.group, store.type.served.kind)
    if request.uid is not None and request.uid != metadata.get("uid"):
        raise conflict(
            where,
            metadata["name"],
            f"the UID in the precondition ({request.uid}) does not match the UID in record "
            f"({metadata.get('uid', '')}). The object might have been deleted and then recreated",
        )
    wanted = request.resource_version
    if wanted is not None and wanted != metadata.get("resourceVersion"):
        raise conflict(
            where,
            metadata["name"],
            f"the ResourceVersion in the precondition ({wanted}) does not match the ResourceVersion in "
            f"record ({metadata.get('resourceVersion', '')}). The object might have been modified",
        )


def _begin_grace(store: Store, obj: Object, request: DeleteRequest, write: Write) -> bool | None:
    """Whether the object gets a grace period, then in its metadata; None when it has a shorter one."""
    metadata = obj["metadata"]
    requested = request.grace_period_seconds
    if requested is not None and requested < 0:
        requested = 1
    period = store.type.grace_period(obj, requested)
    if period is None:
        return False
    pending = metadata.get("deletionGracePeriodSeconds")
    if not metadata.get("deletionTimestamp"):
        metadata["deletionTimestamp"] = seconds_after(write.now, period)
        metadata["deletionGracePeriodSeconds"] = period
        if metadata.get("generation"):
            metadata["generation"] += 1
        return True
    if not pending:
        return False
    if requested is None or requested >= pending:
        return None
    begun = parse_time(metadata["deletionTimestamp"]) - timedelta(seconds=pending)
    end = begun + timedelta(seconds=requested)
    if end < write.now:
        end, requested = write.now, min(requested, 1)
    metadata["deletionTimestamp"] = format_time(end)
    metadata["deletionGracePeriodSeconds"] = requested
    return True


def _set_finalizers(metadata: Object, request: DeleteRequest, resource: ResourceType) -> None:
    """Put the propagation policy into the finalizers, where the garbage collector reads it."""
    finalizers = metadata.get("finalizers") or []
    orphans, foreground = False, False
    if resource.collects_garbage:
        orphans, foreground = _policy(finalizers, request, orphan=resource.orphans_by_default)
    wanted = [name for name in finalizers if name not in {ORPHAN, FOREGROUND}]
    wanted += [ORPHAN] * orphans + [FOREGROUND] * foreground
    if set(wanted) == set(finalizers):
        return
    if wanted:
        metadata["finalizers"] = wanted
    else:
        metadata.pop("finalizers", None)


def _policy(finalizers: list[str], request: DeleteRequest, *, orphan: bool) -> tuple[bool, bool]:
    """Whether dependents are orphaned, and whether they are deleted first."""
    if request.orphan_dependents is not None:
        return request.orphan_dependents, False
    if request.propagation_policy:
        return request.propagation_policy == "Orphan", request.propagation_policy == "Foreground"
    said = next((name for name in finalizers if name in {ORPHAN, FOREGROUND}), "")
    return said == ORPHAN or (not said and orphan), said == FOREGROUND


def _mark(metadata: Object, write: Write) -> None:
    marked = metadata.get("deletionTimestamp")
    if not marked and metadata.get("generation"):
        metadata["generation"] += 1
    if not marked or parse_time(marked) > write.now:
        metadata["deletionTimestamp"] = format_time(write.now)
    metadata["deletionGracePeriodSeconds"] = 0


async def _marked(store: Store, entry: Entry, obj: Object, write: Write) -> bytes:
    resource = store.type
    if not write.dry_run:
        return (await _write_mark(store, entry, obj)).value
    if resource.converts:
        obj = await resource.convert_to_storage(obj)
    return resource.encode_unstored(obj)


async def _write_mark(store: Store, entry: Entry, obj: Object) -> Entry:
    """Write an object that is being deleted; nothing is written if that changes nothing."""
    resource = store.type
    if resource.converts:
        obj = await resource.convert_to_storage(obj)
    value = resource.encode(obj)
    same = value.before + str(entry.revision).encode() + value.after
    if same == entry.value or decode_stored(same) == decode_stored(entry.value):
        return entry
    return await store.storage.update(entry.key, value, expected_revision=entry.revision)


async def _removed(store: Store, entry: Entry, obj: Object, write: Write) -> bytes:
    resource = store.type
    if resource.converts:
        obj = await resource.convert_to_storage(obj)
    finalizers = decode_stored(entry.value)["metadata"].get("finalizers")
    if finalizers:
        # The last that watchers and the caller see has the finalizers that only this delete took away.
        obj["metadata"]["finalizers"] = finalizers
    if write.dry_run:
        return resource.encode_unstored(obj)
    deleted = await store.storage.delete(entry.key, resource.encode(obj), expected_revision=entry.revision)
    if store.reservations is not None:
        store.reservations.release(obj)
    return deleted.value
