"""How struct types are made: which reader each field gets, and what msgspec sees instead of the defaults."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import UNSET, Raw

from kubewright.machinery.field import EMPTY, field
from kubewright.machinery.readers import AS_IT_IS, REQUIRED, LazyField, MadeField, StoredField, TimeField
from kubewright.machinery.schema import MapType

__all__ = ["StructMeta"]

# An annotation that holds a time, by its text: annotations are resolved only when first needed.
_TIME: Final = re.compile(r"\b(Time|MicroTime|datetime)\b")


class StructMeta(msgspec.StructMeta):
    """Makes struct types: see `Struct` for what is special about them."""

    __deferred__: dict[str, Any]
    __map_type__: MapType
    __made__: frozenset[str]
    __required__: frozenset[str]
    __time_fields__: dict[str, TimeField]

    def __new__(
        mcls,
        name: str,
        bases: tuple[type, ...],
        namespace: dict[str, Any],
        *,
        lazy: Container[str] = (),
        map_type: MapType = "granular",
        **config: Any,
    ) -> Any:
        annotations: dict[str, Any] = namespace.get("__annotations__", {})
        declared = {key: value for key, value in annotations.items() if not _is_class_variable(value)}
        absent = {key: _take_default(namespace, key, lazy=key in lazy) for key in declared}
        deferred = {key: value for key, value in declared.items() if key in lazy}
        annotations.update(dict.fromkeys(deferred, Raw))
        config.setdefault("kw_only", True)  # msgspec does not inherit this one
        cls: Any = super().__new__(mcls, name, bases, namespace, **config)
        parent: Any = super(cls, cls)
        cls.__deferred__ = deferred
        cls.__map_type__ = map_type
        cls.__required__ = getattr(parent, "__required__", frozenset()) | _where(absent, REQUIRED)
        cls.__made__ = getattr(parent, "__made__", frozenset()) | _where(absent, EMPTY, list, dict)
        cls.__time_fields__ = {**getattr(parent, "__time_fields__", {})}
        for key, annotation in declared.items():
            if key in cls.__dict__:  # else a base declared it, whose slot and reader serve here too
                _wrap(cls, key, annotation, absent[key])
        return cls

    if not TYPE_CHECKING:  # checkers take the signature from dataclass_transform

        def __call__(cls, *args: Any, **values: Any) -> Any:  # noqa: N805 - of a metaclass
            for name in cls.__required__ - values.keys():
                raise TypeError(f"Missing required argument {name!r}")
            times = cls.__time_fields__
            for name in times.keys() & values.keys():
                values[name] = times[name].checked(values[name])
            return super().__call__(*args, **values)


def _take_default(namespace: dict[str, Any], attribute: str, *, lazy: bool) -> object:
    """What an absent field reads as: a scalar, EMPTY, `list`, `dict`, or one of the marks in `readers`.

    Such a default gives way to UNSET in the class, so that what is set is sent, whatever it is.
    """
    declared = namespace.get(attribute, msgspec.NODEFAULT)
    default: Any = declared
    factory: Any = msgspec.NODEFAULT
    wire_name = None
    if type(declared) is _FieldType:
        default, factory, wire_name = declared.default, declared.default_factory, declared.name
    if isinstance(default, list | dict) and not default:
        factory = type(default)
    absent: object = default
    if factory in (list, dict):
        absent = factory
    elif factory is not msgspec.NODEFAULT or default is None or default is UNSET:
        return AS_IT_IS
    elif default is msgspec.NODEFAULT:
        if not lazy:
            return AS_IT_IS
        absent = REQUIRED
    elif isinstance(default, list | dict | set):
        return AS_IT_IS  # msgspec says what is wrong with it
    namespace[attribute] = field(default=UNSET, name=wire_name)
    return absent


_FieldType: Final = type(field())


def _where(absent: Mapping[str, object], *marks: object) -> frozenset[str]:
    return frozenset(name for name, value in absent.items() if any(value is mark for mark in marks))


def _wrap(cls: Any, name: str, annotation: Any, absent: object) -> None:
    """Put a reader before a field's slot, if it needs one."""
    slot = cls.__dict__[name]
    if name in cls.__deferred__:
        type.__setattr__(cls, name, LazyField(cls, name, slot, absent))
    elif _TIME.search(str(annotation)) is not None:
        reader = TimeField(cls, name, slot, absent)
        cls.__time_fields__[name] = reader
        type.__setattr__(cls, name, reader)
    elif name in cls.__made__:
        type.__setattr__(cls, name, MadeField(cls, name, slot, absent))
    elif absent is not AS_IT_IS:
        type.__setattr__(cls, name, StoredField(cls, name, slot, absent))


def _is_class_variable(annotation: Any) -> bool:
    return "ClassVar" in (annotation if isinstance(annotation, str) else str(annotation))
