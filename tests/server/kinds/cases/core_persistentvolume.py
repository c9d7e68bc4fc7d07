"""PersistentVolumes: sources, capacity, modes, affinity, immutability."""

from __future__ import annotations

from typing import Any

from tests.server.kinds.harness import Case

NFS = {"nfs": {"server": "a", "path": "/b"}}


def volume(
    metadata: dict[str, Any] | None = None, source: dict[str, Any] | None = None, **spec: Any
) -> dict[str, Any]:
    base = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"]}
    source = NFS if source is None else source
    merged = {name: value for name, value in {**base, **source, **spec}.items() if value is not None}
    named = {"name": "core-case", **(metadata or {})}
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": named, "spec": merged}


def affinity(*terms: dict[str, Any]) -> dict[str, Any]:
    return {"required": {"nodeSelectorTerms": list(terms) or None}}


def expression(key: str = "a", operator: str = "In", values: list[str] | None = None) -> dict[str, Any]:
    return {"key": key, "operator": operator, **({"values": values} if values is not None else {})}


SECRET = {"name": "s", "namespace": "n"}
ISCSI = {"targetPortal": "p", "iqn": "iqn.2001-04.com.example:storage", "lun": 0}
CSI = {"driver": "d.example.com", "volumeHandle": "h"}
AZURE = {"diskName": "d", "diskURI": "https://b.blob.core.windows.net/c/d.vhd"}
ENDPOINTS = {"endpoints": "e", "path": "p"}
SIO = {"gateway": "g", "system": "s", "secretRef": SECRET, "volumeName": "v"}

