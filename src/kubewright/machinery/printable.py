"""What others wrote, made fit for a terminal."""

from __future__ import annotations

from typing import Final

__all__ = ["STEERING", "one_line", "printable"]

STEERING: Final = (
    # The control characters of ISO 6429, those in one byte and those of 8 bits, but for two.
    *(code for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"),
    # Marks, embeddings, overrides and isolates of the Unicode Bidirectional Algorithm, by which words are
    # shown in another order than they have; and the separators of lines and paragraphs among them.
    *(0x061C, 0x200E, 0x200F),
    *range(0x2028, 0x202F),
    *range(0x2066, 0x206A),
)
"""The characters that steer a terminal, or what people see in it; line feeds and tabs are not among them."""

_SPELLED: Final = {code: f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" for code in STEERING}
_ON_A_LINE: Final = {**_SPELLED, ord("\n"): "\\n"}


def printable(text: str) -> str:
    """The text with control characters spelled out, so that nothing in it can steer a terminal."""
    return text.translate(_SPELLED)


def one_line(text: str) -> str:
    """The same, with line feeds spelled out too, so that nothing in it can be taken for a line of its own."""
    return text.translate(_ON_A_LINE)
