"""Value validations: types, bounds, lengths, patterns, enums, lists, objects, clauses and list types."""

from __future__ import annotations

from typing import Any

from tests.crd.harness import Case, Schemas

TYPES: dict[str, Any] = {
    "object": {},
    "array": [],
    "string": "",
    "integer": 1,
    "number": 1.5,
    "boolean": True,
    "null": None,
    "wholeFloat": 2.0,
    "hugeInteger": 2**63,
    "negativeHuge": -(2**63) - 1,
    "bigFloat": 1e30,
    "nestedNull": [None],
}

FIELDS: dict[str, Any] = {
    "object": {"type": "object"},
    "array": {"type": "array", "items": {"type": "string"}},
    "string": {"type": "string"},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "nullableString": {"type": "string", "nullable": True},
    "nullableObject": {"type": "object", "nullable": True, "properties": {"a": {"type": "string"}}},
    "intOrString": {"x-kubernetes-int-or-string": True},
    "nullableIntOrString": {"x-kubernetes-int-or-string": True, "nullable": True},
    "intOrStringAnyOf": {
        "x-kubernetes-int-or-string": True,
        "anyOf": [{"type": "integer"}, {"type": "string"}],
        "pattern": "^[0-9]+%$",
    },
    "anything": {"x-kubernetes-preserve-unknown-fields": True},
    "int32": {"type": "integer", "format": "int32"},
    "int64": {"type": "integer", "format": "int64"},
    "float": {"type": "number", "format": "float"},
    "double": {"type": "number", "format": "double"},
    "minimum": {"type": "integer", "minimum": 3},
    "maximum": {"type": "integer", "maximum": 3},
    "exclusiveMinimum": {"type": "integer", "minimum": 3, "exclusiveMinimum": True},
    "exclusiveMaximum": {"type": "integer", "maximum": 3, "exclusiveMaximum": True},
    "numberBounds": {"type": "number", "minimum": 0.5, "maximum": 2.5},
    "numberExclusive": {
        "type": "number",
        "minimum": 0.5,
        "maximum": 2.5,
        "exclusiveMinimum": True,
        "exclusiveMaximum": True,
    },
    "fractionBounds": {"type": "integer", "minimum": 0.5, "maximum": 2.5},
    "int32Bounds": {"type": "integer", "format": "int32", "minimum": 0, "maximum": 2147483648},
    "multipleOf": {"type": "integer", "multipleOf": 3},
    "multipleOfFraction": {"type": "number", "multipleOf": 0.5},
    "multipleOfNumber": {"type": "number", "multipleOf": 1.5},
    "multipleOfZero": {"type": "integer", "multipleOf": 0},
    "length": {"type": "string", "minLength": 2, "maxLength": 4},
    "maxLength1": {"type": "string", "maxLength": 1},
    "pattern": {"type": "string", "pattern": "^[a-z]+$"},
    "patternUnanchored": {"type": "string", "pattern": "b+c"},
    "patternAll": {"type": "string", "minLength": 2, "maxLength": 4, "pattern": "^a"},
    "patternDigits": {"type": "string", "pattern": "^\\d{3}$"},
    "patternUnicode": {"type": "string", "pattern": "^\\pL+$"},
    "patternFold": {"type": "string", "pattern": "(?i)^key$"},
    "enum": {"type": "string", "enum": ["a", "b"]},
    "enumNull": {"type": "string", "nullable": True, "enum": ["a", None]},
    "enumInteger": {"type": "integer", "enum": [1, 2]},
    "enumNumber": {"type": "number", "enum": [1, 2.5]},
    "enumMixed": {"x-kubernetes-int-or-string": True, "enum": [1, "a"]},
    "enumBoolean": {"type": "boolean", "enum": [True]},
    "enumArray": {"type": "array", "items": {"type": "integer"}, "enum": [[1, 2], []]},
    "enumObject": {"type": "object", "properties": {"a": {"type": "integer"}}, "enum": [{"a": 1}]},
    "items": {"type": "array", "items": {"type": "integer", "minimum": 2}, "minItems": 1, "maxItems": 3},
    "maxItems1": {"type": "array", "items": {"type": "integer"}, "maxItems": 1},
    "map": {
        "type": "object",
        "additionalProperties": {"type": "integer", "maximum": 3},
        "minProperties": 1,
        "maxProperties": 2,
    },
    "mapOfMaps": {
        "type": "object",
        "additionalProperties": {"type": "object", "additionalProperties": {"type": "string"}},
    },
    "nothingMore": {"type": "object", "additionalProperties": False},
    "anythingMore": {"type": "object", "additionalProperties": True},
    "required": {
        "type": "object",
        "required": ["a", "b"],
        "properties": {
            "a": {"type": "string"},
            "b": {"type": "object", "required": ["c"], "properties": {"c": {"type": "string"}}},
        },
    },
    "sizes": {
        "type": "object",
        "minProperties": 1,
        "maxProperties": 1,
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
    },
    "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
    "setOfNumbers": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "number"}},
    "setOfAny": {
        "type": "array",
        "x-kubernetes-list-type": "set",
        "items": {"x-kubernetes-preserve-unknown-fields": True},
    },
    "listMap": {
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
        "items": {
            "type": "object",
            "required": ["name"],
            "properties": {"name": {"type": "string"}, "value": {"type": "integer", "maximum": 10}},
        },
    },
    "listMapTwo": {
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["port", "protocol"],
        "items": {
            "type": "object",
            "required": ["port"],
            "properties": {"port": {"type": "integer"}, "protocol": {"type": "string", "default": "TCP"}},
        },
    },
    "anyOf": {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "integer"}},
        "anyOf": [{"required": ["a"]}, {"required": ["b"], "properties": {"b": {"minimum": 5}}}],
    },
    "oneOf": {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "integer"}},
        "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
    },
    "allOf": {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "integer"}},
        "allOf": [{"required": ["a"]}, {"properties": {"b": {"maximum": 3}}}],
    },
    "not": {"type": "object", "properties": {"a": {"type": "string"}}, "not": {"required": ["a"]}},
    "deep": {
        "type": "string",
        "allOf": [{"anyOf": [{"pattern": "^a"}, {"pattern": "z$"}]}, {"maxLength": 3}],
        "not": {"enum": ["bad"]},
    },
    "formatClause": {"type": "string", "anyOf": [{"format": "ipv4"}, {"format": "ipv6"}]},
    "best": {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "anyOf": [
            {"required": ["x"]},
            {"required": ["a"], "properties": {"a": {"minLength": 3}, "b": {"minLength": 3}}},
            {"minProperties": 5},
        ],
    },
    "oneOfText": {"type": "string", "oneOf": [{"pattern": "^a"}, {"minLength": 3}, {"enum": ["q"]}]},
    "itemsClause": {
        "type": "array",
        "items": {"type": "integer"},
        "anyOf": [{"items": {"minimum": 5}}, {"maxItems": 1}],
    },
}

