"""`matches`, `find` and `findAll`, with Go's regular expressions, in time that a pattern cannot blow up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final, TypeAlias

from kubewright.crd.cel.engine import find_all as engine_find_all
from kubewright.crd.cel.values import CelError, no_such_overload
from kubewright.crd.go_regexp import matcher
from kubewright.machinery.errors import ParseError

__all__ = ["PATTERN_FUNCTIONS", "compiled"]

_Call: TypeAlias = Callable[..., object]


@lru_cache(maxsize=512)
def compiled(pattern: str) -> Callable[[str], bool]:
    """What tells whether a text matches a pattern. Raises CelError, with Go's text, for a wrong one."""
    try:
        return matcher(pattern)
    except ParseError as error:
        raise CelError(str(error)) from None


def _matches(text: object, pattern: object) -> bool:
    if not isinstance(text, str) or not isinstance(pattern, str):
        raise no_such_overload("matches", text, pattern)
    return compiled(pattern)(text)


def _prepared_matches(pattern: object) -> _Call | None:
    if not isinstance(pattern, str):
        return None
    matches = compiled(pattern)

    def call(text: object, _pattern: object) -> bool:
        if not isinstance(text, str):
            raise no_such_overload("matches", text, pattern)
        return matches(text)

    return call


def _found(text: str, pattern: str) -> list[str]:
    try:
        compiled(pattern)
    except CelError as error:
        raise CelError(f"Illegal regex: {error}") from None
    return engine_find_all(text, pattern)


def _find(text: object, pattern: object) -> str:
    if not isinstance(text, str) or not isinstance(pattern, str):
        raise no_such_overload("find", text, pattern)
    found = _found(text, pattern)
    return found[0] if found else ""


def _find_all(text: object, pattern: object, limit: object = -1) -> list[object]:
    if not isinstance(text, str) or not isinstance(pattern, str) or type(limit) is not int:
        raise no_such_overload("findAll", text, pattern)
    found = _found(text, pattern)
    return list(found if limit < 0 else found[:limit])


def _checked(pattern: object) -> _Call | None:
    if isinstance(pattern, str):
        compiled(pattern)
    return None


PATTERN_FUNCTIONS: Final[Mapping[str, tuple[_Call, Callable[[object], _Call | None]]]] = {
    "matches": (_matches, _prepared_matches),
    "find": (_find, _checked),
    "findAll": (_find_all, _checked),
}
"""The implementations, and what they make of a literal pattern."""
