"""Numbers or texts, and percentages; also side by side with upstream's own code."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubewright.machinery.errors import ParseError
from kubewright.machinery.intstr import (
    IntOrString,
    int_value,
    parse_int_or_string,
    scaled_value_from_int_or_percent,
)
from tests.conftest import Oracle, OracleRefusal

NOT_PERCENTAGES = [
    *[
        "",
        "%",
        "10",
        "10%%",
        "1.5%",
        " 10%",
        "10 %",
        "10%\n",
        "ten%",
        "0x10%",
        "1_0%",
        "--1%",
        "\u0661%",
        "1e3%",
    ],
    *["9223372036854775808%", "-9223372036854775809%", "9" * 10**6 + "%"],
]
NUMBERS = [
    *[
        "",
        "0",
        "-0",
        "+7",
        "8080",
        "http",
        "2147483647",
        "2147483648",
        "-2147483648",
        "-2147483649",
        "1_000",
        "1.5",
    ],
    *[
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775809",
        "0x1f",
        " 1",
        "00012",
        "\u0661",
        "9" * 30,
    ],
    "0" * 100 + "1",
]


@pytest.mark.parametrize(
    ("value", "total", "up", "down"),
    [
        (3, 10, 3, 3),
        (-3, 10, -3, -3),
        ("25%", 10, 3, 2),
        ("100%", 7, 7, 7),
        ("0%", 7, 0, 0),
        ("+50%", 3, 2, 1),
        ("-50%", 3, -1, -2),
        ("150%", 3, 5, 4),
        ("0025%", 4, 1, 1),
        ("33%", 0, 0, 0),
    ],
)
def test_scaled_values(value: IntOrString, total: int, up: int, down: int) -> None:
    assert scaled_value_from_int_or_percent(value, total, round_up=True) == up
    assert scaled_value_from_int_or_percent(value, total, round_up=False) == down


def test_refuses_what_is_no_percentage() -> None:
    for text in NOT_PERCENTAGES:
        with pytest.raises(ParseError) as caught:
            scaled_value_from_int_or_percent(text, 10, round_up=True)
        assert repr(text)[:20].rstrip("'") in str(caught.value)
        assert len(str(caught.value)) < 200
    with pytest.raises(
        ParseError, match=r"^'10' is neither a number nor a percentage; write it as 3 or '25%'$"
    ):
        scaled_value_from_int_or_percent("10", 10, round_up=True)


def test_numbers_in_texts() -> None:
    assert parse_int_or_string("8080") == 8080
    assert parse_int_or_string("http") == "http"
    assert parse_int_or_string("2147483648") == "2147483648"
    assert int_value(5) == 5
    assert int_value("5") == 5
    assert int_value("http") == 0
    assert int_value("9" * 10**6) == 2**63 - 1
    assert int_value("-" + "9" * 10**6) == -(2**63)


@pytest.mark.oracle
def test_handwritten_as_upstream(oracle: Oracle) -> None:
    for text in NUMBERS:
        theirs = oracle.ask("intstr.parse", text)
        assert theirs == {"parsed": parse_int_or_string(text), "value": int_value(text)}
    for text in NOT_PERCENTAGES:
        with pytest.raises(OracleRefusal):
            oracle.ask("intstr.scaled", {"value": text, "total": 10, "roundUp": True})


@pytest.mark.oracle
@settings(max_examples=500)
@given(
    value=st.integers(-(2**31), 2**31 - 1)
    | st.integers(-(10**4), 10**4).map("{}%".format)
    | st.text("0123456789+-% ", max_size=4),
    total=st.integers(0, 200) | st.integers(-(2**31), 2**31),
    round_up=st.booleans(),
)
def test_scaled_values_as_upstream(oracle: Oracle, value: IntOrString, total: int, round_up: bool) -> None:
    try:
        theirs = oracle.ask("intstr.scaled", {"value": value, "total": total, "roundUp": round_up})
    except OracleRefusal:
        with pytest.raises(ParseError):
            scaled_value_from_int_or_percent(value, total, round_up=round_up)
        return
    assert scaled_value_from_int_or_percent(value, total, round_up=round_up) == theirs
