"""DER as certificates need it; whole certificates are in test_certificates."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from cryptography import x509
from hypothesis import given
from hypothesis import strategies as st

from kubewright.server import der


@pytest.mark.parametrize(
    ("encoded", "wanted"),
    [
        (der.integer(0), "020100"),
        (der.integer(127), "02017f"),
        (der.integer(128), "02020080"),
        (der.integer(65535), "020300ffff"),
        (der.boolean(True), "0101ff"),
        (der.boolean(False), "010100"),
        (der.sequence(), "3000"),
        (der.sequence(der.integer(1), der.integer(2)), "3006020101020102"),
        (der.set_of(der.integer(1)), "3103020101"),
        (der.octet_string(b"ab"), "04026162"),
        (der.bit_string(b"ab"), "0303006162"),
        (der.named_bits(0), "03020780"),
        (der.named_bits(0, 5, 6), "03020186"),
        (der.utf8_string("\u00e4"), "0c02c3a4"),
        (der.object_identifier("1.2.840.113549"), "06062a864886f70d"),
        (der.object_identifier("2.5.29.15"), "0603551d0f"),
        (der.context(2, b"ab"), "82026162"),
        (der.context(3, der.integer(1), constructed=True), "a303020101"),
    ],
)
def test_values(encoded: bytes, wanted: str) -> None:
    assert encoded.hex() == wanted


@pytest.mark.parametrize(
    ("size", "head"),
    [(127, "047f"), (128, "048180"), (255, "0481ff"), (256, "04820100"), (65536, "0483010000")],
)
def test_lengths(size: int, head: str) -> None:
    encoded = der.octet_string(bytes(size))
    assert encoded == bytes.fromhex(head) + bytes(size)


@given(st.integers(min_value=0, max_value=1 << 200))
def test_integers_are_as_short_as_they_can_be(number: int) -> None:
    content = der.integer(number)[2:]
    assert int.from_bytes(content, "big", signed=True) == number
    assert len(content) == 1 or content[0] != 0 or content[1] >= 0x80


@given(st.lists(st.integers(min_value=0, max_value=1 << 40), max_size=6))
def test_object_identifiers_are_read_as_others_read_them(rest: list[int]) -> None:
    dotted = ".".join(map(str, [1, 3, *rest]))
    usage = x509.ExtendedKeyUsage([x509.ObjectIdentifier(dotted)])
    assert der.sequence(der.object_identifier(dotted)) == usage.public_bytes()


def test_times_have_two_digits_of_a_year_until_2050() -> None:
    last = datetime(2049, 12, 31, 23, 59, 59, tzinfo=UTC)
    assert der.time(last) == b"\x17\x0d491231235959Z"
    assert der.time(last + timedelta(seconds=1)) == b"\x18\x0f20500101000000Z"
    east = datetime(2026, 1, 1, 1, 30, tzinfo=timezone(timedelta(hours=2)))
    assert der.time(east) == b"\x17\x0d251231233000Z"


def test_pem_has_lines_of_64() -> None:
    assert der.pem("THING", bytes(49)).decode().splitlines() == [
        "-----BEGIN THING-----",
        "A" * 64,
        "AA==",
        "-----END THING-----",
    ]
