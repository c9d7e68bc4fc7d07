"""What admission tells the audit log: annotations of webhooks and policies."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.conformance.admission.webhook import Raw, Webhooks, json_patch, respond
from tests.conformance.audit.recorded import LATENCY, audited_server, events_of
from tests.conformance.client import Client
from tests.conformance.namespaces import Namespace, new_namespace, unique
from tests.conformance.objects import config_map
from tests.conformance.waiting import eventually

POLICY = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived"],
    "rules": [
        {"level": "Metadata", "resources": [{"resources": ["configmaps"]}], "verbs": ["update"]},
        {"level": "Request"},
    ],
}
REGISTRATION = "/apis/admissionregistration.k8s.io/v1"
AUTHORIZATION = {"authorization.k8s.io/decision": "allow", "authorization.k8s.io/reason": ""}


class Audited(NamedTuple):
    """A server with an audit log, and a namespace in it."""

    client: Client
    namespace: Namespace
    log: Path

    def annotations(self, audit_id: str) -> dict[str, str]:
        """Those of a request, but for what the authorizer says, and how long a slow one took."""
        (event,) = events_of(self.log, audit_id)[audit_id]
        found: dict[str, str] = event["annotations"]
        assert AUTHORIZATION.items() <= found.items()
        return {
            name: value
            for name, value in found.items()
            if name not in AUTHORIZATION and not name.startswith(LATENCY)
        }


@pytest.fixture(scope="module", params=["embedded", pytest.param("real", marks=pytest.mark.real)])
def audited(request: pytest.FixtureRequest) -> Iterator[Audited]:
    with audited_server(request.param, POLICY) as (server, log):
        client = Client(server)
        yield Audited(client, new_namespace(client), log)
        client.close()


def create(audited: Audited, audit_id: str, expected: int = 201) -> Any:
    body = config_map(unique("map"), {"a": "b"})
    answer = audited.client.post(audited.namespace.config_maps, body, headers={"Audit-ID": audit_id})
    assert answer.status == expected, answer.text
    return answer.json()


def test_of_webhooks(audited: Audited) -> None:
    patch = {"op": "add", "path": "/data/new", "value": "x"}

    def says(review: dict[str, Any]) -> dict[str, Any]:
        return respond(review, auditAnnotations={"seen": "yes"})

    with Webhooks.running(audited.client, audited.namespace) as hooks:
        mutating = hooks.mutate(
            hooks.hook("patches", json_patch(patch)),
            hooks.hook("idle", says),
            hooks.hook("dead", lambda _: Raw(status=500), failurePolicy="Ignore"),
        )
        hooks.validate(hooks.hook("checks", says))
        made = create(audited, "webhooks")
        audited.client.put(
            f"{audited.namespace.config_maps}/{made['metadata']['name']}",
            {**made, "data": {"a": "c"}},
            headers={"Audit-ID": "webhooks-of-metadata"},
        )
    place = "round_0_index_{}"

    def mutation(index: int, name: str, *, mutated: bool) -> dict[str, str]:
        told = {"configuration": mutating, "webhook": f"{name}.example.com", "mutated": mutated}
        key = f"mutation.webhook.admission.k8s.io/{place.format(index)}"
        return {key: json.dumps(told, separators=(",", ":"))}

    told = {
        "idle.example.com/seen": "yes",
        "checks.example.com/seen": "yes",
        "failed-open.mutation.webhook.admission.k8s.io/round_0_index_2": "dead.example.com",
        **mutation(0, "patches", mutated=True),
        **mutation(1, "idle", mutated=False),
        **mutation(2, "dead", mutated=False),
    }
    shown = {
        "configuration": mutating,
        "webhook": "patches.example.com",
        "patch": [patch],
        "patchType": "JSONPatch",
    }
    key = f"patch.webhook.admission.k8s.io/{place.format(0)}"
    found = audited.annotations("webhooks")
    assert json.loads(found.pop(key)) == shown
    assert found == told
    # The patch shows what is in the body, which the level does not want.
    assert audited.annotations("webhooks-of-metadata") == told


def test_nobody_speaks_for_the_authorizer(audited: Audited) -> None:
    def says(review: dict[str, Any]) -> dict[str, Any]:
        return respond(review, auditAnnotations={"decision": "forbid", "reason": "webhook"})

    with Webhooks.running(audited.client, audited.namespace) as hooks:
        hooks.validate({**hooks.hook("x", says), "name": "authorization.k8s.io"})
        create(audited, "pretender")
    assert audited.annotations("pretender") == {}


def test_of_policies(audited: Audited) -> None:
    name = unique("policy.example.com")
    rule = {
        "apiGroups": [""],
        "apiVersions": ["v1"],
        "operations": ["CREATE"],
        "resources": ["configmaps"],
    }
    selector = {"matchLabels": {"kubernetes.io/metadata.name": audited.namespace.name}}
    spec = {
        "matchConstraints": {"resourceRules": [rule], "namespaceSelector": selector},
        "validations": [{"expression": "!has(object.data.a)", "message": "there is an a"}],
        "auditAnnotations": [{"key": "value", "valueExpression": "'a is ' + object.data.a"}],
    }
    client = audited.client
    path = f"{REGISTRATION}/validatingadmissionpolicies"
    binding = {"policyName": name, "validationActions": ["Warn", "Audit"]}
    assert client.post(path, {"metadata": {"name": name}, "spec": spec}).status == 201
    assert client.post(f"{path[:-3]}ybindings", {"metadata": {"name": name}, "spec": binding}).status == 201

    def in_force() -> bool:
        body = config_map("x", {"a": "b"})
        return bool(client.post(audited.namespace.config_maps, body, dryRun="All").warnings)

    eventually(in_force, "the policy is in force")
    create(audited, "policies")
    client.delete(f"{path[:-3]}ybindings/{name}")
    client.delete(f"{path}/{name}")
    found = audited.annotations("policies")
    (failure,) = json.loads(found.pop("validation.policy.admission.k8s.io/validation_failure"))
    assert failure == {
        "message": "there is an a",
        "policy": name,
        "binding": name,
        "expressionIndex": 0,
        "validationActions": ["Warn", "Audit"],
    }
    assert found == {f"{name}/value": "a is b"}
