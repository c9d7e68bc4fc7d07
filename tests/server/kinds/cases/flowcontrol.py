"""FlowSchemas and PriorityLevelConfigurations."""

from __future__ import annotations

from typing import Any

from tests.server.kinds.harness import Case, Json

GROUP = "flowcontrol.apiserver.k8s.io/v1"
USER: Json = {"kind": "User", "user": {"name": "case"}}
RESOURCES: Json = {
    "verbs": ["get"],
    "apiGroups": ["case.example.com"],
    "resources": ["cases"],
    "namespaces": ["default"],
}
URLS: Json = {"verbs": ["get"], "nonResourceURLs": ["/case"]}
SCHEMA: Json = {"priorityLevelConfiguration": {"name": "global-default"}, "matchingPrecedence": 9500}
LIMITED: Json = {"limitResponse": {"type": "Reject"}}


def made(kind: str, spec: Json, /, name: str = "", status: Json | None = None, **fields: Any) -> Json:
    obj: Json = {
        "apiVersion": GROUP,
        "kind": kind,
        "metadata": {"name": name or f"case-{kind.lower()}"},
        "spec": {**spec, **fields},
    }
    return obj if status is None else {**obj, "status": status}


def rule(**fields: Any) -> Json:
    return {"rules": [{"subjects": [USER], "resourceRules": [RESOURCES], **fields}]}


def subjects(*given: Json) -> Json:
    return rule(subjects=list(given))


def resources(**fields: Any) -> Json:
    return rule(resourceRules=[{**RESOURCES, **fields}])


def urls(*given: str, **fields: Any) -> Json:
    return rule(nonResourceRules=[{**URLS, "nonResourceURLs": list(given), **fields}])


def account(**fields: Any) -> Json:
    return {"kind": "ServiceAccount", "serviceAccount": {"namespace": "default", "name": "a", **fields}}


SCHEMAS: dict[str, Json] = {
    "minimal": {},
    "full": {**rule(nonResourceRules=[URLS]), "distinguisherMethod": {"type": "ByUser"}},
    "no precedence": {"matchingPrecedence": 0},
    "negative precedence": {"matchingPrecedence": -1},
    "first": {"matchingPrecedence": 1},
    "too late": {"matchingPrecedence": 10001},
    "unknown method": {"distinguisherMethod": {"type": "ByName"}},
    "no method": {"distinguisherMethod": {"type": ""}},
    "no level": {"priorityLevelConfiguration": {"name": ""}},
    "bad level": {"priorityLevelConfiguration": {"name": "A!"}},
    "empty rule": {"rules": [{"subjects": []}]},
    "all kinds of subjects": subjects(
        USER, {"kind": "Group", "group": {"name": "g"}}, account(), account(name="*")
    ),
    "unknown subject": subjects({"kind": "Robot"}, {"kind": ""}),
    "empty subjects": subjects({"kind": "User"}, {"kind": "Group"}, {"kind": "ServiceAccount"}),
    "nameless subjects": subjects(
        {"kind": "User", "user": {"name": ""}},
        {"kind": "Group", "group": {"name": ""}},
        account(namespace="", name=""),
    ),
    "bad account": subjects(account(namespace="a.b", name="A!")),
    "mixed subjects": subjects(
        {**account(), **USER, "group": {"name": "g"}},
        {**USER, **account(), "group": {"name": "g"}},
        {**USER, **account(), "kind": "Group"},
    ),
    "no verbs": resources(verbs=[]),
    "all verbs and one": resources(verbs=["*", "get"]),
    "unknown verb": resources(verbs=["get", "fly"]),
    "no groups": resources(apiGroups=[]),
    "all groups and one": resources(apiGroups=["*", "a"]),
    "no resources": resources(resources=[]),
    "all resources and one": resources(resources=["*", "a"]),
    "no namespaces": resources(namespaces=[]),
    "of the cluster": rule(
        resourceRules=[{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "clusterScope": True}]
    ),
    "all namespaces and one": resources(namespaces=["*", "a"]),
    "bad namespace": resources(namespaces=["a.b", ""]),
    "urls": urls("/", "/a/*", "/b"),
    "all urls": urls("*"),
    "all urls and one": urls("*", "/a"),
    "no urls": urls(),
    "no verbs for urls": urls("/a", verbs=[]),
    "unknown verb for urls": urls("/a", verbs=["fly"]),
    "bad urls": urls("", "a", "/a b", "/a//b", "/a*", "/*/*", "/*"),
}


