"""The subprotocols of exec, attach and logs over WebSockets, as upstream's streaming server speaks them."""

from __future__ import annotations

import asyncio
import base64
import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.cluster.clusters import eventually
from tests.cluster.kubelet.stream_scenes import EXEC, Scene, on_cluster
from tests.conformance.websocket import Frame, Refused, WebSocket

SOURCE = Path(__file__).parents[2] / "streaming"

BINARY = ["v5.channel.k8s.io", "v4.channel.k8s.io", "channel.k8s.io", ""]
BASE64 = ["v4.base64.channel.k8s.io", "base64.channel.k8s.io"]
API_SERVERS = {"v5.channel.k8s.io"}
"""Spoken by API servers; the others they hand on to kubelets."""
BEFORE_V4 = {"channel.k8s.io", "base64.channel.k8s.io", ""}

FAILURE = "command terminated with non-zero exit code: "
COMMAND = ("sh", "-c", "echo a; echo b >&2; exit 3")


class Peer:
    """A server with a pod `p`."""

    def __init__(self, url: str, ca_file: str | None = None, token: str = "") -> None:
        self._url, self._ca_file, self._token = url, ca_file, token

    def open(self, path: str, *protocols: str) -> WebSocket:
        headers = {"Authorization": f"Bearer {self._token}"}
        return WebSocket(self._url, path, ca_file=self._ca_file, headers=headers, protocols=protocols)

    def exec(self, protocols: list[str], *command: str, **options: str) -> WebSocket:
        query = [*(("command", word) for word in command), ("stdout", "true"), *options.items()]
        return self.open(f"{EXEC}?{urlencode(query)}", *filter(None, protocols))


Use = Callable[[Peer], None]


