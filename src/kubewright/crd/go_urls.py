"""URLs as Go's net/url reads them, as far as formats and webhook addresses ask."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from kubewright.machinery.errors import ParseError
from kubewright.machinery.field_errors import go_quote

__all__ = ["Url", "is_request_uri", "parse_url"]

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*").fullmatch
_ESCAPE: Final = re.compile(r"%(?![0-9a-fA-F]{2}).{0,2}", re.DOTALL).search
_HOST_BAD: Final = re.compile(r"[\x00-\x20\x7f`{}|\\^%/?#]").search
_USER_BAD: Final = re.compile(r"[^A-Za-z0-9\-._:~!$&'()*+,;=%@]").search
_PORT: Final = re.compile(r":[0-9]*").fullmatch


class Url(NamedTuple):
    """The parts of a URL."""

    scheme: str = ""
    opaque: str = ""
    user: str | None = None
    host: str = ""
    path: str = ""
    query: str = ""
    fragment: str = ""


def is_request_uri(text: str) -> bool:
    """Whether url.ParseRequestURI takes the text: an absolute URI, or an absolute path."""
    try:
        _parse(text, by_request=True)
    except ParseError:
        return False
    return True


def parse_url(text: str) -> Url:
    """Read a URL as url.Parse does. Raises ParseError with the text of Go's error."""
    whole, _, fragment = text.partition("#")
    try:
        url = _parse(whole, by_request=False)
        _check_escapes(fragment)
    except ParseError as error:
        raise ParseError(f"parse {go_quote(text if '#' not in text else whole)}: {error}") from error
    return url._replace(fragment=fragment)


def _parse(text: str, *, by_request: bool) -> Url:
    if any(char < " " or char == "\x7f" for char in text):
        raise ParseError("net/url: invalid control character in URL")
    if not text and by_request:
        raise ParseError("empty url")
    if text == "*":
        return Url(path="*")
    scheme, rest = _scheme(text)
    rest, _, query = rest.partition("?")
    if not rest.startswith("/"):
        if scheme:
            return Url(scheme=scheme, opaque=rest, query=query)
        if by_request:
            raise ParseError("invalid URI for request")
        if ":" in rest.partition("/")[0]:
            raise ParseError("first path segment in URL cannot contain colon")
    user: str | None = None
    host = ""
    if rest.startswith("//") and (scheme or (not by_request and not rest.startswith("///"))):
        authority, slash, path = rest[2:].partition("/")
        rest = slash + path
        user, host = _authority(authority)
    _check_escapes(rest)
    return Url(scheme=scheme, user=user, host=host, path=rest, query=query)


def _scheme(text: str) -> tuple[str, str]:
    before, colon, after = text.partition(":")
    if text.startswith(":"):
        raise ParseError("missing protocol scheme")
    if colon and _SCHEME(before):
        return before.lower(), after
    return "", text


def _authority(text: str) -> tuple[str | None, str]:
    user, at, host = text.rpartition("@")
    if at:
        if _USER_BAD(user):
            raise ParseError("net/url: invalid userinfo")
        _check_escapes(user)
    return (user if at else None), _host(host)


def _host(host: str) -> str:
    if host.startswith("["):
        end = host.rfind("]")
        if end < 0:
            raise ParseError("missing ']' in host")
        port = host[end + 1 :]
        if port and not _PORT(port):
            raise ParseError(f"invalid port {go_quote(port)} after host")
        return host
    name, colon, port = host.rpartition(":")
    if colon and not _PORT(f":{port}"):
        raise ParseError(f"invalid port {go_quote(':' + port)} after host")
    bad = _HOST_BAD(name if colon else host)
    if bad is not None:
        if bad[0] == "%":
            found = host[bad.start() : bad.start() + 3]
            raise ParseError(f"invalid URL escape {go_quote(found)}")
        raise ParseError(f"invalid character {go_quote(bad[0])} in host name")
    return host


def _check_escapes(text: str) -> None:
    found = _ESCAPE(text) if "%" in text else None
    if found is not None:
        raise ParseError(f"invalid URL escape {go_quote(found[0])}")
