"""The served resources: all built-ins, and what CustomResourceDefinitions bring."""

from __future__ import annotations

import json
from typing import Any

from facts import KUBERNETES
from kubewright.machinery.gvk import GroupVersionKind, GroupVersionResource
from kubewright.server.registry.resource import (
    ServedResource,
    ServedSubresource,
    builtin_resources,
    custom_resources,
    storage_version_hash,
)
from tests.server.openapi.facts import recorded_crds


def resource(plural: str, group: str = "", version: str = "v1") -> ServedResource:
    wanted = GroupVersionResource(group, version, plural)
    return next(item for item in builtin_resources() if item.gvr == wanted)


def crd(name: str) -> dict[str, Any]:
    return next(item for item in recorded_crds() if item["metadata"]["name"] == name)


class TestBuiltins:
    def test_pods(self) -> None:
        pods = resource("pods")
        assert (pods.kind, pods.list_kind, pods.singular, pods.namespaced) == ("Pod", "PodList", "pod", True)
        assert pods.short_names == ("po",)
        assert pods.categories == ("all",)
        assert pods.subresources["eviction"] == ServedSubresource("policy", "v1", "Eviction", ("create",))
        assert pods.subresources["status"].gvk == pods.gvk == GroupVersionKind("", "v1", "Pod")
        assert not pods.custom

    def test_each_is_there_once(self) -> None:
        everything = builtin_resources()
        assert len({item.gvr for item in everything}) == len(everything)

    def test_order_and_scope_are_those_of_discovery(self) -> None:
        recorded = [
            (group["metadata"].get("name", ""), version["version"], item["resource"], item["scope"])
            for name in ("discovery-api.json", "discovery-apis.json")
            for group in json.loads((KUBERNETES / name).read_text())["items"]
            for version in group["versions"]
            for item in version["resources"]
        ]
        scopes = {True: "Namespaced", False: "Cluster"}
        made = [
            (item.group, item.version, item.resource, scopes[item.namespaced]) for item in builtin_resources()
        ]
        assert made == recorded

    def test_hashes_are_those_of_a_real_server(self) -> None:
        assert resource("configmaps").storage_version_hash == "qFsyl6wFWjQ="
        assert resource("bindings").storage_version_hash == ""
        assert resource("componentstatuses").storage_version_hash == ""
        for other_version in (
            resource("horizontalpodautoscalers", "autoscaling", "v1"),
            resource("horizontalpodautoscalers", "autoscaling", "v2"),
        ):
            assert other_version.storage_version_hash == "qwQve8ut294="
        events = resource("events", "events.k8s.io")
        assert events.storage_version_hash == resource("events").storage_version_hash == "r2yiGXH7wu8="
        definitions = resource("customresourcedefinitions", "apiextensions.k8s.io")
        assert definitions.storage_version_hash == "jfWCUB31mvA="

    def test_which_are_returned_when_deleted(self) -> None:
        assert resource("pods").returned_when_deleted
        assert not resource("configmaps").returned_when_deleted


class TestCustom:
    def test_one_entry_per_served_version(self) -> None:
        beta, stable = custom_resources(crd("widgets.oa.example.com"))
        assert (beta.version, stable.version) == ("v1beta1", "v1")
        assert stable.custom
        assert stable.short_names == ("wd", "wdg")
        assert not beta.subresources
        assert list(stable.subresources) == ["status", "scale"]
        assert stable.subresources["scale"].gvk == GroupVersionKind("autoscaling", "v1", "Scale")
        assert stable.subresources["status"].gvk == stable.gvk
        stored = storage_version_hash(GroupVersionKind("oa.example.com", "v1", "Widget"))
        assert beta.storage_version_hash == stable.storage_version_hash == stored

    def test_nothing_before_it_is_established(self) -> None:
        definition = crd("gears.oa.example.com")
        assert custom_resources(definition)
        for condition in definition["status"]["conditions"]:
            condition["status"] = "False"
        assert custom_resources(definition) == ()
        del definition["status"]
        assert custom_resources(definition) == ()

    def test_nothing_new_while_it_is_deleted(self) -> None:
        definition = crd("gears.oa.example.com")
        definition["status"]["conditions"].append({"type": "Terminating", "status": "True"})
        (gears,) = custom_resources(definition)
        assert gears.verbs == ("delete", "deletecollection", "get", "list", "watch")

    def test_no_hash_when_the_stored_version_is_not_served(self) -> None:
        definition = crd("widgets.oa.example.com")
        definition["spec"]["versions"][1]["served"] = False
        (beta,) = custom_resources(definition)
        assert beta.storage_version_hash == ""
