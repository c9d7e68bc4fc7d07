"""Schemas with rules, objects and old objects, which a real kube-apiserver was asked about."""

from __future__ import annotations

from typing import Any, NamedTuple

Json = dict[str, Any]


class Case(NamedTuple):
    """The create of `spec` under a schema of `spec`, or with `old` its update from there."""

    name: str
    schema: Json
    spec: Any
    old: Any = None
    root: Json = {}
    """What the schema of the whole object has besides."""


def rules(*texts: str | Json) -> list[Json]:
    return [{"rule": text} if isinstance(text, str) else text for text in texts]


def obj(properties: Json, *texts: str | Json, **more: Any) -> Json:
    made = {"type": "object", "properties": properties, **more}
    if texts:
        made["x-kubernetes-validations"] = rules(*texts)
    return made


TEXT: Json = {"type": "string", "maxLength": 20}
INT: Json = {"type": "integer"}


def text(*texts: str | Json, **more: Any) -> Json:
    return {**TEXT, **more, "x-kubernetes-validations": rules(*texts)}


def number(*texts: str | Json) -> Json:
    return {**INT, "x-kubernetes-validations": rules(*texts)}


IMMUTABLE: Json = {"rule": "self == oldSelf", "message": "immutable"}
ITEM = obj({"k": TEXT, "v": number("self > 0")}, "self.v < 100", required=["k"])


def listed(items: Json, kind: str = "atomic", *texts: str | Json, **more: Any) -> Json:
    made = {"type": "array", "maxItems": 10, "items": items, "x-kubernetes-list-type": kind, **more}
    if kind == "map":
        made["x-kubernetes-list-map-keys"] = ["k"]
    if texts:
        made["x-kubernetes-validations"] = rules(*texts)
    return made


def mapped(values: Json, *texts: str | Json) -> Json:
    made: Json = {"type": "object", "maxProperties": 10, "additionalProperties": values}
    if texts:
        made["x-kubernetes-validations"] = rules(*texts)
    return made


GROWING = obj({"k": TEXT, "v": number("self >= oldSelf")}, "self.v >= oldSelf.v", required=["k"])

KEYWORDS = (
    *("as", "break", "const", "continue", "else", "for", "function", "if", "import", "in", "false"),
    *("let", "loop", "namespace", "null", "package", "return", "true", "var", "void", "while"),
)

