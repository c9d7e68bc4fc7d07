"""HorizontalPodAutoscalers in autoscaling/v1, whose annotations say what only v2 has fields for."""

from __future__ import annotations

from typing import Any

from tests.conformance.client import Client
from tests.conformance.managed_fields import managers
from tests.conformance.namespaces import Namespace
from tests.conformance.statuses import assert_invalid, cause

BEHAVIOR = "autoscaling.alpha.kubernetes.io/behavior"
METRICS = "autoscaling.alpha.kubernetes.io/metrics"
RESOURCE = "horizontalpodautoscalers"


def autoscaler(version: str, **annotations: str) -> dict[str, Any]:
    """An autoscaler with annotations."""
    return {
        "apiVersion": f"autoscaling/{version}",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "a", "annotations": annotations},
        "spec": {
            "maxReplicas": 3,
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"},
        },
    }


def test_the_annotations_of_v1_are_dropped_in_v2(client: Client, namespace: Namespace) -> None:
    path = namespace.path(RESOURCE, "autoscaling/v2")
    body = autoscaler("v2", **{BEHAVIOR: "x", METRICS: "[]"})
    response = client.post(path, body)
    assert "annotations" not in response.json()["metadata"]
    assert [each for each in managers(response) if "f:metadata" in each["fieldsV1"]] == []
    revision = response.json()["metadata"]["resourceVersion"]
    response = client.patch(f"{path}/a", {"metadata": {"annotations": {BEHAVIOR: "{}"}}})
    assert "annotations" not in response.json()["metadata"]
    assert response.json()["metadata"]["resourceVersion"] == revision


def test_behavior_is_not_completed_before_it_is_checked(client: Client, namespace: Namespace) -> None:
    path = namespace.path(RESOURCE, "autoscaling/v1")
    body = autoscaler("v1", **{BEHAVIOR: '{"scaleDown":{"stabilizationWindowSeconds":5}}'})
    told = "Required value: must specify at least one Policy"
    wrong = cause("FieldValueRequired", told, "spec.behavior.scaleDown.policies")
    assert_invalid(client.post(path, body), "HorizontalPodAutoscaler.autoscaling", "a", wrong)


def test_behavior_is_complete_once_it_is_stored(client: Client, namespace: Namespace) -> None:
    policy = '[{"type":"Pods","value":1,"periodSeconds":9}]'
    body = autoscaler("v1", **{BEHAVIOR: f'{{"scaleUp":{{"policies":{policy}}}}}'})
    namespace.create(namespace.path(RESOURCE, "autoscaling/v1"), body)
    found = client.get(f"{namespace.path(RESOURCE, 'autoscaling/v2')}/a").json()
    assert found["spec"]["behavior"]["scaleUp"] == {
        "stabilizationWindowSeconds": 0,
        "selectPolicy": "Max",
        "policies": [{"type": "Pods", "value": 1, "periodSeconds": 9}],
    }
    assert found["spec"]["behavior"]["scaleDown"]["selectPolicy"] == "Max"


def test_the_status_survives_writes_in_v1(client: Client, namespace: Namespace) -> None:
    first, second = (f"{namespace.path(RESOURCE, f'autoscaling/{each}')}/a" for each in ("v1", "v2"))
    namespace.create(namespace.path(RESOURCE, "autoscaling/v2"), autoscaler("v2"))
    status = {
        "currentReplicas": 1,
        "desiredReplicas": 2,
        "currentMetrics": [
            {
                "type": "Resource",
                "resource": {"name": "cpu", "current": {"averageUtilization": 7, "averageValue": "7m"}},
            }
        ],
        "conditions": [{"type": "AbleToScale", "status": "True"}],
    }
    assert client.patch(f"{second}/status", {"status": status}).status == 200
    shown = client.get(first).json()
    assert shown["status"]["currentCPUUtilizationPercentage"] == 7
    shown["status"]["currentReplicas"] = 3
    assert client.put(f"{first}/status", shown).status == 200
    kept = client.get(second).json()["status"]
    assert kept["currentReplicas"] == 3
    assert kept["currentMetrics"] == status["currentMetrics"]
    assert [each["type"] for each in kept["conditions"]] == ["AbleToScale"]
