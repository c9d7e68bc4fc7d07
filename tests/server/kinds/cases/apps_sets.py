"""StatefulSets and DaemonSets."""

from __future__ import annotations

from typing import Any

from tests.server.kinds.cases.apps import CONTAINER, changed, common, counts, status, workload
from tests.server.kinds.harness import Case, Json


def stateful_set(name: str, /, **fields: Any) -> Case:
    return Case(f"StatefulSet: {name}", workload("StatefulSet", **fields))


def stateful_update(name: str, old: Json | None = None, /, **fields: Any) -> Case:
    return Case(f"StatefulSet: {name}", workload("StatefulSet", **fields), old or workload("StatefulSet"))


CLAIM: Json = {
    "metadata": {"name": "data"},
    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    "status": {},
}


def claim(**fields: Any) -> list[Json]:
    return [changed(CLAIM, **fields)]


MOUNTED = [{**CONTAINER, "volumeMounts": [{"name": "data", "mountPath": "/data"}]}]
CLAIMED = workload("StatefulSet", volumeClaimTemplates=claim())

STATEFUL_SETS = [
    *common("StatefulSet"),
    stateful_set(
        "full",
        serviceName="web",
        replicas=3,
        podManagementPolicy="Parallel",
        updateStrategy={"type": "RollingUpdate", "rollingUpdate": {"partition": 2}},
        revisionHistoryLimit=3,
        minReadySeconds=4,
        ordinals={"start": 5},
        persistentVolumeClaimRetentionPolicy={"whenDeleted": "Delete", "whenScaled": "Retain"},
        volumeClaimTemplates=claim(),
        template__spec__containers=MOUNTED,
    ),
    stateful_set("no replicas", replicas=0),
    stateful_set("negative replicas", replicas=-3),
    stateful_set("unknown management", podManagementPolicy="Random"),
    stateful_set("on delete", updateStrategy={"type": "OnDelete"}),
    stateful_set(
        "on delete with rolling", updateStrategy={"type": "OnDelete", "rollingUpdate": {"partition": 1}}
    ),
    stateful_set("on delete with empty rolling", updateStrategy={"type": "OnDelete", "rollingUpdate": {}}),
    stateful_set("rolling without details", updateStrategy={"type": "RollingUpdate"}),
    stateful_set("rolling with empty details", updateStrategy={"type": "RollingUpdate", "rollingUpdate": {}}),
    stateful_set("details without type", updateStrategy={"rollingUpdate": {"partition": 1}}),
    stateful_set("unknown strategy", updateStrategy={"type": "Never"}),
    stateful_set(
        "unknown strategy with details", updateStrategy={"type": "Never", "rollingUpdate": {"partition": 3}}
    ),
    stateful_set("negative partition", updateStrategy={"rollingUpdate": {"partition": -1}}),
    stateful_set("max unavailable is dropped", updateStrategy={"rollingUpdate": {"maxUnavailable": -1}}),
    stateful_set(
        "unknown retention", persistentVolumeClaimRetentionPolicy={"whenDeleted": "Keep", "whenScaled": "?"}
    ),
    stateful_set("half a retention", persistentVolumeClaimRetentionPolicy={"whenScaled": "Delete"}),
    stateful_set("negative ordinals", ordinals={"start": -1}),
    stateful_set("empty ordinals", ordinals={"start": 0}),
    stateful_set("service name", serviceName="Web.Service"),
    stateful_set("negative history", revisionHistoryLimit=-1),
    stateful_set(
        "hostname is not looked at", template__spec__hostname="A_B", template__spec__subdomain="C_D"
    ),
    stateful_set("claim", volumeClaimTemplates=claim()),
    stateful_set("mounted claim", volumeClaimTemplates=claim(), template__spec__containers=MOUNTED),
    stateful_set("mount without claim", template__spec__containers=MOUNTED),
    stateful_set(
        "claim replaces volume",
        volumeClaimTemplates=claim(),
        template__spec__containers=MOUNTED,
        template__spec__volumes=[{"name": "data", "emptyDir": {}}, {"name": "tmp", "emptyDir": {}}],
    ),
    stateful_set(
        "claim with class",
        volumeClaimTemplates=claim(spec__storageClassName="fast", spec__volumeMode="Block"),
    ),
    stateful_set("claim without modes", volumeClaimTemplates=claim(spec__accessModes=None)),
    stateful_set("claim with unknown mode", volumeClaimTemplates=claim(spec__accessModes=["Often"])),
    stateful_set("claim without size", volumeClaimTemplates=claim(spec__resources={})),
    stateful_set("claim of nothing", volumeClaimTemplates=claim(spec__resources__requests={"storage": "0"})),
    stateful_set(
        "claim of parts",
        volumeClaimTemplates=claim(
            spec__resources={"requests": {"storage": "1500m"}, "limits": {"storage": "2500m"}}
        ),
    ),
    stateful_set("claim with bad class", volumeClaimTemplates=claim(spec__storageClassName="Not/Good")),
    stateful_set("claim with bad volume mode", volumeClaimTemplates=claim(spec__volumeMode="Tape")),
    stateful_set(
        "claim with bad selector", volumeClaimTemplates=claim(spec__selector={"matchLabels": {"a": "?"}})
    ),
    stateful_set(
        "claim with alone mode",
        volumeClaimTemplates=claim(spec__accessModes=["ReadWriteOncePod", "ReadWriteOnce"]),
    ),
    stateful_set(
        "claim with source",
        volumeClaimTemplates=claim(spec__dataSource={"kind": "PersistentVolumeClaim", "name": "other"}),
    ),
    stateful_set("claim without name", volumeClaimTemplates=claim(metadata={})),
    stateful_set("two claims", volumeClaimTemplates=[*claim(), *claim(metadata__name="logs")]),
    stateful_set(
        "everything wrong",
        replicas=-1,
        minReadySeconds=-1,
        serviceName="?",
        podManagementPolicy="?",
        selector={},
        updateStrategy={"type": "?"},
        ordinals={"start": -1},
        revisionHistoryLimit=-5,
    ),
    stateful_update("scaled", replicas=5, ordinals={"start": 2}),
    stateful_update(
        "strategy", updateStrategy={"type": "OnDelete"}, revisionHistoryLimit=2, minReadySeconds=3
    ),
    stateful_update(
        "retention", persistentVolumeClaimRetentionPolicy={"whenDeleted": "Delete", "whenScaled": "Delete"}
    ),
    stateful_update("service", serviceName="other"),
    stateful_update("bad service", serviceName="?"),
    stateful_update("management", podManagementPolicy="Parallel"),
    stateful_update("new claims", volumeClaimTemplates=claim()),
    stateful_update("bad claims", volumeClaimTemplates=claim(spec__accessModes=None)),
    stateful_update("claims gone", CLAIMED),
    stateful_update("same claims", CLAIMED, volumeClaimTemplates=claim(), replicas=2),
    stateful_update(
        "parts of bytes",
        workload("StatefulSet", volumeClaimTemplates=claim(spec__resources__requests={"storage": "1500m"})),
        volumeClaimTemplates=claim(spec__resources__requests={"storage": "1500m"}),
        revisionHistoryLimit=-1,
    ),
    stateful_update(
        "larger claims", CLAIMED, volumeClaimTemplates=claim(spec__resources__requests={"storage": "2Gi"})
    ),
    stateful_update("negative history later", revisionHistoryLimit=-1),
    stateful_update("negative replicas later", replicas=-1),
    *counts(
        "StatefulSet",
        "readyReplicas",
        "currentReplicas",
        "updatedReplicas",
        "observedGeneration",
        "collisionCount",
        "availableReplicas",
        also={"replicas": 3, "availableReplicas": 0},
    ),
    status("StatefulSet", "negative replicas", replicas=-1, availableReplicas=0),
    status(
        "StatefulSet",
        "full",
        replicas=4,
        readyReplicas=3,
        currentReplicas=2,
        updatedReplicas=2,
        availableReplicas=3,
        observedGeneration=1,
        currentRevision="a",
        updateRevision="b",
        collisionCount=1,
    ),
    status("StatefulSet", "more ready", replicas=1, readyReplicas=2, availableReplicas=0),
    status("StatefulSet", "more current", replicas=1, currentReplicas=2, availableReplicas=0),
    status("StatefulSet", "more updated", replicas=1, updatedReplicas=2, availableReplicas=0),
    status("StatefulSet", "more available", replicas=1, availableReplicas=2),
    status("StatefulSet", "available but not ready", replicas=2, availableReplicas=2, readyReplicas=1),
]


