"""Whether a value keeps its schema, as one prepared function per node: the quick half of validation.

A function passes what it is sure of and asks `schema_report` about all else, so that both always agree.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from kubewright.crd.formats import format_check
from kubewright.crd.go_values import MAX_INT64, MIN_INT64
from kubewright.crd.schema_report import pattern_matcher, schema_format, schema_types, validate_value
from kubewright.crd.structural import StructuralSchema

__all__ = ["Check", "checker"]

Check: TypeAlias = Callable[[Any], bool]

_NONE: Final = type(None)


def checker(schema: StructuralSchema) -> Check:
    """The function that tells whether a value keeps the schema, and has no doubles in its sets and maps.

    True is certain; False of a list of type set or map means that it has to be looked at.
    """
    checked = _checker(schema, lists=True)

    def check(value: Any) -> bool:
        try:
            return checked(value)
        except KeyError:  # a value that JSON has not
            return False

    return check


_Table: TypeAlias = dict[type, Check | None]
"""By the type of a value what is to be checked, None for nothing. Whoever holds a value asks the table of its
schema itself, which spares a call for most values. All types of JSON are in it."""


def _table(schema: StructuralSchema, *, lists: bool) -> _Table:
    def exact(value: Any) -> bool:
        return not validate_value(value, schema, "").errors

    table: _Table = dict.fromkeys((dict, list, str, int, float, bool, _NONE), exact)
    clauses = _clauses(schema)
    for kind, check in _checks(schema, exact, lists=lists).items():
        if clauses is None:
            table[kind] = check
        elif kind is not _NONE:
            table[kind] = _both(check, clauses)
    return table


def _both(check: Check | None, clauses: Check) -> Check:
    return clauses if check is None else lambda value: check(value) and clauses(value)


def _checker(schema: StructuralSchema, *, lists: bool) -> Check:
    table = _table(schema, lists=lists)

    def checked(value: Any) -> bool:
        check = table[value.__class__]
        return check is None or check(value)

    return checked


def _checks(schema: StructuralSchema, exact: Check, *, lists: bool) -> dict[type, Check | None]:
    types = schema_types(schema)
    allowed = types or (() if schema_format(schema) else ("object", "array", "string", "number", "boolean"))
    found: dict[type, Check | None] = {}
    if "object" in allowed:
        found[dict] = exact if schema.enum else _object(schema, exact, lists=lists)
    if "array" in allowed:
        found[list] = exact if schema.enum else _list(schema, exact, lists=lists)
    if "string" in allowed:
        found[str] = _text(schema)
    if "integer" in allowed or "number" in allowed:
        found[int] = exact if schema.enum else _integer(schema, types, exact)
    if "number" in allowed and not _has_bounds(schema) and schema.format != "float":
        found[float] = exact if schema.enum else None
    if "boolean" in allowed:
        found[bool] = exact if schema.enum else None
    if schema.nullable and not schema.enum:
        found[_NONE] = None
    return found


def _text(schema: StructuralSchema) -> Check | None:
    checks: list[Check] = []
    least, most = schema.min_length, schema.max_length
    if least is not None or most is not None:
        low, high = least or 0, MAX_INT64 if most is None else most
        checks.append(lambda value: low <= len(value) <= high)
    if schema.enum:
        checks.append(frozenset(value for value in schema.enum if isinstance(value, str)).__contains__)
    if schema.pattern:
        matches, _ = pattern_matcher(schema.pattern)
        checks.append(matches or (lambda _: False))
    format_ = schema_format(schema)
    check = format_check(format_) if format_ else None
    if check is not None:
        checks.append(check)
    return _all(checks)


def _all(checks: list[Check]) -> Check | None:
    if len(checks) <= 1:
        return checks[0] if checks else None
    first, second = checks[0], _all(checks[1:]) or checks[1]
    return lambda value: first(value) and second(value)


def _has_bounds(schema: StructuralSchema) -> bool:
    return not (schema.minimum is None and schema.maximum is None and schema.multiple_of is None)


def _integer(schema: StructuralSchema, types: tuple[str, ...], exact: Check) -> Check:
    low, high = MIN_INT64, MAX_INT64
    if schema_format(schema) == "int32" and types == ("integer",):
        low, high = -(2**31), 2**31 - 1
    elif schema_format(schema):
        return exact
    # Bounds that are no whole numbers, or too large for one, have rules of their own.
    for bound in (schema.minimum, schema.maximum):
        if bound is not None and not (bound == int(bound) and abs(bound) < 2**53):
            return exact
    if schema.multiple_of is not None:
        return exact
    if schema.minimum is not None:
        low = max(low, int(schema.minimum) + schema.exclusive_minimum)
    if schema.maximum is not None:
        high = min(high, int(schema.maximum) - schema.exclusive_maximum)
    if not all(_bound_fits(bound, schema, types) for bound in (schema.minimum, schema.maximum)):
        return exact
    return lambda value: low <= value <= high


def _bound_fits(bound: float | None, schema: StructuralSchema, types: tuple[str, ...]) -> bool:
    """Whether a bound is in the range of the schema's format; one that is not is an error of every value."""
    is_int32 = schema_format(schema) == "int32" and types == ("integer",)
    return bound is None or not is_int32 or -(2**31) <= bound < 2**31


