"""Custom resources of two versions between which a webhook converts: every verb, in both of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.conformance.client import Client
from tests.conformance.conversion_webhook import ConversionWebhook, success
from tests.conformance.conversions import Conversions, convert
from tests.conformance.namespaces import Namespace
from tests.conformance.waiting import eventually


@pytest.fixture(scope="module")
def webhook() -> Iterator[ConversionWebhook]:
    with ConversionWebhook.running() as running:
        yield running


@pytest.fixture(scope="module")
def shared(client: Client, webhook: ConversionWebhook) -> Conversions:
    return convert(client, webhook)


@pytest.fixture
def widgets(shared: Conversions) -> Iterator[Conversions]:
    """Stored in v1; the webhook works."""
    yield shared
    shared.webhook.answer = success


def owned(obj: Any) -> dict[str, Any]:
    """Which manager has which fields, and in which version."""
    entries = obj["metadata"]["managedFields"]
    return {each["manager"]: (each["apiVersion"][-2:], each["fieldsV1"]) for each in entries}


def test_what_is_created_in_one_version_is_read_in_the_other(
    widgets: Conversions, namespace: Namespace
) -> None:
    made = widgets.create("v1", namespace.name, "a", size=1)
    assert made["spec"] == {"size": 1, "one": "only v1"}
    found = widgets.get("v2", namespace.name, "a")
    # Defaults are those of the stored version, so that v2's own are not filled in.
    assert found == {**made, "apiVersion": f"{widgets.group}/v2", "spec": {"width": 1}}


def test_what_the_webhook_is_sent(widgets: Conversions, namespace: Namespace) -> None:
    made = widgets.create("v1", namespace.name, "sent", size=1)
    widgets.get("v2", namespace.name, "sent")
    reviews = [
        each
        for each in widgets.webhook.reviews
        if each["request"]["objects"][0]["metadata"].get("uid") == made["metadata"]["uid"]
    ]
    review = dict(reviews[-1])
    request = review.pop("request")
    assert review == {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "ConversionReview",
        "response": {"uid": "", "convertedObjects": None, "result": {"metadata": {}}},
        "path": "/convert?timeout=30s",
        "type": "application/json",
    }
    assert len(request["uid"]) == 36
    assert request["desiredAPIVersion"] == f"{widgets.group}/v2"
    (only,) = request["objects"]
    for obj in (only, made):
        obj["metadata"].pop("resourceVersion", None)
    assert only == made


def test_what_is_created_in_the_other_version(widgets: Conversions, namespace: Namespace) -> None:
    made = widgets.create("v2", namespace.name, "a", width=2, title="t")
    # What v2 alone has is not stored, also not its defaults.
    assert made["spec"] == {"width": 2, "title": "t"}
    assert made["apiVersion"] == f"{widgets.group}/v2"
    assert widgets.get("v2", namespace.name, "a") == made
    assert widgets.get("v1", namespace.name, "a") == {
        **made,
        "apiVersion": f"{widgets.group}/v1",
        "spec": {"size": 2, "title": "t", "one": "only v1"},
    }


def test_a_dry_run_in_the_other_version(client: Client, widgets: Conversions, namespace: Namespace) -> None:
    path = widgets.path("v2", namespace.name)
    response = client.post(path, widgets.widget("v2", "a", width=2), dryRun="All")
    assert (response.status, response.json()["spec"]) == (201, {"width": 2})
    assert client.get(f"{path}/a").status == 404


def test_lists(widgets: Conversions, namespace: Namespace) -> None:
    widgets.create("v1", namespace.name, "a", size=1)
    widgets.create("v2", namespace.name, "b", width=2)
    for version, specs in (
        ("v1", [{"size": 1, "one": "only v1"}, {"size": 2, "one": "only v1"}]),
        ("v2", [{"width": 1}, {"width": 2}]),
    ):
        listed = widgets.list(version, namespace.name)
        assert [each["spec"] for each in listed["items"]] == specs
        assert {each["apiVersion"] for each in listed["items"]} == {f"{widgets.group}/{version}"}
        assert listed["apiVersion"] == f"{widgets.group}/{version}"


def test_tables_and_metadata(client: Client, widgets: Conversions, namespace: Namespace) -> None:
    widgets.create("v1", namespace.name, "a", size=7)
    path = widgets.path("v2", namespace.name)
    headers = {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}
    table = widgets.ready(lambda: client.get(path, headers=headers)).json()
    assert [each["name"] for each in table["columnDefinitions"]] == ["Name", "width"]
    assert [row["cells"] for row in table["rows"]] == [["a", 7]]


def test_watch(client: Client, widgets: Conversions, namespace: Namespace) -> None:
    first = widgets.create("v1", namespace.name, "a", size=1)
    start = widgets.list("v2", namespace.name)["metadata"]["resourceVersion"]
    with client.watch(widgets.path("v2", namespace.name), resourceVersion=start) as watch:
        widgets.create("v1", namespace.name, "b", size=2)
        client.patch(widgets.path("v1", namespace.name, "b"), {"spec": {"size": 3}})
        client.delete(widgets.path("v1", namespace.name, "a"))
        events = watch.take(3)
    shown = [(kind, obj["metadata"]["name"], obj["apiVersion"][-2:], obj["spec"]) for kind, obj in events]
    assert shown == [
        ("ADDED", "b", "v2", {"width": 2}),
        ("MODIFIED", "b", "v2", {"width": 3}),
        ("DELETED", "a", "v2", {"width": 1}),
    ]
    assert events[2][1]["metadata"]["uid"] == first["metadata"]["uid"]


def test_a_watch_begins_with_what_is_there(
    client: Client, widgets: Conversions, namespace: Namespace
) -> None:
    widgets.create("v1", namespace.name, "a", size=1)
    widgets.list("v2", namespace.name)
    with client.watch(widgets.path("v2", namespace.name)) as watch:
        kind, obj = watch.next()
    assert (kind, obj["spec"], obj["apiVersion"]) == ("ADDED", {"width": 1}, f"{widgets.group}/v2")


def test_update(client: Client, widgets: Conversions, namespace: Namespace) -> None:
    widgets.create("v1", namespace.name, "a", size=1, title="t")
    obj = widgets.get("v2", namespace.name, "a")
    obj["spec"]["width"] = 5
    updated = client.put(widgets.path("v2", namespace.name, "a"), obj)
    assert updated.status == 200, updated.text
    assert updated.json()["spec"] == {"width": 5, "title": "t"}
    assert updated.json()["metadata"]["generation"] == 2
    assert widgets.get("v1", namespace.name, "a")["spec"] == {"size": 5, "title": "t", "one": "only v1"}


@pytest.mark.parametrize(
    ("kind", "patch"),
    [
        ("merge-patch+json", {"spec": {"width": 5}}),
        ("json-patch+json", [{"op": "replace", "path": "/spec/width", "value": 5}]),
    ],
)
def test_patch(client: Client, widgets: Conversions, namespace: Namespace, kind: str, patch: Any) -> None:
    widgets.create("v1", namespace.name, "a", size=1)
    response = client.patch(widgets.path("v2", namespace.name, "a"), patch, kind=kind)
    assert (response.status, response.json()["spec"]) == (200, {"width": 5})
    assert widgets.get("v1", namespace.name, "a")["spec"]["size"] == 5


def test_a_patch_that_names_what_the_object_has_already(
    client: Client, widgets: Conversions, namespace: Namespace
) -> None:
    made = widgets.create("v1", namespace.name, "a", size=1)
    path = widgets.path("v2", namespace.name, "a")
    changed = client.patch(path, {"spec": {"width": 1}}).json()
    # v2's default is filled in on the way and lost again, which counts as a change.
    assert changed["metadata"]["generation"] == 2
    assert changed["metadata"]["resourceVersion"] != made["metadata"]["resourceVersion"]


def test_status(client: Client, widgets: Conversions, namespace: Namespace) -> None:
    widgets.create("v1", namespace.name, "a", size=1)
    path = f"{widgets.path('v2', namespace.name, 'a')}/status"
    response = client.patch(path, {"spec": {"width": 9}, "status": {"width": 7}})
    assert response.status == 200, response.text
    assert response.json()["spec"] == {"width": 1}
    assert response.json()["status"] == {"width": 7}
    assert client.get(path).json()["status"] == {"width": 7}
    assert widgets.get("v1", namespace.name, "a")["status"] == {"size": 7}


def test_delete_and_delete_collection(client: Client, widgets: Conversions, namespace: Namespace) -> None:
    made = [widgets.create("v1", namespace.name, name, size=1) for name in ("a", "b")]
    assert (
        client.delete(widgets.path("v2", namespace.name, "a")).json()["details"]["uid"]
        == (made[0]["metadata"]["uid"])
    )
    widgets.list("v2", namespace.name)
    deleted = client.delete(widgets.path("v2", namespace.name))
    assert deleted.status == 200, deleted.text
    assert [each["spec"] for each in deleted.json()["items"]] == [{"width": 1}]
    assert widgets.list("v1", namespace.name)["items"] == []


def test_a_deletion_with_finalizers(client: Client, widgets: Conversions, namespace: Namespace) -> None:
    path = widgets.path("v2", namespace.name)
    body = widgets.widget("v2", "a", width=1)
    body["metadata"]["finalizers"] = ["example.com/wait"]
    assert client.post(path, body).status == 201
    marked = client.delete(f"{path}/a").json()
    assert marked["metadata"]["deletionTimestamp"]
    assert marked["spec"] == {"width": 1}
    last = client.patch(f"{path}/a", {"metadata": {"finalizers": None}})
    assert (last.status, last.json()["apiVersion"]) == (200, f"{widgets.group}/v2")
    assert client.get(f"{path}/a").status == 404


def test_a_write_takes_fields_from_managers_of_the_other_version(
    client: Client, widgets: Conversions, namespace: Namespace
) -> None:
    body = widgets.widget("v1", "a", size=1, title="t")
    assert client.post(widgets.path("v1", namespace.name), body, fieldManager="first").status == 201
    path = widgets.path("v2", namespace.name, "a")
    changed = client.patch(path, {"spec": {"width": 2}}, fieldManager="second").json()
    assert owned(changed) == {
        "first": ("v1", {"f:spec": {".": {}, "f:one": {}, "f:title": {}}}),
        # A default of v2, which is not stored.
        "second": ("v2", {"f:spec": {"f:two": {}, "f:width": {}}}),
    }


def test_apply(client: Client, widgets: Conversions, namespace: Namespace) -> None:
    path = {version: widgets.path(version, namespace.name, "a") for version in ("v1", "v2")}
    first = client.apply(path["v1"], widgets.widget("v1", "a", size=1), manager="first")
    assert first.status == 201
    second = client.apply(path["v2"], widgets.widget("v2", "a", title="t"), manager="second")
    assert second.status == 200, second.text
    assert second.json()["spec"] == {"width": 1, "title": "t"}
    assert owned(second.json()) == {
        "first": ("v1", {"f:spec": {"f:size": {}}}),
        "second": ("v2", {"f:spec": {"f:title": {}}}),
    }
    again = client.apply(path["v2"], widgets.widget("v2", "a"), manager="second").json()
    assert again["spec"] == {"width": 1}


def test_a_conflict_with_a_manager_of_the_other_version(
    client: Client, widgets: Conversions, namespace: Namespace
) -> None:
    path = {version: widgets.path(version, namespace.name, "a") for version in ("v1", "v2")}
    client.apply(path["v1"], widgets.widget("v1", "a", size=1), manager="first")
    wanted = widgets.widget("v2", "a", width=2)
    refused = client.apply(path["v2"], wanted, manager="second")
    assert refused.status == 409
    why = 'conflict with "first"'
    assert refused.json()["message"] == f"Apply failed with 1 conflict: {why}: .spec.size"
    assert refused.json()["details"]["causes"] == [
        {"reason": "FieldManagerConflict", "message": why, "field": ".spec.size"}
    ]
    forced = client.apply(path["v2"], wanted, manager="second", force=True).json()
    assert forced["spec"] == {"width": 2}
    assert owned(forced) == {"second": ("v2", {"f:spec": {"f:width": {}}})}


def test_selectors_see_the_converted_object(
    client: Client, widgets: Conversions, namespace: Namespace
) -> None:
    for name, size in (("a", 1), ("b", 2), ("c", 1), ("d", 1)):
        widgets.create("v1", namespace.name, name, size=size)

    def names(version: str, **query: object) -> list[str]:
        return [each["metadata"]["name"] for each in widgets.list(version, namespace.name, **query)["items"]]

    assert names("v2", fieldSelector="spec.width=1") == ["a", "c", "d"]
    assert names("v1", fieldSelector="spec.size=2") == ["b"]
    assert client.get(widgets.path("v2", namespace.name), fieldSelector="spec.size=1").status == 400


def test_pages_of_selected_objects(widgets: Conversions, namespace: Namespace) -> None:
    for name, size in (("a", 1), ("b", 2), ("c", 1), ("d", 1)):
        widgets.create("v1", namespace.name, name, size=size)
    found: list[list[str]] = []
    token = ""
    while True:
        page = widgets.list(
            "v2",
            namespace.name,
            fieldSelector="spec.width=1",
            limit=2,
            **({"continue": token} if token else {}),
        )
        found.append([each["metadata"]["name"] for each in page["items"]])
        token = page["metadata"]["continue"]
        if not token:
            break
    assert found == [["a", "c"], ["d"]]


def test_a_watch_of_selected_objects(client: Client, widgets: Conversions, namespace: Namespace) -> None:
    start = widgets.list("v2", namespace.name)["metadata"]["resourceVersion"]
    query = {"fieldSelector": "spec.width=1", "resourceVersion": start}
    with client.watch(widgets.path("v2", namespace.name), **query) as watch:
        widgets.create("v1", namespace.name, "a", size=1)
        widgets.create("v1", namespace.name, "b", size=2)
        client.patch(widgets.path("v1", namespace.name, "b"), {"spec": {"size": 1}})
        client.patch(widgets.path("v1", namespace.name, "a"), {"spec": {"size": 2}})
        events = watch.take(3)
    shown = [(kind, obj["metadata"]["name"], obj["spec"]) for kind, obj in events]
    assert shown == [
        ("ADDED", "a", {"width": 1}),
        ("ADDED", "b", {"width": 1}),
        ("DELETED", "a", {"width": 1}),
    ]


def test_the_webhook_may_change_labels_and_annotations_only(
    widgets: Conversions, namespace: Namespace
) -> None:
    made = widgets.create("v1", namespace.name, "a", size=1)

    def answer(review: dict[str, Any]) -> dict[str, Any]:
        answered = success(review)
        for each in answered["response"]["convertedObjects"]:
            metadata = {"name", "namespace", "uid"} & set(each["metadata"])
            each["metadata"] = {name: each["metadata"][name] for name in metadata}
            each["metadata"].update(labels={"a": "b"}, annotations={"c": "d"}, finalizers=["x.y/z"])
            each["unknown"] = each["spec"]["unknown"] = 1
        return answered

    widgets.webhook.answer = answer
    found = widgets.get("v2", namespace.name, "a")
    assert found["metadata"] == {**made["metadata"], "labels": {"a": "b"}, "annotations": {"c": "d"}}
    assert (found["spec"], "unknown" in found) == ({"width": 1}, False)


@pytest.fixture
def own() -> Iterator[ConversionWebhook]:
    """A webhook that the caches of other definitions do not ask."""
    with ConversionWebhook.running() as running:
        yield running


def test_reviews_of_v1beta1(client: Client, own: ConversionWebhook, namespace: Namespace) -> None:
    widgets = convert(client, own, conversionReviewVersions=["v7", "v1beta1", "v1"])
    widgets.create("v1", namespace.name, "a", size=1)
    assert widgets.get("v2", namespace.name, "a")["spec"] == {"width": 1}
    assert own.reviews[-1]["apiVersion"] == "apiextensions.k8s.io/v1beta1"

    def bare(review: dict[str, Any]) -> dict[str, Any]:
        answered = success(review)
        del answered["response"]["uid"]
        return {"response": answered["response"]}

    own.answer = bare
    # Such reviews need not say what they are, nor of which request.
    assert widgets.get("v2", namespace.name, "a")["spec"] == {"width": 1}


def test_the_stored_version_is_switched(
    client: Client, webhook: ConversionWebhook, namespace: Namespace
) -> None:
    widgets = convert(client, webhook)
    widgets.create("v1", namespace.name, "a", size=1)
    widgets.create("v2", namespace.name, "b", width=2)

    def switch(spec: dict[str, Any]) -> None:
        for each in spec["versions"]:
            each["storage"] = each["name"] == "v2"

    def stored_in_v2() -> bool:
        path = widgets.path("v2", namespace.name)
        spec = client.post(path, widgets.widget("v2", "probe", width=1), dryRun="All").json().get("spec", {})
        return "two" in spec

    widgets.change(switch, stored_in_v2)
    assert client.get(widgets.definition).json()["status"]["storedVersions"] == ["v1", "v2"]
    # What is stored in v1 stays so until it is written.
    assert widgets.get("v2", namespace.name, "a")["spec"] == {"width": 1}
    assert widgets.get("v1", namespace.name, "b")["spec"] == {"size": 2, "one": "only v1"}
    path = widgets.path("v1", namespace.name, "a")
    changed = client.patch(path, {"spec": {"size": 3}})
    assert changed.json()["spec"] == {"size": 3}
    assert widgets.get("v2", namespace.name, "a")["spec"] == {"width": 3, "two": "only v2"}
    listed = {version: widgets.list(version, namespace.name)["items"] for version in ("v1", "v2")}
    assert [each["spec"] for each in listed["v1"]] == [{"size": 3}, {"size": 2, "one": "only v1"}]
    assert [each["spec"] for each in listed["v2"]] == [{"width": 3, "two": "only v2"}, {"width": 2}]


def test_a_definition_goes_although_its_webhook_is_gone(client: Client, namespace: Namespace) -> None:
    with ConversionWebhook.running() as webhook:
        widgets = convert(client, webhook)
        widgets.create("v2", namespace.name, "a", width=1)
    assert client.delete(widgets.definition).status == 200
    eventually(lambda: client.get(widgets.definition).status == 404, "the definition is still there")
