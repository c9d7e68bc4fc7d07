"""AdmissionReviews over real sockets: what functions see, what callers are answered, and what goes wrong."""

from __future__ import annotations

import asyncio
import base64
import gc
import json
import logging
import time
from typing import Any

import pytest

from kubewright import DeclarationError
from kubewright.machinery.field_errors import invalid
from kubewright.machinery.status import StatusCause
from kubewright.models.apps_v1 import Deployment
from kubewright.models.autoscaling_v1 import Scale
from kubewright.models.core_v1 import Pod
from kubewright.webhooks import Denied, Review, UserInfo, defaulting, validating
from kubewright.webhooks.configurations import make_configurations, service_at
from kubewright.webhooks.declaration import webhook_of
from tests.webhooks.apps import App, app
from tests.webhooks.caller import Caller, run

KIND = {"group": "webhooks.example.com", "version": "v1", "kind": "App"}


def question(version: str = "v1", **request: Any) -> dict[str, Any]:
    asked = {"uid": "u-1", "kind": KIND, "operation": "CREATE", "object": app(), "oldObject": None, **request}
    return {"apiVersion": f"admission.k8s.io/{version}", "kind": "AdmissionReview", "request": asked}


async def ask(caller: Caller, path: str, body: Any = None, **request: Any) -> dict[str, Any]:
    sent = json.dumps(question(**request) if body is None else body).encode()
    status, text = await caller.send(sent, path=path)
    assert status == 200, text
    answer = json.loads(text)
    assert answer["kind"] == "AdmissionReview"
    assert answer["response"]["uid"] == "u-1"
    response: dict[str, Any] = answer["response"]
    return response


def ran(function: Any, test: Any, **options: Any) -> None:
    """Run a test with the path of a function that is served."""
    declared = webhook_of(function)
    assert declared is not None

    async def with_caller(caller: Caller) -> None:
        caller.webhooks.add(function)
        await test(caller, declared.path)

    run(with_caller, **options)


def test_what_a_function_sees() -> None:
    seen: list[Review[App]] = []

    @validating(App, operations=["*"])
    async def look(review: Review[App]) -> None:
        seen.append(review)

    async def test(caller: Caller, path: str) -> None:
        user = {"username": "ada", "uid": "7", "groups": ["devs"], "extra": {"a": ["b"]}}
        response = await ask(
            caller,
            path,
            operation="UPDATE",
            name="web",
            namespace="shop",
            oldObject=app(image="old"),
            userInfo=user,
            dryRun=True,
            options={"kind": "UpdateOptions", "fieldManager": "me"},
            subResource="status",
            later={"unknown": 1},
        )
        assert response == {"uid": "u-1", "allowed": True}
        (review,) = seen
        assert isinstance(review.object, App)
        assert review.old is not None
        assert review.old.spec.image == "old"
        assert (review.operation, review.name, review.namespace) == ("UPDATE", "web", "shop")
        assert review.user == UserInfo("ada", "7", ("devs",), {"a": ("b",)})
        assert review.dry_run
        assert review.options["fieldManager"] == "me"
        assert (review.subresource, review.uid) == ("status", "u-1")
        assert repr(review) == "<Review UPDATE App shop/web>"
        await ask(caller, path, body=question("v1beta1"))
        assert (seen[1].old, seen[1].options, seen[1].dry_run, seen[1].user) == (None, {}, False, UserInfo())

    ran(look, test)


def test_the_answer_is_in_the_version_of_the_question() -> None:
    @validating(App)
    async def fine(review: Review[App]) -> None: ...

    async def test(caller: Caller, path: str) -> None:
        for version in ("v1", "v1beta1"):
            _, text = await caller.send(json.dumps(question(version)).encode(), path=path)
            assert json.loads(text)["apiVersion"] == f"admission.k8s.io/{version}"

    ran(fine, test)


def test_deletions() -> None:
    seen: list[Any] = []

    @validating(App, operations=["DELETE"])
    async def kept(review: Review[App]) -> None:
        assert review.old is not None
        seen.append((review.object.spec.image, review.old.spec.image))

    async def test(caller: Caller, path: str) -> None:
        await ask(caller, path, operation="DELETE", object=None, oldObject=app(image="a"))
        assert seen == [("a", "a")]
        response = await ask(caller, path, operation="DELETE", object=None)
        assert response["status"]["message"] == "AdmissionReview: request.oldObject is missing"

    ran(kept, test)


