"""Custom resources: how they are made, read, written and deleted."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from tests.conformance.client import Client, Response
from tests.conformance.custom_resources import Widgets
from tests.conformance.managed_fields import entry, managers
from tests.conformance.namespaces import Namespace
from tests.conformance.statuses import assert_failure, assert_invalid, cause, not_found
from tests.conformance.texts import SUBDOMAIN

TABLE = {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}


def created(widgets: Widgets, namespace: Namespace, name: str = "a", **spec: Any) -> tuple[str, Any]:
    """A widget: its path, and itself."""
    collection = widgets.path(namespace.name)
    response = widgets.client.post(collection, widgets.widget(name, **{"size": 1, **spec}))
    assert response.status == 201, response.text
    return f"{collection}/{name}", response.json()


def assert_needs_revision(response: Response, widgets: Widgets) -> None:
    message = "Invalid value: 0: must be specified for an update"
    expected = cause("FieldValueInvalid", message, "metadata.resourceVersion")
    assert_invalid(response, f"widgets.{widgets.group}", "a", expected)


def test_defaults_are_filled_in_and_unknown_fields_go(
    client: Client, widgets: Widgets, namespace: Namespace
) -> None:
    body = widgets.widget("a", size=1, junk=2, free={"x": {"y": 1}}, ports=[{"name": "p"}])
    response = client.post(widgets.path(namespace.name), body)
    assert response.status == 201
    assert response.warnings == ['unknown field "spec.junk"']
    made = response.json()
    assert made["spec"] == {
        "color": "red",
        "free": {"x": {"y": 1}},
        "ports": [{"name": "p", "protocol": "TCP"}],
        "size": 1,
    }
    assert made["metadata"]["generation"] == 1
    assert client.get(f"{widgets.path(namespace.name)}/a").json() == made


@pytest.mark.differs("key order")
def test_keys_come_sorted(client: Client, widgets: Widgets, namespace: Namespace) -> None:
    path, _ = created(widgets, namespace)
    text = client.get(path).text
    assert text == json.dumps(json.loads(text), sort_keys=True, separators=(",", ":")) + "\n"


@pytest.mark.differs("key order")
def test_what_html_has_meanings_for_is_escaped(
    client: Client, widgets: Widgets, namespace: Namespace
) -> None:
    path, _ = created(widgets, namespace, free={"x": "<a&b>"})
    assert r'{"x":"\u003ca\u0026b\u003e"}' in client.get(path).text


@pytest.mark.differs("key order")
def test_lists(client: Client, widgets: Widgets, namespace: Namespace) -> None:
    _, first = created(widgets, namespace)
    _, second = created(widgets, namespace, "b")
    found = client.get(widgets.path(namespace.name)).json()
    # Items say their kinds, and there always is a token.
    assert found["items"] == [first, second]
    assert (found["kind"], found["apiVersion"]) == ("WidgetList", f"{widgets.group}/v1")
    assert found["metadata"]["continue"] == ""
    assert list(found) == ["apiVersion", "items", "kind", "metadata"]


def test_pages(client: Client, widgets: Widgets, namespace: Namespace) -> None:
    created(widgets, namespace)
    created(widgets, namespace, "b")
    meta = client.get(widgets.path(namespace.name), limit=1).json()["metadata"]
    assert meta["remainingItemCount"] == 1
    rest = client.get(widgets.path(namespace.name), continue_=meta["continue"]).json()
    assert [item["metadata"]["name"] for item in rest["items"]] == ["b"]


def test_an_update_needs_a_revision(client: Client, widgets: Widgets, namespace: Namespace) -> None:
    path, made = created(widgets, namespace)
    assert_needs_revision(client.put(path, widgets.widget("a", size=2)), widgets)
    assert_needs_revision(client.put(f"{path}/status", widgets.widget("a", size=2)), widgets)
    made["spec"]["size"] = 2
    changed = client.put(path, made)
    assert (changed.status, changed.json()["metadata"]["generation"]) == (200, 2)


def test_a_write_of_the_same_keeps_the_revision(
    client: Client, widgets: Widgets, namespace: Namespace
) -> None:
    path, made = created(widgets, namespace)
    assert client.put(path, made).json() == made


def test_generations_count_all_but_metadata_and_status(
    client: Client, widgets: Widgets, namespace: Namespace
) -> None:
    path, _ = created(widgets, namespace)
    changed = client.patch(path, {"metadata": {"labels": {"x": "y"}, "annotations": {"x": "y"}}}).json()
    assert changed["metadata"]["generation"] == 1
    changed = client.patch(f"{path}/status", {"status": {"phase": "Done"}}).json()
    assert changed["metadata"]["generation"] == 1
    changed = client.patch(path, {"spec": {"size": 2}}).json()
    assert changed["metadata"]["generation"] == 2


def test_the_status_is_written_apart(client: Client, widgets: Widgets, namespace: Namespace) -> None:
    path, made = created(widgets, namespace)
    body = {**made, "status": {"phase": "Done"}, "spec": {**made["spec"], "size": 3}}
    body["metadata"] = {**made["metadata"], "labels": {"x": "y"}}
    changed = client.put(f"{path}/status", body).json()
    assert changed["status"] == {"phase": "Done"}
    assert changed["spec"] == made["spec"]
    assert "labels" not in changed["metadata"]
    changed = client.patch(path, {"status": {"phase": "Undone"}, "spec": {"size": 3}}).json()
    assert (changed["status"], changed["spec"]["size"]) == ({"phase": "Done"}, 3)


def test_a_status_at_creation_is_dropped(client: Client, widgets: Widgets, namespace: Namespace) -> None:
    body = {**widgets.widget("a", size=1), "status": {"phase": "Done"}}
    assert "status" not in client.post(widgets.path(namespace.name), body).json()


def test_the_scale(client: Client, widgets: Widgets, namespace: Namespace) -> None:
    path, made = created(widgets, namespace, replicas=2)
    client.patch(f"{path}/status", {"status": {"replicas": 1, "selector": "x=y"}})
    found = client.get(f"{path}/scale").json()
    assert (found["kind"], found["apiVersion"]) == ("Scale", "autoscaling/v1")
    assert found["metadata"]["uid"] == made["metadata"]["uid"]
    assert found["spec"] == {"replicas": 2}
    assert found["status"] == {"replicas": 1, "selector": "x=y"}
    body = {
        "apiVersion": "autoscaling/v1",
        "kind": "Scale",
        "metadata": {"name": "a"},
        "spec": {"replicas": 4},
    }
    assert client.put(f"{path}/scale", body).json()["spec"] == {"replicas": 4}
    changed = client.get(path).json()
    assert (changed["spec"]["replicas"], changed["metadata"]["generation"]) == (4, 2)
    assert client.patch(f"{path}/scale", {"spec": {"replicas": 5}}).json()["spec"] == {"replicas": 5}


def test_a_scale_without_replicas(client: Client, widgets: Widgets, namespace: Namespace) -> None:
    path, _ = created(widgets, namespace)
    told = 'the spec replicas field ".spec.replicas" does not exist'
    response = client.get(f"{path}/scale")
    details = {"causes": [{"message": told}]}
    assert_failure(response, 500, "InternalError", f"Internal error occurred: {told}", details)


def test_merge_and_json_patches(client: Client, widgets: Widgets, namespace: Namespace) -> None:
    path, _ = created(widgets, namespace)
    assert client.patch(path, {"spec": {"size": 2, "color": None}}).json()["spec"] == {
        "color": "red",
        "size": 2,
    }
    patch = [{"op": "replace", "path": "/spec/size", "value": 4}]
    assert client.patch(path, patch, kind="json-patch+json").json()["spec"]["size"] == 4


def test_no_strategic_patches(client: Client, widgets: Widgets, namespace: Namespace) -> None:
    path, _ = created(widgets, namespace)
    response = client.patch(path, {"spec": {"size": 2}}, kind="strategic-merge-patch+json")
    message = (
        "the body of the request was in an unknown format - accepted media types include: "
        "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"
    )
    assert_failure(response, 415, "UnsupportedMediaType", message)


def test_apply_merges_lists_by_the_keys_of_the_schema(
    client: Client, widgets: Widgets, namespace: Namespace
) -> None:
    path = f"{widgets.path(namespace.name)}/a"
    response = client.apply(path, widgets.widget("a", size=1, ports=[{"name": "x", "port": 1}]))
    assert response.status == 201
    fields: dict[str, Any] = {
        "f:spec": {
            "f:ports": {'k:{"name":"x"}': {".": {}, "f:name": {}, "f:port": {}}},
            "f:size": {},
        }
    }
    assert managers(response) == [entry("applier", "Apply", fields, version=f"{widgets.group}/v1")]
    body = widgets.widget("a", size=1, ports=[{"name": "y", "port": 1}])
    response = client.apply(path, body, manager="other")
    assert [port["name"] for port in response.json()["spec"]["ports"]] == ["x", "y"]


@pytest.mark.differs("wording")
@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ({"size": 1, "junk": 1}, ".spec.junk: field not declared in schema"),
        ({"size": "x"}, ".spec.size: expected numeric (int or float), got string"),
    ],
    ids=["unknown field", "type"],
)
def test_what_cannot_be_applied(
    client: Client, widgets: Widgets, namespace: Namespace, spec: dict[str, Any], complaint: str
) -> None:
    path, _ = created(widgets, namespace)
    response = client.apply(path, widgets.widget("a", **spec))
    message = f"failed to create typed patch object (/a; {widgets.group}/v1, Kind=Widget): {complaint}"
    assert_failure(response, 500, None, message)


def test_deleting(client: Client, widgets: Widgets, namespace: Namespace) -> None:
    path, made = created(widgets, namespace)
    assert client.delete(path).json() == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": {
            "name": "a",
            "group": widgets.group,
            "kind": "widgets",
            "uid": made["metadata"]["uid"],
        },
    }
    assert client.get(path).json() == not_found("widgets", "a", widgets.group)


def test_a_name_that_is_taken(client: Client, widgets: Widgets, namespace: Namespace) -> None:
    created(widgets, namespace)
    response = client.post(widgets.path(namespace.name), widgets.widget("a", size=1))
    details = {"name": "a", "group": widgets.group, "kind": "widgets"}
    message = f'widgets.{widgets.group} "a" already exists'
    assert_failure(response, 409, "AlreadyExists", message, details)


def test_names(client: Client, widgets: Widgets, namespace: Namespace) -> None:
    response = client.post(widgets.path(namespace.name), widgets.widget("A_", size=1))
    expected = cause("FieldValueInvalid", f'Invalid value: "A_": {SUBDOMAIN}', "metadata.name")
    assert_invalid(response, f"Widget.{widgets.group}", "A_", expected)


def test_other_versions_show_the_same_object(client: Client, widgets: Widgets, namespace: Namespace) -> None:
    path, made = created(widgets, namespace)
    response = client.get(f"{widgets.path(namespace.name, 'v1beta1')}/a")
    assert response.json() == {**made, "apiVersion": f"{widgets.group}/v1beta1"}
    told = f"{widgets.group}/v1beta1 Widget is deprecated; use {widgets.group}/v1 Widget"
    assert response.warnings == [told]
    assert client.get(path).warnings == []
    missing = client.get(f"{widgets.path(namespace.name, 'v9')}/a")
    assert (missing.status, missing.text) == (404, "404 page not found\n")


def test_selectable_fields(client: Client, widgets: Widgets, namespace: Namespace) -> None:
    created(widgets, namespace)
    created(widgets, namespace, "b", color="blue")
    collection = widgets.path(namespace.name)
    found = client.get(collection, fieldSelector="spec.color=blue").json()["items"]
    assert [item["metadata"]["name"] for item in found] == ["b"]
    response = client.get(collection, fieldSelector="spec.size=1")
    assert_failure(response, 400, "BadRequest", "field label not supported: spec.size")


def test_printer_columns(client: Client, widgets: Widgets, namespace: Namespace) -> None:
    created(widgets, namespace)
    table = client.get(widgets.path(namespace.name), headers=TABLE).json()
    columns = [
        (each["name"], each["type"], each["format"], each["priority"]) for each in table["columnDefinitions"]
    ]
    assert columns == [
        ("Name", "string", "name", 0),
        ("Size", "integer", "", 0),
        ("Color", "string", "", 1),
        ("Age", "date", "", 0),
    ]
    told = table["columnDefinitions"][1]["description"]
    assert told == "Custom resource definition column (in JSONPath format): .spec.size"
    (row,) = table["rows"]
    assert row["cells"][:3] == ["a", 1, "red"]
    assert row["cells"][3].endswith("s")


def test_a_watch(client: Client, widgets: Widgets, namespace: Namespace) -> None:
    path, made = created(widgets, namespace)
    query: dict[str, Any] = {
        "sendInitialEvents": "true",
        "resourceVersionMatch": "NotOlderThan",
        "allowWatchBookmarks": "true",
    }
    with client.watch(widgets.path(namespace.name), **query) as watch:
        assert watch.next() == ("ADDED", made)
        kind, mark = watch.next()
        assert kind == "BOOKMARK"
        assert mark["metadata"].pop("resourceVersion")
        assert mark["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}
        assert (mark["kind"], mark["apiVersion"]) == ("Widget", f"{widgets.group}/v1")
        client.delete(path)
        assert watch.next()[0] == "DELETED"


def test_yaml(client: Client, widgets: Widgets, namespace: Namespace) -> None:
    path, made = created(widgets, namespace)
    response = client.get(path, headers={"Accept": "application/yaml"})
    assert response.content_type == "application/yaml"
    assert yaml.safe_load(response.body) == made


def test_strict(client: Client, widgets: Widgets, namespace: Namespace) -> None:
    collection = widgets.path(namespace.name)
    response = client.post(collection, widgets.widget("a", size=1, junk=2), fieldValidation="Strict")
    message = (
        'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown '
        'field "spec.junk"'
    )
    assert_failure(response, 400, "BadRequest", message)


def test_unknown_metadata(client: Client, widgets: Widgets, namespace: Namespace) -> None:
    body = widgets.widget("a", size=1)
    body["metadata"]["foo"] = 1
    response = client.post(widgets.path(namespace.name), body)
    assert (response.status, response.warnings) == (201, ['unknown field "metadata.foo"'])
    assert "foo" not in response.json()["metadata"]


def test_another_kind_in_the_body(client: Client, widgets: Widgets, namespace: Namespace) -> None:
    body = {**widgets.widget("a", size=1), "kind": "Gadget"}
    response = client.post(widgets.path(namespace.name), body)
    expected = cause("FieldValueInvalid", 'Invalid value: "Gadget": must be Widget', "kind")
    assert_invalid(response, f"Gadget.{widgets.group}", "a", expected)


@pytest.mark.parametrize("other", ["v1beta1", "v2"])
def test_another_version_in_the_body(
    client: Client, widgets: Widgets, namespace: Namespace, other: str
) -> None:
    body = {**widgets.widget("a", size=1), "apiVersion": f"{widgets.group}/{other}"}
    response = client.post(widgets.path(namespace.name), body)
    message = (
        f"the API version in the data ({widgets.group}/{other}) does not match the expected API "
        f"version ({widgets.group}/v1)"
    )
    assert_failure(response, 400, "BadRequest", message)


def test_kind_and_version_must_be_said(client: Client, widgets: Widgets, namespace: Namespace) -> None:
    collection = widgets.path(namespace.name)
    response = client.post(collection, '{"metadata":{"name":"a"}}')
    message = (
        "the object provided is unrecognized (must be of type Widget): Object 'Kind' is missing "
        'in \'{"metadata":{"name":"a"}}\' ({"metadata":{"name":"a"}})'
    )
    assert_failure(response, 400, "BadRequest", message)
    response = client.post(collection, {"kind": "Widget", "metadata": {"name": "a"}})
    message = f"the API version in the data () does not match the expected API version ({widgets.group}/v1)"
    assert_failure(response, 400, "BadRequest", message)


@pytest.mark.parametrize(
    ("metadata", "complaint"),
    [
        ("x", "json: cannot unmarshal string into Go value of type v1.ObjectMeta"),
        (
            {"name": "a", "labels": {"x": 1}},
            "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string",
        ),
    ],
    ids=["text", "label"],
)
def test_metadata_that_is_none(
    client: Client, widgets: Widgets, namespace: Namespace, metadata: object, complaint: str
) -> None:
    body = {**widgets.widget("a", size=1), "metadata": metadata}
    response = client.post(widgets.path(namespace.name), body)
    message = f'Widget in version "v1" cannot be handled as a Widget: {complaint}'
    assert_failure(response, 400, "BadRequest", message)
