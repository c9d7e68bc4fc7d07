"""Tokens that are known beforehand: the administrator's, and those of a file in upstream's form."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from kubewright.machinery.errors import KubewrightError
from kubewright.server.authentication.authenticator import Identity, intersection
from kubewright.server.registry.write import User

__all__ = ["StaticTokens", "TokenFileInvalid", "read_token_file", "token_digest"]

_MAX_FILE: Final = 16 << 20
"""The largest file of tokens that is read: some hundred thousand of them."""

_COLUMNS: Final = 3
"""The columns that a line must have: token, user and uid. The fourth has the groups."""


class TokenFileInvalid(KubewrightError):
    """A file of tokens cannot be used; the message names the line and never a token."""


class StaticTokens:
    """Recognises callers by tokens that are known beforehand.

    They are kept and looked up by their digests, so that the time of a look-up tells nothing of a token.
    """

    def __init__(self, users: Mapping[str, User], audiences: Sequence[str]) -> None:
        self._users: Final = {token_digest(token): user for token, user in users.items()}
        self._audiences: Final = audiences

    async def authenticate(self, token: str, digest: bytes, audiences: Sequence[str]) -> Identity | None:
        """Whose token this is. They are good for the audiences of the server."""
        user = self._users.get(digest)
        if user is None:
            return None
        common = intersection(self._audiences, audiences)
        return Identity(user, common) if common else None


def token_digest(token: str) -> bytes:
    """By what a token is looked up."""
    return hashlib.sha256(token.encode(errors="surrogateescape")).digest()


def read_token_file(path: Path) -> dict[str, User]:
    """The users by their tokens, of a file with lines `token,user,uid,"group1,group2"`.

    Of lines with the same token the last one counts, and lines without a token are skipped, as upstream
    does it. Raises TokenFileInvalid.
    """
    try:
        data = path.read_bytes() if path.stat().st_size <= _MAX_FILE else None
    except OSError as error:
        raise TokenFileInvalid(f"the token file {path} cannot be read: {error.strerror}") from None
    if data is None:
        raise TokenFileInvalid(f"the token file {path} is larger than {_MAX_FILE >> 20} MiB")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise TokenFileInvalid(f"line {line} of the token file {path} is no UTF-8") from None
    # Lines end where CSV says: there are more characters that Python takes for ends of lines.
    return dict(_users(path, io.StringIO(text, newline="")))


def _users(path: Path, lines: Iterable[str]) -> Iterator[tuple[str, User]]:
    reader = csv.reader(lines, strict=True)
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error:
            # What it says may quote the line.
            raise TokenFileInvalid(
                f"line {reader.line_num} of the token file {path} is no CSV; write token,user,uid and, in "
                'quotes, the groups: token,user,uid,"group1,group2"'
            ) from None
        if not row:
            continue
        if len(row) < _COLUMNS:
            raise TokenFileInvalid(
                f"line {reader.line_num} of the token file {path} has {len(row)} columns; it needs token, "
                "user and uid"
            )
        token, name, uid = row[:_COLUMNS]
        groups = tuple(row[_COLUMNS].split(",")) if len(row) > _COLUMNS else ()
        if token:
            yield token, User(name=name, uid=uid, groups=groups)
