"""The LimitRange kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from uuid import uuid4

from kubewright.machinery.field_errors import duplicate, forbidden, invalid, required
from kubewright.machinery.names import is_qualified_name
from kubewright.machinery.quantity import Quantity
from kubewright.server.kinds.core.resource_rules import (
    is_overcommit_allowed,
    quantity,
    round_resources,
    validate_container_resource_name,
    validate_resource_name,
)
from kubewright.server.kinds.kind import Context, Errors, Kind, Object

__all__ = ["LIMIT_RANGE"]

_TYPES: Final = ("Container", "PersistentVolumeClaim", "Pod")
_LISTS: Final = ("max", "min", "default", "defaultRequest", "maxLimitRequestRatio")
_MAX_MILLI: Final = (2**63 - 1) // 1000
"""Upstream's MaxMilliValue, above which thousandths do not fit into an int64."""


def _default(obj: Object) -> None:
    for limit in (obj.get("spec") or {}).get("limits") or ():
        for name in _LISTS:
            round_resources(limit.get(name))
        if limit.get("type") == "Container":
            _default_container(limit)


def _default_container(limit: Object) -> None:
    defaults = (limit.get("max") or {}) | (limit.get("default") or {})
    requests = (limit.get("min") or {}) | defaults | (limit.get("defaultRequest") or {})
    if defaults:
        limit["default"] = defaults
    if requests:
        limit["defaultRequest"] = requests


def _prepare_create(obj: Object, context: Context) -> None:
    metadata = obj.setdefault("metadata", {})
    if not metadata.get("name"):
        metadata["name"] = str(uuid4())


def _validate(obj: Object) -> Errors:
    errors: Errors = []
    seen: set[str] = set()
    for index, limit in enumerate((obj.get("spec") or {}).get("limits") or ()):
        path = f"spec.limits[{index}]"
        kind = limit.get("type") or ""
        errors += _validate_type(kind, f"{path}.type")
        if kind in seen:
            errors.append(duplicate(f"{path}.type", kind))
        seen.add(kind)
        errors += _validate_limit(limit, kind, path)
    return errors


def _validate_type(kind: str, path: str) -> Errors:
    errors = [invalid(path, kind, message) for message in is_qualified_name(kind)]
    if errors or "/" in kind or kind in _TYPES:
        return errors
    return [invalid(path, kind, "must be a standard limit type or fully qualified")]


def _validate_limit(limit: Object, kind: str, path: str) -> Errors:
    name_rule = validate_container_resource_name if kind in {"Pod", "Container"} else validate_resource_name
    errors: Errors = []
    lists: dict[str, Mapping[str, Quantity]] = {}
    for field in _LISTS:
        amounts = limit.get(field) or {}
        if kind == "Pod" and field in {"default", "defaultRequest"}:
            if amounts:
                errors.append(forbidden(f"{path}.{field}", "may not be specified when `type` is 'Pod'"))
            amounts = {}
        if field == "maxLimitRequestRatio":
            errors += _validate_claim(limit, kind, path)
        for name in amounts:
            errors += name_rule(name, f"{path}.{field}[{name}]")
        lists[field] = {name: quantity(amount) for name, amount in amounts.items()}
    for name in dict.fromkeys(name for amounts in lists.values() for name in amounts):
        errors += _validate_amounts(name, {field: lists[field].get(name) for field in _LISTS}, path)
    return errors


def _validate_claim(limit: Object, kind: str, path: str) -> Errors:
    if kind != "PersistentVolumeClaim":
        return []
    if any("storage" in (limit.get(field) or {}) for field in ("min", "max")):
        return []
    detail = "either minimum or maximum storage value is required, but neither was provided"
    return [required(f"{path}.limits", detail)]


def _validate_amounts(name: str, amounts: Mapping[str, Quantity | None], path: str) -> Errors:
    low, high, default = amounts["min"], amounts["max"], amounts["default"]
    request, ratio = amounts["defaultRequest"], amounts["maxLimitRequestRatio"]
    errors: Errors = []

    def greater(
        one: Quantity | None, two: Quantity | None, field: str, shown: Quantity | None, text: str
    ) -> None:
        if one is not None and two is not None and one > two:
            one_name, two_name = text.split(" > ")
            detail = f"{one_name} value {one} is greater than {two_name} value {two}"
            errors.append(invalid(f"{path}.{field}[{name}]", str(shown), detail))

    greater(low, high, "min", low, "min > max")
    greater(low, request, "defaultRequest", request, "min > default request")
    greater(request, high, "defaultRequest", request, "default request > max")
    greater(request, default, "defaultRequest", request, "default request > default limit")
    greater(low, default, "default", low, "min > default")
    greater(default, high, "default", high, "default > max")
    if ratio is not None:
        errors += _validate_ratio(ratio, low, high, f"{path}.maxLimitRequestRatio[{name}]")
    if default is not None and request is not None and default != request and not is_overcommit_allowed(name):
        detail = f"default value {default} must equal to defaultRequest value {request} in {name}"
        errors.append(invalid(f"{path}.defaultRequest[{name}]", str(request), detail))
    return errors


def _validate_ratio(ratio: Quantity, low: Quantity | None, high: Quantity | None, path: str) -> Errors:
    errors: Errors = []
    if ratio < 1:
        errors.append(invalid(path, str(ratio), f"ratio {ratio} is less than 1"))
    if low is None or high is None:
        return errors
    value, lowest, highest = float(ratio.value()), low.value(), high.value()
    if max(ratio.value(), lowest, highest) < _MAX_MILLI:
        value, lowest, highest = ratio.milli_value() / 1000, low.milli_value(), high.milli_value()
    limit = _divided(highest, lowest)
    if value > limit:
        errors.append(
            invalid(path, str(ratio), f"ratio {ratio} is greater than max/min = {_shown_float(limit)}")
        )
    return errors


def _divided(one: int, other: int) -> float:
    # Floats in Go divide by zero.
    if other != 0:
        return one / other
    return float("nan") if one == 0 else float("inf") if one > 0 else float("-inf")


def _shown_float(value: float) -> str:
    if value in {float("inf"), float("-inf")}:
        return "+Inf" if value > 0 else "-Inf"
    return f"{value:f}"


def _validate_update(obj: Object, old: Object) -> Errors:
    return _validate(obj)


LIMIT_RANGE: Final = Kind(
    default=_default,
    prepare_create=_prepare_create,
    validate=_validate,
    validate_update=_validate_update,
    allow_create_on_update=True,
    resets=(),
    always={"spec": {"limits": None}},
)
