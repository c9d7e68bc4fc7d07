"""Conditions of a status: set, found and removed as apimachinery's `meta` package does it.

changed = set_condition(app.status.conditions, "Ready", True, reason="Scaled", message="3 of 3 pods run")
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Final, Literal, Protocol, TypeAlias, TypeVar

from kubewright.controllers.clock import current_time
from kubewright.machinery.meta import Condition

__all__ = ["ConditionStatus", "find_condition", "is_false", "is_true", "remove_condition", "set_condition"]

ConditionStatus: TypeAlias = Literal["True", "False", "Unknown"]

_STATUSES: Final = ("True", "False", "Unknown")


class _AnyCondition(Protocol):
    """What the conditions of all kinds have."""

    @property
    def type(self) -> str: ...
    @property
    def status(self) -> str: ...


C = TypeVar("C", bound=_AnyCondition)


def set_condition(
    conditions: list[Condition],
    type: str,  # noqa: A002 - as in the API
    status: bool | ConditionStatus,
    *,
    reason: str,
    message: str = "",
    observed_generation: int | None = None,
    now: datetime | None = None,
) -> bool:
    """Set a condition in its place, or append it; whether anything changed.

    Its transition time is `now` (in a reconcile by default that of the manager's clock) when the status
    differs from what it was, and else stays. Pass the object's
    `metadata.generation` as `observed_generation`, so that others can tell whether it is about the present
    spec. Raises ValueError for a condition that no server takes.
    """
    text = _checked(type, status, reason)
    moment = current_time() if now is None else now
    existing = find_condition(conditions, type)
    if existing is None:
        made = Condition(type=type, status=text, last_transition_time=moment, reason=reason, message=message)
        _observe(made, observed_generation)
        conditions.append(made)
        return True
    changed = False
    if existing.status != text:
        existing.status = text
        existing.last_transition_time = moment
        changed = True
    if (existing.reason, existing.message) != (reason, message):
        existing.reason, existing.message = reason, message
        changed = True
    return _observe(existing, observed_generation) or changed


def find_condition(conditions: Iterable[C], type: str) -> C | None:  # noqa: A002 - as in the API
    """The condition of a type, of any kind's conditions."""
    return next((each for each in conditions if each.type == type), None)


def is_true(conditions: Iterable[_AnyCondition], type: str) -> bool:  # noqa: A002 - as in the API
    """Whether a condition is there and says True."""
    found = find_condition(conditions, type)
    return found is not None and found.status == "True"


def is_false(conditions: Iterable[_AnyCondition], type: str) -> bool:  # noqa: A002 - as in the API
    """Whether a condition is there and says False."""
    found = find_condition(conditions, type)
    return found is not None and found.status == "False"


def remove_condition(conditions: list[C], type: str) -> bool:  # noqa: A002 - as in the API
    """Remove a condition; whether it was there."""
    kept = [each for each in conditions if each.type != type]
    removed = len(kept) != len(conditions)
    if removed:
        conditions[:] = kept
    return removed


def _checked(type_: str, status: bool | str, reason: str) -> str:
    text = str(status)
    if not type_:
        raise ValueError("a condition needs a type, such as Ready")
    if text not in _STATUSES:
        raise ValueError(f"the status of condition {type_} is {status!r}; give True, False or 'Unknown'")
    if not reason:
        raise ValueError(f"condition {type_} needs a reason: a word in CamelCase, such as Scaled")
    return text


def _observe(condition: Condition, generation: int | None) -> bool:
    # To the API absent and 0 are the same.
    if (condition.observed_generation or 0) == (generation or 0):
        return False
    condition.observed_generation = generation or None
    return True
