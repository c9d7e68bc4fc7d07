"""Namespaces that may be on their way out, and creating things in them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from kubewright.controllers.context import Context
from kubewright.machinery.errors import Forbidden, NotFound
from kubewright.models.core_v1 import Namespace

__all__ = ["is_active", "unless_terminating"]

_CAUSE: Final = "NamespaceTerminating"
"""The cause in the Status of what is refused because the namespace is being deleted."""


async def is_active(ctx: Context, namespace: str) -> bool:
    """Whether a namespace is there to stay."""
    try:
        found = await ctx.client.api(Namespace).get(namespace)
    except NotFound:
        return False
    return found.metadata.deletion_timestamp is None


@contextmanager
def unless_terminating() -> Iterator[None]:
    """Let a creation fail, and say nothing, where the namespace is gone or going: nobody wants it then."""
    try:
        yield
    except NotFound:
        return
    except Forbidden as error:
        details = error.status.details
        if details is None or all(each.reason != _CAUSE for each in details.causes):
            raise
