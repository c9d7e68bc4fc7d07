"""Objects as upstream's internal Go types look in JSON, for the messages that show them.

Validation there runs on types without JSON names, so a struct in a message has the names of Go's fields and
shows the empty ones as well. Only the types that such messages can show are here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from kubewright.server.kinds.kind import Object

__all__ = ["internal_diff", "internal_json"]


class _Field(NamedTuple):
    go: str
    name: str
    empty: object
    """What Go shows where the object has no such field."""
    type: str
    """The struct it holds, or "" for what is shown as it is."""
    many: bool
    sorted: Callable[[Object], Object] | None


# Type: fields in Go's order as Go=json, which is a string, or Go=json:type. `*json`, `*map` and
# `*selector` are shown as they are, or null.
_TYPES: Final = {
    "PersistentVolumeSource": (
        "GCEPersistentDisk=gcePersistentDisk:*GCEPersistentDiskVolumeSource "
        "AWSElasticBlockStore=awsElasticBlockStore:*AWSElasticBlockStoreVolumeSource "
        "HostPath=hostPath:*HostPathVolumeSource Glusterfs=glusterfs:*GlusterfsPersistentVolumeSource "
        "NFS=nfs:*NFSVolumeSource RBD=rbd:*RBDPersistentVolumeSource Quobyte=quobyte:*QuobyteVolumeSource "
        "ISCSI=iscsi:*ISCSIPersistentVolumeSource FlexVolume=flexVolume:*FlexPersistentVolumeSource "
        "Cinder=cinder:*CinderPersistentVolumeSource CephFS=cephfs:*CephFSPersistentVolumeSource "
        "FC=fc:*FCVolumeSource Flocker=flocker:*FlockerVolumeSource "
        "AzureFile=azureFile:*AzureFilePersistentVolumeSource "
        "VsphereVolume=vsphereVolume:*VsphereVirtualDiskVolumeSource "
        "AzureDisk=azureDisk:*AzureDiskVolumeSource "
        "PhotonPersistentDisk=photonPersistentDisk:*PhotonPersistentDiskVolumeSource "
        "PortworxVolume=portworxVolume:*PortworxVolumeSource "
        "ScaleIO=scaleIO:*ScaleIOPersistentVolumeSource Local=local:*LocalVolumeSource "
        "StorageOS=storageos:*StorageOSPersistentVolumeSource CSI=csi:*CSIPersistentVolumeSource"
    ),
    "PersistentVolumeClaimSpec": (
        "AccessModes=accessModes:*json Selector=selector:*selector "
        "Resources=resources:VolumeResourceRequirements VolumeName=volumeName "
        "StorageClassName=storageClassName:*json VolumeMode=volumeMode:*json "
        "DataSource=dataSource:*TypedLocalObjectReference "
        "DataSourceRef=dataSourceRef:*TypedObjectReference "
        "VolumeAttributesClassName=volumeAttributesClassName:*json"
    ),
    "ServicePort": (
        "Name=name Protocol=protocol AppProtocol=appProtocol:*json Port=port:int32 "
        "TargetPort=targetPort:int32 NodePort=nodePort:int32"
    ),
    "Taint": "Key=key Value=value Effect=effect TimeAdded=timeAdded:*json",
    "ObjectReference": (
        "Kind=kind Namespace=namespace Name=name UID=uid APIVersion=apiVersion "
        "ResourceVersion=resourceVersion FieldPath=fieldPath"
    ),
    "EventSource": "Component=component Host=host",
    "NodeAddress": "Type=type Address=address",
    "NodeConfigSource": "ConfigMap=configMap:*ConfigMapNodeConfigSource",
    "VolumeNodeAffinity": "Required=required:*NodeSelector",
    "ScopeSelector": "MatchExpressions=matchExpressions:[]ScopedResourceSelectorRequirement",
    "GCEPersistentDiskVolumeSource": (
        "PDName=pdName FSType=fsType Partition=partition:int32 ReadOnly=readOnly:bool"
    ),
    "AWSElasticBlockStoreVolumeSource": (
        "VolumeID=volumeID FSType=fsType Partition=partition:int32 ReadOnly=readOnly:bool"
    ),
    "HostPathVolumeSource": "Path=path Type=type:*json",
    "GlusterfsPersistentVolumeSource": (
        "EndpointsName=endpoints Path=path ReadOnly=readOnly:bool EndpointsNamespace=endpointsNamespace:*json"
    ),
    "NFSVolumeSource": "Server=server Path=path ReadOnly=readOnly:bool",
    "RBDPersistentVolumeSource": (
        "CephMonitors=monitors:*json RBDImage=image FSType=fsType RBDPool=pool RadosUser=user "
        "Keyring=keyring SecretRef=secretRef:*SecretReference ReadOnly=readOnly:bool"
    ),
    "QuobyteVolumeSource": (
        "Registry=registry Volume=volume ReadOnly=readOnly:bool User=user Group=group Tenant=tenant"
    ),
    "ISCSIPersistentVolumeSource": (
        "TargetPortal=targetPortal IQN=iqn Lun=lun:int32 ISCSIInterface=iscsiInterface FSType=fsType "
        "ReadOnly=readOnly:bool Portals=portals:*json DiscoveryCHAPAuth=chapAuthDiscovery:bool "
        "SessionCHAPAuth=chapAuthSession:bool SecretRef=secretRef:*SecretReference "
        "InitiatorName=initiatorName:*json"
    ),
    "FlexPersistentVolumeSource": (
        "Driver=driver FSType=fsType SecretRef=secretRef:*SecretReference ReadOnly=readOnly:bool "
        "Options=options:*map"
    ),
    "CinderPersistentVolumeSource": (
        "VolumeID=volumeID FSType=fsType ReadOnly=readOnly:bool SecretRef=secretRef:*SecretReference"
    ),
    "CephFSPersistentVolumeSource": (
        "Monitors=monitors:*json Path=path User=user SecretFile=secretFile "
        "SecretRef=secretRef:*SecretReference ReadOnly=readOnly:bool"
    ),
    "FCVolumeSource": (
        "TargetWWNs=targetWWNs:*json Lun=lun:*json FSType=fsType ReadOnly=readOnly:bool WWIDs=wwids:*json"
    ),
    "FlockerVolumeSource": "DatasetName=datasetName DatasetUUID=datasetUUID",
    "AzureFilePersistentVolumeSource": (
        "SecretName=secretName ShareName=shareName ReadOnly=readOnly:bool "
        "SecretNamespace=secretNamespace:*json"
    ),
    "VsphereVirtualDiskVolumeSource": (
        "VolumePath=volumePath FSType=fsType StoragePolicyName=storagePolicyName "
        "StoragePolicyID=storagePolicyID"
    ),
    "AzureDiskVolumeSource": (
        "DiskName=diskName DataDiskURI=diskURI CachingMode=cachingMode:*json FSType=fsType:*json "
        "ReadOnly=readOnly:*json Kind=kind:*json"
    ),
    "PhotonPersistentDiskVolumeSource": "PdID=pdID FSType=fsType",
    "PortworxVolumeSource": "VolumeID=volumeID FSType=fsType ReadOnly=readOnly:bool",
    "ScaleIOPersistentVolumeSource": (
        "Gateway=gateway System=system SecretRef=secretRef:*SecretReference SSLEnabled=sslEnabled:bool "
        "ProtectionDomain=protectionDomain StoragePool=storagePool StorageMode=storageMode "
        "VolumeName=volumeName FSType=fsType ReadOnly=readOnly:bool"
    ),
    "LocalVolumeSource": "Path=path FSType=fsType:*json",
    "StorageOSPersistentVolumeSource": (
        "VolumeName=volumeName VolumeNamespace=volumeNamespace FSType=fsType ReadOnly=readOnly:bool "
        "SecretRef=secretRef:*ObjectReference"
    ),
    "CSIPersistentVolumeSource": (
        "Driver=driver VolumeHandle=volumeHandle ReadOnly=readOnly:bool FSType=fsType "
        "VolumeAttributes=volumeAttributes:*map "
        "ControllerPublishSecretRef=controllerPublishSecretRef:*SecretReference "
        "NodeStageSecretRef=nodeStageSecretRef:*SecretReference "
        "NodePublishSecretRef=nodePublishSecretRef:*SecretReference "
        "ControllerExpandSecretRef=controllerExpandSecretRef:*SecretReference "
        "NodeExpandSecretRef=nodeExpandSecretRef:*SecretReference"
    ),
    "VolumeResourceRequirements": "Limits=limits:*map Requests=requests:*map",
    "TypedLocalObjectReference": "APIGroup=apiGroup:*json Kind=kind Name=name",
    "TypedObjectReference": "APIGroup=apiGroup:*json Kind=kind Name=name Namespace=namespace:*json",
    "ConfigMapNodeConfigSource": (
        "Namespace=namespace Name=name UID=uid ResourceVersion=resourceVersion "
        "KubeletConfigKey=kubeletConfigKey"
    ),
    "NodeSelector": "NodeSelectorTerms=nodeSelectorTerms:[]NodeSelectorTerm",
    "ScopedResourceSelectorRequirement": "ScopeName=scopeName Operator=operator Values=values:*json",
    "SecretReference": "Name=name Namespace=namespace",
    "NodeSelectorTerm": (
        "MatchExpressions=matchExpressions:[]NodeSelectorRequirement "
        "MatchFields=matchFields:[]NodeSelectorRequirement"
    ),
    "NodeSelectorRequirement": "Key=key Operator=operator Values=values:*json",
}


def _sorted_map(value: Object) -> Object:
    return dict(sorted(value.items()))


def _sorted_selector(value: Object) -> Object:
    shown: Object = {name: value[name] for name in ("matchLabels", "matchExpressions") if name in value}
    if "matchLabels" in shown:
        shown["matchLabels"] = _sorted_map(shown["matchLabels"])
    return shown


# How what is shown as it is comes into Go's order.
_SORTED: Final = {"*map": _sorted_map, "*selector": _sorted_selector}
_MAX_DIFF_LINES: Final = 2000
"""Comparing takes time that grows with the square of the lines; real objects have a few dozen."""

_EMPTY: Final[dict[str, object]] = {"": "", "int32": 0, "bool": False}


def _fields(text: str) -> Iterator[_Field]:
    for word in text.split():
        go, _, rest = word.partition("=")
        name, _, kind = rest.partition(":")
        many, pointer = kind.startswith("[]"), kind.startswith("*")
        plain = kind in _EMPTY or kind in {"*json", "*map", "*selector"}
        struct = "" if plain else kind.lstrip("[]*")
        empty = None if many or pointer else _EMPTY.get(kind, {})
        yield _Field(go, name, empty, struct, many, _SORTED.get(kind))


def internal_json(obj: Object, kind: str) -> Object:
    """An object of an internal type, such as "ServicePort", with Go's names and all of its fields."""
    shown: Object = {}
    for field in _fields(_TYPES[kind]):
        value = obj.get(field.name, field.empty)
        if field.type and field.many and value is not None:
            value = [internal_json(element, field.type) for element in value]
        elif field.type and value is not None:
            value = internal_json(value, field.type)
        elif field.sorted is not None and value is not None:
            value = field.sorted(value)
        shown[field.go] = value
    return shown


def internal_diff(old: Object, new: Object, kind: str) -> str:
    """How two objects of an internal type differ: a unified diff of their JSON, as upstream shows it.

    "" for very large objects.
    """
    import difflib  # noqa: PLC0415 - only refused updates come here

    def lines(obj: Object) -> list[str]:
        text = json.dumps(internal_json(obj, kind), indent=1, ensure_ascii=False)
        return [f"{line}\n" for line in _html_safe(text).split("\n")]

    before, after = lines(old), lines(new)
    if max(len(before), len(after)) > _MAX_DIFF_LINES:
        return ""
    found = difflib.unified_diff(before, after, n=3)
    return "".join(line for index, line in enumerate(found) if index > 1)


def _html_safe(text: str) -> str:
    # Go's encoder writes these so that JSON can stand in a page.
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
