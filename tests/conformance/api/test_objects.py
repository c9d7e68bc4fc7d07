"""Every verb of `Api`, typed and not, on objects that everybody has."""

from __future__ import annotations

import pytest

from kubewright.client.client import Client
from kubewright.machinery.errors import (
    AlreadyExists,
    BadRequest,
    Conflict,
    Invalid,
    NotFound,
    ParseError,
)
from kubewright.machinery.label_selectors import parse_label_selector
from kubewright.machinery.meta import ObjectMeta
from kubewright.machinery.status import Status
from kubewright.models.apps_v1 import Deployment
from kubewright.models.core_v1 import ConfigMap, Namespace, Pod, ServiceAccount
from tests.conformance.api.conftest import Use
from tests.conformance.namespaces import Namespace as Place


def config_map(name: str, **data: str) -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name=name, labels={"app": name}), data=data)


DEPLOYMENT = {
    "metadata": {"name": "web"},
    "spec": {
        "replicas": 2,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "main", "image": "web:1"}]},
        },
    },
}


def test_create_get_update_delete(use: Use[object], namespace: Place) -> None:
    async def test(client: Client) -> None:
        api = client.api(ConfigMap, namespace.name)
        made = await api.create(config_map("a", key="1"))
        assert made.metadata.uid
        assert made.metadata.namespace == namespace.name
        with pytest.raises(AlreadyExists):
            await api.create(config_map("a"))
        read = await api.get("a")
        assert read == made
        read.data["key"] = "2"
        changed = await api.update(read)
        assert changed.data == {"key": "2"}
        with pytest.raises(Conflict):
            await api.update(made)
        deleted = await api.delete("a")
        assert isinstance(deleted, Status)
        assert deleted.status == "Success"
        with pytest.raises(NotFound, match='configmaps "a" not found'):
            await api.get("a")

    use(test)


def test_the_clientset_is_the_same(use: Use[object], namespace: Place) -> None:
    async def test(client: Client) -> None:
        await client.core_v1.config_maps(namespace.name).create(config_map("a", key="1"))
        assert (await client.core_v1.config_maps(namespace.name).get("a")).data == {"key": "1"}
        names = [found.metadata.name async for found in client.core_v1.namespaces().list()]
        assert namespace.name in names

    use(test)


def test_objects_may_say_their_namespace_themselves(use: Use[object], namespace: Place) -> None:
    async def test(client: Client) -> None:
        everywhere = client.api(ConfigMap)
        made = config_map("a")
        made.metadata.namespace = namespace.name
        made = await everywhere.create(made)
        made.data["key"] = "1"
        await everywhere.update(made)
        assert (await everywhere.in_namespace(namespace.name).get("a")).data == {"key": "1"}
        with pytest.raises(ParseError, match=r"ConfigMap 'a' is in some namespace, and none was said"):
            await everywhere.get("a")

    use(test)


def test_plain_data_will_do(use: Use[object], namespace: Place) -> None:
    async def test(client: Client) -> None:
        api = client.api(Deployment, namespace.name)
        made = await api.create(DEPLOYMENT)
        assert made.spec.replicas == 2
        assert made.spec.template.spec.containers[0].image == "web:1"

    use(test)


def test_untyped_objects_are_found_by_discovery(use: Use[object], namespace: Place) -> None:
    async def test(client: Client) -> None:
        api = client.dynamic("v1", "ConfigMap", namespace.name)
        await api.create({"metadata": {"name": "a"}, "data": {"k": "v"}})
        found = await api.get("a")
        assert (found["data"], found.kind, found.metadata.name) == ({"k": "v"}, "ConfigMap", "a")
        found["data"]["k"] = "w"
        assert (await api.update(found))["data"] == {"k": "w"}
        short = await client.resource("cm", namespace.name)
        assert [item["data"] async for item in short.list()] == [{"k": "w"}]
        with pytest.raises(NotFound):
            await client.dynamic("v1", "Nothing").get("a")

    use(test)


