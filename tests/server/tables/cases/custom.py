"""Custom resources: columns of every type, paths of every form, and texts that hardly are paths."""

from __future__ import annotations

import time
from typing import Any

from tests.server.tables.harness import NAMESPACE, Recorder, with_times

Json = dict[str, Any]

_GROUP = "custom-tables.example.com"

_OBJECT: Json = {
    "metadata": {"name": "full", "labels": {"a.b/c": "label", "k": "v"}, "annotations": {"note": "<&>"}},
    "spec": {
        "text": "text",
        "empty": "",
        "whole": 3,
        "negative": -7,
        "real": 1.5,
        "tiny": 1.5e-10,
        "huge": 1e21,
        "million": 1500000.5,
        "large": 123456789012345678901,
        "yes": True,
        "no": False,
        "nothing": None,
        "list": ["x", 1, None, {"a": "<&>"}],
        "none": [],
        "object": {"b": [1, 2.5], "a": "\u00e9\u2028"},
        "date": "5m ago",
        "zoned": "2020-02-29T12:00:00+02:00",
        "future": "2999-01-01T00:00:00Z",
        "ancient": "1600-01-01T00:00:00Z",
        "zero": "0001-01-01T00:00:00Z",
        "null": "null",
        "no date": "yesterday",
        "day": "2020-02-29",
        "single": {"only": {"name": "n"}},
        "items": [
            {"type": "Ready", "status": "True", "n": 1, "flag": True, "name": "one"},
            {"type": "Other", "status": "False", "n": 2, "name": "two"},
            {"type": "It's", "status": "Other", "n": 3, "flag": False},
        ],
        "mixed": [{"n": 1}, {"n": "1"}, {"n": 1.0}],
        "numbers": [5, 4, 3, 2, 1],
    },
}
_BARE: Json = {"metadata": {"name": "bare"}}

_TYPES = ("string", "integer", "number", "boolean", "date")

PATHS = r"""
.metadata.name
.metadata.labels.k
.metadata.labels.a\.b/c
.metadata.labels['a\.b/c']
.metadata.labels['a.b/c']
.metadata.labels['k']
.metadata.annotations
.metadata.labels.*
.spec.single.*
.spec.single.*.name
.spec.single..name
.spec['text']
.spec['text','whole']
.spec.text.more
.spec.text[0]
.spec.text.*
.spec.nothing
.spec.nothing.more
.spec.nothing[0]
.spec.nothing[?(@.a)]
.spec.items[0].type
.spec.items[-1].type
.spec.items[3].type
.spec.items[-4].type
.spec.items[*].type
.spec.items[].name
.spec.items.name
.spec.items[1:].name
.spec.items[:1].name
.spec.items[:-1]
.spec.items[2:1]
.spec.items[1:1]
.spec.items[0:9]
.spec.items[::2].status
.spec.items[0:3:2]
.spec.items[::0]
.spec.items[0,2].type
.spec.items[2,0].type
.spec.none[0]
.spec.none[*]
.spec.numbers
.spec.numbers[1]
.spec.numbers[?(@>3)]
.spec.numbers[?(@>=9)]
.spec.items[?(@.type=="Ready")].status
.spec.items[?(@.type=='Ready')].status
.spec.items[?(@.type == "Ready")].status
.spec.items[?(@.type!="Ready")].status
.spec.items[?(@.type=="None")].status
.spec.items[?(@.type=='It\'s')].status
.spec.items[?(@.type=="It's")].status
.spec.items[?(@.type=="\x52eady")].status
.spec.items[?(@.type==@.status)].n
.spec.items[?(@.status==@.type)].n
.spec.items[?(@.n>1)].type
.spec.items[?(@.n>=2)].type
.spec.items[?(@.n<2)].type
.spec.items[?(@.n<=0)].type
.spec.items[?(@.n==1.0)].type
.spec.items[?(@.n=1)].type
.spec.items[?(@.flag)].type
.spec.items[?(@.flag==false)].type
.spec.items[?(@.flag<true)].type
.spec.items[?(@.missing)].type
.spec.items[?(@.type[0])].type
.spec.items[?(@.missing==1)].type
.spec.mixed[?(@.n==1)].n
.spec.mixed[?(@.n=="1")].n
.spec.object[?(@.a)]
.spec.text[?(@.a)]
.spec.object
.spec.list
.spec.list[3].a
.spec.list[2]
.spec..flag
..status
.spec.
.
.spec .text
.spec.text @
.spec.text "quoted"
.spec.text 5
.spec.text true
.spec.text word
.spec.text range
.spec.text end
.spec.text}{.spec.whole
.spec.text} and more
.spec.text}{.spec.text[0]
.spec.missing}{.spec.whole
.spec.whole}{range .spec.items[*]}{.name}{end
""".strip().splitlines()

