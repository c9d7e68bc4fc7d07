"""Discovery documents: both forms, read and written back whole."""

from __future__ import annotations

import pytest

from facts import KUBERNETES
from kubewright.machinery.codec import decode_plain
from kubewright.machinery.discovery import (
    APIGroup,
    APIGroupDiscoveryList,
    APIGroupList,
    APIResourceList,
    APIVersions,
    VersionInfo,
)
from kubewright.machinery.errors import DecodeError
from kubewright.machinery.struct import Struct

OLD_FORM: list[tuple[type[Struct], dict[str, object]]] = [
    (
        APIVersions,
        {
            "apiVersion": "v1",
            "kind": "APIVersions",
            "versions": ["v1"],
            "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": "127.0.0.1:6443"}],
        },
    ),
    (
        APIGroup,
        {
            "apiVersion": "v1",
            "kind": "APIGroup",
            "name": "apps",
            "versions": [{"groupVersion": "apps/v1", "version": "v1"}],
            "preferredVersion": {"groupVersion": "apps/v1", "version": "v1"},
        },
    ),
    (
        APIResourceList,
        {
            "apiVersion": "v1",
            "kind": "APIResourceList",
            "groupVersion": "apps/v1",
            "resources": [
                {
                    "name": "deployments/scale",
                    "singularName": "",
                    "namespaced": True,
                    "kind": "Scale",
                    "verbs": ["get", "patch", "update"],
                    "group": "autoscaling",
                    "version": "v1",
                },
                {
                    "name": "deployments",
                    "singularName": "deployment",
                    "namespaced": True,
                    "kind": "Deployment",
                    "verbs": ["list"],
                    "shortNames": ["deploy"],
                    "categories": ["all"],
                    "storageVersionHash": "8aSe+NMegvE=",
                },
            ],
        },
    ),
    (APIGroupList, {"apiVersion": "v1", "kind": "APIGroupList", "groups": []}),
    (VersionInfo, {"major": "1", "minor": "36", "gitVersion": "v1.36.4", "platform": "linux/amd64"}),
]


@pytest.mark.parametrize(("cls", "wire"), OLD_FORM, ids=lambda value: getattr(value, "__name__", ""))
def test_old_form(cls: type[Struct], wire: dict[str, object]) -> None:
    assert cls.from_dict(wire).to_dict() == wire


def test_null_lists_as_old_servers_send_them() -> None:
    assert APIResourceList.from_json('{"groupVersion":"v1","resources":null}').resources == []


@pytest.mark.parametrize("name", ["discovery-api.json", "discovery-apis.json"])
def test_aggregated_form_of_a_real_server(name: str) -> None:
    data = (KUBERNETES / name).read_bytes()
    document = APIGroupDiscoveryList.from_json(data)
    assert document.to_dict() == decode_plain(data)
    assert all(version.freshness == "Current" for group in document.items for version in group.versions)


def test_aggregated_form() -> None:
    wire = {
        "apiVersion": "apidiscovery.k8s.io/v2",
        "kind": "APIGroupDiscoveryList",
        "metadata": {},
        "items": [
            {
                "metadata": {"name": "apps"},
                "versions": [
                    {
                        "version": "v1",
                        "freshness": "Stale",
                        "resources": [
                            {
                                "resource": "deployments",
                                "responseKind": {"group": "apps", "version": "v1", "kind": "Deployment"},
                                "scope": "Namespaced",
                                "singularResource": "deployment",
                                "verbs": ["get"],
                                "subresources": [{"subresource": "scale", "verbs": ["get"]}],
                            }
                        ],
                    }
                ],
            }
        ],
    }
    document = APIGroupDiscoveryList.from_dict(wire)
    (resource,) = document.items[0].versions[0].resources
    assert resource.response_kind is not None
    assert (resource.response_kind.kind, resource.subresources[0].subresource) == ("Deployment", "scale")
    assert document.to_dict() == wire


def test_the_other_form_is_refused() -> None:
    with pytest.raises(
        DecodeError, match=r"expected apidiscovery\.k8s\.io/v2 APIGroupDiscoveryList, got v1 APIGroupList"
    ):
        APIGroupDiscoveryList.from_json('{"apiVersion":"v1","kind":"APIGroupList","groups":[]}')
