"""`ctx.client`: reads from the caches, writes to the server, and remembers what was written."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final, Generic, Literal, TypeVar

import msgspec

from kubewright.client.api import Api
from kubewright.client.client import Client
from kubewright.client.forms import Listed
from kubewright.client.listing import PAGE_SIZE, Listing
from kubewright.client.objects import Labels, label_text
from kubewright.client.request import JSON, Response
from kubewright.client.retry import READS
from kubewright.controllers.cache import Cache, NoCache
from kubewright.controllers.own_writes import NoWrites, OwnWrites
from kubewright.informers import Informers
from kubewright.machinery.errors import ApiError, DecodeError, NotFound, TransportError
from kubewright.machinery.meta import ObjectMeta
from kubewright.machinery.options import ListOptions
from kubewright.machinery.paths import parse_path
from kubewright.machinery.resource import Resource
from kubewright.machinery.status import Status, StatusDetails
from kubewright.machinery.type_meta import read_gvk
from kubewright.machinery.unstructured import Unstructured

__all__ = ["CachedApi", "CachedClient", "uncached_client"]

K = TypeVar("K", bound=Resource | Unstructured)


class CachedClient(Client):
    """A client whose reads are answered from memory, and whose writes go to the server.

    `get` and `list` of a kind are answered by the manager's cache of it, which starts when a kind is first
    read and is then current within milliseconds; the first read waits until it is filled. Read from the
    server: what `uncached` says, kinds and namespaces that the manager does not cache, subresources, field
    selectors, lists of a certain revision, and everything that is no object (discovery, logs, exec).

    What a reconcile writes is in the cache before the next one of the same key begins: objects that are
    created, changed, applied, scaled, bound, evicted or deleted, one or many. So is what may have been
    written, as far as the server has it by then: when an answer was lost, or its reconcile cancelled, the
    server is asked. Not so what is written through `uncached` or `raw`, what the server itself does to other
    objects because of a write, and what a write that was given up does when it reaches the server even later.
    """

    def __init__(self, client: Client, cache: Cache, writes: OwnWrites) -> None:
        # Connections, limits and discovery are those of the other client; a second set would serve nobody.
        vars(self).update(vars(client))
        self.uncached: Final = client
        """The same, but every read asks the server."""
        self._cache: Final = cache
        self._writes: Final = writes

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
        return CachedApi(api, self._cache, self._writes)


def uncached_client(client: Client) -> CachedClient:
    """A client as a manager lends it, where there is no manager: every read asks the server."""
    cache = NoCache(client, Informers(client))
    return CachedClient(client, cache, NoWrites(cache))


class CachedApi(Api[K], Generic[K]):
    """The objects of one kind, read from memory."""

    def __init__(self, api: Api[K], cache: Cache, writes: OwnWrites) -> None:
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

    def in_namespace(self, namespace: str | None) -> CachedApi[K]:
        """The objects of the same kind in another namespace; None for all."""
        api = super().in_namespace(namespace)
        return CachedApi(api, self._cache, self._writes)

    async def get(self, name: str, *, resource_version: str = "", subresource: str = "") -> K:
        """One object, from memory. Raises NotFound."""
        if resource_version or subresource or not self._cache.holds(self):
            return await super().get(name, resource_version=resource_version, subresource=subresource)
        if "/" not in name:  # Of a name that cannot be, the key may be another object's.
            key = f"{self.namespace}/{name}" if self.namespace else name
            informer = self._cache.if_filled(self) or await self._cache.filled(self)
            found = informer.get(key)
            if found is not None:
                return found
        await self._path(name)  # Which refuses such names, and one without a namespace.
        raise await self._not_found(name)

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

        Raises LookupError for no such index, and for what the manager does not cache.
        """
        if not self._cache.has_indexes(self):
            where = f" of {self.namespace}" if self.namespace else ""
            raise LookupError(
                f"{self.gvk.kind}{where} {self._cache.without_index}; use list(), or {self._cache.remedy}"
            )
        found = (await self._cache.filled(self)).by(index, value)
        return [each for each in found if self.namespace in {None, each.metadata.namespace}]

    async def evict(self, name: str, *, grace_period: int | None = None, dry_run: bool = False) -> None:
        """Have a pod go, as far as disruption budgets allow. Raises TooManyRequests while they do not."""
        await super().evict(name, grace_period=grace_period, dry_run=dry_run)
        if not dry_run:
            self._writes.unsure(self.gvk, self.namespace or "", name, shows=_is_going)

    async def bind(self, name: str, node: str) -> None:
        """Have a pod run on a node. Raises Conflict when it has one already."""
        await super().bind(name, node)
        self._writes.unsure(self.gvk, self.namespace or "", name, shows=_is_bound)

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

    def _deleted_all(self, response: Response, *, dry_run: bool) -> None:
        if dry_run or not self._cache.watches(self.gvk):
            return
        try:
            # As they were when the server found them; since then they are gone, or on their way.
            told = None if read_gvk(response.body) == Status.gvk else self._form.read_list(response.body)
        except DecodeError:
            told = None
        if told is None:
            self._writes.unsure(self.gvk, "", "")
            return
        for each in told.items:
            meta = each.metadata
            self._writes.deleted(self.gvk, meta.namespace, meta.name, meta.uid, or_marked=True)

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
        try:
            return await super()._send(
                method, path, query, body=body, content_type=content_type, accept=accept
            )
        except (asyncio.CancelledError, TransportError, ApiError) as error:
            if method not in READS and self._cache.watches(self.gvk):
                self._broken_off(error, method, path, body)
            raise

    def _broken_off(self, error: BaseException, method: str, path: str, body: bytes) -> None:
        """Note a write that may have been done, although nobody has said so."""
        place = parse_path(path)
        if place is None or not _may_be_done(error, some=method == "DELETE" and place.name is None):
            return
        namespace = place.namespace or ""
        if self._cache.holds(self.in_namespace(namespace or None)):
            self._writes.unsure(self.gvk, namespace, place.name or _name_in(body))

    async def _cached_page(self, options: ListOptions) -> Listed[K]:
        items = (await self._cache.filled(self)).list(self.namespace, labels=options.label_selector)
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


class _Meta(msgspec.Struct):
    name: str = ""


class _Named(msgspec.Struct):
    metadata: _Meta | None = None


def _name_in(body: bytes) -> str:
    """The name of the object in a body; empty for one that the server is to name."""
    try:
        read = msgspec.json.decode(body, type=_Named)
    except msgspec.MsgspecError:
        return ""
    return read.metadata.name if read.metadata is not None else ""


def _may_be_done(error: BaseException, *, some: bool) -> bool:
    """Whether a write that ended with an error may have been done; `some`: of many, some of them."""
    if isinstance(error, TransportError):
        return error.was_sent
    if isinstance(error, ApiError):
        # One that refuses has not begun; but many are deleted one by one, until one cannot be.
        return some or (error.status.code or error.code) >= 500
    return True


def _is_going(pod: Any) -> bool:
    return pod is None or pod.metadata.deletion_timestamp is not None


def _is_bound(pod: Any) -> bool:
    if pod is None:  # It is gone: one that was bound was known, or is waited for as a write of its own.
        return True
    node = pod.get("spec", {}).get("nodeName") if isinstance(pod, Unstructured) else pod.spec.node_name
    return bool(node)
