"""The parts of a CustomResourceDefinition: its names, and what each version has beside a schema."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kubewright.crd.field_paths import selectable_field
from kubewright.crd.go_values import invalid
from kubewright.machinery.field_errors import duplicate, required, too_many
from kubewright.machinery.names import is_dns1035_label
from kubewright.server.kinds.kind import Errors, Object

__all__ = [
    "MAX_SELECTABLE_FIELDS",
    "column_errors",
    "names_errors",
    "names_presence_errors",
    "selectable_errors",
    "subresource_errors",
    "warning_errors",
]

_COLUMN_TYPES: Final = ("boolean", "date", "integer", "number", "string")
_COLUMN_FORMATS: Final = ("byte", "date", "date-time", "double", "float", "int32", "int64", "password")
MAX_SELECTABLE_FIELDS: Final = 8
"""Upstream's limit of the same name."""

_MAX_WARNING: Final = 256
"""How many bytes a deprecation warning may have: upstream's limit, so that it fits into a header."""


def warning_errors(version: Object) -> list[str]:
    """What is wrong with the warning that clients of a deprecated version get."""
    warning = version.get("deprecationWarning")
    if warning is None:
        return []
    if not version.get("deprecated"):
        return ["can only be set for deprecated versions"]
    found = []
    if len(warning.encode()) > _MAX_WARNING:
        found.append(f"must be <= {_MAX_WARNING} characters long")
    if not warning:
        found.append("must not be an empty string")
    for index, char in enumerate(warning):
        if not char.isprintable():
            at = len(warning[:index].encode())
            told = (
                f"must only contain printable UTF-8 characters; non-printable character found at index {at}"
            )
            found.append(told)
            break
    return found


def names_presence_errors(names: Object) -> Errors:
    """The names that a spec must have, unlike a status."""
    return [
        required(f"spec.names.{name}")
        for name in ("plural", "singular", "kind", "listKind")
        if not names.get(name)
    ]


def names_errors(names: Object, path: str) -> Errors:
    """All that is wrong with the names that there are."""
    found: Errors = []
    for name in ("plural", "singular"):
        value = names.get(name) or ""
        if value and (wrong := is_dns1035_label(value)):
            found.append(invalid(f"{path}.{name}", value, ",".join(wrong)))
    for name in ("kind", "listKind"):
        value = names.get(name) or ""
        if value and (wrong := is_dns1035_label(value.lower())):
            told = f"may have mixed case, but should otherwise match: {','.join(wrong)}"
            found.append(invalid(f"{path}.{name}", value, told))
    for index, value in enumerate(names.get("shortNames") or ()):
        if wrong := is_dns1035_label(value):
            found.append(invalid(f"{path}.shortNames[{index}]", value, ",".join(wrong)))
    kind = names.get("kind") or ""
    if kind and kind == names.get("listKind"):
        found.append(invalid(f"{path}.listKind", kind, "kind and listKind may not be the same"))
    for index, value in enumerate(names.get("categories") or ()):
        if wrong := is_dns1035_label(value):
            found.append(invalid(f"{path}.categories[{index}]", value, ",".join(wrong)))
    return found


def subresource_errors(subresources: Object | None, path: str) -> Errors:
    """All that is wrong with the paths of the scale subresource."""
    scale = (subresources or {}).get("scale")
    if scale is None:
        return []
    found: Errors = []
    for name, under in (("specReplicasPath", ".spec."), ("statusReplicasPath", ".status.")):
        value, where = scale.get(name) or "", f"{path}.scale.{name}"
        if not value:
            found.append(required(where))
        elif not value.startswith("."):
            found.append(invalid(where, value, "must be a simple json path starting with ."))
        elif not value.startswith(under):
            found.append(invalid(where, value, f"should be a json path under {under[:-1]}"))
    value, where = scale.get("labelSelectorPath") or "", f"{path}.scale.labelSelectorPath"
    if value and not value.startswith("."):
        found.append(invalid(where, value, "must be a simple json path starting with ."))
    elif value and not value.startswith((".spec.", ".status.")):
        found.append(invalid(where, value, "should be a json path under either .spec or .status"))
    return found


def column_errors(column: Object, path: str) -> Errors:
    """All that is wrong with a printer column."""
    found: Errors = []
    if not column.get("name"):
        found.append(required(f"{path}.name"))
    type_ = column.get("type") or ""
    told = f"must be one of {','.join(_COLUMN_TYPES)}"
    if not type_:
        found.append(required(f"{path}.type", told))
    elif type_ not in _COLUMN_TYPES:
        found.append(invalid(f"{path}.type", type_, told))
    format_ = column.get("format") or ""
    if format_ and format_ not in _COLUMN_FORMATS:
        found.append(invalid(f"{path}.format", format_, f"must be one of {','.join(_COLUMN_FORMATS)}"))
    json_path = column.get("jsonPath") or ""
    if not json_path:
        found.append(required(f"{path}.JSONPath"))
    elif not json_path.startswith("."):
        found.append(invalid(f"{path}.JSONPath", json_path, "must be a simple json path starting with ."))
    return found


def selectable_errors(
    fields: Sequence[Object], validation: Object | None, path: str, *, allow_too_many: bool
) -> Errors:
    """All that is wrong with selectable fields: they are scalars that the schema has, and not too many."""
    if not fields:
        return []
    where = f"{path}.selectableFields"
    schema = (validation or {}).get("openAPIV3Schema")
    if schema is None:
        told = (
            "may only be set when validations.schema is included"
            if path == "spec"
            else "may only be set when `version.schema.openAPIV3Schema` is not included"
        )
        return [invalid(where, "", told)]
    found: Errors = []
    unique: set[str] = set()
    for index, field in enumerate(fields):
        json_path = field.get("jsonPath") or ""
        at = f"{where}[{index}].jsonPath"
        if not json_path:
            found.append(required(at))
            continue
        shown, type_, wrong = selectable_field(json_path, schema)
        if wrong:
            found.append(invalid(at, json_path, f"is an invalid path: {wrong}"))
            continue
        if shown == "metadata" or shown.startswith(("metadata.", "metadata[")):
            found.append(invalid(at, json_path, "must not point to fields in metadata"))
        if type_ not in {"string", "boolean", "integer"}:
            told = (
                "must point to a field of type string, boolean or integer. Enum string fields and strings "
                "with formats are allowed."
            )
            found.append(invalid(at, json_path, told))
        if shown in unique:
            found.append(duplicate(at, json_path))
        unique.add(shown)
    if len(unique) > MAX_SELECTABLE_FIELDS and not allow_too_many:
        found.append(too_many(where, len(unique), MAX_SELECTABLE_FIELDS))
    return found
