"""JSON patch: operations, pointers, limits, and what messages say."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.machinery.errors import ParseError
from kubewright.machinery.patch import (
    MAX_COPIED_BYTES,
    MAX_DEPTH,
    MAX_OPERATIONS,
    MalformedPatchError,
    PatchError,
    PatchTestError,
    PatchTooLargeError,
    apply_json_patch,
    format_pointer,
    make_json_patch,
    parse_pointer,
)
from kubewright.machinery.patch.values import json_equal
from tests.machinery.patch.documents import documents, nested

POD = {"metadata": {"name": "web", "labels": {"a/b": "1", "m~n": "2"}}, "spec": {"list": [1, 2, 3]}}


def patched(*operations: dict[str, Any]) -> Any:
    return apply_json_patch(POD, list(operations))


def listed(*operations: dict[str, Any]) -> Any:
    return patched(*operations)["spec"]["list"]


class TestOperations:
    def test_add_sets_a_member(self) -> None:
        assert patched({"op": "add", "path": "/metadata/name", "value": {"x": 1}})["metadata"]["name"] == {
            "x": 1
        }

    def test_add_inserts_into_lists(self) -> None:
        assert listed({"op": "add", "path": "/spec/list/0", "value": 0}) == [0, 1, 2, 3]
        assert listed({"op": "add", "path": "/spec/list/3", "value": 4}) == [1, 2, 3, 4]
        assert listed({"op": "add", "path": "/spec/list/-", "value": 4}) == [1, 2, 3, 4]
        assert listed({"op": "add", "path": "/spec/list/-1", "value": 4}) == [1, 2, 3, 4]
        assert listed({"op": "add", "path": "/spec/list/-2", "value": 9}) == [1, 2, 9, 3]

    def test_add_without_value_adds_null(self) -> None:
        assert patched({"op": "add", "path": "/x"})["x"] is None

    def test_remove(self) -> None:
        assert "name" not in patched({"op": "remove", "path": "/metadata/name"})["metadata"]
        assert listed({"op": "remove", "path": "/spec/list/1"}) == [1, 3]
        assert listed({"op": "remove", "path": "/spec/list/-1"}) == [1, 2]

    def test_replace(self) -> None:
        assert listed({"op": "replace", "path": "/spec/list/1", "value": 9}) == [1, 9, 3]
        assert patched({"op": "replace", "path": "/new", "value": 9})["new"] == 9
        assert patched({"op": "replace", "path": "", "value": [1]}) == [1]

    def test_move(self) -> None:
        assert listed({"op": "move", "from": "/spec/list/0", "path": "/spec/list/-"}) == [2, 3, 1]

    def test_copy_is_independent(self) -> None:
        result = patched(
            {"op": "copy", "from": "/spec", "path": "/other"},
            {"op": "add", "path": "/other/list/-", "value": 4},
        )
        assert result["spec"]["list"] == [1, 2, 3]
        assert result["other"]["list"] == [1, 2, 3, 4]

    def test_copy_of_a_missing_member_is_null(self) -> None:
        assert patched({"op": "copy", "from": "/missing", "path": "/other"})["other"] is None

    def test_test(self) -> None:
        assert patched({"op": "test", "path": "/spec", "value": {"list": [1, 2, 3]}}) == POD
        assert patched({"op": "test", "path": "", "value": POD}) == POD
        assert patched({"op": "test", "path": "/missing", "value": None}) == POD

    @pytest.mark.parametrize("other", [1, 1.0, "true", False, None, {"a": True}])
    def test_test_tells_values_apart(self, other: Any) -> None:
        with pytest.raises(PatchTestError):
            apply_json_patch({"a": True}, [{"op": "test", "path": "/a", "value": other}])

    def test_nothing_happens_when_one_operation_fails(self) -> None:
        before = copy.deepcopy(POD)
        with pytest.raises(PatchError):
            patched({"op": "add", "path": "/x", "value": 1}, {"op": "remove", "path": "/y"})
        assert before == POD


class TestPointers:
    def test_escapes(self) -> None:
        assert patched({"op": "remove", "path": "/metadata/labels/a~1b"})["metadata"]["labels"] == {
            "m~n": "2"
        }
        assert patched({"op": "remove", "path": "/metadata/labels/m~0n"})["metadata"]["labels"] == {
            "a/b": "1"
        }
        assert parse_pointer("/~01/~10/~2/") == ["~1", "/0", "~2", ""]
        assert parse_pointer("") == []

    @given(st.lists(st.text(max_size=5), max_size=5))
    def test_round_trip(self, tokens: list[str]) -> None:
        assert parse_pointer(format_pointer(tokens)) == tokens


class TestRefusals:
    @pytest.mark.parametrize(
        ("operation", "kind", "words"),
        [
            (
                {"op": "remove", "path": "/a/b"},
                PatchError,
                'operation 1 of the JSON patch (remove /a/b): "a"',
            ),
            ({"op": "remove", "path": "/x"}, PatchError, 'no member "x"'),
            ({"op": "move", "from": "/x", "path": "/y"}, PatchError, 'no member "x"'),
            ({"op": "move", "from": "/metadata", "path": "/metadata/x"}, PatchError, '"metadata" on the way'),
            (
                {"op": "add", "path": "/spec/list/4", "value": 1},
                PatchError,
                '"4" is outside the list, which has 3',
            ),
            ({"op": "add", "path": "/spec/list/-5", "value": 1}, PatchError, '"-5" is outside'),
            ({"op": "remove", "path": "/spec/list/3"}, PatchError, '"3" is outside'),
            ({"op": "remove", "path": "/spec/list/-"}, PatchError, '"-" is not an index'),
            ({"op": "remove", "path": "/spec/list/٣"}, PatchError, "is not an index"),
            ({"op": "remove", "path": "/spec/list/" + "9" * 9999}, PatchError, "is not an index"),
            ({"op": "remove", "path": ""}, PatchError, "can only be replaced or tested"),
            ({"op": "add", "path": "", "value": {}}, PatchError, "can only be replaced or tested"),
            ({"op": "replace", "path": "", "value": 3}, PatchError, "cannot become 3"),
            ({"op": "test", "path": "/metadata/name", "value": "x"}, PatchTestError, 'is "web", not "x"'),
            ({"op": "add", "path": "/metadata/name/x"}, PatchError, '"name" on the way is "web"'),
            ({"op": "delete", "path": "/x"}, MalformedPatchError, '"op" is "delete"'),
            ({"path": "/x"}, MalformedPatchError, '"op" is null'),
            ({"op": ["add"]}, MalformedPatchError, '"op" is a list'),
            ({"op": "add", "value": 1}, MalformedPatchError, '"path" is null'),
            ({"op": "add", "path": 1}, MalformedPatchError, '"path" is 1'),
            ({"op": "add", "path": "metadata/x"}, MalformedPatchError, 'does not start with "/"'),
            ({"op": "copy", "path": "/x"}, MalformedPatchError, '"from" is null'),
            ({"op": "add", "path": "/x", "value": {1, 2}}, PatchError, "holds a set"),
            ({"op": "add", "path": "/x", "value": float("nan")}, PatchError, "finite"),
            ("remove", MalformedPatchError, "must be an object"),
        ],
    )
    def test_message_names_the_place(self, operation: Any, kind: type[PatchError], words: str) -> None:
        with pytest.raises(ParseError) as caught:
            apply_json_patch(POD, [{"op": "test", "path": "/metadata/name", "value": "web"}, operation])
        assert type(caught.value) is kind
        assert words in str(caught.value)
        assert str(caught.value).startswith("operation 1 of the JSON patch")
        assert len(str(caught.value)) < 400

    @pytest.mark.parametrize("operations", [None, {}, "[]", 3, b""])
    def test_patch_must_be_a_list(self, operations: Any) -> None:
        with pytest.raises(MalformedPatchError):
            apply_json_patch(POD, operations)

    @pytest.mark.parametrize("document", [None, 3, "text", True])
    def test_document_must_hold_something(self, document: Any) -> None:
        with pytest.raises(PatchError):
            apply_json_patch(document, [])

    def test_operations_are_limited(self) -> None:
        operation = {"op": "test", "path": "/a", "value": 1}
        assert apply_json_patch({"a": 1}, [operation] * MAX_OPERATIONS) == {"a": 1}
        with pytest.raises(PatchTooLargeError):
            apply_json_patch({"a": 1}, [operation] * (MAX_OPERATIONS + 1))

    def test_copies_are_limited(self) -> None:
        text = "x" * (MAX_COPIED_BYTES // 4)
        copies = [{"op": "copy", "from": "/a", "path": f"/{index}"} for index in range(4)]
        apply_json_patch({"a": text}, copies[:3])
        with pytest.raises(PatchTooLargeError, match=r"operation 3 .*at most 3145728"):
            apply_json_patch({"a": text}, copies)

    def test_depth_is_limited_however_it_grows(self) -> None:
        deep = nested(MAX_DEPTH, key="a")
        apply_json_patch(deep, [])
        end = "/a" * (MAX_DEPTH - 1) + "/x"
        assert apply_json_patch(deep, [{"op": "add", "path": end, "value": 1}])
        with pytest.raises(PatchError, match="nested too deeply"):
            apply_json_patch(deep, [{"op": "add", "path": end, "value": {}}])
        with pytest.raises(PatchError, match="nested too deeply"):
            apply_json_patch({"a": deep}, [])
        graft = [
            operation
            for index in range(20)
            for operation in (
                {"op": "add", "path": f"/{index + 1}", "value": nested(MAX_DEPTH, key="a")},
                {"op": "move", "from": f"/{index}", "path": f"/{index + 1}{end}"},
            )
        ]
        with pytest.raises(PatchError, match="the patched document is nested too deeply"):
            apply_json_patch({"0": {}}, [*graft, {"op": "test", "path": "/20", "value": {}}][:-1])
        with pytest.raises(PatchTestError):
            apply_json_patch({"0": {}}, [*graft, {"op": "test", "path": "/20", "value": {}}])


class TestMaking:
    @given(a=documents(), b=documents())
    def test_applying_what_was_made_gives_b(self, a: Any, b: Any) -> None:
        before = copy.deepcopy((a, b))
        operations = make_json_patch(a, b)
        assert json_equal(apply_json_patch(a, operations), b)
        assert (not operations) == json_equal(a, b)
        assert json_equal(list(before), [a, b])

    def test_one_change_is_one_operation(self) -> None:
        assert make_json_patch({"l": [1, 2, 3]}, {"l": [1, 3]}) == [{"op": "remove", "path": "/l/1"}]
        assert make_json_patch({"l": [1, 3]}, {"l": [1, 2, 3]}) == [{"op": "add", "path": "/l/1", "value": 2}]
        assert make_json_patch({"a/b": [{"x": 1}]}, {"a/b": [{"x": 2}]}) == [
            {"op": "replace", "path": "/a~1b/0/x", "value": 2}
        ]
        assert make_json_patch({"a": 1}, {"a": True}) == [{"op": "replace", "path": "/a", "value": True}]

    def test_too_many_changes_become_one(self) -> None:
        a = {"l": list(range(MAX_OPERATIONS + 1))}
        b = {"l": [-value - 1 for value in range(MAX_OPERATIONS + 1)]}
        operations = make_json_patch(a, b)
        assert operations == [{"op": "replace", "path": "", "value": b}]
        assert apply_json_patch(a, operations) == b

    def test_result_shares_nothing(self) -> None:
        b = {"x": {"y": [1]}}
        operations = make_json_patch({}, b)
        operations[0]["value"]["y"].append(2)
        assert b == {"x": {"y": [1]}}

    @pytest.mark.parametrize("document", [None, 3, "text"])
    def test_scalars_are_refused(self, document: Any) -> None:
        with pytest.raises(PatchError, match="document b is"):
            make_json_patch({}, document)
        with pytest.raises(PatchError, match="document a is"):
            make_json_patch(document, {})


@given(document=documents(), value=documents())
def test_results_share_nothing_with_the_inputs(document: Any, value: Any) -> None:
    operations = [
        {"op": "replace", "path": "", "value": {"x": value}},
        {"op": "add", "path": "/d", "value": document},
    ]
    before = copy.deepcopy((document, operations))
    result = apply_json_patch(document, operations)
    for part in (result["x"], result["d"]):
        part.append("changed") if isinstance(part, list) else part.update(changed=True)
    assert json_equal(list(before), [document, operations])
