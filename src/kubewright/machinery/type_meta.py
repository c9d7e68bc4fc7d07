"""`TypeMeta`: what says on the wire what it is, by `apiVersion` and `kind`."""

from __future__ import annotations

from typing import Any, ClassVar, Final, Literal, Self

import msgspec

from kubewright.machinery import codec, twins
from kubewright.machinery.annotations import take_annotations
from kubewright.machinery.errors import DecodeError, ParseError
from kubewright.machinery.field import field
from kubewright.machinery.gvk import GroupVersionKind, GroupVersionResource
from kubewright.machinery.struct import Struct
from kubewright.machinery.struct_meta import StructMeta

__all__ = ["TypeMeta", "TypeMetaMeta", "read_gvk"]


class TypeMetaMeta(StructMeta):
    """Makes types with a kind: `api_version` and `kind` say what it is, `plural` where it is served.

    `eager` names the fields that are decoded at once; a type that says so keeps every other field, also of
    its subclasses, as bytes until it is read.
    """

    __eager__: frozenset[str] | None = None

    def __new__(
        mcls,
        name: str,
        bases: tuple[type, ...],
        namespace: dict[str, Any],
        *,
        api_version: str = "",
        kind: str = "",
        plural: str = "",
        namespaced: bool = True,
        eager: frozenset[str] | None = None,
        always_sent: frozenset[str] = frozenset(),
        **config: Any,
    ) -> Any:
        annotations = take_annotations(namespace)
        _check_arguments(name, annotations, api_version, kind, plural)
        if eager is None:
            eager = next((base.__eager__ for base in bases if isinstance(base, TypeMetaMeta)), None)
        lazy = frozenset(annotations) - eager - {twins.HIDDEN} if eager is not None else frozenset()
        if api_version:
            kind = kind or name
            _declare(namespace, annotations, "api_version", "apiVersion", api_version)
            _declare(namespace, annotations, "kind", "kind", kind)
        always_sent |= _ALWAYS_SENT
        cls = super().__new__(mcls, name, bases, namespace, lazy=lazy, always_sent=always_sent, **config)
        cls.__eager__ = eager
        if api_version:
            cls.gvk = GroupVersionKind.from_api_version(api_version, kind)
            cls.namespaced = namespaced
        if plural:
            cls.gvr = cls.gvk.group_version.with_resource(plural)
        return cls


_ALWAYS_SENT: Final = frozenset({"api_version", "kind", "metadata"})
"""What says which object it is, and what servers and kubectl expect in each."""

_TAKEN: Final = frozenset({"crd", "gvk", "gvr", "key", "namespaced"})
"""What classes with a kind have themselves, so that no field may be called so."""


def _check_arguments(
    name: str, annotations: dict[str, Any], api_version: str, kind: str, plural: str
) -> None:
    if not api_version and (kind or plural):
        raise TypeError(f"{name} has a kind or plural but no api_version; give the class both")
    for taken in _TAKEN & annotations.keys():
        if "ClassVar" not in str(annotations[taken]):
            remedy = f'call it {taken}_ and give it field(name="{taken}")'
            raise TypeError(f"{name}.{taken}: every object has an attribute of this name; {remedy}")


def _declare(
    namespace: dict[str, Any], annotations: dict[str, Any], attribute: str, wire: str, value: str
) -> None:
    """Give a class its fixed apiVersion or kind: checked when read, always sent, never stored per object."""
    annotations.setdefault(attribute, Literal[value])
    # A factory, because a default is not sent; a bound method of the string itself, because it is quick.
    namespace[attribute] = field(default_factory=value.__str__, name=wire)


class TypeMeta(Struct, metaclass=TypeMetaMeta):
    """The base of everything that carries `apiVersion` and `kind`."""

    gvk: ClassVar[GroupVersionKind]
    """The group, version and kind of this type; absent on a base that was given none."""
    gvr: ClassVar[GroupVersionResource]
    """Where the API serves it; absent on kinds that have no endpoint of their own."""
    namespaced: ClassVar[bool]

    api_version: str = ""
    kind: str = ""

    @classmethod
    def from_json(cls, data: bytes | str) -> Self:
        """Decode JSON. Raises DecodeError, which names the place and says so when it is another kind."""
        data = codec.as_bytes(data)
        try:
            return super().from_json(data)
        except DecodeError:
            _refuse_other_kind(cls, data)
            raise


class _Header(msgspec.Struct):
    """The two fields that say what an object is."""

    apiVersion: object = ""  # noqa: N815 - the wire name
    kind: object = ""


_header_decoder = msgspec.json.Decoder(_Header)


def read_gvk(data: bytes | msgspec.Raw) -> GroupVersionKind:
    """What an encoded object says it is. Raises DecodeError when it does not say."""
    try:
        header = _header_decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise codec.explained(error, "object", "") from None
    if not (isinstance(header.kind, str) and header.kind):
        raise DecodeError("object: kind is missing; every object says its apiVersion and kind")
    if not (isinstance(header.apiVersion, str) and header.apiVersion):
        raise DecodeError(f"{header.kind}: apiVersion is missing; every object says its apiVersion and kind")
    try:
        return GroupVersionKind.from_api_version(header.apiVersion, header.kind)
    except ParseError as error:
        raise DecodeError(f"{header.kind}: {error}") from None


def _refuse_other_kind(cls: type[TypeMeta], data: bytes) -> None:
    """Raise the sentence that helps most when the data is an object of another kind."""
    wanted = getattr(cls, "gvk", None)
    try:
        header = _header_decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return
    if wanted is None or not (isinstance(header.kind, str) and isinstance(header.apiVersion, str)):
        return
    kind, api_version = header.kind or wanted.kind, header.apiVersion or wanted.api_version
    if (api_version, kind) != (wanted.api_version, wanted.kind):
        raise DecodeError(f"expected {wanted.api_version} {wanted.kind}, got {api_version} {kind}") from None
