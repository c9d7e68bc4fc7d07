"""`Api[K]`: the objects of one kind, in one namespace or in all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Generic, Literal, TypeAlias

from kubewright.client.forms import METADATA, K, Listed, encode_object
from kubewright.client.listing import PAGE_SIZE, Listing
from kubewright.client.objects import Labels, label_text, write_query
from kubewright.client.pod_streams import PodStreams
from kubewright.client.request import APPLY, JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH
from kubewright.client.subresources import Subresources
from kubewright.client.watching import Watching
from kubewright.machinery import codec
from kubewright.machinery.meta import Preconditions
from kubewright.machinery.options import DeleteOptions, ListOptions
from kubewright.machinery.status import Status
from kubewright.machinery.table import PartialObjectMetadata

__all__ = ["Api", "PatchType", "Propagation", "Validation"]

PatchType: TypeAlias = Literal["merge", "json", "strategic", "apply"]
Propagation: TypeAlias = Literal["", "Background", "Foreground", "Orphan"]
Validation: TypeAlias = Literal["", "Ignore", "Warn", "Strict"]

_MEDIA: Final[Mapping[PatchType, str]] = {
    "merge": MERGE_PATCH,
    "json": JSON_PATCH,
    "strategic": STRATEGIC_PATCH,
    "apply": APPLY,
}


class Api(Watching[K], Subresources[K], PodStreams[K], Generic[K]):
    """The objects of one kind; made by `Client.api` and its like.

    Every method raises ApiError, by the reason of the server's Status (NotFound, Conflict, Invalid, ...),
    TransportError when no answer comes, and ParseError for names that cannot be. With `dry_run` the server
    does everything but the writing; `manager` is who it records as the owner of the fields that are written;
    `validation` says what it does about unknown and duplicate fields.
    """

    def in_namespace(self, namespace: str | None) -> Api[K]:
        """The objects of the same kind in another namespace; None for all."""
        return Api(
            self._sender,
            self._form,
            self.gvk,
            endpoint=self._endpoint,
            resolve=self._resolve,
            namespace=namespace,
        )

    def metadata(self) -> Api[PartialObjectMetadata]:
        """The metadata of the same objects alone, which is a fraction of their bytes; for reading."""
        return Api(
            self._sender,
            METADATA,
            self.gvk,
            endpoint=self._endpoint,
            resolve=self._resolve,
            namespace=self.namespace,
        )

    async def get(self, name: str, *, resource_version: str = "", subresource: str = "") -> K:
        """One object; `resource_version` "0" takes any that the server has in its cache."""
        path = await self._path(name, subresource)
        query = [("resourceVersion", resource_version)] if resource_version else ()
        response = await self._send("GET", path, query, accept=self._form.accept)
        return self._form.read(response.body)

    def list(
        self,
        *,
        labels: Labels = "",
        fields: str = "",
        page_size: int | None = PAGE_SIZE,
        resource_version: str = "",
        resource_version_match: Literal["", "Exact", "NotOlderThan"] = "",
    ) -> Listing[K]:
        """The objects that are there, page by page: `async for pod in pods.list(labels="app=web"): ...`.

        `page_size` is how many objects a page has at most, by default 500, and fewer of large ones. None asks
        for all at once, which the server can answer out of its cache.
        """
        options = ListOptions(
            label_selector=label_text(labels),
            field_selector=fields,
            limit=page_size,
            resource_version=resource_version,
            resource_version_match=resource_version_match,
        )
        return Listing(self._page, options)

    async def create(
        self,
        obj: K | Mapping[str, Any],
        *,
        dry_run: bool = False,
        manager: str = "",
        validation: Validation = "",
    ) -> K:
        """Create an object, which says its name or `generate_name`. Raises AlreadyExists."""
        path = await self._path_for(obj, named=False)
        query = write_query(dry_run=dry_run, manager=manager, validation=validation)
        response = await self._send("POST", path, query, body=self._encoded(obj), accept=self._form.accept)
        return self._wrote(response, dry_run=dry_run)

    async def update(
        self,
        obj: K | Mapping[str, Any],
        *,
        subresource: str = "",
        dry_run: bool = False,
        manager: str = "",
        validation: Validation = "",
    ) -> K:
        """Replace an object by this one. Raises Conflict when it has changed since this one was read."""
        path = await self._path_for(obj, named=True, subresource=subresource)
        query = write_query(dry_run=dry_run, manager=manager, validation=validation)
        response = await self._send("PUT", path, query, body=self._encoded(obj), accept=self._form.accept)
        return self._wrote(response, dry_run=dry_run)

    async def update_status(
        self, obj: K | Mapping[str, Any], *, dry_run: bool = False, manager: str = ""
    ) -> K:
        """Replace the status of an object by that of this one. Raises Conflict as `update` does."""
        return await self.update(obj, subresource="status", dry_run=dry_run, manager=manager)

    async def patch(
        self,
        name: str,
        patch: Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        type: PatchType | None = None,  # noqa: A002 - what everybody calls it
        subresource: str = "",
        dry_run: bool = False,
        manager: str = "",
        validation: Validation = "",
        force: bool = False,
    ) -> K:
        """Change parts of an object: by a merge patch, or by a JSON patch if it is a list.

        `type` asks for another one; `strategic` knows the lists of built-in kinds, and `apply`, for which see
        the method of that name, needs a `manager`. Raises ValueError for any other.
        """
        kind: PatchType = type or ("merge" if isinstance(patch, Mapping) else "json")
        if kind not in _MEDIA:
            raise ValueError(f"type={kind!r} is no kind of patch; write one of {', '.join(_MEDIA)}")
        query = write_query(dry_run=dry_run, manager=manager, validation=validation, force=force)
        response = await self._send(
            "PATCH",
            await self._path(name, subresource),
            query,
            body=codec.encode(patch),
            content_type=_MEDIA[kind],
            accept=self._form.accept,
        )
        return self._wrote(response, dry_run=dry_run)

    async def apply(
        self,
        obj: K | Mapping[str, Any],
        *,
        manager: str,
        force: bool = False,
        subresource: str = "",
        dry_run: bool = False,
        validation: Validation = "",
    ) -> K:
        """Server-side apply: make the object have these fields, owned by `manager`; create it if need be.

        Fields that it applied before and are not here go. Raises Conflict, which names the other managers,
        for fields of theirs with other values; `force` takes them over.
        """
        path = await self._path_for(obj, named=True, subresource=subresource)
        query = write_query(dry_run=dry_run, manager=manager, validation=validation, force=force)
        response = await self._send(
            "PATCH", path, query, body=self._applied(obj), content_type=APPLY, accept=self._form.accept
        )
        return self._wrote(response, dry_run=dry_run)

    async def delete(
        self,
        name: str,
        *,
        propagation: Propagation = "",
        grace_period: int | None = None,
        uid: str = "",
        resource_version: str = "",
        dry_run: bool = False,
    ) -> K | Status:
        """Delete an object: the answer is a Status, or the object where it is still there for a while.

        `uid` and `resource_version` say which object of that name is meant. Raises Conflict for another one.
        """
        body = self._delete_body(propagation, grace_period, uid, resource_version, dry_run=dry_run)
        response = await self._send("DELETE", await self._path(name), body=body)
        answer = self._form.read_deleted(response.body)
        self._deleted(name, answer, dry_run=dry_run)
        return answer

    async def delete_collection(
        self,
        *,
        labels: Labels = "",
        fields: str = "",
        propagation: Propagation = "",
        grace_period: int | None = None,
        dry_run: bool = False,
    ) -> None:
        """Delete all objects of the namespace that are selected; without selectors that is all of them."""
        options = ListOptions(label_selector=label_text(labels), field_selector=fields)
        body = self._delete_body(propagation, grace_period, dry_run=dry_run)
        response = await self._send("DELETE", await self._path(), options.to_query(), body=body)
        self._deleted_all(response, dry_run=dry_run)

    async def _page(self, options: ListOptions) -> Listed[K]:
        path = await self._path()
        response = await self._send("GET", path, options.to_query(), accept=self._form.accept_list)
        return self._form.read_list(response.body)

    def _encoded(self, obj: K | Mapping[str, Any]) -> bytes:
        if isinstance(obj, Mapping) and "kind" not in obj:
            obj = {"apiVersion": self.gvk.api_version, "kind": self.gvk.kind, **obj}
        return encode_object(obj)

    def _applied(self, obj: K | Mapping[str, Any]) -> bytes:
        """What is applied: an object that was read says what its managers are, which may not be applied."""
        data = self._encoded(obj)
        plain = codec.decode_plain(data)
        metadata = plain.get("metadata") if isinstance(plain, dict) else None
        if not isinstance(metadata, dict) or "managedFields" not in metadata:
            return data
        del metadata["managedFields"]
        return codec.encode(plain)

    def _delete_body(
        self,
        propagation: Propagation,
        grace_period: int | None,
        uid: str = "",
        resource_version: str = "",
        *,
        dry_run: bool,
    ) -> bytes:
        options = DeleteOptions(api_version="v1")
        # What is not asked for is not said: an empty text is no policy, and no uid.
        if propagation:
            options.propagation_policy = propagation
        if grace_period is not None:
            options.grace_period_seconds = grace_period
        if uid or resource_version:
            preconditions = options.preconditions = Preconditions()
            if uid:
                preconditions.uid = uid
            if resource_version:
                preconditions.resource_version = resource_version
        if dry_run:
            options.dry_run = ["All"]
        return options.to_json()
