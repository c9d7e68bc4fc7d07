"""kubectl patch, label, annotate, edit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conformance.kubectl.output import rows
from tests.conformance.kubectl.program import Kubectl
from tests.conformance.objects import config_map, deployment, pod

# Each kubectl takes a tenth of a second: `make test` runs some files of this folder, `make test-real` all.
pytestmark = pytest.mark.slow


@pytest.fixture
def a(kubectl: Kubectl) -> Kubectl:
    """kubectl in a namespace with a config map `a`."""
    kubectl.make(config_map("a", {"k": "v"}))
    return kubectl


def data(kubectl: Kubectl) -> object:
    return kubectl.stored("configmaps", "a").get("data")


def test_strategic(kubectl: Kubectl) -> None:
    kubectl.make(deployment("d"))
    patch = {"spec": {"template": {"spec": {"containers": [{"name": "side", "image": "example.com/s:1"}]}}}}
    assert kubectl("patch", "deployment", "d", "-p", json.dumps(patch)) == "deployment.apps/d patched\n"
    stored = kubectl.stored("deployments", "d", "apps/v1")["spec"]["template"]["spec"]["containers"]
    assert [each["name"] for each in stored] == ["side", "main"]
    assert kubectl("patch", "deployment/d", "-p", json.dumps(patch)) == (
        "deployment.apps/d patched (no change)\n"
    )


def test_merge(a: Kubectl) -> None:
    patch = '{"data": {"k": null, "l": "w"}}'
    assert a("patch", "cm", "a", "--type=merge", "-p", patch) == "configmap/a patched\n"
    assert data(a) == {"l": "w"}
    assert a("patch", "cm", "a", "--type=merge", "-p", patch) == "configmap/a patched (no change)\n"


def test_json(a: Kubectl) -> None:
    patch = (
        '[{"op": "test", "path": "/data/k", "value": "v"}, {"op": "add", "path": "/data/l", "value": "w"}]'
    )
    assert a("patch", "cm", "a", "--type=json", "-p", patch) == "configmap/a patched\n"
    assert data(a) == {"k": "v", "l": "w"}


@pytest.mark.differs("wording")
def test_json_that_does_not_apply(a: Kubectl) -> None:
    patch = '[{"op": "test", "path": "/data/k", "value": "other"}]'
    assert a.fails("patch", "cm", "a", "--type=json", "-p", patch) == (
        "The request is invalid: the server rejected our request due to an error in our request\n"
    )


def test_a_patch_in_yaml_and_in_a_file(a: Kubectl, tmp_path: Path) -> None:
    assert a("patch", "cm", "a", "-p", "data: {l: w}") == "configmap/a patched\n"
    file = tmp_path / "patch.yaml"
    file.write_text("data:\n  k: null\n")
    assert a("patch", "cm", "a", "--patch-file", str(file), "-o", "jsonpath={.data}") == '{"l":"w"}'


def test_the_status(kubectl: Kubectl) -> None:
    kubectl.make(pod("p"))
    patch = '{"status": {"phase": "Running", "podIP": "10.1.2.3"}, "metadata": {"labels": {"not": "taken"}}}'
    assert kubectl("patch", "pod", "p", "--subresource=status", "-p", patch) == "pod/p patched\n"
    ((name, _, status, _, _, address, *_),) = rows(kubectl("get", "pod", "p", "-o", "wide"))
    assert (name, status, address) == ("p", "Running", "10.1.2.3")
    assert kubectl("patch", "pod", "p", "-p", '{"status": {"phase": "Failed"}}') == (
        "pod/p patched (no change)\n"
    )


def test_the_scale(kubectl: Kubectl) -> None:
    kubectl.make(deployment("d"))
    arguments = ["--subresource=scale", "--type=merge", "-p", '{"spec": {"replicas": 4}}']
    kubectl("patch", "deployment", "d", *arguments)
    assert kubectl.stored("deployments", "d", "apps/v1")["spec"]["replicas"] == 4


BAD_REQUEST = "Error from server (BadRequest)"
MODIFIED = (
    'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your '
    "changes to the latest version and try again"
)


@pytest.mark.parametrize(
    ("name", "patch", "said"),
    [
        ("nobody", "{}", 'Error from server (NotFound): configmaps "nobody" not found'),
        pytest.param(
            "a",
            '{"data": 3}',
            'The request is invalid: patch: Invalid value: "map[data:3]": cannot restore map from int64',
            marks=pytest.mark.differs("wording"),
        ),
        ("a", "{{", f"{BAD_REQUEST}: invalid character '{{' looking for beginning of object key string"),
        (
            "a",
            '{"metadata": {"name": "b"}}',
            f"{BAD_REQUEST}: the name of the object (b) does not match the name on the URL (a)",
        ),
        ("a", '{"metadata": {"resourceVersion": "1"}}', f"Error from server (Conflict): {MODIFIED}"),
    ],
)
def test_patches_that_fail(a: Kubectl, name: str, patch: str, said: str) -> None:
    assert a.fails("patch", "cm", name, "-p", patch) == f"{said}\n"


def test_label(a: Kubectl) -> None:
    assert a("label", "cm", "a", "x=1", "y=2") == "configmap/a labeled\n"
    assert a("label", "cm", "a", "x=1") == "configmap/a not labeled\n"
    assert (
        a.fails("label", "cm", "a", "x=3") == "error: 'x' already has a value (1), and --overwrite is false\n"
    )
    assert a("label", "cm", "a", "x=3", "--overwrite") == "configmap/a labeled\n"
    assert a("label", "cm", "a", "y-") == "configmap/a unlabeled\n"
    assert a("label", "cm", "a", "--list") == "x=3\n"
    a.make(config_map("b"))
    assert a("label", "cm", "--all", "z=1") == "configmap/a labeled\nconfigmap/b labeled\n"
    assert a("label", "cm", "-l", "x=3", "w=1") == "configmap/a labeled\n"
    assert [each[-1] for each in rows(a("get", "cm", "--show-labels"))] == ["w=1,x=3,z=1", "z=1"]


def test_a_label_that_is_not_allowed(a: Kubectl) -> None:
    said = a.fails("label", "cm", "a", "bad/x/y=z")
    start = 'The ConfigMap "a" is invalid: metadata.labels: Invalid value: "bad/x/y": a valid label key must '
    assert said.startswith(start)


def test_label_at_a_revision(a: Kubectl) -> None:
    said = a.fails("label", "cm", "a", "x=1", "--resource-version=1")
    assert said == f"Error from server (Conflict): {MODIFIED}\n"


def test_annotate(a: Kubectl) -> None:
    assert a("annotate", "cm", "a", "x=any thing", "y=2") == "configmap/a annotated\n"
    said = a.fails("annotate", "cm", "a", "x=3")
    assert said == (
        "error: --overwrite is false but found the following declared annotation(s): 'x' already has a value "
        "(any thing)\n"
    )
    assert a("annotate", "cm", "a", "x=3", "--overwrite") == "configmap/a annotated\n"
    assert a("annotate", "cm", "a", "y-") == "configmap/a annotated\n"
    assert a.stored("configmaps", "a")["metadata"]["annotations"] == {"x": "3"}


def editor(folder: Path, script: str) -> str:
    """The path of a program that changes the file that it is given with sed."""
    path = folder / "editor"
    path.write_text(f"#!/bin/sh\nsed -i '{script}' \"$1\"\n")
    path.chmod(0o755)
    return str(path)


def test_edit(a: Kubectl, tmp_path: Path) -> None:
    edit = a.with_variables(KUBE_EDITOR=editor(tmp_path, "s/k: v/k: edited/"))
    assert edit("edit", "cm", "a") == "configmap/a edited\n"
    assert data(a) == {"k": "edited"}
    done = edit.success("edit", "cm", "a")
    assert (done.stdout, done.stderr) == ("", "Edit cancelled, no changes made.\n")


def test_edit_of_several(a: Kubectl, tmp_path: Path) -> None:
    a.make(config_map("b", {"k": "v"}))
    edit = a.with_variables(KUBE_EDITOR=editor(tmp_path, "s/k: v/k: edited/"))
    assert edit("edit", "cm", "a", "b") == "configmap/a edited\nconfigmap/b edited\n"


def test_edit_of_what_may_not_change(kubectl: Kubectl, tmp_path: Path) -> None:
    kubectl.make(deployment("d"))
    # The second time the editor changes nothing, and kubectl gives up.
    edit = kubectl.with_variables(KUBE_EDITOR=editor(tmp_path, "s/^  replicas: 1/  replicas: -1/"))
    done = edit.outcome("edit", "deployment", "d")
    assert done.code == 1
    assert done.stderr.splitlines()[0] == 'error: deployments.apps "d" is invalid'
    assert done.stderr.splitlines()[-1] == "error: Edit cancelled, no valid changes were saved."
    assert kubectl.stored("deployments", "d", "apps/v1")["spec"]["replicas"] == 1


def test_edit_of_the_status(kubectl: Kubectl, tmp_path: Path) -> None:
    kubectl.make(pod("p"))
    edit = kubectl.with_variables(KUBE_EDITOR=editor(tmp_path, "s/phase: Pending/phase: Running/"))
    assert edit("edit", "pod", "p", "--subresource=status") == "pod/p edited\n"
    assert kubectl.stored("pods", "p")["status"]["phase"] == "Running"
