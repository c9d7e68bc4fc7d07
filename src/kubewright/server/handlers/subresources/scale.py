"""`/scale`: how many replicas there are and shall be, of workloads and of custom resources that have it."""

from __future__ import annotations

from typing import Any, Final

from kubewright.machinery.apply import ApplyConflict
from kubewright.machinery.errors import ApiError, ParseError
from kubewright.machinery.gvk import GroupKind
from kubewright.machinery.schema import Schema
from kubewright.machinery.status import StatusCause
from kubewright.machinery.typed_schema import schema_of
from kubewright.server.errors import (
    apply_conflict,
    bad_request,
    conflict,
    failed,
    invalid,
    method_not_allowed,
    no_patch,
    unsupported_media_type,
)
from kubewright.server.handlers.bodies import read_kind
from kubewright.server.handlers.call import Answer, Call
from kubewright.server.handlers.negotiation import Output
from kubewright.server.handlers.options import WriteOptions, write_of, write_options
from kubewright.server.handlers.patched_type import strategic_patch_unreadable
from kubewright.server.handlers.patches import (
    APPLY,
    JSON_PATCH,
    MERGE_PATCH,
    STRATEGIC_MERGE_PATCH,
    apply_patch,
    decode_patch,
    patch_unreadable,
    read_configuration,
    read_patched,
    refuse_repeated_keys,
)
from kubewright.server.handlers.respond import output_of, partial_metadata, plain_answer, table_of
from kubewright.server.kinds.autoscaling.scale import validate_scale
from kubewright.server.kinds.kind import Object
from kubewright.server.kinds.scale import scale_uid_error
from kubewright.server.large_requests import LARGE, run_in_worker
from kubewright.server.registry.registry import Registry
from kubewright.server.registry.resource_type import ResourceType
from kubewright.server.registry.store import Store
from kubewright.server.registry.update import Change, update
from kubewright.server.registry.write import Write
from kubewright.server.tables import printer
from kubewright.server.tables.custom import SCALE_COLUMNS, crd_printer
from kubewright.server.wire import wire_type

__all__ = ["scale"]

_API_VERSION: Final = "autoscaling/v1"
_SCALE: Final = GroupKind("autoscaling", "Scale")


async def scale(call: Call, registry: Registry, store: Store) -> Answer:
    """get, update and patch of `/scale`."""
    output = output_of(call)
    name, verb = call.info.name, call.info.verb
    resource = store.type
    if verb == "get":
        obj = await store.load(store.get(call.info.namespace, name).value)
        return _answer(call, resource, resource.scale_of(obj), output)
    if verb not in {"update", "patch"}:
        raise method_not_allowed()
    content_type = call.headers.get("Content-Type", "").partition(";")[0]
    is_apply = verb == "patch" and content_type == APPLY
    options = write_options(call, "UpdateOptions" if verb == "update" else "PatchOptions", is_apply=is_apply)
    namespace = call.info.namespace if resource.served.namespaced else ""
    write = write_of(call, options, namespace=namespace, subresource="scale")
    if verb == "update":
        change = await _updated(call, store, options, write)
    elif is_apply:
        change = await _applied(call, store, options, write)
    else:
        change = _patched(call, store, content_type, options, write)
    updated = await update(store, name, change, write)
    if resource.converts:
        (value,) = await resource.convert((updated.value,))
    else:
        value = updated.value
    return _answer(call, resource, resource.scale_of(resource.decode(value)), output)


def _answer(call: Call, resource: ResourceType, shown: Object, output: Output) -> Answer:
    """A Scale in the form that is wanted."""
    if output.transform == "Table":
        columns = crd_printer(SCALE_COLUMNS) if resource.served.custom else printer("autoscaling", "scale")
        metadata = {"resourceVersion": shown["metadata"].get("resourceVersion", "")}
        shown = table_of(call, columns, [shown], output, metadata=metadata)
    elif output.transform:
        shown = partial_metadata(shown, output.version)
    return plain_answer(call, shown, output)


