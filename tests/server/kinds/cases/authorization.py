"""Access reviews that are refused; the others are answered, which is not the affair of the rules."""

from __future__ import annotations

from typing import Any

from tests.server.kinds.harness import Case, Json

POD: Json = {"namespace": "default", "verb": "get", "resource": "pods"}
URL: Json = {"path": "/healthz", "verb": "get"}


def review(kind: str, /, **spec: Any) -> Json:
    metadata: Json = {"name": ""}
    if kind == "LocalSubjectAccessReview":
        metadata["namespace"] = "default"
    return {"apiVersion": "authorization.k8s.io/v1", "kind": kind, "metadata": metadata, "spec": spec}


def labels(*requirements: Json, **fields: Any) -> Json:
    return {"resourceAttributes": {**POD, "labelSelector": {"requirements": list(requirements), **fields}}}


def fields(*requirements: Json, **more: Any) -> Json:
    return {"resourceAttributes": {**POD, "fieldSelector": {"requirements": list(requirements), **more}}}


SPECS: dict[str, Json] = {
    "nothing": {},
    "resource": {"resourceAttributes": POD},
    "url": {"nonResourceAttributes": URL},
    "both": {"resourceAttributes": POD, "nonResourceAttributes": URL},
    "user": {"user": "jane", "resourceAttributes": POD},
    "groups": {"groups": ["team"], "nonResourceAttributes": URL},
    "other namespace": {"user": "jane", "resourceAttributes": {**POD, "namespace": "kube-system"}},
    "empty selectors": {"resourceAttributes": {**POD, "labelSelector": {}, "fieldSelector": {}}},
    "raw selector": {"resourceAttributes": {**POD, "labelSelector": {"rawSelector": "a=b"}}},
    "raw and other": labels({"key": "a", "operator": "Exists"}, rawSelector="a=b"),
    "raw and other fields": fields({"key": "a", "operator": "Exists"}, rawSelector="a=b"),
    "bad labels": labels(
        {"key": "a b", "operator": "In"},
        {"key": "a", "operator": "Exists", "values": ["?"]},
        {"key": "a", "operator": "Near", "values": ["?"]},
        {"key": "", "operator": "NotIn", "values": ["a"]},
    ),
    "bad fields": fields(
        {"key": "a b", "operator": "In"},
        {"key": "a", "operator": "Exists", "values": ["?"]},
        {"key": "a", "operator": "Near", "values": ["?"]},
        {"key": "", "operator": "NotIn", "values": ["a"]},
    ),
}
SELECTORS = {"empty selectors", "raw and other", "raw and other fields", "bad labels", "bad fields"}
REFUSED = {
    "SubjectAccessReview": SELECTORS | {"nothing", "resource", "url", "both", "raw selector"},
    "LocalSubjectAccessReview": SPECS.keys() - {"user"},
    "SelfSubjectAccessReview": SELECTORS | {"nothing", "both"},
}
CASES = [
    Case(f"{kind}: {name}", review(kind, **spec))
    for kind, refused in REFUSED.items()
    for name, spec in SPECS.items()
    if name in refused
]