SOURCES: list[dict[str, Any]] = [
    {},
    {"hostPath": {"path": ""}},
    {"hostPath": {"path": "/a"}},
    {"hostPath": {"path": "/a/../b"}},
    {"hostPath": {"path": "/a", "type": "Directory"}},
    {"hostPath": {"path": "/a", "type": "x"}},
    {"gcePersistentDisk": {"pdName": "a"}},
    {"gcePersistentDisk": {"pdName": "", "partition": 256}},
    {"gcePersistentDisk": {"pdName": "a", "partition": -1}},
    {"awsElasticBlockStore": {"volumeID": "a", "partition": 255}},
    {"awsElasticBlockStore": {"volumeID": "", "partition": 256}},
    {"glusterfs": ENDPOINTS},
    {"glusterfs": {"endpoints": "", "path": ""}},
    {"glusterfs": {**ENDPOINTS, "endpointsNamespace": "x"}},
    {"glusterfs": {**ENDPOINTS, "endpointsNamespace": ""}},
    {"glusterfs": {**ENDPOINTS, "endpointsNamespace": "a.b"}},
    {"flocker": {}},
    {"flocker": {"datasetName": "a/b"}},
    {"flocker": {"datasetName": "a", "datasetUUID": "b"}},
    {"nfs": {"server": "", "path": ""}},
    {"nfs": {"server": "a", "path": "b"}},
    {"rbd": {"monitors": ["a"], "image": "b"}},
    {"rbd": {"monitors": ["a"], "image": "b", "pool": "p", "user": "u", "keyring": "k"}},
    {"rbd": {"monitors": None, "image": ""}},
    {"quobyte": {"registry": "a:1,b:2", "volume": "v"}},
    {"quobyte": {"registry": "", "volume": ""}},
    {"quobyte": {"registry": "a", "volume": "v"}},
    {"quobyte": {"registry": "a:1,b", "volume": "v", "tenant": "x" * 64}},
    {"quobyte": {"registry": "a:1", "volume": "v", "tenant": "x" * 65}},
    {"cephfs": {"monitors": ["a"]}},
    {"cephfs": {"monitors": None}},
    {"iscsi": ISCSI},
    {"iscsi": {**ISCSI, "targetPortal": "", "iqn": ""}},
    {"iscsi": {**ISCSI, "iqn": "x"}},
    {"iscsi": {**ISCSI, "iqn": "iqn.x"}},
    {"iscsi": {**ISCSI, "iqn": "eui.0123456789abcdef"}},
    {"iscsi": {**ISCSI, "iqn": "eui.0"}},
    {"iscsi": {**ISCSI, "iqn": "naa.0123456789abcdef0123456789abcdef"}},
    {"iscsi": {**ISCSI, "iqn": "naa.0"}},
    {"iscsi": {**ISCSI, "lun": 256}},
    {"iscsi": {**ISCSI, "chapAuthSession": True}},
    {"iscsi": {**ISCSI, "chapAuthDiscovery": True, "secretRef": SECRET}},
    {"iscsi": {**ISCSI, "secretRef": {"namespace": "x"}, "initiatorName": "x"}},
    {"iscsi": {**ISCSI, "initiatorName": "iqn.x"}},
    {"iscsi": {**ISCSI, "initiatorName": "iqn.2001-04.com.example:a"}},
    {"iscsi": {**ISCSI, "initiatorName": "eui.0", "targetPortal": "x" * 54}},
    {"iscsi": {**ISCSI, "initiatorName": "iqn.2001-04.com.example:a", "targetPortal": "x" * 55}},
    {"cinder": {"volumeID": "v", "secretRef": SECRET}},
    {"cinder": {"volumeID": "", "secretRef": {}}},
    {"fc": {"targetWWNs": ["a"], "lun": 1}},
    {"fc": {"wwids": ["a"]}},
    {"fc": {}},
    {"fc": {"targetWWNs": ["a"], "wwids": ["b"], "lun": 256}},
    {"fc": {"targetWWNs": ["a"]}},
    {"flexVolume": {"driver": "d", "options": {"a": "b"}}},
    {"flexVolume": {"driver": "", "options": {"a.KUBERNETES.io/b": "c"}}},
    {"flexVolume": {"driver": "d", "options": {"k8s.io": "c"}}},
    {"azureFile": {"secretName": "s", "shareName": "h", "secretNamespace": None}},
    {"azureFile": {"secretName": "", "shareName": "", "secretNamespace": ""}},
    {"vsphereVolume": {"volumePath": "v"}},
    {"vsphereVolume": {"volumePath": ""}},
    {"photonPersistentDisk": {"pdID": "p"}},
    {"photonPersistentDisk": {"pdID": ""}},
    {"portworxVolume": {"volumeID": "v"}},
    {"portworxVolume": {"volumeID": ""}},
    {"azureDisk": AZURE},
    {"azureDisk": {"diskName": "", "diskURI": ""}},
    {"azureDisk": {**AZURE, "cachingMode": "x", "kind": "y"}},
    {"azureDisk": {**AZURE, "kind": "Managed", "fsType": "xfs", "readOnly": True}},
    {"azureDisk": {"diskName": "d", "diskURI": "/subscriptions/x", "kind": "Managed"}},
    {"azureDisk": {"diskName": "d", "diskURI": "/subscriptions/x", "kind": "Dedicated"}},
    {"scaleIO": SIO},
    {"scaleIO": {**SIO, "gateway": "", "system": "", "volumeName": "", "storageMode": "x", "fsType": "y"}},
    {"local": {"path": "/a"}},
    {"local": {"path": ""}},
    {"local": {"path": "/a/.."}},
    {"local": {"path": "/a"}, "nodeAffinity": affinity({"matchExpressions": [expression(values=["b"])]})},
    {"storageos": {"volumeName": "v", "volumeNamespace": "n", "secretRef": SECRET}},
    {"storageos": {"secretRef": {}}},
    {"storageos": {"volumeName": "A", "volumeNamespace": "B"}},
    {"csi": CSI},
    {"csi": {"driver": "", "volumeHandle": ""}},
    {"csi": {**CSI, "driver": "a b"}},
    {"csi": {**CSI, "driver": "D.example.com"}},
    {"csi": {**CSI, "driver": "d" * 64}},
    {"csi": {**CSI, "controllerPublishSecretRef": {}}},
    {"csi": {**CSI, "controllerExpandSecretRef": {"name": "A", "namespace": "B"}}},
    {"csi": {**CSI, "nodePublishSecretRef": {"name": "a.b", "namespace": "a.b"}}},
    {"csi": {**CSI, "nodeExpandSecretRef": SECRET, "nodeStageSecretRef": {}}},
    {**NFS, "csi": CSI},
    {**NFS, "hostPath": {"path": "/a"}, "cephfs": {"monitors": ["a"]}, "gcePersistentDisk": {"pdName": "x"}},
    {**NFS, "flexVolume": {"driver": ""}, "storageos": {}, "local": {"path": ""}},
]
AFFINITIES = [
    {},
    affinity(),
    affinity({}),
    affinity({"matchExpressions": [expression()]}),
    affinity({"matchExpressions": [expression(values=["a", "b c"])]}),
    affinity({"matchExpressions": [expression("a b", "Exists", ["x"])]}),
    affinity({"matchExpressions": [expression("a", "Gt", ["1", "2"]), expression("a", "Lt", ["1"])]}),
    affinity({"matchExpressions": [expression("a", "x")]}),
    affinity({"matchFields": [expression("a", "In", ["b"])]}),
    affinity({"matchFields": [expression("metadata.name", "In", ["b_c"])]}),
    affinity({"matchFields": [expression("metadata.name", "Exists")]}),
    affinity({"matchFields": [expression("metadata.name", "NotIn", ["b", "c"])]}, {}),
    affinity({"matchExpressions": [expression("beta.kubernetes.io/os", "Exists"), expression(values=["x"])]}),
    affinity({}, {"matchExpressions": [expression("failure-domain.beta.kubernetes.io/zone", "Exists")]}),
]
OPTIONS = {"annotations": {"volume.beta.kubernetes.io/mount-options": "a"}}
STORAGE_CLASS = {"annotations": {"volume.beta.kubernetes.io/storage-class": "a"}}
CAPACITIES: list[dict[str, str] | None] = [
    None,
    {"cpu": "1"},
    {"storage": "1Gi", "cpu": "1"},
    {"storage": "0"},
    {"storage": "-1"},
    {"storage": "-1m"},
    {"storage": "1n"},
    {"storage": "1500m"},
]
MODES = [
    None,
    ["x"],
    ["ReadWriteOncePod"],
    ["ReadWriteOncePod", "ReadOnlyMany"],
    ["ReadWriteOncePod", "x"],
    ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOnce"],
]
ZONE = affinity({"matchExpressions": [expression("failure-domain.beta.kubernetes.io/zone", values=["a"])]})
GA_ZONE = affinity({"matchExpressions": [expression("topology.kubernetes.io/zone", values=["a"])]})
OTHER_ZONE = affinity({"matchExpressions": [expression("topology.kubernetes.io/zone", values=["b"])]})
ACS = "volumeAttributesClassName"

