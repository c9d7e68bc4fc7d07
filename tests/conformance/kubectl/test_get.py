"""kubectl get: every form of output, and several resources at once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conformance.client import Client
from tests.conformance.kubectl.output import rows, table
from tests.conformance.kubectl.program import Kubectl
from tests.conformance.namespaces import Namespace, new_namespace
from tests.conformance.objects import config_map, deployment, pod, service
from tests.conformance.waiting import eventually


@pytest.fixture(scope="module")
def place(client: Client) -> Namespace:
    """Two pods, one of them on a node; a deployment, a service and two config maps. For reading only."""
    made = new_namespace(client)
    made.create(made.pods, pod("a", labels={"app": "a", "tier": "back"}))
    spec = {"nodeName": "nowhere", "containers": [{"name": "c", "image": "example.com/c:1"}]}
    made.create(made.pods, pod("b", spec, labels={"app": "b"}))
    made.create(made.deployments, deployment("web", 2, labels={"app": "web"}))
    made.create(made.services, service("web"))
    made.create(made.config_maps, config_map("one", {"k": "v"}))
    made.create(made.config_maps, config_map("two", {"k": "v", "l": "w"}))
    return made


@pytest.fixture
def reader(cluster_kubectl: Kubectl, place: Namespace) -> Kubectl:
    return cluster_kubectl.in_namespace(place)


def test_the_table(reader: Kubectl) -> None:
    assert table(reader("get", "pods")) == [
        ["NAME", "READY", "STATUS", "RESTARTS", "AGE"],
        ["a", "0/1", "Pending", "0", "-"],
        ["b", "0/1", "Pending", "0", "-"],
    ]


def test_the_wide_table(reader: Kubectl) -> None:
    assert table(reader("get", "pods", "-o", "wide")) == [
        ["NAME", "READY", "STATUS", "RESTARTS", "AGE", "IP", "NODE", "NOMINATED NODE", "READINESS GATES"],
        ["a", "0/1", "Pending", "0", "-", "<none>", "<none>", "<none>", "<none>"],
        ["b", "0/1", "Pending", "0", "-", "<none>", "nowhere", "<none>", "<none>"],
    ]
    assert table(reader("get", "deploy/web", "-o", "wide")) == [
        ["NAME", "READY", "UP-TO-DATE", "AVAILABLE", "AGE", "CONTAINERS", "IMAGES", "SELECTOR"],
        ["web", "0/2", "0", "0", "-", "main", "example.com/main:1", "app=web"],
    ]


def test_no_headers(reader: Kubectl) -> None:
    (line,) = reader("get", "cm", "one", "--no-headers").splitlines()
    assert line.split()[:2] == ["one", "1"]


def test_yaml(reader: Kubectl, client: Client, place: Namespace) -> None:
    stored = client.get(f"{place.config_maps}/one").json()["metadata"]
    assert reader("get", "cm", "one", "-o", "yaml").splitlines() == [
        "apiVersion: v1",
        "data:",
        "  k: v",
        "kind: ConfigMap",
        "metadata:",
        f'  creationTimestamp: "{stored["creationTimestamp"]}"',
        "  name: one",
        f"  namespace: {place.name}",
        f'  resourceVersion: "{stored["resourceVersion"]}"',
        f"  uid: {stored['uid']}",
    ]


def test_json(reader: Kubectl, client: Client, place: Namespace) -> None:
    stored = client.get(f"{place.config_maps}/one").json()
    assert json.loads(reader("get", "cm", "one", "-o", "json", "--show-managed-fields")) == stored
    listed = reader.json("get", "cm")
    assert (listed["apiVersion"], listed["kind"], listed["metadata"]) == (
        "v1",
        "List",
        {"resourceVersion": ""},
    )
    assert [(each["kind"], each["metadata"]["name"]) for each in listed["items"]] == [
        ("ConfigMap", "one"),
        ("ConfigMap", "two"),
    ]


def test_names(reader: Kubectl) -> None:
    assert reader("get", "cm,deploy", "-o", "name").split() == [
        "configmap/one",
        "configmap/two",
        "deployment.apps/web",
    ]


def test_custom_columns(reader: Kubectl, tmp_path: Path) -> None:
    columns = "NAME:.metadata.name,IMAGE:.spec.containers[*].image,NODE:.spec.nodeName"
    assert table(reader("get", "pods", "-o", f"custom-columns={columns}")) == [
        ["NAME", "IMAGE", "NODE"],
        ["a", "example.com/main:1", "<none>"],
        ["b", "example.com/c:1", "nowhere"],
    ]
    file = tmp_path / "columns"
    file.write_text("NAME           APP\n.metadata.name .metadata.labels.app\n")
    assert rows(reader("get", "pods", "-o", f"custom-columns-file={file}")) == [["a", "a"], ["b", "b"]]


def test_json_path(reader: Kubectl) -> None:
    assert reader("get", "pods", "-o", "jsonpath={.items[*].metadata.name}") == "a b"
    template = '{range .items[*]}{.metadata.name}{"="}{.spec.containers[0].image}{"\\n"}{end}'
    assert reader("get", "pods", "-o", f"jsonpath={template}").split() == [
        "a=example.com/main:1",
        "b=example.com/c:1",
    ]
    assert (
        reader("get", "pods", "-o", 'jsonpath={.items[?(@.spec.nodeName=="nowhere")].metadata.name}') == "b"
    )


def test_go_template(reader: Kubectl) -> None:
    template = "{{range .items}}{{.metadata.name}}:{{len .data}};{{end}}"
    assert reader("get", "cm", "-o", f"go-template={template}") == "one:1;two:2;"
    assert reader("get", "cm", "one", "--template={{.data.k}}") == "v"


def test_several_resources(reader: Kubectl) -> None:
    printed = reader("get", "pods,deploy,cm").strip().split("\n\n")
    assert [table(part) for part in printed] == [
        [
            ["NAME", "READY", "STATUS", "RESTARTS", "AGE"],
            ["pod/a", "0/1", "Pending", "0", "-"],
            ["pod/b", "0/1", "Pending", "0", "-"],
        ],
        [
            ["NAME", "READY", "UP-TO-DATE", "AVAILABLE", "AGE"],
            ["deployment.apps/web", "0/2", "0", "0", "-"],
        ],
        [
            ["NAME", "DATA", "AGE"],
            ["configmap/one", "1", "-"],
            ["configmap/two", "2", "-"],
        ],
    ]


def test_resources_by_name(reader: Kubectl) -> None:
    assert reader("get", "svc/web", "pod/a", "cm/two", "-o", "name").split() == [
        "service/web",
        "pod/a",
        "configmap/two",
    ]
    assert reader("get", "pods", "b", "a", "-o", "name").split() == ["pod/b", "pod/a"]


def everything(reader: Kubectl) -> str:
    """What there is of all kinds, also those that other tests have defined and, perhaps, just deleted."""
    found: list[str] = []

    def is_found() -> bool:
        # This reads discovery anew: what kubectl has kept may name kinds that are gone.
        reader("api-resources")
        done = reader.outcome("get", "all", "-o", "name")
        found[:] = [done.stdout]
        return done.code == 0

    eventually(is_found, "kubectl finds all kinds")
    return found[0]


def test_all(reader: Kubectl) -> None:
    assert everything(reader).split() == [
        "pod/a",
        "pod/b",
        "service/web",
        "deployment.apps/web",
    ]


def test_by_full_names(reader: Kubectl) -> None:
    for name in ["deployments", "deployment", "Deployment", "deployments.apps", "deployments.v1.apps"]:
        assert reader("get", name, "-o", "name") == "deployment.apps/web\n"


def test_from_files(reader: Kubectl) -> None:
    made = {"apiVersion": "v1", "kind": "List", "items": [config_map("one"), config_map("two")]}
    assert rows(reader("get", "-f", "-", stdin=made)) == [["one", "1", "-"], ["two", "2", "-"]]


def test_a_subresource(reader: Kubectl) -> None:
    assert table(reader("get", "deploy", "web", "--subresource=scale")) == [
        ["NAME", "DESIRED", "AVAILABLE", "AGE"],
        ["web", "2", "0", "-"],
    ]
    scale = json.loads(reader("get", "deploy", "web", "--subresource=scale", "-o", "json"))
    assert (scale["kind"], scale["spec"]) == ("Scale", {"replicas": 2})
    assert rows(reader("get", "deploy", "web", "--subresource=status")) == [["web", "0/2", "0", "0", "-"]]


def test_what_is_not_there(reader: Kubectl) -> None:
    assert reader.fails("get", "cm", "nobody") == (
        'Error from server (NotFound): configmaps "nobody" not found\n'
    )
    done = reader.outcome("get", "cm", "one", "nobody")
    assert (done.code, done.stderr) == (1, 'Error from server (NotFound): configmaps "nobody" not found\n')
    assert rows(done.stdout) == [["one", "1", "-"]]
    done = reader.success("get", "cm", "nobody", "--ignore-not-found")
    assert (done.stdout, done.stderr) == ("", "")


def test_nothing_is_there(reader: Kubectl) -> None:
    done = reader.success("get", "secrets")
    assert (done.stdout, done.stderr) == ("", f"No resources found in {reader.namespace} namespace.\n")
    done = reader.success("get", "secrets", "--ignore-not-found")
    assert (done.stdout, done.stderr) == ("", "")
    assert reader.success("get", "pods", "-l", "app=none", "-o", "name").stdout == ""
