"""Commands that ask what the server is and serves, and those that pass requests on as they are."""

from __future__ import annotations

import http.client
import json

import pytest

from tests.conformance.client import ServerUnderTest
from tests.conformance.kubectl.output import rows, table
from tests.conformance.kubectl.program import PATIENCE, Kubectl
from tests.conformance.namespaces import Namespace

# Each kubectl takes a tenth of a second: `make test` runs some files of this folder, `make test-real` all.
pytestmark = pytest.mark.slow

ALL_VERBS = "create,delete,deletecollection,get,list,patch,update,watch"


def test_version(cluster_kubectl: Kubectl) -> None:
    (said,) = [line for line in cluster_kubectl("version").splitlines() if line.startswith("Server")]
    # kubewright says after a plus what else it is.
    assert said.partition("+")[0] == "Server Version: v1.36.4"
    server = json.loads(cluster_kubectl("version", "-o", "json"))["serverVersion"]
    assert (server["major"], server["minor"]) == ("1", "36")


def test_api_versions(cluster_kubectl: Kubectl) -> None:
    served = cluster_kubectl("api-versions").split()
    # Other tests define custom resources, in groups with dots, as those must be.
    own = [each for each in served if "." not in each or ".k8s.io/" in each]
    assert own == [
        "admissionregistration.k8s.io/v1",
        "apiextensions.k8s.io/v1",
        "apiregistration.k8s.io/v1",
        "apps/v1",
        "authentication.k8s.io/v1",
        "authorization.k8s.io/v1",
        "autoscaling/v1",
        "autoscaling/v2",
        "batch/v1",
        "certificates.k8s.io/v1",
        "coordination.k8s.io/v1",
        "discovery.k8s.io/v1",
        "events.k8s.io/v1",
        "flowcontrol.apiserver.k8s.io/v1",
        "networking.k8s.io/v1",
        "node.k8s.io/v1",
        "policy/v1",
        "rbac.authorization.k8s.io/v1",
        "resource.k8s.io/v1",
        "scheduling.k8s.io/v1",
        "storage.k8s.io/v1",
        "v1",
    ]


def test_api_resources(cluster_kubectl: Kubectl) -> None:
    printed = table(cluster_kubectl("api-resources"))
    assert printed[0] == ["NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND"]
    assert ["pods", "po", "v1", "true", "Pod"] in printed
    assert ["nodes", "no", "v1", "false", "Node"] in printed
    assert ["bindings", "", "v1", "true", "Binding"] in printed
    assert ["deployments", "deploy", "apps/v1", "true", "Deployment"] in printed
    assert ["events", "ev", "events.k8s.io/v1", "true", "Event"] in printed
    assert ["customresourcedefinitions", "crd,crds", "apiextensions.k8s.io/v1", "false"] in [
        each[:4] for each in printed
    ]
    assert ["horizontalpodautoscalers", "hpa", "autoscaling/v2", "true", "HorizontalPodAutoscaler"] in printed


def test_api_resources_wide(cluster_kubectl: Kubectl) -> None:
    assert table(cluster_kubectl("api-resources", "--api-group=apps", "-o", "wide")) == [
        ["NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND", "VERBS", "CATEGORIES"],
        ["controllerrevisions", "", "apps/v1", "true", "ControllerRevision", ALL_VERBS, ""],
        ["daemonsets", "ds", "apps/v1", "true", "DaemonSet", ALL_VERBS, "all"],
        ["deployments", "deploy", "apps/v1", "true", "Deployment", ALL_VERBS, "all"],
        ["replicasets", "rs", "apps/v1", "true", "ReplicaSet", ALL_VERBS, "all"],
        ["statefulsets", "sts", "apps/v1", "true", "StatefulSet", ALL_VERBS, "all"],
    ]


def test_api_resources_of_the_cluster(cluster_kubectl: Kubectl) -> None:
    arguments = ["--namespaced=false", "--api-group=", "--no-headers"]
    assert [line.split()[0] for line in cluster_kubectl("api-resources", *arguments).splitlines()] == [
        "componentstatuses",
        "namespaces",
        "nodes",
        "persistentvolumes",
    ]


