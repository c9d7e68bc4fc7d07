"""Tagged unions: one of several structs, told apart by a field that each of them has.

    class Http(Struct, tag="http", tag_field="type"): ...
    class Tcp(Struct, tag="tcp", tag_field="type"): ...

    probe: Http | Tcp

Structural schemas have no alternatives with fields of their own. So the union is one object with all fields
of its members, and rules in CEL see to it that only those of the tag's member are there, and all of its
required ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubewright.crd.field_keywords import rule_entry
from kubewright.crd.field_types import shown_type
from kubewright.machinery.errors import DeclarationError
from kubewright.machinery.field import Rule
from kubewright.machinery.struct import Struct

if TYPE_CHECKING:
    from kubewright.crd.class_schema import Schema, SchemaBuilder

__all__ = ["union_schema"]


def union_schema(builder: SchemaBuilder, members: tuple[Any, ...], where: str) -> Schema:
    """The schema of a union of structs. Raises DeclarationError for other unions."""
    tag_field = _tag_field(members, where)
    schemas = {member.__struct_config__.tag: builder.of_struct(member, where) for member in members}
    if len(schemas) != len(members):
        raise DeclarationError(f"{where}: two members of the union have one tag; give each its own tag=")
    properties: Schema = {tag_field: {"type": "string", "enum": list(schemas)}}
    required = [tag_field]
    tag = f"self.{_escaped(tag_field, where)}"
    rules: list[Schema] = []
    for name in dict.fromkeys(name for schema in schemas.values() for name in schema["properties"]):
        having = [label for label, schema in schemas.items() if name in schema["properties"]]
        needing = [label for label, schema in schemas.items() if name in schema.get("required", ())]
        properties[name] = _common(name, [schemas[label]["properties"][name] for label in having], where)
        field = _escaped(name, where)
        if len(having) < len(schemas):
            # A default would be filled in whatever the tag is.
            properties[name] = {key: value for key, value in properties[name].items() if key != "default"}
            message = f"{name} is only for {tag_field} {_listed(having)}"
            rules.append(_rule(f"!has(self.{field}) || {tag} in {_literals(having)}", message))
        if len(needing) == len(schemas):
            required.append(name)
        elif needing:
            message = f"{name} is required for {tag_field} {_listed(needing)}"
            rules.append(_rule(f"!({tag} in {_literals(needing)}) || has(self.{field})", message))
    for label, schema in schemas.items():
        other = f"{tag} != {_literal(label)}"
        entries = schema.get("x-kubernetes-validations", ())
        rules += [{**entry, "rule": f"{other} || ({entry['rule']})"} for entry in entries]
    made: Schema = {"type": "object", "properties": properties, "required": required}
    return {**made, "x-kubernetes-validations": rules} if rules else made


def _tag_field(members: tuple[Any, ...], where: str) -> str:
    shown = " | ".join(map(shown_type, members))
    if not all(isinstance(member, type) and issubclass(member, Struct) for member in members):
        raise DeclarationError(
            f"{where}: a schema has no place for the union {shown}; unions are of int | str, of Structs with "
            "tags, or of a type and None"
        )
    fields = {member.__struct_config__.tag_field for member in members}
    tag_field = fields.pop()
    if (
        fields
        or tag_field is None
        or not all(isinstance(each.__struct_config__.tag, str) for each in members)
    ):
        raise DeclarationError(
            f"{where}: the members of {shown} cannot be told apart; give each class tag='...' and the same "
            "tag_field='type'"
        )
    for member in members:
        if tag_field in member.__struct_encode_fields__:
            raise DeclarationError(
                f"{where}: {member.__name__} has a field {tag_field!r}, which is the tag's name"
            )
    return str(tag_field)


def _common(name: str, schemas: list[Schema], where: str) -> Schema:
    """The one schema that a field has in all members that have it."""
    bare = [_without(schema, "description", "default") for schema in schemas]
    if any(schema != bare[0] for schema in bare[1:]):
        raise DeclarationError(
            f"{where}: {name!r} has different schemas in the members of the union, and only one can be; "
            "rename it in one of them"
        )
    same = all(schema.get("default") == schemas[0].get("default") for schema in schemas)
    return schemas[0] if same else _without(schemas[0], "default")


def _without(schema: Schema, *names: str) -> Schema:
    return {key: value for key, value in schema.items() if key not in names}


def _rule(expression: str, message: str) -> Schema:
    return rule_entry(Rule(expression, message=message))


def _escaped(name: str, where: str) -> str:
    from kubewright.crd.cel.escaping import escape  # noqa: PLC0415 - for rules only

    found = escape(name)
    if found is None:
        raise DeclarationError(f"{where}: CEL has no name for {name!r}; rename it on the wire")
    return found


def _literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _literals(labels: list[str]) -> str:
    return f"[{', '.join(map(_literal, labels))}]"


def _listed(labels: list[str]) -> str:
    return " or ".join(labels)
