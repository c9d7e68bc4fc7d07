"""Who a program is to the API server: what credentials are, and those that need nobody else to be renewed.

`Credentials` is what a configuration holds, `Credential` what one request shows. The ones that ask somebody
else are in `exec_credentials` and `oidc`.
"""

from __future__ import annotations

import base64
import logging
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Protocol

import msgspec

from kubewright.config.errors import ConfigError

__all__ = [
    "ANONYMOUS",
    "ClientCertificate",
    "Credential",
    "Credentials",
    "StaticCredentials",
    "TokenFile",
    "bearer",
]

_log: Final = logging.getLogger("kubewright.config")

_PERIOD: Final = 60.0
"""For how many seconds a token that was read is good: client-go's period, half of the time between the
kubelet's renewal of a projected token and the end of the old one."""

_LEEWAY: Final = 10.0
"""How many seconds before that it is read again: client-go's leeway."""

_MAX_TOKEN: Final = 1 << 20
"""Bytes of a token file that are read: more than the megabyte that a server takes as headers is no token."""


class ClientCertificate(msgspec.Struct, frozen=True):
    """A certificate (with its intermediates) and its private key, both in PEM; shown to servers over TLS."""

    certificate: bytes
    key: bytes

    def __repr__(self) -> str:
        return "ClientCertificate(...)"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return []


class Credential(msgspec.Struct, frozen=True):
    """What one request, or one connection, shows to the server."""

    authorization: str = ""
    """The value of the Authorization header; empty: none is sent."""
    certificate: ClientCertificate | None = None

    def __repr__(self) -> str:
        shown = [*(["authorization=..."] if self.authorization else []), *self._certificate()]
        return f"Credential({', '.join(shown)})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return []

    def _certificate(self) -> list[str]:
        return ["certificate=..."] if self.certificate is not None else []


class Credentials(Protocol):
    """Where the credential for the next request comes from. Safe to share between clients and event loops."""

    async def current(self) -> Credential:
        """The credential to show now.

        Costs next to nothing while nothing has to be renewed, and renews once for however many wait. Gives
        the same object until there is another credential. Raises ConfigError when there is none to be had.
        """
        ...

    async def rejected(self, credential: Credential) -> bool:
        """Say that the server answered 401 to a credential; renews what can be renewed.

        True when `current` now gives another one, so that one more try makes sense. Never raises for a
        renewal that fails; that is logged, and the server's 401 stands.
        """
        ...

    async def close(self) -> None:
        """End a renewal that is under way in this event loop. What comes later starts anew."""
        ...


class StaticCredentials:
    """Credentials that never change: a token, or a name and password, and perhaps a client certificate."""

    def __init__(
        self,
        *,
        token: str = "",
        username: str = "",
        password: str = "",
        certificate: ClientCertificate | None = None,
    ) -> None:
        """Raises ConfigError for a token together with a password, and for a token that fits no header."""
        if token and (username or password):
            raise ConfigError("both a token and a username are given, and a request can show one; remove one")
        authorization = bearer(token) if token else ""
        if username or password:
            authorization = _basic(username, password)
        self._credential: Final = Credential(authorization, certificate)

    async def current(self) -> Credential:
        return self._credential

    async def rejected(self, credential: Credential) -> bool:
        return credential != self._credential

    async def close(self) -> None:
        pass

    def __repr__(self) -> str:
        kind = self._credential.authorization.partition(" ")[0].lower() or "none"
        return (
            f"StaticCredentials(authorization={kind}, certificate={self._credential.certificate is not None})"
        )


ANONYMOUS: Final = StaticCredentials()
"""No credentials: the server takes the caller for system:anonymous."""


class TokenFile:
    """The bearer token in a file that somebody else rewrites, as the kubelet does for pods.

    It is read again when the last read is fifty seconds old, and at once after a 401. While the file is
    missing, empty or unreadable, the last good token stays; before the first, `fallback` takes its place.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        fallback: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.path: Final = Path(path)
        self._fallback: Final = Credential(bearer(fallback)) if fallback else None
        self._clock: Final = clock
        self._credential: Credential | None = None
        self._read_at = 0.0
        self._complained = False

    async def current(self) -> Credential:
        last = self._credential
        if last is None or self._clock() >= self._read_at + _PERIOD - _LEEWAY:
            return self.read()
        return last

    async def rejected(self, credential: Credential) -> bool:
        if credential in (self._credential, self._fallback):
            try:
                self.read()
            except ConfigError as error:
                _log.warning("%s", error)
        return self._credential is not None and self._credential != credential

    async def close(self) -> None:
        pass

    def read(self) -> Credential:
        """Read the file now. Raises ConfigError when that fails and there is no token from before."""
        # Not in a thread: a file of a kilobyte, as a rule in memory, once in fifty seconds.
        try:
            new = Credential(bearer(_token_in(self.path)))
        except ConfigError as error:
            kept = self._fallback if self._credential is None else self._credential
            if kept is None:
                raise
            if not self._complained:
                _log.warning("%s; the token from before stays in use", error)
            self._complained = True
            return kept
        self._complained = False
        self._read_at = self._clock()
        if self._credential is None or self._credential != new:
            self._credential = new
        return self._credential

    def __repr__(self) -> str:
        return f"TokenFile({str(self.path)!r})"


def _token_in(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_TOKEN + 1)
    except OSError as error:
        raise ConfigError(
            f"cannot read the token file {path}: {error.strerror}; it must hold a bearer token"
        ) from None
    if len(data) > _MAX_TOKEN:
        raise ConfigError(f"the token file {path} is longer than any token; it must hold one bearer token")
    token = data.decode("utf-8", "replace").strip()
    if not token:
        raise ConfigError(f"the token file {path} is empty; it must hold a bearer token")
    return token


def bearer(token: str) -> str:
    """The Authorization header for a token. Raises ConfigError for one that a header cannot hold."""
    token = token.strip()
    if not (token.isascii() and token.isprintable()):
        raise ConfigError(
            "a bearer token holds characters that a header cannot; it was cut or pasted wrongly"
        )
    return f"Bearer {token}"


def _basic(username: str, password: str) -> str:
    return f"Basic {base64.b64encode(f'{username}:{password}'.encode()).decode()}"
