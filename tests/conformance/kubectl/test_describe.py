"""kubectl describe, which puts together objects, what belongs to them, and events."""

from __future__ import annotations

import pytest

from tests.conformance.client import Client
from tests.conformance.kubectl.output import described
from tests.conformance.kubectl.program import Kubectl
from tests.conformance.namespaces import Namespace, new_namespace, unique
from tests.conformance.objects import config_map, deployment, node, pod


@pytest.fixture(scope="module")
def place(client: Client) -> Namespace:
    """One object of each kind that is described. For reading only."""
    made = new_namespace(client)
    made.create(made.pods, pod("p", labels={"app": "web"}))
    made.create(made.deployments, deployment("web", 2, labels={"app": "web"}))
    made.create(made.config_maps, config_map("settings", {"k": "v"}))
    ports = [{"name": "http", "port": 80, "targetPort": 8080}]
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}}
    made.create(made.services, {**service, "spec": {"selector": {"app": "web"}, "ports": ports}})
    return made


@pytest.fixture
def reader(cluster_kubectl: Kubectl, place: Namespace) -> Kubectl:
    return cluster_kubectl.in_namespace(place)


def test_a_pod(reader: Kubectl) -> None:
    assert described(reader("describe", "pod", "p")) == [
        "Name: p",
        f"Namespace: {reader.namespace}",
        "Node: <none>",
        "Labels: app=web",
        "Annotations: <none>",
        "Status: Pending",
        "IP:",
        "IPs: <none>",
        "Containers:",
        "main:",
        "Image: example.com/main:1",
        "Port: <none>",
        "Host Port: <none>",
        "Environment: <none>",
        "Mounts: <none>",
        "Volumes: <none>",
        "QoS Class: BestEffort",
        "Node-Selectors: <none>",
        "Tolerations: <none>",
        "Events: <none>",
    ]


def test_a_deployment(reader: Kubectl) -> None:
    assert described(reader("describe", "deployment/web")) == [
        "Name: web",
        f"Namespace: {reader.namespace}",
        "CreationTimestamp: <time>",
        "Labels: app=web",
        "Annotations: <none>",
        "Selector: app=web",
        "Replicas: 2 desired | 0 updated | 0 total | 0 available | 0 unavailable",
        "StrategyType: RollingUpdate",
        "MinReadySeconds: 0",
        "RollingUpdateStrategy: 25% max unavailable, 25% max surge",
        "Pod Template:",
        "Labels: app=web",
        "Containers:",
        "main:",
        "Image: example.com/main:1",
        "Port: <none>",
        "Host Port: <none>",
        "Environment: <none>",
        "Mounts: <none>",
        "Volumes: <none>",
        "Node-Selectors: <none>",
        "Tolerations: <none>",
        "Events: <none>",
    ]


def test_a_service(reader: Kubectl) -> None:
    address = reader("get", "service", "web", "-o", "jsonpath={.spec.clusterIP}")
    lines = described(reader("describe", "service", "web"))
    # Older releases of kubectl ask for Endpoints and print nothing where there are none.
    assert [line for line in lines if not line.startswith("Endpoints:")] == [
        "Name: web",
        f"Namespace: {reader.namespace}",
        "Labels: <none>",
        "Annotations: <none>",
        "Selector: app=web",
        "Type: ClusterIP",
        "IP Family Policy: SingleStack",
        "IP Families: IPv4",
        f"IP: {address}",
        f"IPs: {address}",
        "Port: http 80/TCP",
        "TargetPort: 8080/TCP",
        "Session Affinity: None",
        "Internal Traffic Policy: Cluster",
        "Events: <none>",
    ]


def test_a_config_map(reader: Kubectl) -> None:
    lines = [line for line in described(reader("describe", "cm", "settings")) if line]
    assert lines == [
        "Name: settings",
        f"Namespace: {reader.namespace}",
        "Labels: <none>",
        "Annotations: <none>",
        "Data",
        "====",
        "k:",
        "----",
        "v",
        "BinaryData",
        "====",
        "Events: <none>",
    ]


def test_a_namespace(kubectl: Kubectl) -> None:
    kubectl("create", "quota", "few", "--hard=pods=3")
    lines = described(kubectl("describe", "namespace", kubectl.namespace))
    assert lines[:7] == [
        f"Name: {kubectl.namespace}",
        f"Labels: kubernetes.io/metadata.name={kubectl.namespace}",
        "Annotations: <none>",
        "Status: Active",
        "",
        "Resource Quotas",
        "Name: few",
    ]
    assert lines[-1] == "No LimitRange resource."


