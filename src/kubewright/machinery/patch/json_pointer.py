"""JSON pointers (RFC 6901): the paths of a JSON patch."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from kubewright.machinery.patch.errors import MalformedPatchError, PatchError
from kubewright.machinery.patch.values import quote

__all__ = ["format_pointer", "list_index", "parse_pointer", "pointer_token"]

_INDEX: Final = re.compile(r"[+-]?0*([0-9]{1,18})", re.ASCII)
"""What Go's strconv.Atoi takes; more than 18 digits index no list anyway."""


def parse_pointer(text: str) -> list[str]:
    """The names that a pointer leads through; none for the whole document.

    An escape other than `~0` and `~1` stands for itself, as it does for kube-apiserver. Raises
    MalformedPatchError for a pointer that does not start with a slash: kube-apiserver takes `a/b` for `/b`,
    which nobody can mean.
    """
    if not text:
        return []
    if text[0] != "/":
        raise MalformedPatchError(f'the path {quote(text)} does not start with "/", as in "/metadata/labels"')
    tokens = text[1:].split("/")
    if "~" in text:
        return [token.replace("~1", "/").replace("~0", "~") for token in tokens]
    return tokens


def pointer_token(name: str) -> str:
    """A member name as a pointer spells it."""
    return name.replace("~", "~0").replace("/", "~1")


def format_pointer(tokens: Sequence[str]) -> str:
    """The pointer that leads through these names."""
    return "".join("/" + pointer_token(token) for token in tokens)


def list_index(token: str, length: int, *, to_insert: bool = False) -> int:
    """The index that a token means in a list of this length: -1 is the last element, as for kube-apiserver.

    `to_insert` allows one past the end, and -1 then means that. Raises PatchError when the token is no number
    or leads outside the list.
    """
    match = _INDEX.fullmatch(token)
    if match is None:
        raise PatchError(f"{quote(token)} is not an index of a list")
    places = length + 1 if to_insert else length
    index = int(match.group(1))
    if token[0] == "-" and index:
        index = places - index
    if not 0 <= index < places:
        raise PatchError(f"the index {quote(token)} is outside the list, which has {length} elements")
    return index
