"""The rules of the annotations that mean something to pods: older names for what fields say today."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from kubewright.machinery.depth import decode_json
from kubewright.machinery.field_errors import forbidden, go_quote, invalid
from kubewright.server.kinds.core.go_json_errors import go_syntax_error
from kubewright.server.kinds.core.name_checks import check_relative_path
from kubewright.server.kinds.core.pod_options import PodOptions
from kubewright.server.kinds.core.pod_os import containers_with_paths
from kubewright.server.kinds.core.pod_scheduling import check_tolerations
from kubewright.server.kinds.core.pod_spec import MIRROR_ANNOTATION
from kubewright.server.kinds.kind import Errors, Object

__all__ = [
    "APPARMOR_PREFIX",
    "SECCOMP_POD",
    "SECCOMP_PREFIX",
    "apparmor_profile_of",
    "check_annotation_updates",
    "check_annotations",
    "check_profiles_agree",
    "is_deletion_cost",
]

APPARMOR_PREFIX: Final = "container.apparmor.security.beta.kubernetes.io/"
SECCOMP_POD: Final = "seccomp.security.alpha.kubernetes.io/pod"
SECCOMP_PREFIX: Final = "container.seccomp.security.alpha.kubernetes.io/"
_TOLERATIONS: Final = "scheduler.alpha.kubernetes.io/tolerations"
_DELETION_COST: Final = "controller.kubernetes.io/pod-deletion-cost"

_IS_COST: Final = re.compile("0|-[0-9]+|[1-9][0-9]*").fullmatch


def is_deletion_cost(annotations: Mapping[str, str] | None) -> bool:
    """Whether the deletion cost among the annotations, if there is one, is an int32."""
    value = (annotations or {}).get(_DELETION_COST)
    if value is None:
        return True
    return _IS_COST(value) is not None and len(value) < 4000 and -(2**31) <= int(value) < 2**31


def check_annotations(
    errors: Errors, annotations: Mapping[str, str] | None, spec: Object, path: str, options: PodOptions
) -> None:
    """The annotations of a pod or template, as far as they mean something to its spec."""
    if not annotations or not any("kubernetes.io/" in key for key in annotations):
        return
    mirror = annotations.get(MIRROR_ANNOTATION)
    if mirror is not None and not spec.get("nodeName"):
        detail = "must set spec.nodeName if mirror pod annotation is set"
        errors.append(invalid(f"{path}[{MIRROR_ANNOTATION}]", mirror, detail))
    tolerations = annotations.get(_TOLERATIONS)
    if tolerations:
        _check_tolerations(errors, tolerations, path, options)
    if not options.allow_invalid_deletion_cost and not is_deletion_cost(annotations):
        value = annotations[_DELETION_COST]
        errors.append(invalid(f"{path}[{_DELETION_COST}]", value, "must be a 32bit integer"))
    if SECCOMP_POD in annotations:
        _check_seccomp(errors, annotations[SECCOMP_POD], f"{path}.{SECCOMP_POD}")
    for key, value in annotations.items():
        if key.startswith(SECCOMP_PREFIX):
            _check_seccomp(errors, value, f"{path}.{key}")
    apparmor = {key: value for key, value in annotations.items() if key.startswith(APPARMOR_PREFIX)}
    if apparmor:
        _check_apparmor(errors, apparmor, spec, path)


def _check_tolerations(errors: Errors, text: str, path: str, options: PodOptions) -> None:
    wrong, found = _decode_tolerations(text)
    if wrong:
        errors.append(invalid(path, _TOLERATIONS, wrong))
    else:
        check_tolerations(errors, found, f"{path}.{_TOLERATIONS}", options)


def _decode_tolerations(text: str) -> tuple[str, list[Object]]:
    """What Go's decoder says, or the tolerations; it takes the names of fields in any case."""
    wrong = go_syntax_error(text.encode(errors="surrogatepass"))
    if wrong:
        return wrong, []
    value = decode_json(text.encode(errors="surrogatepass"))
    if value is None:
        return "", []
    if not isinstance(value, list):
        return f"json: cannot unmarshal {_json_type(value)} into Go value of type []core.Toleration", []
    found = []
    for element in value:
        if not isinstance(element, dict):
            if element is not None:
                kind = _json_type(element)
                return f"json: cannot unmarshal {kind} into Go value of type core.Toleration", []
            element = {}  # noqa: PLW2901 - Go leaves what is null empty
        toleration, wrong = _decode_toleration(element)
        if wrong:
            return wrong, []
        found.append(toleration)
    return "", found


_TOLERATION_FIELDS: Final = {
    name.lower(): name for name in ("Key", "Operator", "Value", "Effect", "TolerationSeconds")
}
_GO_TYPES: Final = {"Operator": "core.TolerationOperator", "Effect": "core.TaintEffect"}


def _decode_toleration(element: Object) -> tuple[Object, str]:
    toleration: Object = {}
    for name, value in element.items():
        field = _TOLERATION_FIELDS.get(name.lower())
        if field is None or value is None:
            continue
        if field == "TolerationSeconds":
            good, wanted = isinstance(value, int) and not isinstance(value, bool), "int64"
        else:
            good, wanted = isinstance(value, str), _GO_TYPES.get(field, "string")
        if not good:
            shown = f"Go struct field Toleration.{field} of type {wanted}"
            return {}, f"json: cannot unmarshal {_json_type(value)} into {shown}"
        toleration[field[0].lower() + field[1:]] = value
    return toleration, ""


