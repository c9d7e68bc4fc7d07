"""Webhooks that answer nonsense: the write fails, or goes on where failures are ignored."""

from __future__ import annotations

import base64
import json
import re
from typing import Any

import pytest

from tests.conformance.admission.webhook import Answer, Raw, Webhooks, respond
from tests.conformance.client import Client
from tests.conformance.namespaces import Namespace
from tests.conformance.objects import config_map

PARSE = "couldn't get version/kind; json parse error: "
INTO = (
    r'into Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; '
    r'Kind string "json:\"kind,omitempty\"" }'
)
CALL = "failed to call webhook: "
INVALID = "received invalid webhook response: "
UNDECODABLE = "received undecodable patch in webhook response: "
EXPECTED = "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview"
UNMARSHAL = "json: cannot unmarshal"
RESPONSE = "into Go struct field AdmissionReview.response"
FIELD = "into Go struct field AdmissionResponse.response"
TEXT = {"Content-Type": "text/plain"}


def raw(body: bytes, status: int = 200, headers: dict[str, str] | None = None) -> Answer:
    return lambda review: Raw(body, status, headers)


def over(**fields: Any) -> Answer:
    """A good answer, but for these members of the review."""
    return lambda review: {**respond(review), **fields}


def response(**fields: Any) -> Answer:
    """A good answer, but for these members of its response."""
    return lambda review: respond(review, **fields)


def patch(value: object) -> str:
    return base64.b64encode(value if isinstance(value, bytes) else json.dumps(value).encode()).decode()


STATUS = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "mine", "code": 403}

ANY: list[tuple[Answer, str]] = [
    (raw(b"hello"), f"{CALL}{PARSE}json: cannot unmarshal string {INTO}"),
    (raw(b"[]"), f"{CALL}{PARSE}json: cannot unmarshal array {INTO}"),
    (raw(b"1"), f"{CALL}{PARSE}json: cannot unmarshal number {INTO}"),
    (raw(b'{"a": tru'), f"{CALL}{PARSE}invalid character ' ' in literal true (expecting 'e')"),
    (raw(b""), f"{CALL}0-length response with status code: 200 and content type: application/json"),
    (raw(b"null"), f"{INVALID}webhook response was absent"),
    (raw(b"{}"), f"{INVALID}webhook response was absent"),
    (over(response=None), f"{INVALID}webhook response was absent"),
    (
        raw(b"boom", 500, TEXT),
        f'{CALL}an error on the server ("boom") has prevented the request from succeeding',
    ),
    (raw(b"{}", 502), f'{CALL}an error on the server ("unknown") has prevented the request from succeeding'),
    (raw(b"no", 404, TEXT), f"{CALL}the server could not find the requested resource"),
    (raw(b"no", 400, TEXT), f"{CALL}the server rejected our request for an unknown reason"),
    (raw(b"no", 401, TEXT), f"{CALL}the server has asked for the client to provide credentials"),
    (raw(b"no", 403, TEXT), f"{CALL}no"),
    (raw(b"no", 405, TEXT), f"{CALL}the server does not allow this method on the requested resource"),
    (raw(b"no", 409, TEXT), f"{CALL}the server reported a conflict"),
    (raw(b"no", 422, TEXT), f"{CALL}the server rejected our request due to an error in our request"),
    (
        raw(b"no", 429, TEXT),
        f"{CALL}the server has received too many requests and has asked us to try again later",
    ),
    (raw(b"no", 503, TEXT), f"{CALL}the server is currently unable to handle the request"),
    (
        raw(b"no", 418, TEXT),
        f"{CALL}the server responded with the status code 418 but did not return more information",
    ),
    (raw(json.dumps(STATUS).encode(), 403), f"{CALL}mine"),
    (response(uid="x"), f'{INVALID}expected response.uid="UID", got "x"'),
    (response(uid=None), f'{INVALID}expected response.uid="UID", got ""'),
    (response(uid=3), f"{CALL}{UNMARSHAL} number {FIELD}.uid of type types.UID"),
    (
        over(apiVersion="admission.k8s.io/v1beta1"),
        f"{CALL}converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion",
    ),
    (
        over(apiVersion="v1", kind="Pod"),
        f'{CALL}no kind "Pod" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
    ),
    (over(kind=""), f"{INVALID}{EXPECTED}, got admission.k8s.io/v1, Kind="),
    (over(apiVersion=""), f"{INVALID}{EXPECTED}, got /, Kind=AdmissionReview"),
    (over(response="x"), f"{CALL}{UNMARSHAL} string {RESPONSE} of type v1.AdmissionResponse"),
    (response(allowed="yes"), f"{CALL}{UNMARSHAL} string {FIELD}.allowed of type bool"),
    (response(warnings="x"), f"{CALL}{UNMARSHAL} string {FIELD}.warnings of type []string"),
    (response(patch="###", patchType="JSONPatch"), f"{CALL}illegal base64 data at input byte 0"),
]