def test_lists_page_by_themselves(use: Use[object], namespace: Place) -> None:
    async def test(client: Client) -> None:
        api = client.api(ConfigMap, namespace.name)
        for number in range(7):
            await api.create(config_map(f"a{number}"))
        wanted = [f"a{number}" for number in range(7)]
        mine = "metadata.name!=kube-root-ca.crt"
        for size in (1, 3, 7, 500, None):
            listing = api.list(page_size=size, fields=mine)
            assert [found.metadata.name async for found in listing] == wanted
            assert listing.resource_version
            assert [found.metadata.name for found in await listing.to_list()] == wanted
        sizes = [len(page.items) async for page in api.list(page_size=3, fields=mine).pages()]
        assert sizes == [3, 3, 1]

    use(test)


def test_selectors_of_every_form(use: Use[object], namespace: Place) -> None:
    async def test(client: Client) -> None:
        api = client.api(ConfigMap, namespace.name)
        for name in "abc":
            await api.create(config_map(name))
        for labels in ("app in (a, b)", parse_label_selector("app in (a,b)")):
            assert [found.metadata.name async for found in api.list(labels=labels)] == ["a", "b"]
        assert [found.metadata.name async for found in api.list(labels={"app": "c"})] == ["c"]
        assert [found.metadata.name async for found in api.list(fields="metadata.name=b")] == ["b"]

    use(test)


def test_metadata_alone(use: Use[object], namespace: Place) -> None:
    async def test(client: Client) -> None:
        api = client.api(ConfigMap, namespace.name)
        made = await api.create(config_map("a", key="x" * 1000))
        only = await api.metadata().get("a")
        assert only.metadata == made.metadata
        assert only.kind == "PartialObjectMetadata"
        listed = [found async for found in api.metadata().list(labels="app=a")]
        assert [found.metadata.uid for found in listed] == [made.metadata.uid]

    use(test)


def test_patches_of_every_kind(use: Use[object], namespace: Place) -> None:
    async def test(client: Client) -> None:
        api = client.api(Deployment, namespace.name)
        await api.create(DEPLOYMENT)
        merged = await api.patch("web", {"metadata": {"labels": {"a": "b"}}})
        assert merged.metadata.labels == {"a": "b"}
        listed = await api.patch("web", [{"op": "replace", "path": "/spec/replicas", "value": 5}])
        assert listed.spec.replicas == 5
        container = {"containers": [{"name": "main", "env": [{"name": "A", "value": "1"}]}]}
        strategic = await api.patch("web", {"spec": {"template": {"spec": container}}}, type="strategic")
        assert strategic.spec.template.spec.containers[0].image == "web:1"
        with pytest.raises(Invalid):
            await api.patch("web", {"spec": {"replicas": -1}})
        with pytest.raises(NotFound):
            await api.patch("nobody", {"spec": {"replicas": 1}})

    use(test)


def test_apply_and_its_conflicts(use: Use[object], namespace: Place) -> None:
    async def test(client: Client) -> None:
        api = client.api(ConfigMap, namespace.name)
        made = await api.apply(config_map("a", key="1"), manager="ann")
        assert [entry.manager for entry in made.metadata.managed_fields] == ["ann"]
        with pytest.raises(Conflict, match=r'conflict with "ann"'):
            await api.apply(config_map("a", key="2"), manager="bob")
        taken = await api.apply(config_map("a", key="2"), manager="bob", force=True)
        assert taken.data == {"key": "2"}
        # What was read may be changed and applied.
        taken.data["other"] = "3"
        assert (await api.apply(taken, manager="bob")).data == {"key": "2", "other": "3"}

    use(test)


