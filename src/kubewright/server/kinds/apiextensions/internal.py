"""CustomResourceDefinitions in upstream's internal form, which its validation sees and its messages show.

There, schemas, subresources, columns and selectable fields that are the same in all versions stand at the top
of the spec and not in the versions, so errors name `spec.validation.openAPIV3Schema` for the usual definition
of one version. Values that messages print have Go's field names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from kubewright.crd.go_values import go_json
from kubewright.server.kinds.kind import Object

__all__ = ["InternalSpec", "internal_spec", "printed_schema"]

_SHARED: Final = ("subresources", "schema", "additionalPrinterColumns", "selectableFields")


class InternalSpec(NamedTuple):
    """A spec with what its versions share at the top; the versions keep what differs."""

    group: str
    names: Object
    scope: str
    versions: list[Object]
    validation: Object | None
    subresources: Object | None
    additional_printer_columns: list[Object]
    selectable_fields: list[Object]
    conversion: Object | None
    preserve_unknown_fields: bool
    printed_versions: str
    """The versions as messages show them."""

    def schema_of(self, index: int) -> Object | None:
        """The schema of a version, wherever it stands."""
        if not any("schema" in version for version in self.versions):
            return self.validation
        found: Object | None = self.versions[index].get("schema")
        return found

    def schemas(self) -> list[Object]:
        """All schemas, each once, without those that are empty."""
        found = [self.validation, *(version.get("schema") for version in self.versions)]
        return [schema["openAPIV3Schema"] for schema in found if schema and "openAPIV3Schema" in schema]


def internal_spec(spec: Object) -> InternalSpec:
    """The internal form of a definition's spec."""
    versions = [dict(version) for version in spec.get("versions") or ()]
    shared: dict[str, Any] = {}
    for name in _SHARED:
        values = [version.get(name) or None if name not in {"schema", "subresources"} else version.get(name)
                  for version in versions]  # fmt: skip
        if versions and all(value == values[0] for value in values):
            shared[name] = values[0]
            for version in versions:
                version.pop(name, None)
    return InternalSpec(
        group=spec.get("group") or "",
        names=spec.get("names") or {},
        scope=spec.get("scope") or "",
        versions=versions,
        validation=shared.get("schema"),
        subresources=shared.get("subresources"),
        additional_printer_columns=shared.get("additionalPrinterColumns") or [],
        selectable_fields=shared.get("selectableFields") or [],
        conversion=spec.get("conversion"),
        preserve_unknown_fields=bool(spec.get("preserveUnknownFields")),
        # Go tells an empty list, which a client may send, from none.
        printed_versions="[]" if spec.get("versions") == [] else _list_of(_VERSION)(versions),
    )


_Print = Callable[[Any], str]


def _text(value: Any) -> str:
    return go_json(value or "")


def _flag(value: Any) -> str:
    return "true" if value else "false"


def _or_null(value: Any) -> str:
    return "null" if value is None else go_json(value)


def _list(value: Any) -> str:
    return "null" if not value else go_json(value)


def _struct(fields: Mapping[str, tuple[str, _Print]]) -> _Print:
    def write(value: Any) -> str:
        given = value or {}
        parts = (f'"{name}":{of(given.get(wire))}' for name, (wire, of) in fields.items())
        return f"{{{','.join(parts)}}}"

    return write


def _pointer(write: _Print) -> _Print:
    return lambda value: "null" if value is None else write(value)


def _list_of(write: _Print) -> _Print:
    return lambda value: "null" if not value else f"[{','.join(map(write, value))}]"


def _map_of(write: _Print) -> _Print:
    def write_map(value: Any) -> str:
        if not value:
            return "null"
        return f"{{{','.join(f'{go_json(name)}:{write(value[name])}' for name in sorted(value))}}}"

    return write_map


def printed_schema(schema: Any) -> str:
    """A schema as Go's encoder writes the internal JSONSchemaProps."""
    return _SCHEMA(schema)


def _schema_or_bool(value: Any) -> str:
    if isinstance(value, dict):
        return f'{{"Allows":true,"Schema":{printed_schema(value)}}}'
    return f'{{"Allows":{_flag(value)},"Schema":null}}'


def _schema_or_list(value: Any) -> str:
    if isinstance(value, list):
        return f'{{"Schema":null,"JSONSchemas":{_list_of(printed_schema)(value)}}}'
    return f'{{"Schema":{printed_schema(value)},"JSONSchemas":null}}'


def _schema_or_names(value: Any) -> str:
    if isinstance(value, list):
        return f'{{"Schema":null,"Property":{_list(value)}}}'
    return f'{{"Schema":{printed_schema(value)},"Property":null}}'