SCHEMAS = {
    "values": Schemas(
        {
            "type": "object",
            "required": ["spec"],
            "properties": {"spec": {"type": "object", "properties": FIELDS}},
        }
    ),
    "root": Schemas(
        {
            "type": "object",
            "properties": {"spec": {"type": "object"}, "mode": {"type": "string"}, "a": {"type": "integer"}},
            "anyOf": [
                {"required": ["spec"]},
                {"required": ["mode"], "properties": {"mode": {"enum": ["x"]}}},
            ],
            "minProperties": 5,
        }
    ),
}

VALUES: dict[str, list[Any]] = {
    "int32": [2**31 - 1, 2**31, -(2**31) - 1, 1.5, "x", 3.0],
    "int64": [2**63 - 1, 1.5],
    "float": [1e38, 1e39, 3.5, 10**39, "x"],
    "double": [1e308, 1],
    "minimum": [3, 2, 2.5, 3.0, -5, 4, -(2**62)],
    "maximum": [3, 4, 3.5, 2**62],
    "exclusiveMinimum": [3, 4],
    "exclusiveMaximum": [3, 2],
    "numberBounds": [0, 0.25, 0.5, 1, 2, 2.5, 2.75, 3, 1e21, 123456789.5, 1e-7],
    "numberExclusive": [0.5, 2.5, 1, 0, 3],
    "fractionBounds": [0, 1, 2, 3],
    "int32Bounds": [-1, 5],
    "multipleOf": [3, 4, 0, -6, 4.5, 6.0, "x"],
    "multipleOfFraction": [0.25, 0.5, 1.5, 2, 0.0],
    "multipleOfNumber": [1.5, 3.0, 3, 2, 2.5],
    "multipleOfZero": [0, 1],
    "length": [
        "a",
        "ab",
        "abcd",
        "abcde",
        "\u00e9\u00e9",
        "\u00e9",
        "\U0001f600\U0001f600\U0001f600\U0001f600",
    ],
    "maxLength1": ["a", "ab"],
    "pattern": ["abc", "Abc", "", "abc\n", "a b", 'quo"te', "<&>"],
    "patternUnanchored": ["abbcx", "ac"],
    "patternAll": ["a", "b", "bbbbbb", "bbb", "abc"],
    "patternDigits": ["123", "12", "\u0661\u0662\u0663"],
    "patternUnicode": ["\u00e9", "1", "abc\u4e2d"],
    "patternFold": ["KEY", "\u212aey", "kez"],
    "enum": ["a", "c", "", 1],
    "enumNull": ["a", "b", None],
    "enumInteger": [1, 3, 1.5, 2.0, "1"],
    "enumNumber": [1, 1.5, 2.5, 2, 3],
    "enumMixed": [1, "a", 2, "b", 97],
    "enumBoolean": [True, False],
    "enumArray": [[1, 2], [], [2], [1]],
    "enumObject": [{"a": 1}, {"a": 2}, {}],
    "items": [[], [2], [1], [2, 3, 4, 5], [1, "x", None], [[2]], {"a": 1}],
    "maxItems1": [[1, 2]],
    "map": [{}, {"a": 1}, {"a": 4}, {"a": 1, "b": 2, "c": 3}, {"a": "x"}, {"a.b": 5}, {"": 9}, [1]],
    "mapOfMaps": [{"a": {"b": "c"}}, {"a": {"b": 1}}, {"a": "x"}, {"a": None}, {"a": {"b": None}}],
    "nothingMore": [{}, {"a": 1}],
    "anythingMore": [{"a": 1}, {"a": {"b": 1}}, {"a": [{"b": 1}]}],
    "required": [{}, {"a": "x"}, {"a": "x", "b": {}}, {"a": "x", "b": {"c": "y"}}, {"a": None, "b": None}],
    "sizes": [{}, {"a": "x"}, {"a": "x", "b": "y"}],
    "set": [["a", "b"], ["a", "a"], ["a", "a", "a"], ["b", "a", "b", "a"]],
    "setOfNumbers": [[1, 1.0], [1, 1], [1.5, 1.5], [1, 2]],
    "setOfAny": [
        [{"a": 1, "b": 2}, {"b": 2, "a": 1}],
        [True, 1],
        [[1], [1]],
        ["1", 1],
        [{"a": 1.0}, {"a": 1}],
    ],
    "listMap": [
        [{"name": "a"}, {"name": "b"}],
        [{"name": "a"}, {"name": "a", "value": 1}],
        [{}, {}],
        [{"name": "a", "value": 11}],
        ["x", {"name": "a"}],
        [None, None],
        [{"name": 1}, {"name": 1}],
        [{"name": "a"}, {"value": 1}, {"value": 2}],
    ],
    "listMapTwo": [
        [{"port": 1}, {"port": 1}],
        [{"port": 1}, {"port": 1, "protocol": "UDP"}],
        [{"port": 1}, {"port": 1, "protocol": "TCP"}],
        [{"protocol": "a"}, {"protocol": "a"}],
    ],
    "anyOf": [{}, {"a": "x"}, {"b": 1}, {"b": 5}, {"a": 1}],
    "oneOf": [{}, {"a": "x"}, {"a": "x", "b": 1}, {"b": 1}, {"a": 1, "b": "x"}],
    "allOf": [{}, {"a": "x"}, {"a": "x", "b": 4}, {"b": 4}],
    "not": [{}, {"a": "x"}],
    "deep": ["a", "z", "b", "bad", "abcd", "bbbb", "xyz"],
    "formatClause": ["1.2.3.4", "::1", "x"],
    "best": [{}, {"a": "x"}, {"a": "x", "b": "y"}, {"a": "xxx", "b": "y"}],
    "oneOfText": ["a", "abc", "b", "q", "bcd"],
    "itemsClause": [[1, 2], [5, 6], [1], [], [6, 1]],
    "intOrStringAnyOf": [5, "5%", "x", True, 1.5],
}

CASES = [
    Case(f"{name} as {given}", "values", {"spec": {name: value}})
    for name in list(FIELDS)[:15]
    for given, value in TYPES.items()
]
CASES += [
    Case(f"{name} {index}", "values", {"spec": {name: value}})
    for name, values in VALUES.items()
    for index, value in enumerate(values)
]
CASES += [
    Case("no spec", "values", {}),
    Case("spec null", "values", {"spec": None}),
    Case("spec text", "values", {"spec": "x"}),
    Case(
        "many errors",
        "values",
        {"spec": {"string": 1, "integer": "x", "enum": "q", "length": "a", "set": ["a", "a"]}},
    ),
    Case("root bad", "root", {}),
    Case("root good", "root", {"spec": {}, "mode": "x"}),
    Case("root mode", "root", {"mode": "y", "a": 1}),
    Case("root few", "root", {"spec": {}}),
]
