"""What a new schema does to objects that an old one allowed: which become invalid, and what they lose.

Both schemas are walked together. Where an old schema says nothing of a value that it keeps, the value is
taken for one of a schema that allows anything, so that a new property in a free-form object narrows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple, TypeAlias

from msgspec.structs import replace

from kubewright.crd.change_readers import DefaultChange, Reader, readers_of, reads_old_value, shown_rule
from kubewright.crd.clause_changes import clause_changes
from kubewright.crd.go_values import deep_equal, go_json
from kubewright.crd.pruning import META_FIELDS
from kubewright.crd.schema_report import schema_format, schema_types
from kubewright.crd.structural import MISSING, StructuralSchema
from kubewright.crd.value_changes import Change, value_changes, value_types

__all__ = ["ANYTHING", "schema_changes"]

ANYTHING: Final = StructuralSchema(preserve_unknown_fields=True, nullable=True)
"""What a schema that preserves unknown fields says of them."""

_NO_FIELDS: Final = StructuralSchema(nullable=True)
"""What `additionalProperties: true` says of members: anything, but nothing within objects is kept."""

_TEXT: Final = StructuralSchema(type="string")
_META: Final[Mapping[str, StructuralSchema]] = {
    "apiVersion": _TEXT,
    "kind": _TEXT,
    "metadata": StructuralSchema(
        type="object",
        preserve_unknown_fields=True,
        properties=dict.fromkeys(("name", "generateName", "namespace"), _TEXT),
    ),
}
"""What every object of the API has, whether its schema says so or not."""

_TYPED_FORMATS: Final = frozenset({"date", "date-time", "datetime", "duration", "byte"})
"""The formats whose texts have types of their own in CEL."""

_DROPPED: Final = "so what stored objects have there is dropped"
_REMOVED: Final = f"the property is removed, {_DROPPED}; keep it and deprecate it"
_NOT_PRESERVED: Final = f"unknown fields are no longer preserved, {_DROPPED}"
_NO_MEMBERS: Final = f"additionalProperties is removed, {_DROPPED}"

_Found: TypeAlias = Iterator[tuple[str, Change]]


def schema_changes(old: StructuralSchema, new: StructuralSchema) -> _Found:
    """The changes from one schema of a custom resource to another that are not harmless, with their paths.

    If there are none, each object that `old` allows is allowed by `new` as well, and keeps all that is in it.
    The other way round it is careful: a clause or pattern that is written in another way is told as a change.
    """
    yield from _node(old, new, _Place("", (), root=True))


class _Place(NamedTuple):
    """Where the walk is."""

    path: str
    readers: tuple[Reader, ...]
    root: bool = False
    element: bool = False
    """Whether values are elements of a list, whose nulls are not dropped."""


def _node(old: StructuralSchema, new: StructuralSchema, at: _Place) -> _Found:
    if old is new or _same(old, new):
        return
    for change in (*value_changes(old, new), *_rule_changes(old, new)):
        yield at.path, change
    types = value_types(old)
    if types - value_types(new):
        return
    for change in (
        *_null_changes(old, new, at),
        *clause_changes(old, new),
        *_embedded_changes(old, new),
        *_reread(old, new, at),
    ):
        yield at.path, change
    readers = (*at.readers, *readers_of(new))
    if "object" in types:
        yield from _required_changes(old, new, at)
        yield from _member_changes(old, new, at._replace(readers=readers))
    # Without a schema of elements in either, they are kept or not as unknown fields are.
    if "array" in types and (old.items is not None or new.items is not None):
        yield from _node(_element(old), _element(new), _Place(f"{at.path}[]", readers, element=True))


def _same(old: StructuralSchema, new: StructuralSchema) -> bool:
    """Whether two nodes are written alike, which spares the walk below them."""
    if not old.source or old.preserve_unknown_fields != new.preserve_unknown_fields:
        return False
    # To Python 1 is true, so what seems to be equal is looked at again.
    return old.source == new.source and deep_equal(old.source, new.source)


def _null_changes(old: StructuralSchema, new: StructuralSchema, at: _Place) -> Iterator[Change]:
    if old.enum or not _allows_null(old, at) or _allows_null(new, at):
        return
    if at.element and new.default is MISSING:
        yield Change(
            "invalid", "it is no longer nullable, so stored objects with a null in the list become invalid"
        )
    else:
        instead = "dropped" if new.default is MISSING else f"replaced by the default {go_json(new.default)}"
        yield Change("lost", f"it is no longer nullable, so nulls in stored objects are {instead}")


def _allows_null(schema: StructuralSchema, at: _Place) -> bool:
    return schema.nullable or (at.element and not schema_types(schema))


def _embedded_changes(old: StructuralSchema, new: StructuralSchema) -> Iterator[Change]:
    if new.embedded_resource and not old.embedded_resource:
        told = (
            "it becomes an embedded resource, so stored objects without a valid apiVersion, kind and metadata"
        )
        yield Change("invalid", f"{told} in it become invalid")


def _rule_changes(old: StructuralSchema, new: StructuralSchema) -> Iterator[Change]:
    before = {(rule.get("rule"), bool(rule.get("optionalOldSelf"))) for rule in old.rules}
    for rule in new.rules:
        if (rule.get("rule"), bool(rule.get("optionalOldSelf"))) in before:
            continue
        told = f"{shown_rule(rule)} is added"
        if reads_old_value(rule):
            yield Change(
                "updates", f"{told}, so updates that it forbids are refused; stored objects stay valid"
            )
        else:
            yield Change("invalid", f"{told}, so stored objects that do not keep it become invalid")


def _reread(old: StructuralSchema, new: StructuralSchema, at: _Place) -> Iterator[Change]:
    """A wider type is another one to the rules that read it: 3 / 2 is 1 or 1.5."""
    if _cel_type(old) == _cel_type(new):
        return
    kept = {rule.get("rule") for rule in old.rules}
    own = (
        reader for reader, rule in zip(readers_of(new), new.rules, strict=False) if rule.get("rule") in kept
    )
    for reader in (*own, *at.readers):
        if reader.is_rule and reader.sees():
            told = f"the type changes and is read by {reader.label}, which stored objects may not keep then"
            yield Change("invalid", told)


def _cel_type(schema: StructuralSchema) -> tuple[object, ...]:
    name = schema_format(schema)
    return (
        schema_types(schema),
        name if name in _TYPED_FORMATS else "",
        schema.list_type or "atomic",
        schema.additional_properties is None,
        schema.embedded_resource,
    )


def _required_changes(old: StructuralSchema, new: StructuralSchema, at: _Place) -> _Found:
    for name in new.required:
        if _default(new, name) is not MISSING or _is_always_there(name, old, at):
            continue
        if name not in old.required:
            told = "it becomes required and has no default, so stored objects without it become invalid"
            yield f"{at.path}.{name}", Change("invalid", f"{told}; give it a default")
        elif _default(old, name) is not MISSING:
            told = "it is required and its default is removed, so objects written without it become invalid"
            yield f"{at.path}.{name}", Change("invalid", f"{told}; keep the default")


def _is_always_there(name: str, old: StructuralSchema, at: _Place) -> bool:
    if at.root:
        return name in META_FIELDS
    return old.embedded_resource and name in {"apiVersion", "kind"}


def _default(schema: StructuralSchema, name: str) -> object:
    member = schema.properties.get(name)
    return MISSING if member is None else member.default


def _member_changes(old: StructuralSchema, new: StructuralSchema, at: _Place) -> _Found:
    always = _META if old.embedded_resource else {}
    for name in {**old.properties, **new.properties, **always}:
        path = f"{at.path}.{name}"
        yield from ((path, change) for change in _default_changes(old, new, name, at))
        before, after = _member(old, name, at), _member(new, name, at)
        if before is not None:
            below = tuple(reader.down(name) for reader in at.readers)
            yield from _kept(before, after, _Place(path, below), _REMOVED)
    others, after = _others(old), _others(new)
    if others is not None:
        is_map = old.additional_properties is not None
        place = at if after is None else _Place(f"{at.path}.*", at.readers)
        yield from _kept(others, after, place, _NO_MEMBERS if is_map else _NOT_PRESERVED)


def _kept(old: StructuralSchema, new: StructuralSchema | None, at: _Place, gone: str) -> _Found:
    """The changes of a member that objects may have; `gone` tells what it means that there is none now."""
    if new is None:
        yield at.path, Change("lost", gone)
    else:
        yield from _node(old, new, at)


def _member(schema: StructuralSchema, name: str, at: _Place) -> StructuralSchema | None:
    """The schema of a member, one that allows anything where it is kept without; None where it is dropped."""
    found = schema.properties.get(name)
    if name in META_FIELDS and (at.root or schema.embedded_resource):
        known = _META[name]
        if found is None:
            return known
        # Metadata is not pruned by the schema.
        properties = {**known.properties, **found.properties}
        return replace(found, properties=properties, preserve_unknown_fields=known.preserve_unknown_fields)
    return found or _others(schema)


def _others(schema: StructuralSchema) -> StructuralSchema | None:
    """The schema of members that are not listed; None where there are none, or none are kept."""
    additional = schema.additional_properties
    if isinstance(additional, StructuralSchema):
        return additional
    if additional is not None:
        return _NO_FIELDS if additional else None
    return ANYTHING if schema.preserve_unknown_fields else None


def _default_changes(old: StructuralSchema, new: StructuralSchema, name: str, at: _Place) -> Iterator[Change]:
    before, after = _default(old, name), _default(new, name)
    change: DefaultChange = "changed"
    if before is MISSING or after is MISSING:
        if before is after:
            return
        change = "added" if before is MISSING else "removed"
    elif deep_equal(before, after):
        return
    for reader in at.readers:
        if change in reader.reads and reader.sees(name):
            told = f"the default is {change} and read by {reader.label}"
            yield Change("invalid", f"{told}, so stored objects without the field may become invalid")


def _element(schema: StructuralSchema) -> StructuralSchema:
    if schema.items is None:
        return ANYTHING if schema.preserve_unknown_fields else _NO_FIELDS
    # A list that preserves unknown fields preserves those of its elements.
    return (
        replace(schema.items, preserve_unknown_fields=True)
        if schema.preserve_unknown_fields
        else schema.items
    )
