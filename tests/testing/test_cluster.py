"""Clusters start and stop, many times and many at once, and leave nothing behind."""

from __future__ import annotations

import asyncio
import gc
import os
import socket
import ssl
import threading
from collections.abc import Callable
from contextlib import AsyncExitStack, ExitStack
from itertools import pairwise
from pathlib import Path

import pytest

from kubewright.machinery.errors import KubewrightError
from kubewright.testing import Cluster
from tests.server.raw_http import Connection, ask, failure
from tests.testing.late_connections import coming, left_open

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"

PATIENCE = 60.0
"""Seconds that a stop may take; it waits 2 for requests that are under way."""


def config_map(name: str) -> bytes:
    """The JSON of a ConfigMap."""
    return b'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"%s"}}' % name.encode()


def names(cluster: Cluster) -> set[str]:
    """What ConfigMaps there are."""
    answer = ask(cluster, "GET", CONFIG_MAPS)
    assert answer is not None
    assert answer.status == 200
    return {item["metadata"]["name"] for item in answer.json()["items"]}


def are_isolated(clusters: list[Cluster]) -> None:
    """Fail unless each has its own objects, address and credentials."""
    for number, cluster in enumerate(clusters):
        created = ask(cluster, "POST", CONFIG_MAPS, config_map(f"of-{number}"))
        assert created is not None
        assert created.status == 201
    for number, cluster in enumerate(clusters):
        assert names(cluster) & {f"of-{each}" for each in range(len(clusters))} == {f"of-{number}"}
    assert len({cluster.url for cluster in clusters}) == len(clusters)
    assert len({cluster.token for cluster in clusters}) == len(clusters)
    assert len({cluster.kubeconfig for cluster in clusters}) == len(clusters)
    for cluster, other in pairwise(clusters):
        headers = {"Authorization": f"Bearer {other.token}"}
        failure(ask(cluster, "GET", CONFIG_MAPS, headers=headers), 401)
        with pytest.raises(ssl.SSLError):
            Connection(cluster, context=ssl.create_default_context(cafile=other.ca_file))


def test_ten_in_threads() -> None:
    with ExitStack() as stack:
        are_isolated([stack.enter_context(Cluster.in_thread(controllers="none")) for _ in range(10)])


def test_ten_in_one_loop() -> None:
    async def run() -> None:
        async with AsyncExitStack() as stack:
            clusters = [await stack.enter_async_context(Cluster(controllers="none")) for _ in range(10)]
            await asyncio.to_thread(are_isolated, clusters)

    asyncio.run(run())


def test_one_that_ends_leaves_the_others_alone() -> None:
    with Cluster.in_thread(controllers="none") as stays:
        with Cluster.in_thread(controllers="none") as goes:
            assert ask(goes, "GET", "/readyz") is not None
        assert ask(stays, "GET", "/readyz") is not None
        with pytest.raises(ConnectionError):
            Connection(goes)


def test_starting_twice_is_refused() -> None:
    async def run() -> None:
        cluster = Cluster(controllers="none")
        async with cluster:
            with pytest.raises(KubewrightError, match="runs already"):
                await cluster.__aenter__()
            answer = await asyncio.to_thread(ask, cluster, "GET", "/readyz")
            assert answer is not None
            assert answer.status == 200

    asyncio.run(run())


def in_thread(port: int) -> None:
    """Start and stop a cluster in a thread."""
    with Cluster.in_thread(controllers="none", port=port):
        pass


def in_loop(port: int) -> None:
    """Start and stop a cluster in a loop."""

    async def run() -> None:
        async with Cluster(controllers="none", port=port):
            pass

    asyncio.run(run())


@pytest.mark.parametrize("start", [in_thread, in_loop])
def test_a_busy_port_is_refused_and_leaves_nothing(start: Callable[[int], None]) -> None:
    threads = threading.active_count()
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        with pytest.raises(KubewrightError, match=str(port)):
            start(port)
    assert threading.active_count() == threads


def test_the_port_may_be_chosen() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    for _ in range(2):
        with Cluster.in_thread(controllers="none", port=port) as cluster:
            assert cluster.url == f"https://127.0.0.1:{port}"
            assert ask(cluster, "GET", "/readyz") is not None


