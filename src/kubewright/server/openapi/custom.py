"""The definitions of custom resources, made from the schemas in their CustomResourceDefinitions.

As upstream's apiextensions builder makes them: what every object has is added, and for OpenAPI v2 what that
version, or kubectl's reading of it, has no words for is taken out.
"""

from __future__ import annotations

from typing import Final

from kubewright.server.kinds.kind import Object
from kubewright.server.openapi.operations import META, definition_name
from kubewright.server.registry.resource import ServedResource

__all__ = ["custom_definitions"]

_MAX_DEPTH: Final = 64
"""How deep a schema may nest; what lies deeper may be anything. Protects the stack; upstream has no bound."""

_INT_OR_STRING: Final = [{"type": "integer"}, {"type": "string"}]

_CONVENTIONS: Final = "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md"
_API_VERSION_DESCRIPTION: Final = (
    "APIVersion defines the versioned schema of this representation of an object. Servers should convert "
    "recognized schemas to the latest internal value, and may reject unrecognized values. More info: "
    f"{_CONVENTIONS}#resources"
)
_KIND_DESCRIPTION: Final = (
    "Kind is a string value representing the REST resource this object represents. Servers may infer this "
    "from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: "
    f"{_CONVENTIONS}#types-kinds"
)
_METADATA_DESCRIPTIONS: Final = {
    "ObjectMeta": f"Standard object's metadata. More info: {_CONVENTIONS}#metadata",
    "ListMeta": f"Standard list metadata. More info: {_CONVENTIONS}#types-kinds",
}
"""The descriptions that every published custom resource has; `kubectl explain` shows them, and tests of
upstream and of operators match them."""

_GVK: Final = "x-kubernetes-group-version-kind"
_PRESERVE: Final = "x-kubernetes-preserve-unknown-fields"
_EMBEDDED: Final = "x-kubernetes-embedded-resource"

_SCHEMAS: Final = frozenset({"items", "not", "additionalProperties"})
_SCHEMA_LISTS: Final = frozenset({"allOf", "anyOf", "oneOf"})

_VALUES: Final = frozenset({"default", "example"})
"""Values of objects, which say something also when they are false or empty."""

_KEPT: Final = frozenset(
    {
        "description",
        "enum",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "externalDocs",
        "format",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
        "multipleOf",
        "nullable",
        "pattern",
        "required",
        "title",
        "type",
        "uniqueItems",
        _EMBEDDED,
        "x-kubernetes-int-or-string",
        "x-kubernetes-list-map-keys",
        "x-kubernetes-list-type",
        "x-kubernetes-map-type",
        _PRESERVE,
        "x-kubernetes-validations",
    }
)
"""What structural schemas know besides values and other schemas; the rest upstream does not publish."""


def custom_definitions(crd: Object, resource: ServedResource, *, v2: bool) -> dict[str, Object]:
    """The definitions of a kind and of its list, by name."""
    version = next(item for item in crd["spec"]["versions"] if item["name"] == resource.version)
    schema = (version.get("schema") or {}).get("openAPIV3Schema")
    preserves = bool(crd["spec"].get("preserveUnknownFields"))
    kind = _kind(schema, preserves, v2=v2) | _group_version_kind(resource, resource.kind)
    listed = _list(resource, v2=v2) | _group_version_kind(resource, resource.list_kind)
    fields = version.get("selectableFields")
    if fields:
        selectable = [{"fieldPath": item["jsonPath"].removeprefix(".")} for item in fields]
        kind["x-kubernetes-selectable-fields"] = selectable
        listed["x-kubernetes-selectable-fields"] = selectable
    return {
        definition_name(resource.gvk, custom=True): kind,
        definition_name(resource.group_version.with_kind(resource.list_kind), custom=True): listed,
    }


def _group_version_kind(resource: ServedResource, kind: str) -> Object:
    return {_GVK: [{"group": resource.group, "kind": kind, "version": resource.version}]}


def _reference(name: str, *, v2: bool) -> Object:
    """OpenAPI v3 wraps a reference where something else could stand beside it."""
    if v2:
        return {"$ref": f"#/definitions/{name}"}
    return {"allOf": [{"$ref": f"#/components/schemas/{name}"}]}


