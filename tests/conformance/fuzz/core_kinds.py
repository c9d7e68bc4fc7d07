"""The kinds of the core group."""

from __future__ import annotations

from tests.conformance.fuzz.kinds import Fields, Kind

__all__ = ["CORE", "POD_TEMPLATE", "POD_TEMPLATE_REFUSED", "under"]

_CONTAINER = "containers[name=main]"

POD_TEMPLATE: Fields = {
    f"{_CONTAINER}.image": ("example.com/main:2", "example.com/main:latest", "example.com/other"),
    f"{_CONTAINER}.imagePullPolicy": ("Always", "Never", "IfNotPresent"),
    f"{_CONTAINER}.command": (["a", "b"], [], None),
    f"{_CONTAINER}.env[name=A].value": ("1", "2", ""),
    f"{_CONTAINER}.env[name=B]": (
        {"name": "B", "value": "$(A)"},
        {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        {"name": "B", "valueFrom": {"configMapKeyRef": {"name": "c", "key": "k", "optional": True}}},
        {"name": "B", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}},
    ),
    f"{_CONTAINER}.env": ([], None),
    f"{_CONTAINER}.ports[containerPort=80,protocol=TCP].name": ("http", "web"),
    f"{_CONTAINER}.ports[containerPort=80,protocol=UDP].hostPort": (80, 8080),
    f"{_CONTAINER}.ports": ([{"containerPort": 81}], []),
    f"{_CONTAINER}.resources": (
        {"limits": {"cpu": "0.5", "memory": "1024Mi"}},
        {"requests": {"cpu": "100m", "memory": 1048576}},
        {"requests": {"cpu": 0.1}, "limits": {"cpu": "1000m", "ephemeral-storage": "1e3"}},
    ),
    f"{_CONTAINER}.livenessProbe": (
        {"httpGet": {"port": "http", "path": "x"}},
        {"tcpSocket": {"port": 80}, "periodSeconds": 5},
        {"exec": {"command": ["true"]}, "terminationGracePeriodSeconds": 3},
        {"grpc": {"port": 9}},
    ),
    f"{_CONTAINER}.securityContext": ({"runAsUser": 0, "capabilities": {"add": ["NET_ADMIN"]}}, {}),
    f"{_CONTAINER}.volumeMounts[mountPath=/a].name": ("v",),
    f"{_CONTAINER}.lifecycle": ({"preStop": {"sleep": {"seconds": 1}}},),
    "containers[name=side]": (
        {"name": "side", "image": "example.com/side"},
        {"name": "side", "image": "example.com/side:1", "envFrom": [{"configMapRef": {"name": "c"}}]},
    ),
    "initContainers[name=first]": (
        {"name": "first", "image": "example.com/first:1"},
        {"name": "first", "image": "example.com/first:1", "restartPolicy": "Always"},
    ),
    "volumes[name=v]": (
        {"name": "v", "emptyDir": {}},
        {"name": "v", "emptyDir": {"sizeLimit": "1000Mi", "medium": "Memory"}},
        {"name": "v", "configMap": {"name": "c", "items": [{"key": "k", "path": "p"}]}},
        {"name": "v", "secret": {"secretName": "c", "defaultMode": 256}},
        {"name": "v", "projected": {"sources": [{"downwardAPI": {"items": []}}]}},
        {"name": "v", "hostPath": {"path": "/x"}},
    ),
    "nodeSelector": ({"a": "b"}, {}, None),
    "nodeSelector.disk": ("ssd",),
    "tolerations": (
        [{"key": "a", "operator": "Exists"}],
        [{"operator": "Exists", "effect": "NoExecute"}],
        [],
    ),
    "serviceAccountName": ("runner", "default"),
    "terminationGracePeriodSeconds": (0, 5),
    "hostNetwork": (True, False),
    "dnsPolicy": ("Default", "ClusterFirst"),
    "securityContext": ({"fsGroup": 1}, {"sysctls": [{"name": "a.b", "value": "1"}]}, {}),
    "imagePullSecrets[name=s]": ({"name": "s"},),
    "hostAliases[ip=10.1.1.1].hostnames": (["a", "b"], ["c"]),
    "topologySpreadConstraints": (
        [
            {
                "maxSkew": 1,
                "topologyKey": "zone",
                "whenUnsatisfiable": "DoNotSchedule",
                "labelSelector": {"matchLabels": {"app": "x"}},
            }
        ],
        [],
    ),
    "affinity": (
        {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "zone"}]}},
        {},
    ),
    "priorityClassName": ("high",),
    "readinessGates": ([{"conditionType": "example.com/ready"}],),
    "enableServiceLinks": (False, True),
}
POD_TEMPLATE_REFUSED: Fields = {
    f"{_CONTAINER}.image": ("", " x", 5, None),
    f"{_CONTAINER}.imagePullPolicy": ("Sometimes",),
    f"{_CONTAINER}.env[name=A]": ({"name": "A", "value": 1}, {"name": "A B=", "value": "x"}, {"name": "A"}),
    f"{_CONTAINER}.ports": ([{"containerPort": 0}], [{"containerPort": 80}, {"containerPort": 80}], "x"),
    f"{_CONTAINER}.resources": (
        {"limits": {"cpu": "1"}, "requests": {"cpu": "2"}},
        {"limits": {"memory": "-1"}},
        {"limits": {"cpu": "x"}},
        {"limits": {"nothing": "1"}},
    ),
    f"{_CONTAINER}.livenessProbe": ({}, {"httpGet": {}}, {"tcpSocket": {"port": 0}, "periodSeconds": -1}),
    f"{_CONTAINER}.volumeMounts[mountPath=/b].name": ("missing",),
    f"{_CONTAINER}.unknown": (1,),
    "containers": ([], None, "x", [{"name": "main"}], [{}], [{"image": "x"}]),
    "containers[name=Bad_]": ({"name": "Bad_", "image": "x"},),
    "volumes[name=v]": (
        {"name": "v", "emptyDir": {}, "hostPath": {"path": "/"}},
        {"name": "v", "secret": {}},
    ),
    "restartPolicy": ("Perhaps", "OnFailure"),
    "tolerations": ([{"operator": "Equal"}], [{"key": "a", "operator": "Exists", "value": "b"}]),
    "terminationGracePeriodSeconds": (-1, "5", 1.5),
    "hostNetwork": ("yes", 1),
    "dnsPolicy": ("None", "x"),
    "unknown": ("x",),
    "nodeSelector": ({"-": "!"}, [], {"a": 1}),
    "activeDeadlineSeconds": (0, 3),
    "securityContext": ({"runAsUser": -1}, {"supplementalGroups": [-1]}),
}