ODD_PATHS = [
    ".spec[",
    ".spec[0",
    ".spec[a]",
    ".spec[-]",
    '.spec["text"]',
    ".spec[0:1:2:3]",
    ".spec[99999999999999999999]",
    ".spec[?(@.a]",
    ".spec[?(@.a)",
    ".spec[?(@.a==)]",
    '.spec[?(@.a=="x)]',
    ".spec[?(@.a==~)]",
    ".spec...text",
    ".spec....text",
    ".spec 'text",
    ".spec '\\q'",
    ".spec 1.2.3",
    ".spec -",
    ".spec ~",
    ".spec (",
    ".spec\ntext",
    ".spec\ttext",
    ".spec]",
    ".spec,text",
    ".spec\\",
    ".spec}{",
    ".spec['a','b'",
    ".spec[0,a]",
    ".spec[ 0]",
    ".spec.{text",
]


def _column(path: str, kind: str = "string", **more: Any) -> Json:
    return {"name": f"{kind} {path}"[:100], "type": kind, "jsonPath": path, **more}


def versions() -> dict[str, list[Json] | None]:
    """The columns of each version."""
    odd = ".spec['no date']"
    values = [odd if name == "no date" else f".spec.{name}" for name in _OBJECT["spec"]]
    return {
        "v1": None,
        "v2": [_column(path, kind) for path in [*values, ".spec.missing"] for kind in _TYPES],
        "v3": [_column(path) for path in PATHS],
        "v4": [
            _column(".spec.text", priority=3, description="What it says.", format="byte"),
            _column(".metadata.creationTimestamp", "date"),
            _column(".metadata.uid"),
        ],
        **{f"v{n}": [_column(".spec.text"), _column(path)] for n, path in enumerate(ODD_PATHS, start=10)},
    }


def _definition() -> Json:
    def version(name: str, columns: list[Json] | None) -> Json:
        found: Json = {
            "name": name,
            "served": True,
            "storage": name == "v1",
            "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
            "subresources": {
                "scale": {"specReplicasPath": ".spec.whole", "statusReplicasPath": ".status.replicas"}
            },
        }
        return found if columns is None else {**found, "additionalPrinterColumns": columns}

    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"things.{_GROUP}"},
        "spec": {
            "group": _GROUP,
            "scope": "Namespaced",
            "names": {"plural": "things", "kind": "Thing"},
            "versions": [version(name, columns) for name, columns in versions().items()],
        },
    }


def record(recorder: Recorder) -> list[Json]:
    """The tables of all versions, each with its `definition`."""
    definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    while recorder.send("POST", definitions, _definition())[0] == 409:
        # What an earlier recording left takes the server a while to take away.
        recorder.take_away(f"{definitions}/things.{_GROUP}")
        time.sleep(0.5)
    root = f"/apis/{_GROUP}/v1/namespaces/{NAMESPACE}/things"
    try:
        while recorder.send("GET", root)[0] != 200:
            time.sleep(0.1)
        for obj in (_OBJECT, _BARE):
            made = {"apiVersion": f"{_GROUP}/v1", "kind": "Thing", **with_times(obj)}
            recorder.want("POST", root, made)
        found = []
        for version, columns in versions().items():
            path = root.replace("/v1/", f"/{version}/")
            answer = recorder.answer(version, path)
            found.append({**answer, "definition": columns})
        scale = recorder.answer("scale", f"{root}/full/scale")
        return [*found, scale]
    finally:
        for name in ("full", "bare"):
            recorder.take_away(f"{root}/{name}")
        recorder.take_away(f"{definitions}/things.{_GROUP}")
