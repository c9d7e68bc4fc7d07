"""For how long a run waits between tries, and what it does not take for a reason to try."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from kubewright.cli.running import recovery, sources
from kubewright.cli.running.recovery import End, Reach, Recovery

FAILED = "the program ended with exit code 1"
REFUSED = End(1, "refused", may_pass=True)
LONG = 600.0
"""Seconds of a pause that no test waits for."""

DEV, PROD = "dev (https://dev:6443)", "prod (https://prod:6443)"
NOW_PROD = f"the kubeconfig now means {PROD}; save a file, or start run again, to use it"


class Asked:
    """A Recovery by itself, with a kubeconfig that whoever asks the cluster writes, as renewed tokens are."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sources, "_EVERY", 0.01)
        monkeypatch.setattr(sources, "_SETTLED", 0.01)
        self.kubeconfig = folder / "kubeconfig"
        self.kubeconfig.write_text("")
        self.told: list[str] = []
        self.asked: list[float] = []
        self.troubles: list[str | None] = []
        self.writes: Callable[[], object] = self.write
        self.meant: str | None = None
        self.reach = Reach(files=[self.kubeconfig], trouble=self._trouble, meant=lambda: self.meant)
        self.recovery = Recovery(self.reach, self.told.append)

    def write(self) -> None:
        with self.kubeconfig.open("a") as file:
            file.write("another token")

    async def _trouble(self) -> str | None:
        self.writes()
        self.asked.append(asyncio.get_running_loop().time())
        return self.troubles.pop(0)

    @property
    def between(self) -> list[float]:
        """Seconds between questions."""
        return [later - earlier for earlier, later in pairwise(self.asked)]


def test_tokens_that_a_question_renews_are_no_reason_to_ask_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        asked.troubles = ["401", "401", "401", None]
        before = await asked.recovery.starting()
        assert await asked.recovery.mended(End(1, FAILED), before)

    monkeypatch.setattr(recovery, "_FIRST_PAUSE", 0.2)
    asked = Asked(tmp_path, monkeypatch)
    asyncio.run(main())
    assert [seconds >= pause for seconds, pause in zip(asked.between, (0.2, 0.4, 0.8), strict=True)] == [
        True
    ] * 3, asked.between


def test_others_who_write_without_end_do_not_have_it_asked_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as a second `run`, which waits for the same cluster."""

    async def main() -> None:
        # Seen as a change, and no part of the question.
        asked.writes = lambda: asyncio.get_running_loop().call_later(0.05, asked.write)
        asked.troubles = ["401", "401", "401", "401", None]
        before = await asked.recovery.starting()
        assert await asked.recovery.mended(End(1, FAILED), before)

    monkeypatch.setattr(recovery, "_FIRST_PAUSE", LONG)
    monkeypatch.setattr(recovery, "_FIRST_HOLD", 0.2)
    asked = Asked(tmp_path, monkeypatch)
    asyncio.run(main())
    held = [seconds >= hold for seconds, hold in zip(asked.between, (0.0, 0.2, 0.4, 0.8), strict=True)]
    assert held == [True] * 4, asked.between


def test_tokens_that_a_question_renews_are_no_reason_to_start_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        asked.troubles = [None]
        before = await asked.recovery.starting()
        waiting = asyncio.create_task(asked.recovery.mended(End(1, FAILED), before))
        done, _ = await asyncio.wait({waiting}, timeout=1.0)
        assert not done, asked.told
        asked.write()
        async with asyncio.timeout(30):
            await waiting

    asked = Asked(tmp_path, monkeypatch)
    asyncio.run(main())
    assert asked.told == [
        f"{FAILED}; it is started again when a file changes",
        "the kubeconfig has changed; starting again",
    ]


def test_what_is_written_while_the_program_fails_is_tried_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be another credential, or the program's own doing, which it does each time."""

    async def main() -> None:
        asked.troubles = [None, None]
        before = await asked.recovery.starting()
        asked.write()
        async with asyncio.timeout(30):
            await asked.recovery.mended(End(1, FAILED), before)
        assert asked.told.pop() == "the kubeconfig has changed; starting again"
        before = await asked.recovery.starting()
        asked.write()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1.0):
                await asked.recovery.mended(End(1, FAILED), before)

    monkeypatch.setattr(recovery, "_FIRST_HOLD", 0.01)
    asked = Asked(tmp_path, monkeypatch)
    asyncio.run(main())
    assert asked.told == [f"{FAILED}; it is started again when a file changes"] * 2


