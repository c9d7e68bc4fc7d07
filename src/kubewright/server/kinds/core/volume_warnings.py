"""Warnings about volumes: of sorts that are gone, and with files at the same paths."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from kubewright.machinery.field_errors import go_quote
from kubewright.server.kinds.core.pod_resources import amount_of, is_fractional
from kubewright.server.kinds.kind import Object

__all__ = ["overlap_warnings", "volume_warnings"]

# By the name on the wire: the name that upstream tells, and the message. In upstream's order.
_DEPRECATED: Final = {
    "photonPersistentDisk": ("photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"),
    "gitRepo": ("gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"),
    "scaleIO": ("scaleIO", "deprecated in v1.16, non-functional in v1.22+"),
    "flocker": ("flocker", "deprecated in v1.22, non-functional in v1.25+"),
    "storageos": ("storageOS", "deprecated in v1.22, non-functional in v1.25+"),
    "quobyte": ("quobyte", "deprecated in v1.22, non-functional in v1.25+"),
    "glusterfs": ("glusterfs", "deprecated in v1.25, non-functional in v1.26+"),
    "ephemeral": ("ephemeral", ""),
    "cephfs": ("cephfs", "deprecated in v1.28, non-functional in v1.31+"),
    "rbd": ("rbd", "deprecated in v1.28, non-functional in v1.31+"),
}

_MAX_PATHS: Final = 2000
"""Each path is compared with all before it; beyond this many nothing is told."""


class _Path(NamedTuple):
    path: str
    source: str

    def __str__(self) -> str:
        return f"{go_quote(self.path)} ({self.source})" if self.source else go_quote(self.path)


def volume_warnings(told: list[str], volumes: Iterable[Object], path: str) -> None:
    """Volumes of sorts that no longer work, and claims for fractions of bytes."""
    for index, volume in enumerate(volumes):
        if _DEPRECATED.keys().isdisjoint(volume):
            continue
        for kind, (name, message) in _DEPRECATED.items():
            if kind not in volume:
                continue
            if message:
                told.append(f"{path}[{index}].{name}: {message}")
            else:
                _claim_warnings(told, volume[kind] or {}, f"{path}[{index}].ephemeral.volumeClaimTemplate")


def _claim_warnings(told: list[str], source: Object, path: str) -> None:
    spec = (source.get("volumeClaimTemplate") or {}).get("spec") or {}
    resources = spec.get("resources") or {}
    for which in ("requests", "limits"):
        text = (resources.get(which) or {}).get("storage")
        if text is not None and is_fractional(text):
            shown = go_quote(str(amount_of(text)))
            place = f"{path}.spec.resources.{which}[storage]"
            told.append(f"{place}: fractional byte value {shown} is invalid, must be an integer")


def overlap_warnings(told: list[str], volumes: Iterable[Object]) -> None:
    """Files of one volume at the same path, or one below the other."""
    for volume in volumes:
        name = volume.get("name") or ""
        for kind, shown, named in (("configMap", "ConfigMap", "name"), ("secret", "Secret", "secretName")):
            source = volume.get(kind)
            if source and source.get("items"):
                described = f"{shown} {go_quote(source.get(named) or '')}"
                _overlaps(told, _item_paths(source, ""), name, described)
        files = volume.get("downwardAPI")
        if files and files.get("items"):
            _overlaps(told, _item_paths(files, ""), name, "DownwardAPI")
        projected = volume.get("projected")
        if projected:
            paths = []
            for source in projected.get("sources") or ():
                if not source:
                    told.append(f"volume {go_quote(name)} (Projected) has no sources provided")
                paths += _projected_paths(source)
            _overlaps(told, paths, name, "Projected")


def _item_paths(source: Object, described: str) -> list[_Path]:
    return [_Path(item.get("path") or "", described) for item in source.get("items") or ()]


def _projected_paths(source: Object) -> list[_Path]:
    config_map, secret, files = source.get("configMap"), source.get("secret"), source.get("downwardAPI")
    token, bundle, certificate = (
        source.get("serviceAccountToken"),
        source.get("clusterTrustBundle"),
        source.get("podCertificate"),
    )
    if config_map and config_map.get("items"):
        return _item_paths(config_map, f"ConfigMap {go_quote(config_map.get('name') or '')}")
    if secret and secret.get("items"):
        return _item_paths(secret, f"Secret {go_quote(secret.get('name') or '')}")
    if files and files.get("items"):
        return _item_paths(files, "DownwardAPI")
    if token is not None:
        return [_Path(token.get("path") or "", "ServiceAccountToken")]
    if bundle is not None:
        name = bundle.get("name") or bundle.get("signerName") or ""
        return [_Path(bundle.get("path") or "", f"ClusterTrustBundle {go_quote(name)}")]
    if certificate is None:
        return []
    fields = (
        ("certificateChainPath", "chain"),
        ("keyPath", "key"),
        ("credentialBundlePath", "credential bundle"),
    )
    return [
        _Path(certificate[field], f"PodCertificate {what}")
        for field, what in fields
        if certificate.get(field)
    ]


def _overlaps(told: list[str], paths: list[_Path], volume: str, described: str) -> None:
    if len(paths) < 2 or len(paths) > _MAX_PATHS:
        return
    before: list[_Path] = []
    for found in paths:
        path = _Path(found.path.rstrip("/"), found.source)
        if path.path:
            for other in before:
                if f"{other.path}/".startswith(f"{path.path}/") or f"{path.path}/".startswith(
                    f"{other.path}/"
                ):
                    what = f"volume {go_quote(volume)} ({described})"
                    told.append(f"{what}: overlapping paths: {path} with {other}")
            before.append(path)
