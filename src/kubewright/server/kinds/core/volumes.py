"""The rules of a pod's volumes. Sources that need more than a required field are in `volume_sources`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from kubewright.machinery.field_errors import duplicate, forbidden, go_quote, invalid, required
from kubewright.machinery.names import name_is_dns_subdomain
from kubewright.server.kinds.core.name_checks import check_dns_label, is_good_label
from kubewright.server.kinds.core.pod_options import PodOptions
from kubewright.server.kinds.core.pod_resources import amount_of, plain_millis
from kubewright.server.kinds.core.volume_claim_template import check_claim_template
from kubewright.server.kinds.core.volume_projected import check_downward_api, check_keyed, check_projected
from kubewright.server.kinds.core.volume_sources import SOURCE_CHECKS, check_image
from kubewright.server.kinds.kind import Errors, Object
from kubewright.server.kinds.metadata_rules import byte_length

__all__ = ["check_volumes"]

_MORE_THAN_ONE: Final = "may not specify more than 1 volume type"
_ISCSI_LENGTH: Final = (
    "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if "
    "iscsi.initiatorName is specified."
)

Check = Callable[[Errors, Object, str, PodOptions], None]


def _plain(check: Callable[[Errors, Object, str], None]) -> Check:
    return lambda errors, source, path, options: check(errors, source, path)


def _check_secret(errors: Errors, source: Object, path: str, options: PodOptions) -> None:
    check_keyed(errors, source, path, name="secretName")


def _check_config_map(errors: Errors, source: Object, path: str, options: PodOptions) -> None:
    check_keyed(errors, source, path, name="name")


def _check_empty_dir(errors: Errors, source: Object, path: str, options: PodOptions) -> None:
    limit = source.get("sizeLimit")
    if limit is not None and plain_millis(limit) is None and amount_of(limit) < 0:
        errors.append(forbidden(f"{path}.sizeLimit", "SizeLimit field must be a valid resource quantity"))


# In upstream's order, which decides which of two sources is the one too many. The names that its errors give
# to a source are not always those on the wire: one for a wrong source, one for a second source.
_CHECKS: Final[Mapping[str, tuple[Check, str, str]]] = {
    kind: (check, *(names or (kind, kind)))
    for kind, check, names in (
        ("emptyDir", _check_empty_dir, None),
        ("hostPath", _plain(SOURCE_CHECKS["hostPath"]), None),
        ("gitRepo", _plain(SOURCE_CHECKS["gitRepo"]), None),
        (
            "gcePersistentDisk",
            _plain(SOURCE_CHECKS["gcePersistentDisk"]),
            ("persistentDisk", "gcePersistentDisk"),
        ),
        ("awsElasticBlockStore", _plain(SOURCE_CHECKS["awsElasticBlockStore"]), None),
        ("secret", _check_secret, None),
        ("nfs", _plain(SOURCE_CHECKS["nfs"]), None),
        ("iscsi", _plain(SOURCE_CHECKS["iscsi"]), None),
        ("glusterfs", _plain(SOURCE_CHECKS["glusterfs"]), None),
        ("flocker", _plain(SOURCE_CHECKS["flocker"]), None),
        ("persistentVolumeClaim", _plain(SOURCE_CHECKS["persistentVolumeClaim"]), None),
        ("rbd", _plain(SOURCE_CHECKS["rbd"]), None),
        ("cinder", _plain(SOURCE_CHECKS["cinder"]), None),
        ("cephfs", _plain(SOURCE_CHECKS["cephfs"]), ("cephfs", "cephFS")),
        ("quobyte", _plain(SOURCE_CHECKS["quobyte"]), None),
        ("downwardAPI", check_downward_api, ("downwardAPI", "downwarAPI")),
        ("fc", _plain(SOURCE_CHECKS["fc"]), None),
        ("flexVolume", _plain(SOURCE_CHECKS["flexVolume"]), None),
        ("configMap", _check_config_map, None),
        ("azureFile", _plain(SOURCE_CHECKS["azureFile"]), None),
        ("vsphereVolume", _plain(SOURCE_CHECKS["vsphereVolume"]), None),
        ("photonPersistentDisk", _plain(SOURCE_CHECKS["photonPersistentDisk"]), None),
        ("portworxVolume", _plain(SOURCE_CHECKS["portworxVolume"]), None),
        ("azureDisk", _plain(SOURCE_CHECKS["azureDisk"]), None),
        ("storageos", _plain(SOURCE_CHECKS["storageos"]), None),
        ("projected", check_projected, None),
        ("scaleIO", _plain(SOURCE_CHECKS["scaleIO"]), None),
        ("csi", _plain(SOURCE_CHECKS["csi"]), None),
        ("ephemeral", _plain(check_claim_template), None),
        ("image", check_image, None),
    )
}


def check_volumes(
    errors: Errors, volumes: list[Object], metadata: Object | None, path: str, options: PodOptions
) -> Mapping[str, Object]:
    """All volumes of a pod; gives back the good ones by their names, which containers may mount.

    `metadata` is the pod's, and None for templates, whose pods have no names yet.
    """
    pod_name = (metadata or {}).get("name") or ""
    good: dict[str, Object] = {}
    claims: set[str] = set()
    if pod_name:
        claims = {f"{pod_name}-{volume.get('name') or ''}" for volume in volumes if "ephemeral" in volume}
    for index, volume in enumerate(volumes):
        place = f"{path}[{index}]"
        before = len(errors)
        _check_source(errors, volume, pod_name, place, options)
        name = volume.get("name") or ""
        if not name:
            errors.append(required(f"{place}.name"))
        elif is_good_label(name) is None:
            check_dns_label(errors, name, f"{place}.name")
        if name in good:
            errors.append(duplicate(f"{place}.name", name))
        if len(errors) == before:
            good[name] = volume
        if claims:
            claim = (volume.get("persistentVolumeClaim") or {}).get("claimName")
            if claim in claims:
                detail = "must not reference a PVC that gets created for an ephemeral volume"
                errors.append(invalid(f"{place}.persistentVolumeClaim.claimName", claim, detail))
    return good


def _check_source(errors: Errors, volume: Object, pod_name: str, path: str, options: PodOptions) -> None:
    kinds = [kind for kind in volume if kind in _CHECKS]
    if len(kinds) > 1:
        kinds = [kind for kind in _CHECKS if kind in volume]
    if not kinds:
        errors.append(required(path, "must specify a volume type"))
        return
    for index, kind in enumerate(kinds):
        check, name, second_name = _CHECKS[kind]
        if index:
            errors.append(forbidden(f"{path}.{second_name}", _MORE_THAN_ONE))
        else:
            check(errors, volume[kind] or {}, f"{path}.{name}", options)
        if kind == "iscsi":
            _check_iscsi_name(errors, volume, path)
        elif kind == "ephemeral" and not index and pod_name and volume.get("name"):
            _check_claim_name(errors, volume["name"], pod_name, path)


def _check_iscsi_name(errors: Errors, volume: Object, path: str) -> None:
    source, name = volume["iscsi"] or {}, volume.get("name") or ""
    portal = source.get("targetPortal") or ""
    if source.get("initiatorName") is not None and byte_length(name) + 1 + byte_length(portal) > 64:
        errors.append(invalid(f"{path}.name", name, _ISCSI_LENGTH))


def _check_claim_name(errors: Errors, name: str, pod_name: str, path: str) -> None:
    claim = f"{pod_name}-{name}"
    for message in name_is_dns_subdomain(claim):
        errors.append(invalid(f"{path}.name", name, f"PVC name {go_quote(claim)}: {message}"))
