"""IP addresses and prefixes as Go's net/netip reads and writes them, with its errors."""

from __future__ import annotations

from typing import Final, NamedTuple

from kubewright.machinery.errors import ParseError
from kubewright.machinery.field_errors import go_quote

__all__ = ["Address", "parse_address", "parse_prefix"]

_HEX: Final = frozenset("0123456789abcdefABCDEF")


class Address(NamedTuple):
    """An address: how many bits its kind has, and its number."""

    width: int
    number: int
    zone: str = ""

    def __str__(self) -> str:
        if self.width == 32:
            return ".".join(str(self.number >> shift & 0xFF) for shift in (24, 16, 8, 0))
        from ipaddress import IPv6Address  # noqa: PLC0415 - few expressions write one

        return str(IPv6Address(self.number))

    def is_mapped(self) -> bool:
        """Whether it is an IPv4 address within IPv6."""
        return self.width == 128 and self.number >> 32 == 0xFFFF

    def is_loopback(self) -> bool:
        """Of 127.0.0.0/8, or ::1."""
        return self.number >> 24 == 127 if self.width == 32 else self.number == 1

    def is_multicast(self) -> bool:
        """Of 224.0.0.0/4, or ff00::/8."""
        return self.number >> 28 == 0xE if self.width == 32 else self.number >> 120 == 0xFF

    def is_link_local_unicast(self) -> bool:
        """Of 169.254.0.0/16, or fe80::/10."""
        return self.number >> 16 == 0xA9FE if self.width == 32 else self.number >> 118 == 0x3FA

    def is_link_local_multicast(self) -> bool:
        """Of 224.0.0.0/24, or ffx2::/16."""
        if self.width == 32:
            return self.number >> 8 == 0xE00000
        return self.number >> 120 == 0xFF and self.number >> 112 & 0xF == 2

    def is_global_unicast(self) -> bool:
        """None of the special kinds; private addresses are global here."""
        if self.number == 0 or (self.width == 32 and self.number == 0xFFFFFFFF):
            return False
        return not (self.is_loopback() or self.is_multicast() or self.is_link_local_unicast())


def parse_address(text: str) -> Address:
    """Read an address. Raises ParseError with Go's text."""
    for char in text:
        if char == ".":
            return Address(32, _parse_ipv4(text, text))
        if char == ":":
            return _parse_ipv6(text)
        if char == "%":
            raise _wrong(text, "missing IPv6 address")
    raise _wrong(text, "unable to parse IP")


def parse_prefix(text: str) -> tuple[Address, int]:
    """Read an address with a prefix length. Raises ParseError with Go's text."""
    head, slash, bits = text.rpartition("/")
    start = f"netip.ParsePrefix({go_quote(text)}): "
    if not slash:
        raise ParseError(f"{start}no '/'")
    try:
        address = parse_address(head)
    except ParseError as error:
        raise ParseError(f"{start}{error}") from None
    if address.zone:
        raise ParseError(f"{start}IPv6 zones cannot be present in a prefix")
    if len(bits) > 1 and not "1" <= bits[0] <= "9":
        raise ParseError(f"{start}bad bits after slash: {go_quote(bits)}")
    if not bits.isascii() or not bits.isdigit():
        raise ParseError(f"{start}bad bits after slash: {go_quote(bits)}")
    if len(bits) > 4 or int(bits) > address.width:
        raise ParseError(f"{start}prefix length out of range")
    return address, int(bits)


def _wrong(text: str, message: str, at: str = "") -> ParseError:
    where = f" (at {go_quote(at)})" if at else ""
    return ParseError(f"ParseAddr({go_quote(text)}): {message}{where}")


def _parse_ipv4(text: str, part: str) -> int:
    """The number of a dotted address, which is `part` of the whole text."""
    fields: list[int] = []
    start = 0
    for at, char in enumerate(part):
        if char in "0123456789":
            digits = part[start : at + 1]
            if len(digits) > 1 and digits[0] == "0":
                raise _wrong(text, "IPv4 field has octet with leading zero")
            if int(digits) > 255:
                raise _wrong(text, "IPv4 field has value >255")
        elif char == ".":
            if at in {0, len(part) - 1} or part[at - 1] == ".":
                raise _wrong(text, "IPv4 field must have at least one digit", part[at:])
            if len(fields) == 3:
                raise _wrong(text, "IPv4 address too long")
            fields.append(int(part[start:at]))
            start = at + 1
        else:
            raise _wrong(text, "unexpected character", part[at:])
    if len(fields) < 3:
        raise _wrong(text, "IPv4 address too short")
    fields.append(int(part[start:]))
    return int.from_bytes(bytes(fields), "big")


def _parse_ipv6(text: str) -> Address:
    rest, percent, zone = text.partition("%")
    if percent and not zone:
        raise _wrong(text, "zone must be a non-empty string")
    groups: list[int] = []
    gap = -1
    if rest.startswith("::"):
        gap, rest = 0, rest[2:]
        if not rest:
            return Address(128, 0, zone)
    while len(groups) < 8:
        size = _group_size(text, rest)
        if rest[size : size + 1] == ".":
            groups.extend(_embedded(text, rest, len(groups), gap))
            rest = ""
            break
        groups.append(int(rest[:size], 16))
        rest = rest[size:]
        if not rest:
            break
        rest, ended = _after_colon(text, rest)
        if ended:
            if gap >= 0:
                raise _wrong(text, "multiple :: in address", rest)
            gap, rest = len(groups), rest[1:]
            if not rest:
                break
    if rest:
        raise _wrong(text, "trailing garbage after address", rest)
    return Address(128, _joined(text, groups, gap), zone)


def _group_size(text: str, rest: str) -> int:
    size = 0
    while size < len(rest) and rest[size] in _HEX:
        if size > 3:
            raise _wrong(text, "each group must have 4 or less digits", rest)
        size += 1
    if size == 0:
        raise _wrong(text, "each colon-separated field must have at least one digit", rest)
    return size


def _embedded(text: str, rest: str, before: int, gap: int) -> tuple[int, int]:
    if gap < 0 and before != 6:
        raise _wrong(text, "embedded IPv4 address must replace the final 2 fields of the address", rest)
    if before > 6:
        raise _wrong(text, "too many hex fields to fit an embedded IPv4 at the end of the address", rest)
    number = _parse_ipv4(text, rest)
    return number >> 16, number & 0xFFFF


def _after_colon(text: str, rest: str) -> tuple[str, bool]:
    """What follows a colon, and whether that is the second colon of a `::`."""
    if not rest.startswith(":"):
        raise _wrong(text, "unexpected character, want colon", rest)
    if len(rest) == 1:
        raise _wrong(text, "colon must be followed by more characters", rest)
    return rest[1:], rest[1] == ":"


def _joined(text: str, groups: list[int], gap: int) -> int:
    if len(groups) < 8:
        if gap < 0:
            raise _wrong(text, "address string too short")
        groups[gap:gap] = [0] * (8 - len(groups))
    elif gap >= 0:
        raise _wrong(text, "the :: must expand to at least one field of zeros")
    number = 0
    for group in groups:
        number = number << 16 | group
    return number
