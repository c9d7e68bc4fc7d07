"""Lists of type set and map: no value, and no key, stands in them twice."""

from __future__ import annotations

from typing import Any

from kubewright.crd.go_values import go_json, invalid, shown
from kubewright.crd.structural import StructuralSchema
from kubewright.machinery.field_errors import MAX_LISTED, FieldError, TooManyErrors

__all__ = ["has_list_types", "list_type_errors"]


def has_list_types(schema: StructuralSchema) -> bool:
    """Whether there are lists of type set or map anywhere in values of the schema."""
    return schema.list_type in {"set", "map"} or any(
        child.prepared(has_list_types) for child in schema.children()
    )


def list_type_errors(value: object, schema: StructuralSchema, path: str = "") -> list[FieldError]:
    """An error for each value that stands twice in a set, and each element whose key does in a map.

    Raises TooManyErrors.
    """
    if not schema.prepared(has_list_types):
        return []
    found = _errors(value, schema, path)
    if len(found) > MAX_LISTED:
        raise TooManyErrors(found)
    return found


def _errors(value: object, schema: StructuralSchema, path: str) -> list[FieldError]:
    found: list[FieldError] = []
    if isinstance(value, dict):
        additional = schema.additional_properties
        if isinstance(additional, StructuralSchema):
            for name, member in value.items():
                found += list_type_errors(member, additional, f"{path}[{name}]")
        for name, member in value.items():
            of_member = schema.properties.get(name)
            if of_member is not None:
                found += list_type_errors(member, of_member, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        if schema.list_type == "set":
            found += [
                FieldError(
                    "FieldValueDuplicate", f"{path}[{index}]", f"Duplicate value: {shown(value[index])}"
                )
                for index in _doubles(value)
            ]
        elif schema.list_type == "map":
            found += _map_errors(value, schema, path)
        if schema.items is not None:
            for index, element in enumerate(value):
                found += list_type_errors(element, schema.items, f"{path}[{index}]")
                if len(found) > MAX_LISTED:
                    break
    return found


def _map_errors(value: list[Any], schema: StructuralSchema, path: str) -> list[FieldError]:
    for index, element in enumerate(value):
        if element is not None and not isinstance(element, dict):
            told = "must be an object for an array of list-type map"
            return [invalid(f"{path}[{index}]", element, told)]
    keys = [{name: e[name] for name in schema.list_map_keys if name in e} if e else {} for e in value]
    return [
        FieldError("FieldValueDuplicate", f"{path}[{index}]", f"Duplicate value: {go_json(keys[index])}")
        for index in _doubles(keys)
    ]


def _doubles(values: list[Any]) -> list[int]:
    """Where a value stands for the second time; upstream tells the second time only."""
    times: dict[object, int] = {}
    found = []
    for index, value in enumerate(values):
        # 1, 1.0 and true are equal to Python.
        key = go_json(value) if isinstance(value, dict | list) else (value.__class__, value)
        times[key] = times.get(key, 0) + 1
        if times[key] == 2:
            found.append(index)
            if len(found) > MAX_LISTED:
                break
    return found