def test_a_deletion_cannot_be_changed(caplog: pytest.LogCaptureFixture) -> None:
    @defaulting(App, operations=["*"])
    async def changes(review: Review[App]) -> None:
        review.object.spec.image = "b"

    async def test(caller: Caller, path: str) -> None:
        response = await ask(caller, path, operation="DELETE", object=None, oldObject=app(image="a"))
        assert not response["allowed"]
        assert response["status"]["message"].endswith("changed an object that is deleted")

    ran(changes, test)


@pytest.mark.parametrize(
    ("denied", "status"),
    [
        (Denied("no"), {"message": "no", "reason": "Forbidden", "code": 403}),
        (Denied("x", reason="Conflict"), {"message": "x", "reason": "Conflict", "code": 409}),
        (Denied("x", reason="MyOwn"), {"message": "x", "reason": "MyOwn", "code": 403}),
        (Denied("x", code=418), {"message": "x", "reason": "Forbidden", "code": 418}),
        (Denied(), {"message": "the request was denied", "reason": "Forbidden", "code": 403}),
        (
            Denied("wrong", causes=[StatusCause(message="m")]),
            {
                "message": "wrong",
                "reason": "Invalid",
                "code": 422,
                "details": {**KIND, "name": "web", "causes": [{"message": "m"}]},
            },
        ),
        (
            Denied(causes=[invalid("spec.a", 3)]),
            {
                "message": 'App.webhooks.example.com "web" is invalid: spec.a: Invalid value: 3',
                "reason": "Invalid",
                "code": 422,
                "details": {
                    **KIND,
                    "name": "web",
                    "causes": [
                        {"reason": "FieldValueInvalid", "field": "spec.a", "message": "Invalid value: 3"}
                    ],
                },
            },
        ),
    ],
)
def test_refusals(denied: Denied, status: dict[str, Any]) -> None:
    @validating(App)
    async def refuses(review: Review[App]) -> None:
        review.warn("beware")
        review.annotate("why", "so")
        raise denied

    async def test(caller: Caller, path: str) -> None:
        response = await ask(caller, path, name="web")
        details = response["status"].get("details", {})
        details.update({"version": "v1"} if details else {})
        assert response["status"] == {"status": "Failure", **status}
        assert not response["allowed"]
        assert response["warnings"] == ["beware"]
        assert response["auditAnnotations"] == {"why": "so"}

    ran(refuses, test)


def test_codes_that_refuse_nothing() -> None:
    with pytest.raises(ValueError, match="code=200 refuses nothing; give one from 400 to 599"):
        Denied("x", code=200)


def test_what_a_review_takes() -> None:
    review = Review(App.from_dict(app()))
    assert (review.name, review.namespace, review.operation) == ("web", "", "CREATE")
    review.warn(" two\r\n lines ")
    review.warn("\n")
    assert review.warnings == ["two  lines"]
    for key in ("", "a/b", "a b", "x" * 64):
        with pytest.raises(ValueError, match="is dropped by servers"):
            review.annotate(key, "v")
    assert review.annotations == {}


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


def test_functions_that_are_too_slow(caplog: pytest.LogCaptureFixture) -> None:
    cancelled: list[str] = []
    never = asyncio.Event()

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
        # In time: before the callers would stop waiting.
        assert 1.5 < time.monotonic() - begin < 2
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


def test_changes_are_a_patch() -> None:
    @defaulting(App)
    async def changes(review: Review[App]) -> None:
        review.object.spec.replicas = 2
        review.warn("changed")

    async def test(caller: Caller, path: str) -> None:
        response = await ask(caller, path, object=app(unknown=None))
        assert json.loads(base64.b64decode(response["patch"])) == [
            {"op": "add", "path": "/spec/replicas", "value": 2}
        ]
        assert response["patchType"] == "JSONPatch"
        assert response["warnings"] == ["changed"]
        same = await ask(caller, path, object=app(replicas=2))
        assert same == {"uid": "u-1", "allowed": True, "warnings": ["changed"]}

    ran(changes, test)


def test_another_object_in_its_place() -> None:
    @defaulting(App)
    async def replaces(review: Review[App]) -> None:
        review.object = App.from_dict(app(image="new"))

    async def test(caller: Caller, path: str) -> None:
        response = await ask(caller, path, object=app(image="old", replicas=1))
        assert json.loads(base64.b64decode(response["patch"])) == [
            {"op": "remove", "path": "/spec/replicas"},
            {"op": "replace", "path": "/spec/image", "value": "new"},
        ]

    ran(replaces, test)


