"""The core group but for pods, and events of both groups."""

from __future__ import annotations

from typing import Any

from tests.server.tables.harness import NAMESPACE, Case, Existing

Json = dict[str, Any]

_TEMPLATE: Json = {
    "metadata": {"labels": {"b": "2", "app": "web"}},
    "spec": {"containers": [{"name": "a", "image": "x:1"}, {"name": "b", "image": "y:2"}]},
}


def _v1(kind: str, **more: Any) -> Json:
    return {"apiVersion": "v1", "kind": kind, **more}


def _node(labels: Json | None = None, **spec: Any) -> Json:
    return _v1("Node", metadata={"labels": labels or {}}, spec=spec)


def _service(kind: str = "ClusterIP", ports: int = 1, **spec: Any) -> Json:
    spec["ports"] = [{"name": f"p{n}", "port": 80 + n, "protocol": "TCP"} for n in range(ports)]
    return _v1("Service", spec={"type": kind, **spec})


def _volume(modes: list[str], **spec: Any) -> Json:
    capacity = spec.pop("capacity", {"storage": "5Gi"})
    return _v1(
        "PersistentVolume",
        spec={"accessModes": modes, "capacity": capacity, "hostPath": {"path": "/tmp/x"}, **spec},  # noqa: S108
    )


def _claim(**spec: Any) -> Json:
    resources = {"requests": {"storage": "1Gi"}}
    return _v1(
        "PersistentVolumeClaim", spec={"accessModes": ["ReadWriteOnce"], "resources": resources, **spec}
    )


def _endpoints(*subsets: Json) -> Json:
    return _v1("Endpoints", subsets=list(subsets))


def _subset(addresses: list[str], ports: list[int], **more: Any) -> Json:
    return {
        "addresses": [{"ip": ip} for ip in addresses],
        "ports": [{"name": f"p{port}", "port": port} for port in ports],
        **more,
    }


def _event(name: str = "web", **more: Any) -> Json:
    target = {"kind": "Pod", "namespace": NAMESPACE, **({"name": name} if name else {})}
    return _v1("Event", **{"involvedObject": target, "reason": "Why", "type": "Normal", **more})


def _new_event(**more: Any) -> Json:
    return {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "eventTime": "5m ago micro",
        "action": "Do",
        "reason": "Why",
        "type": "Normal",
        "reportingController": "example.com/c",
        "reportingInstance": "c-1",
        "regarding": {"kind": "Pod", "namespace": NAMESPACE, "name": "web"},
        **more,
    }


_INFO = {
    "machineID": "m",
    "systemUUID": "s",
    "bootID": "b",
    "kernelVersion": "6.1",
    "osImage": "Linux",
    "containerRuntimeVersion": "containerd://2",
    "kubeletVersion": "v1.36.4",
    "kubeProxyVersion": "",
    "operatingSystem": "linux",
    "architecture": "arm64",
}

