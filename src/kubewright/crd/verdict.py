"""What the API server would say of an object of a custom resource, without one.

Tests and admission webhooks ask `validate`; it applies the same schema, defaults and rules in CEL that the
kind's definition carries.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubewright.crd.declaration import declaration_of
from kubewright.crd.defaulting import copy_json
from kubewright.crd.defaulting import default as fill_in
from kubewright.crd.pruning import prune
from kubewright.crd.structural import StructuralSchema
from kubewright.crd.validation import validate as validate_by_schema
from kubewright.machinery.errors import ParseError, error_from_status
from kubewright.machinery.field_errors import FieldError, TooManyErrors, aggregate, go_quote, listed
from kubewright.machinery.gvk import GroupKind
from kubewright.machinery.resource import Resource
from kubewright.machinery.status import Status, StatusCause, StatusDetails

__all__ = ["errors_in", "validate"]


def validate(obj: Resource, *, old: Resource | None = None) -> None:
    """Raise Invalid, with the server's words and causes, for an object that the kind's definition refuses.

    With `old`, what is stored, this is an update: rules about changes are asked, and what was wrong before
    and did not change is let pass. Defaults count, but the object is not changed. The names and labels in
    `metadata`, its own and that of objects within, are not looked at: no definition can change those rules.
    """
    errors = errors_in(type(obj), obj.to_dict(), old=None if old is None else old.to_dict())
    if not errors:
        return
    kind = type(obj).gvk
    name = obj.metadata.name
    causes = [StatusCause(reason=each.reason, message=each.message, field=each.field) for each in errors]
    shown = GroupKind(kind.group, kind.kind)
    raise error_from_status(
        Status(
            status="Failure",
            code=422,
            reason="Invalid",
            message=f"{shown} {go_quote(name)} is invalid: {aggregate(errors)}",
            details=StatusDetails(name=name, group=kind.group, kind=kind.kind, causes=causes),
        )
    )


def errors_in(
    cls: type[Resource], data: Mapping[str, Any], *, old: Mapping[str, Any] | None = None
) -> list[FieldError]:
    """All that the definition of a kind finds wrong with plain data, which need not decode into the class.

    Of very many errors, the first hundred.

    Raises DeclarationError for a class that is no custom resource.
    """
    declaration = declaration_of(cls)
    try:
        made = _completed(data, declaration.structural)
        before = None if old is None else _completed(old, declaration.structural)
    except ParseError as error:
        return [FieldError("FieldValueInvalid", "metadata", str(error))]
    try:
        return validate_by_schema(
            made, declaration.structural, old=before, scale=declaration.scale, rules=declaration.rules
        )
    except TooManyErrors as many:
        return list(listed(many.errors))


def _completed(data: Mapping[str, Any], schema: StructuralSchema) -> dict[str, Any]:
    """A copy of an object, pruned and with its defaults, as the server validates it."""
    made: dict[str, Any] = copy_json(dict(data))
    prune(made, schema)
    fill_in(made, schema)
    return made
