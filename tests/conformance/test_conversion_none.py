"""Custom resources of two versions without a webhook: the apiVersion is changed, and each schema prunes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.client import Client
from tests.conformance.conversions import two_versions
from tests.conformance.custom_resources import Widgets, define, definition, new_group, version
from tests.conformance.namespaces import Namespace
from tests.conformance.statuses import assert_failure
from tests.conformance.waiting import eventually


@pytest.fixture(scope="module")
def widgets(client: Client) -> Widgets:
    """Stored in v1; each version has fields that the other has not."""
    return defined(client)


def defined(client: Client) -> Widgets:
    return define(client, definition(new_group(), *two_versions()))


def body(widgets: Widgets, version: str, name: str, **spec: Any) -> dict[str, Any]:
    return {**widgets.widget(name, **spec), "apiVersion": f"{widgets.group}/{version}"}


def test_what_is_read_is_what_both_versions_have(
    client: Client, widgets: Widgets, namespace: Namespace
) -> None:
    first = client.post(widgets.path(namespace.name), body(widgets, "v1", "a", size=1, title="t")).json()
    assert first["spec"] == {"size": 1, "title": "t", "one": "only v1"}
    path = widgets.path(namespace.name, "v2")
    expected = {**first, "apiVersion": f"{widgets.group}/v2", "spec": {"title": "t"}}
    assert client.get(f"{path}/a").json() == expected
    assert client.get(path).json()["items"] == [expected]
    with client.watch(path) as watch:
        assert watch.next() == ("ADDED", expected)


def test_what_is_written_is_what_the_stored_version_has(
    client: Client, widgets: Widgets, namespace: Namespace
) -> None:
    path = widgets.path(namespace.name, "v2")
    wanted = body(widgets, "v2", "a", width=1, title="t")
    tried = client.post(path, wanted, dryRun="All").json()
    made = client.post(path, wanted).json()
    assert made["spec"] == tried["spec"] == {"title": "t"}
    stored = client.get(f"{widgets.path(namespace.name)}/a").json()
    assert stored["spec"] == {"title": "t", "one": "only v1"}
    assert client.get(widgets.path(namespace.name)).json()["items"] == [stored]


def test_a_write_in_the_other_version_loses_what_it_does_not_have(
    client: Client, widgets: Widgets, namespace: Namespace
) -> None:
    path = widgets.path(namespace.name)
    client.post(path, body(widgets, "v1", "a", size=1, title="t"))
    other = f"{widgets.path(namespace.name, 'v2')}/a"
    changed = client.patch(other, {"spec": {"title": "u"}}).json()
    assert changed["spec"] == {"title": "u"}
    assert client.get(f"{path}/a").json()["spec"] == {"title": "u", "one": "only v1"}


def test_selectors_go_by_the_version_that_is_asked(
    client: Client, widgets: Widgets, namespace: Namespace
) -> None:
    path = widgets.path(namespace.name)
    client.post(path, body(widgets, "v1", "a", size=1))
    assert len(client.get(path, fieldSelector="spec.size=1").json()["items"]) == 1
    other = widgets.path(namespace.name, "v2")
    assert client.get(other, fieldSelector="spec.width=1").json()["items"] == []


def test_a_changed_schema_holds_for_what_is_stored(client: Client, namespace: Namespace) -> None:
    widgets = defined(client)
    path = f"{widgets.path(namespace.name)}/a"
    client.post(widgets.path(namespace.name), body(widgets, "v1", "a", size=1, title="t"))
    obj = client.get(widgets.definition).json()
    spec = obj["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
    del spec["title"]
    spec["late"] = {"type": "string", "default": "x"}
    obj["spec"]["names"]["shortNames"] = ["wdg"]
    assert client.put(widgets.definition, obj).status == 200

    def shown() -> Any:
        return client.get(path).json()["spec"]

    expected = {"size": 1, "one": "only v1", "late": "x"}
    eventually(lambda: bool(shown() == expected), "the new schema does not hold")

    def named() -> bool:
        names = client.get(widgets.definition).json()["status"]["acceptedNames"]
        return bool(names.get("shortNames") == ["wdg"])

    eventually(named, "the names are not accepted")
    # It still does when the definition is written again, for its status.
    assert shown() == expected
    assert client.get(f"{widgets.path(namespace.name, 'v2')}/a").json()["spec"] == {}


def test_managers_of_a_version_that_is_gone(client: Client, namespace: Namespace) -> None:
    widgets = defined(client)
    other = f"{widgets.path(namespace.name, 'v2')}/a"
    applied = client.apply(other, body(widgets, "v2", "a", title="t"), manager="old")
    assert applied.status == 201, applied.text
    obj = client.get(widgets.definition).json()
    del obj["spec"]["versions"][1]
    assert client.put(widgets.definition, obj).status == 200
    eventually(lambda: client.get(other).status == 404, "v2 is still served")
    path = f"{widgets.path(namespace.name)}/a"
    refused = client.apply(path, body(widgets, "v1", "a", size=1), manager="new")
    message = f"request to convert CR to an invalid group/version: {widgets.group}/v2"
    assert_failure(refused, 500, None, message)
    # Other writes are not refused for that, but nobody owns anything any more.
    changed = client.patch(path, {"spec": {"size": 2}}, fieldManager="new").json()
    assert changed["spec"] == {"size": 2, "title": "t", "one": "only v1"}
    assert "managedFields" not in changed["metadata"]


def test_an_update_without_a_change_writes_the_new_storage_version(
    client: Client, namespace: Namespace
) -> None:
    """What a migration of the storage does: read each object, and write it back as it is."""
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    versions = (version("v1", anything), version("v2", anything))
    widgets = define(client, definition(new_group(), *versions))
    path = f"{widgets.path(namespace.name)}/a"
    client.post(widgets.path(namespace.name), body(widgets, "v1", "a", title="t"))
    first = client.get(path).json()
    same = client.put(path, first).json()
    assert same["metadata"]["resourceVersion"] == first["metadata"]["resourceVersion"]
    found = client.get(widgets.definition).json()
    for each in found["spec"]["versions"]:
        each["storage"] = each["name"] == "v2"
    assert client.put(widgets.definition, found).status == 200

    def migrated() -> bool:
        # Servers take a moment to serve a definition as it is now.
        answer = client.put(path, client.get(path).json()).json()
        return bool(answer["metadata"]["resourceVersion"] != first["metadata"]["resourceVersion"])

    eventually(migrated, "the object was not written anew")
    again = client.get(path).json()
    assert client.put(path, again).json()["metadata"] == again["metadata"], "once is enough"