CREATES = [
    Case("minimal", volume()),
    Case("status is reset", {**volume(), "status": {"phase": "Bound", "message": "x"}}),
    *[Case(f"source {index}", volume(source=source)) for index, source in enumerate(SOURCES)],
    *[Case(f"affinity {index}", volume(nodeAffinity=value)) for index, value in enumerate(AFFINITIES)],
    *[Case(f"capacity {index}", volume(capacity=value)) for index, value in enumerate(CAPACITIES)],
    *[Case(f"modes {index}", volume(accessModes=value)) for index, value in enumerate(MODES)],
    *[
        Case(f"policy {value}", volume(persistentVolumeReclaimPolicy=value))
        for value in ("Delete", "Recycle", "Retain", "x")
    ],
    Case(
        "recycle root",
        volume(source={"hostPath": {"path": "//a/.."}}, persistentVolumeReclaimPolicy="Recycle"),
    ),
    Case(
        "recycle slashes",
        volume(source={"hostPath": {"path": "//"}}, persistentVolumeReclaimPolicy="Recycle"),
    ),
    Case(
        "recycle path", volume(source={"hostPath": {"path": "/a"}}, persistentVolumeReclaimPolicy="Recycle")
    ),
    *[Case(f"volume mode {value}", volume(volumeMode=value)) for value in ("Block", "Filesystem", "x", "")],
    *[Case(f"storage class {value}", volume(storageClassName=value)) for value in ("a", "a.b", "a_b")],
    Case("attributes class", volume(source={"csi": CSI}, volumeAttributesClassName="a")),
    Case("bad attributes class", volume(source={"csi": CSI}, volumeAttributesClassName="a_b")),
    Case("empty attributes class", volume(source={"csi": CSI}, volumeAttributesClassName="")),
    Case("attributes class without csi", volume(volumeAttributesClassName="a")),
    Case("mount options", volume(OPTIONS)),
    Case("mount options of csi", volume(OPTIONS, {"csi": CSI})),
    Case("storage class annotation", volume(STORAGE_CLASS)),
    Case("claim", volume(claimRef={"kind": "PersistentVolumeClaim", "namespace": "a", "name": "b"})),
]
EXPAND = {**CSI, "controllerExpandSecretRef": SECRET}

