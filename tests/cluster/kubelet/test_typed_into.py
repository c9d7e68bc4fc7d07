"""Containers that run a shell for somebody to type into: they wait for it, and end with it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from kubewright.cluster.kubelet import pod_life
from kubewright.cluster.kubelet.pod_life import live
from kubewright.cluster.kubelet.script import PREFIX
from kubewright.cluster.kubelet.typed_into import ATTACHED_WITHIN, Exits, shell_of, waits_for_input
from kubewright.controllers.requests import Request
from kubewright.models.core_v1 import Container, EphemeralContainer, Pod
from tests.cluster.clusters import eventually
from tests.cluster.kubelet.played import ADDRESSES, START, Played
from tests.cluster.kubelet.stream_scenes import Scene, on_cluster

SHELL: dict[str, Any] = {"name": "main", "image": "busybox", "stdin": True, "args": ["sh"]}
ONCE = {**SHELL, "stdinOnce": True}
SCRIPT = {**ONCE, "args": ["sh", "-c", "cat; echo done"]}
POD = Request("n", "a")


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
    assert waits_for_input(added)
    scripted = EphemeralContainer.from_dict({**SHELL, "args": ["sh", "-c", "ls"]})
    assert waits_for_input(scripted)


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


@pytest.mark.parametrize("policy", ["Never", "OnFailure"])
def test_a_script_to_which_nobody_attaches_ends_by_itself(policy: str) -> None:
    played = Played(restartPolicy=policy, containers=[SCRIPT])
    assert played.at(0).due == pytest.approx(ATTACHED_WITHIN)
    assert played.state() == "running"
    assert played.at(ATTACHED_WITHIN).due is None
    assert (played.phase, played.state()) == ("Succeeded", "terminated 0 Completed")


def test_one_that_is_attached_to_goes_on() -> None:
    played = Played(restartPolicy="Never", containers=[SCRIPT])
    played.at(0)
    (status,) = played.pod.status.container_statuses
    later = START + timedelta(seconds=1000)
    life = live(played.pod, later, played.times, ADDRESSES, attached=[status.container_id])
    assert (life.status.phase, life.due) == ("Running", None)


def test_one_that_is_always_restarted_goes_on_without_anybody() -> None:
    played = Played(restartPolicy="Always", containers=[SCRIPT])
    assert played.at(0).due is None
    assert played.state() == "running"


@pytest.mark.parametrize("said", [{"exit-code": "3"}, {"exit-code": "3", "run-for": "0s"}])
def test_what_is_said_of_a_script_comes_before_the_wait(said: dict[str, str]) -> None:
    played = Played(restartPolicy="Never", containers=[SCRIPT], script=said)
    played.at(0)
    assert (played.phase, played.state()) == ("Failed", "terminated 3 Error")


def test_an_exit_is_told_once_and_counts_for_one_start() -> None:
    exits, woken = Exits(), list[Request]()
    exits.wake = woken.append
    pod = Pod.from_dict({"metadata": {"name": "a", "namespace": "n", "uid": "u"}})
    exits.note(pod, "first", 3)
    assert [str(each) for each in woken] == ["n/a"]
    told = exits.of(POD)
    exits.note(pod, "second", 4)
    exits.forget(POD, told)
    assert exits.of(POD) == {"second": 4}
    exits.forget(POD)
    assert exits.of(POD) == {}
    assert exits._codes == {}


def test_an_exit_that_comes_while_there_is_none_to_tell_is_kept() -> None:
    exits = Exits()
    told = exits.of(POD)
    exits.note(Pod.from_dict({"metadata": {"name": "a", "namespace": "n", "uid": "u"}}), "first", 3)
    exits.forget(POD, told)
    assert exits.of(POD) == {"first": 3}


def test_who_is_attached_is_known_until_the_last_one_goes() -> None:
    exits, woken = Exits(), list[Request]()
    exits.wake = woken.append
    pod = Pod.from_dict({"metadata": {"name": "a", "namespace": "n", "uid": "u"}})
    with exits.attaching(pod, "first"):
        with exits.attaching(pod, "first"), exits.attaching(pod, "second"):
            assert list(exits.attached) == ["first", "second"]
        assert list(exits.attached) == ["first"]
        woken.clear()
    assert list(exits.attached) == []
    assert woken == [POD]


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


def test_a_service_outlives_who_attaches_to_it() -> None:
    """What it runs is no answer to whoever attaches: that would be an end that nobody asked for."""
    service = {**SHELL, "command": ["sh", "-c", "trap : TERM; sleep infinity & wait"], "args": []}

    async def test(on: Scene) -> None:
        said = {f"{PREFIX}log": "tick", f"{PREFIX}log-every": "20ms"}
        spec = {"nodeName": "node-1", "containers": [service]}
        await on.pods.create(Pod.from_dict({"metadata": {"name": "p", "annotations": said}, "spec": spec}))
        await eventually(lambda: on.is_running("p"), "the pod does not run")
        async with on.pods.attach("p", stdin=True) as session:
            await session.write("nobody reads this\n")
            await session.close_stdin()
            assert (await anext(aiter(session)))[1].startswith(b"tick\n")
        await eventually(on.nothing_open, "somebody is still attached")
        (status,) = (await on.pods.get("p")).status.container_statuses
        assert status.state.running is not None
        assert status.restart_count == 0

    on_cluster(test)


def test_a_script_is_run_for_whoever_attaches() -> None:
    async def test(on: Scene) -> None:
        await run(on, SCRIPT)
        async with on.pods.attach("p", stdin=True) as session:
            await session.write("typed\n")
            await session.close_stdin()
            assert b"".join([data async for _, data in session]) == b"typed\ndone\n"
        assert await end(on) == ("Succeeded", 0)

    on_cluster(test)


def test_a_script_is_not_ended_while_somebody_is_attached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pod_life, "ATTACHED_WITHIN", 1e6)

    async def test(on: Scene) -> None:
        await run(on, SCRIPT)
        async with on.pods.attach("p", stdin=True) as session:
            await session.write("typed\n")
            output = aiter(session)
            assert await anext(output) == ("stdout", b"typed\n")
            monkeypatch.setattr(pod_life, "ATTACHED_WITHIN", 0.0)
            # A change that the kubelet tells of, so that it is known when it has looked at the pod.
            changed = await on.pods.patch("p", {"spec": {"activeDeadlineSeconds": 100_000}})
            wanted = changed.metadata.generation
            pod = await on.pods.wait_for(
                "p", lambda pod: pod.status.observed_generation == wanted, timeout=60
            )
            assert pod.status.phase == "Running"
            await session.close_stdin()
            assert await anext(output) == ("stdout", b"done\n")
        assert await end(on) == ("Succeeded", 0)

    on_cluster(test)
