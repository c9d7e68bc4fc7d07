"""Quantities side by side with upstream's own code."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kubewright.machinery.errors import ParseError
from kubewright.machinery.quantity import Format, Quantity
from tests.conftest import Oracle, OracleRefusal
from tests.machinery.test_quantity import FORMATS, MAX_INT64, NOT_QUANTITIES

pytestmark = pytest.mark.oracle

SUFFIXES = ["", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"]
EXPONENTS = [
    "e0",
    "E0",
    "e3",
    "E3",
    "e+3",
    "e-3",
    "e1",
    "e-1",
    "e9",
    "e-9",
    "e-10",
    "e18",
    "e21",
    "e03",
    "e-20",
    "e300",
]
NUMBERS = [
    *[
        "",
        "0",
        "00",
        "1",
        "01",
        "10",
        "100",
        "1000",
        "1024",
        "8",
        "12",
        "999",
        "1023",
        "1025",
        "1048576",
        "123456789",
    ],
    *[
        "1.",
        "1.0",
        "1.5",
        "1.50",
        "1.500",
        "1.5000",
        ".5",
        "0.5",
        "0.001",
        "0.0001",
        "0.1234567891",
        ".",
        "0.",
        ".0",
    ],
    *["0.0000000001", "1.0000000001", "12345678901234567", "123456789012345678", "1234567890123456789"],
    *["9223372036854775807", "9223372036854775808", "99999999999", "100000000000", "99999999", "100000000"],
    *[
        "999999999999999999.9",
        "123456789012345678901234567890.123456789012",
        "100000.100",
        "1000000.000",
        "99",
        "100",
    ],
]

# Upstream takes values of 1e400 and more, and computes 10**exponent before it looks at the size.
ENORMOUS = re.compile(r"[eE][+-]?[0-9]{3,}")

digits = st.text("0123456789", max_size=12) | st.text("0123456789", max_size=40)
fractions = st.just("") | digits.map(lambda text: "." + text)
numbers = st.builds("{}{}{}".format, st.sampled_from(["", "+", "-"]), digits, fractions)
exponents = st.builds("{}{}".format, st.sampled_from("eE"), st.integers(-320, 320))
texts = st.builds("{}{}".format, numbers, st.sampled_from(SUFFIXES) | exponents)
noise = st.text("0123456789.eEinumkKMGTP+- ", max_size=9)


def as_upstream_prints(text: str) -> str:
    """What upstream makes of a value past the largest suffix: it counts on a suffix that is not there."""
    if decimal := re.fullmatch(r"(-?[0-9]+?)(?:000)+E", text):
        return decimal[1]
    if binary := re.fullmatch(r"(-?[0-9]+)Ei", text):
        amount = int(binary[1])
        while amount % 1024 == 0:
            amount //= 1024
        return text if amount == int(binary[1]) else str(amount)
    return text


def check_same(ours: Quantity, theirs: dict[str, Any]) -> None:
    assert ours.to_decimal() == Decimal(theirs["dec"])
    assert ours.format == theirs["format"]
    printed = str(ours)
    assert theirs["string"] in (printed, as_upstream_prints(printed))


def check_verdict(oracle: Oracle, text: str) -> None:
    try:
        theirs = oracle.ask("quantity.parse", text)
    except OracleRefusal:
        with pytest.raises(ParseError):
            Quantity(text)
        return
    check_same(Quantity(text), theirs)


@pytest.mark.parametrize("number", NUMBERS)
def test_handwritten_texts(oracle: Oracle, number: str) -> None:
    for sign in ("", "+", "-"):
        for suffix in [*SUFFIXES, *EXPONENTS]:
            if text := sign + number + suffix:
                check_verdict(oracle, text)


def test_refusals(oracle: Oracle) -> None:
    ours_alone = {"1e2147483648", "1e400", "9e399999", "9" * 401, "1e-2147483648"}
    for text in NOT_QUANTITIES:
        if text not in ours_alone:
            with pytest.raises(OracleRefusal):
                oracle.ask("quantity.parse", text)


@settings(max_examples=1000)
@given(text=texts)
def test_texts(oracle: Oracle, text: str) -> None:
    check_verdict(oracle, text)


@settings(max_examples=1000)
@given(text=noise)
def test_noise(oracle: Oracle, text: str) -> None:
    assume(not ENORMOUS.search(text))
    # ParseQuantity takes no space around the number; reading JSON does, and Quantity with it.
    check_verdict(oracle, text.strip())


@settings(max_examples=300)
@given(
    value=st.integers(-(10**25), 10**25) | st.floats(allow_nan=False, allow_infinity=False) | texts | noise
)
def test_json(oracle: Oracle, value: str | float) -> None:
    assume(not (isinstance(value, str) and ENORMOUS.search(value)))
    try:
        theirs = oracle.ask("quantity.json", value)
    except OracleRefusal:
        with pytest.raises(ParseError):
            Quantity(value)
        return
    printed = str(Quantity(value))
    assert theirs in (printed, as_upstream_prints(printed))


@settings(max_examples=500)
@given(
    text=texts,
    form=st.sampled_from(FORMATS),
    scale=st.integers(-9, 18),
    factor=st.integers(-(2**63), MAX_INT64) | st.integers(-100, 2000),
)
def test_one_quantity(oracle: Oracle, text: str, form: Format, scale: int, factor: int) -> None:
    try:
        quantity = Quantity(text)
    except ParseError:
        return
    theirs = oracle.ask("quantity.one", {"text": text, "format": form, "scale": scale, "factor": factor})
    assert theirs["canonical"] in (quantity.canonical(), as_upstream_prints(quantity.canonical()))
    assert theirs["formatted"] in (quantity.canonical(form), as_upstream_prints(quantity.canonical(form)))
    assert theirs["sign"] == (quantity > 0) - (quantity < 0)
    assert math.isclose(float(theirs["float"]), float(quantity), rel_tol=1e-15)
    assert theirs["exact"] == (quantity.round_up(scale) == quantity)
    check_same(-quantity, theirs["neg"])
    check_same(quantity * factor, theirs["mul"])
    # Upstream may forget the text although rounding changes nothing; then the canonical one is compared.
    rounded = quantity.round_up(scale)
    if theirs["roundUp"]["string"] != str(rounded):
        rounded = Quantity(rounded, format=rounded.format)
    check_same(rounded, theirs["roundUp"])


@settings(max_examples=500)
@given(
    # Upstream rounds negative numbers differently off its fast path, and wraps what is no int64.
    text=texts.filter(lambda text: not text.startswith("-"))
    | st.from_regex(r"-[1-9][0-9]{0,9}(\.[0-9]{1,3})?[mkMGT]?|-[1-9][0-9]{0,4}[KMG]i", fullmatch=True),
    scale=st.integers(-9, 18),
)
def test_whole_numbers(oracle: Oracle, text: str, scale: int) -> None:
    try:
        quantity = Quantity(text)
    except ParseError:
        return
    theirs = oracle.ask("quantity.one", {"text": text, "format": "DecimalSI", "scale": scale, "factor": 1})
    for name, ours in (
        ("value", quantity.value()),
        ("milli", quantity.milli_value()),
        ("scaled", quantity.scaled_value(scale)),
    ):
        if abs(ours) <= MAX_INT64:
            assert theirs[name] == ours, name


@settings(max_examples=1000)
@given(first=texts, second=texts)
def test_two_quantities(oracle: Oracle, first: str, second: str) -> None:
    try:
        a, b = Quantity(first), Quantity(second)
    except ParseError:
        return
    theirs = oracle.ask("quantity.two", [first, second])
    check_same(a + b, theirs["add"])
    check_same(a - b, theirs["sub"])
    assert (a > b) - (a < b) == theirs["cmp"]
    assert (a == b) == (theirs["cmp"] == 0)
