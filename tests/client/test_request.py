"""Requests and answers as values."""

from __future__ import annotations

import pytest

from kubewright.client.request import Request, Response
from kubewright.machinery.errors import (
    ApiError,
    Conflict,
    Expired,
    Invalid,
    NotFound,
    ServiceUnavailable,
    TooManyRequests,
)

STATUS = b'{"kind":"Status","apiVersion":"v1","status":"Failure","message":"gone","reason":"%b","code":%d}'


def test_the_target_is_the_path_with_an_encoded_query() -> None:
    assert Request(method="GET", path="/api/v1/pods").target == "/api/v1/pods"
    query = [("labelSelector", "a in (b, c)"), ("watch", "true"), ("dryRun", "All"), ("dryRun", "x&y")]
    target = Request(method="GET", path="/api/v1/pods", query=query).target
    assert target == "/api/v1/pods?labelSelector=a%20in%20%28b%2C%20c%29&watch=true&dryRun=All&dryRun=x%26y"


def test_the_body_is_not_shown() -> None:
    request = Request(method="POST", path="/api/v1/secrets", body=b"c2VjcmV0")
    assert repr(request) == "Request(POST /api/v1/secrets, 8 bytes)"


@pytest.mark.parametrize("status", [200, 201, 202, 301])
def test_an_answer_below_400_is_no_refusal(status: int) -> None:
    assert Response(status, b"{}").error() is None


@pytest.mark.parametrize(
    ("code", "reason", "error"),
    [(404, b"NotFound", NotFound), (409, b"Conflict", Conflict), (410, b"Expired", Expired)],
)
def test_a_status_is_the_error_of_its_reason(code: int, reason: bytes, error: type[ApiError]) -> None:
    found = Response(code, STATUS % (reason, code)).error()
    assert type(found) is error
    assert found.status.message == "gone"


@pytest.mark.parametrize(
    ("code", "error"),
    [(404, NotFound), (422, Invalid), (429, TooManyRequests), (503, ServiceUnavailable), (418, ApiError)],
)
def test_what_is_no_status_is_the_error_of_its_code(code: int, error: type[ApiError]) -> None:
    found = Response(code, b"404 page not found\n").error()
    assert type(found) is error
    assert found.status.message == "404 page not found"
    assert found.status.code == code


@pytest.mark.parametrize("body", [b"", b"{", b'{"kind":"Pod","apiVersion":"v1"}', b"\xff\xfe", b"[]"])
def test_any_body_of_a_refusal_becomes_an_error(body: bytes) -> None:
    found = Response(500, body).error()
    assert found is not None
    assert str(found)


def test_a_page_of_a_proxy_is_quoted_in_part() -> None:
    found = Response(502, b"<html>" + b"x" * 100_000).error()
    assert found is not None
    assert len(str(found)) < 2000


@pytest.mark.parametrize(
    ("text", "seconds"), [("7", 7), ("0", 0), ("soon", None), ("", None), ("9" * 20, None)]
)
def test_retry_after(text: str, seconds: int | None) -> None:
    response = Response(429, STATUS % (b"TooManyRequests", 429), {"Retry-After": text})
    assert response.retry_after == seconds
    error = response.error()
    assert error is not None
    assert error.retry_after == seconds