def _type_meta(metadata: str, *, v2: bool) -> Object:
    description = _METADATA_DESCRIPTIONS[metadata]
    return {
        "apiVersion": {"description": _API_VERSION_DESCRIPTION, "type": "string"},
        "kind": {"description": _KIND_DESCRIPTION, "type": "string"},
        "metadata": {"description": description} | _reference(f"{META}{metadata}", v2=v2),
    }


def _kind(schema: Object | None, preserves: bool, *, v2: bool) -> Object:
    # kubectl takes listed properties for all that there are, so v2 lists none where unknown ones are kept.
    if schema is None or (v2 and (preserves or schema.get(_PRESERVE))):
        return {"type": "object"}
    made = _schema(schema, 0, v2=v2)
    made["properties"] = made.get("properties", {}) | _type_meta("ObjectMeta", v2=v2)
    return made


def _list(resource: ServedResource, *, v2: bool) -> Object:
    prefix = "#/definitions/" if v2 else "#/components/schemas/"
    item = {"$ref": f"{prefix}{definition_name(resource.gvk, custom=True)}"}
    items = {"description": f"List of {resource.resource}. More info: {_CONVENTIONS}"}
    properties = {"items": items | {"type": "array", "items": item}} | _type_meta("ListMeta", v2=v2)
    return {
        "description": f"{resource.list_kind} is a list of {resource.kind}",
        "type": "object",
        "required": ["items"],
        "properties": properties,
    }


def _schema(schema: Object, depth: int, *, v2: bool) -> Object:
    """One node of a structural schema, with all below it."""
    if depth > _MAX_DEPTH:
        return {}
    plain = _without_v3_words(schema) if v2 else schema
    made: Object = {}
    for key, value in plain.items():
        if key in _VALUES or (key in _KEPT and value is not False and value not in ("", [])):
            made[key] = value
        elif key == "properties" and value:
            made[key] = {name: _schema(member, depth + 1, v2=v2) for name, member in value.items()}
        elif key in _SCHEMAS:
            made[key] = _schema(value, depth + 1, v2=v2) if isinstance(value, dict) else value
        elif key in _SCHEMA_LISTS and value:
            made[key] = [_schema(member, depth + 1, v2=v2) for member in value]
    if not v2:
        _add_int_or_string(made)
    if made.get(_EMBEDDED) and not (v2 and made.get(_PRESERVE)):
        made["properties"] = made.get("properties", {}) | _type_meta("ObjectMeta", v2=v2)
        required = made.get("required", [])
        made["required"] = required + [name for name in ("kind", "apiVersion") if name not in required]
    return made


def _add_int_or_string(schema: Object) -> None:
    """Says in words of OpenAPI what `x-kubernetes-int-or-string` means, unless it is said already."""
    if not schema.get("x-kubernetes-int-or-string"):
        return
    all_of = schema.get("allOf", [])
    if "anyOf" not in schema:
        if not (all_of and all_of[0].get("anyOf") == _INT_OR_STRING):
            schema["anyOf"] = _INT_OR_STRING
    elif schema["anyOf"] != _INT_OR_STRING and not (all_of and all_of[0].get("anyOf") == _INT_OR_STRING):
        schema["allOf"] = [{"anyOf": _INT_OR_STRING}, *all_of]


def _without_v3_words(schema: Object) -> Object:
    """What is left of a node in OpenAPI v2: no junctors, no null, no defaults, no members of what is open."""
    dropped = {"allOf", "anyOf", "oneOf", "not", "default"}
    nullable, preserves = bool(schema.get("nullable")), bool(schema.get(_PRESERVE))
    if nullable:
        dropped |= {"type", "nullable"}
    if nullable or preserves:
        dropped |= {"items", "properties"}
    if preserves and schema.get("type") == "object":
        dropped.add("type")
    if schema.get("type") == "array" and ("items" in dropped or "items" not in schema):
        dropped.add("type")
    made = {key: value for key, value in schema.items() if key not in dropped}
    members = made.get("properties") or {}
    if any(member.get("nullable") for member in members.values()) and "required" in made:
        made["required"] = [name for name in made["required"] if not members.get(name, {}).get("nullable")]
    values = made.get("additionalProperties")
    if isinstance(values, dict) and values.get("nullable"):
        made.pop("required", None)
    return made
