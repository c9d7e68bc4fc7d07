"""The shape of a value, as far as patches and server-side apply care for it.

A `Schema` says which lists merge and by which keys, and which maps are replaced whole. It is made from a
typed class (`schema_of`) or from an OpenAPI schema such as a CRD carries (`schema_from_openapi`), so that
both kinds of resource go through the same code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal, TypeAlias, final

__all__ = ["ANY", "SCALAR", "Kind", "ListType", "MapType", "Schema"]

Kind: TypeAlias = Literal["any", "scalar", "object", "array"]
ListType: TypeAlias = Literal["atomic", "set", "map"]
MapType: TypeAlias = Literal["granular", "atomic"]

_NO_FIELDS: Final[Mapping[str, Schema]] = {}


@final
class Schema:
    """The shape of one value; immutable, and shared between all values of that shape.

    `fields` may be given as a function, which is called once on first use: types refer to themselves
    (JSONSchemaProps does), and most of a large type is never looked at.
    """

    __slots__ = (
        "_fields",
        "_items",
        "_values",
        "default",
        "kind",
        "list_type",
        "map_keys",
        "map_type",
        "patch_merge_key",
        "patch_strategies",
    )

    def __init__(
        self,
        kind: Kind = "any",
        *,
        fields: Mapping[str, Schema] | Callable[[], Mapping[str, Schema]] = _NO_FIELDS,
        values: Schema | Callable[[], Schema] | None = None,
        items: Schema | Callable[[], Schema] | None = None,
        list_type: ListType = "atomic",
        map_keys: Sequence[str] = (),
        map_type: MapType = "granular",
        patch_strategies: Sequence[str] = (),
        patch_merge_key: str = "",
        default: object = None,
    ) -> None:
        self.kind: Final = kind
        self._fields = fields
        self._values = values
        self._items = items
        self.list_type: Final = list_type
        self.map_keys: Final = tuple(map_keys)
        self.map_type: Final = map_type
        self.patch_strategies: Final = tuple(patch_strategies)
        """Of `x-kubernetes-patch-strategy`: any of "merge", "replace", "retainKeys"."""
        self.patch_merge_key: Final = patch_merge_key
        self.default: Final = default
        """The default that the API states for this value; None when it states none."""

    @property
    def fields(self) -> Mapping[str, Schema]:
        """The declared fields of an object, by wire name."""
        if callable(self._fields):
            self._fields = self._fields()
        return self._fields

    @property
    def values(self) -> Schema | None:
        """The shape of the values of a map; None when only declared fields are known."""
        if callable(self._values):
            self._values = self._values()
        return self._values

    @property
    def items(self) -> Schema:
        """The shape of a list's elements; ANY when nothing is known."""
        if callable(self._items):
            self._items = self._items()
        return self._items if self._items is not None else ANY

    def field(self, name: str) -> Schema:
        """The shape of one member of an object or map; ANY when nothing is known of it."""
        found = self.fields.get(name)
        if found is not None:
            return found
        values = self.values
        return values if values is not None else ANY

    def __repr__(self) -> str:
        return f"Schema({self.kind!r})"


ANY: Final = Schema("any")
"""Nothing is known: objects merge member by member, lists and scalars are replaced whole."""

SCALAR: Final = Schema("scalar")
"""A string, number or boolean."""