def test_a_whole_member_that_goes() -> None:
    @defaulting(App)
    async def forgets(review: Review[App]) -> None:
        review.object.status = None

    async def test(caller: Caller, path: str) -> None:
        response = await ask(caller, path, object={**app(), "status": {"ready": 1}})
        assert json.loads(base64.b64decode(response["patch"])) == [{"op": "remove", "path": "/status"}]

    ran(forgets, test)


def test_objects_of_subresources() -> None:
    """A subresource's objects may be of another kind than its parent's."""
    seen: list[int] = []

    @validating(Scale, parent=Deployment, subresource="scale", operations=["UPDATE"])
    async def scaled(review: Review[Scale]) -> None:
        seen.append(review.object.spec.replicas or 0)

    async def test(caller: Caller, path: str) -> None:
        assert path == "/validate-apps-v1-deployment-scale"
        scale = {
            "apiVersion": "autoscaling/v1",
            "kind": "Scale",
            "metadata": {"name": "a"},
            "spec": {"replicas": 4},
        }
        kind = {"group": "autoscaling", "version": "v1", "kind": "Scale"}
        await ask(caller, path, operation="UPDATE", kind=kind, object=scale, subResource="scale")
        assert seen == [4]

    ran(scaled, test)
    declared = webhook_of(scaled)
    assert declared is not None
    (made,) = make_configurations([declared], service_at("s", "n"), mutating_name="m", validating_name="v")
    (rule,) = made.webhooks[0].rules
    assert (rule.api_groups, rule.api_versions, rule.resources) == (["apps"], ["v1"], ["deployments/scale"])
    assert made.webhooks[0].name == "vdeployment-scale-v1.apps.k8s.io"
    with pytest.raises(DeclarationError, match="give subresource= as well"):
        validating(Scale, parent=Deployment)
    with pytest.raises(DeclarationError, match="has a slash; write it as 'status'"):
        validating(Pod, subresource="pods/status")
    with pytest.raises(DeclarationError, match="Scale is no kind of the API"):
        validating(Scale)


def test_what_cannot_be_added() -> None:
    @validating(App)
    async def check(review: Review[App]) -> None: ...

    @validating(App, path="/convert")
    async def converts(review: Review[App]) -> None: ...

    async def plain(review: Review[App]) -> None: ...

    async def test(caller: Caller, path: str) -> None:
        add = caller.webhooks.add
        with pytest.raises(DeclarationError, match=r"plain.*it is no webhook; decorate it with"):
            add(plain)
        for each in (check, converts):
            with pytest.raises(DeclarationError, match=r"there is a webhook at .* another path="):
                add(each)
        assert [each.path for each in caller.webhooks.declarations] == [path]

    ran(check, test)


def test_what_is_counted() -> None:
    seen: list[int] = []

    @validating(App, failure_policy="Ignore")
    async def counts(review: Review[App]) -> None:
        seen.append(caller_metrics[0].in_flight)
        if review.name == "raises":
            raise ValueError

    caller_metrics: list[Any] = []

    async def test(caller: Caller, path: str) -> None:
        (found,) = (each for each in caller.webhooks.metrics if each.path == path)
        caller_metrics.append(found)
        await ask(caller, path)
        await caller.send(json.dumps(question(name="raises")).encode(), path=path)
        await caller.send(b"nothing", path=path)
        assert found.requests == {200: 1, 500: 1, 400: 1}
        assert found.buckets[-1] == 3
        assert len(found.buckets) == 12
        assert found.seconds > 0
        assert (seen, found.in_flight) == ([1, 1], 0)

    ran(counts, test)


def test_probes(caplog: pytest.LogCaptureFixture) -> None:
    async def well() -> None: ...

    async def ill() -> None:
        raise RuntimeError("the cache of the secret project is not synced")

    async def test(caller: Caller) -> None:
        caller.webhooks.add_probe("/healthz", well)
        caller.webhooks.add_probe("/readyz", ill)
        assert await caller.send(path="/healthz", method="GET", headers={}) == (200, "ok")
        assert await caller.send(path="/readyz", method="GET", headers={}) == (500, "readyz check failed\n")
        assert (await caller.send(path="/healthz", method="POST"))[0] == 405
        assert (await caller.send(path="/other", method="GET"))[0] == 404

    run(test)
    assert "/readyz: the cache of the secret project is not synced" in caplog.text
