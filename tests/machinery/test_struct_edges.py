"""Structs at the edges: inheritance, made and deleted fields, odd types, threads, what cannot be encoded."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Annotated, Any

import msgspec
import pytest

from kubewright.machinery.errors import DeclarationError, DecodeError, EncodeError
from kubewright.machinery.field import EMPTY, Field, field
from kubewright.machinery.meta import ObjectMeta, OwnerReference
from kubewright.machinery.resource import Resource, ResourceList
from kubewright.machinery.struct import Struct, is_set
from kubewright.machinery.time import Time


class Inner(Struct):
    needed: Annotated[list[str], Field(list_type="set")]
    count: int
    extra: str = ""


class Outer(Struct):
    inner: Inner = EMPTY
    names: list[str] = []
    pointed: Inner | None = None


class Base(Struct):
    number: int = 1
    inner: Inner = EMPTY
    when: Time | None = None


class WiderInner(Inner):
    more: int = 7


class Derived(Base):
    number: int = 5
    inner: WiderInner = EMPTY


class Thing(Resource, api_version="example.com/v1", kind="Thing"):
    spec: Inner = EMPTY
    status: Inner | None = None
    note: str = ""


class WiderThing(Thing):
    spec: WiderInner = EMPTY


class RequiredThing(Resource, api_version="example.com/v1", kind="RequiredThing"):
    spec: Inner


class RelaxedThing(RequiredThing):
    spec: Inner = EMPTY


class ThingList(ResourceList[Thing], api_version="example.com/v1", kind="ThingList"):
    pass


class TestMadeByReading:
    def test_required_fields_have_their_zero_values(self) -> None:
        made = Outer()
        assert (made.inner.needed, made.inner.count, made.inner.extra) == ([], 0, "")

    def test_nothing_of_it_is_sent(self) -> None:
        thing = Thing()
        before = thing.to_json()
        assert thing.spec.needed == []
        assert thing.to_json() == before
        assert thing.copy().to_json() == before
        assert not is_set(thing, "spec")

    def test_all_of_it_is_sent_once_something_is_set(self) -> None:
        thing = Thing()
        thing.spec.needed.append("x")
        assert thing.to_dict()["spec"] == {"needed": ["x"], "count": 0}
        assert thing.copy() == thing
        assert isinstance(thing.spec, Inner)

    def test_what_was_read_empty_stays_what_it_was(self) -> None:
        wire = {"inner": {"needed": [], "count": 0}, "pointed": {"needed": [], "count": 0}}
        read = Outer.from_dict(wire)
        assert read.inner.count == 0
        assert read.to_dict() == wire

    def test_two_that_were_made_are_equal(self) -> None:
        one, two = Outer(), Outer(inner=Inner(needed=[], count=0))
        assert one.inner == two.inner
        assert one == two


class TestInheritance:
    def test_a_default_can_be_declared_anew(self) -> None:
        assert Derived().number == 5
        assert Derived() == Derived(number=5)
        assert Base().number == 1

    def test_a_type_can_be_declared_anew(self) -> None:
        assert Derived().inner.more == 7
        assert WiderThing.from_dict({"spec": {"needed": [], "count": 1, "more": 2}}).spec.more == 2
        assert not hasattr(Thing().spec, "more")

    def test_a_required_field_can_become_optional(self) -> None:
        assert RelaxedThing().spec.count == 0
        with pytest.raises(TypeError, match="spec"):
            RequiredThing()  # type: ignore[call-arg]

    def test_a_subclass_is_of_its_kind(self) -> None:
        assert WiderThing.gvk == Thing.gvk
        assert WiderThing().kind == "Thing"


class TestUnsetting:
    @pytest.mark.parametrize("name", ["number", "inner", "when"])
    def test_a_deleted_field_reads_as_its_default(self, name: str) -> None:
        base = Base.from_dict(
            {"number": 3, "inner": {"needed": ["x"], "count": 1}, "when": "2026-01-02T03:04:05Z"}
        )
        delattr(base, name)
        assert getattr(base, name) == getattr(Base(), name)
        assert name not in base.to_dict()
        assert name not in repr(base)

    def test_of_a_resource(self) -> None:
        thing = Thing.from_dict(
            {"metadata": {"name": "a"}, "spec": {"needed": [], "count": 1}, "status": None}
        )
        del thing.spec
        del thing.status
        del thing.metadata
        assert thing == Thing()
        assert thing.to_json() == Thing().to_json()

    def test_what_cannot_be_deleted(self) -> None:
        with pytest.raises(AttributeError, match=r"Inner\.count is required and cannot be unset"):
            del Inner(needed=[], count=1).count
        with pytest.raises(AttributeError, match="Inner has no field 'nope'"):
            del Inner(needed=[], count=1).nope  # type: ignore[attr-defined]

    def test_none_is_the_same_as_unset(self) -> None:
        meta = ObjectMeta(name="a", namespace="b", labels={"a": "b"})
        meta.namespace = None  # type: ignore[assignment]
        meta.labels = None  # type: ignore[assignment]
        assert meta == ObjectMeta(name="a")
        assert meta.to_dict() == {"name": "a"}
        thing = Thing(spec=None, note=None)  # type: ignore[arg-type]
        thing.status = None
        assert thing == Thing()
        assert thing.copy() == thing


class TestDeclarations:
    def test_a_struct_as_a_default_would_be_shared(self) -> None:
        with pytest.raises(
            TypeError, match=r"^Bad\.inner: its default is a struct that all would share; write EMPTY"
        ):

            class Bad(Struct):
                inner: Inner = Inner(needed=[], count=1)

    @pytest.mark.parametrize("default", [["a"], {"a": 1}, {"a"}, bytearray(b"a")])
    def test_so_would_a_collection_that_is_not_empty(self, default: Any) -> None:
        remedy = rf"Bad.tags: its default is a {type(default).__name__} that all would share; write field"
        with pytest.raises(DeclarationError, match=remedy):
            type(Struct)("Bad", (Struct,), {"__annotations__": {"tags": Any}, "tags": default})

    def test_an_empty_set_is_one_for_each(self) -> None:
        class Tagged(Struct):
            tags: set[str] = set()

        first, second = Tagged(), Tagged()
        first.tags.add("a")
        assert second.tags == set()

    def test_words_in_an_annotation_mean_nothing(self) -> None:
        class Zoned(Struct):
            zones: Annotated[list[str], msgspec.Meta(description="Time zones")] = []
            datetime_format: str = "iso"

        assert (Zoned().zones, Zoned().datetime_format) == ([], "iso")

    @pytest.mark.parametrize("arguments", [{"kind": "Foo"}, {"plural": "foos"}])
    def test_a_kind_needs_an_api_version(self, arguments: dict[str, Any]) -> None:
        with pytest.raises(TypeError, match="has a kind or plural but no api_version"):
            type(Resource)("Foo", (Resource,), {}, **arguments)

    def test_names_that_objects_have_themselves(self) -> None:
        with pytest.raises(TypeError, match=r'call it key_ and give it field\(name="key"\)'):
            type(Resource)("Foo", (Resource,), {"__annotations__": {"key": str}}, api_version="v1")

        class Keyed(Resource, api_version="v1", kind="Keyed"):
            key_: str = field(default="", name="key")

        assert Keyed.from_dict({"key": "x"}).key_ == "x"

    def test_a_subclass_merges_as_its_base_does(self) -> None:
        class Reference(OwnerReference):
            more: str = ""

        assert OwnerReference.__map_type__ == Reference.__map_type__ == "atomic"
        assert Inner.__map_type__ == "granular"

    def test_wire_names_with_digits(self) -> None:
        class Digits(Struct):
            min_k8s_version: str = ""
            ca_sha256sum: str = ""

        assert Digits.__struct_encode_fields__ == ("minK8sVersion", "caSha256sum")


class Cat(Struct, tag_field="type", tag="cat"):
    lives: int


class Dog(Struct, tag_field="type", tag="dog"):
    tricks: list[str]


class Zoo(Struct):
    animals: list[Cat | Dog] = []
    several: Sequence[Inner] = []
    named: Mapping[str, Inner] = {}
    loose: dict = {}  # type: ignore[type-arg]
    owner: OwnerReference | None = None


class TestOddTypes:
    def test_unknown_fields_in_tagged_unions(self) -> None:
        wire = {"animals": [{"type": "dog", "tricks": ["sit"], "new": 1}, {"type": "cat", "lives": 9}]}
        read = Zoo.from_dict(wire)
        assert isinstance(read.animals[0], Dog)
        assert read.to_dict() == wire

    def test_unknown_fields_in_sequences_and_mappings(self) -> None:
        wire = {
            "several": [{"needed": [], "count": 1, "new": 1}],
            "named": {"a": {"needed": [], "count": 1, "new": {"x": []}}},
            "loose": {"a": 1},
        }
        assert Zoo.from_dict(wire).to_dict() == wire

    def test_null_in_lists_and_maps_is_zero(self) -> None:
        assert ObjectMeta.from_dict({"labels": {"a": None}, "finalizers": [None, "x"]}) == ObjectMeta(
            labels={"a": ""}, finalizers=["", "x"]
        )


class TestWhatCannotBeEncoded:
    def test_numbers_that_are_not_finite(self) -> None:
        for number in (float("nan"), float("inf")):
            with pytest.raises(DecodeError, match="not finite"):
                Thing.from_dict({"x": {"y": [number]}})
        zoo = Zoo(loose={"x": float("nan")})
        with pytest.raises(EncodeError, match="not finite"):
            zoo.to_json()

    def test_an_object_that_refers_to_itself(self) -> None:
        cycle: dict[str, Any] = {}
        cycle["self"] = cycle
        zoo = Zoo(loose=cycle)
        for encode in (zoo.to_json, zoo.to_dict, zoo.to_yaml):
            with pytest.raises(EncodeError, match="refers to itself"):
                encode()

    def test_lone_surrogates(self) -> None:
        with pytest.raises(EncodeError, match="lone surrogate"):
            ObjectMeta(name="\ud800").to_json()
        with pytest.raises(DecodeError, match="lone surrogate"):
            ObjectMeta.from_json('{"name":"\ud800"}')

    def test_other_objects(self) -> None:
        with pytest.raises(EncodeError, match=r"^object has no JSON form$"):
            Zoo(loose={"x": object()}).to_json()


class TestInputs:
    def test_a_buffer_that_changes_later(self) -> None:
        buffer = bytearray(b'{"metadata":{},"note":"before"}')
        thing = Thing.from_json(buffer)  # type: ignore[arg-type]
        buffer[20:28] = b"XXXXXXXX"
        assert thing.note == "before"

    def test_any_mapping(self) -> None:
        assert Thing.from_dict(MappingProxyType({"note": "x"})).note == "x"

    def test_times_without_a_zone(self) -> None:
        with pytest.raises(DecodeError, match=r"creationTimestamp: expected datetime with a timezone"):
            ObjectMeta.from_json('{"creationTimestamp":"2026-01-02T03:04:05"}')

    def test_errors_in_lazy_metadata(self) -> None:
        meta = ObjectMeta.from_json('{"name":"a","managedFields":[{"time":5}]}')
        with pytest.raises(DecodeError, match=r"^ObjectMeta managedFields\[0\]\.time: "):
            _ = meta.managed_fields

    def test_comparing_what_cannot_be_read(self) -> None:
        one, two = (Thing.from_dict({"spec": {"needed": [], "count": text}}) for text in ("x", "y"))
        assert one != two
        assert one == one.copy()


def test_the_items_of_a_list_are_always_sent() -> None:
    assert ThingList.from_json('{"items":[]}').to_dict()["items"] == []
    assert ThingList().to_dict() == {
        "apiVersion": "example.com/v1",
        "kind": "ThingList",
        "metadata": {},
        "items": [],
    }


def test_encoding_changes_nothing_for_other_threads() -> None:
    """Encode in one thread what another appends to; nothing may get lost on either side."""
    outer = Outer()
    outer.inner.extra = "x"
    errors: list[object] = []
    stop = threading.Event()

    def encode() -> None:
        while not stop.is_set():
            if outer.to_json() != b'{"inner":{"needed":[],"count":0,"extra":"x"}}':
                errors.append(outer.to_json())

    encoders = [threading.Thread(target=encode) for _ in range(2)]
    for thread in encoders:
        thread.start()
    assert all(outer.names is outer.names for _ in range(20_000))
    stop.set()
    for thread in encoders:
        thread.join()
    assert errors == []


class Numbered(Struct):
    number: int


class Timed(Struct):
    inner: Numbered = EMPTY
    at: Time | None = None


def test_the_type_of_a_field_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    # It costs a hundred times what reading or setting a field does.
    now = datetime.now(UTC)
    assert Timed(at=now).inner.number == 0

    def fail(_: object) -> None:
        raise AssertionError("the type is looked at again")

    monkeypatch.setattr(msgspec.structs, "fields", fail)
    again = Timed(at=now)
    assert again.inner.number == 0
    again.inner.number = 1
    again.at = now
    assert Timed().inner.number == 0


def test_an_argument_that_is_no_field_is_named_with_the_one_that_is() -> None:
    made: Any = ObjectMeta
    with pytest.raises(TypeError, match="ObjectMeta has no field 'generateName'; write generate_name"):
        made(generateName="a-")
    with pytest.raises(TypeError, match="ObjectMeta has no field 'lables'; write labels"):
        made(lables={})
    made = Outer
    with pytest.raises(TypeError, match="Outer has no field 'zzz'; there are inner, names, pointed"):
        made(zzz=1)
    made = Inner
    with pytest.raises(TypeError, match="Inner has no field 'neded'; write needed"):
        made(neded=[], count=1)
    with pytest.raises(TypeError, match="Missing required argument 'needed'"):
        made(count=1)


def test_an_attribute_that_is_no_field_is_named_with_the_one_that_is() -> None:
    meta: Any = ObjectMeta(name="a")
    for refused in (
        lambda: meta.lables,
        lambda: setattr(meta, "lables", {}),
        lambda: delattr(meta, "lables"),
    ):
        with pytest.raises(
            AttributeError, match=r"^ObjectMeta has no field 'lables'; write labels$"
        ) as caught:
            refused()
        assert caught.value.name == "lables"
    thing: Any = Thing.from_dict({"apiVersion": "example.com/v1", "kind": "Thing", "new": 1})
    with pytest.raises(AttributeError, match="Thing has no field 'nottee'; write note"):
        thing.nottee = "x"
    with pytest.raises(AttributeError, match="Thing has no field 'apiVersion'; write api_version"):
        _ = thing.apiVersion
    with pytest.raises(AttributeError, match="property 'key'"):
        thing.key = "x"
    outer: Any = Outer()
    with pytest.raises(AttributeError, match=r"Inner has no field 'zzz'; there are needed, count, extra$"):
        outer.inner.zzz = 1
    assert not hasattr(outer, "zzz")
    assert outer.to_dict() == {}
