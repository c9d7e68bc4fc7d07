"""Discovery in the old form, byte for byte as a real server writes it."""

from __future__ import annotations

import hashlib
import json

import pytest

from facts import KUBERNETES
from kubewright.machinery.gvk import GroupVersion
from kubewright.server.discovery.documents import api_group, api_group_list, api_resource_list, api_versions
from tests.server.openapi.facts import recorded_crds, served_with

RECORDED = {
    "/api/v1": "3ca0d21e2643c2016abec550",
    "/apis/aa.example.org": "3e88d748895acd3d8427c6bc",
    "/apis/aa.example.org/other": "b657f0220a0f86c4bb851b19",
    "/apis/aa.example.org/v1": "3f26e92aff32c3f2338ac5e1",
    "/apis/aa.example.org/v10beta3": "73266fa9d828b04c45f55fc2",
    "/apis/aa.example.org/v2": "31a3e09d333c1e1fc241aa34",
    "/apis/admissionregistration.k8s.io": "ca530a58d3de800e3b04caeb",
    "/apis/admissionregistration.k8s.io/v1": "95f32616c129422164af1f57",
    "/apis/apiextensions.k8s.io": "58d907df110c727eb9da85a5",
    "/apis/apiextensions.k8s.io/v1": "22564f0264e622db12a61ab6",
    "/apis/apiregistration.k8s.io": "bc8cbf4a1c63bb37d68f4ce3",
    "/apis/apiregistration.k8s.io/v1": "f8c9934fa9a1f5b26330e8fe",
    "/apis/apps": "d204bc4a9378fbfc0be23823",
    "/apis/apps/v1": "ba805c4611352c9948e5f31c",
    "/apis/authentication.k8s.io": "72e52673a5eb4ba4c7d8f652",
    "/apis/authentication.k8s.io/v1": "94120a2fed04d7d4dab35e05",
    "/apis/authorization.k8s.io": "722fb691b842288ec612b1c3",
    "/apis/authorization.k8s.io/v1": "39d95483e9cdd5578d61bfaa",
    "/apis/autoscaling": "a656b16393ccef93f6222831",
    "/apis/autoscaling/v1": "c226374a906ba1faf46543ab",
    "/apis/autoscaling/v2": "d133b53fb7e566ee27c54638",
    "/apis/batch": "2c85ed1c8d065b8d6e430f61",
    "/apis/batch/v1": "cc6b52fed6f30205c153b5ab",
    "/apis/certificates.k8s.io": "aaee8e582b2c3845cbf9ab95",
    "/apis/certificates.k8s.io/v1": "3c3ddde085473e786f275400",
    "/apis/coordination.k8s.io": "7d7dbadbcc31c177e3152a36",
    "/apis/coordination.k8s.io/v1": "f18a4a9520fd4c6b902166e8",
    "/apis/discovery.k8s.io": "eadc31195c0fd548fd43d513",
    "/apis/discovery.k8s.io/v1": "d2980020e7040fc91c60c96f",
    "/apis/events.k8s.io": "feeb8433924395061299f807",
    "/apis/events.k8s.io/v1": "6aa71f5a1a55e6ba7cc5ca53",
    "/apis/flowcontrol.apiserver.k8s.io": "349f8e5ce0982c97d48ffb79",
    "/apis/flowcontrol.apiserver.k8s.io/v1": "a5274d5cad6826378204b3d7",
    "/apis/networking.k8s.io": "9c71c6c5cf0eb1e3df7ef7fe",
    "/apis/networking.k8s.io/v1": "e59a5cd0ccbf96623c8edd14",
    "/apis/node.k8s.io": "5f5f1d60d070eee2f9dd6e48",
    "/apis/node.k8s.io/v1": "5cbfdbc857ba47a2678bf133",
    "/apis/oa.example.com": "030d214690c098d13bbdb45f",
    "/apis/oa.example.com/v1beta1": "5be8329b50b267097ce490df",
    "/apis/policy": "7e49bc935d267e02fa71d30b",
    "/apis/policy/v1": "f9f92e5ea7f078a3b4f6b376",
    "/apis/rbac.authorization.k8s.io": "b7abbd2b251970f3ba29a378",
    "/apis/rbac.authorization.k8s.io/v1": "406c049cda4b23468f5a8549",
    "/apis/resource.k8s.io": "322586d219fe05cb0e1fd8bd",
    "/apis/resource.k8s.io/v1": "d3e5aba2a66ee5b8782ce640",
    "/apis/scheduling.k8s.io": "c7ca095fb52ea99bb5a333d5",
    "/apis/scheduling.k8s.io/v1": "f5287e1f45760e0802664b3d",
    "/apis/storage.k8s.io": "05f97c5c501a637105d25214",
    "/apis/storage.k8s.io/v1": "56b617c4d79ef9c311a51bd2",
}
"""The beginnings of the SHA-256 of what kube-apiserver 1.36.4 answers, the newline at the end aside.

Without a version that has several custom resources: upstream lists those in no order.
"""


def document(path: str) -> bytes | None:
    resources = served_with(recorded_crds())
    root, *rest = path.strip("/").split("/")
    if root == "api":
        return api_resource_list(resources, GroupVersion("", rest[0]))
    if len(rest) == 1:
        return api_group(resources, rest[0])
    return api_resource_list(resources, GroupVersion(rest[0], rest[1]))


@pytest.mark.parametrize("path", RECORDED)
def test_the_bytes_are_those_of_a_real_server(path: str) -> None:
    made = document(path)
    assert made is not None
    assert hashlib.sha256(made).hexdigest()[:24] == RECORDED[path], made.decode()


def test_custom_resources_of_one_version_are_sorted() -> None:
    made = document("/apis/oa.example.com/v1")
    assert made is not None
    names = [item["name"] for item in json.loads(made)["resources"]]
    assert names == ["gears", "parts", "widgets", "widgets/status", "widgets/scale"]


@pytest.mark.parametrize("path", ["/api/v2", "/apis/nope", "/apis/nope/v1", "/apis/apps/v2", "/apis/v1"])
def test_what_is_not_served_has_no_document(path: str) -> None:
    assert document(path) is None


def test_the_core_group_is_no_group_below_apis() -> None:
    assert api_group(served_with([]), "") is None


def test_the_versions_of_the_core_group() -> None:
    made = api_versions(server_address="192.0.2.2:16443")
    assert hashlib.sha256(made).hexdigest()[:24] == "33286659389573a4993e4b2b"


def test_groups_come_in_the_order_of_their_priorities() -> None:
    facts = json.loads((KUBERNETES / "discovery-apis.json").read_text())
    expected = [
        (group["metadata"]["name"], [version["version"] for version in group["versions"]])
        for group in facts["items"]
    ]
    custom = [("aa.example.org", ["v2", "v1", "v10beta3", "other"]), ("oa.example.com", ["v1", "v1beta1"])]
    made = json.loads(api_group_list(served_with(recorded_crds())))
    assert (made["kind"], made["apiVersion"]) == ("APIGroupList", "v1")
    listed = [
        (group["name"], [version["version"] for version in group["versions"]]) for group in made["groups"]
    ]
    assert listed == expected + custom
    for group in made["groups"]:
        assert group["preferredVersion"] == group["versions"][0]
