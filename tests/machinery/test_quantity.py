"""Quantities: reading, printing, comparing, arithmetic; then the laws."""

from __future__ import annotations

import copy
import pickle
import time
from decimal import Decimal, localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.machinery.errors import ParseError
from kubewright.machinery.quantity import Format, Quantity

FORMATS: tuple[Format, ...] = ("DecimalSI", "BinarySI", "DecimalExponent")
MAX_INT64 = 2**63 - 1

nanos = st.integers(-(10**30), 10**30) | st.integers(-(10**12), 10**12).map(lambda n: n * 10**9)


@st.composite
def quantities(draw: st.DrawFn) -> Quantity:
    """Any value that prints and reads back, in any format."""
    form = draw(st.sampled_from(FORMATS))
    amount = draw(nanos)
    if form == "BinarySI":
        # Past int64 a binary text is capped when it is read, as upstream does.
        amount = max(-MAX_INT64 * 10**9, min(MAX_INT64 * 10**9, amount))
    return Quantity(Decimal(f"{amount}E-9"), format=form)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", "0"),
        ("1", "1"),
        ("+1", "1"),
        ("-1", "-1"),
        ("007", "7"),
        ("1.5", "1.5"),
        ("1.", "1"),
        (".5", "0.5"),
        ("-.5", "-0.5"),
        ("1n", "1E-9"),
        ("1u", "1E-6"),
        ("100m", "0.1"),
        ("2k", "2000"),
        ("2M", "2E+6"),
        ("2G", "2E+9"),
        ("2T", "2E+12"),
        ("2P", "2E+15"),
        ("2E", "2E+18"),
        ("1Ki", "1024"),
        ("1Mi", str(2**20)),
        ("1Gi", str(2**30)),
        ("1Ti", str(2**40)),
        ("1Pi", str(2**50)),
        ("1Ei", str(2**60)),
        ("1.5Gi", str(3 * 2**29)),
        ("1e3", "1000"),
        ("1E3", "1000"),
        ("1e+3", "1000"),
        ("12e-3", "0.012"),
        ("1e0000000003", "1000"),
        ("0.0000000001", "1E-9"),
        ("-0.0000000001", "-1E-9"),
        ("1.0000000001", "1.000000001"),
        ("1e-400", "1E-9"),
        ("-1e-2000000000", "-1E-9"),
        ("0e2000000000", "0"),
        ("100Ei", str(MAX_INT64)),
        ("-100Ei", str(-MAX_INT64)),
        (" 1 ", "1"),
        ("\u00a01Ki\t", "1024"),
    ],
)
def test_reads_every_form(text: str, value: str) -> None:
    assert Quantity(text).to_decimal() == Decimal(value)


@pytest.mark.parametrize("text", ["+", "-", ".", "-.", "m", "E", "Ki", "+Ti", ".k", "e3", "e-9"])
def test_reads_what_lacks_digits_as_zero_where_upstream_does(text: str) -> None:
    assert Quantity(text) == 0
    assert str(Quantity(text)) == "0"


NOT_QUANTITIES = [
    *[
        "",
        " ",
        "1.2.3",
        "1 Gi",
        "1Kii",
        "1ki",
        "1K",
        "1KB",
        "5GB",
        "1mi",
        "1e",
        "1e+",
        "1e3.5",
        "1m5",
        "--1",
        "1-",
    ],
    *[
        "0x10",
        "1_000",
        "1,5",
        "Inf",
        "NaN",
        "Pi",
        "Ei",
        ".Ei",
        "e-10",
        "\u0661",
        "1\u0661",
        "1i",
        "1ee3",
        "1\n2",
    ],
    *[
        "1e2147483648",
        "1e99999999999999999999",
        "1e400",
        "9e399999",
        "1e-2147483648",
        "\x1c1",
        "1e--3",
        "9" * 401,
    ],
]


@pytest.mark.parametrize("text", NOT_QUANTITIES)
def test_refuses_with_one_sentence_that_quotes_the_text(text: str) -> None:
    with pytest.raises(ParseError) as caught:
        Quantity(text)
    assert repr(text.strip())[1:20].rstrip("'") in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_limit_holds_however_the_text_is_written() -> None:
    nines = "9" * 400
    assert Quantity(nines) == 10**400 - 1
    assert str(Quantity(f"-{nines}.999999999")) == f"-{nines}999999999n"
    # Rounding up to nanos reaches the limit in the first two; the others are at it or past it.
    for text in (
        f"{nines}.9999999999",
        f"-{nines}.9999999999",
        f"{nines}9.{'0' * 12}",
        f"{nines}0e0",
        "1e400",
    ):
        with pytest.raises(ParseError, match=r"is 1e400 or more, which is too large$"):
            Quantity(text)


