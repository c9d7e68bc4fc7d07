"""Who looks at a value from above: rules in CEL, clauses, limits on members, keys of lists.

A default that is added, changed or dropped, or a type that is widened, is harmless in itself. It is not where
something that stands further up reads the field and may come to another result.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from kubewright.crd.structural import StructuralSchema

__all__ = ["DefaultChange", "Reader", "readers_of", "reads_old_value", "shown_rule"]

DefaultChange: TypeAlias = Literal["added", "changed", "removed"]

_TEXT: Final = re.compile(
    r"""[rR]?(?:\"\"\".*?\"\"\"|'''.*?'''|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')""", re.DOTALL
)
_SHOWN: Final = 100
"""How many characters of a rule a message shows."""
_NAME: Final = re.compile(r"[A-Za-z_]\w*")


class Reader(NamedTuple):
    """Something at a node that reads members of its value, by name."""

    label: str
    knows: Callable[[str], bool]
    """Whether it reads a member of that name, wherever in the value."""
    is_rule: bool = False
    reads: frozenset[DefaultChange] = frozenset({"added", "changed", "removed"})
    """The changes of a member's presence or value that may matter to it."""
    depth: int | None = None
    """How many names down it reads; None for all the way."""
    below: tuple[str, ...] = ()
    """The names from its node down to where the walk is."""

    def down(self, name: str) -> Reader:
        """The same reader, seen from a member of the value."""
        return self._replace(below=(*self.below, name))

    def sees(self, *names: str) -> bool:
        """Whether it reads what is at these names below where the walk is."""
        path = (*self.below, *names)
        if self.depth is not None and len(path) > self.depth:
            return False
        return all(map(self.knows, path))


def readers_of(schema: StructuralSchema) -> Iterator[Reader]:
    """What stands at a node and reads within its value."""
    for rule in schema.rules:
        yield Reader(shown_rule(rule), _named_in(str(rule.get("rule") or "")), is_rule=True)
    for label, clauses in (
        ("allOf", schema.all_of),
        ("anyOf", schema.any_of),
        ("oneOf", schema.one_of),
        ("not", () if schema.not_ is None else (schema.not_,)),
    ):
        for clause in clauses:
            yield Reader(label, _named_by(_clause_names(clause)))
    if schema.enum:
        yield Reader("the enum", _everything)
    if schema.unique_items or schema.list_type == "set":
        yield Reader("the rule against doubles", _everything)
    if schema.list_type == "map":
        yield Reader("the list's map keys", frozenset(schema.list_map_keys).__contains__, depth=1)
    if schema.max_properties is not None:
        yield Reader("maxProperties", _everything, reads=frozenset({"added"}), depth=1)
    if schema.min_properties is not None:
        yield Reader("minProperties", _everything, reads=frozenset({"removed"}), depth=1)


def shown_rule(rule: Mapping[str, Any]) -> str:
    """A rule in a message, on one line, of which a long one is not shown to its end."""
    text = " ".join(str(rule.get("rule") or "").split())
    return f"the rule {text if len(text) <= _SHOWN else text[:_SHOWN] + '...'!r}"


def _everything(name: str) -> bool:
    return True


def _named_by(names: frozenset[str] | None) -> Callable[[str], bool]:
    return _everything if names is None else names.__contains__


def _named_in(rule: str) -> Callable[[str], bool]:
    """Whether a rule names a field, as far as its words tell."""
    # Imported here since it brings all of CEL, and few schemas have rules.
    from kubewright.crd.cel.escaping import escape, keyword_spelling  # noqa: PLC0415

    words = frozenset(_NAME.findall(rule))

    def names(field: str) -> bool:
        escaped = escape(field)
        return escaped is not None and (escaped in words or keyword_spelling(escaped) in words)

    return names


def reads_old_value(rule: Mapping[str, Any]) -> bool:
    """Whether a rule is about changes alone: it reads `oldSelf`, and is not asked where there is none."""
    names = _NAME.findall(_TEXT.sub("''", str(rule.get("rule") or "")))
    return "oldSelf" in names and not rule.get("optionalOldSelf")


def _clause_names(clause: StructuralSchema) -> frozenset[str] | None:
    """The names that a clause knows; None where it looks at whole objects."""
    if clause.enum or clause.min_properties is not None or clause.max_properties is not None:
        return None
    names = {*clause.required, *clause.properties}
    within = [*clause.children(), *clause.all_of, *clause.any_of, *clause.one_of]
    for inner in within if clause.not_ is None else (*within, clause.not_):
        known = _clause_names(inner)
        if known is None:
            return None
        names |= known
    return frozenset(names)
