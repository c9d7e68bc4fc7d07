"""What is unset is not sent, whatever was read: laws over random types, defaults and reads."""

from __future__ import annotations

import copy
import itertools
import pickle
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Annotated, Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubewright import custom_resource
from kubewright.machinery.field import EMPTY, Field, field
from kubewright.machinery.kept import keep, private
from kubewright.machinery.quantity import Quantity
from kubewright.machinery.resource import Resource
from kubewright.machinery.struct import Struct, is_set
from kubewright.machinery.twins import known_type

_WORDS = st.text("abc", max_size=3)
_NAMES = ("alpha", "beta_two", "gamma", "delta", "epsilon")
_WIRE = {"beta_two": "betaTwo"}


class Typed(NamedTuple):
    """A type, the plain data of its values, and what makes a value of the type out of plain data."""

    annotation: Any
    data: st.SearchStrategy[Any]
    read: Callable[[Any], Any]


def _same(value: Any) -> Any:
    return copy.deepcopy(value)


_SCALARS = st.sampled_from(
    [
        Typed(str, _WORDS, _same),
        Typed(int, st.integers(-3, 3), _same),
        Typed(bool, st.booleans(), _same),
        Typed(float, st.sampled_from([0.0, 1.5]), _same),
        Typed(Quantity, st.sampled_from(["1", "100m"]), Quantity),
        Typed(dict[str, Any], st.dictionaries(_WORDS, st.lists(_WORDS, max_size=2), max_size=2), _same),
    ]
)


def _list_of(inner: Typed) -> Typed:
    return Typed(
        list[inner.annotation],  # type: ignore[name-defined]
        st.lists(inner.data, max_size=2),
        lambda data: [inner.read(each) for each in data],
    )


def _map_of(inner: Typed) -> Typed:
    return Typed(
        dict[str, inner.annotation],  # type: ignore[name-defined]
        st.dictionaries(_WORDS, inner.data, max_size=2),
        lambda data: {key: inner.read(each) for key, each in data.items()},
    )


@st.composite
def _structs(draw: st.DrawFn, types: st.SearchStrategy[Typed]) -> Typed:
    annotations: dict[str, Any] = {}
    namespace: dict[str, Any] = {"__annotations__": annotations, "__module__": __name__}
    required: dict[str, Any] = {}
    optional: dict[str, Any] = {}
    for name in draw(st.lists(st.sampled_from(_NAMES), unique=True, min_size=1)):
        inner = draw(types)
        wire = _WIRE.get(name, name)
        annotations[name] = inner.annotation
        default = _default(draw, inner)
        if default is _NONE:
            annotations[name] = inner.annotation | None
            namespace[name] = None
        elif default is _NULLABLE:
            annotations[name] = Annotated[inner.annotation | None, Field(nullable=True)]
            namespace[name] = None
            optional[wire] = st.none() | inner.data
        elif default is not _REQUIRED:
            namespace[name] = default
        if default is _REQUIRED:
            required[wire] = inner.data
        else:
            optional.setdefault(wire, inner.data)
    cls: Any = type(Struct)("Random", (Struct,), namespace)
    return Typed(cls, st.fixed_dictionaries(required, optional=optional), cls.from_dict)


_NONE, _NULLABLE, _REQUIRED = object(), object(), object()


def _default(draw: st.DrawFn, typed: Typed) -> Any:
    """A default that the type can have: one that is shared, one that is made, or none."""
    example = draw(typed.data)
    choices: list[Any] = [_NONE, _NULLABLE, _REQUIRED, field(default_factory=lambda: typed.read(example))]
    if isinstance(typed.annotation, type) and issubclass(typed.annotation, Struct):
        choices.append(EMPTY)
    elif isinstance(example, list | dict) and not isinstance(typed.annotation, type):
        choices.append(type(example)())
    else:
        choices.append(typed.read(example))
    numbers = itertools.count()
    if typed.annotation is str:
        choices.append(field(default_factory=lambda: f"never the same {next(numbers)}"))
    return draw(st.sampled_from(choices))