def test_the_sentence_names_the_place() -> None:
    with pytest.raises(
        ParseError, match=r"^quantity '1\.2\.3' cannot be read at '\.3'; write a number that ends"
    ):
        Quantity("1.2.3")
    with pytest.raises(ParseError, match=r"^quantity '5GB' cannot be read at 'GB'; .* Ki, Mi, "):
        Quantity("5GB")


def test_long_texts_are_refused_at_once_in_a_short_sentence() -> None:
    size = 10**7
    start = time.process_time()
    for text in ("1" * size, "1e" + "9" * size, "0." + "0" * size, "1" * size + "x", "e" * size):
        with pytest.raises(ParseError) as caught:
            Quantity(text)
        assert len(str(caught.value)) < 300
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    ("text", "printed", "canonical"),
    [
        ("0", "0", "0"),
        ("0Ki", "0", "0"),
        ("1000m", "1", "1"),
        ("1500m", "1500m", "1500m"),
        ("1.5", "1500m", "1500m"),
        ("0.5Gi", "512Mi", "512Mi"),
        ("1024Mi", "1Gi", "1Gi"),
        ("1536Mi", "1536Mi", "1536Mi"),
        ("1000Ki", "1000Ki", "1000Ki"),
        ("1023", "1023", "1023"),
        ("0.5Ki", "512", "512"),
        ("0.0001Ki", "102400u", "102400u"),
        ("1.1Ki", "1126400m", "1126400m"),
        ("1000", "1k", "1k"),
        ("12345678", "12345678", "12345678"),
        ("1e3", "1e3", "1e3"),
        ("1e4", "10e3", "10e3"),
        ("100e0", "100e0", "100"),
        ("9Ei", str(MAX_INT64), str(MAX_INT64)),
        # Upstream keeps texts that are canonical in the eyes of its fast path.
        ("+1Ki", "+1Ki", "1Ki"),
        ("1.Ki", "1.Ki", "1Ki"),
        ("1.500", "1.500", "1500m"),
        ("1E3", "1E3", "1e3"),
        ("1.234k", "1.234k", "1234"),
        ("007", "007", "7"),
        (" 007 ", "007", "7"),
        # Upstream loses the suffix here.
        ("1000E", "1000E", "1000E"),
        ("1" + "0" * 22, "10000E", "10000E"),
    ],
)
def test_prints_as_upstream(text: str, printed: str, canonical: str) -> None:
    quantity = Quantity(text)
    assert str(quantity) == printed
    assert f"{quantity}" == printed
    assert repr(quantity) == f"Quantity({printed!r})"
    assert quantity.canonical() == canonical
    assert quantity.text == text.strip()


def test_prints_in_a_given_format() -> None:
    quantity = Quantity("1Gi")
    assert quantity.canonical("DecimalSI") == "1073741824"
    assert quantity.canonical("DecimalExponent") == "1073741824"
    assert Quantity("2G").canonical("DecimalExponent") == "2e9"
    assert str(Quantity(2**31, format="BinarySI")) == "2Gi"
    assert str(Quantity("1.500", format="DecimalExponent")) == "1500e-3"
    assert Quantity("1.5", format="BinarySI").canonical() == "1500m"
    assert Quantity(1000, format="BinarySI").canonical() == "1k"
    assert Quantity(1024, format="BinarySI").canonical() == "1Ki"
    assert [Quantity(text).format for text in ("0.0001Ki", "0.5Ki", "1e0")] == [
        "DecimalSI",
        "BinarySI",
        "DecimalExponent",
    ]
    assert f"{Quantity('1Gi'):>5}" == "  1Gi"
    with pytest.raises(ParseError, match="'Binary' is none of DecimalSI, BinarySI, DecimalExponent"):
        quantity.canonical("Binary")  # type: ignore[arg-type]
    with pytest.raises(ParseError, match="'Binary' is none of"):
        Quantity("1", format="Binary")  # type: ignore[arg-type]


def test_made_from_numbers() -> None:
    assert Quantity() == 0
    assert str(Quantity(2000)) == "2k"
    assert str(Quantity(Decimal("1.5"))) == "1500m"
    assert str(Quantity(Decimal("1E-12"))) == "1n"
    assert str(Quantity(Decimal("-1.0000000001"))) == "-1000000001n"
    assert Quantity(Decimal("-0")) == 0
    assert str(Quantity(0.1)) == "100m"
    assert str(Quantity(1e22)) == "10e21"
    assert Quantity(1.7976931348623157e308).value() == 17976931348623157 * 10**292
    assert str(Quantity(5e-324)) == "1e-9"
    assert Quantity(Quantity("1.500")).text == "1.500"
    assert Quantity(MAX_INT64 + 1).value() == 2**63


