"""Files to and from containers: tar at both ends of a real WebSocket."""

from __future__ import annotations

import asyncio
import os
import threading
import tracemalloc
from pathlib import Path

import pytest
from aiohttp import web

from kubewright.client.streams.archives import Copied, CopyError
from kubewright.machinery.errors import KubewrightError, ParseError, TransportError
from tests.client.peers import run
from tests.client.streams.pod_server import SUCCESS, V4, Pods, failure, open_sockets, pods_of, until

LARGE = os.urandom(1 << 20) * 10


def tree(root: Path) -> dict[str, bytes | str]:
    """The files of a directory by name, links by where they lead."""
    found: dict[str, bytes | str] = {}
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        found[name] = (
            str(path.readlink()) if path.is_symlink() else "dir" if path.is_dir() else path.read_bytes()
        )
    return found


def some_files(root: Path) -> Path:
    source = root / "source"
    (source / "sub/empty").mkdir(parents=True)
    (source / "large").write_bytes(LARGE)
    (source / "sub/-odd name\n").write_bytes(b"x")
    (source / "sub/link").symlink_to("../large")
    return source


def test_a_directory_there_and_back(tmp_path: Path) -> None:
    async def test() -> None:
        source = some_files(tmp_path)
        (tmp_path / "pod").mkdir()
        async with pods_of(Pods()) as (pods, server):
            copied = await pods.copy_to("web-0", source, f"{tmp_path}/pod/copy", container="main")
            assert copied == Copied(2, len(LARGE) + 1)
            assert tree(tmp_path / "pod/copy") == tree(source)
            assert "container=main" in server.asked[0].target
            assert await pods.copy_from("web-0", f"{tmp_path}/pod/copy/", tmp_path / "back") == copied
            assert tree(tmp_path / "back") == tree(source)
            # Into directories, by the slash at the end; and onto what is there.
            await pods.copy_to("web-0", source / "large", f"{tmp_path}/pod/")
            assert (tmp_path / "pod/large").read_bytes() == LARGE
            await pods.copy_from("web-0", f"{tmp_path}/pod/copy", f"{tmp_path}/more/")
            await pods.copy_from("web-0", f"{tmp_path}/pod/copy", f"{tmp_path}/more/")
            assert tree(tmp_path / "more/copy") == tree(source)
            await pods.copy_from("web-0", f"{tmp_path}/pod/large", tmp_path / "more")
            assert (tmp_path / "more/large").read_bytes() == LARGE
            await pods.copy_from("web-0", f"{tmp_path}/pod/copy/.", tmp_path / "dot")
            assert tree(tmp_path / "dot") == tree(source)

    run(test)


def test_what_tar_complains_of(tmp_path: Path) -> None:
    async def test() -> None:
        async with pods_of(Pods()) as (pods, _):
            with pytest.raises(
                CopyError, match=r"^the tar of pod web-0 failed with exit code 2: tar: .*missing"
            ):
                await pods.copy_from("web-0", f"{tmp_path}/missing", tmp_path / "copy")
            with pytest.raises(
                CopyError, match=r"^the tar of pod web-0 failed with exit code 2: tar: .*nowhere"
            ):
                await pods.copy_to("web-0", some_files(tmp_path), f"{tmp_path}/nowhere/copy")
            with pytest.raises(CopyError, match=r"^there is no .*missing to copy"):
                await pods.copy_to("web-0", tmp_path / "missing", "/tmp/copy")  # noqa: S108 - none is made
            (tmp_path / "file").touch()
            with pytest.raises(CopyError, match=r"^cannot write the copy of"):
                await pods.copy_from("web-0", f"{tmp_path}/source", tmp_path / "file/copy")
            with pytest.raises(ParseError, match="the path in the container is empty"):
                await pods.copy_from("web-0", "", tmp_path)

    run(test)