CASES: list[Case] = [
    Case("passes", obj({"a": INT}, "self.a > 1"), {"a": 2}),
    Case("fails", obj({"a": INT}, "self.a > 1"), {"a": 1}),
    Case("message", obj({"a": INT}, {"rule": "self.a > 1", "message": " too small "}), {"a": 1}),
    Case(
        "messageExpression",
        obj({"a": INT}, {"rule": "self.a > 1", "messageExpression": "'a is %d'.format([self.a])"}),
        {"a": 1},
    ),
    Case(
        "messageExpression before message",
        obj({"a": INT}, {"rule": "self.a > 1", "message": "m", "messageExpression": "'expr'"}),
        {"a": 1},
    ),
    Case(
        "messageExpression that fails",
        obj(
            {"a": INT},
            {"rule": "self.a > 1", "message": "m", "messageExpression": "string(1 / (self.a - 1))"},
        ),
        {"a": 1},
    ),
    Case(
        "messageExpression that is empty",
        obj({"a": INT}, {"rule": "self.a > 1", "messageExpression": "'  '.trim()"}),
        {"a": 1},
    ),
    Case(
        "messageExpression with a line break",
        obj({"a": INT}, {"rule": "self.a > 1", "messageExpression": "'a\\nb'"}),
        {"a": 1},
    ),
    Case("scalar value shown", obj({"a": text("self == 'x'")}), {"a": "y"}),
    Case("number shown", obj({"a": number("self > 5")}), {"a": 3}),
    Case(
        "double shown",
        obj({"a": {"type": "number", "x-kubernetes-validations": rules("self > 5.0")}}),
        {"a": 1.50},
    ),
    Case(
        "whole double",
        obj({"a": {"type": "number", "x-kubernetes-validations": rules("self > 5.0")}}),
        {"a": 1},
    ),
    Case(
        "bool shown",
        obj({"a": {"type": "boolean", "x-kubernetes-validations": rules("self")}}),
        {"a": False},
    ),
    Case(
        "int-or-string",
        obj({"a": {"x-kubernetes-int-or-string": True, "x-kubernetes-validations": rules("self == 5")}}),
        {"a": "x"},
    ),
    Case("list not shown", obj({"a": listed(INT, "atomic", "self.size() < 2")}), {"a": [1, 2]}),
    *(
        Case(f"reason {reason}", obj({"a": INT}, {"rule": "self.a > 1", "reason": reason}), {"a": 1})
        for reason in (
            "FieldValueInvalid",
            "FieldValueForbidden",
            "FieldValueRequired",
            "FieldValueDuplicate",
        )
    ),
    Case(
        "reason Duplicate of a scalar",
        obj({"a": number({"rule": "self > 1", "reason": "FieldValueDuplicate"})}),
        {"a": 1},
    ),
    Case(
        "fieldPath",
        obj({"a": INT, "o": obj({"x": TEXT})}, {"rule": "self.a > 1", "fieldPath": ".o.x"}),
        {"a": 1},
    ),
    Case(
        "fieldPath with brackets",
        obj({"a": INT, "o": obj({"x.y": TEXT})}, {"rule": "self.a > 1", "fieldPath": ".o['x.y']"}),
        {"a": 1},
    ),
    Case(
        "fieldPath into a map",
        obj({"a": INT, "m": mapped(TEXT)}, {"rule": "self.a > 1", "fieldPath": ".m['k']"}),
        {"a": 1},
    ),
    Case("several rules", obj({"a": INT}, "self.a > 1", "self.a > 0", "self.a < 0"), {"a": 1}),
    Case("nested", obj({"o": obj({"p": obj({"a": INT}, "self.a > 1")})}), {"o": {"p": {"a": 1}}}),
    Case("elements", obj({"l": listed(ITEM)}), {"l": [{"k": "a", "v": 0}, {"k": "b", "v": 100}]}),
    Case("map values", obj({"m": mapped(number("self > 1"))}), {"m": {"x": 1, "y.z": 0, "ok": 2}}),
    Case("runtime error", obj({"a": INT, "l": listed(INT)}, "self.l[self.a] > 0"), {"a": 5, "l": [1]}),
    Case("missing key", obj({"a": INT, "b": INT}, "self.b > 0"), {"a": 5}),
    Case("no such overload", obj({"a": {"x-kubernetes-int-or-string": True}}, "self.a > 5"), {"a": "x"}),
    Case(
        "runtime error with message",
        obj({"a": INT, "b": INT}, {"rule": "self.b > 0", "message": "msg"}),
        {"a": 5},
    ),
    Case("absent field has no rules", obj({"a": number("self > 1")}), {}),
    Case(
        "null has no rules",
        obj({"a": {**number("self > 1"), "nullable": True}}),
        {"a": None},
    ),
    Case(
        "nullable items",
        obj({"l": listed({**INT, "nullable": True}, "atomic", "self.all(x, x != null)")}),
        {"l": [1, None]},
    ),
    Case("create skips transitions", obj({"a": INT}, IMMUTABLE), {"a": 1}),
    Case("transition fails", obj({"a": INT}, IMMUTABLE), {"a": 2}, {"a": 1}),
    Case("transition passes", obj({"a": INT, "b": number(IMMUTABLE)}), {"a": 2, "b": 1}, {"a": 1, "b": 1}),
    Case("transition of a new field", obj({"a": number(IMMUTABLE)}), {"a": 2}, {}),
    Case("transition of a scalar", obj({"a": text(IMMUTABLE)}), {"a": "y"}, {"a": "x"}),
    Case(
        "transitions in a map list",
        obj({"l": listed(GROWING, "map")}),
        {"l": [{"k": "b", "v": 1}, {"k": "a", "v": 5}, {"k": "new", "v": 0}]},
        {"l": [{"k": "a", "v": 4}, {"k": "b", "v": 2}]},
    ),
    Case(
        "transitions in a map",
        obj({"m": mapped(number("self >= oldSelf"))}),
        {"m": {"a": 1, "b": 5, "new": 0}},
        {"m": {"a": 2, "b": 5}},
    ),
    Case(
        "optionalOldSelf on create",
        obj({"a": INT}, {"rule": "oldSelf.hasValue() || self.a == 0", "optionalOldSelf": True}),
        {"a": 1},
    ),
    Case(
        "optionalOldSelf on update",
        obj(
            {"a": INT},
            {"rule": "!oldSelf.hasValue() || self.a > oldSelf.value().a", "optionalOldSelf": True},
        ),
        {"a": 1},
        {"a": 2},
    ),
    Case(
        "optionalOldSelf with a selection",
        obj(
            {"a": INT},
            {"rule": "oldSelf.?a.orValue(9) == self.a", "optionalOldSelf": True},
        ),
        {"a": 1},
        {"a": 2},
    ),
    Case(
        "ratcheting: unchanged",
        obj({"a": INT, "b": text("self != 'bad'")}),
        {"a": 2, "b": "bad"},
        {"a": 1, "b": "bad"},
    ),
    Case("ratcheting: changed", obj({"a": INT, "b": text("self != 'bad'")}), {"b": "bad"}, {"b": "ok"}),
    Case(
        "ratcheting: parent changed",
        obj({"a": INT, "b": TEXT}, "self.b != 'bad'"),
        {"a": 2, "b": "bad"},
        {"a": 1, "b": "bad"},
    ),
    Case(
        "ratcheting: map list element",
        obj({"l": listed(ITEM, "map")}),
        {"l": [{"k": "a", "v": 0}, {"k": "b", "v": 0}]},
        {"l": [{"k": "b", "v": 0}, {"k": "a", "v": 1}]},
    ),
    Case(
        "ratcheting: atomic list changed",
        obj({"l": listed(ITEM)}),
        {"l": [{"k": "a", "v": 0}, {"k": "b", "v": 1}]},
        {"l": [{"k": "a", "v": 0}]},
    ),
    Case(
        "ratcheting: atomic list unchanged",
        obj({"a": INT, "l": listed(ITEM)}),
        {"a": 1, "l": [{"k": "a", "v": 0}]},
        {"a": 2, "l": [{"k": "a", "v": 0}]},
    ),
    Case(
        "ratcheting: map value",
        obj({"m": mapped(number("self > 1"))}),
        {"m": {"x": 0, "y": 0}},
        {"m": {"x": 0, "y": 5}},
    ),
    Case(
        "ratcheting: runtime errors count",
        obj({"a": INT, "b": number("self / 0 > 1")}),
        {"a": 1, "b": 1},
        {"a": 2, "b": 1},
    ),
    Case(
        "ratcheting: transition rules count",
        obj({"a": INT, "b": number("self > oldSelf")}),
        {"a": 1, "b": 1},
        {"a": 2, "b": 1},
    ),
    Case(
        "ratcheting: reordered map list is unchanged",
        obj({"a": INT, "l": listed(obj({"k": TEXT, "v": INT}, required=["k"]), "map", "self.size() < 2")}),
        {"a": 1, "l": [{"k": "b"}, {"k": "a"}]},
        {"a": 2, "l": [{"k": "a"}, {"k": "b"}]},
    ),
    Case(
        "root",
        obj({"a": INT}),
        {"a": 1},
        root={
            "x-kubernetes-validations": rules(
                "self.metadata.name == 'other'", "self.apiVersion.endsWith('/v2')"
            )
        },
    ),
    Case(
        "root with spec",
        obj({"a": INT}),
        {"a": 1},
        root={
            "x-kubernetes-validations": rules(
                "self.spec.a > 1", {"rule": "self.spec.a > 2", "fieldPath": ".spec.a"}
            )
        },
    ),
    Case(
        "root transition",
        obj({"a": INT}),
        {"a": 1},
        {"a": 2},
        root={"x-kubernetes-validations": rules("self.spec.a > oldSelf.spec.a")},
    ),
    Case(
        "embedded resource",
        obj(
            {
                "e": {
                    "type": "object",
                    "x-kubernetes-embedded-resource": True,
                    "x-kubernetes-preserve-unknown-fields": True,
                    "x-kubernetes-validations": rules("self.kind == 'Pod'", "self.metadata.name == 'p'"),
                }
            }
        ),
        {"e": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "q"}}},
    ),
    Case(
        "escaped names",
        obj({"foo-bar": TEXT, "namespace": TEXT}, "self.foo__dash__bar == self.__namespace__"),
        {"foo-bar": "a", "namespace": "b"},
    ),
    Case(
        "names that cannot be escaped",
        obj({"1st": number("self > 1"), "ü": number("self > 1")}),
        {"1st": 1, "ü": 1},
    ),
    Case(
        "unicode paths",
        obj({"m": mapped(text("self == 'x'"))}),
        {"m": {"ключ": "значение", 'quo"te': "a\nb"}},
    ),
    Case(
        "set list",
        obj({"l": listed(TEXT, "set", "self == oldSelf")}),
        {"l": ["a", "b"]},
        {"l": ["b", "a"]},
    ),
    Case(
        "map list equality",
        obj({"l": listed(obj({"k": TEXT, "v": INT}, required=["k"]), "map", "self == oldSelf")}),
        {"l": [{"k": "a", "v": 1}, {"k": "b"}]},
        {"l": [{"k": "b"}, {"k": "a", "v": 1}]},
    ),
    Case(
        "atomic list equality",
        obj({"l": listed(TEXT, "atomic", "self == oldSelf")}),
        {"l": ["a", "b"]},
        {"l": ["b", "a"]},
    ),
    Case(
        "dates",
        obj(
            {
                "d": {
                    "type": "string",
                    "format": "date-time",
                    "x-kubernetes-validations": rules("self < timestamp('2020-01-01T00:00:00Z')"),
                }
            }
        ),
        {"d": "2024-01-01T00:00:00Z"},
    ),
    Case(
        "durations",
        obj(
            {
                "d": {
                    "type": "string",
                    "format": "duration",
                    "x-kubernetes-validations": rules("self < duration('1m')"),
                }
            }
        ),
        {"d": "2 days"},
    ),
    Case(
        "unknown fields compare",
        obj(
            {
                "o": {
                    "type": "object",
                    "x-kubernetes-preserve-unknown-fields": True,
                    "x-kubernetes-validations": rules("self == oldSelf"),
                }
            }
        ),
        {"o": {"a": {"b": 1}}},
        {"o": {"a": {"b": 2}}},
    ),
    Case(
        "object equality with nulls",
        obj({"o": obj({"a": {**TEXT, "nullable": True}, "b": TEXT}, "self == oldSelf")}),
        {"o": {"a": None, "b": "x"}},
        {"o": {"b": "x"}},
    ),
    Case("uncorrelatable", obj({"l": listed(GROWING)}), {}),
    Case("uncorrelatable set", obj({"l": listed(text("self == oldSelf"), "set")}), {}),
    Case("optionalOldSelf unused", obj({"a": INT}, {"rule": "self.a > 1", "optionalOldSelf": True}), {}),
    Case("optionalOldSelf false", obj({"a": INT}, {"rule": "self.a > 1", "optionalOldSelf": False}), {}),
    Case("empty rule", obj({"a": INT}, " "), {}),
    Case("empty message", obj({"a": INT}, {"rule": "self.a > 1", "message": " "}), {}),
    Case("message of lines", obj({"a": INT}, {"rule": "self.a > 1", "message": "a\nb"}), {}),
    Case("rule of lines", obj({"a": INT}, "self.a >\n 1"), {}),
    Case("rule of lines with message", obj({"a": INT}, {"rule": "self.a >\n 1", "message": "m"}), {"a": 0}),
    Case(
        "error in a rule of lines", obj({"a": INT}, {"rule": "self.a >\n\t'ü' + self.ä", "message": "m"}), {}
    ),
    Case("wrong reason", obj({"a": INT}, {"rule": "self.a > 1", "reason": "Nope"}), {}),
    Case("wrong fieldPath", obj({"a": INT}, {"rule": "self.a > 1", "fieldPath": ".b"}), {}),
    Case("fieldPath without dot", obj({"a": INT}, {"rule": "self.a > 1", "fieldPath": "a"}), {}),
    Case(
        "fieldPath with an index",
        obj({"a": INT, "l": listed(INT)}, {"rule": "self.a > 1", "fieldPath": ".l[0]"}),
        {},
    ),
    Case("fieldPath empty", obj({"a": INT}, {"rule": "self.a > 1", "fieldPath": " "}), {}),
    Case(
        "messageExpression no text",
        obj({"a": INT}, {"rule": "self.a > 1", "messageExpression": "self.a"}),
        {},
    ),
    Case(
        "messageExpression wrong", obj({"a": INT}, {"rule": "self.a > 1", "messageExpression": "self.b"}), {}
    ),
    Case(
        "messageExpression never",
        obj({"a": INT}, {"rule": "self.a > 1", "messageExpression": "string(int('x'))"}),
        {},
    ),
    Case("messageExpression blank", obj({"a": INT}, {"rule": "self.a > 1", "messageExpression": " "}), {}),
    Case(
        "cost: call limit",
        obj(
            {"l": listed({**TEXT, "maxLength": 10}, "atomic", maxItems=100)},
            "self.l.all(x, self.l.all(y, self.l.all(z, x != '' && y != '' && z != '')))",
        ),
        {"l": [f"x{n}" for n in range(100)]},
    ),
    Case(
        "cost: under the limit",
        obj(
            {"l": listed({**TEXT, "maxLength": 10}, "atomic", maxItems=50)},
            "self.l.all(x, self.l.all(y, x != '' && y != ''))",
        ),
        {"l": [f"x{n}" for n in range(50)]},
    ),
    *(
        Case(f"keyword {word}", obj({word: TEXT}, f"self.{word} == self.__{word}__"), {word: "a"})
        for word in KEYWORDS
    ),
    *(
        Case(f"keyword {word} fails", obj({word: TEXT}, f"self.{word} == 'a'"), {word: "b"})
        for word in KEYWORDS
    ),
    Case("keyword absent", obj({"const": TEXT}, "self.const == 'a'"), {}),
    Case("keyword absent, tested", obj({"const": TEXT}, "!has(self.const) || self.const == 'a'"), {}),
    Case(
        "keyword field that is null",
        obj({"var": {**TEXT, "nullable": True}}, "!has(self.var)"),
        {"var": None},
    ),
    Case(
        "keyword map",
        obj({"namespace": mapped(TEXT)}, "self.namespace.a == 'b' && self.__namespace__.a == 'b'"),
        {"namespace": {"a": "c"}},
    ),
    Case(
        "keyword map of lists",
        obj(
            {"if": obj({"const": mapped(listed(TEXT))})},
            "self.if.const.a[0] == 'x' && self.__if__.const.a[0] == 'x' && self.if.__const__.a.size() == 2",
        ),
        {"if": {"const": {"a": ["x", "y"]}}},
    ),
    Case(
        "keyword map of lists, tested",
        obj({"if": obj({"const": mapped(listed(TEXT))})}, "has(self.if.const) && self.if.const.a[0] == 'x'"),
        {"if": {"const": {"a": ["y"]}}},
    ),
    Case(
        "keyword of the wrong type",
        obj({"if": obj({"const": mapped(listed(TEXT))})}, "self.if.const == 1 && self.if == 2"),
        {},
    ),
    Case(
        "keyword in a transition",
        obj({"namespace": TEXT}, "self.namespace == oldSelf.namespace"),
        {"namespace": "b"},
        old={"namespace": "a"},
    ),
    Case(
        "keyword in an optional transition",
        obj(
            {"namespace": TEXT},
            {
                "rule": "oldSelf.?namespace.orValue('a') == self.namespace",
                "optionalOldSelf": True,
                "messageExpression": "'not ' + self.namespace",
            },
        ),
        {"namespace": "b"},
    ),
    Case("keyword of a scalar", obj({"package": text("self != 'b'")}), {"package": "b"}),
    Case(
        "keyword in a list of objects",
        obj({"l": listed(obj({"package": TEXT}))}, "self.l.all(x, x.package != 'b')"),
        {"l": [{"package": "a"}, {"package": "b"}]},
    ),
    Case(
        "keyword as the key of a list",
        obj(
            {
                "l": {
                    **listed(obj({"if": TEXT, "v": INT}, required=["if"]), "map"),
                    "x-kubernetes-list-map-keys": ["if"],
                }
            },
            "self.l == oldSelf.l && self.l[0].if == oldSelf.l[1].__if__",
        ),
        {"l": [{"if": "a", "v": 1}, {"if": "b", "v": 2}]},
        old={"l": [{"if": "b", "v": 2}, {"if": "a", "v": 1}]},
    ),
    Case(
        "keyword as a field path",
        obj({"if": TEXT}, {"rule": "self.if == 'a'", "fieldPath": ".if"}),
        {"if": "b"},
    ),
    Case(
        "keyword as an escaped field path",
        obj({"if": TEXT}, {"rule": "self.if == 'a'", "fieldPath": ".__if__"}),
        {"if": "b"},
    ),
]
