"""How a struct's fields are read and set: what a slot holds is not always what reading it gives.

Each reader wraps the member descriptor that msgspec made for a field. The decoder and the encoder go past it,
straight to the slot; only Python code that reads or sets the attribute meets it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import datetime
from functools import lru_cache
from types import UnionType
from typing import Annotated, Any, Final, NamedTuple, Union, get_args, get_origin

import msgspec
from msgspec import UNSET, Raw

from kubewright.machinery import codec, settle
from kubewright.machinery.annotations import evaluate, forward_text
from kubewright.machinery.depth import JsonDecoder
from kubewright.machinery.errors import DecodeError
from kubewright.machinery.field import EMPTY
from kubewright.machinery.quantity import Quantity
from kubewright.machinery.shapes import shape_of
from kubewright.machinery.time import MicroTime, check_aware
from kubewright.machinery.twins import made_of
from kubewright.machinery.wire_values import ReadDefault

__all__ = [
    "AS_IT_IS",
    "REQUIRED",
    "Factory",
    "LazyField",
    "MadeField",
    "NullableField",
    "StoredField",
    "TimeField",
    "annotation_of",
    "zero_of",
]

REQUIRED: Final = object()
"""The default of a lazy field that has none: the constructor wants it, and reading an absent one fails."""

AS_IT_IS: Final = object()
"""The default of a field that msgspec handles alone: None, none at all, or one that is always sent."""


class Factory(NamedTuple):
    """What makes the default of a field: `field(default_factory=...)`."""

    make: Callable[[], Any]


class StoredField:
    """A field that reads as its default while its slot is empty."""

    __slots__ = ("_annotation", "absent", "name", "owner", "slot")

    def __init__(self, owner: type, name: str, slot: Any, absent: object) -> None:
        self.owner = owner
        self.name = name
        self.slot = slot
        self.absent = absent
        self._annotation: Any = None

    @property
    def annotation(self) -> Any:
        """The resolved type of the field: found once, as it costs more than all else that a reader does."""
        if self._annotation is None:
            self._annotation = annotation_of(self.owner, self.name)
        return self._annotation

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        value = self.slot.__get__(instance)
        return value if value is not UNSET else self.absent

    def __set__(self, instance: Any, value: object) -> None:
        # Setting None unsets a field, unless null is one of its values.
        self.slot.__set__(instance, value if value is not None or self.takes_none() else UNSET)

    def takes_none(self) -> bool:
        """Whether None is a value of the field, sent as null, and not the same as setting nothing."""
        try:
            return shape_of(self.annotation).nullable
        except (NameError, TypeError):
            return False  # a type that cannot be resolved, so that the field can be set but not decoded

    def equals_absent(self, value: object) -> bool:
        """Whether a value is what an empty slot reads as."""
        return bool(value == self.absent)


class NullableField(StoredField):
    """A field that is None by default and for which null is a value of its own: what is set is sent."""

    __slots__ = ()

    def takes_none(self) -> bool:
        return True


class MadeField(StoredField):
    """A list, map or struct that is made when it is first read, so that it can be changed in place.

    It is sent once it was changed; see `settle`.
    """

    __slots__ = ("_make",)

    def __init__(self, owner: type, name: str, slot: Any, absent: object) -> None:
        super().__init__(owner, name, slot, absent)
        self._make: Callable[[], Any] | None = None

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        value = self.slot.__get__(instance)
        if type(value) is ReadDefault:
            return value.value
        return value if value is not UNSET else self.make(instance)

    def make(self, instance: Any) -> Any:
        """Make the default and keep it in the slot."""
        value = self.new()
        if self.absent is EMPTY:
            self.slot.__set__(instance, value)
        elif isinstance(self.absent, Factory):
            self.slot.__set__(instance, ReadDefault(value, settle.encode(value)))
        else:
            self.slot.__set__(instance, ReadDefault(value))
        return value

    def new(self) -> Any:
        if self._make is None:
            absent: Any = self.absent
            if isinstance(absent, Factory):
                self._make = absent.make
            else:
                self._make = _zero_maker(_without_none(self.annotation)) if absent is EMPTY else absent
        return self._make()

    def equals_absent(self, value: object) -> bool:
        return bool(value == self.new())


class LazyField(MadeField):
    """A field whose slot holds the bytes it came as until it is first read."""

    __slots__ = ("decoder",)

    def __init__(self, owner: type, name: str, slot: Any, absent: object) -> None:
        super().__init__(owner, name, slot, absent)
        self.decoder: JsonDecoder[Any] | None = None

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        value = self.slot.__get__(instance)
        kind = type(value)
        if kind is Raw:
            value = self.load(instance, value)
        elif kind is ReadDefault:
            return value.value
        return value if value is not UNSET else self.read_absent(instance)

    def read_absent(self, instance: Any) -> Any:
        if self.is_made():
            return self.make(instance)
        if self.absent is REQUIRED:
            if shape_of(self.annotation).items is not None:
                # As Go reads it, and as a list reads that is not lazy.
                value: list[Any] = []
                self.slot.__set__(instance, ReadDefault(value))
                return value
            raise DecodeError(
                f"{instance!s} has no {self.wire_name}, which a {self.owner.__name__} must have"
            )
        return self.absent if self.absent is not AS_IT_IS else None

    def is_made(self) -> bool:
        """Whether the default is made for each object that is read."""
        return self.absent is EMPTY or isinstance(self.absent, type | Factory)

    def equals_absent(self, value: object) -> bool:
        if self.is_made():
            return super().equals_absent(value)
        return bool(value == self.absent) if self.absent is not AS_IT_IS else value is None

    def takes_none(self) -> bool:
        return self.absent is AS_IT_IS or self.absent is None or super().takes_none()

    def load(self, instance: Any, raw: Raw) -> Any:
        """Decode what the slot holds; it stays as it is when that fails."""
        if self.decoder is None:
            self.decoder = codec.decoder_of(self.annotation)
        try:
            value = self.decoder.decode(raw)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            value = self.load_tolerantly(instance, raw)
        self.slot.__set__(instance, value)
        return value

    def load_tolerantly(self, instance: Any, raw: Raw) -> Any:
        if bytes(memoryview(raw)[:4]) == b"null":
            return UNSET
        return codec.decode(raw, self.annotation, place=f"{_label(instance)} {self.wire_name}")

    @property
    def wire_name(self) -> str:
        owner: Any = self.owner
        return str(owner.__struct_encode_fields__[owner.__struct_fields__.index(self.name)])


class TimeField(StoredField):
    """A time, which is checked and brought to the wire's precision when it is set."""

    __slots__ = ()

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self.slot.__get__(instance) if instance is not None else self

    def __set__(self, instance: Any, value: object) -> None:
        self.slot.__set__(instance, self.checked(value))

    def checked(self, value: object) -> object:
        """The value as the slot takes it. Raises ParseError for a datetime without a time zone."""
        if not isinstance(value, datetime):
            return value
        check_aware(value)
        if _mentions(self.annotation, MicroTime):
            return MicroTime.of(value)
        # metav1.Time has whole seconds on the wire.
        return value.replace(microsecond=0) if value.microsecond else value


