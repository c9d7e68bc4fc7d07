"""Cases of containers: images, ports, environment, probes, resources, and the rules of each sort."""

from __future__ import annotations

from typing import Any

from tests.server.kinds.cases.pod_objects import container, created, pod, template, with_container
from tests.server.kinds.harness import Case

BASICS = [
    *created(
        "list",
        none={"containers": []},
        two={"containers": [container("a"), container("b")]},
        twice={"containers": [container("a"), container("a")]},
        init={"initContainers": [container("first")]},
        init_same_name={"initContainers": [container("main"), container("x"), container("x")]},
        ephemeral={"ephemeralContainers": [container("debug")]},
    ),
    *with_container(
        "basic",
        no_name={"name": ""},
        bad_name={"name": "Bad_Name"},
        long_name={"name": "x" * 64},
        no_image={"image": ""},
        space_image={"image": " x:1 "},
        latest={"image": "nginx"},
        latest_said={"image": "nginx:latest"},
        latest_digest={"image": "nginx:latest@sha256:" + "a" * 64},
        digest={"image": "nginx@sha256:" + "a" * 64},
        digest_bad={"image": "nginx:latest@sha256:abc"},
        port_in_registry={"image": "localhost:5000/a/b"},
        upper_case={"image": "NGINX"},
        upper_case_domain={"image": "Foo/bar"},
        identifier={"image": "a" * 64},
        long_image={"image": "a/" * 150 + "b"},
        docker_io={"image": "index.docker.io/nginx"},
        underscore={"image": "a__b"},
        underscores={"image": "a___b"},
        pull_policy={"imagePullPolicy": "Sometimes"},
        message_policy={"terminationMessagePolicy": "Shout"},
        full={
            "command": ["a"],
            "args": ["b"],
            "workingDir": "/x",
            "stdin": True,
            "tty": True,
            "stdinOnce": True,
            "terminationMessagePath": "/log",
            "terminationMessagePolicy": "FallbackToLogsOnError",
        },
    ),
]

PORTS = with_container(
    "port",
    good={"ports": [{"name": "http", "containerPort": 80, "protocol": "TCP"}]},
    defaulted={"ports": [{"containerPort": 80}]},
    none={"ports": [{"containerPort": 0}]},
    high={"ports": [{"containerPort": 65536, "hostPort": 70000}]},
    negative={"ports": [{"containerPort": -1, "hostPort": -1}]},
    protocol={"ports": [{"containerPort": 80, "protocol": "ICMP"}]},
    name={"ports": [{"containerPort": 80, "name": "Bad--name-that-is-long-"}]},
    name_digits={"ports": [{"containerPort": 80, "name": "80"}]},
    name_twice={"ports": [{"containerPort": 80, "name": "a"}, {"containerPort": 81, "name": "a"}]},
    host_twice={"ports": [{"containerPort": 80, "hostPort": 8}, {"containerPort": 81, "hostPort": 8}]},
    host_ip={
        "ports": [
            {"containerPort": 80, "hostPort": 8, "hostIP": "1.2.3.4"},
            {"containerPort": 80, "hostPort": 8, "hostIP": "1.2.3.5"},
        ]
    },
)
PORTS += created(
    "port_of",
    two_containers={
        "containers": [
            container("a", ports=[{"containerPort": 80, "hostPort": 8}]),
            container("b", ports=[{"containerPort": 81, "hostPort": 8}]),
        ]
    },
    init_container={
        "initContainers": [
            container("a", ports=[{"containerPort": 80, "hostPort": 8}, {"containerPort": 81, "hostPort": 8}])
        ]
    },
    host_network={
        "hostNetwork": True,
        "containers": [container(ports=[{"containerPort": 80}])],
        "initContainers": [container("i", ports=[{"containerPort": 81}])],
    },
    host_network_mismatch={
        "hostNetwork": True,
        "containers": [container(ports=[{"containerPort": 80, "hostPort": 81}])],
    },
)
PORTS += [
    Case(
        "port_template_host_network",
        template(hostNetwork=True, containers=[container(ports=[{"containerPort": 80}])]),
    ),
    Case(
        "port_template_host_network_mismatch",
        template(hostNetwork=True, containers=[container(ports=[{"containerPort": 80, "hostPort": 9}])]),
    ),
]


