"""Reads the annotations of v1 autoscalers as Go's decoder reads them into its structs.

Names match in whatever case they are written, unknown ones are passed over, and a value of the wrong type
makes the whole annotation unreadable.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from kubewright.machinery.depth import check_depth
from kubewright.machinery.errors import ParseError
from kubewright.machinery.quantity import Quantity
from kubewright.machinery.time import parse_time
from kubewright.server.kinds.kind import Object

__all__ = ["ListReader", "read_behavior", "read_conditions", "read_metrics", "read_statuses"]

ListReader: TypeAlias = Callable[[str | None], list[Object] | None]
"""Gives None where there is no annotation, or none that can be read."""

_Read: TypeAlias = Callable[[Any], Any]


class _Unreadable(Exception):
    """A value is of the wrong type, for use in this module."""


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise _Unreadable
    return value


def _int32(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not -(2**31) <= value < 2**31:
        raise _Unreadable
    return value


def _quantity(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise _Unreadable
    try:
        return str(Quantity(str(value)))
    except ParseError:
        raise _Unreadable from None


def _time(value: object) -> str:
    text = _text(value)
    try:
        parse_time(text)
    except ParseError:
        raise _Unreadable from None
    return text


def _list_of(read: _Read) -> _Read:
    def read_list(value: object) -> list[Any]:
        if not isinstance(value, list):
            raise _Unreadable
        return [read({} if element is None else element) for element in value]

    return read_list


def _texts(value: object) -> Object:
    if not isinstance(value, dict):
        raise _Unreadable
    return {name: _text("" if text is None else text) for name, text in value.items()}


def _struct(**fields: _Read) -> _Read:
    names = {name.lower(): name for name in fields}

    def read_struct(value: object) -> Object:
        if not isinstance(value, dict):
            raise _Unreadable
        made = {}
        for given, member in value.items():
            name = names.get(given.lower())
            if name is not None and member is not None:
                made[name] = fields[name](member)
        return made

    return read_struct


_EXPRESSION: Final = _struct(key=_text, operator=_text, values=_list_of(_text))
_SELECTOR: Final = _struct(matchLabels=_texts, matchExpressions=_list_of(_EXPRESSION))
_REFERENCE: Final = _struct(kind=_text, name=_text, apiVersion=_text)
_METRIC: Final = _struct(
    type=_text,
    object=_struct(
        target=_REFERENCE,
        metricName=_text,
        targetValue=_quantity,
        selector=_SELECTOR,
        averageValue=_quantity,
    ),
    pods=_struct(metricName=_text, targetAverageValue=_quantity, selector=_SELECTOR),
    resource=_struct(name=_text, targetAverageUtilization=_int32, targetAverageValue=_quantity),
    containerResource=_struct(
        name=_text, targetAverageUtilization=_int32, targetAverageValue=_quantity, container=_text
    ),
    external=_struct(
        metricName=_text, metricSelector=_SELECTOR, targetValue=_quantity, targetAverageValue=_quantity
    ),
)
_STATUS: Final = _struct(
    type=_text,
    object=_struct(
        target=_REFERENCE,
        metricName=_text,
        currentValue=_quantity,
        selector=_SELECTOR,
        averageValue=_quantity,
    ),
    pods=_struct(metricName=_text, currentAverageValue=_quantity, selector=_SELECTOR),
    resource=_struct(name=_text, currentAverageUtilization=_int32, currentAverageValue=_quantity),
    containerResource=_struct(
        name=_text, currentAverageUtilization=_int32, currentAverageValue=_quantity, container=_text
    ),
    external=_struct(
        metricName=_text, metricSelector=_SELECTOR, currentValue=_quantity, currentAverageValue=_quantity
    ),
)
_CONDITION: Final = _struct(type=_text, status=_text, lastTransitionTime=_time, reason=_text, message=_text)
_RULES: Final = _struct(
    stabilizationWindowSeconds=_int32,
    selectPolicy=_text,
    policies=_list_of(_struct(type=_text, value=_int32, periodSeconds=_int32)),
    tolerance=_quantity,
)
_BEHAVIOR: Final = _struct(scaleUp=_RULES, scaleDown=_RULES)


def _read(text: str | None, read: _Read) -> Any:
    if text is None:
        return None
    try:
        check_depth(text)
        value = json.loads(text)
        return None if value is None else read(value)
    except (ValueError, RecursionError, _Unreadable):
        return None


def read_metrics(text: str | None) -> list[Object] | None:
    """The metrics that v1 cannot say."""
    metrics: list[Object] | None = _read(text, _list_of(_METRIC))
    return metrics


def read_statuses(text: str | None) -> list[Object] | None:
    """The current values of the metrics."""
    statuses: list[Object] | None = _read(text, _list_of(_STATUS))
    return statuses


def read_conditions(text: str | None) -> list[Object] | None:
    """The conditions of the status."""
    conditions: list[Object] | None = _read(text, _list_of(_CONDITION))
    return conditions


def read_behavior(text: str | None) -> Object | None:
    """How fast to scale; None also when it says nothing."""
    behavior: Mapping[str, Object] | None = _read(text, _BEHAVIOR)
    if not behavior:
        return None
    for rules in behavior.values():
        for policy in rules.get("policies") or ():
            policy.setdefault("type", "")
            policy.setdefault("value", 0)
            policy.setdefault("periodSeconds", 0)
    return dict(behavior)
