"""PersistentVolumeClaims: resources, data sources, immutability."""

from __future__ import annotations

from typing import Any

from tests.server.kinds.harness import Case


def claim(
    metadata: dict[str, Any] | None = None, status: dict[str, Any] | None = None, **spec: Any
) -> dict[str, Any]:
    base = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    merged = {name: value for name, value in {**base, **spec}.items() if value is not None}
    named = {"name": "core-case", **(metadata or {})}
    rest = {"status": status} if status else {}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": named, "spec": merged, **rest}


def requests(storage: str) -> dict[str, Any]:
    return {"requests": {"storage": storage}}


CLASS = "volume.beta.kubernetes.io/storage-class"
OTHER = {"apiGroup": "example.com", "kind": "A", "name": "b"}
SNAPSHOT = {"apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": "b"}
CLAIM = {"kind": "PersistentVolumeClaim", "name": "b"}
SOURCES = [
    CLAIM,
    SNAPSHOT,
    OTHER,
    {**CLAIM, "apiGroup": ""},
    {"kind": "", "name": ""},
    {"kind": "PersistentVolumeClaim", "name": ""},
    {"kind": "VolumeSnapshot", "name": "a"},
    {**OTHER, "apiGroup": "a_b"},
    {**OTHER, "kind": ""},
]
RESOURCES: list[dict[str, Any]] = [
    {},
    {"requests": {"cpu": "1"}},
    {"requests": {"storage": "0"}},
    {"requests": {"storage": "-1Gi"}},
    {"requests": {"storage": "1500m"}},
    {"requests": {"storage": "1n"}},
    {"requests": {"storage": "1Gi", "cpu": "1"}, "limits": {"storage": "2Gi"}},
    {"requests": {"storage": "1Gi"}, "limits": {"storage": "100m"}},
]
MODES = [None, ["x"], ["ReadWriteOncePod"], ["ReadWriteOncePod", "ReadOnlyMany"], ["ReadWriteOncePod", "x"]]
SELECTORS: list[dict[str, Any]] = [
    {},
    {"matchLabels": {"a": "b"}},
    {"matchLabels": {"a b": "c d"}},
    {"matchExpressions": [{"key": "a", "operator": "In"}]},
    {"matchExpressions": [{"key": "a", "operator": "In", "values": ["b", "c d"]}]},
    {"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b"]}]},
    {"matchExpressions": [{"key": "a b", "operator": "x"}]},
]
ACS = "volumeAttributesClassName"
STATUSES: list[dict[str, Any]] = [
    {"phase": "Bound", "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"]},
    {},
    {"phase": "Bound", "capacity": {"storage": "-1"}},
    {"phase": "Bound", "allocatedResourceStatuses": {"storage": "NodeResizePending"}},
    {"phase": "Bound", "allocatedResourceStatuses": {"storage": "x"}},
    {"phase": "Bound", "allocatedResourceStatuses": {"cpu": "NodeResizePending"}},
    {"phase": "Bound", "allocatedResourceStatuses": {"example.com/x": "NodeResizeInfeasible"}},
    {"phase": "Bound", "allocatedResourceStatuses": {"a b": "x"}},
    {"phase": "Bound", "allocatedResources": {"storage": "1Gi"}},
    {"phase": "Bound", "allocatedResources": {"storage": "-1"}},
    {"phase": "Bound", "allocatedResources": {"storage": "-1m"}},
    {"phase": "Bound", "allocatedResources": {"cpu": "1"}},
    {"phase": "Bound", "allocatedResources": {"a b": "1"}},
    {"phase": "Bound", "currentVolumeAttributesClassName": "a", "modifyVolumeStatus": {"status": "Pending"}},
]

