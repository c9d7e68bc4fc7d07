"""Which groups, versions and resources there are."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conformance.client import Client
from tests.conformance.custom_resources import AGGREGATED


def resources(client: Client, path: str) -> dict[str, Any]:
    return {each["name"]: each for each in client.get(path).json()["resources"]}


def test_the_core_versions(client: Client) -> None:
    found = client.get("/api").json()
    (address,) = found.pop("serverAddressByClientCIDRs")
    assert address["clientCIDR"] == "0.0.0.0/0"
    assert found == {"kind": "APIVersions", "versions": ["v1"]}


def test_the_groups(client: Client) -> None:
    found = client.get("/apis").json()
    assert (found["kind"], found["apiVersion"]) == ("APIGroupList", "v1")
    groups = {group["name"]: group for group in found["groups"]}
    version = {"groupVersion": "apps/v1", "version": "v1"}
    assert groups["apps"] == {"name": "apps", "versions": [version], "preferredVersion": version}
    assert [each["version"] for each in groups["autoscaling"]["versions"]] == ["v2", "v1"]
    assert list(groups)[:2] == ["apiregistration.k8s.io", "apps"]


def test_one_group(client: Client) -> None:
    version = {"groupVersion": "apps/v1", "version": "v1"}
    assert client.get("/apis/apps").json() == {
        "kind": "APIGroup",
        "apiVersion": "v1",
        "name": "apps",
        "versions": [version],
        "preferredVersion": version,
    }


def test_the_resources_of_a_group(client: Client) -> None:
    found = client.get("/apis/apps/v1").json()
    assert {key: found[key] for key in ("kind", "apiVersion", "groupVersion")} == {
        "kind": "APIResourceList",
        "apiVersion": "v1",
        "groupVersion": "apps/v1",
    }
    names = [each["name"] for each in found["resources"]]
    assert names == sorted(names)
    by_name = {each["name"]: each for each in found["resources"]}
    entry = by_name["deployments"]
    assert entry.pop("storageVersionHash")
    assert entry == {
        "name": "deployments",
        "singularName": "deployment",
        "namespaced": True,
        "kind": "Deployment",
        "verbs": ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
        "shortNames": ["deploy"],
        "categories": ["all"],
    }
    assert by_name["deployments/status"] == {
        "name": "deployments/status",
        "singularName": "",
        "namespaced": True,
        "kind": "Deployment",
        "verbs": ["get", "patch", "update"],
    }
    assert by_name["deployments/scale"] == {
        "name": "deployments/scale",
        "singularName": "",
        "namespaced": True,
        "group": "autoscaling",
        "version": "v1",
        "kind": "Scale",
        "verbs": ["get", "patch", "update"],
    }


def test_the_core_resources(client: Client) -> None:
    response = client.get("/api/v1")
    # The core has no apiVersion here.
    assert list(response.json()) == ["kind", "groupVersion", "resources"]
    found = resources(client, "/api/v1")
    assert found["pods"]["shortNames"] == ["po"]
    assert found["nodes"]["namespaced"] is False
    assert found["pods/eviction"] == {
        "name": "pods/eviction",
        "singularName": "",
        "namespaced": True,
        "group": "policy",
        "version": "v1",
        "kind": "Eviction",
        "verbs": ["create"],
    }
    assert {"pods/log", "pods/exec", "pods/binding", "namespaces/finalize", "serviceaccounts/token"} <= set(
        found
    )


@pytest.mark.parametrize("path", ["/api", "/apis"])
def test_all_at_once(client: Client, path: str) -> None:
    response = client.get(path, headers={"Accept": AGGREGATED})
    assert response.status == 200
    assert response.content_type == AGGREGATED
    found = json.loads(response.body)
    assert (found["kind"], found["apiVersion"]) == ("APIGroupDiscoveryList", "apidiscovery.k8s.io/v2")
    groups = {group["metadata"].get("name", ""): group for group in found["items"]}
    if path == "/api":
        (version,) = groups[""]["versions"]
        assert (version["version"], version["freshness"]) == ("v1", "Current")
        pods = next(each for each in version["resources"] if each["resource"] == "pods")
        # Without the version, which is that of the list.
        assert pods["responseKind"] == {"group": "", "version": "", "kind": "Pod"}
        assert (pods["scope"], pods["singularResource"]) == ("Namespaced", "pod")
        log = next(each for each in pods["subresources"] if each["subresource"] == "log")
        assert log["verbs"] == ["get"]
    else:
        assert {"apps", "batch", "apiextensions.k8s.io", "apiregistration.k8s.io"} <= set(groups)


def test_all_at_once_may_be_asked_again_cheaply(client: Client) -> None:
    headers = {"Accept": AGGREGATED}
    tag = client.get("/api", headers=headers).headers["ETag"]
    again = client.get("/api", headers={**headers, "If-None-Match": tag})
    assert (again.status, again.body) == (304, b"")


def test_what_go_clients_ask(client: Client) -> None:
    older = AGGREGATED.replace("v=v2", "v=v2beta1")
    accept = f"{AGGREGATED},{older},application/json"
    assert client.get("/apis", headers={"Accept": accept}).content_type == AGGREGATED
