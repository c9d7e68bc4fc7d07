"""The schema of a class: its annotations as an `openAPIV3Schema`.

What cannot be said in a structural schema, such as a type that contains itself, is refused with the class,
the field and the remedy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol, get_args

import msgspec

from kubewright.crd.field_defaults import (
    NO_DEFAULT,
    absent_value,
    rule_default,
    schema_default,
    zero_default,
)
from kubewright.crd.field_keywords import field_keywords, rule_entry
from kubewright.crd.field_types import FieldType, field_type, is_built_in, shown_type
from kubewright.crd.rule_reads import mentions_unguarded
from kubewright.crd.scalar_schemas import scalar_schema
from kubewright.crd.unions import union_schema
from kubewright.machinery.errors import DeclarationError
from kubewright.machinery.field import Field, Rule
from kubewright.machinery.meta import ObjectMeta
from kubewright.machinery.readers import AS_IT_IS, REQUIRED
from kubewright.machinery.struct import Struct, declared_type
from kubewright.machinery.type_meta import TypeMeta
from kubewright.machinery.unstructured import Unstructured

__all__ = ["Descriptions", "Schema", "SchemaBuilder"]

Schema = dict[str, Any]

_KEPT: Final = {"x-kubernetes-preserve-unknown-fields": True}
_EMBEDDED: Final = {"type": "object", "x-kubernetes-embedded-resource": True}
_EMBEDDED_META: Final = {
    "annotations": {"type": "object", "additionalProperties": {"type": "string"}},
    "creationTimestamp": {"type": "string", "format": "date-time", "nullable": True},
    "finalizers": {"type": "array", "items": {"type": "string"}},
    "generateName": {"type": "string"},
    "labels": {"type": "object", "additionalProperties": {"type": "string"}},
    "name": {"type": "string"},
    "namespace": {"type": "string"},
}
"""What the metadata of a template may have: what its author writes, as controller-gen's
generateEmbeddedObjectMeta has it, generateName, and the `creationTimestamp: null` of Go's tools."""
_HEADER: Final = ("apiVersion", "kind", "metadata")
_LISTS: Final = (list, set, frozenset)
_BUILT_IN_SCHEMAS: Final[dict[type, Schema]] = {}
"""The schemas of built-in classes, which are large, the same for all kinds, and have no descriptions."""


class Descriptions(Protocol):
    """Where descriptions come from; see `descriptions`."""

    def of_class(self, cls: type) -> str:
        """The description of a class's values, "" for none."""

    def of_field(self, cls: type, name: str, field: Field) -> str:
        """The description of a field, "" for none."""


