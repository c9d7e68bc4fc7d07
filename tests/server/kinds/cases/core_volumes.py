"""Cases of a pod's volumes."""

from __future__ import annotations

from typing import Any

from tests.server.kinds.cases.pod_objects import container, created, pod, template, with_volume
from tests.server.kinds.harness import Case

LONG = "x" * 300


def _projected(*sources: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"projected": {"sources": list(sources), **fields}}


def _claim(metadata: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    body = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, **spec}
    made = {key: value for key, value in body.items() if value is not None}
    return {"ephemeral": {"volumeClaimTemplate": {"metadata": metadata or {}, "spec": made}}}


NAMES = [
    Case("name_missing", pod(volumes=[{"name": "", "emptyDir": {}}])),
    Case("name_bad", pod(volumes=[{"name": "Not_Good", "emptyDir": {}}])),
    Case("name_dots", pod(volumes=[{"name": "a.b", "emptyDir": {}}])),
    Case("name_long", pod(volumes=[{"name": "x" * 64, "emptyDir": {}}])),
    Case("name_twice", pod(volumes=[{"name": "a", "emptyDir": {}}, {"name": "a", "emptyDir": {}}])),
    Case("no_source", pod(volumes=[{"name": "a"}])),
    Case(
        "two_sources",
        pod(volumes=[{"name": "a", "emptyDir": {}, "hostPath": {"path": "/x", "type": ""}}]),
    ),
    Case(
        "many_sources",
        pod(
            volumes=[
                {
                    "name": "a",
                    "configMap": {"name": "x"},
                    "secret": {"secretName": "x"},
                    "downwardAPI": {},
                    "cephfs": {"monitors": ["a"]},
                    "gcePersistentDisk": {"pdName": "x"},
                    "storageos": {"volumeName": "x"},
                    "projected": {"sources": []},
                    "csi": {"driver": "x"},
                    "image": {"reference": "x"},
                    "ephemeral": {},
                }
            ]
        ),
    ),
]

