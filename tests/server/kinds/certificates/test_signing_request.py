"""CertificateSigningRequests: who asks is recorded, decisions stay, a certificate is issued once."""

from __future__ import annotations

import copy
import time
from datetime import UTC, datetime
from typing import Any

import pytest

from kubewright.server.kinds import Context, Kind, kind_of
from kubewright.server.kinds.certificates.pem import certificate_error, request_error
from tests.server.kinds.cases.certificates import (
    CERTIFICATE,
    ED_REQUEST,
    GOOD,
    REQUEST,
    condition,
    joined,
    pem,
    request,
    text,
)
from tests.server.kinds.harness import Json

NOW = "2026-02-03T04:05:06Z"
CONTEXT = Context(
    now=datetime(2026, 2, 3, 4, 5, 6, tzinfo=UTC),
    user="admin",
    groups=("system:masters", "system:authenticated"),
    uid="admin-uid",
    extra={"scope": ("a", "b")},
)


@pytest.fixture
def kind() -> Kind:
    return kind_of("certificates.k8s.io", "certificatesigningrequests")


def updated(kind: Kind, obj: Json, old: Json, subresource: str = "") -> Json | list[str]:
    """The object after an update, or what is wrong with it."""
    obj, kept = copy.deepcopy(obj), copy.deepcopy(old)
    rules: Any = kind.subresources[subresource] if subresource else kind
    if subresource:
        rules.prepare(obj, old, CONTEXT)
        errors = rules.validate(obj, old)
    else:
        rules.prepare_update(obj, old, CONTEXT)
        errors = rules.validate_update(obj, old)
    assert old == kept, "the rules changed the old object"
    return [str(error) for error in errors] if errors else obj


def test_who_asks_is_recorded(kind: Kind) -> None:
    forged = {"username": "root", "uid": "0", "groups": ["wheel"], "extra": {"a": ["b"]}}
    obj = request({"conditions": [condition("Approved")]}, expirationSeconds=600, **forged)
    kind.prepare_create(obj, CONTEXT)
    assert kind.validate(obj) == []
    assert obj == request(
        expirationSeconds=600,
        username="admin",
        uid="admin-uid",
        groups=["system:masters", "system:authenticated"],
        extra={"scope": ["a", "b"]},
    )


def test_any_name_and_the_selectable_field(kind: Kind) -> None:
    assert list(kind.name("Any:Name")) == []
    assert kind.fields is not None
    assert kind.fields(request()) == {"spec.signerName": "example.com/signer"}


def test_an_update_changes_neither_spec_nor_status(kind: Kind) -> None:
    old = request({"conditions": [condition("Approved")], "certificate": GOOD})
    assert updated(kind, request({}, signerName="other.com/x"), old) == old


def test_approval_sets_times_and_keeps_the_certificate(kind: Kind) -> None:
    asked = {"type": "Approved", "status": "True", "reason": "ok"}
    obj = updated(kind, request({"conditions": [asked], "certificate": ""}), request(), "approval")
    times = {"lastUpdateTime": NOW, "lastTransitionTime": NOW}
    assert obj == request({"conditions": [{**asked, **times}]})
    issued = request({"conditions": [condition("Approved")], "certificate": GOOD})
    again = request({"conditions": [{"type": "Approved", "status": "True"}]})
    assert updated(kind, again, issued, "approval") == request(
        {"conditions": [condition("Approved", lastUpdateTime=NOW)], "certificate": GOOD}
    )


def test_decisions_stay(kind: Kind) -> None:
    old = request({"conditions": [condition("Approved"), condition("Failed")]})
    assert updated(kind, request({"conditions": []}), old, "approval") == [
        'status.conditions: Forbidden: updates may not remove a condition of type "Approved"',
        'status.conditions: Forbidden: updates may not remove a condition of type "Failed"',
    ]
    both = request({"conditions": [condition("Approved"), condition("Failed"), condition("Denied")]})
    assert updated(kind, both, old, "approval") == [
        'status.conditions: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive'
    ]


def test_status_issues_once_and_does_not_decide(kind: Kind) -> None:
    old = request({"conditions": [condition("Approved")]})
    changed = condition("Approved", message="changed")
    issued = request({"conditions": [changed, {"type": "Other", "status": "False"}], "certificate": GOOD})
    other = condition("Other", "False", lastUpdateTime=NOW, lastTransitionTime=NOW)
    result = request({"conditions": [condition("Approved"), other], "certificate": GOOD})
    assert updated(kind, issued, old, "status") == result
    reissued = request({"conditions": [changed], "certificate": joined(GOOD, GOOD)})
    assert updated(kind, reissued, result, "status") == [
        "status.certificate: Forbidden: updates may not modify existing certificate content"
    ]


def test_what_is_stored_and_bad_may_stay(kind: Kind) -> None:
    bad: Json = {"usages": ["flying", "flying"], "signerName": "kubernetes.io/legacy-unknown"}
    conditions = [condition(""), condition("", "False"), condition("Approved"), condition("Denied")]
    old = request({"conditions": conditions, "certificate": text("x")}, **bad)
    assert updated(kind, request(), old) == old


def test_requests_and_certificates_are_found_among_other_text() -> None:
    assert request_error(joined(text("a\nb\n"), pem("CERTIFICATE REQUEST", ED_REQUEST))) == ""
    assert request_error(text("x -----BEGIN CERTIFICATE REQUEST-----\n")) != ""
    assert request_error(pem("CERTIFICATE REQUEST", "AAAA")) == "x509: malformed certificate request"
    assert certificate_error(joined(text("a\n"), GOOD, text("\n"), GOOD)) == ""
    assert certificate_error(pem("CERTIFICATE", "AAAA")) == "x509: malformed certificate"
    crlf = pem("CERTIFICATE", CERTIFICATE)
    assert certificate_error(crlf) == ""
    assert request_error(None) == request_error("?") != ""
    assert request_error(REQUEST) == ""


@pytest.mark.parametrize("line", ["-----BEGIN A-----\n", "-----BEGIN ", "-----BEGIN A-----\na:b\n"])
def test_hostile_text_is_read_in_linear_time(line: str) -> None:
    for end in ("", "\n-----END B-----\n"):
        hostile = text(line * (1_000_000 // len(line)) + end)
        start = time.process_time()
        assert certificate_error(hostile) != ""
        assert time.process_time() - start < 2
