"""What a plugin is told of a write, and what a plugin is."""

from __future__ import annotations

from typing import Literal, Protocol, TypeAlias

import msgspec

from kubewright.server.kinds.kind import Object
from kubewright.server.registry.resource_type import ResourceType
from kubewright.server.registry.write import Write

__all__ = ["Admission", "Attributes", "Operation"]

Operation: TypeAlias = Literal["CREATE", "UPDATE", "DELETE", "CONNECT"]


class Attributes(msgspec.Struct, kw_only=True):
    """One write, as plugins see it."""

    operation: Operation
    type: ResourceType
    name: str
    """Empty for a create whose name the server will make."""
    obj: Object | None
    """The new state, which `admit` may change; None for deletes."""
    old: Object | None
    """The present state; None for creates."""
    write: Write


class Admission(Protocol):
    """A plugin. Both methods raise ApiError to refuse."""

    async def admit(self, attributes: Attributes) -> None:
        """Look at a write before its kind's rules do; may change `attributes.obj`."""
        ...

    async def validate(self, attributes: Attributes) -> None:
        """Look at a write that is otherwise ready."""
        ...
