"""The file of the audit log: whole lines, each once, whatever the disk does."""

from __future__ import annotations

import asyncio
import logging
import os
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from kubewright.server.audit import log as log_module
from kubewright.server.audit.log import AuditLog, AuditLogUnusable
from kubewright.server.audit.log_file import LogFile

FULL = Path("/dev/full")
PATIENCE = 60.0
"""Seconds that a busy disk and a busy machine may take for a line."""
needs_full = pytest.mark.skipif(not FULL.exists(), reason="there is no device that is always full")


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110 - what a thread writes
            await asyncio.sleep(0.005)


def test_lines_are_in_the_file_a_moment_later_and_nobody_else_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "audit.log"

    async def main() -> None:
        async with AuditLog(path) as log:
            assert path.read_bytes() == b""
            log.write(b"one\n")
            log.write(b"two\n")
            await until(lambda: path.read_bytes() == b"one\ntwo\n")

    asyncio.run(main())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_is_there_stays(tmp_path: Path) -> None:
    path = tmp_path / "audit.log"
    path.write_bytes(b"old\n")

    async def main() -> None:
        async with AuditLog(path) as log:
            log.write(b"new\n")

    asyncio.run(main())
    assert path.read_bytes() == b"old\nnew\n"


def test_a_stop_writes_all_that_waits(tmp_path: Path) -> None:
    path = tmp_path / "audit.log"
    lines = [f"{number}\n".encode() for number in range(10_000)]

    async def main() -> None:
        async with AuditLog(path, interval=3600) as log:
            for line in lines:
                log.write(line)
            await asyncio.sleep(0)

    begin = time.monotonic()
    asyncio.run(main())
    assert time.monotonic() - begin < PATIENCE
    assert path.read_bytes() == b"".join(lines)


def test_a_stop_that_is_cancelled_writes_them_too(tmp_path: Path) -> None:
    path = tmp_path / "audit.log"

    async def main() -> None:
        log = AuditLog(path, interval=3600)
        await log.__aenter__()
        log.write(b"line\n")
        closing = asyncio.create_task(log.__aexit__())
        await asyncio.sleep(0)
        closing.cancel()
        await asyncio.wait([closing])
        await until(lambda: path.read_bytes() == b"line\n")

    asyncio.run(main())


def test_nobody_waits_for_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = threading.Event()
    append = LogFile.append
    monkeypatch.setattr(LogFile, "append", lambda *given: (disk.wait(PATIENCE), append(*given)))
    path = tmp_path / "audit.log"

    async def main() -> None:
        async with AuditLog(path, interval=0) as log:
            log.write(b"one\n")
            await asyncio.sleep(0.05)
            log.write(b"two\n")
            assert path.read_bytes() == b""
            disk.set()

    asyncio.run(main())
    assert path.read_bytes() == b"one\ntwo\n"


def test_a_log_that_is_full_has_room_once_the_disk_has_caught_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_module, "_MAX_WAITING", 10)
    path = tmp_path / "audit.log"

    async def main() -> None:
        async with AuditLog(path) as log:
            states = []
            for _ in range(2):
                log.write(b"12345678\n")
                states.append(log.full)
            async with asyncio.timeout(PATIENCE):
                await asyncio.gather(*(log.room() for _ in range(3)))
            assert [*states, log.full] == [False, True, False]
            assert path.read_bytes() == b"12345678\n" * 2

    asyncio.run(main())


def test_a_file_that_was_moved_away_is_replaced(tmp_path: Path) -> None:
    path, moved = tmp_path / "audit.log", tmp_path / "audit.log.1"

    async def main() -> None:
        async with AuditLog(path, interval=0.01) as log:
            log.write(b"one\n")
            await until(lambda: path.read_bytes() == b"one\n")
            path.rename(moved)
            log.write(b"two\n")
            await until(lambda: path.exists() and path.read_bytes() == b"two\n")
            path.unlink()
            log.write(b"three\n")

    asyncio.run(main())
    assert (moved.read_bytes(), path.read_bytes()) == (b"one\n", b"three\n")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@needs_full
def test_a_full_disk_is_told_once_and_nothing_is_lost_that_fits_in_memory(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path, real = tmp_path / "audit.log", tmp_path / "real.log"
    path.symlink_to(FULL)

    async def main() -> None:
        async with AuditLog(path, interval=0, retry=0.01) as log:
            log.write(b"one\n")
            await until(lambda: bool(caplog.messages))
            log.write(b"two\n")
            await asyncio.sleep(0.05)
            path.unlink()
            path.symlink_to(real)
            await until(lambda: real.exists() and real.read_bytes() == b"one\ntwo\n")
            log.write(b"three\n")

    with caplog.at_level(logging.WARNING):
        asyncio.run(main())
    assert real.read_bytes() == b"one\ntwo\nthree\n"
    assert caplog.messages == [
        (
            f"the audit log {path} cannot be written: No space left on device; requests are served "
            "nevertheless, and their events are kept in memory until it can, up to 16 MiB; those that come "
            "later are lost"
        ),
        f"the audit log {path} is written again; 0 events were lost",
    ]


@needs_full
def test_of_a_disk_that_stays_full_nobody_waits(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_module, "_MAX_WAITING", 10)

    async def main() -> None:
        async with AuditLog(FULL, interval=0, retry=0.01) as log:
            log.write(b"12345678\n")
            await until(lambda: bool(caplog.messages))
            for _ in range(5):
                log.write(b"12345678\n")
            assert not log.full

    with caplog.at_level(logging.WARNING):
        asyncio.run(main())
    assert len(caplog.messages) == 2
    assert caplog.messages[1] == "the audit log /dev/full lacks its last 6 events"


def test_what_a_full_disk_took_of_a_line_is_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "audit.log"
    program = """
import resource, sys
from pathlib import Path
from kubewright.server.audit.log_file import LogFile
file = LogFile(Path(sys.argv[1]))
file.append(b"12345678\\n" * 2)
resource.setrlimit(resource.RLIMIT_FSIZE, (30, resource.RLIM_INFINITY))
try:
    file.append(b"12345678\\n" * 4)
except OSError as error:
    print(error.strerror)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
file.append(b"end\\n")
"""
    command = [sys.executable, "-c", program, str(path)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ended.stdout == "File too large\n"
    assert path.read_bytes() == b"12345678\n" * 2 + b"end\n"


def test_a_file_that_cannot_be_opened(tmp_path: Path) -> None:
    async def main(path: Path) -> None:
        async with AuditLog(path):
            pass

    for path, why in (
        (tmp_path / "no" / "audit.log", "No such file or directory"),
        (tmp_path, "Is a directory"),
    ):
        with pytest.raises(AuditLogUnusable) as caught:
            asyncio.run(main(path))
        assert str(caught.value) == (
            f"the audit log {path} cannot be opened: {why}; name a file that can be written"
        )


def test_a_pipe_that_nobody_reads_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="No such device or address"):
        LogFile(tmp_path / "pipe")
