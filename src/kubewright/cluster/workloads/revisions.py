"""The annotations by which a Deployment and its ReplicaSets know their revisions and sizes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from kubewright.machinery.label_selectors import parse_int64

if TYPE_CHECKING:
    from kubewright.models.apps_v1 import Deployment, ReplicaSet

__all__ = [
    "DESIRED_REPLICAS",
    "HISTORY",
    "MAX_REPLICAS",
    "REVISION",
    "annotate_new",
    "annotate_sizes",
    "highest_revision",
    "revision_of",
    "size_annotation",
]

REVISION: Final = "deployment.kubernetes.io/revision"
HISTORY: Final = "deployment.kubernetes.io/revision-history"
"""The revisions that a ReplicaSet had before, when one was rolled back to."""
DESIRED_REPLICAS: Final = "deployment.kubernetes.io/desired-replicas"
"""The size of the Deployment when the ReplicaSet was last scaled: by it a change of size is noticed."""
MAX_REPLICAS: Final = "deployment.kubernetes.io/max-replicas"
"""The same with the surge, by which sizes are kept in proportion."""

_NOT_COPIED: Final = frozenset(
    {
        "kubectl.kubernetes.io/last-applied-configuration",
        REVISION,
        HISTORY,
        DESIRED_REPLICAS,
        MAX_REPLICAS,
        "deprecated.deployment.rollback.to",
    }
)
"""Annotations of a Deployment that its ReplicaSets do not get."""

_LONGEST_HISTORY: Final = 2000
"""Characters of the history: upstream's."""

_INT32_MAX: Final = 2**31 - 1


def revision_of(replica_set: ReplicaSet) -> int | None:
    """The revision of a ReplicaSet, 0 for one without; None for what is no number."""
    said = replica_set.metadata.annotations.get(REVISION)
    return 0 if said is None else parse_int64(said)


def highest_revision(replica_sets: Iterable[ReplicaSet]) -> int:
    """The highest of their revisions, and at least 0."""
    return max((revision_of(each) or 0 for each in replica_sets), default=0)


def size_annotation(replica_set: ReplicaSet, name: str) -> int | None:
    """The number that an annotation has; None for none, or what is no size."""
    said = replica_set.metadata.annotations.get(name, "")
    size = parse_int64(said) if said.isdecimal() else None
    return size if size is not None and size <= _INT32_MAX else None


def annotate_sizes(replica_set: ReplicaSet, desired: int, most: int) -> bool:
    """Note the size of the Deployment; whether that changed anything."""
    return _annotate(replica_set, {DESIRED_REPLICAS: str(desired), MAX_REPLICAS: str(most)})


def annotate_new(deployment: Deployment, replica_set: ReplicaSet, revision: int) -> bool:
    """Give the ReplicaSet of the present template its revision and annotations; whether that changed any.

    One that had a lower revision is rolled back to: that becomes history. One whose revision somebody has
    made something else than a number keeps it.
    """
    copied = {
        name: value for name, value in deployment.metadata.annotations.items() if name not in _NOT_COPIED
    }
    changed = _annotate(replica_set, copied)
    annotations = replica_set.metadata.annotations
    said = annotations.get(REVISION, "")
    before = parse_int64(said) if said else 0
    if before is None or before >= revision:
        return changed
    if REVISION in annotations:
        history = _history(annotations.get(HISTORY, ""), said)
        if history:
            annotations[HISTORY] = history
    annotations[REVISION] = str(revision)
    return True


def _history(history: str, revision: str) -> str:
    """A history with one revision more, and without its oldest ones when it gets too long."""
    if not history:
        return revision
    kept = [*history.split(","), revision]
    while len(kept) > 1 and len(",".join(kept)) > _LONGEST_HISTORY:
        del kept[0]
    return ",".join(kept)


def _annotate(replica_set: ReplicaSet, wanted: dict[str, str]) -> bool:
    annotations = replica_set.metadata.annotations
    if wanted.items() <= annotations.items():
        return False
    annotations.update(wanted)
    return True
