"""The rules of PriorityLevelConfigurations."""

from __future__ import annotations

from math import ceil, log2
from typing import Final

from kubewright.machinery.field_errors import forbidden, invalid, not_supported, required
from kubewright.server.kinds.fields import clear_status, keep_status
from kubewright.server.kinds.flowcontrol.status import STATUS, validate_status
from kubewright.server.kinds.kind import Errors, Kind, Object, same_spec_generation

__all__ = ["PRIORITY_LEVEL_CONFIGURATION"]

_TYPES: Final = ("Exempt", "Limited")
_RESPONSES: Final = ("Queue", "Reject")
_SHARES: Final = 30
"""Upstream's PriorityLevelConfigurationDefaultNominalConcurrencyShares."""

_QUEUING: Final = {"handSize": 8, "queues": 64, "queueLengthLimit": 50}
"""Upstream's defaults of queues."""

_MAX_QUEUES: Final = 10_000_000
_MAX_BITS: Final = 60
"""Upstream's MaxHashBits, which hands of queues are dealt from."""

_OLD_ANNOTATION: Final = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares"
_CATCH_ALL: Final = {
    "type": "Limited",
    "limited": {"nominalConcurrencyShares": 5, "limitResponse": {"type": "Reject"}, "lendablePercent": 0},
}
"""What the level of that name, which every server has, must be."""


def _default(obj: Object) -> None:
    spec = obj.setdefault("spec", {})
    limited, exempt = spec.get("limited"), spec.get("exempt")
    if limited is not None:
        _default_shares(limited, _SHARES)
        queuing = (limited.get("limitResponse") or {}).get("queuing")
        if queuing is not None:
            for field, value in _QUEUING.items():
                if not queuing.get(field):
                    queuing[field] = value
    if exempt is not None:
        _default_shares(exempt, 0)


def _default_shares(level: Object, shares: int) -> None:
    if level.get("nominalConcurrencyShares") is None:
        level["nominalConcurrencyShares"] = shares
    if level.get("lendablePercent") is None:
        level["lendablePercent"] = 0


def _validate(obj: Object) -> Errors:
    metadata, spec = obj.get("metadata") or {}, obj.get("spec") or {}
    name = metadata.get("name") or ""
    errors: Errors = []
    if _OLD_ANNOTATION in (metadata.get("annotations") or {}):
        errors.append(forbidden("metadata.annotations", f"annotation '{_OLD_ANNOTATION}' is forbidden"))
    errors += _validate_spec(spec, name)
    if name == "exempt" and (spec.get("type") != "Exempt" or spec.get("limited") is not None):
        detail = "spec of 'exempt' except the 'spec.exempt' field must equal the fixed value"
        errors.append(invalid("spec", _spec_as_go(spec), detail))
    elif name == "catch-all" and spec != _CATCH_ALL:
        detail = "spec of 'catch-all' must equal the fixed value"
        errors.append(invalid("spec", _spec_as_go(spec), detail))
    return errors + validate_status(obj)


def _validate_update(obj: Object, old: Object) -> Errors:
    return _validate(obj)


def _validate_spec(spec: Object, name: str) -> Errors:
    errors: Errors = []
    kind, limited, exempt = spec.get("type") or "", spec.get("limited"), spec.get("exempt")
    if (name == "exempt") != (kind == "Exempt"):
        detail = "must be 'Exempt' if and only if `name` is 'exempt'"
        errors.append(invalid("spec.type", kind, detail))
    if kind == "Exempt":
        if limited is not None:
            errors.append(forbidden("spec.limited", "must be nil if the type is not Limited"))
        if exempt is not None:
            errors += _validate_shares(exempt, "spec.exempt") + _validate_lending(exempt, "spec.exempt")
    elif kind == "Limited":
        if exempt is not None:
            errors.append(forbidden("spec.exempt", "must be nil if the type is Limited"))
        if limited is None:
            errors.append(required("spec.limited", "must not be empty when type is Limited"))
        else:
            errors += _validate_limited(limited, "spec.limited")
    elif not kind:
        errors.append(required("spec.type"))
    else:
        errors.append(not_supported("spec.type", kind, _TYPES))
    return errors