_TYPES = st.recursive(
    _SCALARS, lambda types: st.one_of(types.map(_list_of), types.map(_map_of), _structs(types)), max_leaves=5
)


def _kind_of(spec: Typed, default: Any) -> type[Resource]:
    """A kind whose spec and status, which are decoded when they are read, are of a type."""
    namespace = {
        "__annotations__": {"spec": spec.annotation, "status": spec.annotation},
        "__module__": __name__,
        "spec": default,
        "status": EMPTY,
    }
    made: type[Resource] = type(Resource)(
        "Thing", (Resource,), namespace, api_version="example.com/v1", kind="Thing"
    )
    return made


def _read_all(value: Any, draw: Callable[[], bool]) -> Iterator[tuple[Struct, str]]:
    """Read fields, and fields of what was read, as chance has it; yields those that were read."""
    if isinstance(value, Struct):
        for name in known_type(type(value)).__struct_fields__:
            if draw():
                inner = getattr(value, name)
                yield value, name
                yield from _read_all(inner, draw)
    elif isinstance(value, list | dict):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _read_all(inner, draw)


def _wire_name(struct: Struct, name: str) -> str:
    return struct.__struct_encode_fields__[struct.__struct_fields__.index(name)]


def _flags(struct: Struct) -> dict[str, bool]:
    return {name: is_set(struct, name) for name in struct.__struct_fields__}


def _forms(obj: Any) -> tuple[Any, ...]:
    """What is sent of an object, in all ways in which it can be sent, and what its copies send."""
    return tuple(each.to_dict() for each in (obj, obj.copy(), type(obj).from_json(obj.to_json())))


@st.composite
def _objects(draw: st.DrawFn) -> tuple[Struct, dict[str, Any]]:
    spec = draw(_structs(_TYPES))
    data = draw(spec.data)
    if draw(st.booleans()):
        return spec.read(data), data
    kind = _kind_of(spec, draw(st.sampled_from([EMPTY, field(default_factory=lambda: spec.read(data))])))
    wire = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}}
    for name in ("spec", "status"):
        if draw(st.booleans()):
            wire[name] = draw(spec.data)
    return kind.from_dict(wire), wire


@settings(max_examples=200, deadline=None)
@given(_objects(), st.data())
def test_reading_changes_nothing(made: tuple[Struct, dict[str, Any]], data: st.DataObject) -> None:
    obj, wire = made
    twin = type(obj).from_dict(wire)
    flags = _flags(obj)
    assert _forms(obj) == (wire,) * 3
    seen = list(_read_all(obj, lambda: data.draw(st.booleans())))
    assert _forms(obj) == (wire,) * 3
    assert _flags(obj) == flags
    assert obj == twin
    assert twin == obj
    for struct, name in seen:
        first = getattr(struct, name)
        assert getattr(struct, name) is first or not isinstance(first, list | dict | Struct)
    copies: list[Any] = [obj.copy()]
    if isinstance(obj, Resource):
        copies.append(private(keep(type(obj).from_dict(wire), managed_fields=True)))
    for copied in copies:
        list(_read_all(copied, lambda: True))
        assert copied.to_dict() == wire
    assert _forms(obj) == (wire,) * 3