async def _updated(call: Call, store: Store, options: WriteOptions, write: Write) -> Change:
    wanted = await read_kind(call, _API_VERSION, "Scale", options.validation)

    async def change(live: Object | None) -> Object:
        return await _scaled(call, store, _existing(live), wanted, write)

    return change


def _patched(call: Call, store: Store, content_type: str, options: WriteOptions, write: Write) -> Change:
    resource = store.type
    kinds = [JSON_PATCH, MERGE_PATCH, *([STRATEGIC_MERGE_PATCH] if resource.strategic else []), APPLY]
    if content_type not in kinds:
        raise no_patch() if resource.strategic else unsupported_media_type(kinds)
    if call.record is not None:
        call.record.request_patch(call.body, content_type)

    async def change(live: Object | None) -> Object:
        obj = _existing(live)
        if len(call.body) < LARGE:
            wanted = compute(obj)
        else:
            wanted = await run_in_worker(lambda: compute(obj))
        return await _scaled(call, store, obj, wanted, write)

    def compute(obj: Object) -> Object:
        shown = store.type.scale_of(obj)
        patch, _ = decode_patch(call.body, content_type, options.validation)
        patched = apply_patch(store.type.group_resource, content_type, shown, patch, _scale_schema)
        kind = wire_type(_API_VERSION, "Scale")
        try:
            return read_patched(kind, patched, call.body, content_type, "Ignore").obj
        except ParseError as error:
            if content_type == STRATEGIC_MERGE_PATCH:
                why = kind.conversion_error(patched) or str(error)
                raise strategic_patch_unreadable(patch, why) from None
            raise patch_unreadable(patched, str(error)) from None

    return change


async def _applied(call: Call, store: Store, options: WriteOptions, write: Write) -> Change:
    if call.record is not None:
        call.record.request_patch(call.body, APPLY)
    config = await _read_config(call, options)
    resource = store.type
    manager = resource.manager("scale")

    async def change(live: Object | None) -> Object:
        obj = _existing(live)
        spec = config.get("spec") or {}
        wanted: Object = {
            "apiVersion": resource.api_version,
            "kind": resource.served.kind,
            "metadata": {"name": obj["metadata"]["name"]},
        }
        if "replicas" in spec:
            wanted = resource.with_replicas(wanted, _checked(resource, config, spec["replicas"] or 0))
        try:
            merged = await resource.managed(
                lambda: manager.apply(
                    obj, wanted, manager=write.manager, now=write.now, force=bool(options.force)
                ),
                obj,
                size=write.size,
            )
        except ApplyConflict as found:
            raise _conflict(resource.api_version, found) from None
        except ParseError as error:
            raise bad_request(str(error)) from None
        return _with_revision(resource, merged, config)

    return change


def _checked(resource: ResourceType, config: Object, replicas: object) -> object:
    """The number that is applied. Raises ApiError; custom resources are checked by their own rules."""
    if resource.stores_type:
        return replicas
    if isinstance(replicas, bool) or not isinstance(replicas, int):
        raise failed(
            f"failed to create typed patch object: .spec.replicas: expected a number, got {replicas!r:.100}"
        )
    if errors := validate_scale(config):
        raise invalid(_SCALE, (config.get("metadata") or {}).get("name", ""), errors)
    return replicas


def _with_revision(resource: ResourceType, obj: Object, config: Object) -> Object:
    """What was applied, with the revision that the Scale is for; without one it is for any."""
    given = (config.get("metadata") or {}).get("resourceVersion")
    if given:
        obj = {**obj, "metadata": {**obj["metadata"], "resourceVersion": given}}
    if not resource.stores_type:
        # A Scale always has a number.
        obj = {**obj, "spec": {"replicas": 0, **(obj.get("spec") or {})}}
    return obj


