"""The programs of docs/workqueue.md work as written."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from kubewright.testing.clock import ManualClock
from kubewright.workqueue import WorkQueue
from tests.workqueue.running import run

PAGE = (Path(__file__).parents[2] / "docs" / "workqueue.md").read_text()
WORKERS, WITH_A_CLOCK = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_workers_retry_and_drain() -> None:
    tried: list[str] = []

    async def reconcile(key: str) -> None:
        tried.append(key)
        if len(tried) == 1:
            raise OSError("the first try fails")

    async def end_delays() -> None:
        for _ in range(10):
            await asyncio.sleep(0)
            clock.advance(60)

    clock = ManualClock()
    program = WORKERS.replace('(name="pods")', '(name="pods", clock=clock)')
    assert program != WORKERS
    program = program.replace("        ...\n", "        await end_delays()\n")
    names = {"reconcile": reconcile, "clock": clock, "end_delays": end_delays}
    exec(program, names)  # noqa: S102 - our own page
    run(names["main"]())  # type: ignore[operator]
    assert tried[0] == "default/web-1"  # the higher priority
    assert sorted(tried) == ["default/web-0", "default/web-1", "default/web-1", "default/web-2"]


def test_delays_with_a_clock() -> None:
    exec(WITH_A_CLOCK, {"WorkQueue": WorkQueue})  # noqa: S102 - our own page
