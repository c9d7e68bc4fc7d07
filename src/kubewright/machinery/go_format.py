"""Plain data as Go's fmt prints it, for messages that programs and people compare with upstream's."""

from __future__ import annotations

from typing import Any

__all__ = ["go_text"]


def go_text(value: Any) -> str:
    """Decoded JSON as `%v` prints it: `map[a:1 b:[x y]]`."""
    if isinstance(value, dict):
        return f"map[{' '.join(f'{key}:{go_text(value[key])}' for key in sorted(value))}]"
    if isinstance(value, list):
        return f"[{' '.join(map(go_text, value))}]"
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _float_text(value)
    return str(value)


def _float_text(value: float) -> str:
    """The shortest digits, with an exponent from 1e21 on and below 1e-4."""
    digits, _, exponent = repr(value).partition("e")
    if not exponent:
        return digits.removesuffix(".0")
    if 0 <= int(exponent) < 21:
        return str(int(value))
    return f"{digits.removesuffix('.0')}e{exponent[0]}{exponent[1:].zfill(2)}"
