"""What is known of a kind: a small object, and the values that its fields may be given, good and bad."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["METADATA", "METADATA_REFUSED", "Fields", "Kind"]

Fields = dict[str, tuple[Any, ...]]
"""Values by path; see `paths`."""


@dataclass(frozen=True)
class Kind:
    """A resource of one version."""

    group_version: str
    resource: str
    kind: str
    base: dict[str, Any] = field(default_factory=dict)
    """An object that is accepted, without its head."""
    fields: Fields = field(default_factory=dict)
    refused: Fields = field(default_factory=dict)
    """Values that make most writes fail, and unknown fields."""
    status: Fields = field(default_factory=dict)
    scaled: bool = False
    applied: bool = True
    """Whether objects are applied in this version; see "applying two versions" in
    docs/server-differences.md."""
    selectable: tuple[str, ...] = ()
    """Field selectors beyond those of metadata."""

    @property
    def custom(self) -> bool:
        """Whether it has a definition."""
        return self.group_version.partition("/")[0].endswith(".example.com")

    def __str__(self) -> str:
        return f"{self.group_version}/{self.resource}"

    def collection(self, namespace: str) -> str:
        """The path of the collection."""
        root = "api" if self.group_version == "v1" else "apis"
        return f"/{root}/{self.group_version}/namespaces/{namespace}/{self.resource}"

    def head(self, name: str) -> dict[str, Any]:
        """An object with nothing but a name."""
        return {"apiVersion": self.group_version, "kind": self.kind, "metadata": {"name": name}}


METADATA: Fields = {
    "metadata.labels.app": ("x", "y", ""),
    "metadata.labels.{example.com/tier}": ("front", "back"),
    "metadata.labels": ({}, {"app": "z"}, None),
    "metadata.annotations.note": ("one", "two é ☃", ""),
    "metadata.annotations.{example.com/a.b}": ("1", '{"a": "b"}'),
    "metadata.annotations": ({}, {"note": "three"}, None),
    "metadata.finalizers": (["example.com/f"], ["example.com/f", "example.com/g"], [], None),
    "metadata.ownerReferences": (
        [{"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "u-1"}],
        [
            {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u-2", "controller": True},
            {"apiVersion": "v1", "kind": "Pod", "name": "o", "uid": "u-1", "blockOwnerDeletion": True},
        ],
        [],
    ),
    "metadata.ownerReferences[uid=u-1]": (
        {"apiVersion": "v1", "kind": "Pod", "name": "o", "uid": "u-1"},
        {"apiVersion": "v1", "kind": "Node", "name": "o", "uid": "u-1", "controller": False},
    ),
}
"""What every kind has."""

METADATA_REFUSED: Fields = {
    "metadata.labels.app": ("not valid!", 1, "x" * 64, None, {}),
    "metadata.labels.{-bad-}": ("x",),
    "metadata.annotations.{/}": ("x",),
    "metadata.annotations.note": (1, ["x"], True, None),
    "metadata.finalizers": (["nodots"], ["a.io/a", "a.io/a"], "x", ["", "b b"], [1]),
    "metadata.ownerReferences": (
        [{"apiVersion": "v1", "kind": "Pod", "name": "", "uid": ""}],
        [
            {"apiVersion": "v1", "kind": "Pod", "name": "a", "uid": "1", "controller": True},
            {"apiVersion": "v1", "kind": "Pod", "name": "b", "uid": "2", "controller": True},
        ],
        [{"apiVersion": "v1", "kind": "Event", "name": "e", "uid": "1"}],
    ),
    "metadata.uid": ("00000000-0000-0000-0000-000000000000", "", 5),
    "metadata.resourceVersion": ("1", "0", "", 7, "x"),
    "metadata.selfLink": ("/x",),
    "metadata.generation": (7, -1, "x"),
    "metadata.creationTimestamp": ("2020-01-01T00:00:00Z", "yesterday", None),
    "metadata.deletionTimestamp": ("2020-01-01T00:00:00Z", None),
    "metadata.deletionGracePeriodSeconds": (5,),
    "metadata.namespace": ("elsewhere", ""),
    "metadata.name": ("another", "", None),
    "metadata.managedFields": (
        [],
        [{}],
        [{"manager": "x", "operation": "Update", "apiVersion": "v1"}],
        [{"manager": "x", "operation": "Lift", "apiVersion": "v1", "fieldsType": "FieldsV1"}],
        [{"operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {"f:x": {}}}],
        None,
    ),
    "metadata.unknown": ("x", {}),
    "unknown": (1, {"a": []}),
    "kind": ("Another", 3),
    "apiVersion": ("v7", "a/b/c", "", None),
}
"""What is refused, ignored, or warned of in every kind."""
