"""The rules of objects that are embedded in a custom resource (x-kubernetes-embedded-resource)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from kubewright.crd.go_values import invalid
from kubewright.crd.object_meta import coerce_metadata
from kubewright.crd.pruning import has_embedded
from kubewright.crd.structural import StructuralSchema
from kubewright.machinery.errors import ParseError
from kubewright.machinery.field_errors import MAX_LISTED, FieldError, TooManyErrors, required
from kubewright.machinery.names import is_dns1035_label

__all__ = ["MetadataRule", "embedded_errors"]

MetadataRule: TypeAlias = Callable[[dict[str, Any], str], list[FieldError]]
"""(metadata, path): all that is wrong with an object's metadata. The rules of metadata stand in the server,
above this package, so they are handed in."""


def embedded_errors(
    value: object,
    schema: StructuralSchema,
    metadata_rule: MetadataRule | None,
    *,
    path: str = "",
    resource: bool = False,
) -> list[FieldError]:
    """All that is wrong with the kind, apiVersion and metadata of embedded objects; with `resource`, of the
    value itself too. Raises TooManyErrors."""
    if not resource and not schema.prepared(has_embedded):
        return []
    found: list[FieldError] = []
    if isinstance(value, dict):
        if resource or schema.embedded_resource:
            found += _object_errors(value, metadata_rule, path)
        additional = schema.additional_properties
        others = additional if isinstance(additional, StructuralSchema) else None
        for name, member in value.items():
            of_member = schema.properties.get(name)
            if of_member is not None:
                where = f"{path}.{name}" if path else name
                found += embedded_errors(member, of_member, metadata_rule, path=where)
            elif others is not None:
                found += embedded_errors(member, others, metadata_rule, path=f"{path}[{name}]")
    elif isinstance(value, list) and schema.items is not None:
        for index, element in enumerate(value):
            found += embedded_errors(element, schema.items, metadata_rule, path=f"{path}[{index}]")
            if len(found) > MAX_LISTED:
                break
    if len(found) > MAX_LISTED:
        raise TooManyErrors(found)
    return found


def _object_errors(value: dict[str, Any], metadata_rule: MetadataRule | None, path: str) -> list[FieldError]:
    within = f"{path}." if path else ""
    found = [required(f"{within}{name}") for name in ("apiVersion", "kind") if name not in value]
    for name, member in value.items():
        if name == "apiVersion":
            found += _api_version_errors(member, f"{within}apiVersion")
        elif name == "kind":
            found += _kind_errors(member, f"{within}kind")
        elif name == "metadata" and metadata_rule is not None:
            found += _metadata_errors(member, metadata_rule, f"{within}metadata")
    return found


def _api_version_errors(value: object, path: str) -> list[FieldError]:
    if not isinstance(value, str):
        return [invalid(path, value, "must be a string")]
    if not value:
        return [invalid(path, value, "must not be empty")]
    if value.count("/") > 1:
        return [invalid(path, value, f"unexpected GroupVersion string: {value}")]
    return []


def _kind_errors(value: object, path: str) -> list[FieldError]:
    if not isinstance(value, str):
        return [invalid(path, value, "must be a string")]
    if not value:
        return [invalid(path, value, "must not be empty")]
    wrong = is_dns1035_label(value.lower())
    told = "may have mixed case, but should otherwise match: "
    return [invalid(path, value, told + ",".join(wrong))] if wrong else []


def _metadata_errors(value: object, metadata_rule: MetadataRule, path: str) -> list[FieldError]:
    try:
        metadata = coerce_metadata(value)
    except ParseError as error:
        return [invalid(path, value, str(error))]
    metadata.setdefault("name", "fakename")  # an embedded object needs no name
    return metadata_rule(metadata, path)
