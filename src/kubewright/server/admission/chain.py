"""Asking the plugins, in their order: once before the kind's rules, once after them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kubewright.machinery.errors import ParseError
from kubewright.server.admission.attributes import Admission, Attributes
from kubewright.server.kinds.kind import Object

__all__ = ["admit", "admit_and_validate", "validate"]

_BAD_MANAGERS: Final = (
    ".metadata.managedFields was in an invalid state after admission; this could be caused by an outdated "
    "mutating admission controller; please fix your requests: "
)


async def admit(plugins: Sequence[Admission], attributes: Attributes) -> Object:
    """Ask all plugins that may change an object, a second time if one wants it; returns the object.

    Managed fields that a plugin has made unreadable are put back, with a warning. Raises ApiError.
    """
    before = attributes.obj
    for plugin in plugins:
        await plugin.admit(attributes)
    again = attributes.reinvocation
    if again is not None and again.wanted:
        again.running = True
        for plugin in plugins:
            await plugin.admit(attributes)
    obj = attributes.obj
    if obj is None or before is None:
        return {}
    if obj is not before:
        _restore_managers(obj, before, attributes.write.warnings)
    return obj


async def validate(plugins: Sequence[Admission], attributes: Attributes) -> None:
    """Ask all plugins whether a write that is otherwise ready may happen. Raises ApiError."""
    for plugin in plugins:
        await plugin.validate(attributes)


async def admit_and_validate(plugins: Sequence[Admission], attributes: Attributes) -> None:
    """Both at once, for writes that no rules of a kind stand between: deletes and connections."""
    await admit(plugins, attributes)
    await validate(plugins, attributes)


def _restore_managers(obj: Object, before: Object, warnings: list[str]) -> None:
    """Put managed fields back that a plugin has replaced by what nobody can read."""
    metadata = obj.get("metadata")
    if not isinstance(metadata, dict) or not isinstance(before.get("metadata"), dict):
        return
    was, now = before["metadata"].get("managedFields"), metadata.get("managedFields")
    if was == now:
        return
    from kubewright.machinery.apply.managed_fields import decode_managed_fields  # noqa: PLC0415 - rare

    try:
        decode_managed_fields(now)
    except ParseError as error:
        metadata["managedFields"] = was
        warnings.append(f"{_BAD_MANAGERS}{error}")
