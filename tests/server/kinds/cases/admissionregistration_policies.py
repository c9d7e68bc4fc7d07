"""Admission policies and their bindings. Expressions are all good, or not there.

These cost a real server a great deal of memory, above all mutating policies that are not only tried, so there
are few updates.
"""

from __future__ import annotations

from typing import Any

from tests.server.kinds.cases.admissionregistration import BAD_LABELS, GROUP, RULE, RULES, TRUE, conditions
from tests.server.kinds.harness import Case, Json

MATCH: Json = {"resourceRules": [RULE]}
VALIDATION: Json = {"expression": "true"}
APPLY: Json = {"expression": "Object{}"}
PATCH: Json = {"expression": '[JSONPatch{op: "test", path: "/a", value: "b"}]'}
VALIDATING: Json = {"matchConstraints": MATCH, "validations": [VALIDATION]}
MUTATING: Json = {
    "matchConstraints": MATCH,
    "mutations": [{"patchType": "ApplyConfiguration", "applyConfiguration": APPLY}],
    "reinvocationPolicy": "Never",
}
BINDING: Json = {"policyName": "policy"}


def made(kind: str, spec: Json, /, status: Json | None = None, **fields: Any) -> Json:
    given = {name: value for name, value in {**spec, **fields}.items() if value is not None}
    obj: Json = {
        "apiVersion": GROUP,
        "kind": kind,
        "metadata": {"name": f"case-{kind.lower()}"},
        "spec": given,
    }
    return obj if status is None else {**obj, "status": status}


def creates(kind: str, base: Json, parts: dict[str, Json]) -> list[Case]:
    return [Case(f"{kind}: {name}", made(kind, base, **part)) for name, part in parts.items()]


def updates(kind: str, base: Json, parts: dict[str, Json], *names: str) -> list[Case]:
    old = made(kind, base)
    return [Case(f"{kind}: update: {name}", made(kind, base, **parts[name]), old) for name in names]


def matching(field: str) -> dict[str, Json]:
    return {
        "full match": {
            field: {
                **MATCH,
                "matchPolicy": "Exact",
                "namespaceSelector": {"matchLabels": {"a": "b"}},
                "objectSelector": {"matchLabels": {"a": "b"}},
                "excludeResourceRules": [{**RULE, "resourceNames": ["a", "b"]}],
            }
        },
        "unknown match policy": {field: {**MATCH, "matchPolicy": "Some"}},
        "bad selectors": {field: {**MATCH, "namespaceSelector": BAD_LABELS, "objectSelector": BAD_LABELS}},
        "no rules": {field: {}},
        "bad names": {field: {"resourceRules": [{**RULE, "resourceNames": ["a/b", "", "a", "a"]}]}},
        "bad excluded rules": {field: {**MATCH, "excludeResourceRules": [{}]}},
        "deleted": {field: {"resourceRules": [{**RULE, "operations": ["DELETE", "CREATE", "READ"]}]}},
        "bad rule": {field: {"resourceRules": RULES["nothing"]["rules"]}},
    }


def kinds_of_parameters(*pairs: tuple[str, str]) -> dict[str, Json]:
    return {
        f"parameters {version} {kind}": {"paramKind": {"apiVersion": version, "kind": kind}}
        for version, kind in pairs
    }


def variables(*given: Json) -> Json:
    return {"variables": list(given)}


POLICY: dict[str, Json] = {
    "minimal": {},
    "ignored": {"failurePolicy": "Ignore"},
    "unknown failure policy": {"failurePolicy": "Retry"},
    "no constraints": {"matchConstraints": None},
    **matching("matchConstraints"),
    **kinds_of_parameters(
        ("v1", "ConfigMap"), ("", ""), ("a/b/c", "A"), ("A/1", "1!"), ("example.com/", "Rule"), ("/", "Rule")
    ),
    "condition": conditions(TRUE),
    "conditions twice": conditions(TRUE, TRUE),
    "empty condition": conditions({"name": "", "expression": " "}),
    "variable": variables({"name": "one", "expression": "1"}),
    "bad variables": variables(
        {"name": "", "expression": ""}, {"name": " ", "expression": " "}, {"name": "a-b", "expression": " "}
    ),
}


def validations(**fields: Any) -> Json:
    return {"validations": [{**VALIDATION, **fields}]}


def audited(*given: Json) -> Json:
    return {"auditAnnotations": list(given)}


