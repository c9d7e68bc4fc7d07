"""The programs in docs/access.md work as written, one after the other."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

from kubewright import Client
from kubewright.cli.server import server
from kubewright.testing import Cluster

PAGE = (Path(__file__).parents[2] / "docs" / "access.md").read_text()
CALLERS, IN_A_TEST = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
REVIEW = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}


def named(*programs: str) -> dict[str, Any]:
    """What programs define, read without this file's future imports."""
    names: dict[str, Any] = {"__name__": "docs"}
    for program in programs:
        exec(compile(program, "docs/access.md", "exec", dont_inherit=True), names)  # noqa: S102 - our own page
    return names


def test_in_a_test(tmp_path: Path) -> None:
    asyncio.run(named(CALLERS, IN_A_TEST)["test_the_operator_needs_no_more"](tmp_path))


def test_the_callers() -> None:
    names = named(CALLERS)

    async def who(config: Any) -> tuple[str, list[str]]:
        async with Client(config) as client:
            path = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
            user = json.loads((await client.raw("POST", path, body=REVIEW)).body)["status"]["userInfo"]
            return user["username"], user["groups"]

    async def main() -> None:
        async with Cluster(controllers="none") as cluster:
            jane = ("jane", ["dev", "system:authenticated"])
            assert await who(names["as_user"](cluster, "jane", "dev")) == jane
            assert await who(names["with_certificate"](cluster, "jane", "dev")) == jane
            assert (await who(names["with_token"](cluster, cluster.token)))[0] == "admin"

    asyncio.run(main())


def test_the_options() -> None:
    known = {option for parameter in server.params for option in parameter.opts}
    told = set(re.findall(r"--[a-z][a-z-]+", PAGE.split("## Who is known")[1]))
    assert told <= known
