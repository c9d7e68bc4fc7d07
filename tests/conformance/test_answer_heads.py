"""What comes before the object: the form of refusals, expectations of callers, and how long warnings get."""

from __future__ import annotations

import json
import socket
import ssl
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from tests.conformance.callers import send
from tests.conformance.client import PATIENCE, Client, ServerUnderTest
from tests.conformance.namespaces import Namespace
from tests.conformance.objects import config_map

SECRETS = "/api/v1/namespaces/default/secrets"

REFUSED: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "unauthorized": (SECRETS, [("Authorization", "Bearer no-such-token")]),
    "forbidden": (SECRETS, []),
    "forbidden path": ("/unheard", []),
    "impersonation": (SECRETS, [("Impersonate-User", "somebody")]),
    "impersonation of nobody": (SECRETS, [("Impersonate-Group", "some")]),
}


def refusal(server: ServerUnderTest, case: str, *more: tuple[str, str], query: str = "") -> Any:
    path, headers = REFUSED[case]
    return send(server, [*headers, *more], method="GET", path=path + query, accept="")


@pytest.mark.parametrize("case", REFUSED)
class TestRefusals:
    def test_in_yaml(self, server: ServerUnderTest, case: str) -> None:
        plain = refusal(server, case)
        response = refusal(server, case, ("Accept", "application/yaml"))
        assert (response.status, response.content_type) == (plain.status, "application/yaml")
        assert yaml.safe_load(response.body) == plain.json()
        for name in ("X-Content-Type-Options", "Cache-Control"):
            assert response.headers[name] == plain.headers[name]

    def test_in_protobuf(self, server: ServerUnderTest, case: str) -> None:
        response = refusal(server, case, ("Accept", "application/vnd.kubernetes.protobuf"))
        assert response.content_type == "application/vnd.kubernetes.protobuf"
        assert response.body.startswith(b"k8s\x00\n\x0c\n\x02v1\x12\x06Status")
        assert refusal(server, case).json()["message"].encode() in response.body

    @pytest.mark.parametrize("how", ["agent", "query"])
    def test_indented(self, server: ServerUnderTest, case: str, how: str) -> None:
        more = [("User-Agent", "curl/8.0")] if how == "agent" else []
        response = refusal(server, case, *more, query="?pretty=1" if how == "query" else "")
        assert response.text.startswith('{\n  "kind": "Status",\n  "apiVersion": "v1",\n')

    def test_in_json_for_those_who_take_nothing_that_there_is(
        self, server: ServerUnderTest, case: str
    ) -> None:
        response = refusal(server, case, ("Accept", "text/html"))
        assert (response.status, response.json()) == (
            refusal(server, case).status,
            refusal(server, case).json(),
        )


@pytest.mark.parametrize(("count", "length"), [(200, 60), (20, 500), (17, 240), (12, 300)])
def test_many_warnings(client: Client, namespace: Namespace, count: int, length: int) -> None:
    names = [f"{'x' * length}{number:03}" for number in range(count)]
    body = config_map("a") | dict.fromkeys(names, 1)
    response = client.post(namespace.config_maps, body, dryRun="All")
    whole = [f'unknown field "{name}"' for name in names]
    if sum(map(len, whole)) > 4096:
        # All are cut then, and there are no more once they have 4096 characters.
        whole = [text[:256] for text in whole]
        least = next(at for at in range(count + 1) if sum(map(len, whole[:at])) >= 4096 or at == count)
        whole = whole[:least]
    assert response.warnings == whole


def test_the_body_is_asked_for_before_it_is_sent(server: ServerUnderTest, namespace: Namespace) -> None:
    body = json.dumps(config_map("a")).encode()
    with connected(server) as connection:
        head = [
            f"POST {namespace.config_maps} HTTP/1.1",
            "Host: localhost",
            f"Authorization: Bearer {server.token}",
            "Content-Type: application/json",
            f"Content-Length: {len(body)}",
            "Expect: 100-continue",
            "Connection: close",
        ]
        connection.sendall("\r\n".join([*head, "", ""]).encode())
        assert connection.recv(1000) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(body)
        assert connection.recv(1000).startswith(b"HTTP/1.1 201 ")


def test_nobody_is_asked_for_a_body_who_may_not_send_it(server: ServerUnderTest) -> None:
    with connected(server) as connection:
        head = ["POST /api/v1/namespaces HTTP/1.1", "Host: localhost", "Content-Length: 1000000"]
        connection.sendall("\r\n".join([*head, "Expect: 100-continue", "", ""]).encode())
        assert connection.recv(1000).startswith(b"HTTP/1.1 403 ")


def connected(server: ServerUnderTest) -> ssl.SSLSocket:
    parts = urlsplit(server.url)
    assert parts.hostname is not None
    plain = socket.create_connection((parts.hostname, parts.port or 443), timeout=PATIENCE)
    context = ssl.create_default_context(cafile=server.ca_file)
    return context.wrap_socket(plain, server_hostname=parts.hostname)
