"""Random structural schemas, and values that often fit them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

SCALARS = st.sampled_from(
    [
        "",
        "a",
        "ab",
        "abc",
        "x",
        "1.2.3.4",
        "2020-01-01",
        0,
        1,
        2,
        3,
        -1,
        1.5,
        2.0,
        2**31,
        float(2**70),  # as integers beyond 64 bits are read
        True,
        False,
        None,
    ]
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcde"), inner, max_size=3),
    max_leaves=6,
)
RULES: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "maxLength": st.integers(0, 3),
        "minLength": st.integers(0, 3),
        "pattern": st.sampled_from(["^a", "b$", "^(ab)+$"]),
        "format": st.sampled_from(["date", "ipv4", "int32", "unknown"]),
        "minimum": st.sampled_from([0, 1, 2.5]),
        "maximum": st.sampled_from([0, 2, 2.5]),
        "exclusiveMinimum": st.just(True),
        "multipleOf": st.sampled_from([2, 0.5]),
        "enum": st.lists(SCALARS, min_size=1, max_size=3),
        "minItems": st.integers(0, 2),
        "maxItems": st.integers(0, 2),
        "minProperties": st.integers(0, 2),
        "maxProperties": st.integers(0, 2),
        "required": st.lists(st.sampled_from("ab"), min_size=1, max_size=2, unique=True),
    },
)


def _few(rules: dict[str, Any]) -> dict[str, Any]:
    return dict(list(rules.items())[:2])


def _nodes(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    def merged(parts: tuple[dict[str, Any], ...]) -> dict[str, Any]:
        return {name: value for part in parts for name, value in part.items()}

    members = st.dictionaries(st.sampled_from("abcd"), inner, min_size=1, max_size=3)
    shapes = st.one_of(
        members.map(lambda found: {"type": "object", "properties": found}),
        inner.map(lambda found: {"type": "object", "additionalProperties": found}),
        inner.map(lambda found: {"type": "array", "items": found}),
    )
    extras = st.fixed_dictionaries(
        {},
        optional={"nullable": st.just(True), "x-kubernetes-preserve-unknown-fields": st.just(True)},
    )
    clauses = st.dictionaries(
        st.sampled_from(["allOf", "anyOf", "oneOf"]),
        st.lists(RULES.map(_few), min_size=1, max_size=2),
        max_size=1,
    )
    return st.tuples(shapes, RULES.map(_few), extras, clauses).map(merged)


_TYPES = ["string", "integer", "number", "boolean"]
LEAVES = st.tuples(st.sampled_from([*_TYPES, None, "either"]), RULES.map(_few), st.booleans()).map(
    lambda found: {
        **(
            {"x-kubernetes-preserve-unknown-fields": True}
            if found[0] is None
            else {"x-kubernetes-int-or-string": True}
            if found[0] == "either"
            else {"type": found[0]}
        ),
        **found[1],
        **({"nullable": True} if found[2] else {}),
    }
)
SCHEMAS: st.SearchStrategy[dict[str, Any]] = st.recursive(LEAVES, _nodes, max_leaves=6)
