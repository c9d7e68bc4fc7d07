"""kubectl explain, which reads the OpenAPI documents.

Kubewright's documents describe built-in kinds by their fields only, so that one test is for what is said in
words.
"""

from __future__ import annotations

import pytest

from tests.conformance.kubectl.program import Kubectl

# Each kubectl takes a tenth of a second: `make test` runs some files of this folder, `make test-real` all.
pytestmark = pytest.mark.slow


def test_a_kind(cluster_kubectl: Kubectl) -> None:
    lines = cluster_kubectl("explain", "deployments").splitlines()
    assert lines[:5] == ["GROUP:      apps", "KIND:       Deployment", "VERSION:    v1", "", "DESCRIPTION:"]
    assert [line for line in lines if line.startswith("  ") and not line.startswith("   ")] == [
        "  apiVersion\t<string>",
        "  kind\t<string>",
        "  metadata\t<ObjectMeta>",
        "  spec\t<DeploymentSpec>",
        "  status\t<DeploymentStatus>",
    ]


@pytest.mark.differs("descriptions")
def test_words(cluster_kubectl: Kubectl) -> None:
    lines = cluster_kubectl("explain", "cm.immutable").splitlines()
    assert "    Immutable, if set to true, ensures that data stored in the ConfigMap cannot" in lines


def test_a_field(cluster_kubectl: Kubectl) -> None:
    assert cluster_kubectl("explain", "cm.data").splitlines()[:7] == [
        "KIND:       ConfigMap",
        "VERSION:    v1",
        "",
        "FIELD: data <map[string]string>",
        "",
        "",
        "DESCRIPTION:",
    ]


def test_a_field_far_down(cluster_kubectl: Kubectl) -> None:
    lines = cluster_kubectl("explain", "pods.spec.containers.ports.containerPort").splitlines()
    assert lines[:5] == [
        "KIND:       Pod",
        "VERSION:    v1",
        "",
        "FIELD: containerPort <integer>",
        "",
    ]


def test_a_field_with_choices(cluster_kubectl: Kubectl) -> None:
    lines = cluster_kubectl("explain", "pods.spec.restartPolicy").splitlines()
    assert "FIELD: restartPolicy <string>" in lines
    assert "ENUM:" in lines


def test_all_fields(cluster_kubectl: Kubectl) -> None:
    lines = cluster_kubectl("explain", "cm", "--recursive").splitlines()
    assert lines[:4] == ["KIND:       ConfigMap", "VERSION:    v1", "", "DESCRIPTION:"]
    fields = lines[lines.index("FIELDS:") + 1 :]
    assert fields[:7] == [
        "  apiVersion\t<string>",
        "  binaryData\t<map[string]string>",
        "  data\t<map[string]string>",
        "  immutable\t<boolean>",
        "  kind\t<string>",
        "  metadata\t<ObjectMeta>",
        "    annotations\t<map[string]string>",
    ]
    assert "      uid\t<string> -required-" in lines


def test_another_version(cluster_kubectl: Kubectl) -> None:
    lines = cluster_kubectl("explain", "hpa.spec", "--api-version=autoscaling/v1").splitlines()
    assert "  targetCPUUtilizationPercentage\t<integer>" in lines
    assert "  metrics\t<[]MetricSpec>" not in lines
    assert "  metrics\t<[]MetricSpec>" in cluster_kubectl("explain", "hpa.spec").splitlines()


def test_an_unknown_field(cluster_kubectl: Kubectl) -> None:
    done = cluster_kubectl.outcome("explain", "pod.spec.nope")
    assert (done.code, done.stderr) == (1, 'error: field "nope" does not exist\n')


def test_an_unknown_type(cluster_kubectl: Kubectl) -> None:
    said = cluster_kubectl.fails("explain", "nopes")
    assert 'the server doesn\'t have a resource type "nopes"' in said


def test_the_old_documents(cluster_kubectl: Kubectl) -> None:
    done = cluster_kubectl.outcome("explain", "cm", "--output=plaintext-openapiv2")
    assert done.code == 0, done.stderr
    fields = done.stdout.partition("FIELDS:")[2].splitlines()
    assert "   data\t<map[string]string>" in fields
