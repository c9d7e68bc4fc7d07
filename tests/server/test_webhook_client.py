"""Calls of webhooks over real sockets: where redirects may lead."""

from __future__ import annotations

import base64

import pytest
from aiohttp import web

from kubewright.server.webhook_client import WebhookClient, WebhookError
from tests.client.peers import Asked, Peer, peer, run, some_credentials


def client_config(server: Peer) -> dict[str, str]:
    bundle = base64.b64encode(some_credentials().authority).decode()
    return {"url": f"{server.config.server}/review", "caBundle": bundle}


def accept(asked: Asked, _request: web.BaseRequest) -> web.Response:
    return web.json_response({"kind": "AdmissionReview"})


def test_a_redirect_to_plain_text_is_refused() -> None:
    async def test() -> None:
        async with peer(accept, tls=False) as other:

            def redirect(asked: Asked, _request: web.BaseRequest) -> web.Response:
                return web.Response(status=307, headers={"Location": other.config.server})

            async with peer(redirect) as server:
                client = WebhookClient()
                with pytest.raises(
                    WebhookError, match=r"^Post .*: the redirect to http://127\.0\.0\.1 leaves TLS$"
                ):
                    await client.call(client_config(server), {"kind": "AdmissionReview"}, within=60)
                await client.close()
            assert other.asked == []

    run(test)


def test_a_redirect_over_tls_is_followed() -> None:
    async def test() -> None:
        async with peer(accept) as other:

            def redirect(asked: Asked, _request: web.BaseRequest) -> web.Response:
                return web.Response(status=307, headers={"Location": f"{other.config.server}/other"})

            async with peer(redirect) as server:
                client = WebhookClient()
                answer = await client.call(client_config(server), {"kind": "AdmissionReview"}, within=60)
                await client.close()
            assert answer == {"kind": "AdmissionReview"}
            assert [asked.target for asked in other.asked] == ["/other"]

    run(test)
