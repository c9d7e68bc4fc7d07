"""StorageClasses, VolumeAttributesClasses, CSIDrivers, CSINodes and CSIStorageCapacities."""

from __future__ import annotations

from typing import Any

from tests.server.kinds.harness import Case, Json


def made(kind: str, /, **fields: Any) -> Json:
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": kind,
        "metadata": {"name": f"case-{kind.lower()}"},
        **fields,
    }


def both(title: str, kind: str, base: Json, parts: dict[str, Json]) -> list[Case]:
    """Each part on top of the base, created and updated to."""
    return [
        *[Case(f"{title}: {name}", made(kind, **{**base, **part})) for name, part in parts.items()],
        *[
            Case(f"{title}: update: {name}", made(kind, **{**base, **part}), made(kind, **base))
            for name, part in parts.items()
        ],
    ]


def topology(*expressions: Json) -> Json:
    return {"matchLabelExpressions": list(expressions)}


ZONE: Json = {"key": "topology.kubernetes.io/zone", "values": ["a"]}
MANY = {f"key-{number}": "value" for number in range(513)}
PARAMETERS: dict[str, Json] = {
    "parameters": {"parameters": {"type": "fast", "a": "b"}},
    "empty key": {"parameters": {"": "fast"}},
    "many parameters": {"parameters": MANY},
    "large parameters": {"parameters": {"a": "b" * 256 * 1024}},
}
CLASS_PARTS: dict[str, Json] = {
    "minimal": {},
    "full": {
        "parameters": {"type": "fast"},
        "reclaimPolicy": "Retain",
        "mountOptions": ["ro"],
        "allowVolumeExpansion": True,
        "volumeBindingMode": "WaitForFirstConsumer",
        "allowedTopologies": [topology(ZONE, {"key": "a", "values": ["b", "c"]})],
    },
    **PARAMETERS,
    "no provisioner": {"provisioner": ""},
    "bad provisioner": {"provisioner": "Example.com/A B"},
    "other provisioner": {"provisioner": "Example.org/Other"},
    "unknown policy": {"reclaimPolicy": "Recycle"},
    "empty policy": {"reclaimPolicy": ""},
    "retain": {"reclaimPolicy": "Retain"},
    "unknown mode": {"volumeBindingMode": "Later"},
    "empty mode": {"volumeBindingMode": ""},
    "other mode": {"volumeBindingMode": "WaitForFirstConsumer"},
    "empty topologies": {"allowedTopologies": [{}, {}]},
    "topologies twice": {"allowedTopologies": [topology(ZONE), topology(ZONE), topology(ZONE)]},
    "keys twice": {"allowedTopologies": [topology(ZONE, ZONE)]},
    "values twice": {"allowedTopologies": [topology({"key": "a", "values": ["b", "b"]})]},
    "bad topology": {"allowedTopologies": [topology({"key": "a b", "values": []})]},
    "old label": {"allowedTopologies": [topology({**ZONE, "key": "failure-domain.beta.kubernetes.io/zone"})]},
    "options": {"mountOptions": ["any thing"]},
}
ATTRIBUTES_PARTS: dict[str, Json] = {
    "minimal": {},
    **PARAMETERS,
    "no parameters": {"parameters": {}},
    "no driver": {"driverName": ""},
    "bad driver": {"driverName": "A B"},
    "other driver": {"driverName": "other.example.com"},
}


def driver(**spec: Any) -> Json:
    return {"spec": spec}


