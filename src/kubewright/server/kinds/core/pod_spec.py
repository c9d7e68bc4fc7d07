"""The rules of pod specs as a whole. Containers, volumes, security and scheduling have their own modules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kubewright.machinery.field_errors import (
    duplicate,
    forbidden,
    invalid,
    required,
    too_long,
)
from kubewright.machinery.names import is_dns1123_subdomain_with_underscore
from kubewright.server.kinds.core.container_resources import check_container_resources, check_pod_resources
from kubewright.server.kinds.core.container_security import check_pod_security_context
from kubewright.server.kinds.core.containers import (
    ContainerContext,
    check_containers,
    check_ephemeral_containers,
    check_init_containers,
)
from kubewright.server.kinds.core.name_checks import (
    check_dns_label,
    check_dns_subdomain,
    check_one_of,
    check_qualified_name,
)
from kubewright.server.kinds.core.pod_addresses import check_address
from kubewright.server.kinds.core.pod_internal import invalid_internal
from kubewright.server.kinds.core.pod_options import PodOptions
from kubewright.server.kinds.core.pod_os import (
    check_file_keys,
    check_host_process,
    check_host_users,
    check_os,
    containers_with_paths,
)
from kubewright.server.kinds.core.pod_scheduling import (
    check_affinity,
    check_tolerations,
    check_topology_spread,
)
from kubewright.server.kinds.core.volumes import check_volumes
from kubewright.server.kinds.kind import Errors, Object
from kubewright.server.kinds.metadata_rules import byte_length, validate_labels

__all__ = ["MIRROR_ANNOTATION", "NO_FIELD", "check_pod_spec"]

MIRROR_ANNOTATION: Final = "kubernetes.io/config.mirror"
"""Marks the pod that stands for one that a kubelet runs from a file."""

NO_FIELD: Final = "[]"
"""How upstream prints the path of an error that is of no field."""

_RESTART_POLICIES: Final = ("Always", "OnFailure", "Never")
_DNS_POLICIES: Final = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
_PREEMPTION_POLICIES: Final = ("PreemptLowerPriority", "Never")

_MAX_SECONDS: Final = 2**31 - 1
_MAX_NAMESERVERS: Final = 3
_MAX_SEARCHES: Final = 32
_MAX_SEARCH_LENGTH: Final = 2048
_MAX_HOSTNAME: Final = 64
"""The limits of resolv.conf, and of Linux for host names, as upstream has them."""


def check_pod_spec(
    errors: Errors, spec: Object, metadata: Object | None, path: str, options: PodOptions
) -> None:
    """All that is wrong with a pod spec; `metadata` is the pod's, and None for templates."""
    grace = spec.get("terminationGracePeriodSeconds")
    if grace is None:
        errors.append(required(f"{path}.terminationGracePeriodSeconds"))
    volumes = spec.get("volumes")
    mountable = check_volumes(errors, volumes, metadata, f"{path}.volumes", options) if volumes else {}
    claims = spec.get("resourceClaims") or ()
    claim_names = {claim.get("name") for claim in claims if claim.get("name")}
    if claims:
        _check_resource_claims(errors, claims, metadata, f"{path}.resourceClaims")
    system = spec.get("os")
    pod = ContainerContext(
        mountable,
        claim_names,
        grace,
        None if system is None else system.get("name") or "",
        spec.get("restartPolicy") or "",
        spec.get("hostUsers") is not False,
        options,
    )
    _check_all_containers(errors, spec, pod, path)
    if "resources" in spec:
        allow = options.allow_indivisible_huge_pages
        check_pod_resources(errors, spec, claim_names, path, allow_indivisible=allow)
    if spec.get("hostNetwork"):
        _check_host_network_ports(errors, spec, path, options)
    policy = spec.get("restartPolicy") or ""
    if policy not in _RESTART_POLICIES:
        check_one_of(errors, policy, _RESTART_POLICIES, f"{path}.restartPolicy")
    policy = spec.get("dnsPolicy") or ""
    if policy not in _DNS_POLICIES:
        check_one_of(errors, policy, _DNS_POLICIES, f"{path}.dnsPolicy")
    selector = spec.get("nodeSelector")
    if selector:
        errors += validate_labels(selector, f"{path}.nodeSelector")
    check_pod_security_context(errors, spec, f"{path}.securityContext", options)
    affinity = spec.get("affinity")
    if affinity:
        check_affinity(errors, affinity, f"{path}.affinity", options)
    _check_dns_config(errors, spec.get("dnsConfig"), policy, f"{path}.dnsConfig")
    _check_gates(errors, spec, path)
    spread = spec.get("topologySpreadConstraints")
    if spread:
        check_topology_spread(errors, spread, f"{path}.topologySpreadConstraints", options)
    if _may_have_host_process(spec):
        check_host_process(errors, spec, containers_with_paths(spec, path), path)
    check_host_users(errors, spec, path, options)
    _check_hostname_override(errors, spec, path)
    _check_names(errors, spec, path)
    tolerations = spec.get("tolerations")
    if tolerations:
        check_tolerations(errors, tolerations, f"{path}.tolerations", options)
    _check_rest(errors, spec, path, options)


