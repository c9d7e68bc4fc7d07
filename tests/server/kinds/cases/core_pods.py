"""Cases of pod specs as a whole: policies, names, DNS, gates, resources of the pod, operating systems."""

from __future__ import annotations

from typing import Any

from tests.server.kinds.cases.pod_objects import container, created, pod, template
from tests.server.kinds.harness import Case

BASICS = [
    Case("minimal", pod()),
    Case("name_with_dots", pod({"name": "case.pod"})),
    Case("status_is_cleared", pod(status={"phase": "Running", "podIP": "1.2.3.4"})),
    Case("init_annotation", pod({"annotations": {"pod.beta.kubernetes.io/init-containers": "[]"}})),
    *created(
        "spec",
        full={
            "restartPolicy": "OnFailure",
            "terminationGracePeriodSeconds": 0,
            "activeDeadlineSeconds": 60,
            "dnsPolicy": "Default",
            "nodeSelector": {"a": "b"},
            "serviceAccountName": "robot",
            "automountServiceAccountToken": False,
            "nodeName": "node-1",
            "hostPID": True,
            "hostIPC": True,
            "shareProcessNamespace": False,
            "imagePullSecrets": [{"name": "x"}],
            "hostname": "h",
            "subdomain": "s",
            "schedulerName": "mine",
            "priorityClassName": "high",
            "runtimeClassName": "kata",
            "enableServiceLinks": False,
            "preemptionPolicy": "Never",
            "overhead": {"cpu": "10m"},
            "setHostnameAsFQDN": True,
        },
        restart_policy={"restartPolicy": "Maybe"},
        dns_policy={"dnsPolicy": "Maybe"},
        grace_negative={"terminationGracePeriodSeconds": -5},
        deadline_zero={"activeDeadlineSeconds": 0},
        deadline_large={"activeDeadlineSeconds": 2**31},
        node_selector={"nodeSelector": {"a b": "c d"}},
        service_account_alias={"serviceAccount": "robot"},
        service_account_both={"serviceAccount": "robot", "serviceAccountName": "other"},
        service_account_bad={"serviceAccountName": "_"},
        node_name_bad={"nodeName": "_"},
        hostname_bad={"hostname": "a.b", "subdomain": "A"},
        priority_class_bad={"priorityClassName": "_"},
        runtime_class_bad={"runtimeClassName": "_"},
        runtime_class_empty={"runtimeClassName": ""},
        preemption_bad={"preemptionPolicy": "Sure"},
        preemption_empty={"preemptionPolicy": ""},
        overhead_bad={"overhead": {"x": "-1"}},
        overhead_fraction={"overhead": {"memory": "1500m", "ephemeral-storage": "100u"}},
        hostname_override={"hostnameOverride": "a.b"},
        hostname_override_bad={
            "hostnameOverride": "A" * 65,
            "setHostnameAsFQDN": True,
            "hostNetwork": True,
        },
        hostname_override_empty={"hostnameOverride": ""},
        scheduling_group={"schedulingGroup": {"podGroupName": "x"}},
        pull_secrets={"imagePullSecrets": [{"name": "a"}, {"name": "a"}, {}]},
        service_links={"enableServiceLinks": True},
    ),
]

