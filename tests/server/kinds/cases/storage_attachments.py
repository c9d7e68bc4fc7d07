"""VolumeAttachments."""

from __future__ import annotations

from typing import Any

from tests.server.kinds.cases.storage import made
from tests.server.kinds.harness import Case, Json

SPEC: Json = {"attacher": "disk.example.com", "source": {"persistentVolumeName": "pv"}, "nodeName": "node"}
CSI: Json = {"csi": {"driver": "disk.example.com", "volumeHandle": "h"}, "accessModes": ["ReadWriteOnce"]}


def attachment(status: Json | None = None, **spec: Any) -> Json:
    return made("VolumeAttachment", spec={**SPEC, **spec}, status={"attached": False, **(status or {})})


def inline(**fields: Any) -> Json:
    return {"source": {"inlineVolumeSpec": {**CSI, **fields}}}


PARTS: dict[str, Json] = {
    "minimal": {},
    "no attacher": {"attacher": ""},
    "bad attacher": {"attacher": "a b"},
    "long attacher": {"attacher": "a" * 64},
    "other attacher": {"attacher": "Other.example.com"},
    "no node": {"nodeName": ""},
    "bad node": {"nodeName": "A!"},
    "no source": {"source": {}},
    "empty volume": {"source": {"persistentVolumeName": ""}},
    "bad volume": {"source": {"persistentVolumeName": "A!"}},
    "both": {"source": {"persistentVolumeName": "pv", "inlineVolumeSpec": CSI}},
    "inline": inline(),
    "inline, full": inline(
        persistentVolumeReclaimPolicy="Retain", volumeMode="Filesystem", mountOptions=["ro"]
    ),
    "inline, empty": {"source": {"inlineVolumeSpec": {}}},
    "inline, forbidden": inline(
        claimRef={"name": "c"},
        capacity={"storage": "1Gi"},
        persistentVolumeReclaimPolicy="Delete",
        storageClassName="fast",
        volumeMode="Block",
        nodeAffinity={"required": {"nodeSelectorTerms": []}},
        accessModes=["Any"],
    ),
    "inline, other source": {
        "source": {"inlineVolumeSpec": {"hostPath": {"path": "/a"}, "accessModes": ["ReadWriteOnce"]}}
    },
    "inline, no driver": inline(csi={"driver": "", "volumeHandle": ""}),
}
STATUSES: dict[str, Json] = {
    "attached": {"attached": True, "attachmentMetadata": {"a": "b"}},
    "error": {"attachError": {"time": "2026-01-01T00:00:00Z", "message": "no", "errorCode": 8}},
    "negative code": {"attachError": {"errorCode": -1}, "detachError": {"errorCode": -2}},
    "long message": {"detachError": {"message": "a" * 1025}},
    "large metadata": {"attachmentMetadata": {"a": "b" * 256 * 1024}},
}
CASES = [
    *[Case(name, attachment(**part)) for name, part in PARTS.items()],
    *[Case(f"update: {name}", attachment(**part), attachment()) for name, part in PARTS.items()],
    *[Case(f"status is dropped: {name}", attachment(status)) for name, status in STATUSES.items()],
    Case("update: status is kept", attachment(STATUSES["attached"]), attachment()),
    *[
        Case(f"status: {name}", attachment(status), attachment(), "status")
        for name, status in STATUSES.items()
    ],
    Case("status: spec is kept", attachment(STATUSES["attached"], nodeName="other"), attachment(), "status"),
]
