"""Logs, commands and attachments, with our client."""

from __future__ import annotations

import pytest

from kubewright import NotFound
from kubewright.client.streams.commands import CommandFailed
from kubewright.cluster.kubelet.script import PREFIX
from kubewright.machinery.errors import ApiError, BadRequest
from kubewright.server.handlers.subresources.kubelets import FollowedPod
from tests.cluster.clusters import eventually
from tests.cluster.kubelet.stream_scenes import Scene, on_cluster


def test_logs() -> None:
    async def test(on: Scene) -> None:
        await on.run(log="one\ntwo\nthree")
        assert await on.pods.log_text("p") == "one\ntwo\nthree\n"
        assert [line async for line in on.pods.logs("p", tail=2)] == ["two", "three"]
        assert await on.pods.log_text("p", limit_bytes=5) == "one\nt"
        with pytest.raises(BadRequest, match='previous terminated container "main" in pod "p" not found'):
            await on.pods.log_text("p", previous=True)
        with pytest.raises(NotFound):
            await on.pods.log_text("absent")
        await eventually(on.nothing_open, "a log is still read")

    on_cluster(test)


def test_a_log_is_followed_to_the_end_of_its_pod() -> None:
    async def test(on: Scene) -> None:
        await on.run(log="tick", log_every="20ms")
        lines = on.pods.logs("p", follow=True)
        assert [await anext(lines) for _ in range(10)] == ["tick"] * 10
        await on.pods.delete("p")
        assert {line async for line in lines} <= {"tick"}
        await eventually(on.nothing_open, "the log is still followed")

    on_cluster(test)


def test_a_pod_whose_name_begins_with_that_of_another_is_not_it() -> None:
    async def test(on: Scene) -> None:
        await on.run("p")
        await on.run("p-1")
        store = on.cluster.registry.find("", "v1", "pods")
        assert store is not None
        followed = FollowedPod(store, store.get("default", "p"))
        await on.pods.delete("p-1", grace_period=0)
        await followed.changed(within=0.1)
        assert (followed.gone, followed.object["metadata"]["name"]) == (False, "p")
        await on.pods.patch("p", {"metadata": {"labels": {"a": "b"}}})
        await followed.changed()
        assert followed.object["metadata"]["labels"] == {"a": "b"}
        await on.pods.delete("p", grace_period=0)
        while not followed.gone:
            await followed.changed()

    on_cluster(test)


def test_a_log_ends_with_its_container() -> None:
    async def test(on: Scene) -> None:
        await on.run(run_for="1s", exit_code="3")
        assert [line async for line in on.pods.logs("p", follow=True)][-1] == (
            "container main has ended with exit code 3"
        )

    on_cluster(test)


def test_a_follower_that_leaves_leaves_nothing() -> None:
    async def test(on: Scene) -> None:
        await on.run()
        lines = on.pods.logs("p", follow=True)
        await anext(lines)
        assert on.cluster.connections.count == 1
        await lines.aclose()
        await eventually(on.nothing_open, "the log is still followed")

    on_cluster(test)


def test_commands() -> None:
    async def test(on: Scene) -> None:
        await on.run(exec='{"nginx -t": {"stdout": "out", "stderr": "err", "exitCode": 3}}')
        result = await on.pods.exec("p", ["echo", "hi"])
        assert (result.stdout, result.stderr, result.exit_code) == (b"hi\n", b"", 0)
        result = await on.pods.exec("p", ["nginx", "-t"])
        assert (result.stdout, result.stderr, result.exit_code) == (b"out", b"err", 3)
        with pytest.raises(CommandFailed):
            await on.pods.exec("p", ["false"], check=True)
        much = b"0123456789abcdef" * (128 << 10)
        assert (await on.pods.exec("p", ["cat"], stdin=much)).stdout == much
        assert (await on.pods.exec("p", ["sh", "-c", "cat /nope"], tty=True)).stdout == (
            b"cat: /nope: No such file or directory\r\n"
        )
        await eventually(on.nothing_open, "a command still runs")

    on_cluster(test)


