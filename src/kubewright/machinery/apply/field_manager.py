"""What an API server calls on every write: ownership on whole objects, with their `managedFields`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, final

import msgspec

from kubewright.machinery.apply.compare import compare
from kubewright.machinery.apply.created import created_fields
from kubewright.machinery.apply.fieldset import EMPTY, FieldSet
from kubewright.machinery.apply.last_applied import get_last_applied, with_last_applied
from kubewright.machinery.apply.managed_fields import (
    MAX_UPDATE_MANAGERS,
    cap_update_managers,
    decode_managed_fields,
    encode_managed_fields,
    get_managed_fields,
    is_reset,
    with_managed_fields,
)
from kubewright.machinery.apply.managers import ApplyConflict, Manager, Managers, Operation
from kubewright.machinery.apply.ownership import Converter, FieldFilter, Ownership
from kubewright.machinery.apply.typed import to_field_set
from kubewright.machinery.apply.validation import validate
from kubewright.machinery.apply.values import JSONObject
from kubewright.machinery.depth import decode_json
from kubewright.machinery.errors import ParseError
from kubewright.machinery.schema import Schema
from kubewright.machinery.time import format_time

__all__ = ["BEFORE_FIRST_APPLY", "FieldManager"]

BEFORE_FIRST_APPLY: Final = "before-first-apply"
"""The manager of what an object held when it was first applied to and had no managers; upstream's name."""

# The manager names of kubectl's two kinds of apply and of clients that name none, as kube-apiserver has them.
_KUBECTL: Final = "kubectl"
_UNKNOWN: Final = "unknown"

_NOTHING: Final[Mapping[str, Any]] = {}