@settings(max_examples=200, deadline=None)
@given(_objects(), st.data())
def test_what_was_changed_after_it_was_read_is_sent(
    made: tuple[Struct, dict[str, Any]], data: st.DataObject
) -> None:
    obj, wire = made
    values = [(each, name, getattr(each, name)) for each, name in _read_all(obj, lambda: True)]
    changeable = [entry for entry in values if isinstance(entry[2], list | dict)]
    if not changeable:
        return
    struct, name, value = data.draw(st.sampled_from(changeable))
    length = len(value)
    # An element that is there is of the right type; where there is none, null is taken for one.
    if isinstance(value, list):
        value.append(copy.deepcopy(value[0]) if value else None)
    else:
        value["added"] = copy.deepcopy(next(iter(value.values()), None))
    assert is_set(struct, name)
    assert len(struct.to_dict()[_wire_name(struct, name)]) == length + 1
    whole = obj.to_dict()
    assert whole != wire
    if length:
        assert _forms(obj) == (whole,) * 3
    list(_read_all(obj, lambda: True))
    assert obj.to_dict() == whole


@settings(max_examples=200, deadline=None)
@given(_objects(), st.data())
def test_what_is_set_is_sent_and_what_is_unset_is_not(
    made: tuple[Struct, dict[str, Any]], data: st.DataObject
) -> None:
    obj, _ = made
    fields = [(each, name) for each, name in _read_all(obj, lambda: True) if getattr(each, name) is not None]
    if not fields:
        return
    struct, name = data.draw(st.sampled_from(fields))
    setattr(struct, name, copy.deepcopy(getattr(struct, name)))
    assert is_set(struct, name)
    sent = struct.to_dict()
    assert _wire_name(struct, name) in sent
    if name not in known_type(type(struct)).__required__ | {"api_version", "kind", "metadata"}:
        with suppress(AttributeError):  # a required field stays
            delattr(struct, name)
            del sent[_wire_name(struct, name)]
        assert struct.to_dict() == sent


class Limits(Struct):
    size: int = 1
    tags: list[str] = field(default_factory=lambda: ["t"])


class Port(Struct):
    port: int
    names: list[str] = []


class WidgetSpec(Struct):
    colors: list[str] = field(default_factory=lambda: ["a"])
    limits: Limits = field(default_factory=lambda: Limits(size=2))
    empty: Limits = EMPTY
    ports: list[Port] = field(default_factory=lambda: [Port(port=80)])
    labels: dict[str, str] = field(default_factory=lambda: {"a": "b"})
    numbers: set[int] = set()
    plain: list[str] = []


class Widget(Resource, api_version="example.com/v1", kind="Widget"):
    spec: WidgetSpec = field(default_factory=WidgetSpec)


def widget(**spec: Any) -> Widget:
    return Widget.from_dict({"metadata": {"name": "w"}, "spec": spec})


def test_a_default_that_was_read_is_not_sent() -> None:
    read = widget()
    assert read.spec.colors == ["a"]
    assert (read.spec.limits.size, read.spec.limits.tags) == (2, ["t"])
    assert (read.spec.ports[0].port, read.spec.labels, read.spec.numbers) == (80, {"a": "b"}, set())
    assert read.to_dict()["spec"] == {}
    assert not is_set(read.spec, "colors")
    assert not is_set(read.spec, "limits")
    assert repr(read.spec) == "WidgetSpec()"
    assert pickle.loads(pickle.dumps(read)).to_dict()["spec"] == {}  # noqa: S301 - our own bytes
    unset = Widget(metadata=read.metadata)
    assert unset.spec.colors == ["a"]
    assert "spec" not in unset.to_dict()


