"""An operator in a process of its own, which prints how much memory it needed, in kB, when all is done.

python -m tests.controllers.faults.memory KUBECONFIG NAMESPACE COUNT
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
from pathlib import Path

from kubewright.client.client import Client
from kubewright.config import Config, config_from_kubeconfig
from tests.controllers.faults.operators import Operator, healed, operating
from tests.controllers.running import until
from tests.controllers.servers import App

__all__: list[str] = []


def memory(line: str) -> int:
    """A line of what Linux tells of this process, in kB."""
    status = Path("/proc/self/status").read_text()
    return next(int(each.split()[1]) for each in status.splitlines() if each.startswith(line))


async def main(config: Config, namespace: str, count: int) -> list[int]:
    operator = Operator()
    async with Client(config) as client:
        # So that everything is imported and connected.
        async with operating(client, Operator(), "default"):
            await client.api(App, "default").create({"metadata": {"name": "first"}, "spec": {}})
            await healed(client, "default")
        gc.collect()
        before = memory("VmRSS")
        async with operating(client, operator, namespace) as manager:
            queue = manager.controller_named("app").queue
            await until(lambda: len(operator.reconciles) >= count and queue.is_idle, "all is done")
            gc.collect()
            return [before, memory("VmRSS"), memory("VmHWM"), len(operator.reconciles)]


if __name__ == "__main__":
    found = config_from_kubeconfig(Path(sys.argv[1]).read_text())
    json.dump(asyncio.run(main(found, sys.argv[2], int(sys.argv[3]))), sys.stdout)
