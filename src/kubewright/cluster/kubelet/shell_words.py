"""What of the language of shells is understood: words, quotes, variables, lists, pipes, few redirections."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

__all__ = ["LONGEST_WORD", "Incomplete", "NotUnderstood", "Pipeline", "Simple", "Word", "parse"]

LONGEST_WORD: Final = 128 << 10
"""How many characters variables may add to a word, and to all words of a command: Linux's MAX_ARG_STRLEN."""

_OPERATORS: Final = re.compile(r"(?:&&|\|\||[;|\n])|(?:([12]?)>\s*(&[12]|/dev/null|/dev/stderr|/dev/stdout))")
_VARIABLE: Final = re.compile(r"\$(?:([A-Za-z_][A-Za-z0-9_]*|[?$#0-9])|\{([A-Za-z_][A-Za-z0-9_]*|[?0-9])\})")
_FOREIGN: Final = frozenset("&<>()`")
_KEYWORDS: Final = frozenset(
    ("if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "function")
) | {"{", "}", "!"}
_BLANK: Final = " \t"


class NotUnderstood(Exception):
    """A script that is beyond what is understood; the text says of what."""


class Incomplete(Exception):
    """A script that ends within quotes."""


class Word(NamedTuple):
    """One word: texts, and whether variables in them are replaced."""

    parts: tuple[tuple[str, bool], ...]
    quoted: bool
    """Whether it stays a word when it is empty."""

    def expanded(self, variables: Mapping[str, str]) -> str:
        """The word, with its variables replaced. Raises NotUnderstood when that makes it too long."""
        left = LONGEST_WORD

        def value(match: re.Match[str]) -> str:
            nonlocal left
            text = variables.get(match[1] or match[2], "")
            left -= len(text)
            if left < 0:
                # A variable that is doubled a few times is longer than all memory.
                raise NotUnderstood(f"a pretended shell has no words of more than {LONGEST_WORD} characters")
            return text

        return "".join(_VARIABLE.sub(value, text) if replaced else text for text, replaced in self.parts)


class Simple(NamedTuple):
    """One command, and where its outputs go: `&1`, `&2` or `/dev/null`, by 1 and 2."""

    words: tuple[Word, ...]
    outputs: tuple[tuple[int, str], ...]


class Pipeline(NamedTuple):
    """Commands that are connected, and after what it runs: `&&` success, `||` failure, `;` anything."""

    after: str
    commands: tuple[Simple, ...]


def parse(text: str) -> list[Pipeline]:
    """The pipelines of a script, in order. Raises NotUnderstood and Incomplete."""
    pipelines: list[Pipeline] = []
    after, commands = ";", []
    words: list[Word] = []
    outputs: list[tuple[int, str]] = []
    for item in [*_tokens(text), ";"]:
        if isinstance(item, Word):
            words.append(item)
            continue
        if isinstance(item, tuple):
            outputs.append(item)
            continue
        if words or outputs:
            commands.append(Simple(tuple(words), tuple(outputs)))
            words, outputs = [], []
        elif item in {"|", "&&", "||"} or commands:
            raise NotUnderstood(f'syntax error: unexpected "{item if item != chr(10) else "newline"}"')
        if item == "|":
            continue
        if commands:
            pipelines.append(Pipeline(after, tuple(commands)))
            commands = []
            after = ";"
        if item in {"&&", "||"}:
            after = item
    return pipelines


def _tokens(text: str) -> Iterator[Word | tuple[int, str] | str]:
    at = 0
    first = True
    while at < len(text):
        if text[at] in _BLANK or text.startswith("\\\n", at):
            at += 2 if text[at] == "\\" else 1
            continue
        if text[at] == "#":
            at = text.find("\n", at) if "\n" in text[at:] else len(text)
            continue
        match = _OPERATORS.match(text, at)
        if match is not None:
            at = match.end()
            if match[2]:
                yield int(match[1] or 1), {"/dev/stderr": "&2", "/dev/stdout": "&1"}.get(match[2], match[2])
            else:
                first = True
                yield match[0]
            continue
        word, at = _word(text, at)
        if first and not word.quoted and word.parts and word.parts[0][0] in _KEYWORDS:
            raise NotUnderstood(f"a pretended shell knows no {word.parts[0][0]}")
        first = False
        yield word


def _word(text: str, at: int) -> tuple[Word, int]:
    parts: list[tuple[str, bool]] = []
    quoted = False
    plain = ""
    while at < len(text) and text[at] not in _BLANK and text[at] not in ";|\n":
        char = text[at]
        if char in _FOREIGN or text.startswith("$(", at):
            raise NotUnderstood(f"a pretended shell knows no {'$(' if char == '$' else char}")
        if char == "\\":
            parts += [(plain, True), (text[at + 1 : at + 2], False)]
            plain, quoted, at = "", True, at + 2
        elif char in "'\"":
            inner, at = _quoted(text, at)
            parts += [(plain, True), *inner]
            plain, quoted = "", True
        else:
            plain, at = plain + char, at + 1
    parts.append((plain, True))
    return Word(tuple(each for each in parts if each[0]), quoted), at


def _quoted(text: str, at: int) -> tuple[list[tuple[str, bool]], int]:
    quote, begin = text[at], at + 1
    if quote == "'":
        end = text.find("'", begin)
        if end < 0:
            raise Incomplete
        return [(text[begin:end], False)], end + 1
    parts: list[tuple[str, bool]] = []
    plain = ""
    at = begin
    while at < len(text) and text[at] != '"':
        if text.startswith("$(", at) or text[at] == "`":
            raise NotUnderstood(f"a pretended shell knows no {'$(' if text[at] == '$' else '`'}")
        if text[at] == "\\" and text[at + 1 : at + 2] in {'"', "$", "\\", "`"}:
            parts += [(plain, True), (text[at + 1], False)]
            plain, at = "", at + 2
        else:
            plain, at = plain + text[at], at + 1
    if at >= len(text):
        raise Incomplete
    return [*parts, (plain, True)], at + 1
