"""Cases of security contexts, and of the annotations that mean something to pods."""

from __future__ import annotations

from typing import Any

from tests.server.kinds.cases.pod_objects import container, created, pod, template, with_container
from tests.server.kinds.harness import Case

_APPARMOR = "container.apparmor.security.beta.kubernetes.io/"
_SECCOMP = "container.seccomp.security.alpha.kubernetes.io/"
_SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod"
_MIRROR = "kubernetes.io/config.mirror"
_TOLERATIONS = "scheduler.alpha.kubernetes.io/tolerations"


def _context(**fields: Any) -> dict[str, Any]:
    return {"securityContext": fields}


CONTAINERS = with_container(
    "container",
    full=_context(
        capabilities={"add": ["NET_ADMIN"], "drop": ["ALL"]},
        privileged=True,
        runAsUser=0,
        runAsGroup=5,
        runAsNonRoot=False,
        readOnlyRootFilesystem=True,
        allowPrivilegeEscalation=True,
        procMount="Default",
        seccompProfile={"type": "Localhost", "localhostProfile": "a/b.json"},
        appArmorProfile={"type": "Localhost", "localhostProfile": "x"},
        seLinuxOptions={"level": "s0"},
    ),
    ids=_context(runAsUser=-1, runAsGroup=2**31),
    proc_mount=_context(procMount="Masked"),
    proc_mount_unmasked=_context(procMount="Unmasked"),
    seccomp_none=_context(seccompProfile={"type": ""}),
    seccomp_unknown=_context(seccompProfile={"type": "X"}),
    seccomp_local_missing=_context(seccompProfile={"type": "Localhost"}),
    seccomp_local_path=_context(seccompProfile={"type": "Localhost", "localhostProfile": "/a/../b"}),
    seccomp_local_extra=_context(seccompProfile={"type": "Unconfined", "localhostProfile": "<x>"}),
    apparmor_none=_context(appArmorProfile={"type": ""}),
    apparmor_unknown=_context(appArmorProfile={"type": "X"}),
    apparmor_local_missing=_context(appArmorProfile={"type": "Localhost"}),
    apparmor_local_empty=_context(appArmorProfile={"type": "Localhost", "localhostProfile": ""}),
    apparmor_local_padded=_context(appArmorProfile={"type": "Localhost", "localhostProfile": " x "}),
    apparmor_local_long=_context(appArmorProfile={"type": "Localhost", "localhostProfile": "x" * 4096}),
    apparmor_local_extra=_context(appArmorProfile={"type": "RuntimeDefault", "localhostProfile": "x"}),
    escalation_privileged=_context(allowPrivilegeEscalation=False, privileged=True, runAsUser=5),
    escalation_capability=_context(
        allowPrivilegeEscalation=False, capabilities={"add": ["CAP_SYS_ADMIN", "SYS_ADMIN"]}
    ),
    windows=_context(windowsOptions={"runAsUserName": "DOMAIN\\User", "gmsaCredentialSpecName": "x"}),
    windows_gmsa=_context(windowsOptions={"gmsaCredentialSpecName": "_", "gmsaCredentialSpec": ""}),
    windows_empty=_context(windowsOptions={"runAsUserName": ""}),
    windows_control=_context(windowsOptions={"runAsUserName": "a\tb"}),
    windows_backslashes=_context(windowsOptions={"runAsUserName": "a\\b\\c"}),
    windows_domain=_context(windowsOptions={"runAsUserName": ".a_b\\c"}),
    windows_long=_context(windowsOptions={"runAsUserName": "d" * 256 + "\\" + "u" * 105}),
    windows_no_user=_context(windowsOptions={"runAsUserName": "d\\"}),
    windows_dots=_context(windowsOptions={"runAsUserName": ". ."}),
    windows_chars=_context(windowsOptions={"runAsUserName": "a;b<"}),
)

