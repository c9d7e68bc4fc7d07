"""JSON patch and merge patch against the libraries that kube-apiserver and kubectl use."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kubewright.machinery.patch import (
    PatchError,
    apply_json_patch,
    apply_merge_patch,
    make_json_patch,
    make_merge_patch,
    make_three_way_merge_patch,
)
from kubewright.machinery.patch.values import json_equal
from tests.conftest import Oracle, OracleRefusal
from tests.machinery.patch.documents import documents, json_objects, json_values

pytestmark = pytest.mark.oracle

TOKENS = st.sampled_from(
    ["a", "b", "c", "a~1b", "m~0n", "", "0", "1", "-", "-1", "-2", "+1", "01", "9", "x", "~2"]
)
PATHS = st.lists(TOKENS, max_size=3).map(lambda tokens: "".join("/" + token for token in tokens))
OPERATIONS = st.fixed_dictionaries(
    {
        "op": st.sampled_from(["add", "remove", "replace", "move", "copy", "test"]),
        "path": PATHS,
        "from": PATHS,
    },
    optional={"value": json_values()},
)


def verdict(answer: Any) -> Any:
    """What a call gives: its answer, or that it refused."""
    try:
        return answer()
    except (PatchError, OracleRefusal) as error:
        return error


def agree(ours: Any, theirs: Any) -> bool:
    if isinstance(theirs, OracleRefusal):
        return isinstance(ours, PatchError)
    return not isinstance(ours, PatchError) and json_equal(ours, theirs)


def same_json_patch(oracle: Oracle, document: Any, operations: list[Any]) -> bool:
    theirs = verdict(lambda: oracle.ask("patch.json", {"document": document, "patch": operations}))
    if isinstance(theirs, OracleRefusal) and str(theirs).startswith("panic: "):
        return True  # upstream has no answer: it stumbles over nulls in lists
    ours = verdict(lambda: apply_json_patch(document, operations))
    assert agree(ours, theirs), (ours, theirs)
    return True


@given(document=documents(), operations=st.lists(OPERATIONS, max_size=4))
@settings(max_examples=600)
@example(document={"a": 1}, operations=[{"op": "replace", "path": "/missing", "value": 2}])
@example(document={"a": 1}, operations=[{"op": "copy", "from": "/missing", "path": "/b"}])
@example(document={"a": 1}, operations=[{"op": "test", "path": "/missing", "value": None}])
@example(document={"a": 1}, operations=[{"op": "test", "path": "/missing"}])
@example(document={"a": 1}, operations=[{"op": "add", "path": "/b"}])
@example(document={"a": [1, 2]}, operations=[{"op": "add", "path": "/a/-1", "value": 3}])
@example(document={"a": [1, 2]}, operations=[{"op": "add", "path": "/a/-3", "value": 3}])
@example(document={"a": [1, 2]}, operations=[{"op": "add", "path": "/a/-4", "value": 3}])
@example(document={"a": [1, 2]}, operations=[{"op": "add", "path": "/a/2", "value": 3}])
@example(document={"a": [1, 2]}, operations=[{"op": "add", "path": "/a/3", "value": 3}])
@example(document={"a": [1, 2]}, operations=[{"op": "remove", "path": "/a/-2"}])
@example(document={"a": [1, 2]}, operations=[{"op": "remove", "path": "/a/-"}])
@example(document={"a": [1, 2]}, operations=[{"op": "replace", "path": "/a/-0", "value": 9}])
@example(document={"a": {"b": 1}}, operations=[{"op": "move", "from": "/a", "path": "/a/b"}])
@example(document={"a": 1}, operations=[{"op": "replace", "path": "", "value": [1]}])
@example(document={"a": 1}, operations=[{"op": "replace", "path": "", "value": 1}])
@example(document={"a": 1}, operations=[{"op": "test", "path": "", "value": {"a": 1}}])
@example(document={"a": 1}, operations=[{"op": "add", "path": "", "value": {}}])
@example(document={"a": 1}, operations=[{"op": "remove", "path": ""}])
@example(document={"a": 1}, operations=[{"op": "test", "path": "/a", "value": 1.0}])
@example(document={"a": 1}, operations=[{"op": "test", "path": "/a", "value": True}])
@example(document={"a": 1}, operations=[{"op": "test", "path": "/a/b", "value": None}])
@example(document={"a": None}, operations=[{"op": "add", "path": "/a/b", "value": 1}])
@example(document={"a": 1}, operations=[{"op": "delete", "path": "/a"}])
@example(document={"a": 1}, operations=[{"op": "remove"}])
@example(document={"a": 1}, operations=[{"op": "remove", "path": 3}])
@example(document={"a": 1}, operations=[{"path": "/a"}])
@example(document={"a": 1}, operations=[None])
def test_json_patch_applies_as_upstream(oracle: Oracle, document: Any, operations: list[Any]) -> None:
    assert same_json_patch(oracle, document, operations)


@pytest.mark.parametrize("doublings", [18, 19])
def test_copied_bytes_are_bounded_as_upstream(oracle: Oracle, doublings: int) -> None:
    operations = [{"op": "copy", "from": "/a", "path": f"/a/{index}"} for index in range(doublings)]
    assert same_json_patch(oracle, {"a": {}}, operations)


@given(a=documents(), b=documents())
@settings(max_examples=300)
def test_upstream_applies_our_json_patches(oracle: Oracle, a: Any, b: Any) -> None:
    assert json_equal(oracle.ask("patch.json", {"document": a, "patch": make_json_patch(a, b)}), b)


@given(document=documents() | json_values(), patch=json_objects() | json_values())
@settings(max_examples=600)
@example(document={"a": {}}, patch={"a": [{"b": None}]})
@example(document={"a": []}, patch={"a": [{"b": None}, None]})
@example(document={}, patch={"a": [{"b": None}, None]})
@example(document=[1], patch={"a": None, "b": {"c": None}})
@example(document=None, patch={})
@example(document={}, patch=None)
def test_merge_patch_applies_as_upstream(oracle: Oracle, document: Any, patch: Any) -> None:
    theirs = verdict(lambda: oracle.ask("patch.merge", {"document": document, "patch": patch}))
    ours = verdict(lambda: apply_merge_patch(document, patch))
    assert agree(ours, theirs), (ours, theirs)


@given(a=json_objects(), b=json_objects())
@settings(max_examples=400)
def test_merge_patches_are_made_as_upstream(oracle: Oracle, a: Any, b: Any) -> None:
    theirs = oracle.ask("patch.mergeCreate", {"original": a, "modified": b})
    ours = verdict(lambda: make_merge_patch(a, b))
    if isinstance(ours, PatchError):  # upstream's patch is wrong then, which is why ours is refused
        applied = oracle.ask("patch.merge", {"document": a, "patch": theirs})
        assert not json_equal(applied, b, numbers_alike=True)
    else:
        assert json_equal(ours, theirs)


@given(original=json_objects(), modified=json_objects(), current=json_objects())
@settings(max_examples=500)
@example(original={"a": 1}, modified={"b": {}}, current={"a": 2, "b": {"c": 1}})
@example(original={"a": {"b": 1}}, modified={"a": {}}, current={})
@example(original={"a": 1}, modified={"a": {"b": None, "c": [{"d": None}]}}, current={"a": 1})
def test_three_way_merge_patches_are_made_as_upstream(
    oracle: Oracle, original: Any, modified: Any, current: Any
) -> None:
    question = {"original": original, "modified": modified, "current": current}
    theirs = verdict(lambda: oracle.ask("patch.mergeThreeWay", question))
    ours = verdict(lambda: make_three_way_merge_patch(original, modified, current))
    assert agree(ours, theirs), (ours, theirs)
