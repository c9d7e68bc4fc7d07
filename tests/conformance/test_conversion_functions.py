"""A kind of three versions whose functions convert, served by a WebhookServer: every verb in each version."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from kubewright.webhooks import WebhookServer
from tests.conformance.client import Client
from tests.conformance.custom_resources import DEFINITIONS
from tests.conformance.namespaces import Namespace
from tests.conformance.waiting import eventually
from tests.crd.versioned_kinds import MAX_REPLICAS, Site, SiteV1Alpha1, SiteV1Beta1
from tests.webhooks.threads import serving

GROUP = Site.gvk.group
VERSIONS = ("v1", "v1beta1", "v1alpha1")

SPECS: dict[str, dict[str, Any]] = {
    "v1": {"host": "a.example.com", "port": 80, "replicas": {"min": 1, "max": 3}, "tags": ["x"]},
    "v1beta1": {"address": "a.example.com:80", "minReplicas": 1, "maxReplicas": 3, "keywords": ["x"]},
    "v1alpha1": {"endpoint": {"hostname": "a.example.com", "port": "80"}, "size": 1, "tags": ["x"]},
}
"""The same site in each version."""

ANNOTATIONS = {"v1": {}, "v1beta1": {}, "v1alpha1": {MAX_REPLICAS: "3"}}
"""What v1alpha1 cannot say in its spec."""


class Sites:
    """Sites of a namespace, in any version."""

    def __init__(self, client: Client, namespace: str) -> None:
        self.client = client
        self.namespace = namespace

    def path(self, version: str, name: str = "") -> str:
        path = f"/apis/{GROUP}/{version}/namespaces/{self.namespace}/sites"
        return f"{path}/{name}" if name else path

    def body(self, version: str, name: str, **spec: Any) -> dict[str, Any]:
        annotations = ANNOTATIONS[version]
        return {
            "apiVersion": f"{GROUP}/{version}",
            "kind": "Site",
            "metadata": {"name": name, **({"annotations": annotations} if annotations else {})},
            "spec": {**SPECS[version], **spec},
        }

    def create(self, version: str, name: str, **spec: Any) -> Any:
        response = self.client.post(self.path(version), self.body(version, name, **spec))
        assert response.status == 201, response.text
        return response.json()

    def get(self, version: str, name: str) -> Any:
        response = self.client.get(self.path(version, name))
        assert response.status == 200, response.text
        return response.json()

    def list(self, version: str) -> Any:
        """All of the namespace, when the cache of a real server is ready for it."""
        eventually(lambda: self.client.get(self.path(version)).status != 429, "the cache is not ready")
        response = self.client.get(self.path(version))
        assert response.status == 200, response.text
        return response.json()


@pytest.fixture(scope="module")
def webhooks() -> Iterator[WebhookServer]:
    with serving(Site) as running:
        yield running


@pytest.fixture(scope="module")
def defined(client: Client, webhooks: WebhookServer) -> Iterator[Client]:
    """Served in all versions; gone afterwards, since nobody converts it then."""
    definition = Site.crd(conversion=webhooks.conversion())
    answer = client.post(DEFINITIONS, definition.to_dict())
    assert (answer.status, answer.warnings) == (201, []), answer.text
    for version in VERSIONS:
        path = f"/apis/{GROUP}/{version}/sites"
        eventually(lambda path=path: client.get(path).status == 200, f"{path} is not served")  # type: ignore[misc]
    yield client
    path = f"{DEFINITIONS}/sites.{GROUP}"
    assert client.delete(path).status == 200
    eventually(lambda: client.get(path).status == 404, "the definition is still there")


@pytest.fixture
def sites(defined: Client, namespace: Namespace) -> Sites:
    return Sites(defined, namespace.name)


def shown(obj: Any) -> tuple[str, dict[str, Any], dict[str, str]]:
    """Version, spec and annotations of an object."""
    return obj["apiVersion"].rpartition("/")[2], obj["spec"], obj["metadata"].get("annotations", {})


def expected(version: str) -> tuple[str, dict[str, Any], dict[str, str]]:
    return version, SPECS[version], ANNOTATIONS[version]


@pytest.mark.parametrize("written", VERSIONS)
def test_what_is_created_in_one_version_is_read_in_all(sites: Sites, written: str) -> None:
    made = sites.create(written, "a")
    assert shown(made) == expected(written)
    for version in VERSIONS:
        found = sites.get(version, "a")
        assert shown(found) == expected(version)
        # All of the metadata is the same but for what v1alpha1 keeps there.
        for obj in (found, made):
            obj["metadata"].pop("annotations", None)
        assert found["metadata"] == made["metadata"]


def test_lists_of_objects_from_all_versions(sites: Sites) -> None:
    for written in VERSIONS:
        sites.create(written, f"by-{written}")
    for version in VERSIONS:
        listed = sites.list(version)
        assert [shown(each) for each in listed["items"]] == [expected(version)] * 3
        assert [each["metadata"]["name"] for each in listed["items"]] == [
            "by-v1",
            "by-v1alpha1",
            "by-v1beta1",
        ]


@pytest.mark.parametrize("version", VERSIONS)
def test_watch(sites: Sites, version: str) -> None:
    start = sites.list(version)["metadata"]["resourceVersion"]
    with sites.client.watch(sites.path(version), resourceVersion=start) as watch:
        for written in VERSIONS:
            sites.create(written, written)
        sites.client.delete(sites.path("v1", "v1"))
        events = watch.take(4)
    assert [kind for kind, _ in events] == ["ADDED", "ADDED", "ADDED", "DELETED"]
    assert [shown(obj) for _, obj in events] == [expected(version)] * 4


def test_an_update_of_a_spoke_changes_the_hub(sites: Sites) -> None:
    sites.create("v1", "a")
    obj = sites.get("v1beta1", "a")
    obj["spec"]["address"] = "b.example.com:81"
    updated = sites.client.put(sites.path("v1beta1", "a"), obj)
    assert updated.status == 200, updated.text
    assert updated.json()["metadata"]["generation"] == 2
    assert sites.get("v1", "a")["spec"] == {**SPECS["v1"], "host": "b.example.com", "port": 81}
    alpha = sites.get("v1alpha1", "a")
    alpha["spec"]["size"] = 2
    assert sites.client.put(sites.path("v1alpha1", "a"), alpha).status == 200
    found = sites.get("v1", "a")
    assert found["spec"]["replicas"] == {"min": 2, "max": 3}
    assert "annotations" not in found["metadata"]


@pytest.mark.parametrize(
    ("version", "patch"),
    [
        ("v1", {"spec": {"replicas": {"max": 5}}}),
        ("v1beta1", {"spec": {"maxReplicas": 5}}),
        ("v1alpha1", {"metadata": {"annotations": {MAX_REPLICAS: "5"}}}),
    ],
)
def test_a_patch_in_any_version(sites: Sites, version: str, patch: dict[str, Any]) -> None:
    sites.create("v1beta1", "a")
    patched = sites.client.patch(sites.path(version, "a"), patch)
    assert patched.status == 200, patched.text
    assert patched.json()["apiVersion"] == f"{GROUP}/{version}"
    assert sites.get("v1", "a")["spec"] == {**SPECS["v1"], "replicas": {"min": 1, "max": 5}}


def test_a_patch_that_changes_nothing_writes_nothing(sites: Sites) -> None:
    made = sites.create("v1", "a")
    for version, patch in (("v1beta1", {"spec": {"maxReplicas": 3}}), ("v1alpha1", {"spec": {"size": 1}})):
        patched = sites.client.patch(sites.path(version, "a"), patch).json()
        assert patched["metadata"]["resourceVersion"] == made["metadata"]["resourceVersion"]


def test_the_status(sites: Sites) -> None:
    sites.create("v1", "a")
    patched = sites.client.patch(f"{sites.path('v1beta1', 'a')}/status", {"status": {"readyReplicas": 2}})
    assert patched.status == 200, patched.text
    assert patched.json()["status"] == {"readyReplicas": 2}
    assert [sites.get(version, "a")["status"] for version in ("v1", "v1alpha1")] == [{"ready": 2}] * 2


def test_apply_by_managers_of_several_versions(sites: Sites) -> None:
    first = sites.client.apply(sites.path("v1beta1", "a"), sites.body("v1beta1", "a"), manager="first")
    assert first.status == 201, first.text
    body = sites.body("v1", "a")
    body["spec"] = {"tags": ["y"]}
    refused = sites.client.apply(sites.path("v1", "a"), body, manager="second")
    assert refused.status == 409, refused.text
    assert refused.json()["details"]["causes"][0]["field"] == ".spec.keywords"
    forced = sites.client.apply(sites.path("v1", "a"), body, manager="second", force=True)
    assert forced.status == 200, forced.text
    assert sites.get("v1alpha1", "a")["spec"] == {**SPECS["v1alpha1"], "tags": ["y"]}


def test_objects_are_stored_as_the_hub(sites: Sites, monkeypatch: pytest.MonkeyPatch) -> None:
    for written in VERSIONS:
        sites.create(written, written)
    definition = sites.client.get(f"{DEFINITIONS}/sites.{GROUP}").json()
    assert definition["status"]["storedVersions"] == ["v1"]
    for spoke in (SiteV1Beta1, SiteV1Alpha1):
        monkeypatch.delattr(spoke.__mro__[1], "to_hub")
        monkeypatch.delattr(spoke.__mro__[1], "from_hub")
    # Nobody converts, and the hub is read nevertheless, whoever wrote it.
    for written in VERSIONS:
        assert shown(sites.get("v1", written)) == expected("v1")
        assert sites.client.get(sites.path("v1beta1", written)).status == 500


def test_what_a_function_raises_reaches_the_client(sites: Sites) -> None:
    refused = sites.client.post(sites.path("v1beta1"), sites.body("v1beta1", "bad", address="nothing"))
    assert refused.status == 500
    assert refused.json()["message"].endswith(
        f"conversion webhook for {GROUP}/v1beta1, Kind=Site failed: Site {sites.namespace}/bad cannot be "
        f"converted from {GROUP}/v1beta1 to {GROUP}/v1: the address 'nothing' has no port; write HOST:PORT"
    )
    # Nothing else is harmed.
    assert sites.client.get(sites.path("v1beta1", "bad")).status == 404
    assert shown(sites.create("v1beta1", "good")) == expected("v1beta1")
    assert [each["metadata"]["name"] for each in sites.list("v1alpha1")["items"]] == ["good"]


def test_one_object_that_cannot_be_converted(sites: Sites, monkeypatch: pytest.MonkeyPatch) -> None:
    sites.create("v1", "a")
    sites.create("v1", "b", host="poison")
    works = SiteV1Beta1.from_hub

    def picky(hub: Site) -> SiteV1Beta1:
        if hub.spec.host == "poison":
            raise ValueError("no poison")
        return works(hub)

    with monkeypatch.context() as patch:
        patch.setattr(SiteV1Beta1, "from_hub", staticmethod(picky))
        refused = sites.client.get(sites.path("v1beta1", "b"))
        assert refused.status == 500
        assert "ValueError: no poison" in refused.json()["message"]
        assert sites.get("v1beta1", "a")["metadata"]["name"] == "a"
        assert sites.get("v1alpha1", "b")["spec"]["endpoint"]["hostname"] == "poison"
    assert [each["metadata"]["name"] for each in sites.list("v1beta1")["items"]] == ["a", "b"]
