"""Go's regular expressions. The answers are those of Go's own regexp package."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubewright.crd.go_regexp import _Automaton, matcher
from kubewright.crd.go_regexp_syntax import parse
from kubewright.machinery.errors import ParseError

ERRORS = {
    "(": "missing closing ): `(`",
    "a)": "unexpected ): `a)`",
    "a**": "invalid nested repetition operator: `**`",
    "a{2}{3}": "invalid nested repetition operator: `{2}{3}`",
    "*": "missing argument to repetition operator: `*`",
    "+?a": "missing argument to repetition operator: `+?`",
    "[z-a]": "invalid character class range: `z-a`",
    "[a": "missing closing ]: `[a`",
    "[[:foo:]]": "invalid character class range: `[:foo:]`",
    "\\pX": "invalid character class range: `\\pX`",
    "a{1001}": "invalid repeat count: `{1001}`",
    "a{3,2}": "invalid repeat count: `{3,2}`",
    "(a{100}){100}": "invalid repeat count: `{100}`",
    "(?=a)": "invalid or unsupported Perl syntax: `(?=`",
    "(?": "invalid or unsupported Perl syntax: `(?`",
    "(?i": "missing closing ): `(?i`",
    "(?P<n": "invalid named capture: `(?P<n`",
    "(?P<a b>x)": "invalid named capture: `(?P<a b>`",
    "\\y": "invalid escape sequence: `\\y`",
    "\\1": "invalid escape sequence: `\\1`",
    "\\C": "invalid escape sequence: `\\C`",
    "\\": "trailing backslash at end of expression: ``",
}


@pytest.mark.parametrize("pattern", ERRORS)
def test_errors_are_those_of_go(pattern: str) -> None:
    with pytest.raises(ParseError) as told:
        matcher(pattern)
    assert str(told.value) == f"error parsing regexp: {ERRORS[pattern]}"


MATCHES = [
    ("^a$", ["a"], ["a\n", "ba", ""]),
    ("b+", ["abc"], ["ac"]),
    (r"^\d+$", ["12"], ["\u0661", ""]),
    (r"\w", ["_"], ["\u00e9"]),
    (r"^\s$", [" ", "\f"], ["\v", "\u00a0"]),
    ("(?i)^key$", ["KEY", "\u212aey"], ["kez"]),
    ("(?i)^i$", ["I"], ["\u0130", "\u0131"]),
    ("(?s)^.$", ["\n"], []),
    ("^.$", ["\u00e9"], ["\n"]),
    ("(?m)^b$", ["a\nb\nc"], ["a b"]),
    (r"\Ab\z", ["b"], ["b\n"]),
    (r"a\b", ["a b", "a"], ["ab"]),
    (r"^\B$", [""], ["a"]),
    (r"^\pL+$", ["a\u00e9\u4e2d"], ["1"]),
    (r"^\p{Greek}$", ["\u03b1"], ["a"]),
    (r"^\P{Lu}$", ["a"], ["A"]),
    (r"^[^\pL]$", ["1"], ["a"]),
    ("^[[:alpha:]-]+$", ["a-b"], ["a1"]),
    (r"^\Q.*\E+$", [".*", ".**"], ["ab"]),
    (r"^\x41\x{e9}\101$", ["A\u00e9A"], ["A"]),
    ("^a{2,3}$", ["aa", "aaa"], ["a", "aaaa"]),
    ("^a{,2}$", ["a{,2}"], ["aa"]),
    ("^(?:a|b)?c*?$", ["a", "bcc", ""], ["ab"]),
    ("^(?P<name>a)(?<other>b)$", ["ab"], ["a"]),
    ("^[]a]$", ["]", "a"], ["b"]),
    ("", ["", "a"], []),
]


@pytest.mark.parametrize(("pattern", "good", "bad"), MATCHES)
def test_matches_are_those_of_go(pattern: str, good: list[str], bad: list[str]) -> None:
    match, automaton = matcher(pattern), _Automaton(parse(pattern), pattern).matches
    assert [(match(text), automaton(text)) for text in good] == [(True, True)] * len(good)
    assert [(match(text), automaton(text)) for text in bad] == [(False, False)] * len(bad)


@pytest.mark.parametrize(
    "pattern", ["^(a+)+$", "^(a|a)*$", "^(a*)*$", "(a?){40}a{40}$", "^(.*a){20}$", "^(a|aa)+$"]
)
def test_no_pattern_takes_long(pattern: str) -> None:
    match = matcher(pattern)
    before = time.process_time()
    assert not match("a" * 5_000 + "b")
    assert time.process_time() - before < 5


def test_many_states_are_forgotten_not_kept() -> None:
    match = matcher("^(a|b)*a(a|b){13}$")
    text = "".join("ab"[number % 7 % 2] for number in range(20_000))
    assert match(text) == (text[-14] == "a")


def test_a_pattern_may_not_nest_or_grow_without_end() -> None:
    with pytest.raises(ParseError, match="nests too deeply"):
        matcher("(" * 5_000 + ")" * 5_000)
    with pytest.raises(ParseError, match="expression too large"):
        matcher("(a{900}|b{900}|c{900})" * 30)


PIECES = st.sampled_from(
    ["a", "b", "(", ")", "|", "*", "+", "?", "{2}", "[ab]", "[^a]", ".", "^", "$", "\\b", "(?i)"]
)


@settings(max_examples=500, deadline=None)
@given(st.lists(PIECES, max_size=8).map("".join), st.text("abAB\n", max_size=6))
def test_both_engines_agree(pattern: str, text: str) -> None:
    try:
        tree = parse(pattern)
    except ParseError:
        return
    assert matcher(pattern)(text) == _Automaton(tree, pattern).matches(text)