@pytest.fixture(scope="module")
def streaming(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of upstream's handlers in front of upstream's streaming server."""
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


@pytest.fixture(params=["embedded", pytest.param("upstream", marks=pytest.mark.oracle)])
def use(request: pytest.FixtureRequest) -> Callable[[Use], None]:
    """Runs a test on a server."""
    if request.param == "upstream":
        peer = Peer(request.getfixturevalue("streaming"))
        return lambda test: test(peer)

    def run(test: Use) -> None:
        on_peer(lambda _, peer: test(peer))

    return run


def on_peer(test: Callable[[Scene, Peer], None], **script: str) -> None:
    """Runs a test on the embedded server, and waits until nothing is open."""

    async def main(on: Scene) -> None:
        await on.run(**script)
        cluster = on.cluster
        await asyncio.to_thread(test, on, Peer(cluster.url, cluster.ca_file, cluster.token))
        await eventually(on.nothing_open, "a connection is still open")

    on_cluster(main)


def decoded(frame: Frame | None, protocol: str) -> tuple[int, bytes]:
    """The channel and the data of a message, which is text if and only if the protocol is base64."""
    assert frame is not None
    assert frame.is_text is (protocol in BASE64)
    if protocol in BASE64:
        return int(frame.data[:1]), base64.b64decode(frame.data[1:], validate=True)
    return frame.data[0], frame.data[1:]


def encoded(data: bytes, protocol: str) -> bytes:
    """A message that writes to stdin."""
    return b"0" + base64.b64encode(data) if protocol in BASE64 else b"\x00" + data


@pytest.mark.parametrize("protocol", [*BINARY, *BASE64])
def test_a_command_that_fails(use: Callable[[Use], None], protocol: str) -> None:
    def test(peer: Peer) -> None:
        with peer.exec([protocol], *COMMAND, stderr="true") as socket:
            assert socket.protocol == protocol
            messages = [decoded(frame, protocol) for frame in socket]
        assert messages[0] == (1, b"")
        # Upstream copies the two outputs side by side.
        assert sorted(messages[1:3]) == [(1, b"a\n"), (2, b"b\n")]
        ((channel, ending),) = messages[3:]
        assert channel == 3
        if protocol in BEFORE_V4:
            assert ending.decode().startswith(FAILURE)
        else:
            status = json.loads(ending)
            assert (status["status"], status["reason"]) == ("Failure", "NonZeroExitCode")
            assert status["details"] == {"causes": [{"reason": "ExitCode", "message": "3"}]}
            assert ("metadata" in status) is (protocol in API_SERVERS)

    use(test)


@pytest.mark.parametrize("protocol", [*BINARY, *BASE64])
def test_a_command_that_succeeds(use: Callable[[Use], None], protocol: str) -> None:
    def test(peer: Peer) -> None:
        with peer.exec([protocol], "true") as socket:
            messages = [decoded(frame, protocol) for frame in socket]
        status = b'{"metadata":{},"status":"Success"}' if protocol in API_SERVERS else b'{"status":"Success"}'
        endings = [] if protocol in BEFORE_V4 else [(3, status)]
        assert messages == [(1, b""), *endings]

    use(test)


@pytest.mark.parametrize("as_text", [False, True], ids=["binary", "text"])
@pytest.mark.parametrize("protocol", [*BINARY, *BASE64])
def test_input_comes_as_text_or_as_bytes(use: Callable[[Use], None], protocol: str, *, as_text: bool) -> None:
    def test(peer: Peer) -> None:
        with peer.exec([protocol], "cat", stdin="true") as socket:
            assert decoded(socket.receive(), protocol) == (1, b"")
            for line in (b"one\n", "zwei: \u00fc\n".encode()):
                socket.send(encoded(line, protocol), text=as_text)
                assert decoded(socket.receive(), protocol) == (1, line)

    use(test)


def test_base64_that_is_broken_is_ignored(use: Callable[[Use], None]) -> None:
    def test(peer: Peer) -> None:
        protocol = BASE64[0]
        with peer.exec([protocol], "cat", stdin="true") as socket:
            socket.receive()
            for message in (b"0***", b"", b"9Zm9v", b"\x00Zm9v", b"0Zm9vCg=="):
                socket.send(message, text=True)
            assert decoded(socket.receive(), protocol) == (1, b"foo\n")

    use(test)


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (["v4.channel.k8s.io", "v5.channel.k8s.io"], "v5.channel.k8s.io"),
        (["channel.k8s.io", "v4.channel.k8s.io"], "channel.k8s.io"),
        (["mqtt", "v4.base64.channel.k8s.io", "v4.channel.k8s.io"], "v4.base64.channel.k8s.io"),
    ],
)
def test_which_protocol_is_spoken(use: Callable[[Use], None], offered: list[str], chosen: str) -> None:
    def test(peer: Peer) -> None:
        with peer.exec(offered, "true") as socket:
            assert socket.protocol == chosen

    use(test)


def test_protocols_that_are_not_spoken(use: Callable[[Use], None]) -> None:
    def test(peer: Peer) -> None:
        with pytest.raises(Refused) as refused:
            peer.exec(["mqtt"], "true")
        assert refused.value.status == 403

    use(test)


def test_attach_speaks_them_as_well() -> None:
    def test(_: Scene, peer: Peer) -> None:
        path = "/api/v1/namespaces/default/pods/p/attach?stdout=true"
        for protocol in [*BINARY, *BASE64]:
            with peer.open(path, *filter(None, [protocol])) as socket:
                assert socket.protocol == protocol
                assert decoded(socket.receive(), protocol) == (1, b"")

    on_peer(test, log="hello")


LOG = "/api/v1/namespaces/default/pods/p/log"


@pytest.mark.parametrize("protocol", ["", "binary.k8s.io", "base64.binary.k8s.io"])
def test_logs(protocol: str) -> None:
    """As upstream's wsstream.Reader: an empty message, then at most 2048 bytes in each."""

    def test(_: Scene, peer: Peer) -> None:
        with peer.open(LOG, *filter(None, [protocol])) as socket:
            assert socket.protocol == protocol
            frames = list(socket)
            assert socket.close_code == 1000
        is_text = protocol == "base64.binary.k8s.io"
        assert {frame.is_text for frame in frames} == {is_text}
        pieces = [base64.b64decode(frame.data) if is_text else frame.data for frame in frames]
        assert pieces[0] == b""
        assert "\u00e9" * 1500 in b"".join(pieces).decode()
        assert max(map(len, pieces)) == 2048

    on_peer(test, log="\u00e9" * 1500)


def test_a_log_that_is_followed_ends_with_its_reader() -> None:
    def test(on: Scene, peer: Peer) -> None:
        with peer.open(f"{LOG}?follow=true") as socket:
            assert socket.receive() == Frame(is_text=False, data=b"")
            assert socket.receive() is not None
            # What a client sends is ignored.
            socket.send(b"anything", text=True)
            assert on.cluster.connections.count == 1
        with pytest.raises(Refused) as refused:
            peer.open(LOG, "mqtt")
        assert refused.value.status == 403

    on_peer(test, log="hello")
