"""Random schemas that a server accepts, changes of them, and values that they allow."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from kubewright.crd.cel import compile_errors
from kubewright.crd.rules import has_rules
from kubewright.crd.structural import parse_schema
from kubewright.server.kinds.apiextensions.schema_defaults import default_errors
from kubewright.server.kinds.apiextensions.schema_rules import SchemaOptions, schema_rule_errors
from kubewright.server.kinds.apiextensions.structural_rules import structural_errors
from tests.crd.schemas import RULES, SCHEMAS, VALUES

__all__ = ["Json", "accepted", "changed", "definition", "fitting", "of_kind", "schemas", "widened"]

Json = dict[str, Any]

NAMES = "abcd"
TEXTS = ["", "a", "ab", "abc", "abab", "x", "1.2.3.4", "2020-01-01", "xyzxyz"]
NUMBERS = [0, 1, 2, 3, -1, -2, 4, 6, 10, 2**31, 2**40, 1.5, 2.5]
JUNK = [*TEXTS, *NUMBERS, True, False, [], {}]
BOUNDS = st.sampled_from([-1, 0, 1, 2, 2.5, 2.9, 3, 5, 2**31, 2**62, 2**63, 1e30, -(2**31), -(2**63)])
MAP_RULES = ["!has(self.a)", "has(self.a) || has(self.b)", "!has(self.b) || self.b == self.b", "true"]
NUMBER_RULES = ["self / 2 == 1", "self < 3", "self != 2"]
TEXT_RULES = ["self.size() < 3", "self != 'x'"]
FORMATS = ["date", "ipv4", "int32", "int64", "float", "double", "password", "date-time", "unknown"]
EXTENSIONS = [
    "nullable", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource", "uniqueItems",
    "exclusiveMinimum", "exclusiveMaximum",
]  # fmt: skip
CLAUSES = ["allOf", "anyOf", "oneOf"]


def of_kind(spec: Json) -> Json:
    """The schema of a kind with that schema of its spec."""
    return {"type": "object", "properties": {"spec": spec}}


def definition(spec: Json) -> Json:
    """A definition with that schema of its spec."""
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": of_kind(spec)}}
    return {
        "metadata": {"name": "things.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Cluster",
            "names": {"plural": "things", "kind": "Thing"},
            "versions": [version],
        },
    }


def accepted(spec: Json) -> bool:
    """Whether a server takes a definition with that schema, or refuses no more than uniqueItems in it."""
    whole = of_kind(spec)
    errors = structural_errors(whole, "") or default_errors(parse_schema(whole), "")
    errors = errors or schema_rule_errors(whole, "", SchemaOptions())
    if all(error.field.endswith("uniqueItems") for error in errors):
        return not has_rules(whole) or not compile_errors(whole, "")
    return False


@st.composite
def schemas(draw: st.DrawFn) -> Json:
    """A schema that a server accepts."""
    schema: Json = copy.deepcopy(draw(SCHEMAS))
    for _ in range(draw(st.integers(0, 3))):
        _change(draw, schema)
    assume(accepted(schema))
    return schema


@st.composite
def changed(draw: st.DrawFn, schema: Json) -> Json:
    """The schema with a few things changed; a server accepts it too."""
    made = copy.deepcopy(schema)
    for _ in range(draw(st.integers(1, 2))):
        _change(draw, made)
    assume(accepted(made))
    return made


WIDER = [
    "maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties", "minimum", "maximum",
    "multipleOf", "required", "pattern", "allOf", "anyOf", "oneOf", "not", "x-kubernetes-list-type",
    "x-kubernetes-validations", "x-kubernetes-embedded-resource", "format",
]  # fmt: skip
"""The keywords that only ever refuse values, so that a schema without them is a wider one."""


@st.composite
def widened(draw: st.DrawFn, schema: Json) -> Json:
    """The schema with some things in it allowed that were not; a server accepts it too."""
    made = copy.deepcopy(schema)
    has_rule = has_rules(of_kind(made))
    for node in _nodes(made):
        embedded = "x-kubernetes-embedded-resource" in node
        for name in WIDER:
            # Without its list type or format, a value is another one to rules.
            typed = name in {"format", "x-kubernetes-list-type"} and has_rule
            if name in node and not typed and draw(st.booleans()):
                del node[name]
        if not node.get("x-kubernetes-list-type"):
            node.pop("x-kubernetes-list-map-keys", None)
        if embedded:
            node["x-kubernetes-preserve-unknown-fields"] = True
        if node.get("enum") and draw(st.booleans()):
            node["enum"] = [*node["enum"], "more"]
        if node.get("type") == "integer" and not has_rule and draw(st.booleans()):
            node["type"] = "number"
        if draw(st.booleans()):
            node["description"] = "what it is for"
        if draw(st.booleans()) and node.get("type") == "object":
            node["x-kubernetes-preserve-unknown-fields"] = True
    assume(accepted(made))
    return made


def _nodes(schema: Json) -> list[Json]:
    return [schema, *(inner for child in _children(schema) for inner in _nodes(child))]


def _children(schema: Json) -> list[Json]:
    found = [
        *(schema.get("properties") or {}).values(),
        schema.get("items"),
        schema.get("additionalProperties"),
    ]
    return [child for child in found if isinstance(child, dict)]


def _change(draw: st.DrawFn, schema: Json) -> None:
    node = schema
    while (children := _children(node)) and draw(st.integers(0, 2)):
        node = draw(st.sampled_from(children))
    draw(
        st.sampled_from(
            [_rule, _rule, _drop, _type, _member, _extension, _default, _clause, _list_type, _cel]
        )
    )(draw, node)


def _rule(draw: st.DrawFn, node: Json) -> None:
    name = draw(
        st.sampled_from(
            ["maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties", "minimum",
             "maximum", "multipleOf", "enum", "required", "pattern", "format"]
        )
    )  # fmt: skip
    if name in {"minimum", "maximum"}:
        node[name] = draw(BOUNDS)
    elif name == "multipleOf":
        node[name] = draw(st.sampled_from([1, 2, 3, 4, 0.5]))
    elif name == "enum":
        old = node.get("enum") or []
        node[name] = draw(st.sampled_from([old[1:], [*old, *TEXTS], [*old, 1, 2], TEXTS[:4]])) or ["a"]
    elif name == "required":
        node[name] = draw(st.lists(st.sampled_from(NAMES), max_size=2, unique=True))
    elif name == "pattern":
        node[name] = draw(st.sampled_from(["^a", "b$", "^(ab)+$"]))
    elif name == "format":
        node[name] = draw(st.sampled_from(FORMATS))
    else:
        node[name] = draw(st.integers(0, 3))


def _drop(draw: st.DrawFn, node: Json) -> None:
    names = sorted(node.keys() - {"type", "items", "properties"})
    if names:
        del node[draw(st.sampled_from(names))]


def _type(draw: st.DrawFn, node: Json) -> None:
    if node.keys() & {"properties", "items", "additionalProperties"}:
        return
    node.pop("type", None)
    node.pop("x-kubernetes-int-or-string", None)
    kind = draw(st.sampled_from(["string", "integer", "number", "boolean", "either", "any"]))
    if kind == "either":
        node["x-kubernetes-int-or-string"] = True
    elif kind == "any":
        node["x-kubernetes-preserve-unknown-fields"] = True
    else:
        node["type"] = kind


def _member(draw: st.DrawFn, node: Json) -> None:
    if "additionalProperties" in node:
        node["additionalProperties"] = draw(
            st.sampled_from([True, node["additionalProperties"], {"type": "string"}])
        )
        if draw(st.booleans()):
            additional = node.pop("additionalProperties")
            node["properties"] = {"a": additional if isinstance(additional, dict) else {"type": "string"}}
        return
    if node.get("type") != "object":
        return
    properties = node.setdefault("properties", {})
    name = draw(st.sampled_from(NAMES))
    if name in properties:
        del properties[name]
    else:
        properties[name] = {"type": draw(st.sampled_from(["string", "integer"]))}
        if draw(st.booleans()):
            properties[name]["default"] = "a" if properties[name]["type"] == "string" else 2


def _extension(draw: st.DrawFn, node: Json) -> None:
    name = draw(st.sampled_from(EXTENSIONS))
    if node.pop(name, None) is None:
        node[name] = True


def _default(draw: st.DrawFn, node: Json) -> None:
    children = list((node.get("properties") or {}).values()) or [node]
    child = draw(st.sampled_from(children))
    value = draw(fitting(child))
    if value is None or draw(st.integers(0, 3)) == 0:
        child.pop("default", None)
    else:
        child["default"] = value


def _clause(draw: st.DrawFn, node: Json) -> None:
    name = draw(st.sampled_from([*CLAUSES, "not"]))
    clause = dict(list(draw(RULES).items())[:2])
    if draw(st.booleans()) and node.get("properties"):
        clause["properties"] = {
            draw(st.sampled_from(sorted(node["properties"]))): dict(list(draw(RULES).items())[:1])
        }
    if name == "not":
        node["not"] = clause
    elif draw(st.booleans()) and node.get(name):
        node[name] = node[name][1:]
    else:
        node[name] = [*node.get(name, []), clause]


def _list_type(draw: st.DrawFn, node: Json) -> None:
    if node.get("type") != "array":
        return
    node.pop("x-kubernetes-list-map-keys", None)
    kind = draw(st.sampled_from(["atomic", "set", "map"]))
    node["x-kubernetes-list-type"] = kind
    if kind == "map":
        keys = draw(st.lists(st.sampled_from("ab"), min_size=1, max_size=2, unique=True))
        node["x-kubernetes-list-map-keys"] = keys
        if draw(st.booleans()) or node["items"].get("type") != "object":
            members: Json = {name: {"type": "string"} for name in "abc"}
            node["items"] = {"type": "object", "properties": members, "required": ["a"]}
            members["b"]["default"] = "b"


def _cel(draw: st.DrawFn, node: Json) -> None:
    kind = node.get("type")
    rules = {"object": MAP_RULES, "integer": NUMBER_RULES, "number": NUMBER_RULES, "string": TEXT_RULES}.get(
        kind
    )
    if rules is not None:
        node["x-kubernetes-validations"] = [{"rule": draw(st.sampled_from(rules))}]


@st.composite
def fitting(draw: st.DrawFn, schema: Json) -> Any:
    """A value that often keeps a schema."""
    if schema.get("nullable") and draw(st.integers(0, 3)) == 0:
        return None
    if schema.get("enum") and draw(st.integers(0, 4)):
        return copy.deepcopy(draw(st.sampled_from(schema["enum"])))
    kind = schema.get("type")
    if kind == "object":
        return draw(_objects(schema))
    if kind == "array":
        items = schema.get("items")
        return draw(st.lists(VALUES if items is None else fitting(items), max_size=3))
    if kind == "string":
        return draw(st.sampled_from(TEXTS))
    if kind in {"integer", "number"}:
        return draw(st.sampled_from(NUMBERS if kind == "number" else NUMBERS[:-2]))
    if kind == "boolean":
        return draw(st.booleans())
    if schema.get("x-kubernetes-int-or-string"):
        return draw(st.sampled_from([*TEXTS, *NUMBERS[:-2]]))
    return draw(_objects(schema) if schema.get("properties") else VALUES)


@st.composite
def _objects(draw: st.DrawFn, schema: Json) -> Json:
    made: Json = {}
    for name, member in (schema.get("properties") or {}).items():
        if name in schema.get("required", ()) or draw(st.booleans()):
            made[name] = draw(fitting(member))
    additional = schema.get("additionalProperties")
    others = fitting(additional) if isinstance(additional, dict) else VALUES
    if additional or schema.get("x-kubernetes-preserve-unknown-fields"):
        made = draw(st.dictionaries(st.sampled_from("abcde"), others, max_size=3)) | made
    if schema.get("x-kubernetes-embedded-resource"):
        made = {"apiVersion": "v1", "kind": "A", "metadata": {"labels": {"a": "b"}}} | made
    return made
