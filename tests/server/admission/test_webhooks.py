"""Webhooks of a server in this process: what only it can tell, and what must be fast."""

from __future__ import annotations

import asyncio
import base64
import math
import ssl
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

import pytest
from aiohttp import web

from kubewright.machinery.errors import ApiError
from kubewright.server.admission.webhooks.configurations import Configurations
from kubewright.server.registry.create import create
from kubewright.server.registry.delete import DeleteRequest, delete
from kubewright.server.registry.registry import Registry
from kubewright.server.registry.write import User, Write
from kubewright.testing import Cluster
from tests.conformance.conversion_webhook import make_certificates

ADMIN = User(name="admin", uid="u", groups=("system:masters",), extra={"k": ["v"]})


def write(**fields: Any) -> Write:
    return Write(user=ADMIN, now=datetime.now(UTC), namespace="default", **fields)


def config_map(name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"x": "y"}}


class Hooks:
    """A webhook server in this loop that counts its connections."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.reviews: list[dict[str, Any]] = []
        self.timeouts: list[str] = []
        self.connections: set[object] = set()
        self.response: dict[str, Any] = {"allowed": True}

    async def __aenter__(self) -> Self:
        authority, chain = make_certificates()
        file = self._folder / "chain.pem"
        file.write_bytes(chain)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        app = web.Application()
        app.router.add_post("/", self._answer)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0, ssl_context=context).start()
        self.config = {
            "url": f"https://127.0.0.1:{self._runner.addresses[0][1]}/",
            "caBundle": base64.b64encode(authority).decode(),
        }
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    async def _answer(self, request: web.Request) -> web.Response:
        review = await request.json()
        self.reviews.append(review["request"])
        self.timeouts.append(request.query["timeout"])
        self.connections.add(request.transport)
        response = {"uid": review["request"]["uid"], **self.response}
        return web.json_response({**review, "request": None, "response": response})

    def configuration(self, kind: str, name: str = "config", **fields: Any) -> dict[str, Any]:
        rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["configmaps"]}
        hook = {
            "name": "a.example.com",
            "clientConfig": self.config,
            "rules": [rule],
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
            "failurePolicy": "Fail",
            "timeoutSeconds": 5,
            **fields,
        }
        return {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": kind,
            "metadata": {"name": name},
            "webhooks": [hook],
        }


async def configure(registry: Registry, body: dict[str, Any]) -> None:
    store = registry.find("admissionregistration.k8s.io", "v1", f"{body['kind'].lower()}s")
    assert store is not None
    obj = store.type.read_object(body, strict=True).obj
    await create(store, obj, Write(user=ADMIN, now=datetime.now(UTC), namespace=""))


async def make(registry: Registry, name: str, **fields: Any) -> Write:
    """Create a config map; returns the write."""
    store = registry.find("", "v1", "configmaps")
    assert store is not None
    made = write(**fields)
    await create(store, config_map(name), made)
    return made


MUTATING, VALIDATING = "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"


class TestAuditAnnotations:
    def test_of_webhooks_that_answer(self, tmp_path: Path) -> None:
        async def run() -> None:
            async with Cluster(controllers="none") as cluster, Hooks(tmp_path) as hooks:
                patch = base64.b64encode(b'[{"op": "add", "path": "/data/z", "value": "1"}]').decode()
                hooks.response = {
                    "allowed": True,
                    "auditAnnotations": {"why": "so"},
                    "patch": patch,
                    "patchType": "JSONPatch",
                }
                await configure(cluster.registry, hooks.configuration(MUTATING))
                made = await make(cluster.registry, "a")
                assert made.annotations == {
                    "a.example.com/why": "so",
                    "mutation.webhook.admission.k8s.io/round_0_index_0": (
                        '{"configuration":"config","webhook":"a.example.com","mutated":true}'
                    ),
                    "patch.webhook.admission.k8s.io/round_0_index_0": (
                        '{"configuration":"config","webhook":"a.example.com","patch":'
                        '[{"op":"add","path":"/data/z","value":"1"}],"patchType":"JSONPatch"}'
                    ),
                }
                assert hooks.reviews[0]["userInfo"] == {
                    "username": "admin",
                    "uid": "u",
                    "groups": ["system:masters"],
                    "extra": {"k": ["v"]},
                }

        asyncio.run(run())

    @pytest.mark.parametrize(
        ("kind", "annotations"),
        [
            (
                MUTATING,
                {
                    "mutation.webhook.admission.k8s.io/round_0_index_0": (
                        '{"configuration":"config","webhook":"a.example.com","mutated":false}'
                    ),
                    "failed-open.mutation.webhook.admission.k8s.io/round_0_index_0": "a.example.com",
                },
            ),
            (
                VALIDATING,
                {"failed-open.validating.webhook.admission.k8s.io/round_0_index_0": "a.example.com"},
            ),
        ],
    )
    def test_of_webhooks_that_fail(self, tmp_path: Path, kind: str, annotations: dict[str, str]) -> None:
        async def run() -> None:
            async with Cluster(controllers="none") as cluster, Hooks(tmp_path) as hooks:
                hooks.response = {"uid": "wrong"}
                await configure(cluster.registry, hooks.configuration(kind, failurePolicy="Ignore"))
                made = await make(cluster.registry, "a")
                assert made.annotations == annotations

        asyncio.run(run())


def test_connections_are_kept(tmp_path: Path) -> None:
    async def run() -> None:
        async with Cluster(controllers="none") as cluster, Hooks(tmp_path) as hooks:
            for kind in (MUTATING, VALIDATING):
                await configure(cluster.registry, hooks.configuration(kind))
            for number in range(10):
                await make(cluster.registry, f"a{number}")
            assert len(hooks.reviews) == 20
            assert len(hooks.connections) == 1

    asyncio.run(run())


def test_the_very_next_write_is_asked_about(tmp_path: Path) -> None:
    async def run() -> None:
        async with Cluster(controllers="none") as cluster, Hooks(tmp_path) as hooks:
            hooks.response = {"allowed": False}
            await configure(cluster.registry, hooks.configuration(VALIDATING))
            with pytest.raises(ApiError, match="denied the request"):
                await make(cluster.registry, "a")
            store = cluster.registry.find(
                "admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations"
            )
            assert store is not None
            await delete(store, "config", DeleteRequest(), write())
            await make(cluster.registry, "a")

    asyncio.run(run())


def test_configurations_outlive_the_server(tmp_path: Path) -> None:
    async def run() -> None:
        async with Hooks(tmp_path) as hooks:
            hooks.response = {"allowed": False}
            async with Cluster(controllers="none", data_dir=tmp_path / "data") as cluster:
                await configure(cluster.registry, hooks.configuration(VALIDATING))
            async with Cluster(controllers="none", data_dir=tmp_path / "data") as cluster:
                with pytest.raises(ApiError, match="denied the request"):
                    await make(cluster.registry, "a")

    asyncio.run(run())


def test_a_dry_run_is_refused_by_old_webhooks_with_side_effects(tmp_path: Path) -> None:
    """Such webhooks can only be stored from before they were forbidden."""

    async def run() -> None:
        async with Cluster(controllers="none") as cluster, Hooks(tmp_path) as hooks:
            store = cluster.registry.find(
                "admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations"
            )
            assert store is not None
            body = hooks.configuration(VALIDATING, sideEffects="Unknown", failurePolicy="Ignore")
            value = store.type.encode({**body, "metadata": {"name": "old"}})
            await store.storage.create(store.key("", "old"), value)
            await make(cluster.registry, "a")
            with pytest.raises(ApiError) as refused:
                await make(cluster.registry, "b", dry_run=True)
            message = 'admission webhook "a.example.com" does not support dry run'
            assert (refused.value.status.code, refused.value.status.message) == (400, message)
            assert len(hooks.reviews) == 1

    asyncio.run(run())


def test_webhooks_that_speak_no_known_version(tmp_path: Path) -> None:
    async def run() -> None:
        async with Cluster(controllers="none") as cluster, Hooks(tmp_path) as hooks:
            store = cluster.registry.find(
                "admissionregistration.k8s.io", "v1", "mutatingwebhookconfigurations"
            )
            assert store is not None
            body = hooks.configuration(MUTATING, admissionReviewVersions=["v7"])
            await store.storage.create(
                store.key("", "old"), store.type.encode({**body, "metadata": {"name": "old"}})
            )
            with pytest.raises(
                ApiError, match=r"does not accept known AdmissionReview versions \(v1, v1beta1\)"
            ):
                await make(cluster.registry, "a")

    asyncio.run(run())


class TestTime:
    """All webhooks of a write together have as long as a request may take, whatever each says."""

    @pytest.mark.parametrize(
        ("kind", "fields", "code", "why"),
        [
            (MUTATING, {}, 500, "context deadline exceeded"),
            (MUTATING, {"failurePolicy": "Ignore"}, 504, "request did not complete within requested timeout"),
            (VALIDATING, {}, 504, "request did not complete within requested timeout"),
        ],
    )
    def test_when_it_is_over(
        self, tmp_path: Path, kind: str, fields: dict[str, str], code: int, why: str
    ) -> None:
        async def run() -> None:
            async with Cluster(controllers="none") as cluster, Hooks(tmp_path) as hooks:
                await configure(cluster.registry, hooks.configuration(kind, **fields))
                over = asyncio.get_running_loop().time() - 1
                with pytest.raises(ApiError, match=why) as refused:
                    await make(cluster.registry, "a", admission_ends=over)
                assert refused.value.status.code == code
                assert hooks.reviews == []

        asyncio.run(run())

    def test_a_webhook_is_told_what_is_left(self, tmp_path: Path) -> None:
        async def run() -> None:
            async with Cluster(controllers="none") as cluster, Hooks(tmp_path) as hooks:
                clock = asyncio.get_running_loop().time
                await configure(cluster.registry, hooks.configuration(MUTATING, timeoutSeconds=30))
                begun = clock()
                made = await make(cluster.registry, "a")
                assert begun + 34 <= made.admission_ends <= clock() + 34
                ends = (begun := clock()) + 20.5
                await make(cluster.registry, "b", admission_ends=ends)
                whole, left = (int(told.removesuffix("s")) for told in hooks.timeouts)
                assert whole == 30
                assert math.ceil(ends - clock()) <= left <= math.ceil(ends - begun) == 21

        asyncio.run(run())


def test_configurations_are_prepared_once(tmp_path: Path) -> None:
    async def run() -> None:
        async with Cluster(controllers="none") as cluster, Hooks(tmp_path) as hooks:
            configurations = Configurations(cluster.registry, "mutatingwebhookconfigurations")
            await configure(cluster.registry, hooks.configuration(MUTATING, "b"))
            (first,) = configurations.webhooks()
            assert configurations.webhooks() is configurations.webhooks()
            await configure(cluster.registry, hooks.configuration(MUTATING, "a"))
            before, after = configurations.webhooks()
            assert (before.configuration, after) == ("a", first)
            configurations.close()

    asyncio.run(run())