def _env(**source: Any) -> dict[str, Any]:
    return {"env": [{"name": "A", "valueFrom": source}]}


ENV = with_container(
    "env",
    good={"env": [{"name": "A", "value": "b"}, {"name": "with-dash.dot"}, {"name": "B", "value": "$(A)"}]},
    no_name={"env": [{"name": ""}]},
    odd_name={"env": [{"name": "1 2!"}]},
    equals={"env": [{"name": "a=b"}]},
    not_ascii={"env": [{"name": "ä"}]},
    field=_env(fieldRef={"fieldPath": "metadata.name"}),
    field_label=_env(fieldRef={"fieldPath": "metadata.labels['a']"}),
    field_labels=_env(fieldRef={"fieldPath": "metadata.labels"}),
    field_phase=_env(fieldRef={"fieldPath": "status.phase"}),
    field_host=_env(fieldRef={"fieldPath": "spec.host"}),
    field_unknown=_env(fieldRef={"fieldPath": "spec.foo"}),
    field_subscript=_env(fieldRef={"fieldPath": "['a']"}),
    field_annotation_bad=_env(fieldRef={"fieldPath": "metadata.annotations['A B']"}),
    field_version=_env(fieldRef={"apiVersion": "v9", "fieldPath": "metadata.name"}),
    resource=_env(resourceFieldRef={"resource": "limits.cpu", "divisor": "1m"}),
    resource_none=_env(resourceFieldRef={"resource": ""}),
    resource_unknown=_env(resourceFieldRef={"resource": "limits.x"}),
    resource_divisor_cpu=_env(resourceFieldRef={"resource": "requests.cpu", "divisor": "2m"}),
    resource_divisor_storage=_env(resourceFieldRef={"resource": "limits.ephemeral-storage", "divisor": "3"}),
    resource_divisor_huge=_env(resourceFieldRef={"resource": "limits.hugepages-2Mi", "divisor": "3"}),
    resource_divisor_unknown=_env(resourceFieldRef={"resource": "x", "divisor": "3"}),
    config_map=_env(configMapKeyRef={"name": "x", "key": "y", "optional": True}),
    config_map_bad=_env(configMapKeyRef={"name": "_", "key": "a b"}),
    config_map_empty=_env(configMapKeyRef={"key": ""}),
    secret=_env(secretKeyRef={"name": "x", "key": "y"}),
    secret_bad=_env(secretKeyRef={"name": "A", "key": ".."}),
    secret_dots=_env(secretKeyRef={"name": "a.b-c", "key": "..x"}),
    none=_env(),
    two=_env(secretKeyRef={"name": "x", "key": "y"}, configMapKeyRef={"name": "x", "key": "y"}),
    and_value={
        "env": [{"name": "A", "value": "x", "valueFrom": {"secretKeyRef": {"name": "x", "key": "y"}}}]
    },
    file_unknown_volume=_env(fileKeyRef={"volumeName": "v", "path": "p", "key": "k"}),
    file_empty=_env(fileKeyRef={"volumeName": "", "path": "", "key": ""}),
    file_bad=_env(fileKeyRef={"volumeName": "V", "path": "a/../b", "key": "a=b"}),
    hidden={"env": [{"name": "A", "value": "x"}, {"name": "A", "value": "y"}]},
    hidden_appended={"env": [{"name": "A", "value": "x"}, {"name": "A", "value": "$(A)y"}]},
    hidden_itself={"env": [{"name": "A", "value": "x"}, {"name": "A", "value": "$(A)"}]},
    from_good={"envFrom": [{"prefix": "P_", "configMapRef": {"name": "x"}}, {"secretRef": {"name": "y"}}]},
    from_none={"envFrom": [{}]},
    from_both={"envFrom": [{"configMapRef": {"name": "x"}, "secretRef": {"name": "y"}}]},
    from_bad={"envFrom": [{"prefix": "=", "configMapRef": {"name": "_"}}, {"secretRef": {}}]},
    from_dash={"envFrom": [{"secretRef": {"name": "x-"}}]},
)
ENV += created(
    "env_file",
    good={
        "volumes": [{"name": "v", "emptyDir": {}}],
        "containers": [container(**_env(fileKeyRef={"volumeName": "v", "path": "p", "key": "k"}))],
    },
    wrong_volume={
        "volumes": [{"name": "v", "configMap": {"name": "x"}}],
        "initContainers": [container("i", **_env(fileKeyRef={"volumeName": "v", "path": "p", "key": "k"}))],
    },
)

