"""What a plugin is told of a write, and what a plugin is."""

from __future__ import annotations

from collections.abc import Awaitable, Generator
from typing import Any, Final, Literal, Protocol, TypeAlias, cast

import msgspec

from kubewright.machinery.gvk import GroupVersionKind
from kubewright.server.kinds.kind import Object
from kubewright.server.registry.resource_type import ResourceType
from kubewright.server.registry.write import Write

__all__ = ["NOTHING", "Admission", "Attributes", "Operation", "Reinvocation"]

Operation: TypeAlias = Literal["CREATE", "UPDATE", "DELETE", "CONNECT"]

_OPTIONS: Final = {"CREATE": "CreateOptions", "UPDATE": "UpdateOptions", "DELETE": "DeleteOptions"}
"""The kind of the options by operation, also of patches, as upstream tells plugins."""


class Reinvocation(msgspec.Struct):
    """What plugins that change objects know of each other: after a change, all are asked a second time."""

    wanted: bool = False
    """Whether a plugin has changed the object in a way that those before it should see."""
    running: bool = False
    """Whether this is the second time."""
    values: dict[str, Any] = {}
    """What each plugin remembers between the two times, by a name of its own."""


class Attributes(msgspec.Struct, kw_only=True):
    """One write, as plugins see it."""

    operation: Operation
    type: ResourceType
    name: str
    """Empty for a create whose name the server will make, and for deletes of a collection."""
    obj: Object | None
    """The new state, which `admit` may change or replace; None for deletes. Of subresources such as `scale`
    it is what the subresource shows, of CONNECT the options of the connection."""
    old: Object | None
    """The present state, which nobody changes; None for creates."""
    write: Write
    reinvocation: Reinvocation | None = None

    @property
    def kind(self) -> GroupVersionKind:
        """The kind of `obj`: that of the resource, or of its subresource."""
        served = self.type.served
        found = served.subresources.get(self.write.subresource) if self.write.subresource else None
        return served.gvk if found is None else found.gvk

    @property
    def namespace(self) -> str:
        """The namespace of the write; for namespaces their own name, as upstream has it."""
        served = self.type.served
        if served.resource == "namespaces" and not served.group:
            return self.name
        return self.write.namespace

    @property
    def options(self) -> Object | None:
        """The options of the request as an object; None for CONNECT."""
        kind = _OPTIONS.get(self.operation)
        if kind is None:
            return None
        return {"kind": kind, "apiVersion": "meta.k8s.io/v1", **self.write.options}

    def reinvoked(self) -> Reinvocation:
        """What is known of a second round, made when it is first asked for."""
        if self.reinvocation is None:
            self.reinvocation = Reinvocation()
        return self.reinvocation


class Admission(Protocol):
    """A plugin. Both methods raise ApiError to refuse; one that has nothing to do may return `NOTHING`."""

    def admit(self, attributes: Attributes) -> Awaitable[None]:
        """Look at a write before its kind's rules do; may change or replace `attributes.obj`."""
        ...

    def validate(self, attributes: Attributes) -> Awaitable[None]:
        """Look at a write that is otherwise ready."""
        ...


class _Done:
    """What can be awaited and is done, without a coroutine, of which every write would make several."""

    __slots__ = ()

    def __await__(self) -> Generator[None, None, None]:
        # Faster than a generator, and await takes any iterator.
        return cast("Generator[None, None, None]", iter(()))


NOTHING: Final[Awaitable[None]] = _Done()
