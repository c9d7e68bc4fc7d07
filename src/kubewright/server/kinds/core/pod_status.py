"""The rules of updates of a pod's status."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from kubewright.machinery.field_errors import (
    duplicate,
    forbidden,
    invalid,
    required,
    too_long,
)
from kubewright.machinery.names import is_valid_group_id, is_valid_user_id
from kubewright.server.kinds.core.name_checks import (
    check_dns_label,
    check_dns_subdomain,
    check_qualified_name,
    unsupported,
)
from kubewright.server.kinds.core.pod_addresses import check_pod_addresses
from kubewright.server.kinds.core.pod_annotations import check_annotation_updates, is_deletion_cost
from kubewright.server.kinds.core.pod_options import PodOptions
from kubewright.server.kinds.core.pod_resources import amount_of, is_native_resource
from kubewright.server.kinds.kind import Errors, Object
from kubewright.server.kinds.metadata_rules import FIELD_IMMUTABLE, byte_length

__all__ = ["validate_pod_status"]

_SYSTEM_CONDITIONS: Final = frozenset({"PodScheduled", "Ready", "Initialized"})
_HEALTH: Final = ("Healthy", "Unhealthy", "Unknown")
_MAX_HEALTH_MESSAGE: Final = 1024
"""Upstream's ResourceHealthMessageMaxLength."""
_RESTARTED: Final = "may not be transitioned to non-terminated state"
_STATUSES: Final = ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses")


def validate_pod_status(new: Object, old: Object) -> Errors:
    """All that is wrong with an update of a pod's status."""
    errors: Errors = []
    annotations = (old.get("metadata") or {}).get("annotations")
    options = PodOptions(is_pod=True, allow_invalid_deletion_cost=not is_deletion_cost(annotations))
    check_annotation_updates(errors, new, old, options)
    spec, status = new.get("spec") or {}, new.get("status") or {}
    old_spec, old_status = old.get("spec") or {}, old.get("status") or {}
    _check_conditions(errors, status.get("conditions") or ())
    if (spec.get("nodeName") or "") != (old_spec.get("nodeName") or ""):
        errors.append(forbidden("status.nodeName", "may not be changed directly"))
    _check_nominated_node(errors, status, old_status, bound=bool(old_spec.get("nodeName")))
    generation = status.get("observedGeneration") or 0
    if generation < 0:
        errors.append(invalid("status.observedGeneration", generation, "must be a non-negative integer"))
    quality = status.get("qosClass") or ""
    if quality != (old_status.get("qosClass") or ""):
        errors.append(invalid("status.qosClass", quality, FIELD_IMMUTABLE))
    _check_transitions(errors, status, old_status, old_spec)
    claims = spec.get("resourceClaims") or ()
    _check_claim_statuses(errors, status.get("resourceClaimStatuses") or (), claims)
    extended = status.get("extendedResourceClaimStatus")
    if extended is not None:
        _check_extended_claim(errors, extended, spec, "status.extendedResourceClaimStatus")
    _check_node_claims(errors, status, claims)
    check_pod_addresses(errors, status, old_status)
    _check_users(errors, status, (spec.get("os") or {"name": "linux"}).get("name") or "")
    _check_allocated(errors, status, spec)
    return errors


def _check_conditions(errors: Errors, conditions: Iterable[Object]) -> None:
    for index, condition in enumerate(conditions):
        path = f"status.conditions[{index}]"
        generation = condition.get("observedGeneration") or 0
        if generation < 0:
            detail = "must be a non-negative integer"
            errors.append(invalid(f"{path}.observedGeneration", generation, detail))
        kind = condition.get("type") or ""
        if kind not in _SYSTEM_CONDITIONS:
            check_qualified_name(errors, kind, f"{path}.Type")


def _check_nominated_node(errors: Errors, status: Object, old: Object, *, bound: bool) -> None:
    name = status.get("nominatedNodeName") or ""
    if not name or name == (old.get("nominatedNodeName") or ""):
        return
    check_dns_subdomain(errors, name, "status.nominatedNodeName")
    if bound:
        detail = "may not be set on pods that are already bound to a node"
        errors.append(forbidden("status.nominatedNodeName", detail))