def _label(instance: Any) -> str:
    """What an instance is called in an error: the object's kind and key, or the struct's type."""
    return str(instance) if hasattr(type(instance), "gvk") else type(instance).__name__


def annotation_of(owner: Any, name: str) -> Any:
    """The resolved type of a field; what `lazy` hid from msgspec is resolved here, on first need."""
    if name not in owner.__deferred__:
        return _resolved(owner)[name]
    annotation = owner.__deferred__[name]
    # Code that is executed from a text, as tests of documentation do, has no module.
    module = sys.modules.get(owner.__module__)
    scope = {**(vars(module) if module is not None else {}), owner.__name__: owner}
    try:
        owner.__deferred__[name] = evaluate(annotation, scope)
    except NameError as error:
        text = forward_text(annotation) or str(annotation)
        message = f"{owner.__qualname__}.{name}: the type {text!r} is not known in {owner.__module__}"
        raise TypeError(f"{message} ({error}); define it at the top of that module") from None
    return owner.__deferred__[name]


@lru_cache(None)
def _resolved(owner: Any) -> dict[str, Any]:
    """The types that msgspec knows, all at once: to find one it resolves them all."""
    return {info.name: info.type for info in msgspec.structs.fields(owner)}


def _mentions(annotation: Any, wanted: type) -> bool:
    return annotation is wanted or any(_mentions(part, wanted) for part in get_args(annotation))


def zero_of(annotation: Any) -> Any:
    """Go's zero value of a type; a struct is one that is sent only if something is set in it."""
    return _zero_maker(annotation)()


def _zero_maker(annotation: Any) -> Callable[[], Any]:
    """What makes the zero values of a type: what costs most, which is to look at the type, is done here."""
    origin = get_origin(annotation)
    if origin is Annotated or origin is Union or origin is UnionType:
        if type(None) in get_args(annotation):
            return _nothing
        return _zero_maker(get_args(annotation)[0])
    kind: Any = origin or annotation
    if kind in (list, dict, str, int, float, bool, bytes):
        return kind  # type: ignore[no-any-return]
    if kind is Quantity:
        return _zero_quantity
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        required = {
            info.name: _zero_maker(info.type) for info in msgspec.structs.fields(kind) if info.required
        }
        return lambda: made_of(kind, {name: make() for name, make in required.items()})
    return _nothing


def _without_none(annotation: Any) -> Any:
    """The type of the values of a field that may also be null."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _without_none(get_args(annotation)[0])
    if origin is Union or origin is UnionType:
        return next((part for part in get_args(annotation) if part is not type(None)), annotation)
    return annotation


def _zero_quantity() -> Quantity:
    return Quantity(0)


def _nothing() -> None:
    return None
