"""The sources of persistent volumes: which there are, and the rules of those that differ from a pod's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from kubewright.machinery.field_errors import forbidden, invalid, required
from kubewright.machinery.names import name_is_dns_label
from kubewright.server.kinds.core.name_checks import check_dns_label, check_dns_subdomain, check_no_backsteps
from kubewright.server.kinds.core.volume_sources import SOURCE_CHECKS, check_csi_driver_name
from kubewright.server.kinds.kind import Errors, Object
from kubewright.server.kinds.metadata_rules import byte_length

__all__ = ["VOLUME_SOURCES", "validate_volume_sources"]

_ISCSI_TARGET_LENGTH: Final = 64
"""Linux allows no longer names of iSCSI interfaces."""

_Check = Callable[[Errors, Object, str], None]


def validate_volume_sources(spec: Object, volume_name: str) -> Errors:
    """All that is wrong with the sources of a persistent volume, of which there must be one."""
    errors: Errors = []
    found = 0
    for field in VOLUME_SOURCES:
        source = spec.get(field)
        if source is None:
            continue
        if found and field != "flexVolume":
            # Upstream lets a flexVolume stand beside another, by mistake.
            name = _FORBIDDEN_NAMES.get(field, field)
            errors.append(forbidden(f"spec.{name}", "may not specify more than 1 volume type"))
            continue
        found += 1
        if field == "iscsi":
            _check_iscsi(errors, source, "spec.iscsi", volume_name)
            continue
        _CHECKS[field](errors, source, f"spec.{_NAMES.get(field, field)}")
        if field == "local" and spec.get("nodeAffinity") is None:
            errors.append(required("spec.nodeAffinity", "Local volume requires node affinity"))
    if not found:
        errors.append(required("spec", "must specify a volume type"))
    return errors


def _check_iscsi(errors: Errors, source: Object, path: str, volume_name: str) -> None:
    found: Errors = []
    SOURCE_CHECKS["iscsi"](found, source, path)
    portal = source.get("targetPortal") or ""
    too_long = byte_length(f"{volume_name}:{portal}") > _ISCSI_TARGET_LENGTH
    if source.get("initiatorName") is not None and too_long:
        detail = (
            "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if "
            "iscsi.initiatorName is specified."
        )
        found.insert(0 if portal else 1, invalid(f"{path}.targetportal", portal, detail))
    secret = source.get("secretRef")
    if secret is not None and not secret.get("name"):
        at = len(found)
        while at and found[at - 1].field.endswith(".initiatorname"):
            at -= 1
        found.insert(at, required(f"{path}.secretRef.name"))
    for error in found:
        # The words about names are shorter here than in pods.
        message = error.message.removesuffix(" starting with iqn, eui, or naa")
        errors.append(error._replace(message=message))


def _check_glusterfs(errors: Errors, source: Object, path: str) -> None:
    SOURCE_CHECKS["glusterfs"](errors, source, path)
    namespace = source.get("endpointsNamespace")
    if namespace is None:
        return
    if not namespace:
        detail = "if the endpointnamespace is set, it must be a valid namespace name"
        errors.append(invalid(f"{path}.endpointsNamespace", namespace, detail))
        return
    for message in name_is_dns_label(namespace):
        errors.append(invalid(f"{path}.endpointsNamespace", namespace, message))


def _with_secret_namespace(field: str) -> _Check:
    def check(errors: Errors, source: Object, path: str) -> None:
        SOURCE_CHECKS[field](errors, source, path)
        secret = source.get("secretRef")
        if secret is not None and not secret.get("namespace"):
            errors.append(required(f"{path}.secretRef.namespace"))

    return check


def _check_azure_file(errors: Errors, source: Object, path: str) -> None:
    SOURCE_CHECKS["azureFile"](errors, source, path)
    if source.get("secretNamespace") == "":
        errors.append(required(f"{path}.secretNamespace"))


def _check_local(errors: Errors, source: Object, path: str) -> None:
    target = source.get("path") or ""
    if not target:
        errors.append(required(f"{path}.path"))
    check_no_backsteps(errors, target, f"{path}.path")


def _check_csi(errors: Errors, source: Object, path: str) -> None:
    check_csi_driver_name(errors, source.get("driver") or "", f"{path}.driver")
    if not source.get("volumeHandle"):
        errors.append(required(f"{path}.volumeHandle"))
    # Upstream forgets nodeStageSecretRef.
    for field in (
        "controllerPublishSecretRef",
        "controllerExpandSecretRef",
        "nodePublishSecretRef",
        "nodeExpandSecretRef",
    ):
        secret = source.get(field)
        if secret is not None:
            _check_secret(errors, secret, f"{path}.{field}")


def _check_secret(errors: Errors, secret: Object, path: str) -> None:
    name, namespace = secret.get("name") or "", secret.get("namespace") or ""
    if name:
        check_dns_subdomain(errors, name, f"{path}.name")
    else:
        errors.append(required(f"{path}.name"))
    if namespace:
        check_dns_label(errors, namespace, f"{path}.namespace")
    else:
        errors.append(required(f"{path}.namespace"))


VOLUME_SOURCES: Final = (
    "hostPath",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "glusterfs",
    "flocker",
    "nfs",
    "rbd",
    "quobyte",
    "cephfs",
    "iscsi",
    "cinder",
    "fc",
    "flexVolume",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "scaleIO",
    "local",
    "storageos",
    "csi",
)
"""The sources a persistent volume can have, in the order in which upstream looks at them."""

# Paths in messages that are not the names of the fields.
_NAMES: Final = {"gcePersistentDisk": "persistentDisk"}
_FORBIDDEN_NAMES: Final = {"cephfs": "cephFS"}

_CHECKS: Final[Mapping[str, _Check]] = {
    **SOURCE_CHECKS,
    "glusterfs": _check_glusterfs,
    "cinder": _with_secret_namespace("cinder"),
    "azureFile": _check_azure_file,
    "local": _check_local,
    "storageos": _with_secret_namespace("storageos"),
    "csi": _check_csi,
}
