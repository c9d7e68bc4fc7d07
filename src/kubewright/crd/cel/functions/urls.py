"""`url()` and the parts of URLs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import quote, unquote, unquote_plus

from kubewright.crd.cel.functions.function import Function, per_argument
from kubewright.crd.cel.values import CelError, no_such_overload
from kubewright.crd.go_urls import Url, is_request_uri, parse_url
from kubewright.machinery.errors import ParseError
from kubewright.machinery.field_errors import go_quote

__all__ = ["FUNCTIONS", "UrlValue"]

_PATH_SAFE: Final = "$&+,/:;=@!'()*~"
"""What Go leaves as it is in an escaped path, besides letters, digits and -_. ."""


class UrlValue:
    """The value of `url()`."""

    __slots__ = ("text", "url")
    cel_type = "kubernetes.URL"

    def __init__(self, text: str, url: Url) -> None:
        self.text = text
        self.url = url

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UrlValue) and self.url == other.url

    def __hash__(self) -> int:
        return hash(self.url)


def _parse(text: str) -> UrlValue:
    wrong = "URL parse error during conversion from string: "
    try:
        url = parse_url(text)
    except ParseError as error:
        raise CelError(f"{wrong}{error}") from None
    if not is_request_uri(text):
        detail = "invalid URI for request" if text else "empty url"
        raise CelError(f"{wrong}parse {go_quote(text)}: {detail}")
    return UrlValue(text, url)


def _url(value: object) -> UrlValue:
    if not isinstance(value, str):
        raise no_such_overload("url", value)
    return _parse(value)


def _is_url(value: object) -> bool:
    if not isinstance(value, str):
        raise no_such_overload("isURL", value)
    return is_request_uri(value)


def _part(function: str, read: Callable[[Url], object]) -> Function:
    def call(value: object) -> object:
        if not isinstance(value, UrlValue):
            raise no_such_overload(function, value)
        return read(value.url)

    return Function(call)


def _host_port(host: str) -> tuple[str, str]:
    """The host's name without brackets, and its port."""
    name, colon, port = host.rpartition(":")
    if not colon or not (port == "" or port.isdigit()) or (host.startswith("[") and not name.endswith("]")):
        name, port = host, ""
    if name.startswith("[") and name.endswith("]"):
        name = name[1:-1]
    return name, port


def _escaped_path(url: Url) -> str:
    path = url.path
    return path if quote(unquote(path), safe=_PATH_SAFE + "%") == path else quote(path, safe=_PATH_SAFE + "%")


def _query(url: Url) -> dict[object, object]:
    found: dict[object, object] = {}
    for pair in url.query.split("&") if url.query else ():
        if not pair or ";" in pair:
            continue
        key, _, value = pair.partition("=")
        values = found.setdefault(unquote_plus(key), [])
        values.append(unquote_plus(value))  # type: ignore[attr-defined] # a list
    return found


FUNCTIONS: Final[Mapping[str, Function]] = {
    "url": Function(_url, per_argument()),
    "isURL": Function(_is_url),
    "getScheme": _part("getScheme", lambda url: url.scheme),
    "getHost": _part("getHost", lambda url: url.host),
    "getHostname": _part("getHostname", lambda url: _host_port(url.host)[0]),
    "getPort": _part("getPort", lambda url: _host_port(url.host)[1]),
    "getEscapedPath": _part("getEscapedPath", _escaped_path),
    "getQuery": _part("getQuery", _query),
}
