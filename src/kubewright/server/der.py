"""DER, the encoding of certificates and keys: what is needed to write those of a server.

It exists because cryptography's own certificate builder takes longer to import than all else that a server
does before it listens; the keys and signatures themselves are cryptography's. Each function gives the
encoding of one value.
"""

from __future__ import annotations

import base64
from datetime import UTC, datetime
from typing import Final

__all__ = [
    "bit_string",
    "boolean",
    "context",
    "integer",
    "named_bits",
    "object_identifier",
    "octet_string",
    "pem",
    "sequence",
    "set_of",
    "time",
    "utf8_string",
]

# The universal tags of X.680; a sequence and a set have the bit for "constructed" set.
_BOOLEAN: Final = 0x01
_INTEGER: Final = 0x02
_BIT_STRING: Final = 0x03
_OCTET_STRING: Final = 0x04
_OBJECT_IDENTIFIER: Final = 0x06
_UTF8_STRING: Final = 0x0C
_UTC_TIME: Final = 0x17
_GENERALIZED_TIME: Final = 0x18
_SEQUENCE: Final = 0x30
_SET: Final = 0x31
_CONTEXT: Final = 0x80
_CONSTRUCTED: Final = 0x20

_FIRST_GENERALIZED: Final = 2050
"""The first year that RFC 5280 wants with four digits."""

_PEM_LINE: Final = 64
"""The length of a line in PEM (RFC 7468)."""


def sequence(*items: bytes) -> bytes:
    return _value(_SEQUENCE, b"".join(items))


def set_of(item: bytes) -> bytes:
    """A set with one member."""
    return _value(_SET, item)


def boolean(value: bool) -> bytes:
    return _value(_BOOLEAN, b"\xff" if value else b"\x00")


def integer(value: int) -> bytes:
    """An integer that is not negative."""
    # One bit more than the number has, so that the sign's is 0.
    return _value(_INTEGER, value.to_bytes(value.bit_length() // 8 + 1, "big"))


def octet_string(data: bytes) -> bytes:
    return _value(_OCTET_STRING, data)


def bit_string(data: bytes) -> bytes:
    """Whole bytes as a bit string."""
    return _value(_BIT_STRING, b"\x00" + data)


def named_bits(*numbers: int) -> bytes:
    """A bit string of at most eight named bits, without the zeros at its end."""
    unused = 7 - max(numbers)
    return _value(_BIT_STRING, bytes([unused, sum(0x80 >> number for number in numbers)]))


def object_identifier(dotted: str) -> bytes:
    first, second, *rest = (int(part) for part in dotted.split("."))
    return _value(_OBJECT_IDENTIFIER, bytes([40 * first + second]) + b"".join(map(_base128, rest)))


def utf8_string(text: str) -> bytes:
    return _value(_UTF8_STRING, text.encode())


def time(moment: datetime) -> bytes:
    """A time of a certificate, in the form that RFC 5280 wants for its year."""
    moment = moment.astimezone(UTC)
    if moment.year < _FIRST_GENERALIZED:
        return _value(_UTC_TIME, f"{moment:%y%m%d%H%M%SZ}".encode())
    return _value(_GENERALIZED_TIME, f"{moment:%Y%m%d%H%M%SZ}".encode())


def context(number: int, content: bytes, *, constructed: bool = False) -> bytes:
    """A value with a tag that means something in its place only."""
    return _value(_CONTEXT | (_CONSTRUCTED if constructed else 0) | number, content)


def pem(label: str, data: bytes) -> bytes:
    """The text form of something encoded."""
    text = base64.b64encode(data).decode()
    lines = (text[start : start + _PEM_LINE] for start in range(0, len(text), _PEM_LINE))
    return "\n".join([f"-----BEGIN {label}-----", *lines, f"-----END {label}-----", ""]).encode()


def _value(tag: int, content: bytes) -> bytes:
    length = len(content)
    if length < 0x80:
        return bytes([tag, length]) + content
    size = length.to_bytes((length.bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(size)]) + size + content


def _base128(number: int) -> bytes:
    groups = [number & 0x7F]
    while number := number >> 7:
        groups.append(0x80 | number & 0x7F)
    return bytes(reversed(groups))
