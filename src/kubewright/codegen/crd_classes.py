"""The classes of one schema: each object in it becomes a struct that is named by where it stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from kubewright.codegen.crd_defaults import default_of
from kubewright.codegen.crd_keywords import field_options, rule_arguments
from kubewright.codegen.crd_literals import prose, source_of
from kubewright.codegen.crd_names import ModuleNames, class_words, field_names
from kubewright.codegen.ir import FieldDef, StructDef
from kubewright.machinery.errors import ParseError

__all__ = ["QUANTITY_PATTERN", "ClassWriter"]

QUANTITY_PATTERN: Final = (
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
    r"(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
)
"""The pattern that controller-gen gives to every resource.Quantity."""

_MAX_DEPTH: Final = 100
"""How deep a schema may nest, which is what the schema engine takes."""

_DOC_WIDTH: Final = 100
"""Docstrings are prose, so that their lines are a little shorter than those of code."""

_PRESERVE: Final = "x-kubernetes-preserve-unknown-fields"
_INT_OR_STRING: Final = "x-kubernetes-int-or-string"
_EMBEDDED: Final = "x-kubernetes-embedded-resource"
_TEXT_RULES: Final = frozenset({"enum", "maxLength", "minLength", "pattern"})
_ROOT_OPTIONS: Final = ("title", "maxProperties", "minProperties", "x-kubernetes-map-type", _PRESERVE)
"""Keywords of a whole object's schema that are options of fields elsewhere."""
_SAID_BY_CLASS: Final = frozenset({_EMBEDDED, "nullable", *_ROOT_OPTIONS})
_HEADER: Final = ("apiVersion", "kind", "metadata")
"""The fields of a whole object that `Resource` has already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Type:
    """The Python type of a schema's values."""

    text: str
    said: frozenset[str] = frozenset()
    """The keywords that the type says by itself."""
    struct: bool = False
    options: tuple[str, ...] = ()
    """What the `Field` says of the type itself."""