CASES = [
    Existing("/api/v1/componentstatuses/etcd-0"),
    Existing("/api/v1/componentstatuses/scheduler"),
    Case("config map empty", _v1("ConfigMap")),
    Case("config map", _v1("ConfigMap", data={"a": "1", "b": "2"}, binaryData={"c": "eA=="})),
    Case("endpoints none", _endpoints()),
    Case(
        "endpoints no addresses",
        _endpoints({"ports": [{"port": 1}], "notReadyAddresses": [{"ip": "10.9.9.9"}]}),
    ),
    Case("endpoints one", _endpoints(_subset(["10.9.0.1"], [80]))),
    Case("endpoints three", _endpoints(_subset(["10.9.0.1", "10.9.0.2", "10.9.0.3"], [80]))),
    Case("endpoints four", _endpoints(_subset(["10.9.0.1", "10.9.0.2", "10.9.0.3", "10.9.0.4"], [80]))),
    Case("endpoints ports", _endpoints(_subset(["10.9.0.1", "10.9.0.2"], [80, 81, 82]))),
    Case("endpoints no ports", _endpoints(_subset(["10.9.0.1", "10.9.0.2"], []))),
    Case(
        "endpoints subsets",
        _endpoints(
            _subset(["10.9.0.1", "10.9.0.2", "10.9.0.3", "10.9.0.4"], []), _subset(["fd00::1"], [443, 444])
        ),
    ),
    Case("endpoints v6", _endpoints(_subset(["fd00::1"], [443]))),
    Case("limit range", _v1("LimitRange", spec={"limits": [{"type": "Pod", "max": {"cpu": "1"}}]})),
    Existing("/api/v1/namespaces/default"),
    Case("namespace deleted", _v1("Namespace"), deleted=True),
    Case("node new", _node()),
    Case(
        "node",
        _node({"node-role.kubernetes.io/worker": "", "kubernetes.io/role": "old"}),
        {
            "nodeInfo": _INFO,
            "addresses": [
                {"type": "Hostname", "address": "h"},
                {"type": "InternalIP", "address": "10.0.0.5"},
                {"type": "InternalIP", "address": "10.0.0.6"},
                {"type": "ExternalIP", "address": "1.2.3.4"},
            ],
            "conditions": [{"type": "MemoryPressure", "status": "True"}, {"type": "Ready", "status": "True"}],
        },
    ),
    Case(
        "node not ready",
        _node({"node-role.kubernetes.io/b": "x", "node-role.kubernetes.io/a": ""}, unschedulable=True),
        {
            "nodeInfo": {**_INFO, "architecture": "", "osImage": "", "kernelVersion": ""},
            "conditions": [{"type": "Ready", "status": "Unknown"}],
        },
    ),
    Case(
        "node of another architecture",
        _node({"kubernetes.io/role": ""}),
        {"nodeInfo": {**_INFO, "kernelVersion": "", "containerRuntimeVersion": ""}},
    ),
    Case("claim", _claim(), {"phase": "Pending"}),
    Case("claim new", _claim(storageClassName="fast", volumeMode="Block", volumeAttributesClassName="gold")),
    Case(
        "claim bound",
        _claim(volumeName="pv-1", storageClassName=""),
        {"phase": "Bound", "accessModes": ["ReadWriteMany", "ReadWriteOnce"], "capacity": {"storage": "2Gi"}},
    ),
    Case("claim bound to nothing known", _claim(volumeName="pv-2"), {"phase": "Lost"}),
    Case(
        "claim of the beta annotation",
        {
            **_claim(storageClassName="fast"),
            "metadata": {"annotations": {"volume.beta.kubernetes.io/storage-class": "slow"}},
        },
    ),
    Case("claim deleted", _claim(), {"phase": "Bound"}, deleted=True),
    Case("volume", _volume(["ReadWriteOnce"])),
    Case(
        "volume of all modes",
        _volume(
            ["ReadWriteMany", "ReadOnlyMany", "ReadWriteOnce"], storageClassName="fast", volumeMode="Block"
        ),
        {"phase": "Bound", "reason": "Because"},
    ),
    Case(
        "volume of one pod",
        _volume(
            ["ReadWriteOncePod"],
            persistentVolumeReclaimPolicy="Delete",
            claimRef={"namespace": "ns", "name": "claim"},
            capacity={"storage": "1500Mi"},
        ),
        {"phase": "Released"},
    ),
    Case(
        "volume of the beta annotation",
        {
            **_volume(["ReadWriteOnce", "ReadWriteOnce"], storageClassName="fast"),
            "metadata": {"annotations": {"volume.beta.kubernetes.io/storage-class": "slow"}},
        },
    ),
    Case("volume deleted", _volume(["ReadWriteOnce"]), {"phase": "Failed"}, deleted=True),
    Case(
        "volume with attributes",
        _v1(
            "PersistentVolume",
            spec={
                "accessModes": ["ReadWriteOnce"],
                "capacity": {"storage": "1Ti"},
                "csi": {"driver": "d.example.com", "volumeHandle": "h"},
                "storageClassName": "fast",
                "volumeAttributesClassName": "gold",
            },
        ),
    ),
    Case("pod template", _v1("PodTemplate", template=_TEMPLATE)),
    Case("pod template bare", _v1("PodTemplate", template={"spec": _TEMPLATE["spec"]})),
    Case(
        "replication controller",
        _v1(
            "ReplicationController",
            spec={"replicas": 3, "selector": {"b": "2", "app": "web"}, "template": _TEMPLATE},
        ),
        {"replicas": 2, "readyReplicas": 1},
        subresource="scale",
    ),
    Case("replication controller new", _v1("ReplicationController", spec={"template": _TEMPLATE})),
    Case("quota new", _v1("ResourceQuota", spec={"hard": {"pods": "3"}})),
    Case(
        "quota",
        _v1("ResourceQuota", spec={"hard": {"pods": "3"}}),
        {
            "hard": {
                "pods": "3",
                "limits.cpu": "2",
                "limits.memory": "1Gi",
                "requests.cpu": "500m",
                "count/jobs.batch": "4",
            },
            "used": {"pods": "1", "limits.cpu": "1500m"},
        },
    ),
    Case("quota of limits", _v1("ResourceQuota", spec={"hard": {}}), {"hard": {"limits.cpu": "1"}}),
    Case("secret", _v1("Secret", data={"a": "eA==", "b": ""}, stringData={"c": "d"})),
    Case("secret of a type", _v1("Secret", type="example.com/t")),
    Case("service account", _v1("ServiceAccount")),
    Case("service", _service(selector={"b": "2", "app": "web"})),
    Case("service headless", _service(clusterIP="None", ports=0)),
    Case("service external ips", _service(externalIPs=["1.2.3.4", "1.2.3.5"], ports=3)),
    Case("service node port", _service("NodePort", 2)),
    Case("service node port external", _service("NodePort", externalIPs=["1.2.3.6"])),
    Case("service pending", _service("LoadBalancer")),
    Case(
        "service load balancer",
        _service("LoadBalancer"),
        {
            "loadBalancer": {
                "ingress": [
                    {"hostname": "b.a-very-long-name.example.com"},
                    {"ip": "1.2.3.7"},
                    {"ip": "1.2.3.7"},
                ]
            }
        },
    ),
    Case(
        "service load balancer external",
        _service("LoadBalancer", externalIPs=["1.2.3.8"], allocateLoadBalancerNodePorts=False),
        {"loadBalancer": {"ingress": [{"ip": "1.2.3.9"}]}},
    ),
    Case("service load balancer only external", _service("LoadBalancer", externalIPs=["1.2.3.8"])),
    Case("service name", _service("ExternalName", externalName="example.com", ports=0)),
    Case(
        "event",
        _event(firstTimestamp="3d ago", lastTimestamp="2h ago", count=4, message="  hello\n"),
        also_as="events.k8s.io/v1",
    ),
    Case("event without times", _event("", message="\u00a0x\u0085"), also_as="events.k8s.io/v1"),
    Case("event first only", _event(firstTimestamp="3h ago"), also_as="events.k8s.io/v1"),
    Case(
        "event of a container",
        _v1(
            "Event",
            involvedObject={
                "kind": "Pod",
                "namespace": NAMESPACE,
                "name": "w",
                "fieldPath": "spec.containers{a}",
            },
            source={"component": "kubelet", "host": "node-1"},
            lastTimestamp="30s ago",
        ),
        also_as="events.k8s.io/v1",
    ),
    Case("event of a component", _event(source={"component": "scheduler"}), also_as="events.k8s.io/v1"),
    Case("event of an instance", _event(reportingInstance="r-1"), also_as="events.k8s.io/v1"),
    Case("event new", _new_event(note="told"), also_as="v1"),
    Case(
        "event series",
        _new_event(series={"count": 7, "lastObservedTime": "9s ago micro"}),
        also_as="v1",
    ),
]
