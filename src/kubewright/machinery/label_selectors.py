"""Label selectors: the text that lists and watches take, and the LabelSelector that objects carry.

The grammar, the printed form and the matching are those of k8s.io/apimachinery/pkg/labels.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final, Literal, TypeAlias, cast, final

import msgspec

from kubewright.machinery.errors import ParseError
from kubewright.machinery.names import is_qualified_name, is_valid_label_value

__all__ = ["Operator", "Requirement", "Selector", "parse_int64", "parse_label_selector"]

Operator: TypeAlias = Literal["=", "==", "!=", "in", "notin", "exists", "!", "gt", "lt"]
"""As upstream spells them; "!" means that the key must not exist."""

_Match: TypeAlias = Callable[[Mapping[str, str]], bool]

_EQUALS: Final = frozenset({"=", "=="})
_ONE_VALUE: Final = frozenset({"=", "==", "!=", "gt", "lt"})
_NO_VALUE: Final = frozenset({"exists", "!"})
_SETS: Final = frozenset({"in", "notin"})
_PRINTED: Final = {"=": "=", "==": "==", "!=": "!=", "gt": ">", "lt": "<", "in": " in ", "notin": " notin "}


@final
class Requirement(msgspec.Struct, frozen=True, gc=False):
    """One condition on one label.

    Raises ParseError when the key or a value is not a valid label's, when the number of values does not fit
    the operator, or when "gt" or "lt" have a value that is not an integer of 64 bits.
    """

    key: str
    operator: Operator
    values: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _check_key(self.key)
        count, operator = len(self.values), self.operator
        if operator in _ONE_VALUE:
            if count != 1:
                raise ParseError(f"{_label(self.key)}: operator {operator!r} takes one value, not {count}")
        elif operator in _SETS:
            if count == 0:
                raise ParseError(f"{_label(self.key)}: operator {operator!r} takes at least one value")
        elif operator not in _NO_VALUE:
            known = ", ".join(sorted(_PRINTED.keys() | _NO_VALUE))
            raise ParseError(f"{_label(self.key)}: {operator!r} is not an operator; those are {known}")
        elif count != 0:
            raise ParseError(f"{_label(self.key)}: operator {operator!r} takes no values, not {count}")
        for value in self.values:
            if wrong := is_valid_label_value(value):
                raise ParseError(f"{_label(self.key)} has the value {value!r}: {'; '.join(wrong)}")
        if operator in {"gt", "lt"} and parse_int64(self.values[0]) is None:
            value = self.values[0]
            raise ParseError(
                f"{_label(self.key)} is compared with {value!r}, which is not an integer of 64 bits"
            )

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether the labels fulfil this condition alone."""
        return _compile_one(self)(labels)

    def __str__(self) -> str:
        if self.operator in _NO_VALUE:
            return f"!{self.key}" if self.operator == "!" else self.key
        values = ",".join(sorted(self.values))
        if self.operator in _SETS:
            values = f"({values})"
        return f"{self.key}{_PRINTED[self.operator]}{values}"


