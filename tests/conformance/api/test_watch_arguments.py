"""Watches that are asked for what no server has: the mistake is raised, and not tried for ever."""

from __future__ import annotations

import asyncio

import pytest

from kubewright.client.client import Client
from kubewright.machinery.errors import BadRequest, ParseError
from kubewright.models.core_v1 import ConfigMap, Pod
from tests.conformance.api.conftest import Use
from tests.conformance.namespaces import Namespace

PATIENCE = 30.0
"""Seconds that the one answer may take on a busy machine; a watch that tries again would never have one."""


@pytest.mark.parametrize("revision", ["abc", "-1", "1.5"])
def test_a_revision_that_is_none_ends_the_watch(
    use: Use[object], namespace: Namespace, revision: str
) -> None:
    async def test(client: Client) -> None:
        watch = client.api(ConfigMap, namespace.name).watch(resource_version=revision)
        with pytest.raises(ParseError) as raised:
            async with asyncio.timeout(PATIENCE):
                await anext(watch)
        assert str(raised.value) == (
            f"resource_version={revision!r} is no revision for the server; give the resourceVersion of an "
            "object or a list"
        )
        with pytest.raises(StopAsyncIteration):
            await anext(watch)

    use(test)


def test_selectors_that_are_none_end_the_watch(use: Use[object], namespace: Namespace) -> None:
    async def test(client: Client) -> None:
        watch = client.api(Pod, namespace.name).watch(fields="spec.colour=red")
        with pytest.raises(BadRequest, match=r"spec\.colour"):
            async with asyncio.timeout(PATIENCE):
                await anext(watch)

    use(test)
