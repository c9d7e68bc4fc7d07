"""The Warning headers with which an API server says what it let pass but thinks wrong."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

__all__ = ["read_warnings"]

_WARNING: Final = re.compile(r'299 \S+ "((?:[^"\\]|\\.)*)"')
"""Code 299, an agent, and a quoted text; a header may hold several, separated by commas."""

_ESCAPED: Final = re.compile(r"\\(.)")


def read_warnings(headers: Iterable[str]) -> Iterator[str]:
    """The texts of the warnings; what is no warning of an API server is skipped."""
    for header in headers:
        for found in _WARNING.finditer(header):
            yield _ESCAPED.sub(r"\1", found[1])
