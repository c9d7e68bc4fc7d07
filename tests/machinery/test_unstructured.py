"""Unstructured objects and lists."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.machinery.errors import DecodeError
from kubewright.machinery.gvk import GroupVersionKind
from kubewright.machinery.unstructured import Unstructured, UnstructuredList

WIRE: dict[str, Any] = {
    "apiVersion": "example.com/v1",
    "kind": "Widget",
    "metadata": {"name": "w", "namespace": "ns", "new": 1},
    "spec": {"size": 3},
}


def test_reading_and_changing() -> None:
    widget = Unstructured.from_dict(WIRE)
    assert widget.gvk == GroupVersionKind("example.com", "v1", "Widget")
    assert (widget.key, str(widget)) == ("ns/w", "Widget ns/w")
    widget["spec"]["size"] += 1
    widget["status"] = {"ready": True}
    widget.metadata.labels["a"] = "b"
    expected = {**WIRE, "spec": {"size": 4}, "status": {"ready": True}}
    expected["metadata"] = {**WIRE["metadata"], "labels": {"a": "b"}}
    assert widget.to_dict() == expected
    del widget["status"]
    assert list(widget) == ["spec"]
    assert widget["kind"] == "Widget"
    assert "status" not in widget


def test_metadata_has_one_form() -> None:
    widget = Unstructured.from_dict(WIRE)
    with pytest.raises(TypeError, match=r"\.metadata"):
        _ = widget["metadata"]
    with pytest.raises(TypeError, match=r"\.api_version"):
        widget["apiVersion"] = "v2"


def test_copies_are_private() -> None:
    widget = Unstructured.from_dict(WIRE)
    assert widget["spec"] == {"size": 3}
    for copied in (widget.copy(), copy.deepcopy(widget), pickle.loads(pickle.dumps(widget))):  # noqa: S301
        assert copied == widget
        copied["spec"]["size"] = 9
        assert widget["spec"]["size"] == 3
        assert copied != widget


def test_unread_metadata_is_sent_as_it_came() -> None:
    wire = b'{"apiVersion":"v1","kind":"A","metadata":{"labels":{},"finalizers":null, "name":"a"}}'
    thing = Unstructured.from_json(wire)
    assert thing.key == "a"
    assert thing.to_json() == wire
    assert thing.copy().to_json() == wire
    assert thing.metadata.labels == {}
    assert thing.to_json() == b'{"apiVersion":"v1","kind":"A","metadata":{"name":"a","labels":{}}}'


def test_members_cannot_be_the_header() -> None:
    with pytest.raises(TypeError, match="kind is no member"):
        Unstructured(api_version="v1", kind="A", members={"kind": "B"})
    assert "kind" in Unstructured(api_version="v1", kind="A")


def test_yaml_round_trip() -> None:
    assert Unstructured.from_yaml(Unstructured.from_dict(WIRE).to_yaml()).to_dict() == WIRE


@given(
    st.dictionaries(
        st.text(max_size=8).filter(lambda name: name not in {"apiVersion", "kind", "metadata"}),
        st.recursive(st.none() | st.integers(-(2**60), 2**60) | st.text(), st.lists, max_leaves=4),
    )
)
def test_nothing_is_lost(members: dict[str, Any]) -> None:
    wire = {**WIRE, **members}
    assert Unstructured.from_dict(wire).to_dict() == wire
    assert json.loads(Unstructured.from_dict(wire).copy().to_json()) == wire


@pytest.mark.parametrize(
    ("wire", "message"),
    [
        (b"[]", "object: expected object, got array"),
        (b'{"kind":"A"}', "object: apiVersion is missing"),
        (b'{"apiVersion":"v1"}', "object: kind is missing"),
        (b'{"apiVersion":"v1","kind":3}', "object: expected str, got int"),
        (b'{"apiVersion":"v1","kind":"A","metadata":{"name":3}}', "A metadata.name: expected str, got int"),
        (b'{"apiVersion":"v1","kind":"A","metadata":[]}', "A metadata: expected object, got array"),
        (b'{"apiVersion":"v1"', "object: input data was truncated"),
    ],
)
def test_errors_name_the_place(wire: bytes, message: str) -> None:
    with pytest.raises(DecodeError) as caught:
        Unstructured.from_json(wire)
    assert str(caught.value).startswith(message)


class TestLists:
    def test_items_get_the_kind_of_the_list(self) -> None:
        listed = UnstructuredList.from_json(
            b'{"apiVersion":"e.com/v1","kind":"WidgetList","metadata":{"continue":"x"},"items":[{"metadata":{"name":"a"},"spec":1}]}'
        )
        assert [(item.kind, item.api_version, item["spec"]) for item in listed] == [("Widget", "e.com/v1", 1)]
        assert listed.metadata.continue_ == "x"
        assert len(listed) == 1
        assert listed.to_dict()["items"][0]["spec"] == 1

    def test_the_protocol(self) -> None:
        wire = {"apiVersion": "v1", "kind": "AList", "metadata": {}, "items": [WIRE], "extra": 1}
        listed = UnstructuredList.from_dict(wire)
        assert listed.to_dict() == wire
        assert UnstructuredList.from_yaml(listed.to_yaml()) == listed
        copied = listed.copy()
        copied.items[0]["spec"]["size"] = 9
        assert copied != listed
        assert listed.to_dict() == wire

    def test_reading_an_item_changes_nothing_that_is_sent(self) -> None:
        listed = UnstructuredList.from_dict({"apiVersion": "v1", "kind": "AList", "items": [WIRE]})
        before = listed.to_dict()
        assert listed.items[0].metadata.labels == {}
        assert listed.to_dict() == before

    @pytest.mark.parametrize(
        ("wire", "message"),
        [
            (b'{"apiVersion":"v1","kind":"Pod","items":[]}', "v1 Pod is not a list"),
            (
                b'{"apiVersion":"v1","kind":"PodList","items":[1]}',
                "PodList items[0]: expected object, got int",
            ),
            (
                b'{"apiVersion":"v1","kind":"PodList","items":[{"metadata":1}]}',
                "Pod metadata: expected object",
            ),
            (b'{"apiVersion":"v1","kind":"List","items":[{}]}', "List items[0]: kind is missing"),
        ],
    )
    def test_errors(self, wire: bytes, message: str) -> None:
        with pytest.raises(DecodeError) as caught:
            UnstructuredList.from_json(wire)
        assert message in str(caught.value)


def test_metadata_that_was_absent_is_not_sent_until_some_is_set() -> None:
    wire = {"apiVersion": "v1", "kind": "A", "spec": {}}
    thing = Unstructured.from_dict(wire)
    assert thing.metadata.name == ""
    assert thing.to_dict() == thing.copy().to_dict() == wire
    thing.metadata.name = "a"
    assert thing.to_dict() == thing.copy().to_dict() == {**wire, "metadata": {"name": "a"}}
    assert Unstructured(api_version="v1", kind="A").to_dict()["metadata"] == {}
