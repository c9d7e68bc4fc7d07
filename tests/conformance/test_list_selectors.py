"""Label and field selectors in lists."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.client import Client, Response
from tests.conformance.namespaces import Namespace, unique
from tests.conformance.objects import config_map, pod
from tests.conformance.statuses import assert_failure


def names(response: Response) -> list[str]:
    assert response.status == 200, response.text
    return [item["metadata"]["name"] for item in response.json()["items"]]


def labelled(namespace: Namespace) -> None:
    """a has no labels; b0 to b3 have app=x and their number."""
    namespace.create(namespace.config_maps, config_map("a"))
    for number in range(4):
        labels = {"i": str(number), "app": "x"}
        namespace.create(namespace.config_maps, config_map(f"b{number}", labels=labels))


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("", ["a", "b0", "b1", "b2", "b3"]),
        ("app=x", ["b0", "b1", "b2", "b3"]),
        ("app==x,i=1", ["b1"]),
        ("app!=x", ["a"]),
        ("app", ["b0", "b1", "b2", "b3"]),
        ("!app", ["a"]),
        ("i in (1,2,9)", ["b1", "b2"]),
        ("i notin (1,2)", ["a", "b0", "b3"]),
        ("i>1", ["b2", "b3"]),
        ("i<1", ["b0"]),
        ("app=x,i notin (1,2)", ["b0", "b3"]),
        ("app=", []),
        ("app=y", []),
    ],
)
def test_label_selectors(client: Client, namespace: Namespace, selector: str, expected: list[str]) -> None:
    labelled(namespace)
    assert names(client.get(namespace.config_maps, labelSelector=selector)) == expected


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        ("app in", "unable to parse requirement: found '' expected: '('"),
        ("a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"),
        ("a=b,", "found '', expected: identifier after ','"),
        ("app in (a", "unable to parse requirement: found '', expected: ',' or ')'"),
    ],
)
def test_texts_that_are_no_label_selectors(
    client: Client, namespace: Namespace, selector: str, message: str
) -> None:
    assert_failure(client.get(namespace.config_maps, labelSelector=selector), 400, "BadRequest", message)


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("metadata.name=b1", ["b1"]),
        ("metadata.name==b1", ["b1"]),
        ("metadata.name!=b1", ["a", "b0", "b2", "b3"]),
        ("metadata.name=b1,metadata.name=b2", []),
        ("metadata.name=", []),
        ("metadata.namespace=elsewhere", []),
    ],
)
def test_field_selectors(client: Client, namespace: Namespace, selector: str, expected: list[str]) -> None:
    labelled(namespace)
    assert names(client.get(namespace.config_maps, fieldSelector=selector)) == expected


def test_both_selectors(client: Client, namespace: Namespace) -> None:
    labelled(namespace)
    query: dict[str, Any] = {"fieldSelector": "metadata.name!=b1", "labelSelector": "i<2"}
    assert names(client.get(namespace.config_maps, **query)) == ["b0"]


def test_the_namespace_as_a_field(client: Client, namespace: Namespace) -> None:
    labelled(namespace)
    found = client.get("/api/v1/configmaps", fieldSelector=f"metadata.namespace={namespace.name}")
    assert names(found) == ["a", "b0", "b1", "b2", "b3"]


@pytest.mark.parametrize(
    ("resource", "selector", "message"),
    [
        (
            "configmaps",
            "spec.foo=b1",
            '"spec.foo" is not a known field selector: only "metadata.name", "metadata.namespace"',
        ),
        ("configmaps", "a", "invalid selector: 'a'; can't understand 'a'"),
        ("pods", "spec.foo=x", "field label not supported: spec.foo"),
        ("pods", "metadata.labels=x", "field label not supported: metadata.labels"),
    ],
)
def test_fields_that_cannot_be_selected_by(
    client: Client, namespace: Namespace, resource: str, selector: str, message: str
) -> None:
    response = client.get(namespace.path(resource), fieldSelector=selector)
    assert_failure(response, 400, "BadRequest", message)


def test_fields_of_pods(client: Client, namespace: Namespace) -> None:
    node = unique("node")
    namespace.create(namespace.pods, pod("a", {"nodeName": node, "restartPolicy": "Never"}))
    namespace.create(namespace.pods, pod("b"))
    expectations = {
        f"spec.nodeName={node}": ["a"],
        "spec.nodeName=": ["b"],
        "spec.restartPolicy=Always": ["b"],
        "status.phase=Pending": ["a", "b"],
        "status.phase!=Pending": [],
        "spec.schedulerName=default-scheduler": ["a", "b"],
        "spec.hostNetwork=false": ["a", "b"],
    }
    for selector, expected in expectations.items():
        assert names(client.get(namespace.pods, fieldSelector=selector)) == expected


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("/api/v1/nodes", "spec.unschedulable"),
        ("/api/v1/namespaces", "status.phase"),
        ("/api/v1/secrets", "type"),
        ("/api/v1/events", "involvedObject.kind"),
        ("/api/v1/replicationcontrollers", "status.replicas"),
        ("/api/v1/services", "spec.clusterIP"),
        ("/apis/batch/v1/jobs", "status.successful"),
        ("/apis/certificates.k8s.io/v1/certificatesigningrequests", "spec.signerName"),
        ("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "metadata.name"),
    ],
)
def test_fields_of_other_kinds(client: Client, path: str, field: str) -> None:
    assert client.get(path, fieldSelector=f"{field}=nobody").json()["items"] == []