CASES = [
    Case("minimal", claim()),
    Case("status is reset", claim(status={"phase": "Bound", "capacity": {"storage": "1Gi"}})),
    *[Case(f"resources {index}", claim(resources=value)) for index, value in enumerate(RESOURCES)],
    *[Case(f"modes {index}", claim(accessModes=value)) for index, value in enumerate(MODES)],
    *[Case(f"selector {index}", claim(selector=value)) for index, value in enumerate(SELECTORS)],
    *[Case(f"data source {index}", claim(dataSource=value)) for index, value in enumerate(SOURCES)],
    *[Case(f"data source ref {index}", claim(dataSourceRef=value)) for index, value in enumerate(SOURCES)],
    *[
        Case(f"both sources {index}", claim(dataSource=value, dataSourceRef=value))
        for index, value in enumerate(SOURCES)
    ],
    Case("sources differ", claim(dataSource=CLAIM, dataSourceRef=SNAPSHOT)),
    Case("sources differ by group", claim(dataSource=CLAIM, dataSourceRef={**CLAIM, "apiGroup": ""})),
    Case("other namespace", claim(dataSourceRef={**CLAIM, "namespace": "x"})),
    Case("other namespace and source", claim(dataSource=CLAIM, dataSourceRef={**CLAIM, "namespace": "x"})),
    Case("empty namespace", claim(dataSourceRef={**CLAIM, "namespace": ""})),
    *[Case(f"volume mode {value}", claim(volumeMode=value)) for value in ("Block", "Filesystem", "x", "")],
    *[Case(f"storage class {value}", claim(storageClassName=value)) for value in ("", "a", "a.b", "a_b")],
    *[Case(f"attributes class {value}", claim(**{ACS: value})) for value in ("", "a", "a_b")],
    Case("storage class annotation", claim({"annotations": {CLASS: "a"}})),
    Case("volume name", claim(volumeName="a_b")),
    Case("update labels", claim({"labels": {"a": "b"}}), claim()),
    Case("update quantity in other form", claim(resources=requests("1073741824")), claim()),
    Case("set volume name", claim(volumeName="x"), claim()),
    Case("change volume name", claim(volumeName="x"), claim(volumeName="y")),
    Case("remove volume name", claim(), claim(volumeName="y")),
    Case("change modes", claim(accessModes=["ReadWriteMany"]), claim()),
    Case("change size", claim(resources=requests("2Gi")), claim()),
    Case("shrink", claim(resources=requests("1Mi")), claim()),
    Case("shrink to nothing", claim(resources=requests("0")), claim()),
    Case("change limits", claim(resources={**requests("1Gi"), "limits": {"storage": "2Gi"}}), claim()),
    Case("change selector", claim(selector={"matchLabels": {"b": "<", "a": "b"}}), claim()),
    Case(
        "change selector well",
        claim(selector={"matchLabels": {"b": "c"}}),
        claim(selector={"matchLabels": {"a": "b"}}),
    ),
    Case("change volume mode", claim(volumeMode="Block"), claim()),
    Case("set class", claim(storageClassName="a"), claim()),
    Case("set empty class", claim(storageClassName=""), claim()),
    Case("change class", claim(storageClassName="a"), claim(storageClassName="b")),
    Case("remove class", claim(), claim(storageClassName="b")),
    Case("class from annotation", claim(storageClassName="a"), claim({"annotations": {CLASS: "a"}})),
    Case(
        "class with annotation",
        claim({"annotations": {CLASS: "a"}}, storageClassName="a"),
        claim({"annotations": {CLASS: "a"}}),
    ),
    Case("other class than annotation", claim(storageClassName="b"), claim({"annotations": {CLASS: "a"}})),
    Case("change annotation", claim({"annotations": {CLASS: "b"}}), claim({"annotations": {CLASS: "a"}})),
    Case("remove annotation", claim(), claim({"annotations": {CLASS: "a"}})),
    Case("add annotation", claim({"annotations": {CLASS: "b"}}), claim()),
    Case("set attributes class", claim(**{ACS: "a"}), claim()),
    Case("change data source", claim(dataSource=SNAPSHOT), claim(dataSource=CLAIM)),
    Case("change data source badly", claim(dataSource=OTHER), claim(dataSource=CLAIM)),
    Case("add data source", claim(dataSource=CLAIM), claim()),
    Case("add other data source", claim(dataSource=OTHER), claim()),
    Case("same data source", claim(dataSource=CLAIM), claim(dataSource=CLAIM)),
    Case("same by ref", claim(dataSourceRef=CLAIM), claim(dataSource=CLAIM)),
    Case(
        "bad group stays bad", claim(dataSourceRef={**OTHER, "apiGroup": "a_b"}), claim(dataSourceRef=OTHER)
    ),
    Case("update badly", claim(accessModes=None, resources={}), claim()),
    *[
        Case(f"status {index}", claim(status=status, volumeName="z"), claim(), "status")
        for index, status in enumerate(STATUSES)
    ],
]
