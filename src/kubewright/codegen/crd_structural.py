"""Makes a schema of the time before v1 structural, which every CustomResourceDefinition of v1 must be.

What a structural schema has no words for is left out, and said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

from kubewright.machinery.errors import ParseError

__all__ = ["Keep", "structural_schema"]

Note = Callable[[str], None]
"""Takes a sentence on what could not be carried over."""

PRESERVE: Final = "x-kubernetes-preserve-unknown-fields"
_INT_OR_STRING: Final = "x-kubernetes-int-or-string"

_MAX_DEPTH: Final = 100
"""How deep a schema may nest, which is what the schema engine takes."""

_GONE: Final = (
    "$ref",
    "$schema",
    "additionalItems",
    "definitions",
    "dependencies",
    "id",
    "patternProperties",
)
"""Keywords that no schema of a custom resource may have any more."""

_CLAUSES: Final = ("allOf", "anyOf", "oneOf")

_WIDENED: Final = ("allOf", "anyOf")
"""Those that take more values when one of their clauses does."""

_ONLY_OUTSIDE: Final = (
    "additionalProperties",
    "default",
    "description",
    "nullable",
    "title",
    "type",
    PRESERVE,
)
"""Keywords that a structural schema has at its nodes and not within allOf, anyOf, oneOf and not."""

_TYPE_OF_KEYWORD: Final = {
    "properties": "object",
    "additionalProperties": "object",
    "required": "object",
    "minProperties": "object",
    "maxProperties": "object",
    "items": "array",
    "minItems": "array",
    "maxItems": "array",
    "uniqueItems": "array",
    "pattern": "string",
    "minLength": "string",
    "maxLength": "string",
    "minimum": "number",
    "maximum": "number",
    "multipleOf": "number",
}
"""What type a keyword is for, in the order in which they are asked."""

_METADATA_FIELDS: Final = frozenset({"name", "generateName"})
"""The fields of an object's metadata that its schema may restrict."""


Keep = Literal["all", "undeclared", "none"]
"""Which objects keep fields that the schema does not name: all, as under `preserveUnknownFields: true`, those
of which it names no field, or none."""


def structural_schema(schema: Mapping[str, Any], *, keep: Keep, note: Note) -> dict[str, Any]:
    """The structural form of the schema of a whole object.

    Raises ParseError for a schema that is no schema at all.
    """
    writer = _Writer(keep=keep, note=note)
    root = writer.node({"type": "object", **schema}, "", depth=0)
    root.pop("nullable", None)
    properties = root.get("properties", {})
    metadata = properties.get("metadata")
    if metadata is not None:
        properties["metadata"] = _metadata(metadata, note)
    return root


def _metadata(schema: Mapping[str, Any], note: Note) -> dict[str, Any]:
    """The schema of the object's metadata, of which only names may be restricted."""
    kept = {name: each for name, each in schema.get("properties", {}).items() if name in _METADATA_FIELDS}
    lost = sorted(schema.get("properties", {}).keys() - _METADATA_FIELDS)
    if lost:
        note(f"metadata: the schema of {', '.join(lost)} is left out; only names may be restricted there")
    return {"type": "object", "properties": kept} if kept else {"type": "object"}


