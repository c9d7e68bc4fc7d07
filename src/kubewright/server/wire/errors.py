"""What is wrong with a body, in upstream's words, and the sentence that the API server makes of it."""

from __future__ import annotations

from typing import Final, final

from kubewright.machinery.errors import ParseError
from kubewright.machinery.field_errors import go_quote

__all__ = ["WireError", "WrongKind"]

_MAX_SUMMARY: Final = 30
"""How many bytes of a body upstream quotes."""


class WireError(ParseError):
    """A body that does not decode; `str()` is upstream's text of the decoder's error, without the sentence
    that a handler puts around it, which `bad_request` gives.

    `kind` and `api_version` are what the body is; `kind` is empty where that could not be found out: the body
    is no JSON, no object, or its kind is no text.
    """

    def __init__(self, text: str, *, api_version: str = "", kind: str = "", body: bytes = b"") -> None:
        super().__init__(text)
        self.api_version: Final = api_version
        self.kind: Final = kind
        self._body: Final = body

    def bad_request(self, expected_kind: str) -> str:
        """The message of the 400 that a create or update answers at an endpoint of that kind."""
        if self.kind:
            version = go_quote(self.api_version.rpartition("/")[2])
            return f"{self.kind} in version {version} cannot be handled as a {expected_kind}: {self}"
        return (
            f"the object provided is unrecognized (must be of type {expected_kind}): {self} "
            f"({_summary(self._body)})"
        )


@final
class WrongKind(WireError):
    """A body that decodes, but is of another kind or version than the endpoint's.

    `str()` is upstream's text where the kinds cannot be converted, or the kind is not known at all.
    """

    def __init__(self, text: str, *, api_version: str, kind: str, expected: str = "") -> None:
        super().__init__(text, api_version=api_version, kind=kind)
        self._expected: Final = expected

    def bad_request(self, expected_kind: str) -> str:
        """As of every WireError; only another version of the same kind has a sentence of its own."""
        if not self._expected:
            return super().bad_request(expected_kind)
        return (
            f"the API version in the data ({self.api_version}) does not match the expected API version "
            f"({self._expected})"
        )


def _summary(body: bytes) -> str:
    if not body:
        return "<empty>"
    cut = body[:_MAX_SUMMARY]
    shown = cut.decode(errors="replace") if cut.startswith(b"{") else cut.hex()
    return shown if len(body) <= _MAX_SUMMARY else shown + " ..."
