"""ID tokens of OpenID Connect, renewed with a refresh token: the auth-provider `oidc` of a kubeconfig."""

from __future__ import annotations

import base64
import logging
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from kubewright.config.config import without_password
from kubewright.config.credentials import Credential, bearer
from kubewright.config.errors import ConfigError
from kubewright.config.renewal import Renewal
from kubewright.machinery.depth import decode_json

if TYPE_CHECKING:
    from kubewright.config.oidc_client import Provider

__all__ = ["OIDCCredentials"]

_log: Final = logging.getLogger("kubewright.config")

_LEEWAY: Final = 10.0
"""How many seconds before its end a token counts as expired, since clocks differ: client-go's expiryDelta."""


_PATIENCE: Final = 120.0
"""Seconds for a renewal: three exchanges of thirty seconds each at most, and time to write the file."""


class OIDCCredentials:
    """The ID token of an OpenID Connect provider.

    It is used while it is valid, and then another is asked for with the refresh token, once for all who wait;
    a 401 does the same. New tokens are kept here and handed to `persist`, if there is one; when that fails,
    it is logged, and they are used all the same, since the old refresh token may be spent.
    """

    def __init__(
        self,
        config: Mapping[str, str],
        *,
        authority: bytes | None = None,
        persist: Callable[[Mapping[str, str]], None] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`config` is that of the auth-provider, `authority` the PEM of its CA. Raises ConfigError."""
        for key in ("idp-issuer-url", "client-id"):
            if not config.get(key):
                raise ConfigError(
                    f"the auth-provider oidc has no {key}; add it to its config in the kubeconfig"
                )
        self._config: Mapping[str, str] = dict(config)
        self._authority: Final = authority
        self._persist: Final = persist
        self._clock: Final = clock
        self._renewal: Final = Renewal(self._renew)
        self._provider: Provider | None = None
        self._credential: Credential | None = None
        self._expires = 0.0
        self._take(config.get("id-token", ""))

    async def current(self) -> Credential:
        credential = self._credential
        if credential is not None and self._clock() + _LEEWAY < self._expires:
            return credential
        await self._renewal.done()
        assert self._credential is not None  # noqa: S101 - or the renewal had raised
        return self._credential

    async def rejected(self, credential: Credential) -> bool:
        # By identity, as with plugins: who comes after a renewal does not ask for another.
        if credential is self._credential and self._config.get("refresh-token"):
            try:
                await self._renewal.done()
            except ConfigError as error:
                _log.warning("the server rejected the ID token, and there is no other: %s", error)
        return self._credential is not None and credential != self._credential

    async def close(self) -> None:
        await self._renewal.close()

    async def _renew(self) -> None:
        import asyncio  # noqa: PLC0415 - brings ssl and subprocess along, which reading a kubeconfig does not need

        if not self._config.get("refresh-token"):
            raise ConfigError(
                f"the ID token of {self._issuer()} has expired and there is no refresh-token; log in again"
            )
        # All of it in the thread: a refresh token that was spent is lost if nobody keeps its successor.
        try:
            async with asyncio.timeout(_PATIENCE):
                await asyncio.to_thread(self._refresh)
        except TimeoutError:
            raise ConfigError(
                f"{self._issuer()} did not renew the ID token within {_PATIENCE:g} seconds; try again later"
            ) from None

    def _refresh(self) -> None:
        from kubewright.config.oidc_client import Provider  # noqa: PLC0415 - urllib and ssl

        config = self._config
        if self._provider is None:
            self._provider = Provider(config["idp-issuer-url"], self._authority)
        tokens = self._provider.refresh(
            config["refresh-token"],
            client_id=config["client-id"],
            client_secret=config.get("client-secret", ""),
        )
        self._config = {**config, "id-token": tokens.id_token}
        if tokens.refresh_token:
            self._config = {**self._config, "refresh-token": tokens.refresh_token}
        self._take(tokens.id_token)
        if self._persist is not None:
            try:
                self._persist(self._config)
            except ConfigError as error:
                _log.warning("the new tokens are kept in memory only: %s", error)

    def _take(self, token: str) -> None:
        if token:
            self._expires = _expiry(token, self._issuer())
            self._credential = Credential(bearer(token))

    def _issuer(self) -> str:
        return without_password(self._config["idp-issuer-url"])

    def __repr__(self) -> str:
        return f"OIDCCredentials(issuer={self._issuer()!r})"


def _expiry(token: str, issuer: str) -> float:
    """When an ID token expires, in seconds since the epoch; its signature is the server's business."""
    sentence = f"the ID token of {issuer} is no JSON web token with an expiry; log in again to get another"
    parts = token.split(".")
    if len(parts) != 3:
        raise ConfigError(sentence)
    try:
        payload = base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4))
        claims: Any = decode_json(payload)
    except ValueError:
        raise ConfigError(sentence) from None
    expiry = claims.get("exp") if isinstance(claims, dict) else None
    # Without an expiry the token has ended, as Go's zero time has.
    if expiry is None and isinstance(claims, dict):
        return 0.0
    if isinstance(expiry, bool) or not isinstance(expiry, (int, float)):
        raise ConfigError(sentence)
    return float(expiry)