def test_pauses_and_sentences_begin_anew_when_the_reason_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paused: list[float] = []
    timeout = asyncio.timeout

    def noted(seconds: float) -> object:
        paused.append(seconds)
        return timeout(0)

    async def main() -> None:
        away: list[str | None] = ["away", "away", "away", None]
        for troubles in ([None], [None], [None], away, [None]):
            asked.troubles = [*troubles]
            assert await asked.recovery.mended(REFUSED, await asked.recovery.starting())

    asked = Asked(tmp_path, monkeypatch)
    monkeypatch.setattr(asyncio, "timeout", noted)
    asyncio.run(main())
    assert paused == [1, 2, 4, 1, 2, 4, 1]
    again = "refused; it is tried again from time to time, and when a file changes"
    assert asked.told == [
        again,
        "refused; it is started again when the cluster can be used, or a file changes: away",
        "the cluster can be used; starting again",
        again,
    ]


def test_pauses_grow_until_something_works(monkeypatch: pytest.MonkeyPatch) -> None:
    paused: list[float] = []

    class Paused(Exception):
        pass

    def timeout(seconds: float) -> object:
        paused.append(seconds)
        raise Paused

    async def trouble() -> str | None:
        return None

    async def main() -> None:
        made = Recovery(Reach(files=[], trouble=trouble), lambda _: None)
        end = End(1, "refused", may_pass=True)
        for number in range(8):
            if number == 7:
                made.code_changed()
            with pytest.raises(Paused):
                await made.mended(end, {})

    monkeypatch.setattr(asyncio, "timeout", timeout)
    asyncio.run(main())
    assert paused == [1, 2, 4, 8, 16, 30, 30, 1]


def test_a_cluster_that_was_never_known_is_no_other_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        asked.troubles = ["it cannot be read", None]
        before = await asked.recovery.starting()
        waiting = asyncio.create_task(asked.recovery.mended(End(1, FAILED), before))
        while not asked.told:  # noqa: ASYNC110 - it is a list
            await asyncio.sleep(0.01)
        asked.meant = DEV
        asked.write()
        async with asyncio.timeout(30):
            await waiting

    monkeypatch.setattr(recovery, "_FIRST_PAUSE", LONG)
    asked = Asked(tmp_path, monkeypatch)
    asyncio.run(main())
    assert asked.told[1:] == ["the cluster can be used; starting again"]


def test_another_cluster_that_is_chosen_during_the_question_is_not_started_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        asked.meant = DEV
        before = await asked.recovery.starting()
        asked.troubles = ["away", None, None]
        asked.writes = chosen
        waiting = asyncio.create_task(asked.recovery.mended(End(1, FAILED), before))
        async with asyncio.timeout(30):
            while len(asked.told) < 2:  # noqa: ASYNC110 - it is a list
                await asyncio.sleep(0.01)
            asked.meant = DEV
            asked.write()
            await waiting

    def chosen() -> None:
        if len(asked.asked) == 1:
            asked.meant = PROD

    monkeypatch.setattr(recovery, "_FIRST_PAUSE", 0.05)
    asked = Asked(tmp_path, monkeypatch)
    asyncio.run(main())
    assert asked.told[1:] == [NOW_PROD, "the cluster can be used; starting again"]
    assert asked.troubles == [], "it was not asked again"


def test_a_kubeconfig_that_is_broken_for_a_while_does_not_hide_that_it_means_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        asked.meant = DEV
        await asked.recovery.starting()
        asked.meant = None
        before = await asked.recovery.starting()
        asked.meant = PROD
        waiting = asyncio.create_task(asked.recovery.mended(End(1, FAILED), before))
        while not asked.told:  # noqa: ASYNC110 - it is a list
            await asyncio.sleep(0.01)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)

    asked = Asked(tmp_path, monkeypatch)
    asked.troubles = [None]
    asyncio.run(main())
    assert asked.told == [f"{FAILED}, and {NOW_PROD}"]
