"""Objects just inside and just outside of each constraint of `kinds.Sample`."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["CASES", "UPDATES", "Case", "Update"]


class Case(NamedTuple):
    """Specs that a server takes, and specs that it refuses."""

    name: str
    good: list[dict[str, Any]]
    bad: list[dict[str, Any]]


class Update(NamedTuple):
    """Specs before and after an update, which a server takes or refuses."""

    name: str
    before: dict[str, Any]
    after: dict[str, Any]
    good: bool


def _each(field: str, *values: Any) -> list[dict[str, Any]]:
    return [{field: value} for value in values]


_OBJECT = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}
_PORT = {"name": "a", "port": 1}

CASES: list[Case] = [
    Case("nothing", [{}], [{"low": None, "high": "x"}]),
    Case("class-rule", [{"low": 10, "high": 10}], [{"low": 11, "high": 10}, {"low": 11}]),
    Case("minimum", _each("replicas", 0), _each("replicas", -1)),
    Case("maximum", _each("replicas", 100), _each("replicas", 101)),
    Case("int32", [], _each("replicas", 2**31)),
    Case("integer", [], _each("replicas", 1.5, "1", True)),
    Case("exclusive", _each("openRange", 1, 9), _each("openRange", 0, 10)),
    Case("multiple-of", _each("step", 0, 5, -10), _each("step", 4, 6)),
    Case("int64", _each("wide", 2**63 - 1, -(2**63)), _each("wide", 2**63, 1e19)),
    Case("float", _each("ratio", 0.5, 1, 1e300), _each("ratio", 0.49, "1")),
    Case("length", _each("title", "ab", "abcd", "äöüß"), _each("title", "a", "abcde", "äöüßa")),
    Case("pattern", _each("word", "abc"), _each("word", "", "a1")),
    Case("format", _each("address", "10.0.0.1"), _each("address", "10.0.0", "::1")),
    Case(
        "time",
        _each("at", "2024-01-01T00:00:00Z", "2024-01-01T00:00:00+01:00"),
        _each("at", "2024-01-01", "2024-13-01T00:00:00Z", 5),
    ),
    Case("micro-time", _each("precise", "2024-01-01T00:00:00.123456Z"), _each("precise", "noon")),
    Case(
        "duration",
        _each("period", "1h30m", "0", "-1.5s", "100ms", ".5s", "5µs"),
        _each("period", "", "1", "1d", "PT1S", "1h 30m"),
    ),
    Case(
        "quantity",
        _each("memory", "100m", "1.5Gi", 3, "12e6", "-1"),
        _each("memory", "1.5Zi", "", "1 Gi", 1.5),
    ),
    Case("int-or-string", _each("limit", 3, "25%"), _each("limit", 1.5, True, [])),
    Case("bytes", _each("data", "aGk="), _each("data", "aGk", "?")),
    Case("literal", _each("size", "small", "large"), _each("size", "medium", "", 1)),
    Case("int-literal", _each("level", 1, 2), _each("level", 3, "1")),
    Case("enum", _each("color", "red", "blue"), _each("color", "RED")),
    Case(
        "items",
        _each("tags", ["a"], ["abc", "b"]),
        _each("tags", [], ["a", "b", "c"], ["abcd"], [1], [None], "a"),
    ),
    Case("set", _each("unique", [], ["a", "b"]), _each("unique", ["a", "a"])),
    Case("unique-items", _each("distinct", [1, 2]), _each("distinct", [1, 1])),
    Case("set-of-atoms", _each("keys", [{"name": "a"}, {"name": "b"}]), _each("keys", [{"name": "a"}] * 2)),
    Case(
        "list-map",
        _each("ports", [_PORT, {**_PORT, "port": 2}], [_PORT, {**_PORT, "protocol": "UDP"}]),
        _each("ports", [_PORT, _PORT], [_PORT, {**_PORT, "protocol": "TCP"}], [{"port": 1}], [_PORT] * 9),
    ),
    Case(
        "list-map-zero-key",
        _each("aliases", [{}, {"name": "a"}]),
        _each("aliases", [{}, {"name": ""}], [{}, {"hosts": ["x"]}]),
    ),
    Case(
        "properties",
        _each("labels", {"a": "1"}, {"a": "1", "b": "2"}),
        _each("labels", {}, {"a": "1", "b": "2", "c": "3"}, {"a": 1}),
    ),
    Case("nulls-in-lists", _each("gaps", ["a", None]), _each("gaps", [1])),
    Case("lists-in-lists", _each("grid", [], [["a", "b"], ["c", "d"]]), _each("grid", [["a"]], [[1, "b"]])),
    Case("lists-in-maps", _each("matrix", {}, {"a": [1]}), _each("matrix", {"a": []}, {"a": ["x"]})),
    Case("nullable", _each("maybe", None, "a"), _each("maybe", 1)),
    Case(
        "union",
        _each("probe", {"type": "http", "path": "/"}, {"type": "tcp", "address": "a", "port": 1}),
        _each(
            "probe",
            {"type": "http"},
            {"type": "udp"},
            {"path": "/"},
            {"type": "http", "path": "/", "address": "a"},
            {"type": "tcp", "path": "/"},
        ),
    ),
    Case(
        "nested-rule",
        [{"limits": {"seconds": 0, "forever": True}}, {"nested": {"limits": {"seconds": 1}}}],
        [{"limits": {"seconds": 0}}, {"nested": {"limits": {"seconds": -1}}}],
    ),
    Case("any", _each("anything", 1, "a", [1, {"b": []}], {"a": 1}), []),
    Case("free", _each("free", {}, {"a": {"b": [1]}}), _each("free", [], 1)),
    Case("preserved", _each("loose", {"name": "a", "more": {"b": 1}}), _each("loose", {"name": 1})),
    Case(
        "unstructured",
        _each("object", _OBJECT, {**_OBJECT, "spec": {"x": 1}}),
        _each("object", {}, {"apiVersion": "v1"}, {**_OBJECT, "kind": ""}),
    ),
    Case(
        "embedded-kind",
        _each("config", {**_OBJECT, "kind": "ConfigMap", "data": {"a": "b"}}),
        _each("config", _OBJECT, {**_OBJECT, "kind": "ConfigMap", "data": {"a": 1}}, {"data": {}}),
    ),
    Case(
        "model",
        _each("resources", {"limits": {"cpu": "100m", "memory": 5}}),
        _each("resources", {"limits": {"cpu": "much"}}, {"claims": [{"name": "a"}, {"name": "a"}]}),
    ),
    Case("unknown-field", [{"nothingOfTheKind": 1}], []),
    Case(
        "unknown-fields-do-not-count",
        _each("few", {"name": "a", "unknown": 1}),
        _each("few", {"name": "a", "hosts": ["b"]}),
    ),
    Case("null-is-absent", _each("title", None) + _each("replicas", None), []),
]

UPDATES: list[Update] = [
    Update("same", {"region": "eu"}, {"region": "eu"}, good=True),
    Update("set-immutable", {}, {"region": "eu"}, good=True),
    Update("change-immutable", {"region": "eu"}, {"region": "us"}, good=False),
    Update("unset-immutable", {"region": "eu"}, {}, good=False),
    Update("grow", {"growing": 1}, {"growing": 2}, good=True),
    Update("shrink", {"growing": 2}, {"growing": 1}, good=False),
]