@pytest.mark.parametrize(
    ("change", "sent"),
    [
        (lambda spec: spec.colors.append("b"), {"colors": ["a", "b"]}),
        (lambda spec: spec.colors.clear(), {"colors": []}),
        (lambda spec: setattr(spec, "colors", ["a"]), {"colors": ["a"]}),
        (lambda spec: setattr(spec, "colors", []), {"colors": []}),
        (lambda spec: setattr(spec, "plain", []), {"plain": []}),
        (lambda spec: setattr(spec.limits, "size", 3), {"limits": {"size": 3}}),
        (lambda spec: spec.limits.tags.append("u"), {"limits": {"size": 2, "tags": ["t", "u"]}}),
        (lambda spec: setattr(spec.empty, "size", 1), {"empty": {"size": 1}}),
        (lambda spec: spec.empty.tags.append("u"), {"empty": {"tags": ["t", "u"]}}),
        (lambda spec: spec.ports[0].names.append("web"), {"ports": [{"port": 80, "names": ["web"]}]}),
        (lambda spec: spec.labels.update(c="d"), {"labels": {"a": "b", "c": "d"}}),
        (lambda spec: spec.numbers.add(1), {"numbers": [1]}),
    ],
)
def test_a_default_that_was_changed_is_sent_whole(
    change: Callable[[WidgetSpec], object], sent: dict[str, Any]
) -> None:
    read = widget()
    change(read.spec)
    assert read.to_dict()["spec"] == sent
    others = (read.copy(), copy.deepcopy(read), pickle.loads(pickle.dumps(read)))  # noqa: S301 - our own bytes
    assert [other.to_dict()["spec"] for other in others] == [sent] * 3
    assert is_set(read.spec, next(iter(sent)))
    assert widget().spec.colors == ["a"], "defaults are not shared"


def test_a_deleted_field_reads_as_its_default_again() -> None:
    read = widget(colors=["x"])
    read.spec.colors.append("y")
    del read.spec.colors
    assert read.spec.colors == ["a"]
    assert read.to_dict()["spec"] == {}


def test_what_came_empty_stays() -> None:
    spec: dict[str, Any] = {"colors": [], "plain": [], "labels": {}, "empty": {}, "limits": {}}
    read = widget(**spec)
    assert (read.spec.colors, read.spec.plain, read.spec.labels, read.spec.limits.size) == ([], [], {}, 1)
    assert read.to_dict()["spec"] == spec
    assert all(is_set(read.spec, name) for name in spec)


def test_an_unset_field_equals_its_default() -> None:
    read = widget()
    assert read == widget(colors=["a"], limits={"size": 2})
    assert read.spec.colors
    assert read == widget(colors=["a"])
    assert read != widget(colors=[])


def test_a_required_list_that_was_absent_is_not_sent() -> None:
    class Needy(Struct):
        needed: list[str]
        inner: dict[str, Port]

    read = Needy.from_dict({})
    assert (read.needed, read.inner) == ([], {})
    assert read.to_dict() == {}
    assert not is_set(read, "needed")
    read.needed.append("a")
    read.inner = {}
    assert read.copy().to_dict() == read.to_dict() == {"needed": ["a"], "inner": {}}


def test_null_is_a_value_where_the_field_says_so() -> None:
    class Nulls(Struct):
        plain: str | None = None
        nullable: Annotated[str | None, Field(nullable=True)] = None
        filled: Annotated[str | None, Field(nullable=True)] = "x"
        listed: Annotated[list[str] | None, Field(nullable=True)] = field(default_factory=lambda: ["a"])

    wire = {"plain": None, "nullable": None, "filled": None, "listed": None}
    read = Nulls.from_dict(wire)
    assert (read.plain, read.nullable, read.filled, read.listed) == (None, None, None, None)
    assert read.to_dict() == {name: None for name in wire if name != "plain"}
    assert [is_set(read, name) for name in wire] == [False, True, True, True]
    assert Nulls(plain=None, nullable=None).to_dict() == {"nullable": None}
    unset = Nulls()
    assert (unset.nullable, unset.filled, unset.listed) == (None, "x", ["a"])
    assert unset.to_dict() == {}
    unset.filled = None
    assert unset.to_dict() == {"filled": None}


def test_the_default_of_the_schema_is_that_of_the_class() -> None:
    @custom_resource(group="example.com", version="v1")
    class Lamp(Resource):
        spec: WidgetSpec = EMPTY

    (version,) = Lamp.crd().to_dict()["spec"]["versions"]
    properties = version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
    assert properties["colors"]["default"] == ["a"]
    assert properties["limits"]["default"] == {"size": 2}
