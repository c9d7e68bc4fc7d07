"""kubectl apply --server-side: owners, conflicts, and objects that kubectl applied itself before."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.kubectl.program import Kubectl
from tests.conformance.objects import config_map, deployment

# Each kubectl takes a tenth of a second: `make test` runs some files of this folder, `make test-real` all.
pytestmark = pytest.mark.slow

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def apply(kubectl: Kubectl, body: dict[str, Any], *arguments: str) -> str:
    return kubectl("apply", "--server-side", *arguments, "-f", "-", stdin=body)


def owners(kubectl: Kubectl, name: str) -> list[tuple[str, str, Any]]:
    entries = kubectl.stored("configmaps", name)["metadata"]["managedFields"]
    return [(each["manager"], each["operation"], each["fieldsV1"]) for each in entries]


def test_created_and_changed(kubectl: Kubectl) -> None:
    for wanted in [{"k": "v", "l": "m"}, {"k": "v", "l": "m"}, {"k": "w"}]:
        assert apply(kubectl, config_map("a", wanted)) == "configmap/a serverside-applied\n"
    made = kubectl.stored("configmaps", "a")
    assert made["data"] == {"k": "w"}
    assert "annotations" not in made["metadata"]
    assert owners(kubectl, "a") == [("kubectl", "Apply", {"f:data": {"f:k": {}}})]


def test_a_conflict(kubectl: Kubectl) -> None:
    apply(kubectl, config_map("a", {"k": "v"}))
    mine = config_map("a", {"k": "w"})
    said = kubectl.fails("apply", "--server-side", "--field-manager=other", "-f", "-", stdin=mine)
    assert said.splitlines()[0] == 'error: Apply failed with 1 conflict: conflict with "kubectl": .data.k'
    assert apply(kubectl, mine, "--field-manager=other", "--force-conflicts") == (
        "configmap/a serverside-applied\n"
    )
    assert owners(kubectl, "a") == [("other", "Apply", {"f:data": {"f:k": {}}})]


def test_conflicts_with_an_update(kubectl: Kubectl) -> None:
    apply(kubectl, deployment("a", 1))
    kubectl("scale", "deployment", "a", "--replicas=2")
    kubectl("set", "image", "deployment/a", "main=example.com/main:2")
    said = kubectl.fails("apply", "--server-side", "-f", "-", stdin=deployment("a", 1))
    # kubectl's releases differ in how they say by what they set an image.
    assert said.splitlines()[0] == "error: Apply failed with 2 conflicts:" or "2 conflicts: " in said
    assert ".spec.replicas" in said
    assert '.spec.template.spec.containers[name="main"].image' in said


def test_values_that_are_shared(kubectl: Kubectl) -> None:
    apply(kubectl, config_map("a", {"k": "v"}))
    apply(kubectl, config_map("a", {"k": "v", "l": "m"}), "--field-manager=other")
    apply(kubectl, config_map("a"))
    assert kubectl.stored("configmaps", "a")["data"] == {"k": "v", "l": "m"}


def test_what_kubectl_applied_itself_before(kubectl: Kubectl) -> None:
    kubectl("apply", "-f", "-", stdin=config_map("a", {"k": "v", "gone": "now"}))
    assert [each[:2] for each in owners(kubectl, "a")] == [("kubectl-client-side-apply", "Update")]
    apply(kubectl, config_map("a", {"k": "w"}))
    assert kubectl.stored("configmaps", "a")["data"] == {"k": "w"}
    annotation: dict[str, Any] = {"f:metadata": {"f:annotations": {f"f:{LAST_APPLIED}": {}}}}
    assert sorted(owners(kubectl, "a")) == [
        ("kubectl", "Apply", {"f:data": {"f:k": {}}}),
        ("kubectl-last-applied", "Apply", annotation),
    ]
    # And back; kubectl has kept its annotation up to date, so that it knows what is gone.
    kubectl("apply", "-f", "-", stdin=config_map("a", {"l": "x"}))
    assert kubectl.stored("configmaps", "a")["data"] == {"l": "x"}


def test_dry_run(kubectl: Kubectl) -> None:
    assert apply(kubectl, config_map("a", {"k": "v"}), "--dry-run=server") == (
        "configmap/a serverside-applied (server dry run)\n"
    )
    assert kubectl.names("configmaps") == []
    printed = kubectl.json("apply", "--server-side", "-f", "-", stdin=config_map("a", {"k": "v"}))
    assert (printed["data"], bool(printed["metadata"]["resourceVersion"])) == ({"k": "v"}, True)


def test_unknown_fields(kubectl: Kubectl) -> None:
    body = {**config_map("a"), "nothing": 1}
    said = kubectl.fails("apply", "--server-side", "-f", "-", stdin=body)
    assert said == (
        "Error from server: failed to create typed patch object "
        f"({kubectl.namespace}/a; /v1, Kind=ConfigMap): .nothing: field not declared in schema\n"
    )
