"""The Pod kind: what is set on create, what each endpoint may write, and what selectors can ask for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from kubewright.machinery.names import is_dns1123_label
from kubewright.server.kinds.core.container_security import check_apparmor_profile
from kubewright.server.kinds.core.ip_rules import ip_warnings
from kubewright.server.kinds.core.pod_annotations import APPARMOR_PREFIX, apparmor_profile_of
from kubewright.server.kinds.core.pod_defaults import default_pod
from kubewright.server.kinds.core.pod_disabled import drop_disabled_spec, drop_disabled_status
from kubewright.server.kinds.core.pod_leniency import all_containers
from kubewright.server.kinds.core.pod_resize import validate_pod_resize
from kubewright.server.kinds.core.pod_resources import qos_class
from kubewright.server.kinds.core.pod_semantics import same_spec
from kubewright.server.kinds.core.pod_status import validate_pod_status
from kubewright.server.kinds.core.pod_update import (
    validate_ephemeral_containers,
    validate_pod,
    validate_pod_update,
)
from kubewright.server.kinds.core.pod_warnings import pod_spec_warnings
from kubewright.server.kinds.kind import Context, Errors, Kind, Object, Subresource

__all__ = ["POD", "grace_period"]

_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"

_STATUS_METADATA: Final = (
    "deletionTimestamp",
    "generation",
    "selfLink",
    "labels",
    "annotations",
    "finalizers",
    "ownerReferences",
)
"""What upstream's ResetObjectMetaForStatus takes back."""


class _FromAnnotation(dict[str, Any]):
    """A profile that an annotation asked for, until it is stored: the caller is warned of it."""


def grace_period(pod: Object, requested: int | None) -> int:
    """The seconds that a deleted pod has to end: what is asked for, else what its spec says.

    Pods that run nowhere or have ended get 0; a negative number stands for one second.
    """
    spec = pod.get("spec") or {}
    if not spec.get("nodeName") or (pod.get("status") or {}).get("phase") in {"Failed", "Succeeded"}:
        return 0
    seconds = spec.get("terminationGracePeriodSeconds") or 0 if requested is None else requested
    return 1 if seconds < 0 else int(seconds)


def _prepare_create(pod: Object, context: Context) -> None:
    spec = pod["spec"]
    status: Object = {"phase": "Pending", "qosClass": qos_class(spec)}
    pod["status"] = status
    drop_disabled_spec(spec, None)
    if spec.get("schedulingGates"):
        status["conditions"] = [
            {
                "type": "PodScheduled",
                "status": "False",
                "lastProbeTime": None,
                "lastTransitionTime": context.now.strftime("%Y-%m-%dT%H:%M:%SZ"),
                "reason": "SchedulingGated",
                "message": "Scheduling is blocked due to non-empty scheduling gates",
            }
        ]
    metadata = pod.get("metadata") or {}
    for term, keys, operator in _label_keys(spec):
        _apply_label_keys(term, keys, operator, metadata.get("labels") or {})
    annotations = metadata.get("annotations")
    if annotations and (spec.get("os") or {}).get("name") != "windows":
        _apply_apparmor(spec, annotations)


def _label_keys(spec: Object) -> Iterator[tuple[Object, list[str], str]]:
    """The terms with keys of labels that the pod itself has the values for."""
    affinity = spec.get("affinity")
    for kind in ("podAffinity", "podAntiAffinity") if affinity else ():
        pods = (affinity or {}).get(kind) or {}
        terms = [each.get("podAffinityTerm") or {} for each in pods.get(_PREFERRED) or ()]
        for term in (*terms, *(pods.get(_REQUIRED) or ())):
            yield term, term.get("matchLabelKeys") or [], "In"
            yield term, term.get("mismatchLabelKeys") or [], "NotIn"
    for constraint in spec.get("topologySpreadConstraints") or ():
        yield constraint, constraint.get("matchLabelKeys") or [], "In"


