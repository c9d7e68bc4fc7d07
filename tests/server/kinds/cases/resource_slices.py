"""ResourceSlices."""

from __future__ import annotations

from typing import Any

from tests.server.kinds.cases.resource import made
from tests.server.kinds.harness import Case, Json

POOL: Json = {"name": "pool", "generation": 1, "resourceSliceCount": 1}
SPEC: Json = {"driver": "gpu.example.com", "pool": POOL, "nodeName": "node"}
TAINT: Json = {"key": "a", "effect": "NoSchedule", "timeAdded": "2026-01-01T00:00:00Z"}
SELECTOR: Json = {"nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "Exists"}]}]}


def part(**fields: Any) -> Json:
    return made(
        "ResourceSlice", {name: value for name, value in {**SPEC, **fields}.items() if value is not None}
    )


def device(**fields: Any) -> Json:
    return {"devices": [{"name": "gpu-0", **fields}]}


def placed(**fields: Any) -> Json:
    return {**device(**fields), "nodeName": None, "perDeviceNodeSelection": True}


def attribute(name: str = "model", **fields: Any) -> Json:
    return device(attributes={name: fields})


def shared(**policy: Any) -> Json:
    return device(
        allowMultipleAllocations=True, capacity={"memory": {"value": "10Gi", "requestPolicy": policy}}
    )


def ranged(default: str, **bounds: str) -> Json:
    return shared(default=default, validRange=bounds)


def consuming(*given: Json) -> Json:
    return device(consumesCounters=list(given))


COUNTERS: Json = {"counters": {"memory": {"value": "1Gi"}}}
MANY = {f"a{number}": {"int": number} for number in range(33)}
PARTS: dict[str, Json] = {
    "minimal": {},
    "no driver": {"driver": ""},
    "bad driver": {"driver": "a b"},
    "long driver": {"driver": "a" * 64},
    "capital driver": {"driver": "GPU.example.com"},
    "no pool": {"pool": {"name": "", "generation": 0, "resourceSliceCount": 0}},
    "bad pool": {"pool": {"name": "a//B", "generation": -1, "resourceSliceCount": -1}},
    "pool with slashes": {"pool": {**POOL, "name": "a/b.c"}},
    "nowhere": {"nodeName": None},
    "empty node": {"nodeName": ""},
    "bad node": {"nodeName": "A!"},
    "other node": {"nodeName": "other"},
    "everywhere": {"nodeName": None, "allNodes": True},
    "not everywhere": {"nodeName": None, "allNodes": False},
    "in many places": {"allNodes": True, "nodeSelector": SELECTOR, "perDeviceNodeSelection": True},
    "not per device": {"perDeviceNodeSelection": False},
    "selected": {"nodeName": None, "nodeSelector": SELECTOR},
    "selected by nothing": {"nodeName": None, "nodeSelector": {"nodeSelectorTerms": None}},
    "selected twice": {
        "nodeName": None,
        "nodeSelector": {"nodeSelectorTerms": SELECTOR["nodeSelectorTerms"] * 2},
    },
    "device": device(),
    "bad device": device(name="a.b"),
    "no device name": device(name=""),
    "devices twice": {"devices": [{"name": "a"}, {"name": "a"}]},
    "many devices": {"devices": [{"name": f"d{number}"} for number in range(129)]},
    "many tainted devices": {"devices": [{"name": f"d{number}", "taints": [TAINT]} for number in range(65)]},
    "attributes": device(
        attributes={
            "a": {"int": 0},
            "b": {"bool": False},
            "c": {"string": ""},
            "example.com/d": {"version": "1.2.3"},
        }
    ),
    "no value": attribute(),
    "two values": attribute(int=1, string="a"),
    "bad name of an attribute": attribute("a b", int=1),
    "long name of an attribute": attribute("a" * 33, int=1),
    "many slashes": attribute("a/b/c", int=1),
    "very long name": attribute("a" * 100, string="b" * 65),
    "empty name": attribute("", int=1),
    "empty domain": attribute("/a", int=1),
    "long text": attribute(string="a" * 65),
    "bad version": attribute(version="1.2"),
    "odd version": attribute(version="1.2.3-alpha.1+build.5"),
    "long version": attribute(version="1.2.3-" + "a" * 64),
    "lists are dropped": attribute(int=1, ints=[1, 2]),
    "many attributes": device(attributes=MANY),
    "capacity": device(capacity={"memory": {"value": "1Gi"}}),
    "bad capacity": device(capacity={"a b": {"value": "1Gi"}}),
    "policy of one": device(capacity={"memory": {"value": "1Gi", "requestPolicy": {"default": "1Gi"}}}),
    "policy": shared(default="1Gi"),
    "two policies": shared(default="1Gi", validValues=["1Gi"], validRange={"min": "1Gi"}),
    "values": shared(default="1Gi", validValues=["1Gi", "2Gi"]),
    "values without default": shared(validValues=["1Gi"]),
    "values, other default": shared(default="3Gi", validValues=["1Gi", "2Gi"]),
    "values, not sorted": shared(default="1Gi", validValues=["2Gi", "1Gi"]),
    "values twice": shared(default="1Gi", validValues=["1Gi", "1Gi"]),
    "large values": shared(default="1Gi", validValues=["1Gi", "11Gi"]),
    "many values": shared(default="1Gi", validValues=[f"{number}Gi" for number in range(1, 12)]),
    "range": ranged("1Gi", min="1Gi", max="4Gi", step="1Gi"),
    "range without default": shared(validRange={"min": "1Gi"}),
    "range without start": ranged("1Gi", max="4Gi"),
    "large range": ranged("1Gi", min="11Gi", max="12Gi"),
    "range backwards": ranged("3Gi", min="4Gi", max="2Gi"),
    "odd step": ranged("2Gi", min="1Gi", max="5Gi", step="3Gi"),
    "large step": ranged("1Gi", min="1Gi", step="10Gi"),
    "taint": device(taints=[{**TAINT, "value": "b"}]),
    "bad taint": device(taints=[{**TAINT, "key": "a b", "value": "?", "effect": "Never"}]),
    "empty taint": device(taints=[{**TAINT, "key": "", "effect": ""}]),
    "many taints": device(taints=[TAINT] * 17),
    "placed": placed(nodeName="node"),
    "placed nowhere": placed(),
    "placed at no node": placed(nodeName=""),
    "placed at a bad node": placed(nodeName="A!"),
    "placed by selector": placed(nodeSelector=SELECTOR),
    "placed in many places": placed(nodeName="node", nodeSelector=SELECTOR, allNodes=True),
    "placed not everywhere": placed(allNodes=False),
    "placed by mistake": device(nodeName="node"),
    "counters": {"sharedCounters": [{"name": "set", **COUNTERS}]},
    "counters and devices": {"sharedCounters": [{"name": "set", **COUNTERS}], **device()},
    "empty counters": {"sharedCounters": [{"name": "", "counters": None}]},
    "bad counters": {"sharedCounters": [{"name": "a.b", "counters": {"C!": {"value": "1"}}}]},
    "counters twice": {"sharedCounters": [{"name": "set", **COUNTERS}] * 2},
    "many sets": {"sharedCounters": [{"name": f"s{number}", **COUNTERS} for number in range(9)]},
    "many counters": {
        "sharedCounters": [{"name": "s", "counters": {f"c{number}": {"value": "1"} for number in range(33)}}]
    },
    "consuming": consuming({"counterSet": "set", **COUNTERS}),
    "consuming nothing": consuming({"counterSet": "", "counters": None}),
    "consuming twice": consuming({"counterSet": "set", **COUNTERS}, {"counterSet": "set", **COUNTERS}),
    "consuming much": consuming(*[{"counterSet": f"s{number}", **COUNTERS} for number in range(3)]),
    "binding": device(bindingConditions=["a"], bindingFailureConditions=["b"], bindsToNode=True),
    "bad binding": device(bindingConditions=["a", "a"], bindingFailureConditions=["a", "?"]),
    "half a binding": device(bindingConditions=["a"]),
    "mappings are dropped": device(nodeAllocatableResourceMappings={"cpu": {"capacityKey": "a"}}),
}
CASES = [
    *[Case(name, part(**fields)) for name, fields in PARTS.items()],
    *[Case(f"update: {name}", part(**fields), part()) for name, fields in PARTS.items()],
    Case(
        "update: same bad taints",
        part(**device(taints=[TAINT], allowMultipleAllocations=True)),
        part(**device(taints=[TAINT])),
    ),
]
