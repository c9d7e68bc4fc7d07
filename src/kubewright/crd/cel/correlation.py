"""What an old value is to a new one: which elements belong together, and whether anything changed.

Rules about transitions compare elements that belong together; errors of values that did not change become
warnings, so that a rule that was added later does not keep old objects from being written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from kubewright.crd.go_values import deep_equal

__all__ = ["Correlated", "element_key", "old_elements"]

_SCALARS: Final = (bool, int, float, str)


def element_key(element: object, keys: Sequence[str]) -> object | None:
    """What tells an element of a list of type map from others; None if it lacks a key."""
    if not isinstance(element, Mapping):
        return None
    found: list[object] = []
    for name in keys:
        value = element.get(name)
        if not isinstance(value, _SCALARS):
            return None
        found.append((type(value), value))
    return tuple(found)


def old_elements(schema: Mapping[str, object], old: object) -> dict[object, object] | None:
    """The old elements by their keys, for lists of type map; None for other lists, which have no keys."""
    keys = schema.get("x-kubernetes-list-map-keys")
    if schema.get("x-kubernetes-list-type") != "map" or not isinstance(keys, Sequence) or not keys:
        return None
    by_key: dict[object, object] = {}
    for element in old if isinstance(old, list) else ():
        key = element_key(element, keys)
        if key is not None:
            by_key.setdefault(key, element)
    return by_key


class Correlated:
    """A new value beside the old one that it comes from."""

    __slots__ = ("_equal", "_old_elements", "old", "schema", "value")

    def __init__(self, value: object, old: object, schema: Mapping[str, object]) -> None:
        self.value = value
        self.old = old
        self.schema = schema
        self._equal: bool | None = None
        self._old_elements: dict[object, object] | None = None

    def member(self, name: str) -> Correlated | None:
        """The value of a field or key; None if there was none before."""
        if not isinstance(self.value, dict) or not isinstance(self.old, dict):
            return None
        if name not in self.value or name not in self.old:
            return None
        properties = self.schema.get("properties")
        schema = properties.get(name) if isinstance(properties, Mapping) else None
        if schema is None:
            schema = self.schema.get("additionalProperties")
        if not isinstance(schema, Mapping):
            return None
        return Correlated(self.value[name], self.old[name], schema)

    def element(self, at: int) -> Correlated | None:
        """The element of a list of type map; None if there was none with its keys before."""
        items = self.schema.get("items")
        if not isinstance(self.value, list) or not isinstance(items, Mapping):
            return None
        if self._old_elements is None:
            self._old_elements = old_elements(self.schema, self.old) or {}
        keys = self.schema.get("x-kubernetes-list-map-keys")
        key = element_key(self.value[at], keys) if isinstance(keys, Sequence) else None
        old = None if key is None else self._old_elements.get(key)
        return None if old is None else Correlated(self.value[at], old, items)

    def unchanged(self) -> bool:
        """Whether the new value is as the old one was; elements of lists of type map may have moved."""
        if self._equal is None:
            self._equal = _unchanged(self)
        return self._equal


def _unchanged(pair: Correlated) -> bool:
    value, old = pair.value, pair.old
    if deep_equal(value, old):
        return value is not None or old is None
    if isinstance(value, dict) and isinstance(old, dict):
        if len(value) != len(old):
            return False
        members = (pair.member(name) for name in value)
        return all(member is not None and member.unchanged() for member in members)
    if isinstance(value, list) and isinstance(old, list):
        if len(value) != len(old) or pair.schema.get("x-kubernetes-list-type") != "map":
            return False
        elements = (pair.element(at) for at in range(len(value)))
        return all(element is not None and element.unchanged() for element in elements)
    return False
