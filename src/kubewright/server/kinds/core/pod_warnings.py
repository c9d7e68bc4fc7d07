"""What is not wrong with a pod spec, but probably not meant: the sentences for Warning headers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from kubewright.machinery.field_errors import go_quote
from kubewright.machinery.names import is_valid_label_value
from kubewright.server.kinds.core.ip_rules import ip_warnings
from kubewright.server.kinds.core.pod_annotations import (
    APPARMOR_PREFIX,
    SECCOMP_POD,
    SECCOMP_PREFIX,
    apparmor_profile_of,
)
from kubewright.server.kinds.core.pod_os import containers_with_paths
from kubewright.server.kinds.core.pod_resources import amount_of, is_fractional
from kubewright.server.kinds.core.volume_warnings import overlap_warnings, volume_warnings
from kubewright.server.kinds.kind import Object

__all__ = ["pod_spec_warnings"]

_NODE_LABELS: Final = {
    "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
    "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
    "failure-domain.beta.kubernetes.io/region": (
        'deprecated since v1.17; use "topology.kubernetes.io/region" instead'
    ),
    "failure-domain.beta.kubernetes.io/zone": (
        'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'
    ),
    "beta.kubernetes.io/instance-type": (
        'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead'
    ),
    "app.kubernetes.io/created-by": "deprecated since v1.9",
    "scheduler.alpha.kubernetes.io/preferAvoidPods": (
        "deprecated since v1.22; use Taints and Tolerations instead"
    ),
    "node-role.kubernetes.io/master": 'use "node-role.kubernetes.io/control-plane" instead',
}
_ANNOTATIONS: Final = {
    "scheduler.alpha.kubernetes.io/critical-pod": (
        'non-functional in v1.16+; use the "priorityClassName" field instead'
    ),
    "security.alpha.kubernetes.io/sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
    "security.alpha.kubernetes.io/unsafe-sysctls": (
        'non-functional in v1.11+; use the "sysctls" field instead'
    ),
}
_SECCOMP: Final = 'non-functional in v1.27+; use the "seccompProfile" field instead'
_APPARMOR: Final = 'deprecated since v1.30; use the "appArmorProfile" field instead'
_NO_SELECTOR: Final = "a null labelSelector results in matching no pod"
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"

_MAX_PORTS: Final = 2000
"""Each port is compared with those before of the same number; beyond this many nothing is told of them."""


def pod_spec_warnings(spec: Object, metadata: Object, path: str) -> list[str]:
    """The sentences for Warning headers about a pod spec.

    `path` is that of the template, such as `spec.template`, or "" for a pod; `metadata` is the template's or
    the pod's. None is said twice.
    """
    told: list[str] = []
    root = f"{path}." if path else ""
    annotations = metadata.get("annotations") or {}
    _scheduling_warnings(told, spec, f"{root}spec")
    for key, message in _ANNOTATIONS.items():
        if key in annotations:
            told.append(f"{root}metadata.annotations[{key}]: {message}")
    volumes = spec.get("volumes") or ()
    volume_warnings(told, volumes, f"{root}spec.volumes")
    overlap_warnings(told, volumes)
    _duplicates(told, spec.get("hostAliases") or (), "ip", f"{root}spec.hostAliases")
    secrets = spec.get("imagePullSecrets") or ()
    _duplicates(told, secrets, "name", f"{root}spec.imagePullSecrets")
    for index, secret in enumerate(secrets):
        if not secret.get("name"):
            told.append(f'{root}spec.imagePullSecrets[{index}].name: invalid empty name ""')
    _fractions(told, spec.get("overhead"), f"{root}spec.overhead")
    profile = (spec.get("securityContext") or {}).get("seccompProfile")
    if annotations and profile is None and SECCOMP_POD in annotations:
        told.append(f"{root}metadata.annotations[{SECCOMP_POD}]: {_SECCOMP}")
    containers = containers_with_paths(spec, f"{root}spec")
    for container, place in containers:
        if annotations:
            _profile_warnings(told, container, annotations, spec, root)
        _container_warnings(told, container, place)
    _port_warnings(told, containers)
    grace = spec.get("terminationGracePeriodSeconds")
    if grace is not None and grace < 0:
        detail = "must be >= 0; negative values are invalid and will be treated as 1"
        told.append(f"{root}spec.terminationGracePeriodSeconds: {detail}")
    affinity = spec.get("affinity")
    if affinity:
        _selector_warnings(told, affinity, f"{root}spec.affinity")
    _address_warnings(told, spec, f"{root}spec")
    return list(dict.fromkeys(told)) if told else told


def _address_warnings(told: list[str], spec: Object, path: str) -> None:
    for index, server in enumerate((spec.get("dnsConfig") or {}).get("nameservers") or ()):
        told += ip_warnings(server, f"{path}.dnsConfig.nameservers[{index}]")
    for index, alias in enumerate(spec.get("hostAliases") or ()):
        told += ip_warnings(alias.get("ip") or "", f"{path}.hostAliases[{index}].ip")


def _scheduling_warnings(told: list[str], spec: Object, path: str) -> None:
    told += [
        f"{path}.nodeSelector[{key}]: {_NODE_LABELS[key]}"
        for key in spec.get("nodeSelector") or ()
        if key in _NODE_LABELS
    ]
    node = (spec.get("affinity") or {}).get("nodeAffinity")
    if node:
        place = f"{path}.affinity.nodeAffinity"
        for index, term in enumerate((node.get(_REQUIRED) or {}).get("nodeSelectorTerms") or ()):
            _node_term_warnings(told, term, f"{place}.{_REQUIRED}.nodeSelectorTerms[{index}]")
        for index, weighted in enumerate(node.get(_PREFERRED) or ()):
            term = weighted.get("preference") or {}
            spot = f"{place}.{_PREFERRED}[{index}].preference"
            _node_term_warnings(told, term, spot, check_values=True)
    for index, constraint in enumerate(spec.get("topologySpreadConstraints") or ()):
        place = f"{path}.topologySpreadConstraints[{index}]"
        key = constraint.get("topologyKey") or ""
        if key in _NODE_LABELS:
            told.append(f"{place}.topologyKey: {key} is {_NODE_LABELS[key]}")
        if constraint.get("labelSelector") is None:
            told.append(f"{place}.labelSelector: {_NO_SELECTOR}")


def _node_term_warnings(told: list[str], term: Object, path: str, *, check_values: bool = False) -> None:
    for index, expression in enumerate(term.get("matchExpressions") or ()):
        place = f"{path}.matchExpressions[{index}]"
        key = expression.get("key") or ""
        if key in _NODE_LABELS:
            told.append(f"{place}.key: {key} is {_NODE_LABELS[key]}")
        if check_values:
            for position, value in enumerate(expression.get("values") or ()):
                told += [
                    f"{place}.values[{position}]: {value} is invalid, {message}"
                    for message in is_valid_label_value(value)
                ]


def _duplicates(told: list[str], items: Iterable[Object], field: str, path: str) -> None:
    seen: set[str] = set()
    for index, item in enumerate(items):
        value = item.get(field) or ""
        if value in seen:
            told.append(f"{path}[{index}].{field}: duplicate {field} {go_quote(value)}")
        seen.add(value)


def _fractions(told: list[str], resources: Object | None, path: str) -> None:
    for name in ("memory", "ephemeral-storage"):
        _fraction(told, resources, name, path)


def _container_warnings(told: list[str], container: Object, path: str) -> None:
    resources = container.get("resources")
    if resources:
        for name in ("memory", "ephemeral-storage"):
            for which in ("limits", "requests"):
                _fraction(told, resources.get(which), name, f"{path}.resources.{which}")
    env = container.get("env")
    if env and len(env) > 1:
        _hidden_variables(told, env, f"{path}.env")


def _fraction(told: list[str], resources: Object | None, name: str, path: str) -> None:
    text = resources.get(name) if resources else None
    if text is not None and is_fractional(text):
        shown = go_quote(str(amount_of(text)))
        told.append(f"{path}[{name}]: fractional byte value {shown} is invalid, must be an integer")


def _profile_warnings(
    told: list[str], container: Object, annotations: Object, spec: Object, root: str
) -> None:
    context, name = container.get("securityContext") or {}, container.get("name") or ""
    key = f"{SECCOMP_PREFIX}{name}"
    if key in annotations and context.get("seccompProfile") is None:
        told.append(f"{root}metadata.annotations[{key}]: {_SECCOMP}")
    key = f"{APPARMOR_PREFIX}{name}"
    # Pods are warned of it when the annotation becomes a field.
    if root and key in annotations and context.get("appArmorProfile") is None:
        profile = (spec.get("securityContext") or {}).get("appArmorProfile")
        if profile is None or profile != apparmor_profile_of(annotations[key]):
            told.append(f"{root}metadata.annotations[{key}]: {_APPARMOR}")


def _hidden_variables(told: list[str], env: list[Object], path: str) -> None:
    seen: set[str] = set()
    for index, variable in enumerate(env):
        name = variable.get("name") or ""
        if name in seen:
            value, reference = variable.get("value") or "", f"$({name})"
            if variable.get("valueFrom") is not None or value == reference or reference not in value:
                detail = (
                    f"hides previous definition of {go_quote(name)}, which may be dropped when using apply"
                )
                told.append(f"{path}[{index}]: {detail}")
        seen.add(name)


def _port_warnings(told: list[str], containers: list[tuple[Object, str]]) -> None:
    ports = [
        (port, f"{place}.ports[{index}]")
        for container, place in containers
        for index, port in enumerate(container.get("ports") or ())
    ]
    if len(ports) > _MAX_PORTS:
        return
    by_number: dict[tuple[int, str], list[tuple[Object, str]]] = {}
    for port, place in ports:
        if port.get("hostIP") and not port.get("hostPort"):
            told.append(f"{place}: hostIP set without hostPort: {_go_port(port)}")
        key = (port.get("containerPort") or 0, port.get("protocol") or "")
        others = by_number.setdefault(key, [])
        for other, where in others:
            kind = _conflict(port, other)
            if kind:
                told.append(f"{place}: {kind} port definition with {where}")
        others.append((port, place))
    names: dict[str, str] = {}
    for port, place in ports:
        name = port.get("name")
        if name and names.setdefault(name, place) != place:
            where = names[name]
            detail = f"services and probes that select ports by name will use {where}"
            told.append(f"{place}: duplicate port name {go_quote(name)} with {where}, {detail}")


def _conflict(port: Object, other: Object) -> str:
    host, ip = port.get("hostPort") or 0, port.get("hostIP") or ""
    other_host, other_ip = other.get("hostPort") or 0, other.get("hostIP") or ""
    if ip == other_ip and host == other_host:
        return "duplicate"
    if not host or not other_host:
        return "overlapping"
    return "dangerously ambiguous" if host == other_host and bool(ip) != bool(other_ip) else ""


def _go_port(port: Object) -> str:
    """A port as Go's %+v prints it."""
    fields = (
        ("Name", port.get("name") or ""),
        ("HostPort", port.get("hostPort") or 0),
        ("ContainerPort", port.get("containerPort") or 0),
        ("Protocol", port.get("protocol") or ""),
        ("HostIP", port.get("hostIP") or ""),
    )
    return "{" + " ".join(f"{name}:{value}" for name, value in fields) + "}"


def _selector_warnings(told: list[str], affinity: Object, path: str) -> None:
    for kind in ("podAffinity", "podAntiAffinity"):
        pods = affinity.get(kind) or {}
        for index, term in enumerate(pods.get(_REQUIRED) or ()):
            if term.get("labelSelector") is None:
                told.append(f"{path}.{kind}.{_REQUIRED}[{index}].labelSelector: {_NO_SELECTOR}")
        for index, weighted in enumerate(pods.get(_PREFERRED) or ()):
            if (weighted.get("podAffinityTerm") or {}).get("labelSelector") is None:
                place = f"{path}.{kind}.{_PREFERRED}[{index}].podAffinityTerm.labelSelector"
                told.append(f"{place}: {_NO_SELECTOR}")