@pytest.mark.parametrize("exit_code", [None, 126, 127])
def test_containers_without_tar(tmp_path: Path, exit_code: int | None) -> None:
    async def script(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
        if exit_code is None:
            message = 'OCI runtime exec failed: exec: "tar": executable file not found in $PATH: unknown'
            await socket.send_bytes(b"\x03" + failure("InternalError", message=message, code=500))
        else:
            causes = [{"reason": "ExitCode", "message": str(exit_code)}]
            await socket.send_bytes(b"\x03" + failure("NonZeroExitCode", details={"causes": causes}))

    async def test() -> None:
        async with pods_of(Pods(script=script)) as (pods, _):
            with pytest.raises(
                CopyError, match=r"^there is no tar in the container of pod web-0, and copying needs"
            ):
                await pods.copy_from("web-0", "/data", tmp_path / "copy")
            with pytest.raises(
                CopyError, match=r"^there is no tar in the container of pod web-0, and copying needs"
            ):
                await pods.copy_to("web-0", some_files(tmp_path), "/data")

    run(test)


def test_a_tar_that_does_not_wait_for_the_end_of_its_input(tmp_path: Path) -> None:
    async def script(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
        # It has seen the end of the archive, and does not read the rest of the record.
        received = b""
        while not received.endswith(bytes(1024)):
            received += (await socket.receive_bytes())[1:]
        await socket.send_bytes(SUCCESS)

    async def test() -> None:
        source = some_files(tmp_path)
        async with pods_of(Pods(script=script)) as (pods, _):
            for _ in range(20):
                assert (await pods.copy_to("web-0", source / "sub", "/data")).files == 1

    run(test)


def test_containers_that_send_no_archive(tmp_path: Path) -> None:
    async def nonsense(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
        await socket.send_bytes(b"\x01hello" * 1000)
        await socket.send_bytes(SUCCESS)

    async def cut(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
        await socket.send_bytes(b"\x01" + bytes(10))
        assert request.transport is not None
        request.transport.abort()

    async def test() -> None:
        async with pods_of(Pods(script=nonsense)) as (pods, _):
            with pytest.raises(CopyError, match=r"^the tar of pod web-0 sent no archive: "):
                await pods.copy_from("web-0", "/data", tmp_path / "copy")
            with pytest.raises(CopyError, match=r"^the tar of pod web-0 ended before it had read all"):
                await pods.copy_to("web-0", some_files(tmp_path), "/data")
        async with pods_of(Pods(script=cut)) as (pods, _):
            with pytest.raises(TransportError, match="broke"):
                await pods.copy_from("web-0", "/data", tmp_path / "copy")
            with pytest.raises(TransportError, match="broke"):
                await pods.copy_to("web-0", tmp_path / "source", "/data")

    run(test)


def test_version_4_has_no_end_of_input(tmp_path: Path) -> None:
    async def test() -> None:
        async with pods_of(Pods(protocols=[V4])) as (pods, _):
            with pytest.raises(KubewrightError, match="cannot end the input of a command"):
                await pods.copy_to("web-0", some_files(tmp_path), f"{tmp_path}/copy")
            await pods.copy_from("web-0", f"{tmp_path}/source", tmp_path / "back")
            assert tree(tmp_path / "back") == tree(tmp_path / "source")

    run(test)


@pytest.mark.parametrize("direction", ["from", "to"])
def test_cancellation_ends_the_thread(tmp_path: Path, direction: str) -> None:
    async def stuck(socket: web.WebSocketResponse, request: web.BaseRequest) -> None:
        started.set()
        assert request.transport is not None
        request.transport.pause_reading()  # type: ignore[attr-defined]
        await released.wait()
        request.transport.abort()

    started, released = asyncio.Event(), asyncio.Event()

    async def test() -> None:
        source = some_files(tmp_path)
        async with pods_of(Pods(script=stuck)) as (pods, _):
            before = open_sockets()
            work = (
                pods.copy_from("web-0", "/data", tmp_path / "copy")
                if direction == "from"
                else pods.copy_to("web-0", source, "/data")
            )
            copying = asyncio.create_task(work)
            await started.wait()
            await until(lambda: any("asyncio" in thread.name for thread in threading.enumerate()))
            copying.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asyncio.wait_for(copying, 20)
            # A thread that went on would keep the loop from ending.
            await asyncio.get_running_loop().shutdown_default_executor()
            await until(lambda: open_sockets() <= before + 1)
            released.set()

    run(test)


def test_large_files_are_not_held_in_memory(tmp_path: Path) -> None:
    size, allowed = 32 << 20, 8 << 20

    async def test() -> None:
        with (tmp_path / "large").open("wb") as file:
            file.truncate(size)
        async with pods_of(Pods()) as (pods, _):
            # What is loaded at first use is no part of it.
            await pods.copy_from("web-0", __file__, tmp_path / "small")
            tracemalloc.start()
            try:
                copied = await pods.copy_to("web-0", tmp_path / "large", f"{tmp_path}/there")
                assert tracemalloc.get_traced_memory()[1] < allowed
                tracemalloc.reset_peak()
                assert await pods.copy_from("web-0", f"{tmp_path}/there", tmp_path / "back") == copied
                assert tracemalloc.get_traced_memory()[1] < allowed
            finally:
                tracemalloc.stop()
        assert (tmp_path / "back").stat().st_size == copied.size == size

    run(test)