MUTATING: list[tuple[Answer, str]] = [
    (response(patch=patch([])), f"{INVALID}webhook returned response.patch but not response.patchType"),
    (response(patchType="JSONPatch"), f"{INVALID}webhook returned response.patchType but not response.patch"),
    (
        response(patch=patch([]), patchType=""),
        f'{INVALID}webhook returned invalid response.patchType of ""',
    ),
    (
        response(patch=patch([{"op": "remove", "path": "/data"}]), patchType="MergePatch"),
        'unsupported patch type "MergePatch"',
    ),
    (
        response(patch=patch(b"hello"), patchType="JSONPatch"),
        f"{UNDECODABLE}invalid character 'h' looking for beginning of value",
    ),
    (
        response(patch=patch({"a": 1}), patchType="JSONPatch"),
        f"{UNDECODABLE}{UNMARSHAL} object into Go value of type jsonpatch.Patch",
    ),
    (
        response(patch=patch(["a"]), patchType="JSONPatch"),
        f"{UNDECODABLE}{UNMARSHAL} string into Go value of type jsonpatch.Operation",
    ),
]

VALIDATING: list[tuple[Answer, str]] = [
    (
        response(patch=patch([]), patchType="JSONPatch"),
        f"{INVALID}validating webhook may not return response.patch",
    ),
    (response(patchType="JSONPatch"), f"{INVALID}validating webhook may not return response.patchType"),
]

CASES = [
    pytest.param(kind, answer, message, id=f"{kind}-{number}")
    for kind, cases in (("mutate", ANY + MUTATING), ("validate", ANY + VALIDATING))
    for number, (answer, message) in enumerate(cases)
]


def internal_error(why: str) -> dict[str, Any]:
    message = f'failed calling webhook "a.example.com": {why}'
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": f"Internal error occurred: {message}",
        "reason": "InternalError",
        "details": {"causes": [{"message": message}]},
        "code": 500,
    }


@pytest.fixture(scope="module")
def shared(client: Client) -> Any:
    """Two configurations for all cases: kube-apiserver takes a while to use each."""
    from tests.conformance.namespaces import new_namespace

    with Webhooks.running(client, new_namespace(client)) as running:
        for kind in ("mutate", "validate"):
            picked = {"matchLabels": {"kind": kind}}
            strict = running.hook("a", objectSelector=picked)
            lenient = running.hook(
                "b", failurePolicy="Ignore", objectSelector={"matchLabels": {"kind": f"{kind}-ignore"}}
            )
            getattr(running, kind)(strict, {**lenient, "name": "b.example.com"})
        yield running