def _check_transitions(errors: Errors, status: Object, old: Object, spec: Object) -> None:
    """What has ended for good stays so."""
    kinds = ("containers", "initContainers", None)
    restarts_all = any(
        rule.get("action") == "RestartAllContainers"
        for kind in kinds[:2]
        for container in spec.get(str(kind)) or ()
        for rule in container.get("restartPolicyRules") or ()
    )
    for field, kind in zip(_STATUSES, kinds, strict=True):
        if kind is not None and restarts_all:
            continue
        running = {
            container.get("name") or ""
            for container in status.get(field) or ()
            if (container.get("state") or {}).get("terminated") is None
        }
        containers = {each.get("name") or "": each for each in reversed(spec.get(kind or "") or ())}
        for index, container in enumerate(old.get(field) or ()):
            ended = (container.get("state") or {}).get("terminated")
            name = container.get("name") or ""
            if ended is None or name not in running:
                continue
            found = containers.get(name) if kind else None
            if found is None or not _restarts(found, spec, ended.get("exitCode") or 0):
                errors.append(forbidden(f"status.{field}[{index}].state", _RESTARTED))


def _restarts(container: Object, spec: Object, exit_code: int) -> bool:
    policy = container.get("restartPolicy")
    if policy is not None:
        for rule in container.get("restartPolicyRules") or ():
            codes = rule.get("exitCodes") or {}
            matches = exit_code in (codes.get("values") or ())
            if codes.get("operator") == ("In" if matches else "NotIn"):
                if rule.get("action") in {"Restart", "RestartAllContainers"}:
                    return True
                break
    chosen = policy if policy in {"Always", "OnFailure", "Never"} else spec.get("restartPolicy")
    if chosen == "OnFailure":
        return exit_code != 0
    return bool(chosen != "Never")


def _check_claim_statuses(errors: Errors, statuses: Iterable[Object], claims: Collection[Object]) -> None:
    known = {claim.get("name") or "" for claim in claims}
    seen: set[str] = set()
    for index, status in enumerate(statuses):
        path = f"status.resourceClaimStatuses[{index}]"
        name, claimed = status.get("name") or "", status.get("resourceClaimName")
        if name not in known:
            detail = "must match the name of an entry in `spec.resourceClaims`"
            errors.append(invalid(f"{path}.name", name, detail))
        if name in seen:
            errors.append(duplicate(f"{path}.name", name))
        seen.add(name)
        if claimed is not None:
            check_dns_subdomain(errors, claimed, f"{path}.resourceClaimName")


def _check_extended_claim(errors: Errors, status: Object, spec: Object, path: str) -> None:
    containers = {
        container.get("name") or "": container
        for kind in ("initContainers", "containers")
        for container in spec.get(kind) or ()
    }
    mappings = status.get("requestMappings") or ()
    if not mappings:
        errors.append(required(f"{path}.requestMappings", "at least one request mapping is required"))
    seen: set[tuple[str, ...]] = set()
    for index, mapping in enumerate(mappings):
        place = f"{path}.requestMappings[{index}]"
        fields = ("containerName", "resourceName", "requestName")
        name, resource, request = key = tuple(mapping.get(field) or "" for field in fields)
        container = containers.get(name)
        if container is None:
            detail = "must match the name of an entry in spec.initContainers.name or spec.containers.name"
            errors.append(invalid(f"{place}.containerName", name, detail))
        elif resource not in ((container.get("resources") or {}).get("requests") or ()):
            detail = (
                "must match the extended resource name of an entry in "
                "spec.initContainers.resources.requests or spec.containers.resources.requests"
            )
            errors.append(invalid(f"{place}.resourceName", resource, detail))
        check_dns_label(errors, request, f"{path}.requestName")
        if key in seen:
            errors += [duplicate(f"{place}.{field}", value) for field, value in zip(fields, key, strict=True)]
        seen.add(key)
    claim = status.get("resourceClaimName") or ""
    if claim:
        check_dns_subdomain(errors, claim, f"{path}.resourceClaimName")
    else:
        errors.append(required(f"{path}.resourceClaimName"))


