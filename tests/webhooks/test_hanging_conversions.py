"""Conversion functions that never return: reported, few, and no reason for a process to stay."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from kubewright.webhooks import conversion
from tests.crd.versioned_kinds import Site, SiteV1Beta1
from tests.webhooks.apps import until
from tests.webhooks.caller import Caller, review, run

THREADS = conversion._THREADS


class Hanging:
    """Conversions of sites whose names begin with "slow" wait here."""

    def __init__(self) -> None:
        self.begun = 0
        self.open = threading.Event()


@pytest.fixture
def hanging(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hanging]:
    made, works = Hanging(), SiteV1Beta1.to_hub

    def to_hub(self: SiteV1Beta1) -> Site:
        if self.metadata.name.startswith("slow"):
            made.begun += 1
            made.open.wait(60)
        return works(self)

    monkeypatch.setattr(SiteV1Beta1, "to_hub", to_hub)
    yield made
    made.open.set()


def test_they_are_reported_and_further_ones_refused(
    hanging: Hanging, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    # Longer than one that does not hang takes on a busy machine.
    monkeypatch.setattr(conversion, "_HANGS_AFTER", 1.5)

    def reports() -> list[str]:
        return [each for each in caplog.messages if "has not returned" in each]

    async def test(caller: Caller) -> None:
        first = asyncio.create_task(caller.review(name="slow0"))
        await until(lambda: len(reports()) == 1)
        assert "keeps one of 8 threads until it does, as 1 do now" in reports()[0]
        assert "it is at " in reports()[0]
        assert "threading.py" in reports()[0]
        # The others go on.
        assert (await caller.review(name="quick"))["uid"] == "quick"
        others = [asyncio.create_task(caller.review(name=f"slow{i}")) for i in range(1, THREADS)]
        await until(lambda: len(reports()) == THREADS)
        # Whether callers wait or not: no thread can be stopped.
        others[0].cancel()
        status, text = await caller.send(review(name="quick"))
        assert status == 503
        assert text.strip() == "the conversion functions hang; the log of the webhook says where"
        hanging.open.set()
        answers = await asyncio.gather(first, *others[1:])
        assert [each["uid"] for each in answers] == ["slow0", *(f"slow{i}" for i in range(2, THREADS))]
        assert (await caller.review(name="quick"))["uid"] == "quick"
        await until(lambda: caplog.text.count("a conversion has returned after") == THREADS)

    run(test)
    assert hanging.begun == THREADS


def test_what_waits_for_a_thread_is_not_begun_for_callers_who_are_gone(hanging: Hanging) -> None:
    async def test(caller: Caller) -> None:
        slow = [asyncio.create_task(caller.review(name=f"slow{i}")) for i in range(THREADS)]
        await until(lambda: hanging.begun == THREADS)
        handler = caller.webhooks._conversions
        later = [asyncio.create_task(caller.review(name=f"slow-later{i}")) for i in range(4)]
        await until(lambda: len(handler._open) == THREADS + 4)
        for each in later:
            each.cancel()
        await until(lambda: len(handler._open) == THREADS)
        hanging.open.set()
        await asyncio.gather(*slow)
        assert (await caller.review(name="quick"))["uid"] == "quick"

    run(test)
    assert hanging.begun == THREADS


HANGS = """
import asyncio, threading
from kubewright.webhooks import WebhookServer, conversion

begun = threading.Event()
def review(versions, body):
    begun.set()
    threading.Event().wait()
conversion.review = review

async def main():
    async with WebhookServer() as webhooks:
        asking = asyncio.create_task(webhooks._conversions(b"{}"))
        await asyncio.to_thread(begun.wait)
        asking.cancel()
    print("left")

asyncio.run(main())
"""


def test_the_process_ends() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", HANGS], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stdout) == (0, "left\n"), ended.stderr
