"""Definitions that are updated, and definitions that are created beside each other."""

from __future__ import annotations

from typing import Any

from tests.server.customresources.harness import Update
from tests.server.kinds.cases.apiextensions import GROUP, OBJECT, crd, v, webhook

BUNDLE = "Cg=="
APPROVED = {"api-approved.kubernetes.io": "https://github.com/kubernetes/kubernetes/pull/1"}
UNAPPROVED = {"api-approved.kubernetes.io": "unapproved, only a test"}


def protected(annotations: dict[str, str]) -> dict[str, Any]:
    """A definition of a group of the community."""
    made = crd(group="kubewright-test.k8s.io", name="things.kubewright-test.k8s.io")
    made["metadata"]["annotations"] = annotations
    return made


def annotated(obj: dict[str, Any], annotations: dict[str, str]) -> dict[str, Any]:
    obj["metadata"]["annotations"] = annotations
    return obj


def stored(obj: dict[str, Any], **status: Any) -> dict[str, Any]:
    obj["status"] = {
        "acceptedNames": {"plural": "things", "kind": "Thing"},
        "storedVersions": ["v1"],
        **status,
    }
    return obj


FIELD = {"type": "object", "properties": {"a": {"type": "string"}}}
UPDATES = [
    Update("nothing changes", crd(), crd()),
    Update("schema changes", crd(), crd(FIELD)),
    Update("schema becomes bad", crd(), crd({"type": "object", "properties": {"a": {}}})),
    Update("group changes", crd(), crd(group="other.kubewright.test")),
    Update("plural changes", crd(), crd(names={"plural": "others", "kind": "Thing"})),
    Update("kind changes", crd(), crd(names={"plural": "things", "kind": "Other"})),
    Update("scope changes", crd(), crd(scope="Cluster")),
    Update("singular changes", crd(), crd(names={"plural": "things", "kind": "Thing", "singular": "one"})),
    Update("short names change", crd(), crd(names={
        "plural": "things", "kind": "Thing", "shortNames": ["th"]})),
    Update("a version more", crd(), crd(versions=[v("v1", storage=True), v("v2")])),
    Update("another is stored", crd(), crd(versions=[v("v1"), v("v2", storage=True)])),
    Update("the stored version goes", crd(), crd(versions=[v("v2", storage=True)])),
    Update("no version is stored", crd(), crd(version={"storage": False})),
    Update("schema goes", crd(), crd(version={"schema": None})),
    Update("preserveUnknownFields comes", crd(), crd(preserveUnknownFields=True)),
    Update("conversion comes", crd(), crd(conversion=webhook(url="https://example.com"))),
    Update("bad bundle comes", crd(), crd(conversion=webhook(url="https://example.com", caBundle=BUNDLE))),
    Update("format comes", crd(), crd({"type": "object", "properties": {
        "a": {"type": "string", "format": "x"}}})),
    Update(
        "format stays",
        crd({"type": "object", "properties": {"a": {"type": "string", "format": "x"}}}),
        crd({"type": "object", "properties": {
            "a": {"type": "string", "format": "x"}, "b": {"type": "string", "format": "y"}}}),
    ),
    Update("annotation goes", protected(APPROVED), protected({})),
    Update("annotation becomes bad", protected(APPROVED), protected({"api-approved.kubernetes.io": "yes"})),
    Update("annotation stays", protected(APPROVED), annotated(protected(APPROVED), {**APPROVED, "a": "b"})),
    Update("annotation to unapproved", protected(APPROVED), protected(UNAPPROVED)),
    Update("status by update is ignored", crd(), stored(crd(), storedVersions=["v9"])),
    Update("status", crd(), stored(crd(FIELD), storedVersions=["v1"]), "status"),
    Update("status with bad names", crd(), stored(crd(), acceptedNames={
        "plural": "Th", "kind": "a b", "singular": "X", "shortNames": ["Y"], "listKind": "a b"}), "status"),
    Update("status without storedVersions", crd(), stored(crd(), storedVersions=[]), "status"),
    Update("status with conditions", crd(), stored(crd(), conditions=[
        {"type": "Established", "status": "False", "reason": "R", "message": "m"}]), "status"),
]  # fmt: skip


def named(plural: str, kind: str, **names: Any) -> dict[str, Any]:
    return crd(names={"plural": plural, "kind": kind, **names}, name=f"{plural}.{GROUP}", scope="Cluster")


NEIGHBOURS: dict[str, list[dict[str, Any]]] = {
    "alone": [named("ones", "One", shortNames=["o"], categories=["all"])],
    "apart": [named("ones", "One"), named("twos", "Two")],
    "singular": [named("ones", "One"), named("twos", "Two", singular="ones")],
    "short name": [named("ones", "One", shortNames=["o"]), named("twos", "Two", shortNames=["o"])],
    "short name and plural": [named("ones", "One"), named("twos", "Two", shortNames=["ones"])],
    "short names": [
        named("ones", "One", shortNames=["a", "b"]),
        named("twos", "Two", shortNames=["b", "c", "a"]),
    ],
    "kind": [named("ones", "One"), named("twos", "One", singular="two", listKind="TwoList")],
    "kind and list kind": [named("ones", "One"), named("twos", "One", singular="two")],
    "list kind": [named("ones", "One"), named("twos", "Two", listKind="OneList")],
    "kind as list kind": [named("ones", "One"), named("twos", "Two", listKind="One")],
    "all": [
        named("ones", "One", shortNames=["o"]),
        named("twos", "One", singular="one", shortNames=["o"], categories=["c"]),
    ],
    "third": [
        named("ones", "One"),
        named("twos", "Two", singular="ones"),
        named("threes", "Three", singular="two"),
    ],
    "approved": [protected(APPROVED)],
    "unapproved": [protected(UNAPPROVED)],
    "bad bundle": [crd(OBJECT, conversion=webhook(url="https://example.com"), scope="Cluster")],
}
