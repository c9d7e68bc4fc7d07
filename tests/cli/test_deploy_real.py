"""`kubewright deploy` and `undeploy` on a real cluster: with controllers and a scheduler, without nodes."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kubewright.machinery.errors import ApiError, NotFound
from kubewright.machinery.unstructured import Unstructured
from kubewright.models.admissionregistration_v1 import ValidatingWebhookConfiguration
from kubewright.models.apps_v1 import Deployment
from kubewright.models.core_v1 import Pod
from kubewright.sync import Api, Client
from tests.cli.cluster_commands import Project, objects_of, write_scaffold
from tests.realcluster.binaries import find_kubectl
from tests.realcluster.cluster import RealCluster
from tests.server.processes import PATIENCE

pytestmark = pytest.mark.real

IMAGE = "registry.example.com/demo:v1"


@pytest.fixture(scope="module")
def server() -> Iterator[RealCluster]:
    with RealCluster() as cluster:
        yield cluster


@pytest.fixture
def client(server: RealCluster) -> Iterator[Client]:
    with Client(server.config) as client:
        yield client


@pytest.fixture
def project(server: RealCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("PATH", f"{find_kubectl().parent}{os.pathsep}{os.environ['PATH']}")
    write_scaffold(tmp_path, "demo")
    project = Project(tmp_path, server.kubeconfig)
    project.ok("manifests")
    return project


def until(is_so: Callable[[], bool], what: str) -> None:
    """Wait for what others bring about."""
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline, what
        time.sleep(0.1)


def is_unscheduled(client: Client) -> bool:
    return any(
        each.type == "PodScheduled" and each.status == "False"
        for pod in client.api(Pod, "demo-system").list()
        for each in pod.status.conditions
    )


def is_created(api: Api[Unstructured], body: dict[str, Any]) -> bool:
    try:
        api.create(body)
    except ApiError as error:
        if "failed calling webhook" not in str(error):
            raise
        return False
    return True


def has_failed(client: Client) -> bool:
    found = client.api(Deployment, "demo-system").get("demo-controller-manager")
    return any(each.type == "ReplicaFailure" and each.status == "True" for each in found.status.conditions)


def refusal_of_a_pod(client: Client) -> str:
    """Why there could be no pod of the operator at this moment; empty when there could."""
    template = client.api(Deployment, "demo-system").get("demo-controller-manager").spec.template
    pod = {"metadata": {"name": "tried", "labels": template.metadata.labels}, "spec": template.spec.to_dict()}
    try:
        client.api(Pod, "demo-system").create(pod, dry_run=True)
    except ApiError as error:
        return str(error)
    return ""


def test_deployed_and_taken_away(project: Project, client: Client, server: RealCluster) -> None:
    dry = project.ok("deploy", "--image", IMAGE, "--dry-run")
    assert {line.partition(" ")[2] for line in dry.lines} == {"created (dry run)"}

    made = project.ok("deploy", "--image", IMAGE, "--no-wait")
    assert {line.partition(" ")[2] for line in made.lines} == {"created"}
    # Controllers and the scheduler take the time that they take.
    until(lambda: is_unscheduled(client), "the scheduler says that it has no node")
    told = project.run("deploy", "--image", IMAGE, "--timeout", "1").refusal()
    assert told.startswith(
        "Deployment demo-controller-manager in demo-system is not rolled out after 1 seconds: the pod "
        "demo-controller-manager-"
    )
    assert "is not scheduled: no nodes available to schedule pods" in told

    # What the operator would do, once it runs.
    configurations = client.api(ValidatingWebhookConfiguration)
    injected = configurations.get("demo-validating-webhook-configuration")
    bundle = Path(server.ca_file).read_bytes()
    for each in injected.webhooks:
        each.client_config.ca_bundle = bundle
    configurations.update(injected)
    again = project.ok("deploy", "--image", IMAGE, "--no-wait")
    assert [line for line in again.lines if not line.endswith(" unchanged")] == []
    found = configurations.get("demo-validating-webhook-configuration")
    assert [each.client_config.ca_bundle for each in found.webhooks] == [bundle]

    client.dynamic("apps/v1", "Deployment", "demo-system").patch(
        "demo-controller-manager", {"spec": {"replicas": 2}}, manager="autoscaler"
    )
    told = project.run("deploy", "--image", IMAGE, "--no-wait").refusal()
    assert '.spec.replicas belong to "autoscaler"' in told

    # Webhooks that nobody answers would refuse it.
    project.edit("config/webhook/manifests.yaml", {"failurePolicy: Fail": "failurePolicy: Ignore"})
    changed = project.ok("deploy", "--image", IMAGE, "--no-wait", "--force-conflicts")
    assert len([line for line in changed.lines if line.endswith(" configured")]) == 3
    objects = objects_of(client, "demo.example.com")
    held = {"metadata": {"name": "a", "finalizers": ["example.com/disk"]}, "spec": {}}
    # The server asks the webhooks as they were for a moment more.
    until(lambda: is_created(objects, held), "webhooks are no longer needed")
    told = project.run("undeploy", "--yes", "--timeout", "1").refusal()
    assert "is held by the finalizers of default/a (example.com/disk) after 1 seconds" in told
    client.dynamic("apps/v1", "Deployment", "demo-system").get("demo-controller-manager")
    objects.patch("a", {"metadata": {"finalizers": None}})
    assert project.ok("undeploy", "--yes").lines[-1] == "namespace/demo-system deleted"
    with pytest.raises(NotFound):
        client.dynamic("v1", "Namespace").get("demo-system")
    assert {line.partition(" ")[2] for line in project.ok("undeploy").lines} == {"not found"}


def test_a_quota(project: Project, client: Client) -> None:
    project.edit("config/default/kustomization.yaml", {"- metrics_service.yaml\n": "- quota.yaml\n"})
    quota = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: none}\nspec: {hard: {pods: '0'}}\n"
    project.write("config/default/quota.yaml", quota)
    # It counts from when a controller has looked at it. Who asks for pods before is told something else, and
    # upstream's ReplicaSets keep what they were told first.
    none = {"replicas: 1": "replicas: 0"}
    project.edit("config/manager/manager.yaml", none)
    project.ok("deploy", "--image", IMAGE, "--no-wait")
    until(lambda: "exceeded quota" in refusal_of_a_pod(client), "the quota counts")
    project.edit("config/manager/manager.yaml", {new: old for old, new in none.items()})
    project.ok("deploy", "--image", IMAGE, "--no-wait")
    until(lambda: has_failed(client), "the pods are refused")
    told = project.run("deploy", "--image", IMAGE, "--timeout", "1").refusal()
    assert "is forbidden: exceeded quota: demo-none, requested: pods=1, used: pods=0, limited: pods=0" in told


def test_what_others_did(project: Project, client: Client, server: RealCluster) -> None:
    write = ("deploy", "--image", IMAGE, "--no-wait")
    # In a namespace of its own, since that of other tests may still be emptied.
    project.edit("config/default/kustomization.yaml", {"namespace: demo-system": "namespace: theirs"})
    project.edit("config/default/kustomization.yaml", {"- ../webhook\n": "", "- ../crd\n": ""})
    project.ok(*write)
    kubectl = [str(find_kubectl()), "--kubeconfig", server.kubeconfig, "-n", "theirs"]
    manager = "demo-controller-manager"
    subprocess.run(
        [*kubectl, "scale", "deployment", manager, "--replicas=2"], check=True, capture_output=True
    )
    deployments = client.dynamic("apps/v1", "Deployment", "theirs")
    ran = project.ok("deploy", "--image", f"{IMAGE}0", "--no-wait")
    assert ran.err == (
        f"note: Deployment {manager} in theirs keeps its number of replicas, 2, which was set by kubectl "
        "through the scale subresource; with --force-conflicts, `deploy` makes it 1\n"
    )
    spec: Any = deployments.get(manager)["spec"]
    assert (spec["replicas"], spec["template"]["spec"]["containers"][0]["image"]) == (2, f"{IMAGE}0")

    deployments.patch(manager, {"spec": {"replicas": 3}}, manager="they")
    label = {"metadata": {"labels": {"app.kubernetes.io/name": "theirs"}}}
    client.dynamic("v1", "ServiceAccount", "theirs").patch(manager, label, manager="they")
    told = project.run(*write).refusal()
    assert told.startswith(f"ServiceAccount {manager} in theirs: .metadata.labels.app.kubernetes.io/name bel")
    assert f'; Deployment {manager} in theirs: .spec.replicas belong to "they" using apps/v1' in told
    assert told.endswith(
        "; nothing was applied: give --force-conflicts to install or deploy, to take them over"
    )
    spec = deployments.get(manager)["spec"]
    assert spec["template"]["spec"]["containers"][0]["image"] == f"{IMAGE}0"
    project.ok(*write, "--force-conflicts")
    spec = deployments.get(manager)["spec"]
    assert spec["replicas"] == 1

    other = {"control-plane: controller-manager": "control-plane: other-manager"}
    project.edit("config/manager/manager.yaml", other)
    told = project.run(*write, "--force-conflicts").refusal()
    assert told.startswith(f"Deployment {manager} in theirs: spec.selector cannot be changed; nothing was")
    project.edit("config/manager/manager.yaml", {new: old for old, new in other.items()})
    role = {"name: manager-role\n": "name: custompod-viewer-role\n"}
    project.edit("config/rbac/role_binding.yaml", role)
    told = project.run(*write).refusal()
    assert "ClusterRoleBinding demo-manager-rolebinding: roleRef cannot be changed; nothing was" in told

    secrets = client.dynamic("v1", "Secret", "theirs")
    secrets.create({"metadata": {"name": "demo-webhook-certificates"}})
    secrets.create({"metadata": {"name": "password"}})
    client.dynamic("v1", "ConfigMap", "theirs").wait_for("kube-root-ca.crt", lambda _: True, timeout=60)
    told = project.run("undeploy").refusal()
    assert (
        told == "Secret password in the namespace theirs will be deleted as well; give --yes if that is meant"
    )
    secrets.delete("password")
    project.ok("undeploy")
