"""Fetching the documents of OpenID Connect issuers over HTTPS, within bounds of time and size."""

from __future__ import annotations

import asyncio
from typing import Final

import aiohttp
import msgspec

from kubewright.config.verification import make_client_context
from kubewright.machinery.depth import decode_json
from kubewright.machinery.errors import KubewrightError

__all__ = ["IssuerClient", "IssuerUnreachable"]

_MAX_ANSWER: Final = 1024 * 1024
"""The largest document that is read; those of real issuers have some thousand bytes."""

_WITHIN: Final = 10.0
"""Seconds until a document must have come: requests wait for it."""


_LAST_BYTES: Final = 0.02
"""Seconds in which connections end that are being closed."""


class IssuerUnreachable(KubewrightError):
    """A document could not be fetched; the message says why."""


class _Answer(aiohttp.ClientResponse):
    """Ends at once when it is given up: the farewell of TLS would wait for a peer that does not answer."""

    def close(self) -> None:
        connection = self.connection
        if connection is not None and connection.transport is not None:
            connection.transport.abort()
        super().close()


class IssuerClient:
    """Fetches JSON from one issuer, which certificates of the given authorities, in PEM, or else of the
    system's vouch for. Redirects are not followed. Close it with `close`."""

    def __init__(self, authorities: str) -> None:
        self._authorities: Final = authorities
        self._session: aiohttp.ClientSession | None = None

    async def get(self, url: str) -> dict[str, object]:
        """The JSON object at an address. Raises IssuerUnreachable."""
        try:
            async with asyncio.timeout(_WITHIN):
                data = await self._read(url)
            decoded = decode_json(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            decoded = None
        except TimeoutError:
            raise IssuerUnreachable(f"Get {url}: no answer in {_WITHIN:g} seconds") from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise IssuerUnreachable(f"Get {url}: {str(error) or type(error).__name__}") from None
        if not isinstance(decoded, dict):
            raise IssuerUnreachable(f"Get {url}: the answer is no JSON object")
        return decoded

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            # Connections that the issuer has closed by itself take the loop a moment, of which aiohttp does
            # not know.
            await asyncio.sleep(_LAST_BYTES)

    async def _read(self, url: str) -> bytes:
        if self._session is None:
            context = make_client_context(self._authorities.encode() or None)
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(ssl=context), response_class=_Answer
            )
        headers = {"Accept": "application/json, application/jwk-set+json"}
        async with self._session.get(url, headers=headers, allow_redirects=False) as response:
            data = bytearray()
            async for chunk in response.content.iter_any():
                data += chunk
                if len(data) > _MAX_ANSWER:
                    raise IssuerUnreachable(f"Get {url}: the answer is larger than {_MAX_ANSWER} bytes")
            if response.status != 200:
                raise IssuerUnreachable(f"Get {url}: the issuer answered with {response.status}")
            return bytes(data)
