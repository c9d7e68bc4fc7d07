"""The rules of what an autoscaler looks at: `spec.metrics` of autoscaling/v2."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from kubewright.machinery.errors import ParseError
from kubewright.machinery.field_errors import forbidden, invalid, not_supported, required
from kubewright.machinery.names import is_dns1123_label, is_path_segment_name
from kubewright.machinery.quantity import Quantity
from kubewright.server.kinds.core.resource_rules import validate_container_resource_name
from kubewright.server.kinds.kind import Errors, Object

__all__ = ["api_version_error", "sign_of", "validate_metrics", "validate_object_reference"]

_TYPES: Final = ("ContainerResource", "External", "Object", "Pods", "Resource")
_TARGET_TYPES: Final = frozenset({"Utilization", "Value", "AverageValue"})


def sign_of(quantity: object) -> int:
    """-1, 0 or 1; what is no quantity counts as 0."""
    try:
        amount = Quantity(str(quantity))
    except ParseError:
        return 0
    return (amount > 0) - (amount < 0)


def api_version_error(version: str, *, core_group: bool) -> str:
    """What is wrong with the version of a reference; `core_group` says that the core group will do."""
    slashes = version.count("/")
    if slashes > 1:
        return f"unexpected GroupVersion string: {version}"
    group = version.partition("/")[0] if slashes else ""
    return "" if group or core_group else "apiVersion must specify API group"


def validate_object_reference(reference: Object, path: str, *, any_version: bool, core_group: bool) -> Errors:
    """All that is wrong with a reference by kind and name; `any_version` lets every version pass."""
    errors: Errors = []
    for field in ("kind", "name"):
        errors += _validate_path_segment(reference.get(field) or "", f"{path}.{field}")
    version = reference.get("apiVersion") or ""
    wrong = "" if any_version else api_version_error(version, core_group=core_group)
    if wrong:
        errors.append(invalid(f"{path}.apiVersion", version, wrong))
    return errors


def _validate_path_segment(name: str, path: str, missing: str = "") -> Errors:
    if not name:
        return [required(path, missing)]
    return [invalid(path, name, message) for message in is_path_segment_name(name)]


def validate_metrics(spec: Object, *, any_version: bool) -> Errors:
    """All that is wrong with `metrics` of a spec; `any_version` is for objects that are described."""
    errors: Errors = []
    outside = False
    metrics = spec.get("metrics") or ()
    for index, metric in enumerate(metrics):
        errors += _validate_metric(metric, f"spec.metrics[{index}]", any_version=any_version)
        outside = outside or metric.get("type") in {"Object", "External"}
    if spec.get("minReplicas") == 0 and not outside:
        detail = "must specify at least one Object or External metric to support scaling to zero replicas"
        errors.append(forbidden("spec.metrics", detail))
    return errors


def _validate_metric(metric: Object, path: str, *, any_version: bool) -> Errors:
    errors: Errors = []
    kind = metric.get("type") or ""
    if not kind:
        errors.append(required(f"{path}.type", "must specify a metric source type"))
    if kind not in _TYPES:
        errors.append(not_supported(f"{path}.type", kind, _TYPES))
    given = [field for field in _ORDER if metric.get(field) is not None]
    if given:
        source, place = metric[given[0]], f"{path}.{given[0]}"
        if given[0] == "object":
            errors += _validate_object(source, place, any_version=any_version)
        else:
            errors += _SOURCES[given[0]](source, place)
    expected = kind[:1].lower() + kind[1:]
    if kind not in _TYPES:
        errors.append(not_supported(f"{path}.type", kind, _TYPES))
    elif expected not in given:
        detail = "must populate information for the given metric source"
        errors.append(required(f"{path}.{expected}", detail))
    if len(given) != 1:
        # Upstream walks a set here, in no particular order.
        detail = "must populate the given metric source only"
        errors += [forbidden(f"{path}.{field}", detail) for field in given if field != expected]
    return errors


def _validate_object(source: Object, path: str, *, any_version: bool) -> Errors:
    described = source.get("describedObject") or {}
    errors = validate_object_reference(
        described, f"{path}.describedObject", any_version=any_version, core_group=True
    )
    errors += _validate_identifier(source, path)
    target = source.get("target") or {}
    errors += _validate_target(target, f"{path}.target")
    if target.get("value") is None and target.get("averageValue") is None:
        detail = "must set either a target value or averageValue"
        errors.append(required(f"{path}.target.averageValue", detail))
    return errors


def _validate_external(source: Object, path: str) -> Errors:
    errors = _validate_identifier(source, path)
    target = source.get("target") or {}
    errors += _validate_target(target, f"{path}.target")
    value, average = target.get("value"), target.get("averageValue")
    if value is None and average is None:
        detail = "must set either a target value for metric or a per-pod target"
        errors.append(required(f"{path}.target.averageValue", detail))
    if value is not None and average is not None:
        detail = "may not set both a target value for metric and a per-pod target"
        errors.append(forbidden(f"{path}.target.value", detail))
    return errors


def _validate_pods(source: Object, path: str) -> Errors:
    errors = _validate_identifier(source, path)
    target = source.get("target") or {}
    errors += _validate_target(target, f"{path}.target")
    if target.get("averageValue") is None:
        detail = "must specify a positive target averageValue"
        errors.append(required(f"{path}.target.averageValue", detail))
    return errors


def _validate_resource(source: Object, path: str) -> Errors:
    errors: Errors = []
    if not source.get("name"):
        errors.append(required(f"{path}.name", "must specify a resource name"))
    return errors + _validate_resource_target(source, path)


def _validate_container_resource(source: Object, path: str) -> Errors:
    errors: Errors = []
    name, container = source.get("name") or "", source.get("container") or ""
    if not name:
        errors.append(required(f"{path}.name", "must specify a resource name"))
    else:
        errors += validate_container_resource_name(name, f"{path}.name")
    if not container:
        errors.append(required(f"{path}.container", "must specify a container"))
    else:
        errors += [invalid(f"{path}.container", container, text) for text in is_dns1123_label(container)]
    return errors + _validate_resource_target(source, path)


def _validate_resource_target(source: Object, path: str) -> Errors:
    target = source.get("target") or {}
    errors = _validate_target(target, f"{path}.target")
    utilization, average = target.get("averageUtilization"), target.get("averageValue")
    if utilization is None and average is None:
        detail = "must set either a target raw value or a target utilization"
        errors.append(required(f"{path}.target.averageUtilization", detail))
    if utilization is not None and average is not None:
        detail = "may not set both a target raw value and a target utilization"
        errors.append(forbidden(f"{path}.target.averageValue", detail))
    return errors


def _validate_target(target: Object, path: str) -> Errors:
    errors: Errors = []
    kind = target.get("type") or ""
    if not kind:
        errors.append(required(f"{path}.type", "must specify a metric target type"))
    if kind not in _TARGET_TYPES:
        errors.append(invalid(f"{path}.type", kind, "must be either Utilization, Value, or AverageValue"))
    for field in ("value", "averageValue"):
        amount = target.get(field)
        if amount is not None and sign_of(amount) != 1:
            errors.append(invalid(f"{path}.{field}", amount, "must be positive"))
    utilization = target.get("averageUtilization")
    if utilization is not None and utilization < 1:
        errors.append(invalid(f"{path}.averageUtilization", utilization, "must be greater than 0"))
    return errors


def _validate_identifier(source: Object, path: str) -> Errors:
    name = (source.get("metric") or {}).get("name") or ""
    return _validate_path_segment(name, f"{path}.metric.name", "must specify a metric name")


# In the order in which upstream looks for them; only the first that is there is looked into.
_ORDER: Final = ("object", "external", "pods", "resource", "containerResource")
_SOURCES: Final[dict[str, Callable[[Object, str], Errors]]] = {
    "external": _validate_external,
    "pods": _validate_pods,
    "resource": _validate_resource,
    "containerResource": _validate_container_resource,
}
