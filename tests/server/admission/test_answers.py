"""Answers of webhooks, as they are read."""

from __future__ import annotations

import pytest

from kubewright.machinery.errors import ParseError
from kubewright.server.admission.webhooks.calls import rejection
from kubewright.server.admission.webhooks.reviews import (
    Review,
    ReviewError,
    UnreadableReview,
    Verdict,
    read_answer,
)
from kubewright.server.webhook_answers import read_answer as read_body
from kubewright.server.webhook_answers import refusal_text

REVIEW = Review("u", "v1", b"")
GOOD = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}


def read(mutating: bool = False, **response: object) -> Verdict:
    return read_answer(REVIEW, {**GOOD, "response": {"uid": "u", **response}}, mutating=mutating)


def test_a_verdict() -> None:
    assert read(allowed=True) == Verdict(True, None, b"", "", [], {})
    told = read(
        True,
        allowed=False,
        status={"code": 5},
        patch="W10=",
        patchType="JSONPatch",
        warnings=["w"],
        auditAnnotations={"k": "v"},
    )
    assert told == Verdict(False, {"code": 5}, b"[]", "JSONPatch", ["w"], {"k": "v"})


def test_nothing_said_is_no() -> None:
    assert not read().allowed
    assert not read(allowed=None).allowed


@pytest.mark.parametrize(
    ("response", "why"),
    [
        ({"uid": "x"}, 'expected response.uid="u", got "x"'),
        ({"patch": "W10="}, "may not return response.patch"),
        ({"patchType": "JSONPatch"}, "may not return response.patchType"),
    ],
)
def test_what_it_must_not_say(response: dict[str, object], why: str) -> None:
    with pytest.raises(ReviewError, match=why):
        read(**response)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "response",
    [
        {"uid": []},
        {"allowed": 1},
        {"status": "x"},
        {"patch": 1},
        {"patch": "a"},
        {"patchType": 1},
        {"warnings": {}},
        {"warnings": [1]},
        {"auditAnnotations": []},
        {"auditAnnotations": {"a": 1}},
    ],
)
def test_members_of_other_types(response: dict[str, object]) -> None:
    with pytest.raises(UnreadableReview):
        read(**response)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["apiVersion", "kind"])
def test_a_type_that_is_none(name: str) -> None:
    with pytest.raises(UnreadableReview, match="cannot unmarshal number"):
        read_answer(REVIEW, {**GOOD, name: 1, "response": {"uid": "u"}}, mutating=False)


def test_what_bodies_are_read_as() -> None:
    assert read_body(b'{"a": 1}') == {"a": 1}
    assert read_body(b"null") == {}
    assert read_body(b"a: 1") == {"a": 1}
    long, deep = b"a: " + b"x" * 100_000, b'{"a":' * 100_000
    for body in (b"[1]", b'"x"', b"x", b"1", b'{"a": 1', b"\xff\xfe", b"a: b: c", long, deep, b"[" * 9999):
        with pytest.raises(ParseError):
            read_body(body)


def test_refusals_by_their_status() -> None:
    assert refusal_text(500, "text/html", b" x ") == (
        'an error on the server ("x") has prevented the request from succeeding'
    )
    assert refusal_text(403, "text/plain", b"") == "unknown"
    assert len(refusal_text(500, "text/plain", b"x" * 5000)) < 2200
    assert "418" in refusal_text(418, "", b"\xff")


def test_a_rejection_is_at_least_a_bad_request() -> None:
    error = rejection("a.b.c", {"code": 200, "status": "Success", "reason": "R", "unknown": 1})
    assert (error.status.code, error.status.status, error.status.reason) == (400, "Failure", "R")
    assert error.status.message == 'admission webhook "a.b.c" denied the request: R'
    assert rejection("a.b.c", {"code": "x"}).status.code == 400