def _apply_label_keys(term: Object, keys: list[str], operator: str, labels: Mapping[str, str]) -> None:
    selector = term.get("labelSelector")
    if selector is None:
        return
    added = [{"key": key, "operator": operator, "values": [labels[key]]} for key in keys if key in labels]
    if added:
        selector["matchExpressions"] = [*(selector.get("matchExpressions") or ()), *added]


def _apply_apparmor(spec: Object, annotations: Mapping[str, str]) -> None:
    if not any(key.startswith(APPARMOR_PREFIX) for key in annotations):
        return
    of_pod = (spec.get("securityContext") or {}).get("appArmorProfile")
    for container in all_containers(spec):
        annotation = annotations.get(f"{APPARMOR_PREFIX}{container.get('name') or ''}")
        context = container.get("securityContext") or {}
        if annotation is None or context.get("appArmorProfile") is not None:
            continue
        profile = _valid_profile(annotation)
        if profile is not None and profile != of_pod:
            container["securityContext"] = {**context, "appArmorProfile": _FromAnnotation(profile)}


def _valid_profile(annotation: str) -> Object | None:
    profile = apparmor_profile_of(annotation)
    errors: Errors = []
    check_apparmor_profile(errors, profile, "")
    return None if errors else profile


def _prepare_update(pod: Object, old: Object, context: Context) -> None:
    _take(pod, old, "status")
    drop_disabled_spec(pod["spec"], old.get("spec") or {})


def _take(obj: Object, old: Object, field: str) -> None:
    if field in old:
        obj[field] = old[field]
    else:
        obj.pop(field, None)


def _prepare_status(pod: Object, old: Object, context: Context) -> None:
    _take(pod, old, "spec")
    metadata = pod.setdefault("metadata", {})
    metadata.pop("deletionTimestamp", None)
    _take(metadata, old.get("metadata") or {}, "ownerReferences")
    status, old_status = pod.setdefault("status", {}), old.get("status") or {}
    if not status.get("qosClass"):
        _take(status, old_status, "qosClass")
    if not status.get("observedGeneration"):
        _take(status, old_status, "observedGeneration")
    _keep_observed(status, old_status)
    drop_disabled_status(status, old_status)


def _keep_observed(status: Object, old: Object) -> None:
    """Conditions that do not say which generation they are of keep what was known."""
    known: dict[str, list[int]] = {}
    for condition in old.get("conditions") or ():
        generation = condition.get("observedGeneration") or 0
        known.setdefault(condition.get("type") or "", []).append(generation)
    for generations in known.values():
        generations.reverse()
    for condition in status.get("conditions") or ():
        generations = known.get(condition.get("type") or "") or [0]
        generation = generations.pop()
        if generation and not condition.get("observedGeneration"):
            condition["observedGeneration"] = generation


def _prepare_ephemeral_containers(pod: Object, old: Object, context: Context) -> None:
    containers = pod["spec"].get("ephemeralContainers")
    spec = dict(old.get("spec") or {})
    if containers is None:
        spec.pop("ephemeralContainers", None)
    else:
        spec["ephemeralContainers"] = containers
    pod["spec"] = spec
    _reset(pod, old)
    drop_disabled_spec({"ephemeralContainers": containers or []}, old.get("spec") or {})


def _reset(pod: Object, old: Object) -> None:
    _take(pod, old, "status")
    metadata, old_metadata = pod.setdefault("metadata", {}), old.get("metadata") or {}
    for field in _STATUS_METADATA:
        _take(metadata, old_metadata, field)


def _prepare_resize(pod: Object, old: Object, context: Context) -> None:
    spec, stored = pod["spec"], old.get("spec") or {}
    kinds = ("containers", "initContainers")
    # Containers that are added, removed or renamed are left for validation to tell.
    if all(len(spec.get(kind) or ()) == len(stored.get(kind) or ()) for kind in kinds):
        munged = dict(stored)
        _take(munged, spec, "resources")
        for kind in kinds:
            if spec.get(kind):
                munged[kind] = _resized(spec[kind], stored[kind])
        pod["spec"] = munged
        _reset(pod, old)


