"""How struct types are made: which reader each field gets, and what msgspec sees instead of the defaults."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from datetime import datetime
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Final, Union, get_args, get_origin

import msgspec
from msgspec import UNSET, Raw

from kubewright.machinery.annotations import forward_text, take_annotations
from kubewright.machinery.errors import DeclarationError
from kubewright.machinery.field import EMPTY, Field, camel_case, field
from kubewright.machinery.readers import (
    AS_IT_IS,
    REQUIRED,
    Factory,
    LazyField,
    MadeField,
    NullableField,
    StoredField,
    TimeField,
)
from kubewright.machinery.schema import MapType
from kubewright.machinery.time import MicroTime
from kubewright.machinery.twins import known_type

__all__ = ["StructMeta", "no_such_field"]

_TIME: Final = re.compile(r"^(?:None \| )?(?:\w+\.)*(?:Time|MicroTime|datetime)(?: \| None)?$")
"""The text of an annotation that is a time."""

_NULLABLE: Final = re.compile(r"\bnullable\s*=\s*True\b")
"""What is in the text of an annotation of which null is a value of its own."""


class StructMeta(msgspec.StructMeta):
    """Makes struct types: see `Struct` for what is special about them."""

    __deferred__: dict[str, Any]
    __map_type__: MapType
    __always_sent__: frozenset[str]
    __required__: frozenset[str]
    __time_fields__: dict[str, TimeField]

    def __new__(
        mcls,
        name: str,
        bases: tuple[type, ...],
        namespace: dict[str, Any],
        *,
        lazy: Container[str] = (),
        map_type: MapType | None = None,
        always_sent: frozenset[str] = frozenset(),
        **config: Any,
    ) -> Any:
        annotations = take_annotations(namespace)
        declared = {key: value for key, value in annotations.items() if not _is_class_variable(value)}
        always_sent = always_sent.union(*(getattr(base, "__always_sent__", ()) for base in bases))
        absent = {
            key: _take_default(name, namespace, key, annotation, lazy=key in lazy)
            for key, annotation in declared.items()
            if key not in always_sent or not _has_factory(namespace, key)
        }
        deferred = {key: value for key, value in declared.items() if key in lazy}
        annotations.update(dict.fromkeys(deferred, Raw))
        config.setdefault("kw_only", True)  # msgspec does not inherit this one
        try:
            cls: Any = super().__new__(mcls, name, bases, namespace, **config)
        except ValueError as error:
            if "rename to the same name" in str(error):
                raise _same_wire_name(name, declared, bases, namespace) from None
            raise
        parent: Any = super(cls, cls)
        inherited = {key for key in cls.__struct_fields__ if key not in declared}
        cls.__deferred__ = deferred
        cls.__map_type__ = map_type or getattr(parent, "__map_type__", "granular")
        cls.__required__ = inherited & getattr(parent, "__required__", set()) | _where(absent, REQUIRED)
        cls.__always_sent__ = always_sent
        times = getattr(parent, "__time_fields__", {})
        cls.__time_fields__ = {key: times[key] for key in inherited if key in times}
        for key, annotation in declared.items():
            _wrap(cls, key, annotation, absent.get(key, AS_IT_IS))
        return cls

    if not TYPE_CHECKING:  # checkers take the signature from dataclass_transform

        def __call__(cls, *args: Any, **values: Any) -> Any:  # noqa: N805 - of a metaclass
            if None in values.values():
                values = {name: value for name, value in values.items() if not _means_unset(cls, name, value)}
            for name in cls.__required__ - values.keys():
                raise _no_such_argument(cls, values) or TypeError(f"Missing required argument {name!r}")
            times = cls.__time_fields__
            for name in times.keys() & values.keys():
                values[name] = times[name].checked(values[name])
            try:
                return super().__call__(*args, **values)
            except TypeError as error:
                raise _no_such_argument(cls, values) or error from None


def _no_such_argument(cls: Any, values: Mapping[str, Any]) -> TypeError | None:
    for name in sorted(values.keys() - set(cls.__struct_fields__)):
        return TypeError(no_such_field(cls, name))
    return None


def no_such_field(cls: Any, name: str) -> str:
    """The sentence about a name that is not a field of a struct, above all of one that is a wire name."""
    from difflib import get_close_matches  # noqa: PLC0415 - for an error only

    known = known_type(cls)
    names: tuple[str, ...] = known.__struct_fields__
    wire = dict(zip(known.__struct_encode_fields__, names, strict=True))
    near = [wire[name]] if name in wire else get_close_matches(name, names, n=1)
    remedy = f"write {near[0]}" if near else f"there are {', '.join(names)}"
    return f"{cls.__name__} has no field {name!r}; {remedy}"


def _same_wire_name(
    cls_name: str, declared: Mapping[str, Any], bases: tuple[type, ...], namespace: Mapping[str, Any]
) -> DeclarationError:
    """What to say when msgspec refuses a class because two of its fields have one wire name."""
    seen: dict[str, str] = {}
    for base in bases:
        known: Any = base
        inherited = zip(known.__struct_encode_fields__, known.__struct_fields__, strict=True)
        seen |= {wire: attribute for wire, attribute in inherited if attribute not in declared}
    for attribute in declared:
        given: Any = namespace.get(attribute)
        wire = (given.name if type(given) is _FieldType else None) or camel_case(attribute)
        if wire in seen:
            fields = f"{seen[wire]} and {attribute} are both {wire!r} on the wire"
            return DeclarationError(f"{cls_name}: {fields}; give one of them field(name=...)")
        seen[wire] = attribute
    return DeclarationError(f"{cls_name}: two fields have one wire name; give one of them field(name=...)")


def _means_unset(cls: type, name: str, value: object) -> bool:
    """Whether an argument is None for a field that cannot be None: the same as not giving it."""
    if value is not None:
        return False
    reader = next((base.__dict__[name] for base in cls.__mro__ if name in base.__dict__), None)
    return (
        isinstance(reader, StoredField)
        and not isinstance(reader, TimeField)
        and reader.absent is not AS_IT_IS
        and not reader.takes_none()
    )


def _has_factory(namespace: Mapping[str, Any], attribute: str) -> bool:
    declared: Any = namespace.get(attribute)
    return type(declared) is _FieldType and declared.default_factory is not msgspec.NODEFAULT


def _take_default(
    cls_name: str, namespace: dict[str, Any], attribute: str, annotation: Any, *, lazy: bool
) -> object:
    """What an absent field reads as: a scalar, EMPTY, `list`, `dict`, a Factory, or a mark in `readers`.

    Such a default gives way to UNSET in the class, so that what is set is sent, whatever it is.
    """
    declared = namespace.get(attribute, msgspec.NODEFAULT)
    default: Any = declared
    factory: Any = msgspec.NODEFAULT
    wire_name = None
    if type(declared) is _FieldType:
        default, factory, wire_name = declared.default, declared.default_factory, declared.name
    if isinstance(default, msgspec.Struct) and not default.__struct_config__.frozen:
        remedy = "write EMPTY, or field(default_factory=...)"
        what = "its default is a struct that all would share"
        raise DeclarationError(f"{cls_name}.{attribute}: {what}; {remedy}")
    if isinstance(default, list | dict | set) and not default:
        factory = type(default)
    absent: object = default
    if factory in (list, dict, set):
        absent = factory
    elif factory is not msgspec.NODEFAULT:
        absent = Factory(factory)
    elif default is None and _is_nullable(annotation):
        absent = None
    elif default is None or default is UNSET:
        return AS_IT_IS
    elif default is msgspec.NODEFAULT:
        if not lazy:
            return AS_IT_IS
        absent = REQUIRED
    elif isinstance(default, list | dict | set | bytearray):
        what = f"its default is a {type(default).__name__} that all would share"
        raise DeclarationError(f"{cls_name}.{attribute}: {what}; write field(default_factory=lambda: ...)")
    namespace[attribute] = field(default=UNSET, name=wire_name)
    return absent


_FieldType: Final = type(field())


def _where(absent: Mapping[str, object], *marks: object) -> frozenset[str]:
    return frozenset(name for name, value in absent.items() if any(value is mark for mark in marks))


def _wrap(cls: Any, name: str, annotation: Any, absent: object) -> None:
    """Put a reader before a field's slot, if it needs one; the slot may be that of a base."""
    found = next(base.__dict__[name] for base in cls.__mro__ if name in base.__dict__)
    slot = getattr(found, "slot", found)
    if name in cls.__deferred__:
        type.__setattr__(cls, name, LazyField(cls, name, slot, absent))
    elif absent is EMPTY or isinstance(absent, type | Factory):
        type.__setattr__(cls, name, MadeField(cls, name, slot, absent))
    elif absent is None:
        type.__setattr__(cls, name, NullableField(cls, name, slot, absent))
    elif absent is not AS_IT_IS:
        type.__setattr__(cls, name, StoredField(cls, name, slot, absent))
    elif _is_time(annotation):
        cls.__time_fields__[name] = TimeField(cls, name, slot, absent)
        type.__setattr__(cls, name, cls.__time_fields__[name])
    elif found is not slot or name not in cls.__dict__:
        type.__setattr__(cls, name, slot)


def _is_nullable(annotation: Any) -> bool:
    """Whether null is a value of a field; by the text where types are not resolved yet."""
    if isinstance(annotation, str):
        return _NULLABLE.search(annotation) is not None
    marks = get_args(annotation)[1:] if get_origin(annotation) is Annotated else ()
    return any(isinstance(mark, Field) and mark.nullable for mark in marks) or any(
        _is_nullable(part) for part in get_args(annotation)[:1] if get_origin(annotation) is Annotated
    )


def _is_time(annotation: Any) -> bool:
    """Whether a field is a time, or none; by its text where types are not resolved yet."""
    text = forward_text(annotation)
    if text is not None:
        return _TIME.match(text) is not None
    parts = get_args(annotation) if get_origin(annotation) in (Union, UnionType, Annotated) else (annotation,)
    return any(part is datetime or part is MicroTime or _is_annotated_time(part) for part in parts)


def _is_annotated_time(annotation: Any) -> bool:
    return get_origin(annotation) is Annotated and _is_time(get_args(annotation)[0])


def _is_class_variable(annotation: Any) -> bool:
    return "ClassVar" in (annotation if isinstance(annotation, str) else str(annotation))
