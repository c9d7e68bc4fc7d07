"""What reconcilers raise in groups, and managers that are run where or when they cannot be."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from functools import partial, wraps
from typing import Any
from unittest.mock import AsyncMock

import pytest

from kubewright.client.client import Client
from kubewright.config import Config
from kubewright.controllers import Context, Request, Source, Terminal, has_labels
from kubewright.controllers.declared import Declarations
from kubewright.controllers.manager import Manager
from kubewright.controllers.outcomes import OutcomeKind, outcome_of
from kubewright.controllers.stopping import handled_signals
from kubewright.controllers.writes import create_or_update
from kubewright.machinery.errors import Conflict, DeclarationError, NotFound
from kubewright.machinery.status import Status
from kubewright.models.core_v1 import ConfigMap, Pod
from kubewright.testing import run_operator
from kubewright.webhooks import WebhookServer
from tests.controllers.running import config_map, managed, on_a_cluster, until

CONFLICT = Conflict(Status(reason="Conflict", code=409))


@pytest.mark.parametrize(
    ("raised", "kind"),
    [
        ([Terminal("no")], OutcomeKind.TERMINAL),
        ([CONFLICT, ExceptionGroup("inner", [CONFLICT])], OutcomeKind.CONFLICT),
        ([CONFLICT, ValueError("bad")], OutcomeKind.ERROR),
        ([Terminal("no"), CONFLICT], OutcomeKind.ERROR),
    ],
)
def test_a_group_is_what_all_in_it_are(raised: list[Exception], kind: OutcomeKind) -> None:
    assert outcome_of(ExceptionGroup("of a TaskGroup", raised)).kind is kind


def test_an_error_that_cannot_be_shown_is_named() -> None:
    class Unspeakable(Exception):
        def __str__(self) -> str:
            raise RuntimeError("it fails at this too")

    assert outcome_of(Unspeakable()).shown == "Unspeakable"


def test_what_somebody_else_created_meanwhile_is_a_conflict() -> None:
    async def test(client: Client) -> None:
        maps = client.api(ConfigMap, "default")
        await maps.create(config_map("a"))

        async def not_there(_: str) -> ConfigMap:
            raise NotFound(Status(reason="NotFound", code=404))

        maps.get = not_there  # type: ignore[method-assign, assignment]
        with pytest.raises(Conflict, match="somebody else has created it meanwhile"):
            await create_or_update(maps, config_map("a"), lambda _: None)

    on_a_cluster(test)


def test_a_manager_runs_once() -> None:
    async def test(client: Client) -> None:
        async with managed(client, lambda _: None) as manager:
            await until(lambda: manager._runner._begun, "it runs")
            with pytest.raises(RuntimeError, match="a manager runs once"):
                await manager.run()

    on_a_cluster(test)


def test_a_manager_runs_for_the_length_of_a_block() -> None:
    async def test(client: Client) -> None:
        ended: list[str] = []

        async def own() -> None:
            try:
                await asyncio.Event().wait()
            finally:
                ended.append("own")

        webhooks = WebhookServer()

        async def use() -> None:
            async with Manager(client, signals=False, webhooks=webhooks) as manager:
                manager.add(own, leader=False)
                async with manager.running():
                    assert webhooks.url
                    await asyncio.sleep(0)
                    raise ValueError("of the block")

        with pytest.raises(ValueError, match="of the block"):
            await use()
        assert ended == ["own"]

    on_a_cluster(test)


def test_a_manager_that_fails_cancels_the_block() -> None:
    async def test(client: Client) -> None:
        async def own() -> None:
            raise LookupError("of the manager")

        async with Manager(client, signals=False) as manager:
            manager.add(own)
            with pytest.raises(LookupError, match="of the manager"):
                async with manager.running():
                    await asyncio.Event().wait()

    on_a_cluster(test)


def test_signals_in_another_thread() -> None:
    raised: list[str] = []

    async def main() -> None:
        with handled_signals(lambda: None):
            pass

    def run() -> None:
        try:
            asyncio.run(main())
        except RuntimeError as error:
            raised.append(str(error))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert raised == ["signals come to the main thread only; in another one give Manager(signals=False)"]


def test_an_index_of_what_is_not_cached() -> None:
    async def test(client: Client) -> None:
        async with Manager(client, signals=False, uncached=[ConfigMap]) as manager:
            with pytest.raises(LookupError, match="ConfigMap is not cached by this manager"):
                await manager.cached.api(ConfigMap).by("node", "n1")

    on_a_cluster(test)


async def reconcile(ctx: object, request: object) -> None:
    """Stands for a reconciler."""


def mapped(_: object) -> list[Request]:
    return []


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"owns": Pod}, r"owns=Pod is one alone; write owns=\[Pod\]"),
        ({"owns": ["Pod"]}, "owns has 'Pod', which is no kind of the API; give a class such as Pod"),
        ({"owns": [42]}, "owns has 42, which is no kind of the API"),
        ({"watches": ["x"]}, r"watches has 'x', .*; write Source\('x', function\)"),
        ({"watches": [Pod]}, r"watches has Pod, .*; write Source\(Pod, function\)"),
        ({"watches": Source(Pod, mapped)}, r"watches=Source\(...\) is one alone; write watches=\["),
        ({"predicates": ["app=web"]}, r"predicates has 'app=web', .*; labels are has_labels\('app=web'\)"),
        ({"predicates": has_labels("app")}, r"predicates=.* is one alone; write predicates=\["),
        ({"predicates": "app=web"}, r"predicates='app=web' is a text; write predicates=\[...\]"),
    ],
)
def test_what_a_controller_cannot_be_made_of_is_said_at_once(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(DeclarationError, match=sentence):
        Manager(Client(Config(server="https://127.0.0.1"))).controller(ConfigMap, reconcile, **options)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"workers": -1}, "workers is -1; a controller needs one at least"),
        ({"workers": 1.5}, "workers is 1.5; a controller needs one at least"),
        ({"timeout": 0}, "timeout is 0; give more than 0 seconds, or None for no limit"),
        ({"resync": 0}, "resync is 0; give more than 0 seconds, or None for never"),
        ({"resync": "1h"}, "resync is '1h'; give more than 0 seconds, or None for never"),
        ({"warn_after": -3}, "warn_after is -3; give more than 0 seconds"),
    ],
)
def test_numbers_that_cannot_be(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Manager(Client(Config(server="https://127.0.0.1"))).controller(ConfigMap, reconcile, **options)


class Reconciler:
    """A reconciler with what it works with."""

    def plain(self, ctx: object, request: object) -> None: ...

    async def reconcile(self, ctx: object, request: object, *more: object) -> None: ...

    async def __call__(self, ctx: object, request: object) -> None: ...


async def with_one(request: object) -> None: ...


async def with_three(ctx: object, request: object, more: object) -> None: ...


async def with_a_keyword(ctx: object, request: object, *, more: object) -> None: ...


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (mapped, r"controller\(ConfigMap\): mapped is no async function; write async def mapped"),
        (Reconciler().plain, "plain is no async function"),
        (partial(Reconciler().plain, None), "is no async function"),
        (Reconciler, "Reconciler is a class; give a method of an object of it"),
        (with_one, r"with_one\(request\) cannot be called with .*; write async def with_one\(ctx, request\)"),
        (with_three, r"with_three\(ctx, request, more\) cannot be called"),
        (with_a_keyword, "cannot be called with a context and a request"),
        (partial(reconcile, None), "cannot be called with a context and a request"),
    ],
)
def test_functions_that_cannot_be_reconcilers(function: Any, sentence: str) -> None:
    with pytest.raises(DeclarationError, match=sentence):
        Manager(Client(Config(server="https://127.0.0.1"))).controller(ConfigMap, function)


def test_functions_that_can_be_reconcilers() -> None:
    def later(ctx: Context, request: Request) -> Awaitable[None]:
        return reconcile(ctx, request)

    @wraps(reconcile)
    def around(ctx: object, request: object) -> Any:
        return reconcile(ctx, request)

    async def anything(*given: object) -> None: ...

    functions = [reconcile, later, around, anything, Reconciler().reconcile, Reconciler(), AsyncMock()]
    functions += [
        partial(with_three, more=1),
        partial(with_three, None),
        lambda ctx, request: reconcile(request, ctx),
    ]
    manager: Any = Manager(Client(Config(server="https://127.0.0.1")))
    for number, each in enumerate(functions):
        manager.controller(ConfigMap, each, name=f"c{number}")


def test_manifests_say_what_should_be_a_list() -> None:
    kind: Any = Pod
    with pytest.raises(DeclarationError, match=r"owns=Pod is one alone; write owns=\[Pod\]"):
        Declarations().controller(ConfigMap, reconcile, owns=kind)


def test_a_kind_by_its_name_and_a_call_are_no_kind_and_no_function() -> None:
    manager: Any = Manager(Client(Config(server="https://127.0.0.1")))
    with pytest.raises(DeclarationError, match="controller has 'ConfigMap', which is no kind of the API"):
        manager.controller("ConfigMap", reconcile)
    with pytest.raises(DeclarationError, match=r"reconcile\(\) was called; give the function itself"):
        manager.controller(ConfigMap, reconcile(None, None))
    with pytest.raises(DeclarationError, match=r"add: reconcile\(\) was called"):
        manager.add(reconcile(None, None))
    with pytest.raises(DeclarationError, match=r"controller\(ConfigMap\): None is no function"):
        manager.controller(ConfigMap, None)


def test_a_reconciler_that_is_no_async_function_is_named_and_not_called_again() -> None:
    async def test(client: Client) -> None:
        asked: list[Request] = []

        def plain(_: Context, request: Request) -> Any:
            # It might return something to wait for: nobody knows before it is called.
            asked.append(request)

        def set_up(manager: Manager) -> None:
            function: Any = plain
            manager.controller(ConfigMap, function, predicates=[has_labels("mine")])

        await client.api(ConfigMap, "default").create({"metadata": {"name": "a", "labels": {"mine": ""}}})
        async with run_operator(client, set_up) as operator:
            await operator.settled(allow_errors=True)
            (failure,) = operator.errors
            assert str(failure.error).endswith(
                "plain is no async function; write async def " + plain.__qualname__
            )
            await operator.advance(3600, allow_errors=True)
            assert asked == [Request("default", "a")]

    on_a_cluster(test)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Source(42, mapped), "Source has 42, which is no kind of the API"),  # type: ignore[arg-type]
        (lambda: Source(Pod, "x"), r"Source\(Pod\): 'x' is no function; give a function that returns"),  # type: ignore[arg-type]
        (lambda: Source(Pod, mapped, predicates=has_labels("a")), "predicates=.* is one alone"),  # type: ignore[arg-type]
    ],
)
def test_what_a_source_cannot_be_made_of(make: Callable[[], object], sentence: str) -> None:
    with pytest.raises(DeclarationError, match=sentence):
        make()


def test_what_an_index_cannot_be_made_of() -> None:
    manager: Any = Manager(Client(Config(server="https://127.0.0.1")))
    with pytest.raises(DeclarationError, match=r"index\(Pod\): \['node'\] is no dict; write"):
        manager.index(Pod, ["node"])
    with pytest.raises(DeclarationError, match=r"index\(Pod\)\['node'\]: 'x' is no function; give one that"):
        manager.index(Pod, {"node": "x"})
    manager.index(Pod, {"node": lambda pod: [pod.spec.node_name]})


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"client": "https://127.0.0.1"}, "it is a text; give a Client, or none for the usual one"),
        ({"uncached": Pod}, r"uncached=Pod is one alone; write uncached=\[Pod\]"),
        ({"uncached": ["Pod"]}, "uncached has 'Pod', which is no kind of the API"),
        ({"stop_timeout": -1}, "stop_timeout is -1; give 0 seconds or more"),
        ({"stop_timeout": "30s"}, "stop_timeout is '30s'; give 0 seconds or more"),
        ({"leader_election": "My App"}, "leader_election='My App' is no name of a Lease: a lowercase"),
    ],
)
def test_what_a_manager_cannot_be_made_of(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises((DeclarationError, ValueError), match=sentence):
        Manager(**{"client": Client(Config(server="https://127.0.0.1")), **options})
