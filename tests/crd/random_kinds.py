"""Random types for custom resources, each with plain data that it takes."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple

from hypothesis import strategies as st

from kubewright import (
    EMPTY,
    Duration,
    Field,
    Int32,
    IntOrString,
    Quantity,
    Resource,
    Rule,
    Struct,
    Time,
    custom_resource,
)

__all__ = ["JUNK", "Typed", "kind_of", "mutated", "specs"]


class Typed(NamedTuple):
    """A type, and the plain data of its values."""

    annotation: Any
    data: st.SearchStrategy[Any]


WORDS = st.text("abcé", max_size=4)
NAMES = ("alpha", "beta_two", "gamma", "delta", "for_")
JUNK = st.sampled_from(
    [None, 1.5, -1, 0, 7, 10**6, 2**31, 2**63, "", "zz", "zzzzzzzz", True, [], {}, [None], {"a": 1}]
)


def _bounded(low: int, high: int, exclusive: bool) -> Typed:
    mark = Field(minimum=low, maximum=high, exclusive_maximum=exclusive)
    return Typed(Annotated[int, mark], st.integers(low, high - exclusive))


def _short(most: int) -> Typed:
    return Typed(Annotated[str, Field(max_length=most)], st.text("abcé", max_size=most))


LEAVES = st.one_of(
    st.builds(_bounded, st.integers(-3, 0), st.integers(1, 5), st.booleans()),
    st.builds(_short, st.integers(0, 4)),
    st.sampled_from(
        [
            Typed(Int32, st.integers(-(2**31), 2**31 - 1)),
            Typed(int, st.integers(-(2**63), 2**63 - 1)),
            Typed(Annotated[int, Field(multiple_of=3)], st.integers(-5, 5).map(lambda number: number * 3)),
            Typed(bool, st.booleans()),
            Typed(float, st.floats(-100, 100).map(lambda number: round(number, 2) + 0.125)),
            Typed(Literal["red", "blue"], st.sampled_from(["red", "blue"])),
            Typed(Annotated[str, Field(pattern="^[a-c]*$")], st.text("abc", max_size=3)),
            Typed(Annotated[str, Field(format="ipv4")], st.sampled_from(["10.0.0.1", "1.2.3.4"])),
            Typed(Time, st.sampled_from(["2024-01-01T00:00:00Z", "2020-02-29T23:59:59Z"])),
            Typed(Duration, st.sampled_from(["1h0m0s", "0s", "1.5s"])),
            Typed(Quantity, st.sampled_from(["1", "100m", "2Gi"])),
            Typed(IntOrString, st.one_of(st.integers(0, 5), WORDS)),
            Typed(Annotated[int, Field(rules=(Rule("self != 2"),))], st.sampled_from([1, 3])),
            Typed(dict[str, Any], st.dictionaries(WORDS, st.one_of(st.integers(0, 3), WORDS), max_size=2)),
        ]
    ),
)


def _list(inner: Typed, most: int) -> Typed:
    return Typed(
        Annotated[list[inner.annotation], Field(max_items=most)], st.lists(inner.data, max_size=most)
    )


def _set(most: int) -> Typed:
    data = st.lists(WORDS, unique=True, max_size=most)
    return Typed(Annotated[list[str], Field(max_items=most, unique_items=True)], data)


def _map(inner: Typed, most: int) -> Typed:
    data = st.dictionaries(WORDS, inner.data, max_size=most)
    return Typed(Annotated[dict[str, inner.annotation], Field(max_properties=most)], data)


def _struct(members: dict[str, tuple[Typed, bool]], **options: Any) -> Typed:
    annotations: dict[str, Any] = {}
    namespace: dict[str, Any] = {"__annotations__": annotations, "__module__": __name__}
    required: dict[str, Any] = {}
    optional: dict[str, Any] = {}
    for name, (typed, needed) in members.items():
        wire = name.rstrip("_") if name.endswith("_") else "betaTwo" if name == "beta_two" else name
        if needed:
            annotations[name] = typed.annotation
            required[wire] = typed.data
        else:
            annotations[name] = typed.annotation | None
            namespace[name] = None
            optional[wire] = typed.data
    cls: Any = type(Struct)("Random", (Struct,), namespace, **options)
    return Typed(cls, st.fixed_dictionaries(required, optional=optional))


def _union(one: Typed, other: Typed) -> Typed:
    flag = Typed(bool, st.booleans())
    first = _struct({"alpha": (one, True), "gamma": (flag, False)}, tag="a", tag_field="type")
    second = _struct({"delta": (other, False)}, tag="b", tag_field="type")
    data = st.one_of(
        first.data.map(lambda value: {"type": "a", **value}),
        second.data.map(lambda value: {"type": "b", **value}),
    )
    return Typed(first.annotation | second.annotation, data)


def _members(types: st.SearchStrategy[Typed]) -> st.SearchStrategy[Typed]:
    return st.dictionaries(
        st.sampled_from(NAMES), st.tuples(types, st.booleans()), min_size=1, max_size=4
    ).map(_struct)


TYPES = st.recursive(
    LEAVES,
    lambda types: st.one_of(
        st.builds(_list, types, st.integers(1, 3)),
        st.builds(_set, st.integers(1, 3)),
        st.builds(_map, types, st.integers(1, 3)),
        st.builds(_union, types, types),
        _members(types),
    ),
    max_leaves=6,
)


def specs() -> st.SearchStrategy[Typed]:
    """Types for the spec of a kind."""
    return _members(TYPES)


def kind_of(spec: Typed, group: str) -> type[Resource]:
    """A kind with that spec."""
    namespace = {"__annotations__": {"spec": spec.annotation}, "__module__": __name__, "spec": EMPTY}
    thing: Any = type(Resource)("Thing", (Resource,), namespace)
    made: type[Resource] = custom_resource(group=group, version="v1")(thing)
    return made


@st.composite
def mutated(draw: st.DrawFn, data: Any) -> Any:
    """The data with one thing in it changed."""
    if isinstance(data, dict) and data and draw(st.integers(0, 3)):
        name = draw(st.sampled_from(sorted(data)))
        if not draw(st.integers(0, 3)):
            return {key: value for key, value in data.items() if key != name}
        return {**data, name: draw(mutated(data[name]))}
    if isinstance(data, list) and data and draw(st.integers(0, 2)):
        at = draw(st.integers(0, len(data) - 1))
        if draw(st.booleans()):
            return [*data, data[at]]
        return [*data[:at], draw(mutated(data[at])), *data[at + 1 :]]
    return draw(JUNK)
