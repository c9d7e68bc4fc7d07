"""Changing an object: updates, patches and applies, of the object or of a subresource of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final, NamedTuple, TypeAlias

import msgspec

from kubewright.machinery.apply import keep_timestamps
from kubewright.machinery.field_errors import invalid as invalid_field
from kubewright.machinery.gvk import GroupKind
from kubewright.machinery.names import is_path_segment_name, is_path_segment_prefix
from kubewright.server.admission.attributes import Attributes
from kubewright.server.admission.chain import admit, validate
from kubewright.server.errors import (
    bad_request,
    check_errors,
    conflict,
    failed,
    invalid,
    not_found,
    not_unsigned,
    parse_revision,
)
from kubewright.server.kinds.kind import Errors, Kind, Object, Subresource
from kubewright.server.kinds.metadata_rules import validate_object_meta, validate_object_meta_update
from kubewright.server.large_requests import LARGE, run_in_worker
from kubewright.server.registry.create import admit_create, create_admitted
from kubewright.server.registry.metadata import dedup_owner_references, match_namespace
from kubewright.server.registry.resource_type import REGISTRY_ROOT
from kubewright.server.registry.store import Store
from kubewright.server.registry.write import Write
from kubewright.server.storage import Entry, KeyExists, KeyMissing, RevisionMismatch

__all__ = ["Change", "Updated", "check_name", "check_uid", "update"]

Change: TypeAlias = Callable[[Object | None], Awaitable[Object]]
"""Makes the wanted object of the present one (None: there is none yet), which it may change; may be called
again when somebody else was faster. Its managedFields are complete."""


_KEPT_AS: Final = {
    "services": "services/specs",
    "endpoints": "services/endpoints",
    "nodes": "minions",
    "ingresses": "ingress",
}
"""Where kube-apiserver keeps what it does not keep under the name of the resource; a message tells it."""


class Updated(NamedTuple):
    """What came of an update."""

    value: bytes
    """The object in its stored form."""
    created: bool


async def update(
    store: Store, name: str, change: Change, write: Write, *, create_if_missing: bool = False
) -> Updated:
    """Bring an object into the state that `change` makes of it.

    Raises ApiError: NotFound, Conflict, Invalid, BadRequest, and whatever `change` and admission refuse with.
    Nothing is written when nothing changes. An object on its way out is deleted with its last finalizer.
    """
    key = store.key(write.namespace, name)
    # Upstream's status endpoints share the rule of their kind: the status of a service can create it.
    may_create = create_if_missing or (
        write.subresource in {"", "status"} and store.type.rules.allow_create_on_update
    )
    # A request with a large body has its slot already.
    has_slot = write.size >= LARGE
    while True:
        entry = store.storage.get(key)
        warned = len(write.warnings)
        try:
            if entry is None:
                if not may_create:
                    raise not_found(store.type.group_resource, name)
                return Updated(await _create(store, name, change, write), created=True)
            if has_slot or len(entry.value) < LARGE:
                return Updated(await _update(store, name, entry, change, write), created=False)
            # A small change of a large object.
            async with store.large_requests.slot():
                write.size = len(entry.value)
                return Updated(await _update(store, name, entry, change, write), created=False)
        except (RevisionMismatch, KeyMissing, KeyExists):
            # Somebody was faster: look again. What was warned of is warned of again.
            del write.warnings[warned:]


def check_name(obj: Object, name: str, namespace: str) -> None:
    """Raises BadRequest for an object of another name, or of another namespace, than the path says."""
    metadata = obj["metadata"]
    given = metadata.get("name", "")
    if not given:
        raise bad_request(
            f"the name of the object ({name} based on URL) was undeterminable: name must be provided"
        )
    if given != name:
        raise bad_request(f"the name of the object ({given}) does not match the name on the URL ({name})")
    match_namespace(metadata, namespace)


async def _create(store: Store, name: str, change: Change, write: Write) -> bytes:
    obj = await change(None)
    check_name(obj, name, write.namespace)
    metadata = obj["metadata"]
    if metadata.get("uid"):
        raise conflict(
            store.type.group_resource,
            name,
            f"uid mismatch: the provided object specified uid {metadata['uid']}, and no existing object "
            "was found",
        )
    given = metadata.get("resourceVersion", "")
    if not write.dry_run:
        metadata.pop("selfLink", None)
        metadata.pop("resourceVersion", None)
    obj = await admit_create(store, obj, write)
    dedup_owner_references(obj["metadata"], write.warnings, admitted=True)
    if given and parse_revision(given) is None:
        raise failed(not_unsigned(given))
    return await create_admitted(store, obj, write)


async def _update(store: Store, name: str, entry: Entry, change: Change, write: Write) -> bytes:
    old = await store.load(entry.value)
    live = await store.load(entry.value)
    obj = await change(live)
    check_name(obj, name, write.namespace)
    obj = await _admitted(store, name, obj, old, write)
    dedup_owner_references(obj["metadata"], write.warnings, admitted=True)
    _check_revision(store, name, obj, entry)
    reserved = store.reserve(obj, old, write)
    try:
        value = await _stored(store, name, entry, obj, old, write)
    except BaseException:
        if reserved is not None:
            reserved.failed()
        raise
    if reserved is not None:
        reserved.written()
    return value


async def _stored(store: Store, name: str, entry: Entry, obj: Object, old: Object, write: Write) -> bytes:
    """Check an update and write it."""
    resource = store.type
    is_large = write.size >= LARGE
    rules = _prepare(store, obj, old, write)
    check = partial(_check, store, obj, old, rules, write)
    if is_large:
        await run_in_worker(check)
    else:
        await resource.judge(check)
    write.warnings += rules.warnings(obj, old)
    # With null for empty lists, as in `old`: what is the same but for that is no reason for a new time.
    obj = keep_timestamps(old, resource.complete(obj))
    await _validate_admission(store, name, obj, old, write)
    if _is_finished(obj["metadata"], old["metadata"]) and not resource.holds(obj):
        return await _delete(store, entry, obj, old, write)
    obj = resource.complete(obj)
    unchanged = obj == old
    if unchanged and not resource.may_be_outdated(entry.value):
        return entry.value
    if resource.converts:
        obj = await resource.convert_to_storage(obj)
    if write.dry_run:
        return resource.encode_unstored(obj)
    value = await run_in_worker(partial(resource.encode, obj)) if is_large else resource.encode(obj)
    if unchanged and value.before + str(entry.revision).encode() + value.after == entry.value:
        return entry.value
    updated = await store.storage.update(entry.key, value, expected_revision=entry.revision)
    return updated.value


def check_uid(store: Store, name: str, obj: Object, old: Object, *, dry_run: bool) -> None:
    """Raises Conflict for an object that was meant for another one of the same name."""
    given, uid = obj["metadata"].get("uid", ""), old["metadata"].get("uid", "")
    if given and given != uid:
        key = store.key(obj["metadata"].get("namespace", ""), name)
        resource = store.type.served.resource
        key = key.replace(f"/{resource}/", f"/{_KEPT_AS.get(resource, resource)}/", 1)
        if dry_run:
            # Upstream asks another layer of its storage then, which knows nothing of the prefix.
            key = key.removeprefix(REGISTRY_ROOT.rstrip("/"))
        raise conflict(
            store.type.group_resource,
            name,
            f"StorageError: invalid object, Code: 4, Key: {key}, ResourceVersion: 0, AdditionalErrorMsg: "
            f"Precondition failed: UID in precondition: {given}, UID in object meta: {uid}",
        )


def _check_revision(store: Store, name: str, obj: Object, entry: Entry) -> None:
    resource, metadata = store.type, obj["metadata"]
    text = metadata.get("resourceVersion", "")
    revision = parse_revision(text) if text else 0
    if revision is None:
        raise failed(not_unsigned(text))
    if not revision:
        if not resource.rules.allow_unconditional_update:
            kind = GroupKind(resource.served.group, resource.served.resource)
            raise invalid(
                kind, name, [invalid_field("metadata.resourceVersion", 0, "must be specified for an update")]
            )
    elif revision != entry.revision:
        raise conflict(resource.group_resource, name)
    metadata["resourceVersion"] = str(entry.revision)


def _prepare(store: Store, obj: Object, old: Object, write: Write) -> Kind | Subresource:
    """Take back what an update may not change, and return the rules that it has to keep."""
    resource, rules = store.type, store.type.rules
    metadata, before = obj["metadata"], old["metadata"]
    match_namespace(metadata, write.namespace if resource.served.namespaced else "")
    if not write.dry_run:
        # Upstream drops it when it encodes an object for its store.
        metadata.pop("selfLink", None)
    _keep(metadata, before, "generation")
    subresource = rules.subresources.get(write.subresource) if write.subresource else None
    if subresource is not None:
        subresource.prepare(obj, old, write.context())
    else:
        rules.prepare_update(obj, old, write.context())
    metadata = obj["metadata"]
    counts = rules.generation is not None and write.subresource != "status"
    if counts and rules.generation is not None and rules.generation(obj, old):
        metadata["generation"] = before.get("generation", 0) + 1
    if not metadata.get("uid"):
        _keep(metadata, before, "uid")
    _keep_if_set(metadata, before, "creationTimestamp")
    _keep_if_set(metadata, before, "deletionTimestamp")
    if metadata.get("deletionGracePeriodSeconds") is None:
        _keep_if_set(metadata, before, "deletionGracePeriodSeconds")
    return subresource or rules


def _check(store: Store, obj: Object, old: Object, rules: Kind | Subresource, write: Write) -> None:
    """Raises Invalid for an update that breaks rules."""
    name = obj["metadata"].get("name", "")
    check_errors(store.type.group_kind, name, lambda: _errors(store, obj, old, rules, write))


def _errors(store: Store, obj: Object, old: Object, rules: Kind | Subresource, write: Write) -> Errors:
    """What is wrong with a changed object. Raises TooManyErrors."""
    resource, metadata = store.type, obj["metadata"]
    errors = validate_object_meta(metadata, namespaced=resource.served.namespaced, name_rule=_path_segment)
    # Upstream looks twice, once for all kinds and once in the rules of each, and says twice what it finds.
    checks = rules.metadata_checks
    errors += validate_object_meta_update(metadata, old["metadata"]) * (2 if checks else 1)
    if checks:
        errors += resource.finalizer_errors(metadata)
    if checks > 1 and not write.subresource:
        errors += validate_object_meta(
            metadata, namespaced=resource.served.namespaced, name_rule=resource.rules.name
        )
        errors += resource.finalizer_errors(metadata)
    errors += rules.validate_update(obj, old) if isinstance(rules, Kind) else rules.validate(obj, old)
    return errors


def _path_segment(name: str, *, prefix: bool = False) -> list[str]:
    return is_path_segment_prefix(name) if prefix else is_path_segment_name(name)


def _keep(metadata: Object, before: Object, name: str) -> None:
    if name in before:
        metadata[name] = before[name]
    else:
        metadata.pop(name, None)


def _keep_if_set(metadata: Object, before: Object, name: str) -> None:
    if before.get(name) is not None:
        metadata[name] = before[name]


def _is_finished(metadata: Object, before: Object) -> bool:
    """Whether nothing holds a deleted object any more."""
    if metadata.get("finalizers") or not before.get("deletionTimestamp"):
        return False
    return not before.get("deletionGracePeriodSeconds")


async def _delete(store: Store, entry: Entry, obj: Object, old: Object, write: Write) -> bytes:
    """Delete what was stored, which is what watchers see, and answer with what the update made of it."""
    resource = store.type
    if resource.converts:
        obj, old = await resource.convert_to_storage(obj), await resource.convert_to_storage(old)
    if write.dry_run:
        return resource.encode_unstored(obj)
    await store.storage.delete(entry.key, resource.encode(old), expected_revision=entry.revision)
    if store.reservations is not None:
        store.reservations.release(obj)
    return resource.encode_unstored(obj)


async def _admitted(store: Store, name: str, obj: Object, old: Object, write: Write) -> Object:
    """The object that the plugins make of another. Raises what they refuse with."""
    if not store.admission:
        return obj
    if write.subresource != "scale":
        return await admit(store.admission, _attributes(store, name, obj, old, write))
    shown, before = _scale(store, obj), _scale(store, old)
    admitted = await admit(store.admission, _attributes(store, name, shown, before, write))
    if admitted is shown:
        return obj
    from kubewright.server.kinds.autoscaling.scale import validate_scale  # noqa: PLC0415 - rare

    # Custom resources are checked as a whole, by their own rules.
    if not store.type.stores_type and (errors := validate_scale(admitted)):
        raise invalid(GroupKind("autoscaling", "Scale"), name, errors)
    return store.type.scaled(obj, admitted)


async def _validate_admission(store: Store, name: str, obj: Object, old: Object, write: Write) -> None:
    if not store.admission:
        return
    if write.subresource == "scale":
        obj, old = _scale(store, obj), _scale(store, old)
    await validate(store.admission, _attributes(store, name, obj, old, write))


def _scale(store: Store, obj: Object) -> Object:
    """The Scale of an object; of a copy, so that plugins share nothing with the object."""
    shown: Object = msgspec.json.decode(msgspec.json.encode(store.type.scale_of(obj)))
    return shown


def _attributes(store: Store, name: str, obj: Object, old: Object, write: Write) -> Attributes:
    return Attributes(operation="UPDATE", type=store.type, name=name, obj=obj, old=old, write=write)