PODS = created(
    "pod",
    full=_context(
        runAsUser=1,
        runAsGroup=2,
        runAsNonRoot=True,
        fsGroup=3,
        fsGroupChangePolicy="OnRootMismatch",
        supplementalGroups=[4],
        supplementalGroupsPolicy="Strict",
        seLinuxChangePolicy="Recursive",
        sysctls=[{"name": "net.ipv4.ip_forward", "value": "1"}],
        seccompProfile={"type": "RuntimeDefault"},
        appArmorProfile={"type": "RuntimeDefault"},
    ),
    ids=_context(runAsUser=-1, runAsGroup=-1, fsGroup=-1, supplementalGroups=[-1, 1]),
    policies=_context(fsGroupChangePolicy="X", supplementalGroupsPolicy="Y", seLinuxChangePolicy="Z"),
    selinux_mount=_context(seLinuxChangePolicy="MountOption"),
    sysctl_names=_context(
        sysctls=[
            {"name": "", "value": ""},
            {"name": "A b", "value": ""},
            {"name": "a.b", "value": ""},
            {"name": "a.b", "value": ""},
            {"name": "a" * 254, "value": ""},
        ]
    ),
    sysctl_host_network={
        **_context(
            sysctls=[
                {"name": "net.ipv4.ip_forward", "value": "1"},
                {"name": "net/ipv4/conf/eno2.100/rp_filter", "value": "1"},
                {"name": "kernel.sem", "value": "1"},
            ]
        ),
        "hostNetwork": True,
    },
    sysctl_host_ipc={
        **_context(
            sysctls=[
                {"name": "kernel.shmmax", "value": "1"},
                {"name": "kernel/msgmax", "value": "1"},
                {"name": "fs.mqueue.x", "value": "1"},
                {"name": "net.x", "value": "1"},
            ]
        ),
        "hostIPC": True,
    },
    share_and_host_pid={"shareProcessNamespace": True, "hostPID": True},
    seccomp=_context(seccompProfile={"type": "RuntimeDefault", "localhostProfile": "x"}),
    windows=_context(windowsOptions={"runAsUserName": "a/b"}),
    apparmor=_context(appArmorProfile={"type": "Localhost"}),
    unmasked_user_namespace={
        "hostUsers": False,
        "containers": [container(securityContext={"procMount": "Unmasked"})],
    },
)


def _annotated(annotations: dict[str, str], **spec: Any) -> dict[str, Any]:
    return pod({"annotations": annotations}, **spec)


_PROFILED = [container(securityContext={"seccompProfile": {"type": "RuntimeDefault"}})]
_UNCONFINED = [container(securityContext={"appArmorProfile": {"type": "Unconfined"}})]
_LOCAL = {"type": "Localhost", "localhostProfile": "x"}

