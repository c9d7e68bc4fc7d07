"""AdmissionReviews over real sockets: what functions see, and what callers are answered."""

from __future__ import annotations

import base64
import json
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
from kubewright.webhooks.metrics import LATENCY_BUCKETS
from tests.webhooks.apps import App, app
from tests.webhooks.caller import Caller, run
from tests.webhooks.questions import KIND, ask, question, ran


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
        assert len(found.buckets) == len(LATENCY_BUCKETS) + 1
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
