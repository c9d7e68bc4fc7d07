"""Cases of updates of pods: what may change, by which endpoint."""

from __future__ import annotations

from typing import Any

from tests.server.kinds.cases.pod_objects import container, pod
from tests.server.kinds.harness import Case

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_APPARMOR = "container.apparmor.security.beta.kubernetes.io/main"
_MIRROR = "kubernetes.io/config.mirror"


def _updated(name: str, new: dict[str, Any], old: dict[str, Any], subresource: str = "") -> Case:
    return Case(name, new, old, subresource)


def _annotated(annotations: dict[str, str], **spec: Any) -> dict[str, Any]:
    return pod({"annotations": annotations}, **spec)


_TOLERATION = {"key": "a", "operator": "Exists", "effect": "NoExecute"}
_GATED: dict[str, Any] = {"schedulingGates": [{"name": "a"}, {"name": "b"}]}


def _node(*values: str, more: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    expressions = [{"key": "a", "operator": "In", "values": list(values)}, *(more or [])]
    return {"nodeAffinity": {_REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": expressions}]}}}


SPEC = [
    _updated("same", pod(), pod()),
    _updated("labels", pod({"labels": {"a": "b"}}), pod()),
    _updated("image", pod(containers=[container(image="x:2")]), pod()),
    _updated("image_empty", pod(containers=[container(image="")]), pod()),
    _updated("image_space", pod(containers=[container(image=" x")]), pod()),
    _updated(
        "init_image",
        pod(initContainers=[container("i", image="x:2")]),
        pod(initContainers=[container("i")]),
    ),
    _updated("container_added", pod(containers=[container("main"), container("b")]), pod()),
    _updated("init_container_added", pod(initContainers=[container("b")]), pod()),
    _updated("container_renamed", pod(containers=[container("other")]), pod()),
    _updated("command", pod(containers=[container(command=["a", "<b>"])]), pod()),
    _updated("node_name", pod(nodeName="x"), pod()),
    _updated("host_network", pod(hostNetwork=True), pod()),
    _updated("volume_added", pod(volumes=[{"name": "v", "configMap": {"name": "x"}}]), pod()),
    _updated(
        "probe",
        pod(containers=[container(livenessProbe={"httpGet": {"port": "x"}, "periodSeconds": 5})]),
        pod(containers=[container(livenessProbe={"httpGet": {"port": 80}})]),
    ),
    _updated(
        "resources",
        pod(containers=[container(resources={"limits": {"cpu": "2", "memory": "1Gi"}})]),
        pod(containers=[container(resources={"limits": {"cpu": "1", "memory": "1Gi"}})]),
    ),
    _updated("security", pod(securityContext={"runAsUser": 5}), pod()),
    _updated("affinity", pod(affinity=_node("x")), pod()),
    _updated("restart_policy", pod(restartPolicy="Never"), pod()),
    _updated(
        "many",
        pod(hostname="x", subdomain="y", priorityClassName="z", hostAliases=[{"ip": "1.2.3.4"}]),
        pod(nodeSelector={"a": "b"}, tolerations=[_TOLERATION], os={"name": "linux"}),
    ),
    _updated(
        "env",
        pod(
            containers=[
                container(env=[{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}])
            ]
        ),
        pod(containers=[container(env=[{"name": "A", "value": "x"}])]),
    ),
    _updated(
        "ephemeral_volume",
        pod(
            volumes=[
                {
                    "name": "v",
                    "ephemeral": {
                        "volumeClaimTemplate": {
                            "metadata": {"labels": {"a": "b"}},
                            "spec": {
                                "accessModes": ["ReadWriteOnce"],
                                "resources": {"requests": {"storage": "2Gi"}},
                            },
                        }
                    },
                }
            ]
        ),
        pod(
            volumes=[
                {
                    "name": "v",
                    "ephemeral": {
                        "volumeClaimTemplate": {
                            "metadata": {},
                            "spec": {
                                "accessModes": ["ReadWriteOnce"],
                                "resources": {"requests": {"storage": "1Gi"}},
                            },
                        }
                    },
                }
            ]
        ),
    ),
    _updated("ephemeral_containers", pod(ephemeralContainers=[container("debug")]), pod()),
    _updated("deadline", pod(activeDeadlineSeconds=5), pod()),
    _updated("deadline_shorter", pod(activeDeadlineSeconds=5), pod(activeDeadlineSeconds=6)),
    _updated("deadline_longer", pod(activeDeadlineSeconds=7), pod(activeDeadlineSeconds=6)),
    _updated("deadline_removed", pod(), pod(activeDeadlineSeconds=6)),
    _updated("deadline_negative", pod(activeDeadlineSeconds=-1), pod(activeDeadlineSeconds=6)),
    _updated("toleration_added", pod(tolerations=[_TOLERATION]), pod()),
    _updated("toleration_removed", pod(), pod(tolerations=[_TOLERATION])),
    _updated(
        "toleration_seconds",
        pod(tolerations=[{**_TOLERATION, "tolerationSeconds": 5}]),
        pod(tolerations=[_TOLERATION]),
    ),
    _updated("toleration_bad", pod(tolerations=[{"key": "a b", "operator": "Exists"}]), pod()),
    _updated("grace", pod(terminationGracePeriodSeconds=5), pod()),
    _updated(
        "gate_added",
        pod(schedulingGates=[{"name": "a"}, {"name": "c"}]),
        pod(schedulingGates=[{"name": "a"}]),
    ),
    _updated("gate_on_ungated", pod(schedulingGates=[{"name": "a"}]), pod()),
    _updated(
        "gated_selector_changed",
        pod(nodeSelector={"c": "d", "a": "x"}, **_GATED),
        pod(nodeSelector={"a": "b"}, **_GATED),
    ),
    _updated("gated_selector_removed", pod(**_GATED), pod(nodeSelector={"a": "b"}, **_GATED)),
    _updated(
        "gated_affinity_changed",
        pod(affinity=_node("y"), **_GATED),
        pod(affinity=_node("x"), **_GATED),
    ),
    _updated("gated_affinity_removed", pod(**_GATED), pod(affinity=_node("x"), **_GATED)),
    _updated(
        "gated_affinity_of_pods",
        pod(affinity={"podAffinity": {_REQUIRED: [{"topologyKey": "a", "labelSelector": {}}]}}, **_GATED),
        pod(affinity=_node("x"), **_GATED),
    ),
    _updated("apparmor_added", _annotated({_APPARMOR: "unconfined"}), pod()),
    _updated("apparmor_removed", pod(), _annotated({_APPARMOR: "unconfined"})),
    _updated("mirror_added", _annotated({_MIRROR: "x"}), pod()),
    _updated("mirror_removed", pod(nodeName="n"), _annotated({_MIRROR: "x"}, nodeName="n")),
    _updated("cost_bad", _annotated({"controller.kubernetes.io/pod-deletion-cost": "x"}), pod()),
    _updated("status_is_kept", pod(status={"phase": "Running"}), pod()),
    _updated("service_account_alias", pod(serviceAccount="a"), pod(serviceAccountName="a")),
]


def _status(name: str, status: dict[str, Any], **old: Any) -> Case:
    return Case(f"status_{name}", pod(status=status), pod(**old), "status")


_CONDITION = {"type": "Ready", "status": "True", "lastProbeTime": None, "lastTransitionTime": None}


def _container_status(name: str = "main", **fields: Any) -> dict[str, Any]:
    return {
        "name": name,
        "ready": True,
        "restartCount": 0,
        "image": "x",
        "imageID": "y",
        "state": {},
        "lastState": {},
        **fields,
    }


STATUS = [
    _status("running", {"phase": "Running", "conditions": [_CONDITION], "podIP": "1.2.3.4"}),
    _status("spec_is_kept", {"phase": "Running"}, hostname="x"),
    _status("condition_type", {"conditions": [{**_CONDITION, "type": "a b"}, {**_CONDITION, "type": ""}]}),
    _status("condition_generation", {"conditions": [{**_CONDITION, "observedGeneration": -1}]}),
    _status("generation", {"observedGeneration": -1}),
    _status("nominated", {"nominatedNodeName": "node"}),
    _status("nominated_bad", {"nominatedNodeName": "_"}),
    _status("nominated_bound", {"nominatedNodeName": "node"}, nodeName="other"),
    _status("qos", {"qosClass": "Guaranteed"}),
    _status("pod_ips", {"podIP": "1.2.3.4", "podIPs": [{"ip": "1.2.3.4"}, {"ip": "2001:db8::1"}]}),
    _status("pod_ips_only", {"podIPs": [{"ip": "1.2.3.4"}]}),
    _status("pod_ips_differ", {"podIP": "1.2.3.5", "podIPs": [{"ip": "1.2.3.4"}]}),
    _status("pod_ips_bad", {"podIPs": [{"ip": "x"}, {"ip": "1.2.3.4"}]}),
    _status("pod_ips_zeros", {"podIP": "01.2.3.4"}),
    _status("pod_ips_form", {"podIP": "2001:DB8::1"}),
    _status("pod_ips_same_family", {"podIPs": [{"ip": "1.2.3.4"}, {"ip": "1.2.3.5"}]}),
    _status("pod_ips_three", {"podIPs": [{"ip": "1.2.3.4"}, {"ip": "::1"}, {"ip": "::2"}]}),
    _status("host_ips", {"hostIP": "1.2.3.4", "hostIPs": [{"ip": "1.2.3.4"}, {"ip": "::1"}]}),
    _status("host_ips_differ", {"hostIP": "1.2.3.5", "hostIPs": [{"ip": "1.2.3.4"}]}),
    _status("host_ips_same_family", {"hostIP": "1.2.3.4", "hostIPs": [{"ip": "1.2.3.4"}, {"ip": "1.2.3.5"}]}),
    _status("host_ips_bad", {"hostIP": "x", "hostIPs": [{"ip": "x"}]}),
    _status("claim_unknown", {"resourceClaimStatuses": [{"name": "a", "resourceClaimName": "_"}]}),
    _status(
        "claim_twice",
        {"resourceClaimStatuses": [{"name": "a", "resourceClaimName": "x"}, {"name": "a"}]},
        resourceClaims=[{"name": "a", "resourceClaimTemplateName": "t"}],
    ),
    _status(
        "extended_claim_empty",
        {"extendedResourceClaimStatus": {"requestMappings": [], "resourceClaimName": ""}},
    ),
    _status(
        "extended_claim",
        {
            "extendedResourceClaimStatus": {
                "requestMappings": [
                    {"containerName": "main", "resourceName": "example.com/gpu", "requestName": "r"},
                    {"containerName": "main", "resourceName": "example.com/tpu", "requestName": "R"},
                    {"containerName": "x", "resourceName": "example.com/gpu", "requestName": "r"},
                    {"containerName": "main", "resourceName": "example.com/gpu", "requestName": "r"},
                ],
                "resourceClaimName": "_",
            }
        },
        containers=[container(resources={"limits": {"example.com/gpu": "1"}})],
    ),
    _status(
        "node_claims_dropped",
        {
            "nodeAllocatableResourceClaimStatuses": [
                {"resourceClaimName": "a", "containers": ["main"], "resources": {"cpu": "1"}}
            ]
        },
    ),
    _status(
        "containers",
        {
            "containerStatuses": [
                _container_status(
                    state={"running": {"startedAt": None}},
                    resources={"limits": {"cpu": "100u"}},
                    allocatedResources={"cpu": "1"},
                )
            ]
        },
    ),
    _status(
        "users",
        {
            "containerStatuses": [
                _container_status(user={"linux": {"uid": -1, "gid": -1, "supplementalGroups": [-1]}})
            ],
            "initContainerStatuses": [_container_status(user={"linux": {"uid": 1, "gid": 1}})],
        },
    ),
    _status(
        "users_windows",
        {"containerStatuses": [_container_status(user={"linux": {"uid": 1, "gid": 1}})]},
        os={"name": "windows"},
    ),
    _status(
        "allocated",
        {
            "containerStatuses": [
                _container_status(
                    allocatedResourcesStatus=[
                        {
                            "name": "example.com/gpu",
                            "resources": [
                                {"resourceID": "a", "health": "Healthy"},
                                {"resourceID": "a", "health": "Ill", "message": ""},
                                {"resourceID": "b", "health": "Unknown", "message": "x" * 1025},
                            ],
                        },
                        {"name": "claim:x/r"},
                        {"name": "claim:x"},
                        {"name": "cpu"},
                    ]
                )
            ],
            "ephemeralContainerStatuses": [_container_status(allocatedResourcesStatus=[{"name": "cpu"}])],
        },
        containers=[
            container(
                resources={
                    "limits": {"example.com/gpu": "1"},
                    "claims": [{"name": "x", "request": "r"}],
                }
            )
        ],
        resourceClaims=[{"name": "x", "resourceClaimName": "y"}],
    ),
    _status(
        "volume_status_dropped",
        {
            "containerStatuses": [
                _container_status(
                    volumeMounts=[
                        {"name": "v", "mountPath": "/x", "volumeStatus": {"image": {"imageRef": "x"}}}
                    ]
                )
            ]
        },
    ),
    Case(
        "status_mirror_added",
        pod({"annotations": {_MIRROR: "x"}}, status={"phase": "Running"}),
        pod(),
        "status",
    ),
]


def _debug(name: str, new: list[dict[str, Any]], **fields: Any) -> Case:
    return Case(
        f"ephemeral_{name}", pod(ephemeralContainers=new or None, **fields), pod(), "ephemeralcontainers"
    )


EPHEMERAL = [
    _debug("added", [container("debug", targetContainerName="main")]),
    _debug("none", []),
    _debug("other_changes_dropped", [container("debug")], hostname="x"),
    _debug("same_name", [container("main")]),
    _debug("twice", [container("a"), container("a")]),
    _debug("target", [container("a", targetContainerName="x")]),
    _debug("bad", [container("A", image=" x")]),
    _debug("no_image", [container("a", image="")]),
    _debug(
        "forbidden",
        [
            container(
                "a",
                ports=[{"containerPort": 80}],
                resources={"limits": {"cpu": "1"}},
                livenessProbe={"exec": {"command": ["x"]}},
                readinessProbe={"exec": {"command": ["x"]}},
                startupProbe={"exec": {"command": ["x"]}},
                lifecycle={"preStop": {"exec": {"command": ["x"]}}},
                resizePolicy=[{"resourceName": "cpu", "restartPolicy": "NotRequired"}],
                restartPolicy="Always",
            )
        ],
    ),
    _debug("sub_path", [container("a", volumeMounts=[{"name": "v", "mountPath": "/x", "subPath": "a"}])]),
    Case(
        "ephemeral_mirror",
        pod({"annotations": {_MIRROR: "x"}}, nodeName="n", ephemeralContainers=[container("a")]),
        pod({"annotations": {_MIRROR: "x"}}, nodeName="n"),
        "ephemeralcontainers",
    ),
]


def _sized(cpu: str = "1", memory: str = "1Gi", **fields: Any) -> dict[str, Any]:
    return container(resources={"limits": {"cpu": cpu, "memory": memory}}, **fields)


def _resize(name: str, new: dict[str, Any], old: dict[str, Any]) -> Case:
    return Case(f"resize_{name}", new, old, "resize")


_POD_LEVEL = {"limits": {"cpu": "1", "memory": "1Gi"}}
RESIZE = [
    _resize("cpu", pod(containers=[_sized("2")]), pod(containers=[_sized()])),
    _resize("same", pod(containers=[_sized()]), pod(containers=[_sized()])),
    _resize("image_dropped", pod(containers=[_sized(image="x:2")]), pod(containers=[_sized()])),
    _resize(
        "policy",
        pod(containers=[_sized(resizePolicy=[{"resourceName": "cpu", "restartPolicy": "RestartContainer"}])]),
        pod(containers=[_sized()]),
    ),
    _resize("renamed", pod(containers=[_sized(name="x")]), pod(containers=[_sized()])),
    _resize("added", pod(containers=[_sized(), container("b")]), pod(containers=[_sized()])),
    _resize(
        "init_added",
        pod(containers=[_sized()], initContainers=[_sized(name="i")]),
        pod(containers=[_sized()]),
    ),
    _resize(
        "qos", pod(containers=[container(resources={"requests": {"cpu": "1"}})]), pod(containers=[_sized()])
    ),
    _resize("removed", pod(), pod(containers=[container(resources={"requests": {"cpu": "1"}})])),
    _resize(
        "removed_one",
        pod(containers=[container(resources={"requests": {"cpu": "1"}})]),
        pod(containers=[container(resources={"requests": {"cpu": "1"}, "limits": {"cpu": "2"}})]),
    ),
    _resize(
        "storage",
        pod(containers=[container(resources={"requests": {"cpu": "1", "ephemeral-storage": "1Gi"}})]),
        pod(containers=[container(resources={"requests": {"cpu": "1"}})]),
    ),
    _resize(
        "sidecar",
        pod(containers=[_sized()], initContainers=[_sized("2", name="i", restartPolicy="Always")]),
        pod(containers=[_sized()], initContainers=[_sized(name="i", restartPolicy="Always")]),
    ),
    _resize(
        "init",
        pod(containers=[_sized()], initContainers=[_sized("2", name="i")]),
        pod(containers=[_sized()], initContainers=[_sized(name="i")]),
    ),
    _resize(
        "init_storage",
        pod(
            containers=[_sized()],
            initContainers=[
                container("i", resources={"limits": {"cpu": "1", "memory": "1Gi", "ephemeral-storage": "1"}})
            ],
        ),
        pod(containers=[_sized()], initContainers=[_sized(name="i")]),
    ),
    _resize(
        "init_policy",
        pod(
            containers=[_sized()],
            initContainers=[
                _sized(
                    "2",
                    name="i",
                    resizePolicy=[{"resourceName": "cpu", "restartPolicy": "RestartContainer"}],
                )
            ],
        ),
        pod(containers=[_sized()], initContainers=[_sized(name="i")]),
    ),
    _resize(
        "windows",
        pod(containers=[_sized("2")], os={"name": "windows"}),
        pod(containers=[_sized()], os={"name": "windows"}),
    ),
    _resize(
        "mirror",
        pod({"annotations": {_MIRROR: "x"}}, nodeName="n", containers=[_sized("2")]),
        pod({"annotations": {_MIRROR: "x"}}, nodeName="n", containers=[_sized()]),
    ),
    _resize(
        "pod_level",
        pod(resources={"limits": {"cpu": "2", "memory": "1Gi"}}),
        pod(resources=_POD_LEVEL),
    ),
    _resize("pod_level_removed", pod(), pod(resources=_POD_LEVEL)),
    _resize("pod_level_one_removed", pod(resources={"limits": {"cpu": "1"}}), pod(resources=_POD_LEVEL)),
    _resize(
        "pod_level_added",
        pod(
            resources={"requests": {"cpu": "2"}}, containers=[container(resources={"requests": {"cpu": "1"}})]
        ),
        pod(containers=[container(resources={"requests": {"cpu": "1"}})]),
    ),
    _resize(
        "pod_level_huge_pages",
        pod(resources={"limits": {"cpu": "1", "memory": "1Gi", "hugepages-2Mi": "2Mi"}}),
        pod(resources=_POD_LEVEL),
    ),
    _resize("invalid", pod(containers=[_sized("-1")]), pod(containers=[_sized()])),
]

CASES = [*SPEC, *STATUS, *EPHEMERAL, *RESIZE]
