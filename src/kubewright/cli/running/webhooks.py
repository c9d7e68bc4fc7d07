"""Whether the program of a project serves its webhooks by now, seen from the cluster."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from typing import Final

from kubewright.client.client import Client
from kubewright.config import load_config
from kubewright.config.exec_credentials import unattended
from kubewright.machinery.errors import KubewrightError

__all__ = ["LocalWebhooks"]

_EVERY: Final = 0.2
"""Seconds between looks at the cluster."""

_PATIENCE: Final = 15.0
"""Seconds until a program that has not installed its webhooks counts as one without."""


class LocalWebhooks:
    """What a program writes to a cluster when it serves its webhooks locally.

    With `admission` these are webhook configurations, which come last; else the definitions of kinds whose
    objects it converts. A cluster that does not answer has none.
    """

    def __init__(self, kubeconfig: str | None, context: str | None, *, admission: bool) -> None:
        self._kubeconfig: Final = kubeconfig
        self._context: Final = context
        self._look: Final = _configurations if admission else _conversions

    async def versions(self) -> frozenset[tuple[str, str]]:
        """What tells their states apart: uids, and resourceVersions or URLs."""
        with suppress(KubewrightError):
            config = load_config(kubeconfig=self._kubeconfig, context=self._context)
            async with Client(unattended(config)) as client:  # it is asked again and again
                return await self._look(client)
        return frozenset()

    async def served(self, before: frozenset[tuple[str, str]]) -> None:
        """Wait until some were written since; not for ever, since a program may have none."""
        until = time.monotonic() + _PATIENCE
        while not await self.versions() - before and time.monotonic() < until:  # noqa: ASYNC110 - others write
            await asyncio.sleep(_EVERY)


async def _configurations(client: Client) -> frozenset[tuple[str, str]]:
    from kubewright.models.admissionregistration_v1 import (  # noqa: PLC0415 - large, and seldom used
        MutatingWebhookConfiguration,
        ValidatingWebhookConfiguration,
    )

    found: set[tuple[str, str]] = set()
    for kind in (MutatingWebhookConfiguration, ValidatingWebhookConfiguration):
        async for each in client.api(kind).list():
            found.add((each.metadata.uid, each.metadata.resource_version))
    return frozenset(found)


async def _conversions(client: Client) -> frozenset[tuple[str, str]]:
    from kubewright.models.apiextensions_v1 import CustomResourceDefinition  # noqa: PLC0415 - as above

    found: set[tuple[str, str]] = set()
    async for each in client.api(CustomResourceDefinition).list():
        conversion = each.spec.conversion
        webhook = conversion.webhook if conversion is not None else None
        if webhook is not None and webhook.client_config is not None and webhook.client_config.url:
            found.add((each.metadata.uid, webhook.client_config.url))
    return frozenset(found)