def under(prefix: str, fields: Fields) -> Fields:
    """The fields with a prefix to each path."""
    return {f"{prefix}.{path}": values for path, values in fields.items()}


_CONDITION = {"type": "Ready", "status": "True", "lastTransitionTime": "2020-01-01T00:00:00Z"}

CONFIG_MAP = Kind(
    "v1",
    "configmaps",
    "ConfigMap",
    {"data": {"k": "v"}},
    {
        "data.k": ("w", "", "long\ntext\twith é <&>"),
        "data.l": ("1", "2"),
        "data.{a.b-c_d}": ("x",),
        "data": ({}, None, {"only": "this"}),
        "binaryData.b": ("AAEC", ""),
        "binaryData": (None,),
        "immutable": (False,),
    },
    {
        "data.k": (1, None, {}, True),
        "data.{no/slash}": ("x",),
        "binaryData.k": ("AA==",),
        "binaryData.b": ("!", None),
        "immutable": (True, "x", None),
        "data": ([], "x"),
    },
)
SECRET = Kind(
    "v1",
    "secrets",
    "Secret",
    {"data": {"k": "dg=="}},
    {
        "data.k": ("dw==", ""),
        "data.l": ("YWJj",),
        "stringData.k": ("plain", ""),
        "stringData.s": ("é",),
        "data": (None, {}),
        "immutable": (False,),
    },
    {
        "data.k": ("!", 1, None),
        "type": ("kubernetes.io/tls", "kubernetes.io/basic-auth", "example.com/x", ""),
        "data.{.}": ("AA==",),
        "immutable": (True,),
        "stringData": ("x",),
    },
    selectable=("type=Opaque", "type!=Opaque"),
)
POD = Kind(
    "v1",
    "pods",
    "Pod",
    {"spec": {"containers": [{"name": "main", "image": "example.com/main:1"}]}},
    under("spec", POD_TEMPLATE)
    | {
        "spec.nodeName": ("n1", ""),
        "spec.activeDeadlineSeconds": (5, 3),
        "spec.schedulingGates": ([{"name": "example.com/g"}], []),
    },
    under("spec", POD_TEMPLATE_REFUSED) | {"spec.nodeName": ("n2", "Bad_"), "spec": (None, {}, "x")},
    {
        "status.phase": ("Running", "Failed", "Pending", "Succeeded"),
        "status.conditions[type=Ready].status": ("True", "False"),
        "status.conditions[type=Ready].lastTransitionTime": ("2020-01-01T00:00:00Z", None),
        "status.podIP": ("10.1.2.3", "x"),
        "status.podIPs": ([{"ip": "10.1.2.3"}], []),
        "status.containerStatuses": (
            [
                {
                    "name": "main",
                    "ready": True,
                    "restartCount": 2,
                    "image": "i",
                    "imageID": "d",
                    "state": {"running": {"startedAt": "2020-01-01T00:00:00Z"}},
                }
            ],
            [
                {
                    "name": "main",
                    "ready": False,
                    "restartCount": 0,
                    "image": "",
                    "imageID": "",
                    "state": {"waiting": {"reason": "ErrImagePull"}},
                }
            ],
        ),
        "status.reason": ("Evicted", ""),
        "status.observedGeneration": (1,),
        "status.unknown": (1,),
        "status.qosClass": ("Guaranteed", "BestEffort"),
    },
    selectable=(
        "spec.nodeName=n1",
        "status.phase=Pending",
        "spec.restartPolicy!=Always",
        "status.phase!=Failed",
    ),
)
SERVICE = Kind(
    "v1",
    "services",
    "Service",
    {"spec": {"ports": [{"port": 80}], "selector": {"app": "x"}}},
    {
        "spec.ports[port=80,protocol=TCP].name": ("http", "web"),
        "spec.ports[port=80,protocol=TCP].targetPort": (8080, "named", "http"),
        "spec.ports[port=443,protocol=TCP].name": ("https",),
        "spec.ports": (
            [{"port": 80, "name": "a"}, {"port": 80, "name": "b", "protocol": "UDP", "appProtocol": "http"}],
            [{"port": 81}],
        ),
        "spec.selector": ({"app": "y"}, {}, None),
        "spec.selector.tier": ("front",),
        "spec.type": ("NodePort", "LoadBalancer", "ClusterIP"),
        "spec.clusterIP": ("None",),
        "spec.externalTrafficPolicy": ("Local", "Cluster"),
        "spec.internalTrafficPolicy": ("Local", "Cluster"),
        "spec.sessionAffinity": ("ClientIP", "None"),
        "spec.externalIPs": (["10.9.9.9"], []),
        "spec.publishNotReadyAddresses": (True, False),
        "spec.loadBalancerSourceRanges": (["10.0.0.0/8"],),
        "spec.trafficDistribution": ("PreferClose", None),
        "spec.allocateLoadBalancerNodePorts": (False, True),
    },
    {
        "spec.ports": (
            [],
            [{"port": 0}],
            [{"port": 80}, {"port": 81}],
            "x",
            [{"port": 80, "protocol": "ICMP"}],
        ),
        "spec.ports[port=80,protocol=TCP].targetPort": ("Bad_Port", 70000, -1),
        "spec.type": ("ExternalName", "Other"),
        "spec.clusterIP": ("10.9.0.1", "x", ""),
        "spec.externalName": ("example.com", "Not_Valid"),
        "spec.externalTrafficPolicy": ("x",),
        "spec.sessionAffinity": ("x",),
        "spec.ipFamilies": (["IPv6"], ["IPv4"], ["IPv4", "IPv4"]),
        "spec.ipFamilyPolicy": ("PreferDualStack", "RequireDualStack", "SingleStack", "x"),
        "spec.selector": ({"a b": "c"},),
        "spec.healthCheckNodePort": (5,),
        "spec.loadBalancerClass": ("example.com/c", "x y"),
        "spec": (None, {}),
    },
    {
        "status.loadBalancer": ({"ingress": [{"ip": "10.8.8.8"}]}, {}, {"ingress": [{"hostname": "a.b"}]}),
        "status.conditions[type=Ready]": (
            {**_CONDITION, "reason": "Fine", "message": ""},
            {"type": "Ready", "status": "Maybe"},
        ),
    },
)
CLAIM = Kind(
    "v1",
    "persistentvolumeclaims",
    "PersistentVolumeClaim",
    {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}},
    {
        "spec.resources.requests.storage": ("2Gi", "1024Mi", 1073741824, "1.5Gi"),
        "spec.storageClassName": ("fast", ""),
        "spec.volumeName": ("pv",),
        "spec.accessModes": (["ReadWriteOnce", "ReadOnlyMany"], ["ReadWriteMany"]),
        "spec.volumeMode": ("Block", "Filesystem"),
        "spec.selector": ({"matchLabels": {"a": "b"}},),
        "spec.dataSource": ({"kind": "PersistentVolumeClaim", "name": "other"},),
    },
    {
        "spec.resources.requests.storage": ("0", "-1", "x"),
        "spec.resources.limits": ({"storage": "1Mi"}, {"cpu": "1"}),
        "spec.accessModes": ([], ["Sometimes"], ["ReadWriteOncePod", "ReadWriteOnce"]),
        "spec.volumeMode": ("x",),
        "spec": (None,),
        "spec.selector": ({"matchExpressions": [{"key": "a", "operator": "In"}]},),
    },
    {
        "status.phase": ("Bound", "Pending", "Lost"),
        "status.capacity.storage": ("1Gi", "2Gi", "x", 5),
        "status.accessModes": (["ReadWriteOnce"],),
        "status.conditions[type=Resizing].status": ("True", "False"),
        "status.allocatedResources.storage": ("1Gi",),
    },
)
CORE = (CONFIG_MAP, SECRET, POD, SERVICE, CLAIM)
