"""Realistic pods to measure with: about 6 KB each, as a busy cluster's list has them."""

from __future__ import annotations

import json
import random

__all__ = ["large_pod", "pod", "pod_list", "small_pod"]

_IMAGES = [
    "registry.example.com/shop/web:1.42.0",
    "registry.example.com/shop/api:7.3.1",
    "envoyproxy/envoy:v1.31.2",
]
_OWNED = ["env", "image", "imagePullPolicy", "livenessProbe", "name", "ports", "readinessProbe", "resources"]


def pod_list(count: int) -> bytes:
    """The JSON of a PodList as a server sends it: compact, items without apiVersion and kind."""
    chance = random.Random(42)  # noqa: S311 - the same pods in every run
    items = [pod(index, chance) for index in range(count)]
    listed = {
        "kind": "PodList",
        "apiVersion": "v1",
        "metadata": {"resourceVersion": "812345"},
        "items": items,
    }
    return json.dumps(listed, separators=(",", ":")).encode()


def pod(index: int, chance: random.Random) -> dict[str, object]:
    """One pod with two containers, probes, volumes, conditions and managed fields."""
    app = f"app-{index % 97}"
    return {
        "metadata": _metadata(index, app, chance),
        "spec": _spec(index, app, chance),
        "status": _status(index, chance),
    }


def _uid(chance: random.Random) -> str:
    text = f"{chance.getrandbits(128):032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def _metadata(index: int, app: str, chance: random.Random) -> dict[str, object]:
    owned = {f"f:{name}": {} for name in _OWNED}
    kubelet = {
        f'k:{{"type":"{name}"}}': {
            ".": {},
            "f:lastProbeTime": {},
            "f:lastTransitionTime": {},
            "f:status": {},
            "f:type": {},
        }
        for name in _CONDITIONS[2:4]
    }
    return {
        "name": f"{app}-{chance.getrandbits(40):010x}-{chance.getrandbits(20):05x}",
        "generateName": f"{app}-{index:010x}-",
        "namespace": f"team-{index % 23}",
        "uid": _uid(chance),
        "resourceVersion": str(800_000 + index),
        "generation": 1,
        "creationTimestamp": "2026-05-03T09:14:27Z",
        "labels": {
            "app": app,
            "app.kubernetes.io/name": app,
            "app.kubernetes.io/version": "1.42.0",
            "pod-template-hash": f"{index:010x}",
        },
        "annotations": {
            "checksum/config": f"{chance.getrandbits(256):064x}",
            "prometheus.io/scrape": "true",
            "prometheus.io/port": "9102",
        },
        "ownerReferences": [
            {
                "apiVersion": "apps/v1",
                "kind": "ReplicaSet",
                "name": f"{app}-{index:010x}",
                "uid": _uid(chance),
                "controller": True,
                "blockOwnerDeletion": True,
            }
        ],
        "managedFields": [
            {
                "manager": "kube-controller-manager",
                "operation": "Update",
                "apiVersion": "v1",
                "time": "2026-05-03T09:14:27Z",
                "fieldsType": "FieldsV1",
                "fieldsV1": {
                    "f:metadata": {
                        "f:annotations": {".": {}, "f:checksum/config": {}},
                        "f:labels": {".": {}, "f:app": {}},
                    },
                    "f:spec": {"f:containers": {'k:{"name":"main"}': owned, 'k:{"name":"proxy"}': owned}},
                },
            },
            {
                "manager": "kubelet",
                "operation": "Update",
                "apiVersion": "v1",
                "time": "2026-05-03T09:14:41Z",
                "fieldsType": "FieldsV1",
                "fieldsV1": {
                    "f:status": {
                        "f:conditions": kubelet,
                        "f:containerStatuses": {},
                        "f:phase": {},
                        "f:podIP": {},
                    }
                },
                "subresource": "status",
            },
        ],
    }