def limited(**fields: Any) -> Json:
    return {"limited": {**LIMITED, **fields}}


def queued(**fields: Any) -> Json:
    return limited(limitResponse={"type": "Queue", "queuing": fields})


LEVELS: dict[str, Json] = {
    "minimal": limited(),
    "full": limited(
        nominalConcurrencyShares=5,
        lendablePercent=10,
        borrowingLimitPercent=20,
        limitResponse={"type": "Queue", "queuing": {"queues": 16, "handSize": 4, "queueLengthLimit": 5}},
    ),
    "exempt": {"type": "Exempt", "exempt": {}},
    "exempt and limited": {"type": "Exempt", "exempt": {"lendablePercent": 101}, **limited()},
    "limited and exempt": {**limited(), "exempt": {}},
    "no limits": {},
    "no type": {"type": ""},
    "unknown type": {"type": "Some"},
    "negative": limited(nominalConcurrencyShares=-1, lendablePercent=-1, borrowingLimitPercent=-1),
    "no shares": limited(nominalConcurrencyShares=0),
    "much lent": limited(lendablePercent=101, borrowingLimitPercent=1000),
    "no response": limited(limitResponse={"type": ""}),
    "unknown response": limited(limitResponse={"type": "Wait"}),
    "queue without queues": limited(limitResponse={"type": "Queue"}),
    "rejected with queues": limited(limitResponse={"type": "Reject", "queuing": {}}),
    "default queues": queued(),
    "negative queues": queued(queues=-1, handSize=-1, queueLengthLimit=-1),
    "many queues": queued(queues=10_000_001, handSize=1),
    "large hand": queued(queues=4, handSize=5),
    "much entropy": queued(queues=1024, handSize=7),
    "just enough entropy": queued(queues=1024, handSize=6),
}
TWICE: Json = {"conditions": [{"type": "A"}, {"type": "A"}, {"type": ""}]}
LEVEL = "PriorityLevelConfiguration"
OLD_LEVEL = made(LEVEL, {"type": "Limited"}, **limited())
OLD_ANNOTATION = {"flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares": ""}


OLD_SCHEMA = made("FlowSchema", SCHEMA)


def contended(obj: Json) -> Json:
    """An object that the server itself writes as well, so that updates had better name no version."""
    return {**obj, "metadata": {**obj["metadata"], "resourceVersion": ""}}


def annotated() -> Json:
    obj = made(LEVEL, {"type": "Limited"}, **limited())
    obj["metadata"]["annotations"] = OLD_ANNOTATION
    return obj


CASES = [
    *[Case(f"schema: {name}", made("FlowSchema", SCHEMA, **part)) for name, part in SCHEMAS.items()],
    *[
        Case(
            f"schema: update: {name}", made("FlowSchema", SCHEMA, **SCHEMAS[name]), made("FlowSchema", SCHEMA)
        )
        for name in ("full", "first", "no level", "empty rule", "bad urls")
    ],
    Case("schema: status is dropped", made("FlowSchema", SCHEMA, status=TWICE)),
    Case("schema: exempt", made("FlowSchema", SCHEMA, "exempt", **SCHEMAS["full"])),
    Case("schema: catch-all", made("FlowSchema", SCHEMA, "catch-all")),
    *[Case(f"level: {name}", made(LEVEL, {"type": "Limited"}, **part)) for name, part in LEVELS.items()],
    *[
        Case(f"level: update: {name}", made(LEVEL, {"type": "Limited"}, **LEVELS[name]), OLD_LEVEL)
        for name in ("full", "negative", "exempt", "no limits")
    ],
    Case("level: annotation", annotated()),
    Case("level: exempt by name", made(LEVEL, {"type": "Limited"}, "exempt", **limited())),
    Case("level: other exempt", made(LEVEL, {"type": "Exempt"}, "exempt", exempt={}, **limited())),
    Case("level: catch-all", made(LEVEL, {"type": "Limited"}, "catch-all", **queued())),
    *[
        Case(f"{kind}: status: twice", contended(made(kind, {}, status=TWICE)), old, "status")
        for kind, old in (("FlowSchema", OLD_SCHEMA), (LEVEL, OLD_LEVEL))
    ],
]
