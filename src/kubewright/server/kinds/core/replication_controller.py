"""The ReplicationController kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kubewright.machinery.field_errors import (
    FieldError,
    forbidden,
    go_quote,
    invalid,
    not_supported,
    required,
)
from kubewright.machinery.names import is_dns1123_label
from kubewright.server.kinds.core.pod_template import (
    default_pod_template,
    normalize_pod_template,
    pod_spec_warnings,
    validate_pod_template,
)
from kubewright.server.kinds.kind import Context, Errors, Kind, Object, Subresource, same_spec_generation
from kubewright.server.kinds.metadata_rules import validate_non_negative

__all__ = ["REPLICATION_CONTROLLER"]

_TEMPLATE: Final = "spec.template"
_NON_CONVERTIBLE: Final = "non-convertible.kubernetes.io"


def _default(obj: Object) -> None:
    spec = obj.setdefault("spec", {})
    template = spec.get("template")
    labels = (template.get("metadata") or {}).get("labels") if template else None
    if labels:
        metadata = obj.setdefault("metadata", {})
        if not spec.get("selector"):
            spec["selector"] = dict(labels)
        if not metadata.get("labels"):
            metadata["labels"] = dict(labels)
    if spec.get("replicas") is None:
        spec["replicas"] = 1
    if template is not None:
        default_pod_template(template)


def _template(obj: Object) -> Object | None:
    template: Object | None = (obj.get("spec") or {}).get("template")
    return template


def _prepare_create(obj: Object, context: Context) -> None:
    obj["status"] = {"replicas": 0}
    template = _template(obj)
    if template is not None:
        normalize_pod_template(template, None)


def _prepare_update(obj: Object, old: Object, context: Context) -> None:
    obj["status"] = old.get("status") or {"replicas": 0}
    template = _template(obj)
    if template is not None:
        normalize_pod_template(template, _template(old))


def _prepare_status(obj: Object, old: Object, context: Context) -> None:
    obj["spec"] = old.get("spec") or {}


def _validate(obj: Object) -> Errors:
    return _validate_spec(obj.get("spec") or {}, None)


def _validate_spec(spec: Object, old_template: Object | None) -> Errors:
    errors = validate_non_negative(spec.get("minReadySeconds") or 0, "spec.minReadySeconds")
    selector = spec.get("selector") or {}
    if not selector:
        errors.append(required("spec.selector"))
    replicas = spec.get("replicas")
    if replicas is None:
        errors.append(required("spec.replicas"))
    else:
        errors += validate_non_negative(replicas, "spec.replicas")
    template = spec.get("template")
    if template is None:
        return [*errors, required(_TEMPLATE)]
    return errors + _validate_template(template, selector, old_template)


def _validate_template(template: Object, selector: Mapping[str, str], old: Object | None) -> Errors:
    errors: Errors = []
    labels = (template.get("metadata") or {}).get("labels")
    if selector and not selector.items() <= (labels or {}).items():
        detail = "`selector` does not match template `labels`"
        errors.append(invalid(f"{_TEMPLATE}.metadata.labels", labels, detail))
    errors += validate_pod_template(template, _TEMPLATE, old)
    pod = template.get("spec") or {}
    policy = pod.get("restartPolicy") or ""
    if policy != "Always":
        errors.append(not_supported(f"{_TEMPLATE}.spec.restartPolicy", policy, ("Always",)))
    if pod.get("activeDeadlineSeconds") is not None:
        detail = "activeDeadlineSeconds in ReplicationController is not Supported"
        errors.append(forbidden(f"{_TEMPLATE}.spec.activeDeadlineSeconds", detail))
    return errors


def _validate_update(obj: Object, old: Object) -> Errors:
    errors = _validate_spec(obj.get("spec") or {}, _template(old))
    for key, value in ((old.get("metadata") or {}).get("annotations") or {}).items():
        if key.startswith(_NON_CONVERTIBLE):
            errors += _validate_non_convertible(key, value, obj, old)
    return errors


def _validate_non_convertible(key: str, value: str, obj: Object, old: Object) -> Errors:
    """Fields that an object had in another version, and that updates in this one must leave alone."""
    parts = key.split("/")
    if len(parts) != 2:
        return []
    if "selector" not in parts[1]:
        message = f"Not found: {go_quote(value)}: unknown non-convertible field"
        return [FieldError("FieldValueNotFound", parts[1], message)]
    selector = (obj.get("spec") or {}).get("selector")
    if (selector or {}) == ((old.get("spec") or {}).get("selector") or {}):
        return []
    return [invalid("spec.selector", selector, "cannot update non-convertible selector")]


def _validate_status(obj: Object, old: Object) -> Errors:
    status = obj.get("status") or {}
    errors: Errors = []
    counts = {}
    for field in (
        "replicas",
        "fullyLabeledReplicas",
        "readyReplicas",
        "availableReplicas",
        "observedGeneration",
    ):
        counts[field] = status.get(field) or 0
        errors += validate_non_negative(counts[field], f"status.{field}")
    for field in ("fullyLabeledReplicas", "readyReplicas", "availableReplicas"):
        if counts[field] > counts["replicas"]:
            detail = "cannot be greater than status.replicas"
            errors.append(invalid(f"status.{field}", counts[field], detail))
    available = counts["availableReplicas"]
    if available > counts["readyReplicas"]:
        errors.append(invalid("status.availableReplicas", available, "cannot be greater than readyReplicas"))
    return errors


def _warnings(obj: Object, old: Object | None) -> list[str]:
    warnings: list[str] = []
    template = _template(obj)
    if old is None:
        name = (obj.get("metadata") or {}).get("name") or ""
        wrong = is_dns1123_label(name)
        if wrong:
            warnings.append(
                "metadata.name: this is used in Pod names and hostnames, which can result in surprising "
                f"behavior; a DNS label is recommended: [{' '.join(wrong)}]"
            )
        return warnings + _template_warnings(template)
    if not same_spec_generation(obj, old):
        return warnings
    # Upstream takes one template for the other, and so warns of what was there before.
    return warnings + _template_warnings(_template(old))


def _template_warnings(template: Object | None) -> list[str]:
    if template is None:
        return []
    return pod_spec_warnings(template.get("spec") or {}, template.get("metadata") or {}, _TEMPLATE)


def _fields(obj: Object) -> Mapping[str, str]:
    return {"status.replicas": str((obj.get("status") or {}).get("replicas") or 0)}


REPLICATION_CONTROLLER: Final = Kind(
    default=_default,
    prepare_create=_prepare_create,
    prepare_update=_prepare_update,
    validate=_validate,
    validate_update=_validate_update,
    warnings=_warnings,
    generation=same_spec_generation,
    fields=_fields,
    subresources={
        "status": Subresource(prepare=_prepare_status, validate=_validate_status, resets=("spec",))
    },
    always={"spec": {}, "status": {"replicas": 0}},
)
