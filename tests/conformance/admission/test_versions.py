"""Resources that are written in another version than a webhook wants to see."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.conformance.admission.webhook import Webhooks, caught_up, json_patch, rule
from tests.conformance.client import Client
from tests.conformance.conversion_webhook import ConversionWebhook
from tests.conformance.conversions import Conversions, convert
from tests.conformance.custom_resources import Widgets
from tests.conformance.namespaces import Namespace

KINDS = pytest.mark.parametrize("kind", ["mutate", "validate"])


def autoscaler(version: str) -> dict[str, Any]:
    spec: dict[str, Any] = {
        "maxReplicas": 3,
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"},
    }
    if version == "v1":
        spec["targetCPUUtilizationPercentage"] = 50
    else:
        target = {"type": "Utilization", "averageUtilization": 50}
        spec["metrics"] = [{"type": "Resource", "resource": {"name": "cpu", "target": target}}]
    return {
        "apiVersion": f"autoscaling/{version}",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "a"},
        "spec": spec,
    }


@KINDS
@pytest.mark.parametrize(("written", "wanted"), [("v1", "v2"), ("v2", "v1")])
def test_a_built_in_resource(
    hooks: Webhooks, client: Client, namespace: Namespace, kind: str, written: str, wanted: str
) -> None:
    rules = [rule("horizontalpodautoscalers", group="autoscaling", versions=(wanted,))]
    getattr(hooks, kind)(hooks.hook("a", rules=rules), hooks.hook("b", rules=rules, matchPolicy="Exact"))
    path = namespace.path("horizontalpodautoscalers", f"autoscaling/{written}")
    assert client.post(path, autoscaler(written)).status == 201
    assert client.patch(f"{path}/a", {"spec": {"maxReplicas": 4}}).status == 200
    caught_up(client, f"{path}/a")
    assert client.delete(f"{path}/a").status == 200
    created, updated, deleted = hooks.asked("a")
    assert hooks.asked("b") == []
    for request in (created, updated, deleted):
        for name, version in (("kind", wanted), ("requestKind", written)):
            assert request[name] == {
                "group": "autoscaling",
                "version": version,
                "kind": "HorizontalPodAutoscaler",
            }
        for name, version in (("resource", wanted), ("requestResource", written)):
            assert request[name]["version"] == version
        for obj in (request["object"], request["oldObject"]):
            if obj is not None:
                assert obj["apiVersion"] == f"autoscaling/{wanted}"
                given = "targetCPUUtilizationPercentage" if wanted == "v1" else "metrics"
                assert obj["spec"][given] == autoscaler(wanted)["spec"][given]
    assert [each["object"] is None for each in (created, updated, deleted)] == [False, False, True]
    assert [each["oldObject"] is None for each in (created, updated, deleted)] == [True, False, False]


def test_a_change_in_another_version(hooks: Webhooks, client: Client, namespace: Namespace) -> None:
    rules = [rule("horizontalpodautoscalers", group="autoscaling", versions=("v1",))]
    patch = {"op": "replace", "path": "/spec/targetCPUUtilizationPercentage", "value": 70}
    other = [rule("horizontalpodautoscalers", group="autoscaling", versions=("v2",))]
    hooks.mutate(hooks.hook("a", json_patch(patch), rules=rules), hooks.hook("b", rules=other))
    made = namespace.create(namespace.path("horizontalpodautoscalers", "autoscaling/v2"), autoscaler("v2"))
    assert made["apiVersion"] == "autoscaling/v2"
    assert made["spec"]["metrics"][0]["resource"]["target"]["averageUtilization"] == 70
    assert (
        hooks.asked("b")[0]["object"]["spec"]["metrics"][0]["resource"]["target"]["averageUtilization"] == 70
    )


def test_events_of_both_groups(hooks: Webhooks, client: Client, namespace: Namespace) -> None:
    rules = [rule("events", group="events.k8s.io")]
    hooks.validate(hooks.hook("a", rules=rules))
    event = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "a"},
        "involvedObject": {"kind": "Pod", "namespace": namespace.name, "name": "p"},
        "message": "hello",
    }
    namespace.create(namespace.path("events"), event)
    (request,) = hooks.asked("a")
    assert request["kind"] == {"group": "events.k8s.io", "version": "v1", "kind": "Event"}
    assert request["requestKind"] == {"group": "", "version": "v1", "kind": "Event"}
    assert request["object"]["note"] == "hello"
    assert request["object"]["apiVersion"] == "events.k8s.io/v1"


@KINDS
def test_custom_resources_that_need_no_conversion(
    hooks: Webhooks, client: Client, namespace: Namespace, widgets: Widgets, kind: str
) -> None:
    rules = [rule("widgets", "widgets/status", group=widgets.group)]
    exact = hooks.hook("b", rules=rules, matchPolicy="Exact")
    getattr(hooks, kind)(hooks.hook("a", rules=rules), exact)
    path = f"/apis/{widgets.group}/v1beta1/namespaces/{namespace.name}/widgets"
    widget = {"apiVersion": f"{widgets.group}/v1beta1", "kind": "Widget", "metadata": {"name": "a"}}
    made = client.post(path, {**widget, "spec": {"size": 1}})
    assert made.status == 201
    assert made.json()["apiVersion"] == f"{widgets.group}/v1beta1"
    (request,) = hooks.asked("a")
    assert hooks.asked("b") == []
    assert request["object"]["apiVersion"] == f"{widgets.group}/v1"
    assert request["kind"]["version"] == request["resource"]["version"] == "v1"
    assert request["requestKind"]["version"] == request["requestResource"]["version"] == "v1beta1"


@pytest.fixture(scope="module")
def converted(client: Client) -> Iterator[Conversions]:
    """Widgets that a webhook converts."""
    with ConversionWebhook.running() as running:
        yield convert(client, running)


class TestConversion:
    @KINDS
    def test_custom_resources_are_converted(
        self, hooks: Webhooks, client: Client, namespace: Namespace, converted: Conversions, kind: str
    ) -> None:
        rules = [rule("widgets", group=converted.group, versions=("v2",))]
        getattr(hooks, kind)(hooks.hook("a", rules=rules))
        converted.create("v1", namespace.name, "a", size=3)
        (request,) = hooks.asked("a")
        assert request["object"]["apiVersion"] == f"{converted.group}/v2"
        assert request["object"]["spec"]["width"] == 3
        path = converted.path("v1", namespace.name, "a")
        assert client.patch(path, {"spec": {"size": 4}}).status == 200
        _, request = hooks.asked("a")
        assert request["object"]["spec"]["width"] == 4
        assert request["oldObject"]["spec"]["width"] == 3

    def test_and_back(
        self, hooks: Webhooks, client: Client, namespace: Namespace, converted: Conversions
    ) -> None:
        rules = [rule("widgets", group=converted.group, versions=("v2",))]
        patch = {"op": "replace", "path": "/spec/width", "value": 8}
        hooks.mutate(hooks.hook("a", json_patch(patch), rules=rules))
        converted.create("v1", namespace.name, "a", size=3)
        stored = client.get(converted.path("v1", namespace.name, "a")).json()
        assert stored["spec"]["size"] == 8

    def test_a_conversion_that_fails(
        self, hooks: Webhooks, client: Client, namespace: Namespace, converted: Conversions
    ) -> None:
        rules = [rule("widgets", group=converted.group, versions=("v2",))]
        hooks.validate(hooks.hook("a", rules=rules, failurePolicy="Ignore"))
        answer, converted.webhook.answer = converted.webhook.answer, lambda review: 500
        body = {
            "apiVersion": f"{converted.group}/v1",
            "kind": "Widget",
            "metadata": {"name": "b"},
            "spec": {"size": 1},
        }
        response = client.post(converted.path("v1", namespace.name), body)
        converted.webhook.answer = answer
        assert (response.status, response.json()["reason"]) == (500, "InternalError")
        assert response.json()["message"].startswith("Internal error occurred: conversion webhook for ")
        assert hooks.asked("a") == []

    def test_conditions_see_the_version_of_the_webhook(
        self, hooks: Webhooks, client: Client, namespace: Namespace, converted: Conversions
    ) -> None:
        rules = [rule("widgets", group=converted.group, versions=("v2",))]
        expression = "object.spec.width == 3 && request.kind.version == 'v2'"
        hooks.mutate(hooks.hook("a", rules=rules, matchConditions=[{"name": "a", "expression": expression}]))
        converted.create("v1", namespace.name, "a", size=3)
        converted.create("v1", namespace.name, "b", size=4)
        assert [each["name"] for each in hooks.asked("a")] == ["a"]
