"""GET of one object."""

from __future__ import annotations

import pytest

from tests.conformance.client import Client
from tests.conformance.namespaces import Namespace
from tests.conformance.objects import config_map
from tests.conformance.statuses import assert_failure, assert_too_large, not_found
from tests.conformance.waiting import caught_up


def test_a_name_that_is_not_there(client: Client, namespace: Namespace) -> None:
    response = client.get(f"{namespace.config_maps}/a")
    assert response.status == 404
    assert response.json() == not_found("configmaps", "a")


def test_a_name_that_is_not_there_in_a_group(client: Client, namespace: Namespace) -> None:
    response = client.get(f"{namespace.deployments}/a")
    assert response.status == 404
    assert response.json() == not_found("deployments", "a", "apps")


def test_a_namespace_that_is_not_there(client: Client) -> None:
    response = client.get("/api/v1/namespaces/nowhere/configmaps/a")
    assert response.json() == not_found("configmaps", "a")


def test_a_resource_that_is_not_there(client: Client, namespace: Namespace) -> None:
    response = client.get(f"{namespace.path('gizmos')}/a")
    assert_failure(response, 404, "NotFound", "the server could not find the requested resource", {})


def test_at_a_revision_or_newer(client: Client, namespace: Namespace) -> None:
    made = namespace.create(namespace.config_maps, config_map("a"))
    current = int(made["metadata"]["resourceVersion"])
    # A cache that is behind need not know of it, or take so long to hear of it that it refuses.
    caught_up(client, namespace.config_maps)
    for revision in (current, current - 1, "1", "0", ""):
        response = client.get(f"{namespace.config_maps}/a", resourceVersion=revision)
        assert response.json() == made


def test_at_revision_zero_what_is_not_there_is_not_found(client: Client, namespace: Namespace) -> None:
    response = client.get(f"{namespace.config_maps}/a", resourceVersion="0")
    assert response.json() == not_found("configmaps", "a")


def test_a_resource_version_match_is_not_looked_at(client: Client, namespace: Namespace) -> None:
    made = namespace.create(namespace.config_maps, config_map("a"))
    caught_up(client, namespace.config_maps)
    response = client.get(f"{namespace.config_maps}/a", resourceVersionMatch="Exact", resourceVersion="1")
    assert response.json() == made


@pytest.mark.parametrize("revision", ["abc", "-1"])
def test_a_revision_that_is_none(client: Client, namespace: Namespace, revision: str) -> None:
    namespace.create(namespace.config_maps, config_map("a"))
    response = client.get(f"{namespace.config_maps}/a", resourceVersion=revision)
    message = (
        f'resourceVersion: Invalid value: "{revision}": strconv.ParseUint: parsing "{revision}": '
        f"invalid syntax"
    )
    assert_failure(response, 500, None, message)


def test_a_revision_to_come(client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.config_maps, config_map("a"))
    response = client.get(f"{namespace.config_maps}/a", resourceVersion="99999999")
    assert_too_large(response, 99999999)


def test_pretty(client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.config_maps, config_map("a"))
    plain = client.get(f"{namespace.config_maps}/a")
    pretty = client.get(f"{namespace.config_maps}/a", pretty="1")
    assert pretty.text.startswith('{\n  "kind": "ConfigMap",')
    assert pretty.json() == plain.json()


@pytest.mark.parametrize("agent", ["curl/8.0", "Mozilla/5.0"])
def test_people_get_pretty_answers_unasked(client: Client, namespace: Namespace, agent: str) -> None:
    namespace.create(namespace.config_maps, config_map("a"))
    path = f"{namespace.config_maps}/a"
    assert client.get(path, headers={"User-Agent": agent}).text.startswith('{\n  "kind"')
    assert client.get(path, headers={"User-Agent": agent}, pretty="0").text.startswith('{"kind"')
