"""Strategic merge patches against upstream's strategicpatch package, on Pods and Deployments."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubewright.machinery.patch import (
    PatchConflictError,
    PatchError,
    apply_strategic_patch,
    make_strategic_patch,
    make_three_way_strategic_patch,
)
from kubewright.machinery.patch.values import json_equal
from kubewright.machinery.schema import Schema
from tests.conftest import Oracle, OracleRefusal
from tests.machinery.patch.documents import DEPLOYMENT, POD, deployments, pods
from tests.machinery.patch.strategic_patches import deployment_patches, pod_patches

pytestmark = pytest.mark.oracle

SCHEMAS: dict[str, Schema] = {"Pod": POD, "Deployment": DEPLOYMENT}
DOCUMENTS = {"Pod": pods(), "Deployment": deployments()}
PATCHES = {"Pod": pod_patches(), "Deployment": deployment_patches()}
KINDS = st.sampled_from(["Pod", "Deployment"])


def verdict(answer: Any) -> Any:
    """What a call gives: its answer, or that it refused."""
    try:
        return answer()
    except (PatchError, OracleRefusal) as error:
        return error


def agree(ours: Any, theirs: Any) -> bool:
    refused = isinstance(theirs, OracleRefusal)

    if refused:
        return isinstance(ours, PatchError)
    return not isinstance(ours, PatchError) and json_equal(
        ours, theirs, numbers_alike=True
    )  # Go writes 1.0 as 1


def apply_both(oracle: Oracle, kind: str, document: Any, patch: Any) -> tuple[Any, Any]:
    question = {"kind": kind, "document": document, "patch": patch}
    return (
        verdict(lambda: apply_strategic_patch(document, patch, SCHEMAS[kind])),
        verdict(lambda: oracle.ask("patch.strategic", question)),
    )


def make_both(oracle: Oracle, kind: str, a: Any, b: Any) -> tuple[Any, Any]:
    question = {"kind": kind, "original": a, "modified": b}
    return (
        verdict(lambda: make_strategic_patch(a, b, SCHEMAS[kind])),
        verdict(lambda: oracle.ask("patch.strategicCreate", question)),
    )


@given(data=st.data(), kind=KINDS)
@settings(max_examples=1000)
def test_applies_as_upstream(oracle: Oracle, data: st.DataObject, kind: str) -> None:
    document, patch = data.draw(DOCUMENTS[kind]), data.draw(PATCHES[kind])
    ours, theirs = apply_both(oracle, kind, document, patch)
    assert agree(ours, theirs), (document, patch, ours, theirs)


@given(document=pods(unique=False), patch=pod_patches())
@settings(max_examples=500)
def test_applies_as_upstream_to_lists_with_namesakes(oracle: Oracle, document: Any, patch: Any) -> None:
    ours, theirs = apply_both(oracle, "Pod", document, patch)
    assert agree(ours, theirs), (document, patch, ours, theirs)


@given(data=st.data(), kind=KINDS)
@settings(max_examples=600)
def test_is_made_as_upstream(oracle: Oracle, data: st.DataObject, kind: str) -> None:
    a, b = data.draw(DOCUMENTS[kind]), data.draw(DOCUMENTS[kind])
    ours, theirs = make_both(oracle, kind, a, b)
    assert agree(ours, theirs), (a, b, ours, theirs)


@given(a=pods(unique=False), b=pods(unique=False))
@settings(max_examples=500)
def test_is_made_as_upstream_from_lists_with_namesakes(oracle: Oracle, a: Any, b: Any) -> None:
    ours, theirs = make_both(oracle, "Pod", a, b)
    assert agree(ours, theirs), (a, b, ours, theirs)


@given(data=st.data(), kind=KINDS, overwrite=st.booleans())
@settings(max_examples=1000)
def test_three_way_is_made_as_upstream(
    oracle: Oracle, data: st.DataObject, kind: str, overwrite: bool
) -> None:
    original, modified = data.draw(DOCUMENTS[kind]), data.draw(DOCUMENTS[kind])
    current = data.draw(st.just(original) | DOCUMENTS[kind])
    schema = SCHEMAS[kind]
    question = {"kind": kind, "original": original, "modified": modified, "current": current}
    theirs = verdict(lambda: oracle.ask("patch.strategicThreeWay", {**question, "overwrite": overwrite}))
    ours = verdict(
        lambda: make_three_way_strategic_patch(original, modified, current, schema, overwrite=overwrite)
    )
    if (
        isinstance(theirs, OracleRefusal)
        and "$deleteFromPrimitiveList" in str(theirs)
        and "api field" in str(theirs)
    ):
        return  # upstream looks for a field of this name; we know that deletions do not conflict
    assert agree(ours, theirs), (question, overwrite, ours, theirs)
    if isinstance(ours, PatchConflictError):
        assert "conflicts with changes" in str(theirs)


PODS_WITH_C = {
    "spec": {
        "containers": [{"name": "a"}, {"name": "b", "env": [{"name": "X", "value": "1"}]}, {"name": "c"}]
    }
}
WITH_FINALIZERS = {"metadata": {"finalizers": ["a", "b", "c"]}}
WITH_PORTS = {
    "spec": {"containers": [{"name": "a", "ports": [{"containerPort": 80}, {"containerPort": "80"}]}]}
}


@pytest.mark.parametrize(
    ("document", "patch"),
    [
        (PODS_WITH_C, {"spec": {"containers": [{"$patch": "replace"}, {"name": "z"}]}}),
        (
            PODS_WITH_C,
            {
                "spec": {
                    "containers": [{"name": "z"}, {"$patch": "replace"}],
                    "$setElementOrder/containers": [{"name": "z"}],
                }
            },
        ),
        (
            PODS_WITH_C,
            {
                "spec": {
                    "containers": [{"$patch": "replace"}, {"name": "z"}],
                    "$setElementOrder/containers": [{"name": "z"}],
                }
            },
        ),
        (PODS_WITH_C, {"spec": {"containers": [{"$patch": "delete"}]}}),
        (
            PODS_WITH_C,
            {"spec": {"containers": [{"name": "b", "$patch": "delete"}, {"name": "b", "image": "new"}]}},
        ),
        (
            PODS_WITH_C,
            {
                "spec": {
                    "containers": [{"name": "x"}, {"name": "b", "$patch": "delete"}],
                    "$setElementOrder/containers": [{"name": "x"}, {"name": "a"}],
                }
            },
        ),
        (
            PODS_WITH_C,
            {
                "spec": {
                    "containers": [{"name": "x"}, {"name": "y"}, {"name": "a", "$patch": "delete"}],
                    "$setElementOrder/containers": [{"name": "x"}, {"name": "y"}],
                }
            },
        ),
        (PODS_WITH_C, {"spec": {"containers": [{"name": "x", "env": None, "image": None}]}}),
        (PODS_WITH_C, {"spec": {"containers": [{"image": "x"}]}}),
        (PODS_WITH_C, {"spec": {"containers": ["a"]}}),
        (PODS_WITH_C, {"spec": {"containers": [None]}}),
        (PODS_WITH_C, {"spec": {"containers": [["a"]]}}),
        (PODS_WITH_C, {"spec": {"containers": {"name": "a"}}}),
        (PODS_WITH_C, {"spec": {"containers": None}}),
        (PODS_WITH_C, {"spec": {"containers": []}}),
        (PODS_WITH_C, {"spec": {"$setElementOrder/containers": [{"name": "c"}, {"name": "a"}]}}),
        (PODS_WITH_C, {"spec": {"$setElementOrder/containers": [{"name": "c"}, {}]}}),
        (PODS_WITH_C, {"spec": {"$setElementOrder/containers": ["c"]}}),
        (PODS_WITH_C, {"spec": {"$setElementOrder/containers": {"name": "c"}}}),
        (PODS_WITH_C, {"spec": {"$setElementOrder/containers": None}}),
        (PODS_WITH_C, {"spec": {"$setElementOrder": [{"name": "c"}]}}),
        (PODS_WITH_C, {"spec": {"$setElementOrders/containers": [{"name": "c"}]}}),
        (PODS_WITH_C, {"spec": {"containers": None, "$setElementOrder/containers": [{"name": "c"}]}}),
        (
            PODS_WITH_C,
            {
                "spec": {
                    "containers": [{"name": "c"}, {"name": "a"}],
                    "$setElementOrder/containers": [{"name": "a"}, {"name": "c"}],
                }
            },
        ),
        ({"spec": {"containers": []}}, {"spec": {"$setElementOrder/containers": [{"name": "c"}]}}),
        ({}, {"spec": {"$setElementOrder/containers": [{"name": "c"}]}}),
        (
            {},
            {
                "spec": {
                    "containers": [{"name": "a", "image": None}, {"name": "b", "$patch": "delete"}],
                    "hostNetwork": None,
                }
            },
        ),
        ({"spec": None}, {"spec": {"containers": [{"name": "a", "image": None}]}}),
        ({"spec": {"nodeSelector": {"a": "b"}}}, {"spec": {"nodeSelector": {"$patch": "delete"}}}),
        ({"spec": {}}, {"spec": {"nodeSelector": {"$patch": "replace", "a": "b"}}}),
        (
            {"spec": {"nodeSelector": {"a": "b"}}},
            {"spec": {"nodeSelector": {"$patch": "replace", "x": None, "y": "z"}}},
        ),
        (WITH_FINALIZERS, {"metadata": {"$deleteFromPrimitiveList/finalizers": ["b", "z"]}}),
        (WITH_FINALIZERS, {"metadata": {"$deleteFromPrimitiveList/finalizers": None}}),
        (WITH_FINALIZERS, {"metadata": {"$deleteFromPrimitiveList/finalizers": [1]}}),
        (WITH_FINALIZERS, {"metadata": {"$deleteFromPrimitiveList/finalizers": [["a"]]}}),
        (WITH_FINALIZERS, {"metadata": {"$deleteFromPrimitiveList": ["a"]}}),
        (WITH_FINALIZERS, {"metadata": {"$deleteFromPrimitiveList/labels": ["a"]}}),
        (WITH_FINALIZERS, {"metadata": {"finalizers": ["d", "b"]}}),
        (WITH_FINALIZERS, {"metadata": {"finalizers": ["d", 1]}}),
        (WITH_FINALIZERS, {"metadata": {"finalizers": [{"a": "b"}]}}),
        (WITH_FINALIZERS, {"metadata": {"finalizers": "a"}}),
        (
            WITH_FINALIZERS,
            {
                "metadata": {
                    "finalizers": ["d"],
                    "$setElementOrder/finalizers": ["d", "a"],
                    "$deleteFromPrimitiveList/finalizers": ["b", "d"],
                }
            },
        ),
        (PODS_WITH_C, {"spec": {"$deleteFromPrimitiveList/containers": [{"name": "z"}]}}),
        (PODS_WITH_C, {"spec": {"$retainKeys": ["containers"], "containers": []}}),
        (PODS_WITH_C, {"spec": {"$retainKeys": ["volumes"], "containers": []}}),
        (PODS_WITH_C, {"spec": {"$retainKeys": ["volumes"], "containers": None}}),
        (PODS_WITH_C, {"spec": {"$retainKeys": "containers"}}),
        (PODS_WITH_C, {"spec": {"$retainKeys": [{}]}}),
        (PODS_WITH_C, {"spec": {"$retainKeys": [1]}}),
        (PODS_WITH_C, {"$patch": "delete"}),
        (PODS_WITH_C, {"$patch": "replace", "kind": "Pod", "spec": None}),
        (PODS_WITH_C, {"$patch": "merge"}),
        (PODS_WITH_C, {"$patch": None}),
        (
            WITH_PORTS,
            {"spec": {"containers": [{"name": "a", "ports": [{"containerPort": 80, "protocol": "UDP"}]}]}},
        ),
        (
            WITH_PORTS,
            {"spec": {"containers": [{"name": "a", "ports": [{"containerPort": 80.0, "protocol": "UDP"}]}]}},
        ),
        (
            WITH_PORTS,
            {"spec": {"containers": [{"name": "a", "ports": [{"containerPort": None, "protocol": "UDP"}]}]}},
        ),
        ({"spec": {"priority": 1}}, {"spec": {"priority": 1.0}}),
        ({"spec": {"priority": 1}}, {"spec": {"priority": True}}),
        (
            {"spec": {"tolerations": [{"key": "a"}]}},
            {"spec": {"tolerations": [{"key": None, "$patch": "delete"}]}},
        ),
        (
            {"spec": {"tolerations": [{"key": "a"}]}},
            {"spec": {"$setElementOrder/tolerations": [{"key": "a"}]}},
        ),
    ],
)
def test_applies_as_upstream_by_hand(oracle: Oracle, document: Any, patch: Any) -> None:
    ours, theirs = apply_both(oracle, "Pod", document, patch)
    assert agree(ours, theirs), (ours, theirs)
