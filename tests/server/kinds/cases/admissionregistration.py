"""Webhook configurations. What is made on a server matches a group that nobody has."""

from __future__ import annotations

from typing import Any

from tests.server.kinds.harness import Case, Json

GROUP = "admissionregistration.k8s.io/v1"
RULE: Json = {
    "operations": ["CREATE"],
    "apiGroups": ["case.example.com"],
    "apiVersions": ["v1"],
    "resources": ["cases"],
}
SERVICE: Json = {"service": {"namespace": "default", "name": "hook"}}
HOOK: Json = {
    "name": "hook.case.example.com",
    "clientConfig": SERVICE,
    "rules": [RULE],
    "sideEffects": "None",
    "admissionReviewVersions": ["v1"],
}
BAD_LABELS: Json = {"matchLabels": {"a": "?"}}


def configuration(kind: str, /, *hooks: Json, name: str = "") -> Json:
    metadata = {"name": name or f"case-{kind.lower()}"}
    return {"apiVersion": GROUP, "kind": kind, "metadata": metadata, "webhooks": list(hooks)}


def ruled(**fields: Any) -> Json:
    return {"rules": [RULE, {**RULE, **fields}]}


def served(**fields: Any) -> Json:
    return {"clientConfig": {"service": {"namespace": "default", "name": "hook", **fields}}}


def conditions(*made: Json) -> Json:
    return {"matchConditions": list(made)}


TRUE: Json = {"name": "always", "expression": "true"}
RULES: dict[str, Json] = {
    "no operations": ruled(operations=[]),
    "all operations and one": ruled(operations=["*", "CREATE"]),
    "unknown operation": ruled(operations=["READ", ""]),
    "no groups": ruled(apiGroups=[]),
    "all groups and one": ruled(apiGroups=["", "*"]),
    "no versions": ruled(apiVersions=[]),
    "all versions and one": ruled(apiVersions=["*", "v1"]),
    "empty version": ruled(apiVersions=["v1", ""]),
    "no resources": ruled(resources=[]),
    "empty resource": ruled(resources=["", "cases"]),
    "everything": ruled(resources=["*/*"]),
    "everything and one": ruled(resources=["*/*", "cases"]),
    "all and one": ruled(resources=["*", "cases"]),
    "one and all": ruled(resources=["cases", "*"]),
    "all subresources and one": ruled(resources=["cases/*", "cases/status", "others/status"]),
    "subresource of all and one": ruled(resources=["*/status", "cases/status"]),
    "subresources twice": ruled(resources=["cases/*", "*/*"]),
    "unknown scope": ruled(scope="World"),
    "scope": ruled(scope="Namespaced"),
    "nothing": ruled(operations=[], apiGroups=[], apiVersions=[], resources=[], scope=""),
}
PARTS: dict[str, Json] = {
    "minimal": {},
    "full": {
        "failurePolicy": "Ignore",
        "matchPolicy": "Exact",
        "namespaceSelector": {"matchLabels": {"a": "b"}},
        "objectSelector": {"matchExpressions": [{"key": "a", "operator": "Exists"}]},
        "sideEffects": "NoneOnDryRun",
        "timeoutSeconds": 5,
        "admissionReviewVersions": ["v2", "v1beta1"],
        "matchConditions": [TRUE],
        "clientConfig": {"url": "https://example.com/hook", "caBundle": "YWJj"},
    },
    **RULES,
    "no name": {"name": ""},
    "bad name": {"name": "Hook!"},
    "short name": {"name": "hook.com"},
    "unknown failure policy": {"failurePolicy": "Retry"},
    "unknown match policy": {"matchPolicy": "Some"},
    "no side effects": {"sideEffects": None},
    "some side effects": {"sideEffects": "Some"},
    "unknown side effects": {"sideEffects": "Many"},
    "no timeout": {"timeoutSeconds": 0},
    "long timeout": {"timeoutSeconds": 31},
    "bad selectors": {"namespaceSelector": BAD_LABELS, "objectSelector": BAD_LABELS},
    "no versions of reviews": {"admissionReviewVersions": []},
    "unknown version": {"admissionReviewVersions": ["v2"]},
    "bad version": {"admissionReviewVersions": ["v1", "1", "v1"]},
    "no client": {"clientConfig": {}},
    "two clients": {"clientConfig": {**SERVICE, "url": "https://example.com"}},
    "http": {"clientConfig": {"url": "http://example.com"}},
    "odd url": {"clientConfig": {"url": "https://user:pass@example.com/?a=b#c"}},
    "no host": {"clientConfig": {"url": "https:///a"}},
    "bad url": {"clientConfig": {"url": "https://exa mple.com"}},
    "empty url": {"clientConfig": {"url": ""}},
    "no service": served(namespace="", name=""),
    "no namespace": served(namespace=""),
    "port": served(port=8443),
    "bad port": served(port=0),
    "path": served(path="/a/b/"),
    "root": served(path="/"),
    "empty path": served(path=""),
    "relative path": served(path="a/b"),
    "slashes": served(path="//"),
    "empty segment": served(path="/a//b"),
    "bad segment": served(path="/A/b?c"),
    "condition": conditions(TRUE),
    "conditions twice": conditions(TRUE, TRUE),
    "empty condition": conditions({"name": "", "expression": " "}),
    "bad name of a condition": conditions({**TRUE, "name": "a b"}),
    "many conditions": conditions(*[{**TRUE, "name": f"c{number}"} for number in range(65)]),
    "odd bundle": {"clientConfig": {**SERVICE, "caBundle": "YWJj"}},
}
MUTATING: dict[str, Json] = {
    "again": {"reinvocationPolicy": "IfNeeded"},
    "unknown again": {"reinvocationPolicy": "Twice"},
}


def cases(kind: str, parts: dict[str, Json]) -> list[Case]:
    old = configuration(kind, HOOK)
    return [
        Case(f"{kind}: no webhooks", configuration(kind)),
        Case(f"{kind}: reserved name", configuration(kind, name="case.static.k8s.io")),
        Case(f"{kind}: names twice", configuration(kind, HOOK, HOOK)),
        Case(f"{kind}: update: names twice", configuration(kind, HOOK, HOOK), old),
        Case(f"{kind}: update: none", configuration(kind), old),
        *[Case(f"{kind}: {name}", configuration(kind, {**HOOK, **part})) for name, part in parts.items()],
        *[
            Case(f"{kind}: update: {name}", configuration(kind, {**HOOK, **part}), old)
            for name, part in parts.items()
        ],
    ]


CASES = [
    *cases("ValidatingWebhookConfiguration", PARTS),
    *cases("MutatingWebhookConfiguration", {**PARTS, **MUTATING}),
]
