"""Cases of metadata, with the answers of a real kube-apiserver to config maps and namespaces that have it.

    python -m tests.server.kinds.metadata_cases URL TOKEN

records the answers.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tests.server.kinds.harness import Case, Json, _send

ANSWERS = Path(__file__).with_name("metadata_answers.json")


def config_map(**metadata: Any) -> Json:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "metadata-case", **metadata}}


def owner(**fields: Any) -> Json:
    return {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u", **fields}


def managed(**fields: Any) -> Json:
    return {
        "manager": "m",
        "operation": "Update",
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {},
        **fields,
    }


NAMES = [
    "a",
    "a.b",
    "A",
    "a_b",
    "-a",
    "a-",
    "a..b",
    "a" * 253,
    "a" * 254,
    "ä",
    "a b",
    "a" * 254 + "_",
    "1",
    "a.b-",
]
KEYS = [
    "a",
    "A.b_c-d",
    "",
    "-a",
    "a-",
    "a b",
    "a" * 63,
    "a" * 64,
    "ä",
    "example.com/a",
    "example.com/",
    "/a",
    "a/b/c",
    "Example.com/a",
    "EXAMPLE.COM/A",
    "exa_mple.com/a",
    "a" * 253 + "/a",
    "a" * 254 + "/a",
    "İ",
    "K",
    "example.com/" + "a" * 64,
]
VALUES = ["", "a", "A.b_c-d", "-a", "a-", "a b", "a" * 63, "a" * 64, "ä" * 32, "a/b", "_", "a\n"]
FINALIZERS = ["a", "kubernetes", "orphan", "foregroundDeletion", "example.com/a", "a b", "", "/a", "a/b/c"]
OWNERS: list[list[Json]] = [
    [owner()],
    [owner(apiVersion="")],
    [owner(apiVersion="a/b/c")],
    [owner(apiVersion="/v1")],
    [owner(apiVersion="a/")],
    [owner(apiVersion="apps/v1", kind="")],
    [owner(name="", uid="")],
    [owner(kind="Event")],
    [owner(kind="Event", apiVersion="/v1", blockOwnerDeletion=False)],
    [owner(kind="Event", apiVersion="events.k8s.io/v1")],
    [owner(controller=True), owner(name="q", controller=False)],
    [
        owner(controller=True),
        owner(name="q", controller=True, blockOwnerDeletion=True),
        owner(uid="v", controller=True),
    ],
]
CREATES = [
    *[Case(f"name {index}", config_map(name=name)) for index, name in enumerate(NAMES)],
    *[
        Case(f"generate name {index}", config_map(name="a", generateName=name))
        for index, name in enumerate(NAMES)
    ],
    *[Case(f"label key {index}", config_map(labels={key: "a"})) for index, key in enumerate(KEYS)],
    *[Case(f"label value {index}", config_map(labels={"a": value})) for index, value in enumerate(VALUES)],
    Case("bad label key and value", config_map(labels={"a b": "c d"})),
    *[
        Case(f"annotation key {index}", config_map(annotations={key: "a b"}))
        for index, key in enumerate(KEYS)
    ],
    Case("annotations as large as can be", config_map(annotations={"a": "x" * (256 * 1024 - 1)})),
    Case("too large annotations", config_map(annotations={"a": "x" * (256 * 1024)})),
    Case("too large annotations in bytes", config_map(annotations={"a": "ä" * (128 * 1024)})),
    Case("annotations of few bytes", config_map(annotations={"a": "ä" * (64 * 1024)})),
    *[Case(f"finalizer {index}", config_map(finalizers=[name])) for index, name in enumerate(FINALIZERS)],
    Case("two finalizers", config_map(finalizers=["orphan", "foregroundDeletion"])),
    Case("all wrong finalizers", config_map(finalizers=["orphan", "foregroundDeletion", "a", "b c"])),
    *[Case(f"owners {index}", config_map(ownerReferences=owners)) for index, owners in enumerate(OWNERS)],
    Case(
        "everything wrong",
        config_map(
            name="A",
            generateName="B",
            labels={"a b": "c"},
            annotations={"a b": "c"},
            ownerReferences=[{"apiVersion": "", "kind": "", "name": "", "uid": ""}],
            finalizers=["a"],
        ),
    ),
]
UPDATES = [
    Case("update labels", config_map(labels={"a b": "c d"}), config_map()),
    Case("update annotations", config_map(annotations={"a b": "c d"}), config_map()),
    Case("update owners", config_map(ownerReferences=[owner(name="")]), config_map()),
    Case("update finalizers", config_map(finalizers=["a", "b c"]), config_map()),
    Case("update creation time", config_map(creationTimestamp="2020-01-01T00:00:00Z"), config_map()),
    Case("update deletion time", config_map(deletionTimestamp="2020-01-01T00:00:00Z"), config_map()),
    Case("update grace period", config_map(deletionGracePeriodSeconds=5), config_map()),
    Case("update generation", config_map(generation=5), config_map()),
    Case(
        "add finalizers to what is deleted",
        config_map(finalizers=["b/b", "a/a", "c/c", "d/\n"]),
        config_map(finalizers=["c/c"]),
    ),
    Case(
        "remove a finalizer of what is deleted",
        config_map(finalizers=["c/c"]),
        config_map(finalizers=["c/c", "d/d"]),
    ),
]


def deleted(case: Case) -> bool:
    """Whether the old object is deleted before the update."""
    return "what is deleted" in case.name


def record(server: str, token: str) -> None:
    """Ask the real server all cases and write down the causes it gives."""
    found = {
        case.name: _causes(_send("POST", f"{_url(server)}?dryRun=All", token, case.obj)) for case in CREATES
    }
    for case in UPDATES:
        found[case.name] = _causes(_update(case, server, token))
    ANSWERS.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")


def _url(server: str) -> str:
    return f"{server}/api/v1/namespaces/default/configmaps"


def _update(case: Case, server: str, token: str) -> tuple[int, Json, list[str]]:
    url = f"{_url(server)}/metadata-case"
    assert case.old is not None
    code, old, _ = _send("POST", _url(server), token, case.old)
    assert code == 201, old
    if deleted(case):
        _send("DELETE", url, token)
        old = _send("GET", url, token)[1]
    try:
        given = {"resourceVersion": old["metadata"]["resourceVersion"]}
        changed = {**case.obj, "metadata": {**given, **case.obj["metadata"]}}
        return _send("PUT", f"{url}?dryRun=All", token, changed)
    finally:
        old["metadata"] |= {"finalizers": [], "resourceVersion": ""}
        _send("PUT", url, token, old)
        _send("DELETE", url, token)


def _causes(answer: tuple[int, Json, list[str]]) -> list[list[str]]:
    code, body, _ = answer
    assert code in {200, 201, 422}, body
    causes = body["details"]["causes"] if code == 422 else []
    return [[cause["reason"], cause["field"], cause["message"]] for cause in causes]


if __name__ == "__main__":
    record(*sys.argv[1:3])