DNS = created(
    "dns",
    good={
        "dnsConfig": {
            "nameservers": ["1.2.3.4", "2001:db8::1"],
            "searches": ["example.com", "a_b.example.", "."],
            "options": [{"name": "ndots", "value": "2"}, {"name": "edns0"}],
        }
    },
    none={"dnsPolicy": "None"},
    none_without_servers={"dnsPolicy": "None", "dnsConfig": {"searches": ["a"]}},
    none_good={"dnsPolicy": "None", "dnsConfig": {"nameservers": ["1.2.3.4"]}},
    many_servers={"dnsConfig": {"nameservers": ["1.1.1.1", "1.1.1.2", "1.1.1.3", "1.1.1.4"]}},
    bad_server={"dnsConfig": {"nameservers": ["x", "010.0.0.1", "::ffff:1.2.3.4"]}},
    odd_server={"dnsConfig": {"nameservers": ["2001:DB8:0::1"]}},
    many_searches={"dnsConfig": {"searches": [f"s{index}" for index in range(33)]}},
    long_searches={"dnsConfig": {"searches": [f"{'s' * 60}.{'t' * 60}.u{index}" for index in range(20)]}},
    bad_search={"dnsConfig": {"searches": ["A", "", "-"]}},
    bad_option={"dnsConfig": {"options": [{"value": "x"}]}},
    aliases={"hostAliases": [{"ip": "1.2.3.4", "hostnames": ["a", "b.c"]}]},
    aliases_bad={"hostAliases": [{"ip": "", "hostnames": ["A"]}, {"ip": "x"}]},
    aliases_odd={"hostAliases": [{"ip": "1.2.3.4"}, {"ip": "1.2.3.4"}, {"ip": "FE80::1"}]},
)

GATES = created(
    "gate",
    readiness={"readinessGates": [{"conditionType": "example.com/x"}]},
    readiness_bad={"readinessGates": [{"conditionType": "a b"}, {"conditionType": ""}]},
    scheduling_bad={"schedulingGates": [{"name": "a b"}, {"name": "a"}, {"name": "a"}]},
    scheduling_bound={"schedulingGates": [{"name": "a"}], "nodeName": "x"},
)


def _pod_resources(resources: dict[str, Any], *containers: dict[str, Any], **spec: Any) -> dict[str, Any]:
    made = [container(f"c{index}", resources=each) for index, each in enumerate(containers)]
    return {"resources": resources, "containers": made or [container()], **spec}


POD_RESOURCES = created(
    "pod_resources",
    limits=_pod_resources({"limits": {"cpu": "1", "memory": "1Gi"}}),
    requests=_pod_resources({"requests": {"cpu": "1"}}),
    from_containers=_pod_resources(
        {"limits": {"cpu": "2", "memory": "1Gi"}}, {"requests": {"cpu": "500m"}}, {"requests": {"cpu": "1"}}
    ),
    from_init={
        "resources": {"limits": {"cpu": "4", "memory": "1Gi"}},
        "containers": [container(resources={"requests": {"cpu": "1"}})],
        "initContainers": [
            container("a", restartPolicy="Always", resources={"requests": {"cpu": "1"}}),
            container("b", resources={"requests": {"cpu": "2"}}),
        ],
    },
    exceeded=_pod_resources({"requests": {"cpu": "1"}}, {"requests": {"cpu": "2"}}),
    limit_exceeded=_pod_resources(
        {"limits": {"cpu": "1"}}, {"limits": {"cpu": "2"}, "requests": {"cpu": "1"}}
    ),
    huge_pages=_pod_resources({"limits": {"cpu": "1"}}, {"limits": {"cpu": "1", "hugepages-2Mi": "4Mi"}}),
    huge_pages_exceeded=_pod_resources(
        {"limits": {"cpu": "1", "hugepages-2Mi": "2Mi"}}, {"limits": {"cpu": "1", "hugepages-2Mi": "4Mi"}}
    ),
    unsupported=_pod_resources({"limits": {"ephemeral-storage": "1Gi"}}),
    unknown=_pod_resources({"limits": {"x": "1"}}),
    claims=_pod_resources({"claims": [{"name": "a"}]}),
    windows=_pod_resources({"limits": {"cpu": "1"}}, os={"name": "windows"}),
    request_over_limit=_pod_resources({"limits": {"cpu": "1"}, "requests": {"cpu": "2"}}),
    fine=_pod_resources({"limits": {"cpu": "100u"}}),
    guaranteed=_pod_resources({"limits": {"cpu": "1", "memory": "1Gi"}}, {"requests": {"cpu": "1"}}),
)

