"""PersistentVolumes and the claims to them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from kubewright.server.kinds.kind import Object
from kubewright.server.tables.durations import age
from kubewright.server.tables.fields import UNSET, annotation, items, name_of, or_default, part
from kubewright.server.tables.printer import AGE, NAME, Printer, columns, wide

__all__ = ["PERSISTENT_VOLUMES", "PERSISTENT_VOLUME_CLAIMS"]

_MODES: Final = (
    ("ReadWriteOnce", "RWO"),
    ("ReadOnlyMany", "ROX"),
    ("ReadWriteMany", "RWX"),
    ("ReadWriteOncePod", "RWOP"),
)
_CLASS_ANNOTATION: Final = "volume.beta.kubernetes.io/storage-class"
"""Named the class before there was a field for it, and still goes before that field."""


def _volume_cells(volume: Object, now: datetime) -> list[Any]:
    spec, status = part(volume, "spec"), part(volume, "status")
    claim = spec.get("claimRef")
    return [
        name_of(volume),
        _storage(spec),
        _modes(items(spec, "accessModes")),
        spec.get("persistentVolumeReclaimPolicy") or "",
        _phase(volume),
        "" if claim is None else f"{claim.get('namespace') or ''}/{claim.get('name') or ''}",
        _class(volume),
        or_default(spec.get("volumeAttributesClassName"), UNSET),
        status.get("reason") or "",
        age(volume, now),
        or_default(spec.get("volumeMode"), UNSET),
    ]


def _claim_cells(claim: Object, now: datetime) -> list[Any]:
    spec, status = part(claim, "spec"), part(claim, "status")
    volume = spec.get("volumeName") or ""
    return [
        name_of(claim),
        _phase(claim),
        volume,
        _storage(status) if volume else "",
        _modes(items(status, "accessModes")) if volume else "",
        _class(claim),
        or_default(spec.get("volumeAttributesClassName"), UNSET),
        age(claim, now),
        or_default(spec.get("volumeMode"), UNSET),
    ]


def _phase(obj: Object) -> str:
    if part(obj, "metadata").get("deletionTimestamp") is not None:
        return "Terminating"
    return part(obj, "status").get("phase") or ""


def _storage(holder: Object) -> str:
    return str(or_default(part(holder, "capacity").get("storage"), "0"))


def _modes(modes: Sequence[Any]) -> str:
    return ",".join([short for mode, short in _MODES if mode in modes])


def _class(obj: Object) -> str:
    return or_default(annotation(obj, _CLASS_ANNOTATION), part(obj, "spec").get("storageClassName") or "")  # type: ignore[no-any-return]


PERSISTENT_VOLUMES: Final = Printer(
    columns(
        NAME,
        "Capacity",
        "Access Modes",
        "Reclaim Policy",
        "Status",
        "Claim",
        "StorageClass",
        "VolumeAttributesClass",
        "Reason",
        AGE,
        *wide("VolumeMode"),
    ),
    _volume_cells,
)
PERSISTENT_VOLUME_CLAIMS: Final = Printer(
    columns(
        NAME,
        "Status",
        "Volume",
        "Capacity",
        "Access Modes",
        "StorageClass",
        "VolumeAttributesClass",
        AGE,
        *wide("VolumeMode"),
    ),
    _claim_cells,
)
