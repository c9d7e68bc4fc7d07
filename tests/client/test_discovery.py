"""Discovery over real sockets: both forms, broken groups, and what is no API server."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kubewright.client.discovery import Discovery
from kubewright.client.mapper import Mapper
from kubewright.machinery.errors import (
    DecodeError,
    Forbidden,
    NotFound,
    RequestTimeout,
    ServiceUnavailable,
    TransportError,
)
from kubewright.machinery.gvk import GroupVersion, GroupVersionKind, GroupVersionResource
from tests.client.discovery_server import (
    PODS,
    DiscoveryServer,
    aggregated,
    aggregated_documents,
    group,
    old_form,
    old_resource,
    resource,
    using,
)
from tests.client.peers import status

OLD_PODS = [
    old_resource("pods", "Pod", shortNames=["po"], categories=["all"]),
    old_resource("pods/status", "Pod", verbs=["get"], version="v1"),
    old_resource("orphans/status", "Orphan"),
]


def old_documents() -> dict[str, Any]:
    return old_form(
        {"": ["v1"], "example.com": ["v1", "v1beta1"]},
        {
            "v1": OLD_PODS,
            "example.com/v1": [old_resource("widgets", "Widget")],
            "example.com/v1beta1": [old_resource("widgets", "Widget"), old_resource("relics", "Relic")],
        },
    )


def test_the_aggregated_form_takes_two_requests() -> None:
    server = DiscoveryServer(aggregated_documents())

    async def test(discovery: Discovery) -> None:
        pods, widgets = await discovery.resources()
        assert pods.gvk == GroupVersionKind("", "v1", "Pod")
        assert pods.gvr == GroupVersionResource("", "v1", "pods")
        assert (pods.singular, pods.short_names, pods.categories) == ("pod", ("po",), ("all",))
        assert (pods.verbs, pods.namespaced) == (("get", "list"), True)
        assert [each.name for each in pods.subresources] == ["status", "log"]
        state = pods.subresource("status")
        assert state is not None
        assert (state.gvk, state.verbs) == (GroupVersionKind("", "v1", "Pod"), ("get",))
        assert pods.subresource("scale") is None
        assert widgets.gvk.api_version == "example.com/v1"
        assert [each.name for each in await discovery.groups()] == ["", "example.com"]
        assert sorted(server.asked) == ["/api", "/apis"]
        (accepted,) = server.accepted
        assert accepted.split(",") == [
            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
            "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList",
            "application/json",
        ]

    using(server, test)


def test_the_aggregated_form_of_older_servers() -> None:
    documents = {
        "/api": aggregated(group("", {"v1": [PODS]}), version="v2beta1"),
        "/apis": aggregated(version="v2beta1"),
    }

    async def test(discovery: Discovery) -> None:
        assert [each.gvr.resource for each in await discovery.resources()] == ["pods"]

    using(DiscoveryServer(documents), test)


def test_the_old_form() -> None:
    server = DiscoveryServer(old_documents())

    async def test(discovery: Discovery) -> None:
        found = await discovery.resources()
        assert [(str(each.gvr.group_version), each.gvr.resource) for each in found] == [
            ("v1", "pods"),
            ("example.com/v1", "widgets"),
            ("example.com/v1beta1", "widgets"),
            ("example.com/v1beta1", "relics"),
        ]
        preferred = await discovery.resources(preferred=True)
        assert [(each.gvr.version, each.gvr.resource) for each in preferred] == [
            ("v1", "pods"),
            ("v1", "widgets"),
            ("v1beta1", "relics"),
        ]
        assert [(each.name, each.gvk) for each in found[0].subresources] == [
            ("status", GroupVersionKind("", "v1", "Pod"))
        ]
        assert await discovery.preferred_version("example.com") == "v1"
        assert await discovery.preferred_version("") == "v1"
        assert not discovery.failed
        assert len(server.asked) == len(set(server.asked)) == 5

    using(server, test)


def test_the_preferred_version_is_the_servers_choice_as_long_as_it_can_be_read() -> None:
    server = DiscoveryServer(old_documents())
    server.documents["/apis"]["groups"][0]["preferredVersion"]["version"] = "v1beta1"

    async def test(discovery: Discovery) -> None:
        mapper = Mapper(discovery)
        assert await discovery.preferred_version("example.com") == "v1beta1"
        assert (await mapper.resource("widgets")).gvr.version == "v1beta1"
        server.documents["/apis/example.com/v1beta1"] = status(503, "ServiceUnavailable")
        await discovery.refresh()
        assert await discovery.preferred_version("example.com") == "v1"
        assert (await mapper.resource("widgets")).gvr.version == "v1"
        assert [each.versions for each in await discovery.groups()] == [("v1",), ("v1", "v1beta1")]

    using(server, test)


def test_a_server_of_aggregated_groups_has_no_core_group() -> None:
    documents = aggregated_documents()
    del documents["/api"]

    async def test(discovery: Discovery) -> None:
        assert [each.name for each in await discovery.groups()] == ["example.com"]

    using(DiscoveryServer(documents), test)


def test_a_mixture_of_forms() -> None:
    documents = {**old_documents(), "/api": aggregated(group("", {"v1": [PODS]}))}

    async def test(discovery: Discovery) -> None:
        assert len(await discovery.resources()) == 4
        assert "/api/v1" not in server.asked

    server = DiscoveryServer(documents)
    using(server, test)


def test_a_stale_group_does_not_break_the_rest() -> None:
    documents = aggregated_documents(v2=None, v1=[resource("widgets", "Widget")])
    documents["/apis"]["items"].append(group("metrics.k8s.io", {"v1beta1": None}))

    async def test(discovery: Discovery) -> None:
        found = await discovery.resources()
        assert [each.gvr.resource for each in found] == ["pods", "widgets"]
        assert await discovery.preferred_version("example.com") == "v1"
        assert list(discovery.failed) == [
            GroupVersion("example.com", "v2"),
            GroupVersion("metrics.k8s.io", "v1beta1"),
        ]
        error = discovery.failed[GroupVersion("metrics.k8s.io", "v1beta1")]
        assert isinstance(error, ServiceUnavailable)
        assert "APIService" in str(error)
        with pytest.raises(NotFound, match=r"metrics\.k8s\.io/v1beta1 \(.*503 ServiceUnavailable\)"):
            await Mapper(discovery).resource("nodes.metrics.k8s.io")

    using(DiscoveryServer(documents), test)


def test_a_stale_group_that_comes_back_is_found() -> None:
    documents = aggregated_documents(v1=None)
    server = DiscoveryServer(documents)

    async def test(discovery: Discovery) -> None:
        assert len(await discovery.resources()) == 1
        assert len(discovery.failed) == 1
        server.documents = aggregated_documents()
        assert (await Mapper(discovery).resource("widgets")).gvr.version == "v1"
        assert not discovery.failed

    using(server, test)


def test_dead_groups_in_the_old_form_do_not_break_the_rest() -> None:
    released = asyncio.Event()
    documents = old_form(
        {
            "": ["v1"],
            "dead": ["v1"],
            "denied": ["v1"],
            "garbage": ["v1"],
            "gone": ["v1"],
            "slow": ["v1"],
            "well": ["v1"],
        },
        {"v1": OLD_PODS, "well/v1": [old_resource("widgets", "Widget")]},
    )
    documents["/apis/dead/v1"] = status(503, "ServiceUnavailable")
    documents["/apis/denied/v1"] = status(403, "Forbidden")
    documents["/apis/garbage/v1"] = b"<html>bad gateway</html>"
    documents["/apis/slow/v1"] = released

    async def test(discovery: Discovery) -> None:
        try:
            found = await discovery.resources()
            assert [each.gvr.resource for each in found] == ["pods", "widgets"]
            failures = {group_version.group: type(error) for group_version, error in discovery.failed.items()}
            assert failures == {
                "dead": ServiceUnavailable,
                "denied": Forbidden,
                "garbage": DecodeError,
                "slow": RequestTimeout,
            }
            assert list(failures) == sorted(failures)
            slow = discovery.failed[GroupVersion("slow", "v1")]
            assert str(slow).endswith("/apis/slow/v1 was not answered within 2 seconds")
        finally:
            released.set()

    using(DiscoveryServer(documents), test, group_timeout=2)


@pytest.mark.parametrize("path", ["/api", "/apis"])
@pytest.mark.parametrize(
    ("document", "words"),
    [
        (b"<html>welcome</html>", "it is no JSON object"),
        (b"", "it is no JSON object"),
        (b"[]", "it is no JSON object"),
        (b"\xff{", "it is no JSON object"),
        (b"[" * 100_000, "it is no JSON object"),
        ({}, "it is of kind ''"),
        ({"kind": "PodList"}, "it is of kind 'PodList'"),
        ({"kind": "APIGroupDiscoveryList", "items": 5}, "does not answer as an API server does"),
        ({"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v3"}, "v3"),
    ],
)
def test_what_is_no_api_server_is_told_in_one_sentence(path: str, document: Any, words: str) -> None:
    documents = aggregated_documents()
    documents[path] = document

    async def test(discovery: Discovery) -> None:
        with pytest.raises(TransportError, match="does not answer as an API server does") as raised:
            await discovery.groups()
        assert words in str(raised.value)
        assert "\n" not in str(raised.value)
        # It is not remembered: the next one asks again.
        server.documents = aggregated_documents()
        assert len(await discovery.groups()) == 2

    server = DiscoveryServer(documents)
    using(server, test)


def test_a_refusal_of_everything_is_raised() -> None:
    async def test(discovery: Discovery) -> None:
        with pytest.raises(Forbidden):
            await discovery.groups()

    using(DiscoveryServer({**aggregated_documents(), "/apis": status(403, "Forbidden")}), test)
