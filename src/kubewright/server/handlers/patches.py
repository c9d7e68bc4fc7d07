"""patch: JSON patch, merge patch, strategic merge patch and server-side apply."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import msgspec

from kubewright.machinery.apply import ApplyConflict
from kubewright.machinery.apply.managed_fields import with_managed_fields
from kubewright.machinery.errors import ApiError, ParseError
from kubewright.machinery.gvk import GroupResource
from kubewright.machinery.patch import (
    MAX_OPERATIONS,
    PatchConflictError,
    PatchError,
    PatchPreconditionError,
    PatchTooLargeError,
    apply_json_patch,
    apply_merge_patch,
    apply_strategic_patch,
)
from kubewright.machinery.schema import Schema
from kubewright.machinery.status import StatusCause, StatusDetails
from kubewright.server.errors import (
    apply_conflict,
    bad_request,
    conflict,
    failed,
    no_patch,
    not_found,
    refusal,
    request_too_large,
    unsupported_media_type,
)
from kubewright.server.handlers.bodies import Reader, is_large, load_yaml, warn_or_refuse, yaml_errors
from kubewright.server.handlers.call import Answer, Call
from kubewright.server.handlers.options import WriteOptions, write_of, write_options
from kubewright.server.handlers.patched_type import (
    JSON_NAMES,
    check_custom_type,
    patch_unreadable,
    strategic_patch_unreadable,
    unknown_without_version,
)
from kubewright.server.handlers.respond import output_of
from kubewright.server.handlers.writes import present
from kubewright.server.kinds.kind import Object
from kubewright.server.large_requests import LARGE, run_in_worker
from kubewright.server.registry.metadata import bound_managed_fields
from kubewright.server.registry.resource_type import ResourceType
from kubewright.server.registry.store import Store
from kubewright.server.registry.update import Change, update
from kubewright.server.registry.write import Write
from kubewright.server.wire import Read, read_value

__all__ = [
    "APPLY",
    "JSON_PATCH",
    "MERGE_PATCH",
    "STRATEGIC_MERGE_PATCH",
    "apply_patch",
    "decode_patch",
    "patch_object",
    "patch_unreadable",
    "read_configuration",
    "read_patched",
    "refuse_repeated_keys",
]

JSON_PATCH: Final = "application/json-patch+json"
MERGE_PATCH: Final = "application/merge-patch+json"
STRATEGIC_MERGE_PATCH: Final = "application/strategic-merge-patch+json"
APPLY: Final = "application/apply-patch+yaml"

_SERVER_ERRORS: Final = ("failed to create typed", "conversion webhook for ", "request to convert CR ")
"""How the messages begin of what goes wrong in an apply and is, for upstream, not the caller's fault."""

_FLOAT: Final = re.compile(rb"\d[.eE]").search
"""Finds what may be a number that is not written as an integer."""

_NO_OBJECT: Final = "couldn't get version/kind; json parse error: json: cannot unmarshal"
_TYPE_META: Final = (
    r'struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }'
)
"""What Go calls the struct that it reads apiVersion and kind into."""


async def patch_object(call: Call, store: Store, name: str, subresource: str = "") -> Answer:
    """`patch`: an object, or a subresource of the same kind, changed by the body."""
    resource = store.type
    kinds = [JSON_PATCH, MERGE_PATCH, *([STRATEGIC_MERGE_PATCH] if resource.strategic else []), APPLY]
    content_type = call.headers.get("Content-Type", "").partition(";")[0]
    if content_type not in kinds:
        raise no_patch() if resource.strategic else unsupported_media_type(kinds)
    output_of(call, protobuf_answers=not resource.stores_type)
    is_apply = content_type == APPLY
    options = write_options(call, "PatchOptions", is_apply=is_apply)
    if call.record is not None:
        call.record.request_patch(call.body, content_type)
    namespace = call.info.namespace if resource.served.namespaced else ""
    write = write_of(call, options, namespace=namespace, subresource=subresource)
    if is_apply:
        change = await _applied(call, resource, options, write)
    else:
        change = _patched(call, resource, content_type, options, write)
    updated = await update(store, name, change, write, create_if_missing=is_apply and not subresource)
    return await present(call, resource, updated.value, status=201 if updated.created else 200)