SIMPLE = with_volume(
    "source",
    empty_dir={"emptyDir": {}},
    empty_dir_limit={"emptyDir": {"medium": "Memory", "sizeLimit": "1Gi"}},
    empty_dir_negative={"emptyDir": {"sizeLimit": "-1"}},
    host_path={"hostPath": {"path": "/var/log"}},
    host_path_typed={"hostPath": {"path": "/var/log", "type": "DirectoryOrCreate"}},
    host_path_empty={"hostPath": {"path": ""}},
    host_path_backsteps={"hostPath": {"path": "/a/../b"}},
    host_path_type={"hostPath": {"path": "/a", "type": "Door"}},
    git={"gitRepo": {"repository": "https://example.com/x.git", "directory": "a"}},
    git_empty={"gitRepo": {"repository": ""}},
    git_directory={"gitRepo": {"repository": "x", "directory": "/a/.."}},
    gce={"gcePersistentDisk": {"pdName": "x", "partition": 1}},
    gce_bad={"gcePersistentDisk": {"pdName": "", "partition": 300}},
    aws={"awsElasticBlockStore": {"volumeID": "x"}},
    aws_bad={"awsElasticBlockStore": {"volumeID": "", "partition": -1}},
    nfs={"nfs": {"server": "s", "path": "/x"}},
    nfs_empty={"nfs": {"server": "", "path": ""}},
    nfs_relative={"nfs": {"server": "s", "path": "x"}},
    iscsi={"iscsi": {"targetPortal": "10.0.0.1", "iqn": "iqn.2016-04.com.example:storage", "lun": 0}},
    iscsi_empty={"iscsi": {"targetPortal": "", "iqn": "", "lun": 0}},
    iscsi_prefix={"iscsi": {"targetPortal": "x", "iqn": "abc", "lun": 256}},
    iscsi_iqn={"iscsi": {"targetPortal": "x", "iqn": "iqn.2016", "lun": -1}},
    iscsi_eui={"iscsi": {"targetPortal": "x", "iqn": "eui.0123456789ABCDEF", "lun": 0}},
    iscsi_eui_bad={"iscsi": {"targetPortal": "x", "iqn": "eui.012", "lun": 0}},
    iscsi_naa={"iscsi": {"targetPortal": "x", "iqn": "naa.0123456789ABCDEF0123456789ABCDEF", "lun": 0}},
    iscsi_naa_bad={"iscsi": {"targetPortal": "x", "iqn": "naa.x", "lun": 0}},
    iscsi_chap={
        "iscsi": {"targetPortal": "x", "iqn": "eui.0123456789ABCDEF", "lun": 0, "chapAuthSession": True}
    },
    iscsi_initiator={
        "iscsi": {
            "targetPortal": "x" * 70,
            "iqn": "eui.0123456789ABCDEF",
            "lun": 0,
            "initiatorName": "iqn.bad",
        }
    },
    iscsi_initiator_prefix={
        "iscsi": {"targetPortal": "x", "iqn": "eui.0123456789ABCDEF", "lun": 0, "initiatorName": "bad"}
    },
    glusterfs={"glusterfs": {"endpoints": "x", "path": "x"}},
    glusterfs_empty={"glusterfs": {"endpoints": "", "path": ""}},
    flocker={"flocker": {"datasetName": "x"}},
    flocker_none={"flocker": {}},
    flocker_both={"flocker": {"datasetName": "a/b", "datasetUUID": "x"}},
    claim={"persistentVolumeClaim": {"claimName": "x", "readOnly": True}},
    claim_empty={"persistentVolumeClaim": {"claimName": ""}},
    rbd={"rbd": {"monitors": ["a"], "image": "x"}},
    rbd_empty={"rbd": {"monitors": [], "image": ""}},
    cinder={"cinder": {"volumeID": "x", "secretRef": {"name": "x"}}},
    cinder_empty={"cinder": {"volumeID": "", "secretRef": {}}},
    cephfs={"cephfs": {"monitors": ["a"]}},
    cephfs_empty={"cephfs": {"monitors": []}},
    quobyte={"quobyte": {"registry": "a:1,[::1]:2", "volume": "v"}},
    quobyte_empty={"quobyte": {"registry": "", "volume": ""}},
    quobyte_bad={"quobyte": {"registry": "a,b:1:2,[x]:1", "volume": "v"}},
    quobyte_tenant={"quobyte": {"registry": "a:1", "volume": "v", "tenant": "x" * 65}},
    fc={"fc": {"targetWWNs": ["a"], "lun": 1}},
    fc_none={"fc": {}},
    fc_both={"fc": {"targetWWNs": ["a"], "wwids": ["b"]}},
    fc_lun={"fc": {"targetWWNs": ["a"], "lun": 256}},
    flex={"flexVolume": {"driver": "example.com/x", "options": {"a": "b"}}},
    flex_reserved={"flexVolume": {"driver": "", "options": {"kubernetes.io/a": "b"}}},
    flex_reserved_subdomain={"flexVolume": {"driver": "x", "options": {"A.K8S.io/a": "b"}}},
    azure_file={"azureFile": {"secretName": "a", "shareName": "b"}},
    azure_file_empty={"azureFile": {"secretName": "", "shareName": ""}},
    vsphere={"vsphereVolume": {"volumePath": "x"}},
    vsphere_empty={"vsphereVolume": {"volumePath": ""}},
    photon={"photonPersistentDisk": {"pdID": "x"}},
    photon_empty={"photonPersistentDisk": {"pdID": ""}},
    portworx={"portworxVolume": {"volumeID": "x"}},
    portworx_empty={"portworxVolume": {"volumeID": ""}},
    azure_disk={"azureDisk": {"diskName": "x", "diskURI": "https://x.blob.core.windows.net/a/b.vhd"}},
    azure_disk_managed={
        "azureDisk": {
            "diskName": "x",
            "diskURI": "/subscriptions/x",
            "kind": "Managed",
            "cachingMode": "None",
        }
    },
    azure_disk_bad={"azureDisk": {"diskName": "", "diskURI": "", "kind": "Managed", "cachingMode": "X"}},
    azure_disk_kind={"azureDisk": {"diskName": "x", "diskURI": "x", "kind": "X"}},
    storageos={"storageos": {"volumeName": "x", "volumeNamespace": "y"}},
    storageos_empty={"storageos": {"secretRef": {}}},
    storageos_bad={"storageos": {"volumeName": "X", "volumeNamespace": "Y"}},
    scaleio={"scaleIO": {"gateway": "x", "system": "y", "volumeName": "z", "secretRef": {"name": "s"}}},
    scaleio_empty={"scaleIO": {"gateway": "", "system": "", "secretRef": None}},
    csi={"csi": {"driver": "csi.example.com", "nodePublishSecretRef": {"name": "x"}}},
    csi_empty={"csi": {"driver": ""}},
    csi_bad={"csi": {"driver": "bad_driver" * 10, "nodePublishSecretRef": {}}},
    csi_secret={"csi": {"driver": "x", "nodePublishSecretRef": {"name": "Bad_Name"}}},
    image={"image": {"reference": "example.com/image:v1"}},
    image_latest={"image": {"reference": "example.com/image"}},
    image_empty={"image": {}},
    image_policy={"image": {"reference": "x", "pullPolicy": "Sometimes"}},
)

