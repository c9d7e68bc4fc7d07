"""AdmissionReviews over real sockets: what goes wrong, and what callers are told of it."""

from __future__ import annotations

import asyncio
import base64
import gc
import json
import logging
import time
from typing import Any

import pytest

from kubewright.webhooks import Review, defaulting, validating
from tests.webhooks.apps import App, app
from tests.webhooks.caller import Caller
from tests.webhooks.questions import KIND, ask, question, ran


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"nothing", "AdmissionReview: JSON is malformed"),
        (b"[]", "AdmissionReview: expected object, got array"),
        (b"", "AdmissionReview: "),
        (b"\xff", "AdmissionReview: "),
        (b"[" * 100_000, "AdmissionReview: "),
        (b"{}", "the body is '', no AdmissionReview of admission.k8s.io/v1 or admission.k8s.io/v1beta1"),
        (question("v2"), "the body is 'admission.k8s.io/v2 AdmissionReview', no AdmissionReview"),
        ({**question(), "kind": "ConversionReview"}, "the body is 'admission.k8s.io/v1 ConversionReview'"),
        ({**question(), "request": None}, "AdmissionReview: request is missing"),
        (question(uid=""), "AdmissionReview: request.uid is missing"),
        (question(uid=3), "AdmissionReview.request.uid: expected str, got int"),
        (question(operation="PATCH"), "AdmissionReview request.operation: 'PATCH' is none of CREATE, UPDATE"),
        (question(userInfo=[]), "AdmissionReview.request.userInfo: expected object"),
    ],
)
def test_bodies_that_are_no_review(body: Any, sentence: str) -> None:
    @validating(App)
    async def never(review: Review[App]) -> None:
        raise AssertionError

    async def test(caller: Caller, path: str) -> None:
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        status, text = await caller.send(sent, path=path)
        assert status == 400
        assert text.startswith(sentence)
        assert text.count("\n") == 1

    ran(never, test)


@pytest.mark.parametrize(
    ("request_", "sentence"),
    [
        ({"object": None}, "AdmissionReview: request.object is missing"),
        ({"object": app(replicas="3")}, "App web spec.replicas: expected int | null, got str"),
        ({"object": app(labels={"a": 1})}, "App web spec.labels[...]: expected str, got int"),
        ({"object": []}, "App: expected object, got array"),
        ({"object": {**app(), "metadata": {"labels": {"a": 1}}}}, "App metadata.labels[...]: expected str"),
        ({"oldObject": 3}, "oldObject: App: expected object, got int"),
        (
            {"kind": {**KIND, "version": "v2"}},
            "the webhook vapp-v1.webhooks.example.com takes webhooks.example.com/v1 App, but was asked about",
        ),
    ],
)
def test_objects_that_are_not_of_the_kind(request_: dict[str, Any], sentence: str) -> None:
    @validating(App)
    async def never(review: Review[App]) -> None:
        raise AssertionError

    async def test(caller: Caller, path: str) -> None:
        response = await ask(caller, path, **request_)
        assert response["status"]["code"] == 400
        assert response["status"]["message"].startswith(sentence)

    ran(never, test)


def test_a_stored_object_that_the_type_has_outgrown() -> None:
    @validating(App)
    async def looks(review: Review[App]) -> None:
        assert review.old is not None
        assert review.old.metadata.name == "web"

    async def test(caller: Caller, path: str) -> None:
        response = await ask(caller, path, operation="UPDATE", oldObject=app(replicas="three"))
        assert response["allowed"]

    ran(looks, test)


def test_a_function_that_raises(caplog: pytest.LogCaptureFixture) -> None:
    @defaulting(App)
    async def raises(review: Review[App]) -> None:
        raise ValueError("swordfish")

    async def test(caller: Caller, path: str) -> None:
        response = await ask(caller, path, name="web")
        assert response["status"] == {
            "status": "Failure",
            "code": 500,
            "reason": "InternalError",
            "message": "the webhook mapp-v1.webhooks.example.com failed (ValueError), and its log says why",
        }
        assert "patch" not in response

    with caplog.at_level(logging.ERROR):
        ran(raises, test)
    (record,) = caplog.records
    assert "ValueError: swordfish" in caplog.text
    assert "the webhook mapp-v1.webhooks.example.com failed: <Review CREATE App web>" in record.message


def test_a_function_that_leaves_what_cannot_be_sent(caplog: pytest.LogCaptureFixture) -> None:
    @defaulting(App)
    async def spoils(review: Review[App]) -> None:
        review.object.spec.image = object()  # type: ignore[assignment]

    async def test(caller: Caller, path: str) -> None:
        response = await ask(caller, path)
        assert response["status"]["message"].endswith(
            "left an object that cannot be sent, and its log says why"
        )

    ran(spoils, test)
    assert "object has no JSON form" in caplog.text


