"""DeviceClasses, ResourceClaims and ResourceClaimTemplates. Expressions are all good, or not there."""

from __future__ import annotations

from typing import Any

from tests.server.kinds.harness import Case, Json

EXACTLY: Json = {"deviceClassName": "gpu"}
REQUEST: Json = {"name": "one", "exactly": EXACTLY}
CHOICE: Json = {
    "name": "two",
    "firstAvailable": [{"name": "a", "deviceClassName": "gpu"}, {"name": "b", "deviceClassName": "tpu"}],
}
OPAQUE: Json = {"opaque": {"driver": "gpu.example.com", "parameters": {"a": 1}}}
TRUE: Json = {"cel": {"expression": "true"}}
LONG: Json = {"cel": {"expression": "true" + " " * 10240}}


def made(kind: str, spec: Json, /, status: Json | None = None) -> Json:
    obj: Json = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": kind,
        "metadata": {"name": f"case-{kind.lower()}"},
        "spec": spec,
    }
    return obj if status is None else {**obj, "status": status}


def exactly(**fields: Any) -> Json:
    return {"requests": [{"name": "one", "exactly": {**EXACTLY, **fields}}]}


def tolerating(**fields: Any) -> Json:
    return exactly(tolerations=[fields])


def either(*given: Json) -> Json:
    return {"requests": [{"name": "one", "firstAvailable": list(given)}]}


def constrained(**fields: Any) -> Json:
    return {"requests": [REQUEST, CHOICE], "constraints": [fields]}


def configured(**fields: Any) -> Json:
    return {"requests": [REQUEST, CHOICE], "config": [fields]}


CLASSES: dict[str, Json] = {
    "minimal": {},
    "full": {"selectors": [TRUE], "config": [OPAQUE], "extendedResourceName": "example.com/gpu"},
    "no selector": {"selectors": [{}]},
    "long selector": {"selectors": [LONG]},
    "many selectors": {"selectors": [TRUE] * 33},
    "empty configuration": {"config": [{}]},
    "no parameters": {"config": [{"opaque": {"driver": "a", "parameters": None}}]},
    "parameters are no object": {"config": [{"opaque": {"driver": "a", "parameters": [1]}}]},
    "large parameters": {"config": [{"opaque": {"driver": "a", "parameters": {"a": "b" * 10240}}}]},
    "bad driver": {"config": [{"opaque": {"driver": "a b", "parameters": {}}}]},
    "no driver": {"config": [{"opaque": {"driver": "", "parameters": {}}}]},
    "many configurations": {"config": [OPAQUE] * 33},
    "bad extended resource": {"extendedResourceName": "cpu"},
    "odd extended resource": {"extendedResourceName": "requests.example.com/gpu"},
    "empty extended resource": {"extendedResourceName": ""},
}
CLAIMS: dict[str, Json] = {
    "minimal": {"requests": None},
    "exact": {"requests": [REQUEST]},
    "full": {
        "requests": [
            {
                "name": "one",
                "exactly": {
                    **EXACTLY,
                    "selectors": [TRUE],
                    "allocationMode": "ExactCount",
                    "count": 2,
                    "tolerations": [{"key": "a", "operator": "Exists", "effect": "NoSchedule"}],
                    "capacity": {"requests": {"memory": "1Gi"}},
                },
            },
            CHOICE,
        ],
        "constraints": [{"requests": ["one", "two/a"], "matchAttribute": "example.com/numa"}],
        "config": [{"requests": ["one"], **OPAQUE}],
    },
    "all": exactly(allocationMode="All"),
    "all of some": exactly(allocationMode="All", count=2),
    "negative count": exactly(count=-1),
    "unknown mode": exactly(allocationMode="Some"),
    "no class": exactly(deviceClassName=""),
    "bad class": exactly(deviceClassName="A!"),
    "no expression": exactly(selectors=[{}]),
    "many selectors": exactly(selectors=[TRUE] * 33),
    "empty request": {"requests": [{"name": "one"}]},
    "both kinds": {"requests": [{**REQUEST, "firstAvailable": CHOICE["firstAvailable"]}]},
    "no name": {"requests": [{**REQUEST, "name": ""}]},
    "bad name": {"requests": [{**REQUEST, "name": "a.b"}]},
    "names twice": {"requests": [REQUEST, REQUEST]},
    "many requests": {"requests": [{**REQUEST, "name": f"r{number}"} for number in range(33)]},
    "alternatives": {"requests": [CHOICE]},
    "bad alternatives": either({"name": "?", "deviceClassName": ""}, {"name": "a", "deviceClassName": "?"}),
    "alternatives twice": either({"name": "a", **EXACTLY}, {"name": "a", **EXACTLY}),
    "many alternatives": either(*[{"name": f"a{number}", **EXACTLY} for number in range(9)]),
    "odd alternatives": either({"name": "a", **EXACTLY, "allocationMode": "All", "count": 1}),
    "toleration": tolerating(key="a", value="b", effect="NoExecute", tolerationSeconds=5),
    "bad toleration": tolerating(key="a b", operator="Near", effect="Never"),
    "toleration with value": tolerating(operator="Exists", value="b"),
    "toleration with bad value": tolerating(key="a", value="?"),
    "constraint": constrained(matchAttribute="example.com/numa"),
    "distinct": constrained(distinctAttribute="example.com/numa"),
    "empty constraint": constrained(),
    "constraint on nobody": constrained(
        requests=["three", "one/a", "two/c", "a/b/c", "?"], matchAttribute="a/b"
    ),
    "constraint twice": constrained(requests=["one", "one"], matchAttribute="a/b"),
    "short attribute": constrained(matchAttribute="numa"),
    "bad attribute": constrained(matchAttribute="a b/c d"),
    "empty domain": constrained(matchAttribute="/numa"),
    "empty attribute": constrained(distinctAttribute="example.com/"),
    "many slashes": constrained(matchAttribute="a/b/c"),
    "long attribute": constrained(matchAttribute=f"example.com/{'a' * 33}"),
    "configuration": configured(**OPAQUE),
    "empty configuration": configured(),
    "configuration of nobody": configured(requests=["three"], **OPAQUE),
    "many constraints": {"requests": [REQUEST], "constraints": [{"matchAttribute": "a/b"}] * 33},
}
RESULT: Json = {"request": "one", "driver": "gpu.example.com", "pool": "pool", "device": "gpu-0"}
DEVICE: Json = {"driver": "gpu.example.com", "pool": "pool", "device": "gpu-0"}
USER: Json = {"resource": "pods", "name": "p", "uid": "u"}
SHARE = "12345678-1234-1234-1234-123456789abc"


