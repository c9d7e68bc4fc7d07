"""What a project deploys is taken by servers without a warning, and its pods are `restricted`."""

from __future__ import annotations

import copy
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.realcluster.binaries import find_kubectl
from tests.scaffold.real.deployment import AuditedServer, Manifest, kustomized
from tests.scaffold.records import RECORDS, a_record, write_project, written_with_manifests


def kubectl(audited: AuditedServer, *arguments: str, given: Any = None, code: int = 0) -> str:
    """Run kubectl, which has to end with a code, and to warn of nothing; what it printed."""
    done = subprocess.run(
        [str(find_kubectl()), "--kubeconfig", audited.server.kubeconfig, *arguments],
        input=json.dumps(given) if given is not None else None,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    if code:
        return done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with several kinds, webhooks and conversions."""
    record = a_record("deployed-demo", *RECORDS["everything"].kinds)
    return written_with_manifests(tmp_path_factory.mktemp("deployed"), record) / "config"


@pytest.fixture(scope="module")
def objects(folder: Path) -> list[Manifest]:
    """What is deployed of it."""
    return kustomized(folder / "default")


def test_a_dry_run_on_a_server(audited: AuditedServer, folder: Path, objects: list[Manifest]) -> None:
    (namespace,) = (each for each in objects if each["kind"] == "Namespace")
    kubectl(audited, "apply", "-f", "-", given=namespace)
    said = kubectl(audited, "apply", "--dry-run=server", "-k", str(folder / "default"))
    assert len(said.splitlines()) == len(objects)
    assert all(line.endswith("(server dry run)") for line in said.splitlines())


@pytest.mark.real
@pytest.mark.parametrize("audited", ["real"], indirect=True)
@pytest.mark.parametrize("name", ["empty", "one kind", "webhooks alone", "two versions"])
def test_a_dry_run_of_others(audited: AuditedServer, tmp_path: Path, name: str) -> None:
    project = f"dry-{name.replace(' ', '-')}"
    folder = written_with_manifests(tmp_path, a_record(project, *RECORDS[name].kinds)) / "config" / "default"
    objects = kustomized(folder)
    (namespace,) = (each for each in objects if each["kind"] == "Namespace")
    kubectl(audited, "apply", "-f", "-", given=namespace)
    said = kubectl(audited, "apply", "--dry-run=server", "-k", str(folder))
    assert len(said.splitlines()) == len(objects)


@pytest.mark.slow  # it needs kubectl
def test_metrics_are_scraped_where_prometheus_runs(tmp_path: Path) -> None:
    config = write_project(tmp_path, RECORDS["empty"]) / "config"
    default = config / "default" / "kustomization.yaml"
    default.write_text(default.read_text().replace("# - ../prometheus", "- ../prometheus"))
    objects = kustomized(config / "default")
    (monitor,) = (each for each in objects if each["kind"] == "ServiceMonitor")
    (service,) = (each for each in objects if each["kind"] == "Service")
    assert monitor["metadata"]["namespace"] == service["metadata"]["namespace"] == "empty-demo-system"
    wanted = monitor["spec"]["selector"]["matchLabels"].items()
    assert wanted <= service["metadata"]["labels"].items()
    assert monitor["spec"]["endpoints"][0]["port"] == service["spec"]["ports"][0]["name"]


def pod_of(objects: list[Manifest]) -> Manifest:
    """The pod that a controller would make of the Deployment."""
    (deployment,) = (each for each in objects if each["kind"] == "Deployment")
    template = copy.deepcopy(deployment["spec"]["template"])
    metadata = {**template["metadata"], "name": "manager", "namespace": deployment["metadata"]["namespace"]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]}


def test_its_pod_is_admitted(audited: AuditedServer, objects: list[Manifest]) -> None:
    (namespace,) = (each for each in objects if each["kind"] == "Namespace")
    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"
    kubectl(audited, "apply", "-f", "-", given=namespace)
    pod = pod_of(objects)
    assert kubectl(audited, "create", "-f", "-", given=pod) == "pod/manager created\n"
    namespaced = ("-n", pod["metadata"]["namespace"])
    kubectl(audited, "delete", "pod", "manager", "--grace-period=1", "--wait=false", *namespaced)


@pytest.mark.real
@pytest.mark.parametrize("audited", ["real"], indirect=True)
def test_the_real_server_refuses_less(audited: AuditedServer, objects: list[Manifest]) -> None:
    """Which shows that the test before this one sees pod security at work."""
    (namespace,) = (each for each in objects if each["kind"] == "Namespace")
    kubectl(audited, "apply", "-f", "-", given=namespace)
    pod = pod_of(objects)
    (container,) = pod["spec"]["containers"]
    del container["securityContext"]["capabilities"]
    del pod["spec"]["securityContext"]["seccompProfile"]
    refusal = kubectl(audited, "create", "-f", "-", given=pod, code=1)
    assert 'violates PodSecurity "restricted:latest"' in refusal
    assert "unrestricted capabilities" in refusal
    assert "seccompProfile" in refusal
