from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.machinery import names
from tests.conftest import Oracle


def seeded(seed: int) -> Random:
    return Random(seed)  # noqa: S311 - names need not be secret


def test_a_message_states_the_rule_as_the_api_server_does() -> None:
    (message,) = names.is_dns1123_label("Bad")
    assert message == (
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
        "and must start and end with an alphanumeric character "
        "(e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
    )
    assert names.is_dns1123_label("a.b") == ["must not contain dots"]
    assert names.is_dns1123_label("a" * 64) == ["must be no more than 63 characters"]
    assert names.is_valid_label_value("a" * 64) == ["must be no more than 63 bytes"]
    assert "must be no more than 63 characters" in names.is_dns1123_label("é" * 32)
    assert names.is_valid_port_num(0) == ["must be between 1 and 65535, inclusive"]


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        ("is_dns1123_label", ["a", "1-a", "a" * 63], ["", "-a", "a-", "a_b", "A", "a\n", "é", "a" * 64]),
        ("is_dns1123_subdomain", ["a", "a.b-c.1", "a" * 253], ["", ".", "a..b", "a.-b", "a.b\n", "a" * 254]),
        ("is_dns1123_subdomain_caseless", ["A.b"], ["A_b", "\u0131", "\u0130", ""]),
        ("is_dns1123_subdomain_with_underscore", ["_a._b_c"], ["a.b_", "__a"]),
        ("is_wildcard_dns1123_subdomain", ["*.a.b"], ["*", "a.b", "*.*.a"]),
        ("is_dns1035_label", ["a1", "a-1"], ["1a", "", "a.b"]),
        (
            "is_qualified_name",
            ["a", "A_b.c-1", "x.y/a", "a" * 253 + "/" + "b" * 63],
            ["", "/a", "a/", "a/b/c", "A/b"],
        ),
        ("is_valid_label_value", ["", "a", "A_b.c-1"], ["-a", "a b", "a\n", "é"]),
        ("is_c_identifier", ["_a1"], ["1a", "", "a-b"]),
        ("is_valid_port_name", ["http", "a-1"], ["", "1", "-a", "a-", "a--b", "A", "a" * 16]),
        ("is_valid_percent", ["0%", "150%"], ["", "%", "1", "-1%", "1.5%", "1%\n", "\u0661%"]),
        ("is_http_header_name", ["X-A"], ["", "X_A", "a:"]),
        ("is_env_var_name", ["a.b-c_D1", ".a"], ["1a", "", ".", "..", "..a", "a=b"]),
        ("is_relaxed_env_var_name", ["1 a", "~", "..", "<>"], ["", "a=b", "é", "\x7f", "a\n"]),
        ("is_config_map_key", ["a.b", ".a"], ["", ".", "..", "..a", "a/b", "a" * 254]),
        ("is_path_segment_name", ["", "a:b@c", "...", "é"], [".", "..", "a/b", "a%b"]),
        ("is_path_segment_prefix", ["", ".", ".."], ["/", "%"]),
    ],
)
def test_what_is_valid(check: str, good: list[str], bad: list[str]) -> None:
    function = getattr(names, check)
    assert [value for value in good if function(value)] == []
    assert [value for value in bad if not function(value)] == []


def test_ids_are_of_31_bits() -> None:
    for check in (names.is_valid_user_id, names.is_valid_group_id):
        assert not check(0)
        assert not check(2**31 - 1)
        assert check(-1) == check(2**31) == ["must be between 0 and 2147483647, inclusive"]


def test_the_start_of_a_name_may_end_in_a_dash() -> None:
    assert names.name_is_dns_label("web-", prefix=True) == []
    assert names.name_is_dns_label("web-") != []
    assert names.name_is_dns_subdomain("-", prefix=True) != []
    assert names.name_is_dns1035_label("é-", prefix=True) != []


def test_a_hostile_name_is_checked_in_no_time() -> None:
    for text in ("a" * 1_000_000 + "!", "a." * 500_000 + "!", "a-" * 500_000, "_" * 1_000_000):
        for check in (names.is_dns1123_subdomain, names.is_qualified_name, names.is_config_map_key):
            assert check(text)


@given(st.text("ab-", max_size=80), st.integers())
def test_a_generated_name_keeps_its_base_and_fits_a_label(base: str, seed: int) -> None:
    name = names.generate_name(base, seeded(seed))
    assert name[:-5] == base[: names.MAX_GENERATED_NAME_LENGTH]
    assert len(name) <= 63
    assert set(name[-5:]) <= set("bcdfghjklmnpqrstvwxz2456789")
    assert name == names.generate_name(base, seeded(seed))


def test_a_generated_name_counts_bytes() -> None:
    assert len(names.generate_name("é" * 40, seeded(1)).encode()) == 58 + 5
    assert len(names.generate_name("x" + "é" * 40, seeded(1)).encode()) == 57 + 5


def test_generated_names_use_the_whole_alphabet_and_differ() -> None:
    random = seeded(7)
    made = [names.generate_name("", random) for _ in range(1000)]
    assert set("".join(made)) == set("bcdfghjklmnpqrstvwxz2456789")
    assert len(set(made)) > 990


TEXTS = (
    st.text("aA1-_./%*=", max_size=12)
    | st.text(st.characters(codec="utf-8"), max_size=8)
    | st.builds(
        str.__mul__,
        st.sampled_from(["a", "a.", "é", "-", "ab/", "*."]),
        st.sampled_from([1, 7, 8, 15, 16, 31, 32, 63, 64, 126, 127, 253, 254]),
    )
    | st.builds("{}/{}".format, st.text("aA.-", max_size=300), st.text("aA._", max_size=70))
)
CASES = [
    *(
        "",
        ".",
        "..",
        "..a",
        "a\n",
        "\n",
        "\u017f.\u212a",
        "\u0131",
        "é-",
        "a.-",
        "--",
        "-",
        "a-",
        "a.b",
        "a.b-",
    ),
    *("a=b", "1%", "*.a", "a\x00b", "a/b/c", "a." * 31 + "bb"),
]


@pytest.mark.oracle
@pytest.mark.parametrize("value", CASES)
def test_messages_are_those_of_upstream(oracle: Oracle, value: str) -> None:
    _compare(oracle, value)


@pytest.mark.oracle
@given(TEXTS)
def test_messages_are_those_of_upstream_for_any_text(oracle: Oracle, value: str) -> None:
    _compare(oracle, value)


def _compare(oracle: Oracle, value: str) -> None:
    theirs = oracle.ask("names.text", value)
    ours = {}
    for check in theirs:
        name, _, prefix = check.partition(" ")
        function = getattr(names, name)
        ours[check] = function(value, prefix=True) if prefix else function(value)
    assert ours == theirs


@pytest.mark.oracle
@given(
    st.sampled_from([0, 1, 65535, 2**31 - 1]).flatmap(lambda edge: st.integers(edge - 1, edge + 1))
    | st.integers(-9, 99)
)
def test_numbers_are_judged_as_upstream(oracle: Oracle, value: int) -> None:
    theirs = oracle.ask("names.number", value)
    assert {check: getattr(names, check)(value) for check in theirs} == theirs
