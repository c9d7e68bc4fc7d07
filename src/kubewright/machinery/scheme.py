"""`Scheme`: which type stands for which kind, both ways."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any, TypeAlias, TypeVar

from msgspec import Raw

from kubewright.machinery import codec
from kubewright.machinery.errors import DecodeError, RegistrationError
from kubewright.machinery.gvk import GroupVersionKind
from kubewright.machinery.type_meta import TypeMeta, read_gvk
from kubewright.machinery.unstructured import Unstructured, UnstructuredList

__all__ = ["Scheme"]

T = TypeVar("T", bound=TypeMeta)
AnyObject: TypeAlias = TypeMeta | Unstructured | UnstructuredList


class Scheme:
    """A registry of types by group, version and kind.

    A kind has one type; a type may have several kinds, the first of which is its own, and an object that
    decodes as one of the others says so in its `gvk`. Kinds that nobody registered decode as `Unstructured`,
    their lists as `UnstructuredList`.
    """

    def __init__(self) -> None:
        self._types: dict[GroupVersionKind, type[TypeMeta]] = {}
        self._kinds: dict[type[TypeMeta], list[GroupVersionKind]] = {}
        self._lazy: dict[GroupVersionKind, tuple[str, str]] = {}
        self._others: dict[GroupVersionKind, type[TypeMeta]] = {}

    def register(self, cls: type[T], *kinds: GroupVersionKind) -> type[T]:
        """Register a type under its own kind, and under others; usable as a decorator.

        Registering the same pair again changes nothing. Raises RegistrationError when a kind has another
        type.
        """
        own = getattr(cls, "gvk", None)
        wanted = [*([own] if own is not None else []), *kinds]
        if not wanted:
            raise RegistrationError(
                f"{_name(cls)} has no kind: give the class api_version and kind, or name a kind here"
            )
        for gvk in wanted:
            self._refuse_conflict(gvk, cls)
        for gvk in wanted:
            self._lazy.pop(gvk, None)
            self._types[gvk] = cls
            known = self._kinds.setdefault(cls, [])
            if gvk not in known:
                known.append(gvk)
        return cls

    def register_lazily(self, api_version: str, kind: str, module: str, name: str) -> None:
        """Register a type by where it is defined; the module is imported when the kind is first asked for."""
        gvk = GroupVersionKind.from_api_version(api_version, kind)
        known = _name(self._types[gvk]) if gvk in self._types else ".".join(self._lazy.get(gvk, ()))
        if known and known != f"{module}.{name}":
            raise RegistrationError(f"{gvk} is {known} already and cannot be {module}.{name} too")
        if gvk not in self._types:
            self._lazy[gvk] = (module, name)

    def _refuse_conflict(self, gvk: GroupVersionKind, cls: type[TypeMeta]) -> None:
        known = self._types.get(gvk)
        lazy = self._lazy.get(gvk)
        if known is not None and known is not cls:
            raise RegistrationError(f"{gvk} is {_name(known)} already and cannot be {_name(cls)} too")
        if lazy is not None and lazy != (cls.__module__, cls.__qualname__):
            raise RegistrationError(f"{gvk} is {'.'.join(lazy)} already and cannot be {_name(cls)} too")

    def type_of(self, gvk: GroupVersionKind) -> type[TypeMeta] | None:
        """The type of a kind; None when nobody registered it."""
        found = self._types.get(gvk)
        if found is None and gvk in self._lazy:
            found = self.register(_loaded(gvk, *self._lazy[gvk]), gvk)
        return found

    def kinds_of(self, cls: type[TypeMeta]) -> list[GroupVersionKind]:
        """The kinds of a type, its own first; empty when nobody registered it."""
        own = getattr(cls, "gvk", None)
        if cls not in self._kinds and own in self._lazy:
            self.type_of(own)
        return list(self._kinds.get(cls, ()))

    def list_type_of(self, gvk: GroupVersionKind) -> type[TypeMeta] | None:
        """The type of a kind's list; None when nobody registered it."""
        return self.type_of(GroupVersionKind(gvk.group, gvk.version, f"{gvk.kind}List"))

    def __contains__(self, gvk: object) -> bool:
        return gvk in self._types or gvk in self._lazy

    def __iter__(self) -> Iterator[GroupVersionKind]:
        return iter({**self._types, **self._lazy})

    def decode(self, data: bytes | str) -> AnyObject:
        """Decode an object of any kind by what it says it is. Raises DecodeError, which names the place."""
        data = codec.as_bytes(data)
        gvk = read_gvk(data)
        cls = self.type_of(gvk)
        if cls is not None:
            return self._decoder_type(cls, gvk).from_json(data)
        if gvk.kind.endswith("List") and _has_items(data):
            return UnstructuredList.from_json(data)
        return Unstructured.from_json(data)

    def _decoder_type(self, cls: type[TypeMeta], gvk: GroupVersionKind) -> type[TypeMeta]:
        """The type that decodes a kind: a subclass of the registered one when the kind is not its own."""
        if getattr(cls, "gvk", None) == gvk:
            return cls
        found = self._others.get(gvk)
        if found is None:
            metaclass: Any = type(cls)
            namespace = {"__module__": cls.__module__, "__doc__": cls.__doc__}
            header = {"api_version": gvk.api_version, "kind": gvk.kind}
            found = self._others[gvk] = metaclass(cls.__name__, (cls,), namespace, **header)
        return found

    def decode_yaml(self, text: str | bytes) -> list[AnyObject]:
        """Decode every document of a YAML text. Raises DecodeError, which says in which document."""
        from kubewright.machinery import yaml  # noqa: PLC0415 - PyYAML is slow to import, and JSON users need none

        decoded = []
        for number, document in enumerate(yaml.load_all(text), start=1):
            try:
                decoded.append(self.decode(codec.encode(document)))
            except DecodeError as error:
                raise DecodeError(f"document {number}: {error}") from None
        return decoded


def _name(cls: type[Any]) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


def _loaded(gvk: GroupVersionKind, module: str, name: str) -> type[TypeMeta]:
    try:
        found: type[TypeMeta] = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise RegistrationError(
            f"{gvk} is registered as {module}.{name}, which cannot be loaded: {error}"
        ) from None
    return found


def _has_items(data: bytes) -> bool:
    return "items" in codec.decode(data, dict[str, Raw], place="object")
