"""Kinds of the other built-in groups."""

from __future__ import annotations

from typing import Any

from tests.conformance.fuzz.core_kinds import POD_TEMPLATE, POD_TEMPLATE_REFUSED, under
from tests.conformance.fuzz.kinds import Fields, Kind

__all__ = ["GROUPS"]

_POD: dict[str, Any] = {"containers": [{"name": "main", "image": "example.com/main:1"}]}
_TEMPLATE = {"metadata": {"labels": {"app": "x"}}, "spec": _POD}
_SELECTOR = {"matchLabels": {"app": "x"}}
_SELECTORS: Fields = {
    "spec.selector": (
        {"matchLabels": {"app": "y"}},
        {"matchExpressions": [{"key": "app", "operator": "In", "values": ["x"]}]},
    )
}
_SELECTORS_REFUSED: Fields = {
    "spec.selector": (
        {},
        None,
        {"matchLabels": {"app": "!"}},
        {"matchExpressions": [{"key": "app", "operator": "Exists", "values": ["x"]}]},
        {"matchExpressions": [{"key": "app", "operator": "Like"}]},
    )
}
_TEMPLATES = under("spec.template.spec", POD_TEMPLATE) | {
    "spec.template.metadata.labels.more": ("1", "2"),
    "spec.template.metadata.annotations.{example.com/a}": ("1",),
}
_TEMPLATES_REFUSED = under("spec.template.spec", POD_TEMPLATE_REFUSED) | {
    "spec.template.metadata.labels": ({"app": "other"}, None),
    "spec.template.metadata.creationTimestamp": ("2020-01-01T00:00:00Z",),
    "spec.template": (None, {}, []),
}
_CONDITIONS: Fields = {
    "status.conditions[type=Available].status": ("True", "False", "Unknown"),
    "status.conditions[type=Available].reason": ("Fine", ""),
    "status.conditions[type=Available].lastTransitionTime": ("2020-01-01T00:00:00Z",),
}
_COUNTS: Fields = {
    "status.replicas": (1, 0, 3, -1, "x"),
    "status.readyReplicas": (1, 0, 5),
    "status.availableReplicas": (1, 0),
    "status.updatedReplicas": (1,),
    "status.observedGeneration": (1, 2, -1),
    "status.collisionCount": (0, 1),
    "status.unknown": ("x",),
}

