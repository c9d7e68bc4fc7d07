"""Docstrings as this project writes them, made into the reStructuredText that autodoc expects.

They are plain text: names and code stand in single backticks, code of several lines is indented, lists have
hyphens. Nothing else in them is markup, so everything that reStructuredText would take for some is escaped.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping
from textwrap import dedent
from typing import Final

__all__ = ["to_restructured_text"]

_CODE: Final = re.compile(r"(`+)(.+?)\1", re.DOTALL)
_NAME: Final = re.compile(r"([A-Za-z_]\w*)((?:\.[A-Za-z_]\w*)*)(\(\))?")
_MARKUP: Final = re.compile(r"[\\*|]|(?<=\w)_(?!\w)")
"""What is markup outside of code; an underscore is where a word ends with it."""
_DRAWING: Final = re.compile("[├└│]")
"""A tree that is drawn with lines."""
_ITEM: Final = re.compile(r"- |\d+\. ")
_MAY_STAND_BEFORE: Final = " \n'\"([{<-/:"
_MAY_STAND_AFTER: Final = " \n'\")]}>-/:.,;!?"


def to_restructured_text(lines: Iterable[str], names: Mapping[str, str]) -> list[str]:
    """The lines of a docstring in reStructuredText; `names` has where a name in backticks leads to."""
    text = "\n".join(lines).expandtabs().strip("\n")
    made: list[str] = []
    for block in re.split(r"\n(?:[ ]*\n)+", text):
        if not block.strip():
            continue
        if block.startswith("    ") or _DRAWING.search(block):
            made += _code_block(block)
        else:
            made += _prose(block, lambda code: _inline(code, names))
        made.append("")
    return made


def _code_block(block: str) -> list[str]:
    code = dedent(block)
    try:
        compile(code, "docstring", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | ast.PyCF_ONLY_AST)
    except SyntaxError:
        language = "text"
    else:
        language = "python"
    return [f".. code-block:: {language}", "", *(f"    {line}" for line in code.splitlines())]


def _prose(block: str, inline: Callable[[str], str]) -> list[str]:
    """Paragraphs and lists; where one begins right after the other, an empty line comes between."""
    lines: list[str] = []
    in_list = False
    for line in _with_code(block, inline).splitlines():
        if _ITEM.match(line):
            if lines and not in_list:
                lines.append("")
            in_list = True
        elif in_list and not line.startswith(" "):
            lines.append("")
            in_list = False
        lines.append(line if in_list else line.lstrip())
    return lines


def _with_code(text: str, inline: Callable[[str], str]) -> str:
    pieces: list[str] = []
    end = 0
    for found in _CODE.finditer(text):
        pieces.append(_escaped(text[end : found.start()]))
        if found.start() and text[found.start() - 1] not in _MAY_STAND_BEFORE:
            pieces.append("\\ ")
        pieces.append(inline(" ".join(found[2].split())))
        end = found.end()
        if end < len(text) and text[end] not in _MAY_STAND_AFTER:
            pieces.append("\\ ")
    return "".join([*pieces, _escaped(text[end:])])


def _escaped(text: str) -> str:
    return _MARKUP.sub(lambda found: "\\" + found[0], text)


def _inline(code: str, names: Mapping[str, str]) -> str:
    """A name as a link to where it is described, if it is; anything else as it is written."""
    name = _NAME.fullmatch(code)
    if name is None:
        return f"``{code}``" if not code.startswith("`") and not code.endswith("`") else f":code:`{code}`"
    head, rest, _ = name.groups()
    target = names.get(head, head) + rest
    return f":py:obj:`{code} <{target}>`"
