"""The rules of the sources of volumes, by their names on the wire."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from kubewright.machinery.field_errors import invalid, not_supported, required, too_long
from kubewright.machinery.names import is_dns1123_subdomain, name_is_dns_subdomain
from kubewright.server.kinds.core.name_checks import (
    check_dns_label,
    check_no_backsteps,
    check_one_of,
    check_relative_path,
    unsupported,
)
from kubewright.server.kinds.core.pod_options import PodOptions
from kubewright.server.kinds.kind import Errors, Object
from kubewright.server.kinds.metadata_rules import byte_length

__all__ = ["PULL_POLICIES", "SOURCE_CHECKS", "check_csi_driver_name", "check_image"]

PULL_POLICIES: Final = ("Always", "IfNotPresent", "Never")

_HOST_PATH_TYPES: Final = (
    "",
    "BlockDevice",
    "CharDevice",
    "Directory",
    "DirectoryOrCreate",
    "File",
    "FileOrCreate",
    "Socket",
)
_AZURE_CACHING: Final = ("None", "ReadOnly", "ReadWrite")
_AZURE_KINDS: Final = ("Dedicated", "Managed", "Shared")
_AZURE_MANAGED_URI: Final = (
    "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"
)
_AZURE_BLOB_URI: Final = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"

# The names of iSCSI nodes, as upstream takes them: only the first may stand after other text.
_ISCSI_NAMES: Final = {
    "iqn": re.compile(r"iqn\.[0-9]{4}-[0-9]{2}\.([A-Za-z0-9.-]+)(:[^,;*&$|\t\n\f\r ]+)\Z").search,
    "eui": re.compile(r"eui.[A-Za-z0-9]{16}\Z").match,
    "naa": re.compile(r"naa.[A-Za-z0-9]{32}\Z").match,
}

_MAX_ISCSI_NAME: Final = 2048
"""RFC 3720 allows 223 bytes. Upstream has no limit, but searching in very long names would take too long."""

_RESERVED_DOMAINS: Final = (".kubernetes.io", ".k8s.io")

_DRIVER_NAME_LENGTH: Final = 63


def _require(*fields: str) -> Callable[[Errors, Object, str], None]:
    """The check of a source that has nothing but required fields."""

    def check(errors: Errors, source: Object, path: str) -> None:
        for field in fields:
            if not source.get(field):
                errors.append(required(f"{path}.{field}"))

    return check


def _check_host_path(errors: Errors, source: Object, path: str) -> None:
    target = source.get("path") or ""
    if not target:
        errors.append(required(f"{path}.path"))
        return
    check_no_backsteps(errors, target, f"{path}.path")
    kind = source.get("type")
    if kind and kind not in _HOST_PATH_TYPES:
        errors.append(unsupported(f"{path}.type", kind, _HOST_PATH_TYPES))


def _check_git_repo(errors: Errors, source: Object, path: str) -> None:
    if not source.get("repository"):
        errors.append(required(f"{path}.repository"))
    check_relative_path(errors, source.get("directory") or "", f"{path}.directory")


def _check_partition(errors: Errors, source: Object, path: str) -> None:
    partition = source.get("partition") or 0
    if not 0 <= partition <= 255:
        errors.append(invalid(f"{path}.partition", partition, "must be between 1 and 255, inclusive"))


def _check_gce(errors: Errors, source: Object, path: str) -> None:
    if not source.get("pdName"):
        errors.append(required(f"{path}.pdName"))
    _check_partition(errors, source, path)


def _check_aws(errors: Errors, source: Object, path: str) -> None:
    if not source.get("volumeID"):
        errors.append(required(f"{path}.volumeID"))
    _check_partition(errors, source, path)


def _check_nfs(errors: Errors, source: Object, path: str) -> None:
    _require("server", "path")(errors, source, path)
    target = source.get("path") or ""
    if not target.startswith("/"):
        errors.append(invalid(f"{path}.path", target, "must be an absolute path"))


def _check_iscsi(errors: Errors, source: Object, path: str) -> None:
    _require("targetPortal", "iqn")(errors, source, path)
    if source.get("iqn"):
        _check_iscsi_name(errors, source["iqn"], f"{path}.iqn")
    lun = source.get("lun") or 0
    if not 0 <= lun <= 255:
        errors.append(invalid(f"{path}.lun", lun, "must be between 0 and 255, inclusive"))
    chap = source.get("chapAuthDiscovery") or source.get("chapAuthSession")
    if chap and source.get("secretRef") is None:
        errors.append(required(f"{path}.secretRef"))
    initiator = source.get("initiatorName")
    if initiator is not None:
        _check_iscsi_name(errors, initiator, f"{path}.initiatorname")


def _check_iscsi_name(errors: Errors, name: str, path: str) -> None:
    match = _ISCSI_NAMES.get(name[:3])
    if match is None:
        errors.append(invalid(path, name, "must be valid format starting with iqn, eui, or naa"))
    elif len(name) > _MAX_ISCSI_NAME or match(name) is None:
        errors.append(invalid(path, name, "must be valid format"))


def _check_fc(errors: Errors, source: Object, path: str) -> None:
    names, ids, lun = source.get("targetWWNs"), source.get("wwids"), source.get("lun")
    if not names and not ids:
        detail = "must specify either targetWWNs or wwids, but not both"
        errors.append(required(f"{path}.targetWWNs", detail))
    if names and ids:
        detail = "targetWWNs and wwids can not be specified simultaneously"
        errors.append(invalid(f"{path}.targetWWNs", names, detail))
    if names:
        if lun is None:
            errors.append(required(f"{path}.lun", "lun is required if targetWWNs is specified"))
        elif not 0 <= lun <= 255:
            errors.append(invalid(f"{path}.lun", lun, "must be between 0 and 255, inclusive"))


def _check_quobyte(errors: Errors, source: Object, path: str) -> None:
    registry = source.get("registry") or ""
    detail = "must be a host:port pair or multiple pairs separated by commas"
    if not registry:
        errors.append(required(f"{path}.registry", detail))
    elif byte_length(source.get("tenant") or "") >= 65:
        told = "must be a UUID and may not exceed a length of 64 characters"
        errors.append(required(f"{path}.tenant", told))
    else:
        for pair in registry.split(","):
            if not _is_host_and_port(pair):
                errors.append(invalid(f"{path}.registry", registry, detail))
    if not source.get("volume"):
        errors.append(required(f"{path}.volume"))


def _is_host_and_port(text: str) -> bool:
    """What Go's net.SplitHostPort takes."""
    colon = text.rfind(":")
    if text.startswith("["):
        bracket = text.find("]")
        return 0 < bracket == colon - 1 and "[" not in text[1:] and "]" not in text[colon:]
    return colon >= 0 and ":" not in text[:colon] and "[" not in text and "]" not in text