class ClassWriter:
    """Writes the classes of a kind, each after those that it uses."""

    def __init__(self, names: ModuleNames) -> None:
        self._names = names
        self.structs: list[StructDef] = []

    def root_extra(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """The keywords of a whole object's schema that its class does not say."""
        _, extra = field_options(schema, self._names, said=_SAID_BY_CLASS, rules=False)
        kept = {name: schema[name] for name in _ROOT_OPTIONS if schema.get(name) not in (None, False)}
        missing = set(schema.get("required") or ()) - (schema.get("properties") or {}).keys() - set(_HEADER)
        if missing:
            extra["allOf"] = [*extra.get("allOf", []), {"required": sorted(missing)}]
        return kept | extra

    def resource(
        self,
        kind: str,
        schema: Mapping[str, Any],
        *,
        decorators: Sequence[str] = (),
        arguments: Sequence[str] = (),
    ) -> None:
        """Write the class of a whole object, and of all objects in it."""
        properties = schema.get("properties") or {}
        own = {name: each for name, each in properties.items() if name not in _HEADER}
        fields = self._fields(schema, own, kind, base="Resource", depth=0)
        restricted = (properties.get("metadata") or {}).get("properties")
        if restricted:
            fields.insert(0, self._metadata(restricted))
        self.structs.append(
            StructDef(
                name=kind,
                base=self._names.use("Resource"),
                arguments=arguments,
                fields=fields,
                decorators=[*decorators, *self._rules(schema)],
                doc=prose(schema.get("description") or "", width=_DOC_WIDTH),
            )
        )

    def _metadata(self, restricted: Mapping[str, Any]) -> FieldDef:
        """The metadata of a kind whose schema restricts names."""
        for name in ("Annotated", "field"):
            self._names.use(name)
        return FieldDef(
            name="metadata",
            wire_name="metadata",
            type=self._names.use("ObjectMeta"),
            default=self._names.use("ObjectMeta"),
            factory=True,
            marker=f"{self._names.use('Field')}(extra={source_of({'properties': restricted})})",
        )

    def _struct(self, schema: Mapping[str, Any], name: str, depth: int) -> str:
        claimed = self._names.claim(name)
        fields = self._fields(schema, schema.get("properties") or {}, claimed, base="Struct", depth=depth)
        doc = prose(schema.get("description") or "", width=_DOC_WIDTH)
        self.structs.append(
            StructDef(
                name=claimed,
                base=self._names.use("Struct"),
                fields=fields,
                decorators=self._rules(schema),
                doc=doc,
            )
        )
        return claimed

    def _rules(self, schema: Mapping[str, Any]) -> list[str]:
        entries = schema.get("x-kubernetes-validations") or ()
        return [f"{self._names.use('rule')}({', '.join(rule_arguments(entry))})" for entry in entries]

    def _fields(
        self,
        schema: Mapping[str, Any],
        properties: Mapping[str, Any],
        owner: str,
        *,
        base: str,
        depth: int,
    ) -> list[FieldDef]:
        names = field_names(properties, base=base)
        required = set(schema.get("required") or ())
        return [
            self._field(
                wire_name,
                names[wire_name],
                member,
                f"{owner}{class_words(wire_name)}",
                required=wire_name in required,
                depth=depth + 1,
            )
            for wire_name, member in properties.items()
        ]

    def _field(
        self, wire_name: str, name: str, schema: Any, path: str, *, required: bool, depth: int
    ) -> FieldDef:
        type_ = self._type(schema, path, depth)
        default = default_of(schema, type_.text, struct=type_.struct, required=required, names=self._names)
        marker = self._marker(schema, type_, default.options, default.extra)
        item = FieldDef(
            name=name,
            wire_name=wire_name,
            type=default.type,
            default=default.default,
            factory=default.factory,
            marker=marker,
            doc="" if type_.struct else prose(schema.get("description") or "", width=_DOC_WIDTH),
        )
        if marker:
            self._names.use("Annotated")
        if item.needs_wire_name or item.factory:
            self._names.use("field")
        return item

    def _marker(
        self, schema: Mapping[str, Any], type_: _Type, options: Sequence[str], extra: Mapping[str, Any]
    ) -> str:
        """The `Field(...)` of a schema, or nothing."""
        found, rest = field_options(schema, self._names, said=type_.said, rules=not type_.struct)
        rest |= extra
        missing = sorted(set(schema.get("required") or ()) - (schema.get("properties") or {}).keys())
        if missing and type_.struct:
            # The class says what is required of its fields, so that the rest needs a place of its own.
            rest["allOf"] = [*rest.get("allOf", []), {"required": missing}]
        elif missing:
            rest["required"] = missing
        parts = [*type_.options, *found, *options, *([f"extra={source_of(rest)}"] if rest else [])]
        return f"{self._names.use('Field')}({', '.join(parts)})" if parts else ""

    def _annotated(self, schema: Any, path: str, depth: int) -> str:
        """The type of the elements of a list or map, with what its schema says of them."""
        type_ = self._type(schema, path, depth)
        extra = {"default": schema["default"]} if schema.get("default") is not None else {}
        marker = self._marker(schema, type_, (), extra)
        text = type_.text
        if schema.get("nullable"):
            text = f"{text} | None"
        return f"{self._names.use('Annotated')}[{text}, {marker}]" if marker else text

    def _member(self, schema: Any, path: str, depth: int) -> str:
        """The type of the values of a map; of any values it says so, since `dict[str, Any]` is any object."""
        text = self._annotated(schema, path, depth)
        if text.removeprefix("Kubewright") != "Any":
            return text
        annotated, field = self._names.use("Annotated"), self._names.use("Field")
        return f"{annotated}[{text}, {field}(preserve_unknown_fields=True)]"

    def _type(self, schema: Any, path: str, depth: int) -> _Type:
        if not isinstance(schema, Mapping):
            raise ParseError(f"{path}: its schema is no mapping; correct the CustomResourceDefinition")
        if depth > _MAX_DEPTH:
            raise ParseError(f"{path[:80]}...: the schema nests more than {_MAX_DEPTH} levels deep")
        if schema.get(_INT_OR_STRING) and not schema.get("type"):
            return self._int_or_string(schema)
        match schema.get("type"):
            case "string":
                return self._text(schema)
            case "integer":
                return self._integer(schema)
            case "number":
                return _number("float", schema, "double")
            case "boolean":
                return _Type(text="bool")
            case "array":
                items = schema.get("items") or {_PRESERVE: True}
                return _Type(text=f"list[{self._annotated(items, path, depth + 1)}]")
            case "object":
                return self._object(schema, path, depth)
            case None | "":
                return _Type(text=self._names.use("Any"), said=frozenset({_PRESERVE}))
            case other:
                raise ParseError(f"{path}: there is no type {other!r}; correct the CustomResourceDefinition")

    def _int_or_string(self, schema: Mapping[str, Any]) -> _Type:
        clauses = schema.get("anyOf")
        said = {_INT_OR_STRING}
        if clauses in ([{"type": "integer"}, {"type": "string"}], None):
            said.add("anyOf")
        if schema.get("pattern") == QUANTITY_PATTERN:
            return _Type(text=self._names.use("Quantity"), said=frozenset({*said, "pattern"}))
        return _Type(text=self._names.use("IntOrString"), said=frozenset(said))

    def _text(self, schema: Mapping[str, Any]) -> _Type:
        values = schema.get("enum")
        if values and all(isinstance(value, str) for value in values):
            return self._literal(values)
        if not _TEXT_RULES & schema.keys():
            if _is(schema, "byte"):
                return _Type(text="bytes", said=frozenset({"format"}))
            if _is(schema, "date-time"):
                return _Type(text=self._names.use("Time"), said=frozenset({"format"}))
        return _Type(text="str")

    def _integer(self, schema: Mapping[str, Any]) -> _Type:
        values = schema.get("enum")
        if values and all(isinstance(value, int) and not isinstance(value, bool) for value in values):
            return self._literal(values)
        return _number("int", schema, "int64")

    def _literal(self, values: Sequence[Any]) -> _Type:
        texts = ", ".join(dict.fromkeys(source_of(value) for value in values))
        return _Type(text=f"{self._names.use('Literal')}[{texts}]", said=frozenset({"enum"}))

    def _object(self, schema: Mapping[str, Any], path: str, depth: int) -> _Type:
        members = schema.get("additionalProperties")
        if not schema.get("properties"):
            if isinstance(members, Mapping) and members:
                return _Type(text=f"dict[str, {self._member(members, path, depth + 1)}]")
            if schema.get(_PRESERVE) and schema.get(_EMBEDDED):
                return _Type(text=self._names.use("Unstructured"), said=frozenset({_PRESERVE, _EMBEDDED}))
            if schema.get(_PRESERVE) or members:
                return _Type(text=f"dict[str, {self._names.use('Any')}]", said=frozenset({_PRESERVE}))
        return _Type(text=self._struct(schema, path, depth), struct=True)


def _number(text: str, schema: Mapping[str, Any], own_format: str) -> _Type:
    """A number whose type says one format by itself."""
    if not schema.get("format"):
        return _Type(text=text, options=("format=None",))
    return _Type(text=text, said=frozenset({"format"}) if _is(schema, own_format) else frozenset())


def _is(schema: Mapping[str, Any], format_: str) -> bool:
    return schema.get("format") == format_
