"""The events of one request, as its record tells them."""

from __future__ import annotations

import json
import re
from typing import Any, cast

import pytest
from multidict import CIMultiDict

from kubewright.machinery.paths import parse_request
from kubewright.machinery.status import Status
from kubewright.server.audit.auditor import Auditor
from kubewright.server.audit.bodies import as_json, without_managed_fields
from kubewright.server.audit.log import AuditLog
from kubewright.server.audit.policy import LEVELS, Decided, Policy, Rule
from kubewright.server.audit.record import Record
from kubewright.server.handlers.call import TEXT, Answer
from kubewright.server.handlers.negotiation import YAML
from kubewright.server.registry.write import User

POD = "/api/v1/namespaces/ns/pods/p"
STAGES = ["RequestReceived", "ResponseStarted", "ResponseComplete"]


class Lines:
    """Takes lines as a log does."""

    full = False

    def __init__(self) -> None:
        self.lines: list[bytes] = []

    def write(self, line: bytes) -> None:
        assert line.endswith(b"\n")
        assert line.count(b"\n") == 1
        self.lines.append(line)

    @property
    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.lines]

    @property
    def stages(self) -> list[str]:
        return [event["stage"] for event in self.events]


def recorded(
    lines: Lines,
    *,
    level: str = "RequestResponse",
    method: str = "GET",
    path: str = POD,
    headers: dict[str, str] | None = None,
    user: User | None = None,
    uri: str = "",
    **fields: Any,
) -> Record:
    decided = Decided(LEVELS.index(level), **fields)
    auditor = Auditor(Policy([Rule(decided)]), cast("AuditLog", lines))
    record = auditor.record(
        CIMultiDict(headers or {}),
        parse_request(method, path),
        user or User(name="me"),
        audit_id="id",
        uri=uri or path,
        remote="127.0.0.1",
        received=1_700_000_000_000_001_999,
    )
    assert record is not None
    return record


def test_times_are_microseconds() -> None:
    lines = Lines()
    record = recorded(lines)
    record.received()
    record.answered(Answer(b"{}"))
    first, last = lines.events
    assert first["requestReceivedTimestamp"] == first["stageTimestamp"] == "2023-11-14T22:13:20.000001Z"
    assert last["requestReceivedTimestamp"] == "2023-11-14T22:13:20.000001Z"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", last["stageTimestamp"])


@pytest.mark.parametrize(
    ("path", "long"),
    [
        (POD, False),
        (f"{POD}/log", True),
        (f"{POD}/exec", True),
        (f"{POD}/attach", True),
        (f"{POD}/portforward", True),
        (f"{POD}/proxy", True),
        (f"{POD}/status", False),
        ("/api/v1/watch/pods", True),
        ("/healthz", False),
    ],
)
def test_what_goes_on_is_told_of_when_it_begins(path: str, *, long: bool) -> None:
    lines = Lines()
    record = recorded(lines, path=path)
    record.received()
    record.answered(Answer(b"{}"))
    assert lines.stages == [stage for stage in STAGES if long or stage != "ResponseStarted"]


def test_stages_that_are_left_out() -> None:
    lines = Lines()
    record = recorded(lines, path=f"{POD}/log", omit_stages=frozenset({"RequestReceived", "ResponseStarted"}))
    record.received()
    record.answered(Answer(b"{}"))
    assert lines.stages == ["ResponseComplete"]


def test_a_caller_who_is_gone_before_the_answer() -> None:
    lines = Lines()
    record = recorded(lines, path="/api/v1/watch/pods")
    record.received()
    record.ended()
    record.ended()
    assert lines.stages == STAGES
    assert lines.events[-1]["responseStatus"] == {
        "metadata": {},
        "status": "Success",
        "message": "Connection closed early",
        "code": 200,
    }


def test_a_failure_of_the_server_is_the_last_that_is_told() -> None:
    lines = Lines()
    record = recorded(lines)
    record.panicked(ValueError("a secret"))
    record.answered(Answer(b"{}", 500))
    (event,) = lines.events
    assert event["stage"] == "Panic"
    assert event["responseStatus"] == {
        "metadata": {},
        "status": "Failure",
        "message": "APIServer panic'd: ValueError",
        "reason": "InternalError",
        "code": 500,
    }
    assert "secret" not in str(event)


@pytest.mark.parametrize("level", LEVELS[1:])
def test_levels(level: str) -> None:
    lines = Lines()
    record = recorded(lines, level=level, method="POST", path="/api/v1/namespaces/ns/pods")
    record.request_object({"metadata": {"name": "p", "uid": "u", "resourceVersion": "7"}, "kind": "Pod"})
    record.answered(Answer(b'{"kind":"Pod"}', 201))
    (event,) = lines.events
    assert event["level"] == level
    assert event["objectRef"] == {
        "resource": "pods",
        "namespace": "ns",
        "name": "p",
        "uid": "u",
        "apiVersion": "v1",
        "resourceVersion": "7",
    }
    assert ("requestObject" in event, "responseObject" in event) == (
        level != "Metadata",
        level == "RequestResponse",
    )
    assert event["responseStatus"] == {"metadata": {}, "code": 201}


def test_what_is_decided_first_stays() -> None:
    lines = Lines()
    record = recorded(lines, level="Metadata")
    annotations = {"authorization.k8s.io/decision": "forbid", "patch.webhook.admission.k8s.io/x": "secret"}
    record.decided(allowed=True, reason="why")
    record.annotated(annotations)
    annotations["late"] = "yes"
    record.answered(Answer(b"{}"))
    assert lines.events[0]["annotations"] == {
        "late": "yes",
        "authorization.k8s.io/decision": "allow",
        "authorization.k8s.io/reason": "why",
    }