def test_failures_that_are_to_be_ignored(caplog: pytest.LogCaptureFixture) -> None:
    @validating(App, failure_policy="Ignore")
    async def optional(review: Review[App]) -> None:
        if review.name == "hangs":
            await asyncio.sleep(60)
        raise ValueError

    async def test(caller: Caller, path: str) -> None:
        body = json.dumps(question()).encode()
        assert await caller.send(body, path=path) == (
            500,
            "the webhook vapp-v1.webhooks.example.com failed (ValueError), and its log says why\n",
        )
        body = json.dumps(question(name="hangs")).encode()
        status, text = await caller.send(body, path=f"{path}?timeout=200ms")
        assert (status, text.endswith("was not done in time\n")) == (504, True)

    ran(optional, test)


def test_functions_that_are_too_slow(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    cancelled: list[str] = []
    never = asyncio.Event()
    waits, waited = asyncio.wait, list[float | None]()

    def wait(*arguments: Any, timeout: float | None = None, **options: Any) -> Any:
        waited.append(timeout)
        return waits(*arguments, timeout=timeout, **options)

    monkeypatch.setattr(asyncio, "wait", wait)

    @validating(App)
    async def slow(review: Review[App]) -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.append(review.name)
            if review.name == "stubborn":
                await never.wait()
            if review.name == "raises":
                raise ValueError from None
            raise

    async def test(caller: Caller, path: str) -> None:
        names = ("polite", "stubborn", "raises")
        begin = time.monotonic()
        asked = (ask(caller, f"{path}?timeout=2s", name=name) for name in names)
        for response in await asyncio.gather(*asked):
            assert (response["status"]["code"], response["status"]["reason"]) == (504, "Timeout")
        # In time: so long before the callers stop waiting that answers reach them.
        assert time.monotonic() - begin > 1.5
        assert [each for each in waited if each is not None and 1.5 < each < 1.9] == [1.8] * 3
        assert sorted(cancelled) == sorted(names)

    ran(slow, test)
    gc.collect()
    assert "took longer than 2 s: <Review CREATE App polite>" in caplog.text
    assert "never retrieved" not in caplog.text


@pytest.mark.parametrize("timeout", [None, "", "never", "-1s", "0s", "1h"])
def test_timeouts_that_say_nothing(timeout: str | None) -> None:
    @validating(App)
    async def fine(review: Review[App]) -> None:
        await asyncio.sleep(0.01)

    async def test(caller: Caller, path: str) -> None:
        query = "" if timeout is None else f"?timeout={timeout}"
        assert (await ask(caller, f"{path}{query}"))["allowed"]

    ran(fine, test)


def test_reviews_at_once() -> None:
    together = asyncio.Barrier(20)

    @validating(App)
    async def waits(review: Review[App]) -> None:
        await together.wait()

    async def test(caller: Caller, path: str) -> None:
        answers = await asyncio.gather(*(ask(caller, path) for _ in range(20)))
        assert all(each["allowed"] for each in answers)

    ran(waits, test)


def deep_question(mark: str, value: bytes, **request: Any) -> bytes:
    """A review with something in the place of a text that is nested deeper than can be decoded."""
    return json.dumps(question(**request)).encode().replace(json.dumps(mark).encode(), value)


DEEP = b'{"a":' * 3000 + b"1" + b"}" * 3000
FIELDS = b'[{"manager":"m","fieldsV1":' + DEEP + b"}]"


@pytest.mark.parametrize("operation", ["CREATE", "UPDATE"])
def test_an_object_that_is_nested_too_deeply_is_refused(operation: str) -> None:
    """Not failed, or whoever wants to pass a webhook whose failures are ignored only had to send one."""

    @validating(App, failure_policy="Ignore")
    async def never(review: Review[App]) -> None:
        raise AssertionError

    async def test(caller: Caller, path: str) -> None:
        deep = {**app(), "more": "DEEP"}
        for asked in ({"object": deep}, {"object": app(), "oldObject": deep}):
            body = deep_question("DEEP", DEEP, operation=operation, **asked)
            status, text = await caller.send(body, path=path)
            assert status == 200
            response = json.loads(text)["response"]
            assert (response["uid"], response["allowed"]) == ("u-1", False)
            assert (response["status"]["code"], response["status"]["reason"]) == (400, "BadRequest")
            assert response["status"]["message"].endswith("the JSON is nested too deeply")

    ran(never, test)


def test_managed_fields_that_are_nested_too_deeply_do_not_matter() -> None:
    @defaulting(App, operations=["UPDATE"])
    async def set_replicas(review: Review[App]) -> None:
        assert review.old is not None
        review.object.spec.replicas = 7

    async def test(caller: Caller, path: str) -> None:
        obj = app()
        obj["metadata"]["managedFields"] = "DEEP"
        body = deep_question("DEEP", FIELDS, operation="UPDATE", object=obj, oldObject=obj)
        status, text = await caller.send(body, path=path)
        response = json.loads(text)["response"]
        assert (status, response["allowed"]) == (200, True)
        patch = json.loads(base64.b64decode(response["patch"]))
        assert [(each["path"], each["value"]) for each in patch] == [("/spec/replicas", 7)]

    ran(set_replicas, test)