def allocated(*results: Json, **fields: Any) -> Json:
    return {"allocation": {"devices": {"results": list(results)}}, **fields}


def with_device(**fields: Any) -> Json:
    return allocated(RESULT, devices=[{**DEVICE, **fields}])


def shared(share: str) -> Json:
    return allocated({**RESULT, "shareID": share})


CONDITION: Json = {
    "type": "Ready",
    "status": "True",
    "reason": "Ok",
    "message": "",
    "lastTransitionTime": "2026-01-01T00:00:00Z",
}
TERM: Json = {"matchExpressions": [{"key": "a", "operator": "Near"}]}
STATUSES: dict[str, Json] = {
    "allocated": allocated(RESULT, reservedFor=[USER]),
    "alternative": allocated({**RESULT, "request": "two/a"}),
    "full": with_device(
        conditions=[CONDITION],
        data={"a": 1},
        networkData={
            "interfaceName": "eth0",
            "ips": ["10.1.2.3/24", "2001:db8::1/64"],
            "hardwareAddress": "aa",
        },
    ),
    "reserved for nothing": {"reservedFor": [USER]},
    "reserved for nobody": allocated(RESULT, reservedFor=[{"resource": "", "name": "", "uid": ""}]),
    "reserved twice": allocated(RESULT, reservedFor=[USER, USER]),
    "reserved often": allocated(RESULT, reservedFor=[{**USER, "uid": f"u{number}"} for number in range(257)]),
    "empty result": allocated({"request": "", "driver": "", "pool": "", "device": ""}),
    "bad result": allocated({"request": "three", "driver": "a b", "pool": "a//?", "device": "a.b"}),
    "long pool": allocated({**RESULT, "pool": "a" * 254}),
    "many results": allocated(*[RESULT] * 33),
    "share": shared(SHARE),
    "bad share": shared("12345678-1234-1234-1234-12345678zabc"),
    "short share": shared("1234"),
    "capital share": shared(SHARE.upper()),
    "plain share": shared(SHARE.replace("-", "")),
    "share in braces": shared(f"{{{SHARE}}}"),
    "share in other braces": shared(f"({SHARE})"),
    "share as urn": shared(f"urn:uuid:{SHARE}"),
    "share as other urn": shared(f"urn-uuid-{SHARE}"),
    "binding": allocated({**RESULT, "bindingConditions": ["a"], "bindingFailureConditions": ["b"]}),
    "bad binding": allocated(
        {**RESULT, "bindingConditions": ["a", "a", "?"], "bindingFailureConditions": ["a", "b", "b"]}
    ),
    "half a binding": allocated(
        {**RESULT, "bindingConditions": ["a"]}, {**RESULT, "bindingFailureConditions": ["b"]}
    ),
    "many conditions": allocated({**RESULT, "bindingConditions": list("abcde")}),
    "selector": {"allocation": {"devices": {}, "nodeSelector": {"nodeSelectorTerms": [TERM]}}},
    "configuration": {
        "allocation": {
            "devices": {
                "config": [
                    {"source": "FromClass", "requests": ["one"], **OPAQUE},
                    {"source": "", "requests": ["three"]},
                    {"source": "Elsewhere", **OPAQUE},
                ]
            }
        }
    },
    "other device": with_device(device="gpu-1"),
    "other share": with_device(shareID=SHARE),
    "empty device": with_device(driver="", pool="", device=""),
    "devices twice": allocated(RESULT, devices=[DEVICE, DEVICE]),
    "bad condition": with_device(conditions=[{**CONDITION, "type": "a b"}]),
    "many device conditions": with_device(
        conditions=[{**CONDITION, "type": f"C{number}"} for number in range(9)]
    ),
    "data are no object": with_device(data=[1]),
    "large data": with_device(data={"a": "b" * 10240}),
    "bad network": with_device(
        networkData={
            "interfaceName": "a" * 257,
            "hardwareAddress": "a" * 129,
            "ips": ["10.1.2.3", "010.1.2.3/24", "2001:DB8::1/64", "10.1.2.3/24", "10.1.2.3/24"],
        }
    ),
    "many addresses": with_device(networkData={"ips": [f"10.1.2.{number}/24" for number in range(17)]}),
    "tolerations": allocated({**RESULT, "tolerations": [{"key": "a"}]}),
}
OLD: Json = {"devices": {"requests": [REQUEST, CHOICE]}}
OTHERS = ("exact", "full", "minimal", "bad name", "configuration", "distinct", "toleration")


