"""kubectl create -f, run and expose."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conformance.kubectl.output import rows, table
from tests.conformance.kubectl.program import Kubectl
from tests.conformance.objects import config_map, deployment

pytestmark = pytest.mark.slow

TWO_DOCUMENTS = """
# a comment
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
data:
  k: |
    line
    another
---
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: b
spec:
  selector: {matchLabels: {app: b}}
  template:
    metadata: {labels: {app: b}}
    spec:
      containers:
      - name: c
        image: example.com/c:1
"""


def test_yaml_of_several_documents(kubectl: Kubectl, tmp_path: Path) -> None:
    file = tmp_path / "all.yaml"
    file.write_text(TWO_DOCUMENTS)
    assert kubectl("create", "-f", str(file)) == "configmap/a created\ndeployment.apps/b created\n"
    assert kubectl.stored("configmaps", "a")["data"] == {"k": "line\nanother\n"}
    done = kubectl.outcome("create", "-f", str(file))
    assert (done.code, done.stdout) == (1, "")
    start = f'Error from server (AlreadyExists): error when creating "{file}": '
    assert done.stderr.splitlines() == [
        f'{start}configmaps "a" already exists',
        f'{start}deployments.apps "b" already exists',
    ]


def test_json_from_stdin(kubectl: Kubectl) -> None:
    assert kubectl("create", "-f", "-", stdin=config_map("a")) == "configmap/a created\n"
    assert kubectl.fails("create", "-f", "-", stdin=config_map("a")) == (
        'Error from server (AlreadyExists): error when creating "STDIN": configmaps "a" already exists\n'
    )


def test_a_list(kubectl: Kubectl) -> None:
    both = {"apiVersion": "v1", "kind": "List", "items": [config_map("a"), deployment("b")]}
    assert kubectl("create", "-f", "-", stdin=both) == "configmap/a created\ndeployment.apps/b created\n"


def test_a_directory(kubectl: Kubectl, tmp_path: Path) -> None:
    (tmp_path / "deeper").mkdir()
    (tmp_path / "b.json").write_text(json.dumps(config_map("b")))
    (tmp_path / "a.yaml").write_text(TWO_DOCUMENTS)
    (tmp_path / "deeper" / "c.yml").write_text(json.dumps(config_map("c")))
    (tmp_path / "not.txt").write_text("not an object")
    assert kubectl("create", "-f", str(tmp_path)).splitlines() == [
        "configmap/a created",
        "deployment.apps/b created",
        "configmap/b created",
    ]
    assert kubectl("create", "-R", "-f", str(tmp_path / "deeper")) == "configmap/c created\n"


def test_the_answer_in_another_form(kubectl: Kubectl) -> None:
    assert kubectl("create", "-o", "name", "-f", "-", stdin=config_map("a")) == "configmap/a\n"
    made = kubectl.json("create", "-f", "-", stdin=config_map("b", {"k": "v"}))
    assert (made["data"], bool(made["metadata"]["uid"])) == ({"k": "v"}, True)


def test_names_that_the_server_makes(kubectl: Kubectl) -> None:
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "some-"}}
    said = kubectl("create", "-f", "-", stdin=body)
    assert said.startswith("configmap/some-")
    assert said.endswith(" created\n")


def test_another_namespace_than_asked_for(kubectl: Kubectl) -> None:
    body = config_map("a", namespace="other")
    said = kubectl.fails("create", "-f", "-", stdin=body)
    assert said.startswith(
        'error: the namespace from the provided object "other" does not match the namespace '
    )


def test_what_is_invalid(kubectl: Kubectl) -> None:
    body = deployment("a", -1)
    body["spec"]["selector"] = {"matchLabels": {"app": "other"}}
    labels = 'metadata.labels: Invalid value: {"app":"a"}'
    assert kubectl.fails("create", "-f", "-", stdin=body).splitlines() == [
        'The Deployment "a" is invalid: ',
        "* spec.replicas: Invalid value: -1: must be greater than or equal to 0",
        f"* spec.template.{labels}: `selector` does not match template `labels`",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "error: no objects passed to create\n"),
        ("kind: ConfigMap\n", 'error: error validating "STDIN": error validating data: apiVersion not set'),
        ("{", "error: error parsing STDIN"),
    ],
)
def test_what_is_no_object(kubectl: Kubectl, text: str, said: str) -> None:
    assert kubectl.fails("create", "-f", "-", stdin=text).startswith(said)


def test_an_annotation_for_apply(kubectl: Kubectl) -> None:
    kubectl("create", "--save-config", "-f", "-", stdin=config_map("a"))
    annotations = kubectl.stored("configmaps", "a")["metadata"]["annotations"]
    assert list(annotations) == ["kubectl.kubernetes.io/last-applied-configuration"]


def test_run(kubectl: Kubectl) -> None:
    arguments = ["--image=example.com/a:1", "--labels=app=a", "--env=K=v", "--port=80", "--restart=Never"]
    assert kubectl("run", "a", *arguments, "--command", "--", "sleep", "1") == "pod/a created\n"
    spec = kubectl.stored("pods", "a")["spec"]
    (container,) = spec["containers"]
    assert (container["command"], container["env"]) == (["sleep", "1"], [{"name": "K", "value": "v"}])
    assert (container["imagePullPolicy"], spec["restartPolicy"]) == ("IfNotPresent", "Never")
    assert kubectl.fails("run", "a", "--image=x") == (
        'Error from server (AlreadyExists): pods "a" already exists\n'
    )


def test_run_and_expose(kubectl: Kubectl) -> None:
    assert kubectl("run", "a", "--image=example.com/a:1", "--port=80", "--expose").splitlines() == [
        "service/a created",
        "pod/a created",
    ]


def test_run_with_overrides(kubectl: Kubectl) -> None:
    over = {"spec": {"nodeName": "somewhere"}}
    kubectl("run", "a", "--image=example.com/a:1", f"--overrides={json.dumps(over)}")
    spec = kubectl.stored("pods", "a")["spec"]
    assert (spec["nodeName"], spec["containers"][0]["name"]) == ("somewhere", "a")


def test_expose(kubectl: Kubectl) -> None:
    kubectl("create", "deployment", "web", "--image=example.com/web:1", "--port=8080")
    arguments = ["--port=80", "--target-port=8080", "--name=front", "--type=NodePort"]
    assert kubectl("expose", "deployment", "web", *arguments) == "service/front exposed\n"
    ((name, kind, _, _, ports, _, selector),) = rows(kubectl("get", "svc", "-o", "wide"))
    assert (name, kind, selector) == ("front", "NodePort", "app=web")
    assert ports.startswith("80:3")
    assert kubectl("expose", "service", "front", "--port=81", "--name=second") == "service/second exposed\n"
    assert table(kubectl("get", "svc", "second"))[1][4] == "81/TCP"
    assert kubectl.fails("expose", "deployment", "web", "--port=80", "--name=front") == (
        'Error from server (AlreadyExists): services "front" already exists\n'
    )
