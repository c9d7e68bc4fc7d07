"""Creating an object: what every kind has in common, in the order in which upstream does it."""

from __future__ import annotations

from typing import Final

import msgspec

from kubewright.machinery.errors import AlreadyExists
from kubewright.machinery.names import generate_name
from kubewright.server.admission.attributes import Attributes
from kubewright.server.admission.chain import admit, validate
from kubewright.server.errors import (
    already_exists,
    check_errors,
    failed,
    generate_name_conflict,
    parse_revision,
)
from kubewright.server.kinds.kind import Errors, Object
from kubewright.server.kinds.metadata_rules import validate_object_meta
from kubewright.server.large_requests import LARGE, run_in_worker
from kubewright.server.registry.metadata import (
    clear_system_fields,
    dedup_owner_references,
    fill_system_fields,
    match_namespace,
)
from kubewright.server.registry.resource_type import ResourceType
from kubewright.server.registry.store import Store
from kubewright.server.registry.stored import read_meta
from kubewright.server.registry.write import Write
from kubewright.server.storage import Entry, KeyExists, Value

__all__ = ["admit_create", "create", "create_admitted"]

_NAME_ATTEMPTS: Final = 8
"""How many names upstream makes for `generateName` before it gives up."""


async def create(store: Store, obj: Object, write: Write) -> bytes:
    """Create an object, which is changed on the way, and return it in its stored form.

    Raises ApiError: AlreadyExists, Invalid, BadRequest, and whatever admission refuses with.
    """
    metadata = obj["metadata"]
    clear_system_fields(metadata)
    match_namespace(metadata, write.namespace)
    dedup_owner_references(metadata, write.warnings)
    manager = store.type.manager(write.subresource)
    bare = obj
    obj = await store.type.managed(
        lambda: manager.update_no_errors(None, bare, manager=write.manager, now=write.now),
        bare,
        size=write.size,
    )
    obj = await admit_create(store, obj, write)
    metadata = obj["metadata"]
    dedup_owner_references(metadata, write.warnings, admitted=True)
    if metadata.get("name") or not metadata.get("generateName"):
        return await create_admitted(store, obj, write)
    for attempt in range(1, _NAME_ATTEMPTS + 1):
        try:
            return await create_admitted(store, _copied(obj), write)
        except AlreadyExists:
            if attempt == _NAME_ATTEMPTS:
                raise
    raise AssertionError("unreachable")


def _copied(obj: Object) -> Object:
    """A copy that shares nothing, not even with itself: labels that were one map in two places are two."""
    copied: Object = msgspec.json.decode(msgspec.json.encode(obj))
    return copied


async def admit_create(store: Store, obj: Object, write: Write) -> Object:
    """The object that the plugins make of a new one. Raises what they refuse with."""
    return await admit(store.admission, _attributes(store, obj, write))


async def create_admitted(store: Store, obj: Object, write: Write) -> bytes:
    """Create an object that admission has seen; see `create`."""
    fill_system_fields(obj["metadata"], write.now, store.random)
    _name(store, obj["metadata"])
    reserved = store.reserve(obj, None, write)
    try:
        _prepare(store, obj, write)
        if write.size < LARGE:
            await store.type.judge(lambda: _check(store, obj))
        else:
            await run_in_worker(lambda: _check(store, obj))
        write.warnings += store.type.rules.warnings(obj, None)
        await validate(store.admission, _attributes(store, obj, write))
        value = await _write(store, obj, write)
    except BaseException:
        if reserved is not None:
            reserved.failed()
        raise
    if reserved is not None:
        reserved.written()
    return value


def _name(store: Store, metadata: Object) -> None:
    if not metadata.get("name") and metadata.get("generateName"):
        metadata["name"] = generate_name(metadata["generateName"], store.random)


def _prepare(store: Store, obj: Object, write: Write) -> None:
    """Complete a new object."""
    resource, rules = store.type, store.type.rules
    metadata = obj["metadata"]
    match_namespace(metadata, write.namespace if resource.served.namespaced else "")
    if rules.generation is not None:
        metadata["generation"] = 1
    rules.prepare_create(obj, write.context())


def _check(store: Store, obj: Object) -> None:
    """Raises Invalid for a new object that breaks the rules of its kind."""
    check_errors(store.type.group_kind, obj["metadata"].get("name", ""), lambda: _errors(store, obj))


def _errors(store: Store, obj: Object) -> Errors:
    """What is wrong with a new object. Raises TooManyErrors."""
    resource, rules = store.type, store.type.rules
    metadata = obj["metadata"]
    errors = [] if rules.metadata_checks else rules.validate(obj)
    if not errors:
        errors = validate_object_meta(metadata, namespaced=resource.served.namespaced, name_rule=rules.name)
    if rules.metadata_checks:
        errors += resource.finalizer_errors(metadata)
        errors += rules.validate(obj)
    return errors


async def _write(store: Store, obj: Object, write: Write) -> bytes:
    resource, name = store.type, obj["metadata"]["name"]
    if resource.converts:
        obj = await resource.convert_to_storage(obj)
    key = store.key(write.namespace, name)
    given = obj["metadata"].pop("resourceVersion", "")
    # What is no number counts as none.
    if given and not write.dry_run and parse_revision(given):
        raise failed("resourceVersion should not be set on objects to be created")
    try:
        if not write.dry_run:
            value = resource.encode(obj) if write.size < LARGE else await _encoded(resource, obj)
            return (await store.storage.create(key, value)).value
    except KeyExists as exists:
        raise _taken(store, obj, exists.current) from None
    existing = store.storage.get(key)
    if existing is not None:
        raise _taken(store, obj, existing)
    if given:
        obj["metadata"]["resourceVersion"] = given
    return resource.encode_unstored(obj)


async def _encoded(resource: ResourceType, obj: Object) -> Value:
    return await run_in_worker(lambda: resource.encode(obj))


def _taken(store: Store, obj: Object, existing: Entry) -> AlreadyExists:
    resource, metadata = store.type, obj["metadata"]
    if metadata.get("generateName"):
        error = generate_name_conflict(resource.group_resource, metadata["name"])
    else:
        error = already_exists(resource.group_resource, metadata["name"])
    if read_meta(existing.value).deletion_timestamp:
        error.status.message = f"object is being deleted: {error.status.message}"
    assert isinstance(error, AlreadyExists)  # noqa: S101 - by its reason
    return error


def _attributes(store: Store, obj: Object, write: Write) -> Attributes:
    return Attributes(
        operation="CREATE",
        type=store.type,
        name=obj["metadata"].get("name", ""),
        obj=obj,
        old=None,
        write=write,
    )