_EXEC = {"exec": {"command": ["x"]}}


def _probes(probe: dict[str, Any]) -> dict[str, Any]:
    return {"livenessProbe": probe, "readinessProbe": dict(probe), "startupProbe": dict(probe)}


PROBES = with_container(
    "probe",
    exec=_probes(_EXEC),
    exec_empty=_probes({"exec": {}}),
    http=_probes({"httpGet": {"port": 80}}),
    http_named=_probes({"httpGet": {"port": "http", "path": "/x", "scheme": "HTTPS"}}),
    http_bad=_probes(
        {"httpGet": {"port": 0, "scheme": "FTP", "httpHeaders": [{"name": "a b", "value": ""}]}}
    ),
    http_name_bad=_probes({"httpGet": {"port": "Bad_", "path": "/"}}),
    http_name_empty=_probes({"httpGet": {"port": ""}}),
    tcp=_probes({"tcpSocket": {"port": 80}}),
    tcp_bad=_probes({"tcpSocket": {"port": 70000}}),
    grpc=_probes({"grpc": {"port": 80}}),
    grpc_bad=_probes({"grpc": {"port": 0, "service": "x"}}),
    none=_probes({"periodSeconds": 3}),
    two=_probes({**_EXEC, "tcpSocket": {"port": 80}}),
    numbers=_probes(
        {
            **_EXEC,
            "initialDelaySeconds": -1,
            "timeoutSeconds": -1,
            "periodSeconds": -1,
            "successThreshold": -1,
            "failureThreshold": -1,
            "terminationGracePeriodSeconds": 0,
        }
    ),
    success={
        "livenessProbe": {**_EXEC, "successThreshold": 2},
        "readinessProbe": {**_EXEC, "successThreshold": 2},
        "startupProbe": {**_EXEC, "successThreshold": 2},
    },
    grace={"livenessProbe": {**_EXEC, "terminationGracePeriodSeconds": 5}},
    grace_readiness={"readinessProbe": {**_EXEC, "terminationGracePeriodSeconds": 5}},
)
LIFECYCLE = with_container(
    "lifecycle",
    good={"lifecycle": {"postStart": _EXEC, "preStop": {"httpGet": {"port": 80}}}},
    sleep={"lifecycle": {"preStop": {"sleep": {"seconds": 0}}}},
    sleep_long={"lifecycle": {"preStop": {"sleep": {"seconds": 31}}}},
    sleep_negative={"lifecycle": {"postStart": {"sleep": {"seconds": -1}}}},
    none={"lifecycle": {"preStop": {}}},
    two={"lifecycle": {"preStop": {**_EXEC, "sleep": {"seconds": 1}}}},
    tcp={"lifecycle": {"preStop": {"tcpSocket": {"port": "x!"}}}},
    stop_signal={"lifecycle": {"stopSignal": "SIGFOO"}},
    stop_signal_and={"lifecycle": {"stopSignal": "SIGFOO", "preStop": _EXEC}},
    empty={"lifecycle": {}},
)


def _limits(limits: dict[str, str] | None = None, **requests: str) -> dict[str, Any]:
    named = {name.replace("_", "-"): value for name, value in requests.items()}
    found = {"limits": limits, "requests": named}
    return {"resources": {key: value for key, value in found.items() if value}}


