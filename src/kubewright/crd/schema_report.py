"""What k8s.io/kube-openapi's validator says of a value that breaks its schema, word for word.

This is the slow and exact half of validation: it is asked only about what `schema_check` did not pass. It
follows upstream's validators one by one, also in which errors of a failed `anyOf` it shows: those of the
clause in which most single checks matched, which is why matches are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from kubewright.crd.correlation import Correlated
from kubewright.crd.formats import format_check, is_known_format
from kubewright.crd.go_regexp import matcher
from kubewright.crd.go_values import MAX_INT64, MIN_INT64, deep_equal, go_json, is_integral, shown
from kubewright.crd.numbers import number_errors
from kubewright.crd.report_errors import Reported, composite, plain, reported, typed, with_value
from kubewright.crd.structural import StructuralSchema
from kubewright.machinery.errors import ParseError
from kubewright.machinery.field_errors import MAX_LISTED, MAX_LISTED_TEXT, FieldError, TooManyErrors, go_quote

__all__ = ["Result", "pattern_matcher", "schema_errors", "schema_format", "schema_types", "validate_value"]

_TYPE_META: Final = frozenset({"apiVersion", "kind"})
_TYPES: Final[dict[type, str]] = {
    dict: "object", list: "array", str: "string", bool: "boolean", int: "integer", float: "number"
}  # fmt: skip


class Result:
    """The errors found, by their text, and how many checks matched.

    Once it is full, further errors are dropped, and there is no point in looking for them.
    """

    __slots__ = ("_characters", "errors", "matches")

    def __init__(self) -> None:
        self.errors: dict[str, Reported] = {}
        self.matches = 0
        self._characters = 0

    @property
    def full(self) -> bool:
        return len(self.errors) > MAX_LISTED or self._characters > MAX_LISTED_TEXT

    def merge(self, other: Result) -> None:
        for error in other.errors.values():
            self.add(error)
        self.matches += other.matches

    def add(self, error: Reported) -> None:
        if not self.full and error.text not in self.errors:
            self.errors[error.text] = error
            self._characters += len(error.message)


def schema_errors(
    value: object, schema: StructuralSchema, *, correlated: Correlated | None = None, path: str = ""
) -> list[FieldError]:
    """All that is wrong with a value, by its schema alone. With `correlated`, the old value, what did not
    change is let pass. `path` is where the value stands in its object. Raises TooManyErrors."""
    result = validate_value(value, schema, "", correlated)
    errors = reported(result.errors.values(), path)
    if result.full:
        raise TooManyErrors(errors)
    return errors


class _Rules(NamedTuple):
    """What is worked out once for a node."""

    types: tuple[str, ...]
    format: str
    check_format: Callable[[str], bool] | None
    number_type: str
    matches: Callable[[str], bool] | None
    pattern_error: str
    enum: Callable[[object], bool]
    enum_message: str
    """The supported values, as messages list them."""
    enum_text: str


def schema_types(schema: StructuralSchema) -> tuple[str, ...]:
    """The types that values may have; () for any."""
    if schema.int_or_string:
        return ("integer", "string")
    return (schema.type,) if schema.type else ()


def schema_format(schema: StructuralSchema) -> str:
    """The format, if it is one that upstream knows for the type."""
    types = schema_types(schema)
    known = schema.format and is_known_format(schema.format, types[0] if len(types) == 1 else "")
    return schema.format if known else ""


def pattern_matcher(pattern: str) -> tuple[Callable[[str], bool] | None, str]:
    """What tells whether a text matches, or why there is none."""
    try:
        return (matcher(pattern) if pattern else None), ""
    except ParseError as error:
        return None, str(error)


def _rules(schema: StructuralSchema) -> _Rules:
    types = schema_types(schema)
    format_ = schema_format(schema)
    matches, error = pattern_matcher(schema.pattern)
    number_type = types[0] if len(types) == 1 and types[0] in {"integer", "number"} else ""
    names = [allowed if isinstance(allowed, str) else go_json(allowed) for allowed in schema.enum or ()]
    return _Rules(
        types,
        format_,
        format_check(format_) if format_ else None,
        number_type,
        matches,
        error,
        _enum_check(schema.enum or ()),
        ", ".join(map(go_quote, names)),
        str(names),
    )


def _enum_check(enum: Sequence[object]) -> Callable[[object], bool]:
    """What tells whether a value is one of an enum's."""
    texts = frozenset(allowed for allowed in enum if isinstance(allowed, str))
    others = [allowed for allowed in enum if not isinstance(allowed, str)]

    def check(value: object) -> bool:
        if isinstance(value, str):
            return value in texts or any(_is_enum_value(value, allowed) for allowed in others)
        if isinstance(value, int) and value.__class__ is int and _as_character(value) in texts:
            return True
        return any(_is_enum_value(value, allowed) for allowed in others)

    return check


