"""Containers that run a shell for somebody to type into: they wait for it, and end with it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from kubewright.cluster.kubelet.pod_life import live
from kubewright.cluster.kubelet.typed_into import Exits, shell_of, waits_for_input
from kubewright.controllers.requests import Request
from kubewright.models.core_v1 import Container, EphemeralContainer, Pod
from tests.cluster.clusters import eventually
from tests.cluster.kubelet.played import ADDRESSES, START, Played
from tests.cluster.kubelet.stream_scenes import Scene, on_cluster

SHELL: dict[str, Any] = {"name": "main", "image": "busybox", "stdin": True, "args": ["sh"]}
ONCE = {**SHELL, "stdinOnce": True}


@pytest.mark.parametrize(
    ("fields", "shell", "waits"),
    [
        ({"stdin": True, "args": ["sh"]}, ["sh"], True),
        ({"stdin": True, "command": ["/bin/bash"], "args": ["-il"]}, ["/bin/bash", "-il"], False),
        ({"stdin": True, "command": ["/bin/bash"], "args": ["-i", "-l"]}, ["/bin/bash", "-i", "-l"], True),
        ({"stdin": True, "args": ["sh", "-c", "cat"]}, ["sh", "-c", "cat"], False),
        ({"stdin": True, "stdinOnce": True, "args": ["sh", "-c", "cat"]}, ["sh", "-c", "cat"], True),
        ({"args": ["sh"]}, [], False),
        ({"stdin": True, "args": ["cat"]}, [], False),
        ({"stdin": True}, [], False),
    ],
)
def test_which_containers_wait_for_input(fields: dict[str, Any], shell: list[str], waits: bool) -> None:
    container = Container.from_dict({"name": "main", "image": "x", **fields})
    assert shell_of(container) == shell
    assert waits_for_input(container) is waits


def test_one_that_was_added_to_look_at_the_others_runs_a_shell() -> None:
    added = EphemeralContainer.from_dict({"name": "debugger", "image": "x", "stdin": True})
    assert shell_of(added) == ["sh"]


@pytest.mark.parametrize("policy", ["Never", "OnFailure"])
def test_it_runs_until_its_shell_has_ended(policy: str) -> None:
    played = Played(restartPolicy=policy, containers=[SHELL])
    played.at(0)
    played.at(1000)
    assert (played.phase, played.state()) == ("Running", "running")
    (status,) = played.pod.status.container_statuses
    life = live(
        played.pod,
        START + timedelta(seconds=1001),
        played.times,
        ADDRESSES,
        {"another": 1, status.container_id: 0},
    )
    (ended,) = life.status.container_statuses
    assert ended.state.terminated is not None
    assert ended.state.terminated.exit_code == 0
    assert life.status.phase == "Succeeded"


def test_what_its_script_says_comes_first() -> None:
    played = Played(restartPolicy="Never", containers=[SHELL], script={"run-for": "5s", "exit-code": "2"})
    played.at(0)
    played.at(6)
    assert (played.phase, played.state()) == ("Failed", "terminated 2 Error")


def test_an_exit_is_told_once_and_counts_for_one_start() -> None:
    exits, woken = Exits(), list[Request]()
    exits.wake = woken.append
    pod = Pod.from_dict({"metadata": {"name": "a", "namespace": "n", "uid": "u"}})
    exits.note(pod, "first", 3)
    assert [str(each) for each in woken] == ["n/a"]
    told = exits.of("u")
    exits.note(pod, "second", 4)
    exits.forget("u", told)
    assert exits.of("u") == {"second": 4}
    exits.forget("u")
    assert exits.of("u") == {}
    assert exits._codes == {}


async def run(on: Scene, container: dict[str, Any], policy: str = "Never") -> None:
    spec = {"nodeName": "node-1", "restartPolicy": policy, "containers": [container]}
    await on.pods.create(Pod.from_dict({"metadata": {"name": "p"}, "spec": spec}))
    await eventually(lambda: on.is_running("p"), "the pod does not run")


async def end(on: Scene) -> tuple[str, int]:
    """The phase of the pod when it has ended, and the exit code of its container."""
    pod = await on.pods.wait_for("p", lambda pod: pod.status.phase in {"Succeeded", "Failed"}, timeout=60)
    ended = pod.status.container_statuses[0].state.terminated
    assert ended is not None
    return pod.status.phase, ended.exit_code


@pytest.mark.parametrize(
    ("typed", "shown", "ended"),
    [
        ("echo $HOSTNAME\nexit 3\n", b"p\n", ("Failed", 3)),
        ("exit\n", b"", ("Succeeded", 0)),
    ],
)
@pytest.mark.parametrize("container", [SHELL, ONCE], ids=["open", "once"])
def test_exit_ends_it(typed: str, shown: bytes, ended: tuple[str, int], container: dict[str, Any]) -> None:
    async def test(on: Scene) -> None:
        await run(on, container)
        async with on.pods.attach("p", stdin=True) as session:
            await session.write(typed)
            assert b"".join([data async for _, data in session]) == shown
        assert await end(on) == ended
        await eventually(on.nothing_open, "somebody is still attached")

    on_cluster(test)


def test_the_end_of_input_ends_one_that_has_it_once() -> None:
    async def test(on: Scene) -> None:
        await run(on, ONCE)
        async with on.pods.attach("p", stdin=True) as session:
            await session.write("false\n")
            await session.close_stdin()
            assert [each async for each in session] == []
        assert await end(on) == ("Failed", 1)

    on_cluster(test)


def test_who_goes_ends_one_that_has_its_input_once() -> None:
    async def test(on: Scene) -> None:
        await run(on, ONCE)
        async with on.pods.attach("p", stdin=True) as session:
            await session.write("echo there\n")
            assert await anext(aiter(session)) == ("stdout", b"there\n")
        assert await end(on) == ("Succeeded", 0)

    on_cluster(test)


@pytest.mark.parametrize("closes", [True, False], ids=["closes stdin", "goes"])
def test_one_whose_input_stays_open_outlives_who_attaches(closes: bool) -> None:
    async def test(on: Scene) -> None:
        await run(on, SHELL)
        for _ in range(2):
            async with on.pods.attach("p", stdin=True) as session:
                await session.write("echo there\n")
                assert await anext(aiter(session)) == ("stdout", b"there\n")
                if closes:
                    await session.close_stdin()
                    assert [each async for each in session] == []
        await eventually(on.nothing_open, "somebody is still attached")
        async with on.pods.attach("p", stdin=True) as session:
            await session.write("exit 7\n")
            assert [each async for each in session] == []
        assert await end(on) == ("Failed", 7), "an earlier one has ended it"

    on_cluster(test)


def test_one_that_is_restarted_ends_and_starts_again() -> None:
    async def test(on: Scene) -> None:
        await run(on, ONCE, "Always")
        async with on.pods.attach("p", stdin=True) as session:
            await session.write("exit 3\n")
            assert [each async for each in session] == []

        pod = await on.pods.wait_for(
            "p", lambda pod: pod.status.container_statuses[0].restart_count == 1, timeout=60
        )
        (status,) = pod.status.container_statuses
        assert status.last_state.terminated is not None
        assert status.last_state.terminated.exit_code == 3
        await eventually(lambda: on.is_running("p"), "it does not run again")
        # It can be typed into again.
        async with on.pods.attach("p", stdin=True) as session:
            await session.write("echo again\n")
            assert await anext(aiter(session)) == ("stdout", b"again\n")

    on_cluster(test)