RESOURCES = with_container(
    "resources",
    limits=_limits({"cpu": "1", "memory": "1Gi"}),
    some_requests=_limits({"cpu": "1", "memory": "1Gi"}, cpu="500m"),
    burstable=_limits(cpu="1"),
    zero=_limits({"cpu": "0"}, cpu="0"),
    guaranteed_zero=_limits({"cpu": "1", "memory": "0"}),
    over=_limits({"cpu": "1"}, cpu="2"),
    negative=_limits({"cpu": "-1"}, cpu="-2"),
    fine=_limits({"cpu": "100u", "memory": "1500m"}),
    nano=_limits(cpu="1n"),
    exponent=_limits(memory="1e3"),
    fraction=_limits({"ephemeral-storage": "1500m"}, memory="2500m"),
    storage=_limits({"ephemeral-storage": "1Gi"}),
    unknown=_limits({"gpu": "1"}),
    standard=_limits({"pods": "1"}),
    storage_name=_limits({"storage": "1Gi"}),
    bad_name=_limits({"a b": "1"}),
    extended=_limits({"example.com/gpu": "1"}),
    extended_fraction=_limits({"example.com/gpu": "500m"}),
    extended_unequal={
        "resources": {"limits": {"example.com/gpu": "2"}, "requests": {"example.com/gpu": "1"}}
    },
    extended_request_only={"resources": {"requests": {"example.com/gpu": "1"}}},
    extended_native=_limits({"kubernetes.io/gpu": "1"}),
    extended_requests_prefix=_limits({"requests.example.com/gpu": "1"}),
    extended_long=_limits({f"{'a' * 60}.{'b' * 60}.{'c' * 60}.{'d' * 60}/gpu": "1"}),
    huge_pages=_limits({"hugepages-2Mi": "4Mi", "cpu": "1"}),
    huge_pages_alone=_limits({"hugepages-2Mi": "4Mi"}),
    huge_pages_indivisible=_limits({"hugepages-2Mi": "3Mi", "cpu": "1"}),
    huge_pages_size=_limits({"hugepages-x": "3Mi", "cpu": "1"}),
    huge_pages_request=_limits({"cpu": "1"}, hugepages_2Mi="2Mi"),
    claims_unknown={"resources": {"claims": [{"name": "a"}, {"name": ""}]}},
)
RESOURCES += created(
    "claims",
    good={
        "resourceClaims": [{"name": "a", "resourceClaimName": "x"}],
        "containers": [container(resources={"claims": [{"name": "a"}]})],
    },
    twice={
        "resourceClaims": [{"name": "a", "resourceClaimName": "x"}, {"name": "b", "resourceClaimName": "x"}],
        "containers": [
            container(
                resources={
                    "claims": [
                        {"name": "a", "request": "r"},
                        {"name": "a", "request": "r"},
                        {"name": "a", "request": "Bad"},
                        {"name": "a"},
                        {"name": "a"},
                        {"name": "c"},
                    ]
                }
            )
        ],
    },
    names={
        "resourceClaims": [
            {"name": "", "resourceClaimName": "x"},
            {"name": "A", "resourceClaimName": "_"},
            {"name": "b"},
            {"name": "b", "resourceClaimName": "x", "resourceClaimTemplateName": "_"},
        ]
    },
)