def test_refuses_numbers_that_are_not_finite_or_too_large() -> None:
    not_finite: list[float | Decimal] = [
        float("nan"),
        float("inf"),
        float("-inf"),
        Decimal("NaN"),
        Decimal("sNaN"),
        Decimal("-Infinity"),
    ]
    too_large: list[int | Decimal] = [
        10**400,
        -(10**400),
        10**100_000,
        Decimal("1E+400"),
        Decimal("-1E+999999999999"),
    ]
    for value in not_finite:
        with pytest.raises(ParseError, match=r"^quantity .* is not a finite number$"):
            Quantity(value)
    for number in too_large:
        with pytest.raises(ParseError, match=r"^quantity .* too large$"):
            Quantity(number)


@pytest.mark.parametrize("value", [None, True, b"1", [1], 1j])
def test_refuses_other_types(value: object) -> None:
    with pytest.raises(TypeError, match=f"not from a {type(value).__name__}$"):
        Quantity(value)  # type: ignore[arg-type]


def test_integers_round_away_from_zero() -> None:
    assert [Quantity(text).value() for text in ("1.1", "-1.1", "1n", "2", "-2", "0")] == [2, -2, 1, 2, -2, 0]
    assert int(Quantity("1500m")) == 2
    assert Quantity("1.5").milli_value() == 1500
    assert Quantity("1u").milli_value() == 1
    assert Quantity("-1u").milli_value() == -1
    assert Quantity("1500k").scaled_value(6) == 2
    assert Quantity("1").scaled_value(-12) == 10**12
    assert Quantity("1").scaled_value(400) == 1
    assert Quantity("-1.5000000000000000000").value() == -2  # upstream, off its fast path, says 0
    for scale in (-401, 401, 10**18):
        with pytest.raises(ValueError, match=f"^scale {scale} is beyond 400"):
            Quantity("1").scaled_value(scale)
        with pytest.raises(ValueError, match=f"^scale {scale} is beyond 400"):
            Quantity("1").round_up(scale)


