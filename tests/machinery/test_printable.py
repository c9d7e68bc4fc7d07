"""Texts of others on a terminal."""

from __future__ import annotations

import sys
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from kubewright.machinery.printable import one_line, printable


@given(st.text())
def test_nothing_is_left_that_steers_a_terminal(text: str) -> None:
    shown = printable(text)
    assert [char for char in shown if unicodedata.category(char) == "Cc" and char not in "\n\t"] == []
    assert not [char for char in shown if unicodedata.category(char) in {"Zl", "Zp"}]
    assert printable(shown) == shown


def test_nothing_is_left_that_turns_words_around() -> None:
    turning = {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}
    marks = {0x061C, 0x200E, 0x200F}  # they have the classes of the letters that they stand for
    for code in range(sys.maxunicode):
        if code in marks or unicodedata.bidirectional(chr(code)) in turning:
            assert printable(chr(code)) == f"\\u{code:04x}"


@given(st.text() | st.sampled_from(["a\nb", "a\r\nb", "a\x85b\u2028c"]))
def test_one_line_is_one(text: str) -> None:
    shown = one_line(text)
    assert len(f"|{shown}|".splitlines()) == 1
    assert one_line(printable(text)) == shown


def test_all_else_stays() -> None:
    assert printable("a\tb\nGrüße 日本 \\x1b") == "a\tb\nGrüße 日本 \\x1b"
    assert printable("\x00\x1b[2J\r\x7f\x9b") == r"\x00\x1b[2J\x0d\x7f\x9b"
