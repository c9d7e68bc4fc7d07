"""Lists in pages: limit, continue tokens, and what they promise while others write."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from tests.conformance.client import Client, Response
from tests.conformance.namespaces import Namespace, unique
from tests.conformance.objects import config_map
from tests.conformance.statuses import assert_failure, assert_invalid, assert_too_large, cause


def names(response: Response) -> list[str]:
    assert response.status == 200, response.text
    return [item["metadata"]["name"] for item in response.json()["items"]]


def filled(namespace: Namespace, count: int) -> None:
    for number in range(count):
        namespace.create(namespace.config_maps, config_map(f"a{number}", labels={"odd": str(number % 2)}))


def token(**fields: object) -> str:
    """A continue token as upstream writes it."""
    return base64.urlsafe_b64encode(json.dumps(fields).encode()).decode().rstrip("=")


def test_pages(client: Client, namespace: Namespace) -> None:
    filled(namespace, 5)
    first = client.get(namespace.config_maps, limit=2)
    meta = first.json()["metadata"]
    assert names(first) == ["a0", "a1"]
    assert meta["remainingItemCount"] == 3
    second = client.get(namespace.config_maps, limit=2, continue_=meta["continue"])
    assert names(second) == ["a2", "a3"]
    assert second.json()["metadata"]["remainingItemCount"] == 1
    third = client.get(namespace.config_maps, limit=2, continue_=second.json()["metadata"]["continue"])
    assert names(third) == ["a4"]
    assert third.json()["metadata"] == {"resourceVersion": meta["resourceVersion"]}


def test_all_pages_show_the_same_moment(client: Client, namespace: Namespace) -> None:
    filled(namespace, 4)
    first = client.get(namespace.config_maps, limit=2).json()["metadata"]
    namespace.create(namespace.config_maps, config_map("a11"))
    client.delete(f"{namespace.config_maps}/a2")
    client.put(f"{namespace.config_maps}/a3", config_map("a3", {"new": "data"}))
    second = client.get(namespace.config_maps, limit=2, continue_=first["continue"])
    assert names(second) == ["a2", "a3"]
    assert "data" not in second.json()["items"][1]
    assert second.json()["metadata"] == {"resourceVersion": first["resourceVersion"]}


def test_the_rest_without_a_limit(client: Client, namespace: Namespace) -> None:
    filled(namespace, 4)
    first = client.get(namespace.config_maps, limit=1).json()["metadata"]
    rest = client.get(namespace.config_maps, continue_=first["continue"])
    assert names(rest) == ["a1", "a2", "a3"]
    assert rest.json()["metadata"] == {"resourceVersion": first["resourceVersion"]}


@pytest.mark.parametrize("limit", [3, 0, 500, -1])
def test_limits_that_all_fit_in(client: Client, namespace: Namespace, limit: int) -> None:
    filled(namespace, 3)
    response = client.get(namespace.config_maps, limit=limit)
    assert names(response) == ["a0", "a1", "a2"]
    assert list(response.json()["metadata"]) == ["resourceVersion"]


def test_with_a_selector_nobody_counts_the_rest(client: Client, namespace: Namespace) -> None:
    filled(namespace, 5)
    query: dict[str, Any] = {"limit": 1, "labelSelector": "odd=1"}
    first = client.get(namespace.config_maps, **query)
    assert names(first) == ["a1"]
    assert set(first.json()["metadata"]) == {"resourceVersion", "continue"}
    second = client.get(namespace.config_maps, **query, continue_=first.json()["metadata"]["continue"])
    assert names(second) == ["a3"]


def test_pages_over_all_namespaces(client: Client, namespace: Namespace) -> None:
    label = unique("label")
    for name in ("a0", "a1", "a2"):
        namespace.create(namespace.config_maps, config_map(name, labels={"test": label}))
    query: dict[str, Any] = {"limit": 2, "labelSelector": f"test={label}"}
    first = client.get("/api/v1/configmaps", **query)
    assert names(first) == ["a0", "a1"]
    second = client.get("/api/v1/configmaps", **query, continue_=first.json()["metadata"]["continue"])
    assert names(second) == ["a2"]


def test_a_page_at_an_exact_revision(client: Client, namespace: Namespace) -> None:
    filled(namespace, 2)
    revision = client.get(namespace.config_maps).json()["metadata"]["resourceVersion"]
    namespace.create(namespace.config_maps, config_map("a00"))
    matches: list[dict[str, Any]] = [{}, {"resourceVersionMatch": "Exact"}]
    for match in matches:
        first = client.get(namespace.config_maps, resourceVersion=revision, limit=1, **match)
        assert names(first) == ["a0"]
        assert first.json()["metadata"]["resourceVersion"] == revision
        assert first.json()["metadata"]["remainingItemCount"] == 1


def test_the_form_of_a_token(client: Client, namespace: Namespace) -> None:
    filled(namespace, 2)
    meta = client.get(namespace.config_maps, limit=1).json()["metadata"]
    padded = meta["continue"] + "=" * (-len(meta["continue"]) % 4)
    found = json.loads(base64.urlsafe_b64decode(padded))
    assert list(found) == ["v", "rv", "start"]
    assert (found["v"], str(found["rv"])) == ("meta.k8s.io/v1", meta["resourceVersion"])
    assert found["start"].lstrip("/") == "a0\0"


def test_a_token_without_a_revision_goes_on_now(client: Client, namespace: Namespace) -> None:
    filled(namespace, 3)
    response = client.get(namespace.config_maps, continue_=token(v="meta.k8s.io/v1", rv=-1, start="a0\0"))
    assert names(response) == ["a1", "a2"]


INVALID_TOKENS: list[tuple[str, str]] = [
    ("bogus", "illegal base64 data at input byte 4"),
    (token(v="meta"), "server does not recognize this encoded version meta"),
    (token(), "server does not recognize this encoded version "),
    (
        token(v="meta.k8s.io/v1", rv=0, start="a"),
        "incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
    ),
    (token(v="meta.k8s.io/v1", rv=5, start=""), "encoded start key empty (version meta.k8s.io/v1)"),
    (token(v="meta.k8s.io/v1", rv=5, start="../x"), "../x"),
]


@pytest.mark.parametrize(
    ("bad", "complaint"), INVALID_TOKENS, ids=["base64", "version", "empty", "revision", "start", "outside"]
)
def test_tokens_that_are_none(client: Client, namespace: Namespace, bad: str, complaint: str) -> None:
    response = client.get(namespace.config_maps, continue_=bad)
    message = f"invalid continue token: continue key is not valid: {complaint}"
    assert_failure(response, 400, "BadRequest", message)


def test_a_token_of_the_future(client: Client, namespace: Namespace) -> None:
    response = client.get(namespace.config_maps, continue_=token(v="meta.k8s.io/v1", rv=99999999, start="a"))
    assert_too_large(response, 99999999)


def page(client: Client, namespace: Namespace) -> dict[str, Any]:
    filled(namespace, 2)
    meta: dict[str, Any] = client.get(namespace.config_maps, limit=1).json()["metadata"]
    return meta


def test_a_token_and_a_revision(client: Client, namespace: Namespace) -> None:
    meta = page(client, namespace)
    query = {"continue": meta["continue"], "resourceVersion": meta["resourceVersion"]}
    message = "specifying resource version is not allowed when using continue"
    assert_failure(client.get(namespace.config_maps, **query), 400, "BadRequest", message)


def test_a_token_and_revision_zero(client: Client, namespace: Namespace) -> None:
    meta = page(client, namespace)
    response = client.get(namespace.config_maps, continue_=meta["continue"], resourceVersion="0")
    assert names(response) == ["a1"]


def test_a_token_and_a_match(client: Client, namespace: Namespace) -> None:
    meta = page(client, namespace)
    response = client.get(namespace.config_maps, continue_=meta["continue"], resourceVersionMatch="Exact")
    field = "resourceVersionMatch"
    assert_invalid(
        response,
        "ListOptions.meta.k8s.io",
        "",
        cause(
            "FieldValueForbidden",
            f"Forbidden: {field} is forbidden unless resourceVersion is provided",
            field,
        ),
        cause("FieldValueForbidden", f"Forbidden: {field} is forbidden when continue is provided", field),
    )