ANNOTATIONS = [
    Case(f"annotation_{name}", obj)
    for name, obj in {
        "mirror": _annotated({_MIRROR: "x"}),
        "mirror_bound": _annotated({_MIRROR: "x"}, nodeName="node"),
        "mirror_claims": _annotated(
            {_MIRROR: "x"}, nodeName="node", resourceClaims=[{"name": "a", "resourceClaimName": "b"}]
        ),
        "cost": _annotated({"controller.kubernetes.io/pod-deletion-cost": "-100"}),
        "cost_text": _annotated({"controller.kubernetes.io/pod-deletion-cost": "x"}),
        "cost_plus": _annotated({"controller.kubernetes.io/pod-deletion-cost": "+1"}),
        "cost_zeros": _annotated({"controller.kubernetes.io/pod-deletion-cost": "007"}),
        "cost_large": _annotated({"controller.kubernetes.io/pod-deletion-cost": "2147483648"}),
        "tolerations": _annotated({_TOLERATIONS: '[{"key":"a","operator":"Exists"}]'}),
        "tolerations_bad": _annotated({_TOLERATIONS: '[{"key":"a b","operator":"X","effect":"Y"}]'}),
        "tolerations_syntax": _annotated({_TOLERATIONS: "[{"}),
        "tolerations_type": _annotated({_TOLERATIONS: "{}"}),
        "tolerations_element": _annotated({_TOLERATIONS: "[1]"}),
        "tolerations_field": _annotated({_TOLERATIONS: '[{"Key":1}]'}),
        "tolerations_null": _annotated({_TOLERATIONS: "null"}),
        "seccomp_pod": _annotated({_SECCOMP_POD: "runtime/default"}),
        "seccomp_pod_bad": _annotated({_SECCOMP_POD: "x"}),
        "seccomp_pod_local": _annotated({_SECCOMP_POD: "localhost//x/.."}),
        "seccomp_container": _annotated({f"{_SECCOMP}main": "docker/default"}),
        "seccomp_container_bad": _annotated({f"{_SECCOMP}main": "x"}),
        "seccomp_agrees": _annotated({f"{_SECCOMP}main": "runtime/default"}, containers=_PROFILED),
        "seccomp_differs": _annotated({f"{_SECCOMP}main": "unconfined"}, containers=_PROFILED),
        "seccomp_pod_differs": _annotated(
            {_SECCOMP_POD: "localhost/y"}, securityContext={"seccompProfile": _LOCAL}
        ),
        "seccomp_pod_type_differs": _annotated(
            {_SECCOMP_POD: "unconfined"}, securityContext={"seccompProfile": _LOCAL}
        ),
        "apparmor": _annotated({f"{_APPARMOR}main": "runtime/default"}),
        "apparmor_local": _annotated({f"{_APPARMOR}main": "localhost/x"}),
        "apparmor_local_empty": _annotated({f"{_APPARMOR}main": "localhost/"}),
        "apparmor_empty": _annotated({f"{_APPARMOR}main": ""}),
        "apparmor_unconfined": _annotated({f"{_APPARMOR}main": "unconfined"}),
        "apparmor_bad": _annotated({f"{_APPARMOR}main": "x"}),
        "apparmor_unknown": _annotated({f"{_APPARMOR}other": "unconfined"}),
        "apparmor_agrees": _annotated({f"{_APPARMOR}main": "unconfined"}, containers=_UNCONFINED),
        "apparmor_differs": _annotated({f"{_APPARMOR}main": "runtime/default"}, containers=_UNCONFINED),
        "apparmor_as_pod": _annotated(
            {f"{_APPARMOR}main": "localhost/x"}, securityContext={"appArmorProfile": _LOCAL}
        ),
        "apparmor_not_as_pod": _annotated(
            {f"{_APPARMOR}main": "localhost/y"}, securityContext={"appArmorProfile": _LOCAL}
        ),
        "apparmor_windows": _annotated({f"{_APPARMOR}main": "unconfined"}, os={"name": "windows"}),
        "critical": _annotated({"scheduler.alpha.kubernetes.io/critical-pod": ""}),
        "sysctls": _annotated({"security.alpha.kubernetes.io/sysctls": "x"}),
        "template_apparmor": template({"annotations": {f"{_APPARMOR}main": "unconfined"}}),
        "template_apparmor_as_pod": template(
            {"annotations": {f"{_APPARMOR}main": "localhost/x"}}, securityContext={"appArmorProfile": _LOCAL}
        ),
        "template_seccomp": template({"annotations": {_SECCOMP_POD: "x", f"{_SECCOMP}main": "unconfined"}}),
        "template_seccomp_warns": template({"annotations": {f"{_SECCOMP}main": "unconfined"}}),
        "template_seccomp_differs": template(
            {"annotations": {f"{_SECCOMP}main": "unconfined"}}, containers=_PROFILED
        ),
        "template_mirror": template({"annotations": {_MIRROR: "x"}}),
        "template_tolerations": template({"annotations": {_TOLERATIONS: '[{"key":""}]'}}),
    }.items()
]

_PORT = {"containerPort": 80, "protocol": "TCP"}
WARNINGS = [
    Case(f"warning_{name}", pod(containers=[container("a", ports=first), container("b", ports=second)]))
    for name, first, second in (
        ("port_twice", [_PORT], [_PORT]),
        ("port_overlap", [_PORT], [{**_PORT, "hostPort": 80}]),
        (
            "port_ambiguous",
            [{**_PORT, "hostPort": 80}],
            [{**_PORT, "hostPort": 80, "hostIP": "1.2.3.4"}],
        ),
        ("port_names", [{**_PORT, "name": "x"}], [{"containerPort": 81, "protocol": "TCP", "name": "x"}]),
        ("host_ip", [{**_PORT, "hostIP": "1.2.3.4", "name": "x"}], [{"containerPort": 81}]),
        ("protocols", [_PORT], [{**_PORT, "protocol": "UDP"}]),
    )
]

CASES = [*CONTAINERS, *PODS, *ANNOTATIONS, *WARNINGS]
