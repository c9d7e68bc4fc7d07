"""Field selectors: the text by which lists and watches pick objects by a few of their fields.

The grammar, the printed form and the matching are those of k8s.io/apimachinery/pkg/fields.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final, Literal, TypeAlias, final

import msgspec

from kubewright.machinery.errors import ParseError

__all__ = [
    "FieldRequirement",
    "FieldSelector",
    "FieldTransform",
    "escape_field_value",
    "parse_field_selector",
]

FieldTransform: TypeAlias = Callable[[str, str], tuple[str, str]]
"""Takes a field and the value it is compared with, gives what to put in their place.

It refuses a field by raising ParseError. When it gives two empty texts, the requirement is dropped.
"""


# Terms end at a comma that no backslash precedes; a backslash takes the next character with it.
_TERM: Final = re.compile(r"(?:[^\\,]+|\\.?)*+", re.DOTALL)
_OPERATOR: Final = re.compile("!=|==?")
_SPECIAL: Final = re.compile(r"[\\,=]")
_ESCAPE: Final = re.compile(r"\\(.?)|[,=]", re.DOTALL)


@final
class FieldRequirement(msgspec.Struct, frozen=True, gc=False):
    """One condition on one field.

    Raises ParseError when the field has characters in it that would make the printed requirement read as
    another one; fields, unlike values, cannot be escaped.
    """

    field: str
    operator: Literal["=", "!="]
    value: str

    def __post_init__(self) -> None:
        first = _OPERATOR.search(self.field + self.operator)
        if first is None or first.start() != len(self.field) or _TERM.fullmatch(self.field) is None:
            raise ParseError(
                f"{self.field!r} is not a field to select by; it must have no '=', '!=' or comma"
            )

    def __str__(self) -> str:
        return f"{self.field}{self.operator}{escape_field_value(self.value)}"


@final
class FieldSelector:
    """Picks objects by their fields: those that fulfil every requirement.

    Immutable and hashable. A field that an object lacks counts as empty text.
    """

    __slots__ = ("_terms", "requirements", "selectable")

    requirements: tuple[FieldRequirement, ...]
    selectable: bool
    """False for the selector that matches nothing at all."""

    def __init__(self, requirements: Iterable[FieldRequirement] = ()) -> None:
        self.requirements = tuple(requirements)
        self.selectable = True
        self._terms = tuple((term.field, term.operator == "=", term.value) for term in self.requirements)

    @classmethod
    def everything(cls) -> FieldSelector:
        """The selector without requirements."""
        return cls()

    @classmethod
    def nothing(cls) -> FieldSelector:
        """The selector that matches no object. It prints as "" too, as upstream's does: do not send it."""
        selector = cls()
        selector.selectable = False
        return selector

    @classmethod
    def from_fields(cls, fields: Mapping[str, str]) -> FieldSelector:
        """Wants each of these fields to have its value; ordered by field."""
        return cls(FieldRequirement(field, "=", fields[field]) for field in sorted(fields))

    def matches(self, fields: Mapping[str, str]) -> bool:
        """Whether an object with these fields is picked."""
        for field, wanted, value in self._terms:
            if (fields.get(field, "") == value) is not wanted:
                return False
        return self.selectable

    @property
    def empty(self) -> bool:
        """Whether it restricts nothing."""
        return self.selectable and not self.requirements

    def requires_exact_match(self, field: str) -> str | None:
        """The value that this field must have, or None when no requirement says so."""
        for requirement in self.requirements:
            if requirement.field == field and requirement.operator == "=":
                return requirement.value
        return None

    def transform(self, change: FieldTransform) -> FieldSelector:
        """The selector with each field and value replaced by what `change` gives; see FieldTransform."""
        if not self.selectable:
            return self
        changed = ((change(term.field, term.value), term.operator) for term in self.requirements)
        return FieldSelector(
            FieldRequirement(field, operator, value) for (field, value), operator in changed if field or value
        )

    def __str__(self) -> str:
        return ",".join(map(str, self.requirements))

    def __repr__(self) -> str:
        return f"parse_field_selector({str(self)!r})" if self.selectable else "FieldSelector.nothing()"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FieldSelector):
            return NotImplemented
        return self.selectable == other.selectable and self.requirements == other.requirements

    def __hash__(self) -> int:
        return hash((self.selectable, self.requirements))


def parse_field_selector(text: str, *, transform: FieldTransform | None = None) -> FieldSelector:
    r"""Reads a selector such as "spec.nodeName=n1,status.phase!=Failed"; empty text selects everything.

    A comma, "=" or backslash in a value has a backslash before it. `transform` renames fields and refuses
    those that the kind cannot be selected by. Raises ParseError, which quotes the selector and the term.
    """
    terms = sorted(filter(None, _split(text)))
    selector = FieldSelector(requirement for term in terms if (requirement := _requirement(text, term)))
    return selector if transform is None else selector.transform(transform)


def escape_field_value(value: str) -> str:
    r"""The value with a backslash before each comma, "=" and backslash, so that it reads as one value."""
    return _SPECIAL.sub(r"\\\g<0>", value)


def _split(text: str) -> Iterable[str]:
    position = 0
    while position <= len(text):
        match = _TERM.match(text, position)
        end = match.end() if match is not None else len(text)
        yield text[position:end]
        position = end + 1


def _requirement(text: str, term: str) -> FieldRequirement | None:
    operator = _OPERATOR.search(term)
    if operator is None:
        raise ParseError(f"field selector {text!r}: {term!r} must be like 'field=value' or 'field!=value'")
    try:
        value = _unescape(term[operator.end() :])
    except ParseError as error:
        raise ParseError(f"field selector {text!r}: {error} in the value of {term!r}") from None
    field = term[: operator.start()]
    if not field and not value:
        # "=" alone: upstream drops what is empty on both sides after any transform, be it none.
        return None
    return FieldRequirement(field, "!=" if operator[0] == "!=" else "=", value)


def _unescape(value: str) -> str:
    return _ESCAPE.sub(_literal, value) if _SPECIAL.search(value) is not None else value


def _literal(found: re.Match[str]) -> str:
    escaped = found[1]
    if escaped is None:
        raise ParseError(f"a backslash must stand before {found[0]!r}")
    if escaped not in {"\\", ",", "="}:
        raise ParseError(f"only a comma, '=' or backslash may follow the backslash of {found[0]!r}")
    return escaped