def test_a_node(cluster_kubectl: Kubectl, client: Client) -> None:
    name = unique("node")
    sizes = {"cpu": "2", "memory": "1Gi", "pods": "10"}
    ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "it is"}
    status = {"capacity": sizes, "allocatable": sizes, "conditions": [ready]}
    assert client.post("/api/v1/nodes", {**node(name), "status": status}).status == 201
    place = new_namespace(client)
    limits = {"resources": {"requests": {"cpu": "500m"}, "limits": {"memory": "256Mi"}}}
    spec = {"nodeName": name, "containers": [{"name": "c", "image": "x", **limits}]}
    place.create(place.pods, pod("there", spec))
    lines = described(cluster_kubectl("describe", "node", name))
    assert lines[:5] == [
        f"Name: {name}",
        "Roles: <none>",
        "Labels: <none>",
        "Annotations: <none>",
        "CreationTimestamp: <time>",
    ]
    assert f'Lease: Failed to get lease: leases.coordination.k8s.io "{name}" not found' in lines
    assert "Non-terminated Pods: (1 in total)" in lines
    (there,) = [line for line in lines if line.startswith(place.name)]
    assert there.split()[:10] == [
        place.name,
        "there",
        "500m",
        "(25%)",
        "0",
        "(0%)",
        "256Mi",
        "(25%)",
        "256Mi",
        "(25%)",
    ]
    assert "cpu 500m (25%) 0 (0%)" in lines


def test_events_are_shown(kubectl: Kubectl, namespace: Namespace) -> None:
    made = namespace.create(namespace.pods, pod("p"))
    about = {
        "kind": "Pod",
        "apiVersion": "v1",
        "name": "p",
        "namespace": namespace.name,
        "uid": made["metadata"]["uid"],
    }
    for name, kind, reason in [("e1", "Normal", "Scheduled"), ("e2", "Warning", "Failed")]:
        event = {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": name},
            "involvedObject": about,
            "reason": reason,
            "message": f"it was {reason}",
            "type": kind,
            "source": {"component": "tests"},
            "count": 2,
            "firstTimestamp": made["metadata"]["creationTimestamp"],
            "lastTimestamp": made["metadata"]["creationTimestamp"],
        }
        namespace.create(namespace.path("events"), event)
    lines = described(kubectl("describe", "pod", "p"))
    last = [line.split() for line in lines[-2:]]
    assert [(words[0], words[1], words[-4:]) for words in last] == [
        ("Normal", "Scheduled", ["tests", "it", "was", "Scheduled"]),
        ("Warning", "Failed", ["tests", "it", "was", "Failed"]),
    ]
    events = [line.split()[1:] for line in kubectl("events", "--for=pod/p").splitlines()]
    assert [words[-6:] for words in events[1:]] == [
        ["Normal", "Scheduled", "Pod/p", "it", "was", "Scheduled"],
        ["Warning", "Failed", "Pod/p", "it", "was", "Failed"],
    ]
    assert len(kubectl("events", "--types=Warning", "--no-headers").splitlines()) == 1
    assert len(kubectl("get", "events", "--field-selector=type=Warning", "-o", "name").splitlines()) == 1
    lines = kubectl("get", "events", "--field-selector=involvedObject.name=p,reason=Failed").splitlines()
    assert [line.split()[1:4] for line in lines[1:]] == [["Warning", "Failed", "pod/p"]]


def test_no_events(kubectl: Kubectl) -> None:
    done = kubectl.success("events")
    assert (done.stdout, done.stderr) == ("", f"No events found in {kubectl.namespace} namespace.\n")


def test_several_and_none(reader: Kubectl) -> None:
    lines = described(reader("describe", "pod,cm", "-l", "app=web"))
    assert [line for line in lines if line.startswith("Name:")] == ["Name: p"]
    assert reader.fails("describe", "secret", "nobody") == (
        'Error from server (NotFound): secrets "nobody" not found\n'
    )
    assert reader.success("describe", "secrets").stderr == (
        f"No resources found in {reader.namespace} namespace.\n"
    )
    names = [line for line in described(reader("describe", "cm", "sett")) if line.startswith("Name:")]
    assert names == ["Name: settings"]
