"""Roles, ClusterRoles and their bindings."""

from __future__ import annotations

from typing import Any

from tests.server.kinds.harness import Case, Json

GROUP = "rbac.authorization.k8s.io"
RULE: Json = {"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}
URLS: Json = {"verbs": ["get"], "nonResourceURLs": ["/healthz"]}
USER: Json = {"kind": "User", "apiGroup": GROUP, "name": "jane"}
ACCOUNT: Json = {"kind": "ServiceAccount", "name": "robot", "namespace": "default"}
BAD_RULES: dict[str, Json] = {
    "no verbs": {"verbs": [], "apiGroups": [""], "resources": ["pods"]},
    "no groups": {"verbs": ["get"], "resources": ["pods"]},
    "no resources": {"verbs": ["get"], "apiGroups": [""]},
    "nothing": {"verbs": []},
    "verbs only": {"verbs": ["get"]},
    "urls": URLS,
    "urls and resources": {**RULE, **URLS},
    "urls and groups": {**URLS, "apiGroups": [""]},
    "urls and names": {**URLS, "resourceNames": ["a"]},
    "urls without verbs": {**URLS, "verbs": []},
    "names only": {"verbs": ["get"], "resourceNames": ["a"]},
}
BAD_SUBJECTS: dict[str, Json] = {
    "no name": {"kind": "User", "apiGroup": GROUP, "name": ""},
    "no kind": {"kind": "", "name": "jane"},
    "unknown kind": {"kind": "Robot", "name": "jane"},
    "user of another group": {**USER, "apiGroup": "example.com"},
    "user without group": {"kind": "User", "name": "jane"},
    "group without group": {"kind": "Group", "name": "team"},
    "group of another group": {"kind": "Group", "apiGroup": "v1", "name": "team"},
    "account of a group": {**ACCOUNT, "apiGroup": GROUP},
    "account with a bad name": {**ACCOUNT, "name": "Robot!"},
    "account without name": {**ACCOUNT, "name": ""},
    "account without namespace": {"kind": "ServiceAccount", "name": "robot"},
    "account, all wrong": {"kind": "ServiceAccount", "name": "?", "apiGroup": "x"},
    "user with namespace": {**USER, "namespace": "default"},
}
BAD_SELECTORS: dict[str, list[Json]] = {
    "no selector": [],
    "empty selector": [{}],
    "good selector": [
        {"matchLabels": {"a": "b"}},
        {"matchExpressions": [{"key": "a", "operator": "Exists"}]},
    ],
    "bad value": [{"matchLabels": {"a": "?"}}],
    "bad operator": [{}, {"matchExpressions": [{"key": "a", "operator": "Near"}]}],
    "bad expression value": [{"matchExpressions": [{"key": "a", "operator": "In", "values": ["?"]}]}],
    "no values": [{"matchExpressions": [{"key": "a", "operator": "In"}]}],
    "bad key": [{"matchExpressions": [{"key": "?", "operator": "Exists"}]}],
}


def role(kind: str, /, *rules: Json, **fields: Any) -> Json:
    name = f"case:{kind.lower()}"
    obj = {"apiVersion": f"{GROUP}/v1", "kind": kind, "metadata": {"name": name}, "rules": list(rules)}
    return {**obj, **fields}


def binding(kind: str, /, *subjects: Json, **fields: Any) -> Json:
    obj: Json = {
        "apiVersion": f"{GROUP}/v1",
        "kind": kind,
        "metadata": {"name": f"case:{kind.lower()}"},
        "roleRef": {"apiGroup": GROUP, "kind": "ClusterRole", "name": "view", **fields},
    }
    return {**obj, "subjects": list(subjects)} if subjects else obj


def role_cases(kind: str) -> list[Case]:
    return [
        Case(f"{kind}: minimal", role(kind)),
        Case(f"{kind}: one rule", role(kind, RULE)),
        Case(f"{kind}: full", role(kind, RULE, {**RULE, "resourceNames": ["a"], "verbs": ["*"]})),
        *[Case(f"{kind}: {name}", role(kind, RULE, rule)) for name, rule in BAD_RULES.items()],
        *[Case(f"{kind}: update: {name}", role(kind, rule), role(kind)) for name, rule in BAD_RULES.items()],
        Case(f"{kind}: update: rules", role(kind, RULE), role(kind)),
    ]


def binding_cases(kind: str) -> list[Case]:
    old = binding(kind, USER)
    refs: dict[str, Json] = {
        "role": {"kind": "Role"},
        "unknown kind of role": {"kind": "Rule"},
        "no kind of role": {"kind": ""},
        "no role": {"name": ""},
        "bad role": {"name": "a/b%c"},
        "dots": {"name": ".."},
        "default group": {"apiGroup": ""},
        "other group": {"apiGroup": "example.com"},
        "nothing": {"apiGroup": "", "kind": "", "name": ""},
    }
    return [
        Case(f"{kind}: minimal", binding(kind)),
        Case(f"{kind}: full", binding(kind, USER, ACCOUNT, {"kind": "Group", "name": "team"})),
        *[Case(f"{kind}: {name}", binding(kind, USER, each)) for name, each in BAD_SUBJECTS.items()],
        *[Case(f"{kind}: {name}", binding(kind, **ref)) for name, ref in refs.items()],
        *[Case(f"{kind}: update: {name}", binding(kind, **ref), old) for name, ref in refs.items()],
        Case(f"{kind}: update: other role", binding(kind, name="edit"), old),
        Case(f"{kind}: update: subjects", binding(kind, ACCOUNT), old),
        Case(f"{kind}: update: bad subject", binding(kind, BAD_SUBJECTS["no kind"]), old),
        Case(f"{kind}: update: none", binding(kind), old),
    ]


CASES = [
    *role_cases("Role"),
    *role_cases("ClusterRole"),
    *binding_cases("RoleBinding"),
    *binding_cases("ClusterRoleBinding"),
    *[
        Case(
            f"ClusterRole: aggregation: {name}",
            role("ClusterRole", aggregationRule={"clusterRoleSelectors": selectors} if selectors else {}),
        )
        for name, selectors in BAD_SELECTORS.items()
    ],
    *[
        Case(
            f"ClusterRole: update: aggregation: {name}",
            role("ClusterRole", aggregationRule={"clusterRoleSelectors": selectors} if selectors else {}),
            role("ClusterRole"),
        )
        for name, selectors in BAD_SELECTORS.items()
    ],
]
