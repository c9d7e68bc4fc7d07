"""Decoding what the strict decoder refuses although the API allows it.

Three things: fields that the model lacks (a newer server's, or a custom resource's), null where the model has
a value (Go writes nil slices and zero times as null, and reads null as zero), and a required list or map that
is absent (the same nil slice, with omitempty). Everything else stays an error.

Unknown fields live on the struct they came with (see `twins`), so that they follow it wherever the program
moves it. So does the knowledge that a required list was absent, so that it is not sent because of that.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final, TypeAlias, TypeVar

import msgspec

from kubewright.machinery.depth import JsonDecoder, decode_json
from kubewright.machinery.shapes import OPAQUE, Shape, members_of, shape_of, slots_of
from kubewright.machinery.twins import keep_unknown

__all__ = ["decode"]

T = TypeVar("T")
_Path: TypeAlias = tuple[str | int, ...]
_Found: TypeAlias = list[tuple[_Path, dict[str, Any], list[str]]]
"""Paths of structs, with the fields that their types do not know and the required ones that are absent."""


def decode(data: Any, wanted: Any, decoder: JsonDecoder[T]) -> T:
    """Decode tolerantly. Raises msgspec's errors, which name the place."""
    shape = shape_of(wanted)
    plain = _plain(data, shape)
    found: _Found = []
    _clean(plain, shape, (), found)
    value: Any = decoder.decode(msgspec.json.encode(plain))
    # Deepest first: a struct that is replaced takes its already replaced members along.
    for path, fields, absent in found:
        value = _attach(value, path, fields, absent)
    return value  # type: ignore[no-any-return]


_members_decoder: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])


def _plain(data: Any, shape: Shape) -> Any:
    """The plain data; of a struct, members that stay bytes until they are read are left as they are."""
    if len(shape.structs) != 1:
        return decode_json(data)
    opaque = {name for name, member in members_of(shape.structs[0]).items() if member.shape is OPAQUE}
    members = _members_decoder.decode(data)
    return {name: raw if name in opaque else decode_json(raw) for name, raw in members.items()}


def _clean(plain: Any, shape: Shape, path: _Path, found: _Found) -> None:
    """Take out of plain data, in place, what the strict decoder would refuse and the API allows."""
    if isinstance(plain, dict):
        struct = shape.struct_of(plain) if shape.structs else None
        if struct is not None:
            _clean_struct(plain, struct, path, found)
        elif shape.values is not None:
            _clean_inside(plain, list(plain.items()), shape.values, path, found)
    elif isinstance(plain, list) and shape.items is not None:
        _clean_inside(plain, enumerate(plain), shape.items, path, found)


def _clean_inside(
    plain: Any, members: Iterable[tuple[str | int, Any]], shape: Shape, path: _Path, found: _Found
) -> None:
    """Clean the elements of a list, or the values of a map, which all have one shape."""
    if shape is OPAQUE:
        return
    for key, value in members:
        if value is None:
            if not shape.nullable and shape.zero is not None:
                plain[key] = shape.zero
        elif shape.is_bytes:
            plain[key] = _without_line_ends(value)
        else:
            _clean(value, shape, (*path, key), found)


def _clean_struct(plain: dict[str, Any], struct: type[msgspec.Struct], path: _Path, found: _Found) -> None:
    members = members_of(struct)
    unknown: dict[str, Any] = {}
    for name in list(plain):
        member = members.get(name)
        value = plain[name]
        if member is None:
            unknown[name] = plain.pop(name)
        elif value is None:
            if not member.shape.nullable:
                del plain[name]
        elif member.shape.is_bytes:
            plain[name] = _without_line_ends(value)
        else:
            _clean(value, member.shape, (*path, member.attribute), found)
    absent = []
    for name, zero in _required_collections_of(struct):
        if name not in plain:
            plain[name] = zero
            absent.append(members[name].attribute)
    if unknown or absent:
        found.append((path, unknown, absent))


def _without_line_ends(value: Any) -> Any:
    """Base64 as Go's decoder takes it, which skips line ends; YAML block scalars have them."""
    return value.replace("\n", "").replace("\r", "") if isinstance(value, str) else value


def _attach(root: Any, path: _Path, fields: dict[str, Any], absent: list[str]) -> Any:
    """Put unknown fields onto the struct at `path`; returns the root, which may be a new object."""
    if not path:
        return _with_unknown(root, fields, absent)
    parent = root
    for step in path[:-1]:
        parent = getattr(parent, str(step)) if isinstance(parent, msgspec.Struct) else parent[step]
    last = path[-1]
    if isinstance(parent, msgspec.Struct):
        setattr(parent, str(last), _with_unknown(getattr(parent, str(last)), fields, absent))
    else:
        parent[last] = _with_unknown(parent[last], fields, absent)
    return root


def _with_unknown(struct: msgspec.Struct, fields: dict[str, Any], absent: list[str]) -> msgspec.Struct:
    values = {name: slot.__get__(struct) for name, slot in slots_of(type(struct)).items()}
    return keep_unknown(struct, values, fields, absent)


@lru_cache(None)
def _required_collections_of(struct: type[msgspec.Struct]) -> list[tuple[str, list[Any] | dict[str, Any]]]:
    """The required lists and maps of a struct type, with what stands for an absent one."""
    required = [(name, member.shape) for name, member in members_of(struct).items() if member.required]
    return [
        (name, shape.zero) for name, shape in required if shape.items is not None or shape.values is not None
    ]
