"""HTTP in front of the handlers: bodies, warnings and compression, without sockets."""

from __future__ import annotations

import asyncio
import gc
import gzip
import logging
from typing import Any

import pytest
from aiohttp import StreamReader
from aiohttp.base_protocol import BaseProtocol
from aiohttp.test_utils import make_mocked_request

from kubewright.machinery.errors import ApiError, ParseError
from kubewright.server import http
from kubewright.server.access import Access
from kubewright.server.authentication.requests import AnonymousCallers, RequestAuthenticator
from kubewright.server.authentication.static_tokens import StaticTokens
from kubewright.server.authorization import EverybodyMay
from kubewright.server.errors import bad_request
from kubewright.server.handlers import negotiation
from kubewright.server.handlers.call import Answer, Call, Reply
from kubewright.server.http import MAX_BODY, HTTPHandler, QuietLogger
from kubewright.server.registry.write import User
from kubewright.server.responses import WholeResponse
from kubewright.server.storage import StorageClosed

TOKEN = {"Authorization": "Bearer secret"}


def served(
    reply: Reply | BaseException,
    *,
    method: str = "GET",
    path: str = "/api/v1/pods",
    headers: dict[str, str] | None = None,
    parts: tuple[bytes, ...] = (),
    warnings: tuple[str, ...] = (),
) -> tuple[WholeResponse, list[Call]]:
    """What a request is answered with, and the calls that came through."""
    calls: list[Call] = []

    async def handle(call: Call) -> Reply:
        calls.append(call)
        call.warnings.extend(warnings)
        if isinstance(reply, BaseException):
            raise reply
        return reply

    async def ask() -> WholeResponse:
        loop = asyncio.get_running_loop()
        content = StreamReader(BaseProtocol(loop), 2**24, loop=loop)
        for part in parts:
            content.feed_data(part)
        content.feed_eof()
        sent = TOKEN if headers is None else headers
        request = make_mocked_request(method, path, headers=sent, payload=content)
        tokens = StaticTokens({"secret": User(name="admin")}, ["api"])
        anonymous = AnonymousCallers(enabled=False)
        authenticator = RequestAuthenticator([tokens], audiences=["api"], anonymous=anonymous)
        response = await HTTPHandler(handle, Access(authenticator, EverybodyMay()))(request)
        assert isinstance(response, WholeResponse)
        return response

    return asyncio.run(ask()), calls


def message(response: WholeResponse) -> str:
    return response.body.decode()


def test_a_call_knows_its_request() -> None:
    response, (call,) = served(
        Answer(b"{}\n"),
        method="POST",
        path="/api/v1/namespaces/ns/pods?dryRun=All&dryRun=x",
        headers={**TOKEN, "Content-Length": "4"},
        parts=(b"bo", b"dy"),
    )
    assert response.status == 200
    assert (call.method, call.body, call.query.getall("dryRun", [])) == ("POST", b"body", ["All", "x"])
    assert (call.info.verb, call.info.namespace, call.info.resource) == ("create", "ns", "pods")
    assert (call.user.name, call.user.groups) == ("admin", ("system:authenticated",))
    assert response.headers["Cache-Control"] == "no-cache, private"
    assert len(response.headers["Audit-Id"]) == 36


def test_a_body_of_a_get_is_not_read() -> None:
    _, (call,) = served(Answer(b""), parts=(b"x",))
    assert call.body == b""


@pytest.mark.parametrize(
    "headers", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic secret"}]
)
def test_strangers(headers: dict[str, str]) -> None:
    response, calls = served(Answer(b""), headers=headers)
    assert (response.status, calls) == (401, [])
    assert '"reason":"Unauthorized"' in message(response)


def test_somebody_may_act_as_somebody_else() -> None:
    _, (call,) = served(Answer(b""), headers={**TOKEN, "Impersonate-User": "me"})
    assert (call.user.name, call.user.groups) == ("me", ("system:authenticated",))


def test_nobody_acts_as_somebody_without_a_name() -> None:
    response, calls = served(Answer(b""), headers={**TOKEN, "Impersonate-Group": "system:masters"})
    assert (response.status, calls) == (400, [])
    assert response.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("announced", [True, False])
