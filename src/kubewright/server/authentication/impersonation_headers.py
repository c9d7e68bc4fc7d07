"""Whom a request wants to act for: the impersonation headers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote_to_bytes

from kubewright.machinery.field_errors import go_quote
from kubewright.server.errors import bad_request
from kubewright.server.registry.write import User

if TYPE_CHECKING:
    from kubewright.server.handlers.call import Headers

__all__ = ["wanted_user"]

_USER: Final = "Impersonate-User"
_UID: Final = "Impersonate-Uid"
_GROUP: Final = "Impersonate-Group"
_EXTRA: Final = "impersonate-extra-"
_ANY: Final = "impersonate-"

_bad_escape: Final = re.compile(r"%(?![0-9a-fA-F]{2})").search


def wanted_user(headers: Headers) -> User | None:
    """Whom a request wants to act for, just as the headers say it; None for requests that impersonate nobody.

    Of several names the first counts, as upstream does it. Raises BadRequest when they say of somebody
    without a name what groups, uid or extras to have.
    """
    if not _any(headers):
        return None
    name = _text(headers.get(_USER, ""))
    uid = _text(headers.get(_UID, ""))
    groups = tuple(map(_text, headers.getall(_GROUP, [])))
    extra = _extra(headers.items())
    wanted = User(name=name, uid=uid, groups=groups, extra=extra)
    if name:
        return wanted
    if uid or groups or extra:
        raise bad_request(f"requested {_go_text(wanted)} without impersonating a user name")
    return None


def _any(headers: Headers) -> bool:
    # On every request, so it looks at one letter first, and a loop is quicker than a generator.
    for name in headers:  # noqa: SIM110
        if name[:1] in "Ii" and name[: len(_ANY)].lower() == _ANY:
            return True
    return False


def _extra(headers: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    extra: dict[str, list[str]] = {}
    for header, value in headers:
        if header[: len(_EXTRA)].lower() == _EXTRA:
            extra.setdefault(_key(header[len(_EXTRA) :].lower()), []).append(_text(value))
    return extra


def _key(encoded: str) -> str:
    """The key in a header's name, which is percent-encoded; what is encoded wrongly is taken as it is."""
    if "%" not in encoded or _bad_escape(encoded):
        return encoded
    return unquote_to_bytes(encoded).decode(errors="replace")


def _text(value: str) -> str:
    """A header's value as UTF-8; what is none has come as surrogates, which nothing could write again."""
    if value.isascii():
        return value
    return value.encode(errors="surrogateescape").decode(errors="replace")


def _go_text(user: User) -> str:
    """A user as Go's %#v writes it."""
    members = ", ".join(f"{go_quote(key)}:{_go_list(user.extra[key])}" for key in sorted(user.extra))
    extra = f"map[string][]string{{{members}}}" if user.extra else "map[string][]string(nil)"
    groups = _go_list(user.groups) if user.groups else "[]string(nil)"
    return (
        f"&user.DefaultInfo{{Name:{go_quote(user.name)}, UID:{go_quote(user.uid)}, Groups:{groups}, "
        f"Extra:{extra}}}"
    )


def _go_list(texts: Sequence[str]) -> str:
    return f"[]string{{{', '.join(map(go_quote, texts))}}}"
