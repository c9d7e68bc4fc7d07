"""The options of a request, read and checked as upstream does."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from kubewright.machinery.errors import ParseError
from kubewright.machinery.field_errors import (
    FieldError,
    forbidden,
    go_quote,
    not_supported,
    required,
    too_long,
)
from kubewright.machinery.field_errors import invalid as invalid_field
from kubewright.machinery.gvk import GroupKind
from kubewright.machinery.meta import Preconditions
from kubewright.machinery.options import DeleteOptions, ListOptions, PatchOptions
from kubewright.machinery.struct import is_set
from kubewright.server.errors import bad_request, invalid
from kubewright.server.handlers.bodies import body_media, decode_other, is_large
from kubewright.server.handlers.call import Call, Query
from kubewright.server.handlers.negotiation import Media
from kubewright.server.kinds.kind import Object
from kubewright.server.large_requests import run_in_worker
from kubewright.server.registry.delete import DELETE_OPTIONS, DeleteRequest, validate_delete_options
from kubewright.server.registry.write import Write
from kubewright.server.wire import wire_type

__all__ = ["WriteOptions", "delete_options", "list_options", "write_of", "write_options"]

_META = "meta.k8s.io"

_MAX_MANAGER = 128
"""Upstream's FieldManagerMaxLength."""

_MAX_AGENT = 1024
"""How much of a User-Agent is looked at, and remembered, for the name of a manager."""


class WriteOptions(msgspec.Struct):
    """What creates, updates and patches have in common."""

    dry_run: bool = False
    manager: str = ""
    validation: str = "Warn"
    force: bool | None = None
    given: Object = {}
    """What the caller said, as plugins are told."""


def write_options(call: Call, kind: str, *, is_apply: bool = False) -> WriteOptions:
    """The options of a create, update or patch; `kind` is `CreateOptions` and its like. Raises Invalid."""
    if not len(call.query) and not is_apply:
        return WriteOptions(manager=_from_user_agent(call.headers.get("User-Agent", "")))
    given = _from_query(call.query)
    options = WriteOptions(
        dry_run=bool(given.dry_run),
        manager=given.field_manager,
        validation=given.field_validation or "Warn",
        force=given.force if kind == "PatchOptions" else None,
        given=_given(given),
    )
    errors = _apply_errors(options, is_apply=is_apply)
    errors += _manager_errors(given.field_manager) + _dry_run_errors(given.dry_run)
    if given.field_validation not in {"", "Ignore", "Warn", "Strict"}:
        errors.append(
            not_supported("fieldValidation", given.field_validation, ("", "Ignore", "Strict", "Warn"))
        )
    if errors:
        raise invalid(GroupKind(_META, kind), "", errors)
    if not options.manager:
        options.manager = _from_user_agent(call.headers.get("User-Agent", "")[:_MAX_AGENT])
    return options


def write_of(call: Call, options: WriteOptions, *, namespace: str, subresource: str = "") -> Write:
    """The write that a request asks for."""
    return Write(
        user=call.user,
        now=call.now,
        namespace=namespace,
        manager=options.manager,
        dry_run=options.dry_run,
        subresource=subresource,
        path_name=call.info.name,
        warnings=call.warnings,
        options=options.given,
        annotations=call.annotations,
        size=len(call.body),
    )


def _given(options: PatchOptions) -> Object:
    """The options of a write as an object, in the order of upstream's type."""
    made: Object = {
        "dryRun": options.dry_run,
        "fieldManager": options.field_manager,
        "fieldValidation": options.field_validation,
    }
    return {name: value for name, value in made.items() if value}


def list_options(query: Query, *, watching: bool) -> ListOptions:
    """The options of a list or watch. Raises BadRequest and Invalid."""
    try:
        options = ListOptions.from_query({name: query.getall(name, []) for name in query})
    except ParseError as error:
        raise bad_request(str(error)) from None
    unsaid = options.send_initial_events is None and not options.resource_version_match
    if watching and unsaid and options.resource_version in {"", "0"}:
        # A watch that does not say where it starts begins with what is there.
        options.send_initial_events, options.resource_version_match = True, "NotOlderThan"
    errors = _watch_errors(options) if watching else _list_errors(options)
    if errors:
        raise invalid(GroupKind(_META, "ListOptions"), "", errors)
    return options