def daemon_set(name: str, /, **fields: Any) -> Case:
    return Case(f"DaemonSet: {name}", workload("DaemonSet", **fields))


def rolling(name: str, /, **fields: Any) -> Case:
    return daemon_set(name, updateStrategy={"type": "RollingUpdate", "rollingUpdate": fields})


STATUS = {"currentNumberScheduled": 0, "numberMisscheduled": 0, "desiredNumberScheduled": 0, "numberReady": 0}

DAEMON_SETS = [
    *common("DaemonSet"),
    daemon_set(
        "full",
        minReadySeconds=3,
        revisionHistoryLimit=4,
        updateStrategy={"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 0, "maxSurge": "10%"}},
    ),
    daemon_set("on delete", updateStrategy={"type": "OnDelete"}),
    daemon_set(
        "on delete with rolling", updateStrategy={"type": "OnDelete", "rollingUpdate": {"maxSurge": -1}}
    ),
    daemon_set("on delete with empty rolling", updateStrategy={"type": "OnDelete", "rollingUpdate": {}}),
    daemon_set("unknown strategy", updateStrategy={"type": "Never"}),
    daemon_set(
        "unknown strategy with rolling", updateStrategy={"type": "Never", "rollingUpdate": {"maxSurge": 1}}
    ),
    daemon_set("negative history", revisionHistoryLimit=-1),
    rolling("both", maxUnavailable=1, maxSurge=1),
    rolling("only surge", maxSurge="30%"),
    rolling("neither", maxUnavailable=0),
    rolling("neither percent", maxUnavailable="0%", maxSurge="0%"),
    rolling("negative surge", maxUnavailable=0, maxSurge=-1),
    rolling("negative unavailable", maxUnavailable=-1),
    rolling("much surge", maxUnavailable=0, maxSurge="101%"),
    rolling("much unavailable", maxUnavailable="101%"),
    rolling("no percentage", maxUnavailable="few"),
    rolling("number as text", maxUnavailable="3", maxSurge="4"),
    Case(
        "DaemonSet: strategy later",
        workload("DaemonSet", updateStrategy={"type": "OnDelete"}),
        workload("DaemonSet"),
    ),
    *counts(
        "DaemonSet",
        *STATUS,
        "observedGeneration",
        "updatedNumberScheduled",
        "numberAvailable",
        "numberUnavailable",
        "collisionCount",
        also=STATUS,
    ),
    status(
        "DaemonSet",
        "full",
        **{
            **STATUS,
            "currentNumberScheduled": 2,
            "observedGeneration": 1,
            "updatedNumberScheduled": 2,
            "numberAvailable": 1,
            "numberUnavailable": 1,
            "collisionCount": 0,
        },
    ),
]

CASES = [*STATEFUL_SETS, *DAEMON_SETS]