def _patched(
    call: Call, resource: ResourceType, content_type: str, options: WriteOptions, write: Write
) -> Change:
    manager = resource.manager(write.subresource)

    async def change(live: Object | None) -> Object:
        if live is None:
            # Some kinds are created by updates, but by no patch other than apply.
            raise not_found(resource.group_resource, call.info.name)
        if write.size < LARGE:
            read, refuse = compute(live)
        else:
            read, refuse = await run_in_worker(lambda: compute(live))
        warn_or_refuse(call, read.problems, options.validation, refuse)
        obj = _complete(resource, read)
        return await resource.managed(
            lambda: manager.update_no_errors(live, obj, manager=write.manager, now=write.now),
            live,
            obj,
            size=write.size,
        )

    def compute(live: Object) -> tuple[Read, Callable[[str], ApiError]]:
        """The patched object, and what refuses it."""
        patch, problems = decode_patch(call.body, content_type, options.validation)
        patched = apply_patch(resource.group_resource, content_type, live, patch, lambda: resource.schema)
        if content_type == STRATEGIC_MERGE_PATCH:
            if all(isinstance(patched.get(each), str | None) for each in ("apiVersion", "kind")):
                # Upstream makes an object of the kind, whatever the patch says of kinds.
                patched["apiVersion"], patched["kind"] = resource.api_version, resource.served.kind
        elif resource.stores_type:
            check_custom_type(patched, resource.api_version)
        elif not patched.get("apiVersion"):
            problems = [*problems, *unknown_without_version(patched)]
            patched = {name: patched[name] for name in ("apiVersion", "kind") if name in patched}
        is_strategic = content_type == STRATEGIC_MERGE_PATCH

        def refuse(why: str) -> ApiError:
            if is_strategic:
                return strategic_patch_unreadable(patch, why)
            return patch_unreadable(patched, why)

        try:
            read = read_patched(resource, patched, call.body, content_type, options.validation)
        except ParseError as error:
            why = resource.conversion_error(patched) if is_strategic else ""
            raise refuse(why or str(error)) from None
        return read._replace(problems=[*problems, *read.problems]), refuse

    return change


def read_patched(reader: Reader, patched: Object, body: bytes, content_type: str, validation: str) -> Read:
    """The object that a patch has made. Raises ParseError."""
    strict = validation != "Ignore"
    if content_type != STRATEGIC_MERGE_PATCH and _FLOAT(body):
        # Of such patches upstream keeps the text: 1.0 is no integer.
        return reader.read(msgspec.json.encode(patched), strict=strict)
    try:
        return reader.read_object(patched, strict=strict)
    except ParseError:
        # Of several errors upstream tells the first, and its patches leave objects with their keys sorted.
        return reader.read(msgspec.json.encode(patched, order="sorted"), strict=strict)


async def _applied(call: Call, resource: ResourceType, options: WriteOptions, write: Write) -> Change:
    config, repeated = await read_configuration(call)
    manager = resource.manager(write.subresource)

    async def change(live: Object | None) -> Object:
        try:
            merged = await resource.managed(
                lambda: manager.apply(
                    live, config, manager=write.manager, now=write.now, force=bool(options.force)
                ),
                live,
                size=write.size,
            )
        except ApplyConflict as found:
            causes = [StatusCause.from_dict(cause) for cause in found.causes]
            raise apply_conflict(str(found), causes) from None
        except ParseError as error:
            raise _apply_error(str(error)) from None
        refuse_repeated_keys(call, repeated, options.validation)
        if live is not None and with_managed_fields(merged, None) == with_managed_fields(live, None):
            # Upstream goes on with the object as it is then, and gives it no defaults.
            return _complete(resource, Read(merged, ()))
        strict = options.validation != "Ignore"
        try:
            if write.size < LARGE:
                read = resource.read_applied(merged, strict=strict)
            else:
                read = await run_in_worker(lambda: resource.read_applied(merged, strict=strict))
        except ParseError as error:
            raise failed(str(error)) from None
        warn_or_refuse(call, read.problems, options.validation, lambda why: patch_unreadable(merged, why))
        return _complete(resource, read)

    return change


async def read_configuration(call: Call) -> tuple[Object, list[str]]:
    """The object that is applied, in YAML, and the keys that it repeats. Raises BadRequest."""
    try:
        if is_large(call.body, "yaml"):
            config, repeated = await run_in_worker(lambda: load_yaml(call.body))
        else:
            config, repeated = load_yaml(call.body)
    except ParseError as error:
        raise bad_request(f"error decoding YAML: error converting YAML to JSON: {error}") from None
    if config is None:
        config = {}
    if not isinstance(config, dict):
        prefix = "error decoding YAML: error unmarshaling JSON: while decoding JSON: "
        raise _wrong_type(prefix, config, "map[string]interface {}")
    return config, repeated


def refuse_repeated_keys(call: Call, repeated: Sequence[str], validation: str) -> None:
    """Refuse for repeated keys of what was applied, or warn of them; upstream does it after applying."""

    def refuse(_: str) -> ApiError:
        prefix = "error strict decoding YAML: error converting YAML to JSON: "
        return bad_request(f"{prefix}{yaml_errors(repeated)}")

    warn_or_refuse(call, repeated, validation, refuse)


