"""Patches of defaulting functions: what they change, and what they leave."""

from __future__ import annotations

import asyncio
import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.machinery.patch import PatchError, apply_json_patch
from kubewright.models.core_v1 import Container, Pod
from kubewright.webhooks import Review, defaulting
from kubewright.webhooks.admission import AdmissionHandler
from kubewright.webhooks.declaration import webhook_of
from kubewright.webhooks.patches import changed_document, make_patch

KEYS = st.sampled_from(["a", "b/c", "d~e", "", "f"])
SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "x", "y"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)
DOCUMENTS = st.dictionaries(KEYS, VALUES, max_size=5)


def without_empties(value: Any) -> Any:
    """What a type writes of a document: nulls and empty members are left out."""
    if isinstance(value, dict):
        found = {key: without_empties(member) for key, member in value.items()}
        return {key: member for key, member in found.items() if member is not None and member not in ([], {})}
    return [without_empties(member) for member in value] if isinstance(value, list) else value


@given(DOCUMENTS, DOCUMENTS)
def test_the_patch_of_a_document_that_is_written_as_it_came(raw: Any, after: Any) -> None:
    """Where the type writes just what came, the patch gives what the function left."""
    assert apply_json_patch(raw, make_patch(raw, raw, after)) == after


@given(DOCUMENTS)
def test_a_function_that_changes_nothing(raw: Any) -> None:
    assert make_patch(raw, without_empties(raw), without_empties(raw)) == []


@given(DOCUMENTS, DOCUMENTS)
def test_the_patch_of_a_document_that_is_written_otherwise(raw: Any, other: Any) -> None:
    """Nulls and empties of the client stay where nothing was changed; all else is as it was left."""
    after = without_empties(other)
    made = apply_json_patch(raw, make_patch(raw, without_empties(raw), after))
    assert without_empties(made) == without_empties(after)


@given(DOCUMENTS, KEYS, VALUES)
def test_one_change_leaves_all_else_as_it_came(raw: Any, key: str, value: Any) -> None:
    before = without_empties(raw)
    made = apply_json_patch(raw, make_patch(raw, before, {**before, key: value}))
    assert {name: each for name, each in made.items() if name != key} == {
        name: each for name, each in raw.items() if name != key
    }


def test_lists_whose_elements_are_written_otherwise() -> None:
    raw = {"list": [{"a": None, "n": 1}, {"n": 2}, {"n": 3, "e": []}]}
    before = {"list": [{"n": 1}, {"n": 2}, {"n": 3}]}
    after = {"list": [{"n": 1}, {"n": 9}, {"n": 4}, {"n": 3}]}
    assert changed_document(raw, before, after) == {
        "list": [{"a": None, "n": 1}, {"n": 9}, {"n": 4}, {"n": 3, "e": []}]
    }


def test_what_is_nested_too_deeply() -> None:
    deep: Any = {}
    for _ in range(250):
        deep = {"a": deep}
    with pytest.raises(PatchError, match="nested"):
        make_patch({}, {}, deep)


def patched(function: Any, obj: dict[str, Any]) -> tuple[Any, list[Any]]:
    """What an API server has after a function, and the operations."""
    declared = webhook_of(function)
    assert declared is not None
    kind = declared.kind.gvk
    request = {
        "uid": "1",
        "kind": {"group": kind.group, "version": kind.version, "kind": kind.kind},
        "operation": "CREATE",
        "object": obj,
    }
    body = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}
    answer = asyncio.run(AdmissionHandler[Any](declared, function)(json.dumps(body).encode()))
    response = json.loads(answer)["response"]
    assert response["allowed"], response
    if "patch" not in response:
        assert "patchType" not in response
        return obj, []
    assert response["patchType"] == "JSONPatch"
    operations = json.loads(base64.b64decode(response["patch"]))
    return apply_json_patch(obj, operations), operations