DEPLOYMENT = Kind(
    "apps/v1",
    "deployments",
    "Deployment",
    {"spec": {"selector": _SELECTOR, "template": _TEMPLATE}},
    _TEMPLATES
    | {
        "spec.replicas": (0, 1, 3, None),
        "spec.paused": (True, False),
        "spec.minReadySeconds": (0, 5),
        "spec.revisionHistoryLimit": (0, 3),
        "spec.progressDeadlineSeconds": (600, 30, None),
        "spec.strategy": (
            {"type": "Recreate"},
            {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": "50%"}},
            {"rollingUpdate": {"maxSurge": "0%"}},
            {},
        ),
        "spec.strategy.rollingUpdate.maxSurge": (1, "30%"),
    },
    _TEMPLATES_REFUSED
    | _SELECTORS
    | {
        "spec.replicas": (-1, "x", 1.5, 1e3, 3.0, 2**40),
        "spec.strategy": (
            {"type": "x"},
            {"type": "Recreate", "rollingUpdate": {}},
            {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 0}},
            {"rollingUpdate": {"maxSurge": "x%"}},
        ),
        "spec.progressDeadlineSeconds": (0, -1),
        "spec.unknown": (1,),
        "spec": (None, {}),
    },
    _COUNTS | _CONDITIONS,
    scaled=True,
)
STATEFUL_SET = Kind(
    "apps/v1",
    "statefulsets",
    "StatefulSet",
    {"spec": {"selector": _SELECTOR, "template": _TEMPLATE, "serviceName": "s"}},
    _TEMPLATES
    | {
        "spec.replicas": (0, 1, 3, None),
        "spec.updateStrategy": (
            {"type": "OnDelete"},
            {"rollingUpdate": {"partition": 2}},
            {"rollingUpdate": {"maxUnavailable": "20%"}},
        ),
        "spec.minReadySeconds": (3,),
        "spec.persistentVolumeClaimRetentionPolicy": ({"whenDeleted": "Delete"}, {}),
        "spec.ordinals": ({"start": 2}, None),
        "spec.revisionHistoryLimit": (1, 2),
    },
    _TEMPLATES_REFUSED
    | _SELECTORS
    | {
        "spec.podManagementPolicy": ("Parallel", "x"),
        "spec.serviceName": ("t",),
        "spec.replicas": (-1, "x"),
        "spec.volumeClaimTemplates": (
            [
                {
                    "metadata": {"name": "data"},
                    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
                }
            ],
            [{"metadata": {"name": "data"}}],
            [],
        ),
        "spec.updateStrategy": (
            {"type": "OnDelete", "rollingUpdate": {}},
            {"rollingUpdate": {"partition": -1}},
        ),
        "spec.ordinals": ({"start": -1},),
    },
    _COUNTS | {"status.currentRevision": ("r1",), "status.currentReplicas": (1,)} | _CONDITIONS,
    scaled=True,
)
JOB = Kind(
    "batch/v1",
    "jobs",
    "Job",
    {"spec": {"template": {"spec": {**_POD, "restartPolicy": "Never"}}}},
    {
        "spec.parallelism": (0, 2),
        "spec.suspend": (True, False),
        "spec.backoffLimit": (0, 3),
        "spec.activeDeadlineSeconds": (5,),
        "spec.ttlSecondsAfterFinished": (10, None),
        "spec.completions": (1, 3),
        "spec.template.spec.containers[name=main].image": ("example.com/main:2",),
        "spec.template.spec.nodeSelector": ({"a": "b"},),
        "spec.template.metadata.labels.more": ("1", "2"),
        "spec.podReplacementPolicy": ("Failed", "TerminatingOrFailed"),
    },
    {
        "spec.completionMode": ("Indexed", "NonIndexed", "x"),
        "spec.parallelism": (-1, "x"),
        "spec.completions": (-1, 0),
        "spec.template.spec.restartPolicy": ("Always", "OnFailure", None),
        "spec.manualSelector": (True, False),
        "spec.selector": ({"matchLabels": {"a": "b"}}, {}),
        "spec.managedBy": ("example.com/c", "x"),
        "spec.podFailurePolicy": (
            {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]},
            {"rules": [{"action": "Count"}]},
            {"rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [1, 2]}}]},
        ),
        "spec.backoffLimitPerIndex": (1,),
        "spec.template": (None, {}),
    },
    {
        "status.active": (1, 0, -1),
        "status.succeeded": (0, 1),
        "status.failed": (0, 2),
        "status.ready": (1,),
        "status.startTime": ("2020-01-01T00:00:00Z", "2020-01-01T00:00:00.5Z", None),
        "status.completionTime": ("2020-01-01T00:01:00Z",),
        "status.conditions[type=Complete].status": ("True", "False"),
        "status.conditions[type=Failed].status": ("True",),
        "status.conditions[type=SuccessCriteriaMet].status": ("True",),
        "status.uncountedTerminatedPods": ({}, {"succeeded": ["u"]}),
        "status.completedIndexes": ("0", "x"),
    },
    selectable=("status.successful=0", "status.successful=1"),
)
LEASE = Kind(
    "coordination.k8s.io/v1",
    "leases",
    "Lease",
    {"spec": {"holderIdentity": "me", "leaseDurationSeconds": 15}},
    {
        "spec.holderIdentity": ("you", "me"),
        "spec.leaseDurationSeconds": (10, 20),
        "spec.renewTime": (
            "2020-01-01T00:00:00.123456Z",
            "2020-01-01T00:00:00Z",
            "2020-01-01T02:00:00+02:00",
        ),
        "spec.acquireTime": ("2020-01-01T00:00:00.000001Z", None),
        "spec.leaseTransitions": (0, 1),
        "spec.strategy": ("OldestEmulationVersion", None),
        "spec.preferredHolder": ("you",),
    },
    {
        "spec.leaseDurationSeconds": (0, -1, "x"),
        "spec.leaseTransitions": (-1,),
        "spec.renewTime": ("x", 5, "2020-13-01T00:00:00Z"),
        "spec.strategy": ("Example.com/x", ""),
        "spec.holderIdentity": ("", 5),
        "spec": (None, {}),
    },
)
ROLE = Kind(
    "rbac.authorization.k8s.io/v1",
    "roles",
    "Role",
    {"rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]},
    {
        "rules": (
            [{"apiGroups": ["apps"], "resources": ["*"], "verbs": ["*"], "resourceNames": ["a"]}],
            [{"apiGroups": [""], "resources": ["pods", "pods/log"], "verbs": ["get", "list"]}],
            [],
            None,
        )
    },
    {
        "rules": (
            [{"verbs": []}],
            [{"verbs": ["get"], "nonResourceURLs": ["/x"]}],
            [{"verbs": ["get"], "resources": ["pods"]}],
            "x",
            [5],
        )
    },
)
_PEER = {"podSelector": {"matchLabels": {"a": "b"}}}
NETWORK_POLICY = Kind(
    "networking.k8s.io/v1",
    "networkpolicies",
    "NetworkPolicy",
    {"spec": {"podSelector": {}, "ingress": [{"ports": [{"port": 80}]}]}},
    {
        "spec.podSelector": ({}, {"matchLabels": {"app": "x"}}, {"matchLabels": {"app": "y"}}),
        "spec.ingress": (
            [{}],
            [{"from": [_PEER], "ports": [{"port": "http", "protocol": "UDP"}]}],
            [{"from": [{"ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.1.0.0/16"]}}]}],
        ),
        "spec.egress": ([{"to": [{"namespaceSelector": {}}], "ports": [{"port": 1, "endPort": 5}]}],),
        "spec.policyTypes": (["Ingress", "Egress"], ["Egress"]),
    },
    {
        "spec.ingress": (
            [{"from": [{}]}],
            [{"ports": [{"port": 0}]}],
            [{"from": [{"ipBlock": {"cidr": "x"}}]}],
            [{"ports": [{"port": 5, "endPort": 1}]}],
            [{"ports": [{"endPort": 1}]}],
        ),
        "spec.policyTypes": (["Both"],),
        "spec.podSelector": (None, {"matchLabels": {"-": "-"}}, {"matchExpressions": [{}]}),
        "spec": (None,),
    },
)
BUDGET = Kind(
    "policy/v1",
    "poddisruptionbudgets",
    "PodDisruptionBudget",
    {"spec": {"minAvailable": 1, "selector": _SELECTOR}},
    {
        "spec.minAvailable": (2, "50%", 0),
        "spec.unhealthyPodEvictionPolicy": ("AlwaysAllow", "IfHealthyBudget"),
        "spec.selector.matchLabels.tier": ("front",),
    }
    | _SELECTORS,
    {
        "spec.minAvailable": (-1, "x", "150%", None, 1.5),
        "spec.maxUnavailable": (1, "10%", "x"),
        "spec.unhealthyPodEvictionPolicy": ("x",),
    }
    | _SELECTORS_REFUSED,
    {
        "status.currentHealthy": (1, 0, -1),
        "status.desiredHealthy": (1,),
        "status.expectedPods": (3,),
        "status.disruptionsAllowed": (1, 0),
        "status.observedGeneration": (1,),
        "status.disruptedPods": ({"p": "2020-01-01T00:00:00Z"}, {}),
        "status.conditions[type=DisruptionAllowed]": (
            {
                "type": "DisruptionAllowed",
                "status": "True",
                "reason": "Fine",
                "message": "",
                "lastTransitionTime": "2020-01-01T00:00:00Z",
            },
            {"type": "DisruptionAllowed", "status": "x"},
        ),
    },
)
_TARGET = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"}
_SCALER = {"spec": {"maxReplicas": 3, "scaleTargetRef": _TARGET}}
_SCALER_FIELDS: Fields = {
    "spec.maxReplicas": (4, 5),
    "spec.minReplicas": (1, 2, None),
    "spec.scaleTargetRef": (
        {"apiVersion": "apps/v1", "kind": "Deployment", "name": "e"},
        {"apiVersion": "example.com/v1", "kind": "Deployment", "name": "d"},
    ),
}
_SCALER_REFUSED: Fields = {
    "spec.maxReplicas": (0, 1, "x", None),
    "spec.minReplicas": (0, -1, 9),
    "spec.scaleTargetRef": ({"kind": "", "name": ""}, {"kind": "a/b", "name": "c"}, None),
    "spec": (None, {}),
}
_SCALER_BEHAVIOR = (
    '{"ScaleUp":{"StabilizationWindowSeconds":1,"SelectPolicy":"Min","Policies":[{"Type":"Pods","Value":1,'
    '"PeriodSeconds":9}]},"ScaleDown":{"SelectPolicy":"Max","Policies":[{"Type":"Percent","Value":5,'
    '"PeriodSeconds":9}]}}'
)
"""Complete: see "v1 autoscalers" in docs/server-differences.md."""

