"""Webhooks behind services."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from tests.conformance.admission.certificates import certificates
from tests.conformance.admission.webhook import Webhooks
from tests.conformance.client import Client
from tests.conformance.namespaces import Namespace
from tests.conformance.objects import config_map
from tests.conformance.waiting import eventually


def behind(hooks: Webhooks, name: str, **service: Any) -> dict[str, Any]:
    """A webhook behind a service of the test's namespace."""
    hook = hooks.hook("a")
    client_config = {
        "service": {"namespace": hooks.namespace.name, "name": name, "path": "/a", **service},
        "caBundle": hooks.bundle,
    }
    return {**hook, "clientConfig": client_config}


def external(name: str, host: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name},
        "spec": {"type": "ExternalName", "externalName": host},
    }


def await_service(client: Client, namespace: Namespace) -> None:
    """Waits until the server knows the service `web`: a real one hears of services by itself, a bit later."""

    def is_known() -> bool:
        answer = client.post(namespace.config_maps, config_map("a"), dryRun="All")
        return 'service "web" not found' not in answer.text

    eventually(is_known, "the service is known")


def test_a_name_outside(client: Client, namespace: Namespace) -> None:
    now = datetime.now(UTC)
    names = ["127.0.0.1", f"web.{namespace.name}.svc"]
    made = certificates(names, now - timedelta(days=1), now + timedelta(days=1))
    namespace.create(namespace.services, external("web", "localhost"))
    with Webhooks.running(client, namespace, made) as hooks:
        port = int(hooks.url.rpartition(":")[2])
        hooks.validate(behind(hooks, "web", port=port))
        await_service(client, namespace)
        hooks.reviews.clear()
        namespace.create(namespace.config_maps, config_map("a"))
        (review,) = [each for each in hooks.reviews if each["path"] == "/a?timeout=10s"]
        assert review["host"] == f"web.{namespace.name}.svc:{port}"


def test_the_certificate_is_for_the_service(client: Client, namespace: Namespace, hooks: Webhooks) -> None:
    namespace.create(namespace.services, external("web", "localhost"))
    port = int(hooks.url.rpartition(":")[2])
    hooks.validate(behind(hooks, "web", port=port))
    await_service(client, namespace)
    response = client.post(namespace.config_maps, config_map("a"))
    assert response.status == 500
    wanted = (
        f'Post "https://web.{namespace.name}.svc:{port}/a?timeout=10s": tls: failed to verify certificate'
    )
    assert wanted in response.json()["message"]


def test_there_is_no_such_service(client: Client, namespace: Namespace, hooks: Webhooks) -> None:
    hooks.validate(behind(hooks, "none"))
    response = client.post(namespace.config_maps, config_map("a"))
    assert response.json()["message"] == (
        'Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: '
        f'Post "https://none.{namespace.name}.svc:443/a?timeout=10s": service "none" not found'
    )


def test_the_service_has_no_such_port(client: Client, namespace: Namespace, hooks: Webhooks) -> None:
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "web"},
        "spec": {"ports": [{"port": 80}]},
    }
    namespace.create(namespace.services, service)
    hooks.validate(behind(hooks, "web"))
    await_service(client, namespace)
    response = client.post(namespace.config_maps, config_map("a"))
    assert response.json()["message"].endswith('no service port 443 found for service "web"')
