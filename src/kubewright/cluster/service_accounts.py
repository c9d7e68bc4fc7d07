"""The service account `default` of each namespace."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from kubewright.cluster.terminating import is_active, unless_terminating
from kubewright.controllers.requests import Request
from kubewright.controllers.sources import Source
from kubewright.machinery.errors import AlreadyExists, NotFound
from kubewright.machinery.meta import ObjectMeta
from kubewright.models.core_v1 import Namespace, ServiceAccount

if TYPE_CHECKING:
    from kubewright.cluster.parts import Parts
    from kubewright.controllers.context import Context
    from kubewright.controllers.manager import Manager
    from kubewright.informers import Change

__all__ = ["setup"]

_NAME: Final = "default"


def setup(manager: Manager, parts: Parts) -> None:
    """Have the account made anew when it is deleted, too."""
    accounts = Source(
        ServiceAccount, lambda account: [Request("", account.metadata.namespace)], predicates=[_is_gone]
    )
    manager.controller(Namespace, reconcile, name="serviceaccount-controller", watches=[accounts])


def _is_gone(change: Change[ServiceAccount]) -> bool:
    return change.type == "DELETED"


async def reconcile(ctx: Context, request: Request) -> None:
    """Give a namespace its account, unless it is on its way out."""
    if not await is_active(ctx, request.name):
        return
    accounts = ctx.client.api(ServiceAccount, request.name)
    try:
        await accounts.get(_NAME)
    except NotFound:
        with suppress(AlreadyExists), unless_terminating():
            await accounts.create(ServiceAccount(metadata=ObjectMeta(name=_NAME)))