def _check_node_claims(errors: Errors, status: Object, claims: Iterable[Object]) -> None:
    # Of a gate that is off in 1.36: dropped unless stored already.
    statuses = status.get("nodeAllocatableResourceClaimStatuses") or ()
    if not statuses:
        return
    known = {claim.get("resourceClaimName") for claim in claims}
    known.update(claim.get("resourceClaimName") for claim in status.get("resourceClaimStatuses") or ())
    for index, each in enumerate(statuses):
        path = f"status.nodeAllocatableResourceClaimStatuses[{index}]"
        name, resources = each.get("resourceClaimName") or "", each.get("resources") or {}
        if not name:
            errors.append(required(f"{path}.resourceClaimName", "must not be empty"))
        if name not in known:
            detail = "no mapping found in pod reference"
            errors.append(invalid(f"{path}.resourceClaimName", name, detail))
        if not each.get("containers"):
            errors.append(required(f"{path}.containers", "must not be empty"))
        if not resources:
            errors.append(required(f"{path}.resources", "must not be empty"))
        for resource, text in resources.items():
            place = f"{path}.resources[{resource}]"
            if not is_native_resource(resource):
                errors.append(invalid(place, resource, "must be a node allocatable resource name"))
            if amount_of(text) < 0:
                errors.append(invalid(place, str(text), "must be non-negative"))


def _check_users(errors: Errors, status: Object, os: str) -> None:
    for field in _STATUSES:
        for index, container in enumerate(status.get(field) or ()):
            user = (container.get("user") or {}).get("linux")
            if user is None:
                continue
            path = f"status.{field}[{index}].user.linux"
            if os == "windows":
                errors.append(forbidden(path, "cannot be set for a windows pod"))
            elif os == "linux":
                _check_linux_user(errors, user, path)


def _check_linux_user(errors: Errors, user: Object, path: str) -> None:
    uid, gid = user.get("uid") or 0, user.get("gid") or 0
    errors += [invalid(f"{path}.uid", uid, message) for message in is_valid_user_id(uid)]
    errors += [invalid(f"{path}.gid", gid, message) for message in is_valid_group_id(gid)]
    for index, group in enumerate(user.get("supplementalGroups") or ()):
        place = f"{path}.supplementalGroups[{index}]"
        errors += [invalid(place, group, message) for message in is_valid_group_id(group)]


def _check_allocated(errors: Errors, status: Object, spec: Object) -> None:
    for field, kind in zip(_STATUSES[:2], ("containers", "initContainers"), strict=True):
        for index, container in enumerate(status.get(field) or ()):
            resources = container.get("allocatedResourcesStatus")
            if resources:
                of = next(
                    (each for each in spec.get(kind) or () if each.get("name") == container.get("name")), None
                )
                _check_resources_status(errors, resources, of, f"status.{field}[{index}]")
    for index, container in enumerate(status.get(_STATUSES[2]) or ()):
        if container.get("allocatedResourcesStatus"):
            place = f"status.{_STATUSES[2]}[{index}].allocatedResourcesStatus"
            errors.append(forbidden(place, "must not be specified in container status"))


def _check_resources_status(
    errors: Errors, statuses: list[Object], container: Object | None, path: str
) -> None:
    for index, status in enumerate(statuses):
        place = f"{path}.allocatedResourcesStatus[{index}]"
        if container is not None:
            _check_allocated_name(errors, status.get("name") or "", container, f"{place}.name")
        seen: set[str] = set()
        for position, resource in enumerate(status.get("resources") or ()):
            spot = f"{place}.resources[{position}]"
            health, message = resource.get("health") or "", resource.get("message")
            if health not in _HEALTH:
                errors.append(unsupported(f"{spot}.health", health, _HEALTH))
            if message == "":
                errors.append(required(f"{spot}.message", "must be non-empty if specified"))
            elif message is not None and byte_length(message) > _MAX_HEALTH_MESSAGE:
                errors.append(too_long(f"{spot}.message", _MAX_HEALTH_MESSAGE))
            identity = resource.get("resourceID") or ""
            if identity in seen:
                errors.append(duplicate(f"{spot}.resourceID", identity))
            seen.add(identity)


def _check_allocated_name(errors: Errors, name: str, container: Object, path: str) -> None:
    resources = container.get("resources") or {}
    if name.startswith("claim:"):
        detail = (
            "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or "
            "'claim:<claimName>' if request is empty"
        )
        names = {
            f"claim:{claim.get('name') or ''}" + (f"/{claim['request']}" if claim.get("request") else "")
            for claim in resources.get("claims") or ()
        }
    else:
        detail = "must match one of the container's resource requests"
        names = set(resources.get("requests") or ())
    if name not in names:
        errors.append(invalid(path, name, detail))
