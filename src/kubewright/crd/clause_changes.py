"""Whether allOf, anyOf, oneOf and not still allow what they allowed.

What is not certain is told as a change: two clauses may mean the same and look different.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kubewright.crd.go_values import go_json
from kubewright.crd.structural import StructuralSchema
from kubewright.crd.value_changes import Change, value_changes, value_types

__all__ = ["clause_changes"]

_ANYTHING: Final = StructuralSchema()


def clause_changes(old: StructuralSchema, new: StructuralSchema) -> Iterator[Change]:
    """The clauses of `new` that may refuse what `old` allowed."""
    for name, kept in (
        ("allOf", _keeps_all_of(old, new)),
        ("anyOf", _keeps_any_of(old, new)),
        ("oneOf", _keeps_one_of(old, new)),
        ("not", _keeps_not(old, new)),
    ):
        if not kept:
            told = "is added" if not old.source.get(name) else "changes"
            yield Change("invalid", f"{name} {told}, so stored objects that do not keep it become invalid")


def _keeps_all_of(old: StructuralSchema, new: StructuralSchema) -> bool:
    known = (*old.all_of, old)
    return all(any(_implies(before, clause) for before in known) for clause in new.all_of)


def _keeps_any_of(old: StructuralSchema, new: StructuralSchema) -> bool:
    if not new.any_of or any(_implies(old, clause) for clause in new.any_of):
        return True
    if all(clause.source.keys() == {"type"} for clause in new.any_of):
        # As int-or-string is written, which says no more than the node does.
        types = frozenset[str]().union(*map(value_types, new.any_of))
        if value_types(old) <= types:
            return True
    return bool(old.any_of) and all(
        any(_implies(before, clause) for clause in new.any_of) for before in old.any_of
    )


def _keeps_one_of(old: StructuralSchema, new: StructuralSchema) -> bool:
    # One alternative more may be a second one that matches, so only the same ones are known to be harmless.
    return not new.one_of or sorted(go_json(clause.source) for clause in old.one_of) == sorted(
        go_json(clause.source) for clause in new.one_of
    )


def _keeps_not(old: StructuralSchema, new: StructuralSchema) -> bool:
    return new.not_ is None or (old.not_ is not None and _implies(new.not_, old.not_))


def _implies(premise: StructuralSchema, clause: StructuralSchema) -> bool:
    """Whether all that keeps the premise surely keeps the clause."""
    if premise is clause or (premise.source and go_json(premise.source) == go_json(clause.source)):
        return True
    return (
        not any(value_changes(premise, clause))
        and set(clause.required) <= set(premise.required)
        and _implies_within(premise, clause)
        and not any(clause_changes(premise, clause))
    )


def _implies_within(premise: StructuralSchema, clause: StructuralSchema) -> bool:
    if clause.additional_properties is not None:
        return False  # no structural schema has it in a clause
    members = all(
        _implies(premise.properties.get(name, _ANYTHING), member)
        for name, member in clause.properties.items()
    )
    return members and (clause.items is None or _implies(premise.items or _ANYTHING, clause.items))
