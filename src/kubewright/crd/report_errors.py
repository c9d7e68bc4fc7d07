"""The errors of kube-openapi's validator, and the field errors that apiextensions makes of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from kubewright.crd.go_values import shown
from kubewright.machinery.field_errors import FieldError, go_quote

__all__ = ["NO_FIELD", "Reported", "composite", "plain", "reported", "typed", "with_value"]

NO_FIELD = "<nil>"
"""What upstream prints for the path of no field, as of errors that span clauses."""


class Reported(NamedTuple):
    """One error, before it is known where the validated value stands."""

    text: str
    """The validator's own text; an error of a text that was reported already is not reported again."""
    name: str | None
    """The path within the value; None for errors that are not of one field."""
    reason: str
    message: str


def plain(name: str, message: str, text: str) -> Reported:
    return Reported(text, name, "FieldValueInvalid", message)


def with_value(path: str, value: object, rule: str) -> Reported:
    """A value breaks a rule, such as "should match 'x'"."""
    text = f"{path} in body {rule}"
    return Reported(text, path, "FieldValueInvalid", f"Invalid value: {shown(value)}: {text}")


def typed(path: str, wanted: str, found: str) -> Reported:
    """A value is of another type, or not of the wanted format."""
    text = f"{path} in body must be of type {wanted}: {go_quote(found)}"
    return Reported(text, path, "FieldValueTypeInvalid", f"Invalid value: {go_quote(found)}: {text}")


def composite(text: str) -> Reported:
    """An error that is not of one field."""
    return Reported(text, None, "FieldValueInvalid", f'Invalid value: "": {text}')


def reported(errors: Iterable[Reported], path: str) -> list[FieldError]:
    """The field errors, of a value that stands at `path`; "" for the whole object."""
    return [FieldError(error.reason, _field(error.name, path), error.message) for error in errors]


def _field(name: str | None, path: str) -> str:
    bare = (name or "").removeprefix(".")
    if not bare:
        return path or NO_FIELD
    return f"{path}.{bare}" if path else bare
