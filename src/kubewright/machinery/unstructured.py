"""`Unstructured`: an object whose type is not known here, with the protocol of `Resource` over plain data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any, Final, Self

import msgspec
from msgspec import Raw

from kubewright.machinery import codec
from kubewright.machinery.errors import DecodeError, EncodeError
from kubewright.machinery.gvk import GroupVersionKind
from kubewright.machinery.meta import ListMeta, ObjectMeta
from kubewright.machinery.struct import without_values

__all__ = ["Unstructured", "UnstructuredList"]

_OWN: Final = frozenset({"apiVersion", "kind", "metadata"})

_members_decoder: Final = msgspec.json.Decoder(dict[str, Raw])
_text_decoder: Final = msgspec.json.Decoder(str)
_Items: Final[Any] = list[dict[str, Raw]] | None


class Unstructured(MutableMapping[str, Any]):
    """Any object of the API: `widget["spec"]["size"]`, `widget.metadata.name`.

    It is a mapping of its top-level members but for `metadata`, which is typed and has its own attribute, and
    `apiVersion` and `kind`, which can be read both ways. Members stay the bytes they came as until they are
    first read, and what was read can be changed in place. Nothing is lost: what `from_json` got, `to_json`
    gives back.
    """

    __slots__ = ("_came_without_metadata", "_members", "_metadata", "_unread_metadata", "api_version", "kind")

    def __init__(
        self,
        *,
        api_version: str,
        kind: str,
        metadata: ObjectMeta | None = None,
        members: Mapping[str, Any] | None = None,
    ) -> None:
        self.api_version = api_version
        self.kind = kind
        self._metadata = metadata if metadata is not None else ObjectMeta()
        self._unread_metadata: Raw | None = None
        # An object within another one may have none, and is sent back without until some is set.
        self._came_without_metadata = False
        self._members: dict[str, Any] = dict(members or {})
        for name in _OWN & self._members.keys():
            raise TypeError(f"{name} is no member: it has an argument of its own")

    @property
    def metadata(self) -> ObjectMeta:
        """The typed metadata."""
        self._unread_metadata = None
        return self._metadata

    @metadata.setter
    def metadata(self, metadata: ObjectMeta) -> None:
        self._unread_metadata = None
        self._metadata = metadata

    @classmethod
    def from_json(cls, data: bytes | str | Raw, *, place: str = "object") -> Self:
        """Decode JSON. Raises DecodeError, which names the place, also when apiVersion or kind is missing."""
        try:
            members = _members_decoder.decode(data)
        except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
            raise codec.explained(error, "object", place) from None
        return cls._from_members(members, place)

    @classmethod
    def _from_members(cls, members: dict[str, Any], place: str) -> Self:
        try:
            kind = _text_decoder.decode(members.pop("kind", b'""'))
            api_version = _text_decoder.decode(members.pop("apiVersion", b'""'))
        except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
            raise codec.explained(error, "object", place) from None
        if not (kind and api_version):
            missing = "apiVersion" if kind else "kind"
            raise DecodeError(f"{place}: {missing} is missing; every object says its apiVersion and kind")
        raw: Raw | None = members.pop("metadata", None)
        metadata = _metadata(raw, ObjectMeta, f"{kind} metadata")
        made = cls(api_version=api_version, kind=kind, metadata=metadata, members=members)
        made._unread_metadata = raw
        made._came_without_metadata = raw is None
        return made

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Take plain data, as `to_dict` gives it. Raises DecodeError, which names the place."""
        return cls.from_json(_encoded(data))

    @classmethod
    def from_yaml(cls, text: str | bytes) -> Self:
        """Decode one YAML document. Raises DecodeError, which names the place."""
        from kubewright.machinery import yaml  # noqa: PLC0415 - PyYAML is slow to import, and JSON users need none

        return cls.from_dict(yaml.load(text))

    @classmethod
    def from_plain(cls, data: Any) -> Self:
        """What the decoder calls for a field of this type."""
        return cls.from_dict(data)

    @property
    def gvk(self) -> GroupVersionKind:
        """The group, version and kind that this object says it is."""
        return GroupVersionKind.from_api_version(self.api_version, self.kind)

    @property
    def key(self) -> str:
        """`namespace/name`, or `name` for an object without a namespace."""
        namespace = self._metadata.namespace
        return f"{namespace}/{self._metadata.name}" if namespace else self._metadata.name

    def to_wire(self) -> dict[str, Any]:
        """What the encoder writes: members that were never read are still bytes."""
        if self._came_without_metadata and codec.encode(self._metadata) == b"{}":
            return {"apiVersion": self.api_version, "kind": self.kind, **self._members}
        metadata = self._unread_metadata if self._unread_metadata is not None else self._metadata
        return {"apiVersion": self.api_version, "kind": self.kind, "metadata": metadata, **self._members}

    def to_json(self) -> bytes:
        """The compact JSON that goes on the wire."""
        return codec.encode(self.to_wire())

    def to_dict(self) -> dict[str, Any]:
        """The plain data that this stands for; nothing in it is shared with this object."""
        plain: dict[str, Any] = codec.to_plain(self.to_wire())
        return plain

    def to_yaml(self) -> str:
        """The YAML that kubectl would read."""
        from kubewright.machinery import yaml  # noqa: PLC0415 - see from_yaml

        return yaml.dump(self.to_dict())

    def copy(self) -> Self:
        """A copy that shares nothing mutable with this one, DeepCopy in Go."""
        members = {
            name: value.copy() if isinstance(value, Raw) else Raw(codec.encode(value))
            for name, value in self._members.items()
        }
        metadata = self._metadata.copy()
        made = type(self)(api_version=self.api_version, kind=self.kind, metadata=metadata, members=members)
        made._unread_metadata = self._unread_metadata.copy() if self._unread_metadata is not None else None
        made._came_without_metadata = self._came_without_metadata
        return made

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: object) -> Self:
        return self.copy()

    def __reduce__(self) -> Any:
        return (type(self).from_json, (self.to_json(),))

    def __getitem__(self, name: str) -> Any:
        if name in _OWN:
            return self._own(name)
        value = self._members[name]
        if isinstance(value, Raw):
            value = codec.decode_plain(value, what=f"{self} {name}")
            self._members[name] = value
        return value

    def _own(self, name: str) -> str:
        if name == "metadata":
            raise TypeError('use the typed attribute .metadata instead of ["metadata"]')
        return self.kind if name == "kind" else self.api_version

    def __setitem__(self, name: str, value: Any) -> None:
        if name in _OWN:
            raise TypeError(f"set the attribute .{'api_version' if name == 'apiVersion' else name} instead")
        self._members[name] = value

    def __delitem__(self, name: str) -> None:
        del self._members[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __contains__(self, name: object) -> bool:
        return name in self._members or name in ("apiVersion", "kind")

    def __bool__(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Unstructured):
            return NotImplemented
        return (
            (self.api_version, self.kind, self._metadata) == (other.api_version, other.kind, other._metadata)
            and self._members.keys() == other._members.keys()
            and all(self[name] == other[name] for name in self._members)
        )

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"

    def __repr__(self) -> str:
        if self.kind == "Secret":
            # Also not what kubectl has left of it in an annotation.
            shown = f"{self.api_version!r}, {str(self)!r}, data={without_values(self.get('data'))}"
            return f"Unstructured({shown})"
        return f"Unstructured({self.to_dict()!r})"


class UnstructuredList:
    """A list of objects whose type is not known here; members beside its items are kept."""

    __slots__ = ("_members", "api_version", "items", "kind", "metadata")

    def __init__(
        self,
        *,
        api_version: str,
        kind: str,
        metadata: ListMeta | None = None,
        items: list[Unstructured] | None = None,
    ) -> None:
        self.api_version = api_version
        self.kind = kind
        self.metadata = metadata if metadata is not None else ListMeta()
        self.items = items if items is not None else []
        self._members: dict[str, Raw] = {}

    @classmethod
    def from_json(cls, data: bytes | str | Raw) -> Self:
        """Decode JSON. Raises DecodeError, which names the item; items without a kind get the list's."""
        try:
            members = _members_decoder.decode(data)
            kind = _text_decoder.decode(members.pop("kind", b'""'))
            api_version = _text_decoder.decode(members.pop("apiVersion", b'""'))
        except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
            raise codec.explained(error, "list", "list") from None
        if not (kind.endswith("List") and api_version):
            raise DecodeError(f"list: {api_version or 'no apiVersion'} {kind or 'no kind'} is not a list")
        raws = codec.decode(members.pop("items", Raw(b"[]")), _Items, place=f"{kind} items") or []
        items = [_item(raw, api_version, kind, index) for index, raw in enumerate(raws)]
        metadata = _metadata(members.pop("metadata", None), ListMeta, f"{kind} metadata")
        made = cls(api_version=api_version, kind=kind, metadata=metadata, items=items)
        made._members = members
        return made

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Take plain data, as `to_dict` gives it. Raises DecodeError, which names the place."""
        return cls.from_json(_encoded(data))

    @classmethod
    def from_yaml(cls, text: str | bytes) -> Self:
        """Decode one YAML document. Raises DecodeError, which names the place."""
        from kubewright.machinery import yaml  # noqa: PLC0415 - see Unstructured.from_yaml

        return cls.from_dict(yaml.load(text))

    @property
    def gvk(self) -> GroupVersionKind:
        """The group, version and kind that this list says it is."""
        return GroupVersionKind.from_api_version(self.api_version, self.kind)

    def to_json(self) -> bytes:
        """The compact JSON that goes on the wire."""
        return codec.encode(self.to_wire())

    def to_wire(self) -> dict[str, Any]:
        """What the encoder writes."""
        header = {"apiVersion": self.api_version, "kind": self.kind, "metadata": self.metadata}
        return {**header, "items": self.items, **self._members}

    def to_dict(self) -> dict[str, Any]:
        """The plain data that this stands for; nothing in it is shared with this list."""
        plain: dict[str, Any] = codec.to_plain(self.to_wire())
        return plain

    def to_yaml(self) -> str:
        """The YAML that kubectl would read."""
        from kubewright.machinery import yaml  # noqa: PLC0415 - see Unstructured.from_yaml

        return yaml.dump(self.to_dict())

    def copy(self) -> Self:
        """A copy that shares nothing mutable with this one."""
        return self.from_json(self.to_json())

    def __iter__(self) -> Iterator[Unstructured]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __bool__(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        return self.to_dict() == other.to_dict() if isinstance(other, UnstructuredList) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        version = self.metadata.resource_version
        kind = f"{self.api_version} {self.kind}"
        return f"UnstructuredList({kind}, {len(self.items)} items, resource_version={version!r})"


def _metadata(raw: Raw | None, wanted: type[Any], place: str) -> Any:
    if raw is None or bytes(memoryview(raw)) == b"null":
        return wanted()
    return codec.decode(raw, wanted, place=place)


def _item(members: dict[str, Any], api_version: str, list_kind: str, index: int) -> Unstructured:
    members.setdefault("apiVersion", Raw(codec.encode(api_version)))
    members.setdefault("kind", Raw(codec.encode(list_kind.removesuffix("List"))))
    return Unstructured._from_members(members, f"{list_kind} items[{index}]")


def _encoded(data: Any) -> bytes:
    if not isinstance(data, Mapping):
        raise DecodeError(f"object: expected a mapping, got {type(data).__name__}")
    try:
        return codec.encode(data)
    except EncodeError as error:
        raise DecodeError(f"object: not plain data: {error}") from None
