"""The rules of containers: those that run, those that run first, and those that are added to look inside."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

import msgspec

from kubewright.machinery.field_errors import (
    duplicate,
    forbidden,
    invalid,
    not_found,
    required,
    too_many,
)
from kubewright.machinery.names import is_valid_port_name
from kubewright.server.kinds.core.container_env import check_env, check_env_from
from kubewright.server.kinds.core.container_mounts import check_devices, check_mounts
from kubewright.server.kinds.core.container_probes import check_lifecycle, check_probes
from kubewright.server.kinds.core.container_resources import check_container_resources
from kubewright.server.kinds.core.container_security import check_security_context
from kubewright.server.kinds.core.name_checks import (
    check_dns_label,
    check_one_of,
    is_good_label,
    unsupported,
)
from kubewright.server.kinds.core.pod_options import PodOptions
from kubewright.server.kinds.core.volume_sources import PULL_POLICIES
from kubewright.server.kinds.kind import Errors, Object

__all__ = [
    "ContainerContext",
    "check_containers",
    "check_ephemeral_containers",
    "check_image_space",
    "check_init_containers",
]

_PROTOCOLS: Final = ("SCTP", "TCP", "UDP")
_MESSAGE_POLICIES: Final = ("File", "FallbackToLogsOnError")
_RESTART_POLICIES: Final = ("Always", "Never", "OnFailure")
_RULE_ACTIONS: Final = ("Restart", "RestartAllContainers")
_RULE_OPERATORS: Final = ("In", "NotIn")
_RESIZE_POLICIES: Final = ("NotRequired", "RestartContainer")
_RESIZE_RESOURCES: Final = ("cpu", "memory")

_MAX_RULES: Final = 20
_MAX_EXIT_CODES: Final = 255

_NOT_FOR_INIT: Final = "may not be set for init containers without restartPolicy=Always"
_NOT_FOR_EPHEMERAL: Final = "cannot be set for an Ephemeral Container"

# What upstream's allowedEphemeralContainerFields leaves out, in the order of Go's struct.
_FORBIDDEN_FOR_EPHEMERAL: Final = (
    "ports",
    "resources",
    "resizePolicy",
    "restartPolicy",
    "restartPolicyRules",
    "livenessProbe",
    "readinessProbe",
    "startupProbe",
    "lifecycle",
)


class ContainerContext(msgspec.Struct, frozen=True):
    """What the rules of containers want to know of their pod."""

    volumes: Mapping[str, Object]
    claim_names: Collection[str]
    grace: int | None
    os: str | None
    """The name of the operating system; None if the pod does not say."""
    restart_policy: str
    host_users: bool
    options: PodOptions


def check_containers(errors: Errors, containers: list[Object], pod: ContainerContext, path: str) -> None:
    """The containers of a pod, of which there must be one."""
    if not containers:
        errors.append(required(path))
        return
    names: set[str] = set()
    has_host_ports = False
    for index, container in enumerate(containers):
        place = f"{path}[{index}]"
        _check_common(errors, container, pod, place)
        name = container.get("name") or ""
        if name in names:
            errors.append(duplicate(f"{place}.name", name))
        names.add(name)
        lifecycle = container.get("lifecycle")
        if lifecycle is not None:
            check_lifecycle(errors, lifecycle, pod.grace, pod.os, f"{place}.lifecycle")
        check_probes(errors, container, pod.grace, place)
        if "restartPolicy" in container or "restartPolicyRules" in container:
            _check_restart_policy(errors, container, place)
        has_host_ports = has_host_ports or "ports" in container
    if has_host_ports:
        _check_host_ports(errors, containers, path)


def check_init_containers(
    errors: Errors, containers: list[Object], regular: list[Object], pod: ContainerContext, path: str
) -> None:
    """The containers that run before the others; those that are restarted always run beside them."""
    names = {container.get("name") or "" for container in regular}
    for index, container in enumerate(containers):
        place = f"{path}[{index}]"
        _check_common(errors, container, pod, place)
        if "restartPolicy" in container or "restartPolicyRules" in container:
            _check_init_restart_policy(errors, container, place)
        name = container.get("name") or ""
        if name in names:
            errors.append(duplicate(f"{place}.name", name))
        elif name:
            names.add(name)
        # Upstream looks at each container alone, and so calls each the first.
        _check_host_ports(errors, [container], path)
        sidecar = container.get("restartPolicy") == "Always"
        if sidecar:
            lifecycle = container.get("lifecycle")
            if lifecycle is not None:
                check_lifecycle(errors, lifecycle, pod.grace, pod.os, f"{place}.lifecycle")
            check_probes(errors, container, pod.grace, place)
            continue
        for field in ("lifecycle", "livenessProbe", "readinessProbe", "startupProbe"):
            if container.get(field) is not None:
                errors.append(forbidden(f"{place}.{field}", _NOT_FOR_INIT))
        if not pod.options.allow_init_restart_on_resize:
            _check_init_resize_policy(errors, container, place)


def _check_init_resize_policy(errors: Errors, container: Object, path: str) -> None:
    for index, policy in enumerate(container.get("resizePolicy") or ()):
        if policy.get("restartPolicy") == "RestartContainer":
            detail = "must not be set to 'RestartContainer' for non-sidecar initContainers"
            place = f"{path}.resizePolicy[{index}].restartPolicy"
            errors.append(invalid(place, "RestartContainer", detail))


def check_ephemeral_containers(
    errors: Errors, containers: list[Object], others: list[Object], pod: ContainerContext, path: str
) -> None:
    """The containers that are added to a running pod; `others` are all that it has besides."""
    targets = {container.get("name") or "" for container in others}
    names = set(targets)
    for index, container in enumerate(containers):
        place = f"{path}[{index}]"
        _check_common(errors, container, pod, place)
        check_image_space(errors, container, place)
        name = container.get("name") or ""
        if name in names:
            errors.append(duplicate(f"{place}.name", name))
        names.add(name)
        target = container.get("targetContainerName")
        if target and target not in targets:
            errors.append(not_found(f"{place}.targetContainerName", target))
        for field in _FORBIDDEN_FOR_EPHEMERAL:
            if container.get(field):
                errors.append(forbidden(f"{place}.{field}", _NOT_FOR_EPHEMERAL))
        for position, mount in enumerate(container.get("volumeMounts") or ()):
            for field in ("subPath", "subPathExpr"):
                if mount.get(field):
                    errors.append(forbidden(f"{place}.volumeMounts[{position}].{field}", _NOT_FOR_EPHEMERAL))


def check_image_space(errors: Errors, container: Object, path: str) -> None:
    """Space around the name of an image; only pods mind it, not templates."""
    image = container.get("image") or ""
    if image and (image[0].isspace() or image[-1].isspace()):
        detail = "must not have leading or trailing whitespace"
        errors.append(invalid(f"{path}.image", image, detail))


def _check_common(errors: Errors, container: Object, pod: ContainerContext, path: str) -> None:
    name = container.get("name") or ""
    if not name:
        errors.append(required(f"{path}.name"))
    elif is_good_label(name) is None:
        check_dns_label(errors, name, f"{path}.name")
    if not container.get("image"):
        errors.append(required(f"{path}.image"))
    policy = container.get("terminationMessagePolicy") or ""
    if policy not in _MESSAGE_POLICIES:
        check_one_of(errors, policy, _MESSAGE_POLICIES, f"{path}.terminationMessagePolicy")
    ports = container.get("ports")
    if ports:
        _check_ports(errors, ports, f"{path}.ports")
    env = container.get("env")
    if env:
        check_env(errors, env, f"{path}.env")
    env_from = container.get("envFrom")
    if env_from:
        check_env_from(errors, env_from, f"{path}.envFrom")
    mounts, devices = container.get("volumeMounts") or (), container.get("volumeDevices") or ()
    check_mounts(errors, mounts, devices, pod.volumes, container, f"{path}.volumeMounts")
    if devices:
        check_devices(errors, devices, mounts, pod.volumes, f"{path}.volumeDevices")
    pull = container.get("imagePullPolicy") or ""
    if pull not in PULL_POLICIES:
        check_one_of(errors, pull, PULL_POLICIES, f"{path}.imagePullPolicy")
    resources = container.get("resources")
    if resources:
        allow = pod.options.allow_indivisible_huge_pages
        place = f"{path}.resources"
        check_container_resources(errors, resources, pod.claim_names, place, allow_indivisible=allow)
    resize = container.get("resizePolicy")
    if resize:
        _check_resize_policy(errors, resize, pod.restart_policy, f"{path}.resizePolicy")
    security = container.get("securityContext")
    if security:
        check_security_context(errors, security, f"{path}.securityContext", host_users=pod.host_users)


def _check_ports(errors: Errors, ports: list[Object], path: str) -> None:
    names: set[str] = set()
    for index, port in enumerate(ports):
        name = port.get("name")
        if name:
            messages = is_valid_port_name(name)
            if messages:
                errors.extend([invalid(f"{path}[{index}].name", name, told) for told in messages])
            elif name in names:
                errors.append(duplicate(f"{path}[{index}].name", name))
            else:
                names.add(name)
        number, host = port.get("containerPort") or 0, port.get("hostPort") or 0
        if not number:
            errors.append(required(f"{path}[{index}].containerPort"))
        elif not 1 <= number <= 65535:
            detail = "must be between 1 and 65535, inclusive"
            errors.append(invalid(f"{path}[{index}].containerPort", number, detail))
        if host and not 1 <= host <= 65535:
            detail = "must be between 1 and 65535, inclusive"
            errors.append(invalid(f"{path}[{index}].hostPort", host, detail))
        protocol = port.get("protocol") or ""
        if protocol not in _PROTOCOLS:
            check_one_of(errors, protocol, _PROTOCOLS, f"{path}[{index}].protocol")


def _check_host_ports(errors: Errors, containers: list[Object], path: str) -> None:
    taken: set[str] = set()
    for index, container in enumerate(containers):
        for position, port in enumerate(container.get("ports") or ()):
            number = port.get("hostPort")
            if not number:
                continue
            key = f"{port.get('protocol') or ''}/{port.get('hostIP') or ''}/{number}"
            if key in taken:
                errors.append(duplicate(f"{path}[{index}].ports[{position}].hostPort", key))
            taken.add(key)


def _check_resize_policy(errors: Errors, policies: list[Object], restart_policy: str, path: str) -> None:
    seen: set[str] = set()
    for index, policy in enumerate(policies):
        resource, restart = policy.get("resourceName") or "", policy.get("restartPolicy") or ""
        if resource in seen:
            errors.append(duplicate(f"{path}[{index}]", resource))
        seen.add(resource)
        check_one_of(errors, resource, _RESIZE_RESOURCES, path)
        check_one_of(errors, restart, _RESIZE_POLICIES, path)
        if restart_policy == "Never" and restart != "NotRequired":
            detail = "must be 'NotRequired' when pod `restartPolicy` is 'Never'"
            errors.append(invalid(path, restart, detail))


def _check_init_restart_policy(errors: Errors, container: Object, path: str) -> None:
    if container.get("restartPolicy") is not None:
        _check_restart_policy(errors, container, path)
    elif container.get("restartPolicyRules"):
        detail = "must specify restartPolicy when restart rules are used"
        errors.append(required(f"{path}.restartPolicy", detail))


def _check_restart_policy(errors: Errors, container: Object, path: str) -> None:
    policy, rules = container.get("restartPolicy"), container.get("restartPolicyRules") or ()
    if policy is None:
        if not rules:
            return
        detail = "must specify restartPolicy when restart rules are used"
        errors.append(required(f"{path}.restartPolicy", detail))
    elif policy not in _RESTART_POLICIES:
        errors.append(unsupported(f"{path}.restartPolicy", policy, _RESTART_POLICIES))
    if len(rules) > _MAX_RULES:
        errors.append(too_many(f"{path}.restartPolicyRules", len(rules), _MAX_RULES))
    for index, rule in enumerate(rules):
        _check_restart_rule(errors, rule, f"{path}.restartPolicyRules[{index}]")


def _check_restart_rule(errors: Errors, rule: Object, path: str) -> None:
    action, codes = rule.get("action") or "", rule.get("exitCodes")
    if action not in _RULE_ACTIONS:
        errors.append(unsupported(f"{path}.action", action, _RULE_ACTIONS))
    if codes is None:
        errors.append(required(f"{path}.exitCodes", "must be specified"))
        return
    operator, values = codes.get("operator") or "", codes.get("values") or ()
    if operator not in _RULE_OPERATORS:
        errors.append(unsupported(f"{path}.exitCodes.operator", operator, _RULE_OPERATORS))
    if len(values) > _MAX_EXIT_CODES:
        errors.append(too_many(f"{path}.exitCodes.values", len(values), _MAX_EXIT_CODES))
