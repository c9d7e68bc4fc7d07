"""Resources: what is lazy, what is kept, how they copy, compare and print; and their lists."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from kubewright.machinery.errors import DecodeError
from kubewright.machinery.field import EMPTY
from kubewright.machinery.gvk import GroupVersionKind, GroupVersionResource
from kubewright.machinery.meta import ObjectMeta
from kubewright.machinery.resource import Resource, ResourceList, item_type
from kubewright.machinery.shapes import slots_of
from kubewright.machinery.struct import Struct


class WidgetSpec(Struct):
    size: int
    colors: list[str] = []


class WidgetStatus(Struct):
    ready: bool | None = None


class Widget(Resource, api_version="example.com/v1", kind="Widget", plural="widgets", namespaced=False):
    spec: WidgetSpec
    status: WidgetStatus = EMPTY
    data: dict[str, str] = {}
    note: str = ""
    parent: WidgetSpec | None = None


class WidgetList(ResourceList[Widget], api_version="example.com/v1", kind="WidgetList"):
    pass


WIRE: dict[str, Any] = {
    "apiVersion": "example.com/v1",
    "kind": "Widget",
    "metadata": {"name": "w", "namespace": "ns", "labels": {"a": "b"}},
    "spec": {"size": 3, "newField": {"x": [1]}},
    "status": {"ready": True},
    "other": [1, {"deep": None}],
}


def encoded(**changes: Any) -> bytes:
    return json.dumps({**WIRE, **changes}).encode()


class TestLaziness:
    def test_unread_fields_stay_the_bytes_they_came_as(self) -> None:
        wire = (
            b'{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{ "size" :  3 }}'
        )
        read = Widget.from_json(wire)
        assert read.metadata.name == "w"
        assert isinstance(slots_of(type(read))["spec"].__get__(read), Raw)
        assert read.to_json() == wire

    def test_they_do_so_also_beside_unknown_fields(self) -> None:
        read = Widget.from_json(b'{"metadata":{"new":1},"spec":{ "size" : 3, "huge": 1e999 },"other":1}')
        assert b'"spec":{ "size" : 3, "huge": 1e999 }' in read.to_json()

    def test_reading_decodes_once_and_keeps_changes(self) -> None:
        read = Widget.from_json(encoded())
        read.spec.size = 4
        assert read.spec is read.spec
        assert read.to_dict()["spec"] == {"size": 4, "newField": {"x": [1]}}
        assert read.to_dict()["other"] == WIRE["other"]

    def test_an_error_in_a_lazy_field_names_object_and_place(self) -> None:
        read = Widget.from_json(encoded(spec={"size": 1, "colors": ["red", 7]}))
        for _ in range(2):
            with pytest.raises(DecodeError, match=r"^Widget ns/w spec\.colors\[1\]: expected str, got int$"):
                _ = read.spec
        assert read.to_dict()["spec"] == {"size": 1, "colors": ["red", 7]}

    def test_a_required_lazy_field(self) -> None:
        with pytest.raises(TypeError, match="spec"):
            Widget()  # type: ignore[call-arg]
        read = Widget.from_json(b'{"metadata":{"name":"w"}}')
        with pytest.raises(DecodeError, match=r"^Widget w has no spec, which a Widget must have$"):
            _ = read.spec

    @pytest.mark.parametrize("absent", [{}, {"status": None, "data": None, "note": None, "parent": None}])
    def test_absent_and_null_read_as_defaults(self, absent: dict[str, None]) -> None:
        read = Widget.from_dict({"spec": {"size": 1}, **absent})
        assert (read.data, read.note, read.parent, read.status.ready) == ({}, "", None, None)

    def test_reading_an_absent_map_sends_nothing(self) -> None:
        read = Widget.from_dict({"spec": {"size": 1}})
        assert read.data == {}
        assert "data" not in read.to_dict()


class TestIdentity:
    def test_the_class_knows_its_kind(self) -> None:
        assert Widget.gvk == GroupVersionKind("example.com", "v1", "Widget")
        assert Widget.gvr == GroupVersionResource("example.com", "v1", "widgets")
        assert Widget.namespaced is False

    def test_kind_is_always_on_the_wire(self) -> None:
        made = Widget(metadata=ObjectMeta(name="w"), spec=WidgetSpec(size=1))
        assert made.to_dict() == {
            "apiVersion": "example.com/v1",
            "kind": "Widget",
            "metadata": {"name": "w"},
            "spec": {"size": 1},
        }
        assert (made.api_version, made.kind) == ("example.com/v1", "Widget")

    @pytest.mark.parametrize(
        "header", [{"kind": "Gadget"}, {"apiVersion": "example.com/v2"}, {"apiVersion": "v1", "kind": "Pod"}]
    )
    def test_another_kind_is_refused(self, header: dict[str, str]) -> None:
        with pytest.raises(DecodeError, match=r"^expected example\.com/v1 Widget, got "):
            Widget.from_json(encoded(**header))

    def test_key_and_texts(self) -> None:
        read = Widget.from_json(encoded())
        assert read.key == "ns/w"
        assert str(read) == "Widget ns/w"
        assert Widget(metadata=ObjectMeta(name="w"), spec=WidgetSpec(size=1)).key == "w"
        assert repr(read) == (
            "Widget(metadata=ObjectMeta(name='w', namespace='ns', labels={'a': 'b'}), "
            "spec=WidgetSpec(size=3, unknown_fields_={'newField': {'x': [1]}}), "
            "status=WidgetStatus(ready=True), unknown_fields_={'other': [1, {'deep': None}]})"
        )

    def test_printing_does_not_fail(self) -> None:
        assert "spec=..." in repr(Widget.from_json(encoded(spec={"size": "x"})))


class TestCopies:
    def test_a_copy_is_equal_and_private(self) -> None:
        read = Widget.from_json(encoded())
        read.spec.colors.append("red")
        for copied in (read.copy(), copy.deepcopy(read), pickle.loads(pickle.dumps(read))):  # noqa: S301
            assert copied == read
            copied.spec.colors.append("blue")
            copied.metadata.labels["c"] = "d"
            assert read.spec.colors == ["red"]
            assert read.metadata.labels == {"a": "b"}
            assert copied != read

    def test_a_copy_of_what_was_not_read_stays_unread(self) -> None:
        copied = Widget.from_json(encoded()).copy()
        assert isinstance(slots_of(type(copied))["spec"].__get__(copied), Raw)
        assert copied.to_dict() == WIRE

    def test_unread_and_read_objects_compare_equal(self) -> None:
        read, unread = Widget.from_json(encoded()), Widget.from_json(json.dumps(WIRE, indent=2))
        assert read.spec.size == 3
        assert read == unread
        assert Widget.from_json(encoded(spec={"size": 4})) != read


class TestForms:
    def test_yaml(self) -> None:
        read = Widget.from_json(encoded())
        assert Widget.from_yaml(read.to_yaml()) == read
        with pytest.raises(DecodeError, match="line 2, column"):
            Widget.from_yaml("a: [1\nb: 2")
        with pytest.raises(DecodeError, match="expected one YAML document, found 2"):
            Widget.from_yaml("a: 1\n---\nb: 2")

    names = st.sampled_from(["spec", "status", "other", "data", "more"])
    values = st.recursive(
        st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
        max_leaves=8,
    )

    @given(st.dictionaries(names, values))
    def test_nothing_unread_is_lost(self, members: dict[str, Any]) -> None:
        wire = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {}, **members}
        assert Widget.from_dict(wire).to_dict() == wire
        assert Widget.from_dict(wire).copy().to_dict() == wire


class TestLists:
    def items(self, *changes: dict[str, Any]) -> bytes:
        members = [
            {key: value for key, value in {**WIRE, **change}.items() if key not in {"kind", "apiVersion"}}
            for change in changes
        ]
        listed = {"apiVersion": "example.com/v1", "kind": "WidgetList", "metadata": {"resourceVersion": "7"}}
        return json.dumps({**listed, "items": members}).encode()

    def test_a_list_of_what_the_model_knows(self) -> None:
        listed = WidgetList.from_json(self.items({"other": None, "spec": {"size": 1}}))
        assert [widget.spec.size for widget in listed] == [1]
        assert listed.items[0].kind == "Widget"
        assert len(listed) == 1
        assert listed.metadata.resource_version == "7"
        assert repr(listed) == "WidgetList(1 items, resource_version='7')"

    def test_unknown_fields_of_items_are_kept(self) -> None:
        wire = self.items({}, {"spec": {"size": 9}})
        listed = WidgetList.from_json(wire)
        assert [item["other"] for item in listed.to_dict()["items"]] == [WIRE["other"]] * 2
        listed.items[0].spec.size = 1
        assert listed.to_dict()["items"][0]["spec"] == {"size": 1, "newField": {"x": [1]}}

    def test_an_odd_item_does_not_touch_the_bytes_of_others(self) -> None:
        listed = WidgetList.from_json(b'{"items":[{"spec":{ "size": 1 }},{"odd":1,"spec":{ "size": 2 }}]}')
        assert b'"spec":{ "size": 1 }' in listed.items[0].to_json()
        assert b'"spec":{ "size": 2 }' in listed.items[1].to_json()

    def test_unknown_fields_of_the_list_are_kept(self) -> None:
        wire = {
            "apiVersion": "example.com/v1",
            "kind": "WidgetList",
            "metadata": {"new": 1},
            "more": 2,
            "items": [],
        }
        sent = WidgetList.from_dict(wire).to_dict()
        assert (sent["metadata"], sent["more"]) == ({"new": 1}, 2)

    def test_errors_name_the_item(self) -> None:
        with pytest.raises(
            DecodeError, match=r"^WidgetList items\[1\]\.metadata\.finalizers: expected array, got int$"
        ):
            WidgetList.from_json(self.items({}, {"metadata": {"finalizers": 3}}))

    @pytest.mark.parametrize("cut", [1, 40, -1, -2, -30])
    def test_a_truncated_list_is_refused_whole(self, cut: int) -> None:
        with pytest.raises(DecodeError, match=r"truncated|malformed"):
            WidgetList.from_json(self.items({}, {})[:cut])

    def test_null_items(self) -> None:
        assert len(WidgetList.from_json(b'{"items":null}')) == 0

    def test_another_kind_of_list_is_refused(self) -> None:
        with pytest.raises(DecodeError, match=r"expected example\.com/v1 WidgetList, got v1 PodList"):
            WidgetList.from_json(b'{"apiVersion":"v1","kind":"PodList","items":[]}')

    def test_an_empty_list_is_true(self) -> None:
        assert WidgetList()

    def test_a_list_type_says_what_its_items_are(self) -> None:
        assert item_type(WidgetList) is Widget
        with pytest.raises(TypeError, match="does not say what its items are"):
            item_type(ResourceList)