def test_only_loopback_is_listened_on() -> None:
    with Cluster.in_thread(controllers="none") as cluster:
        port = int(cluster.url.rpartition(":")[2])
        with socket.socket(socket.AF_INET6) as six, pytest.raises(OSError):  # noqa: PT011 - refused or no IPv6
            six.connect(("::1", port))
        # An address of this machine that is not what the server listens on.
        with socket.socket() as elsewhere, pytest.raises(OSError):  # noqa: PT011 - refused or unreachable
            elsewhere.connect(("127.0.0.2", port))


def test_what_it_wrote_is_gone_afterwards() -> None:
    with Cluster.in_thread(controllers="none") as cluster:
        files = [cluster.kubeconfig, cluster.ca_file, cluster.client_cert_file, cluster.client_key_file]
        for file in files:
            assert Path(file).stat().st_mode & 0o777 == 0o600
        folder = Path(cluster.kubeconfig).parent
    assert not folder.exists()
    assert not any(Path(file).exists() for file in files)


def test_open_watches_and_half_sent_requests_do_not_hold_up_the_end() -> None:
    stack = ExitStack()
    cluster = stack.enter_context(Cluster.in_thread(controllers="none"))
    held = [Connection(cluster) for _ in range(12)]
    for connection in held[:4]:
        connection.send(connection.head("GET", f"{CONFIG_MAPS}?watch=1"))
        assert connection.socket.recv(1) == b"H"
    for connection in held[4:8]:
        connection.send(connection.head("POST", CONFIG_MAPS, {"Content-Length": "99"}) + b"{")
    # In a thread, so that a stop that waits for its clients fails this test and does not hang them all.
    stopping = threading.Thread(target=stack.close, daemon=True)
    stopping.start()
    stopping.join(PATIENCE)
    stopped = not stopping.is_alive()
    for connection in held:
        connection.socket.close()
    stopping.join(PATIENCE)
    assert stopped


def test_connections_that_come_as_it_ends_are_closed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    with left_open(monkeypatch) as left, ExitStack() as late:
        for _ in range(3):
            with Cluster.in_thread(controllers="none") as cluster:
                late.enter_context(coming(cluster.url.removeprefix("https://")))
            late.close()
    assert left == []


def test_a_handshake_that_ends_after_the_server_leads_to_nobody() -> None:
    async def test() -> None:
        async with Cluster(controllers="none") as cluster:
            host, _, port = cluster.url.removeprefix("https://").rpartition(":")
            connected = await asyncio.to_thread(socket.create_connection, (host, int(port)), PATIENCE)
            # Accepted, since a request that came after it is answered.
            await asyncio.to_thread(names, cluster)
        context = ssl.create_default_context(cafile=None)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE

        def shaken() -> bytes:
            with context.wrap_socket(connected) as secured:
                return secured.recv(1)

        assert await asyncio.to_thread(shaken) == b""

    asyncio.run(test())


def test_an_error_in_the_block_comes_out() -> None:
    with pytest.raises(ZeroDivisionError), Cluster.in_thread(controllers="none") as cluster:
        raise ZeroDivisionError
    with pytest.raises(ConnectionError):
        Connection(cluster)


def open_files() -> int:
    """How many descriptors this process has open."""
    gc.collect()
    return len(os.listdir("/proc/self/fd"))


def threads_of_clusters() -> int:
    """How many threads there are beside those that the loop lends out, which may become more at any time."""
    return sum(not thread.name.startswith("asyncio_") for thread in threading.enumerate())


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts descriptors in /proc")
def test_fifty_starts_and_stops_leak_nothing() -> None:
    async def start_and_stop() -> None:
        async with Cluster(controllers="none") as cluster:
            answer = await asyncio.to_thread(ask, cluster, "GET", "/readyz")
            assert answer is not None
            assert answer.status == 200

    async def run() -> None:
        for _ in range(2):
            await start_and_stop()
        tasks, files, threads = len(asyncio.all_tasks()), open_files(), threads_of_clusters()
        for _ in range(40):
            await start_and_stop()
        assert len(asyncio.all_tasks()) == tasks
        assert open_files() <= files
        assert threads_of_clusters() <= threads

    asyncio.run(run())
    files, threads = open_files(), threads_of_clusters()
    for _ in range(10):
        with Cluster.in_thread(controllers="none") as cluster, Connection(cluster) as connection:
            connection.send(connection.head("GET", f"{CONFIG_MAPS}?watch=1"))
            assert connection.socket.recv(1) == b"H"
    assert open_files() <= files
    assert threads_of_clusters() <= threads