_EXTERNAL_DOCS: Final = _struct({"Description": ("description", _text), "URL": ("url", _text)})
_RULE: Final = _struct({
    "Rule": ("rule", _text),
    "Message": ("message", _text),
    "MessageExpression": ("messageExpression", _text),
    "Reason": ("reason", _or_null),
    "FieldPath": ("fieldPath", _text),
    "OptionalOldSelf": ("optionalOldSelf", _or_null),
})  # fmt: skip
_SCHEMA: Final = _struct({
    "ID": ("id", _text),
    "Schema": ("$schema", _text),
    "Ref": ("$ref", _or_null),
    "Description": ("description", _text),
    "Type": ("type", _text),
    "Nullable": ("nullable", _flag),
    "Format": ("format", _text),
    "Title": ("title", _text),
    "Default": ("default", _or_null),
    "Maximum": ("maximum", _or_null),
    "ExclusiveMaximum": ("exclusiveMaximum", _flag),
    "Minimum": ("minimum", _or_null),
    "ExclusiveMinimum": ("exclusiveMinimum", _flag),
    "MaxLength": ("maxLength", _or_null),
    "MinLength": ("minLength", _or_null),
    "Pattern": ("pattern", _text),
    "MaxItems": ("maxItems", _or_null),
    "MinItems": ("minItems", _or_null),
    "UniqueItems": ("uniqueItems", _flag),
    "MultipleOf": ("multipleOf", _or_null),
    "Enum": ("enum", _list),
    "MaxProperties": ("maxProperties", _or_null),
    "MinProperties": ("minProperties", _or_null),
    "Required": ("required", _list),
    "Items": ("items", _pointer(_schema_or_list)),
    "AllOf": ("allOf", _list_of(printed_schema)),
    "OneOf": ("oneOf", _list_of(printed_schema)),
    "AnyOf": ("anyOf", _list_of(printed_schema)),
    "Not": ("not", _pointer(printed_schema)),
    "Properties": ("properties", _map_of(printed_schema)),
    "AdditionalProperties": ("additionalProperties", _pointer(_schema_or_bool)),
    "PatternProperties": ("patternProperties", _map_of(printed_schema)),
    "Dependencies": ("dependencies", _map_of(_schema_or_names)),
    "AdditionalItems": ("additionalItems", _pointer(_schema_or_bool)),
    "Definitions": ("definitions", _map_of(printed_schema)),
    "ExternalDocs": ("externalDocs", _pointer(_EXTERNAL_DOCS)),
    "Example": ("example", _or_null),
    "XPreserveUnknownFields": ("x-kubernetes-preserve-unknown-fields", _or_null),
    "XEmbeddedResource": ("x-kubernetes-embedded-resource", _flag),
    "XIntOrString": ("x-kubernetes-int-or-string", _flag),
    "XListMapKeys": ("x-kubernetes-list-map-keys", _list),
    "XListType": ("x-kubernetes-list-type", _or_null),
    "XMapType": ("x-kubernetes-map-type", _or_null),
    "XValidations": ("x-kubernetes-validations", _list_of(_RULE)),
})  # fmt: skip
_VALIDATION: Final = _struct({"OpenAPIV3Schema": ("openAPIV3Schema", _pointer(printed_schema))})
_COLUMN: Final = _struct({
    "Name": ("name", _text),
    "Type": ("type", _text),
    "Format": ("format", _text),
    "Description": ("description", _text),
    "Priority": ("priority", lambda value: str(value or 0)),
    "JSONPath": ("jsonPath", _text),
})  # fmt: skip
_SCALE: Final = _struct({
    "SpecReplicasPath": ("specReplicasPath", _text),
    "StatusReplicasPath": ("statusReplicasPath", _text),
    "LabelSelectorPath": ("labelSelectorPath", _or_null),
})  # fmt: skip
_SUBRESOURCES: Final = _struct({
    "Status": ("status", _pointer(lambda _: "{}")),
    "Scale": ("scale", _pointer(_SCALE)),
})  # fmt: skip
_VERSION: Final = _struct({
    "Name": ("name", _text),
    "Served": ("served", _flag),
    "Storage": ("storage", _flag),
    "Deprecated": ("deprecated", _flag),
    "DeprecationWarning": ("deprecationWarning", _or_null),
    "Schema": ("schema", _pointer(_VALIDATION)),
    "Subresources": ("subresources", _pointer(_SUBRESOURCES)),
    "AdditionalPrinterColumns": ("additionalPrinterColumns", _list_of(_COLUMN)),
    "SelectableFields": ("selectableFields", _list_of(_struct({"JSONPath": ("jsonPath", _text)}))),
})  # fmt: skip
