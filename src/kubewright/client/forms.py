"""Objects and lists of a kind as they are sent and answered."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import new_class
from typing import Any, Final, Generic, TypeVar, cast

import msgspec

from kubewright.client.request import JSON
from kubewright.machinery import codec
from kubewright.machinery.errors import NestedTooDeeply
from kubewright.machinery.kept import share_values
from kubewright.machinery.resource import Resource, ResourceList
from kubewright.machinery.status import Status
from kubewright.machinery.table import PartialObjectMetadata, PartialObjectMetadataList
from kubewright.machinery.type_meta import TypeMeta, read_gvk
from kubewright.machinery.unstructured import Unstructured, UnstructuredList

__all__ = ["METADATA", "Form", "K", "Listed", "encode_object", "form_of"]

K = TypeVar("K", bound=Resource | Unstructured)

_AS: Final = f"{JSON};g=meta.k8s.io;v=v1;as="


class Listed(msgspec.Struct, Generic[K], frozen=True):
    """One page of a list."""

    items: list[K]
    resource_version: str
    continue_: str
    remaining: int | None
    size: int = 0
    """Its bytes."""


class Form(msgspec.Struct, Generic[K], frozen=True):
    """How the objects of a kind are read: the type, and what to ask the server for."""

    kind: type[K]
    list_kind: Any
    accept: str = JSON
    accept_list: str = JSON

    def read(self, data: bytes) -> K:
        """The object in an answer. Raises DecodeError."""
        return cast("K", self.kind.from_json(data))

    def read_deleted(self, data: bytes) -> K | Status:
        """What a delete answers with: the object while it is still there, or a Status. Raises DecodeError."""
        if read_gvk(data) == Status.gvk:
            return Status.from_json(data)
        return self.read(data)

    def read_list(self, data: bytes) -> Listed[K]:
        """The page in an answer. Raises DecodeError.

        What is nested too deeply in an object is left as bytes, and refused when it is read.
        """
        try:
            listed = self.list_kind.from_json(data)
        except NestedTooDeeply:
            from kubewright.machinery.deep import cut_items  # noqa: PLC0415 - hardly anybody meets one

            cut = cut_items(data)
            listed = self.list_kind.from_json(cut.data)
            cut.restore(listed.items)
        meta = listed.metadata
        share_values(listed.items)
        return Listed(
            listed.items, meta.resource_version, meta.continue_, meta.remaining_item_count, len(data)
        )


METADATA: Final[Form[PartialObjectMetadata]] = Form(
    PartialObjectMetadata,
    PartialObjectMetadataList,
    f"{_AS}PartialObjectMetadata",
    f"{_AS}PartialObjectMetadataList",
)
"""The metadata alone, of any kind."""


def form_of(kind: type[K]) -> Form[K]:
    """The form of a kind itself."""
    known: Any = kind
    form: Form[K] = _form_of(known)
    return form


@lru_cache(1024)
def _form_of(kind: Any) -> Any:
    if issubclass(kind, Unstructured):
        return Form(kind, UnstructuredList)
    # Made here, so that types of users need no list type.
    base: Any = ResourceList[kind]
    members = {"__module__": kind.__module__, "__doc__": f"A list of {kind.__name__}."}
    return Form(kind, new_class(f"{kind.__name__}List", (base,), {}, lambda body: body.update(members)))


def encode_object(obj: TypeMeta | Unstructured | Mapping[str, Any]) -> bytes:
    """An object as a body. Raises EncodeError."""
    return obj.to_json() if isinstance(obj, TypeMeta | Unstructured) else codec.encode(obj)
