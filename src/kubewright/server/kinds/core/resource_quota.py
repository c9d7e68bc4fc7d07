"""The ResourceQuota kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from kubewright.machinery.field_errors import invalid, required
from kubewright.server.kinds.core.internal_json import internal_json
from kubewright.server.kinds.core.resource_rules import (
    is_standard_quota_resource,
    quantity,
    round_resources,
    validate_amount,
    validate_resource_name,
)
from kubewright.server.kinds.kind import Context, Errors, Kind, Object, Subresource
from kubewright.server.kinds.metadata_rules import FIELD_IMMUTABLE

__all__ = ["RESOURCE_QUOTA"]

_COMPUTE: Final = frozenset(
    ("pods", "cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory")
)
_PODS: Final = frozenset(("pods",))
_CLAIMS: Final = frozenset(("persistentvolumeclaims", "requests.storage"))

# The scopes there are, with the resources that each may be used with.
_SCOPES: Final = {
    "Terminating": _COMPUTE,
    "NotTerminating": _COMPUTE,
    "BestEffort": _PODS,
    "NotBestEffort": _COMPUTE,
    "PriorityClass": _COMPUTE,
    "CrossNamespacePodAffinity": _COMPUTE,
    "VolumeAttributesClass": _CLAIMS,
}
_EXISTS_ONLY: Final = frozenset(
    ("Terminating", "NotTerminating", "BestEffort", "NotBestEffort", "CrossNamespacePodAffinity")
)
_MUST_EXIST: Final = (
    "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, "
    "ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or "
    "ResourceQuotaScopeCrossNamespacePodAffinity"
)
_MAX_TOLD: Final = 10
"""Errors that show a whole list are told this many times at most: large lists make no huge answers."""

_CONFLICTS: Final = (("BestEffort", "NotBestEffort"), ("Terminating", "NotTerminating"))


def _default(obj: Object) -> None:
    round_resources((obj.get("spec") or {}).get("hard"))
    status = obj.get("status") or {}
    round_resources(status.get("hard"))
    round_resources(status.get("used"))


def _prepare_create(obj: Object, context: Context) -> None:
    obj.pop("status", None)


def _prepare_update(obj: Object, old: Object, context: Context) -> None:
    obj["status"] = old.get("status") or {}


def _prepare_status(obj: Object, old: Object, context: Context) -> None:
    obj["spec"] = old.get("spec") or {}


def _validate(obj: Object) -> Errors:
    return _validate_spec(obj) + _validate_status(obj, obj)


def _validate_update(obj: Object, old: Object) -> Errors:
    errors = _validate_spec(obj)
    scopes = (obj.get("spec") or {}).get("scopes")
    if set(scopes or ()) != set((old.get("spec") or {}).get("scopes") or ()):
        errors.append(invalid("spec.scopes", scopes, FIELD_IMMUTABLE))
    return errors


def _validate_status(obj: Object, old: Object) -> Errors:
    status = obj.get("status") or {}
    return _validate_hard(status.get("hard"), "status.hard") + _validate_hard(
        status.get("used"), "status.used"
    )


def _validate_spec(obj: Object) -> Errors:
    spec = obj.get("spec") or {}
    errors = _validate_hard(spec.get("hard"), "spec.hard")
    if spec.get("scopes"):
        errors += _validate_scopes(spec)
    if spec.get("scopeSelector") is not None:
        errors += _validate_selector(spec)
    return errors


def _validate_hard(amounts: Object | None, path: str) -> Errors:
    errors: Errors = []
    for name, amount in (amounts or {}).items():
        place = f"{path}[{name}]"
        errors += validate_resource_name(name, place)
        if "/" not in name and not is_standard_quota_resource(name):
            errors.append(invalid(place, name, "must be a standard resource for quota"))
        errors += validate_amount(name, amount, place)
    return errors


def _misfits(spec: Object) -> Mapping[str, int]:
    """How many of the limited resources cannot be used with a scope, for each scope."""
    names = [name for name in spec.get("hard") or () if is_standard_quota_resource(name)]
    return {scope: sum(name not in allowed for name in names) for scope, allowed in _SCOPES.items()}


def _validate_scopes(spec: Object) -> Errors:
    errors: Errors = []
    path, scopes, misfits = "spec.scopes", spec["scopes"], _misfits(spec)
    for scope in scopes:
        if len(errors) >= _MAX_TOLD:
            break
        if scope not in _SCOPES:
            errors.append(invalid(path, scopes, "unsupported scope"))
        elif misfits[scope]:
            misfit = invalid(path, scopes, "unsupported scope applied to resource")
            errors += [misfit] * min(misfits[scope], _MAX_TOLD)
    return errors + _conflicts(scopes, path, scopes)


def _validate_selector(spec: Object) -> Errors:
    errors: Errors = []
    path, selector = "spec.scopeSelector.matchExpressions", spec["scopeSelector"]
    requirements, misfits = selector.get("matchExpressions") or (), _misfits(spec)
    told = 0
    for requirement in requirements:
        scope, operator = requirement.get("scopeName") or "", requirement.get("operator") or ""
        if scope not in _SCOPES:
            errors.append(invalid(f"{path}.scopeName", scope, "unsupported scope"))
        if misfits.get(scope) and told < _MAX_TOLD:
            shown = internal_json(selector, "ScopeSelector")
            misfit = invalid(path, shown, "unsupported scope applied to resource")
            errors += [misfit] * min(misfits[scope], _MAX_TOLD)
            told += misfits[scope]
        if scope in _EXISTS_ONLY and operator != "Exists":
            errors.append(invalid(f"{path}.operator", operator, _MUST_EXIST))
        errors += _validate_operator(operator, requirement.get("values"), path)
    scopes = [requirement.get("scopeName") or "" for requirement in requirements]
    return errors + _conflicts(scopes, path, spec.get("scopes"))


def _validate_operator(operator: str, values: Sequence[str] | None, path: str) -> Errors:
    if operator in {"In", "NotIn"}:
        if not values:
            detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
            return [required(f"{path}.values", detail)]
    elif operator in {"Exists", "DoesNotExist"}:
        if values:
            detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
            return [invalid(f"{path}.values", values, detail)]
    else:
        return [invalid(f"{path}.operator", operator, "not a valid selector operator")]
    return []


def _conflicts(scopes: Sequence[str], path: str, shown: object) -> Errors:
    return [
        invalid(path, shown, "conflicting scopes")
        for one, other in _CONFLICTS
        if one in scopes and other in scopes
    ]


def _warnings(obj: Object, old: Object | None) -> list[str]:
    if old is not None:
        return []
    hard = (obj.get("spec") or {}).get("hard") or {}
    warnings: list[str] = []
    for name in ("cpu", "memory", "storage", "ephemeral-storage"):
        request, limit = f"requests.{name}", f"limits.{name}"
        if request not in hard and name in {"cpu", "memory"}:
            request = name
        if request in hard and limit in hard and quantity(hard[request]) > quantity(hard[limit]):
            one, other = f"{request} ({hard[request]})", f"{limit} ({hard[limit]})"
            warnings.append(f"ResourceQuota {one} should be less than {other}")
    return warnings


RESOURCE_QUOTA: Final = Kind(
    default=_default,
    prepare_create=_prepare_create,
    prepare_update=_prepare_update,
    validate=_validate,
    validate_update=_validate_update,
    warnings=_warnings,
    subresources={
        "status": Subresource(prepare=_prepare_status, validate=_validate_status, resets=("spec",))
    },
    always={"spec": {}, "status": {}},
)
