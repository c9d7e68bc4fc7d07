"""What mutations do to an object: a configuration is applied to it, or a JSON patch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kubewright.crd.cel.message_values import MessageValue, to_json
from kubewright.machinery.apply import merge, validate
from kubewright.machinery.errors import ApiError, ParseError
from kubewright.machinery.patch import PatchError, PatchTestError, apply_json_patch
from kubewright.machinery.schema import Schema
from kubewright.machinery.typed_schema import schema_of
from kubewright.server.admission.webhooks.versions import Versioned
from kubewright.server.errors import internal_error
from kubewright.server.kinds.kind import Object

__all__ = ["MutationError", "patched"]


class MutationError(Exception):
    """A mutation that cannot be made; the text is upstream's."""


def patched(versioned: Versioned, value: object, *, is_json_patch: bool) -> Object:
    """The object with a mutation in it, as its kind's types and defaults have it.

    Raises MutationError, and InternalError for what the patch has made no object of the kind.
    """
    return _json_patched(versioned, value) if is_json_patch else _applied(versioned, value)


def _applied(versioned: Versioned, value: object) -> Object:
    if not isinstance(value, MessageValue):
        raise MutationError("unsupported return type from ApplyConfiguration expression: null_type")
    _check_names(value)
    live, schema = _live(versioned), _schema(versioned)
    try:
        configuration: Any = to_json(value)
    except ValueError as error:
        raise MutationError(f"error applying patch: {error}") from None
    configuration |= {"apiVersion": live.get("apiVersion"), "kind": live.get("kind")}
    try:
        validate(configuration, schema)
    except ParseError as error:
        why = f"failed to convert patch object to typed object: {error}"
        raise MutationError(f"error applying patch: {why}") from None
    atomics = list(_atomics(configuration, schema, ""))
    if atomics:
        what = f"may not mutate atomic arrays, maps or structs: {', '.join(atomics)}"
        raise MutationError(f"error applying patch: invalid ApplyConfiguration: {what}")
    try:
        merged: Object = merge(live, configuration, schema)
    except ParseError as error:
        raise MutationError(f"error applying patch: failed to merge patch: {error}") from None
    try:
        return versioned.read(merged)
    except (ParseError, ApiError) as error:
        # Upstream tells what is of a wrong type before, in words of its own.
        why = f"failed to convert patch object to typed object: {_text(error)}"
        raise MutationError(f"error applying patch: {why}") from None


def _json_patched(versioned: Versioned, value: object) -> Object:
    live = _live(versioned)
    operations = [_operation(each) for each in (value if isinstance(value, list) else ())]
    try:
        made: Object = apply_json_patch(live, operations)
    except PatchTestError:
        # A test that fails means that nothing is to be done.
        return live
    except PatchError as error:
        raise MutationError(f"JSON Patch: {error}") from None
    try:
        problems = _problems(versioned, made)
        made = versioned.read(made)
    except (ParseError, ApiError) as error:
        raise internal_error(_text(error)) from None
    if problems:
        raise internal_error(f"strict decoding error: {', '.join(problems)}")
    return made


def _problems(versioned: Versioned, obj: Object) -> Sequence[str]:
    """The fields that the types of a built-in kind do not have."""
    resource = versioned.type
    if not resource.typed or versioned.kind(resource) != resource.served.gvk:
        return ()
    return resource.read_object(obj, strict=True).problems


def _text(error: ParseError | ApiError) -> str:
    return (error.status.message or "") if isinstance(error, ApiError) else str(error)


def _operation(value: object) -> Object:
    if not isinstance(value, MessageValue):
        raise MutationError("type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch")
    made: Object = {"op": value.fields.get("op", ""), "path": value.fields.get("path", "")}
    if value.fields.get("from"):
        made["from"] = value.fields["from"]
    if "value" in value.fields:
        new = value.fields["value"]
        if isinstance(new, MessageValue):
            _check_names(new)
        try:
            made["value"] = to_json(new, texts=True)
        except ValueError as error:
            why = "JSONPath valueExpression evaluated to a type that could not marshal to JSON"
            raise MutationError(f"{why}: {error}") from None
    return made


def _check_names(value: MessageValue) -> None:
    wrong = list(value.misnamed())
    if wrong:
        raise MutationError(f"type mismatch: {chr(10).join(wrong)}")


def _live(versioned: Versioned) -> Object:
    live = versioned.obj
    assert live is not None  # noqa: S101 - nothing is changed of what is not there
    return live


def _schema(versioned: Versioned) -> Schema:
    """The shape of the object. Raises MutationError where upstream does not know it."""
    resource = versioned.type
    kind = versioned.kind(resource)
    if kind == resource.served.gvk:
        return resource.schema
    from kubewright.models import builtin_scheme  # noqa: PLC0415 - imports the module of the kind

    cls = builtin_scheme().type_of(kind)
    if cls is None or kind.group_version != resource.served.group_version:
        # Such as a Scale: what is described of its group and version does not have it.
        what = f"no corresponding type for {kind.group_version.api_version}, Kind={kind.kind}"
        raise MutationError(f"error applying patch: failed to convert patch object to typed object: {what}")
    return schema_of(cls)


def _atomics(value: object, schema: Schema, path: str) -> Iterator[str]:
    """The paths of what a configuration sets in parts and the schema only as a whole."""
    if isinstance(value, dict) and schema.kind == "object":
        if schema.map_type == "atomic":
            yield path
        for name, member in value.items():
            if name in schema.fields:
                yield from _atomics(member, schema.fields[name], f"{path}.{name}")
    elif isinstance(value, list) and schema.kind == "array":
        if schema.list_type == "atomic":
            yield path
        if schema.items is not None:
            for index, member in enumerate(value):
                yield from _atomics(member, schema.items, f"{path}[{index}]")
