"""kubectl delete, replace and wait."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conformance.kubectl.output import rows
from tests.conformance.kubectl.program import Kubectl
from tests.conformance.namespaces import unique
from tests.conformance.objects import config_map, deployment, pod

pytestmark = pytest.mark.slow


def deleted(text: str) -> list[str]:
    """What was deleted, without the namespace, which newer releases of kubectl add."""
    return [line.partition(" deleted")[0] for line in text.splitlines()]


@pytest.fixture
def three(kubectl: Kubectl) -> Kubectl:
    """kubectl in a namespace with the config maps a, b and c; b and c have the label x=y."""
    kubectl.make(config_map("a"), *(config_map(name, labels={"x": "y"}) for name in ["b", "c"]))
    return kubectl


def test_by_name(three: Kubectl) -> None:
    assert deleted(three("delete", "cm", "a", "b")) == ['configmap "a"', 'configmap "b"']
    assert three.names("configmaps") == ["c"]
    assert three.fails("delete", "cm", "a") == 'Error from server (NotFound): configmaps "a" not found\n'
    assert three("delete", "cm", "a", "--ignore-not-found") == ""
    assert three("delete", "cm/c", "-o", "name") == "configmap/c\n"


def test_by_selector(three: Kubectl) -> None:
    assert deleted(three("delete", "cm", "-l", "x=y")) == ['configmap "b"', 'configmap "c"']
    assert three.names("configmaps") == ["a"]
    assert three("delete", "cm", "-l", "x=y") == "No resources found\n"


def test_by_field(three: Kubectl) -> None:
    said = three("delete", "cm", "--field-selector=metadata.name!=a")
    assert deleted(said) == ['configmap "b"', 'configmap "c"']


def test_all(three: Kubectl) -> None:
    three.make(deployment("d"))
    assert deleted(three("delete", "cm,deploy", "--all")) == [
        'configmap "a"',
        'configmap "b"',
        'configmap "c"',
        'deployment.apps "d"',
    ]


def test_nothing_named(three: Kubectl) -> None:
    said = three.fails("delete", "cm")
    assert said == "error: resource(s) were provided, but no name was specified\n"


def test_by_file(three: Kubectl, tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text(json.dumps(config_map("a")))
    assert deleted(three("delete", "-f", str(file))) == ['configmap "a"']
    assert three.fails("delete", "-f", str(file)) == (
        f'Error from server (NotFound): error when deleting "{file}": configmaps "a" not found\n'
    )


def test_what_becomes_of_the_dependents(kubectl: Kubectl) -> None:
    kubectl.make(deployment("d"))
    kubectl("delete", "deployment", "d", "--cascade=foreground", "--wait=false")
    marked = kubectl.stored("deployments", "d", "apps/v1")["metadata"]
    assert (marked["finalizers"], marked["deletionGracePeriodSeconds"]) == (["foregroundDeletion"], 0)
    kubectl("delete", "deployment", "d", "--cascade=orphan", "--wait=false")
    assert kubectl.stored("deployments", "d", "apps/v1")["metadata"]["finalizers"] == ["orphan"]
    kubectl("patch", "deployment", "d", "--type=merge", "-p", '{"metadata": {"finalizers": null}}')
    assert kubectl.names("deployments", "apps/v1") == []
    kubectl.make(deployment("d"))
    assert deleted(kubectl("delete", "deployment", "d", "--cascade=background")) == ['deployment.apps "d"']
    assert kubectl.names("deployments", "apps/v1") == []


def test_waiting_for_finalizers(kubectl: Kubectl) -> None:
    kubectl.make(config_map("a", finalizers=["example.com/mine"]))
    with kubectl.start("delete", "cm", "a") as delete:
        assert deleted(delete.line()) == ['configmap "a"']
        kubectl("wait", "cm/a", "--for=jsonpath={.metadata.deletionTimestamp}")
        kubectl("patch", "cm", "a", "--type=json", "-p", '[{"op": "remove", "path": "/metadata/finalizers"}]')
        assert delete.ends() == 0
    assert kubectl.names("configmaps") == []


def test_pods_with_grace(kubectl: Kubectl) -> None:
    kubectl.make(pod("p", {"nodeName": "nowhere"}))
    kubectl("delete", "pod", "p", "--wait=false")
    assert rows(kubectl("get", "pod", "p")) == [["p", "0/1", "Terminating", "0", "-"]]
    assert kubectl.stored("pods", "p")["metadata"]["deletionGracePeriodSeconds"] == 30
    kubectl("delete", "pod", "p", "--grace-period=5", "--wait=false")
    assert kubectl.stored("pods", "p")["metadata"]["deletionGracePeriodSeconds"] == 5
    done = kubectl.success("delete", "pod", "p", "--grace-period=0", "--force")
    assert done.stdout.startswith('pod "p" force deleted')
    assert done.stderr.startswith("Warning: Immediate deletion does not wait for confirmation that the ")
    assert kubectl.names("pods") == []


def test_a_namespace(cluster_kubectl: Kubectl) -> None:
    name = unique("gone")
    cluster_kubectl("create", "namespace", name)
    said = cluster_kubectl("delete", "namespace", name, "--wait=false")
    assert said == f'namespace "{name}" deleted\n'
    assert rows(cluster_kubectl("get", "namespace", name)) == [[name, "Terminating", "-"]]
    said = cluster_kubectl.fails("create", "cm", "a", "-n", name)
    assert said == (
        'error: failed to create configmap: configmaps "a" is forbidden: unable to create new content in '
        f"namespace {name} because it is being terminated\n"
    )


def test_replace(kubectl: Kubectl) -> None:
    assert kubectl.fails("replace", "-f", "-", stdin=config_map("a")) == (
        'Error from server (NotFound): error when replacing "STDIN": configmaps "a" not found\n'
    )
    kubectl.make(config_map("a", {"k": "v"}))
    assert kubectl("replace", "-f", "-", stdin=config_map("a", {"l": "w"})) == "configmap/a replaced\n"
    before = kubectl.stored("configmaps", "a")
    assert before["data"] == {"l": "w"}
    said = kubectl.fails("replace", "-f", "-", stdin=config_map("a", resourceVersion="1"))
    assert said == (
        'Error from server (Conflict): error when replacing "STDIN": Operation cannot be fulfilled on '
        'configmaps "a": the object has been modified; please apply your changes to the latest version and '
        "try again\n"
    )
    lines = kubectl("replace", "--force", "-f", "-", stdin=config_map("a", {"n": "o"})).splitlines()
    assert (deleted(lines[0]), lines[1:]) == (['configmap "a"'], ["configmap/a replaced"])
    assert kubectl.stored("configmaps", "a")["metadata"]["uid"] != before["metadata"]["uid"]


def test_wait_for_a_condition(kubectl: Kubectl) -> None:
    kubectl.make(deployment("d"))
    said = kubectl.fails("wait", "deployment/d", "--for=condition=Available", "--timeout=1s")
    assert said == "error: timed out waiting for the condition on deployments/d\n"
    patch = '{"status": {"conditions": [{"type": "Available", "status": "True"}]}}'
    with kubectl.start("wait", "deployment/d", "--for=condition=Available", "--timeout=120s") as wait:
        kubectl("patch", "deployment", "d", "--subresource=status", "-p", patch)
        assert wait.line() == "deployment.apps/d condition met"
        assert wait.ends() == 0
    assert kubectl("wait", "deployment", "--all", "--for=condition=available") == (
        "deployment.apps/d condition met\n"
    )


def test_wait_for_a_value(kubectl: Kubectl) -> None:
    kubectl.make(config_map("a", {"k": "v"}, labels={"x": "y"}))
    assert kubectl("wait", "cm/a", "--for=jsonpath={.data.k}=v") == "configmap/a condition met\n"
    with kubectl.start("wait", "cm", "-l", "x=y", "--for=jsonpath={.data.k}=w", "--timeout=120s") as wait:
        kubectl("patch", "cm", "a", "-p", '{"data": {"k": "w"}}')
        assert wait.line() == "configmap/a condition met"


def test_wait_for_a_deletion(three: Kubectl) -> None:
    with three.start("wait", "cm/a", "--for=delete", "--timeout=120s") as wait:
        three("delete", "cm", "a")
        assert wait.ends() == 0
    assert three("wait", "cm/nobody", "--for=delete") == ""


def test_wait_for_what_is_not_there(kubectl: Kubectl) -> None:
    assert kubectl.fails("wait", "cm/nobody", "--for=jsonpath={.data}") == (
        'Error from server (NotFound): configmaps "nobody" not found\n'
    )


def test_wait_for_a_creation(kubectl: Kubectl) -> None:
    with kubectl.start("wait", "cm/a", "--for=create", "--timeout=120s") as wait:
        kubectl.make(config_map("a"))
        assert wait.line() == "configmap/a condition met"
