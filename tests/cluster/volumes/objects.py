"""Claims, volumes and classes, with as little said as a test is about."""

from __future__ import annotations

from typing import Any

from kubewright.models.core_v1 import PersistentVolume, PersistentVolumeClaim
from kubewright.models.storage_v1 import StorageClass

__all__ = ["claim", "pod_using", "storage_class", "volume"]


def claim(
    name: str = "data",
    size: str = "1Gi",
    *,
    modes: tuple[str, ...] = ("ReadWriteOnce",),
    annotations: dict[str, str] | None = None,
    status: dict[str, Any] | None = None,
    **spec: Any,
) -> PersistentVolumeClaim:
    """A claim; without storageClassName it names no class."""
    metadata = {
        "name": name,
        "namespace": "default",
        "uid": f"uid-of-{name}",
        "annotations": annotations or {},
    }
    wanted = {"accessModes": list(modes), "resources": {"requests": {"storage": size}}, **spec}
    return PersistentVolumeClaim.from_dict({"metadata": metadata, "spec": wanted, "status": status or {}})


def volume(
    name: str = "volume",
    size: str = "1Gi",
    *,
    modes: tuple[str, ...] = ("ReadWriteOnce",),
    annotations: dict[str, str] | None = None,
    labels: dict[str, str] | None = None,
    phase: str = "Available",
    claimed_by: str = "",
    **spec: Any,
) -> PersistentVolume:
    """A volume; `claimed_by` is `name` or `name/uid` of a claim in the namespace `default`."""
    metadata = {
        "name": name,
        "uid": f"uid-of-{name}",
        "annotations": annotations or {},
        "labels": labels or {},
    }
    wanted = {
        "accessModes": list(modes),
        "capacity": {"storage": size},
        "hostPath": {"path": "/tmp/x"},  # noqa: S108 - nothing is there
        **spec,
    }
    if claimed_by:
        claimer, _, uid = claimed_by.partition("/")
        wanted["claimRef"] = {"namespace": "default", "name": claimer, "uid": uid}
    return PersistentVolume.from_dict({"metadata": metadata, "spec": wanted, "status": {"phase": phase}})


def storage_class(name: str = "fast", provisioner: str = "example.com/disks", **fields: Any) -> StorageClass:
    return StorageClass.from_dict({"metadata": {"name": name}, "provisioner": provisioner, **fields})


def pod_using(name: str, claim: str, **spec: Any) -> dict[str, Any]:
    """A pod with one volume, which is a claim's."""
    volumes = [{"name": "data", "persistentVolumeClaim": {"claimName": claim}}]
    containers = [{"name": "c", "image": "i"}]
    return {"metadata": {"name": name}, "spec": {"containers": containers, "volumes": volumes, **spec}}
