"""YAML as Kubernetes reads and writes it."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.machinery import yaml
from kubewright.machinery.errors import DecodeError, EncodeError
from tests.conftest import Oracle, OracleRefusal

SCALARS = [
    *("y", "Y", "yes", "Yes", "YES", "yEs", "on", "ON", "off", "n", "No", "true", "TRUE", "tRue", "false"),
    *("~", "null", "Null", "NULL", "nULL", '""', "''"),
    *("0", "-0", "+1", "0755", "0o17", "0x1F", "-0x1f", "0b101", "1_000", "08", "0_7", "_1", "1__0"),
    *(
        "1.5",
        ".5",
        "5.",
        "1e3",
        "1E+3",
        "-1.5e-2",
        "1e400",
        "12345678901234567890",
        "123456789012345678901",
        "1e21",
    ),
    *(
        "22:22",
        "1:30:00",
        "2024-01-02",
        "2024-01-02T03:04:05Z",
        "2001-12-14 21:59:43.10 -5",
        "v1",
        "1.2.3",
        "1.0",
    ),
    *("<<", "a b", "100m", "0.5Gi", "=", "é", "0x", "0b", "+", ".", "1e", "e1", "--1", "1-1", "0o", "0o8"),
]


def loaded(text: str) -> Any:
    return yaml.load(f"k: {text}\n")["k"]


class TestLoading:
    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("22:22", "22:22"),
            ("1e3", 1000),
            ("2024-01-02", "2024-01-02"),
            ("yes", True),
            ("0755", 493),
            ("1.50", 1.5),
            ("~", None),
            ('"yes"', "yes"),
        ],
    )
    def test_scalars(self, text: str, value: object) -> None:
        assert loaded(text) == value
        assert type(loaded(text)) is type(value)

    def test_keys_become_texts(self) -> None:
        assert yaml.load("1: a\ntrue: b\n1.5: c\n") == {"1": "a", "true": "b", "1.5": "c"}

    def test_anchors_and_merges(self) -> None:
        text = "base: &b {x: 1, z: 2}\nmade:\n  <<: *b\n  z: 3\n"
        assert yaml.load(text) == {"base": {"x": 1, "z": 2}, "made": {"x": 1, "z": 3}}

    def test_documents(self) -> None:
        assert list(yaml.load_all("---\na: 1\n---\n---\nb: 2\n...\n")) == [{"a": 1}, {"b": 2}]

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("a: 1\na: 2", "line 2, column 1: the key 'a' stands twice"),
            # The places and words of libyaml, and of PyYAML without it.
            ("a: [1", "line 2, column 1|line 1, column 6"),
            ("a: *nope", r"line 1, column 4: the alias \*nope refers to nothing before it"),
            ("? [1]\n: 2", "a key must be a text"),
            ("a: .inf", r"\.inf has no JSON form"),
            ("a: !!python/object:os.system x", "has no JSON form"),
            ("a: b: c", "line 1, column 5"),
            ("\x00", "(control|special) characters are not allowed"),
            ("a: &a [*a]", "refers to what it is a part of"),
            ("", "expected one YAML document, found 0"),
            ("[" * 50_000, "nest deeper than 500 levels"),
            ("- " * 50_000, "nest deeper than 500 levels"),
            ("a: !!int x", "is not of the type int"),
            ("<<: 1", "<< takes a mapping"),
        ],
    )
    def test_errors_are_one_sentence(self, text: str, message: str) -> None:
        with pytest.raises(DecodeError, match=message) as caught:
            yaml.load(text)
        assert "\n" not in str(caught.value)

    def test_a_document_that_explodes_is_refused(self) -> None:
        lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
        lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
        with pytest.raises(DecodeError, match="has more than 1,000,000 values"):
            yaml.load("\n".join(lines))


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(-1e15, 1e15).filter(lambda number: number != int(number))
    | st.text()
    | st.text("0123456789+-_.:eExob", max_size=6)
    | st.sampled_from(SCALARS),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text() | st.sampled_from(SCALARS), inner, max_size=3)
    ),
    max_leaves=10,
)


class TestDumping:
    def test_data_that_is_not_plain(self) -> None:
        with pytest.raises(EncodeError, match="not plain data"):
            yaml.dump({"a": object()})
        deep: Any = []
        for _ in range(2000):
            deep = [deep]
        with pytest.raises(EncodeError, match="nested too deeply"):
            yaml.dump(deep)

    @given(plain)
    def test_what_is_written_is_read_back(self, data: Any) -> None:
        if data is not None:
            assert yaml.load(yaml.dump(data)) == data

    def test_readable(self) -> None:
        data = {
            "numbers": [1, -2, 1.5, True, None],
            "texts": ["1.50", "-_1", "v1", "yes", "", "2026-01-02T03:04:05Z", "x " * 200 + "x"],
            "lines": "one\ntwo\n",
        }
        assert yaml.dump(data) == (
            "numbers:\n- 1\n- -2\n- 1.5\n- true\n- null\n"
            "texts:\n- '1.50'\n- '-_1'\n- v1\n- 'yes'\n- ''\n- '2026-01-02T03:04:05Z'\n"
            f"- {'x ' * 200}x\nlines: |\n  one\n  two\n"
        )

    def test_many(self) -> None:
        assert list(yaml.load_all(yaml.dump_all(iter([{"a": 1}, {"b": 2}])))) == [{"a": 1}, {"b": 2}]


FINAL_COLONS = [
    "[1.2.3.4, 001:db8::]",
    "[2001:db8::, b]",
    "{a: b::}",
    "{a:, b: c}",
    "{a:,b: c}",
    "[x:,1]",
    "[a: b:, c]",
    "[[x:], {y: z:}]",
    "[&x a:, *x]",
    "[!!str a:, b]",
    '[x:, "a:,b", \'c:]\', {"d":[1], "e" :{}}] # f:]',
    "[x:,\n y:]",
]
"""Plain texts in brackets that end with a colon."""


class TestFinalColons:
    def test_are_part_of_the_text(self) -> None:
        assert yaml.load("a: [1.2.3.4, 001:db8::]") == {"a": ["1.2.3.4", "001:db8::"]}

    def test_in_bytes_and_beside_any_text(self) -> None:
        text = "a: [é:, \ue000, \ue001]\nb: |\n  c:]\n"
        assert yaml.load(text.encode()) == {"a": ["é:", "\ue000", "\ue001"], "b": "c:]\n"}

    def test_documents_before_are_not_repeated(self) -> None:
        assert list(yaml.load_all("a: 1\n---\n---\nb: [x:]\n")) == [{"a": 1}, {"b": ["x:"]}]

    def test_repeated_keys_are_collected_once(self) -> None:
        document, repeated = yaml.load_first("a: 1\na: 2\nb: [x:]\n")
        assert document == {"a": 2, "b": ["x:"]}
        assert len(repeated) == 1

    @pytest.mark.parametrize("text", ["{a:[1]}", "[a:, ::]", "[a:, b", "[a:]: [b", "a: [x:]\nb: c: d"])
    def test_what_is_wrong_stays_wrong(self, text: str) -> None:
        with pytest.raises(DecodeError, match="line"):
            yaml.load(text)


@pytest.mark.oracle
class TestAgainstUpstream:
    @pytest.mark.parametrize("text", FINAL_COLONS)
    def test_final_colons(self, oracle: Oracle, text: str) -> None:
        assert yaml.load(text) == json.loads(oracle.ask("yaml.json", text)["json"])

    @given(
        st.text(alphabet="ab1:, \"'", min_size=1, max_size=12),
        st.sampled_from(["[{}]", "{{{}}}", "[[{}], 1]"]),
    )
    def test_random_brackets(self, oracle: Oracle, inner: str, form: str) -> None:
        text = form.format(inner)
        try:
            expected = json.loads(oracle.ask("yaml.json", text)["json"])
        except OracleRefusal:
            return
        try:
            ours = yaml.load(text)
        except DecodeError:
            # A colon after a space or a quote is left.
            assert re.search(r"[\s\"']:[,\]}]", text)
        else:
            assert ours == expected

    @pytest.mark.parametrize("text", SCALARS)
    def test_scalars(self, oracle: Oracle, text: str) -> None:
        assert loaded(text) == json.loads(oracle.ask("yaml.json", f"k: {text}\n")["json"])["k"]

    @given(plain)
    def test_upstream_reads_what_is_written(self, oracle: Oracle, data: Any) -> None:
        if data is not None:
            assert json.loads(oracle.ask("yaml.json", yaml.dump(data))["json"]) == data

    @given(st.text(alphabet="0123456789.eE+-_xobnyYtrueNOf~", min_size=1, max_size=8))
    def test_random_scalars(self, oracle: Oracle, text: str) -> None:
        try:
            expected = json.loads(oracle.ask("yaml.json", f"- {text}\n")["json"])
        except OracleRefusal:
            return
        assert yaml.load(f"- {text}\n") == expected