def _json_type(value: object) -> str:
    if isinstance(value, bool):
        return "bool"
    names: dict[type, str] = {str: "string", list: "array", dict: "object"}
    return names.get(type(value), "number")


def _check_seccomp(errors: Errors, profile: str, path: str) -> None:
    if profile in {"runtime/default", "docker/default", "unconfined"}:
        return
    if profile.startswith("localhost/"):
        check_relative_path(errors, profile.removeprefix("localhost/"), path)
    else:
        errors.append(invalid(path, profile, "must be a valid seccomp profile"))


def _check_apparmor(errors: Errors, annotations: Mapping[str, str], spec: Object, path: str) -> None:
    names = {container.get("name") or "" for container, _ in containers_with_paths(spec, "")}
    for key, profile in annotations.items():
        name = key.removeprefix(APPARMOR_PREFIX)
        if name not in names:
            errors.append(invalid(f"{path}[{key}]", name, "container not found"))
        if profile not in {"", "runtime/default", "unconfined"} and not profile.startswith("localhost/"):
            detail = f"invalid AppArmor profile name: {go_quote(profile)}"
            errors.append(invalid(f"{path}[{key}]", profile, detail))


def apparmor_profile_of(annotation: str) -> Object | None:
    """The profile that an annotation stands for; None for what it cannot say."""
    if annotation == "unconfined":
        return {"type": "Unconfined"}
    if annotation == "runtime/default":
        return {"type": "RuntimeDefault"}
    local = annotation.removeprefix("localhost/")
    return {"type": "Localhost", "localhostProfile": local} if local and local != annotation else None


def check_annotation_updates(errors: Errors, new: Object, old: Object, options: PodOptions) -> None:
    """The annotations of a pod that is updated; `new` and `old` are whole pods."""
    path = "metadata.annotations"
    changed = new["metadata"].get("annotations") or {} if "metadata" in new else {}
    stored = (old.get("metadata") or {}).get("annotations") or {}
    if changed != stored:
        for key, value in stored.items():
            if changed.get(key) != value:
                _forbid_change(errors, key, "remove or update", path)
        for key in changed:
            if key not in stored:
                _forbid_change(errors, key, "add", path)
    check_annotations(errors, changed, new.get("spec") or {}, path, options)


def _forbid_change(errors: Errors, key: str, change: str, path: str) -> None:
    if key.startswith(APPARMOR_PREFIX):
        errors.append(forbidden(f"{path}[{key}]", f"may not {change} AppArmor annotations"))
    if key == MIRROR_ANNOTATION:
        errors.append(forbidden(f"{path}[{key}]", f"may not {change} mirror pod annotation"))


def check_profiles_agree(
    errors: Errors, annotations: Mapping[str, str] | None, spec: Object, path: str
) -> None:
    """Seccomp and AppArmor profiles that annotations and fields both name must be the same."""
    if not annotations or not any("kubernetes.io/" in key for key in annotations):
        return
    of_pod = spec.get("securityContext") or {}
    profile = of_pod.get("seccompProfile")
    if profile is not None and SECCOMP_POD in annotations:
        place = f"{path}.securityContext.seccompProfile"
        _check_agrees(errors, annotations[SECCOMP_POD], profile, place, "seccomp")
    containers = containers_with_paths(spec, path)
    for container, place in containers:
        profile = (container.get("securityContext") or {}).get("seccompProfile")
        key = f"{SECCOMP_PREFIX}{container.get('name') or ''}"
        if profile is not None and key in annotations:
            place = f"{place}.securityContext.seccompProfile"  # noqa: PLW2901
            _check_agrees(errors, annotations[key], profile, place, "seccomp")
    if (spec.get("os") or {}).get("name") == "windows":
        return
    for container, place in containers:
        own = (container.get("securityContext") or {}).get("appArmorProfile")
        profile = of_pod.get("appArmorProfile") if own is None else own
        key = f"{APPARMOR_PREFIX}{container.get('name') or ''}"
        if profile is not None and key in annotations:
            place = f"{place}.securityContext.appArmorProfile"  # noqa: PLW2901
            _check_agrees(errors, annotations[key], profile, place, "apparmor")


def _check_agrees(errors: Errors, annotation: str, profile: Object, path: str, what: str) -> None:
    kind = profile.get("type") or ""
    if kind == "Unconfined":
        agrees = annotation == "unconfined"
    elif kind == "RuntimeDefault":
        agrees = annotation == "runtime/default" or (what == "seccomp" and annotation == "docker/default")
    elif kind == "Localhost":
        agrees = annotation.startswith("localhost/")
        if agrees and annotation.removeprefix("localhost/") != profile.get("localhostProfile"):
            detail = f"{what} profile in annotation and field must match"
            errors.append(forbidden(f"{path}.localhostProfile", detail))
    else:
        agrees = True
    if not agrees:
        detail = f"{what} type in annotation and field must match"
        errors.append(forbidden(f"{path}.type", detail))