class SchemaBuilder:
    """Makes schemas of types; each class is looked at once.

    The schemas share parts, so they are not to be changed.
    """

    def __init__(self, descriptions: Descriptions | None = None, *, fills_in_for_rules: bool = True) -> None:
        """`fills_in_for_rules` says whether zero values that rules read become defaults of the schema."""
        self._descriptions = descriptions
        self._fills_in_for_rules = fills_in_for_rules
        self._objects: dict[type, Schema] = {}
        self._open: list[type] = []

    def of_resource(self, cls: type[TypeMeta]) -> Schema:
        """The schema of a whole object."""
        properties: Schema = {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"type": "object", **_restrictions(cls)},
        }
        return self._object(cls, properties)

    def of_type(self, annotation: Any, where: str) -> Schema:
        """The schema of a type that stands in a list, a map or a union."""
        found = field_type(annotation, where)
        schema = self.of_field_type(found, where)
        # None in a list cannot mean absent.
        return {**schema, "nullable": True} if found.optional else schema

    def of_field_type(self, found: FieldType, where: str) -> Schema:
        """The schema of an annotation that was taken apart."""
        schema = self._core(found, where)
        keywords = field_keywords(found.field, schema, where)
        if found.field.nullable and not found.optional:
            raise DeclarationError(f"{where}: nullable values can be None; write its type as ... | None")
        rules = [*schema.get("x-kubernetes-validations", ()), *keywords.get("x-kubernetes-validations", ())]
        made = {**schema, **keywords}
        if made.get("format", "") is None:
            del made["format"]
        if rules:
            made["x-kubernetes-validations"] = rules
        return self._checked_list(made, found, where) if made.get("type") == "array" else made

    def of_struct(self, cls: type[Struct], where: str) -> Schema:
        """The schema of a struct's values, without a Field."""
        if issubclass(cls, ObjectMeta):
            return {"type": "object", "properties": _EMBEDDED_META}
        known = self._objects.get(cls) or _BUILT_IN_SCHEMAS.get(cls)
        if known is not None:
            return known
        if cls in self._open:
            path = " → ".join(each.__name__ for each in [*self._open[self._open.index(cls) :], cls])
            raise DeclarationError(
                f"{where}: {cls.__name__} contains itself ({path}), which no schema of a custom resource can "
                "say; use dict[str, Any] for the inner one"
            )
        self._open.append(cls)
        schema = self._embedded(cls, where) if issubclass(cls, TypeMeta) else self._object(cls, {})
        self._open.pop()
        (_BUILT_IN_SCHEMAS if is_built_in(cls) else self._objects)[cls] = schema
        return schema

    def _embedded(self, cls: type[TypeMeta], where: str) -> Schema:
        if not hasattr(cls, "gvk"):
            raise DeclarationError(f"{where}: {cls.__name__} has no kind; use Unstructured for any object")
        properties: Schema = {
            "apiVersion": {"type": "string", "enum": [cls.gvk.api_version]},
            "kind": {"type": "string", "enum": [cls.gvk.kind]},
            "metadata": {"type": "object"},
        }
        schema = self._object(cls, properties)
        return {**schema, **_EMBEDDED, "required": ["apiVersion", "kind", *schema.get("required", ())]}

    def _object(self, cls: type[Struct], properties: Schema) -> Schema:
        required: list[str] = []
        rules = [rule_entry(rule) for rule in rules_of(cls)]
        expressions = [rule.expression for rule in rules_of(cls)] if self._fills_in_for_rules else []
        for info in fields_of(cls):
            where = f"{cls.__name__}.{info.name}"
            annotation = declared_type(cls, info.name) if _is_deferred(cls, info.name) else info.type
            if info.encode_name in _HEADER and info.encode_name in properties:
                if info.encode_name == "metadata":
                    metadata = field_type(annotation, where)
                    _check_metadata(cls, metadata, where)
                    marks = field_keywords(metadata.field, {"type": "object"}, where)
                    properties["metadata"] = {"type": "object", **marks}
                continue
            found = field_type(annotation, where)
            absent = absent_value(cls, info)
            if absent is REQUIRED and found.optional and not (found.field.nullable or is_built_in(cls)):
                raise DeclarationError(
                    f"{where} may be None but has no default; write = None after its type, or "
                    "Field(nullable=True) for one that must be given and may be null"
                )
            member = self.of_field_type(found, where)
            default = schema_default(absent, found.field, member, where)
            if default is NO_DEFAULT and mentions_unguarded(info.encode_name, expressions):
                default = rule_default(absent, member, where)
            if default is not NO_DEFAULT:
                member = {**member, "default": default}
            if absent is REQUIRED:
                required.append(info.encode_name)
            elif found.field.immutable and default is NO_DEFAULT:
                rules.append(rule_entry(_stays(info.encode_name, where)))
            properties[info.encode_name] = self._described(member, cls, info.name, found.field)
        schema: Schema = {"type": "object", "properties": properties}
        if required:
            schema["required"] = required
        if getattr(cls, "__map_type__", "granular") == "atomic":
            schema["x-kubernetes-map-type"] = "atomic"
        if rules:
            schema["x-kubernetes-validations"] = rules
        text = self._descriptions.of_class(cls) if self._descriptions is not None else ""
        return {"description": text, **schema} if text else schema

    def _described(self, schema: Schema, cls: type, name: str, field: Field) -> Schema:
        text = self._descriptions.of_field(cls, name, field) if self._descriptions is not None else ""
        return {**schema, "description": text} if text else schema

    def _core(self, found: FieldType, where: str) -> Schema:
        scalar = scalar_schema(found.members, where)
        if scalar is not None:
            return scalar
        if len(found.members) > 1:
            return union_schema(self, found.members, where)
        (kind,) = found.members
        origin = getattr(kind, "__origin__", kind)
        if kind is Any or kind is msgspec.Raw:
            return dict(_KEPT)
        if kind is Unstructured:
            return {**_EMBEDDED, **_KEPT}
        if origin in _LISTS:
            return self._array(kind, origin, where)
        if origin is dict:
            return self._map(kind, where)
        if isinstance(kind, type) and issubclass(kind, Struct):
            tagged = kind.__struct_config__.tag is not None
            return union_schema(self, (kind,), where) if tagged else self.of_struct(kind, where)
        raise DeclarationError(
            f"{where}: {shown_type(kind)} has no structural schema; use str, int, float, bool, Time, "
            "Duration, Quantity, IntOrString, Literal, an Enum, a list, set or dict of these, a Struct, or "
            "dict[str, Any]"
        )

    def _array(self, kind: Any, origin: Any, where: str) -> Schema:
        arguments = get_args(kind)
        if not arguments:
            raise DeclarationError(
                f"{where}: {origin.__name__} says nothing of its elements; write list[str]"
            )
        schema: Schema = {"type": "array", "items": self.of_type(arguments[0], f"{where}[]")}
        return schema if origin is list else {**schema, "x-kubernetes-list-type": "set"}

    def _map(self, kind: Any, where: str) -> Schema:
        arguments = get_args(kind) or (str, Any)
        if field_type(arguments[0], where).members != (str,):
            raise DeclarationError(f"{where}: the keys of JSON objects are texts; write dict[str, ...]")
        if arguments[1] is Any:
            return {"type": "object", **_KEPT}
        return {"type": "object", "additionalProperties": self.of_type(arguments[1], f"{where}[]")}

    def _checked_list(self, schema: Schema, found: FieldType, where: str) -> Schema:
        """A list with what its list type asks of its elements. Raises DeclarationError."""
        list_type, items = schema.get("x-kubernetes-list-type"), schema["items"]
        keys: Sequence[str] = schema.get("x-kubernetes-list-map-keys", ())
        if bool(keys) != (list_type == "map"):
            raise DeclarationError(
                f"{where}: map_keys are for list_type='map', which needs them; give both or neither"
            )
        if list_type in ("set", "map") and items.get("nullable"):
            raise DeclarationError(f"{where}: the elements of a {list_type} cannot be None; take | None away")
        if list_type == "set" and not _is_atom(items):
            raise DeclarationError(
                f"{where}: the elements of a set are told apart whole; use scalars, or a class with "
                "map_type='atomic'"
            )
        return {**schema, "items": self._with_keys(items, keys, found, where)} if keys else schema

    def _with_keys(self, items: Schema, keys: Sequence[str], found: FieldType, where: str) -> Schema:
        """The schema of elements whose keys always have a value, as the server demands."""
        properties: Mapping[str, Schema] = items.get("properties") or {}
        filled: dict[str, Schema] = {}
        for key in keys:
            member = properties.get(key)
            if member is None or member.get("type") not in ("string", "integer", "number", "boolean"):
                known = ", ".join(properties) or "none"
                raise DeclarationError(
                    f"{where}: map_keys has {key!r}, which is no scalar field of its elements on the wire "
                    f"(they have {known})"
                )
            if key in items.get("required", ()) or "default" in member:
                continue
            default = _key_default(found, key)
            if default is NO_DEFAULT:
                raise DeclarationError(
                    f"{where}: the elements are told apart by {key!r}, which must have a value; make it "
                    "required or give it a default"
                )
            filled[key] = {**member, "default": default}
        return {**items, "properties": {**properties, **filled}} if filled else items


