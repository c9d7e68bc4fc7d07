"""What can be waited for: conditions of an object by name, any function of it, and its end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Generic, TypeAlias

import msgspec

from kubewright.client.forms import K
from kubewright.machinery.errors import ParseError

__all__ = ["DELETED", "Condition", "Wanted", "read_condition"]

Condition: TypeAlias = str | Callable[[K], bool]
"""The name of a condition (`Ready`, `Ready=False`), the word `deleted`, or a function of the object."""

DELETED: Final = "deleted"

_MAX_NAMED: Final = 10
"""How many of an object's other conditions a message names."""


class _ObjectCondition(msgspec.Struct, rename="camel"):
    type: str = ""
    status: str = ""
    reason: str | None = None
    message: str | None = None
    observed_generation: int | None = None

    def __str__(self) -> str:
        told = ": ".join(text for text in (self.reason, self.message) if text)
        return f"{self.status} ({told})" if told else self.status


class _Status(msgspec.Struct, rename="camel"):
    conditions: list[_ObjectCondition] | None = None
    observed_generation: int | None = None


class _Metadata(msgspec.Struct, rename="camel"):
    generation: int | None = None
    deletion_timestamp: str | None = None
    finalizers: list[str] | None = None


class _Seen(msgspec.Struct):
    """The parts of any object that conditions are about."""

    metadata: _Metadata = msgspec.field(default_factory=_Metadata)
    status: _Status | None = None


class Wanted(Generic[K]):
    """A condition that was read: whether an object fulfils it, and in words why it does not."""

    def __init__(self, name: str, status: str, function: Callable[[K], bool] | None) -> None:
        self._name: Final = name
        self._status: Final = status
        self._function: Final = function
        self.deletion: Final = function is None and not status
        """Whether it is the end of an object, which no state of it fulfils."""

    def met(self, obj: K) -> bool:
        """Whether an object fulfils it, as `kubectl wait` decides. Raises what a function raises."""
        if self._function is not None:
            return bool(self._function(obj))
        if self.deletion:
            return False
        seen = _read(obj)
        found = self._find(seen)
        if found is None or _is_stale(seen, found):
            return False
        return found.status.casefold() == self._status.casefold()

    def __str__(self) -> str:
        if self._function is not None:
            return "what the function asks for"
        if self.deletion:
            return DELETED
        return self._name if self._status == "True" else f"{self._name}={self._status}"

    def shortfall(self, obj: K | None) -> str:
        """What the object was last, for the message of a wait that took too long; None: it is not there."""
        if obj is None:
            return "it does not exist"
        revision = f"at resourceVersion {obj.metadata.resource_version}"
        if self._function is not None:
            return f"the function said no to it {revision}"
        seen = _read(obj)
        if self.deletion:
            return _why_there(seen.metadata)
        found = self._find(seen)
        if found is None:
            others = [condition.type for condition in _conditions(seen)][:_MAX_NAMED]
            known = f", only {', '.join(others)}" if others else ""
            return f"it has no condition {self._name}{known}, {revision}"
        if _is_stale(seen, found):
            wanted, observed = seen.metadata.generation, _observed(seen, found)
            return f"its condition {found.type} was {found}, but of generation {observed} of {wanted}"
        return f"its condition {found.type} was {found}"

    def _find(self, seen: _Seen) -> _ObjectCondition | None:
        name = self._name.casefold()
        return next((found for found in _conditions(seen) if found.type.casefold() == name), None)


def read_condition(condition: Condition[K]) -> Wanted[K]:
    """What is waited for. Raises ParseError for a text that names no condition."""
    if not isinstance(condition, str):
        return Wanted("", "", condition)
    if condition == DELETED:
        return Wanted("", "", None)
    if (remedy := _said_to_kubectl(condition)) is not None:
        raise ParseError(f"{condition!r} is how kubectl wait is told; write {remedy}")
    name, equals, status = condition.partition("=")
    name, status = name.strip(), status.strip()
    if not name or (equals and not status):
        raise ParseError(
            f"{condition!r} is no condition to wait for; write 'Ready', 'Ready=False', 'deleted' or the like"
        )
    return Wanted(name, status or "True", None)


def _said_to_kubectl(condition: str) -> str | None:
    """What to write for words of `kubectl wait --for`, which would be taken for names of conditions."""
    word, _, rest = condition.partition("=")
    if word == "delete":
        return repr(DELETED)
    if word == "create":
        return "lambda obj: True"
    if word == "condition":
        return repr(rest)
    if word == "jsonpath":
        return "a function of the object, as lambda pod: pod.status.phase == 'Running'"
    return None


def _read(obj: Any) -> _Seen:
    try:
        return msgspec.json.decode(obj.to_json(), type=_Seen)
    except msgspec.ValidationError:
        # A custom resource may call anything its status.
        return _Seen()


def _conditions(seen: _Seen) -> list[_ObjectCondition]:
    return (seen.status.conditions if seen.status is not None else None) or []


def _observed(seen: _Seen, condition: _ObjectCondition) -> int | None:
    if condition.observed_generation is not None:
        return condition.observed_generation
    return seen.status.observed_generation if seen.status is not None else None


def _is_stale(seen: _Seen, condition: _ObjectCondition) -> bool:
    """Whether the condition was written before the object was changed last."""
    observed, generation = _observed(seen, condition), seen.metadata.generation
    return observed is not None and generation is not None and observed < generation


def _why_there(metadata: _Metadata) -> str:
    if metadata.deletion_timestamp is None:
        return "it is still there, and nobody has deleted it"
    if metadata.finalizers:
        return f"it is being deleted, and its finalizers are {', '.join(metadata.finalizers)}"
    return "it is being deleted"
