"""Discovery over real sockets: both forms, broken groups, and how often the server is asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from kubewright.client.discovery import Discovery
from kubewright.client.mapper import Mapper
from kubewright.client.sender import Sender
from kubewright.machinery.errors import (
    ApiError,
    DecodeError,
    Forbidden,
    NotFound,
    RequestTimeout,
    ServiceUnavailable,
    TransportError,
)
from kubewright.machinery.gvk import GroupVersion, GroupVersionKind, GroupVersionResource
from tests.client.discovery_server import (
    DiscoveryServer,
    aggregated,
    group,
    old_form,
    old_resource,
    resource,
)
from tests.client.peers import peer, run, status

PODS = resource(
    "pods",
    "Pod",
    shortNames=["po"],
    categories=["all"],
    subresources=[
        {
            "subresource": "status",
            "responseKind": {"group": "", "version": "v1", "kind": "Pod"},
            "verbs": ["get"],
        },
        {"subresource": "log", "verbs": ["get"]},
    ],
)
OLD_PODS = [
    old_resource("pods", "Pod", shortNames=["po"], categories=["all"]),
    old_resource("pods/status", "Pod", verbs=["get"], version="v1"),
    old_resource("orphans/status", "Orphan"),
]


def aggregated_documents(**widgets: Any) -> dict[str, Any]:
    versions = widgets or {"v1": [resource("widgets", "Widget")]}
    return {
        "/api": aggregated(group("", {"v1": [PODS]})),
        "/apis": aggregated(group("example.com", versions)),
    }


def old_documents() -> dict[str, Any]:
    return old_form(
        {"": ["v1"], "example.com": ["v1", "v1beta1"]},
        {
            "v1": OLD_PODS,
            "example.com/v1": [old_resource("widgets", "Widget")],
            "example.com/v1beta1": [old_resource("widgets", "Widget"), old_resource("relics", "Relic")],
        },
    )


@asynccontextmanager
async def discovering(server: DiscoveryServer, **options: Any) -> AsyncIterator[Discovery]:
    async with peer(server, tls=False) as made:
        sender = Sender(made.config)
        try:
            yield Discovery(sender, **options)
        finally:
            await sender.close()


def using(server: DiscoveryServer, test: Callable[[Discovery], Awaitable[None]], **options: Any) -> None:
    async def main() -> None:
        async with discovering(server, **options) as discovery:
            await test(discovery)

    run(main)


class Clock:
    """Time that passes when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


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
            assert str(slow).endswith("/apis/slow/v1 was not answered within 0.3 seconds")
        finally:
            released.set()

    using(DiscoveryServer(documents), test, group_timeout=0.3)


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


def test_a_hundred_lookups_at_once_take_one_fetch() -> None:
    server = DiscoveryServer(aggregated_documents())

    async def test(discovery: Discovery) -> None:
        mapper = Mapper(discovery)
        names = ["pods", "po", "Pod", "widgets", "widget.example.com"] * 20
        async with asyncio.TaskGroup() as tasks:
            found = [tasks.create_task(mapper.resource(name)) for name in names]
        assert {task.result().gvr.resource for task in found} == {"pods", "widgets"}
        assert sorted(server.asked) == ["/api", "/apis"]

    using(server, test)


def test_an_error_goes_to_all_who_wait_with_one_fetch() -> None:
    server = DiscoveryServer({"/api": status(403, "Forbidden"), "/apis": status(403, "Forbidden")})

    async def test(discovery: Discovery) -> None:
        mapper = Mapper(discovery)
        results = await asyncio.gather(*[mapper.resource("pods") for _ in range(50)], return_exceptions=True)
        assert {type(result) for result in results} == {Forbidden}
        assert server.count() == 1

    using(server, test)


def test_what_is_known_is_not_asked_for_again() -> None:
    server = DiscoveryServer(aggregated_documents())

    async def test(discovery: Discovery) -> None:
        mapper = Mapper(discovery)
        for _ in range(5):
            await mapper.endpoint(GroupVersionKind("example.com", "v1", "Widget"))
        assert server.count() == 1
        await discovery.refresh()
        assert server.count() == 2

    using(server, test)


def test_a_miss_asks_again_so_that_what_was_just_defined_is_found() -> None:
    server = DiscoveryServer(aggregated_documents())

    async def test(discovery: Discovery) -> None:
        mapper = Mapper(discovery)
        await discovery.served()
        server.documents = aggregated_documents(v1=[resource("gadgets", "Gadget")])
        assert (await mapper.resource("gadgets")).gvk.kind == "Gadget"
        assert server.count() == 2
        # What has gone is known until then; the request itself gets the server's 404.
        with pytest.raises(NotFound):
            await mapper.resource("widgets")

    using(server, test)


def test_the_first_fetch_is_fresh_enough_for_a_miss() -> None:
    server = DiscoveryServer(aggregated_documents())

    async def test(discovery: Discovery) -> None:
        with pytest.raises(NotFound):
            await Mapper(discovery).resource("gadgets")
        assert server.count() == 1

    using(server, test)


