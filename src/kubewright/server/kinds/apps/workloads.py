"""What the kinds that keep pods running share: their selectors, their templates, their status."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kubewright.machinery.field_errors import forbidden, invalid, not_supported, required
from kubewright.machinery.names import is_dns1123_label
from kubewright.server.kinds.core.pod_template import pod_spec_warnings, same_spec, validate_pod_template
from kubewright.server.kinds.kind import Errors, Object
from kubewright.server.kinds.metadata_rules import (
    FIELD_IMMUTABLE,
    validate_label_selector,
    validate_non_negative,
)

__all__ = [
    "is_new_generation",
    "labels_of",
    "name_warnings",
    "selector_as_go",
    "selector_matches",
    "set_default",
    "take_back",
    "template_warnings",
    "validate_always_restarted",
    "validate_collision_count",
    "validate_counts",
    "validate_immutable_selector",
    "validate_not_above",
    "validate_required_selector",
    "validate_selector_and_template",
    "validate_template_matches",
]


def set_default(obj: Object, field: str, value: object) -> None:
    """Give a field its default, if it has no value."""
    if obj.get(field) is None:
        obj[field] = value


def take_back(obj: Object, old: Object, field: str) -> None:
    """Give a field the value that it had, for endpoints that do not write it."""
    if field in old:
        obj[field] = old[field]
    else:
        obj.pop(field, None)


def selector_as_go(selector: Object | None) -> Object | None:
    """A LabelSelector with its fields in the order in which messages show them."""
    if selector is None:
        return None
    shown: Object = {}
    if selector.get("matchLabels"):
        shown["matchLabels"] = dict(sorted(selector["matchLabels"].items()))
    if selector.get("matchExpressions"):
        shown["matchExpressions"] = [
            {
                "key": expression.get("key") or "",
                "operator": expression.get("operator") or "",
                **({"values": expression["values"]} if expression.get("values") else {}),
            }
            for expression in selector["matchExpressions"]
        ]
    return shown


def selector_matches(selector: Object | None, labels: Mapping[str, str]) -> bool:
    """Whether a valid LabelSelector picks these labels; none picks nothing, an empty one everything."""
    if selector is None:
        return False
    for key, value in (selector.get("matchLabels") or {}).items():
        if labels.get(key) != value:
            return False
    return all(_fulfilled(expression, labels) for expression in selector.get("matchExpressions") or ())


def _fulfilled(expression: Object, labels: Mapping[str, str]) -> bool:
    operator, value = expression.get("operator"), labels.get(expression.get("key") or "")
    if operator == "Exists":
        return value is not None
    if operator == "DoesNotExist":
        return value is None
    listed = value is not None and value in (expression.get("values") or ())
    return listed if operator == "In" else not listed


def labels_of(template: Object) -> Mapping[str, str] | None:
    """The labels of a pod template, or None."""
    labels: Mapping[str, str] | None = (template.get("metadata") or {}).get("labels")
    return labels


def validate_selector_and_template(spec: Object, old_spec: Object | None, *, empty: str, kind: str) -> Errors:
    """The rules of `spec.selector` and `spec.template` of Deployments and ReplicaSets.

    `empty` is the kind that the message about empty selectors names, `kind` the one that upstream names in
    the message about activeDeadlineSeconds.
    """
    selector = spec.get("selector")
    errors = validate_required_selector(selector, empty=empty)
    if errors and selector is not None and validate_label_selector(selector, ""):
        errors.append(invalid("spec.selector", selector_as_go(selector), "invalid label selector"))
        return errors
    template = spec.get("template") or {}
    errors += validate_template_matches(selector, template)
    errors += validate_pod_template(template, "spec.template", (old_spec or {}).get("template"))
    errors += validate_always_restarted(template, kind=kind)
    return errors


def validate_required_selector(selector: Object | None, *, empty: str) -> Errors:
    """A selector that must be there, be valid, and select something."""
    if selector is None:
        return [required("spec.selector")]
    errors = validate_label_selector(selector, "spec.selector")
    if not selector.get("matchLabels") and not selector.get("matchExpressions"):
        detail = f"empty selector is invalid for {empty}"
        errors.append(invalid("spec.selector", selector_as_go(selector), detail))
    return errors


def validate_template_matches(
    selector: Object | None, template: Object, path: str = "spec.template"
) -> Errors:
    """A valid selector must pick the pods that the template makes."""
    labels = labels_of(template)
    if selector_matches(selector, labels or {}):
        return []
    shown: Any = None if labels is None else dict(sorted(labels.items()))
    return [invalid(f"{path}.metadata.labels", shown, "`selector` does not match template `labels`")]


def validate_always_restarted(template: Object, *, kind: str) -> Errors:
    """Pods that shall keep running restart always, and have no deadline."""
    spec = template.get("spec") or {}
    errors: Errors = []
    policy = spec.get("restartPolicy") or ""
    if policy != "Always":
        errors.append(not_supported("spec.template.spec.restartPolicy", policy, ("Always",)))
    if spec.get("activeDeadlineSeconds") is not None:
        detail = f"activeDeadlineSeconds in {kind} is not Supported"
        errors.append(forbidden("spec.template.spec.activeDeadlineSeconds", detail))
    return errors


def validate_immutable_selector(spec: Object, old_spec: Object) -> Errors:
    """A selector may not change once the object exists."""
    selector, old = spec.get("selector"), old_spec.get("selector")
    if selector == old or selector_as_go(selector) == selector_as_go(old):
        return []
    return [invalid("spec.selector", selector_as_go(selector), FIELD_IMMUTABLE)]


def validate_counts(status: Object, fields: Sequence[str]) -> Errors:
    """The named numbers of a status, of which none may be below zero."""
    errors: Errors = []
    for field in fields:
        value = status.get(field)
        if value is not None and value < 0:
            errors += validate_non_negative(value, f"status.{field}")
    return errors


def validate_not_above(status: Object, fields: Sequence[str], limit: str, message: str) -> Errors:
    """The named numbers of a status, of which none may exceed that of `limit`."""
    most = status.get(limit) or 0
    return [
        invalid(f"status.{field}", status.get(field) or 0, message)
        for field in fields
        if (status.get(field) or 0) > most
    ]


def validate_collision_count(status: Object, old_status: Object) -> Errors:
    """The count of hash collisions only grows, once it is there."""
    count, old = status.get("collisionCount"), old_status.get("collisionCount")
    if old is None or (count is not None and count >= old):
        return []
    return [invalid("status.collisionCount", count or 0, "cannot be decremented")]


def name_warnings(obj: Object) -> list[str]:
    """A name that is no DNS label works, and surprises later."""
    messages = is_dns1123_label((obj.get("metadata") or {}).get("name") or "")
    if not messages:
        return []
    problem = "this is used in Pod names and hostnames, which can result in surprising behavior"
    return [f"metadata.name: {problem}; a DNS label is recommended: [{' '.join(messages)}]"]


def template_warnings(spec: Object, path: str = "spec") -> list[str]:
    """What there is to say about the pod template of a spec."""
    template = spec.get("template") or {}
    return pod_spec_warnings(template.get("spec") or {}, template.get("metadata") or {}, f"{path}.template")


def is_new_generation(obj: Object, old: Object) -> bool:
    """Whether the spec has changed, for upstream's semantic comparison."""
    return not same_spec(obj.get("spec") or {}, old.get("spec") or {})
