"""What an update of a pod or template may leave as it is, although a new one could not have it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kubewright.machinery.names import is_valid_label_value
from kubewright.server.kinds.core.container_security import is_host_sysctl
from kubewright.server.kinds.core.name_checks import check_local_path
from kubewright.server.kinds.core.pod_annotations import is_deletion_cost
from kubewright.server.kinds.core.pod_options import NEW_POD, NEW_TEMPLATE, PodOptions
from kubewright.server.kinds.core.pod_resources import amount_of, is_huge_page, is_huge_page_multiple
from kubewright.server.kinds.core.pod_scheduling import check_match_label_keys
from kubewright.server.kinds.kind import Errors, Object
from kubewright.server.kinds.metadata_rules import validate_label_selector

__all__ = ["all_containers", "pod_leniency"]

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def pod_leniency(old: Object | None, *, is_pod: bool) -> PodOptions:
    """The options for validating the update of a pod or template; `old` is None for a new one.

    `old` is what has `metadata` and `spec`: the pod, or the template itself.
    """
    if old is None:
        return NEW_POD if is_pod else NEW_TEMPLATE
    spec = old.get("spec") or {}
    spread = spec.get("topologySpreadConstraints") or ()
    user_namespace = spec.get("hostUsers") is False
    return PodOptions(
        is_pod=is_pod,
        allow_invalid_deletion_cost=not is_deletion_cost((old.get("metadata") or {}).get("annotations")),
        allow_indivisible_huge_pages=_has_indivisible_huge_pages(spec),
        allow_invalid_affinity_values=_has_invalid_affinity(spec),
        allow_invalid_node_affinity_values=_has_invalid_node_affinity(spec),
        allow_invalid_spread_selector=any(
            validate_label_selector(constraint.get("labelSelector"), "") for constraint in spread
        ),
        lenient_match_label_keys=any(map(_has_invalid_match_label_keys, spread)),
        allow_non_local_token_path=_has_non_local_token_path(spec),
        allow_host_sysctls=any(
            is_host_sysctl(sysctl.get("name") or "", spec)
            for sysctl in (spec.get("securityContext") or {}).get("sysctls") or ()
        ),
        only_recursive_selinux=(spec.get("securityContext") or {}).get("seLinuxChangePolicy") is None,
        allow_comparison_operators=any(
            toleration.get("operator") in {"Lt", "Gt"} for toleration in spec.get("tolerations") or ()
        ),
        allow_user_namespace_host_network=user_namespace and bool(spec.get("hostNetwork")),
        allow_user_namespace_devices=user_namespace
        and any(container.get("volumeDevices") for container in all_containers(spec)),
        allow_init_restart_on_resize=any(
            policy.get("restartPolicy") == "RestartContainer"
            for container in spec.get("initContainers") or ()
            if container.get("restartPolicy") != "Always"
            for policy in container.get("resizePolicy") or ()
        ),
    )


def all_containers(spec: Object) -> Iterator[Object]:
    """The containers of a spec, of all three sorts."""
    for kind in ("initContainers", "containers", "ephemeralContainers"):
        yield from spec.get(kind) or ()


def _has_indivisible_huge_pages(spec: Object) -> bool:
    for container in all_containers(spec):
        resources = container.get("resources")
        if resources and (
            _is_indivisible(resources.get("limits")) or _is_indivisible(resources.get("requests"))
        ):
            return True
    return _is_indivisible(spec.get("overhead"))


def _is_indivisible(resources: Mapping[str, object] | None) -> bool:
    return bool(resources) and any(
        is_huge_page(name) and not is_huge_page_multiple(name, amount_of(text))
        for name, text in (resources or {}).items()
    )


def _has_invalid_affinity(spec: Object) -> bool:
    affinity = spec.get("affinity")
    if not affinity:
        return False
    for kind in ("podAffinity", "podAntiAffinity"):
        pods = affinity.get(kind) or {}
        terms = [*(pods.get(_REQUIRED) or ())]
        terms += [each.get("podAffinityTerm") or {} for each in pods.get(_PREFERRED) or ()]
        for term in terms:
            if validate_label_selector(term.get("labelSelector"), "") or validate_label_selector(
                term.get("namespaceSelector"), ""
            ):
                return True
    return False


def _has_invalid_node_affinity(spec: Object) -> bool:
    selector = ((spec.get("affinity") or {}).get("nodeAffinity") or {}).get(_REQUIRED) or {}
    return any(
        is_valid_label_value(value)
        for term in selector.get("nodeSelectorTerms") or ()
        for expression in term.get("matchExpressions") or ()
        for value in expression.get("values") or ()
    )


def _has_invalid_match_label_keys(constraint: Object) -> bool:
    errors: Errors = []
    check_match_label_keys(errors, {**constraint, "mismatchLabelKeys": None}, "")
    return bool(errors)


def _has_non_local_token_path(spec: Object) -> bool:
    errors: Errors = []
    for volume in spec.get("volumes") or ():
        projected = volume.get("projected")
        for source in projected.get("sources") or () if projected else ():
            token = source.get("serviceAccountToken")
            if token is not None:
                check_local_path(errors, token.get("path") or "", "")
    return bool(errors)
