"""Go's types as msgspec's: the fast way to read a body, for bodies with nothing unusual in them.

What decodes here is read exactly as `go_types` would read it, and `msgspec.to_builtins` then writes it as
they would. Everything else is refused (unknown fields, nulls that Go takes for zero, odd forms), and the
caller reads it the slow way, which also knows what to say of it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Annotated, Any, Final, ForwardRef, Optional, TypeAlias, Union, final

import msgspec

from kubewright.server.wire.go_forms import canonical_micro_time, canonical_quantity, canonical_time
from kubewright.server.wire.go_json import int64_or_float
from kubewright.server.wire.go_special import GoForm, GoIntOrString, GoQuantity, GoRaw, GoTime, GoUnion
from kubewright.server.wire.go_types import (
    GoBool,
    GoBytes,
    GoField,
    GoFloat,
    GoInt,
    GoKeptSlice,
    GoMap,
    GoPointer,
    GoSlice,
    GoString,
    GoStruct,
    GoType,
)

__all__ = ["FastTypes", "read_form"]

_MAX_FORM: Final = 64
"""Longer texts of times and quantities go the slow way, so that the cache stays small."""

_CACHED: Final = 8192
"""Times and quantities that are kept read, as clusters write the same ones again and again: about 2 MB."""


class _TakesAll(type):
    """msgspec checks that a hook's answer is of the type it was asked for; these answer plain JSON."""

    def __instancecheck__(cls, instance: object) -> bool:
        return True


class _Time(metaclass=_TakesAll):
    pass


class _MicroTime(metaclass=_TakesAll):
    pass


class _Quantity(metaclass=_TakesAll):
    pass


class _Float(metaclass=_TakesAll):
    pass


def _odd(value: object) -> ValueError:
    return ValueError(f"a {type(value).__name__} is read the slow way")


def _time(value: object) -> str:
    if not isinstance(value, str) or len(value) > _MAX_FORM:
        raise _odd(value)
    # The zero time is written as null, and a pointer to it too, which is not the same as none.
    return canonical_time(value) or _refuse(value)


def _micro_time(value: object) -> str:
    if not isinstance(value, str) or len(value) > _MAX_FORM:
        raise _odd(value)
    return canonical_micro_time(value) or _refuse(value)


def _refuse(value: object) -> str:
    raise _odd(value)


def _quantity(value: object) -> str:
    if type(value) is int:
        value = str(value)
    if not isinstance(value, str) or len(value) > _MAX_FORM:
        raise _odd(value)
    return canonical_quantity(value)


def _float(value: object) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _odd(value)
    return int64_or_float(float(value))


_HOOKS: Final[dict[type, Callable[[object], object]]] = {
    _Time: _time,
    _MicroTime: _micro_time,
    _Quantity: _quantity,
    _Float: _float,
}


@lru_cache(_CACHED, typed=True)
def _read_form(form: type, value: object) -> object:
    # What is refused is not cached.
    return _HOOKS[form](value)


read_form: Final[Callable[[type, Any], object]] = _read_form
"""msgspec's hook for the forms. Raises ValueError, of which ParseError is one, and TypeError."""


_Typing: TypeAlias = Any
"""A type annotation that is made at run time; type checkers have no better word for it."""

_Member: TypeAlias = tuple[str, _Typing, object]

_SELF: Final = "_Self"
"""What a struct's annotations call the struct itself: JSONSchemaProps has many of its kind."""

_SCALARS: Final[dict[type[GoType], _Typing]] = {GoString: str, GoBool: bool, GoFloat: _Float}


def _nothing() -> None:
    """A factory. What a factory makes is written, unlike a default: `containers: null`."""


def _factory(value: object) -> Callable[[], object]:
    return lambda: value


@final
class FastTypes:
    """msgspec's types for Go's, each made when it is first needed."""

    __slots__ = ("_made",)

    def __init__(self) -> None:
        self._made: Final[dict[GoStruct, type[msgspec.Struct] | None]] = {}

    def struct(self, of: GoStruct) -> _Typing:
        """The msgspec.Struct for a struct, or a reference to it while it is being made."""
        if of in self._made:
            return self._made[of] or ForwardRef(_SELF)
        self._made[of] = None
        members: list[_Member] = []
        for index, field in enumerate(of.fields):
            typing, default = self._member(field)
            members.append((f"f{index}", typing, default))
        made = msgspec.defstruct(
            of.struct_name,
            members,
            rename={f"f{index}": field.name for index, field in enumerate(of.fields)},
            omit_defaults=True,
            forbid_unknown_fields=True,
            gc=False,
        )
        setattr(made, _SELF, made)
        self._made[of] = made
        return made

    def _member(self, field: GoField) -> tuple[_Typing, object]:
        """A field's type, and its default or factory."""
        of, typing = field.type, self._typing(field.type)
        if isinstance(of, GoPointer | GoRaw | GoTime):
            left_out = field.omitzero if isinstance(of, GoForm) else field.omitted
            return typing, None if left_out else msgspec.field(default_factory=_nothing)
        if isinstance(of, GoSlice | GoMap | GoBytes):
            if not field.omitted:
                return typing, msgspec.field(default_factory=_nothing)
            if isinstance(of, GoKeptSlice):
                return self._bare(of), None
            # An empty one is left out, and null is for the slow way.
            empty: Callable[[], object] = list if isinstance(of, GoSlice) else dict
            default = b"" if isinstance(of, GoBytes) else msgspec.field(default_factory=empty)
            return self._bare(of), default
        if isinstance(of, GoStruct):
            return typing, msgspec.field(default_factory=typing)
        if isinstance(of, GoForm) or not field.omitted:
            return typing, msgspec.field(default_factory=_factory(of.write(of.new())))
        return typing, of.zero

    def _typing(self, of: GoType) -> _Typing:
        """What a value may be, wherever it stands; null where Go writes null for it again."""
        if isinstance(of, GoPointer):
            return Optional[self._typing(of.to)]  # noqa: UP045 - forward references have no `|`
        if isinstance(of, GoSlice | GoMap | GoBytes):
            return Optional[self._bare(of)]  # noqa: UP045
        if isinstance(of, GoStruct):
            return self.struct(of)
        if isinstance(of, GoInt):
            return Annotated[int, msgspec.Meta(ge=of.low, le=of.high)]
        if isinstance(of, GoTime):
            return Optional[_Time if of.canonical is canonical_time else _MicroTime]  # noqa: UP045
        if isinstance(of, GoQuantity):
            return _Quantity
        if isinstance(of, GoIntOrString):
            return _INT_OR_STRING
        if isinstance(of, GoUnion):
            return self._union(of)
        return Any if isinstance(of, GoRaw) else _SCALARS[type(of)]

    def _bare(self, of: GoSlice | GoMap | GoBytes) -> _Typing:
        """A list, map or bytes, without null."""
        if isinstance(of, GoBytes):
            return bytes
        element = self._typing(of.of)
        return list[element] if isinstance(of, GoSlice) else dict[str, element]  # type: ignore[valid-type]

    def _union(self, of: GoUnion) -> _Typing:
        schema = self._typing(of.schema)
        if of.others is None:
            return Union[schema, bool]  # noqa: UP007 - forward references have no `|`
        # Go forgets an empty list.
        others: _Typing = Annotated[self._bare(of.others), msgspec.Meta(min_length=1)]
        return Union[schema, others]  # noqa: UP007


_INT_OR_STRING: Final = Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31 - 1)] | str
