"""Which old value a value of an update corresponds to, and whether it changed: what ratcheting asks.

The members of objects correspond by name, the elements of lists of type map by their keys; those of other
lists do not correspond, so such a list is unchanged as a whole or not at all.
"""

from __future__ import annotations

from typing import Any

from kubewright.crd.go_values import deep_equal
from kubewright.crd.structural import StructuralSchema

__all__ = ["Correlated"]


class Correlated:
    """A value of the new object with its old value and their schema."""

    __slots__ = ("_equal", "_keyed", "_old", "_schema", "_value")

    def __init__(self, value: object, old: object, schema: StructuralSchema) -> None:
        self._value = value
        self._old = old
        self._schema = schema
        self._keyed: dict[object, object] | None = None
        self._equal: bool | None = None

    def at_key(self, name: str) -> Correlated | None:
        """The member of this name; None where it has no old value or no schema."""
        old, value = self._old, self._value
        if not isinstance(old, dict) or not isinstance(value, dict) or name not in old or name not in value:
            return None
        schema = self._schema.properties.get(name)
        if schema is None:
            additional = self._schema.additional_properties
            if not isinstance(additional, StructuralSchema):
                return None
            schema = additional
        return Correlated(value[name], old[name], schema)

    def at_index(self, index: int) -> Correlated | None:
        """The element at this index; None where it has no old value or no schema."""
        value, schema = self._value, self._schema
        if not isinstance(self._old, list) or not isinstance(value, list) or schema.items is None:
            return None
        if schema.list_type != "map" or not isinstance(value[index], dict):
            return None
        key = _key(value[index], schema)
        old = None if key is None else self._old_elements().get(key)
        return None if old is None else Correlated(value[index], old, schema.items)

    def _old_elements(self) -> dict[object, object]:
        if self._keyed is None:
            self._keyed = {}
            if isinstance(self._old, list) and self._schema.type == "array":
                for element in self._old:
                    key = _key(element, self._schema) if isinstance(element, dict) else None
                    if key is not None:
                        self._keyed.setdefault(key, element)
        return self._keyed

    def unchanged(self) -> bool:
        """Whether the value is as it was. Objects with fields that the schema does not know never are."""
        if self._equal is None:
            try:
                self._equal = self._is_unchanged()
            except RecursionError:  # a client may nest values without schema as deeply as it likes
                self._equal = False
        return self._equal

    def _is_unchanged(self) -> bool:
        value, old = self._value, self._old
        if isinstance(value, list) and isinstance(old, list):
            if len(value) != len(old):
                return False
            if self._schema.list_type != "map":
                return deep_equal(value, old)
            return all(_same(self.at_index(index)) for index in range(len(value)))
        if isinstance(value, dict) and isinstance(old, dict):
            return len(value) == len(old) and all(_same(self.at_key(name)) for name in value)
        return deep_equal(value, old)


def _same(child: Correlated | None) -> bool:
    return child is not None and child.unchanged()


def _key(element: dict[str, Any], schema: StructuralSchema) -> object:
    """What identifies an element of a list of type map; None where a key is missing or no scalar."""
    found: list[object] = []
    for name in schema.list_map_keys:
        value = element.get(name)
        if value is None or isinstance(value, dict | list):
            return None
        # 1, 1.0 and true are equal to Python.
        found.append((value.__class__, value))
    return tuple(found) or None
