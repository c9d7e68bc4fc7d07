"""What a patch may make of the type of an object: nothing else, but upstream has many ways to say so."""

from __future__ import annotations

from typing import Final

import msgspec

from kubewright.machinery.errors import ApiError
from kubewright.machinery.field_errors import invalid as invalid_field
from kubewright.machinery.go_format import go_text
from kubewright.machinery.gvk import GroupKind
from kubewright.server.errors import internal_error, invalid
from kubewright.server.kinds.kind import Object

__all__ = [
    "JSON_NAMES",
    "check_custom_type",
    "patch_unreadable",
    "strategic_patch_unreadable",
    "unknown_without_version",
]

JSON_NAMES: Final = {
    dict: "object",
    list: "array",
    str: "string",
    bool: "bool",
    int: "number",
    float: "number",
}
"""What Go calls the types of JSON values in errors."""

_UNREADABLE: Final = "couldn't get version/kind; json parse error: json: cannot unmarshal"


def patch_unreadable(patched: object, why: str) -> ApiError:
    """Invalid: what a patch led to is no object of the kind."""
    return invalid(GroupKind("", ""), "", [invalid_field("patch", _text(patched), why)])


def strategic_patch_unreadable(patch: object, why: str) -> ApiError:
    """The same after a strategic merge patch; upstream shows the patch then, as Go prints it."""
    return invalid(GroupKind("", ""), "", [invalid_field("patch", go_text(patch), why)])


def _text(patched: object) -> str:
    return msgspec.json.encode(patched, order="sorted").decode(errors="replace")


def check_custom_type(patched: Object, api_version: str) -> None:
    """Raises ApiError for a patched custom resource without a kind or of another apiVersion."""
    for name in ("apiVersion", "kind"):
        value = patched.get(name)
        if value is not None and not isinstance(value, str):
            found = JSON_NAMES[type(value)]
            raise patch_unreadable(
                patched, f"{_UNREADABLE} {found} into Go struct field .{name} of type string"
            )
    given, kind = patched.get("apiVersion"), patched.get("kind")
    if given and given.count("/") > 1:
        raise patch_unreadable(patched, f"unexpected GroupVersion string: {given}")
    if not kind:
        raise patch_unreadable(patched, f"Object 'Kind' is missing in '{_text(patched)}'")
    if given == api_version:
        return
    if given is None and "apiVersion" in patched:
        why = ".apiVersion accessor error: <nil> is of the type <nil>, expected string"
        raise patch_unreadable(patched, why)
    if not given:
        raise internal_error("Object 'apiVersion' is missing in 'object has no apiVersion field'")
    group = given.rpartition("/")[0]
    metadata = patched.get("metadata")
    name = metadata.get("name", "") if isinstance(metadata, dict) else ""
    wrong = invalid_field("apiVersion", given, f"must be {api_version}")
    raise invalid(GroupKind(group, kind), str(name), [wrong])


def unknown_without_version(patched: Object) -> list[str]:
    """What is unknown in a patched built-in object that has lost its apiVersion.

    Upstream reads it into the type that it has in memory, whose fields have no names in JSON.
    """
    return [f'unknown field "{name}"' for name in sorted(patched) if name not in {"apiVersion", "kind"}]
