"""`semver()`: versions of Semantic Versioning 2.0, as github.com/blang/semver reads them, with its errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from kubewright.crd.cel.functions.function import Function, per_argument
from kubewright.crd.cel.values import CelError, no_such_overload
from kubewright.machinery.field_errors import go_quote

__all__ = ["FUNCTIONS", "Semver"]

_DIGITS: Final = frozenset("0123456789")
_WORD: Final = frozenset("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-")
_MAX_NUMBER: Final = 2**64 - 1


class Semver(NamedTuple):
    """The value of `semver()`. What is built besides does not count in comparisons."""

    major: int
    minor: int
    patch: int
    pre: tuple[int | str, ...]

    @property
    def cel_type(self) -> str:
        return "kubernetes.Semver"

    def compared_to(self, other: Semver) -> int:
        """-1, 0 or 1."""
        one, two = self[:3], other[:3]
        if one != two:
            return 1 if one > two else -1
        if bool(self.pre) != bool(other.pre):
            return -1 if self.pre else 1
        mine, theirs = _ranked(self.pre), _ranked(other.pre)
        return (mine > theirs) - (mine < theirs)


def _ranked(pre: tuple[int | str, ...]) -> list[tuple[int, int, str]]:
    """Numbers come before words, and are compared as numbers."""
    return [(0, part, "") if isinstance(part, int) else (1, 0, part) for part in pre]


def parse(text: str) -> Semver:
    """Read a version. Raises CelError with the text of the Go library."""
    if not text:
        raise CelError("Version string empty")
    parts = text.split(".", 2)
    if len(parts) != 3:
        raise CelError("No Major.Minor.Patch elements found")
    major = _number("Major", "major", parts[0])
    minor = _number("Minor", "minor", parts[1])
    patch, build = parts[2], None
    if "+" in patch:
        patch, _, build = patch.partition("+")
    pre = None
    if "-" in patch:
        patch, _, pre = patch.partition("-")
    number = _number("Patch", "patch", patch)
    words = tuple(map(_pre_release, pre.split("."))) if pre is not None else ()
    for word in build.split(".") if build is not None else ():
        if not word:
            raise CelError("Build meta data is empty")
        if not _WORD.issuperset(word):
            raise CelError(f"Invalid character(s) found in build meta data {go_quote(word)}")
    return Semver(major, minor, number, words)


def _number(title: str, name: str, text: str) -> int:
    if not _DIGITS.issuperset(text):
        raise CelError(f"Invalid character(s) found in {name} number {go_quote(text)}")
    if len(text) > 1 and text[0] == "0":
        raise CelError(f"{title} number must not contain leading zeroes {go_quote(text)}")
    return _unsigned(text)


def _unsigned(text: str) -> int:
    if not text:
        raise CelError('strconv.ParseUint: parsing "": invalid syntax')
    if len(text) > 20 or int(text) > _MAX_NUMBER:
        raise CelError(f"strconv.ParseUint: parsing {go_quote(text)}: value out of range")
    return int(text)


def _pre_release(word: str) -> int | str:
    if not word:
        raise CelError("Prerelease is empty")
    if _DIGITS.issuperset(word):
        if len(word) > 1 and word[0] == "0":
            raise CelError(f"Numeric PreRelease version must not contain leading zeroes {go_quote(word)}")
        return _unsigned(word)
    if not _WORD.issuperset(word):
        raise CelError(f"Invalid character(s) found in prerelease {go_quote(word)}")
    return word


def _normalized(text: str) -> str:
    """Kubernetes' tolerance: a `v` before, leading zeros, and missing minor and patch numbers."""
    parts = text.removeprefix("v").split(".", 2)
    for at, part in enumerate(parts):
        if len(part) > 1:
            short = part.lstrip("0")
            parts[at] = short if short and short[0] in _DIGITS else f"0{short}"
    if len(parts) < 3:
        if any(char in parts[-1] for char in "+-"):
            raise CelError("short version cannot contain PreRelease/Build meta data")
        parts.extend(["0"] * (3 - len(parts)))
    return ".".join(parts)


def _semver(value: object, normalize: object = False) -> Semver:
    if not isinstance(value, str) or not isinstance(normalize, bool):
        raise no_such_overload("semver", value)
    return parse(_normalized(value) if normalize else value)


def _is_semver(value: object, normalize: object = False) -> bool:
    if not isinstance(value, str) or not isinstance(normalize, bool):
        raise no_such_overload("isSemver", value)
    try:
        _semver(value, normalize)
    except CelError:
        return False
    return True


def _part(function: str, at: int) -> Function:
    def call(value: object) -> object:
        if not isinstance(value, Semver):
            raise no_such_overload(function, value)
        number = (value.major, value.minor, value.patch)[at]
        # Upstream turns an uint64 into an int64, whatever becomes of it.
        return number - 2**64 if number >= 2**63 else number

    return Function(call)


FUNCTIONS: Final[Mapping[str, Function]] = {
    "semver": Function(_semver, per_argument()),
    "isSemver": Function(_is_semver, per_argument()),
    "major": _part("major", 0),
    "minor": _part("minor", 1),
    "patch": _part("patch", 2),
}