def _check_all_containers(errors: Errors, spec: Object, pod: ContainerContext, path: str) -> None:
    containers = spec.get("containers") or []
    check_containers(errors, containers, pod, f"{path}.containers")
    first = spec.get("initContainers")
    if first:
        check_init_containers(errors, first, containers, pod, f"{path}.initContainers")
    ephemeral = spec.get("ephemeralContainers")
    if ephemeral:
        others = [*containers, *(first or ())]
        check_ephemeral_containers(errors, ephemeral, others, pod, f"{path}.ephemeralContainers")


def _may_have_host_process(spec: Object) -> bool:
    if "windowsOptions" in (spec.get("securityContext") or ()):
        return True
    return any(
        "windowsOptions" in (container.get("securityContext") or ())
        for kind in ("initContainers", "containers", "ephemeralContainers")
        for container in spec.get(kind) or ()
    )


def _check_resource_claims(errors: Errors, claims: list[Object], metadata: Object | None, path: str) -> None:
    if metadata and MIRROR_ANNOTATION in (metadata.get("annotations") or ()):
        errors.extend([forbidden(NO_FIELD, "static pods do not support resource claims")] * len(claims))
        return
    names: set[str] = set()
    for index, claim in enumerate(claims):
        place = f"{path}[{index}]"
        name = claim.get("name") or ""
        claimed, template = claim.get("resourceClaimName"), claim.get("resourceClaimTemplateName")
        if not name:
            errors.append(required(f"{place}.name"))
        elif name in names:
            errors.append(duplicate(f"{place}.name", name))
        else:
            check_dns_label(errors, name, f"{place}.name")
            names.add(name)
        if claimed is not None and template is not None:
            detail = "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
            errors.append(invalid_internal(place, "PodResourceClaim", claim, detail))
        if claimed is None and template is None:
            detail = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
            errors.append(invalid_internal(place, "PodResourceClaim", claim, detail))
        for field, value in (("resourceClaimName", claimed), ("resourceClaimTemplateName", template)):
            if value is not None:
                check_dns_subdomain(errors, value, f"{place}.{field}")


def _check_host_network_ports(errors: Errors, spec: Object, path: str, options: PodOptions) -> None:
    for index, container in enumerate(spec.get("containers") or ()):
        for position, port in enumerate(container.get("ports") or ()):
            host = port.get("hostPort") or 0
            if (options.is_pod or host) and host != (port.get("containerPort") or 0):
                detail = "must match `containerPort` when `hostNetwork` is true"
                errors.append(invalid(f"{path}.containers[{index}].ports[{position}].hostPort", host, detail))


def _check_dns_config(errors: Errors, config: Object | None, policy: str, path: str) -> None:
    servers = (config or {}).get("nameservers") or ()
    if policy == "None":
        if config is None:
            errors.append(required(path, "must provide `dnsConfig` when `dnsPolicy` is None"))
            return
        if not servers:
            detail = "must provide at least one DNS nameserver when `dnsPolicy` is None"
            errors.append(required(f"{path}.nameservers", detail))
            return
    if config is None:
        return
    if len(servers) > _MAX_NAMESERVERS:
        detail = f"must not have more than {_MAX_NAMESERVERS} nameservers"
        errors.append(invalid(f"{path}.nameservers", servers, detail))
    for index, server in enumerate(servers):
        check_address(errors, server, f"{path}.nameservers[{index}]")
    _check_searches(errors, config.get("searches") or (), f"{path}.searches")
    for index, option in enumerate(config.get("options") or ()):
        if not option.get("name"):
            errors.append(required(f"{path}.options[{index}]", "must not be empty"))


