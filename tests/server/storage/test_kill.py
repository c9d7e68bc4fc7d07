"""kill -9 amid concurrent writes: nothing acknowledged is lost, nothing is torn."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
from pathlib import Path

import pytest

from kubewright.server.storage import SQLiteStorage
from tests.server.storage import killed_writer

KILLS = 20
DELETED = 2


def acknowledged_until_killed(directory: Path, run: int, after: int) -> list[tuple[str, int, int]]:
    """What a writer was told before it was killed, which is when so many of its writes were acknowledged."""
    arguments = [sys.executable, killed_writer.__file__, str(directory), str(run)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"opening\n"
        lines = [writer.stdout.readline() for _ in range(after)]
        writer.kill()
        lines += writer.stdout.readlines()
    assert all(line.endswith(b"\n") for line in lines)
    words = [line.decode().split() for line in lines]
    return [(key, int(number), int(revision)) for key, number, revision in words]


async def check(directory: Path, last: dict[str, tuple[int, int]]) -> None:
    async with await SQLiteStorage.open(directory) as storage:
        assert storage.revision >= max((revision for _, revision in last.values()), default=1)
        numbers = {}
        for entry in storage.list("").entries:
            wholes = {}
            for number in (0, 1):
                value = killed_writer.content(entry.key, number)
                wholes[value.before + str(entry.revision).encode() + value.after] = number
            assert entry.value in wholes, f"{entry.key} is torn"
            numbers[entry.key] = wholes[entry.value]
        for key, (number, revision) in last.items():
            # The write after the last one acknowledged may have happened or not.
            assert numbers.get(key, DELETED) in (number, number + 1), f"{key} at {revision} is lost"
        events = []
        watch = storage.watch("", after_revision=storage.compact_revision)
        while watch.progress < storage.revision:
            events += await anext(watch)
        first = max(storage.compact_revision, 1) + 1
        assert [event.revision for event in events] == list(range(first, storage.revision + 1))


@pytest.mark.slow
def test_nothing_acknowledged_is_lost_and_nothing_is_torn(tmp_path: Path) -> None:
    chance = random.Random(20240601)  # noqa: S311
    last: dict[str, tuple[int, int]] = {}
    for run in range(KILLS):
        after = 0 if run in (0, 7) else chance.randrange(1, 1200)
        for key, number, revision in acknowledged_until_killed(tmp_path, run, after):
            last[key] = (number, revision)
        asyncio.run(check(tmp_path, last))
    assert len(last) > 1000
