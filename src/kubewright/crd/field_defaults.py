"""The defaults of a class's fields, as the schema has them: what Python and the server both fill in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import NODEFAULT, UNSET

from kubewright.crd.defaulting import copy_json
from kubewright.crd.defaulting import default as fill_in
from kubewright.crd.list_types import list_type_errors
from kubewright.crd.rules import has_rules
from kubewright.crd.schema_report import schema_errors
from kubewright.crd.structural import StructuralSchema, parse_schema
from kubewright.machinery.codec import to_plain
from kubewright.machinery.errors import DeclarationError, KubewrightError
from kubewright.machinery.field import EMPTY, Field
from kubewright.machinery.field_errors import FieldError, TooManyErrors
from kubewright.machinery.readers import AS_IT_IS, REQUIRED, Factory, StoredField

__all__ = ["NO_DEFAULT", "absent_value", "rule_default", "schema_default", "zero_default"]

NO_DEFAULT: Final = object()
"""Stands for a field whose default is not in the schema."""


def absent_value(cls: type, info: msgspec.structs.FieldInfo) -> Any:
    """What an absent field reads as: a value, None, EMPTY, or REQUIRED where there must be one.

    A factory that gives something else each time is no default: AS_IT_IS.
    """
    reader = next((base.__dict__[info.name] for base in cls.__mro__ if info.name in base.__dict__), None)
    absent = reader.absent if isinstance(reader, StoredField) else AS_IT_IS
    if isinstance(absent, type):
        return absent()
    factory = absent.make if isinstance(absent, Factory) else info.default_factory
    if factory is not NODEFAULT:
        value = factory()
        return value if value == factory() else AS_IT_IS
    if absent is not AS_IT_IS:
        return absent
    if info.default is NODEFAULT:
        return REQUIRED
    return None if info.default is UNSET else info.default


def schema_default(absent: Any, field: Field, schema: Mapping[str, Any], where: str) -> Any:
    """The default that goes into a field's schema, or NO_DEFAULT.

    Zero values do not, unless the field says so, since an absent field reads the same. Raises
    DeclarationError for a default that breaks the field's own rules.
    """
    none = any(absent is mark for mark in (None, REQUIRED, AS_IT_IS, EMPTY))
    plain = NO_DEFAULT if none else _plain(absent, where)
    if field.default is not UNSET:
        said = _plain(field.default, where)
        if said != plain:
            raise DeclarationError(
                f"{where}: Field(default={field.default!r}) is not what the attribute reads as when it is "
                f"absent; write = {field.default!r} after its type as well"
            )
    elif absent is EMPTY or plain == {}:
        return _filled({}, schema) if _fills_itself(schema) else NO_DEFAULT
    elif plain is not NO_DEFAULT and not plain:
        return NO_DEFAULT
    if plain is NO_DEFAULT:
        return NO_DEFAULT
    _check(plain, schema, where)
    return _filled(plain, schema)


def rule_default(absent: Any, schema: Mapping[str, Any], where: str) -> Any:
    """The default of a field whose zero value a rule reads, so that the rule sees what Python reads.

    NO_DEFAULT where there is none, or where it would break the field's own rules.
    """
    if any(absent is mark for mark in (None, REQUIRED, AS_IT_IS)):
        return NO_DEFAULT
    plain = {} if absent is EMPTY else _plain(absent, where)
    try:
        _check(plain, schema, where)
    except DeclarationError:
        return NO_DEFAULT
    return _filled(plain, schema)


def zero_default(absent: Any) -> Any:
    """The default of a key by which the elements of a list are told apart, which must have a value."""
    return absent if isinstance(absent, str | int | float | bool) else NO_DEFAULT


def _plain(value: Any, where: str) -> Any:
    try:
        return to_plain(value)
    except (KubewrightError, TypeError) as error:
        raise DeclarationError(f"{where}: the default {value!r} has no JSON form ({error})") from None


def _fills_itself(schema: Mapping[str, Any]) -> bool:
    """Whether an empty object gets defaults of its own from the schema, and is all right with them."""
    filled = {name for name, member in (schema.get("properties") or {}).items() if "default" in member}
    enough = len(filled) >= (schema.get("minProperties") or 0)
    return bool(filled) and enough and filled.issuperset(schema.get("required") or ())


def _filled(plain: Any, schema: Mapping[str, Any]) -> Any:
    """A default as it is written: where there are rules with all in it, as servers ask them of just that."""
    if not isinstance(plain, dict | list) or not has_rules(schema):
        return plain
    value = copy_json(plain)
    fill_in(value, parse_schema(schema))
    return value


def _check(plain: Any, schema: Mapping[str, Any], where: str) -> None:
    parsed = parse_schema(schema)
    value = copy_json(plain)
    fill_in(value, parsed)
    for error in _errors(value, parsed):
        raise DeclarationError(f"{where}: the default {plain!r} is none that the field takes ({error})")


def _errors(value: Any, schema: StructuralSchema) -> Sequence[FieldError]:
    try:
        return schema_errors(value, schema, path="default") + list_type_errors(value, schema)
    except TooManyErrors as many:
        return many.errors
