"""What clients see when the history they ask for is gone.

The kind is Event, which kube-apiserver does not cache, so that it sees the compaction of etcd at once.
"""

from __future__ import annotations

import base64
import json

from tests.conformance.client import Client, ServerUnderTest
from tests.conformance.namespaces import Namespace
from tests.conformance.objects import event
from tests.conformance.statuses import assert_failure, failure

TOO_OLD = (
    "The provided continue parameter is too old to display a consistent list result. You can "
    "start a new list without the continue parameter, or use the continue token in this response "
    "to retrieve the remainder of the results. Continuing with the provided token results in an "
    "inconsistent list - objects that were created, modified, or deleted between the time the "
    "first chunk was returned and now may show up in the list."
)


def filled(namespace: Namespace, *names: str) -> int:
    """Creates events and gives the revision of the last."""
    path = namespace.path("events")
    made = [namespace.create(path, event(name, namespace.name)) for name in names]
    return int(made[-1]["metadata"]["resourceVersion"])


def test_a_continue_token_that_is_too_old(
    server: ServerUnderTest, client: Client, namespace: Namespace
) -> None:
    path = namespace.path("events")
    filled(namespace, "a", "b", "c")
    token = client.get(path, limit=1).json()["metadata"]["continue"]
    server.compact(filled(namespace, "aa"))
    response = client.get(path, limit=1, continue_=token)
    assert response.status == 410
    status = response.json()
    other = status["metadata"].pop("continue")
    assert status == failure(410, "Expired", TOO_OLD)
    assert json.loads(base64.urlsafe_b64decode(other + "=" * (-len(other) % 4)))["rv"] == -1
    # The token of the answer goes on with what is there now.
    found = client.get(path, continue_=other).json()["items"]
    assert [item["metadata"]["name"] for item in found] == ["aa", "b", "c"]


def test_an_exact_revision_that_is_too_old(
    server: ServerUnderTest, client: Client, namespace: Namespace
) -> None:
    revision = filled(namespace, "a")
    server.compact(filled(namespace, "b", "c"))
    path = namespace.path("events")
    response = client.get(path, resourceVersion=revision, resourceVersionMatch="Exact")
    assert_failure(response, 410, "Expired", "The resourceVersion for the provided list is too old.")
    assert len(client.get(path, resourceVersion=revision).json()["items"]) == 3


def test_a_watch_from_a_revision_that_is_too_old(
    server: ServerUnderTest, client: Client, namespace: Namespace
) -> None:
    revision = filled(namespace, "a")
    server.compact(filled(namespace, "b", "c"))
    with client.watch(namespace.path("events"), resourceVersion=revision) as watch:
        assert watch.status == 200
        message = "The resourceVersion for the provided watch is too old."
        assert list(watch) == [("ERROR", failure(410, "Expired", message))]


def test_a_watch_from_the_revision_of_the_compaction(
    server: ServerUnderTest, client: Client, namespace: Namespace
) -> None:
    revision = filled(namespace, "a", "b")
    server.compact(revision)
    filled(namespace, "c")
    with client.watch(namespace.path("events"), resourceVersion=revision) as watch:
        kind, obj = watch.next()
    assert (kind, obj["metadata"]["name"]) == ("ADDED", "c")
