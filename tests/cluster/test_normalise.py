"""What is taken for equal, and what is not."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.cluster.differential_report import assert_same, differences, lines_of
from tests.cluster.normalise import Normaliser, Outcome, Plain, normalise

ONE = {"namespace": "team-x2k4f", "uid": "0b0d1e4c-0000-4000-8000-{:012d}", "at": "2026-01-02T03:04:05Z"}
OTHER = {"namespace": "team-v8d7c", "uid": "f00df00d-1111-4111-9111-{:012d}", "at": "2027-05-06T07:08:09Z"}


def run(
    namespace: str, uid: str, at: str, *, suffixes: tuple[str, ...], hash_: str = "7866ccff64"
) -> list[Plain]:
    """What a cluster has of a Deployment, its ReplicaSet and its pods, and the events of them."""
    name = f"web-{hash_}"
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": name, "uid": uid.format(2)}
    metadata = {"namespace": namespace, "creationTimestamp": at, "resourceVersion": uid[:3]}
    objects: list[Plain] = [
        {
            "kind": "Deployment",
            "metadata": {"name": "web", "uid": uid.format(1), "generation": 1, **metadata},
            "status": {"replicas": len(suffixes), "conditions": [_condition("A", at), _condition("B", at)]},
        },
        {
            "kind": "ReplicaSet",
            "metadata": {
                "name": name,
                "uid": uid.format(2),
                "labels": {"pod-template-hash": hash_},
                "annotations": {"deployment.kubernetes.io/revision": "1"},
                "ownerReferences": [{"kind": "Deployment", "name": "web", "uid": uid.format(1)}],
                **metadata,
            },
        },
    ]
    for number, suffix in enumerate(suffixes, 10):
        objects += [
            {
                "kind": "Pod",
                "metadata": {
                    "name": f"{name}-{suffix}",
                    "generateName": f"{name}-",
                    "uid": uid.format(number),
                    "ownerReferences": [owner],
                    **metadata,
                },
                "spec": {"volumes": [{"name": f"kube-api-access-{suffix}"}]},
                "status": {"podIP": f"10.0.{number}.1"},
            },
            _event(owner, namespace, "SuccessfulCreate", f"Created pod: {name}-{suffix}", uid, number),
        ]
    return objects


def _condition(type_: str, at: str) -> Plain:
    return {"type": type_, "status": "True", "lastTransitionTime": at}


def _event(about: Plain, namespace: str, reason: str, message: str, uid: str, number: int) -> Plain:
    return {
        "kind": "Event",
        "metadata": {
            "name": f"{about['name']}.{number:x}",
            "namespace": namespace,
            "uid": uid.format(100 + number),
        },
        "involvedObject": {**about, "namespace": namespace, "resourceVersion": "7"},
        "type": "Normal",
        "reason": reason,
        "message": message,
        "source": {"component": "replicaset-controller"},
        "reportingComponent": "replicaset-controller",
        "count": number,
    }


def outcome(objects: list[Plain], **how: Any) -> Outcome:
    found = next(each["metadata"]["namespace"] for each in objects if "namespace" in each["metadata"])
    return normalise(objects, Normaliser(namespace=found, **how))


def one(**options: Any) -> list[Plain]:
    return run(**ONE, suffixes=("x2k4f", "bbbbb"), **options)


def other(**options: Any) -> list[Plain]:
    return run(**OTHER, suffixes=("zzzzz", "2gc4h"), **options)


def test_two_runs_are_equal() -> None:
    assert_same(outcome(one()), outcome(other()))


def test_the_objects_are_not_changed() -> None:
    objects = one()
    before = copy.deepcopy(objects)
    outcome(objects)
    assert objects == before


def test_what_is_left() -> None:
    found = outcome(one(), hashes=True)
    assert list(found) == ["Deployment", "Event", "Pod", "ReplicaSet"]
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-7866ccff64"}
    uid = "<uid of ReplicaSet/web-7866ccff64>"
    assert (
        found["Pod"]
        == [
            {
                "kind": "Pod",
                "metadata": {
                    "name": "web-7866ccff64-*",
                    "generateName": "web-7866ccff64-",
                    "creationTimestamp": "<time>",
                    "ownerReferences": [{**owner, "uid": uid}],
                },
                "spec": {"volumes": [{"name": "kube-api-access-*"}]},
                "status": {"podIP": "<address>"},
            }
        ]
        * 2
    )
    assert found["Event"] == [
        {
            "type": "Normal",
            "reason": "SuccessfulCreate",
            "object": "ReplicaSet/web-7866ccff64",
            "message": "Created pod: web-7866ccff64-*",
            "component": "replicaset-controller",
            "reportingComponent": "replicaset-controller",
            "action": "",
        }
    ]


def _without_a_pod(objects: list[Plain]) -> None:
    objects.remove(next(each for each in objects if each["kind"] == "Pod"))


def _another_owner(objects: list[Plain]) -> None:
    pod = next(each for each in objects if each["kind"] == "Pod")
    pod["metadata"]["ownerReferences"][0]["uid"] = objects[0]["metadata"]["uid"]


def _another_status(objects: list[Plain]) -> None:
    objects[0]["status"]["replicas"] += 1


def _no_time(objects: list[Plain]) -> None:
    del objects[0]["status"]["conditions"][0]["lastTransitionTime"]


def _another_generation(objects: list[Plain]) -> None:
    objects[0]["metadata"]["generation"] = 2


def _another_reason(objects: list[Plain]) -> None:
    objects[-1]["reason"] = "FailedCreate"


def _another_component(objects: list[Plain]) -> None:
    objects[-1]["source"]["component"] = "replication-controller"


def _no_reporting_component(objects: list[Plain]) -> None:
    objects[-1]["reportingComponent"] = ""


def _one_condition_less(objects: list[Plain]) -> None:
    objects[0]["status"]["conditions"].pop()


def _a_name_that_is_not_generated(objects: list[Plain]) -> None:
    pod = next(each for each in objects if each["kind"] == "Pod")
    pod["metadata"]["name"] = "web-0"


@pytest.mark.parametrize(
    "change",
    [
        _without_a_pod,
        _another_owner,
        _another_status,
        _no_time,
        _another_generation,
        _another_reason,
        _another_component,
        _no_reporting_component,
        _one_condition_less,
        _a_name_that_is_not_generated,
    ],
)
def test_what_is_a_difference(change: Any) -> None:
    objects = other()
    change(objects)
    with pytest.raises(AssertionError, match="differs from the real one"):
        assert_same(outcome(objects), outcome(one()))


def test_the_order_of_conditions_is_no_difference() -> None:
    objects = other()
    objects[0]["status"]["conditions"].reverse()
    assert_same(outcome(objects), outcome(one()))


def test_which_of_two_reasons_a_rollout_under_way_has_is_no_difference() -> None:
    def progressing(reason: str) -> Outcome:
        objects = one()
        condition = {"type": "Progressing", "status": "True", "reason": reason, "message": f"it is {reason}"}
        objects[0]["status"]["conditions"] = [condition]
        return outcome(objects)

    under_way = progressing("NewReplicaSetCreated")
    assert_same(under_way, progressing("ReplicaSetUpdated"))
    assert under_way["Deployment"][0]["status"]["conditions"][0]["reason"] == "<under way>"
    assert differences(under_way, progressing("NewReplicaSetAvailable"))


def test_a_combined_event_is_one_of_those_it_stands_for() -> None:
    objects = other()
    objects[-1]["message"] = "(combined from similar events): " + objects[-1]["message"]
    objects[-1]["reportingComponent"] = ""
    assert_same(outcome(objects), outcome(one()))


def test_hashes_are_compared_where_they_are_wanted() -> None:
    assert differences(outcome(other(hash_="abc"), hashes=True), outcome(one(), hashes=True))
    assert_same(outcome(other(hash_="abc")), outcome(one()))
    found = outcome(one())
    assert found["Pod"][0]["metadata"]["name"] == "web-<hash 1>-*"
    assert found["Event"][0]["object"] == "ReplicaSet/web-<hash 1>"


def test_hashes_of_replica_sets_that_are_gone() -> None:
    about = {"kind": "Deployment", "name": "web", "uid": ONE["uid"].format(1)}
    message = "Scaled down replica set web-5d7f8c from 1 to 0"
    event = _event(about, ONE["namespace"], "ScalingReplicaSet", message, ONE["uid"], 50)
    event["metadata"] |= {"creationTimestamp": ONE["at"], "resourceVersion": "3"}
    found = outcome([*one(), event])
    assert found["ReplicaSet"][0]["metadata"]["name"] == "web-<hash 2>"
    messages = [each["message"] for each in found["Event"]]
    assert "Scaled down replica set web-<hash 1> from 1 to 0" in messages


def test_counts_are_compared_where_they_are_wanted() -> None:
    assert [event["count"] for event in outcome(one(), counts=True)["Event"]] == [10, 11]


def test_events_of_pods_that_are_gone() -> None:
    objects = [each for each in one() if each["kind"] != "Pod"]
    assert outcome(objects)["Event"][0]["message"] == "Created pod: web-<hash 1>-*"


def test_events_that_are_not_wanted() -> None:
    assert "Event" not in outcome(one(), ignored_events=["SuccessfulCreate"])
    assert "Event" not in outcome(one(), ignored_events=["replicaset-controller"])


def test_a_given_name_that_looks_generated_stays() -> None:
    objects = [*one(), {"kind": "Pod", "metadata": {"name": "web-7866ccff64-bcdfg"}}]
    names = [each["metadata"]["name"] for each in outcome(objects)["Pod"]]
    assert sorted(names) == ["web-<hash 1>-*", "web-<hash 1>-*", "web-<hash 1>-bcdfg"]


def test_the_name_of_the_namespace_within_other_texts() -> None:
    message = "team-x2k4f/web: pods in team-x2k4f, not in team-x2k4f-2"
    objects = [
        {"kind": "ConfigMap", "metadata": {"name": "a", "namespace": "team-x2k4f"}, "data": {"m": message}}
    ]
    expected = "<namespace>/web: pods in <namespace>, not in team-x2k4f-2"
    assert outcome(objects)["ConfigMap"][0]["data"]["m"] == expected


def test_a_volume_that_is_named_after_its_claim() -> None:
    uid = ONE["uid"].format(1)
    objects = [
        {"kind": "PersistentVolumeClaim", "metadata": {"name": "data", "namespace": "n", "uid": uid}},
        {"kind": "PersistentVolume", "metadata": {"name": f"pvc-{uid}", "uid": ONE["uid"].format(2)}},
    ]
    found = outcome(objects)["PersistentVolume"][0]["metadata"]["name"]
    assert found == "pvc-<uid of PersistentVolumeClaim/data>"


def test_managers_without_what_they_own() -> None:
    entries = [{"manager": "m", "operation": "Update", "subresource": "status", "time": "x"}] * 2
    objects = [{"kind": "ConfigMap", "metadata": {"name": "a", "namespace": "n", "managedFields": entries}}]
    assert outcome(objects, managers=True)["ConfigMap"][0]["metadata"]["managers"] == ["m Update status"]
    assert "managers" not in outcome(objects)["ConfigMap"][0]["metadata"]


def test_a_difference_says_where_it_is() -> None:
    objects = other()
    objects[0]["status"]["conditions"][1]["status"] = "False"
    assert differences(outcome(objects), outcome(one())) == [
        "-Deployment web status.conditions[B].status: 'True'",
        "+Deployment web status.conditions[B].status: 'False'",
    ]


def test_objects_of_one_name_are_numbered() -> None:
    lines = [line for line in lines_of(outcome(one())) if "podIP" in line]
    assert lines == [
        "Pod web-<hash 1>-* status.podIP: '<address>'",
        "Pod web-<hash 1>-*[2] status.podIP: '<address>'",
    ]


def test_an_event_is_one_line() -> None:
    sender = "component='replicaset-controller' reporting='replicaset-controller'"
    about = f"Event Normal SuccessfulCreate ReplicaSet/web-<hash 1> {sender}"
    assert lines_of(outcome(one()))[-1] == f"{about}: Created pod: web-<hash 1>-*"
    assert lines_of(outcome(one(), counts=True))[-1] == f"{about} count=11: Created pod: web-<hash 1>-*"
