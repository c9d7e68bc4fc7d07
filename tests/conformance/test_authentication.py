"""Who may ask at all."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conformance.callers import REVIEWS, SELF, base64url, review, send, who
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


def sent(server: ServerUnderTest, *headers: str, path: str = SELF) -> str:
    """Whom a server takes somebody for, or its status code; `%` stands for the administrator's token."""
    pairs = [header.replace("%", server.token).split(":", 1) for header in headers]
    response = send(server, [(name, value) for name, value in pairs], path=path)
    if response.status == 403:
        # Nobody but the anonymous may not even ask who they are.
        assert 'User "system:anonymous" cannot create' in response.json()["message"]
        return "anonymous"
    return str(
        response.json()["status"]["userInfo"]["username"] if response.status == 201 else response.status
    )


UPGRADE = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13")


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ([], "anonymous"),
        (["Authorization:Bearer %"], "admin"),
        (["authorization: bearer %"], "admin"),
        (["AUTHORIZATION:   BEARER %  "], "admin"),
        (["Authorization: Bearer % and more"], "admin"),
        (["Authorization: Bearer %", "Authorization: Bearer wrong"], "admin"),
        (["Authorization: Bearer wrong", "Authorization: Bearer %"], "401"),
        (["Authorization: ", "Authorization: Bearer %"], "anonymous"),
        (["Authorization: Bearer"], "anonymous"),
        (["Authorization: Bearer "], "anonymous"),
        (["Authorization: Bearer\t%"], "anonymous"),
        (["Authorization: Bearer,%"], "anonymous"),
        (["Authorization: Basic %"], "anonymous"),
        (["Authorization: %"], "anonymous"),
        (["Authorization: BearerBearer %"], "anonymous"),
        (["Authorization: Bearer %x"], "401"),
        (["Authorization: Bearer Bearer %"], "401"),
        (["Proxy-Authorization: Bearer %"], "anonymous"),
        (["X-Remote-User: admin", "X-Remote-Group: system:masters"], "anonymous"),
        (["Cookie: token=%"], "anonymous"),
    ],
    ids=str,
)
def test_header_tricks(server: ServerUnderTest, headers: list[str], expected: str) -> None:
    assert sent(server, *headers) == expected


def test_a_space_too_much_is_warned_of(server: ServerUnderTest) -> None:
    response = send(server, [("Authorization", f"Bearer  {server.token}")])
    assert response.status == 403
    assert response.warnings == [
        "the provided Authorization header contains extra space before the bearer token, and is ignored"
    ]


def test_no_token_in_the_query(server: ServerUnderTest) -> None:
    for name in ("access_token", "token", "bearer"):
        assert sent(server, path=f"{SELF}?{name}={server.token}") == "anonymous"


@pytest.mark.parametrize(
    ("protocols", "expected"),
    [
        (["token", "v4.channel.k8s.io"], "admin"),
        (["v4.channel.k8s.io", "token"], "admin"),
        (["token"], "401"),
        (["token", "token", "v4.channel.k8s.io"], "401"),
        (["base64url.bearer.authorization.k8s.io.!", "v4.channel.k8s.io"], "401"),
        (["base64url.bearer.authorization.k8s.io._w", "v4.channel.k8s.io"], "401"),
        (["base64url.bearer.authorization.k8s.io.d3Jvbmc", "v4.channel.k8s.io"], "401"),
        (["base64url.bearer.authorization.k8s.io.", "v4.channel.k8s.io"], "anonymous"),
        (["v4.channel.k8s.io"], "anonymous"),
    ],
    ids=str,
)
def test_tokens_of_web_sockets(server: ServerUnderTest, protocols: list[str], expected: str) -> None:
    token = f"base64url.bearer.authorization.k8s.io.{base64url(server.token.encode())}"
    shown = ", ".join(token if each == "token" else each for each in protocols)
    assert sent(server, *UPGRADE, f"Sec-WebSocket-Protocol: {shown}") == expected
    # It is for WebSockets alone.
    assert sent(server, f"Sec-WebSocket-Protocol: {shown}") == "anonymous"


def test_the_token_of_a_web_socket_makes_up_for_another(server: ServerUnderTest) -> None:
    token = f"base64url.bearer.authorization.k8s.io.{base64url(server.token.encode())}"
    headers = [*UPGRADE, f"Sec-WebSocket-Protocol: x, {token}", "Authorization: Bearer wrong"]
    assert sent(server, *headers) == "admin"


def test_a_certificate_comes_first(server: ServerUnderTest) -> None:
    pair = (server.client_cert_file, server.client_key_file)
    alone = who(server, pair=pair)
    assert alone["extra"].keys() == {"authentication.kubernetes.io/credential-id"}
    for token in (server.token, "wrong"):
        assert who(server, token, pair=pair) == alone


class TestTokenReviews:
    def test_a_known_token(self, server: ServerUnderTest, client: Client) -> None:
        status = review(client, server.token)
        (audience,) = status["audiences"]
        assert status["authenticated"] is True
        assert status["user"] == who(server, server.token)
        assert review(client, server.token, [audience]) == status
        assert review(client, server.token, ["else", audience]) == status

    @pytest.mark.parametrize("token", ["wrong", "a.b.c", "Bearer"])
    def test_an_unknown_token(self, client: Client, token: str) -> None:
        assert review(client, token) == {"user": {}, "error": "invalid bearer token"}

    def test_another_audience(self, server: ServerUnderTest, client: Client) -> None:
        assert review(client, server.token, ["else"]) == {"user": {}, "error": "invalid bearer token"}

    def test_it_is_read_as_a_header_would_be(self, server: ServerUnderTest, client: Client) -> None:
        assert review(client, f"{server.token} x")["user"]["groups"][0] == "system:masters"
        for token in (" ", f" {server.token}"):
            assert review(client, token)["user"]["username"] == "system:anonymous"

    @pytest.mark.parametrize("spec", [{}, {"token": ""}, {"audiences": ["a"]}])
    def test_no_token(self, client: Client, spec: dict[str, object]) -> None:
        body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": spec}
        message = "token is required for TokenReview in authentication"
        assert_failure(client.post(REVIEWS, body), 400, "BadRequest", message)

    def test_what_was_said_before_does_not_count(self, client: Client) -> None:
        body = {
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenReview",
            "spec": {"token": "wrong"},
            "status": {"authenticated": True, "user": {"username": "root"}},
        }
        status = client.post(REVIEWS, body).json()["status"]
        # The real server gives back the user that was sent.
        assert "authenticated" not in status
        assert status["error"] == "invalid bearer token"
