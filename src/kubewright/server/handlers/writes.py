"""create, update, delete and deletecollection."""

from __future__ import annotations

import asyncio
from typing import Final

from kubewright.machinery.errors import NotFound
from kubewright.machinery.status import Status, StatusDetails
from kubewright.server.handlers.bodies import read_body
from kubewright.server.handlers.call import Answer, Call
from kubewright.server.handlers.options import delete_options, list_options, write_of, write_options
from kubewright.server.handlers.respond import (
    list_answer,
    object_answer,
    output_of,
    reply_in_form,
    status_answer,
)
from kubewright.server.kinds.kind import Object
from kubewright.server.registry.create import create
from kubewright.server.registry.delete import Deleted, delete, warn_of_orphans
from kubewright.server.registry.listing import list_selected
from kubewright.server.registry.metadata import dedup_owner_references, match_namespace
from kubewright.server.registry.resource_type import ResourceType
from kubewright.server.registry.selection import read_selection
from kubewright.server.registry.store import Store
from kubewright.server.registry.stored import read_meta
from kubewright.server.registry.update import check_name, check_uid, update
from kubewright.server.registry.write import Write

__all__ = ["create_object", "delete_collection", "delete_object", "present", "update_object"]

_SUCCESS: Final = "Success"

_DELETED_AT_ONCE: Final = 20
"""After how many deletes of a collection others are served: about a millisecond."""


async def create_object(call: Call, store: Store) -> Answer:
    """`create`: a new object."""
    resource = store.type
    output_of(call, protobuf_answers=not resource.stores_type)
    options = write_options(call, "CreateOptions")
    obj = await read_body(call, resource, options.validation)
    write = write_of(call, options, namespace=_namespace(call, resource))
    value = await create(store, obj, write)
    return await present(call, resource, value, status=201)


async def update_object(call: Call, store: Store, name: str, subresource: str = "") -> Answer:
    """`update`: an object, or a subresource of the same kind, replaced by the body."""
    resource = store.type
    output_of(call, protobuf_answers=not resource.stores_type)
    options = write_options(call, "UpdateOptions")
    write = write_of(call, options, namespace=_namespace(call, resource), subresource=subresource)
    read: list[Object] = [await _read_named(call, store, options.validation, name, write)]
    manager = resource.manager(subresource)

    async def change(live: Object | None) -> Object:
        # The first read is used up by the first attempt.
        obj = read.pop() if read else await _read_named(call, store, "Ignore", name, write)
        check_uid(store, name, obj, live if live is not None else {"metadata": {}}, dry_run=write.dry_run)
        dedup_owner_references(obj["metadata"], write.warnings)
        return await resource.managed(
            lambda: manager.update_no_errors(live, obj, manager=write.manager, now=write.now),
            live,
            obj,
            size=write.size,
        )

    updated = await update(store, name, change, write)
    return await present(call, resource, updated.value, status=201 if updated.created else 200)


async def delete_object(call: Call, store: Store, name: str) -> Answer:
    """`delete`: one object."""
    resource = store.type
    output_of(call, protobuf_answers=not resource.stores_type)
    request, dry_run = await delete_options(call)
    write = Write(
        user=call.user,
        now=call.now,
        namespace=_namespace(call, resource),
        dry_run=dry_run,
        warnings=call.warnings,
        annotations=call.annotations,
    )
    warn_of_orphans(resource, request, call.warnings)
    deleted = await delete(store, name, request, write)
    status = 202 if not deleted.gone and request.orphan_dependents is False else 200
    if deleted.gone and not resource.returns_deleted:
        return status_answer(call, _success(resource, deleted), code=status)
    return await present(call, resource, deleted.value, status=status)


async def delete_collection(call: Call, store: Store) -> Answer:
    """`deletecollection`: every object of a selection; answers with the list of them as they were."""
    resource = store.type
    output_of(call, protobuf_answers=not resource.stores_type)
    options = list_options(call.query, watching=False)
    request, dry_run = await delete_options(call)
    selection = await read_selection(
        resource,
        namespace=_namespace(call, resource),
        labels=options.label_selector,
        fields=options.field_selector,
    )
    listed = await list_selected(store, selection, limit=options.limit, token=options.continue_)
    warn_of_orphans(resource, request, call.warnings)
    for count, value in enumerate(listed.values, 1):
        if count % _DELETED_AT_ONCE == 0:
            # In memory a delete waits for nothing.
            await asyncio.sleep(0)
        meta = read_meta(value)
        write = Write(
            user=call.user,
            now=call.now,
            namespace=meta.namespace,
            dry_run=dry_run,
            warnings=call.warnings,
            annotations=call.annotations,
        )
        try:
            await delete(store, meta.name, request, write, of_collection=True)
        except NotFound:
            # Somebody else was faster, which is all that was wanted.
            continue
    size = sum(map(len, listed.values))
    return await reply_in_form(
        call,
        resource,
        size,
        lambda: list_answer(call, resource, listed.values, listed._replace(remaining=None)),
    )


async def present(call: Call, resource: ResourceType, value: bytes, *, status: int = 200) -> Answer:
    """A stored object as the answer to a write."""
    if resource.converts:
        (value,) = await resource.convert((value,))
    return await reply_in_form(
        call, resource, len(value), lambda: object_answer(call, resource, value, status=status)
    )


def _namespace(call: Call, resource: ResourceType) -> str:
    return call.info.namespace if resource.served.namespaced else ""


async def _read_named(call: Call, store: Store, validation: str, name: str, write: Write) -> Object:
    obj = await read_body(call, store.type, validation)
    match_namespace(obj["metadata"], write.namespace)
    check_name(obj, name, write.namespace)
    return obj


def _success(resource: ResourceType, deleted: Deleted) -> Status:
    meta = read_meta(deleted.value)
    return Status(
        status=_SUCCESS,
        details=StatusDetails(
            name=meta.name, group=resource.served.group, kind=resource.served.resource, uid=meta.uid
        ),
    )