async def delete_options(call: Call) -> tuple[DeleteRequest, bool]:
    """What a delete says in its body or else in its query, and whether it is a dry run."""
    if call.body:
        options = await _delete_body(call)
    else:
        try:
            options = DeleteOptions.from_query({name: call.query.getall(name, []) for name in call.query})
        except ParseError as error:
            raise bad_request(str(error)) from None
    preconditions = options.preconditions or Preconditions()
    request = DeleteRequest(
        grace_period_seconds=options.grace_period_seconds,
        # What is sent and empty is not what is not sent.
        uid=preconditions.uid if is_set(preconditions, "uid") else None,
        resource_version=preconditions.resource_version
        if is_set(preconditions, "resource_version")
        else None,
        orphan_dependents=options.orphan_dependents,
        propagation_policy=options.propagation_policy if is_set(options, "propagation_policy") else None,
    )
    errors = validate_delete_options(request) + _dry_run_errors(options.dry_run)
    if errors:
        raise invalid(DELETE_OPTIONS, "", errors)
    return request, bool(options.dry_run)


async def _delete_body(call: Call) -> DeleteOptions:
    try:
        media = body_media(call, typed=True)
        if is_large(call.body, media):
            obj = await run_in_worker(lambda: _delete_object(call.body, media))
        else:
            obj = _delete_object(call.body, media)
        options = DeleteOptions.from_dict({**obj, "apiVersion": "v1", "kind": "DeleteOptions"})
    except ParseError as error:
        raise bad_request(str(error)) from None
    if call.record is not None:
        # The version is how upstream's log has it, whatever the body says.
        call.record.request_object({**obj, "apiVersion": f"{_META}/__internal", "kind": "DeleteOptions"})
    return options


def _delete_object(body: bytes, media: Media) -> Object:
    wire = wire_type("v1", "DeleteOptions")
    if media == "json":
        return wire.read(body, strict=False).obj
    return wire.read_object(decode_other(body, media), strict=False).obj


def _from_query(query: Query) -> PatchOptions:
    try:
        return PatchOptions.from_query({name: query.getall(name, []) for name in query})
    except ParseError as error:
        raise bad_request(str(error)) from None


def _apply_errors(options: WriteOptions, *, is_apply: bool) -> list[FieldError]:
    if is_apply:
        return [] if options.manager else [required("fieldManager", "is required for apply patch")]
    if options.force is not None:
        return [forbidden("force", "may not be specified for non-apply patch")]
    return []


def _manager_errors(manager: str) -> list[FieldError]:
    errors = []
    if len(manager.encode(errors="surrogatepass")) > _MAX_MANAGER:
        errors.append(too_long("fieldManager", _MAX_MANAGER))
    # Each error shows the whole name, so those of a name that is too long are not all listed.
    for position, char in enumerate(manager[:_MAX_MANAGER]):
        if not char.isprintable():
            code = f"U+{ord(char):04X}"
            detail = f"invalid character {code} (at position {position})"
            errors.append(invalid_field("fieldManager", manager, detail))
    return errors


def _dry_run_errors(values: list[str]) -> list[FieldError]:
    if all(value == "All" for value in values):
        return []
    return [not_supported("dryRun", list(values), ("All",))]


def _list_errors(options: ListOptions) -> list[FieldError]:
    errors = []
    match, revision = options.resource_version_match, options.resource_version
    field = "resourceVersionMatch"
    if match:
        if not revision:
            errors.append(
                forbidden(field, "resourceVersionMatch is forbidden unless resourceVersion is provided")
            )
        if options.continue_:
            errors.append(forbidden(field, "resourceVersionMatch is forbidden when continue is provided"))
        if match not in {"Exact", "NotOlderThan"}:
            errors.append(not_supported(field, match, ("Exact", "NotOlderThan", "")))
        if match == "Exact" and revision == "0":
            text = (
                f"resourceVersionMatch {go_quote('exact')} is forbidden for resourceVersion {go_quote('0')}"
            )
            errors.append(forbidden(field, text))
    if options.send_initial_events is not None:
        errors.append(forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"))
    return errors


def _watch_errors(options: ListOptions) -> list[FieldError]:
    errors = []
    match, field = options.resource_version_match, "resourceVersionMatch"
    if options.send_initial_events is not None and match != "NotOlderThan":
        text = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"
        errors.append(forbidden(field, text))
    if match:
        if options.send_initial_events is None:
            text = "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"
            errors.append(forbidden(field, text))
        if match != "NotOlderThan":
            errors.append(not_supported(field, match, ("NotOlderThan",)))
        if options.continue_:
            errors.append(forbidden(field, "resourceVersionMatch is forbidden when continue is provided"))
    return errors


@lru_cache(256)
def _from_user_agent(agent: str) -> str:
    """The manager of callers who name none: the first word of what they call themselves."""
    name = "".join(char for char in agent.partition("/")[0] if char.isprintable())
    if len(name) <= _MAX_MANAGER and name.isascii():
        return name
    return name.encode()[:_MAX_MANAGER].decode(errors="ignore")
