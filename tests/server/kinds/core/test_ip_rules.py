"""Addresses and CIDRs of old fields, beyond the recorded cases of endpoints, nodes and services."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.server.kinds.core.ip_rules import (
    cidr_warnings,
    ip_warnings,
    is_ipv6,
    parse_cidr,
    parse_ip,
    validate_endpoint_ip,
    validate_legacy_cidr,
    validate_legacy_ip,
)

CONTEXT = "in this context (should be"


@given(st.ip_addresses())
def test_usual_addresses(address: IPv4Address | IPv6Address) -> None:
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    assert parse_ip(str(address)) == (mapped or address)
    assert is_ipv6(str(address)) == (isinstance(address, IPv6Address) and mapped is None)
    if mapped is None:
        assert validate_legacy_ip(str(address), "p") == []
        assert ip_warnings(str(address), "p") == []


@given(st.text(st.sampled_from("0123456789abcf:./%x ")) | st.text())
def test_any_text(text: str) -> None:
    assert bool(validate_legacy_ip(text, "p", [text])) is False
    assert bool(validate_legacy_cidr(text, "p", [text])) is False
    if parse_ip(text) is None:
        assert len(validate_legacy_ip(text, "p")) == 1
        assert ip_warnings(text, "p") == []
        assert len(validate_endpoint_ip(text, "p")) == 1
    if parse_cidr(text) is None:
        assert len(validate_legacy_cidr(text, "p")) == 1
        assert cidr_warnings(text, "p") == []


def test_hostile_texts_are_refused_at_once() -> None:
    for text in ("0" * 10**6 + "1.2.3.4", ":" * 10**6, "1.2.3.4/" + "0" * 10**6, "1" * 10**6):
        assert parse_ip(text) is None
        assert parse_cidr(text) is None


def test_stored_values_stay_with_a_warning() -> None:
    assert validate_legacy_ip("010.1.2.3", "p", ["010.1.2.3"]) == []
    assert ip_warnings("010.1.2.3", "p") == [
        'p: non-standard IP address "010.1.2.3" is invalid: use "10.1.2.3"'
    ]
    assert ip_warnings("::ffff:1.2.3.4", "p") == [
        'p: non-standard IP address "::ffff:1.2.3.4" is invalid: use "1.2.3.4"'
    ]
    assert ip_warnings("2001:DB8:0::1", "p") == [
        'p: IPv6 address "2001:DB8:0::1" should be in RFC 5952 canonical format ("2001:db8::1")'
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10.0.0.0/8", []),
        ("2001:db8::/64", []),
        (
            "10.0.0.1/8",
            [f'CIDR value "10.0.0.1/8" is ambiguous {CONTEXT} "10.0.0.0/8" or "10.0.0.1/32"?)'],
        ),
        ("010.0.0.0/8", ['non-standard CIDR value "010.0.0.0/8" is invalid: use "10.0.0.0/8"']),
        ("10.0.0.0/08", ['non-standard CIDR value "10.0.0.0/08" is invalid: use "10.0.0.0/8"']),
        (
            "::ffff:10.0.0.0/104",
            ['non-standard CIDR value "::ffff:10.0.0.0/104" is invalid: use "10.0.0.0/8"'],
        ),
        (
            "2001:DB8::/64",
            ['IPv6 CIDR value "2001:DB8::/64" should be in RFC 5952 canonical format ("2001:db8::/64")'],
        ),
    ],
)
def test_warnings_of_cidrs(text: str, expected: list[str]) -> None:
    assert cidr_warnings(text, "p") == [f"p: {sentence}" for sentence in expected]