def _list(schema: StructuralSchema, exact: Check, *, lists: bool) -> Check | None:
    least, most = schema.min_items, schema.max_items
    low, high = least or 0, MAX_INT64 if most is None else most
    table = None if schema.items is None else _table(schema.items, lists=lists)
    doubles = _doubles(schema) if lists else None
    if schema.unique_items:
        return exact
    if table is None and doubles is None and least is None and most is None:
        return None

    def checked(value: list[Any]) -> bool:
        if not low <= len(value) <= high:
            return False
        if table is not None:
            for element in value:
                check = table[element.__class__]
                if check is not None and not check(element):
                    return False
        return doubles is None or len(value) < 2 or not doubles(value)

    return checked


def _doubles(schema: StructuralSchema) -> Check | None:
    """Whether a list may have doubles that it must not have: True has to be looked at."""
    if schema.list_type == "set":
        return _has_doubles
    if schema.list_type != "map":
        return None
    names = schema.list_map_keys
    if len(names) == 1:
        name = names[0]
        return lambda value: _has_doubles([element.get(name) for element in value])
    return lambda value: _has_doubles([tuple(map(element.get, names)) for element in value])


def _has_doubles(keys: list[Any]) -> bool:
    try:
        return len(set(keys)) != len(keys)
    except TypeError:
        return True


def _object(schema: StructuralSchema, exact: Check, *, lists: bool) -> Check | None:
    least, most = schema.min_properties, schema.max_properties
    low, high = least or 0, MAX_INT64 if most is None else most
    tables = {name: _table(member, lists=lists) for name, member in schema.properties.items()}
    additional = schema.additional_properties
    if additional is False:
        return exact
    others = _table(additional, lists=lists) if isinstance(additional, StructuralSchema) else None
    needed = schema.required
    bounded = least is not None or most is not None
    if not (tables or others is not None or needed or bounded):
        return None
    table_of = tables.get

    def checked(value: dict[str, Any]) -> bool:
        for name in needed:
            if name not in value:
                return False
        if bounded and not low <= len(value) <= high:
            return False
        for name, member in value.items():
            table = table_of(name, others)
            if table is not None:
                check = table[member.__class__]
                if check is not None and not check(member):
                    return False
        return True

    return checked


def _clauses(schema: StructuralSchema) -> Check | None:
    every = [_checker(clause, lists=False) for clause in schema.all_of]
    some = [_checker(clause, lists=False) for clause in schema.any_of]
    one = [_checker(clause, lists=False) for clause in schema.one_of]
    never = None if schema.not_ is None else _checker(schema.not_, lists=False)
    if not (every or some or one or never):
        return None

    def checked(value: Any) -> bool:
        return (
            all(check(value) for check in every)
            and (not some or any(check(value) for check in some))
            and (not one or sum(check(value) for check in one) == 1)
            and (never is None or not never(value))
        )

    return checked
