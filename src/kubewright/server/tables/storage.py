"""Storage classes, CSI drivers, and what they attach."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from kubewright.server.kinds.kind import Object
from kubewright.server.tables.durations import age
from kubewright.server.tables.fields import NONE, UNSET, annotation, items, name_of, or_default, part
from kubewright.server.tables.printer import AGE, NAME, Printer, column, columns, integers

__all__ = ["PRINTERS"]

_DEFAULT_CLASS: Final = "storageclass.kubernetes.io/is-default-class"
_BETA_DEFAULT_CLASS: Final = "storageclass.beta.kubernetes.io/is-default-class"


def _csi_driver(obj: Object, now: datetime) -> list[Any]:
    spec = part(obj, "spec")
    requests = spec.get("tokenRequests")
    return [
        name_of(obj),
        or_default(spec.get("attachRequired"), True),
        or_default(spec.get("podInfoOnMount"), False),
        or_default(spec.get("storageCapacity"), False),
        UNSET if requests is None else ",".join([one.get("audience") or "" for one in requests]),
        or_default(spec.get("requiresRepublish"), False),
        ",".join(items(spec, "volumeLifecycleModes")) or NONE,
        age(obj, now),
    ]


def _csi_node(obj: Object, now: datetime) -> list[Any]:
    return [name_of(obj), len(items(part(obj, "spec"), "drivers")), age(obj, now)]


def _storage_class(obj: Object, now: datetime) -> list[Any]:
    name = name_of(obj)
    if "true" in {annotation(obj, _DEFAULT_CLASS), annotation(obj, _BETA_DEFAULT_CLASS)}:
        name += " (default)"
    return [
        name,
        obj.get("provisioner") or "",
        or_default(obj.get("reclaimPolicy"), "Delete"),
        or_default(obj.get("volumeBindingMode"), "Immediate"),
        or_default(obj.get("allowVolumeExpansion"), False),
        age(obj, now),
    ]


def _volume_attachment(obj: Object, now: datetime) -> list[Any]:
    spec = part(obj, "spec")
    return [
        name_of(obj),
        spec.get("attacher") or "",
        part(spec, "source").get("persistentVolumeName") or "",
        spec.get("nodeName") or "",
        bool(part(obj, "status").get("attached")),
        age(obj, now),
    ]


def _volume_attributes_class(obj: Object, now: datetime) -> list[Any]:
    return [name_of(obj), obj.get("driverName") or "", age(obj, now)]


def _booleans(*names: str) -> tuple[Object, ...]:
    return tuple(column(name, "boolean") for name in names)


PRINTERS: Final[Mapping[str, Printer]] = {
    "csidrivers": Printer(
        columns(
            NAME,
            *_booleans("AttachRequired", "PodInfoOnMount", "StorageCapacity"),
            "TokenRequests",
            *_booleans("RequiresRepublish"),
            "Modes",
            AGE,
        ),
        _csi_driver,
    ),
    "csinodes": Printer(columns(NAME, *integers("Drivers"), AGE), _csi_node),
    "storageclasses": Printer(
        columns(NAME, "Provisioner", "ReclaimPolicy", "VolumeBindingMode", "AllowVolumeExpansion", AGE),
        _storage_class,
    ),
    "volumeattachments": Printer(
        columns(NAME, column("Attacher", form="name"), "PV", "Node", *_booleans("Attached"), AGE),
        _volume_attachment,
    ),
    "volumeattributesclasses": Printer(columns(NAME, "DriverName", AGE), _volume_attributes_class),
}
