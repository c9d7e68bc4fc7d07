"""IP addresses and networks: `ip()`, `cidr()` and what can be asked of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from kubewright.crd.cel.functions.function import Function, ceil_tenths, per_argument
from kubewright.crd.cel.functions.go_netip import Address, parse_address, parse_prefix
from kubewright.crd.cel.values import CelError, no_such_overload, size_of
from kubewright.machinery.errors import ParseError
from kubewright.machinery.field_errors import go_quote

__all__ = ["FUNCTIONS", "Ip", "Network"]


class Ip:
    """The value of `ip()`."""

    __slots__ = ("address",)
    cel_type = "net.IP"

    def __init__(self, address: Address) -> None:
        self.address = address

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ip) and self.address == other.address

    def __hash__(self) -> int:
        return hash(self.address)

    @property
    def cel_text(self) -> str:
        return str(self.address)

    @property
    def cel_size(self) -> int:
        return self.address.width // 8


class Network:
    """The value of `cidr()`."""

    __slots__ = ("address", "bits")
    cel_type = "net.CIDR"

    def __init__(self, address: Address, bits: int) -> None:
        self.address = address
        self.bits = bits

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Network) and (self.address, self.bits) == (other.address, other.bits)

    def __hash__(self) -> int:
        return hash((self.address, self.bits))

    @property
    def cel_text(self) -> str:
        return f"{self.address}/{self.bits}"

    @property
    def cel_size(self) -> int:
        return -(-self.bits // 8)

    def has(self, address: Address) -> bool:
        """Whether an address is in the network."""
        shift = self.address.width - self.bits
        return address.width == self.address.width and address.number >> shift == self.address.number >> shift


def _parse_ip(text: str) -> Ip:
    try:
        address = parse_address(text)
    except ParseError as error:
        raise CelError(
            f"IP Address {go_quote(text)} parse error during conversion from string: {error}"
        ) from None
    if address.zone:
        raise CelError(f"IP address {go_quote(text)} with zone value is not allowed")
    if address.is_mapped():
        raise CelError(f"IPv4-mapped IPv6 address {go_quote(text)} is not allowed")
    return Ip(address)


def _parse_network(text: str) -> Network:
    # Upstream wraps the error twice in the same words.
    wrapped = "network address parse error during conversion from string"
    try:
        address, bits = parse_prefix(text)
    except ParseError as error:
        raise CelError(f"{wrapped}: {wrapped}: {error}") from None
    if address.is_mapped():
        raise CelError(f"{wrapped}: IPv4-mapped IPv6 address {go_quote(text)} is not allowed")
    return Network(address, bits)


def _ip(value: object) -> Ip:
    if isinstance(value, Network):
        return Ip(value.address)
    if not isinstance(value, str):
        raise no_such_overload("ip", value)
    return _parse_ip(value)


def _is_ip(value: object) -> bool:
    if not isinstance(value, str):
        raise no_such_overload("isIP", value)
    try:
        _parse_ip(value)
    except CelError:
        return False
    return True


def _is_canonical(value: object) -> bool:
    if not isinstance(value, str):
        raise no_such_overload("ip.isCanonical", value)
    return str(_parse_ip(value).address) == value


def _cidr(value: object) -> Network:
    if not isinstance(value, str):
        raise no_such_overload("cidr", value)
    return _parse_network(value)


def _is_cidr(value: object) -> bool:
    if not isinstance(value, str):
        raise no_such_overload("isCIDR", value)
    try:
        _parse_network(value)
    except CelError:
        return False
    return True


def _of_ip(function: str, ask: Callable[[Address], object]) -> Function:
    def call(value: object) -> object:
        if not isinstance(value, Ip):
            raise no_such_overload(function, value)
        return ask(value.address)

    return Function(call)


def _of_network(function: str, ask: Callable[[Network], object]) -> Function:
    def call(value: object) -> object:
        if not isinstance(value, Network):
            raise no_such_overload(function, value)
        return ask(value)

    return Function(call)


def _contains_ip(value: object, other: object) -> bool:
    if not isinstance(value, Network) or not isinstance(other, Ip | str):
        raise no_such_overload("containsIP", value, other)
    return value.has((other if isinstance(other, Ip) else _parse_ip(other)).address)


def _contains_cidr(value: object, other: object) -> bool:
    if not isinstance(value, Network) or not isinstance(other, Network | str):
        raise no_such_overload("containsCIDR", value, other)
    inner = other if isinstance(other, Network) else _parse_network(other)
    return value.bits <= inner.bits and value.has(inner.address)


def _masked(value: Network) -> Network:
    shift = value.address.width - value.bits
    return Network(Address(value.address.width, value.address.number >> shift << shift), value.bits)


def _contains_cost(extra: int) -> Callable[[Sequence[object], object], int]:
    def cost(args: Sequence[object], _result: object) -> int:
        size = size_of(args[0])
        total = ceil_tenths(size, 2)
        if extra:
            total += ceil_tenths(size) + 1
        return total + (ceil_tenths(size_of(args[1])) if isinstance(args[1], str) else 0)

    return cost


def _ip_cost(args: Sequence[object], _result: object) -> int:
    return ceil_tenths(size_of(args[0])) if isinstance(args[0], str) else 1


FUNCTIONS: Final[Mapping[str, Function]] = {
    "ip": Function(_ip, _ip_cost),
    "isIP": Function(_is_ip, per_argument()),
    "ip.isCanonical": Function(_is_canonical, per_argument(2)),
    "family": _of_ip("family", lambda address: 4 if address.width == 32 else 6),
    "isUnspecified": _of_ip("isUnspecified", lambda address: address.number == 0),
    "isLoopback": _of_ip("isLoopback", Address.is_loopback),
    "isLinkLocalMulticast": _of_ip("isLinkLocalMulticast", Address.is_link_local_multicast),
    "isLinkLocalUnicast": _of_ip("isLinkLocalUnicast", Address.is_link_local_unicast),
    "isGlobalUnicast": _of_ip("isGlobalUnicast", Address.is_global_unicast),
    "cidr": Function(_cidr, per_argument()),
    "isCIDR": Function(_is_cidr, per_argument()),
    "containsIP": Function(_contains_ip, _contains_cost(0)),
    "containsCIDR": Function(_contains_cidr, _contains_cost(1)),
    "prefixLength": _of_network("prefixLength", lambda network: network.bits),
    "masked": _of_network("masked", _masked),
}
