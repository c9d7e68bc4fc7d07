"""Custom resources whose definition is being deleted: nothing comes, and what is held can be let go."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.client import Client
from tests.conformance.custom_resources import DEFINITIONS, Widgets, define, new_group, widgets_definition
from tests.conformance.namespaces import Namespace
from tests.conformance.statuses import assert_failure
from tests.conformance.waiting import eventually

REFUSED = "create not allowed while custom resource definition is terminating"


@pytest.fixture
def held(client: Client, namespace: Namespace) -> tuple[Widgets, str]:
    """A widget that a finalizer holds, and so its definition, which is being deleted."""
    widgets = define(client, widgets_definition(new_group()))
    path = namespace.path("widgets", f"{widgets.group}/v1")
    body = widgets.widget("a", size=1)
    body["metadata"]["finalizers"] = ["example.com/hold"]
    namespace.create(path, body)
    assert client.delete(f"{DEFINITIONS}/widgets.{widgets.group}").status == 200

    def is_terminating() -> bool:
        found = client.get(f"{DEFINITIONS}/widgets.{widgets.group}").json()
        return any(each["type"] == "Terminating" for each in found["status"]["conditions"])

    eventually(is_terminating, "the definition is not on its way out")
    # The object is marked a moment after the definition.
    eventually(lambda: "deletionTimestamp" in client.get(f"{path}/a").json()["metadata"], "it is not marked")
    # And those who serve it hear of that later than those who read the definition.
    probe = widgets.widget("probe", size=1)
    eventually(lambda: client.post(path, probe, dryRun="All").status != 201, "it is still created")
    return widgets, path


def test_nothing_is_created(client: Client, held: tuple[Widgets, str]) -> None:
    widgets, path = held
    where = {"group": widgets.group, "kind": "widgets"}
    message = f'widgets.{widgets.group} "b" is forbidden: {REFUSED}'
    response = client.post(path, widgets.widget("b", size=1))
    assert_failure(response, 403, "Forbidden", message, {"name": "b", **where})
    response = client.apply(f"{path}/b", widgets.widget("b", size=1))
    assert_failure(response, 403, "Forbidden", message, {"name": "b", **where})


def test_what_is_there_can_be_read_and_changed(client: Client, held: tuple[Widgets, str]) -> None:
    _, path = held
    found: dict[str, Any] = client.get(f"{path}/a").json()
    found["spec"]["size"] = 2
    assert client.put(f"{path}/a", found).status == 200
    assert client.patch(f"{path}/a", {"spec": {"size": 3}}).json()["spec"]["size"] == 3
    assert len(client.get(path).json()["items"]) == 1


def test_it_ends_when_nothing_holds_it(client: Client, held: tuple[Widgets, str]) -> None:
    widgets, path = held
    assert client.patch(f"{path}/a", {"metadata": {"finalizers": None}}).status == 200
    gone = f"{DEFINITIONS}/widgets.{widgets.group}"
    eventually(lambda: client.get(gone).status == 404, "the definition is still there")


def test_the_events_of_a_definition_that_is_deleted(client: Client) -> None:
    widgets = define(client, widgets_definition(new_group()))
    name = f"widgets.{widgets.group}"
    start = client.get(DEFINITIONS).json()["metadata"]["resourceVersion"]
    assert client.delete(f"{DEFINITIONS}/{name}").status == 200
    seen = []
    with client.watch(DEFINITIONS, resourceVersion=start, fieldSelector=f"metadata.name={name}") as watch:
        while not seen or seen[-1][0] != "DELETED":
            kind, obj = watch.next()
            metadata = obj["metadata"]
            assert metadata["deletionTimestamp"]
            assert metadata["finalizers"] == ["customresourcecleanup.apiextensions.k8s.io"]
            assert (metadata["generation"], "deletionGracePeriodSeconds" in metadata) == (1, False)
            (terminating,) = [each for each in obj["status"]["conditions"] if each["type"] == "Terminating"]
            seen.append((kind, terminating["status"], terminating["reason"]))
    # Upstream's finalizer controller deletes the definition by an update that removes the last finalizer.
    assert seen == [
        ("MODIFIED", "True", "InstanceDeletionPending"),
        ("MODIFIED", "True", "InstanceDeletionInProgress"),
        ("DELETED", "True", "InstanceDeletionInProgress"),
    ]
