"""Strategic merge patch: what each directive does, and what is refused."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings

from kubewright.machinery.errors import ParseError
from kubewright.machinery.patch import MAX_DEPTH, MalformedPatchError, PatchError, apply_strategic_patch
from kubewright.machinery.patch.values import json_equal
from kubewright.machinery.schema import ANY, Schema
from tests.machinery.patch.documents import DEPLOYMENT, NODE, POD, merged, nested, pods
from tests.machinery.patch.strategic_patches import pod_patches

CONTAINERS = [{"name": "a", "image": "1"}, {"name": "b", "env": [{"name": "X", "value": "1"}]}, {"name": "c"}]


def spec(document: dict[str, Any], patch: dict[str, Any]) -> Any:
    return apply_strategic_patch({"spec": document}, {"spec": patch}, POD)["spec"]


def names(patch: dict[str, Any]) -> str:
    return "".join(element["name"] for element in spec({"containers": CONTAINERS}, patch)["containers"])


def finalizers(found: list[str], patch: dict[str, Any]) -> Any:
    return apply_strategic_patch({"metadata": {"finalizers": found}}, {"metadata": patch}, POD)["metadata"][
        "finalizers"
    ]


class TestLists:
    def test_elements_merge_by_key(self) -> None:
        patch = {"containers": [{"name": "b", "env": [{"name": "Y", "value": "2"}], "image": "2"}]}
        assert spec({"containers": CONTAINERS}, patch)["containers"] == [
            {"name": "a", "image": "1"},
            {"name": "b", "image": "2", "env": [{"name": "Y", "value": "2"}, {"name": "X", "value": "1"}]},
            {"name": "c"},
        ]

    def test_keys_may_be_numbers(self) -> None:
        document = {"containers": [{"name": "a", "ports": [{"containerPort": 80}, {"containerPort": 443}]}]}
        patch = {"containers": [{"name": "a", "ports": [{"containerPort": 443, "name": "tls"}]}]}
        ports = spec(document, patch)["containers"][0]["ports"]
        assert ports == [{"containerPort": 80}, {"containerPort": 443, "name": "tls"}]

    def test_the_first_of_namesakes_is_merged(self) -> None:
        document = {"containers": [{"name": "a"}, {"name": "a", "image": "2"}]}
        result = spec(document, {"containers": [{"name": "a", "image": "9"}]})["containers"]
        assert result == [{"name": "a", "image": "9"}, {"name": "a", "image": "2"}]

    def test_new_elements_come_where_the_patch_has_them(self) -> None:
        assert names({"containers": [{"name": "x"}, {"name": "b"}, {"name": "y"}]}) == "xabyc"

    def test_atomic_lists_are_replaced(self) -> None:
        document = {"tolerations": [{"key": "a"}, {"key": "b"}]}
        assert spec(document, {"tolerations": [{"key": "c"}]}) == {"tolerations": [{"key": "c"}]}

    def test_scalars_merge_without_repetition(self) -> None:
        assert finalizers(["a", "b"], {"finalizers": ["c", "a"]}) == ["c", "a", "b"]

    def test_unknown_fields_merge_as_objects_and_replace_as_lists(self) -> None:
        document = {"x": {"y": {"z": 1}, "l": [1]}}
        patch = {"x": {"y": {"w": 2}, "l": [2]}}
        result = {"x": {"y": {"z": 1, "w": 2}, "l": [2]}}
        assert apply_strategic_patch(document, patch, ANY) == result
        assert apply_strategic_patch(document, patch, POD) == result

    def test_maps_of_maps(self) -> None:
        schema = Schema("object", values=Schema("object", fields={"l": merged("k", ANY)}))
        document = {"one": {"l": [{"k": 1}]}, "two": {"l": [{"k": 2}]}}
        result = apply_strategic_patch(document, {"two": {"l": [{"k": 3}]}, "three": {}}, schema)
        assert result == {"one": {"l": [{"k": 1}]}, "two": {"l": [{"k": 3}, {"k": 2}]}, "three": {}}

    def test_null_removes(self) -> None:
        assert spec(
            {"containers": CONTAINERS, "priority": 1}, {"containers": None, "nodeSelector": None}
        ) == {"priority": 1}

    def test_directives_of_new_members_stay_for_the_server_to_drop(self) -> None:
        patch = {"containers": [{"name": "a"}], "$setElementOrder/containers": [{"name": "a"}]}
        assert apply_strategic_patch({}, {"spec": patch}, POD) == {"spec": patch}

    def test_nulls_of_new_members_are_dropped(self) -> None:
        patch = {"nodeSelector": {"a": None, "b": "c"}, "containers": [{"name": "a", "image": None}]}
        assert spec({}, patch) == {"nodeSelector": {"b": "c"}, "containers": [{"name": "a"}]}


class TestDirectives:
    def test_delete_an_element(self) -> None:
        assert (
            names({"containers": [{"name": "b", "$patch": "delete"}, {"name": "z", "$patch": "delete"}]})
            == "ac"
        )

    def test_replace_a_list(self) -> None:
        assert names({"containers": [{"$patch": "replace"}, {"name": "z"}, {"name": "a"}]}) == "za"

    def test_replace_an_object(self) -> None:
        document = {"nodeSelector": {"a": "b"}}
        assert spec(document, {"nodeSelector": {"$patch": "replace", "c": "d"}}) == {
            "nodeSelector": {"c": "d"}
        }

    def test_delete_an_object(self) -> None:
        assert spec({"nodeSelector": {"a": "b"}}, {"nodeSelector": {"$patch": "delete"}}) == {
            "nodeSelector": {}
        }
        assert spec({}, {"nodeSelector": {"$patch": "delete"}}) == {}

    def test_retain_keys(self) -> None:
        document = {"spec": {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}}}
        patch = {"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}}
        assert apply_strategic_patch(document, patch, DEPLOYMENT) == {
            "spec": {"strategy": {"type": "Recreate"}}
        }

    def test_retain_keys_of_an_element(self) -> None:
        patch = {"volumes": [{"name": "v", "$retainKeys": ["name", "hostPath"], "hostPath": {"path": "/"}}]}
        document = {"volumes": [{"name": "v", "emptyDir": {}}]}
        assert spec(document, patch) == {"volumes": [{"name": "v", "hostPath": {"path": "/"}}]}

    def test_delete_from_primitive_list(self) -> None:
        assert finalizers(["a", "b", "c"], {"$deleteFromPrimitiveList/finalizers": ["b", "z"]}) == ["a", "c"]
        assert (
            finalizers(["a"], {"finalizers": ["b"], "$deleteFromPrimitiveList/finalizers": ["a", "b"]}) == []
        )

    def test_set_element_order(self) -> None:
        order = [{"name": "c"}, {"name": "x"}, {"name": "a"}]
        assert names({"$setElementOrder/containers": order}) == "bca"
        assert names({"containers": [{"name": "x"}], "$setElementOrder/containers": order}) == "bcxa"
        assert finalizers(["a", "b", "c"], {"$setElementOrder/finalizers": ["c", "a"]}) == ["b", "c", "a"]

    def test_order_with_as_many_additions_as_deletions(self) -> None:
        patch = {
            "containers": [{"name": "x"}, {"name": "b", "$patch": "delete"}],
            "$setElementOrder/containers": [{"name": "x"}, {"name": "a"}],
        }
        assert names(patch) == "cxa"

    def test_empty_order_of_many_elements(self) -> None:
        patch = {"finalizers": list("XYZ"), "$setElementOrder/finalizers": []}
        assert finalizers(list("abc"), patch) == list("abcZYX")
        many = [f"f{index:02}" for index in range(30)]
        assert finalizers(many, patch) == [*many, "Z", "Y", "X"]


@pytest.mark.parametrize(
    ("patch", "kind", "words"),
    [
        (
            {"spec": {"containers": [{"image": "x"}]}},
            PatchError,
            "map: map[image:x] does not contain declared merge key: name",
        ),
        (
            {"spec": {"containers": [{"$patch": "delete"}]}},
            PatchError,
            "map: map[$patch:delete] does not contain declared merge key: name",
        ),
        ({"spec": {"containers": [{"name": {}}]}}, PatchError, 'the merge key "name" must be a scalar'),
        ({"spec": {"containers": ["a"]}}, PatchError, "list element types are not identical: [["),
        ({"spec": {"containers": [None]}}, PatchError, '"spec.containers" holds null'),
        ({"spec": {"containers": [["a"]]}}, PatchError, '"spec.containers" holds a list of 1'),
        (
            {"spec": {"containers": [{"name": "b", "env": [{"value": 1}]}]}},
            PatchError,
            "map: map[value:1] does not contain declared merge key: name",
        ),
        (
            {"spec": {"containers": [{"name": "b", "$patch": "merge"}]}},
            MalformedPatchError,
            '"$patch" "merge"',
        ),
        (
            {"spec": {"$patch": "merge"}},
            MalformedPatchError,
            "unknown patch type: merge in map: map[$patch:merge]",
        ),
        ({"$patch": None}, MalformedPatchError, "unknown patch type: <nil> in map: map[$patch:<nil>]"),
        ({"spec": {"$retainKeys": "containers"}}, MalformedPatchError, '"spec.$retainKeys" is "containers"'),
        (
            {"spec": {"$retainKeys": [], "priority": 1}},
            MalformedPatchError,
            '"spec.priority" is set by the patch',
        ),
        ({"metadata": {"$deleteFromPrimitiveList": ["a"]}}, MalformedPatchError, "and the name of a list"),
        ({"metadata": {"$deleteFromPrimitiveList/finalizers": "a"}}, MalformedPatchError, "must be a list"),
        (
            {"metadata": {"$deleteFromPrimitiveList/finalizers": [1]}},
            PatchError,
            "list element types are not identical: [[a] [1]]",
        ),
        ({"spec": {"$setElementOrder/containers": {}}}, MalformedPatchError, "is an empty object"),
        ({"spec": {"$setElementOrder": []}}, MalformedPatchError, "and the name of a list"),
        (
            {"spec": {"$setElementOrder/containers": [{}]}},
            PatchError,
            "map: map[] does not contain declared merge key: name",
        ),
        ({"spec": {"$setElementOrder/tolerations": [{}]}}, PatchError, "merges scalars only"),
        ({"metadata": {"$setElementOrder/ownerReferences": []}}, PatchError, "has no elements"),
        (
            {"metadata": {"finalizers": ["x", "y"], "$setElementOrder/finalizers": ["y", "x"]}},
            PatchError,
            '"metadata.finalizers" do not come in the order',
        ),
        ([], PatchError, "the patch is an empty list"),
        ({"spec": {"x": object()}}, PatchError, "the patch holds a object"),
        ({1: 2}, PatchError, "names must be strings"),
    ],
)
def test_refusals_name_the_place(patch: Any, kind: type[PatchError], words: str) -> None:
    document = {
        "metadata": {"finalizers": ["a"], "ownerReferences": []},
        "spec": {"containers": CONTAINERS, "tolerations": [{"key": "a"}]},
    }
    before = copy.deepcopy(document)
    with pytest.raises(ParseError) as caught:
        apply_strategic_patch(document, patch, POD)
    assert type(caught.value) is kind
    assert words in str(caught.value)
    assert document == before


def test_contradictory_schemas_are_refused() -> None:
    document, patch = {"l": [{"k": 1}]}, {"l": [{"k": 2}]}
    both = Schema("object", fields={"l": merged("k", ANY, "merge", "replace")})
    with pytest.raises(PatchError, match="merge,replace"):
        apply_strategic_patch(document, patch, both)
    keyless = Schema("object", fields={"l": merged("", ANY)})
    with pytest.raises(PatchError, match="names no merge key"):
        apply_strategic_patch(document, patch, keyless)


@given(document=pods(), patch=pod_patches())
@settings(max_examples=60)
def test_inputs_stay_and_results_share_nothing(document: Any, patch: Any) -> None:
    before = copy.deepcopy([document, patch])
    try:
        result = apply_strategic_patch(document, patch, POD)
    except PatchError:
        result = {}
    _spoil(result)
    assert json_equal(before, [document, patch])


def _spoil(value: Any) -> None:
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _spoil(part)
    if isinstance(value, dict | list):
        value.clear()


class TestDepth:
    def test_objects(self) -> None:
        wanted = nested(MAX_DEPTH, leaf="x")
        assert on_a_deep_stack(400, lambda: apply_strategic_patch(nested(MAX_DEPTH), wanted, NODE)) == wanted

    def test_lists(self) -> None:
        document, patch = family(MAX_DEPTH // 2, {}), family(MAX_DEPTH // 2, {"any": 1})
        assert on_a_deep_stack(400, lambda: apply_strategic_patch(document, patch, NODE)) == patch
        new = {"children": [{"name": "y", "x": nested(MAX_DEPTH - 4)}]}
        assert apply_strategic_patch({"children": []}, new, NODE) == new

    @pytest.mark.parametrize("levels", [MAX_DEPTH + 1, 100_000])
    def test_too_deep(self, levels: int) -> None:
        for document, patch in ((nested(levels), {}), ({}, nested(levels))):
            with pytest.raises(PatchError, match="nested too deeply: at most 200 levels"):
                apply_strategic_patch(document, patch, NODE)


def family(generations: int, member: dict[str, Any]) -> dict[str, Any]:
    """Lists of objects in lists of objects, two levels a generation."""
    value: dict[str, Any] = {"name": "x", **member}
    for _ in range(generations - 1):
        value = {"name": "x", "children": [value]}
    return value


def on_a_deep_stack(frames: int, call: Any) -> Any:
    """Call from where the stack is already so deep, as it may be in a server."""
    return on_a_deep_stack(frames - 1, call) if frames else call()


def test_long_lists_are_merged_in_linear_time() -> None:
    many = [{"name": f"c{index}"} for index in range(20_000)]
    patch = {
        "containers": [*({**element, "image": "x"} for element in reversed(many)), {"name": "new"}],
        "$setElementOrder/containers": [*reversed(many), {"name": "new"}],
    }
    result = spec({"containers": many}, patch)["containers"]
    assert len(result) == 20_001
    assert result[0] == {"name": "c19999", "image": "x"}
