"""Each client of TLS in the package, with real servers whose certificates Go accepts or refuses."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from kubewright.client.client import Client
from kubewright.config import Config, ConfigError, OIDCCredentials
from kubewright.machinery.errors import TransportError
from kubewright.server.issuer_client import IssuerClient, IssuerUnreachable
from tests.config.certificate_chains import LOOPBACK_CASES, Case
from tests.config.issuer import id_token, running

EXPIRY = 4_000_000_000
"""Seconds since 1970, far from now."""


async def ask_api_server(url: str, authority: bytes) -> None:
    async with Client(Config(server=url, authority=authority)) as client:
        await client.version()


async def ask_issuer(url: str, authority: bytes) -> None:
    client = IssuerClient(authority.decode())
    try:
        await client.get(f"{url}/version")
    finally:
        await client.close()


async def refresh_token(url: str, authority: bytes) -> None:
    settings = {"idp-issuer-url": url, "client-id": "c", "refresh-token": "r"}
    await OIDCCredentials(settings, authority=authority).current()


@pytest.mark.parametrize("name", LOOPBACK_CASES)
@pytest.mark.parametrize("ask", [ask_api_server, ask_issuer, refresh_token])
def test_servers(
    ask: Callable[[str, bytes], Awaitable[None]], name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")
    case: Case = LOOPBACK_CASES[name]
    with running(tmp_path, case.make()) as server:
        url = server.url.replace("127.0.0.1", case.host)
        server.discovery = (200, {"token_endpoint": f"{url}/token"})
        server.answers = [(200, {"id_token": id_token(EXPIRY)})]
        server.documents["/version"] = {"major": "1", "minor": "36", "gitVersion": "v1.36.4"}

        async def main() -> None:
            await ask(url, server.authority)

        if case.is_accepted:
            asyncio.run(main())
            assert server.requests
        else:
            with pytest.raises((TransportError, IssuerUnreachable, ConfigError), match=r"(?i)certificate"):
                asyncio.run(main())
            assert not server.requests
