"""Why a Deployment is not rolled out, told from what a cluster says of its pods."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest

from kubewright.cli.deployment.progress import Progress
from kubewright.cli.deployment.rollout import NotRolledOut, await_rollout, is_rolled_out, why_not
from kubewright.models.apps_v1 import Deployment
from kubewright.sync import Client
from kubewright.testing import Cluster

_NAMES = (f"operator{number}" for number in count())


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with Cluster.in_thread(controllers="none") as cluster, Client(cluster.config) as client:
        yield client


@pytest.fixture
def name() -> str:
    return next(_NAMES)


def deploy(client: Client, name: str, **status: Any) -> Deployment:
    """A Deployment of one pod, with a status that a controller could have written."""
    labels = {"app": name}
    container = {"name": "manager", "image": "x"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    api = client.api(Deployment, "default")
    made = api.create(
        {"metadata": {"name": name}, "spec": {"selector": {"matchLabels": labels}, "template": template}}
    )
    return api.update_status({**made.to_dict(), "status": {"observedGeneration": 1, "replicas": 1, **status}})


def run_pod(client: Client, name: str, suffix: str = "new", **status: Any) -> str:
    """A pod of a Deployment, with this status; gives its name."""
    api = client.dynamic("v1", "Pod", "default")
    pod = f"{name}-{suffix}"
    made = api.create(
        {
            "metadata": {"name": pod, "labels": {"app": name}},
            "spec": {"containers": [{"name": "manager", "image": "x"}]},
        }
    )
    api.update_status({**made.to_dict(), "status": status})
    return pod


def waiting(reason: str, message: str = "", **others: Any) -> dict[str, Any]:
    state = {"waiting": {"reason": reason, "message": message}}
    return {
        "name": "manager",
        "image": "x",
        "imageID": "",
        "ready": False,
        "restartCount": 0,
        "state": state,
    } | others


class TestDone:
    DONE = {"observedGeneration": 1, "replicas": 1, "updatedReplicas": 1, "availableReplicas": 1}

    @pytest.mark.parametrize(
        ("status", "done"),
        [
            (DONE, True),
            (DONE | {"observedGeneration": 0}, False),
            (DONE | {"availableReplicas": 0}, False),
            (DONE | {"updatedReplicas": 0}, False),
            # The old pod is still there.
            (DONE | {"replicas": 2, "availableReplicas": 2}, False),
            ({}, False),
        ],
    )
    def test_as_kubectl_decides(self, status: dict[str, int], done: bool) -> None:
        data = {
            "metadata": {"generation": 1},
            "spec": {"selector": {}, "template": {}},
            "status": status,
        }
        assert is_rolled_out(Deployment.from_dict(data)) is done

    def test_none_are_wanted(self) -> None:
        data = {
            "metadata": {"generation": 1},
            "spec": {"replicas": 0, "selector": {}, "template": {}},
            "status": {"observedGeneration": 1},
        }
        assert is_rolled_out(Deployment.from_dict(data))


class TestWhyNot:
    def test_no_controller(self, client: Client, name: str) -> None:
        found = deploy(client, name, observedGeneration=0)
        assert why_not(client, found).startswith("no controller has looked at it")

    def test_a_quota(self, client: Client, name: str) -> None:
        message = (
            'pods "x" is forbidden: exceeded quota: none, requested: pods=1, used: pods=0, limited: pods=0'
        )
        failure = {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": message}
        assert why_not(client, deploy(client, name, conditions=[failure])) == message

    def test_no_node(self, client: Client, name: str) -> None:
        found = deploy(client, name)
        message = "0/3 nodes are available: 3 Insufficient memory."
        unscheduled = {
            "type": "PodScheduled",
            "status": "False",
            "reason": "Unschedulable",
            "message": message,
        }
        pod = run_pod(client, name, phase="Pending", conditions=[unscheduled])
        assert why_not(client, found) == (
            f"the pod {pod} is not scheduled: 0/3 nodes are available: 3 Insufficient memory"
        )

    def test_an_image_that_cannot_be_pulled(self, client: Client, name: str) -> None:
        found = deploy(client, name)
        ready = {"type": "Ready", "status": "True"}
        run_pod(client, name, "old", phase="Running", conditions=[ready])
        status = waiting("ImagePullBackOff", 'Back-off pulling image "nowhere/x:v1"')
        pod = run_pod(client, name, phase="Pending", containerStatuses=[status])
        assert why_not(client, found) == (
            f"the container manager of the pod {pod} does not start: ImagePullBackOff: "
            'Back-off pulling image "nowhere/x:v1"'
        )

    def test_a_program_that_ends(self, client: Client, name: str) -> None:
        found = deploy(client, name)
        last = {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}
        status = waiting("CrashLoopBackOff", "back-off 5m0s restarting failed container", lastState=last)
        pod = run_pod(client, name, phase="Running", containerStatuses=[status])
        assert why_not(client, found) == (
            f"the container manager of the pod {pod} ends with the exit code 137 (OOMKilled); see kubectl "
            f"logs -n default {pod} -c manager --previous"
        )

    def test_an_init_container(self, client: Client, name: str) -> None:
        found = deploy(client, name)
        failed = waiting("", state={"terminated": {"exitCode": 3, "reason": "Error"}}, name="first")
        pod = run_pod(
            client,
            name,
            phase="Pending",
            initContainerStatuses=[failed],
            containerStatuses=[waiting("PodInitializing")],
        )
        assert why_not(client, found).startswith(
            f"the container first of the pod {pod} ends with the exit code 3; see kubectl logs"
        )

    def test_events_say_what_a_status_does_not(self, client: Client, name: str) -> None:
        found = deploy(client, name)
        pod = run_pod(client, name, phase="Pending", containerStatuses=[waiting("ContainerCreating")])
        assert why_not(client, found) == "0 of 1 pods are available"
        uid = client.dynamic("v1", "Pod", "default").get(pod).metadata.uid
        client.dynamic("v1", "Event", "default").create(
            {
                "metadata": {"generateName": "e-"},
                "involvedObject": {"kind": "Pod", "name": pod, "namespace": "default", "uid": uid},
                "type": "Warning",
                "reason": "FailedMount",
                "message": 'MountVolume.SetUp failed for volume "tls": secret "tls" not found',
            }
        )
        assert why_not(client, found) == (
            f'the pod {pod} is not ready: MountVolume.SetUp failed for volume "tls": secret "tls" not found'
        )

    def test_it_runs_but_is_not_ready(self, client: Client, name: str) -> None:
        found = deploy(client, name)
        pod = run_pod(client, name, phase="Running")
        assert why_not(client, found) == f"the pod {pod} runs, but is not ready"

    def test_the_wait_ends_with_the_reason(self, client: Client, name: str) -> None:
        deploy(client, name)
        pod = run_pod(client, name, phase="Running")
        with pytest.raises(NotRolledOut) as raised:
            await_rollout(client, name, "default", progress=Progress("text"), timeout=0.1)
        assert str(raised.value) == (
            f"Deployment {name} in default is not rolled out after 0.1 seconds: the pod {pod} runs, but is "
            "not ready; correct that, and give the command again"
        )