def template(devices: Json, **metadata: Any) -> Json:
    return made("ResourceClaimTemplate", {"metadata": metadata, "spec": {"devices": devices}})


METADATA: dict[str, Json] = {
    "labels": {"labels": {"a": "b"}, "annotations": {"c": "d"}},
    "bad labels": {"labels": {"a": "?"}, "annotations": {"?": "d"}},
    "name": {"name": "a", "generateName": "b", "uid": "c", "finalizers": ["a/b"]},
}
CASES = [
    *[Case(f"class: {name}", made("DeviceClass", spec)) for name, spec in CLASSES.items()],
    *[
        Case(f"class: update: {name}", made("DeviceClass", spec), made("DeviceClass", {}))
        for name, spec in CLASSES.items()
    ],
    *[Case(f"claim: {name}", made("ResourceClaim", {"devices": spec})) for name, spec in CLAIMS.items()],
    *[
        Case(
            f"claim: update: {name}",
            made("ResourceClaim", {"devices": CLAIMS[name]}),
            made("ResourceClaim", OLD),
        )
        for name in OTHERS
    ],
    Case("claim: update: nothing", made("ResourceClaim", OLD), made("ResourceClaim", OLD)),
    Case("claim: status is dropped", made("ResourceClaim", OLD, STATUSES["allocated"])),
    *[
        Case(
            f"claim: status: {name}", made("ResourceClaim", OLD, status), made("ResourceClaim", OLD), "status"
        )
        for name, status in STATUSES.items()
    ],
    *[Case(f"template: {name}", template(CLAIMS[name])) for name in OTHERS],
    *[
        Case(f"template: {name}", template({"requests": [REQUEST]}, **fields))
        for name, fields in METADATA.items()
    ],
    *[
        Case(f"template: update: {name}", template(CLAIMS[name]), template({"requests": [REQUEST]}))
        for name in OTHERS
    ],
    Case(
        "template: update: labels",
        template({"requests": [REQUEST]}, labels={"a": "b"}),
        template({"requests": [REQUEST]}),
    ),
]