@final
class Selector:
    """Picks objects by their labels: those that fulfil every requirement.

    Immutable, hashable, and compiled once: `matches` costs a few dictionary lookups. The requirements are
    ordered by key; those with the same key keep the order in which they were given.
    """

    __slots__ = ("_match", "requirements", "selectable")

    requirements: tuple[Requirement, ...]
    selectable: bool
    """False for the selector that matches nothing at all."""

    _match: _Match

    def __init__(self, requirements: Iterable[Requirement] = ()) -> None:
        self.requirements = tuple(sorted(requirements, key=_key_of))
        self.selectable = True
        self._match = _compile(self.requirements)

    @classmethod
    def everything(cls) -> Selector:
        """The selector without requirements."""
        return cls()

    @classmethod
    def nothing(cls) -> Selector:
        """The selector that matches no object. It prints as "" too, as upstream's does: do not send it."""
        selector = cls()
        selector.selectable = False
        selector._match = _never
        return selector

    @classmethod
    def from_labels(cls, labels: Mapping[str, str]) -> Selector:
        """Wants each of these labels with its value; no labels select everything. Raises ParseError."""
        return cls(Requirement(key, "=", (value,)) for key, value in labels.items())

    @classmethod
    def from_label_selector(cls, selector: Mapping[str, object] | None) -> Selector:
        """Reads a LabelSelector as it stands in an object, with `matchLabels` and `matchExpressions`.

        None selects nothing, an empty one selects everything. Raises ParseError, which names the field, when
        it is not a valid LabelSelector. A field that it does not know is refused, where upstream drops it:
        whoever misspells `matchLabels` does not mean everything.
        """
        if selector is None:
            return cls.nothing()
        for name in selector:
            if name not in {"matchLabels", "matchExpressions"}:
                raise ParseError(
                    f"a label selector has no field {name!r}; it has matchLabels and matchExpressions"
                )
        return cls([*_from_match_labels(selector), *_from_match_expressions(selector)])

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether an object with these labels is picked."""
        return self._match(labels)

    @property
    def empty(self) -> bool:
        """Whether it restricts nothing."""
        return self.selectable and not self.requirements

    def requires_exact_match(self, key: str) -> str | None:
        """The one value that this label must have; None when the first requirement on it leaves a choice."""
        for requirement in self.requirements:
            if requirement.key == key:
                exact = requirement.operator in {"=", "==", "in"} and len(requirement.values) == 1
                return requirement.values[0] if exact else None
        return None

    def __str__(self) -> str:
        return ",".join(map(str, self.requirements))

    def __repr__(self) -> str:
        return f"parse_label_selector({str(self)!r})" if self.selectable else "Selector.nothing()"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Selector):
            return NotImplemented
        return self.selectable == other.selectable and self.requirements == other.requirements

    def __hash__(self) -> int:
        return hash((self.selectable, self.requirements))

    def __reduce__(self) -> tuple[object, ...]:
        return (Selector, (self.requirements,)) if self.selectable else (Selector.nothing, ())


def parse_label_selector(text: str) -> Selector:
    """Reads a selector such as "app=web,tier in (a,b),!canary,rank>3"; empty text selects everything.

    Raises ParseError, which quotes the selector and says where it is wrong.
    """
    if not text:
        return Selector()
    try:
        return Selector(_Parser(text).requirements())
    except ParseError as error:
        raise ParseError(f"label selector {text!r}: {error}") from None


# A token may be followed by a NUL, which upstream's reader swallows with it; a NUL elsewhere ends the text.
_TOKEN: Final = re.compile(r"[ \t\r\n]*(?:(!=|==|[=!(),<>])\0?|([^=!(),<> \t\r\n\0]+)\0?|\0|\Z)")
_END: Final = ""
_SYMBOLS: Final = frozenset({"!=", "==", "=", "!", "(", ")", ",", "<", ">", _END})
_OPERATORS: Final[Mapping[str, Operator]] = {
    "in": "in",
    "=": "=",
    "==": "==",
    ">": "gt",
    "<": "lt",
    "notin": "notin",
    "!=": "!=",
}


class _Parser:
    """Walks the tokens; the words "in" and "notin" are operators only where an operator is due."""

    __slots__ = ("_position", "_tokens")

    def __init__(self, text: str) -> None:
        self._tokens = _tokens(text)
        self._position = 0

    def requirements(self) -> list[Requirement]:
        found: list[Requirement] = []
        if self._peek() == _END:
            return found
        while True:
            found.append(self._requirement())
            word = self._next()
            if word == _END:
                return found
            if word != ",":
                raise ParseError(f"{_shown(word)} stands where a comma or the end must be")

    def _requirement(self) -> Requirement:
        key = self._next()
        absent = key == "!"
        if absent:
            key = self._next()
        if key in _SYMBOLS:
            raise ParseError(f"{_shown(key)} stands where the key of a label must be")
        if absent:
            return Requirement(key, "!")
        if self._peek() in {",", _END}:
            return Requirement(key, "exists")
        word = self._next()
        operator = _OPERATORS.get(word)
        if operator is None:
            raise ParseError(f"{_shown(word)} stands after {key!r}; one of {', '.join(_OPERATORS)} must")
        values = self._value_set(key) if operator in _SETS else (self._exact_value(key),)
        return Requirement(key, operator, values)

    def _exact_value(self, key: str) -> str:
        if self._peek() in {",", _END}:
            return ""
        value = self._next()
        if value in _SYMBOLS:
            raise ParseError(f"{_shown(value)} stands where the value of {key!r} must be")
        return value

    def _value_set(self, key: str) -> tuple[str, ...]:
        word = self._next()
        if word != "(":
            raise ParseError(f"{_shown(word)} stands where the '(' before the values of {key!r} must be")
        values = set()
        while True:
            if self._peek() in {",", ")"}:
                values.add("")
            else:
                values.add(self._exact_value(key))
            word = self._next()
            if word == ")":
                return tuple(sorted(values))
            if word != ",":
                raise ParseError(f"{_shown(word)} stands after a value of {key!r}; a comma or ')' must")

    def _peek(self) -> str:
        return self._tokens[self._position]

    def _next(self) -> str:
        token = self._tokens[self._position]
        # Whoever reads the end raises or returns, so this never runs past it.
        self._position += 1
        return token


def _tokens(text: str) -> list[str]:
    tokens = []
    position = 0
    while True:
        match = _TOKEN.match(text, position)
        token = (match[1] or match[2] or _END) if match is not None else _END
        tokens.append(token)
        if match is None or token == _END:
            return tokens
        position = match.end()


def _shown(token: str) -> str:
    return repr(token) if token != _END else "the end"


def _label(key: str) -> str:
    return f"label {key!r}"


def _key_of(requirement: Requirement) -> str:
    return requirement.key


def _check_key(key: str) -> None:
    if wrong := is_qualified_name(key):
        raise ParseError(f"{key!r} is not the key of a label: {'; '.join(wrong)}")


def _from_match_labels(selector: Mapping[str, object]) -> list[Requirement]:
    labels = selector.get("matchLabels")
    if labels is None:
        return []
    if not isinstance(labels, Mapping):
        raise ParseError(f"matchLabels is {labels!r}; it must be a mapping of labels to values")
    found = []
    for key, value in labels.items():
        if not isinstance(key, str) or not isinstance(value, str):
            raise ParseError(f"matchLabels has {key!r}: {value!r}; both must be strings")
        found.append(_at("matchLabels", key, "=", (value,)))
    return found


_EXPRESSION_OPERATORS: Final[Mapping[object, Operator]] = {
    "In": "in",
    "NotIn": "notin",
    "Exists": "exists",
    "DoesNotExist": "!",
}


def _from_match_expressions(selector: Mapping[str, object]) -> list[Requirement]:
    expressions = selector.get("matchExpressions")
    if expressions is None:
        return []
    if not isinstance(expressions, list | tuple):
        raise ParseError(f"matchExpressions is {expressions!r}; it must be a list of requirements")
    return [
        _from_expression(f"matchExpressions[{index}]", expression)
        for index, expression in enumerate(expressions)
    ]


def _from_expression(place: str, expression: object) -> Requirement:
    if not isinstance(expression, Mapping):
        raise ParseError(f"{place} is {expression!r}; it must have key, operator and values")
    for name in expression:
        if name not in {"key", "operator", "values"}:
            raise ParseError(f"{place} has no field {name!r}; it has key, operator and values")
    key, values = expression.get("key"), expression.get("values")
    if not isinstance(key, str):
        raise ParseError(f"{place}.key is {key!r}; it must be the key of a label")
    name = expression.get("operator")
    operator = _EXPRESSION_OPERATORS.get(name) if isinstance(name, str) else None
    if operator is None:
        known = ", ".join(map(str, _EXPRESSION_OPERATORS))
        raise ParseError(f"{place}.operator is {name!r}; it must be one of {known}")
    if values is None:
        values = ()
    if not isinstance(values, list | tuple) or not all(isinstance(value, str) for value in values):
        raise ParseError(f"{place}.values is {values!r}; it must be a list of strings")
    return _at(place, key, operator, tuple(cast("Iterable[str]", values)))


def _at(place: str, key: str, operator: Operator, values: tuple[str, ...]) -> Requirement:
    try:
        return Requirement(key, operator, values)
    except ParseError as error:
        raise ParseError(f"{place}: {error}") from None


def _compile(requirements: tuple[Requirement, ...]) -> _Match:
    if not requirements:
        return _always
    if len(requirements) == 1:
        return _compile_one(requirements[0])
    if all(requirement.operator in _EQUALS for requirement in requirements):
        return _all_equal(tuple((requirement.key, requirement.values[0]) for requirement in requirements))
    return _all_of(tuple(map(_compile_one, requirements)))


def _compile_one(requirement: Requirement) -> _Match:
    key, operator, values = requirement.key, requirement.operator, requirement.values
    if operator == "exists":
        return lambda labels: key in labels
    if operator == "!":
        return lambda labels: key not in labels
    if operator in {"gt", "lt"}:
        return _compare(key, cast("int", parse_int64(values[0])), greater=operator == "gt")
    if len(values) == 1:
        value = values[0]
        if operator in {"!=", "notin"}:
            return lambda labels: labels.get(key) != value
        return lambda labels: labels.get(key) == value
    allowed = frozenset(values)
    if operator == "notin":
        return lambda labels: labels.get(key) not in allowed
    return lambda labels: labels.get(key) in allowed


def _all_equal(wanted: tuple[tuple[str, str], ...]) -> _Match:
    def match(labels: Mapping[str, str]) -> bool:
        get = labels.get
        for key, value in wanted:  # noqa: SIM110 - a generator costs twice as much
            if get(key) != value:
                return False
        return True

    return match


def _all_of(matches: tuple[_Match, ...]) -> _Match:
    def match(labels: Mapping[str, str]) -> bool:
        for one in matches:  # noqa: SIM110 - a generator costs twice as much
            if not one(labels):
                return False
        return True

    return match


def _compare(key: str, bound: int, *, greater: bool) -> _Match:
    def match(labels: Mapping[str, str]) -> bool:
        value = labels.get(key)
        number = parse_int64(value) if value is not None else None
        if number is None:
            return False
        return number > bound if greater else number < bound

    return match


def _always(_labels: Mapping[str, str]) -> bool:
    return True


def _never(_labels: Mapping[str, str]) -> bool:
    return False


# Zeros in front do not count, and 19 digits are the most that an int64 has.
_INTEGER: Final = re.compile(r"([+-]?)0*([0-9]{1,19})")
_INT64_MIN: Final = -(2**63)
_INT64_MAX: Final = 2**63 - 1


def parse_int64(text: str) -> int | None:
    """A decimal integer of 64 bits, read as Go's strconv.ParseInt reads it; None when the text is none."""
    match = _INTEGER.fullmatch(text)
    if match is None:
        return None
    number = int(match[1] + match[2])
    return number if _INT64_MIN <= number <= _INT64_MAX else None
