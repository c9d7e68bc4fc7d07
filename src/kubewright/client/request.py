"""Requests and answers as values: what is sent, without sending it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import quote, urlencode

import msgspec

from kubewright.machinery.errors import ApiError, DecodeError, error_from_status
from kubewright.machinery.status import Status, StatusDetails

__all__ = ["APPLY", "JSON", "JSON_PATCH", "MERGE_PATCH", "STRATEGIC_PATCH", "Request", "Response"]

JSON: Final = "application/json"
JSON_PATCH: Final = "application/json-patch+json"
MERGE_PATCH: Final = "application/merge-patch+json"
STRATEGIC_PATCH: Final = "application/strategic-merge-patch+json"
APPLY: Final = "application/apply-patch+yaml"
"""Server-side apply; its YAML may be JSON."""

_NO_HEADERS: Final[Mapping[str, str]] = {}

_SHOWN: Final = 1024
"""How much of an answer that is no Status an error quotes; proxies answer with whole pages."""

_REASONS: Final = {
    400: "BadRequest",
    401: "Unauthorized",
    403: "Forbidden",
    404: "NotFound",
    405: "MethodNotAllowed",
    406: "NotAcceptable",
    409: "Conflict",
    410: "Gone",
    413: "RequestEntityTooLarge",
    415: "UnsupportedMediaType",
    422: "Invalid",
    429: "TooManyRequests",
    500: "InternalError",
    503: "ServiceUnavailable",
    504: "Timeout",
}
"""The reasons that go with the codes of answers that are no Status."""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """One request, relative to the server: no credential is in it."""

    method: str
    path: str
    """Percent-encoded, from the leading slash on."""
    query: Sequence[tuple[str, str]] = ()
    body: bytes = b""
    content_type: str = JSON
    """Of the body, when there is one."""
    accept: str = JSON
    headers: Mapping[str, str] = _NO_HEADERS
    """Whatever else is to be said."""
    once: bool = False
    """Whether an answer is taken as it is that asks to come back later."""

    @property
    def target(self) -> str:
        """The path and the query."""
        return f"{self.path}?{urlencode(self.query, quote_via=quote)}" if self.query else self.path

    def __repr__(self) -> str:
        return f"Request({self.method} {self.target}, {len(self.body)} bytes)"


class Response(msgspec.Struct, frozen=True):
    """A whole answer."""

    status: int
    body: bytes
    headers: Mapping[str, str] = _NO_HEADERS

    @property
    def retry_after(self) -> int | None:
        """The seconds after which the server asks to try again, by its header; None when it does not."""
        # The form with a date is not used by API servers.
        text = self.headers.get("Retry-After", "")
        return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None

    def error(self) -> ApiError | None:
        """The refusal that this answer is; None when it is none."""
        if self.status < 400:
            return None
        retry_after = self.retry_after
        status = self._sent_status()
        if status is None:
            text = self.body[:_SHOWN].decode(errors="replace").strip()
            status = Status(
                status="Failure",
                code=self.status,
                reason=_REASONS.get(self.status, ""),
                message=text or f"the server answered with {self.status} and nothing else",
            )
        if retry_after is not None:
            details = status.details = status.details or StatusDetails()
            if not details.retry_after_seconds:
                details.retry_after_seconds = retry_after
        return error_from_status(status)

    def _sent_status(self) -> Status | None:
        if not self.body.startswith(b"{"):
            return None
        try:
            status = Status.from_json(self.body)
        except DecodeError:
            return None
        if not status.code:
            status.code = self.status
        return status