@final
class FieldManager:
    """Keeps `metadata.managedFields` of objects of one kind, version and subresource, as kube-apiserver does.

    `ignore` names, by version, the fields that this endpoint resets (`spec` on `/status`, say). `empty` is
    what an object of the kind holds when nothing is written yet: in Go, structs that are not pointers are
    always there, so that creating an object does not make the writer the owner of, say, `.spec` itself.
    `convert` and `schemas` serve managers of other versions of the kind; without them all versions are taken
    for the same. `typed` says that what is written was read by the kind's types, so that updates need not
    look whether it has the structure of the schema.

    Objects that are passed in are not changed; results share data with them.
    """

    def __init__(
        self,
        schema: Schema,
        *,
        api_version: str,
        kind: str,
        subresource: str = "",
        convert: Converter | None = None,
        schemas: Mapping[str, Schema] = _NOTHING,
        ignore: Mapping[str, FieldFilter] = _NOTHING,
        empty: Mapping[str, Any] = _NOTHING,
        typed: bool = False,
        max_update_managers: int = MAX_UPDATE_MANAGERS,
    ) -> None:
        self._ownership = Ownership(schema, api_version, convert=convert, schemas=schemas, ignore=ignore)
        self._schema = schema
        self._api_version = api_version
        self._kind = kind
        self._subresource = subresource
        self._always: Final = empty
        self._typed: Final = typed
        self._empty: Final[JSONObject] = {**empty, "apiVersion": api_version, "kind": kind}
        self._max_update_managers = max_update_managers

    def update(self, live: JSONObject | None, new: JSONObject, *, manager: str, now: datetime) -> JSONObject:
        """`new` with the managedFields it gets when `manager` writes it over `live` (None: creates it).

        The managedFields of `new` count if they are valid, so that clients can edit them, but not on a
        subresource; an empty list or `[{}]` resets them. An object without managers gets none by an update:
        tracking begins with its creation or its first apply. Raises ParseError; see `update_no_errors`.
        """
        try:
            return self._update(live, new, manager, now)
        except RecursionError:
            raise self._too_deep(new) from None

    def update_no_errors(
        self, live: JSONObject | None, new: JSONObject, *, manager: str, now: datetime
    ) -> JSONObject:
        """As `update`, but an object that cannot be tracked comes back without managedFields.

        That is what kube-apiserver does on create, update and patch: ownership never stops a write.
        """
        try:
            return self.update(live, new, manager=manager, now=now)
        except ParseError:
            return with_managed_fields(new, None)

    def apply(
        self,
        live: JSONObject | None,
        config: JSONObject,
        *,
        manager: str,
        now: datetime,
        force: bool = False,
    ) -> JSONObject:
        """`live` (None: a new object) with `config` applied by `manager`, and with new managedFields.

        For the manager `kubectl`, fields that the last-applied annotation accounts for are no conflict, and
        the annotation is brought up to date. Raises ApplyConflict, and ParseError for a `config` of another
        type, with managedFields or that does not fit the schema.
        """
        try:
            return self._apply(live, config, manager, force, now)
        except RecursionError:
            raise self._too_deep(config) from None

    def _update(self, live: JSONObject | None, new: JSONObject, manager: str, now: datetime) -> JSONObject:
        managers = self._known_managers(live, new)
        bare = with_managed_fields(new, None)
        if live is None and not managers:
            managers = self._created(bare, manager, now)
        elif managers or live is None or not _uid(live):
            managers = self._updated(live, bare, managers, manager, now)
        return with_managed_fields(bare, encode_managed_fields(managers.values()))

    def _known_managers(self, live: JSONObject | None, new: JSONObject) -> Managers:
        if not self._subresource:
            sent = get_managed_fields(new)
            if is_reset(sent):
                return {}
            managers = _decoded_or_none(sent)
            if managers:
                return managers
        # Clients that do not know managedFields must not delete them by accident.
        return _decoded_or_none(get_managed_fields(live)) if live is not None else {}

    def _created(self, new: JSONObject, manager: str, now: datetime) -> Managers:
        try:
            if not self._typed:
                validate(new, self._schema, allow_duplicates=True)
            fields = created_fields(new, self._always, self._schema)
        except ParseError as error:
            raise self._untracked(new, error) from None
        if fields is None:
            return self._updated(None, new, {}, manager, now)
        owned = self._ownership.recorded(fields)
        if not owned:
            return {}
        writer = self._manager(manager, "Update", now, owned)
        return {writer.key: writer}

    def _updated(
        self, live: JSONObject | None, new: JSONObject, managers: Managers, manager: str, now: datetime
    ) -> Managers:
        before = self._empty if live is None else _underlaid(live, self._always)
        after = _underlaid(new, self._always)
        try:
            if not self._typed:
                validate(after, self._schema, allow_duplicates=True)
                validate(before, self._schema, allow_duplicates=True, known=after)
            managers = self._ownership.update(before, after, managers, self._manager(manager, "Update", now))
        except ParseError as error:
            raise self._untracked(new, error) from None
        return cap_update_managers(managers, self._max_update_managers)

    def _apply(
        self, live: JSONObject | None, config: JSONObject, manager: str, force: bool, now: datetime
    ) -> JSONObject:
        self._check_config(config)
        managers: Managers = {}
        if live is not None:
            managers = decode_managed_fields(get_managed_fields(live))
            if not managers:
                managers = self._updated(None, live, managers, BEFORE_FIRST_APPLY, now)
        else:
            live = self._empty
        writer = self._manager(manager, "Apply", now)
        try:
            merged, managers = self._merged(live, config, managers, writer, force)
        except ApplyConflict as conflict:
            rest = self._not_last_applied(conflict, live) if manager == _KUBECTL else conflict
            if rest is not None:
                raise rest from None
            merged, managers = self._merged(live, config, managers, writer, True)
        result = live if merged is None else merged
        if manager == _KUBECTL and get_last_applied(result):
            result = with_last_applied(result, config)
        return with_managed_fields(result, encode_managed_fields(managers.values()))

    def _merged(
        self, live: JSONObject, config: JSONObject, managers: Managers, writer: Manager, force: bool
    ) -> tuple[JSONObject | None, Managers]:
        try:
            validate(config, self._schema)
        except ParseError as error:
            described = self._described(config)
            raise ParseError(f"failed to create typed patch object ({described}): {error}") from None
        try:
            validate(live, self._schema, allow_duplicates=True, known=config)
        except ParseError as error:
            raise ParseError(
                f"failed to create typed live object ({self._described(live)}): {error}"
            ) from None
        return self._ownership.apply(live, config, managers, writer, force=force)

    def _check_config(self, config: JSONObject) -> None:
        api_version, kind = config.get("apiVersion"), config.get("kind")
        if api_version != self._api_version or kind != self._kind:
            raise ParseError(f"invalid object type: {_described_type(api_version, kind)}")
        if isinstance(get_managed_fields(config), list):
            raise ParseError("metadata.managedFields must be nil")

    def _not_last_applied(self, conflict: ApplyConflict, live: JSONObject) -> ApplyConflict | None:
        """The conflicts that client-side apply does not account for; None when it does for all of them."""
        allowed = self._last_applied_fields(live)
        rest = {key: fields - allowed for key, fields in conflict.managers.items()}
        rest = {key: fields for key, fields in rest.items() if fields}
        return ApplyConflict(rest) if rest else None

    def _last_applied_fields(self, live: JSONObject) -> FieldSet:
        """The fields that client-side apply set and nobody changed since."""
        text = get_last_applied(live)
        if not text:
            return EMPTY
        try:
            config = decode_json(text)
            if not isinstance(config, dict) or config.get("apiVersion") != self._api_version:
                return EMPTY
            if config.get("kind") != self._kind:
                return EMPTY
            validate(live, self._schema)
            validate(config, self._schema)
        except (msgspec.DecodeError, ParseError):
            return EMPTY
        changes = compare(config, live, self._schema)
        return to_field_set(config, self._schema) - changes.modified - changes.added - changes.removed

    def _manager(self, name: str, operation: Operation, now: datetime, fields: FieldSet = EMPTY) -> Manager:
        return Manager(
            name or _UNKNOWN, operation, self._api_version, fields, self._subresource, format_time(now)
        )

    def _described(self, obj: Mapping[str, Any]) -> str:
        metadata = obj.get("metadata")
        if not isinstance(metadata, dict):
            metadata = {}
        type_ = _described_type(obj.get("apiVersion", self._api_version), obj.get("kind", self._kind))
        return f"{metadata.get('namespace', '')}/{metadata.get('name', '')}; {type_}"

    def _untracked(self, obj: Mapping[str, Any], error: ParseError) -> ParseError:
        return ParseError(f"failed to update managedFields ({self._described(obj)}): {error}")

    def _too_deep(self, obj: Mapping[str, Any]) -> ParseError:
        return ParseError(f"{self._described(obj)} is nested too deeply to track its fields")


def _decoded_or_none(entries: object) -> Managers:
    try:
        return decode_managed_fields(entries)
    except ParseError:
        return {}


def _uid(obj: Mapping[str, Any]) -> object:
    metadata = obj.get("metadata")
    return metadata.get("uid") if isinstance(metadata, dict) else None


def _underlaid(obj: JSONObject, always: Mapping[str, Any]) -> JSONObject:
    """The object with what is always there put in where it is missing."""
    out = obj
    for name, default in always.items():
        found = out.get(name, default)
        if isinstance(found, dict) and isinstance(default, dict) and found is not default:
            found = _underlaid(found, default)
        if name not in out or found is not out[name]:
            out = {**out, name: found}
    return out


def _described_type(api_version: object, kind: object) -> str:
    group_version = str(api_version or "")
    return f"{group_version if '/' in group_version else '/' + group_version}, Kind={kind or ''}"
