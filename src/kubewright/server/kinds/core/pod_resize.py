"""The rules of resizing a running pod: of its spec only cpu and memory may change."""

from __future__ import annotations

from typing import Final

from kubewright.machinery.field_errors import forbidden, invalid
from kubewright.server.kinds.core.pod_leniency import pod_leniency
from kubewright.server.kinds.core.pod_resources import qos_class
from kubewright.server.kinds.core.pod_semantics import same_spec
from kubewright.server.kinds.core.pod_spec import MIRROR_ANNOTATION, NO_FIELD
from kubewright.server.kinds.core.pod_update import validate_pod_spec_of
from kubewright.server.kinds.kind import Errors, Object

__all__ = ["validate_pod_resize"]

_KINDS: Final = ("containers", "initContainers")


def validate_pod_resize(new: Object, old: Object) -> Errors:
    """All that is wrong with an update of a pod's resources."""
    errors: Errors = []
    validate_pod_spec_of(errors, new, pod_leniency(old, is_pod=True))
    spec, stored = new.get("spec") or {}, old.get("spec") or {}
    if MIRROR_ANNOTATION in ((old.get("metadata") or {}).get("annotations") or ()):
        return [forbidden(NO_FIELD, "static pods cannot be resized")]
    if (stored.get("os") or {}).get("name") == "windows":
        return [forbidden(NO_FIELD, "windows pods cannot be resized")]
    old_status = old.get("status") or {}
    if (old_status.get("qosClass") or qos_class(stored)) != qos_class(spec):
        shown = (new.get("status") or {}).get("qosClass") or ""
        errors.append(invalid("spec", shown, "Pod QOS Class may not change as a result of resizing"))
    if not _is_supported(old_status):
        errors.append(forbidden("spec", "Pod running on node without support for resize"))
    munged = dict(spec)
    if _has_resources(spec) or _has_resources(stored):
        _check_pod_level(errors, munged, spec, stored)
    if old_status.get("nodeAllocatableResourceClaimStatuses"):
        errors.append(forbidden("spec", "pods with node allocatable resource claims cannot be resized"))
    if not _check_order(errors, spec, stored):
        return errors
    _check_removals(errors, spec, stored)
    _check_containers(errors, munged, spec, stored)
    _check_init_containers(errors, munged, spec, stored)
    if not errors and not same_spec(munged, stored):
        errors.append(forbidden("spec", "only cpu and memory resources are mutable"))
    return errors


def _is_supported(status: Object) -> bool:
    for container in status.get("containerStatuses") or ():
        if (container.get("state") or {}).get("running") is not None:
            return container.get("resources") is not None
    return True


def _has_resources(spec: Object) -> bool:
    resources = spec.get("resources") or {}
    return bool(resources.get("requests") or resources.get("limits"))


def _check_pod_level(errors: Errors, munged: Object, spec: Object, stored: Object) -> None:
    resources, old = spec.get("resources"), stored.get("resources")
    if old is not None:
        if resources is None:
            errors.append(forbidden("spec.resources", "pod-level resources cannot be removed"))
            return
        for which in ("requests", "limits"):
            if _removed(resources.get(which), old.get(which)):
                detail = f"pod-level resource {which} cannot be removed"
                errors.append(forbidden(f"spec.resources.{which}", detail))
    if resources is not None:
        kept = _without_changes(resources, old or {})
        if "claims" in resources:
            kept["claims"] = resources["claims"]
        if old is None and not any(kept.values()):
            munged.pop("resources")
        else:
            munged["resources"] = kept
    if not same_spec({"resources": munged.get("resources")}, {"resources": old}):
        errors.append(forbidden("spec", "only cpu and memory resources are mutable at pod-level"))


def _removed(new: Object | None, old: Object | None) -> bool:
    return any(name not in (new or ()) for name in old or ())


def _without_changes(resources: Object, old: Object) -> Object:
    """Resource requirements with the cpu and memory that they had before."""
    kept = {}
    for which in ("limits", "requests"):
        amounts = {
            name: text for name, text in (resources.get(which) or {}).items() if name not in {"cpu", "memory"}
        }
        stored = old.get(which) or {}
        amounts |= {name: stored[name] for name in ("cpu", "memory") if name in stored}
        if amounts:
            kept[which] = amounts
    return kept


def _check_order(errors: Errors, spec: Object, stored: Object) -> bool:
    before = len(errors)
    for kind in _KINDS:
        new, old = spec.get(kind) or (), stored.get(kind) or ()
        if len(new) != len(old):
            errors.append(forbidden(f"spec.{kind}", f"{kind} may not be added or removed on resize"))
            continue
        for index, container in enumerate(old):
            if new[index].get("name") != container.get("name"):
                detail = f"{kind} may not be renamed or reordered on resize"
                errors.append(forbidden(f"spec.{kind}[{index}].name", detail))
    return len(errors) == before


def _check_removals(errors: Errors, spec: Object, stored: Object) -> None:
    for kind in reversed(_KINDS):
        for index, container in enumerate(stored.get(kind) or ()):
            new, old = spec[kind][index].get("resources") or {}, container.get("resources") or {}
            for which in ("requests", "limits"):
                if _removed(new.get(which), old.get(which)):
                    place = f"spec.{kind}[{index}].resources.{which}"
                    errors.append(forbidden(place, f"resource {which} cannot be removed"))


def _resized(container: Object, old: Object) -> Object:
    resources = _without_changes(container.get("resources") or {}, old.get("resources") or {})
    return {**container, "resources": resources}


def _check_containers(errors: Errors, munged: Object, spec: Object, stored: Object) -> None:
    kept = []
    for container, old in zip(spec.get("containers") or (), stored.get("containers") or (), strict=True):
        resized = _resized(container, old)
        if not same_spec(resized, old):
            errors.append(forbidden("spec", "only cpu and memory resources are mutable"))
        kept.append(resized)
    munged["containers"] = kept


def _check_init_containers(errors: Errors, munged: Object, spec: Object, stored: Object) -> None:
    containers = spec.get("initContainers") or ()
    kept = []
    for index, container in enumerate(containers):
        old = stored["initContainers"][index]
        place = f"spec.initContainers[{index}]"
        resized = _resized(container, old)
        if not same_spec(resized, old):
            detail = "only cpu and memory resources for init or sidecar containers are mutable"
            errors.append(forbidden(place, detail))
        if container.get("restartPolicy") != "Always" and not same_spec(container, old):
            detail = "non-sidecar init containers with a resize policy of RestartContainer cannot be resized"
            errors += [
                forbidden(place, detail)
                for policy in container.get("resizePolicy") or ()
                if policy.get("restartPolicy") == "RestartContainer"
            ]
        kept.append(resized)
    if containers:
        munged["initContainers"] = kept
