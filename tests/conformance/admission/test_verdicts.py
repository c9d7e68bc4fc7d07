"""What becomes of a write by what its webhooks say: refusals, warnings, dry runs and order."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from tests.conformance.admission.webhook import Answer, Webhooks, allow, deny, respond
from tests.conformance.client import Client
from tests.conformance.namespaces import Namespace
from tests.conformance.objects import config_map
from tests.conformance.statuses import assert_failure, failure
from tests.conformance.waiting import eventually

DENIED = 'admission webhook "a.example.com" denied the request'

KINDS = pytest.mark.parametrize("kind", ["mutate", "validate"])


@KINDS
@pytest.mark.parametrize(
    ("status", "refusal"),
    [
        (None, failure(400, None, f"{DENIED} without explanation")),
        ({}, failure(400, None, f"{DENIED} without explanation")),
        ({"message": "no"}, failure(400, None, f"{DENIED}: no")),
        ({"reason": "Because"}, failure(400, "Because", f"{DENIED}: Because")),
        ({"code": 200, "status": "Success"}, failure(400, None, f"{DENIED} without explanation")),
        ({"code": 409, "reason": "Conflict", "message": "m"}, failure(409, "Conflict", f"{DENIED}: m")),
        ({"code": 503, "message": "later"}, failure(503, None, f"{DENIED}: later")),
        ({"code": 999}, failure(999, None, f"{DENIED} without explanation")),
        (
            {
                "code": 422,
                "reason": "Invalid",
                "message": "bad",
                "metadata": {"resourceVersion": "5"},
                "details": {"name": "n", "causes": [{"reason": "FieldValueInvalid", "field": "f"}]},
            },
            {
                **failure(
                    422,
                    "Invalid",
                    f"{DENIED}: bad",
                    {"name": "n", "causes": [{"reason": "FieldValueInvalid", "field": "f"}]},
                ),
                "metadata": {"resourceVersion": "5"},
            },
        ),
    ],
)
def test_a_refusal(
    hooks: Webhooks,
    client: Client,
    namespace: Namespace,
    kind: str,
    status: dict[str, Any] | None,
    refusal: dict[str, Any],
) -> None:
    getattr(hooks, kind)(hooks.hook("a", deny(**status) if status is not None else deny()))
    response = client.post(namespace.config_maps, config_map("a"))
    assert response.json() == refusal
    assert response.status == refusal["code"]
    assert client.get(f"{namespace.config_maps}/a").status == 404


@KINDS
def test_a_refused_update_and_delete(
    hooks: Webhooks, client: Client, namespace: Namespace, kind: str
) -> None:
    namespace.create(namespace.config_maps, config_map("a", {"x": "y"}))
    getattr(hooks, kind)(hooks.hook("a", deny(message="no")))
    path = f"{namespace.config_maps}/a"
    for response in (
        client.put(path, config_map("a", {"x": "z"})),
        client.patch(path, {"data": {"x": "z"}}),
        client.apply(path, config_map("a", {"x": "z"}), force="true"),
        client.delete(path),
        client.delete(namespace.config_maps),
    ):
        assert_failure(response, 400, None, f"{DENIED}: no")
    assert client.get(path).json()["data"] == {"x": "y"}


@KINDS
def test_warnings(hooks: Webhooks, client: Client, namespace: Namespace, kind: str) -> None:
    told = ["one", "two\nlines", "", 'with "quotes"', "one", "ünï"]
    getattr(hooks, kind)(hooks.hook("a", lambda review: respond(review, warnings=told)))
    response = client.post(namespace.config_maps, config_map("a"))
    assert response.status == 201
    # What a header cannot hold is left out.
    assert response.warnings[:2] == ["one", 'with "quotes"']
    assert len(response.warnings) == 3


def test_long_warnings_are_cut(hooks: Webhooks, client: Client, namespace: Namespace) -> None:
    told = [f"{number:02} {'x' * 997}" for number in range(30)]
    hooks.validate(hooks.hook("a", lambda review: respond(review, warnings=told)))
    found = client.post(namespace.config_maps, config_map("a")).warnings
    assert found == [each[:256] for each in told[:16]]


def test_many_short_warnings_are_all_told(hooks: Webhooks, client: Client, namespace: Namespace) -> None:
    told = [f"{number:02} {'x' * 300}" for number in range(13)]
    hooks.validate(hooks.hook("a", lambda review: respond(review, warnings=told)))
    assert client.post(namespace.config_maps, config_map("a")).warnings == told


def test_warnings_of_a_refusal(hooks: Webhooks, client: Client, namespace: Namespace) -> None:
    hooks.validate(hooks.hook("a", lambda review: respond(review, allowed=False, warnings=["mind"])))
    response = client.post(namespace.config_maps, config_map("a"))
    assert response.status == 400
    assert response.warnings == ["mind"]


@KINDS
@pytest.mark.parametrize("effects", ["None", "NoneOnDryRun"])
def test_dry_runs_go_to_webhooks_without_side_effects(
    hooks: Webhooks, client: Client, namespace: Namespace, kind: str, effects: str
) -> None:
    getattr(hooks, kind)(hooks.hook("a", deny(message="no"), sideEffects=effects))
    response = client.post(namespace.config_maps, config_map("a"), dryRun="All")
    assert_failure(response, 400, None, f"{DENIED}: no")


def test_configurations_take_no_webhooks_with_side_effects(hooks: Webhooks) -> None:
    with pytest.raises(AssertionError, match="Unsupported value"):
        hooks.validate(hooks.hook("a", sideEffects="Some"))


class TestOrder:
    def test_mutating_webhooks_are_asked_by_the_names_of_their_configurations(
        self, hooks: Webhooks, client: Client, namespace: Namespace
    ) -> None:
        prefix = namespace.name
        hooks.mutate(hooks.hook("d"), name=f"{prefix}-b")
        hooks.mutate(hooks.hook("c"), hooks.hook("a"), hooks.hook("b"), name=f"{prefix}-a")
        hooks.validate(hooks.hook("v"), name=f"{prefix}-0")
        namespace.create(namespace.config_maps, config_map("a"))
        paths = [each["path"].partition("?")[0] for each in hooks.reviews if "probe" not in each["path"]]
        assert paths == ["/c", "/a", "/b", "/d", "/v"]

    def test_a_mutating_webhook_that_refuses_is_the_last(
        self, hooks: Webhooks, client: Client, namespace: Namespace
    ) -> None:
        hooks.mutate(hooks.hook("a"), hooks.hook("b", deny()), hooks.hook("c"))
        hooks.validate(hooks.hook("v"))
        assert client.post(namespace.config_maps, config_map("a")).status == 400
        assert [len(hooks.asked(each)) for each in "abcv"] == [1, 1, 0, 0]

    def test_validating_webhooks_are_asked_at_once(
        self, hooks: Webhooks, client: Client, namespace: Namespace
    ) -> None:
        everybody = threading.Barrier(3)

        def together(review: dict[str, Any]) -> dict[str, Any]:
            # Nobody answers before all three have been asked.
            everybody.wait(12)
            return respond(review)

        hooks.validate(*(hooks.hook(each, together, timeoutSeconds=13) for each in "abc"))
        namespace.create(namespace.config_maps, config_map("a"))

    def test_all_validating_webhooks_are_waited_for(
        self, hooks: Webhooks, client: Client, namespace: Namespace
    ) -> None:
        answered = []

        def late(review: dict[str, Any]) -> dict[str, Any]:
            # The server asks both at once; this one answers when the other has, and the server has read that.
            eventually(lambda: "/a" in hooks.answered, "the other has answered", patience=8)
            time.sleep(0.3)
            answered.append(review)
            return respond(review, allowed=False, status={"message": "late"})

        hooks.validate(hooks.hook("b", late), hooks.hook("a", deny(message="early")))
        response = client.post(namespace.config_maps, config_map("a"))
        assert_failure(response, 400, None, f"{DENIED}: early")
        assert len(answered) == 1

    def test_rules_of_the_kind_come_between(
        self, hooks: Webhooks, client: Client, namespace: Namespace
    ) -> None:
        hooks.mutate(hooks.hook("a"))
        hooks.validate(hooks.hook("b"))
        assert client.post(namespace.config_maps, config_map("a", {"no key": "x"})).status == 422
        assert [len(hooks.asked(each)) for each in "ab"] == [1, 0]


class TestConfigurations:
    def test_they_are_used_at_once_and_no_more_when_deleted(
        self, hooks: Webhooks, client: Client, namespace: Namespace
    ) -> None:
        name = hooks.validate(hooks.hook("a", deny()))
        assert client.post(namespace.config_maps, config_map("a")).status == 400
        path = f"/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/{name}"
        assert client.delete(path).status == 200
        eventually(
            lambda: client.post(namespace.config_maps, config_map("a")).status == 201,
            "the webhook is asked no more",
        )

    def test_nobody_is_asked_about_them(self, hooks: Webhooks, client: Client, namespace: Namespace) -> None:
        everything = [{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*/*"]}]
        mine = {"matchLabels": {"of": namespace.name}}
        for kind in (hooks.mutate, hooks.validate):
            kind(hooks.hook("a", deny(), rules=everything, namespaceSelector={}, objectSelector=mine))
        labels = {"of": namespace.name}
        body: dict[str, Any] = {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingWebhookConfiguration",
            "metadata": {"name": namespace.name, "labels": labels},
        }
        root = "/apis/admissionregistration.k8s.io/v1"
        path = f"{root}/validatingwebhookconfigurations"
        assert client.post(path, body).status == 201
        assert client.delete(f"{path}/{namespace.name}").status == 200
        body = {**body, "kind": "ValidatingAdmissionPolicyBinding", "spec": {"policyName": "p"}}
        body["spec"]["validationActions"] = ["Deny"]
        path = f"{root}/validatingadmissionpolicybindings"
        assert client.post(path, body).status == 201
        assert client.delete(f"{path}/{namespace.name}").status == 200
        assert client.post(namespace.config_maps, config_map("a", labels=labels)).status == 400


@pytest.mark.parametrize("answer", [allow, deny()])
def test_webhooks_see_no_reads(hooks: Webhooks, client: Client, namespace: Namespace, answer: Answer) -> None:
    hooks.validate(hooks.hook("a", answer, rules=[{**hooks.hook("a")["rules"][0], "resources": ["*/*"]}]))
    assert client.get(namespace.config_maps).status == 200
    assert client.get(f"{namespace.config_maps}/a").status == 404
    assert hooks.asked("a") == []