_LINUX_SECURITY = {
    "appArmorProfile": {"type": "Unconfined"},
    "seLinuxOptions": {"level": "x"},
    "seccompProfile": {"type": "Unconfined"},
    "fsGroup": 1,
    "fsGroupChangePolicy": "Always",
    "sysctls": [{"name": "a", "value": "b"}],
    "runAsUser": 1,
    "runAsGroup": 1,
    "supplementalGroups": [1],
    "supplementalGroupsPolicy": "Merge",
    "seLinuxChangePolicy": "Recursive",
}
SYSTEMS = created(
    "os",
    linux={"os": {"name": "linux"}},
    windows={"os": {"name": "windows"}},
    unknown={"os": {"name": "plan9"}},
    empty={"os": {"name": ""}},
    linux_with_windows={
        "os": {"name": "linux"},
        "securityContext": {"windowsOptions": {}},
        "containers": [container(securityContext={"windowsOptions": {"runAsUserName": "x"}})],
    },
    windows_with_linux={
        "os": {"name": "windows"},
        "hostUsers": True,
        "hostPID": True,
        "hostIPC": True,
        "shareProcessNamespace": False,
        "securityContext": _LINUX_SECURITY,
        "containers": [
            container(
                securityContext={
                    "appArmorProfile": {"type": "Unconfined"},
                    "seLinuxOptions": {"level": "x"},
                    "seccompProfile": {"type": "Unconfined"},
                    "capabilities": {"add": ["x"]},
                    "readOnlyRootFilesystem": False,
                    "privileged": False,
                    "allowPrivilegeEscalation": False,
                    "procMount": "Default",
                    "runAsUser": 1,
                    "runAsGroup": 1,
                }
            )
        ],
    },
    host_process={
        "hostNetwork": True,
        "securityContext": {"windowsOptions": {"hostProcess": True, "runAsUserName": "NT AUTHORITY\\SYSTEM"}},
    },
    host_process_no_network={"securityContext": {"windowsOptions": {"hostProcess": True}}},
    host_process_some={
        "hostNetwork": True,
        "containers": [
            container("a", securityContext={"windowsOptions": {"hostProcess": True}}),
            container("b"),
        ],
    },
    host_process_differs={
        "hostNetwork": True,
        "securityContext": {"windowsOptions": {"hostProcess": True}},
        "containers": [container("a", securityContext={"windowsOptions": {"hostProcess": False}})],
    },
    host_users={"hostUsers": False},
    host_users_conflicts={
        "hostUsers": False,
        "hostNetwork": True,
        "hostPID": True,
        "hostIPC": True,
        "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "x"}}],
        "containers": [container(volumeDevices=[{"name": "v", "devicePath": "/x"}])],
    },
)

TEMPLATES = [
    Case("template_minimal", template()),
    Case("template_labels", template({"labels": {"a b": "c d"}, "annotations": {"a b": "c"}})),
    Case("template_empty", {**template(), "template": {"metadata": {}, "spec": {"containers": []}}}),
    Case("template_negative_grace", template(terminationGracePeriodSeconds=-1)),
    Case("template_service_account", template(serviceAccount="x")),
    Case("template_pod_resources", template(resources={"limits": {"cpu": "1"}})),
    Case("template_scheduling_gates", template(schedulingGates=[{"name": "a"}])),
    Case("template_update", template({"labels": {"a": "b"}}), template()),
    Case("template_update_bad", template(restartPolicy="X"), template()),
    Case("template_update_same_warnings", template(nodeSelector={"beta.kubernetes.io/os": "x"}), None),
    Case(
        "template_update_warns",
        template(nodeSelector={"beta.kubernetes.io/os": "y"}),
        template(nodeSelector={"beta.kubernetes.io/os": "x"}),
    ),
    Case(
        "template_update_does_not_warn",
        template(nodeSelector={"beta.kubernetes.io/os": "x"}),
        template(nodeSelector={"beta.kubernetes.io/os": "x"}),
    ),
]

CASES = [*BASICS, *DNS, *GATES, *POD_RESOURCES, *SYSTEMS, *TEMPLATES]
