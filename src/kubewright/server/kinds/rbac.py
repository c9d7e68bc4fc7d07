"""The kinds of rbac.authorization.k8s.io: roles, and who has them.

Whether a writer has the rights that a role gives away is the affair of authorization, not of these rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from kubewright.machinery.field_errors import invalid, not_supported, required
from kubewright.machinery.names import is_path_segment_name, name_is_dns_subdomain
from kubewright.server.kinds.kind import Errors, Kind, Object
from kubewright.server.kinds.metadata_rules import validate_label_selector

__all__ = ["KINDS", "name_is_path_segment", "validate_policy_rule"]

_GROUP: Final = "rbac.authorization.k8s.io"
_SUBJECT_KINDS: Final = ("ServiceAccount", "User", "Group")


def name_is_path_segment(name: str, *, prefix: bool = False) -> list[str]:
    """The name of a role or binding; upstream takes a generateName for a whole name here."""
    return is_path_segment_name(name)


def _default_binding(obj: Object) -> None:
    role = obj.setdefault("roleRef", {})
    if not role.get("apiGroup"):
        role["apiGroup"] = _GROUP
    for subject in obj.get("subjects") or ():
        if not subject.get("apiGroup") and subject.get("kind") in {"User", "Group"}:
            subject["apiGroup"] = _GROUP


def validate_policy_rule(rule: Object, path: str, *, namespaced: bool) -> Errors:
    """All that is wrong with a rule of a role."""
    errors: Errors = []
    if not rule.get("verbs"):
        errors.append(required(f"{path}.verbs", "verbs must contain at least one value"))
    urls = rule.get("nonResourceURLs")
    if urls:
        place = f"{path}.nonResourceURLs"
        if namespaced:
            errors.append(invalid(place, urls, "namespaced rules cannot apply to non-resource URLs"))
        if rule.get("apiGroups") or rule.get("resources") or rule.get("resourceNames"):
            detail = "rules cannot apply to both regular resources and non-resource URLs"
            errors.append(invalid(place, urls, detail))
        return errors
    if not rule.get("apiGroups"):
        errors.append(required(f"{path}.apiGroups", "resource rules must supply at least one api group"))
    if not rule.get("resources"):
        errors.append(required(f"{path}.resources", "resource rules must supply at least one resource"))
    return errors


def _validate_rules(obj: Object, *, namespaced: bool) -> Errors:
    errors: Errors = []
    for index, rule in enumerate(obj.get("rules") or ()):
        errors += validate_policy_rule(rule, f"rules[{index}]", namespaced=namespaced)
    return errors


def _validate_role(obj: Object) -> Errors:
    return _validate_rules(obj, namespaced=True)


def _validate_cluster_role(obj: Object, *, allow_invalid_values: bool = False) -> Errors:
    errors = _validate_rules(obj, namespaced=False)
    aggregation = obj.get("aggregationRule")
    if aggregation is None:
        return errors
    path = "aggregationRule.clusterRoleSelectors"
    selectors = aggregation.get("clusterRoleSelectors") or ()
    if not selectors:
        detail = "at least one clusterRoleSelector required if aggregationRule is non-nil"
        errors.append(required(path, detail))
    for index, selector in enumerate(selectors):
        place = f"{path}[{index}]"
        errors += validate_label_selector(selector, place, allow_invalid_values=allow_invalid_values)
        if validate_label_selector(selector, place):
            # Upstream shows what came of it, which is nothing.
            errors.append(invalid(place, None, "invalid label selector."))
    return errors


def _validate_cluster_role_update(obj: Object, old: Object) -> Errors:
    old_selectors = (old.get("aggregationRule") or {}).get("clusterRoleSelectors") or ()
    allow = any(
        validate_label_selector(selector, "")
        and not validate_label_selector(selector, "", allow_invalid_values=True)
        for selector in old_selectors
    )
    return _validate_cluster_role(obj, allow_invalid_values=allow)


def _validate_binding(obj: Object, *, namespaced: bool) -> Errors:
    errors: Errors = []
    role = obj.get("roleRef") or {}
    group, kind, name = (role.get(field) or "" for field in ("apiGroup", "kind", "name"))
    kinds = ("Role", "ClusterRole") if namespaced else ("ClusterRole",)
    if group != _GROUP:
        errors.append(not_supported("roleRef.apiGroup", group, (_GROUP,)))
    if kind not in kinds:
        errors.append(not_supported("roleRef.kind", kind, kinds))
    if not name:
        errors.append(required("roleRef.name"))
    else:
        errors += [invalid("roleRef.name", name, message) for message in is_path_segment_name(name)]
    for index, subject in enumerate(obj.get("subjects") or ()):
        errors += _validate_subject(subject, f"subjects[{index}]", namespaced=namespaced)
    return errors


def _validate_subject(subject: Object, path: str, *, namespaced: bool) -> Errors:
    errors: Errors = []
    group, kind, name = (subject.get(field) or "" for field in ("apiGroup", "kind", "name"))
    if not name:
        errors.append(required(f"{path}.name"))
    if kind == "ServiceAccount":
        if name:
            errors += [invalid(f"{path}.name", name, message) for message in name_is_dns_subdomain(name)]
        if group:
            errors.append(not_supported(f"{path}.apiGroup", group, ("",)))
        if not namespaced and not subject.get("namespace"):
            errors.append(required(f"{path}.namespace"))
    elif kind in _SUBJECT_KINDS:
        if group != _GROUP:
            errors.append(not_supported(f"{path}.apiGroup", group, (_GROUP,)))
    else:
        errors.append(not_supported(f"{path}.kind", kind, _SUBJECT_KINDS))
    return errors


def _validate_binding_update(obj: Object, old: Object, *, namespaced: bool) -> Errors:
    errors = _validate_binding(obj, namespaced=namespaced)
    role, old_role = obj.get("roleRef") or {}, old.get("roleRef") or {}
    if role != old_role:
        shown = {
            "APIGroup": role.get("apiGroup") or "",
            "Kind": role.get("kind") or "",
            "Name": role.get("name") or "",
        }
        errors.append(invalid("roleRef", shown, "cannot change roleRef"))
    return errors


def _after_update(validate: Callable[[Object], Errors]) -> Callable[[Object, Object], Errors]:
    return lambda obj, old: validate(obj)


def _binding(*, namespaced: bool) -> Kind:
    return Kind(
        default=_default_binding,
        validate=partial(_validate_binding, namespaced=namespaced),
        validate_update=partial(_validate_binding_update, namespaced=namespaced),
        name=name_is_path_segment,
        allow_create_on_update=True,
        resets=(),
        metadata_checks=2,
    )


KINDS: Final[Mapping[str, Kind]] = {
    "roles": Kind(
        validate=_validate_role,
        validate_update=_after_update(_validate_role),
        name=name_is_path_segment,
        allow_create_on_update=True,
        resets=(),
        metadata_checks=2,
    ),
    "clusterroles": Kind(
        validate=_validate_cluster_role,
        validate_update=_validate_cluster_role_update,
        name=name_is_path_segment,
        allow_create_on_update=True,
        resets=(),
        metadata_checks=2,
    ),
    "rolebindings": _binding(namespaced=True),
    "clusterrolebindings": _binding(namespaced=False),
}