def _validate_shares(level: Object, path: str) -> Errors:
    shares = level.get("nominalConcurrencyShares") or 0
    if shares >= 0:
        return []
    return [invalid(f"{path}.nominalConcurrencyShares", shares, "must be a non-negative integer")]


def _validate_lending(level: Object, path: str) -> Errors:
    percent = level.get("lendablePercent")
    if percent is None or 0 <= percent <= 100:
        return []
    return [invalid(f"{path}.lendablePercent", percent, "must be between 0 and 100, inclusive")]


def _validate_limited(limited: Object, path: str) -> Errors:
    errors = _validate_shares(limited, path)
    errors += _validate_response(limited.get("limitResponse") or {}, f"{path}.limitResponse")
    errors += _validate_lending(limited, path)
    borrowed = limited.get("borrowingLimitPercent")
    if borrowed is not None and borrowed < 0:
        detail = "if specified, must be a non-negative integer"
        errors.append(invalid(f"{path}.borrowingLimitPercent", borrowed, detail))
    return errors


def _validate_response(response: Object, path: str) -> Errors:
    kind, queuing = response.get("type") or "", response.get("queuing")
    # Upstream says Limited here where it means Queue.
    if kind == "Reject":
        if queuing is None:
            return []
        detail = "must be nil if limited.limitResponse.type is not Limited"
        return [forbidden(f"{path}.queuing", detail)]
    if kind == "Queue":
        if queuing is None:
            detail = "must not be empty if limited.limitResponse.type is Limited"
            return [required(f"{path}.queuing", detail)]
        return _validate_queuing(queuing, f"{path}.queuing")
    return [not_supported(f"{path}.type", kind, _RESPONSES)] if kind else [required(f"{path}.type")]


def _validate_queuing(queuing: Object, path: str) -> Errors:
    errors: Errors = []
    queues, hand, length = (queuing.get(field) or 0 for field in ("queues", "handSize", "queueLengthLimit"))
    if length <= 0:
        errors.append(invalid(f"{path}.queueLengthLimit", length, "must be positive"))
    if queues <= 0:
        errors.append(invalid(f"{path}.queues", queues, "must be positive"))
    elif queues > _MAX_QUEUES:
        errors.append(invalid(f"{path}.queues", queues, f"must not be greater than {_MAX_QUEUES}"))
    if hand <= 0:
        errors.append(invalid(f"{path}.handSize", hand, "must be positive"))
    elif hand > queues:
        detail = f"should not be greater than queues ({queues})"
        errors.append(invalid(f"{path}.handSize", hand, detail))
    elif ceil(log2(queues) * hand) > _MAX_BITS:
        detail = (
            f"required entropy bits of deckSize {queues} and handSize {hand} should not be greater than "
            f"{_MAX_BITS}"
        )
        errors.append(invalid(f"{path}.handSize", hand, detail))
    return errors


def _spec_as_go(spec: Object) -> Object:
    limited, exempt = spec.get("limited"), spec.get("exempt")
    return {
        "Type": spec.get("type") or "",
        "Limited": None if limited is None else _limited_as_go(limited),
        "Exempt": None
        if exempt is None
        else {
            "NominalConcurrencyShares": exempt.get("nominalConcurrencyShares"),
            "LendablePercent": exempt.get("lendablePercent"),
        },
    }


def _limited_as_go(limited: Object) -> Object:
    response = limited.get("limitResponse") or {}
    queuing = response.get("queuing")
    shown = None
    if queuing is not None:
        shown = {
            "Queues": queuing.get("queues") or 0,
            "HandSize": queuing.get("handSize") or 0,
            "QueueLengthLimit": queuing.get("queueLengthLimit") or 0,
        }
    return {
        "NominalConcurrencyShares": limited.get("nominalConcurrencyShares") or 0,
        "LimitResponse": {"Type": response.get("type") or "", "Queuing": shown},
        "LendablePercent": limited.get("lendablePercent"),
        "BorrowingLimitPercent": limited.get("borrowingLimitPercent"),
    }


PRIORITY_LEVEL_CONFIGURATION: Final = Kind(
    default=_default,
    prepare_create=clear_status,
    prepare_update=keep_status,
    validate=_validate,
    validate_update=_validate_update,
    generation=same_spec_generation,
    subresources={"status": STATUS},
)
