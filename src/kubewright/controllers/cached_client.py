"""`ctx.client`: reads from the caches, writes to the server, and remembers what was written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Generic, Literal, TypeVar

from kubewright.client.api import Api
from kubewright.client.client import Client
from kubewright.client.forms import Listed
from kubewright.client.listing import PAGE_SIZE, Listing
from kubewright.client.objects import Labels, label_text
from kubewright.client.request import JSON, Response
from kubewright.controllers.cache import Cache
from kubewright.controllers.leader_election import LeadershipLost
from kubewright.controllers.own_writes import OwnWrites
from kubewright.informers import Informer
from kubewright.machinery.errors import NotFound
from kubewright.machinery.meta import ObjectMeta
from kubewright.machinery.options import ListOptions
from kubewright.machinery.resource import Resource
from kubewright.machinery.status import Status, StatusDetails
from kubewright.machinery.unstructured import Unstructured

__all__ = ["CachedApi", "CachedClient"]

K = TypeVar("K", bound=Resource | Unstructured)


def _always() -> bool:
    return True


class CachedClient(Client):
    """A client whose reads are answered from memory, and whose writes go to the server.

    `get` and `list` of a kind are answered by the manager's cache of it, which starts when a kind is first
    read and is then current within milliseconds; the first read waits until it is filled. What a reconcile
    writes is in the cache before the next one of the same key begins. Read from the server: what `uncached`
    says, kinds and namespaces that the manager does not cache, subresources, field selectors, lists of a
    certain revision, and everything that is no object (discovery, logs, exec).
    """

    def __init__(
        self, client: Client, cache: Cache, writes: OwnWrites, *, may_write: Callable[[], bool] = _always
    ) -> None:
        """`may_write` is asked before each write, and says no when another manager may lead by now."""
        # Connections, limits and discovery are those of the other client; a second set would serve nobody.
        vars(self).update(vars(client))
        self.uncached: Final = client
        """The same, but every read asks the server."""
        self._cache: Final = cache
        self._writes: Final = writes
        self._may_write: Final = may_write

    def api(self, kind: type[K], namespace: str | None = None) -> CachedApi[K]:
        """The objects of a typed kind in a namespace; without one, those of all namespaces."""
        return self._cached(super().api(kind, namespace))

    def dynamic(self, api_version: str, kind: str, namespace: str | None = None) -> CachedApi[Unstructured]:
        """The objects of any kind, without a type for it."""
        return self._cached(super().dynamic(api_version, kind, namespace))

    async def resource(self, name: str, namespace: str | None = None) -> CachedApi[Unstructured]:
        """The objects of what kubectl calls by this name. Raises NotFound."""
        return self._cached(await super().resource(name, namespace))

    async def close(self) -> None:
        """Nothing: the connections are the manager's."""

    def _cached(self, api: Api[K]) -> CachedApi[K]:
        return CachedApi(api, self._cache, self._writes, may_write=self._may_write)


class CachedApi(Api[K], Generic[K]):
    """The objects of one kind, read from memory."""

    def __init__(
        self, api: Api[K], cache: Cache, writes: OwnWrites, *, may_write: Callable[[], bool]
    ) -> None:
        super().__init__(
            api._sender,
            api.form,
            api.gvk,
            endpoint=api._endpoint,
            resolve=api._resolve,
            namespace=api.namespace,
        )
        self._cache: Final = cache
        self._writes: Final = writes
        self._may_write: Final = may_write

    def in_namespace(self, namespace: str | None) -> CachedApi[K]:
        """The objects of the same kind in another namespace; None for all."""
        api = super().in_namespace(namespace)
        return CachedApi(api, self._cache, self._writes, may_write=self._may_write)

    async def get(self, name: str, *, resource_version: str = "", subresource: str = "") -> K:
        """One object, from memory. Raises NotFound."""
        if resource_version or subresource or not self._cache.holds(self):
            return await super().get(name, resource_version=resource_version, subresource=subresource)
        await self._path(name)  # Which refuses a name without a namespace.
        found = (await self._synced()).get(f"{self.namespace}/{name}" if self.namespace else name)
        if found is None:
            raise await self._not_found(name)
        return found

    def list(
        self,
        *,
        labels: Labels = "",
        fields: str = "",
        page_size: int | None = PAGE_SIZE,
        resource_version: str = "",
        resource_version_match: Literal["", "Exact", "NotOlderThan"] = "",
    ) -> Listing[K]:
        """The objects that are there, from memory: `async for pod in pods.list(labels="app=web"): ...`."""
        if fields or resource_version or not self._cache.holds(self):
            return super().list(
                labels=labels,
                fields=fields,
                page_size=page_size,
                resource_version=resource_version,
                resource_version_match=resource_version_match,
            )
        return Listing(self._cached_page, ListOptions(label_selector=label_text(labels)))

    async def by(self, index: str, value: str) -> Sequence[K]:
        """The objects that an index has under a value: one that `manager.index` or an informer was given.

        Raises LookupError for no such index.
        """
        found = (await self._synced()).by(index, value)
        return [each for each in found if self.namespace in {None, each.metadata.namespace}]

    async def _send(
        self,
        method: str,
        path: str,
        query: Sequence[tuple[str, str]] = (),
        *,
        body: bytes = b"",
        content_type: str = JSON,
        accept: str = JSON,
    ) -> Response:
        if method != "GET" and not self._may_write():
            raise LeadershipLost("another manager may lead by now, so nothing is written any more")
        return await super()._send(method, path, query, body=body, content_type=content_type, accept=accept)

    def _note(self, metadata: ObjectMeta, *, dry_run: bool) -> None:
        if dry_run:
            return
        is_held = metadata.finalizers or metadata.deletion_grace_period_seconds
        if metadata.deletion_timestamp and not is_held:
            # Its last finalizer has gone, and the object with it; the answer has the revision from before.
            self._writes.deleted(self.gvk, metadata.namespace, metadata.name, metadata.uid)
        else:
            self._writes.wrote(self.gvk, metadata)

    def _deleted(self, name: str, answer: K | Status, *, dry_run: bool) -> None:
        if dry_run:
            return
        if isinstance(answer, Status):
            gone = answer.details.uid if answer.details is not None else ""
            self._writes.deleted(self.gvk, self.namespace or "", name, gone)
        else:
            self._writes.wrote(self.gvk, answer.metadata)

    async def _synced(self) -> Informer[K]:
        informer = await self._cache.informer(self)
        if not informer.is_synced:
            await informer.synced()
        return informer

    async def _cached_page(self, options: ListOptions) -> Listed[K]:
        items = (await self._synced()).list(self.namespace, labels=options.label_selector)
        return Listed(items, "", "", None)

    async def _not_found(self, name: str) -> NotFound:
        """What the server would say, without asking it."""
        endpoint = await self.endpoint()
        group, resource = self.gvk.group, endpoint.gvr.resource
        shown = f"{resource}.{group}" if group else resource
        status = Status(
            status="Failure",
            reason="NotFound",
            code=404,
            message=f'{shown} "{name}" not found',
            details=StatusDetails(name=name, group=group, kind=resource),
        )
        return NotFound(status)