async def _read_config(call: Call, options: WriteOptions) -> Object:
    config, repeated = await read_configuration(call)
    if not isinstance(config.get("spec") or {}, dict):
        raise bad_request("error decoding YAML: the document is not a Scale")
    if config.get("apiVersion") != _API_VERSION or config.get("kind") != "Scale":
        raise bad_request(f"invalid object type: apply to /scale takes a Scale of {_API_VERSION}")
    refuse_repeated_keys(call, repeated, options.validation)
    return config


async def _scaled(call: Call, store: Store, live: Object, wanted: Object, write: Write) -> Object:
    resource, name = store.type, call.info.name
    given = (wanted.get("metadata") or {}).get("name", "")
    if given and given != name:
        raise bad_request(f"the name of the object ({given}) does not match the name on the URL ({name})")
    # Custom resources are checked as a whole, by their own rules.
    if not resource.stores_type and (errors := validate_scale(wanted)):
        raise invalid(_SCALE, given, errors)
    if why := scale_uid_error(live, wanted):
        raise conflict(resource.group_resource, name, why)
    obj = resource.scaled(live, wanted)
    if live["metadata"].get("managedFields") and not _is_managed(resource, live):
        # Upstream looks at the managers of the Scale: where it has none, there is nothing to keep.
        return obj
    manager = resource.manager("scale")
    managed = await resource.managed(
        lambda: manager.update_no_errors(live, obj, manager=write.manager, now=write.now),
        live,
        obj,
        size=write.size,
    )
    comes_to_none = _replicas(resource.scale_of(live)) and not _replicas(wanted)
    return _unmanaged(resource, managed) if comes_to_none else managed


def _replicas(shown: Object) -> object:
    return (shown.get("spec") or {}).get("replicas")


def _is_managed(resource: ResourceType, obj: Object) -> bool:
    """Whether anybody is recorded as the writer of the number of replicas."""
    names = _replicas_path(resource)
    return any(_has(entry.get("fieldsV1"), names) for entry in obj["metadata"]["managedFields"])


def _unmanaged(resource: ResourceType, obj: Object) -> Object:
    """The object without anybody as the writer of the number of replicas.

    Upstream looks at the fields of the Scale, where a number of 0 is as none: it is nobody's, so that whoever
    applies another number next has no conflict.
    """
    names = _replicas_path(resource)
    entries = [
        {**entry, "fieldsV1": _without(entry.get("fieldsV1"), names)}
        for entry in obj["metadata"].get("managedFields") or ()
    ]
    kept = [entry for entry in entries if entry["fieldsV1"]]
    return {**obj, "metadata": {**obj["metadata"], "managedFields": kept}}


def _replicas_path(resource: ResourceType) -> list[str]:
    path: Any = resource.with_replicas({}, None)
    names = []
    while isinstance(path, dict):
        ((name, path),) = path.items()
        names.append(f"f:{name}")
    return names


def _without(fields: Any, names: list[str]) -> Any:
    """Fields without one of them; what has become empty goes with it."""
    if not isinstance(fields, dict) or names[0] not in fields:
        return fields
    rest = _without(fields[names[0]], names[1:]) if len(names) > 1 else None
    others = {name: value for name, value in fields.items() if name != names[0]}
    return {**others, names[0]: rest} if rest else others


def _has(fields: Any, names: list[str]) -> bool:
    for name in names:
        if not isinstance(fields, dict) or name not in fields:
            return False
        fields = fields[name]
    return True


def _conflict(api_version: str, found: ApplyConflict) -> ApiError:
    """A conflict of a Scale, which names the version of Scale as the managers'."""
    theirs, ours = f" using {api_version}", f" using {_API_VERSION}"
    causes = [StatusCause.from_dict(cause) for cause in found.causes]
    for cause in causes:
        cause.message = (cause.message or "").replace(theirs, ours)
    return apply_conflict(str(found).replace(theirs, ours), causes)


def _existing(live: Object | None) -> Object:
    assert live is not None  # noqa: S101 - a scale cannot be created
    return live


def _scale_schema() -> Schema:
    from kubewright.models.autoscaling_v1 import Scale  # noqa: PLC0415 - only for strategic merge patches

    return schema_of(Scale)