@pytest.mark.parametrize(
    ("verbs", "expected"),
    [
        ("create", ["localsubjectaccessreviews", "selfsubjectaccessreviews"]),
        ("list,watch", []),
    ],
)
def test_api_resources_by_verb(cluster_kubectl: Kubectl, verbs: str, expected: list[str]) -> None:
    arguments = [f"--verbs={verbs}", "--api-group=authorization.k8s.io", "-o", "name"]
    names = [line.partition(".")[0] for line in cluster_kubectl("api-resources", *arguments).splitlines()]
    assert names[:2] == expected


def test_api_resources_sorted(cluster_kubectl: Kubectl) -> None:
    printed = cluster_kubectl("api-resources", "--api-group=policy", "--sort-by=kind")
    assert rows(printed) == [["poddisruptionbudgets", "pdb", "policy/v1", "true", "PodDisruptionBudget"]]


def test_api_resources_by_category(cluster_kubectl: Kubectl) -> None:
    names = cluster_kubectl("api-resources", "--categories=all", "-o", "name").split()
    assert {"pods", "services", "deployments.apps", "jobs.batch"} <= set(names)
    assert "configmaps" not in names


def test_cluster_info(server: ServerUnderTest, cluster_kubectl: Kubectl) -> None:
    first = cluster_kubectl("cluster-info").splitlines()[0]
    assert first == f"Kubernetes control plane is running at {server.url}"


def test_raw(kubectl: Kubectl) -> None:
    assert kubectl("get", "--raw", "/readyz") == "ok"
    assert json.loads(kubectl("get", "--raw", "/api"))["versions"] == ["v1"]
    config_maps = f"/api/v1/namespaces/{kubectl.namespace}/configmaps"
    assert json.loads(kubectl("get", "--raw", config_maps))["items"] == []
    made = {"metadata": {"name": "raw"}, "data": {"k": "v"}}
    assert json.loads(kubectl("create", "--raw", config_maps, "-f", "-", stdin=made))["data"] == {"k": "v"}
    made = {**made, "data": {"k": "w"}}
    replaced = kubectl("replace", "--raw", f"{config_maps}/raw", "-f", "-", stdin=made)
    assert json.loads(replaced)["data"] == {"k": "w"}
    assert json.loads(kubectl("delete", "--raw", f"{config_maps}/raw"))["status"] == "Success"
    assert (
        kubectl.fails("get", "--raw", f"{config_maps}/raw")
        == 'Error from server (NotFound): configmaps "raw" not found\n'
    )


def test_config_view(server: ServerUnderTest, cluster_kubectl: Kubectl) -> None:
    config = cluster_kubectl.json("config", "view", "--minify")
    assert [each["cluster"]["server"] for each in config["clusters"]] == [server.url]
    assert cluster_kubectl("config", "current-context").strip() == config["current-context"]
    assert server.token not in json.dumps(config)


def test_proxy(kubectl: Kubectl, namespace: Namespace) -> None:
    with kubectl.start("proxy", "--port=0") as proxy:
        said = proxy.line()
        start = "Starting to serve on "
        assert said.startswith(start), said
        connection = http.client.HTTPConnection(said.removeprefix(start), timeout=PATIENCE)
        made = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "through"}}
        headers = {"Content-Type": "application/json"}
        connection.request("POST", namespace.config_maps, json.dumps(made), headers)
        answer = connection.getresponse()
        assert (answer.status, json.load(answer)["metadata"]["name"]) == (201, "through")
        connection.request("GET", namespace.config_maps)
        listed = json.load(connection.getresponse())
        connection.close()
    assert [each["metadata"]["name"] for each in listed["items"]] == ["through"]


def test_a_type_that_is_not_there(cluster_kubectl: Kubectl) -> None:
    said = cluster_kubectl.fails("get", "nothings")
    assert said == 'error: the server doesn\'t have a resource type "nothings"\n'


def test_a_version_that_is_not_there(cluster_kubectl: Kubectl) -> None:
    body = {"apiVersion": "apps/v1beta1", "kind": "Deployment", "metadata": {"name": "a"}}
    said = cluster_kubectl.fails("create", "-f", "-", stdin=body)
    assert 'no matches for kind "Deployment" in version "apps/v1beta1"' in said