def test_a_name_that_is_not_there_asks_at_most_once_a_second() -> None:
    clock = Clock()
    server = DiscoveryServer(aggregated_documents())

    async def test(discovery: Discovery) -> None:
        mapper = Mapper(discovery)
        for _ in range(10):
            with pytest.raises(NotFound):
                await mapper.resource("gadgets")
        assert server.count() == 10
        assert clock.slept == [pytest.approx(1.0)] * 9
        # Another name does not wait for that one.
        with pytest.raises(NotFound):
            await mapper.resource("gizmos")
        assert len(clock.slept) == 9
        clock.now += 0.75
        with pytest.raises(NotFound):
            await mapper.resource("gizmos")
        assert clock.slept[9:] == [pytest.approx(0.25)]
        clock.now += 1.5
        with pytest.raises(NotFound):
            await mapper.resource("gizmos")
        assert len(clock.slept) == 10

    using(server, test, clock=clock, sleep=clock.sleep)


def test_the_wait_after_a_miss_ends_with_what_was_defined_meanwhile() -> None:
    clock = Clock()
    server = DiscoveryServer(aggregated_documents())

    async def test(discovery: Discovery) -> None:
        mapper = Mapper(discovery)
        with pytest.raises(NotFound):
            await mapper.resource("gadgets")
        server.documents = aggregated_documents(v1=[resource("gadgets", "Gadget")])
        assert (await mapper.resource("gadgets")).gvk.kind == "Gadget"

    using(server, test, clock=clock, sleep=clock.sleep)


def test_many_misses_of_one_name_share_their_fetches() -> None:
    clock = Clock()
    server = DiscoveryServer(aggregated_documents())

    async def test(discovery: Discovery) -> None:
        mapper = Mapper(discovery)
        await discovery.served()
        results = await asyncio.gather(*[mapper.resource("no") for _ in range(100)], return_exceptions=True)
        assert {type(result) for result in results} == {NotFound}
        assert server.count() == 2
        assert clock.slept == []

    using(server, test, clock=clock, sleep=clock.sleep)


def test_who_misses_while_another_asks_waits_before_asking_again() -> None:
    clock = Clock()
    server = DiscoveryServer(aggregated_documents())

    async def test(discovery: Discovery) -> None:
        mapper = Mapper(discovery)
        await discovery.served()
        server.held = held = asyncio.Event()
        arrived = asyncio.Event()
        server.on_request = lambda path: arrived.set() if path == "/apis" else None
        first = asyncio.create_task(mapper.resource("no"))
        await arrived.wait()
        second = asyncio.create_task(mapper.resource("no"))
        await asyncio.sleep(0)
        assert clock.slept == [pytest.approx(1.0)]
        held.set()
        results = await asyncio.gather(first, second, return_exceptions=True)
        assert [type(result) for result in results] == [NotFound, NotFound]
        assert server.count() == 3

    using(server, test, clock=clock, sleep=clock.sleep)


def test_names_that_are_not_there_take_no_memory_without_end() -> None:
    async def test(discovery: Discovery) -> None:
        await asyncio.gather(*[discovery.find(lambda _: None, key=number) for number in range(2500)])
        assert 0 < len(discovery._missed) <= 1000

    using(DiscoveryServer(aggregated_documents()), test)


def test_a_fetch_that_began_before_the_lookup_does_not_count() -> None:
    """Something is defined while a fetch is under way that does not see it; who looks for it finds it."""
    server = DiscoveryServer(aggregated_documents())

    async def test(discovery: Discovery) -> None:
        mapper = Mapper(discovery)
        await discovery.served()
        server.held = held = asyncio.Event()
        arrived = asyncio.Event()
        server.on_request = lambda path: arrived.set() if path == "/apis" else None
        async with asyncio.TaskGroup() as tasks:
            early = tasks.create_task(discovery.refresh())
            await arrived.wait()
            server.documents = aggregated_documents(v1=[resource("gadgets", "Gadget")])
            server.held = None
            late = tasks.create_task(mapper.resource("gadgets"))
            later = tasks.create_task(discovery.refresh())
            await asyncio.sleep(0)
            held.set()
        assert [each.gvk.kind for each in early.result().resources()] == ["Pod", "Widget"]
        assert late.result().gvk.kind == "Gadget"
        assert [each.gvk.kind for each in later.result().resources()] == ["Pod", "Gadget"]
        assert server.count() == 3

    using(server, test)


def test_one_who_gives_up_does_not_take_the_fetch_from_the_others() -> None:
    server = DiscoveryServer(aggregated_documents())

    async def test(discovery: Discovery) -> None:
        server.held = held = asyncio.Event()
        arrived = asyncio.Event()
        server.on_request = lambda path: arrived.set() if path == "/apis" else None
        first = asyncio.create_task(discovery.groups())
        second = asyncio.create_task(discovery.groups())
        await arrived.wait()
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        held.set()
        assert len(await second) == 2
        assert server.count() == 1

    using(server, test)


def test_when_all_give_up_the_next_one_asks_anew() -> None:
    server = DiscoveryServer(aggregated_documents())

    async def test(discovery: Discovery) -> None:
        server.held = held = asyncio.Event()
        arrived = asyncio.Event()
        server.on_request = lambda path: arrived.set() if path == "/apis" else None
        only = asyncio.create_task(discovery.groups())
        await arrived.wait()
        only.cancel()
        with pytest.raises(asyncio.CancelledError):
            await only
        held.set()
        assert len(await discovery.groups()) == 2

    using(server, test)


def test_a_broken_connection_keeps_what_is_known() -> None:
    server = DiscoveryServer(aggregated_documents())

    async def test(discovery: Discovery) -> None:
        await discovery.served()
        server.documents = {"/api": status(500, "InternalError"), "/apis": status(500, "InternalError")}
        with pytest.raises(ApiError):
            await discovery.refresh()
        assert len(await discovery.resources()) == 2

    using(server, test)
