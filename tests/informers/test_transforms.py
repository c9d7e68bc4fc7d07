"""What is done to objects before they are kept, also by functions that do it wrong."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest

from kubewright.informers.transforms import drop_managed_fields, transformed
from kubewright.machinery.kept import decode_labels, labels_of, private
from kubewright.machinery.unstructured import Unstructured
from kubewright.models.core_v1 import ConfigMap

META: dict[str, Any] = {
    "name": "a",
    "namespace": "default",
    "uid": "u",
    "resourceVersion": "1",
    "labels": {"app": "web"},
    "annotations": {"note": "long"},
    "managedFields": [{"manager": "m"}],
}
DATA: dict[str, Any] = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": META, "data": {"x": "1"}}
WITHOUT = {**DATA, "metadata": {name: value for name, value in META.items() if name != "managedFields"}}
KINDS = pytest.mark.parametrize("kind", [ConfigMap, Unstructured])


def read(kind: Any) -> Any:
    return kind.from_json(json.dumps(DATA))


@KINDS
def test_managed_fields_are_dropped_by_default_and_kept_with_none(kind: Any) -> None:
    assert private(transformed(read(kind), drop_managed_fields)).to_dict() == WITHOUT
    assert private(transformed(read(kind), None)).to_dict() == DATA


@KINDS
def test_the_default_one_does_so_for_whoever_calls_it(kind: Any) -> None:
    obj = read(kind)
    assert drop_managed_fields(obj) is obj
    assert obj.to_dict() == WITHOUT
    assert (
        private(transformed(read(kind), lambda obj: drop_managed_fields(obj) and None)).to_dict() == WITHOUT
    )


@KINDS
@pytest.mark.parametrize("returns", [True, False], ids=["returns", "in place"])
def test_a_transform_changes_in_place_or_returns_another(kind: Any, returns: bool) -> None:
    def transform(obj: Any) -> Any:
        changed = obj.copy() if returns else obj
        changed.metadata.labels["more"] = "yes"
        changed.metadata.annotations = {}
        if isinstance(changed, ConfigMap):
            changed.data["x"] = "2"
        else:
            changed["data"]["x"] = "2"
        return changed if returns else None

    kept = transformed(read(kind), transform)
    assert decode_labels(labels_of(kept)) == {"app": "web", "more": "yes"}
    own = private(kept)
    own.metadata.labels["mine"] = "yes"
    plain = private(kept).to_dict()
    assert plain["data"] == {"x": "2"}
    assert plain["metadata"]["labels"] == {"app": "web", "more": "yes"}
    assert plain["metadata"]["annotations"] == {}
    assert plain["metadata"]["managedFields"] == META["managedFields"]


@KINDS
def test_what_a_transform_holds_on_to_is_not_what_is_kept(kind: Any) -> None:
    held: list[Any] = []
    kept = transformed(read(kind), held.append)
    held[0].metadata.labels["mine"] = "yes"
    assert private(kept).to_dict() == DATA


def rename(obj: Any) -> None:
    obj.metadata.name = "b"


def move(obj: Any) -> None:
    obj.metadata.namespace = ""


def another(obj: Any) -> None:
    obj.metadata.uid = "v"


def newer(obj: Any) -> None:
    obj.metadata.resource_version = "2"


def raises(obj: Any) -> None:
    obj.metadata.labels.clear()
    raise KeyError("x")


def nonsense(obj: Any) -> Any:
    return {"metadata": {}}


@KINDS
@pytest.mark.parametrize("transform", [rename, move, another, newer, raises, nonsense])
def test_a_transform_that_fails_is_logged_and_the_object_kept_as_it_came(
    kind: Any, transform: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR, "kubewright.informers"):
        kept = transformed(read(kind), transform)
    assert private(kept).to_dict() == DATA
    (record,) = caplog.records
    assert record.getMessage() == "a transform failed, and ConfigMap default/a is kept as it is"
    assert record.exc_info
    if transform in (rename, move, another, newer):
        assert "it changed the name, namespace, uid or resourceVersion" in caplog.text