UPDATES = [
    Case("update", volume(capacity={"storage": "2Gi"}, mountOptions=["a"]), volume()),
    Case("update source", volume(source={"nfs": {"server": "b", "path": "/b", "readOnly": True}}), volume()),
    Case("update to other source", volume(source={"csi": CSI}), volume()),
    Case(
        "update of csi",
        volume(source={"csi": {**CSI, "volumeAttributes": {"b": "<", "a": "&"}}}),
        volume(source={"csi": CSI}),
    ),
    Case("add expand secret", volume(source={"csi": EXPAND}), volume(source={"csi": CSI})),
    Case(
        "add expand secret and more",
        volume(source={"csi": {**EXPAND, "fsType": "x"}}),
        volume(source={"csi": CSI}),
    ),
    Case("remove expand secret", volume(source={"csi": CSI}), volume(source={"csi": EXPAND})),
    Case(
        "update with default",
        volume(source={"hostPath": {"path": "/a"}}),
        volume(source={"hostPath": {"path": "/a", "type": ""}}),
    ),
    Case("update volume mode", volume(volumeMode="Block"), volume()),
    Case("update badly", volume(accessModes=["x"]), volume()),
    Case("update mount options", volume(OPTIONS, {"csi": CSI}), volume(source={"csi": CSI})),
    Case("set affinity", volume(nodeAffinity=ZONE), volume()),
    Case("change affinity", volume(nodeAffinity=OTHER_ZONE), volume(nodeAffinity=GA_ZONE)),
    Case("change affinity to ga", volume(nodeAffinity=GA_ZONE), volume(nodeAffinity=ZONE)),
    Case("change affinity to beta", volume(nodeAffinity=ZONE), volume(nodeAffinity=GA_ZONE)),
    Case("change affinity to ga and more", volume(nodeAffinity=OTHER_ZONE), volume(nodeAffinity=ZONE)),
    Case("remove affinity", volume(), volume(nodeAffinity=ZONE)),
    Case("set attributes class", volume(source={"csi": CSI}, **{ACS: "a"}), volume(source={"csi": CSI})),
    Case(
        "change attributes class",
        volume(source={"csi": CSI}, **{ACS: "a"}),
        volume(source={"csi": CSI}, **{ACS: "b"}),
    ),
    Case("remove attributes class", volume(source={"csi": CSI}), volume(source={"csi": CSI}, **{ACS: "b"})),
]

CASES = CREATES + UPDATES
