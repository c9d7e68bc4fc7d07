"""Credentials that the server rejects, over real sockets: renewed once each time that a request is sent."""

from __future__ import annotations

import asyncio

import pytest
from aiohttp import web

from kubewright.config import ConfigError, Credential
from kubewright.machinery.errors import Unauthorized
from tests.client.peers import Asked, peer, run, status
from tests.client.test_sender import GET, POST, Failing, sender


class Rotating:
    """Credentials that have another token after each rejection, up to a number."""

    def __init__(self, tokens: int) -> None:
        self._tokens = tokens
        self._number = 0
        self.closed = False

    async def current(self) -> Credential:
        return Credential(f"Bearer token-{self._number}")

    async def rejected(self, credential: Credential) -> bool:
        if self._number + 1 >= self._tokens:
            return False
        self._number += 1
        return True

    async def close(self) -> None:
        self.closed = True


def test_a_rejected_credential_is_renewed_once() -> None:
    async def test() -> None:
        def answer(asked: Asked, request: web.BaseRequest) -> web.Response:
            good = asked.headers["Authorization"] == "Bearer token-1"
            return web.json_response({}) if good else status(401, "Unauthorized")

        async with peer(answer) as server:
            credentials = Rotating(2)
            client = sender(server, credentials=credentials)
            await client.send(POST)
            await client.send(GET)
            assert [asked.headers["Authorization"] for asked in server.asked] == [
                "Bearer token-0",
                "Bearer token-1",
                "Bearer token-1",
            ]
            await client.close()
            assert credentials.closed

    run(test)


def test_a_credential_that_expires_while_a_server_is_waited_for_is_renewed_again() -> None:
    async def test() -> None:
        async with peer(Failing(401, 429, 401, 200)) as server:
            client = sender(server, credentials=Rotating(5))
            assert (await client.send(GET)).status == 200
            await client.close()
        tokens = [asked.headers["Authorization"] for asked in server.asked]
        assert tokens == ["Bearer token-0", "Bearer token-1", "Bearer token-1", "Bearer token-2"]

    run(test)


def test_credentials_of_streams_are_renewed_too_and_the_refusals_let_go() -> None:
    class Broken(Rotating):
        async def rejected(self, credential: Credential) -> bool:
            raise ConfigError("the plugin failed")

    async def test() -> None:
        ended = asyncio.Event()

        async def refuse(asked: Asked, request: web.BaseRequest) -> web.StreamResponse:
            if asked.headers["Authorization"] == "Bearer token-1":
                return web.json_response({})
            response = web.StreamResponse(status=401)
            await response.prepare(request)
            await response.write(b"a refusal without an end")
            await ended.wait()
            return response

        async with peer(refuse) as server:
            client = sender(server, credentials=Rotating(2))
            async with client.stream(GET) as stream:
                assert await stream.chunk() == b"{}"
            await client.close()
            client = sender(server, credentials=Broken(2))
            with pytest.raises(ConfigError, match="the plugin failed") as raised:
                async with client.stream(GET):
                    pass
            while server.is_connected():  # noqa: ASYNC110 - a transport says no more than that
                await asyncio.sleep(0.001)
            # What was raised knows where: nothing was let go because nobody knew of it any more.
            assert raised.tb is not None
            ended.set()
            await client.close()

    run(test)


@pytest.mark.parametrize("tokens", [1, 5])
def test_credentials_that_stay_rejected_are_told(tokens: int) -> None:
    async def test() -> None:
        async with peer(Failing(401, retry_after=None)) as server:
            client = sender(server, credentials=Rotating(tokens))
            with pytest.raises(Unauthorized):
                await client.send(GET)
            await client.close()
        assert len(server.asked) == min(tokens, 2)

    run(test)