def _check_flocker(errors: Errors, source: Object, path: str) -> None:
    name, uuid = source.get("datasetName") or "", source.get("datasetUUID") or ""
    if not name and not uuid:
        errors.append(required(path, "one of datasetName and datasetUUID is required"))
    if name and uuid:
        detail = "datasetName and datasetUUID can not be specified simultaneously"
        errors.append(invalid(path, "resource", detail))
    if "/" in name:
        errors.append(invalid(f"{path}.datasetName", name, "must not contain '/'"))


def _check_cinder(errors: Errors, source: Object, path: str) -> None:
    if not source.get("volumeID"):
        errors.append(required(f"{path}.volumeID"))
    _check_secret_name(errors, source, path)


def _check_secret_name(errors: Errors, source: Object, path: str) -> None:
    secret = source.get("secretRef")
    if secret is not None and not secret.get("name"):
        errors.append(required(f"{path}.secretRef.name"))


def _check_flex_volume(errors: Errors, source: Object, path: str) -> None:
    if not source.get("driver"):
        errors.append(required(f"{path}.driver"))
    for key in source.get("options") or ():
        domain = f".{key.partition('/')[0].lower()}"
        if domain.endswith(_RESERVED_DOMAINS):
            detail = "kubernetes.io and k8s.io namespaces are reserved"
            errors.append(invalid(f"{path}.options[{key}]", key, detail))


