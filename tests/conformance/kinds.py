"""A small object of every built-in kind that a client may create."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from tests.conformance.namespaces import Namespace
from tests.conformance.texts import CERTIFICATE_REQUEST

__all__ = ["KINDS", "Kind"]

_POD = {"containers": [{"name": "main", "image": "example.com/main:1"}]}
_TEMPLATE = {"metadata": {"labels": {"app": "x"}}, "spec": _POD}
_SELECTOR = {"matchLabels": {"app": "x"}}
_RBAC = "rbac.authorization.k8s.io"
_HOOK = {
    "name": "a.example.com",
    "clientConfig": {"url": "https://127.0.0.1:9/nobody"},
    "sideEffects": "None",
    "admissionReviewVersions": ["v1"],
    "failurePolicy": "Ignore",
    "rules": [
        {
            "apiGroups": ["nobody.example.com"],
            "apiVersions": ["v1"],
            "operations": ["*"],
            "resources": ["none"],
        }
    ],
}
_NOTHING = {
    "resourceRules": [
        {
            "apiGroups": ["nobody.example.com"],
            "apiVersions": ["v1"],
            "operations": ["*"],
            "resources": ["none"],
        }
    ]
}


@dataclass(frozen=True)
class Kind:
    """A resource, and an object of it without metadata."""

    resource: str
    group_version: str
    kind: str
    body: dict[str, Any] = field(default_factory=dict)
    namespaced: bool = True
    label: str = ""
    """Tells several objects of one kind apart."""

    def __str__(self) -> str:
        return f"{self.group_version}/{self.resource}" + (f" ({self.label})" if self.label else "")

    def path(self, namespace: Namespace) -> str:
        """The path of the collection."""
        if self.namespaced:
            return namespace.path(self.resource, self.group_version)
        root = "api" if self.group_version == "v1" else "apis"
        return f"/{root}/{self.group_version}/{self.resource}"

    def object(self, name: str, namespace: Namespace) -> dict[str, Any]:
        """The object to create; `<namespace>` in it is replaced."""
        head = {"apiVersion": self.group_version, "kind": self.kind, "metadata": {"name": name}}
        body: dict[str, Any] = json.loads(json.dumps(self.body).replace("<namespace>", namespace.name))
        return {**head, **body}


def _core(resource: str, kind: str, label: str = "", namespaced: bool = True, **body: Any) -> Kind:
    return Kind(resource, "v1", kind, body, namespaced, label)


def _of(group_version: str, resource: str, kind: str, label: str = "", **body: Any) -> Kind:
    return Kind(resource, group_version, kind, body, True, label)


def _cluster(group_version: str, resource: str, kind: str, **body: Any) -> Kind:
    return Kind(resource, group_version, kind, body, False)


_REQUESTS = {"requests": {"storage": "1Gi"}}
_JOB = {"template": {"spec": {**_POD, "restartPolicy": "Never"}}}
_RULE = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}
_SUBJECT = {"kind": "User", "name": "somebody", "apiGroup": _RBAC}
_DEVICES = {
    "requests": [{"name": "one", "exactly": {"deviceClassName": "example.com"}}],
}

KINDS: tuple[Kind, ...] = (
    _core("configmaps", "ConfigMap", data={"k": "v"}),
    _core("endpoints", "Endpoints", subsets=[{"addresses": [{"ip": "10.1.2.3"}], "ports": [{"port": 80}]}]),
    _core("limitranges", "LimitRange", spec={"limits": [{"type": "Container", "max": {"cpu": "2"}}]}),
    _core("namespaces", "Namespace", namespaced=False),
    _core("nodes", "Node", namespaced=False, spec={"podCIDR": "10.2.0.0/24"}),
    _core(
        "persistentvolumeclaims",
        "PersistentVolumeClaim",
        spec={"accessModes": ["ReadWriteOnce"], "resources": _REQUESTS},
    ),
    _core(
        "persistentvolumes",
        "PersistentVolume",
        namespaced=False,
        spec={
            "accessModes": ["ReadWriteOnce"],
            "capacity": {"storage": "1024Mi"},
            "hostPath": {"path": "/srv/x"},
        },
    ),
    _core("pods", "Pod", spec=_POD),
    _core(
        "pods",
        "Pod",
        "with more",
        spec={
            "nodeName": "n1",
            "serviceAccountName": "default",
            "initContainers": [{"name": "first", "image": "example.com/first:latest"}],
            "containers": [
                {
                    "name": "main",
                    "image": "example.com/main",
                    "ports": [{"containerPort": 80}],
                    "env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
                    "resources": {"limits": {"cpu": "0.5", "memory": "1024Mi"}},
                    "livenessProbe": {"httpGet": {"port": 80}},
                    "readinessProbe": {"exec": {"command": ["true"]}},
                }
            ],
            "volumes": [
                {"name": "a", "emptyDir": {}},
                {"name": "b", "configMap": {"name": "c"}},
                {"name": "c", "secret": {"secretName": "c"}},
                {"name": "d", "projected": {"sources": [{"serviceAccountToken": {"path": "token"}}]}},
            ],
        },
    ),
    _core("podtemplates", "PodTemplate", template=_TEMPLATE),
    _core(
        "replicationcontrollers",
        "ReplicationController",
        spec={"selector": {"app": "x"}, "template": _TEMPLATE},
    ),
    _core("resourcequotas", "ResourceQuota", spec={"hard": {"pods": "10", "cpu": "1000m"}}),
    _core("secrets", "Secret", stringData={"k": "v"}),
    _core("serviceaccounts", "ServiceAccount"),
    _core("services", "Service", "headless", spec={"clusterIP": "None", "ports": [{"port": 80}]}),
    _core("services", "Service", "external", spec={"type": "ExternalName", "externalName": "example.com"}),
    _of(
        "apps/v1",
        "controllerrevisions",
        "ControllerRevision",
        data={"anything": {"at": ["all"]}},
        revision=1,
    ),
    _of("apps/v1", "daemonsets", "DaemonSet", spec={"selector": _SELECTOR, "template": _TEMPLATE}),
    _of("apps/v1", "deployments", "Deployment", spec={"selector": _SELECTOR, "template": _TEMPLATE}),
    _of("apps/v1", "replicasets", "ReplicaSet", spec={"selector": _SELECTOR, "template": _TEMPLATE}),
    _of(
        "apps/v1",
        "statefulsets",
        "StatefulSet",
        spec={
            "selector": _SELECTOR,
            "template": _TEMPLATE,
            "serviceName": "s",
            "volumeClaimTemplates": [
                {
                    "metadata": {"name": "data"},
                    "spec": {"accessModes": ["ReadWriteOnce"], "resources": _REQUESTS},
                }
            ],
        },
    ),
    _of(
        "autoscaling/v1",
        "horizontalpodautoscalers",
        "HorizontalPodAutoscaler",
        spec={
            "maxReplicas": 3,
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"},
        },
    ),
    _of(
        "autoscaling/v2",
        "horizontalpodautoscalers",
        "HorizontalPodAutoscaler",
        spec={
            "maxReplicas": 3,
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"},
        },
    ),
    _core(
        "events",
        "Event",
        involvedObject={"namespace": "<namespace>", "kind": "Pod", "name": "p"},
        reason="Tested",
        type="Normal",
        count=2,
    ),
    _of(
        "events.k8s.io/v1",
        "events",
        "Event",
        regarding={"namespace": "<namespace>", "kind": "Pod", "name": "p"},
        reason="Tested",
        type="Normal",
        action="Testing",
        eventTime="2020-01-01T00:00:00.123456Z",
        reportingController="example.com/c",
        reportingInstance="c-1",
    ),
    _of("batch/v1", "jobs", "Job", spec=_JOB),
    _of("batch/v1", "cronjobs", "CronJob", spec={"schedule": "0 * * * *", "jobTemplate": {"spec": _JOB}}),
    _of(
        "networking.k8s.io/v1",
        "ingresses",
        "Ingress",
        spec={
            "rules": [
                {
                    "host": "example.com",
                    "http": {
                        "paths": [
                            {
                                "path": "/",
                                "pathType": "Prefix",
                                "backend": {"service": {"name": "s", "port": {"number": 80}}},
                            }
                        ]
                    },
                }
            ]
        },
    ),
    _of(
        "networking.k8s.io/v1",
        "networkpolicies",
        "NetworkPolicy",
        spec={"podSelector": {}, "ingress": [{"ports": [{"port": 80}]}]},
    ),
    _of(
        "policy/v1",
        "poddisruptionbudgets",
        "PodDisruptionBudget",
        spec={"minAvailable": "50%", "selector": _SELECTOR},
    ),
    _of(f"{_RBAC}/v1", "roles", "Role", rules=[_RULE]),
    _of(
        f"{_RBAC}/v1",
        "rolebindings",
        "RoleBinding",
        roleRef={"kind": "Role", "name": "r", "apiGroup": _RBAC},
        subjects=[_SUBJECT],
    ),
    _cluster(f"{_RBAC}/v1", "clusterroles", "ClusterRole", rules=[_RULE]),
    _cluster(
        f"{_RBAC}/v1",
        "clusterrolebindings",
        "ClusterRoleBinding",
        roleRef={"kind": "ClusterRole", "name": "r", "apiGroup": _RBAC},
        subjects=[_SUBJECT],
    ),
    _of(
        "storage.k8s.io/v1",
        "csistoragecapacities",
        "CSIStorageCapacity",
        storageClassName="s",
        capacity="1Gi",
    ),
    _of(
        "coordination.k8s.io/v1", "leases", "Lease", spec={"holderIdentity": "me", "leaseDurationSeconds": 15}
    ),
    _of(
        "discovery.k8s.io/v1",
        "endpointslices",
        "EndpointSlice",
        addressType="IPv4",
        endpoints=[{"addresses": ["10.1.2.3"]}],
        ports=[{"port": 80}],
    ),
    _of("resource.k8s.io/v1", "resourceclaims", "ResourceClaim", spec={"devices": _DEVICES}),
    _of(
        "resource.k8s.io/v1",
        "resourceclaimtemplates",
        "ResourceClaimTemplate",
        spec={"spec": {"devices": _DEVICES}},
    ),
    _cluster(
        "resource.k8s.io/v1",
        "resourceslices",
        "ResourceSlice",
        spec={
            "driver": "example.com",
            "nodeName": "n1",
            "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1},
        },
    ),
    _cluster("resource.k8s.io/v1", "deviceclasses", "DeviceClass", spec={}),
    _cluster("networking.k8s.io/v1", "ingressclasses", "IngressClass", spec={"controller": "example.com/c"}),
    _cluster("node.k8s.io/v1", "runtimeclasses", "RuntimeClass", handler="runc"),
    _cluster("scheduling.k8s.io/v1", "priorityclasses", "PriorityClass", value=1000),
    _cluster("storage.k8s.io/v1", "csidrivers", "CSIDriver", spec={}),
    _cluster("storage.k8s.io/v1", "csinodes", "CSINode", spec={"drivers": []}),
    _cluster("storage.k8s.io/v1", "storageclasses", "StorageClass", provisioner="example.com/p"),
    _cluster(
        "storage.k8s.io/v1",
        "volumeattachments",
        "VolumeAttachment",
        spec={"attacher": "example.com", "nodeName": "n1", "source": {"persistentVolumeName": "v"}},
    ),
    _cluster(
        "storage.k8s.io/v1",
        "volumeattributesclasses",
        "VolumeAttributesClass",
        driverName="example.com",
        parameters={"a": "b"},
    ),
    _cluster(
        "certificates.k8s.io/v1",
        "certificatesigningrequests",
        "CertificateSigningRequest",
        spec={"request": CERTIFICATE_REQUEST, "signerName": "example.com/s", "usages": ["client auth"]},
    ),
    _cluster(
        "admissionregistration.k8s.io/v1",
        "validatingwebhookconfigurations",
        "ValidatingWebhookConfiguration",
        webhooks=[_HOOK],
    ),
    _cluster(
        "admissionregistration.k8s.io/v1",
        "mutatingwebhookconfigurations",
        "MutatingWebhookConfiguration",
        webhooks=[_HOOK],
    ),
    _cluster(
        "admissionregistration.k8s.io/v1",
        "validatingadmissionpolicies",
        "ValidatingAdmissionPolicy",
        spec={"matchConstraints": _NOTHING, "validations": [{"expression": "true"}]},
    ),
    _cluster(
        "admissionregistration.k8s.io/v1",
        "validatingadmissionpolicybindings",
        "ValidatingAdmissionPolicyBinding",
        spec={"policyName": "nobody", "validationActions": ["Deny"]},
    ),
    _cluster(
        "flowcontrol.apiserver.k8s.io/v1",
        "flowschemas",
        "FlowSchema",
        spec={"priorityLevelConfiguration": {"name": "global-default"}},
    ),
    _cluster(
        "flowcontrol.apiserver.k8s.io/v1",
        "prioritylevelconfigurations",
        "PriorityLevelConfiguration",
        spec={"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}},
    ),
    _cluster(
        "admissionregistration.k8s.io/v1",
        "mutatingadmissionpolicies",
        "MutatingAdmissionPolicy",
        spec={
            "matchConstraints": _NOTHING,
            "reinvocationPolicy": "Never",
            "mutations": [
                {"patchType": "JSONPatch", "jsonPatch": {"expression": "[JSONPatch{op: 'test', path: '/a'}]"}}
            ],
        },
    ),
    _cluster(
        "admissionregistration.k8s.io/v1",
        "mutatingadmissionpolicybindings",
        "MutatingAdmissionPolicyBinding",
        spec={"policyName": "nobody"},
    ),
)
