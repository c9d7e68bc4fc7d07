"""The schemas of custom resources in a server's OpenAPI v3, as their definitions have them.

Such a kind says all of its parts where they stand and refers to nothing but ObjectMeta. Servers publish the
schema of the definition with what all objects have added to it, which is taken away here, so that the types
are those that the definition gives.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from kubewright.machinery.errors import ParseError
from kubewright.machinery.gvk import GroupVersionKind

__all__ = ["definition_schema", "is_inlined", "references"]

OBJECT_META: Final = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
MAX_DEPTH: Final = 100
"""How deep a schema may nest, which is what the schema engine takes."""

_REF_PREFIX: Final = "#/components/schemas/"
_EMBEDDED: Final = "x-kubernetes-embedded-resource"
_HEADER: Final = ("apiVersion", "kind", "metadata")
_PUBLISHED: Final = ("x-kubernetes-group-version-kind", "x-kubernetes-selectable-fields")
"""What servers add to the schema of a whole object."""
_EITHER: Final = {"anyOf": [{"type": "integer"}, {"type": "string"}]}
_VALUES: Final = frozenset({"default", "enum", "example"})


def references(schema: Any, *, place: str) -> Iterator[str]:
    """The names of the schemas that one refers to, anywhere in it. Raises ParseError if it is too deep."""
    open_: list[tuple[Any, int]] = [(schema, 0)]
    while open_:
        node, depth = open_.pop()
        if not isinstance(node, Mapping):
            continue
        if depth > MAX_DEPTH:
            raise ParseError(f"{place}: the schema nests more than {MAX_DEPTH} levels deep; make it flatter")
        target = node.get("$ref")
        if isinstance(target, str):
            yield target.removeprefix(_REF_PREFIX)
        for keyword, value in node.items():
            if keyword == "properties" and isinstance(value, Mapping):
                open_ += [(each, depth + 1) for each in value.values()]
            elif isinstance(value, list) and keyword not in _VALUES:
                open_ += [(each, depth + 1) for each in value]
            elif keyword not in _VALUES:
                open_.append((value, depth + 1))


def is_inlined(name: str, schema: Mapping[str, Any], kind: GroupVersionKind) -> bool:
    """Whether this is the schema of a custom resource: named after its group, without references."""
    own = f"{'.'.join(reversed(kind.group.split('.')))}.{kind.version}.{kind.kind}"
    return name == own and set(references(schema, place=name)) <= {OBJECT_META}


def definition_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of a custom resource's definition, of the one that a server publishes."""
    made: dict[str, Any] = _plain({name: value for name, value in schema.items() if name not in _PUBLISHED})
    if "properties" in made:
        header = {name: {"type": "object" if name == "metadata" else "string"} for name in _HEADER}
        made["properties"] = header | {
            name: each for name, each in made["properties"].items() if name not in _HEADER
        }
    return made


def _plain(schema: Any) -> Any:
    if not isinstance(schema, Mapping):
        return schema
    made = dict(schema)
    if isinstance(made.get("properties"), Mapping):
        made["properties"] = {name: _plain(each) for name, each in made["properties"].items()}
    for keyword in ("items", "additionalProperties"):
        if keyword in made:
            made[keyword] = _plain(made[keyword])
    if made.get("x-kubernetes-int-or-string") and made.get("anyOf") not in (None, _EITHER["anyOf"]):
        _without_either(made)
    if made.get(_EMBEDDED):
        _without_header(made)
    return made


def _without_either(made: dict[str, Any]) -> None:
    """What servers say of int-or-string beside an anyOf of the definition's own, taken away."""
    clauses = [each for each in made.pop("allOf", None) or () if each != _EITHER]
    if clauses:
        made["allOf"] = clauses


def _without_header(made: dict[str, Any]) -> None:
    """An embedded object without the header that servers publish for every one."""
    properties = {
        name: each for name, each in (made.pop("properties", None) or {}).items() if name not in _HEADER
    }
    required = [name for name in made.pop("required", None) or () if name not in _HEADER]
    if properties:
        made["properties"] = properties
    if required:
        made["required"] = required