def _check_azure_disk(errors: Errors, source: Object, path: str) -> None:
    _require("diskName", "diskURI")(errors, source, path)
    uri, caching, kind = source.get("diskURI") or "", source.get("cachingMode"), source.get("kind")
    if caching is not None and caching not in _AZURE_CACHING:
        errors.append(unsupported(f"{path}.cachingMode", caching, _AZURE_CACHING))
    if kind is None:
        return
    if kind not in _AZURE_KINDS:
        errors.append(unsupported(f"{path}.kind", kind, _AZURE_KINDS))
    if kind == "Managed":
        if not uri.startswith("/subscriptions/"):
            errors.append(not_supported(f"{path}.diskURI", uri, (_AZURE_MANAGED_URI,)))
    elif not uri.startswith("https://"):
        errors.append(not_supported(f"{path}.diskURI", uri, (_AZURE_BLOB_URI,)))


def _check_storage_os(errors: Errors, source: Object, path: str) -> None:
    name, namespace = source.get("volumeName") or "", source.get("volumeNamespace") or ""
    if name:
        check_dns_label(errors, name, f"{path}.volumeName")
    else:
        errors.append(required(f"{path}.volumeName"))
    if namespace:
        check_dns_label(errors, namespace, f"{path}.volumeNamespace")
    _check_secret_name(errors, source, path)


def check_csi_driver_name(errors: Errors, name: str, path: str) -> None:
    """The name of a CSI driver: a subdomain in any case, of 63 bytes at most."""
    if not name:
        errors.append(required(path))
        return
    if byte_length(name) > _DRIVER_NAME_LENGTH:
        errors.append(too_long(path, _DRIVER_NAME_LENGTH))
    errors.extend([invalid(path, name, message) for message in is_dns1123_subdomain(name.lower())])


def _check_csi(errors: Errors, source: Object, path: str) -> None:
    check_csi_driver_name(errors, source.get("driver") or "", f"{path}.driver")
    secret = source.get("nodePublishSecretRef")
    if secret is None:
        return
    name = secret.get("name") or ""
    if not name:
        errors.append(required(f"{path}.nodePublishSecretRef.name"))
    else:
        errors.extend([invalid(f"{path}.name", name, message) for message in name_is_dns_subdomain(name)])


def check_image(errors: Errors, source: Object, path: str, options: PodOptions) -> None:
    """A volume with the files of an image; templates may leave the image to be filled in."""
    if options.is_pod and not source.get("reference"):
        errors.append(required(f"{path}.reference"))
    check_one_of(errors, source.get("pullPolicy") or "", PULL_POLICIES, f"{path}.pullPolicy")


SOURCE_CHECKS: Final[Mapping[str, Callable[[Errors, Object, str], None]]] = {
    "hostPath": _check_host_path,
    "gitRepo": _check_git_repo,
    "gcePersistentDisk": _check_gce,
    "awsElasticBlockStore": _check_aws,
    "nfs": _check_nfs,
    "iscsi": _check_iscsi,
    "glusterfs": _require("endpoints", "path"),
    "flocker": _check_flocker,
    "persistentVolumeClaim": _require("claimName"),
    "rbd": _require("monitors", "image"),
    "cinder": _check_cinder,
    "cephfs": _require("monitors"),
    "quobyte": _check_quobyte,
    "fc": _check_fc,
    "flexVolume": _check_flex_volume,
    "azureFile": _require("secretName", "shareName"),
    "vsphereVolume": _require("volumePath"),
    "photonPersistentDisk": _require("pdID"),
    "portworxVolume": _require("volumeID"),
    "azureDisk": _check_azure_disk,
    "storageos": _check_storage_os,
    "scaleIO": _require("gateway", "system", "volumeName"),
    "csi": _check_csi,
}
