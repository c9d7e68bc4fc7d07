"""kubectl set, scale, autoscale and rollout, as far as they need no controllers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.client import Client
from tests.conformance.kubectl.output import rows
from tests.conformance.kubectl.program import Kubectl
from tests.conformance.namespaces import Namespace
from tests.conformance.objects import config_map, deployment

# Each kubectl takes a tenth of a second: `make test` runs some files of this folder, `make test-real` all.
pytestmark = pytest.mark.slow


@pytest.fixture
def web(kubectl: Kubectl, namespace: Namespace) -> Kubectl:
    """kubectl in a namespace with a deployment `web`."""
    namespace.create(namespace.deployments, deployment("web", 1))
    return kubectl


def container(kubectl: Kubectl) -> dict[str, Any]:
    spec = kubectl.stored("deployments", "web", "apps/v1")["spec"]["template"]["spec"]
    (found,) = spec["containers"]
    assert isinstance(found, dict)
    return found


def test_image(web: Kubectl) -> None:
    assert web("set", "image", "deployment/web", "main=example.com/main:2") == (
        "deployment.apps/web image updated\n"
    )
    assert container(web)["image"] == "example.com/main:2"
    assert web("set", "image", "deployment/web", "main=example.com/main:2") == ""
    assert web.fails("set", "image", "deployment/web", "nope=x") == (
        'error: unable to find container named "nope"\n'
    )


def test_environment(web: Kubectl) -> None:
    assert web("set", "env", "deployment/web", "A=1", "B=2") == "deployment.apps/web env updated\n"
    assert web("set", "env", "deployment/web", "--list").splitlines()[1:] == ["A=1", "B=2"]
    assert web("set", "env", "deployment/web", "A-") == "deployment.apps/web env updated\n"
    web("create", "cm", "settings", "--from-literal=k=v")
    web("set", "env", "deployment/web", "--from=configmap/settings")
    assert container(web)["env"] == [
        {"name": "B", "value": "2"},
        {"name": "K", "valueFrom": {"configMapKeyRef": {"key": "k", "name": "settings"}}},
    ]


def test_resources(web: Kubectl) -> None:
    arguments = ["--limits=cpu=200m,memory=512Mi", "--requests=cpu=100m"]
    assert web("set", "resources", "deployment", "web", *arguments) == (
        "deployment.apps/web resource requirements updated\n"
    )
    assert container(web)["resources"] == {
        "limits": {"cpu": "200m", "memory": "512Mi"},
        "requests": {"cpu": "100m"},
    }
    said = web.fails("set", "resources", "deployment", "web", "--requests=cpu=2")
    assert "must be less than or equal to cpu limit of 200m" in said


def test_other_settings(web: Kubectl) -> None:
    assert web("set", "serviceaccount", "deployment", "web", "me") == (
        "deployment.apps/web serviceaccount updated\n"
    )
    web("create", "service", "clusterip", "web", "--tcp=80")
    assert web("set", "selector", "service", "web", "a=b") == "service/web selector updated\n"
    assert web.stored("services", "web")["spec"]["selector"] == {"a": "b"}
    web("create", "rolebinding", "all", "--clusterrole=view", "--user=u")
    assert web("set", "subject", "rolebinding", "all", "--group=g") == (
        "rolebinding.rbac.authorization.k8s.io/all subjects updated\n"
    )
    subjects = web.stored("rolebindings", "all", "rbac.authorization.k8s.io/v1")["subjects"]
    assert [each["name"] for each in subjects] == ["u", "g"]


def test_scale(web: Kubectl) -> None:
    assert web("scale", "deployment", "web", "--replicas=3") == "deployment.apps/web scaled\n"
    assert web.fails("scale", "deployment/web", "--current-replicas=2", "--replicas=4") == (
        "error: Expected replicas to be 2, was 3\n"
    )
    assert web("scale", "deployment/web", "--current-replicas=3", "--replicas=4") == (
        "deployment.apps/web scaled\n"
    )
    assert web.stored("deployments", "web", "apps/v1")["spec"]["replicas"] == 4
    said = web.fails("scale", "deployment/nobody", "--replicas=1")
    assert said.endswith(' deployments.apps "nobody" not found\n')
    web.make(config_map("a"))
    assert "the server could not find the requested resource" in web.fails("scale", "cm/a", "--replicas=1")


def test_autoscale(web: Kubectl) -> None:
    said = web("autoscale", "deployment", "web", "--min=1", "--max=3", "--cpu-percent=80")
    assert said == "horizontalpodautoscaler.autoscaling/web autoscaled\n"
    assert rows(web("get", "hpa")) == [["web", "Deployment/web", "cpu: <unknown>/80%", "1", "3", "0", "-"]]
    old = web.json("get", "horizontalpodautoscalers.v1.autoscaling", "web")
    assert (old["apiVersion"], old["spec"]["targetCPUUtilizationPercentage"]) == ("autoscaling/v1", 80)
    # Newer releases of kubectl say something else then.
    web.fails("autoscale", "deployment", "web", "--max=3", "--cpu-percent=80")


def test_rollout_pause_and_resume(web: Kubectl) -> None:
    assert web("rollout", "pause", "deployment/web") == "deployment.apps/web paused\n"
    assert web.fails("rollout", "pause", "deployment/web") == (
        'error: deployments.apps "web" is already paused\n'
    )
    assert web.fails("rollout", "restart", "deployment/web") == (
        'error: deployments.apps "web" can\'t restart paused deployment (run rollout resume first)\n'
    )
    assert web("rollout", "resume", "deployment/web") == "deployment.apps/web resumed\n"
    assert web.fails("rollout", "resume", "deployment/web") == (
        'error: deployments.apps "web" is not paused\n'
    )
    assert web("rollout", "restart", "deployment/web") == "deployment.apps/web restarted\n"
    template = web.stored("deployments", "web", "apps/v1")["spec"]["template"]
    assert list(template["metadata"]["annotations"]) == ["kubectl.kubernetes.io/restartedAt"]


def test_rollout_status(web: Kubectl) -> None:
    assert web("rollout", "status", "deployment/web", "--watch=false") == (
        "Waiting for deployment spec update to be observed...\n"
    )
    patch = (
        '{"status": {"observedGeneration": 1, "replicas": 1, "updatedReplicas": 1, "readyReplicas": 1, '
        '"availableReplicas": 1}}'
    )
    with web.start("rollout", "status", "deployment/web") as status:
        assert status.line() == "Waiting for deployment spec update to be observed..."
        web("patch", "deployment", "web", "--subresource=status", "--type=merge", "-p", patch)
        assert status.line() == 'deployment "web" successfully rolled out'
        assert status.ends() == 0


def revision(namespace: Namespace, owner: dict[str, Any], number: int) -> dict[str, Any]:
    """A replica set as the deployment controller would have made it."""
    labels = {"app": "web", "pod-template-hash": str(number)}
    spec = owner["spec"]["template"]["spec"]
    main = {**spec["containers"][0], "image": f"example.com/main:{number}"}
    reference = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "name": "web",
        "uid": owner["metadata"]["uid"],
        "controller": True,
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {
            "name": f"web-{number}",
            "namespace": namespace.name,
            "labels": labels,
            "annotations": {"deployment.kubernetes.io/revision": str(number)},
            "ownerReferences": [reference],
        },
        "spec": {
            "replicas": 0,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {**spec, "containers": [main]}},
        },
    }


def test_rollout_history_and_undo(web: Kubectl, client: Client, namespace: Namespace) -> None:
    assert web("rollout", "history", "deployment/web").splitlines() == [
        "deployment.apps/web ",
        "No rollout history found.",
    ]
    owner = client.get(f"{namespace.deployments}/web").json()
    for number in [1, 2]:
        namespace.create(namespace.path("replicasets", "apps/v1"), revision(namespace, owner, number))
    assert web("rollout", "history", "deployment/web").split() == [
        *["deployment.apps/web", "REVISION", "CHANGE-CAUSE", "1", "<none>", "2", "<none>"]
    ]
    shown = web("rollout", "history", "deployment/web", "--revision=2")
    assert "    Image:\texample.com/main:2" in shown.splitlines()
    web("set", "image", "deployment/web", "main=example.com/main:2")
    assert web("rollout", "undo", "deployment/web", "--to-revision=1") == "deployment.apps/web rolled back\n"
    assert container(web)["image"] == "example.com/main:1"
