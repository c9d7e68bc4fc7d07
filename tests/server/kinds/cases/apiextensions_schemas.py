"""The schemas of CustomResourceDefinitions."""

from __future__ import annotations

from typing import Any

from tests.server.kinds.cases.apiextensions import OBJECT, crd
from tests.server.kinds.harness import Case

LIST_MAP = {
    "type": "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
    "items": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}},
}
POD = {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}

SPECS: dict[str, dict[str, Any]] = {}

FIELDS: dict[str, Any] = {
    "text": {
        "type": "string",
        "description": "d",
        "title": "t",
        "example": "e",
        "externalDocs": {"url": "u"},
    },
    "no type": {},
    "unknown type": {"type": "foo"},
    "null type": {"type": "null"},
    "array without items": {"type": "array"},
    "items as list": {"type": "array", "items": [{"type": "string"}]},
    "items without type": {"type": "array", "items": {}},
    "uniqueItems": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
    "both kinds of properties": {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "additionalProperties": {"type": "string"},
    },
    "additionalProperties true beside": {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "additionalProperties": True,
    },
    "additionalProperties false beside": {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "additionalProperties": False,
    },
    "additionalProperties without type": {"type": "object", "additionalProperties": {}},
    "ref": {"$ref": "#/x", "type": "string"},
    "id": {"id": "x", "type": "string"},
    "definitions": {"type": "object", "definitions": {"a": {"type": "string"}}},
    "dependencies": {"type": "object", "dependencies": {"a": ["b"]}},
    "patternProperties": {"type": "object", "patternProperties": {"a": {"type": "string"}}},
    "additionalItems": {"type": "array", "items": {"type": "string"}, "additionalItems": True},
    "preserve false": {"type": "object", "x-kubernetes-preserve-unknown-fields": False},
    "preserve": {"x-kubernetes-preserve-unknown-fields": True},
    "int or string": {"x-kubernetes-int-or-string": True},
    "int or string anyOf": {
        "x-kubernetes-int-or-string": True,
        "anyOf": [{"type": "integer"}, {"type": "string"}],
    },
    "int or string allOf": {
        "x-kubernetes-int-or-string": True,
        "allOf": [{"anyOf": [{"type": "integer"}, {"type": "string"}]}, {"maxLength": 3}],
    },
    "int or string and preserve": {
        "x-kubernetes-int-or-string": True,
        "x-kubernetes-preserve-unknown-fields": True,
    },
    "int or string and embedded": {
        "x-kubernetes-int-or-string": True,
        "x-kubernetes-embedded-resource": True,
    },
    "types in clauses": {"type": "string", "anyOf": [{"type": "string"}]},
    "clause with default": {
        "type": "string",
        "allOf": [{"default": "a", "title": "t", "description": "d", "nullable": True}],
    },
    "clause with extensions": {
        "type": "array",
        "items": {"type": "string"},
        "allOf": [
            {
                "x-kubernetes-list-type": "set",
                "x-kubernetes-int-or-string": True,
                "x-kubernetes-embedded-resource": True,
                "x-kubernetes-preserve-unknown-fields": True,
                "x-kubernetes-map-type": "atomic",
            }
        ],
    },
    "clause with additionalProperties": {
        "type": "object",
        "additionalProperties": {"type": "string"},
        "not": {"additionalProperties": {"maxLength": 3}},
    },
    "clause with additionalProperties false": {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "not": {"additionalProperties": False},
    },
    "clause about unknown": {"type": "object", "anyOf": [{"properties": {"b": {"minimum": 1}}}]},
    "clause about unknown items": {"type": "object", "oneOf": [{"items": {"minimum": 1}}]},
    "clause about metadata": {
        "type": "object",
        "properties": {"metadata": OBJECT},
        "allOf": [{"properties": {"metadata": {"required": ["a"]}}}],
    },
    "nested clauses": {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "allOf": [{"not": {"anyOf": [{"properties": {"a": {"type": "string", "pattern": "("}}}]}}],
    },
    "pattern": {"type": "string", "pattern": "^[a-z]+$"},
    "bad pattern": {"type": "string", "pattern": "a**"},
    "look-ahead": {"type": "string", "pattern": "(?=a)"},
    "map type": {"type": "object", "x-kubernetes-map-type": "atomic"},
    "bad map type": {"type": "object", "x-kubernetes-map-type": "big"},
    "map type of text": {"type": "string", "x-kubernetes-map-type": "atomic"},
    "map type of nothing": {"x-kubernetes-preserve-unknown-fields": True, "x-kubernetes-map-type": "atomic"},
    "list type of text": {"type": "string", "x-kubernetes-list-type": "set"},
    "list type of nothing": {"x-kubernetes-preserve-unknown-fields": True, "x-kubernetes-list-type": "set"},
    "bad list type": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "bag"},
    "set": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
    "set of objects": {"type": "array", "items": OBJECT, "x-kubernetes-list-type": "set"},
    "set of atomic objects": {
        "type": "array",
        "items": {"type": "object", "x-kubernetes-map-type": "atomic"},
        "x-kubernetes-list-type": "set",
    },
    "set of sets": {
        "type": "array",
        "x-kubernetes-list-type": "set",
        "items": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
    },
    "set of nullables": {
        "type": "array",
        "items": {"type": "string", "nullable": True},
        "x-kubernetes-list-type": "set",
    },
    "list map": LIST_MAP,
    "list map of nullables": {**LIST_MAP, "items": {**LIST_MAP["items"], "nullable": True}},
    "list map without keys": {**LIST_MAP, "x-kubernetes-list-map-keys": []},
    "list map of texts": {**LIST_MAP, "items": {"type": "string"}},
    "list map with unknown key": {**LIST_MAP, "x-kubernetes-list-map-keys": ["other"]},
    "list map with key twice": {**LIST_MAP, "x-kubernetes-list-map-keys": ["name", "name"]},
    "list map with object key": {
        **LIST_MAP,
        "items": {"type": "object", "required": ["name"], "properties": {"name": OBJECT}},
    },
    "list map with optional key": {
        **LIST_MAP,
        "items": {"type": "object", "properties": {"name": {"type": "string"}}},
    },
    "list map with default key": {
        **LIST_MAP,
        "items": {"type": "object", "properties": {"name": {"type": "string", "default": "a"}}},
    },
    "list map with nullable key": {
        **LIST_MAP,
        "items": {
            "type": "object",
            "required": ["name"],
            "properties": {"name": {"type": "string", "nullable": True}},
        },
    },
    "list map without items": {
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["a"],
    },
    "keys without list type": {
        "type": "array",
        "items": {"type": "string"},
        "x-kubernetes-list-map-keys": ["a"],
    },
    "keys of a set": {
        "type": "array",
        "items": {"type": "string"},
        "x-kubernetes-list-type": "set",
        "x-kubernetes-list-map-keys": ["a"],
    },
    "embedded": POD,
    "embedded text": {"type": "string", "x-kubernetes-embedded-resource": True},
    "embedded nothing": {
        "x-kubernetes-preserve-unknown-fields": True,
        "x-kubernetes-embedded-resource": True,
    },
    "embedded without properties": {"type": "object", "x-kubernetes-embedded-resource": True},
    "embedded map": {**POD, "additionalProperties": {"type": "string"}},
    "embedded with metadata": {
        **POD,
        "properties": {
            "metadata": {"type": "object", "properties": {"labels": OBJECT}},
            "kind": {"type": "string"},
        },
    },
    "embedded with bad meta": {
        **POD,
        "properties": {"kind": {"type": "integer"}, "metadata": {"type": "string"}},
    },
    "embedded within metadata": {
        **POD,
        "properties": {"metadata": {"type": "object", "properties": {"x": POD}}},
    },
    "default": {"type": "string", "default": "a"},
    "default of wrong type": {"type": "string", "default": 1},
    "default too long": {"type": "string", "maxLength": 1, "default": "ab"},
    "default not in enum": {"type": "string", "enum": ["a"], "default": "b"},
    "default object": {"type": "object", "properties": {"a": {"type": "string"}}, "default": {"a": "b"}},
    "default with unknown": {"type": "object", "properties": {"a": {"type": "string"}}, "default": {"b": 1}},
    "default lacks required": {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "required": ["a"],
        "default": {},
    },
    "default in items": {
        "type": "array",
        "items": {"type": "object", "properties": {"a": {"type": "integer", "default": "x"}}},
    },
    "default in map": {"type": "object", "additionalProperties": {"type": "string", "default": "x"}},
    "default bad int or string": {"x-kubernetes-int-or-string": True, "default": True},
    "default of clause": {"type": "string", "anyOf": [{"pattern": "^a"}, {"pattern": "^b"}], "default": "c"},
    "default false": {"type": "boolean", "default": False},
    "default zero": {"type": "integer", "default": 0},
    "default embedded": {**POD, "default": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}},
    "default embedded without kind": {**POD, "default": {"apiVersion": "v1"}},
    "default embedded with bad labels": {
        **POD,
        "default": {"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": {"a b": "c"}}},
    },
    "default embedded of wrong type": {**POD, "default": {"apiVersion": "v1", "kind": 1}},
    "default embedded metadata of wrong type": {
        **POD,
        "default": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": 1}},
    },
    "default in embedded metadata": {
        **POD,
        "properties": {
            "metadata": {"type": "object", "properties": {"name": {"type": "string", "default": "good"}}}
        },
    },
    "bad default in embedded metadata": {
        **POD,
        "properties": {
            "metadata": {"type": "object", "properties": {"name": {"type": "string", "default": "a/b"}}}
        },
    },
    "default kind": {**POD, "properties": {"kind": {"type": "string", "default": "Pod"}}},
    "bad default kind": {**POD, "properties": {"kind": {"type": "string", "default": "not ok"}}},
    "default in embedded labels": {
        **POD,
        "properties": {
            "metadata": {
                "type": "object",
                "properties": {
                    "labels": {"type": "object", "additionalProperties": {"type": "string", "default": "x"}}
                },
            }
        },
    },
    "format": {"type": "string", "format": "date-time"},
    "unknown format": {"type": "string", "format": "color"},
    "int format": {"type": "integer", "format": "int32"},
    "bad int format": {"type": "integer", "format": "uint8"},
    "object format": {"type": "object", "format": "date"},
    "float format": {"type": "number", "format": "double"},
}
for key, value in FIELDS.items():
    SPECS[f"field {key}"] = crd({"type": "object", "properties": {"field": value}})

