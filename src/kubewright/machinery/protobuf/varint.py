"""Numbers as protobuf writes them, and how unknown fields are passed over."""

from __future__ import annotations

from typing import Final

from kubewright.machinery.protobuf.wire import Malformed

__all__ = ["read_varint", "signed_32", "signed_64", "skip_field", "varint"]

_UINT64: Final = 2**64 - 1
_INT64: Final = 2**63 - 1

_LAST_SHIFT: Final = 63
"""A varint has at most ten bytes: 64 bits, seven in each."""

_LAST_NUMBER: Final = 2**29 - 1
"""The largest number that protobuf allows a field."""

_ONE_BYTE: Final = tuple(bytes([number]) for number in range(0x80))


def read_varint(data: bytes, pos: int) -> tuple[int, int]:
    """The number at a place, as 64 bits without sign, and the place after it.

    Like upstream, takes numbers written longer than need be, up to ten bytes. Raises Malformed for longer
    ones, and IndexError when the data end before the number does.
    """
    number = shift = 0
    while True:
        byte = data[pos]
        pos += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number & _UINT64, pos
        shift += 7
        if shift > _LAST_SHIFT:
            raise Malformed("a number has more than ten bytes, the most that a varint may have")


def varint(number: int) -> bytes:
    """The bytes of a number; those of a negative one are the ten of its 64 bits."""
    if 0 <= number < 0x80:
        return _ONE_BYTE[number]
    number &= _UINT64
    made = bytearray()
    while number >= 0x80:
        made.append(number & 0x7F | 0x80)
        number >>= 7
    made.append(number)
    return bytes(made)


def signed_32(number: int) -> int:
    """The int32 in the low half of 64 bits, as upstream cuts it off."""
    return ((number & 0xFFFFFFFF) ^ 0x80000000) - 0x80000000


def signed_64(number: int) -> int:
    """The int64 that 64 bits stand for."""
    return number if number <= _INT64 else number - 2**64


def skip_field(data: bytes, pos: int, tag: int) -> int:
    """The place after a field that nobody knows; `pos` is the place after its tag.

    Groups, which protobuf has given up, are passed over with all that is in them. Raises Malformed for tags
    that cannot be, and IndexError when the data end inside the field. The place may be past the end.
    """
    groups: list[int] = []
    while True:
        number, wire_type = tag >> 3, tag & 7
        if number == 0:
            raise Malformed("a field has the number 0; numbers of fields start at 1")
        if number > _LAST_NUMBER:
            raise Malformed(f"{number} is past the largest number of a field, {_LAST_NUMBER}")
        if wire_type == 0:
            _, pos = read_varint(data, pos)
        elif wire_type == 1:
            pos += 8
        elif wire_type == 2:
            size, pos = read_varint(data, pos)
            pos += size
        elif wire_type == 3:
            groups.append(number)
        elif wire_type == 4:
            if not groups or groups.pop() != number:
                raise Malformed(f"group {number} ends without having begun")
        elif wire_type == 5:
            pos += 4
        else:
            raise Malformed(f"field {number} has the wire type {wire_type}; there are only 0 to 5")
        if not groups:
            return pos
        tag, pos = read_varint(data, pos)