def _spec(index: int, app: str, chance: random.Random) -> dict[str, object]:
    return {
        "volumes": [
            {"name": "config", "configMap": {"name": f"{app}-config", "defaultMode": 420}},
            {"name": "cache", "emptyDir": {"sizeLimit": "512Mi"}},
            {
                "name": "kube-api-access-x7k2p",
                "projected": {
                    "sources": [
                        {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
                        {
                            "configMap": {
                                "name": "kube-root-ca.crt",
                                "items": [{"key": "ca.crt", "path": "ca.crt"}],
                            }
                        },
                        {
                            "downwardAPI": {
                                "items": [
                                    {
                                        "path": "namespace",
                                        "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"},
                                    }
                                ]
                            }
                        },
                    ],
                    "defaultMode": 420,
                },
            },
        ],
        "containers": [_container("main", 8080, chance), _container("proxy", 15001, chance)],
        "restartPolicy": "Always",
        "terminationGracePeriodSeconds": 30,
        "dnsPolicy": "ClusterFirst",
        "serviceAccountName": app,
        "serviceAccount": app,
        "nodeName": f"node-{index % 200}",
        "securityContext": {"runAsNonRoot": True, "fsGroup": 2000},
        "schedulerName": "default-scheduler",
        "tolerations": [
            {
                "key": "node.kubernetes.io/not-ready",
                "operator": "Exists",
                "effect": "NoExecute",
                "tolerationSeconds": 300,
            },
            {
                "key": "node.kubernetes.io/unreachable",
                "operator": "Exists",
                "effect": "NoExecute",
                "tolerationSeconds": 300,
            },
        ],
        "priority": 0,
        "enableServiceLinks": True,
        "preemptionPolicy": "PreemptLowerPriority",
    }


def _container(name: str, port: int, chance: random.Random) -> dict[str, object]:
    probe = {
        "httpGet": {"path": "/healthz", "port": port, "scheme": "HTTP"},
        "initialDelaySeconds": 5,
        "timeoutSeconds": 1,
        "periodSeconds": 10,
        "successThreshold": 1,
        "failureThreshold": 3,
    }
    return {
        "name": name,
        "image": chance.choice(_IMAGES),
        "ports": [{"name": "http", "containerPort": port, "protocol": "TCP"}],
        "env": [
            {
                "name": "POD_NAME",
                "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}},
            },
            {"name": "DATABASE_URL", "value": f"postgres://db-{chance.randrange(9)}.prod.svc:5432/shop"},
        ],
        "resources": {
            "limits": {"cpu": "500m", "memory": "512Mi"},
            "requests": {"cpu": "100m", "memory": "128Mi"},
        },
        "volumeMounts": [
            {"name": "config", "mountPath": "/etc/app"},
            {"name": "cache", "mountPath": "/var/cache/app"},
            {
                "name": "kube-api-access-x7k2p",
                "readOnly": True,
                "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount",
            },
        ],
        "livenessProbe": probe,
        "readinessProbe": probe,
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "imagePullPolicy": "IfNotPresent",
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
    }


_CONDITIONS = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"]


def _status(index: int, chance: random.Random) -> dict[str, object]:
    return {
        "phase": "Running",
        "conditions": [
            {
                "type": name,
                "status": "True",
                "lastProbeTime": None,
                "lastTransitionTime": "2026-05-03T09:14:41Z",
            }
            for name in _CONDITIONS
        ],
        "hostIP": f"10.0.{index % 200}.1",
        "hostIPs": [{"ip": f"10.0.{index % 200}.1"}],
        "podIP": f"10.64.{index // 250 % 250}.{index % 250}",
        "podIPs": [{"ip": f"10.64.{index // 250 % 250}.{index % 250}"}],
        "startTime": "2026-05-03T09:14:27Z",
        "containerStatuses": [
            {
                "name": name,
                "state": {"running": {"startedAt": "2026-05-03T09:14:40Z"}},
                "lastState": {},
                "ready": True,
                "restartCount": 0,
                "image": _IMAGES[0],
                "imageID": f"{_IMAGES[0]}@sha256:{chance.getrandbits(256):064x}",
                "containerID": f"containerd://{chance.getrandbits(256):064x}",
                "started": True,
            }
            for name in ("main", "proxy")
        ],
        "qosClass": "Burstable",
    }


def small_pod(name: str) -> dict[str, object]:
    """A pod as tutorials show it, as it is created."""
    container = {
        "name": "main",
        "image": "registry.example.com/shop/web:1.42.0",
        "ports": [{"containerPort": 8080, "name": "http"}],
        "env": [{"name": "MODE", "value": "production"}],
        "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "256Mi"}},
        "readinessProbe": {"httpGet": {"path": "/ready", "port": "http"}},
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": {"app": "web", "tier": "front"}},
        "spec": {"containers": [container]},
    }


def large_pod(name: str) -> dict[str, object]:
    """A pod of some six kilobytes, as it is created."""
    made = pod(1, random.Random(42))  # noqa: S311 - the same pod in every run
    metadata = made["metadata"]
    assert isinstance(metadata, dict)
    kept = {key: metadata[key] for key in ("labels", "annotations") if key in metadata}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, **kept},
        "spec": made["spec"],
    }