RULES: dict[str, Any] = {
    "rule": {"type": "string", "x-kubernetes-validations": [{"rule": "self.size() < 3"}], "maxLength": 5},
    "rule and default": {
        "type": "string",
        "maxLength": 5,
        "x-kubernetes-validations": [{"rule": "self.size() < 3", "message": "too long"}],
        "default": "abcd",
    },
    "rule and good default": {
        "type": "string",
        "maxLength": 5,
        "x-kubernetes-validations": [{"rule": "self.size() < 3"}],
        "default": "ab",
    },
    "rule that does not compile": {"type": "string", "x-kubernetes-validations": [{"rule": "self.nothing"}]},
    "rule in a clause": {"type": "string", "allOf": [{"x-kubernetes-validations": [{"rule": "true"}]}]},
    "empty rule": {"type": "string", "x-kubernetes-validations": [{"rule": " "}]},
}
for key, value in RULES.items():
    SPECS[f"field {key}"] = crd({"type": "object", "properties": {"field": value}})

ROOTS: dict[str, Any] = {
    "kind integer": {"kind": {"type": "integer"}},
    "apiVersion": {"apiVersion": {"type": "string"}},
    "metadata text": {"metadata": {"type": "string"}},
    "metadata name": {
        "metadata": {"type": "object", "properties": {"name": {"type": "string", "maxLength": 3}}}
    },
    "metadata both": {
        "metadata": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "generateName": {"type": "string"}},
        }
    },
    "metadata labels": {"metadata": {"type": "object", "properties": {"labels": OBJECT}}},
    "metadata required": {"metadata": {"type": "object", "required": ["name"]}},
    "metadata described": {"metadata": {"type": "object", "description": "d"}},
    "metadata default": {"metadata": {"type": "object", "default": {}}},
    "metadata name default": {
        "metadata": {"type": "object", "properties": {"name": {"type": "string", "default": "a"}}}
    },
    "kind default": {"kind": {"type": "string", "default": "A"}},
}
for key, value in ROOTS.items():
    SPECS[f"root {key}"] = crd({"type": "object", "properties": value})

CASES = [Case(name, obj) for name, obj in SPECS.items()]
