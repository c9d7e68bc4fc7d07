"""The `Schema` of what an OpenAPI schema describes.

Reads the schemas of built-in kinds and the structural schemas of custom resources, as far as patches and
server-side apply care for them, and with upstream's reading of them (k8s.io/kube-openapi/pkg/schemaconv).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

from kubewright.machinery.errors import ParseError
from kubewright.machinery.schema import ANY, SCALAR, Kind, ListType, MapType, Schema

__all__ = ["OBJECT_META", "schema_from_crd", "schema_from_openapi"]

# How many definitions may refer to each other in a row before one that says something.
_MAX_REFERENCES: Final = 32

_SCALARS: Final = ("integer", "number", "string", "boolean")

_NOTHING: Final[Mapping[str, Mapping[str, object]]] = {}

# Types that upstream knows by name, because their OpenAPI does not say how they are written.
_ATOMIC_ANY: Final = Schema("any", map_type="atomic")
_BY_NAME: Final = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": SCALAR,
    "io.k8s.apimachinery.pkg.runtime.RawExtension": _ATOMIC_ANY,
}

_OWNER_REFERENCE: Final = Schema(
    "object",
    fields=dict.fromkeys(("apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"), SCALAR),
    map_type="atomic",
)

OBJECT_META: Final = Schema(
    "object",
    fields={
        **dict.fromkeys(
            (
                "name",
                "generateName",
                "namespace",
                "selfLink",
                "uid",
                "resourceVersion",
                "generation",
                "creationTimestamp",
                "deletionTimestamp",
                "deletionGracePeriodSeconds",
            ),
            SCALAR,
        ),
        "labels": Schema("object", values=SCALAR),
        "annotations": Schema("object", values=SCALAR),
        "finalizers": Schema("array", items=SCALAR, list_type="set", patch_strategies=("merge",)),
        "ownerReferences": Schema(
            "array",
            items=_OWNER_REFERENCE,
            list_type="map",
            map_keys=("uid",),
            patch_strategies=("merge",),
            patch_merge_key="uid",
        ),
        "managedFields": Schema("array", items=ANY),
    },
)
"""The metadata of every object, as ObjectMeta of meta/v1 is described."""


class _Context(NamedTuple):
    definition: Callable[[str], Mapping[str, object]]
    resolved: Callable[[str], Schema]
    preserve_unknown: bool
    """Whether undeclared fields are kept here; what is inline below a schema that says so inherits it."""
    preserve_all: bool


def schema_from_openapi(
    openapi: Mapping[str, object],
    definitions: Mapping[str, Mapping[str, object]] = _NOTHING,
    *,
    preserve_unknown: bool = False,
) -> Schema:
    """The schema of the values that `openapi` describes.

    `definitions` are what its `$ref`s name, by the last part of the reference. `preserve_unknown` allows
    fields that are not declared. Members are read when they are first looked at, so that definitions may
    refer to themselves. Raises ParseError, for such members when they are read.
    """

    def definition(name: str) -> Mapping[str, object]:
        found = definitions.get(name)
        if found is None:
            raise ParseError(f"the OpenAPI schema refers to {name!r}, which is not among its definitions")
        return found

    @cache
    def resolved(name: str) -> Schema:
        return _BY_NAME.get(name) or _schema(definition(name), context)

    context = _Context(definition, resolved, preserve_unknown, preserve_unknown)
    return _schema(openapi, context)


def schema_from_crd(openapi: Mapping[str, object], *, preserve_unknown: bool = False) -> Schema:
    """The schema of a custom resource: that of its CRD, with the type and metadata that every object has."""
    schema = schema_from_openapi(openapi, preserve_unknown=preserve_unknown)
    return Schema(
        "object",
        fields=lambda: {**schema.fields, "apiVersion": SCALAR, "kind": SCALAR, "metadata": OBJECT_META},
        values=schema.values if schema.fields or schema.values is not None else ANY,
    )


def _schema(openapi: Mapping[str, object], context: _Context) -> Schema:
    default = openapi.get("default")
    target, name = _target(openapi, context)
    if name:
        map_type = openapi.get("x-kubernetes-map-type")
        overridden = default is not None or map_type is not None or "x-kubernetes-patch-strategy" in openapi
        if not overridden:
            return context.resolved(name)
        # What stands beside a reference goes before what stands in the definition.
        if name in _BY_NAME:
            found = _BY_NAME[name]
            return Schema(found.kind, map_type=found.map_type, default=default)
        target = {**target, **{key: value for key, value in openapi.items() if key not in ("$ref", "allOf")}}
        context = context._replace(preserve_unknown=context.preserve_all)
    if target.get("x-kubernetes-preserve-unknown-fields") is True:
        context = context._replace(preserve_unknown=True)
    return _inline(target, context, default)


def _inline(openapi: Mapping[str, object], context: _Context, default: object) -> Schema:
    kind = _kind(openapi)
    if kind == "scalar":
        return SCALAR if default is None else Schema("scalar", default=default)
    if kind == "any" and default is None and not _says_more(openapi):
        return ANY
    list_type, map_keys = _list_type(openapi) if kind != "object" else ("atomic", ())
    return Schema(
        kind,
        fields=_fields(openapi, context) if kind != "array" else _NO_FIELDS,
        values=_values(openapi, context) if kind != "array" else None,
        items=_items(openapi, context) if kind != "object" else None,
        list_type=list_type,
        map_keys=map_keys,
        map_type=_map_type(openapi),
        patch_strategies=_strategies(openapi),
        patch_merge_key=_text(openapi, "x-kubernetes-patch-merge-key"),
        default=default,
    )


_NO_FIELDS: Final[Mapping[str, Schema]] = {}


def _target(openapi: Mapping[str, object], context: _Context) -> tuple[Mapping[str, object], str]:
    """The schema that is meant, and the name of the definition it comes from if there is a reference."""
    name = ""
    for _ in range(_MAX_REFERENCES):
        reference = _reference(openapi)
        if not reference:
            return openapi, name
        name = reference.rpartition("/")[2]
        if name in _BY_NAME:
            return openapi, name
        openapi = context.definition(name)
    raise ParseError(f"the OpenAPI definition {name!r} refers to itself")


def _reference(openapi: Mapping[str, object]) -> str:
    reference = openapi.get("$ref")
    if reference is None:
        parts = openapi.get("allOf")
        if isinstance(parts, list) and len(parts) == 1 and isinstance(parts[0], Mapping):
            reference = parts[0].get("$ref")
    return reference if isinstance(reference, str) else ""


def _says_more(openapi: Mapping[str, object]) -> bool:
    return any(
        key in openapi
        for key in (
            "properties",
            "additionalProperties",
            "items",
            "x-kubernetes-list-type",
            "x-kubernetes-map-type",
            "x-kubernetes-patch-strategy",
            "x-kubernetes-embedded-resource",
        )
    )


def _kind(openapi: Mapping[str, object]) -> Kind:
    type_ = openapi.get("type")
    if isinstance(type_, list) and len(type_) == 1:
        type_ = type_[0]
    if not type_:
        return "any"
    if type_ in _SCALARS:
        return "scalar"
    if type_ == "object":
        return "object"
    if type_ == "array":
        return "array"
    raise ParseError(f"type {type_!r} in an OpenAPI schema is none of object, array, {', '.join(_SCALARS)}")


def _fields(openapi: Mapping[str, object], context: _Context) -> Callable[[], Mapping[str, Schema]]:
    def read() -> Mapping[str, Schema]:
        properties = openapi.get("properties") or {}
        if not isinstance(properties, Mapping):
            raise ParseError(f"properties in an OpenAPI schema is {properties!r:.100}, it must be an object")
        fields = {name: _schema(_mapping(member, name), context) for name, member in properties.items()}
        if openapi.get("x-kubernetes-embedded-resource") is True:
            fields.update({"apiVersion": SCALAR, "kind": SCALAR, "metadata": OBJECT_META})
        return fields

    return read


def _values(openapi: Mapping[str, object], context: _Context) -> Schema | Callable[[], Schema] | None:
    additional = openapi.get("additionalProperties")
    if additional is None:
        declared = openapi.get("properties") or openapi.get("x-kubernetes-embedded-resource") is True
        return ANY if context.preserve_unknown or not declared else None
    if isinstance(additional, Mapping):
        return lambda: _schema(additional, context)
    return ANY if additional is True else None


def _items(openapi: Mapping[str, object], context: _Context) -> Schema | Callable[[], Schema] | None:
    items = openapi.get("items")
    if items is None:
        return None
    found = _mapping(items, "items")
    return lambda: _schema(found, context)


def _list_type(openapi: Mapping[str, object]) -> tuple[ListType, tuple[str, ...]]:
    stated = openapi.get("x-kubernetes-list-type")
    if stated is not None:
        if stated == "map":
            return "map", _keys(openapi)
        if stated in ("atomic", "set"):
            return ("set" if stated == "set" else "atomic"), ()
        raise ParseError(f"x-kubernetes-list-type is {stated!r}, it must be atomic, set or map")
    if "merge" in _strategies(openapi):
        key = _text(openapi, "x-kubernetes-patch-merge-key")
        return ("map", (key,)) if key else ("set", ())
    return "atomic", ()


def _keys(openapi: Mapping[str, object]) -> tuple[str, ...]:
    keys = openapi.get("x-kubernetes-list-map-keys")
    if isinstance(keys, Sequence) and not isinstance(keys, str):
        names = tuple(key for key in keys if isinstance(key, str))
        if names and len(names) == len(keys):
            return names
    raise ParseError(f"x-kubernetes-list-map-keys is {keys!r:.100}, it must be a list of field names")


def _map_type(openapi: Mapping[str, object]) -> MapType:
    stated = openapi.get("x-kubernetes-map-type")
    if stated is None or stated == "granular":
        return "granular"
    if stated == "atomic":
        return "atomic"
    raise ParseError(f"x-kubernetes-map-type is {stated!r}, it must be atomic or granular")


def _strategies(openapi: Mapping[str, object]) -> tuple[str, ...]:
    stated = _text(openapi, "x-kubernetes-patch-strategy")
    return tuple(stated.split(",")) if stated else ()


def _text(openapi: Mapping[str, object], key: str) -> str:
    value = openapi.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ParseError(f"{key} in an OpenAPI schema is {value!r:.100}, it must be a string")
    return value


def _mapping(value: object, name: str) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise ParseError(f"{name!r} in an OpenAPI schema is {value!r:.100}, it must be an object")
    return value
