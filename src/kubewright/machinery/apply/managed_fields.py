"""The wire form of ownership: `metadata.managedFields`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final

from kubewright.machinery.apply.fieldset import FieldSet
from kubewright.machinery.apply.managers import Manager, ManagerKey, Managers
from kubewright.machinery.apply.values import JSONObject, same_value
from kubewright.machinery.errors import ParseError
from kubewright.machinery.time import format_time

__all__ = [
    "ANCIENT_CHANGES",
    "MAX_UPDATE_MANAGERS",
    "cap_update_managers",
    "decode_managed_fields",
    "encode_managed_fields",
    "get_managed_fields",
    "is_reset",
    "keep_timestamps",
    "with_managed_fields",
]

MAX_UPDATE_MANAGERS: Final = 10
"""How many entries of Update managers are kept apart; kube-apiserver's DefaultMaxUpdateManagers."""

ANCIENT_CHANGES: Final = "ancient-changes"
"""The manager that the oldest Update entries are merged into, kube-apiserver's name for it."""

_EPOCH: Final = "1970-01-01T00:00:00Z"
_WIRE_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII).fullmatch
_ENTRY_FIELDS: Final = ("manager", "operation", "apiVersion", "time", "fieldsType", "fieldsV1", "subresource")


def get_managed_fields(obj: Mapping[str, Any]) -> object:
    """What an object has under `metadata.managedFields`; None when it has nothing there."""
    metadata = obj.get("metadata")
    return metadata.get("managedFields") if isinstance(metadata, dict) else None


def with_managed_fields(obj: JSONObject, entries: list[JSONObject] | None) -> JSONObject:
    """The object with these entries (none: without the field); only it and its metadata are copied."""
    metadata = obj.get("metadata")
    if not isinstance(metadata, dict):
        metadata = {}
    if entries:
        return {**obj, "metadata": {**metadata, "managedFields": entries}}
    if "managedFields" not in metadata:
        return obj
    return {**obj, "metadata": {name: value for name, value in metadata.items() if name != "managedFields"}}


def is_reset(entries: object) -> bool:
    """Whether a client asks to forget all managers: with an empty list, or with a list of one empty entry."""
    if not isinstance(entries, list) or len(entries) > 1:
        return False
    return not entries or (
        isinstance(entries[0], dict) and not any(entries[0].get(name) for name in _ENTRY_FIELDS)
    )


def decode_managed_fields(entries: object) -> Managers:
    """The managers that a list of entries stands for; raises ParseError, which names the entry.

    Of several entries with the same key the last one counts.
    """
    if entries is None:
        return {}
    if not isinstance(entries, list):
        raise ParseError(f"metadata.managedFields is {entries!r:.100}, it must be a list")
    managers: Managers = {}
    for position, entry in enumerate(entries):
        manager = _decode(entry, f"metadata.managedFields[{position}]")
        managers[manager.key] = manager
    return managers


def _decode(entry: object, where: str) -> Manager:
    if not isinstance(entry, dict):
        raise ParseError(f"{where} is {entry!r:.100}, it must be an object")
    operation = entry.get("operation")
    if operation not in ("Apply", "Update"):
        raise ParseError(f'{where}.operation is {operation!r:.100}, it must be "Apply" or "Update"')
    api_version = _text(entry, "apiVersion", where)
    if not api_version:
        raise ParseError(f"{where}.apiVersion must not be empty")
    if entry.get("fieldsType") != "FieldsV1":
        raise ParseError(f'{where}.fieldsType is {entry.get("fieldsType")!r:.100}, it must be "FieldsV1"')
    try:
        fields = FieldSet.from_json(entry.get("fieldsV1"))
    except ParseError as error:
        raise ParseError(f"{where}.fieldsV1: {error}") from None
    name = _text(entry, "manager", where)
    return Manager(
        name,
        operation,
        api_version,
        fields,
        _text(entry, "subresource", where),
        _time(entry.get("time"), where),
    )


def _text(entry: Mapping[str, object], field: str, where: str) -> str:
    value = entry.get(field)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ParseError(f"{where}.{field} is {value!r:.100}, it must be a string")
    return value


def _time(value: object, where: str) -> str:
    if value is None or value == "":
        return ""
    if isinstance(value, str):
        try:
            read = datetime.fromisoformat(value)
            if _WIRE_TIME(value):
                return value
            if read.tzinfo is not None:
                return format_time(read)
        except (ValueError, OverflowError):
            pass
    raise ParseError(f'{where}.time is {value!r:.100}, it must be a time such as "2006-01-02T15:04:05Z"')


def encode_managed_fields(managers: Iterable[Manager]) -> list[JSONObject]:
    """The entries for these managers, by operation, time, name, version and subresource as upstream."""
    found = list(managers)
    if len(found) > 1:
        found.sort(key=_entry_order)
    return [_encode(manager) for manager in found]


def _entry_order(manager: Manager) -> tuple[str, ...]:
    return (
        manager.operation,
        manager.time or _EPOCH,
        manager.name,
        manager.api_version,
        manager.subresource,
    )


def _encode(manager: Manager) -> JSONObject:
    entry: JSONObject = {}
    if manager.name:
        entry["manager"] = manager.name
    entry["operation"] = manager.operation
    entry["apiVersion"] = manager.api_version
    if manager.time:
        entry["time"] = manager.time
    entry["fieldsType"] = "FieldsV1"
    entry["fieldsV1"] = manager.fields.to_shared_json()
    if manager.subresource:
        entry["subresource"] = manager.subresource
    return entry


def cap_update_managers(managers: Managers, limit: int = MAX_UPDATE_MANAGERS) -> Managers:
    """The managers with the oldest Update entries merged, per version, until no more than `limit` are left.

    There may stay more when the entries are of more versions than that.
    """
    updaters = [key for key, manager in managers.items() if manager.operation == "Update"]
    if len(updaters) <= limit:
        return managers
    updaters.sort(key=lambda key: (managers[key].time or _EPOCH, key.identifier()))
    capped = dict(managers)
    first_of_version: dict[str, ManagerKey] = {}
    surplus = len(updaters) - limit
    for key in updaters:
        if not surplus:
            break
        manager = managers[key]
        version = manager.api_version
        first = first_of_version.setdefault(version, key)
        if first is key:
            continue
        bucket = ManagerKey(ANCIENT_CHANGES, "Update", version, "")
        gathered = capped.get(bucket) or capped.pop(first)
        capped[bucket] = Manager(
            ANCIENT_CHANGES, "Update", version, manager.fields | gathered.fields, time=manager.time
        )
        # Upstream drops the entry even if it is the bucket itself, which another entry of its second can
        # precede.
        del capped[key]
        surplus -= 1
    return capped


def keep_timestamps(old: JSONObject, new: JSONObject) -> JSONObject:
    """`new` with the times of `old` in its managedFields when nothing but those times differs.

    A server that does so writes nothing for an apply that changes nothing.
    """
    before, after = get_managed_fields(old), get_managed_fields(new)
    if not isinstance(before, list) or not isinstance(after, list) or not after or len(before) != len(after):
        return new
    if before == after or not all(map(_same_but_for_time, before, after)):
        return new
    if not same_value(with_managed_fields(old, None), with_managed_fields(new, None)):
        return new
    return with_managed_fields(new, before)


def _same_but_for_time(left: object, right: object) -> bool:
    if not isinstance(left, dict) or not isinstance(right, dict):
        return False
    return {**left, "time": None} == {**right, "time": None}
