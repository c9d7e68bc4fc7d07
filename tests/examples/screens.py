"""What a terminal shows after a program has written to it: as much of one as the examples use."""

from __future__ import annotations

import re

__all__ = ["shown"]

_PARTS = re.compile(r"\x1b\[(\d*)([A-Za-z])|(\r)|(\n)|([^\x1b\r\n]+)|(\x1b.)", re.DOTALL)


def shown(written: str) -> list[str]:
    """The lines, also those that have scrolled away. Raises ValueError for what it does not know."""
    lines, row, column = [""], 0, 0
    for found in _PARTS.finditer(written):
        number, control, is_return, is_feed, text, unknown = found.groups()
        if is_return:
            column = 0
        elif is_feed:
            row += 1
            lines += [""] * (row + 1 - len(lines))
        elif text:
            lines[row] = f"{lines[row]:<{column}}"[:column] + text + lines[row][column + len(text) :]
            column += len(text)
        elif control == "F":
            row, column = row - int(number or 1), 0
        elif control == "K":
            lines[row] = lines[row][:column]
        elif control == "J":
            lines[row] = lines[row][:column]
            del lines[row + 1 :]
        elif control != "m" or unknown:
            raise ValueError(f"{found[0]!r} is no sequence that is known here")
        assert row >= 0, "above the first line"
    return [line.rstrip() for line in lines]
