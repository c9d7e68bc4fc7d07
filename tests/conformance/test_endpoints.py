"""Paths that are no resources, methods that there are not, and health."""

from __future__ import annotations

import pytest

from tests.conformance.client import Client, Response
from tests.conformance.statuses import assert_failure
from tests.conformance.waiting import eventually

TEXT = "text/plain; charset=utf-8"
NOT_ALLOWED = "the server does not allow this method on the requested resource"


def succeeded(client: Client, path: str) -> Response:
    """The answer to a GET, once it is 200: a busy etcd makes a real server unwell for a moment."""
    last: list[Response] = []

    def answered() -> bool:
        last[:] = [client.get(path)]
        return last[0].status == 200

    eventually(answered, f"{path} does not succeed")
    return last[0]


@pytest.mark.parametrize("path", ["/version", "/version/"])
def test_version(client: Client, path: str) -> None:
    response = client.get(path)
    assert response.status == 200
    found = response.json()
    assert (found["major"], found["minor"]) == ("1", "36")
    assert found["gitVersion"].startswith("v1.36.")
    assert set(found) >= {
        "major",
        "minor",
        "emulationMajor",
        "emulationMinor",
        "minCompatibilityMajor",
        "minCompatibilityMinor",
        "gitVersion",
        "gitCommit",
        "gitTreeState",
        "buildDate",
        "goVersion",
        "compiler",
        "platform",
    }


@pytest.mark.parametrize(
    "path", ["/healthz", "/livez", "/readyz", "/livez/ping", "/readyz/ping", "/healthz/ping"]
)
def test_health(client: Client, path: str) -> None:
    response = succeeded(client, path)
    assert (response.status, response.content_type, response.text) == (200, TEXT, "ok")


@pytest.mark.parametrize("name", ["healthz", "livez", "readyz"])
def test_verbose_health(client: Client, name: str) -> None:
    response = succeeded(client, f"/{name}?verbose")
    assert (response.status, response.content_type) == (200, TEXT)
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    lines = response.text.splitlines()
    assert lines[0] == "[+]ping ok"
    assert all(line.startswith("[+]") and line.endswith(" ok") for line in lines[:-1])
    assert lines[-1] == f"{name} check passed"
    assert response.text.endswith("\n")


def test_excluded_checks(client: Client) -> None:
    lines = succeeded(client, "/livez?verbose&exclude=ping").text.splitlines()
    assert "[+]ping excluded: ok" in lines
    assert succeeded(client, "/livez?exclude=unheard").text == "ok"


def test_checks_that_there_are_not(client: Client) -> None:
    response = client.get("/readyz/unheard")
    assert (response.status, response.content_type, response.text) == (404, TEXT, "404 page not found\n")


@pytest.mark.parametrize("method", ["HEAD", "POST"])
def test_health_by_any_method(client: Client, method: str) -> None:
    eventually(lambda: client.request(method, "/readyz").status == 200, "it is not ready")


@pytest.mark.parametrize("path", ["/unheard", "/apis/unheard", "/apis/unheard/v1", "/swagger.json", "/logs"])
def test_paths_that_nobody_serves(client: Client, path: str) -> None:
    response = client.get(path)
    assert (response.status, response.content_type, response.text) == (404, TEXT, "404 page not found\n")
    assert response.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    "path",
    [
        "/api/v2",
        "/api/v1/unheard",
        "/apis/apps/v9",
        "/apis/apps/v1/unheard",
        "/api/v1//pods",
        "/api/v1/namespaces/default/pods/a/b/c",
        "/api/v1/namespaces/default/unheard/a",
    ],
)
def test_resources_that_there_are_not(client: Client, path: str) -> None:
    message = "the server could not find the requested resource"
    assert_failure(client.get(path), 404, "NotFound", message, {})


def test_a_slash_at_the_end(client: Client) -> None:
    assert client.get("/api/v1/namespaces/default/").json() == client.get("/api/v1/namespaces/default").json()
    assert client.get("/api/v1/namespaces/default/pods/").json()["kind"] == "PodList"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("OPTIONS", "/api/v1/namespaces"),
        ("OPTIONS", "/api"),
        ("TRACE", "/api/v1/namespaces"),
        pytest.param("FROB", "/api/v1/namespaces", marks=pytest.mark.differs("unknown methods")),
        ("PUT", "/api/v1/namespaces"),
        ("POST", "/api/v1/namespaces/default"),
        ("PUT", "/api"),
        ("POST", "/version"),
        ("DELETE", "/version"),
        ("POST", "/apis/apps/v1"),
        ("GET", "/apis/authorization.k8s.io/v1/subjectaccessreviews"),
    ],
)
def test_methods_that_there_are_not(client: Client, method: str, path: str) -> None:
    assert_failure(client.request(method, path), 405, "MethodNotAllowed", NOT_ALLOWED, {})


@pytest.mark.parametrize("path", ["/api/v1/namespaces", "/api/v1/namespaces/default", "/version"])
def test_head_is_not_get(client: Client, path: str) -> None:
    response = client.request("HEAD", path)
    assert (response.status, response.content_type, response.body) == (405, "application/json", b"")


def test_all_paths(client: Client) -> None:
    paths = client.get("/").json()["paths"]
    expected = {
        "/api",
        "/api/v1",
        "/apis",
        "/apis/apps",
        "/apis/apps/v1",
        "/healthz",
        "/livez",
        "/readyz",
        "/version",
    }
    assert expected <= set(paths)
    assert paths == sorted(paths)


def test_openapi(client: Client) -> None:
    found = succeeded(client, "/openapi/v3").body
    assert b'"apis/apps/v1":{"serverRelativeURL":"/openapi/v3/apis/apps/v1?hash=' in found.replace(
        b" ", b""
    ).replace(b"\n", b"")
    document = succeeded(client, "/openapi/v3/apis/apps/v1")
    assert document.json()["openapi"] == "3.0.0"
    assert "io.k8s.api.apps.v1.Deployment" in document.json()["components"]["schemas"]
    again = client.get("/openapi/v3/apis/apps/v1", headers={"If-None-Match": document.headers["ETag"]})
    assert (again.status, again.body) == (304, b"")
    assert client.get("/openapi/v3/unheard").status == 404


def test_the_old_openapi(client: Client) -> None:
    found = succeeded(client, "/openapi/v2").json()
    assert (found["swagger"], found["info"]["title"]) == ("2.0", "Kubernetes")
    assert "io.k8s.api.core.v1.Pod" in found["definitions"]


def test_the_issuer_of_tokens(client: Client) -> None:
    found = client.get("/.well-known/openid-configuration").json()
    assert found["issuer"].startswith("https://")
    assert found["response_types_supported"] == ["id_token"]
    response = client.get("/openid/v1/jwks", headers={"Accept": "application/jwk-set+json"})
    assert (response.status, response.content_type) == (200, "application/jwk-set+json")


@pytest.mark.differs("metrics")
def test_metrics(client: Client) -> None:
    response = client.get("/metrics", headers={"Accept": "text/plain"})
    assert response.status == 200
    assert response.content_type.startswith("text/plain; version=0.0.4")