RESTART = [
    *with_container(
        "restart",
        policy={"restartPolicy": "OnFailure"},
        policy_bad={"restartPolicy": "Sometimes"},
        rules={
            "restartPolicy": "Never",
            "restartPolicyRules": [
                {"action": "Restart", "exitCodes": {"operator": "In", "values": [42]}},
                {"action": "RestartAllContainers", "exitCodes": {"operator": "NotIn", "values": [1]}},
            ],
        },
        rules_alone={
            "restartPolicyRules": [{"action": "Restart", "exitCodes": {"operator": "In", "values": [1]}}]
        },
        rules_bad={
            "restartPolicy": "Never",
            "restartPolicyRules": [
                {"action": "Explode", "exitCodes": {"operator": "Near", "values": list(range(256))}},
                {"action": "Restart"},
            ],
        },
        rules_many={
            "restartPolicy": "Never",
            "restartPolicyRules": [{"action": "Restart", "exitCodes": {"operator": "In", "values": [1]}}]
            * 21,
        },
        resize={"resizePolicy": [{"resourceName": "cpu", "restartPolicy": "NotRequired"}]},
        resize_bad={
            "resizePolicy": [
                {"resourceName": "disk", "restartPolicy": "Never"},
                {"resourceName": "", "restartPolicy": ""},
                {"resourceName": "cpu", "restartPolicy": "NotRequired"},
                {"resourceName": "cpu", "restartPolicy": "NotRequired"},
            ]
        },
    ),
    *created(
        "restart_pod",
        never_resize={
            "restartPolicy": "Never",
            "containers": [
                container(resizePolicy=[{"resourceName": "cpu", "restartPolicy": "RestartContainer"}])
            ],
        },
    ),
]


def _init(**fields: Any) -> dict[str, Any]:
    return {"initContainers": [container("first", **fields)]}


INIT = created(
    "init",
    sidecar=_init(restartPolicy="Always", livenessProbe=_EXEC, lifecycle={"preStop": _EXEC}),
    sidecar_bad=_init(restartPolicy="Always", livenessProbe={}, lifecycle={"preStop": {}}),
    never=_init(restartPolicy="Never"),
    policy_bad=_init(restartPolicy="Maybe"),
    rules_alone=_init(
        restartPolicyRules=[{"action": "Restart", "exitCodes": {"operator": "In", "values": [1]}}]
    ),
    rules_sidecar=_init(
        restartPolicy="Always",
        restartPolicyRules=[
            {"action": "RestartAllContainers", "exitCodes": {"operator": "In", "values": [1]}},
            {"action": "X"},
        ],
    ),
    probes=_init(livenessProbe=_EXEC, readinessProbe=_EXEC, startupProbe=_EXEC, lifecycle={"preStop": _EXEC}),
    resize=_init(resizePolicy=[{"resourceName": "cpu", "restartPolicy": "RestartContainer"}]),
    resize_sidecar=_init(
        restartPolicy="Always", resizePolicy=[{"resourceName": "cpu", "restartPolicy": "RestartContainer"}]
    ),
    space_image=_init(image=" x"),
    no_name=_init() | {"initContainers": [container(""), container("")]},
    resources=_init(resources={"limits": {"cpu": "2", "memory": "1Gi"}}),
)

TEMPLATES = [
    Case("template_requests", template(containers=[container(resources={"limits": {"cpu": "1"}})])),
    Case("template_space_image", template(containers=[container(image=" x ")])),
    Case("template_no_image", template(containers=[container(image=None)])),
    Case("template_none", template(containers=[])),
    Case("template_ephemeral", template(ephemeralContainers=[container("debug")])),
    Case(
        "qos_two_guaranteed",
        pod(
            containers=[
                container("a", resources={"limits": {"cpu": "1", "memory": "1Gi"}}),
                container("b", resources={"limits": {"cpu": "1", "memory": "2Gi"}}),
            ]
        ),
    ),
    Case(
        "qos_guaranteed_by_value",
        pod(
            containers=[
                container(
                    resources={
                        "limits": {"cpu": "1", "memory": "1Gi"},
                        "requests": {"cpu": "1e0", "memory": "1Gi"},
                    }
                )
            ]
        ),
    ),
    Case(
        "qos_one_without",
        pod(containers=[container("a", resources={"limits": {"cpu": "1", "memory": "1Gi"}}), container("b")]),
    ),
]

CASES = [
    *BASICS,
    *PORTS,
    *ENV,
    *PROBES,
    *LIFECYCLE,
    *RESOURCES,
    *RESTART,
    *INIT,
    *TEMPLATES,
]