class _Writer:
    """Rewrites the nodes of one schema."""

    def __init__(self, *, keep: Keep, note: Note) -> None:
        self._keep = keep
        self._note = note

    def node(self, schema: Any, path: str, *, depth: int) -> dict[str, Any]:
        if not isinstance(schema, Mapping):
            where = path or "the object"
            raise ParseError(f"the schema of {where} is no mapping; write its type and properties")
        if depth > _MAX_DEPTH:
            raise ParseError(f"the schema nests more than {_MAX_DEPTH} levels deep; make it flatter")
        made = {name: value for name, value in schema.items() if value is not None}
        self._drop_gone(made, path)
        self._say_type(made, path)
        self._lists(made, path, depth)
        self._members(made, path, depth)
        self._value_rules(made, path)
        return made

    def _drop_gone(self, made: dict[str, Any], path: str) -> None:
        for name in _GONE:
            if name in made:
                del made[name]
                self._note(f"{path or 'the schema'}: {name} is left out, which no structural schema may have")
        if made.get(PRESERVE) is False:
            del made[PRESERVE]

    def _say_type(self, made: dict[str, Any], path: str) -> None:
        """Give the node the one type it must have."""
        if "anyOf" not in made and _is_int_or_string(made.get("oneOf")):
            made["anyOf"] = made.pop("oneOf")  # No value is both.
        if made.get(_INT_OR_STRING) or _is_int_or_string(made.get("anyOf")):
            made.pop("type", None)
            made[_INT_OR_STRING] = True
            if _is_int_or_string(made.get("anyOf")):
                # Servers take the two in this order alone.
                made["anyOf"] = [{"type": "integer"}, {"type": "string"}]
            return
        if made.get("type"):
            return
        made.pop("type", None)
        found = next((kind for name, kind in _TYPE_OF_KEYWORD.items() if name in made), None)
        if found is None and made.get("enum") and all(isinstance(value, str) for value in made["enum"]):
            found = "string"
        if found is not None:
            rest = made.copy()
            made.clear()
            made.update({"type": found, **rest})
        elif not made.get(PRESERVE):
            made[PRESERVE] = True
            self._note(f"{path}: the schema says no type, so that any value is taken; write its type")

    def _lists(self, made: dict[str, Any], path: str, depth: int) -> None:
        if made.get("type") != "array":
            return
        items = made.get("items")
        if isinstance(items, list):
            self._note(f"{path}: the schemas of items by position are left out; write one schema for all")
            items = None
        elif items is None:
            self._note(f"{path}: the schema says no items, so that any are taken; write their schema")
        made["items"] = {PRESERVE: True} if items is None else self.node(items, f"{path}[]", depth=depth + 1)
        if made.pop("uniqueItems", False):
            if made["items"].get("type") in {"string", "integer", "number", "boolean"}:
                made["x-kubernetes-list-type"] = "set"
            else:
                self._note(f"{path}: uniqueItems is left out; a list of objects can be of list-type map")

    def _members(self, made: dict[str, Any], path: str, depth: int) -> None:
        members = made.get("properties")
        if isinstance(members, Mapping):
            made["properties"] = {
                name: self.node(each, f"{path}.{name}", depth=depth + 1) for name, each in members.items()
            }
        additional = made.get("additionalProperties")
        where = path or "the schema"
        if additional is False:
            del made["additionalProperties"]
            told = "kept, as everywhere" if self._keep == "all" else "dropped"
            self._note(f"{where}: additionalProperties: false is left out; unknown fields are {told}")
        elif members and additional is not None:
            del made["additionalProperties"]
            made[PRESERVE] = True
            self._note(f"{where}: additionalProperties beside properties is left out; they take any value")
        elif isinstance(additional, Mapping):
            made["additionalProperties"] = self.node(additional, f"{path}.*", depth=depth + 1)
        undeclared = not made.get("properties")
        kept = self._keep == "all" or (self._keep == "undeclared" and undeclared)
        if kept and made.get("type") == "object" and "additionalProperties" not in made:
            made[PRESERVE] = True

    def _value_rules(self, made: dict[str, Any], path: str) -> None:
        self._clauses(made, made, lambda name: f"{path}.{name}")

    def _clauses(self, made: dict[str, Any], outside: dict[str, Any], path_of: Callable[[str], str]) -> bool:
        """Rewrite the clauses of a node, or of one of its clauses; whether they refuse all that they did.

        A clause from which something is left out takes more values than before. So `oneOf`, of which then
        several may take a value, and `not` would refuse what they allowed: they are left out as a whole.
        """
        whole = True
        for name in (*_CLAUSES, "not"):
            if name not in made or (made.get(_INT_OR_STRING) and _is_int_or_string(made[name])):
                continue
            given = [made[name]] if name == "not" else made[name]
            if not isinstance(given, list):
                raise ParseError(f"the schema of {path_of(name)} is no list; write what it requires")
            found = [self._clause(each, outside, path_of(name)) for each in given]
            same = all(unchanged for _, unchanged in found)
            whole = whole and same
            if same or name in _WIDENED:
                made[name] = found[0][0] if name == "not" else [clause for clause, _ in found]
            else:
                del made[name]
                self._note(
                    f"{path_of(name)}: {name} is left out as a whole; its rest would refuse more than before"
                )
        return whole

    def _clause(self, clause: Any, outside: dict[str, Any], path: str) -> tuple[dict[str, Any], bool]:
        """A value validation, and whether it refuses all that it did.

        It restricts what the node around it declares, and declares nothing itself.
        """
        if not isinstance(clause, Mapping):
            raise ParseError(f"the schema of {path} is no mapping; write what it requires")
        made = {name: value for name, value in clause.items() if value is not None}
        whole = self._drop_declarations(made, outside, path)
        where, _, clause_name = path.rpartition(".")
        for name in made.get("properties", {}).keys() - outside.get("properties", {}).keys():
            outside.setdefault("properties", {})[name] = {PRESERVE: True}
            self._note(
                f"{where}.{name}: only {clause_name} names it, so any value is taken; write its schema"
            )
        if "properties" in made:
            members = {
                name: self._clause(each, outside["properties"][name], f"{path}.{name}")
                for name, each in made["properties"].items()
            }
            made["properties"] = {name: each for name, (each, _) in members.items()}
            whole = whole and all(unchanged for _, unchanged in members.values())
        if "items" in made:
            elements = outside.setdefault("items", {PRESERVE: True})
            made["items"], unchanged = self._clause(made["items"], elements, f"{path}[]")
            whole = whole and unchanged
        return made, self._clauses(made, outside, lambda _: path) and whole

    def _drop_declarations(self, made: dict[str, Any], outside: Mapping[str, Any], path: str) -> bool:
        """Take out of a clause what only nodes may have; whether it refuses the same without."""
        whole = True
        clause_name = path.rpartition(".")[2]
        for name in (*_GONE, *_ONLY_OUTSIDE):
            value = made.pop(name, None)
            if value is None or name in {"description", "title"} or value == outside.get(name):
                continue
            whole = whole and name == "default"
            if name in _GONE:
                self._note(f"{path}: {name} is left out, which no structural schema may have")
            else:
                self._note(f"{path}: {name} is left out, which may stand outside of {clause_name} only")
        return whole


def _is_int_or_string(clauses: object) -> bool:
    if not isinstance(clauses, list) or len(clauses) != 2:
        return False
    types = [each.get("type") if isinstance(each, Mapping) and len(each) == 1 else None for each in clauses]
    return sorted(map(str, types)) == ["integer", "string"]
