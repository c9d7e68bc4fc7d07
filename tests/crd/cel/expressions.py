"""Expressions over one object, whose values and errors were recorded from a real kube-apiserver."""

from __future__ import annotations

from pathlib import Path
from typing import Any

TEXT = {"type": "string", "maxLength": 64}
INTEGER = {"type": "integer"}


def _list(items: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "array", "maxItems": 5, "items": items, **more}


def _map(values: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "maxProperties": 5, "additionalProperties": values}


ELEMENT = {"type": "object", "required": ["k"], "properties": {"k": TEXT, "v": INTEGER}}

SPEC: dict[str, Any] = {
    "type": "object",
    "properties": {
        "i": INTEGER,
        "j": INTEGER,
        "n": {"type": "number"},
        "whole": {"type": "number"},
        "s": TEXT,
        "t": TEXT,
        "uni": TEXT,
        "url": TEXT,
        "b": {"type": "boolean"},
        "by": {"type": "string", "format": "byte", "maxLength": 64},
        "d": {"type": "string", "format": "duration"},
        "dt": {"type": "string", "format": "date-time"},
        "date": {"type": "string", "format": "date"},
        "x": {"x-kubernetes-int-or-string": True, "maxLength": 8},
        "y": {"x-kubernetes-int-or-string": True, "maxLength": 8},
        "ls": _list(TEXT),
        "li": _list(INTEGER),
        "ln": _list({"type": "number"}),
        "ld": _list({"type": "string", "format": "duration"}),
        "empty": _list(INTEGER),
        "m": _map(TEXT),
        "mi": _map(INTEGER),
        "ml": _map(_list(INTEGER)),
        "ll": _list(_list(INTEGER)),
        "lm": _list(_map(TEXT)),
        "o": {
            "type": "object",
            "properties": {
                "a": TEXT,
                "namespace": TEXT,
                "foo-bar": TEXT,
                "a.b": TEXT,
                "x/y": TEXT,
                "my__z": TEXT,
                "if": TEXT,
                "deep": {"type": "object", "properties": {"v": INTEGER, "ml": _map(_list(TEXT))}},
            },
        },
        "lo": _list(ELEMENT, **{"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]}),
        "lp": _list(ELEMENT, **{"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]}),
        "so": _list(TEXT, **{"x-kubernetes-list-type": "set"}),
        "sp": _list(TEXT, **{"x-kubernetes-list-type": "set"}),
        "missing": TEXT,
        "missingObject": {"type": "object", "properties": {"a": TEXT}},
        "nothing": {"type": "string", "nullable": True, "maxLength": 10},
        "pu": {
            "type": "object",
            "x-kubernetes-preserve-unknown-fields": True,
            "properties": {"known": TEXT},
        },
        "e": {
            "type": "object",
            "x-kubernetes-embedded-resource": True,
            "x-kubernetes-preserve-unknown-fields": True,
        },
    },
}

OBJECT: dict[str, Any] = {
    "i": 7,
    "j": -3,
    "n": 1.5,
    "whole": 2,
    "s": "hello world",
    "t": "Hello",
    "uni": "héllo wörld ☃",
    "url": "https://user@example.com:8080/a/b%20c?k=v&k=w&z=#frag",
    "b": True,
    "by": "aGVsbG8=",
    "d": "1h30m",
    "dt": "2024-02-29T12:34:56.789Z",
    "date": "2024-03-01",
    "x": 5,
    "y": "25%",
    "ls": ["a", "b", "c"],
    "li": [3, 1, 2],
    "ln": [1, 2.5],
    "ld": ["1s", "2m"],
    "empty": [],
    "m": {"a": "1", "b": "2"},
    "mi": {"x": 1, "y": 2},
    "ml": {"p": [1, 2], "q": []},
    "ll": [[1, 2], [3]],
    "lm": [{"a": "1"}, {"b": "2"}],
    "o": {
        "a": "A",
        "namespace": "ns",
        "foo-bar": "fb",
        "a.b": "ab",
        "x/y": "xy",
        "my__z": "mz",
        "if": "iff",
        "deep": {"v": 9, "ml": {"k": ["w"]}},
    },
    "lo": [{"k": "a", "v": 1}, {"k": "b", "v": 2}],
    "lp": [{"k": "b", "v": 2}, {"k": "a", "v": 1}],
    "so": ["a", "b"],
    "sp": ["b", "a"],
    "nothing": None,
    "pu": {"known": "k", "other": 1},
    "e": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "generateName": "g"}, "spec": {}},
}


def _lines(name: str) -> list[str]:
    return Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()


EXPRESSIONS = _lines("expressions.txt")
"""One expression a line; what each comes to for OBJECT is recorded."""

REFUSED = _lines("refused.txt")
"""Rules that do not compile, or are no bool; what a real server said to them is recorded."""