def test_status_and_scale(use: Use[object], namespace: Place) -> None:
    async def test(client: Client) -> None:
        api = client.api(Deployment, namespace.name)
        made = await api.create(DEPLOYMENT)
        made.status.observed_generation = 1
        made.status.replicas = 2
        written = await api.update_status(made)
        assert written.status.replicas == 2
        scale = await api.scale("web")
        assert (scale.spec.replicas, scale.status.replicas) == (2, 2)
        assert (await api.set_scale("web", 4)).spec.replicas == 4
        assert (await api.get("web")).spec.replicas == 4
        assert (await api.get("web", subresource="status")).status.replicas == 2

    use(test)


def test_pods_are_bound_and_evicted(use: Use[object], namespace: Place) -> None:
    async def test(client: Client) -> None:
        api = client.api(Pod, namespace.name)
        await api.create({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}})
        await api.bind("p", "node-1")
        assert (await api.get("p")).spec.node_name == "node-1"
        await api.evict("p", grace_period=0)
        with pytest.raises(NotFound):
            await api.get("p")

    use(test)


def test_tokens_of_service_accounts(use: Use[object], namespace: Place) -> None:
    async def test(client: Client) -> None:
        api = client.api(ServiceAccount, namespace.name)
        await api.create({"metadata": {"name": "robot"}})
        token = await api.create_token("robot", expiration_seconds=3600)
        assert token.status.token.count(".") == 2
        assert token.status.expiration_timestamp is not None

    use(test)


def test_options_of_writes(use: Use[object], namespace: Place) -> None:
    async def test(client: Client) -> None:
        api = client.api(ConfigMap, namespace.name)
        assert (await api.create(config_map("a"), dry_run=True)).metadata.uid
        with pytest.raises(NotFound):
            await api.get("a")
        made = await api.create(config_map("a"), manager="ann")
        assert made.metadata.managed_fields[0].manager == "ann"
        with pytest.raises(BadRequest, match="unknown field"):
            await api.create({"metadata": {"name": "b"}, "dat": {}}, validation="Strict")
        with pytest.raises(Conflict):
            await api.delete("a", uid="00000000-0000-4000-8000-000000000000")
        await api.delete("a", uid=made.metadata.uid, dry_run=True)
        await api.delete("a", uid=made.metadata.uid, resource_version=made.metadata.resource_version)

    use(test)


def test_a_deleted_object_may_stay_for_a_while(use: Use[object], namespace: Place) -> None:
    async def test(client: Client) -> None:
        api = client.api(ConfigMap, namespace.name)
        made = config_map("a")
        made.metadata.finalizers = ["example.com/mine"]
        await api.create(made)
        deleted = await api.delete("a", propagation="Background")
        assert isinstance(deleted, ConfigMap | Status)
        assert (await api.get("a")).metadata.deletion_timestamp is not None
        await api.patch("a", {"metadata": {"finalizers": None}})
        with pytest.raises(NotFound):
            await api.get("a")

    use(test)


def test_many_are_deleted_at_once(use: Use[object], namespace: Place) -> None:
    async def test(client: Client) -> None:
        api = client.api(ConfigMap, namespace.name)
        for name in "abc":
            await api.create(config_map(name))
        await api.delete_collection(labels="app!=b,app")
        assert [found.metadata.name async for found in api.list(labels="app")] == ["b"]

    use(test)


def test_kinds_of_the_cluster_need_no_namespace(use: Use[object], namespace: Place) -> None:
    async def test(client: Client) -> None:
        found = await client.api(Namespace).get(namespace.name)
        assert found.status.phase == "Active"
        assert (await client.version()).minor == "36"
        raw = await client.raw("GET", f"/api/v1/namespaces/{namespace.name}", query={"pretty": "false"})
        assert Namespace.from_json(raw.body) == found

    use(test)


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a%2fb"])
def test_names_that_cannot_be(use: Use[object], name: str) -> None:
    async def test(client: Client) -> None:
        with pytest.raises(ParseError):
            await client.api(ConfigMap, "default").get(name)
        with pytest.raises(ParseError):
            await client.api(ConfigMap, name or "..").get("a")

    use(test)
