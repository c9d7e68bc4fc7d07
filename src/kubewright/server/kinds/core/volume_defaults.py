"""The defaults of volumes."""

from __future__ import annotations

from typing import Final

from kubewright.server.kinds.core.container_image import is_latest_image
from kubewright.server.kinds.core.pod_resources import round_resources
from kubewright.server.kinds.kind import Object

__all__ = ["default_volume"]

_FILE_MODE: Final = 0o644
"""Upstream's defaultMode of Secret, ConfigMap, DownwardAPI and projected volumes alike."""

_TOKEN_SECONDS: Final = 3600

_RBD: Final = {"pool": "rbd", "user": "admin", "keyring": "/etc/ceph/keyring"}
_SCALE_IO: Final = {"storageMode": "ThinProvisioned", "fsType": "xfs"}
_AZURE_DISK: Final = {"cachingMode": "ReadWrite", "fsType": "ext4", "readOnly": False, "kind": "Shared"}


def default_volume(volume: Object) -> None:
    """Fill in the defaults of a volume; one without a source is an emptyDir."""
    if len(volume) < 2 and ("name" in volume or not volume):
        volume["emptyDir"] = {}
        return
    for kind, source in volume.items():
        default = _DEFAULTS.get(kind)
        if default is not None and isinstance(source, dict):
            default(source)


def _default_mode(source: Object) -> None:
    source.setdefault("defaultMode", _FILE_MODE)


def _default_host_path(source: Object) -> None:
    source.setdefault("type", "")


def _default_iscsi(source: Object) -> None:
    source["iscsiInterface"] = source.get("iscsiInterface") or "default"


def _default_rbd(source: Object) -> None:
    for name, value in _RBD.items():
        source[name] = source.get(name) or value


def _default_scale_io(source: Object) -> None:
    for name, value in _SCALE_IO.items():
        source[name] = source.get(name) or value


def _default_azure_disk(source: Object) -> None:
    for name, value in _AZURE_DISK.items():
        source.setdefault(name, value)


def _default_image(source: Object) -> None:
    if not source.get("pullPolicy"):
        latest = is_latest_image(source.get("reference") or "")
        source["pullPolicy"] = "Always" if latest else "IfNotPresent"


def _default_downward_api(source: Object) -> None:
    _default_mode(source)
    _default_files(source)


def _default_files(source: Object) -> None:
    for file in source.get("items") or ():
        field = file.get("fieldRef")
        if field is not None:
            field["apiVersion"] = field.get("apiVersion") or "v1"
        resource = file.get("resourceFieldRef")
        if resource is not None:
            # A quantity that is no pointer: Go writes the zero.
            resource.setdefault("divisor", "0")


def _default_projected(source: Object) -> None:
    _default_mode(source)
    if not source.get("sources"):
        # Go writes the list in any case, and an empty one as nothing once it has been stored.
        source["sources"] = None
    for projection in source["sources"] or ():
        files = projection.get("downwardAPI")
        if files:
            _default_files(files)
        token = projection.get("serviceAccountToken")
        if token is not None:
            token.setdefault("expirationSeconds", _TOKEN_SECONDS)


def _default_ephemeral(source: Object) -> None:
    template = source.get("volumeClaimTemplate")
    if template is None:
        return
    template.setdefault("metadata", {})
    spec = template.setdefault("spec", {})
    spec.setdefault("volumeMode", "Filesystem")
    resources = spec.setdefault("resources", {})
    if resources:
        for name in ("limits", "requests"):
            if resources.get(name):
                round_resources(resources[name])


_DEFAULTS: Final = {
    "secret": _default_mode,
    "configMap": _default_mode,
    "downwardAPI": _default_downward_api,
    "projected": _default_projected,
    "hostPath": _default_host_path,
    "iscsi": _default_iscsi,
    "rbd": _default_rbd,
    "scaleIO": _default_scale_io,
    "azureDisk": _default_azure_disk,
    "image": _default_image,
    "ephemeral": _default_ephemeral,
}
