"""Webhooks that only judge: all that a write is for are asked at once, about the same object."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from kubewright.machinery.errors import ApiError
from kubewright.server.admission.attributes import Attributes
from kubewright.server.admission.webhooks.calls import Caller, CallFailed, check_time
from kubewright.server.admission.webhooks.matching import Invocation, find_invocation
from kubewright.server.admission.webhooks.versions import Versioned
from kubewright.server.admission.webhooks.webhook import Webhook
from kubewright.server.registry.resource_type import ResourceType

__all__ = ["dispatch"]

_FAILED_OPEN: Final = "failed-open.validating.webhook.admission.k8s.io/round_0_index_"
"""How the names of the audit annotations begin, as upstream's."""


async def dispatch(caller: Caller, webhooks: Sequence[Webhook], attributes: Attributes) -> None:
    """Ask the webhooks that a write is for, and wait for all of them.

    Raises ApiError: what the first of them to refuse says, and InternalError when one fails that may not.
    """
    by_type: dict[ResourceType, Versioned] = {}
    asked: list[tuple[Invocation, Versioned]] = []
    versioned = Versioned(attributes)
    for webhook in webhooks:
        invocation = await find_invocation(webhook, versioned, caller.registry, caller.authorizer)
        if invocation is None:
            continue
        seen = by_type.get(invocation.type)
        if seen is None:
            seen = by_type[invocation.type] = Versioned(attributes)
            await seen.to(invocation.type)
        asked.append((invocation, seen))
    if asked:
        check_time(attributes.write)
    refusals: list[ApiError] = []

    async def ask(position: int) -> None:
        refusal = await _refusal(caller, *asked[position], position)
        if refusal is not None:
            refusals.append(refusal)

    if len(asked) == 1:
        await ask(0)
    elif asked:
        async with asyncio.TaskGroup() as tasks:
            for position in range(len(asked)):
                tasks.create_task(ask(position))
    if refusals:
        raise refusals[0]


async def _refusal(
    caller: Caller, invocation: Invocation, versioned: Versioned, position: int
) -> ApiError | None:
    """Why a write may not happen, if one webhook has its way."""
    try:
        await caller.ask(invocation, versioned, mutating=False)
    except CallFailed as failure:
        if not invocation.webhook.ignores_failures:
            return failure.refusal()
        annotations = versioned.attributes.write.annotations
        annotations[f"{_FAILED_OPEN}{position}"] = invocation.webhook.name
    except ApiError as refusal:
        return refusal
    return None
