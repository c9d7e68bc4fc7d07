"""What the garbage collector asks of the server: owners, deletions, and changes of metadata."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from kubewright.cluster.garbage.node import Coordinates, Node, Policy
from kubewright.machinery.errors import Conflict, NotFound, UnsupportedMediaType

if TYPE_CHECKING:
    from kubewright.client.api import Api
    from kubewright.client.client import Client
    from kubewright.cluster.garbage.feed import ServedKind
    from kubewright.machinery.meta import ObjectMeta, OwnerReference
    from kubewright.machinery.table import PartialObjectMetadata

__all__ = ["Failed", "GarbageError", "NotOwnable", "NotServed", "Operations", "Seen"]

_TRIES: Final = 5
"""How often a change is tried that conflicts, before it has to wait for its turn; as client-go's."""

_MOST_KINDS: Final = 1000
"""How many kinds are remembered, as definitions come and go; then anew."""

FindKind: TypeAlias = "Callable[[str, str], ServedKind | None]"
"""A kind in one version, if it is served."""


class GarbageError(Exception):
    """Something cannot be done, now or at all."""


class NotServed(GarbageError):
    """A kind is not served, which may change."""


class NotOwnable(GarbageError):
    """An object of no namespace names an owner that would be in one, which cannot be found."""


class Failed(GarbageError):
    """Something could not be done with all that it was to be done with."""


class Seen(NamedTuple):
    """The state of an object that is judged."""

    revision: str
    owners: tuple[OwnerReference, ...]


class Operations:
    """Requests of the collector. They raise NotServed, NotOwnable, ApiError and TransportError."""

    def __init__(self, client: Client, kind: FindKind) -> None:
        self._client: Final = client
        self._kind: Final = kind
        self._apis: Final[dict[ServedKind, Api[PartialObjectMetadata]]] = {}
        """By what is served, so that each is looked up once."""

    async def owner(self, where: Coordinates, uid: str) -> ObjectMeta | None:
        """The metadata of the object of a uid; None when it is not there, or there is another."""
        found = await self._get(where)
        return found if found is not None and found.uid == uid else None

    async def delete(self, node: Node, seen: Seen, policy: Policy) -> bool:
        """Delete an object if its owners are still those that were judged; False if it is gone already.

        Other changes do not keep it: they could come so often that it were never deleted. Raises Conflict.
        """
        api, name = self._api(node.coordinates), node.coordinates.name
        try:
            await api.delete(name, propagation=policy, uid=node.uid, resource_version=seen.revision)
        except NotFound as error:
            self._require_object(error, node.coordinates)
            return False
        except Conflict:
            latest = await self._get(node.coordinates)
            if latest is None or latest.uid != node.uid:
                return False
            if tuple(latest.owner_references) != seen.owners:
                raise
        else:
            return True
        try:
            await api.delete(name, propagation=policy, uid=node.uid)
        except NotFound:
            return False
        return True

    async def remove_owners(self, node: Node, gone: set[str]) -> None:
        """Have an object name some owners no longer, whether it is there, and names them, or not."""

        def kept(metadata: ObjectMeta) -> list[dict[str, Any]]:
            return [each.to_dict() for each in metadata.owner_references if each.uid not in gone]

        changes = [{"$patch": "delete", "uid": uid} for uid in sorted(gone)]
        await self._change_owners(node, changes, kept)

    async def unblock(self, node: Node, seen: Seen) -> Seen:
        """Have an object hold up the deletion of no owner; the state after that. Raises Conflict."""
        changes = [
            {**each.to_dict(), "blockOwnerDeletion": False}
            for each in seen.owners
            if each.block_owner_deletion
        ]
        if not changes:
            return seen

        def unblocked(metadata: ObjectMeta) -> list[dict[str, Any]]:
            return [{**each.to_dict(), "blockOwnerDeletion": False} for each in metadata.owner_references]

        after = await self._change_owners(node, changes, unblocked)
        if after is None:
            return seen
        return Seen(after.resource_version, tuple(after.owner_references))

    async def remove_finalizer(self, node: Node, finalizer: str) -> None:
        """Have an object lose a finalizer, whether it is there, and has it, or not. Raises Conflict."""

        def without(metadata: ObjectMeta) -> dict[str, Any] | None:
            if finalizer not in metadata.finalizers:
                return None
            return {"finalizers": [each for each in metadata.finalizers if each != finalizer] or None}

        await self._change(node, without)

    async def _change_owners(
        self,
        node: Node,
        changes: list[dict[str, Any]],
        merged: Callable[[ObjectMeta], list[dict[str, Any]]],
    ) -> ObjectMeta | None:
        """Change the references of an object: each by itself, where its kind can, else all of them.

        The metadata after that, None when the object is not there. Raises Conflict.
        """
        api = self._api(node.coordinates)
        try:
            patch = {"metadata": {"uid": node.uid, "ownerReferences": changes}}
            return (await api.patch(node.coordinates.name, patch, type="strategic")).metadata
        except NotFound as error:
            self._require_object(error, node.coordinates)
            return None
        except UnsupportedMediaType:
            # Custom resources.
            return await self._change(node, lambda metadata: {"ownerReferences": merged(metadata) or None})

    async def _change(
        self, node: Node, change: Callable[[ObjectMeta], Mapping[str, Any] | None]
    ) -> ObjectMeta | None:
        """Change metadata as it is now; what it is then, None when the object is not there. Raises Conflict.

        `change` says what to merge into it, None for nothing.
        """
        tries = 0
        while True:
            latest = await self._get(node.coordinates)
            if latest is None or latest.uid != node.uid:
                return None
            changed = change(latest)
            if changed is None:
                return latest
            tries += 1
            exactly = {"uid": latest.uid, "resourceVersion": latest.resource_version}
            try:
                name = node.coordinates.name
                patched = await self._api(node.coordinates).patch(name, {"metadata": {**exactly, **changed}})
            except NotFound:
                return None
            except Conflict:
                if tries == _TRIES:
                    raise
            else:
                return patched.metadata

    async def _get(self, where: Coordinates) -> ObjectMeta | None:
        try:
            return (await self._api(where).get(where.name)).metadata
        except NotFound as error:
            self._require_object(error, where)
            return None

    def _api(self, where: Coordinates) -> Api[PartialObjectMetadata]:
        """Where an object is asked for."""
        kind = self._kind(where.api_version, where.kind)
        if kind is None:
            raise NotServed(f"{where.kind} of {where.api_version} is not served")
        if kind.namespaced and not where.namespace:
            raise NotOwnable(f"an object without a namespace cannot have {where} as its owner")
        api = self._apis.get(kind)
        if api is None:
            if len(self._apis) >= _MOST_KINDS:
                self._apis.clear()
            api = self._apis[kind] = self._client.dynamic(where.api_version, where.kind).metadata()
        return api.in_namespace(where.namespace) if kind.namespaced else api

    def _require_object(self, error: NotFound, where: Coordinates) -> None:
        """Raise NotServed where it is not the object that there is not, but its kind."""
        details = error.status.details
        if details is None or not details.name:
            raise NotServed(f"{where.kind} of {where.api_version} is not served any more") from error
