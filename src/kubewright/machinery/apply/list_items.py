"""Telling the items of sets and list-maps apart, and remembering how they are spelled."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final, final

from kubewright.machinery.apply.path_element import PathElement, element_order
from kubewright.machinery.apply.values import list_element
from kubewright.machinery.errors import ParseError
from kubewright.machinery.schema import Schema

__all__ = ["REPEATED", "ListItems"]

REPEATED: Final = object()
"""Stands for the items of a key that several have."""

# Bounds of what is remembered of one list type: names of containers, ports and conditions recur, but
# addresses and uids do not.
_MAX_ELEMENTS: Final = 1024
_MAX_ELEMENT_LENGTH: Final = 256

# Keys of these types are equal only when they are spelled alike; 1 equals 1.0 and True.
_EXACT_TYPES: Final = frozenset((str, int))


@final
class ListItems:
    """The path elements of the items of one associative list type."""

    def __init__(self, schema: Schema) -> None:
        self._schema: Final = schema
        self.keys: Final = schema.map_keys
        self.is_set: Final = schema.list_type == "set" or not self.keys
        self._key: Final = self.keys[0] if len(self.keys) == 1 else None
        self._elements: Final[dict[str | tuple[object, ...], PathElement]] = {}

    @cached_property
    def required_keys(self) -> tuple[str, ...]:
        """The keys that tell elements apart for certain: none are needed when one of them has a default."""
        fields = self._schema.items.fields
        has_default = any(key in fields and fields[key].default is not None for key in self.keys)
        return () if has_default else self.keys

    def are_distinct(self, value: list[Any]) -> bool:
        """Whether each item can be told, and told from all others."""
        if self._by_name(value) is not None:
            return True
        try:
            return len(set(map(self.element, value))) == len(value)
        except ParseError:
            return False

    def _by_name(self, value: list[Any]) -> dict[str, Any] | None:
        """The items by the string that tells them apart; None when it is not one string, or not always."""
        found: dict[str, Any] = {}
        if self.is_set:
            for item in value:
                if item.__class__ is not str:
                    return None
                found[item] = item
        else:
            key = self._key
            if key is None:
                return None
            for item in value:
                if item.__class__ is not dict:
                    return None
                name = item.get(key)
                if name.__class__ is not str:
                    return None
                found[name] = item
        return found if len(found) == len(value) else None

    def by_element(self, value: list[Any]) -> list[tuple[PathElement, Any]]:
        """The items by their path elements in canonical order, with `REPEATED` where there are several."""
        named = self._by_name(value)
        if named is not None:
            # Elements that are told apart by one string are in the order of these strings.
            elements = self._elements
            return [
                (elements.get(name) or self._remembered(name, named[name]), named[name])
                for name in (sorted(named) if len(named) > 1 else named)
            ]
        found: dict[PathElement, Any] = {}
        for item in value:
            element = self.element(item)
            found[element] = REPEATED if element in found else item
        in_order = sorted(found, key=element_order) if len(found) > 1 else found
        return [(element, found[element]) for element in in_order]

    def element(self, item: Any) -> PathElement:
        """The path element that tells an item from the others in an associative list; raises ParseError."""
        if item.__class__ is dict and not self.is_set:
            values = tuple(map(item.get, self.keys))
            if _EXACT_TYPES.issuperset(map(type, values)):
                return self._elements.get(values) or self._remembered(values, item)
        return list_element(item, self._schema)

    def _remembered(self, name: str | tuple[object, ...], item: Any) -> PathElement:
        element = list_element(item, self._schema)
        if len(element) <= _MAX_ELEMENT_LENGTH:
            if len(self._elements) >= _MAX_ELEMENTS:
                self._elements.clear()
            self._elements[name] = element
        return element