def test_a_session() -> None:
    async def test(on: Scene) -> None:
        await on.run()
        async with on.pods.exec_stream("p", ["sh"], stdin=True, tty=True) as session:
            await session.resize(80, 24)
            await session.write("exit 3\r")
            assert await session.wait() == 3
        async with on.pods.exec_stream("p", ["cat"], stdin=True) as session:
            await session.write("a")
            await session.close_stdin()
            assert [each async for each in session] == [("stdout", b"a")]

    on_cluster(test)


def test_commands_that_cannot_be_run() -> None:
    async def test(on: Scene) -> None:
        await on.run(start_after="1h", running=False)
        with pytest.raises(ApiError, match=r'unable to upgrade connection: container not found \("main"\)'):
            await on.pods.exec("p", ["id"])
        with pytest.raises(BadRequest, match="container other is not valid for pod p"):
            await on.pods.exec("p", ["id"], container="other")

    on_cluster(test)


def test_the_pods_of_other_nodes() -> None:
    async def test(on: Scene) -> None:
        async with on.session.post("/api/v1/nodes", json={"metadata": {"name": "real"}}) as answer:
            assert answer.status == 201
        await on.run(node="real", running=False)
        told = "pod p cannot be reached: the kubelet of node real is none of this server's"
        with pytest.raises(ApiError, match=told):
            await on.pods.log_text("p")

    on_cluster(test)


def test_a_command_ends_with_its_container() -> None:
    async def test(on: Scene) -> None:
        await on.run()
        async with on.pods.exec_stream("p", ["sh", "-c", "echo begun; sleep 1000"]) as session:
            output = aiter(session)
            assert await anext(output) == ("stdout", b"begun\n")
            await on.pods.delete("p")
            assert [each async for each in output] == []
            assert session.exit_code == 137
        await eventually(on.nothing_open, "a command still runs")

    on_cluster(test)


def test_attaching() -> None:
    async def test(on: Scene) -> None:
        await on.run(log="tick", log_every="20ms")
        async with on.pods.attach("p", stdin=True) as session:
            await session.write("nobody reads this")
            output = aiter(session)
            assert (await anext(output))[1].startswith(b"tick\n")
            await on.pods.delete("p")
            assert {data.replace(b"tick\n", b"") for _, data in [each async for each in output]} <= {b""}
            assert session.exit_code == 0
        await eventually(on.nothing_open, "somebody is still attached")

    on_cluster(test)


def test_a_container_that_was_added_to_look_at_the_others() -> None:
    async def test(on: Scene) -> None:
        # What is said of all containers is not said of it, only what is said of it by name.
        await on.run(log="of the others", exec='{"ps": "1 main"}')
        said = {"exec.typed": '{"ps": "1 sh"}', "log.shown": "tick", "log-every.shown": "20ms"}
        annotations = {f"{PREFIX}{name}": value for name, value in said.items()}
        await on.pods.patch("p", {"metadata": {"annotations": annotations}})
        added = [
            {"name": "typed", "image": "busybox:2", "stdin": True},
            {"name": "shown", "image": "busybox:3", "stdin": True, "command": ["tail", "-f", "/log"]},
        ]
        body = {"spec": {"ephemeralContainers": added}}
        await on.pods.patch("p", body, type="strategic", subresource="ephemeralcontainers")

        async def run() -> bool:
            statuses = (await on.pods.get("p")).status.ephemeral_container_statuses
            return len(statuses) == 2 and all(each.state.running for each in statuses)

        await eventually(run, "they do not run")
        told = await on.pods.log_text("p", container="typed")
        assert told.startswith("container typed (busybox:2) has started\n")
        assert (await on.pods.exec("p", ["ps"], container="typed")).stdout == b"1 sh"
        assert (await on.pods.exec("p", ["hostname"], container="shown")).stdout == b"p\n"
        async with on.pods.attach("p", container="typed", stdin=True) as session:
            await session.write("echo $HOSTNAME\nexit\n")
            assert [each async for each in session] == [("stdout", b"p\n")]
        async with on.pods.attach("p", container="shown", stdin=True) as session:
            await session.write("echo nobody reads this\n")
            output = aiter(session)
            assert (await anext(output))[1].startswith(b"tick\n")
            await on.pods.delete("p")
            assert b"nobody" not in b"".join([data async for _, data in output])
        await eventually(on.nothing_open, "somebody is still attached")

    on_cluster(test)
