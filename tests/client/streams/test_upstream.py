"""Against upstream's own streaming code: cri-streaming behind the handlers of API servers.

`tests/streaming` is the node's end, with processes of this machine as containers.
"""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from kubewright.client.api import Api
from kubewright.client.client import Client
from kubewright.config import Config, StaticCredentials
from kubewright.machinery.errors import BadRequest, InternalError, KubewrightError, NotFound, TransportError
from kubewright.models.core_v1 import Node, Pod
from tests.client.peers import run
from tests.client.streams.test_port_forward import dead_port, echo_server
from tests.realcluster.binaries import find_binaries
from tests.realcluster.server import RealServer

SOURCE = Path(__file__).parents[2] / "streaming"
MEGABYTES = b"0123456789abcdef" * (10 << 16)


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of the node's end."""
    go = shutil.which("go")
    if go is None:
        pytest.fail("these tests need Go; `make test` leaves them out, `make test-real` runs them")
    binary = tmp_path_factory.mktemp("streaming") / "streaming"
    subprocess.run([go, "build", "-o", str(binary), "."], cwd=SOURCE, check=True)
    with subprocess.Popen(
        [str(binary)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().decode().strip()
        process.kill()


@pytest.fixture(scope="module")
def handlers(node: str) -> Config:
    """The handlers of an API server in front of it."""
    return Config(server=node, insecure=True)


@pytest.fixture(scope="module")
def real_server(node: str) -> Iterator[RealServer]:
    """A real kube-apiserver, whose one node that is; its pods are "web" and "two-containers"."""
    with RealServer(fsync=False) as server:
        asyncio.run(_populate(_config(server), int(node.rpartition(":")[2])))
        yield server


@pytest.fixture(scope="module")
def real(real_server: RealServer) -> Config:
    return _config(real_server)


def _config(server: RealServer) -> Config:
    return Config(
        server=server.url,
        authority=Path(server.ca_file).read_bytes(),
        credentials=StaticCredentials(token=server.token),
    )


async def _populate(config: Config, port: int) -> None:
    async with Client(config) as client:
        nodes, pods = client.api(Node), client.api(Pod, "default")
        # A server that has just begun makes it by itself.
        await client.core_v1.namespaces().wait_for("default", lambda _: True, timeout=60)
        made = await nodes.create({"metadata": {"name": "node"}})
        made.status = Node.from_json(
            b'{"status":{"addresses":[{"type":"InternalIP","address":"127.0.0.1"}],'
            b'"daemonEndpoints":{"kubeletEndpoint":{"Port":%d}}}}' % port
        ).status
        await nodes.update_status(made)
        for name, containers in (("web", ["main"]), ("two-containers", ["main", "other"])):
            spec = {
                "nodeName": "node",
                "containers": [{"name": each, "image": "none"} for each in containers],
            }
            await pods.create({"metadata": {"name": name}, "spec": spec})
            await pods.patch(name, {"status": {"phase": "Running"}}, subresource="status")


@pytest.fixture(
    params=[
        pytest.param(("handlers", "web"), marks=pytest.mark.oracle, id="v5"),
        pytest.param(("handlers", "old"), marks=pytest.mark.oracle, id="v4"),
        pytest.param(("real", "web"), marks=pytest.mark.real, id="kube-apiserver"),
    ]
)
def pod(request: pytest.FixtureRequest) -> tuple[Config, str]:
    """A pod: on a server of today, on one before 1.30, and on a real one."""
    server, name = request.param
    return request.getfixturevalue(server), name


def use(config: Config, test: object) -> None:
    async def main() -> None:
        async with Client(config) as client:
            await test(client.api(Pod, "default"))  # type: ignore[operator]

    run(main)


def test_exec(pod: tuple[Config, str]) -> None:
    config, name = pod

    async def test(pods: Api[Pod]) -> None:
        result = await pods.exec(name, ["sh", "-c", "echo out; echo err >&2; exit 7"])
        assert (result.stdout, result.stderr, result.exit_code) == (b"out\n", b"err\n", 7)
        assert (await pods.exec(name, ["true"])).exit_code == 0
        assert (await pods.exec(name, ["head", "-c", "10000000", "/dev/zero"])).stdout == bytes(10_000_000)
        with pytest.raises(InternalError, match=r"executable file not found in \$PATH"):
            await pods.exec(name, ["no-such-program"])

    use(config, test)


def test_stdin(pod: tuple[Config, str]) -> None:
    config, name = pod

    async def test(pods: Api[Pod]) -> None:
        async with pods.exec_stream(name, ["sh", "-c", "read a; echo $a; exit 3"], stdin=True) as session:
            assert session.protocol == ("v4.channel.k8s.io" if name == "old" else "v5.channel.k8s.io")
            await session.write("a line\n")
            assert b"".join([data async for _, data in session]) == b"a line\n"
            assert session.exit_code == 3
        if name == "old":
            with pytest.raises(KubewrightError, match="cannot end the input"):
                await pods.exec(name, ["cat"], stdin=b"x")
            return
        assert (await pods.exec(name, ["cat"], stdin=MEGABYTES)).stdout == MEGABYTES
        result = await pods.exec(name, ["sh", "-c", "exec <&-; exit 4"], stdin=bytes(1000))
        assert result.exit_code == 4

    use(config, test)


def test_commands_that_do_not_read_their_input(pod: tuple[Config, str]) -> None:
    config, name = pod

    if name == "old":
        return  # Such a server hands bytes on, and stops at the first that the node does not take any more.

    async def test(pods: Api[Pod]) -> None:
        for number in range(50):
            script = ("exit 3", "head -c 300000 >/dev/null; exit 3")[number % 2]
            assert (await pods.exec(name, ["sh", "-c", script], stdin=MEGABYTES * 2)).exit_code == 3

    use(config, test)


def test_terminals(pod: tuple[Config, str]) -> None:
    config, name = pod

    async def test(pods: Api[Pod]) -> None:
        script = "until stty size | grep -q '^45 123$'; do sleep 0.01; done; echo resized; exit 6"
        async with pods.exec_stream(name, ["sh", "-c", script], stdin=True, tty=True) as session:
            await session.resize(123, 45)
            assert b"resized" in b"".join([data async for _, data in session])
            assert session.exit_code == 6

    use(config, test)


def test_attach(pod: tuple[Config, str]) -> None:
    config, name = pod

    async def test(pods: Api[Pod]) -> None:
        async with pods.attach(name, stdin=True) as session:
            await session.write("echo hello; exit 0\n")
            assert [output async for output in session] == [("stdout", b"hello\n")]
            assert session.exit_code == 0

    use(config, test)


def test_port_forward(pod: tuple[Config, str]) -> None:
    config, name = pod

    async def test(pods: Api[Pod]) -> None:
        async with echo_server() as port, pods.port_forward(name, port) as forward:
            async with await forward.open() as connection:
                await connection.write(b"hello bye")
                assert b"".join([data async for data in connection]) == b"hello bye"
            reader, writer = await asyncio.open_connection("127.0.0.1", forward.local_port())
            writer.write(MEGABYTES + b"bye")
            assert await reader.read() == MEGABYTES + b"bye"
            writer.close()
        port = await dead_port()
        async with pods.port_forward(name, port) as forward, await forward.open() as connection:
            with pytest.raises(TransportError, match=r"cannot be used: .*connection refused"):
                await connection.read()

    use(config, test)


def test_copies(pod: tuple[Config, str], tmp_path: Path) -> None:
    config, name = pod

    async def test(pods: Api[Pod]) -> None:
        (tmp_path / "source").mkdir()
        (tmp_path / "source/file").write_bytes(MEGABYTES)
        await pods.copy_from(name, f"{tmp_path}/source", tmp_path / "back")
        assert (tmp_path / "back/file").read_bytes() == MEGABYTES
        if name != "old":
            await pods.copy_to(name, tmp_path / "source", f"{tmp_path}/there")
            assert (tmp_path / "there/file").read_bytes() == MEGABYTES

    use(config, test)


@pytest.mark.real
def test_logs_and_refusals_of_a_real_server(real: Config) -> None:
    async def test(pods: Api[Pod]) -> None:
        lines = [line async for line in pods.logs("web", tail=5, timestamps=True, since=60)]
        assert lines == [
            "sinceSeconds=60&tailLines=5&timestamps=true",
            "first",
            "second \ufffd",
            "last without a newline",
        ]
        followed = pods.logs("web", follow=True)
        async for line in followed:
            if line == "line 20":
                break
        await followed.aclose()
        for refused in (pods.log_text("two-containers"), pods.exec("two-containers", ["true"])):
            with pytest.raises(
                BadRequest, match=r"a container name must be specified for pod two-containers"
            ):
                await refused
        assert (await pods.exec("two-containers", ["true"], container="other")).exit_code == 0
        for missing in (pods.log_text("none"), pods.exec("none", ["true"])):
            with pytest.raises(NotFound, match='pods "none" not found'):
                await missing
        async with pods.port_forward("none", 80) as forward:
            with pytest.raises(NotFound, match='pods "none" not found'):
                await forward.open()

    use(real, test)


@pytest.mark.real
def test_kubectl_gets_the_same(real_server: RealServer) -> None:
    def kubectl(*words: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        command = [find_binaries().kubectl, f"--kubeconfig={real_server.kubeconfig}", *words]
        return subprocess.run(command, input=stdin, capture_output=True, check=False)

    async def test(pods: Api[Pod]) -> None:
        for script, stdin in [
            ("echo out; exit 5", b""),
            ("wc -c; exit 1", MEGABYTES),
            ("head -c 9000000 /dev/zero", b""),
        ]:
            theirs = await asyncio.to_thread(
                kubectl, "exec", "-i", "web", "--", "sh", "-c", script, stdin=stdin
            )
            ours = await pods.exec("web", ["sh", "-c", script], stdin=stdin)
            assert (ours.stdout, ours.exit_code) == (theirs.stdout, theirs.returncode)
        assert (await asyncio.to_thread(kubectl, "logs", "web", "--tail=2")).stdout.decode(
            errors="replace"
        ) == await pods.log_text("web", tail=2)

    use(_config(real_server), test)
