"""What kubectl prints, in forms that can be compared: tables as rows, without ages."""

from __future__ import annotations

import re

__all__ = ["described", "rows", "table"]

# Where a column begins: at a word after two spaces or more; titles such as LAST SEEN have one in them.
_TITLE = re.compile(r"\S+(?: \S+)*")
_AGES = {"AGE", "LAST SEEN"}
_AGE = re.compile(r"<unknown>|<invalid>|(\d+[smhdy])+( ago)?")


def table(text: str) -> list[list[str]]:
    """The cells of a table with its titles; an age is "-" when it looks like one."""
    lines = text.splitlines()
    assert lines, "no table was printed"
    starts = [match.start() for match in _TITLE.finditer(lines[0])]
    bounds = list(zip(starts, [*starts[1:], None], strict=True))
    cut = [[line[start:end].strip() for start, end in bounds] for line in lines]
    ages = [index for index, title in enumerate(cut[0]) if title in _AGES]
    for cells in cut[1:]:
        for index in ages:
            assert _AGE.fullmatch(cells[index]), f"{cells[index]!r} is no age"
            cells[index] = "-"
    return cut


def rows(text: str) -> list[list[str]]:
    """The cells of a table without its titles."""
    return table(text)[1:]


def described(text: str) -> list[str]:
    """The lines of a description with single spaces, times and ages left out."""
    return [_without_times(" ".join(line.split())) for line in text.splitlines()]


_TIME = re.compile(r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000")


def _without_times(line: str) -> str:
    return _TIME.sub("<time>", line)