KEYED = with_volume(
    "keyed",
    secret={"secret": {"secretName": "x", "items": [{"key": "a", "path": "b", "mode": 256}]}},
    secret_empty={"secret": {"items": [{"key": "", "path": "", "mode": 512}], "defaultMode": 512}},
    secret_absolute={"secret": {"secretName": "x", "items": [{"key": "a", "path": "/b"}]}},
    secret_backsteps={"secret": {"secretName": "x", "items": [{"key": "a", "path": "../b"}]}},
    secret_reserved={"secret": {"secretName": "x", "items": [{"key": "a", "path": "..b"}]}},
    secret_mode={"secret": {"secretName": "x", "defaultMode": -1}},
    config_map={"configMap": {"name": "x", "optional": True, "defaultMode": 0}},
    config_map_empty={"configMap": {}},
    config_map_items={
        "configMap": {"name": "x", "items": [{"key": "a", "path": "a/../b"}, {"key": "b", "path": ".."}]}
    },
    downward={
        "downwardAPI": {
            "items": [
                {"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}},
                {"path": "one", "fieldRef": {"fieldPath": "metadata.annotations['example.com/Key']"}},
                {"path": "cpu", "resourceFieldRef": {"containerName": "main", "resource": "limits.cpu"}},
                {
                    "path": "huge",
                    "resourceFieldRef": {
                        "containerName": "main",
                        "resource": "requests.hugepages-2Mi",
                        "divisor": "1Mi",
                    },
                },
            ]
        }
    },
    downward_bad={"downwardAPI": {"defaultMode": 1000, "items": [{"path": "", "mode": -1}]}},
    downward_both={
        "downwardAPI": {
            "items": [
                {
                    "path": "x",
                    "fieldRef": {"fieldPath": "spec.nodeName"},
                    "resourceFieldRef": {"containerName": "x", "resource": "limits.cpu"},
                }
            ]
        }
    },
    downward_unknown={"downwardAPI": {"items": [{"path": "x", "fieldRef": {"fieldPath": "metadata.foo"}}]}},
    downward_version={
        "downwardAPI": {
            "items": [{"path": "x", "fieldRef": {"apiVersion": "v2", "fieldPath": "metadata.name"}}]
        }
    },
    downward_subscript={
        "downwardAPI": {"items": [{"path": "x", "fieldRef": {"fieldPath": "metadata.name['a']"}}]}
    },
    downward_subscript_label={
        "downwardAPI": {"items": [{"path": "x", "fieldRef": {"fieldPath": "metadata.labels['a b']"}}]}
    },
    downward_no_path={"downwardAPI": {"items": [{"path": "x", "fieldRef": {"fieldPath": ""}}]}},
    downward_host={"downwardAPI": {"items": [{"path": "x", "fieldRef": {"fieldPath": "spec.host"}}]}},
    downward_container={
        "downwardAPI": {"items": [{"path": "x", "resourceFieldRef": {"resource": "limits.cpu"}}]}
    },
    downward_resource={
        "downwardAPI": {
            "items": [{"path": "x", "resourceFieldRef": {"containerName": "main", "resource": "limits.gpu"}}]
        }
    },
    downward_divisor={
        "downwardAPI": {
            "items": [
                {
                    "path": "x",
                    "resourceFieldRef": {"containerName": "c", "resource": "limits.memory", "divisor": "2Mi"},
                }
            ]
        }
    },
    downward_overlap={
        "downwardAPI": {
            "items": [
                {"path": "a", "fieldRef": {"fieldPath": "metadata.name"}},
                {"path": "a/b", "fieldRef": {"fieldPath": "metadata.uid"}},
            ]
        }
    },
)

_TOKEN = {"serviceAccountToken": {"path": "token"}}
PROJECTED = [
    *(
        Case(f"projected_{name}", pod(serviceAccountName="default", volumes=[{"name": "data", **volume}]))
        for name, volume in {
            "full": _projected(
                _TOKEN,
                {"configMap": {"name": "x", "items": [{"key": "a", "path": "ca"}]}},
                {"secret": {"name": "y", "items": [{"key": "a", "path": "s"}]}},
                {"downwardAPI": {"items": [{"path": "n", "fieldRef": {"fieldPath": "metadata.name"}}]}},
            ),
            "none": _projected(),
            "empty_source": _projected({}),
            "two_kinds": _projected({"configMap": {"name": "x"}, "secret": {"name": "y"}}),
            "names": _projected({"configMap": {}}, {"secret": {}}),
            "mode": _projected(defaultMode=1000),
            "conflict": _projected(
                {"configMap": {"name": "x", "items": [{"key": "a", "path": "p"}]}},
                {"secret": {"name": "y", "items": [{"key": "a", "path": "p"}]}},
                {"downwardAPI": {"items": [{"path": "p", "fieldRef": {"fieldPath": "metadata.name"}}]}},
            ),
            "overlap": _projected(
                {"configMap": {"name": "x", "items": [{"key": "a", "path": "p"}]}},
                {"secret": {"name": "y", "items": [{"key": "a", "path": "p/q"}]}},
                {"serviceAccountToken": {"path": "p/"}},
            ),
            "token_short": _projected({"serviceAccountToken": {"path": "x", "expirationSeconds": 599}}),
            "token_long": _projected({"serviceAccountToken": {"path": "x", "expirationSeconds": 2**32 + 1}}),
            "token_path": _projected({"serviceAccountToken": {"path": ""}}),
            "token_absolute": _projected({"serviceAccountToken": {"path": "/x"}}),
            "items_bad": _projected({"secret": {"name": "y", "items": [{"key": "", "path": "../x"}]}}),
            "downward_bad": _projected({"downwardAPI": {"items": [{"path": "/n"}]}}),
            "trust_bundle": _projected({"clusterTrustBundle": {"name": "x", "path": "p"}}),
            "certificate": _projected({"podCertificate": {"signerName": "a", "keyType": "b"}}),
        }.items()
    ),
    Case("projected_token_without_account", pod(volumes=[{"name": "data", **_projected(_TOKEN)}])),
]

EPHEMERAL = with_volume(
    "ephemeral",
    good=_claim(),
    full=_claim(
        {"labels": {"a": "b"}, "annotations": {"c": "d"}},
        storageClassName="fast",
        volumeMode="Block",
        dataSource={"kind": "PersistentVolumeClaim", "name": "x"},
        volumeAttributesClassName="gold",
    ),
    none={"ephemeral": {}},
    empty={"ephemeral": {"volumeClaimTemplate": {"metadata": {}, "spec": {"resources": {}}}}},
    metadata=_claim({"name": "x", "finalizers": ["a/b"], "labels": {"-": "-"}, "annotations": {"-": "x"}}),
    modes=_claim(accessModes=["ReadWriteOncePod", "ReadOnlyMany", "X"]),
    selector=_claim(selector={"matchExpressions": [{"key": "a", "operator": "X"}]}),
    storage_zero=_claim(resources={"requests": {"storage": "0"}}),
    storage_negative=_claim(resources={"requests": {"storage": "-1"}}),
    storage_fraction=_claim(resources={"requests": {"storage": "1500m"}, "limits": {"storage": "2500m"}}),
    class_bad=_claim(storageClassName="_", volumeAttributesClassName="_"),
    mode_bad=_claim(volumeMode="Tape"),
    source_bad=_claim(dataSource={"apiGroup": "_", "kind": "", "name": ""}),
    source_kind=_claim(dataSource={"kind": "Snapshot", "name": "x"}),
    source_ref=_claim(dataSourceRef={"apiGroup": "a.b", "kind": "X", "name": "x"}),
    source_mismatch=_claim(
        dataSource={"kind": "PersistentVolumeClaim", "name": "x"},
        dataSourceRef={"kind": "PersistentVolumeClaim", "name": "y"},
    ),
)
EPHEMERAL += [
    Case("ephemeral_long_name", pod({"name": "p" * 250}, volumes=[{"name": "data", **_claim()}])),
    Case(
        "ephemeral_claimed_again",
        pod(
            volumes=[
                {"name": "data", **_claim()},
                {"name": "b", "persistentVolumeClaim": {"claimName": "case-pod-data"}},
            ]
        ),
    ),
]

_FILES = {"name": "files", "emptyDir": {}}
_CLAIM = {"name": "disk", "persistentVolumeClaim": {"claimName": "x"}}


def _mounted(*mounts: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {
        "volumes": [_FILES, _CLAIM],
        "containers": [container(volumeMounts=list(mounts) or None, **fields)],
    }


MOUNTS = created(
    "mount",
    good=_mounted({"name": "files", "mountPath": "/x", "readOnly": True, "subPath": "a"}),
    empty=_mounted({"name": "", "mountPath": ""}),
    unknown=_mounted({"name": "x", "mountPath": "/x"}),
    twice=_mounted({"name": "files", "mountPath": "/x"}, {"name": "disk", "mountPath": "/x"}),
    sub_path_absolute=_mounted({"name": "files", "mountPath": "/x", "subPath": "/a"}),
    sub_path_backsteps=_mounted({"name": "files", "mountPath": "/x", "subPath": "a/../b"}),
    sub_path_both=_mounted({"name": "files", "mountPath": "/x", "subPath": "a", "subPathExpr": "$(B)/.."}),
    propagation=_mounted({"name": "files", "mountPath": "/x", "mountPropagation": "Sideways"}),
    propagation_unprivileged=_mounted(
        {"name": "files", "mountPath": "/x", "mountPropagation": "Bidirectional"}
    ),
    propagation_privileged=_mounted(
        {"name": "files", "mountPath": "/x", "mountPropagation": "Bidirectional"},
        securityContext={"privileged": True},
    ),
    recursive=_mounted(
        {"name": "files", "mountPath": "/x", "readOnly": True, "recursiveReadOnly": "IfPossible"}
    ),
    recursive_writable=_mounted({"name": "files", "mountPath": "/x", "recursiveReadOnly": "Enabled"}),
    recursive_propagation=_mounted(
        {
            "name": "files",
            "mountPath": "/x",
            "readOnly": True,
            "recursiveReadOnly": "Enabled",
            "mountPropagation": "HostToContainer",
        }
    ),
    recursive_unknown=_mounted({"name": "files", "mountPath": "/x", "recursiveReadOnly": "Maybe"}),
    recursive_disabled=_mounted({"name": "files", "mountPath": "/x", "recursiveReadOnly": "Disabled"}),
    and_device=_mounted(
        {"name": "disk", "mountPath": "/dev/x"}, volumeDevices=[{"name": "disk", "devicePath": "/dev/x"}]
    ),
    device=_mounted(volumeDevices=[{"name": "disk", "devicePath": "/dev/x"}]),
    device_empty=_mounted(volumeDevices=[{"name": "", "devicePath": ""}]),
    device_unknown=_mounted(volumeDevices=[{"name": "x", "devicePath": "/dev/x"}]),
    device_wrong_kind=_mounted(volumeDevices=[{"name": "files", "devicePath": "/dev/x"}]),
    device_twice=_mounted(
        volumeDevices=[{"name": "disk", "devicePath": "/dev/x"}, {"name": "disk", "devicePath": "/dev/x"}]
    ),
    device_backsteps=_mounted(volumeDevices=[{"name": "disk", "devicePath": "/dev/../x"}]),
    of_bad_volume={
        "volumes": [{"name": "files", "hostPath": {"path": ""}}],
        "containers": [container(volumeMounts=[{"name": "files", "mountPath": "/x"}])],
    },
)

TEMPLATES = [
    Case("template_image_empty", template(volumes=[{"name": "a", "image": {}}])),
    Case("template_token", template(volumes=[{"name": "a", **_projected(_TOKEN)}])),
    Case("template_ephemeral", template(volumes=[{"name": "a", **_claim()}])),
    Case("template_bad", template(volumes=[{"name": "A", "hostPath": {"path": ""}}])),
]

CASES = [*NAMES, *SIMPLE, *KEYED, *PROJECTED, *EPHEMERAL, *MOUNTS, *TEMPLATES]