_SCALER_ANNOTATIONS: Fields = {
    "metadata.annotations.{autoscaling.alpha.kubernetes.io/metrics}": (
        "x",
        "[]",
        '[{"type":"Resource","resource":{"name":"memory","targetAverageUtilization":5}}]',
    ),
    "metadata.annotations.{autoscaling.alpha.kubernetes.io/behavior}": (
        "x",
        "{}",
        '{"scaleDown":{"stabilizationWindowSeconds":5}}',
        _SCALER_BEHAVIOR,
    ),
    "metadata.annotations.{autoscaling.alpha.kubernetes.io/conditions}": (
        "x",
        '[{"type":"AbleToScale","status":"True"}]',
    ),
    "metadata.annotations.{autoscaling.alpha.kubernetes.io/current-metrics}": ("x", "[]"),
}
_METRICS: tuple[Any, ...] = (
    [
        {
            "type": "Resource",
            "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 5}},
        }
    ],
    [
        {
            "type": "Pods",
            "pods": {"metric": {"name": "m"}, "target": {"type": "AverageValue", "averageValue": "1500m"}},
        },
        {
            "type": "External",
            "external": {
                "metric": {"name": "e", "selector": {"matchLabels": {"a": "b"}}},
                "target": {"type": "Value", "value": "30"},
            },
        },
    ],
    [
        {
            "type": "Object",
            "object": {
                "describedObject": {"kind": "Service", "name": "s"},
                "metric": {"name": "m"},
                "target": {"type": "Value", "value": "2k"},
            },
        }
    ],
    [
        {
            "type": "ContainerResource",
            "containerResource": {
                "name": "memory",
                "container": "main",
                "target": {"type": "AverageValue", "averageValue": "1Gi"},
            },
        }
    ],
    [],
)
AUTOSCALER_V1 = Kind(
    "autoscaling/v1",
    "horizontalpodautoscalers",
    "HorizontalPodAutoscaler",
    _SCALER,
    _SCALER_FIELDS | {"spec.targetCPUUtilizationPercentage": (50, 80, None)},
    _SCALER_REFUSED
    | {
        "spec.targetCPUUtilizationPercentage": (0, -1, "x"),
    }
    | _SCALER_ANNOTATIONS,
    {
        "status.currentReplicas": (1, 2, -1),
        "status.desiredReplicas": (1, 3),
        "status.lastScaleTime": ("2020-01-01T00:00:00Z",),
        "status.observedGeneration": (1,),
    },
    applied=False,
)
AUTOSCALER_V2 = Kind(
    "autoscaling/v2",
    "horizontalpodautoscalers",
    "HorizontalPodAutoscaler",
    _SCALER,
    _SCALER_FIELDS
    | {
        "spec.metrics": _METRICS,
        "spec.behavior": (
            {"scaleDown": {"stabilizationWindowSeconds": 60}},
            {"scaleUp": {"policies": [{"type": "Pods", "value": 4, "periodSeconds": 60}]}},
            {"scaleUp": {"selectPolicy": "Disabled"}, "scaleDown": {"tolerance": "0.1"}},
            {},
            None,
        ),
    },
    _SCALER_REFUSED
    | {
        "spec.metrics": (
            [{"type": "Resource"}],
            [{"type": "x"}],
            [{"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Value"}}}],
            [{}],
        ),
        "spec.behavior": (
            {"scaleUp": {"policies": [{"type": "x", "value": 0, "periodSeconds": 0}]}},
            {"scaleDown": {"stabilizationWindowSeconds": -1}},
            {"scaleDown": {"selectPolicy": "x"}},
        ),
    }
    | _SCALER_ANNOTATIONS,
    {
        "status.currentReplicas": (1, 2),
        "status.desiredReplicas": (1, 3),
        "status.currentMetrics": (
            [
                {
                    "type": "Resource",
                    "resource": {"name": "cpu", "current": {"averageUtilization": 7, "averageValue": "7m"}},
                }
            ],
            [],
        ),
        "status.conditions[type=AbleToScale].status": ("True", "False", "x"),
        "status.observedGeneration": (1,),
    },
)
GROUPS = (
    DEPLOYMENT,
    STATEFUL_SET,
    JOB,
    LEASE,
    ROLE,
    NETWORK_POLICY,
    BUDGET,
    AUTOSCALER_V1,
    AUTOSCALER_V2,
)