NOTE: Json = {"key": "note", "valueExpression": "'a'"}
VALIDATING_PARTS: dict[str, Json] = {
    "full validation": validations(message="no", reason="Forbidden", messageExpression="'no'"),
    "nothing to validate": {"validations": None},
    "no expression": validations(expression=""),
    "blank expression": validations(expression=" "),
    "blank message": validations(message=" "),
    "blank message expression": validations(messageExpression=" "),
    "message of two lines": validations(message="a\nb"),
    "message with a line end": validations(message="a\n"),
    "unknown reason": validations(reason="Because"),
    "annotation": audited(NOTE),
    "annotations alone": {**audited(NOTE), "validations": None},
    "annotations twice": audited(NOTE, NOTE),
    "bad annotation": audited({"key": "a b", "valueExpression": ""}),
    "empty annotation": audited({"key": "", "valueExpression": " "}),
    "long annotation": audited({**NOTE, "valueExpression": f"'{'a' * 5120}'"}),
    "many annotations": audited(*[{**NOTE, "key": f"n{number}"} for number in range(21)]),
}


def mutations(*given: Json) -> Json:
    return {"mutations": list(given)}


MUTATING_PARTS: dict[str, Json] = {
    "patch": mutations({"patchType": "JSONPatch", "jsonPatch": PATCH}),
    "nothing to change": {"mutations": None},
    "no type": mutations({"patchType": "", "jsonPatch": PATCH}),
    "unknown type": mutations({"patchType": "Merge"}),
    "no patch": mutations({"patchType": "JSONPatch"}),
    "no configuration": mutations({"patchType": "ApplyConfiguration"}),
    "both": mutations({"patchType": "JSONPatch", "jsonPatch": PATCH, "applyConfiguration": APPLY}),
    "both, the other way": mutations(
        {"patchType": "ApplyConfiguration", "jsonPatch": PATCH, "applyConfiguration": APPLY}
    ),
    "only the other": mutations({"patchType": "ApplyConfiguration", "jsonPatch": PATCH}),
    "blank": mutations(
        {"patchType": "JSONPatch", "jsonPatch": {"expression": " "}},
        {"patchType": "ApplyConfiguration", "applyConfiguration": {}},
    ),
    "again": {"reinvocationPolicy": "IfNeeded"},
    "no reinvocation": {"reinvocationPolicy": None},
    "unknown reinvocation": {"reinvocationPolicy": "Twice"},
}


def parameters(**fields: Any) -> Json:
    return {"paramRef": {"parameterNotFoundAction": "Deny", **fields}}


BINDING_PARTS: dict[str, Json] = {
    "minimal": {},
    "no policy": {"policyName": ""},
    "bad policy": {"policyName": "A!"},
    **matching("matchResources"),
    "parameters by name": parameters(name="a", namespace="default"),
    "parameters by labels": parameters(selector={}),
    "parameters by both": parameters(name="a", selector={}),
    "parameters by none": parameters(),
    "bad parameters": parameters(name="a/b"),
    "bad labels": parameters(selector=BAD_LABELS),
    "no action": {"paramRef": {"name": "a"}},
    "empty action": parameters(name="a", parameterNotFoundAction=""),
    "unknown action": parameters(name="a", parameterNotFoundAction="Warn"),
}
ACTIONS: dict[str, Json] = {
    f"actions {' '.join(actions) or 'none'}": {"validationActions": actions or None}
    for actions in ([], ["Audit"], ["Deny", "Warn"], ["Deny", "Deny"], ["Shout"])
}
CONDITION = {
    "type": "a b",
    "status": "?",
    "reason": "",
    "message": "",
    "lastTransitionTime": "2026-01-01T00:00:00Z",
}
WARNINGS = [{"fieldRef": "", "warning": ""}, {"fieldRef": "spec.validations[0].expression", "warning": "w"}]
STATUSES: dict[str, Json] = {
    "full": {"observedGeneration": 1, "typeChecking": {"expressionWarnings": WARNINGS[1:]}},
    "bad warning": {"typeChecking": {"expressionWarnings": WARNINGS}},
    "bad condition": {"conditions": [CONDITION]},
}
NAME = "ValidatingAdmissionPolicy"
BOUND = "ValidatingAdmissionPolicyBinding"
BOUND_BASE: Json = {**BINDING, "validationActions": ["Deny"]}
MUTATING_POLICY = {name: POLICY[name] for name in ("minimal", "no constraints", "deleted", "bad variables")}
CASES = [
    *creates(NAME, VALIDATING, {**POLICY, **VALIDATING_PARTS}),
    *updates(
        NAME, VALIDATING, {**POLICY, **VALIDATING_PARTS}, "bad variables", "empty condition", "no rules"
    ),
    *creates("MutatingAdmissionPolicy", MUTATING, {**MUTATING_POLICY, **MUTATING_PARTS}),
    *creates(BOUND, BOUND_BASE, {**BINDING_PARTS, **ACTIONS}),
    *updates(BOUND, BOUND_BASE, BINDING_PARTS, "no policy", "bad parameters", "bad rule", "minimal"),
    *creates("MutatingAdmissionPolicyBinding", BINDING, BINDING_PARTS),
    *[
        Case(f"status: {name}", made(NAME, {}, status), made(NAME, VALIDATING), "status")
        for name, status in STATUSES.items()
    ],
    Case("status is dropped", made(NAME, VALIDATING, STATUSES["full"])),
]
