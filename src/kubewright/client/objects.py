"""What all that is said of the objects of a kind has in common: where they are, and how requests are sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Generic

from kubewright.client.endpoint import Endpoint, Resolve
from kubewright.client.forms import Form, K
from kubewright.client.request import JSON, Request, Response
from kubewright.client.sender import Sender
from kubewright.machinery.errors import ParseError
from kubewright.machinery.gvk import GroupVersionKind
from kubewright.machinery.label_selectors import Selector
from kubewright.machinery.meta import ObjectMeta
from kubewright.machinery.resource import Resource
from kubewright.machinery.status import Status
from kubewright.machinery.unstructured import Unstructured

__all__ = ["Labels", "Objects", "label_text", "write_query"]

Labels = str | Mapping[str, str] | Selector
"""A label selector: as text (`app=web,tier!=db`), as labels that must be there, or parsed."""


def label_text(labels: Labels) -> str:
    """A label selector as it is sent."""
    if isinstance(labels, Mapping):
        return str(Selector.from_labels(labels))
    return str(labels)


def write_query(
    *, dry_run: bool = False, manager: str = "", validation: str = "", force: bool = False
) -> Sequence[tuple[str, str]]:
    """The query of a write; most writes have none, and are spared the options' types."""
    pairs = []
    if dry_run:
        pairs.append(("dryRun", "All"))
    if manager:
        pairs.append(("fieldManager", manager))
    if validation:
        pairs.append(("fieldValidation", validation))
    if force:
        pairs.append(("force", "true"))
    return pairs


class Objects(Generic[K]):
    """The objects of one kind, in one namespace or in all."""

    def __init__(
        self,
        sender: Sender,
        form: Form[K],
        gvk: GroupVersionKind,
        *,
        endpoint: Endpoint | None,
        resolve: Resolve,
        namespace: str | None,
    ) -> None:
        self.gvk: Final = gvk
        self.namespace: Final = namespace
        """None for all namespaces, and for kinds that have none."""
        self._sender: Final = sender
        self._form: Final = form
        self._endpoint = endpoint
        self._resolve: Final = resolve

    @property
    def form(self) -> Form[K]:
        """How the objects are read."""
        return self._form

    async def endpoint(self) -> Endpoint:
        """Where the kind is served, by discovery if its type does not say. Raises NotFound."""
        if self._endpoint is None:
            self._endpoint = await self._resolve(self.gvk)
        return self._endpoint

    def _wrote(self, response: Response, *, dry_run: bool = False) -> K:
        """The object in the answer to a write."""
        obj = self._form.read(response.body)
        self._note(obj.metadata, dry_run=dry_run)
        return obj

    def _note(self, metadata: ObjectMeta, *, dry_run: bool) -> None:
        """For those who keep account of their writes: an object is so now. Here nobody does."""

    def _deleted(self, name: str, answer: K | Status, *, dry_run: bool) -> None:
        """For the same: what came of a delete."""

    def _deleted_all(self, response: Response, *, dry_run: bool) -> None:
        """For the same: what came of the deletion of many."""

    async def _path(self, name: str | None = None, subresource: str = "") -> str:
        """The path of an object, or of all. Raises ParseError for one object of no namespace."""
        endpoint = self._endpoint or await self.endpoint()
        if name is not None and endpoint.namespaced and not self.namespace:
            kind = self.gvk.kind
            raise ParseError(
                f"{kind} {name!r} is in some namespace, and none was said; use .in_namespace(...) or "
                f"client.api({kind}, namespace)"
            )
        return endpoint.path(self.namespace, name, subresource)

    async def _path_for(
        self, obj: Resource | Unstructured | Mapping[str, Any], *, named: bool, subresource: str = ""
    ) -> str:
        """The path for writing an object, which may say its namespace itself."""
        endpoint = self._endpoint or await self.endpoint()
        name, namespace = _name_and_namespace(obj)
        if named and not name:
            raise ParseError(f"the {self.gvk.kind} has no metadata.name")
        where = (
            (self.namespace or namespace or self._sender.config.namespace) if endpoint.namespaced else None
        )
        return endpoint.path(where, name if named else None, subresource)

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
        return await self._sender.send(
            Request(
                method=method,
                path=path,
                query=query,
                body=body,
                content_type=content_type,
                accept=accept,
            )
        )


def _name_and_namespace(obj: Resource | Unstructured | Mapping[str, Any]) -> tuple[str, str]:
    if isinstance(obj, Resource | Unstructured):
        return obj.metadata.name, obj.metadata.namespace
    metadata = obj.get("metadata")
    if not isinstance(metadata, Mapping):
        return "", ""
    return str(metadata.get("name") or ""), str(metadata.get("namespace") or "")
