"""Making strategic merge patches, from two documents and from three."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubewright.machinery.patch import (
    MAX_DEPTH,
    PatchConflictError,
    PatchError,
    PatchPreconditionError,
    apply_strategic_patch,
    make_strategic_patch,
    make_three_way_strategic_patch,
    require_key_unchanged,
    require_metadata_key_unchanged,
)
from kubewright.machinery.patch.values import json_equal
from kubewright.machinery.schema import ANY, Schema
from tests.machinery.patch.documents import (
    DEPLOYMENT,
    NODE,
    POD,
    deployments,
    json_objects,
    merged,
    nested,
    pods,
)
from tests.machinery.patch.test_strategic import family, on_a_deep_stack

SCHEMAS = st.sampled_from([(POD, pods()), (DEPLOYMENT, deployments())])


def spec_patch(a: dict[str, Any], b: dict[str, Any]) -> Any:
    return make_strategic_patch({"spec": a}, {"spec": b}, POD).get("spec")


class TestTwoWay:
    @given(data=st.data(), case=SCHEMAS)
    def test_applying_what_was_made_gives_b(self, data: st.DataObject, case: Any) -> None:
        schema, documents = case
        a, b = data.draw(documents), data.draw(documents)
        before = copy.deepcopy([a, b])
        patch = make_strategic_patch(a, b, schema)
        assert json_equal(apply_strategic_patch(a, patch, schema), b)
        assert json_equal(before, [a, b])

    @given(a=json_objects(nulls=False), b=json_objects(nulls=False))
    def test_without_a_schema(self, a: Any, b: Any) -> None:
        assert json_equal(apply_strategic_patch(a, make_strategic_patch(a, b, ANY), ANY), b)

    @given(pod=pods())
    @settings(max_examples=50)
    def test_nothing_to_do(self, pod: Any) -> None:
        finalizers = pod.get("metadata", {}).get("finalizers")
        if finalizers:
            finalizers.sort()
        assert make_strategic_patch(pod, pod, POD) == {}

    def test_changes_deletions_and_order(self) -> None:
        a = {"containers": [{"name": "a", "image": "1"}, {"name": "b"}, {"name": "c"}], "priority": 1}
        b = {"containers": [{"name": "x"}, {"name": "c"}, {"name": "a", "image": "2"}]}
        assert spec_patch(a, b) == {
            "containers": [{"name": "x"}, {"name": "a", "image": "2"}, {"name": "b", "$patch": "delete"}],
            "$setElementOrder/containers": [{"name": "x"}, {"name": "c"}, {"name": "a"}],
            "priority": None,
        }

    def test_order_alone(self) -> None:
        a, b = {"containers": [{"name": "a"}, {"name": "b"}]}, {"containers": [{"name": "b"}, {"name": "a"}]}
        assert spec_patch(a, b) == {"$setElementOrder/containers": [{"name": "b"}, {"name": "a"}]}

    def test_scalar_lists(self) -> None:
        a, b = ({"metadata": {"finalizers": names}} for names in (["a", "b"], ["c", "b"]))
        assert make_strategic_patch(a, b, POD)["metadata"] == {
            "finalizers": ["c"],
            "$deleteFromPrimitiveList/finalizers": ["a"],
            "$setElementOrder/finalizers": ["c", "b"],
        }

    def test_an_unsorted_scalar_list_is_always_given_its_order(self) -> None:
        pod = {"metadata": {"finalizers": ["b", "a"]}}
        assert make_strategic_patch(pod, pod, POD) == {
            "metadata": {"$setElementOrder/finalizers": ["b", "a"]}
        }

    def test_of_namesakes_the_last_are_compared_first(self) -> None:
        tcp, udp = {"containerPort": 80, "protocol": "TCP"}, {"containerPort": 80, "protocol": "UDP"}
        a, b = (
            {"containers": [{"name": "a", "ports": [tcp, udp]}]},
            {"containers": [{"name": "a", "ports": [udp]}]},
        )
        assert spec_patch(a, b)["containers"][0]["ports"] == [{"containerPort": 80, "$patch": "delete"}]

    def test_retain_keys(self) -> None:
        a, b = (
            {"volumes": [{"name": "v", "emptyDir": {}}]},
            {"volumes": [{"name": "v", "hostPath": {"path": "/"}}]},
        )
        assert spec_patch(a, b)["volumes"] == [
            {"name": "v", "$retainKeys": ["hostPath", "name"], "hostPath": {"path": "/"}, "emptyDir": None}
        ]

    def test_an_object_to_replace_is_sent_whole(self) -> None:
        schema = Schema("object", fields={"o": Schema("object", patch_strategies=["replace"])})
        patch = make_strategic_patch({"o": {"a": 1, "b": 2}}, {"o": {"a": 1}}, schema)
        assert patch == {"o": {"a": 1}}
        assert apply_strategic_patch({"o": {"a": 1, "b": 2}}, patch, schema) == {"o": {"a": 1}}

    def test_results_share_nothing(self) -> None:
        b = {"metadata": {"finalizers": ["b", "a"]}, "spec": {"containers": [{"name": "a", "args": ["x"]}]}}
        patch = make_strategic_patch({"metadata": {"finalizers": ["a"]}}, b, POD)
        patch["metadata"]["$setElementOrder/finalizers"].clear()
        patch["spec"]["containers"][0]["args"].clear()
        assert b == {
            "metadata": {"finalizers": ["b", "a"]},
            "spec": {"containers": [{"name": "a", "args": ["x"]}]},
        }

    @pytest.mark.parametrize(
        ("elements", "words"),
        [
            ([{"image": "x"}], "map: map[image:x] does not contain declared merge key: name"),
            (["x"], "list element types are not identical"),
            ([[]], "holds an empty list"),
            ([None], "holds null"),
        ],
    )
    def test_refusals_name_the_place(self, elements: Any, words: str) -> None:
        good = {"containers": [{"name": "a"}]}
        with pytest.raises(PatchError) as caught:
            spec_patch(good, {"containers": elements})
        assert words in str(caught.value)
        keyless = Schema("object", fields={"containers": merged("", ANY)})
        with pytest.raises(PatchError, match="names no merge key"):
            make_strategic_patch(good, {"containers": [{"name": "b"}]}, keyless)
        with pytest.raises(PatchError, match="document b is null"):
            make_strategic_patch({}, None, POD)
        with pytest.raises(PatchError, match=r'"\$patch" is 1'):
            make_strategic_patch({"$patch": "x"}, {"$patch": 1}, POD)

    def test_preconditions(self) -> None:
        conditions = [require_key_unchanged("kind"), require_metadata_key_unchanged("name")]
        assert make_strategic_patch({"kind": "A"}, {"kind": "A"}, POD, preconditions=conditions) == {}
        with pytest.raises(PatchPreconditionError, match='"kind"'):
            make_strategic_patch({"kind": "A"}, {}, POD, preconditions=conditions)
        with pytest.raises(PatchPreconditionError, match=r'"metadata\.name"'):
            make_three_way_strategic_patch({}, {"metadata": {"name": "a"}}, {}, POD, preconditions=conditions)


class TestThreeWay:
    ORIGINAL: Any = {"spec": {"containers": [{"name": "app", "image": "1"}, {"name": "old"}], "priority": 1}}
    MODIFIED: Any = {"spec": {"containers": [{"name": "app", "image": "2"}, {"name": "new"}]}}
    CURRENT: Any = {
        "spec": {
            "containers": [{"name": "proxy"}, {"name": "app", "image": "1", "args": ["x"]}, {"name": "old"}],
            "nodeSelector": {"a": "b"},
            "priority": 1,
        }
    }

    def test_what_others_added_stays(self) -> None:
        patch = make_three_way_strategic_patch(self.ORIGINAL, self.MODIFIED, self.CURRENT, POD)
        assert patch == {
            "spec": {
                "$setElementOrder/containers": [{"name": "app"}, {"name": "new"}],
                "containers": [
                    {"name": "app", "image": "2"},
                    {"name": "new"},
                    {"name": "old", "$patch": "delete"},
                ],
                "priority": None,
            }
        }
        assert apply_strategic_patch(self.CURRENT, patch, POD) == {
            "spec": {
                "containers": [
                    {"name": "proxy"},
                    {"name": "app", "image": "2", "args": ["x"]},
                    {"name": "new"},
                ],
                "nodeSelector": {"a": "b"},
            }
        }

    @given(data=st.data(), case=SCHEMAS)
    @settings(max_examples=50)
    def test_an_untouched_object_becomes_what_was_asked_for(self, data: st.DataObject, case: Any) -> None:
        schema, documents = case
        original, modified = data.draw(documents), data.draw(documents)
        before = copy.deepcopy([original, modified])
        patch = make_three_way_strategic_patch(original, modified, original, schema, overwrite=False)
        assert json_equal(apply_strategic_patch(original, patch, schema), modified)
        assert json_equal(before, [original, modified])

    @given(data=st.data(), case=SCHEMAS)
    @settings(max_examples=50)
    def test_applying_again_changes_nothing(self, data: st.DataObject, case: Any) -> None:
        schema, documents = case
        original, modified, current = (data.draw(documents) for _ in range(3))
        patch = make_three_way_strategic_patch(original, modified, current, schema)
        applied = decoded(apply_strategic_patch(current, patch, schema))
        again = make_three_way_strategic_patch(modified, modified, applied, schema)
        assert json_equal(apply_strategic_patch(applied, again, schema), applied)

    def test_retain_keys_clear_what_others_added(self) -> None:
        wanted = {"spec": {"strategy": {"type": "Recreate"}}}
        current = {"spec": {"strategy": {"type": "Recreate", "rollingUpdate": {}}}}
        patch = make_three_way_strategic_patch(wanted, wanted, current, DEPLOYMENT)
        assert patch == {"spec": {"strategy": {"$retainKeys": ["type"]}}}
        assert apply_strategic_patch(current, patch, DEPLOYMENT) == wanted

    def test_absent_documents_are_empty(self) -> None:
        assert make_three_way_strategic_patch(None, {"kind": "Pod"}, None, POD) == {"kind": "Pod"}

    @pytest.mark.parametrize(
        ("original", "modified", "current", "place"),
        [
            ({"priority": 1}, {"priority": 2}, {"priority": 3}, "spec.priority"),
            ({"nodeSelector": {"a": "1"}}, {"nodeSelector": {"a": "2"}}, {}, "spec.nodeSelector"),
            (
                {"containers": [{"name": "a", "image": "1"}]},
                {"containers": [{"name": "a", "image": "2"}]},
                {"containers": [{"name": "a", "image": "3"}]},
                "spec.containers[name=a].image",
            ),
            (
                {"containers": [{"name": "a", "image": "1"}, {"name": "b"}]},
                {"containers": [{"name": "b"}]},
                {"containers": [{"name": "a", "image": "3"}, {"name": "b"}]},
                "spec.containers[name=a]",
            ),
            (
                {"tolerations": [{"key": "a"}]},
                {"tolerations": [{"key": "b"}]},
                {"tolerations": [{"key": "c"}]},
                "spec.tolerations[0].key",
            ),
        ],
    )
    def test_conflicts(self, original: Any, modified: Any, current: Any, place: str) -> None:
        documents = [{"spec": spec} for spec in (original, modified, current)]
        assert make_three_way_strategic_patch(*documents, POD)
        with pytest.raises(PatchConflictError) as caught:
            make_three_way_strategic_patch(*documents, POD, overwrite=False)
        assert str(caught.value).startswith(f'"{place}" was changed otherwise')

    def test_equal_changes_do_not_conflict(self) -> None:
        original, modified = ({"metadata": {"finalizers": names}} for names in (["a", "b"], ["a"]))
        patch = make_three_way_strategic_patch(original, modified, modified, POD, overwrite=False)
        assert apply_strategic_patch(modified, patch, POD) == modified


def decoded(value: Any) -> Any:
    """What a server keeps of a patched document: directives left in new parts are fields it does not know."""
    if isinstance(value, dict):
        return {key: decoded(member) for key, member in value.items() if key[0] != "$"}
    return [decoded(element) for element in value] if isinstance(value, list) else value


def test_depth_is_limited() -> None:
    deep, wanted = nested(MAX_DEPTH), nested(MAX_DEPTH, leaf="x")
    assert on_a_deep_stack(400, lambda: make_strategic_patch(deep, wanted, NODE)) == wanted
    assert on_a_deep_stack(400, lambda: make_three_way_strategic_patch(deep, wanted, deep, NODE)) == wanted
    a, b = family(MAX_DEPTH // 2, {}), family(MAX_DEPTH // 2, {"any": 1})
    with pytest.raises(PatchError, match="nested too deeply"):
        make_strategic_patch({}, nested(MAX_DEPTH + 1), NODE)
    patch = on_a_deep_stack(400, lambda: make_three_way_strategic_patch(a, b, a, NODE, overwrite=False))
    assert apply_strategic_patch(a, patch, NODE) == b
