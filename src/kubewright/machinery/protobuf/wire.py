"""What both directions share: bytes of the envelope, limits, and places in what is wrong."""

from __future__ import annotations

from typing import Final

__all__ = ["MAGIC", "MAX_DEPTH", "Malformed", "quote"]

MAGIC: Final = b"k8s\x00"
"""The four bytes with which every body in the Kubernetes protobuf encoding begins."""

MAX_DEPTH: Final = 200
"""How deep messages may nest. Upstream sets no limit; a CRD with a whole pod template in it has some 40."""


class Malformed(Exception):
    """What is wrong with one value; the names of the fields around it are added on the way out."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem: Final = problem
        self.path: Final[list[str]] = []

    def __str__(self) -> str:
        place = ""
        for name in reversed(self.path):
            place += name if name.startswith("[") or not place else f".{name}"
        return f"{place or 'the object itself'}: {self.problem}"


def quote(value: object) -> str:
    """A value for a sentence that it must not drown: cut short, and only its type when it is no scalar."""
    if isinstance(value, str | bytes):
        return repr(value) if len(value) <= 64 else repr(value[:61]) + "..."
    if isinstance(value, bool | float) or (isinstance(value, int) and value.bit_length() <= 128):
        return repr(value)
    return f"a {type(value).__name__}"
