"""Patches that are none, and patches of what an object is."""

from __future__ import annotations

import pytest

from tests.conformance.client import Client
from tests.conformance.custom_resources import Widgets
from tests.conformance.namespaces import Namespace
from tests.conformance.objects import config_map, deployment
from tests.conformance.statuses import assert_failure, assert_invalid, assert_patch_refused, cause

TYPE_META = (
    r'struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }'
)
UNREADABLE = "couldn't get version/kind; json parse error: json: cannot unmarshal"
NO_NAME = "the name of the object (a based on URL) was undeterminable: name must be provided"
PATCHES = pytest.mark.parametrize("kind", ["merge-patch+json", "json-patch+json"])


@pytest.fixture
def path(namespace: Namespace) -> str:
    """A config map."""
    namespace.create(namespace.config_maps, config_map("a", {"k": "v"}))
    return f"{namespace.config_maps}/a"


@pytest.fixture
def widget(namespace: Namespace, widgets: Widgets) -> str:
    """A custom resource."""
    namespace.create(widgets.path(namespace.name), widgets.widget("a", size=1))
    return f"{widgets.path(namespace.name)}/a"


def with_version(kind: str, version: object) -> object:
    """A patch that sets the apiVersion."""
    if kind.startswith("merge"):
        return {"apiVersion": version}
    return [{"op": "replace", "path": "/apiVersion", "value": version}]


def test_a_list_as_merge_patch(client: Client, path: str) -> None:
    wanted = "map[string]interface {}"
    told = f"error decoding patch: json: cannot unmarshal array into Go value of type {wanted}"
    assert_failure(client.patch(path, []), 400, "BadRequest", told)
    # Without a look for duplicates, it takes the place of the object.
    refused = client.patch(path, [1], fieldValidation="Ignore")
    assert_patch_refused(
        refused, 'Invalid value: "[1]": ', f"{UNREADABLE} array into Go value of type {TYPE_META}"
    )


@pytest.mark.parametrize("kind", ["json-patch+json", "strategic-merge-patch+json"])
@pytest.mark.parametrize("validation", ["Strict", "Warn", "Ignore"])
def test_null_as_patch_changes_nothing(client: Client, path: str, kind: str, validation: str) -> None:
    before = client.get(path).json()
    response = client.patch(path, "null", kind=kind, fieldValidation=validation)
    assert (response.status, response.json()) == (200, before)


def test_operations_that_are_no_objects(client: Client, path: str) -> None:
    told = "json: cannot unmarshal number into Go value of type"
    response = client.patch(path, [1], kind="json-patch+json")
    assert_failure(response, 400, "BadRequest", f"error decoding patch: {told} handlers.jsonPatchOp")
    response = client.patch(path, [1], kind="json-patch+json", fieldValidation="Ignore")
    assert_failure(response, 400, "BadRequest", f"{told} jsonpatch.Operation")


@PATCHES
@pytest.mark.parametrize("version", ["", None])
def test_an_object_that_loses_its_version(client: Client, path: str, kind: str, version: object) -> None:
    response = client.patch(path, with_version(kind, version), kind=kind)
    assert_failure(response, 400, "BadRequest", NO_NAME)
    unknown = ['unknown field "data"', 'unknown field "metadata"']
    assert response.warnings == unknown
    response = client.patch(path, with_version(kind, version), kind=kind, fieldValidation="Strict")
    assert_patch_refused(response, 'Invalid value: "{', f"strict decoding error: {', '.join(unknown)}")


@PATCHES
def test_a_custom_resource_that_loses_its_version(client: Client, widget: str, kind: str) -> None:
    response = client.patch(widget, with_version(kind, ""), kind=kind)
    why = "Object 'apiVersion' is missing in 'object has no apiVersion field'"
    causes = {"causes": [{"message": why}]}
    assert_failure(response, 500, "InternalError", f"Internal error occurred: {why}", causes)


@PATCHES
def test_a_custom_resource_that_becomes_another(
    client: Client, widget: str, kind: str, widgets: Widgets
) -> None:
    response = client.patch(widget, with_version(kind, "v7"), kind=kind)
    told = f'Invalid value: "v7": must be {widgets.group}/v1'
    assert_invalid(response, "Widget", "a", cause("FieldValueInvalid", told, "apiVersion"))
    response = client.patch(widget, with_version(kind, "a/b/c"), kind=kind)
    assert_patch_refused(response, 'Invalid value: "{', "unexpected GroupVersion string: a/b/c")
    response = client.patch(widget, with_version(kind, 5), kind=kind)
    end = f"{UNREADABLE} number into Go struct field .apiVersion of type string"
    assert_patch_refused(response, 'Invalid value: "{', end)


def test_null_as_the_version_of_a_custom_resource(
    client: Client, widget: str, widgets: Widgets, namespace: Namespace
) -> None:
    why = ".apiVersion accessor error: <nil> is of the type <nil>, expected string"
    response = client.patch(widget, with_version("json-patch+json", None), kind="json-patch+json")
    assert_patch_refused(response, 'Invalid value: "{', why)
    body = {**widgets.widget("b", size=1), "apiVersion": None}
    told = f'Widget in version "" cannot be handled as a Widget: {why}'
    assert_failure(client.post(widgets.path(namespace.name), body), 400, "BadRequest", told)


def test_the_first_of_several_errors_is_told(client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.deployments, deployment("a"))
    body = {"spec": {"replicas": "x", "minReadySeconds": "y"}}
    response = client.patch(f"{namespace.deployments}/a", body)
    field = "Go struct field DeploymentSpec.spec.minReadySeconds of type int32"
    assert_patch_refused(response, 'Invalid value: "{', f"json: cannot unmarshal string into {field}")
