"""`Struct`: the base of every typed piece of the API, from a container port to a whole pod.

A struct is a msgspec struct with four habits of its own:

- Names are snake_case in Python and camelCase on the wire, unless `field(name=...)` says the exact name.
- What was not set is not sent, and what was set is sent, also when it equals the default or is empty.
  Reading an unset field gives its default and changes nothing that is sent; changing what was read sets it.
- Fields that the type lacks are kept and sent back (see `tolerant`).
- Fields named in `lazy` stay the bytes they came as until they are first read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Self, dataclass_transform

import msgspec
from msgspec import NODEFAULT, UNSET, Raw

from kubewright.machinery import codec
from kubewright.machinery.errors import DecodeError, EncodeError
from kubewright.machinery.field import camel_case
from kubewright.machinery.readers import AS_IT_IS, StoredField, TimeField, annotation_of
from kubewright.machinery.settle import present_value
from kubewright.machinery.shapes import slots_of
from kubewright.machinery.struct_meta import StructMeta, no_such_field
from kubewright.machinery.twins import HIDDEN, hidden_of, known_type, unknown_fields

__all__ = ["CONCEALED", "Struct", "declared_default", "declared_type", "is_set", "without_values"]

_QUIET: Final = frozenset({"annotations", "managed_fields", "owner_references"})
"""Metadata that is long and seldom wanted: `repr` shows it when it was read."""

CONCEALED: Final[Mapping[str, Sequence[str]]] = {
    "Secret": ("data", "string_data"),
    "TokenRequestStatus": ("token",),
    "TokenReviewSpec": ("token",),
}
"""Fields, by the class that they are in, whose values `repr` never shows, since it comes into logs."""

_LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"
"""The annotation in which kubectl leaves a whole object, of a Secret with its values."""

_HEADER: Final = frozenset({"api_version", "kind"})
"""What the name of a class with a kind says, so that `repr` need not."""


_set_attribute: Final = msgspec.Struct.__setattr__


class _NoSuchField(AttributeError):
    """A name that is not a field: its message, which takes a search, is made when it is wanted."""

    def __init__(self, cls: type[msgspec.Struct], name: str) -> None:
        super().__init__(name=name)
        self._cls = cls

    def __str__(self) -> str:
        return no_such_field(self._cls, str(self.name))


@dataclass_transform(kw_only_default=True, field_specifiers=(msgspec.field,))
class Struct(
    msgspec.Struct,
    metaclass=StructMeta,
    omit_defaults=True,
    forbid_unknown_fields=True,
    gc=False,
    rename=camel_case,
):
    """A typed piece of the API; `Resource` is the whole object.

    Two structs are equal when all fields read the same and their unknown fields are the same.
    """

    @classmethod
    def from_json(cls, data: bytes | str) -> Self:
        """Decode JSON. Raises DecodeError, which names the place."""
        return codec.decode(codec.as_bytes(data), cls)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Take plain data, as `to_dict` gives it. Raises DecodeError, which names the place."""
        if not isinstance(data, Mapping):
            raise DecodeError(f"{cls.__name__}: expected a mapping, got {type(data).__name__}")
        try:
            encoded = codec.encode(data)
        except EncodeError as error:
            raise DecodeError(f"{cls.__name__}: not plain data: {error}") from None
        return cls.from_json(encoded)

    @classmethod
    def from_yaml(cls, text: str | bytes) -> Self:
        """Decode one YAML document. Raises DecodeError, which names the place."""
        from kubewright.machinery import yaml  # noqa: PLC0415 - PyYAML is slow to import, and JSON users need none

        return cls.from_dict(yaml.load(text))

    def to_json(self) -> bytes:
        """The compact JSON that goes on the wire."""
        return codec.encode(self)

    def to_dict(self) -> dict[str, Any]:
        """The plain data that this stands for, with wire names; nothing in it is shared with this object."""
        plain: dict[str, Any] = codec.to_plain(self)
        return plain

    def to_yaml(self) -> str:
        """The YAML that kubectl would read."""
        from kubewright.machinery import yaml  # noqa: PLC0415 - see from_yaml

        return yaml.dump(self.to_dict())

    def copy(self) -> Self:
        """A copy that shares nothing mutable with this one, DeepCopy in Go."""
        copied: Any = codec.decode(codec.encode(self), known_type(type(self)))
        return copied  # type: ignore[no-any-return]

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: object) -> Self:
        return self.copy()

    def __reduce__(self) -> Any:
        return (_revived, (known_type(type(self)), codec.encode(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Struct) or known_type(type(self)) is not known_type(type(other)):
            return NotImplemented
        if unknown_fields(self) != unknown_fields(other):
            return False
        return all(_same(self, other, name) for name in known_type(type(self)).__struct_fields__)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = []
        said_by_class = _HEADER if hasattr(type(self), "gvk") else ()
        concealed = CONCEALED.get(type(self).__name__, ())
        for name, slot in slots_of(type(self)).items():
            if isinstance(slot.__get__(self), Raw) and name not in _QUIET:
                with suppress(DecodeError):  # printing must not fail where decoding does
                    getattr(self, name)
            value = present_value(self, name) if name != HIDDEN else hidden_of(self)
            if value is None or value is UNSET or name in said_by_class:
                continue
            if name in concealed:
                shown.append(f"{name}={without_values(value)}")
            elif isinstance(value, Raw):
                shown.append(f"{name}=...")
            elif name == "annotations" and isinstance(value, dict) and _LAST_APPLIED in value:
                shown.append(f"{name}={value | {_LAST_APPLIED: '...'}!r}")
            else:
                shown.append(f"{name}={value!r}")
        return f"{type(self).__name__}({', '.join(shown)})"

    if not TYPE_CHECKING:  # else checkers would take any name for a field

        def __getattr__(self, name: str) -> Any:
            raise _NoSuchField(type(self), name)

        def __setattr__(self, name: str, value: object) -> None:
            try:
                _set_attribute(self, name, value)
            except AttributeError:
                if hasattr(type(self), name):
                    raise  # a property, or a name of the class
                raise _NoSuchField(type(self), name) from None

    def __delattr__(self, name: str) -> None:
        """Unset a field: it reads as its default again, and is not sent."""
        info = next((info for info in msgspec.structs.fields(type(self)) if info.name == name), None)
        if info is None:
            raise _NoSuchField(type(self), name)
        if info.required:
            raise AttributeError(f"{type(self).__name__}.{name} is required and cannot be unset")
        factory = info.default_factory
        slots_of(type(self))[name].__set__(self, factory() if factory is not NODEFAULT else info.default)


def without_values(value: object) -> str:
    """What `repr` shows of something secret: of a mapping its keys, and else nothing."""
    if not isinstance(value, dict):
        return "..."
    return f"{{{', '.join(f'{key!r}: ...' for key in value)}}}"


def is_set(struct: Struct, name: str) -> bool:
    """Whether a field is present, as opposed to reading as its default."""
    value = present_value(struct, name)
    if value is None:
        return _holds_null(type(struct), name)
    hidden = hidden_of(struct)
    if hidden is not None and name in hidden.stand_ins and hidden.stand_ins[name] is value:
        return bool(value)
    return value is not UNSET


def _holds_null(cls: type[Struct], name: str) -> bool:
    """Whether None in the slot of a field is sent as null, and not the same as nothing."""
    found = next(base.__dict__[name] for base in cls.__mro__ if name in base.__dict__)
    return (
        isinstance(found, StoredField) and not isinstance(found, TimeField) and found.absent is not AS_IT_IS
    )


def _revived(cls: type[Struct], data: bytes) -> Struct:
    return codec.decode(data, cls)


def _same(left: Any, right: Any, name: str) -> bool:
    one, two = (present_value(struct, name) for struct in (left, right))
    if one is two:
        return True
    if type(one) is Raw and type(two) is Raw and memoryview(one) == memoryview(two):
        return True
    try:
        if one is UNSET or two is UNSET:
            return reader_of(type(left), name).equals_absent(getattr(right if one is UNSET else left, name))
        return bool(getattr(left, name) == getattr(right, name))
    except DecodeError:
        return False  # what cannot be read equals nothing but the same bytes


def reader_of(cls: type, name: str) -> StoredField:
    """The reader of a field that has one."""
    found = next(base.__dict__[name] for base in cls.__mro__ if name in base.__dict__)
    if not isinstance(found, StoredField):
        raise TypeError(f"{cls.__name__}.{name} is read straight from its slot")
    return found


def declared_type(cls: type[Struct], name: str) -> Any:
    """The type that a field was declared with, `Annotated` included."""
    owner = next((base for base in cls.__mro__ if name in base.__dict__.get("__deferred__", ())), cls)
    return annotation_of(owner, name)


def declared_default(cls: type[Struct], name: str) -> object:
    """The scalar that an absent field reads as; None for a field without such a default."""
    found = next((base.__dict__[name] for base in cls.__mro__ if name in base.__dict__), None)
    if isinstance(found, StoredField) and isinstance(found.absent, str | int | float | bool):
        return found.absent if found.absent != "" else None
    return None