@pytest.mark.parametrize(
    ("answer", "path", "expected"),
    [
        (Answer(b'{\n "a": [\n  1\n ]\n}\n'), POD, {"a": [1]}),
        (Answer(b"a: [1]\n", content_type=YAML), POD, {"a": [1]}),
        (Answer(b"text\n", content_type=TEXT), POD, None),
        (Answer(b'{"a":1}\n', 406), POD, None),
        (Answer(b'{"a":1}\n', 406, said=Status(code=406)), POD, {"a": 1}),
        (Answer(b'{"a":1}\n'), "/version", None),
        (Answer(b'{"a":1}\n'), "/apis", {"a": 1}),
        (Answer(b'{"a":1}\n', 403, said=Status(code=403)), "/version", {"a": 1}),
    ],
)
def test_answers_that_are_shown(answer: Answer, path: str, expected: Any) -> None:
    lines = Lines()
    recorded(lines, path=path).answered(answer)
    assert lines.events[0].get("responseObject") == expected


def test_managed_fields_are_left_out_of_what_is_sent_and_answered() -> None:
    lines = Lines()
    record = recorded(lines, omit_managed_fields=True)
    obj: dict[str, Any] = {
        "metadata": {"name": "p", "managedFields": [{}]},
        "data": {"managedFields": "mine"},
    }
    record.request_object(obj)
    record.answered(Answer(json.dumps({"kind": "List", "items": [obj]}).encode()))
    (event,) = lines.events
    kept = {"metadata": {"name": "p"}, "data": {"managedFields": "mine"}}
    assert event["requestObject"] == kept
    assert event["responseObject"] == {"kind": "List", "items": [kept]}
    assert "managedFields" in obj["metadata"]
    table = {"kind": "Table", "rows": [{"object": obj}, {"object": None}, {}]}
    assert without_managed_fields(table)["rows"] == [{"object": kept}, {"object": None}, {"object": None}]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'[{"op": "test"}]', [{"op": "test"}]),
        (b'{"a":\n1}', {"a": 1}),
        (b"a: 1\n", "a: 1\n"),
        (b"{bad", "{bad"),
        (b'{"a":1}{"b":2}', '{"a":1}{"b":2}'),
        (b"", ""),
        (b"\xff\xfe", "\ufffd\ufffd"),
        (b'{"a":"\xff"}', {"a": "\ufffd"}),
        (b'{"a":"\xe2\x80\xa8"}', {"a": "\u2028"}),
    ],
)
def test_patches_are_told_as_json_or_as_text(body: bytes, expected: Any) -> None:
    lines = Lines()
    record = recorded(lines, method="PATCH")
    record.request_patch(body, "application/merge-patch+json")
    record.answered(Answer(b"{}"))
    assert lines.events[0]["requestObject"] == expected


def test_what_is_applied_may_be_yaml() -> None:
    apply = "application/apply-patch+yaml"
    assert json.loads(as_json(b"a: 1\nb: [x]\n", apply)) == {"a": 1, "b": ["x"]}
    assert json.loads(as_json(b'{"a":\n1}', apply)) == {"a": 1}
    assert json.loads(as_json(b"{bad", apply)) == "{bad"


def test_protobuf_that_nobody_can_read_is_a_text() -> None:
    assert json.loads(as_json(b"k8s\x00\xff", "application/vnd.kubernetes.protobuf")) == "k8s\x00\ufffd"


def test_bytes_that_are_no_utf8_keep_nothing_out_of_the_log() -> None:
    wrong = b"\xff".decode(errors="surrogateescape")
    lines = Lines()
    record = recorded(
        lines,
        headers={"User-Agent": f"agent{wrong}"},
        user=User(name=f"me{wrong}", extra={f"k{wrong}": ["v"]}),
        uri=f"/{wrong}",
    )
    record.request_object({"kind": "Pod"})
    record.answered(Answer(b'{"a":1}'))
    (event,) = lines.events
    assert event["userAgent"] == "agent\ufffd"
    assert event["user"] == {"username": "me\ufffd", "extra": {"k\ufffd": ["v"]}}
    assert (event["requestURI"], event["requestObject"]) == ("/\ufffd", {"kind": "Pod"})
    assert event["responseObject"] == {"a": 1}


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, ["127.0.0.1"]),
        ({"X-Forwarded-For": "10.0.0.1, x,, ::1"}, ["10.0.0.1", "::1", "127.0.0.1"]),
        ({"X-Forwarded-For": "127.0.0.1"}, ["127.0.0.1"]),
        ({"X-Forwarded-For": "10.0.0.1", "X-Real-Ip": "10.0.0.1"}, ["10.0.0.1", "127.0.0.1"]),
        ({"X-Real-Ip": "10.0.0.2"}, ["10.0.0.2", "127.0.0.1"]),
        ({"X-Real-Ip": "nonsense"}, ["127.0.0.1"]),
        ({"X-Forwarded-For": "::ffff:10.0.0.1, fe80::1%eth0"}, ["10.0.0.1", "127.0.0.1"]),
    ],
)
def test_where_a_request_comes_from(headers: dict[str, str], expected: list[str]) -> None:
    lines = Lines()
    recorded(lines, headers=headers).answered(Answer(b"{}"))
    assert lines.events[0]["sourceIPs"] == expected


def test_a_long_agent_is_cut() -> None:
    lines = Lines()
    for agent in ("x" * 1024, "x" * 1025, "ä" * 513):
        recorded(lines, headers={"User-Agent": agent}).answered(Answer(b"{}"))
    cut = [event["userAgent"] for event in lines.events]
    assert cut == ["x" * 1024, "x" * 1024 + "...TRUNCATED", "ä" * 512 + "...TRUNCATED"]
