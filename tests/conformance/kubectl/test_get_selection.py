"""kubectl get: which objects, in which order, with which labels."""

from __future__ import annotations

import pytest

from tests.conformance.client import Client
from tests.conformance.kubectl.output import rows, table
from tests.conformance.kubectl.program import Kubectl
from tests.conformance.namespaces import Namespace, new_namespace, unique
from tests.conformance.objects import config_map, pod
from tests.conformance.waiting import eventually

# Each kubectl takes a tenth of a second: `make test` runs some files of this folder, `make test-real` all.
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def place(client: Client) -> Namespace:
    """Seven config maps and two pods. For reading only."""
    made = new_namespace(client)
    for index in range(7):
        parity = "odd" if index % 2 else "even"
        labels = {"index": str(index), "parity": parity}
        made.create(made.config_maps, config_map(f"cm-{index}", {"rank": str(9 - index)}, labels=labels))
    made.create(made.pods, pod("free", labels={"app": "x"}))
    made.create(made.pods, pod("placed", {"nodeName": "nowhere"}, labels={"app": "y"}))
    return made


@pytest.fixture
def reader(cluster_kubectl: Kubectl, place: Namespace) -> Kubectl:
    return cluster_kubectl.in_namespace(place)


def names(reader: Kubectl, *arguments: str) -> list[str]:
    return [line.partition("/")[2] for line in reader("get", *arguments, "-o", "name").splitlines()]


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("parity=odd", "1 3 5"),
        ("parity==odd,index!=3", "1 5"),
        ("index in (2,3)", "2 3"),
        ("parity notin (odd)", "0 2 4 6"),
        ("parity,index in (6)", "6"),
        ("!parity", ""),
        ("index>4", "5 6"),
    ],
)
def test_by_label(reader: Kubectl, selector: str, expected: str) -> None:
    found = names(reader, "cm", "-l", selector)
    assert found == [f"cm-{index}" for index in expected.split()]


@pytest.mark.differs("wording")
def test_a_selector_that_is_none(reader: Kubectl) -> None:
    said = reader.fails("get", "cm", "-l", "a in b")
    assert said.endswith(": unable to parse requirement: found 'b' expected: '('\n")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["cm", "--field-selector=metadata.name=cm-3"], ["cm-3"]),
        (["cm", "--field-selector=metadata.name!=cm-3", "-l", "parity=odd"], ["cm-1", "cm-5"]),
        (["pods", "--field-selector=spec.nodeName="], ["free"]),
        (["pods", "--field-selector=spec.nodeName=nowhere,status.phase=Pending"], ["placed"]),
        (["pods", "--field-selector=status.phase!=Pending"], []),
    ],
)
def test_by_field(reader: Kubectl, arguments: list[str], expected: list[str]) -> None:
    assert names(reader, *arguments) == expected


def test_a_field_that_cannot_be_selected(reader: Kubectl) -> None:
    said = reader.fails("get", "cm", "--field-selector=data.rank=1")
    assert said == (
        'Error from server (BadRequest): Unable to find "/v1, Resource=configmaps" that match label selector '
        '"", field selector "data.rank=1": "data.rank" is not a known field selector: only "metadata.name", '
        '"metadata.namespace"\n'
    )


@pytest.mark.parametrize("size", [1, 3, 0])
def test_in_chunks(reader: Kubectl, size: int) -> None:
    assert names(reader, "cm", f"--chunk-size={size}") == [f"cm-{index}" for index in range(7)]
    assert len(rows(reader("get", "cm", f"--chunk-size={size}"))) == 7


def test_sorted(reader: Kubectl) -> None:
    backwards = [f"cm-{index}" for index in range(6, -1, -1)]
    assert names(reader, "cm", "--sort-by=.data.rank") == backwards
    assert [each[0] for each in rows(reader("get", "cm", "--sort-by={.data.rank}"))] == backwards
    assert [each[0] for each in rows(reader("get", "cm", "--sort-by=.metadata.creationTimestamp"))]


def test_labels_shown(reader: Kubectl) -> None:
    assert table(reader("get", "cm", "cm-1", "--show-labels")) == [
        ["NAME", "DATA", "AGE", "LABELS"],
        ["cm-1", "1", "-", "index=1,parity=odd"],
    ]
    assert table(reader("get", "pods", "-L", "app,none")) == [
        ["NAME", "READY", "STATUS", "RESTARTS", "AGE", "APP", "NONE"],
        ["free", "0/1", "Pending", "0", "-", "x", ""],
        ["placed", "0/1", "Pending", "0", "-", "y", ""],
    ]


def test_the_kind_shown(reader: Kubectl) -> None:
    assert rows(reader("get", "cm", "cm-1", "--show-kind")) == [["configmap/cm-1", "1", "-"]]


def test_all_namespaces(client: Client, cluster_kubectl: Kubectl) -> None:
    label = unique("everywhere")
    first, second = sorted([new_namespace(client), new_namespace(client)], key=lambda each: each.name)
    for each in (second, first):
        each.create(each.config_maps, config_map("same", labels={"in": label}))
    assert table(cluster_kubectl("get", "cm", "-A", "-l", f"in={label}")) == [
        ["NAMESPACE", "NAME", "DATA", "AGE"],
        [first.name, "same", "0", "-"],
        [second.name, "same", "0", "-"],
    ]
    done = cluster_kubectl.success("get", "cm", "-A", "-l", f"in={label}-not")
    assert (done.stdout, done.stderr) == ("", "No resources found\n")


def test_across_namespaces_by_name(reader: Kubectl) -> None:
    assert reader.fails("get", "cm", "cm-1", "-A") == (
        "error: a resource cannot be retrieved by name across all namespaces\n"
    )


def test_the_cluster_itself(cluster_kubectl: Kubectl) -> None:
    # A real server makes both when it is already ready.
    eventually(
        lambda: cluster_kubectl.outcome("get", "svc", "kubernetes", "-n", "default").code == 0,
        "there is the service of the server",
    )
    assert table(cluster_kubectl("get", "ns", "default")) == [
        ["NAME", "STATUS", "AGE"],
        ["default", "Active", "-"],
    ]
    assert table(cluster_kubectl("get", "svc", "kubernetes", "-n", "default")) == [
        ["NAME", "TYPE", "CLUSTER-IP", "EXTERNAL-IP", "PORT(S)", "AGE"],
        ["kubernetes", "ClusterIP", "10.0.0.1", "<none>", "443/TCP", "-"],
    ]
