"""Merge patch: RFC 7386's own examples, the laws, and kubectl's three-way patch."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given

from kubewright.machinery.patch import (
    MAX_DEPTH,
    MalformedPatchError,
    PatchError,
    PatchPreconditionError,
    apply_merge_patch,
    make_merge_patch,
    make_three_way_merge_patch,
    require_key_unchanged,
    require_metadata_key_unchanged,
)
from kubewright.machinery.patch.values import json_equal
from tests.machinery.patch.documents import json_objects, nested


@pytest.mark.parametrize(
    ("document", "patch", "result"),
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        (["a", "b"], ["c", "d"], ["c", "d"]),
        ({"a": "b"}, ["c"], ["c"]),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
        ({}, {"a": [{"b": None}, None]}, {"a": [{}, None]}),
    ],
)
def test_examples(document: Any, patch: Any, result: Any) -> None:
    before = copy.deepcopy((document, patch))
    assert json_equal(apply_merge_patch(document, patch), result)
    assert (document, patch) == before


@pytest.mark.parametrize("patch", [None, "c", 3, False])
def test_a_patch_is_an_object(patch: Any) -> None:
    with pytest.raises(MalformedPatchError, match="a merge patch is an object"):
        apply_merge_patch({}, patch)


def test_a_null_document_is_refused() -> None:
    with pytest.raises(PatchError, match="null"):
        apply_merge_patch(None, {})


@given(a=json_objects(nulls=False), b=json_objects(nulls=False))
def test_applying_what_was_made_gives_b(a: Any, b: Any) -> None:
    before = copy.deepcopy([a, b])
    assert json_equal(apply_merge_patch(a, make_merge_patch(a, b)), b, numbers_alike=True)
    assert json_equal(before, [a, b])


@given(a=json_objects(), b=json_objects())
def test_what_was_made_is_right_or_refused(a: Any, b: Any) -> None:
    try:
        patch = make_merge_patch(a, b)
    except PatchError:
        assert _holds_null(b)
    else:
        assert json_equal(apply_merge_patch(a, patch), b, numbers_alike=True)


def _holds_null(value: Any) -> bool:
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return value is None or any(map(_holds_null, members))


@given(document=json_objects(), patch=json_objects(nulls=False))
def test_applying_twice_is_applying_once(document: Any, patch: Any) -> None:
    patch["gone"] = None
    once = apply_merge_patch({**document, "gone": 1}, patch)
    assert json_equal(apply_merge_patch(once, patch), once)


def test_results_share_nothing() -> None:
    document, patch = {"a": {"b": [1]}}, {"c": {"d": [2]}}
    result = apply_merge_patch(document, patch)
    result["a"]["b"].append(3)
    result["c"]["d"].append(3)
    assert (document, patch) == ({"a": {"b": [1]}}, {"c": {"d": [2]}})


class TestMaking:
    def test_smallest_patch(self) -> None:
        a = {"a": 1, "b": {"c": 1, "d": [1]}, "e": 1, "same": [None]}
        b = {"a": 1.0, "b": {"c": True, "d": [1]}, "same": [None]}
        assert json_equal(make_merge_patch(a, b), {"b": {"c": True}, "e": None})

    @pytest.mark.parametrize(
        ("b", "place"),
        [
            ({"a": None}, "a"),
            ({"x": {"y": {"z": None}}}, "x.y.z"),
            ({"x": [1, {"y": None}]}, "x[1].y"),
        ],
    )
    def test_null_cannot_be_written(self, b: Any, place: str) -> None:
        with pytest.raises(PatchError) as caught:
            make_merge_patch({"a": 1}, b)
        assert f'"{place}" is null' in str(caught.value)

    def test_a_list_over_an_object_is_written_as_it_is(self) -> None:
        a, b = {"a": {}}, {"a": [{"b": None}]}
        assert apply_merge_patch(a, make_merge_patch(a, b)) == b

    def test_a_null_that_stays_is_no_matter(self) -> None:
        assert make_merge_patch({"a": None, "b": 1}, {"a": None, "b": 2}) == {"b": 2}

    @pytest.mark.parametrize("document", [None, [], 3])
    def test_objects_only(self, document: Any) -> None:
        with pytest.raises(PatchError, match="must be an object"):
            make_merge_patch({}, document)


class TestThreeWay:
    def test_what_others_set_stays(self) -> None:
        original = {"spec": {"replicas": 1, "old": "x"}}
        modified = {"spec": {"replicas": 2}}
        current = {"spec": {"replicas": 1, "old": "x", "defaulted": True}, "status": {}}
        patch = make_three_way_merge_patch(original, modified, current)
        assert patch == {"spec": {"replicas": 2, "old": None}}
        assert apply_merge_patch(current, patch) == {"spec": {"replicas": 2, "defaulted": True}, "status": {}}

    @given(original=json_objects(nulls=False), modified=json_objects(nulls=False))
    def test_an_untouched_object_becomes_what_was_asked_for(self, original: Any, modified: Any) -> None:
        patch = make_three_way_merge_patch(original, modified, original)
        assert json_equal(apply_merge_patch(original, patch), modified, numbers_alike=True)

    @given(
        original=json_objects(nulls=False),
        modified=json_objects(nulls=False),
        current=json_objects(nulls=False),
    )
    def test_inputs_are_left_alone(self, original: Any, modified: Any, current: Any) -> None:
        before = copy.deepcopy([original, modified, current])
        make_three_way_merge_patch(original, modified, current)
        assert json_equal(before, [original, modified, current])

    def test_absent_documents_are_empty(self) -> None:
        assert make_three_way_merge_patch(None, {"a": {}}, None) == {"a": {}}

    def test_an_empty_object_is_a_value(self) -> None:
        current = {"a": {"b": 3}}
        patch = make_three_way_merge_patch({"a": {"b": {"x": 1}}}, {"a": {"b": {}}}, current)
        assert patch == {"a": {"b": {"x": None}}}
        assert apply_merge_patch(current, patch) == {"a": {"b": {}}}

    def test_preconditions(self) -> None:
        conditions = [require_key_unchanged("kind"), require_metadata_key_unchanged("name")]
        assert make_three_way_merge_patch({}, {"kind": "A"}, {"kind": "A"}, preconditions=conditions) == {}
        with pytest.raises(PatchPreconditionError, match='"kind"'):
            make_three_way_merge_patch({}, {"kind": "B"}, {"kind": "A"}, preconditions=conditions)
        with pytest.raises(PatchPreconditionError, match=r'"metadata\.name"'):
            make_three_way_merge_patch({}, {"metadata": {"name": "x"}}, {}, preconditions=conditions)


def test_depth_is_limited() -> None:
    deep, deeper, wanted = nested(MAX_DEPTH), nested(MAX_DEPTH + 1), nested(MAX_DEPTH, leaf="x")
    assert apply_merge_patch(deep, wanted) == wanted
    assert make_merge_patch(deep, wanted) == wanted
    assert make_three_way_merge_patch(deep, wanted, deep) == wanted
    for call in (
        lambda: apply_merge_patch(deeper, {}),
        lambda: apply_merge_patch({}, deeper),
        lambda: make_merge_patch({}, nested(100_000)),
        lambda: make_three_way_merge_patch({}, {}, deeper),
    ):
        with pytest.raises(PatchError, match="nested too deeply"):
            call()
