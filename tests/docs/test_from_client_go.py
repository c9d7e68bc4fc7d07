"""The programs of docs/from-client-go.md work as written."""

from __future__ import annotations

import asyncio
from typing import Any

from kubewright import Client
from kubewright.testing import Cluster
from tests.docs.pages import programs, run

PAGE = "from-client-go.md"


def test_the_reconciler_and_its_test() -> None:
    async def main() -> None:
        names: dict[str, Any] = {"__name__": "docs"}
        for program in programs(PAGE):
            await run(program, PAGE, names)
        async with Cluster(controllers="none") as cluster, Client(cluster.config) as client:
            await names["test_a_mirror_is_made_again"](client)

    asyncio.run(main())


def test_there_are_no_other_programs() -> None:
    assert len(programs(PAGE)) == 2
