"""References to objects of whatever kind, as ingresses and their classes have them."""

from __future__ import annotations

from kubewright.machinery.field_errors import invalid, required
from kubewright.machinery.names import is_dns1123_subdomain, is_path_segment_name
from kubewright.server.kinds.kind import Errors, Object

__all__ = ["validate_path_segment", "validate_reference"]


def validate_reference(reference: Object, path: str) -> Errors:
    """What is wrong with apiGroup, kind and name of a reference."""
    errors: Errors = []
    group = reference.get("apiGroup")
    if group is not None:
        errors += [invalid(f"{path}.apiGroup", group, message) for message in is_dns1123_subdomain(group)]
    errors += validate_path_segment(reference.get("kind") or "", f"{path}.kind")
    return errors + validate_path_segment(reference.get("name") or "", f"{path}.name")


def validate_path_segment(name: str, path: str) -> Errors:
    """What is wrong with a name that must be given, and may look like anything that a path can have."""
    if not name:
        return [required(path)]
    return [invalid(path, name, message) for message in is_path_segment_name(name)]
