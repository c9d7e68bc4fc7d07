"""Who may ask at all."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conformance.client import Client, ServerUnderTest
from tests.conformance.namespaces import Namespace
from tests.conformance.objects import config_map
from tests.conformance.statuses import assert_failure


@pytest.fixture
def impostor(server: ServerUnderTest) -> Iterator[Client]:
    """Has a token that nobody gave out."""
    made = Client(server, token=f"not-{server.token}")
    yield made
    made.close()


@pytest.fixture
def holder(server: ServerUnderTest) -> Iterator[Client]:
    """Has the administrator's certificate instead of the token."""
    made = Client(server, client_certificate=True)
    yield made
    made.close()


@pytest.mark.parametrize(
    "path", ["/api/v1/namespaces/default", "/api/v1/pods", "/version", "/unheard", "/apis", "/healthz"]
)
def test_a_wrong_token(impostor: Client, path: str) -> None:
    response = impostor.get(path)
    assert_failure(response, 401, "Unauthorized", "Unauthorized")
    assert response.text == (
        '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Unauthorized","reason":"Unauthorized","code":401}\n'
    )


def test_a_wrong_token_writes_nothing(impostor: Client, client: Client, namespace: Namespace) -> None:
    response = impostor.post(namespace.config_maps, config_map("a"))
    assert_failure(response, 401, "Unauthorized", "Unauthorized")
    assert client.get(f"{namespace.config_maps}/a").status == 404


def test_a_client_certificate(holder: Client, namespace: Namespace) -> None:
    assert holder.post(namespace.config_maps, config_map("a")).status == 201


@pytest.mark.parametrize("who", ["client", "holder"])
def test_who_am_i(request: pytest.FixtureRequest, server: ServerUnderTest, who: str) -> None:
    asking: Client = request.getfixturevalue(who)
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    response = asking.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", body)
    assert response.status == 201
    user = response.json()["status"]["userInfo"]
    assert user["username"]
    assert {"system:masters", "system:authenticated"} <= set(user["groups"])


@pytest.mark.differs("authorization")
def test_reviewing_tokens(server: ServerUnderTest, client: Client) -> None:
    def review(token: str) -> dict[str, object]:
        body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": {"token": token}}
        response = client.post("/apis/authentication.k8s.io/v1/tokenreviews", body)
        assert response.status == 201
        found: dict[str, object] = response.json()["status"]
        return found

    assert review(server.token)["authenticated"] is True
    assert review("not-the-token") == {"user": {}, "error": "invalid bearer token"}
