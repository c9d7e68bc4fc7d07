"""The scheme: types and kinds, both ways."""

from __future__ import annotations

import pytest

from kubewright.machinery.errors import DecodeError, RegistrationError
from kubewright.machinery.gvk import GroupVersionKind
from kubewright.machinery.resource import Resource, ResourceList
from kubewright.machinery.scheme import Scheme
from kubewright.machinery.status import Status
from kubewright.machinery.struct import Struct
from kubewright.machinery.type_meta import TypeMeta
from kubewright.machinery.unstructured import Unstructured, UnstructuredList

WIDGET = GroupVersionKind("example.com", "v1", "Widget")
GADGET = GroupVersionKind("other.com", "v1", "Widget")


class Widget(Resource, api_version="example.com/v1", kind="Widget"):
    note: str = ""


class WidgetList(ResourceList[Widget], api_version="example.com/v1", kind="WidgetList"):
    pass


class OtherWidget(Resource, api_version="example.com/v1", kind="Widget"):
    pass


class Nameless(TypeMeta):
    pass


@pytest.fixture
def scheme() -> Scheme:
    made = Scheme()
    made.register(Widget)
    made.register(WidgetList)
    return made


def test_both_ways(scheme: Scheme) -> None:
    assert scheme.type_of(WIDGET) is Widget
    assert scheme.kinds_of(Widget) == [WIDGET]
    assert scheme.list_type_of(WIDGET) is WidgetList
    assert WIDGET in scheme
    assert GADGET not in scheme
    assert scheme.type_of(GADGET) is None
    assert scheme.kinds_of(OtherWidget) == []


def test_several_kinds_of_one_type(scheme: Scheme) -> None:
    scheme.register(Widget, GADGET)
    assert scheme.type_of(GADGET) is Widget
    assert scheme.kinds_of(Widget) == [WIDGET, GADGET]
    decoded = scheme.decode('{"apiVersion":"other.com/v1","kind":"Widget","note":"n"}')
    assert isinstance(decoded, Widget)
    assert (decoded.gvk, decoded.note) == (GADGET, "n")
    assert b"other.com/v1" in decoded.to_json()
    assert Widget.gvk == WIDGET


def test_registering_again_changes_nothing(scheme: Scheme) -> None:
    scheme.register(Widget)
    assert scheme.kinds_of(Widget) == [WIDGET]


def test_a_conflict_is_a_clear_error(scheme: Scheme) -> None:
    message = r"example\.com/v1, Kind=Widget is .*\.Widget already and cannot be .*\.OtherWidget too"
    with pytest.raises(RegistrationError, match=message):
        scheme.register(OtherWidget)
    assert scheme.type_of(WIDGET) is Widget
    with pytest.raises(RegistrationError, match="already"):
        scheme.register_lazily("example.com/v1", "Widget", "somewhere", "Else")


def test_a_conflict_registers_nothing(scheme: Scheme) -> None:
    with pytest.raises(RegistrationError):
        scheme.register(OtherWidget, GADGET)
    assert GADGET not in scheme


def test_a_type_without_a_kind_needs_one(scheme: Scheme) -> None:
    with pytest.raises(RegistrationError, match="has no kind"):
        scheme.register(Nameless)


def test_lazy_registration() -> None:
    scheme = Scheme()
    scheme.register_lazily("v1", "Status", Status.__module__, "Status")
    assert GroupVersionKind("", "v1", "Status") in scheme
    assert list(scheme) == [GroupVersionKind("", "v1", "Status")]
    assert scheme.kinds_of(Status) == [GroupVersionKind("", "v1", "Status")]
    assert scheme.type_of(GroupVersionKind("", "v1", "Status")) is Status
    with pytest.raises(RegistrationError, match="already and cannot be"):
        scheme.register_lazily("v1", "Status", "somewhere", "Else")


def test_a_lazy_type_that_is_not_there() -> None:
    scheme = Scheme()
    scheme.register_lazily("v1", "Nope", "kubewright.machinery.status", "Nope")
    with pytest.raises(
        RegistrationError, match=r"kubewright\.machinery\.status\.Nope, which cannot be loaded"
    ):
        scheme.decode('{"apiVersion":"v1","kind":"Nope"}')


def test_registering_lazily_what_is_registered_changes_nothing(scheme: Scheme) -> None:
    scheme.register_lazily("example.com/v1", "Widget", __name__, "Widget")
    assert scheme.type_of(WIDGET) is Widget


class TestDecoding:
    def test_by_what_it_says_it_is(self, scheme: Scheme) -> None:
        assert isinstance(scheme.decode('{"apiVersion":"example.com/v1","kind":"Widget"}'), Widget)
        listed = scheme.decode('{"apiVersion":"example.com/v1","kind":"WidgetList","items":[{}]}')
        assert isinstance(listed, WidgetList)

    def test_unknown_kinds(self, scheme: Scheme) -> None:
        assert isinstance(scheme.decode('{"apiVersion":"x.com/v1","kind":"Thing"}'), Unstructured)
        listed = scheme.decode('{"apiVersion":"x.com/v1","kind":"ThingList","items":[{"a":1}]}')
        assert isinstance(listed, UnstructuredList)
        assert isinstance(scheme.decode('{"apiVersion":"x.com/v1","kind":"AccessList"}'), Unstructured)

    @pytest.mark.parametrize(
        "wire", ["{}", '{"kind":"A"}', '{"apiVersion":"v1"}', "[]", "{", '{"apiVersion":"a/b/c","kind":"A"}']
    )
    def test_what_does_not_say(self, scheme: Scheme, wire: str) -> None:
        with pytest.raises(DecodeError, match=r"missing|expected|truncated|apiVersion is 'a/b/c'"):
            scheme.decode(wire)

    def test_yaml_documents(self, scheme: Scheme) -> None:
        text = "---\napiVersion: example.com/v1\nkind: Widget\n---\n# no\n---\napiVersion: v1\nkind: Thing\n"
        assert [type(found) for found in scheme.decode_yaml(text)] == [Widget, Unstructured]
        with pytest.raises(DecodeError, match=r"^document 2: .*kind is missing"):
            scheme.decode_yaml("apiVersion: v1\nkind: A\n---\na: 1")


def test_struct_is_not_registrable() -> None:
    class Plain(Struct):
        pass

    with pytest.raises(RegistrationError):
        Scheme().register(Plain)  # type: ignore[type-var]
