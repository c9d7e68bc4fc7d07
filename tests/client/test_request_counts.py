"""How many requests were answered with what: each attempt counts, and each that had no answer."""

from __future__ import annotations

import asyncio

import pytest
from aiohttp import web

from kubewright.client.client import Client
from kubewright.client.request import Request
from kubewright.machinery.errors import NotFound, RequestTimeout, TransportError
from tests.client.peers import Asked, peer, run, status


def test_answers_are_counted_by_method_and_status() -> None:
    async def test() -> None:
        late = asyncio.Event()

        async def answer(asked: Asked, request: web.BaseRequest) -> web.Response | None:
            if asked.target == "/slow":
                await late.wait()
            if asked.target == "/cut":
                return None
            if asked.target == "/busy" and [each.target for each in server.asked].count("/busy") == 1:
                return status(429, "TooManyRequests", {"Retry-After": "0"})
            return status(404, "NotFound") if asked.target == "/gone" else web.json_response({})

        async with peer(answer) as server, Client(server.config) as client:
            assert client.request_counts == {}
            await client.raw("GET", "/")
            await client.raw("GET", "/")
            await client.raw("POST", "/", body=b"{}")
            await client.raw("GET", "/busy")
            with pytest.raises(NotFound):
                await client.raw("GET", "/gone")
            with pytest.raises(TransportError):
                await client.raw("POST", "/cut", body=b"{}")
            with pytest.raises(RequestTimeout):
                await client._sender.send(Request(method="PUT", path="/slow"), within=0.05)
            late.set()
            assert client.request_counts == {
                ("GET", 200): 3,
                ("GET", 429): 1,
                ("GET", 404): 1,
                ("POST", 200): 1,
                ("POST", 0): 1,
                ("PUT", 0): 1,
            }

    run(test)


def test_streams_are_counted_when_they_open() -> None:
    async def test() -> None:
        def answer(asked: Asked, request: web.BaseRequest) -> web.Response | None:
            if asked.target == "/cut":
                return None
            return status(404, "NotFound") if asked.target == "/gone" else web.Response(text="line\n")

        async with peer(answer) as server, Client(server.config) as client:
            sender = client._sender
            async with sender.stream(Request(method="GET", path="/log")) as stream:
                assert client.request_counts == {("GET", 200): 1}
                assert stream.status == 200
            with pytest.raises(NotFound):
                async with sender.stream(Request(method="GET", path="/gone")):
                    pass
            with pytest.raises(TransportError):
                async with sender.stream(Request(method="POST", path="/cut")):
                    pass
            assert client.request_counts == {("GET", 200): 1, ("GET", 404): 1, ("POST", 0): 1}

    run(test)