def test_rounding_up() -> None:
    assert str(Quantity("1.1Gi").round_up(0)) == str(-(-11 * 2**30 // 10))
    assert str(Quantity("-9m").round_up(-2)) == "-10m"
    assert Quantity("1.500").round_up(-3).text == "1.500"
    assert str(Quantity("1.500").round_up(0)) == "2"
    assert Quantity("0").round_up(3) == 0
    with pytest.raises(OverflowError):
        Quantity("1").round_up(400)


def test_arithmetic_keeps_the_first_format() -> None:
    assert str(Quantity("1Gi") + Quantity("1G")) == "2073741824"
    assert (Quantity("1Gi") + Quantity("1G")).format == "BinarySI"
    assert str(Quantity("1Gi") - Quantity("512Mi")) == "512Mi"
    assert str(Quantity("0") + Quantity("1Gi")) == "1Gi"
    assert str(Quantity("0") - Quantity("1Gi")) == "-1Gi"
    assert str(Quantity("1e3") + Quantity("1Ki")) == "2024"
    assert (Quantity("1e3") - Quantity("1e3")).format == "DecimalExponent"
    assert str(Quantity("4Ei") + Quantity("4Ei")) == "8Ei"
    assert str(Quantity("4Ei") * 256) == "1024Ei"
    assert str(sum([Quantity("1Gi"), Quantity("1Gi")])) == "2Gi"
    assert sum([Quantity("100m")] * 10) == 1
    assert str(-Quantity("1Gi")) == "-1Gi"
    assert str(abs(Quantity("-1Gi"))) == "1Gi"
    assert str(+Quantity("1.500")) == "1.500"


def test_arithmetic_with_numbers() -> None:
    assert Quantity("1") + 1 == 2
    assert 1 + Quantity("1") == 2
    assert Quantity("1") - Decimal("0.5") == Decimal("0.5")
    assert 5 - Quantity("1.5") == Quantity("3.5")
    assert str(3 * Quantity("1Gi")) == "3Gi"
    assert str(Quantity("1Gi") * Decimal("0.5")) == "512Mi"
    assert str(Quantity("1n") * Decimal("0.1")) == "1n"
    assert str(Quantity("9n") * Decimal("0.9")) == "9n"
    assert str(Quantity("-1") * Decimal("1E-999999")) == "-1n"
    assert Quantity("0") * Decimal("1E+999999999") == 0
    assert Quantity("1") * 0 == 0
    for other in (1.5, "1", None, Quantity("1")):
        with pytest.raises(TypeError):
            Quantity("1") * other  # type: ignore[operator]
    for other in (1.5, "1", None):
        with pytest.raises(TypeError):
            Quantity("1") + other  # type: ignore[operator]
        with pytest.raises(TypeError):
            other - Quantity("1")  # type: ignore[operator]


def test_arithmetic_is_bounded() -> None:
    huge = Quantity("9e399")
    factors: list[int | Decimal] = [2, -2, 10**1000]
    for factor in [*factors, *map(Decimal, ("-2", "1E+999999999999", "Infinity", "NaN"))]:
        with pytest.raises(OverflowError):
            _ = huge * factor
    with pytest.raises(OverflowError):
        _ = huge + huge
    with pytest.raises(OverflowError):
        _ = -huge - huge


def test_truth_and_floats() -> None:
    assert Quantity("1n")
    assert not Quantity("0Ki")
    assert float(Quantity("100m")) == 0.1
    assert float(Quantity("9e399")) == float("inf")


def test_compares_with_numbers_but_not_with_text() -> None:
    one = Quantity("1000m")
    assert one == Quantity("1") == 1 == Decimal("1.0") == one
    assert one != 2
    assert one != "1000m"
    assert one != None  # noqa: E711 - the operator is what is tested
    assert one < 2 < Quantity("2Ki")
    assert one <= 1
    assert one >= Decimal(1)
    assert one > Decimal("0.9999999999")
    assert one < Decimal("1.0000000000001")
    assert one < Decimal("1E+999999999")
    assert not one <= Decimal("0.5")
    assert Quantity("0.9") < one < Quantity("1.1")
    for other in ("2", None, 1.5):
        with pytest.raises(TypeError):
            _ = one < other  # type: ignore[operator]
        with pytest.raises(TypeError):
            _ = one >= other  # type: ignore[operator]


@pytest.mark.parametrize(
    "quantity", [Quantity("1.500"), Quantity(" 1e3"), Quantity("0.5Ki") + 1, Quantity(3)]
)
def test_copies_keep_everything(quantity: Quantity) -> None:
    assert copy.copy(quantity) is quantity
    assert copy.deepcopy({"a": quantity})["a"] is quantity
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        read = pickle.loads(pickle.dumps(quantity, protocol))  # noqa: S301 - our own bytes
        assert (read, read.format, read.text, str(read)) == (
            quantity, quantity.format, quantity.text, str(quantity),
        )  # fmt: skip


def test_an_untouched_text_is_not_read() -> None:
    quantity = Quantity("123456789Mi")
    assert quantity._nanos is None
    assert quantity.value() == 123456789 * 2**20
    assert quantity._nanos is not None


def test_exactness_does_not_depend_on_the_decimal_context() -> None:
    quantity = Quantity("123456789012345678901234567890.123456789")
    with localcontext(prec=3):
        assert str(quantity.to_decimal()) == "123456789012345678901234567890.123456789"
        assert quantity == Decimal("123456789012345678901234567890.123456789")
        assert Quantity("1.23456") * Decimal("1.11111") == Decimal("1.371731962")


@given(quantities())
def test_what_is_printed_reads_back_as_the_same(quantity: Quantity) -> None:
    for form in FORMATS:
        text = quantity.canonical(form)
        if form != "BinarySI" or abs(quantity) <= MAX_INT64:
            assert Quantity(text) == quantity
            assert Quantity(text, format=form).canonical() == text
    assert Quantity(str(quantity)) == quantity
    assert "." not in quantity.canonical()


@given(quantities(), quantities(), quantities())
def test_sums(a: Quantity, b: Quantity, c: Quantity) -> None:
    assert (a + b) + c == a + (b + c)
    assert a + b == b + a
    assert a - b == a + (-b)
    assert (a + b) - b == a
    assert a * 3 == a + a + a
    assert sum([a, b, c]) == a + b + c


@given(quantities(), quantities())
def test_order_is_that_of_the_decimals(a: Quantity, b: Quantity) -> None:
    x, y = a.to_decimal(), b.to_decimal()
    assert ((a < b), (a <= b), (a == b), (a != b), (a >= b), (a > b)) == (
        (x < y), (x <= y), (x == y), (x != y), (x >= y), (x > y),
    )  # fmt: skip
    assert ((a < y), (a <= y), (a == y), (a >= y), (a > y)) == (
        (x < y),
        (x <= y),
        (x == y),
        (x >= y),
        (x > y),
    )
    assert abs(a) >= 0
    assert bool(a) == (x != 0)


@given(quantities(), st.sampled_from(FORMATS))
def test_equal_values_hash_equal(quantity: Quantity, form: Format) -> None:
    same = Quantity(quantity, format=form)
    assert same == quantity
    assert hash(same) == hash(quantity) == hash(quantity.to_decimal())
    assert hash(quantity.round_up(0)) == hash(quantity.value())


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_its_shortest_text(number: float) -> None:
    assert Quantity(number) == Quantity(repr(number))