def validate_value(
    value: object, schema: StructuralSchema, path: str, correlated: Correlated | None = None
) -> Result:
    """Validate a value at a path. With `correlated`, errors in what did not change are dropped."""
    if value.__class__ is int and not MIN_INT64 <= value <= MAX_INT64:
        value = _as_float(value)
    result = _validated(value, schema, path, correlated)
    if result.errors and correlated is not None and correlated.unchanged():
        matches = result.matches
        result = Result()
        result.matches = matches
    return result


def _as_float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def _validated(value: object, schema: StructuralSchema, path: str, correlated: Correlated | None) -> Result:
    rules = schema.prepared(_rules)
    result = Result()
    if value is None:
        if not rules.types or schema.nullable:
            result.matches += 1
        else:
            result.add(typed(path, ",".join(rules.types), "null"))
        _check_enum(value, schema, rules, path, result)
        return result
    if rules.types or rules.format:
        _check_type(value, rules, path, result)
        result.matches += 1
    result.merge(_clauses(value, schema, path))
    result.matches += 1
    if isinstance(value, str):
        _check_text(value, schema, rules, path, result)
    elif isinstance(value, int | float) and value.__class__ is not bool:
        for error in number_errors(value, schema, rules.number_type, rules.format, path):
            result.add(error)
        result.matches += 2
    elif isinstance(value, list):
        _check_list(value, schema, path, correlated, result)
    _check_enum(value, schema, rules, path, result)
    result.matches += 1
    if isinstance(value, dict):
        _check_object(value, schema, path, correlated, result)
        result.matches += 1
    result.matches += 1
    return result


def _check_type(value: object, rules: _Rules, path: str, result: Result) -> None:
    types, format_ = rules.types, rules.format
    found = _TYPES.get(value.__class__, "")
    is_text_or_list = found in {"string", "array"}
    fits = found in types or (found == "integer" and "number" in types) or _whole(value, found, types)
    if not is_text_or_list and format_ and not fits:
        wanted = {"integer": "int64", "number": "float64"}.get(found, "")
        if wanted != format_:
            result.add(typed(path, format_, wanted))
            return
    if is_text_or_list and format_ and "number" not in types and "integer" not in types:
        result.matches += 1
        return
    if fits:
        result.matches += 1
    else:
        result.add(typed(path, ",".join(types), found))


def _whole(value: object, found: str, types: tuple[str, ...]) -> bool:
    return found == "number" and "integer" in types and is_integral(value)  # type: ignore[arg-type]


def _check_text(value: str, schema: StructuralSchema, rules: _Rules, path: str, result: Result) -> None:
    if schema.max_length is not None and len(value) > schema.max_length:
        many = "byte" if schema.max_length == 1 else "bytes"
        limit = f"may not be more than {schema.max_length} {many}"
        body = f"Too long: {limit if schema.max_length >= 0 else 'value is too long'}"
        text = f"{path} in body should be at most {schema.max_length} chars long"
        result.add(Reported(text, path, "FieldValueTooLong", body))
    elif schema.min_length is not None and len(value) < schema.min_length:
        result.add(with_value(path, value, f"should be at least {schema.min_length} chars long"))
    elif rules.pattern_error:
        told = f"should match '{schema.pattern}, but pattern is invalid: {rules.pattern_error}'"
        result.add(with_value(path, value, told))
    elif rules.matches is not None and not rules.matches(value):
        result.add(with_value(path, value, f"should match '{schema.pattern}'"))
    result.matches += 1
    if rules.check_format is not None:
        if not rules.check_format(value):
            result.add(typed(path, rules.format, value))
        result.matches += 1


def _check_enum(value: object, schema: StructuralSchema, rules: _Rules, path: str, result: Result) -> None:
    if not schema.enum or rules.enum(value):
        return
    body = f"Unsupported value: {shown(value)}: supported values: {rules.enum_message}"
    text = f"{path} in body should be one of {rules.enum_text}"
    result.add(Reported(text, path, "FieldValueNotSupported", body))


def _is_enum_value(value: object, allowed: object) -> bool:
    """Upstream converts the value to the type of the enum's before it compares, as Go converts numbers."""
    if value is None or allowed is None:
        return False
    if isinstance(value, int) and value.__class__ is int and isinstance(allowed, str):
        return allowed == _as_character(value)
    if value.__class__ in {int, float} and allowed.__class__ in {int, float}:
        return _converted(value, allowed.__class__) == allowed
    return deep_equal(value, allowed)


def _as_character(value: int) -> str:
    """A number as Go converts it to a text."""
    return chr(value) if 0 <= value <= 0x10FFFF and not 0xD800 <= value < 0xE000 else "\ufffd"


