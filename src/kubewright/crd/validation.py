"""Whether a custom resource keeps its schema, in the words and the order of the API server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Protocol

from kubewright.crd.correlation import Correlated
from kubewright.crd.embedded import MetadataRule, embedded_errors
from kubewright.crd.list_types import list_type_errors
from kubewright.crd.pruning import has_embedded
from kubewright.crd.scale import scale_spec_errors, scale_status_errors
from kubewright.crd.schema_check import checker
from kubewright.crd.schema_report import schema_errors
from kubewright.crd.structural import StructuralSchema
from kubewright.machinery.field_errors import FieldError, TooManyErrors

__all__ = ["MetadataRule", "Rules", "validate", "validate_status"]

_BLOCKING: Final = frozenset(
    {
        "FieldValueNotSupported",
        "FieldValueRequired",
        "FieldValueTooLong",
        "FieldValueTooMany",
        "FieldValueTypeInvalid",
    }
)
"""Errors after which the CEL rules are not asked: they could not trust the object's types and sizes."""

_NOT_ASKED: Final = FieldError(
    "FieldValueInvalid",
    "<nil>",
    "Invalid value: null: some validation rules were not checked because the object was invalid; "
    "correct the existing errors to complete validation",
)


class Rules(Protocol):
    """The CEL rules of a schema (x-kubernetes-validations), which `kubewright.crd.cel` compiles."""

    def validate(self, obj: Any, old: Any, path: str) -> list[FieldError]:
        """What the rules say of an object; `old` is None for a new one."""
        ...


def validate(
    obj: dict[str, Any],
    schema: StructuralSchema,
    *,
    old: dict[str, Any] | None = None,
    scale: Mapping[str, str] | None = None,
    metadata_rule: MetadataRule | None = None,
    rules: Rules | None = None,
    blocked: bool = False,
) -> list[FieldError]:
    """All that is wrong with a custom resource, pruned and defaulted, but for its own kind and metadata.

    With `old`, the stored object, this is an update: what was invalid and did not change is let pass. `scale`
    is the definition's scale subresource, whose paths must lead to numbers. Without `metadata_rule` the
    metadata of embedded objects is not validated, without `rules` there are no CEL rules. They are not asked
    when the object's own metadata is such that it is `blocked`. Raises TooManyErrors for more errors than are
    listed.
    """
    found: list[FieldError] = []
    good = schema.prepared(checker)(obj)
    if not good:
        correlated = None if old is None else Correlated(obj, old, schema)
        found += schema_errors(obj, schema, correlated=correlated)
    if scale is not None:
        found += scale_spec_errors(obj, scale)
        found += scale_status_errors(obj, scale)
    if schema.prepared(has_embedded):
        found += embedded_errors(obj, schema, metadata_rule)
    if not good and (old is None or not _has_list_type_errors(old, schema)):
        found += list_type_errors(obj, schema)
    return _with_rules(found, obj, old, rules, blocked=blocked)


def validate_status(
    obj: dict[str, Any],
    schema: StructuralSchema,
    *,
    old: dict[str, Any],
    scale: Mapping[str, str] | None = None,
    rules: Rules | None = None,
) -> list[FieldError]:
    """All that is wrong with a write of /status, where only `status` comes from the caller."""
    found: list[FieldError] = []
    of_status = schema.properties.get("status")
    if "status" in obj and of_status is not None and not of_status.prepared(checker)(obj["status"]):
        correlated = Correlated(obj["status"], old.get("status"), of_status)
        found += schema_errors(obj["status"], of_status, correlated=correlated, path="status")
    if scale is not None:
        found += scale_status_errors(obj, scale)
    if not schema.prepared(checker)(obj) and not _has_list_type_errors(old, schema):
        found += list_type_errors(obj, schema)
    return _with_rules(found, obj, old, rules)


def _has_list_type_errors(obj: dict[str, Any], schema: StructuralSchema) -> bool:
    try:
        return bool(list_type_errors(obj, schema))
    except TooManyErrors:
        return True


def _with_rules(
    found: list[FieldError],
    obj: dict[str, Any],
    old: dict[str, Any] | None,
    rules: Rules | None,
    *,
    blocked: bool = False,
) -> list[FieldError]:
    if rules is None:
        return found
    if blocked or any(error.reason in _BLOCKING for error in found):
        return [*found, _NOT_ASKED]
    return found + rules.validate(obj, old, "")
