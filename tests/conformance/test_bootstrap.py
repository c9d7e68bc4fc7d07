"""What is there before anybody has written anything."""

from __future__ import annotations

import pytest

from tests.conformance.client import Client
from tests.conformance.waiting import eventually

RBAC = "/apis/rbac.authorization.k8s.io/v1"


@pytest.mark.parametrize("name", ["default", "kube-node-lease", "kube-public", "kube-system"])
def test_namespaces(client: Client, name: str) -> None:
    path = f"/api/v1/namespaces/{name}"
    eventually(lambda: client.get(path).status == 200, f"there is no {name}")
    found = client.get(path).json()
    assert found["metadata"]["labels"] == {"kubernetes.io/metadata.name": name}
    assert (found["spec"], found["status"]) == ({"finalizers": ["kubernetes"]}, {"phase": "Active"})


def test_a_namespace_is_the_servers(client: Client) -> None:
    path = "/api/v1/namespaces/kube-public"
    eventually(lambda: client.get(path).status == 200, "there is no kube-public")
    found = client.get(path).json()["metadata"]
    (entry,) = found["managedFields"]
    # Two looks at the clock, between which a second may end.
    assert entry.pop("time") <= found["creationTimestamp"]
    assert entry == {
        "manager": "kube-apiserver",
        "operation": "Update",
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:metadata": {"f:labels": {".": {}, "f:kubernetes.io/metadata.name": {}}}},
    }


def test_the_service_of_the_server(client: Client) -> None:
    path = "/api/v1/namespaces/default/services/kubernetes"
    eventually(lambda: client.get(path).status == 200, "the service is not there")
    found = client.get(path).json()
    assert found["metadata"]["labels"] == {"component": "apiserver", "provider": "kubernetes"}
    (port,) = found["spec"].pop("ports")
    assert (port["name"], port["protocol"], port["port"]) == ("https", "TCP", 443)
    assert found["spec"]["clusterIP"] == "10.0.0.1"


def test_the_role_of_administrators(client: Client) -> None:
    path = f"{RBAC}/clusterroles/cluster-admin"
    eventually(lambda: client.get(path).status == 200, "the role is not there")
    found = client.get(path).json()
    assert found["metadata"]["labels"] == {"kubernetes.io/bootstrapping": "rbac-defaults"}
    assert found["rules"] == [
        {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]},
        {"verbs": ["*"], "nonResourceURLs": ["*"]},
    ]
    path = f"{RBAC}/clusterrolebindings/cluster-admin"
    eventually(lambda: client.get(path).status == 200, "the binding is not there")
    assert client.get(path).json()["subjects"] == [
        {"kind": "Group", "apiGroup": "rbac.authorization.k8s.io", "name": "system:masters"}
    ]


@pytest.mark.parametrize(
    "name", ["admin", "edit", "view", "system:discovery", "system:node", "system:basic-user"]
)
def test_other_roles(client: Client, name: str) -> None:
    path = f"{RBAC}/clusterroles/{name}"
    eventually(lambda: client.get(path).status == 200, f"there is no {name}")


@pytest.mark.parametrize(
    ("name", "value"), [("system-cluster-critical", 2000000000), ("system-node-critical", 2000001000)]
)
def test_priority_classes(client: Client, name: str, value: int) -> None:
    path = f"/apis/scheduling.k8s.io/v1/priorityclasses/{name}"
    eventually(lambda: client.get(path).status == 200, f"there is no {name}")
    assert client.get(path).json()["value"] == value


def test_api_services(client: Client) -> None:
    path = "/apis/apiregistration.k8s.io/v1/apiservices/v1.apps"
    eventually(lambda: client.get(path).status == 200, "there is no v1.apps")
    found = client.get(path).json()
    assert found["spec"] == {
        "group": "apps",
        "version": "v1",
        "groupPriorityMinimum": 17800,
        "versionPriority": 15,
    }
    condition = found["status"]["conditions"][0]
    assert (condition["type"], condition["status"], condition["reason"]) == ("Available", "True", "Local")


@pytest.mark.differs("flow control")
def test_flow_schemas(client: Client) -> None:
    root = "/apis/flowcontrol.apiserver.k8s.io/v1"
    for path in (f"{root}/flowschemas/exempt", f"{root}/prioritylevelconfigurations/exempt"):
        eventually(lambda path=path: client.get(path).status == 200, f"{path} is not there")  # type: ignore[misc]
