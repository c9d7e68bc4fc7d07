"""`Resource`: a whole object of the API, lazily decoded, and `ResourceList`.

    class Pod(Resource, api_version="v1", kind="Pod"):
        spec: PodSpec = EMPTY
        status: PodStatus = EMPTY

A resource read from the wire has its `metadata` decoded; every other field stays the bytes it came as until
it is first read, and is written back as those very bytes if it never was. An object read from a list shares
the list's buffer; `copy()` lets go of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, Generic, Self, TypeVar, get_args

import msgspec
from msgspec import UNSET, Raw

from kubewright.machinery import codec
from kubewright.machinery.field import field
from kubewright.machinery.meta import ListMeta, ObjectMeta
from kubewright.machinery.settle import present_value
from kubewright.machinery.shapes import slots_of
from kubewright.machinery.twins import Unknown
from kubewright.machinery.type_meta import TypeMeta

if TYPE_CHECKING:
    from kubewright.models.apiextensions_v1 import CustomResourceConversion, CustomResourceDefinition

__all__ = ["Resource", "ResourceList"]

_TYPE_META: Final = frozenset({"api_version", "kind"})


class Resource(TypeMeta, eager=frozenset({"api_version", "kind", "metadata"})):
    """An object of the API whose type is known; see the module for what is lazy."""

    metadata: ObjectMeta = field(default_factory=ObjectMeta)

    @property
    def key(self) -> str:
        """`namespace/name`, or `name` for an object without a namespace."""
        namespace = self.metadata.namespace
        return f"{namespace}/{self.metadata.name}" if namespace else self.metadata.name

    @classmethod
    def crd(
        cls, *, max_description: int = 1000, conversion: CustomResourceConversion | None = None
    ) -> CustomResourceDefinition:
        """The definition of a custom resource, for a class that `@custom_resource` declared.

        Descriptions longer than `max_description` characters are cut short; 0 leaves them out. `conversion`
        says how objects become those of another version: without it only their apiVersion changes. Raises
        TypeError for a class that is no custom resource, for a version of one that is not all of it, and
        without `conversion` for versions with conversion functions, which only a webhook can call.
        """
        declaration: Any = getattr(cls, "__custom_resource__", None)
        if declaration is None:
            remedy = "decorate the class with @custom_resource(group=..., version=...)"
            raise TypeError(f"{cls.__name__} is no custom resource; {remedy}")
        definition: CustomResourceDefinition = declaration.definition(
            max_description=max_description, conversion=conversion
        )
        return definition

    def copy(self) -> Self:
        """A copy that shares nothing mutable with this one, DeepCopy in Go.

        What was never read is copied as bytes, and what was read becomes bytes again, so that copying costs
        little until the copy is used.
        """
        values = {name: _copied(name, present_value(self, name)) for name in slots_of(type(self))}
        copied: Self = msgspec.StructMeta.__call__(type(self), **values)
        return copied

    def __str__(self) -> str:
        return f"{type(self).__name__} {self.key}".rstrip()


def _copied(name: str, value: Any) -> Any:
    if value is None or value is UNSET or name in _TYPE_META:
        return value
    if name == "metadata" or isinstance(value, Raw):
        return value.copy()
    if isinstance(value, Unknown):
        return Unknown({name: _copied_unknown(each) for name, each in value.fields.items()})
    return Raw(codec.encode(value))


def _copied_unknown(value: Any) -> Any:
    # Bytes are what is nested too deeply to be decoded.
    return value.copy() if isinstance(value, Raw) else codec.decode_plain(codec.encode(value))


K = TypeVar("K", bound=TypeMeta)


def _no_items() -> list[Any]:
    """A factory of its own, because msgspec leaves out what `list` makes and the items must be sent."""
    return []


class ResourceList(TypeMeta, Generic[K], always_sent=frozenset({"items"})):
    """A list of objects as the API returns it: `class PodList(ResourceList[Pod], api_version="v1")`.

    It iterates over its items and has their length.
    """

    metadata: ListMeta = field(default_factory=ListMeta)
    items: list[K] = field(default_factory=_no_items)

    @classmethod
    def from_json(cls, data: bytes | str) -> Self:
        """Decode JSON. Raises DecodeError, which names the item and the place; no partial list is made."""
        data = codec.as_bytes(data)
        try:
            decoded: Self = codec.decoder_of(cls).decode(data)
        except msgspec.ValidationError:
            # Some item has an unknown field or a null: only such items shall pay for the tolerant way.
            return cls._from_items(data)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise codec.explained(error, cls, "") from None
        return decoded

    @classmethod
    def _from_items(cls, data: bytes) -> Self:
        members = codec.decode(data, dict[str, Raw], place=cls.__name__)
        items = members.pop("items", Raw(b"null"))
        listed = super().from_json(codec.encode(members))
        kind = item_type(cls)
        raws = codec.decode(items, list[Raw] | None, place=f"{cls.__name__} items") or []  # type: ignore[arg-type]
        listed.items = [
            codec.decode(raw, kind, place=f"{cls.__name__} items[{i}]") for i, raw in enumerate(raws)
        ]
        return listed

    def __iter__(self) -> Iterator[K]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        version = self.metadata.resource_version
        return f"{type(self).__name__}({len(self.items)} items, resource_version={version!r})"


def item_type(cls: type[ResourceList[K]]) -> type[K]:
    """The type of a list type's items. Raises TypeError for a list type that does not say."""
    for info in msgspec.structs.fields(cls):
        if info.name == "items":
            (found,) = get_args(info.type)
            if isinstance(found, type):
                return found
    raise TypeError(
        f"{cls.__name__} does not say what its items are: write class {cls.__name__}(ResourceList[Kind])"
    )
