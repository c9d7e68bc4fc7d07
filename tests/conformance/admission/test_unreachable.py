"""Webhooks that cannot be reached, or not in time: what callers are told, and failure policies."""

from __future__ import annotations

import base64
import socket
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.config.certificate_chains import LOOPBACK_CASES
from tests.conformance.admission.certificates import certificates
from tests.conformance.admission.webhook import Raw, Webhooks, respond
from tests.conformance.client import Client, Response
from tests.conformance.conversion_webhook import make_certificates
from tests.conformance.namespaces import Namespace
from tests.conformance.objects import config_map

KINDS = pytest.mark.parametrize("kind", ["mutate", "validate"])


def assert_failed(response: Response, url: str, why: str) -> None:
    message = f'failed calling webhook "a.example.com": failed to call webhook: Post "{url}": {why}'
    body = response.json()
    assert body["message"] == f"Internal error occurred: {message}"
    assert body["details"] == {"causes": [{"message": message}]}
    assert (response.status, body["reason"]) == (500, "InternalError")


@pytest.fixture
def free_port() -> Iterator[int]:
    """A port where nobody listens."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


def at(hooks: Webhooks, url: str, **fields: Any) -> dict[str, Any]:
    hook = hooks.hook("a", **fields)
    return {**hook, "clientConfig": {"url": url, "caBundle": hooks.bundle}}


@KINDS
def test_nobody_is_there(
    hooks: Webhooks, client: Client, namespace: Namespace, kind: str, free_port: int
) -> None:
    getattr(hooks, kind)(at(hooks, f"https://127.0.0.1:{free_port}/a"))
    why = f"dial tcp 127.0.0.1:{free_port}: connect: connection refused"
    url = f"https://127.0.0.1:{free_port}/a?timeout=10s"
    assert_failed(client.post(namespace.config_maps, config_map("a")), url, why)
    assert client.get(f"{namespace.config_maps}/a").status == 404


@KINDS
def test_and_that_may_be_ignored(
    hooks: Webhooks, client: Client, namespace: Namespace, kind: str, free_port: int
) -> None:
    getattr(hooks, kind)(at(hooks, f"https://127.0.0.1:{free_port}/a", failurePolicy="Ignore"))
    namespace.create(namespace.config_maps, config_map("a"))


def test_one_that_is_ignored_does_not_stop_the_others(
    hooks: Webhooks, client: Client, namespace: Namespace, free_port: int
) -> None:
    dead = at(hooks, f"https://127.0.0.1:{free_port}/a", failurePolicy="Ignore")
    hooks.mutate(dead, hooks.hook("b"))
    hooks.validate(dead, hooks.hook("c"))
    namespace.create(namespace.config_maps, config_map("a"))
    assert [len(hooks.asked(each)) for each in "bc"] == [1, 1]


@KINDS
def test_it_hangs_up(hooks: Webhooks, client: Client, namespace: Namespace, kind: str) -> None:
    getattr(hooks, kind)(hooks.hook("a", lambda review: Raw(hang_up=True)))
    response = client.post(namespace.config_maps, config_map("a"))
    assert_failed(response, f"{hooks.url}/a?timeout=10s", "EOF")
    assert len(hooks.asked("a")) == 1


class TestSlow:
    @KINDS
    def test_it_is_waited_for_no_longer_than_it_says(
        self, hooks: Webhooks, client: Client, namespace: Namespace, kind: str
    ) -> None:
        ended = threading.Event()

        def answer(review: dict[str, Any]) -> dict[str, Any]:
            ended.wait(60)
            return respond(review)

        getattr(hooks, kind)(hooks.hook("a", answer, timeoutSeconds=1))
        started = time.monotonic()
        response = client.post(namespace.config_maps, config_map("a"))
        waited = time.monotonic() - started
        ended.set()
        assert_failed(response, f"{hooks.url}/a?timeout=1s", "context deadline exceeded")
        # Less than the ten seconds that a webhook has when it does not say.
        assert 1 <= waited < 10

    def test_that_may_be_ignored(self, hooks: Webhooks, client: Client, namespace: Namespace) -> None:
        ended = threading.Event()

        def answer(review: dict[str, Any]) -> dict[str, Any]:
            ended.wait(60)
            return respond(review)

        hooks.validate(hooks.hook("a", answer, timeoutSeconds=1, failurePolicy="Ignore"))
        namespace.create(namespace.config_maps, config_map("a"))
        ended.set()

    def test_others_do_not_wait(self, hooks: Webhooks, client: Client, namespace: Namespace) -> None:
        asked, ended = threading.Event(), threading.Event()

        def answer(review: dict[str, Any]) -> dict[str, Any]:
            asked.set()
            ended.wait(60)
            return respond(review)

        slow_ones = {"matchLabels": {"slow": "yes"}}
        hooks.validate(hooks.hook("a", answer, objectSelector=slow_ones, timeoutSeconds=14))
        found: list[int] = []

        def slow() -> None:
            found.append(client.post(namespace.config_maps, config_map("a", labels={"slow": "yes"})).status)

        thread = threading.Thread(target=slow)
        thread.start()
        assert asked.wait(14)
        namespace.create(namespace.config_maps, config_map("b"))
        assert found == []
        ended.set()
        thread.join(30)
        assert found == [201]


class TestTLS:
    def test_another_authority(self, hooks: Webhooks, client: Client, namespace: Namespace) -> None:
        other, _ = make_certificates()
        hook = hooks.hook("a")
        hook["clientConfig"]["caBundle"] = base64.b64encode(other).decode()
        hooks.validate(hook)
        why = "tls: failed to verify certificate: x509: certificate signed by unknown authority"
        response = client.post(namespace.config_maps, config_map("a"))
        message = response.json()["message"]
        assert response.status == 500
        assert f'Post "{hooks.url}/a?timeout=10s": {why}' in message
        assert hooks.asked("a") == []

    def test_no_authority_means_those_of_the_system(
        self, hooks: Webhooks, client: Client, namespace: Namespace
    ) -> None:
        hook = hooks.hook("a")
        del hook["clientConfig"]["caBundle"]
        hooks.validate(hook)
        response = client.post(namespace.config_maps, config_map("a"))
        assert response.status == 500
        assert "tls: failed to verify certificate: x509: " in response.json()["message"]

    @pytest.mark.parametrize("name", LOOPBACK_CASES)
    def test_certificates(self, client: Client, namespace: Namespace, name: str) -> None:
        """Those that Go accepts, whatever part of the chain the bundle has, and those that it refuses."""
        case = LOOPBACK_CASES[name]
        chain = case.make()
        with (
            Webhooks.running(client, namespace, (chain.bundle, chain.pem + chain.sent[0].key_pem)) as hooks,
            Webhooks.running(client, namespace) as others,
        ):
            hook = hooks.hook("a")
            hook["clientConfig"]["url"] = hook["clientConfig"]["url"].replace("127.0.0.1", case.host)
            # It may not be possible to probe it, so another server's probes tell when it is in use.
            others.validate(hook)
            response = client.post(namespace.config_maps, config_map("a"))
            assert len(hooks.asked("a")) == int(case.is_accepted), response.text
            if case.is_accepted:
                assert response.status == 201
            else:
                assert response.status == 500
                assert "tls: failed to verify certificate: x509: " in response.json()["message"]

    @pytest.mark.parametrize(
        ("names", "days"), [(["127.0.0.2"], (-1, 1)), (["127.0.0.1"], (-2, -1)), (["127.0.0.1"], (1, 2))]
    )
    def test_a_certificate_for_another_host_or_time(
        self, client: Client, namespace: Namespace, names: list[str], days: tuple[int, int]
    ) -> None:
        now = datetime.now(UTC)
        made = certificates(names, *(now + timedelta(days=each) for each in days))
        # It cannot be probed, so another server's probes tell when it is in use.
        with (
            Webhooks.running(client, namespace, made) as hooks,
            Webhooks.running(client, namespace) as others,
        ):
            others.validate(hooks.hook("a"))
            response = client.post(namespace.config_maps, config_map("a"))
            assert response.status == 500
            wanted = f'Post "{hooks.url}/a?timeout=10s": tls: failed to verify certificate: x509: '
            assert wanted in response.json()["message"]
            assert hooks.asked("a") == []
