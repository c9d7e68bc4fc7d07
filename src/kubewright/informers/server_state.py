"""What the server has of a kind: which objects, in which states, at which revision."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from kubewright.client.api import Api
from kubewright.machinery.errors import NotFound
from kubewright.machinery.kept import revision_of, uid_of

__all__ = ["ServerState", "server_state"]


class ServerState(NamedTuple):
    """The objects of a scope at a revision, each as its uid and its own revision."""

    revision: str
    """Empty when the server serves no such kind."""
    objects: Mapping[str, tuple[str, str]]

    def equals(self, kept: Mapping[str, Any]) -> bool:
        """Whether kept objects are the same ones, in the same states."""
        if len(kept) != len(self.objects):
            return False
        expected = self.objects.get
        return all(expected(key) == (uid_of(obj), revision_of(obj)) for key, obj in kept.items())


async def server_state(
    api: Api[Any], *, labels: str, fields: str, is_known: Callable[[str], bool]
) -> ServerState:
    """Ask the server, which answers with what it has now and not from a cache that is behind.

    When `is_known` says so of the revision, the objects are left out. Raises as lists do.
    """
    listing = api.metadata().list(labels=labels, fields=fields)
    objects: dict[str, tuple[str, str]] = {}
    try:
        async for page in listing.pages():
            if is_known(page.resource_version):
                return ServerState(page.resource_version, {})
            for each in page.items:
                objects[each.key] = (each.metadata.uid, each.metadata.resource_version)
    except NotFound:
        return ServerState("", {})
    return ServerState(listing.resource_version, objects)