def rules_of(cls: type) -> tuple[Rule, ...]:
    """The rules that `@rule` put on a class and its bases."""
    found: tuple[Rule, ...] = getattr(cls, "__rules__", ())
    return found


def fields_of(cls: type[Struct]) -> tuple[msgspec.structs.FieldInfo, ...]:
    """The fields of a class. Raises DeclarationError for annotations that name what is not there."""
    try:
        return msgspec.structs.fields(cls)
    except NameError as error:
        remedy = "define it before the custom resource, at the top of the module"
        raise DeclarationError(
            f"{cls.__name__}: {error} when its annotations are read in {cls.__module__}; {remedy}"
        ) from None


def _restrictions(cls: type[TypeMeta]) -> Mapping[str, Any]:
    """What a class that declares `metadata` anew, with a `Field`, says of it in `extra`."""
    for info in fields_of(cls):
        if info.name == "metadata":
            return field_type(info.type, f"{cls.__name__}.metadata").field.extra or {}
    return {}


def _check_metadata(cls: type, found: FieldType, where: str) -> None:
    """Names and labels are read from it everywhere, so that it cannot be of another type."""
    right = all(isinstance(each, type) and issubclass(each, ObjectMeta) for each in found.members)
    if not right and not is_built_in(cls):
        raise DeclarationError(
            f"{where} is of another type than ObjectMeta; take it away, or write metadata: ObjectMeta = EMPTY"
        )


def _is_deferred(cls: type, name: str) -> bool:
    return any(name in base.__dict__.get("__deferred__", ()) for base in cls.__mro__)


def _is_atom(items: Mapping[str, Any]) -> bool:
    kind = items.get("type")
    if kind == "array":
        return items.get("x-kubernetes-list-type") in (None, "atomic")
    return kind != "object" or items.get("x-kubernetes-map-type") == "atomic"


def _key_default(found: FieldType, key: str) -> Any:
    """The zero value that an element's key reads as when it is absent."""
    element = field_type(get_args(found.members[0])[0], "").members[0]
    for info in fields_of(element):
        if info.encode_name == key:
            absent = absent_value(element, info)
            return NO_DEFAULT if absent is AS_IT_IS else zero_default(absent)
    return NO_DEFAULT


def _stays(wire_name: str, where: str) -> Rule:
    """The rule of a struct that an immutable field of it, once there, does not go."""
    from kubewright.crd.cel.escaping import escape  # noqa: PLC0415 - for rules only

    name = escape(wire_name)
    if name is None:
        raise DeclarationError(f"{where}: CEL has no name for {wire_name!r}, so it cannot be immutable")
    return Rule(
        f"!has(oldSelf.{name}) || has(self.{name})",
        message=f"{wire_name} is immutable",
        reason="FieldValueForbidden",
    )
