"""Functions that API servers ask: the embedded one and, marked real, a kube-apiserver."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kubewright import EMPTY, Resource, Struct
from kubewright.machinery.field_errors import invalid, required
from kubewright.models.core_v1 import Pod
from kubewright.webhooks import Denied, Review, defaulting, validating
from kubewright.webhooks.admission import AdmissionHandler
from tests.conformance.client import ServerUnderTest
from tests.webhooks.apps import App, InCluster, app, call, run_in


@defaulting(App)
async def defaults(review: Review[App]) -> None:
    if review.object.spec.replicas is None:
        review.object.spec.replicas = 3
    review.object.metadata.labels["made-by"] = review.user.username.replace(":", ".")


@validating(App, operations=["CREATE", "UPDATE", "DELETE"])
async def check(review: Review[App]) -> None:
    if review.operation == "DELETE":
        if review.object.spec.labels.get("keep"):
            raise Denied(f"{review.name} is kept")
        return
    assert (review.old is None) == (review.operation == "CREATE")
    if review.old is not None and review.old.spec.image != review.object.spec.image:
        raise Denied(causes=[invalid("spec.image", review.object.spec.image, "field is immutable")])
    if not review.object.spec.image:
        raise Denied(causes=[required("spec.image"), invalid("spec.replicas", 3)])
    if review.object.spec.args:
        review.warn("args are deprecated\nuse labels")
    review.annotate("replicas", str(review.object.spec.replicas))


def test_a_custom_kind(server: ServerUnderTest) -> None:
    async def test(cluster: InCluster) -> None:
        async with cluster.asking(defaults, check):
            made = await cluster.plain.create(app(image="a:1", args=["x"], other={"deep": [1, None]}))
            assert made["spec"] == {
                "image": "a:1",
                "args": ["x"],
                "other": {"deep": [1, None]},
                "replicas": 3,
            }
            assert made.metadata.labels["made-by"]
            assert cluster.warnings == ["args are deprecated use labels"]
            refused = await call(cluster.apps.create(app("no", replicas=1)))
            assert (refused.status.code, refused.status.reason) == (422, "Invalid")
            assert refused.status.message == (
                'admission webhook "vapp-v1.webhooks.example.com" denied the request: '
                'App.webhooks.example.com "no" is invalid: '
                "[spec.image: Required value, spec.replicas: Invalid value: 3]"
            )
            assert refused.status.details is not None
            causes = [(each.reason, each.field) for each in refused.status.details.causes]
            assert causes == [("FieldValueRequired", "spec.image"), ("FieldValueInvalid", "spec.replicas")]
            refused = await call(cluster.apps.patch("web", {"spec": {"image": "a:2"}}))
            assert 'spec.image: Invalid value: "a:2": field is immutable' in refused.status.message
            await cluster.apps.patch("web", {"spec": {"labels": {"keep": "yes"}}})
            refused = await call(cluster.apps.delete("web"))
            assert (refused.status.code, refused.status.reason) == (403, "Forbidden")
            assert refused.status.message.endswith("denied the request: web is kept")
            await cluster.apps.patch("web", {"spec": {"labels": None}})
            await cluster.apps.delete("web")

    run_in(server, test)


def test_pods(server: ServerUnderTest) -> None:
    @defaulting(Pod)
    async def side(review: Review[Pod]) -> None:
        review.object.spec.containers.append(review.object.spec.containers[0].copy())
        review.object.spec.containers[-1].name = "side"

    @validating(Pod)
    async def guard(review: Review[Pod]) -> None:
        names = [each.name for each in review.object.spec.containers]
        assert review.namespace == review.object.metadata.namespace
        review.warn(f"{review.operation} {','.join(names)}")

    async def test(cluster: InCluster) -> None:
        container = {"name": "main", "image": "a", "resources": {"limits": {"cpu": "0.5"}}}
        pod = {"metadata": {"name": "p"}, "spec": {"containers": [container]}}
        async with cluster.asking(side, guard):
            made = await cluster.client.dynamic("v1", "Pod", cluster.namespace).create(pod)
            assert [each["name"] for each in made["spec"]["containers"]] == ["main", "side"]
            assert made["spec"]["containers"][1]["resources"] == {
                "limits": {"cpu": "500m"},
                "requests": {"cpu": "500m"},
            }
            assert cluster.warnings == ["CREATE main,side"]

    run_in(server, test)


def test_dry_runs_and_options(server: ServerUnderTest) -> None:
    seen: list[tuple[bool, Any]] = []

    @validating(App, side_effects="NoneOnDryRun")
    async def look(review: Review[App]) -> None:
        seen.append((review.dry_run, review.options.get("fieldManager")))

    async def test(cluster: InCluster) -> None:
        async with cluster.asking(look):
            await cluster.apps.create(app("a"), dry_run=True, manager="me")
            await cluster.apps.create(app("a"), manager="you")
        assert seen == [(True, "me"), (False, "you")]

    run_in(server, test)


def test_subresources(server: ServerUnderTest) -> None:
    seen: list[tuple[str, str, int]] = []

    @validating(App, operations=["UPDATE"], subresource="status")
    async def of_status(review: Review[App]) -> None:
        ready = review.object.status.ready if review.object.status else 0
        seen.append((review.operation, review.subresource, ready))
        if ready > 5:
            raise Denied("too many")

    async def test(cluster: InCluster) -> None:
        async with cluster.asking(of_status):
            made = await cluster.plain.create(app("a"))
            made["status"] = {"ready": 3}
            made = await cluster.plain.update_status(made)
            made["status"] = {"ready": 6}
            assert "too many" in (await call(cluster.plain.update_status(made))).status.message
        assert seen == [("UPDATE", "status", 3), ("UPDATE", "status", 6)]

    run_in(server, test)


def test_functions_that_fail(server: ServerUnderTest, monkeypatch: pytest.MonkeyPatch) -> None:
    gives_up = AdmissionHandler._run

    async def gives_up_early(self: AdmissionHandler[Any], review: Review[Any], within: float) -> None:
        # In half the time, so that also from a busy process the answer comes before the server gives up.
        await gives_up(self, review, within / 2)

    monkeypatch.setattr(AdmissionHandler, "_run", gives_up_early)

    @validating(App, name="raises.apps.example.com", path="/raises")
    async def raises(review: Review[App]) -> None:
        if review.name == "raises":
            raise ValueError("the password is swordfish")

    @validating(App, name="hangs.apps.example.com", path="/hangs", timeout_seconds=8)
    async def hangs(review: Review[App]) -> None:
        if review.name == "hangs":
            await asyncio.sleep(60)

    @validating(
        App, name="optional.apps.example.com", path="/optional", failure_policy="Ignore", timeout_seconds=5
    )
    async def optional(review: Review[App]) -> None:
        if review.name == "optional-raises":
            raise ValueError
        if review.name == "optional-hangs":
            await asyncio.sleep(60)
        if review.name == "optional-denies":
            raise Denied("no")

    async def test(cluster: InCluster) -> None:
        async with cluster.asking(raises, hangs, optional):
            refused = await call(cluster.apps.create(app("raises")))
            assert refused.status.code == 500
            assert refused.status.message == (
                'admission webhook "raises.apps.example.com" denied the request: '
                "the webhook raises.apps.example.com failed (ValueError), and its log says why"
            )
            refused = await call(cluster.apps.create(app("hangs")))
            assert refused.status.code == 504
            assert refused.status.message.endswith("hangs.apps.example.com was not done in time")
            await cluster.apps.create(app("optional-raises"))
            await cluster.apps.create(app("optional-hangs"))
            assert (await call(cluster.apps.create(app("optional-denies")))).status.code == 403
            await cluster.apps.create(app("fine"))

    run_in(server, test)


class Numbered(Struct):
    image: int = 0


class NumberedApp(
    Resource, api_version="webhooks.example.com/v1", kind="App", plural="apps", namespaced=True
):
    """The same kind as somebody else sees it."""

    spec: Numbered = EMPTY


def test_objects_that_do_not_decode(server: ServerUnderTest) -> None:
    @validating(NumberedApp)
    async def never(review: Review[NumberedApp]) -> None:
        raise AssertionError("not of its type")

    async def test(cluster: InCluster) -> None:
        async with cluster.asking(never):
            refused = await call(cluster.apps.create(app("a", image="three")))
            assert refused.status.code == 400
            assert refused.status.message.endswith("/a spec.image: expected int, got str")

    run_in(server, test)


class PodExecOptions(Resource, api_version="v1", kind="PodExecOptions"):
    command: list[str] = []


def test_connections(server: ServerUnderTest) -> None:
    """What is not stored at all: CONNECT, whose object says what is wanted."""

    @validating(PodExecOptions, parent=Pod, subresource="exec", operations=["CONNECT"])
    async def no_shells(review: Review[PodExecOptions]) -> None:
        raise Denied(f"{review.operation} {review.subresource} of {review.name}: {review.object.command}")

    async def test(cluster: InCluster) -> None:
        pod = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "main", "image": "a"}]}}
        async with cluster.asking(no_shells):
            await cluster.client.dynamic("v1", "Pod", cluster.namespace).create(pod)
            path = f"/api/v1/namespaces/{cluster.namespace}/pods/p/exec"
            refused = await call(
                cluster.client.raw("POST", path, query=[("command", "sh"), ("stdout", "true")])
            )
            assert refused.status.message.endswith("denied the request: CONNECT exec of p: ['sh']")

    run_in(server, test)
