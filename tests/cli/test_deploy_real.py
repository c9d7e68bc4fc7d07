"""`kubewright deploy` and `undeploy` on a real cluster: with controllers and a scheduler, without nodes."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kubewright.machinery.errors import NotFound
from kubewright.models.admissionregistration_v1 import ValidatingWebhookConfiguration
from kubewright.sync import Client
from tests.cli.cluster_commands import Project, write_scaffold
from tests.realcluster.binaries import find_kubectl
from tests.realcluster.cluster import RealCluster

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


def test_deployed_and_taken_away(project: Project, client: Client, server: RealCluster) -> None:
    dry = project.ok("deploy", "--image", IMAGE, "--dry-run")
    assert {line.partition(" ")[2] for line in dry.lines} == {"created (dry run)"}

    ran = project.run("deploy", "--image", IMAGE, "--timeout", "4")
    assert {line.partition(" ")[2] for line in ran.lines[:-1]} == {"created"}
    assert ran.refusal().startswith(
        "Deployment demo-controller-manager in demo-system is not rolled out after 4 seconds: the pod "
        "demo-controller-manager-"
    )
    assert "is not scheduled: no nodes available to schedule pods" in ran.refusal()

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
    objects = client.dynamic("demo.example.com/v1", "CustomPod", "default")
    objects.create({"metadata": {"name": "a", "finalizers": ["example.com/disk"]}, "spec": {}})
    told = project.run("undeploy", "--yes", "--timeout", "1").refusal()
    assert "is held by the finalizers of default/a (example.com/disk) after 1 seconds" in told
    client.dynamic("apps/v1", "Deployment", "demo-system").get("demo-controller-manager")
    objects.patch("a", {"metadata": {"finalizers": None}})
    gone = project.ok("undeploy", "--yes")
    assert gone.lines[-1].startswith(("namespace/demo-system deleted", "waiting: the namespace demo-system"))
    with pytest.raises(NotFound):
        client.dynamic("v1", "Namespace").get("demo-system")
    assert {line.partition(" ")[2] for line in project.ok("undeploy").lines} == {"not found"}


def test_a_quota(project: Project, client: Client) -> None:
    project.edit("config/default/kustomization.yaml", {"- metrics_service.yaml\n": "- quota.yaml\n"})
    quota = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: none}\nspec: {hard: {pods: '0'}}\n"
    project.write("config/default/quota.yaml", quota)
    told = project.run("deploy", "--image", IMAGE, "--timeout", "3").refusal()
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
        "through the scale subresource; --force-conflicts would make it 1\n"
    )
    spec: Any = deployments.get(manager)["spec"]
    assert (spec["replicas"], spec["template"]["spec"]["containers"][0]["image"]) == (2, f"{IMAGE}0")

    deployments.patch(manager, {"spec": {"replicas": 3}}, manager="they")
    label = {"metadata": {"labels": {"app.kubernetes.io/name": "theirs"}}}
    client.dynamic("v1", "ServiceAccount", "theirs").patch(manager, label, manager="they")
    told = project.run(*write).refusal()
    assert told.startswith(f"ServiceAccount {manager} in theirs: .metadata.labels.app.kubernetes.io/name bel")
    assert f'; Deployment {manager} in theirs: .spec.replicas belong to "they" using apps/v1' in told
    assert told.endswith("; nothing was applied: give --force-conflicts to take them over")
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