def _resized(containers: list[Object], stored: list[Object]) -> list[Object]:
    merged = []
    for container, old in zip(containers, stored, strict=True):
        if container.get("name") != old.get("name"):
            return containers
        kept = dict(old)
        _take(kept, container, "resources")
        _take(kept, container, "resizePolicy")
        merged.append(kept)
    return merged


def _warnings(pod: Object, old: Object | None) -> list[str]:
    if old is not None:
        return []
    metadata, spec = pod.get("metadata") or {}, pod.get("spec") or {}
    told = _apparmor_warnings(spec, metadata.get("annotations") or {})
    messages = is_dns1123_label(metadata.get("name") or "")
    if messages:
        detail = "which can result in surprising behavior; a DNS label is recommended"
        shown = " ".join(messages)
        told.append(f"metadata.name: this is used in the Pod's hostname, {detail}: [{shown}]")
    return told + pod_spec_warnings(spec, metadata, "")


def _apparmor_warnings(spec: Object, annotations: Mapping[str, str]) -> list[str]:
    told: list[str] = []
    if not annotations or (spec.get("os") or {}).get("name") == "windows":
        return told
    for container in all_containers(spec):
        key = f"{APPARMOR_PREFIX}{container.get('name') or ''}"
        if key in annotations:
            profile = (container.get("securityContext") or {}).get("appArmorProfile")
            unusable = profile is None and _valid_profile(annotations[key]) is None
            if unusable or isinstance(profile, _FromAnnotation):
                detail = 'deprecated since v1.30; use the "appArmorProfile" field instead'
                told.append(f"metadata.annotations[{key}]: {detail}")
    return told


def _status_warnings(pod: Object, old: Object | None) -> list[str]:
    status = pod.get("status") or {}
    return [
        told
        for field in ("podIPs", "hostIPs")
        for index, address in enumerate(status.get(field) or ())
        for told in ip_warnings(address.get("ip") or "", f"status.{field}[{index}].ip")
    ]


def _generation(pod: Object, old: Object) -> bool:
    return not same_spec(pod.get("spec") or {}, old.get("spec") or {})


def _fields(pod: Object) -> Mapping[str, str]:
    spec, status = pod.get("spec") or {}, pod.get("status") or {}
    addresses = status.get("podIPs")
    return {
        "spec.nodeName": spec.get("nodeName") or "",
        "spec.restartPolicy": spec.get("restartPolicy") or "",
        "spec.schedulerName": spec.get("schedulerName") or "",
        "spec.serviceAccountName": spec.get("serviceAccountName") or "",
        "spec.hostNetwork": "true" if spec.get("hostNetwork") else "false",
        "status.phase": status.get("phase") or "",
        "status.podIP": (addresses[0].get("ip") or "" if addresses else status.get("podIP")) or "",
        "status.nominatedNodeName": status.get("nominatedNodeName") or "",
    }


POD: Final = Kind(
    metadata_checks=2,
    default=default_pod,
    prepare_create=_prepare_create,
    prepare_update=_prepare_update,
    validate=validate_pod,
    validate_update=validate_pod_update,
    warnings=_warnings,
    generation=_generation,
    fields=_fields,
    subresources={
        "status": Subresource(
            prepare=_prepare_status,
            validate=validate_pod_status,
            warnings=_status_warnings,
            resets=("spec", "metadata.deletionTimestamp", "metadata.ownerReferences"),
        ),
        "ephemeralcontainers": Subresource(
            prepare=_prepare_ephemeral_containers,
            validate=validate_ephemeral_containers,
            resets=("status", *(f"metadata.{field}" for field in _STATUS_METADATA)),
        ),
        "resize": Subresource(
            prepare=_prepare_resize,
            validate=validate_pod_resize,
            resets=("status", *(f"metadata.{field}" for field in _STATUS_METADATA)),
        ),
    },
    always={"spec": {}, "status": {}},
)