TOKEN: Json = {"audience": "a", "expirationSeconds": 600}
DRIVER_PARTS: dict[str, Json] = {
    "minimal": driver(),
    "full": driver(
        attachRequired=True,
        podInfoOnMount=True,
        volumeLifecycleModes=["Persistent"],
        storageCapacity=True,
        fsGroupPolicy="File",
        tokenRequests=[TOKEN, {"audience": ""}],
        requiresRepublish=True,
        seLinuxMount=True,
        nodeAllocatableUpdatePeriodSeconds=10,
        serviceAccountTokenInSecrets=True,
    ),
    "not attached": driver(attachRequired=False),
    "ephemeral": driver(volumeLifecycleModes=["Ephemeral", "Persistent"]),
    "unknown mode": driver(volumeLifecycleModes=["Eternal"]),
    "unknown group policy": driver(fsGroupPolicy="Some"),
    "empty group policy": driver(fsGroupPolicy=""),
    "tokens": driver(tokenRequests=[TOKEN]),
    "tokens twice": driver(tokenRequests=[TOKEN, TOKEN]),
    "short token": driver(tokenRequests=[{"audience": "", "expirationSeconds": 599}]),
    "long token": driver(tokenRequests=[{"audience": "", "expirationSeconds": 2**32 + 1}]),
    "no tokens in secrets": driver(serviceAccountTokenInSecrets=True),
    "short period": driver(nodeAllocatableUpdatePeriodSeconds=9),
    "scaling is dropped": driver(preventPodSchedulingIfMissing=True),
}


def node(*drivers: Json) -> Json:
    return {"spec": {"drivers": list(drivers) or None}}


DISK: Json = {
    "name": "disk.example.com",
    "nodeID": "n1",
    "topologyKeys": ["zone"],
    "allocatable": {"count": 3},
}
NODE_PARTS: dict[str, Json] = {
    "minimal": node(),
    "full": node(DISK, {"name": "Other.example.com", "nodeID": "n2", "topologyKeys": None}),
    "no name": node({**DISK, "name": ""}),
    "bad name": node({**DISK, "name": "a b"}),
    "long name": node({**DISK, "name": "a" * 64}),
    "names twice": node(DISK, DISK),
    "no id": node({**DISK, "nodeID": ""}),
    "long id": node({**DISK, "nodeID": "n" * 257}),
    "other id": node({**DISK, "nodeID": "n2"}),
    "negative count": node({**DISK, "allocatable": {"count": -1}}),
    "other count": node({**DISK, "allocatable": {"count": 5}}),
    "no count": node({"name": "disk.example.com", "nodeID": "n1", "topologyKeys": ["zone"]}),
    "other keys": node({**DISK, "topologyKeys": ["zone", "region"]}),
    "bad keys": node({**DISK, "topologyKeys": ["a b", "", "zone", "zone"]}),
}
CAPACITY: Json = {"storageClassName": "fast"}
CAPACITY_PARTS: dict[str, Json] = {
    "minimal": {},
    "full": {
        "nodeTopology": {"matchLabels": {"zone": "a"}},
        "capacity": "10Gi",
        "maximumVolumeSize": "1Gi",
    },
    "no class": {"storageClassName": ""},
    "bad class": {"storageClassName": "A!"},
    "other class": {"storageClassName": "slow"},
    "negative": {"capacity": "-1"},
    "topology": {"nodeTopology": {"matchExpressions": [{"key": "a", "operator": "Exists"}]}},
    "bad topology": {"nodeTopology": {"matchLabels": {"a": "?"}}},
    "old labels": {
        "nodeTopology": {
            "matchLabels": {"beta.kubernetes.io/os": "linux"},
            "matchExpressions": [{"key": "beta.kubernetes.io/arch", "operator": "Exists"}],
        }
    },
}
CASES = [
    *both("class", "StorageClass", {"provisioner": "example.com/disk"}, CLASS_PARTS),
    Case(
        "class: update: topologies",
        made("StorageClass", provisioner="a", allowedTopologies=[topology(ZONE)]),
        made("StorageClass", provisioner="a", parameters={"a": "b"}),
    ),
    *both(
        "attributes", "VolumeAttributesClass", {"driverName": "d", "parameters": {"a": "b"}}, ATTRIBUTES_PARTS
    ),
    *both("driver", "CSIDriver", driver(), DRIVER_PARTS),
    Case(
        "driver: update: same tokens",
        made("CSIDriver", **driver(tokenRequests=[TOKEN], podInfoOnMount=True)),
        made("CSIDriver", **driver(tokenRequests=[TOKEN])),
    ),
    *both("node", "CSINode", node(DISK), NODE_PARTS),
    *both("capacity", "CSIStorageCapacity", CAPACITY, CAPACITY_PARTS),
]
