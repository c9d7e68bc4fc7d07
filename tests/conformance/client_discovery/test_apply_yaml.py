"""Manifests of many objects, applied in the order in which they need each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kubewright.client.apply_yaml import definitions_served
from kubewright.client.client import Client
from kubewright.client.manifests import read_manifests
from kubewright.machinery import yaml
from kubewright.machinery.errors import Conflict, Invalid, NotFound, ParseError, RequestTimeout
from kubewright.machinery.unstructured import Unstructured
from tests.conformance.client import Client as PlainClient
from tests.conformance.client import ServerUnderTest
from tests.conformance.client_discovery.connecting import connected
from tests.conformance.custom_resources import definition, new_group, version
from tests.conformance.namespaces import Namespace, unique

ANYTHING = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def config_map(name: str, namespace: str = "", **data: str) -> dict[str, Any]:
    metadata = {"name": name, "namespace": namespace} if namespace else {"name": name}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def told(objects: list[Unstructured]) -> list[tuple[str, str, str]]:
    return [(each.kind, each.metadata.namespace, each.metadata.name) for each in objects]


def test_everything_in_one_text(server: ServerUnderTest, client: PlainClient) -> None:
    group, namespace = new_group(), unique("shop")
    documents = [
        {"apiVersion": f"{group}/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": {"size": 1}},
        {
            "apiVersion": "v1",
            "kind": "List",
            "items": [config_map("first", a="b"), config_map("else", "default")],
        },
        {"apiVersion": f"{group}/v1beta1", "kind": "Widget", "metadata": {"name": "older"}},
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRole",
            "metadata": {"name": namespace},
        },
        config_map("second"),
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "worker"}},
        definition(group, version(schema=ANYTHING), version("v1beta1", ANYTHING)),
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}},
    ]

    async def test(ours: Client) -> None:
        # Discovery was asked before, so that the definition is news.
        await ours.discovery.served()
        applied = await ours.apply_yaml(yaml.dump_all(documents), manager="shop", namespace=namespace)
        assert told(applied) == [
            ("Namespace", "", namespace),
            ("CustomResourceDefinition", "", f"widgets.{group}"),
            ("ServiceAccount", namespace, "worker"),
            ("ConfigMap", namespace, "first"),
            ("ConfigMap", "default", "else"),
            ("ConfigMap", namespace, "second"),
            ("ClusterRole", "", namespace),
            ("Widget", namespace, "w"),
            ("Widget", namespace, "older"),
        ]
        assert applied[-2]["spec"] == {"size": 1}
        path = f"/apis/{group}/v1/namespaces/{namespace}/widgets/w"
        stored = client.get(path).json()
        (managed,) = stored["metadata"]["managedFields"]
        assert (managed["manager"], managed["operation"]) == ("shop", "Apply")
        # Once more changes nothing.
        again = await ours.apply_yaml(yaml.dump_all(documents), manager="shop", namespace=namespace)
        assert told(again) == told(applied)
        assert client.get(path).json()["metadata"]["resourceVersion"] == stored["metadata"]["resourceVersion"]

    connected(server, test)


def test_definitions_are_served_when_they_were_all_there_is(server: ServerUnderTest) -> None:
    async def test(ours: Client) -> None:
        for _ in range(3):
            group = new_group()
            await ours.apply_yaml(yaml.dump(definition(group, version(schema=ANYTHING))))
            served = await ours.discovery.served()
            assert f"{group}/v1" in {each.gvk.api_version for each in served.resources()}
            assert await ours.dynamic(f"{group}/v1", "Widget").list().to_list() == []

    connected(server, test)


def test_a_folder(server: ServerUnderTest, namespace: Namespace, tmp_path: Path) -> None:
    (tmp_path / "2.yaml").write_text(yaml.dump(config_map("two")))
    (tmp_path / "1.json").write_text('{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one"}}')

    async def test(ours: Client) -> None:
        for source in (tmp_path, str(tmp_path)):
            applied = await ours.apply_yaml(source, namespace=namespace.name)
            assert told(applied) == [
                ("ConfigMap", namespace.name, "one"),
                ("ConfigMap", namespace.name, "two"),
            ]

    connected(server, test)


def test_without_a_namespace_it_is_that_of_the_configuration(server: ServerUnderTest) -> None:
    name = unique("map")

    async def test(ours: Client) -> None:
        assert told(await ours.apply_yaml(yaml.dump(config_map(name)))) == [
            ("ConfigMap", ours.config.namespace, name)
        ]

    connected(server, test)


def test_errors_say_which_document(server: ServerUnderTest, namespace: Namespace, tmp_path: Path) -> None:
    file = tmp_path / "all.yaml"
    name = unique("none")

    async def test(ours: Client) -> None:
        async def applying(*documents: Any) -> None:
            file.write_text(yaml.dump_all([config_map("fine"), *documents]))
            await ours.apply_yaml(file, namespace=namespace.name, manager="me")

        with pytest.raises(
            NotFound, match=rf"ConfigMap 'a' \({file}, document 2\): namespaces \"{name}\" not found"
        ):
            await applying(config_map("a", name))
        with pytest.raises(
            Invalid, match=rf"ConfigMap 'A_' \({file}, document 3\): ConfigMap \"A_\" is invalid"
        ) as raised:
            await applying(config_map("a"), config_map("A_"))
        assert raised.value.status.details is not None
        assert raised.value.status.details.causes[0].field == "metadata.name"
        with pytest.raises(
            NotFound, match=rf"Widget 'w' \({file}, document 2\): .* serves no Widget in {name}/v1"
        ):
            await applying({"apiVersion": f"{name}/v1", "kind": "Widget", "metadata": {"name": "w"}})
        with pytest.raises(ParseError, match=rf"ConfigMap 'a/b' \({file}, document 2\): "):
            await applying(config_map("a/b"))

    connected(server, test)


def test_nothing_is_applied_when_something_cannot_be_read(
    server: ServerUnderTest, client: PlainClient, namespace: Namespace
) -> None:
    async def test(ours: Client) -> None:
        with pytest.raises(ParseError, match="document 2 has no apiVersion"):
            await ours.apply_yaml(yaml.dump_all([config_map("a"), {"a": "b"}]), namespace=namespace.name)
        assert client.get(f"{namespace.config_maps}/a").status == 404

    connected(server, test)


def test_conflicts_name_the_manager_and_the_remedy(server: ServerUnderTest, namespace: Namespace) -> None:
    async def test(ours: Client) -> None:
        await ours.apply_yaml(yaml.dump(config_map("a", a="one")), namespace=namespace.name, manager="one")
        theirs = yaml.dump(config_map("a", a="two"))
        with pytest.raises(
            Conflict, match=r"^ConfigMap 'a' \(document 1\): .*\"one\".*; force=True takes the "
        ):
            await ours.apply_yaml(theirs, namespace=namespace.name, manager="two")
        (applied,) = await ours.apply_yaml(theirs, namespace=namespace.name, manager="two", force=True)
        assert applied["data"] == {"a": "two"}

    connected(server, test)


def test_a_dry_run_changes_nothing(
    server: ServerUnderTest, client: PlainClient, namespace: Namespace
) -> None:
    group = new_group()
    documents = [config_map("a"), definition(group, version(schema=ANYTHING))]

    async def test(ours: Client) -> None:
        applied = await ours.apply_yaml(yaml.dump_all(documents), namespace=namespace.name, dry_run=True)
        assert [each.kind for each in applied] == ["CustomResourceDefinition", "ConfigMap"]
        assert client.get(f"{namespace.config_maps}/a").status == 404
        assert (
            client.get(f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.{group}").status
            == 404
        )

    connected(server, test)


def test_names_that_are_taken_are_told(server: ServerUnderTest) -> None:
    group = new_group()
    taken = definition(group, names={"plural": "gadgets", "kind": "Widget"})
    taken["metadata"]["name"] = f"gadgets.{group}"

    async def test(ours: Client) -> None:
        await ours.apply_yaml(yaml.dump(definition(group)))
        words = rf"Definition 'gadgets.{group}' \(document 1\): its names are not accepted: .*Widget"
        with pytest.raises(ParseError, match=words):
            await ours.apply_yaml(yaml.dump(taken))

    connected(server, test)


def test_a_definition_that_is_not_served_in_time_is_told(server: ServerUnderTest) -> None:
    """Its versions are not those that the server has."""
    group = new_group()

    async def test(ours: Client) -> None:
        (applied,) = await ours.apply_yaml(yaml.dump(definition(group)))
        applied["spec"]["versions"][0]["name"] = "v7"
        (manifest,) = read_manifests(yaml.dump(definition(group)))
        with pytest.raises(RequestTimeout, match=r"\(document 1\): it is not served after 0.2 seconds"):
            await definitions_served(ours, [(manifest, applied)], within=0.2)

    connected(server, test)
