"""The objects of a write, in the version in which a webhook wants to see them."""

from __future__ import annotations

from typing import Final

from kubewright.machinery.errors import ApiError
from kubewright.machinery.gvk import GroupVersionKind
from kubewright.server.admission.attributes import Attributes
from kubewright.server.errors import internal_error
from kubewright.server.kinds.kind import Object
from kubewright.server.registry.resource_type import ResourceType
from kubewright.server.wire import wire_type

__all__ = ["Versioned"]


class Versioned:
    """The new and the old object of a write in one version, which may be changed to another.

    What a webhook has changed stays changed: `to` converts it, and `finish` brings it back into the version
    of the request and into its attributes.
    """

    def __init__(self, attributes: Attributes) -> None:
        self.attributes: Final = attributes
        self.type: ResourceType = attributes.type
        self.obj: Object | None = _complete(attributes.type, attributes.obj, attributes.kind)
        self.old: Object | None = _complete(attributes.type, attributes.old, attributes.kind)
        self.is_changed = False

    def kind(self, target: ResourceType) -> GroupVersionKind:
        """What the objects are in another version; those of subresources may be the same in all."""
        subresource = self.attributes.write.subresource
        found = target.served.subresources.get(subresource) if subresource else None
        return target.served.gvk if found is None else found.gvk

    async def to(self, target: ResourceType) -> None:
        """Convert the objects. Raises InternalError."""
        if target is self.type or self.kind(target) == self.kind(self.type):
            self.type = target
            return
        try:
            if self.obj is not None:
                self.obj = await self.type.as_version(self.obj, target)
            if self.attributes.old is not None:
                old = _complete(self.attributes.type, self.attributes.old, self.attributes.kind)
                assert old is not None  # noqa: S101 - there is one
                self.old = await self.attributes.type.as_version(old, target)
        except ApiError as error:
            raise internal_error(error.status.message or "") from None
        self.type = target

    def change(self, obj: Object) -> None:
        """Take what a webhook has made of the object."""
        self.obj = obj
        self.is_changed = True

    def read(self, obj: Object) -> Object:
        """An object that was patched, as the kind's types and defaults have it. Raises ParseError."""
        kind = self.kind(self.type)
        if kind != self.type.served.gvk:
            read = wire_type(kind.group_version.api_version, kind.kind).read_object(obj, strict=False).obj
            return {**read, "apiVersion": kind.group_version.api_version, "kind": kind.kind}
        return self.type.read_admitted(obj)

    async def finish(self) -> None:
        """Give the write the object that webhooks have made of it, if they have. Raises InternalError."""
        if self.is_changed:
            await self.to(self.attributes.type)
            self.attributes.obj = self.obj


def _complete(resource: ResourceType, obj: Object | None, kind: GroupVersionKind) -> Object | None:
    if obj is None or kind != resource.served.gvk:
        return obj
    return resource.complete(obj)