def test_bodies_that_are_too_large(announced: bool) -> None:
    headers = {**TOKEN, "Content-Length": str(MAX_BODY + 1)} if announced else TOKEN
    parts = () if announced else (b"x" * MAX_BODY, b"x")
    response, calls = served(Answer(b""), method="POST", headers=headers, parts=parts)
    assert (response.status, calls) == (413, [])
    assert f"Request entity too large: limit is {MAX_BODY}" in message(response)


def test_the_largest_body_that_is_taken() -> None:
    _, (call,) = served(Answer(b""), method="POST", parts=(b"x" * MAX_BODY,))
    assert len(call.body) == MAX_BODY


@pytest.mark.parametrize(
    ("error", "status", "text"),
    [
        (bad_request("no"), 400, '"message":"no"'),
        (StorageClosed(), 503, '"reason":"ServiceUnavailable"'),
        (KeyError("inside"), 500, "the server failed; its log says why"),
        (ParseError("inside"), 500, "the server failed; its log says why"),
    ],
)
def test_errors_are_statuses_without_insides(
    error: ApiError, status: int, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.CRITICAL):
        response, _ = served(error)
    assert response.status == status
    assert text in message(response)
    assert "inside" not in message(response)
    assert "Traceback" not in message(response)


def test_warnings_are_headers_once_each_and_in_one_line() -> None:
    response, _ = served(Answer(b""), warnings=("one", 'say "two"', "one", "a\r\nX-Evil: 1"))
    assert response.headers.getall("Warning") == [
        '299 - "one"',
        '299 - "say \\"two\\""',
        '299 - "a  X-Evil: 1"',
    ]


def test_warnings_have_a_bound() -> None:
    response, _ = served(Answer(b""), warnings=tuple(f"{number:03}{'x' * 497}" for number in range(20)))
    found = response.headers.getall("Warning")
    # Each is cut to 256 characters, and those above 4096 in all are left out.
    assert found == [f'299 - "{number:03}{"x" * 253}"' for number in range(16)]


def test_warnings_that_fit_are_whole() -> None:
    told = [f"{number:03}{'x' * 297}" for number in range(13)]
    response, _ = served(Answer(b""), warnings=(*told, told[0]))
    assert response.headers.getall("Warning") == [f'299 - "{each}"' for each in told]


def test_large_answers_are_compressed_for_those_who_ask() -> None:
    body = b"abcd" * (128 * 1024 // 4)
    response, _ = served(Answer(body), headers={**TOKEN, "Accept-Encoding": "gzip, deflate"})
    assert response.headers["Content-Encoding"] == "gzip"
    assert response.headers["Vary"] == "Accept-Encoding"
    assert isinstance(response.body, bytes)
    assert gzip.decompress(response.body) == body
    plain, _ = served(Answer(body[:-1]))
    assert "Content-Encoding" not in plain.headers
    small, _ = served(Answer(body[: 128 * 1024 - 1]), headers={**TOKEN, "Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in small.headers


def test_paths_that_are_none() -> None:
    response, calls = served(Answer(b""), path="/api/v1//pods")
    assert (response.status, calls) == (404, [])


def test_what_is_no_http_is_not_logged_with_its_secrets(caplog: pytest.LogCaptureFixture) -> None:
    logger = QuietLogger("quiet")
    logger.parent, logger.propagate = logging.getLogger(), True
    with caplog.at_level(logging.DEBUG):
        logger.exception(  # noqa: LOG004 - as aiohttp calls it
            "Error handling request %s", "Bearer secret", exc_info=ValueError("Bearer secret")
        )
    assert [(each.levelname, each.getMessage()) for each in caplog.records] == [
        ("DEBUG", "a connection was ended: ValueError")
    ]


def test_what_is_remembered_of_requests_is_bounded() -> None:
    """Paths and headers have up to a million characters, and strangers send them."""
    for number in range(3):
        long = f"{number}{'x' * 600}"
        served(Answer(b""), path=f"/{long}")
        served(Answer(b""), headers={"Accept": long * 10})
    assert all(len(path) <= 512 for path in remembered(http._parsed))
    assert all(len(accept) <= 4096 for accept in remembered(negotiation._negotiate))


def remembered(function: Any) -> list[str]:
    """The texts that an lru_cache holds on to."""
    found = gc.get_referents(function)
    keys = [key for each in found if isinstance(each, dict) for key in each]
    return [text for key in keys if isinstance(key, tuple) for text in key if isinstance(text, str)]