def _converted(value: Any, to: type) -> int | float:
    if to is float:
        return _as_float(value)
    return int(value) if MIN_INT64 <= value <= MAX_INT64 else MIN_INT64


def _check_list(
    value: list[Any], schema: StructuralSchema, path: str, correlated: Correlated | None, result: Result
) -> None:
    size = len(value)
    if schema.items is not None:
        for index, element in enumerate(value):
            child = None if correlated is None else correlated.at_index(index)
            result.merge(validate_value(element, schema.items, f"{path}[{index}]", child))
            if result.full:
                return
    if schema.min_items is not None and size < schema.min_items:
        result.add(with_value(path, size, f"should have at least {schema.min_items} items"))
    if schema.max_items is not None and size > schema.max_items:
        result.add(_too_many(path, size, schema.max_items, "items"))
    if schema.unique_items and any(
        deep_equal(element, earlier) for index, element in enumerate(value) for earlier in value[:index]
    ):
        result.add(with_value(path, "", "shouldn't contain duplicates"))
    result.matches += 2


def _too_many(path: str, size: int, most: int, what: str) -> Reported:
    body = f"Too many: {size}: must have at most {most} item{'' if most == 1 else 's'}"
    return Reported(f"{path} in body should have at most {most} {what}", path, "FieldValueTooMany", body)


def _check_object(
    value: dict[str, Any],
    schema: StructuralSchema,
    path: str,
    correlated: Correlated | None,
    result: Result,
) -> None:
    size = len(value)
    if schema.min_properties is not None and size < schema.min_properties:
        result.add(with_value(path, size, f"should have at least {schema.min_properties} properties"))
    if schema.max_properties is not None and size > schema.max_properties:
        result.add(_too_many(path, size, schema.max_properties, "properties"))
    properties, additional = schema.properties, schema.additional_properties
    for name, member in value.items():
        if name in properties:
            continue
        if additional is False:
            text = f"{path}.{name} in body is a forbidden property"
            result.add(plain(path, f"Invalid value: {go_quote(name)}: {text}", text))
        elif isinstance(additional, StructuralSchema):
            child = _child(correlated, name, path)
            result.merge(validate_value(member, additional, f"{path}.{name}", child))
        if result.full:
            return
    for name, of_member in properties.items():
        if name in value:
            member_path = f"{path}.{name}" if path else name
            result.merge(validate_value(value[name], of_member, member_path, _child(correlated, name, path)))
    for name in schema.required:
        if name not in value:
            text = f"{path}.{name} in body is required"
            result.add(Reported(text, f"{path}.{name}", "FieldValueRequired", "Required value"))


def _child(correlated: Correlated | None, name: str, path: str) -> Correlated | None:
    # The type fields of an object are converted before they are compared, so a change would not be seen.
    if correlated is None or (not path and name in _TYPE_META):
        return None
    return correlated.at_key(name)


def _clauses(value: object, schema: StructuralSchema, path: str) -> Result:
    """allOf, anyOf, oneOf and not; what they say of members is never let pass for being unchanged."""
    result = Result()
    if schema.any_of:
        _check_any_of(value, schema, path, result)
    if schema.one_of:
        _check_one_of(value, schema, path, result)
    if schema.all_of:
        valid = 0
        for clause in schema.all_of:
            found = validate_value(value, clause, path)
            valid += not found.errors
            result.merge(found)
        if valid != len(schema.all_of):
            none = "" if valid else ". None validated"
            result.add(composite(f"{go_quote(path)} must validate all the schemas (allOf){none}"))
    if schema.not_ is not None and not validate_value(value, schema.not_, path).errors:
        result.add(composite(f"{go_quote(path)} must not validate the schema (not)"))
    result.matches += 1
    return result


def _check_any_of(value: object, schema: StructuralSchema, path: str, result: Result) -> None:
    best: Result | None = None
    for clause in schema.any_of:
        found = validate_value(value, clause, path)
        if not found.errors:
            result.merge(found)
            return
        if best is None or found.matches > best.matches:
            best = found
    result.add(composite(f"{go_quote(path)} must validate at least one schema (anyOf)"))
    if best is not None:
        result.merge(best)


def _check_one_of(value: object, schema: StructuralSchema, path: str, result: Result) -> None:
    best: Result | None = None
    first: Result | None = None
    valid = 0
    for clause in schema.one_of:
        found = validate_value(value, clause, path)
        if not found.errors:
            valid += 1
            best = None
            first = first or found
        elif not valid and (best is None or found.matches > best.matches):
            best = found
    if valid == 1 and first is not None:
        result.merge(first)
        return
    told = f"Found {valid} valid alternatives" if valid else "Found none valid"
    result.add(composite(f"{go_quote(path)} must validate one and only one schema (oneOf). {told}"))
    if best is not None:
        result.merge(best)
