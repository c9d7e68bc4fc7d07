"""Plain data and prose as Python source text, the way a formatter would leave it."""

from __future__ import annotations

import re
import textwrap
from typing import Any, Final

__all__ = ["prose", "source_of", "text_literal"]

_ESCAPES: Final = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}

_NEW_LINE: Final = re.compile(r"^\s*(?:[-*+•]|[0-9]+[.)])\s|^\s{2,}\S|^#")
"""A line of a description that is not the rest of the one before it: of a list, indented, or a heading."""


def text_literal(text: str) -> str:
    """A string literal: in the quotes that need fewer escapes, and raw where that spares backslashes."""
    quote = "'" if text.count('"') > text.count("'") else '"'
    if "\\" in text and text.isprintable() and quote not in text and not text.endswith("\\"):
        return f"r{quote}{text}{quote}"
    return f"{quote}{''.join(_escaped(character, quote) for character in text)}{quote}"


def _escaped(character: str, quote: str) -> str:
    if character == quote:
        return f"\\{character}"
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def source_of(value: Any) -> str:
    """The source text of plain data."""
    if isinstance(value, str):
        return text_literal(value)
    if isinstance(value, dict):
        return f"{{{', '.join(f'{source_of(key)}: {source_of(each)}' for key, each in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(source_of(each) for each in value)}]"
    return repr(value)


def prose(text: str, *, width: int) -> str:
    """A description with its lines wrapped anew; paragraphs and lists stay apart."""
    made: list[str] = []
    for line in text.expandtabs(4).splitlines():
        clean = "".join(character for character in line if character.isprintable()).rstrip()
        if not clean or not made or not made[-1] or _NEW_LINE.match(clean):
            made.append(clean)
        else:
            made[-1] = f"{made[-1]} {clean.strip()}"
    wrapped = [_wrapped(line, width) if line else "" for line in made]
    first, newline, rest = re.sub(r"\n{3,}", "\n\n", "\n".join(wrapped)).strip().partition("\n")
    # What all lines but the first are indented by, a formatter takes away.
    return f"{first}{newline}{textwrap.dedent(rest)}"


def _wrapped(line: str, width: int) -> str:
    indent = " " * (len(line) - len(line.lstrip()))
    return textwrap.fill(
        line.strip(),
        width,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