@pytest.mark.parametrize(("kind", "answer", "message"), CASES)
def test_it_fails(shared: Webhooks, client: Client, kind: str, answer: Answer, message: str) -> None:
    shared.answers["/a"] = answer
    refused = client.post(shared.namespace.config_maps, config_map("a", labels={"kind": kind}))
    wanted = json.dumps(internal_error(message))
    said = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "UID", json.dumps(refused.json()))
    assert json.loads(said) == json.loads(wanted)
    assert refused.status == 500
    assert client.get(f"{shared.namespace.config_maps}/a").status == 404


@pytest.mark.parametrize(("kind", "answer", "message"), CASES)
def test_or_is_ignored(shared: Webhooks, client: Client, kind: str, answer: Answer, message: str) -> None:
    shared.answers["/b"] = answer
    labels = {"kind": f"{kind}-ignore"}
    written = client.post(
        shared.namespace.config_maps, config_map("b", {"x": "y"}, labels=labels), dryRun="All"
    )
    assert written.status == 201
    assert written.json()["data"] == {"x": "y"}


@pytest.mark.parametrize("kind", ["mutate", "validate"])
@pytest.mark.parametrize(
    "answer",
    [response(uid="x"), over(apiVersion="", kind=""), response(patchType="JSONPatch"), response(x=1)],
)
def test_v1beta1_is_less_strict(
    hooks: Webhooks, client: Client, namespace: Namespace, kind: str, answer: Answer
) -> None:
    getattr(hooks, kind)(hooks.hook("a", answer, admissionReviewVersions=["v1beta1"]))
    namespace.create(namespace.config_maps, config_map("a"))
    assert len(hooks.asked("a")) == 1


def test_patches_of_v1beta1_need_no_type(hooks: Webhooks, namespace: Namespace) -> None:
    operations = [{"op": "add", "path": "/data/z", "value": "1"}]
    hooks.mutate(hooks.hook("a", response(patch=patch(operations)), admissionReviewVersions=["v1beta1"]))
    hooks.validate(hooks.hook("b", response(patch=patch(operations)), admissionReviewVersions=["v1beta1"]))
    made = namespace.create(namespace.config_maps, config_map("a", {"x": "y"}))
    assert made["data"] == {"x": "y", "z": "1"}


class TestOddButFine:
    def test_redirects_are_followed(self, hooks: Webhooks, client: Client, namespace: Namespace) -> None:
        hooks.hook("other", response(warnings=["from afar"]))
        hooks.validate(hooks.hook("a", raw(b"", 307, {"Location": "/other"})))
        found = client.post(namespace.config_maps, config_map("a"))
        assert (found.status, found.warnings) == (201, ["from afar"])
        assert len(hooks.asked("other")) == 1

    def test_a_redirect_for_ever(self, hooks: Webhooks, client: Client, namespace: Namespace) -> None:
        hooks.validate(hooks.hook("a", raw(b"", 307, {"Location": "/a"})))
        found = client.post(namespace.config_maps, config_map("a"))
        assert found.status == 500
        assert found.json()["message"].endswith(": stopped after 10 redirects")

    @pytest.mark.parametrize("status", [201, 202, 206])
    def test_other_codes_of_success(self, hooks: Webhooks, namespace: Namespace, status: int) -> None:
        hooks.validate(hooks.hook("a", lambda review: Raw(json.dumps(respond(review)).encode(), status)))
        namespace.create(namespace.config_maps, config_map("a"))

    def test_a_huge_answer(self, hooks: Webhooks, namespace: Namespace) -> None:
        hooks.validate(hooks.hook("a", response(auditAnnotations={"a": "x" * 5_000_000})))
        namespace.create(namespace.config_maps, config_map("a"))

    def test_yaml(self, hooks: Webhooks, namespace: Namespace) -> None:
        def answer(review: dict[str, Any]) -> Raw:
            uid = review["request"]["uid"]
            head = f"kind: AdmissionReview\napiVersion: {review['apiVersion']}\n"
            return Raw(f"{head}response:\n  uid: {uid}\n  allowed: true\n".encode())

        hooks.validate(hooks.hook("a", answer))
        namespace.create(namespace.config_maps, config_map("a"))