def _check_searches(errors: Errors, searches: Sequence[str], path: str) -> None:
    if len(searches) > _MAX_SEARCHES:
        errors.append(invalid(path, searches, f"must not have more than {_MAX_SEARCHES} search paths"))
    if byte_length(" ".join(searches)) > _MAX_SEARCH_LENGTH:
        detail = (
            f"must not have more than {_MAX_SEARCH_LENGTH} characters (including spaces) in the search list"
        )
        errors.append(invalid(path, searches, detail))
    for index, search in enumerate(searches):
        if search != ".":
            name = search.removesuffix(".")
            for message in is_dns1123_subdomain_with_underscore(name):
                errors.append(invalid(f"{path}[{index}]", name, message))


def _check_gates(errors: Errors, spec: Object, path: str) -> None:
    for index, gate in enumerate(spec.get("readinessGates") or ()):
        place = f"{path}.readinessGates[{index}].conditionType"
        check_qualified_name(errors, gate.get("conditionType") or "", place)
    seen: set[str] = set()
    for index, gate in enumerate(spec.get("schedulingGates") or ()):
        name = gate.get("name") or ""
        check_qualified_name(errors, name, f"{path}.schedulingGates[{index}]")
        if name in seen:
            errors.append(duplicate(f"{path}.schedulingGates[{index}]", name))
        seen.add(name)


def _check_hostname_override(errors: Errors, spec: Object, path: str) -> None:
    name = spec.get("hostnameOverride")
    if name is None:
        return
    path = f"{path}.hostnameOverride"
    for field in ("setHostnameAsFQDN", "hostNetwork"):
        if spec.get(field):
            errors.append(forbidden(path, f"may not be specified when {field} is true"))
    if byte_length(name) > _MAX_HOSTNAME:
        errors.append(too_long(path, _MAX_HOSTNAME))
    check_dns_subdomain(errors, name, path)


def _check_names(errors: Errors, spec: Object, path: str) -> None:
    for field in ("serviceAccountName", "nodeName"):
        name = spec.get(field)
        if name:
            check_dns_subdomain(errors, name, f"{path}.{field}")
    seconds = spec.get("activeDeadlineSeconds")
    if seconds is not None and not 1 <= seconds <= _MAX_SECONDS:
        detail = f"must be between 1 and {_MAX_SECONDS}, inclusive"
        errors.append(invalid(f"{path}.activeDeadlineSeconds", seconds, detail))
    for field in ("hostname", "subdomain"):
        name = spec.get(field)
        if name:
            check_dns_label(errors, name, f"{path}.{field}")


def _check_rest(errors: Errors, spec: Object, path: str, options: PodOptions) -> None:
    for index, alias in enumerate(spec.get("hostAliases") or ()):
        place = f"{path}.hostAliases[{index}]"
        check_address(errors, alias.get("ip") or "", f"{place}.ip")
        for position, name in enumerate(alias.get("hostnames") or ()):
            check_dns_subdomain(errors, name, f"{place}.hostnames[{position}]")
    name = spec.get("priorityClassName")
    if name:
        check_dns_subdomain(errors, name, f"{path}.priorityClassName")
    name = spec.get("runtimeClassName")
    if name is not None:
        check_dns_subdomain(errors, name, f"{path}.runtimeClassName")
    policy = spec.get("preemptionPolicy")
    if policy is not None:
        check_one_of(errors, policy, _PREEMPTION_POLICIES, f"{path}.preemptionPolicy")
    overhead = spec.get("overhead")
    if overhead:
        allow = options.allow_indivisible_huge_pages
        place = f"{path}.overhead"
        check_container_resources(errors, {"limits": overhead}, (), place, allow_indivisible=allow)
    if "os" in spec:
        check_os(errors, spec, path)
    group = spec.get("schedulingGroup")
    if group is not None:
        _check_scheduling_group(errors, group, f"{path}.schedulingGroup.podGroupName")
    check_file_keys(errors, spec, path)


def _check_scheduling_group(errors: Errors, group: Object, path: str) -> None:
    name = group.get("podGroupName")
    if name is None:
        errors.append(invalid(path, None, "must specify one of: `podGroupName`"))
    else:
        check_dns_subdomain(errors, name, path)
