"""Commands for nodes, and those for pods that nobody runs."""

from __future__ import annotations

import pytest

from tests.conformance.client import Client
from tests.conformance.kubectl.output import rows
from tests.conformance.kubectl.program import Kubectl
from tests.conformance.namespaces import Namespace, unique
from tests.conformance.objects import node, pod


@pytest.fixture
def name(client: Client) -> str:
    """The name of a node."""
    made = unique("node")
    ready = {"type": "Ready", "status": "True"}
    body = {**node(made), "status": {"conditions": [ready], "nodeInfo": INFO}}
    assert client.post("/api/v1/nodes", body).status == 201
    return made


INFO = {
    "machineID": "",
    "systemUUID": "",
    "bootID": "",
    "kernelVersion": "6.1",
    "osImage": "Linux",
    "containerRuntimeVersion": "containerd://2",
    "kubeletVersion": "v1.36.4",
    "kubeProxyVersion": "",
    "operatingSystem": "linux",
    "architecture": "amd64",
}


def test_cordon(cluster_kubectl: Kubectl, name: str) -> None:
    assert rows(cluster_kubectl("get", "node", name)) == [[name, "Ready", "<none>", "-", "v1.36.4"]]
    assert cluster_kubectl("cordon", name) == f"node/{name} cordoned\n"
    assert cluster_kubectl("cordon", name) == f"node/{name} already cordoned\n"
    wide = rows(cluster_kubectl("get", "node", name, "-o", "wide"))
    assert [each[:3] for each in wide] == [[name, "Ready,SchedulingDisabled", "<none>"]]
    assert cluster_kubectl("uncordon", name) == f"node/{name} uncordoned\n"
    assert cluster_kubectl("uncordon", name) == f"node/{name} already uncordoned\n"


def test_taint(cluster_kubectl: Kubectl, name: str) -> None:
    assert cluster_kubectl("taint", "node", name, "k=v:NoSchedule") == f"node/{name} tainted\n"
    assert cluster_kubectl.fails("taint", "node", name, "k=v:NoSchedule") == (
        f"error: node {name} already has k taint(s) with same effect(s) and --overwrite is false\n"
    )
    assert (
        cluster_kubectl("taint", "node", name, "k=w:NoSchedule", "--overwrite") == f"node/{name} modified\n"
    )
    assert cluster_kubectl.json("get", "node", name)["spec"]["taints"] == [
        {"key": "k", "value": "w", "effect": "NoSchedule"}
    ]
    assert cluster_kubectl("taint", "node", name, "k-") == f"node/{name} untainted\n"
    assert cluster_kubectl.fails("taint", "node", name, "k-") == 'error: taint "k" not found\n'


def test_drain(cluster_kubectl: Kubectl, client: Client, namespace: Namespace, name: str) -> None:
    namespace.create(namespace.pods, pod("p", {"nodeName": name, "terminationGracePeriodSeconds": 0}))
    said = cluster_kubectl.fails("drain", name)
    assert "cannot delete" in said
    assert "that declare no controller" in said
    lines = cluster_kubectl("drain", name, "--force").splitlines()
    assert lines == [
        f"node/{name} already cordoned",
        f"evicting pod {namespace.name}/p",
        "pod/p evicted",
        f"node/{name} drained",
    ]
    assert client.get(f"{namespace.pods}/p").status == 404


def test_a_pod_without_a_node(kubectl: Kubectl, namespace: Namespace) -> None:
    namespace.create(namespace.pods, pod("p"))
    assert kubectl("logs", "p") == ""
    # How it is introduced depends on the protocol that kubectl tried.
    assert kubectl.fails("exec", "p", "--", "ls").endswith(": pod p does not have a host assigned\n")
    assert kubectl.fails("attach", "p").endswith(": pod p does not have a host assigned\n")
    assert kubectl.fails("port-forward", "p", "80") == (
        "error: unable to forward port because pod is not running. Current status=Pending\n"
    )


def test_containers_that_are_not_there(kubectl: Kubectl, namespace: Namespace) -> None:
    two = [{"name": name, "image": "example.com/x:1"} for name in ["one", "two"]]
    namespace.create(namespace.pods, pod("p", {"containers": two}))
    said = kubectl.fails("logs", "p", "-c", "nope")
    assert said.startswith("error: container nope is not valid for pod p")
    assert 'pods "nobody" not found' in kubectl.fails("logs", "nobody")


def test_debug(kubectl: Kubectl, namespace: Namespace) -> None:
    namespace.create(namespace.pods, pod("p"))
    kubectl("debug", "p", "--image=example.com/debug:1", "-c", "dbg", "--profile=general")
    (added,) = kubectl.stored("pods", "p")["spec"]["ephemeralContainers"]
    assert (added["name"], added["image"]) == ("dbg", "example.com/debug:1")


def test_no_metrics(cluster_kubectl: Kubectl) -> None:
    assert cluster_kubectl.fails("top", "nodes") == "error: Metrics API not available\n"