CONTAINERS = st.lists(
    st.fixed_dictionaries(
        {"name": st.sampled_from(["a", "b", "c"])},
        optional={
            "image": st.sampled_from(["", "x:1"]),
            "args": st.none() | st.lists(st.sampled_from(["", "v"]), max_size=2),
            "resources": st.sampled_from(
                [{}, {"limits": {"cpu": "0.5", "memory": "1024Mi"}}, {"limits": {}}]
            ),
            "future": VALUES,
            "env": st.sampled_from(
                [None, [], [{"name": "A", "value": ""}, {"name": "B", "valueNew": {"x": 1}}]]
            ),
            "securityContext": st.sampled_from([None, {}, {"runAsUser": 0}, {"privileged": None}]),
        },
    ),
    min_size=1,
    max_size=3,
)
PODS = st.fixed_dictionaries(
    {
        "apiVersion": st.just("v1"),
        "kind": st.just("Pod"),
        "metadata": st.fixed_dictionaries(
            {"name": st.just("p")},
            optional={
                "creationTimestamp": st.none() | st.just("2026-01-02T03:04:05Z"),
                "labels": st.sampled_from([None, {}, {"a": ""}]),
                "annotations": st.sampled_from([{}, {"b/c": "~"}]),
                "managedFields": st.just(
                    [{"manager": "m", "operation": "Update", "fieldsV1": {"f:spec": {}}}]
                ),
                "futureMeta": VALUES,
            },
        ),
        "spec": st.fixed_dictionaries(
            {"containers": CONTAINERS}, optional={"nodeSelector": st.just({}), "futureSpec": VALUES}
        ),
    },
    optional={
        "status": st.sampled_from([{}, {"phase": "Pending", "futureStatus": [None]}]),
        "futureTop": VALUES,
    },
)


@given(PODS)
def test_reading_changes_nothing(pod: dict[str, Any]) -> None:
    @defaulting(Pod)
    async def reads(review: Review[Pod]) -> None:
        obj = review.object
        assert obj.metadata.labels is not None
        for container in obj.spec.containers:
            assert container.env is not None
            assert container.resources.limits is not None
        assert obj.status.phase is not None
        assert obj.metadata.managed_fields is not None

    assert patched(reads, pod)[1] == []


@given(PODS, st.integers(0, 6))
def test_only_what_was_changed_changes(pod: dict[str, Any], which: int) -> None:
    changes: list[Any] = [
        (lambda each: each.metadata.labels.update(x="y"), ("metadata", "labels")),
        (lambda each: setattr(each.spec.containers[0], "image", "new"), ("spec", "containers")),
        (lambda each: each.spec.containers.append(Container(name="z")), ("spec", "containers")),
        (lambda each: each.spec.containers.pop(), ("spec", "containers")),
        (lambda each: setattr(each.status, "phase", "Running"), ("status", "phase")),
        (lambda each: setattr(each.spec, "node_name", "n1"), ("spec", "nodeName")),
        (lambda each: each.metadata.annotations.clear(), ("metadata", "annotations")),
    ]
    change, (part, member) = changes[which]

    @defaulting(Pod)
    async def changing(review: Review[Pod]) -> None:
        change(review.object)

    made, _ = patched(changing, pod)
    # The typed objects are the same: the patch has all that the function did.
    wanted = Pod.from_json(json.dumps(pod))
    change(wanted)
    assert without_empties(Pod.from_json(json.dumps(made)).to_dict()) == without_empties(wanted.to_dict())
    # And all else is as it came, unknown fields, nulls and empty lists included.
    for name in {*pod, *made} - {part}:
        assert made.get(name) == pod.get(name)
    for name in {*pod.get(part, {}), *made.get(part, {})} - {member}:
        assert made[part].get(name) == pod.get(part, {}).get(name)
    if member == "containers":
        for old, new in zip(pod["spec"]["containers"], made["spec"]["containers"], strict=False):
            assert {**old, "image": ""} == {**new, "image": ""}
