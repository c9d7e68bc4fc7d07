"""The rules of new pods and of updates, by which hardly anything of a pod's spec may change."""

from __future__ import annotations

from typing import Final

from kubewright.machinery.field_errors import forbidden, go_quote, invalid, required
from kubewright.server.kinds.core.containers import check_image_space
from kubewright.server.kinds.core.pod_annotations import (
    check_annotation_updates,
    check_annotations,
    check_profiles_agree,
)
from kubewright.server.kinds.core.pod_internal import diff_internal, invalid_internal
from kubewright.server.kinds.core.pod_leniency import pod_leniency
from kubewright.server.kinds.core.pod_options import NEW_POD, PodOptions
from kubewright.server.kinds.core.pod_scheduling import check_tolerations
from kubewright.server.kinds.core.pod_semantics import same_spec
from kubewright.server.kinds.core.pod_spec import MIRROR_ANNOTATION, NO_FIELD, check_pod_spec
from kubewright.server.kinds.kind import Errors, Object

__all__ = ["validate_ephemeral_containers", "validate_pod", "validate_pod_spec_of", "validate_pod_update"]

_UPDATABLE: Final = (
    "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
    "`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)
_MAX_SECONDS: Final = 2**31 - 1
_TERMS: Final = "requiredDuringSchedulingIgnoredDuringExecution"


def validate_pod(pod: Object) -> Errors:
    """All that is wrong with a new pod."""
    errors: Errors = []
    validate_pod_spec_of(errors, pod, NEW_POD)
    spec = pod.get("spec") or {}
    if spec.get("ephemeralContainers"):
        errors.append(forbidden("spec.ephemeralContainers", "cannot be set on create"))
    if spec.get("nodeName") and spec.get("schedulingGates"):
        detail = "cannot be set until all schedulingGates have been cleared"
        errors.append(forbidden("spec.nodeName", detail))
    annotations = (pod.get("metadata") or {}).get("annotations")
    check_profiles_agree(errors, annotations, spec, "spec")
    return errors


def validate_pod_spec_of(errors: Errors, pod: Object, options: PodOptions) -> None:
    """What is wrong with a pod's annotations and spec, in a create or any update."""
    spec, metadata = pod.get("spec") or {}, pod.get("metadata") or {}
    check_annotations(errors, metadata.get("annotations"), spec, "metadata.annotations", options)
    check_pod_spec(errors, spec, metadata, "spec", options)
    if not spec.get("serviceAccountName"):
        _forbid_tokens(errors, spec)
    for kind in ("containers", "initContainers"):
        for index, container in enumerate(spec.get(kind) or ()):
            check_image_space(errors, container, f"spec.{kind}[{index}]")


def _forbid_tokens(errors: Errors, spec: Object) -> None:
    for index, volume in enumerate(spec.get("volumes") or ()):
        projected = volume.get("projected")
        for position, source in enumerate(projected.get("sources") or () if projected else ()):
            if source.get("serviceAccountToken") is not None:
                place = f"spec.volumes[{index}].projected.sources[{position}].serviceAccountToken"
                detail = "must not be specified when serviceAccountName is not set"
                errors.append(forbidden(place, detail))


def validate_pod_update(new: Object, old: Object) -> Errors:
    """All that is wrong with the update of a pod."""
    errors: Errors = []
    options = pod_leniency(old, is_pod=True)
    validate_pod_spec_of(errors, new, options)
    check_annotation_updates(errors, new, old, options)
    spec, stored = new.get("spec") or {}, old.get("spec") or {}
    for kind in ("containers", "initContainers"):
        if not _check_same_containers(errors, spec.get(kind) or [], stored.get(kind) or [], f"spec.{kind}"):
            return errors
    if not _check_deadline(errors, spec.get("activeDeadlineSeconds"), stored.get("activeDeadlineSeconds")):
        return errors
    _check_added_tolerations(errors, spec.get("tolerations") or [], stored.get("tolerations") or [], options)
    _check_gates(errors, spec.get("schedulingGates") or [], stored.get("schedulingGates") or [])
    if not same_spec(spec, stored):
        _check_immutable(errors, spec, stored)
    return errors


def _check_same_containers(errors: Errors, new: list[Object], old: list[Object], path: str) -> bool:
    if len(new) != len(old):
        errors.append(forbidden(path, "pod updates may not add or remove containers"))
        return False
    for index, container in enumerate(new):
        if not container.get("image"):
            errors.append(required(f"{path}[{index}].image"))
        check_image_space(errors, container, f"{path}[{index}]")
    return True


def _check_deadline(errors: Errors, new: int | None, old: int | None) -> bool:
    path = "spec.activeDeadlineSeconds"
    if new is None:
        if old is not None:
            errors.append(invalid(path, None, "must not update from a positive integer to nil value"))
        return True
    if not 0 <= new <= _MAX_SECONDS:
        errors.append(invalid(path, new, f"must be between 0 and {_MAX_SECONDS}, inclusive"))
        return False
    if old is not None and old < new:
        errors.append(invalid(path, new, "must be less than or equal to previous value"))
        return False
    return True


def _check_added_tolerations(
    errors: Errors, new: list[Object], old: list[Object], options: PodOptions
) -> None:
    if new == old:
        # Nothing is added, and upstream tells what is wrong with them a second time.
        check_tolerations(errors, new, "spec.tolerations", options)
        return
    kept = {_without_seconds(toleration) for toleration in new}
    if any(_without_seconds(toleration) not in kept for toleration in old):
        detail = "existing toleration can not be modified except its tolerationSeconds"
        errors.append(forbidden("spec.tolerations", detail))
        return
    check_tolerations(errors, new, "spec.tolerations", options)


def _without_seconds(toleration: Object) -> tuple[str, ...]:
    return tuple(toleration.get(name) or "" for name in ("key", "operator", "value", "effect"))


def _check_gates(errors: Errors, new: list[Object], old: list[Object]) -> None:
    if not new or new == old:
        return
    positions = {gate.get("name") or "": index for index, gate in enumerate(new)}
    for gate in old:
        positions.pop(gate.get("name") or "", None)
    for name, index in positions.items():
        detail = f"only deletion is allowed, but found new scheduling gate '{name}'"
        errors.append(forbidden(f"spec.schedulingGates[{index}].name", detail))


def _check_immutable(errors: Errors, spec: Object, stored: Object) -> None:
    """Put back what may change; whatever then still differs may not."""
    munged = dict(spec)
    for kind in ("containers", "initContainers"):
        if kind in spec:
            munged[kind] = [
                _with(container, "image", old.get("image"))
                for container, old in zip(spec[kind] or (), stored.get(kind) or (), strict=False)
            ]
    for field in ("activeDeadlineSeconds", "schedulingGates", "tolerations"):
        _set(munged, field, stored.get(field))
    grace = stored.get("terminationGracePeriodSeconds")
    if grace is not None and grace < 0 and spec.get("terminationGracePeriodSeconds") == 1:
        munged["terminationGracePeriodSeconds"] = grace
    if stored.get("schedulingGates"):
        _check_gated(errors, munged, stored)
    if not same_spec(munged, stored):
        difference = diff_internal("PodSpec", stored, munged)
        detail = f"pod updates may not change fields other than {_UPDATABLE}\n{difference}"
        errors.append(forbidden("spec", detail))


def _with(obj: Object, field: str, value: object) -> Object:
    copy = dict(obj)
    _set(copy, field, value)
    return copy


def _set(obj: Object, field: str, value: object) -> None:
    if value is None:
        obj.pop(field, None)
    else:
        obj[field] = value


def _check_gated(errors: Errors, munged: Object, stored: Object) -> None:
    """As long as a pod waits at a gate, it may be told more precisely where to run."""
    selector, old_selector = munged.get("nodeSelector") or {}, stored.get("nodeSelector") or {}
    if selector != old_selector:
        if any(selector.get(key) != value for key, value in old_selector.items()):
            detail = "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
            shown = dict(sorted(selector.items())) if "nodeSelector" in munged else None
            errors.append(invalid("spec.nodeSelector", shown, detail))
        _set(munged, "nodeSelector", stored.get("nodeSelector"))
    affinity, old_affinity = munged.get("affinity"), stored.get("affinity")
    node, old_node = (affinity or {}).get("nodeAffinity"), (old_affinity or {}).get("nodeAffinity")
    if node == old_node:
        return
    _check_node_affinity(errors, node, old_node)
    if affinity is None:
        munged["affinity"] = {"nodeAffinity": old_node}
    elif old_affinity is None and not affinity.keys() - {"nodeAffinity"}:
        del munged["affinity"]
    else:
        munged["affinity"] = _with(affinity, "nodeAffinity", old_node)


def _check_node_affinity(errors: Errors, new: Object | None, old: Object | None) -> None:
    old_required = (old or {}).get(_TERMS)
    if old_required is None:
        return
    path = f"spec.affinity.nodeAffinity.{_TERMS}.nodeSelectorTerms"
    old_terms = old_required.get("nodeSelectorTerms") or []
    new_terms = ((new or {}).get(_TERMS) or {}).get("nodeSelectorTerms") or []
    if old_terms and len(old_terms) != len(new_terms):
        detail = "no additions/deletions to non-empty NodeSelectorTerms list are allowed"
        if new_terms:
            errors.append(invalid_internal(path, "NodeSelectorTerm", new_terms, detail))
        else:
            errors.append(invalid(path, None, detail))
        return
    for index, (term, old_term) in enumerate(zip(new_terms, old_terms, strict=False)):
        if not _only_adds(term, old_term):
            detail = "only additions are allowed (no mutations or deletions)"
            errors.append(invalid_internal(f"{path}[{index}]", "NodeSelectorTerm", term, detail))


def _only_adds(new: Object, old: Object) -> bool:
    fields = ("matchExpressions", "matchFields")
    if not any(old.get(field) for field in fields):
        return not any(new.get(field) for field in fields)
    return all((new.get(field) or [])[: len(old[field])] == old[field] for field in fields if old.get(field))


def validate_ephemeral_containers(new: Object, old: Object) -> Errors:
    """All that is wrong with an update of the containers to debug with; those that are there must stay."""
    errors: Errors = []
    options = pod_leniency(old, is_pod=True)
    validate_pod_spec_of(errors, new, options)
    check_annotation_updates(errors, new, old, options)
    if MIRROR_ANNOTATION in ((old.get("metadata") or {}).get("annotations") or ()):
        return [forbidden(NO_FIELD, "static pods do not support ephemeral containers")]
    containers = (new.get("spec") or {}).get("ephemeralContainers") or ()
    by_name = {container.get("name") or "": container for container in containers}
    for container in (old.get("spec") or {}).get("ephemeralContainers") or ():
        name = container.get("name") or ""
        found = by_name.get(name)
        if found is None:
            detail = f"existing ephemeral containers {go_quote(name)} may not be removed\n"
            errors.append(forbidden("spec.ephemeralContainers", detail))
        elif found != container:
            difference = diff_internal("EphemeralContainer", container, found)
            detail = f"existing ephemeral containers {go_quote(name)} may not be changed\n{difference}"
            errors.append(forbidden("spec.ephemeralContainers", detail))
    return errors
