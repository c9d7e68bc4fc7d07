"""The rules for IP addresses and CIDRs in fields that once took more than they do now.

Upstream reads these with an old version of Go's parser, which takes leading zeros and IPv4 addresses in IPv6
form. New values with such things are refused; stored ones stay, with a warning. The messages are those of
k8s.io/apimachinery/pkg/util/validation/ip.go with the gate StrictIPCIDRValidation on, as it is since 1.36.
"""

from __future__ import annotations

from collections.abc import Collection
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Final, TypeAlias

from kubewright.machinery.field_errors import go_quote, invalid
from kubewright.server.kinds.kind import Errors

__all__ = [
    "IPAddress",
    "IPNetwork",
    "cidr_warnings",
    "ip_warnings",
    "is_ipv6",
    "parse_cidr",
    "parse_ip",
    "validate_endpoint_ip",
    "validate_legacy_cidr",
    "validate_legacy_ip",
]

IPAddress: TypeAlias = IPv4Address | IPv6Address
IPNetwork: TypeAlias = IPv4Network | IPv6Network

_MAX_TEXT: Final = 128
"""No address or CIDR is longer, unless by leading zeros; longer texts are refused."""

_MAX_OCTET: Final = 255


def parse_ip(text: str) -> IPAddress | None:
    """The address that Go's lenient parser reads, with IPv4 in IPv6 form as IPv4; None for anything else."""
    address = _parse_address(text)
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


def _parse_address(text: str) -> IPAddress | None:
    if len(text) > _MAX_TEXT or not text.isascii():
        return None
    if ":" in text:
        return _parse_ipv6(text)
    return _parse_ipv4(text)


def _parse_ipv4(text: str) -> IPv4Address | None:
    parts = text.split(".")
    if len(parts) != 4:
        return None
    value = 0
    for part in parts:
        if not part.isdigit() or int(part) > _MAX_OCTET:
            return None
        value = value << 8 | int(part)
    return IPv4Address(value)


def _parse_ipv6(text: str) -> IPv6Address | None:
    head, colon, last = text.rpartition(":")
    if "%" in text:
        return None
    if "." in last:
        tail = _parse_ipv4(last)
        if tail is None:
            return None
        text = f"{head}{colon}{int(tail) >> 16:x}:{int(tail) & 0xFFFF:x}"
    try:
        return IPv6Address(":".join(map(_without_zeros, text.split(":"))))
    except ValueError:
        return None


def _without_zeros(part: str) -> str:
    # Python's parser takes four digits at most; Go's old one any number of zeros before them.
    return part if len(part) <= 4 else part.lstrip("0").rjust(1, "0")


def is_ipv6(text: str) -> bool:
    """Whether a text is an IPv6 address, and not IPv4 in IPv6 form."""
    return isinstance(parse_ip(text), IPv6Address)


def parse_cidr(text: str) -> tuple[IPAddress, IPNetwork] | None:
    """The address and the network of a CIDR as Go's lenient parser reads it; None for anything else.

    An IPv4 address in IPv6 form gives that address as IPv4 and, like Go, a network of IPv6 size, unless the
    prefix reaches into the last 32 bits.
    """
    address_text, slash, length_text = text.partition("/")
    address = _parse_address(address_text)
    if not slash or address is None or len(length_text) > _MAX_TEXT:
        return None
    if not (length_text.isascii() and length_text.isdigit()):
        return None
    length = int(length_text)
    if length > address.max_prefixlen:
        return None
    shift = address.max_prefixlen - length
    masked = int(address) >> shift << shift
    if isinstance(address, IPv4Address):
        return address, IPv4Network((masked, length))
    shown = address.ipv4_mapped or address
    return shown, IPv6Network((masked, length))


def _standard_ip(text: str) -> IPAddress | None:
    """What Go's strict parser reads."""
    try:
        if ":" in text:
            # Zones, which Go's strict parser takes, are refused by the lenient one before.
            return None if "%" in text else IPv6Address(text)
        return IPv4Address(text)
    except ValueError:
        return None


