"""What the status of a namespace says while it is deleted: what went wrong, and what remains."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from kubewright.cluster.namespace_content import Leftovers
from kubewright.models.core_v1 import NamespaceCondition

__all__ = ["conditions_of"]

_FINE: Final = {
    "NamespaceDeletionDiscoveryFailure": ("ResourcesDiscovered", "All resources successfully discovered"),
    "NamespaceDeletionGroupVersionParsingFailure": (
        "ParsedGroupVersions",
        "All legacy kube types successfully parsed",
    ),
    "NamespaceDeletionContentFailure": (
        "ContentDeleted",
        "All content successfully deleted, may be waiting on finalization",
    ),
    "NamespaceContentRemaining": ("ContentRemoved", "All content successfully removed"),
    "NamespaceFinalizersRemaining": ("ContentHasNoFinalizers", "All content-preserving finalizers finished"),
}
"""The conditions in upstream's order, with the reason and the message that each has when all is well."""


def conditions_of(
    before: Sequence[NamespaceCondition], leftovers: Leftovers, now: datetime
) -> list[NamespaceCondition]:
    """The conditions after a pass; their times change where their statuses do; others stay as they are."""
    failed = _failed(leftovers)
    made = {each.type: each for each in before}
    for kind, fine in _FINE.items():
        status = "True" if kind in failed else "False"
        reason, message = failed.get(kind, fine)
        old = made.get(kind)
        since = old.last_transition_time if old is not None and old.status == status else now
        made[kind] = NamespaceCondition(
            type=kind, status=status, reason=reason, message=message, last_transition_time=since
        )
    return list(made.values())


def _failed(leftovers: Leftovers) -> dict[str, tuple[str, str]]:
    """The reason and the message of each condition that is not well."""
    found: dict[str, tuple[str, str]] = {}
    if leftovers.undiscovered:
        told = ", ".join(sorted(leftovers.undiscovered))
        count = len(leftovers.undiscovered)
        message = f"Discovery failed for some groups, {count} failing: unable to retrieve the complete list"
        found["NamespaceDeletionDiscoveryFailure"] = (
            "DiscoveryFailed",
            f"{message} of server APIs: {told}",
        )
    if leftovers.failures:
        told = ", ".join(sorted(leftovers.failures))
        message = f"Failed to delete all resource types, {len(leftovers.failures)} remaining: {told}"
        found["NamespaceDeletionContentFailure"] = ("ContentDeletionFailed", message)
    if leftovers.resources:
        each = sorted(
            f"{resource.resource}.{resource.group} has {count} resource instances"
            for resource, count in leftovers.resources.items()
        )
        message = f"Some resources are remaining: {', '.join(each)}"
        found["NamespaceContentRemaining"] = ("SomeResourcesRemain", message)
    if leftovers.finalizers:
        each = sorted(f"{name} in {count} resource instances" for name, count in leftovers.finalizers.items())
        message = f"Some content in the namespace has finalizers remaining: {', '.join(each)}"
        found["NamespaceFinalizersRemaining"] = ("SomeFinalizersRemain", message)
    return found