def _apply_error(message: str) -> ApiError:
    # What begins with a field is about the object in the version of another manager.
    return failed(message) if message.startswith((*_SERVER_ERRORS, ".")) else bad_request(message)


def decode_patch(body: bytes, content_type: str, validation: str) -> tuple[Any, Sequence[str]]:
    """The patch, and which of its fields stand there twice. Raises BadRequest."""
    strict = validation != "Ignore"
    try:
        patch, problems = read_value(body, strict=strict)
    except ParseError as error:
        raise bad_request(f"{_prefix(content_type, strict=strict)}{error}") from None
    if patch is None and content_type != MERGE_PATCH:
        # Go reads null as nothing at all, and so changes nothing.
        patch = [] if content_type == JSON_PATCH else {}
    if not isinstance(patch, list if content_type == JSON_PATCH else dict):
        raise _no_patch(content_type, patch, strict=strict)
    if isinstance(patch, list):
        _check_count(patch)
        _check_operations(patch, strict=strict)
        problems = [f"json patch {each}" for each in (*problems, *_unknown_members(patch))] if strict else ()
    return patch, problems


def _check_count(patch: list[Any]) -> None:
    if len(patch) > MAX_OPERATIONS:
        raise request_too_large(
            f"The allowed maximum operations in a JSON patch is {MAX_OPERATIONS}, got {len(patch)}"
        )


def _unknown_members(patch: list[Any]) -> Iterator[str]:
    known = {"op", "path", "from", "value"}
    for index, operation in enumerate(patch):
        for name in operation if isinstance(operation, dict) else ():
            if name not in known:
                yield f'unknown field "[{index}].{name}"'


def _check_operations(patch: list[Any], *, strict: bool) -> None:
    for operation in patch:
        if operation is not None and not isinstance(operation, dict):
            wanted = "handlers.jsonPatchOp" if strict else "jsonpatch.Operation"
            raise _wrong_type(_prefix(JSON_PATCH, strict=strict), operation, wanted)


def _prefix(content_type: str, *, strict: bool) -> str:
    """How upstream begins: it looks for unknown and duplicate fields before it reads a patch."""
    decoded_first = content_type == MERGE_PATCH or (content_type == JSON_PATCH and strict)
    return "error decoding patch: " if decoded_first else ""


def _no_patch(content_type: str, patch: object, *, strict: bool) -> ApiError:
    if patch is None:
        return bad_request("Invalid JSON Patch")
    if content_type == MERGE_PATCH and isinstance(patch, list) and not strict:
        # Whatever is no object takes the place of the whole object.
        return patch_unreadable(patch, f"{_NO_OBJECT} array into Go value of type {_TYPE_META}")
    wanted = "[]handlers.jsonPatchOp" if content_type == JSON_PATCH else "map[string]interface {}"
    prefix = "" if content_type == STRATEGIC_MERGE_PATCH else "error decoding patch: "
    return _wrong_type(prefix, patch, wanted)


def _wrong_type(prefix: str, value: object, wanted: str) -> ApiError:
    given = JSON_NAMES[type(value)]
    return bad_request(f"{prefix}json: cannot unmarshal {given} into Go value of type {wanted}")


def apply_patch(
    resource: GroupResource, content_type: str, live: Object, patch: Any, schema: Callable[[], Schema]
) -> Object:
    """The object that a patch makes of another; `schema` is asked for strategic merge patches only."""
    try:
        if content_type == JSON_PATCH:
            patched = apply_json_patch(live, patch)
        elif content_type == MERGE_PATCH:
            patched = apply_merge_patch(live, patch)
        else:
            patched = apply_strategic_patch(live, patch, schema())
    except PatchError as error:
        raise _patch_refused(resource, content_type, error, live) from None
    if not isinstance(patched, dict):
        raise bad_request("the patched object is not an object")
    return patched


def _patch_refused(resource: GroupResource, content_type: str, error: PatchError, live: Object) -> ApiError:
    if isinstance(error, PatchTooLargeError):
        return request_too_large(str(error))
    if isinstance(error, PatchConflictError | PatchPreconditionError):
        return conflict(resource, live["metadata"].get("name", ""), str(error))
    if content_type == JSON_PATCH:
        text = f"the server rejected our request due to an error in our request: {error}"
        return refusal(422, "Invalid", text, StatusDetails())
    return failed(str(error))


def _complete(resource: ResourceType, read: Read) -> Object:
    obj = read.obj
    obj["apiVersion"], obj["kind"] = resource.api_version, resource.served.kind
    if not isinstance(obj.get("metadata"), dict):
        obj["metadata"] = {}
    bound_managed_fields(obj["metadata"])
    return obj