def validate_legacy_ip(text: str, path: str, accepted: Collection[str] = ()) -> Errors:
    """What is wrong with an address; those in `accepted`, which are stored already, pass."""
    if text in accepted:
        return []
    strict = _standard_ip(text)
    if strict is not None:
        mapped = "must not be an IPv4-mapped IPv6 address"
        return [invalid(path, text, mapped)] if _is_mapped(strict) else []
    if parse_ip(text) is not None:
        return [invalid(path, text, "must not have leading 0s")]
    return [invalid(path, text, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")]


def validate_legacy_cidr(text: str, path: str, accepted: Collection[str] = ()) -> Errors:
    """What is wrong with a CIDR; those in `accepted`, which are stored already, pass."""
    if text in accepted:
        return []
    parsed = parse_cidr(text)
    if parsed is None:
        return [invalid(path, text, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)")]
    strict = _standard_prefix(text)
    if strict is None:
        return [invalid(path, text, "must not have leading 0s in IP or prefix length")]
    if _is_mapped(strict[0]):
        return [invalid(path, text, "must not have an IPv4-mapped IPv6 address")]
    if strict[0] != parsed[1].network_address:
        return [invalid(path, text, "must not have bits set beyond the prefix length")]
    return []


def validate_endpoint_ip(text: str, path: str) -> Errors:
    """What is wrong with an address that traffic is sent to: no loopback or link-local ones."""
    address = parse_ip(text)
    if address is None:
        return [invalid(path, text, "must be a valid IP address")]
    errors: Errors = []
    if address.is_unspecified:
        errors.append(invalid(path, text, f"may not be unspecified ({text})"))
    if address.is_loopback:
        errors.append(invalid(path, text, "may not be in the loopback range (127.0.0.0/8, ::1/128)"))
    if address.is_link_local:
        detail = "may not be in the link-local range (169.254.0.0/16, fe80::/10)"
        errors.append(invalid(path, text, detail))
    if _is_link_local_multicast(address):
        detail = "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"
        errors.append(invalid(path, text, detail))
    return errors


def _is_link_local_multicast(address: IPAddress) -> bool:
    if isinstance(address, IPv4Address):
        return int(address) >> 8 == 0xE00000
    # ff and then any flags with the scope of a link, as Go has it.
    packed = address.packed
    return packed[0] == 0xFF and packed[1] & 0x0F == 0x02


def ip_warnings(text: str, path: str) -> list[str]:
    """Warnings about an address that is valid but not in its usual form."""
    address = parse_ip(text)
    if address is None:
        return []
    strict = _standard_ip(text)
    if strict is None or _is_mapped(strict):
        return [f"{path}: non-standard IP address {go_quote(text)} is invalid: use {go_quote(str(address))}"]
    if isinstance(strict, IPv6Address) and str(strict) != text:
        shown = f"should be in RFC 5952 canonical format ({go_quote(str(strict))})"
        return [f"{path}: IPv6 address {go_quote(text)} {shown}"]
    return []


def cidr_warnings(text: str, path: str) -> list[str]:
    """Warnings about a CIDR that is valid but has bits past its prefix, or is not in its usual form."""
    parsed = parse_cidr(text)
    if parsed is None:
        return []
    address, network = parsed
    warnings: list[str] = []
    if not _same_address(address, network.network_address):
        either = f"{go_quote(_shown_network(network))} or {go_quote(f'{address}/{network.max_prefixlen}')}"
        warnings.append(
            f"{path}: CIDR value {go_quote(text)} is ambiguous in this context (should be {either}?)"
        )
    strict = _standard_prefix(text)
    if strict is None or _is_mapped(strict[0]):
        use = go_quote(_shown_network(network))
        warnings.append(f"{path}: non-standard CIDR value {go_quote(text)} is invalid: use {use}")
    elif not warnings and isinstance(strict[0], IPv6Address) and f"{strict[0]}/{strict[1]}" != text:
        shown = f"should be in RFC 5952 canonical format ({go_quote(f'{strict[0]}/{strict[1]}')})"
        warnings.append(f"{path}: IPv6 CIDR value {go_quote(text)} {shown}")
    return warnings


def _standard_prefix(text: str) -> tuple[IPAddress, int] | None:
    address_text, _, length_text = text.partition("/")
    address = _standard_ip(address_text)
    if address is None or (length_text.startswith("0") and length_text != "0"):
        return None
    return address, int(length_text)


def _is_mapped(address: IPAddress) -> bool:
    return isinstance(address, IPv6Address) and address.ipv4_mapped is not None


def _same_address(one: IPAddress, other: IPAddress) -> bool:
    mapped = other.ipv4_mapped if isinstance(other, IPv6Address) else None
    return one in (other, mapped)


def _shown_network(network: IPNetwork) -> str:
    # Go prints the address of a network in its shortest form, also where the mask is that of IPv6.
    if isinstance(network, IPv6Network) and network.network_address.ipv4_mapped is not None:
        return f"{network.network_address.ipv4_mapped}/{network.prefixlen - 96}"
    return str(network)
