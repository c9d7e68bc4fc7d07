"""Definitions of custom resources: what they may say, when they are served, and what is left of them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.client import Client
from tests.conformance.custom_resources import DEFINITIONS, Widgets, define, definition, new_group, version
from tests.conformance.namespaces import Namespace
from tests.conformance.statuses import assert_failure, assert_invalid, cause
from tests.conformance.waiting import eventually

KIND = "CustomResourceDefinition.apiextensions.k8s.io"
SCHEMA = "spec.validation.openAPIV3Schema.properties[spec]"
NOT_FOUND = "404 page not found\n"


def schema(**fields: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"spec": {"type": "object", **fields}}}


def test_what_is_filled_in(client: Client) -> None:
    group = new_group()
    response = client.post(DEFINITIONS, definition(group), dryRun="All")
    assert response.status == 201
    made = response.json()
    assert made["spec"] == {
        "group": group,
        "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
        "scope": "Namespaced",
        "versions": [version()],
        "conversion": {"strategy": "None"},
    }
    assert made["status"] == {
        "conditions": None,
        "acceptedNames": {"plural": "", "kind": ""},
        "storedVersions": ["v1"],
    }
    assert made["metadata"]["generation"] == 1


def test_a_definition_is_established(client: Client) -> None:
    widgets = define(client, definition(new_group()))
    status = client.get(widgets.definition).json()["status"]
    assert status["acceptedNames"] == {
        "plural": "widgets",
        "singular": "widget",
        "kind": "Widget",
        "listKind": "WidgetList",
    }
    for condition in status["conditions"]:
        assert condition.pop("lastTransitionTime")
    assert status["conditions"] == [
        {
            "type": "NamesAccepted",
            "status": "True",
            "reason": "NoConflicts",
            "message": "no conflicts found",
        },
        {
            "type": "Established",
            "status": "True",
            "reason": "InitialNamesAccepted",
            "message": "the initial names have been accepted",
        },
    ]


def test_discovery(client: Client, widgets: Widgets) -> None:
    group = widgets.group
    newest, older = ({"groupVersion": f"{group}/{name}", "version": name} for name in ("v1", "v1beta1"))
    assert client.get(f"/apis/{group}").json() == {
        "kind": "APIGroup",
        "apiVersion": "v1",
        "name": group,
        "versions": [newest, older],
        "preferredVersion": newest,
    }
    resource, status, scale = client.get(f"/apis/{group}/v1").json()["resources"]
    assert resource.pop("storageVersionHash")
    assert resource == {
        "name": "widgets",
        "singularName": "widget",
        "namespaced": True,
        "kind": "Widget",
        "verbs": ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"],
        "shortNames": ["wd"],
        "categories": ["all"],
    }
    assert (status["name"], status["verbs"]) == ("widgets/status", ["get", "patch", "update"])
    assert (scale["name"], scale["kind"], scale["group"]) == ("widgets/scale", "Scale", "autoscaling")


def test_openapi(client: Client, widgets: Widgets) -> None:
    path = f"/openapi/v3/apis/{widgets.group}/v1"
    name = ".".join([*reversed(widgets.group.split(".")), "v1", "Widget"])
    schemas: dict[str, Any] = {}

    def published() -> bool:
        response = client.get(path)
        if response.status == 200:
            schemas.update(response.json()["components"]["schemas"])
        return name in schemas

    eventually(published, "the schema is not published")
    properties = schemas[name]["properties"]
    assert set(properties) == {"apiVersion", "kind", "metadata", "spec", "status"}
    assert properties["spec"]["properties"]["size"]["maximum"] == 10


@pytest.mark.parametrize(
    ("versions", "spec", "causes"),
    [
        (
            [
                version(
                    schema={
                        "type": "object",
                        "properties": {"spec": {"properties": {"a": {"type": "string"}}}},
                    }
                )
            ],
            {},
            [
                cause(
                    "FieldValueRequired",
                    "Required value: must not be empty for specified object fields",
                    f"{SCHEMA}.type",
                )
            ],
        ),
        (
            [version(schema=schema(properties={"a": {"type": "song"}}))],
            {},
            [
                cause(
                    "FieldValueNotSupported",
                    (
                        'Unsupported value: "song": supported values: "array", "boolean", "integer", '
                        '"number", "object", "string"'
                    ),
                    f"{SCHEMA}.properties[a].type",
                )
            ],
        ),
        (
            [version(schema=schema(properties={"a": {"type": "integer", "default": "x"}}))],
            {},
            [
                cause(
                    "FieldValueTypeInvalid",
                    'Invalid value: "string":  in body must be of type integer: "string"',
                    f"{SCHEMA}.properties[a].default",
                )
            ],
        ),
        (
            [{"name": "v1", "served": True, "storage": True}],
            {},
            [cause("FieldValueRequired", "Required value", "spec.versions[0].schema.openAPIV3Schema")],
        ),
        (
            [],
            {"scope": "Galaxy"},
            [
                cause(
                    "FieldValueNotSupported",
                    'Unsupported value: "Galaxy": supported values: "Cluster", "Namespaced"',
                    "spec.scope",
                )
            ],
        ),
        ([], {"scope": ""}, [cause("FieldValueRequired", "Required value", "spec.scope")]),
        (
            [],
            {"preserveUnknownFields": True},
            [
                cause(
                    "FieldValueInvalid",
                    (
                        "Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields "
                        "to true in spec.versions[*].schema instead"
                    ),
                    "spec.preserveUnknownFields",
                )
            ],
        ),
        (
            [],
            {"conversion": {"strategy": "Webhook"}},
            [
                cause(
                    "FieldValueRequired",
                    "Required value: required when strategy is set to Webhook",
                    "spec.conversion.webhookClientConfig",
                ),
                cause("FieldValueRequired", "Required value", "spec.conversion.conversionReviewVersions"),
            ],
        ),
        (
            [version(subresources={"scale": {"specReplicasPath": ".foo", "statusReplicasPath": ".bar"}})],
            {},
            [
                cause(
                    "FieldValueInvalid",
                    'Invalid value: ".foo": should be a json path under .spec',
                    "spec.subresources.scale.specReplicasPath",
                ),
                cause(
                    "FieldValueInvalid",
                    'Invalid value: ".bar": should be a json path under .status',
                    "spec.subresources.scale.statusReplicasPath",
                ),
            ],
        ),
        (
            [version(additionalPrinterColumns=[{"name": "x", "type": "song", "jsonPath": "bad"}])],
            {},
            [
                cause(
                    "FieldValueInvalid",
                    'Invalid value: "song": must be one of boolean,date,integer,number,string',
                    "spec.additionalPrinterColumns[0].type",
                ),
                cause(
                    "FieldValueInvalid",
                    'Invalid value: "bad": must be a simple json path starting with .',
                    "spec.additionalPrinterColumns[0].JSONPath",
                ),
            ],
        ),
        (
            [version(selectableFields=[{"jsonPath": ".spec.nope"}])],
            {},
            [
                cause(
                    "FieldValueInvalid",
                    'Invalid value: ".spec.nope": is an invalid path: does not refer to a valid field',
                    "spec.selectableFields[0].jsonPath",
                )
            ],
        ),
    ],
    ids=[
        "not structural",
        "type",
        "default",
        "no schema",
        "scope",
        "no scope",
        "preserve",
        "webhook",
        "scale",
        "column",
        "selectable",
    ],
)
def test_definitions_that_cannot_be(
    client: Client, versions: list[dict[str, Any]], spec: dict[str, Any], causes: list[dict[str, str]]
) -> None:
    group = new_group()
    response = client.post(DEFINITIONS, definition(group, *versions, **spec))
    assert_invalid(response, KIND, f"widgets.{group}", *causes)


@pytest.mark.parametrize(
    ("rule", "start"),
    [
        ("self.b > 1", "compilation failed: ERROR: <input>:1:5: undefined field 'b'\n"),
        ("self.a + 1", "cel expression must evaluate to a bool"),
    ],
    ids=["field", "type"],
)
def test_rules_that_cannot_be(client: Client, rule: str, start: str) -> None:
    rules = [{"rule": rule}]
    broken = schema(properties={"a": {"type": "integer"}}, **{"x-kubernetes-validations": rules})
    response = client.post(DEFINITIONS, definition(new_group(), version(schema=broken)))
    assert response.status == 422
    (only,) = response.json()["details"]["causes"]
    assert only["field"] == f"{SCHEMA}.x-kubernetes-validations[0].rule"
    assert only["message"].partition('"OptionalOldSelf":null}: ')[2].startswith(start)


def test_exactly_one_version_is_stored(client: Client) -> None:
    response = client.post(DEFINITIONS, definition(new_group(), version(storage=False)))
    fields = [each["field"] for each in response.json()["details"]["causes"]]
    assert (response.status, fields) == (422, ["spec.versions", "status.storedVersions"])
    assert "must have exactly one version marked as storage version" in response.json()["message"]


def test_the_name_says_plural_and_group(client: Client) -> None:
    body = definition(new_group())
    body["metadata"]["name"] = "foo.bar"
    response = client.post(DEFINITIONS, body)
    message = 'Invalid value: "foo.bar": must be spec.names.plural+"."+spec.group'
    assert_invalid(response, KIND, "foo.bar", cause("FieldValueInvalid", message, "metadata.name"))


def test_groups(client: Client) -> None:
    response = client.post(DEFINITIONS, definition("nodots"))
    message = 'Invalid value: "nodots": should be a domain with at least one dot'
    assert_invalid(response, KIND, "widgets.nodots", cause("FieldValueInvalid", message, "spec.group"))
    response = client.post(DEFINITIONS, definition("foo.k8s.io"))
    field = "metadata.annotations[api-approved.kubernetes.io]"
    message = (
        "Required value: protected groups must have approval annotation "
        '"api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111'
    )
    assert_invalid(response, KIND, "widgets.foo.k8s.io", cause("FieldValueRequired", message, field))


def test_the_old_version_of_definitions(client: Client) -> None:
    body = {**definition(new_group()), "apiVersion": "apiextensions.k8s.io/v1beta1"}
    message = (
        "the API version in the data (apiextensions.k8s.io/v1beta1) does not match the expected "
        "API version (apiextensions.k8s.io/v1)"
    )
    assert_failure(client.post(DEFINITIONS, body), 400, "BadRequest", message)


def test_the_scope_stays(client: Client, widgets: Widgets) -> None:
    response = client.patch(widgets.definition, {"spec": {"scope": "Cluster"}})
    expected = cause("FieldValueInvalid", 'Invalid value: "Cluster": field is immutable', "spec.scope")
    assert_invalid(response, KIND, f"widgets.{widgets.group}", expected)


def test_a_stored_version_stays(client: Client) -> None:
    widgets = define(client, definition(new_group()))
    versions = [version("v2", storage=True)]
    response = client.patch(widgets.definition, {"spec": {"versions": versions}})
    message = (
        'Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, '
        "and must remain in spec.versions until a storage migration ensures no data remains "
        "persisted in v1 and removes v1 from status.storedVersions"
    )
    expected = cause("FieldValueInvalid", message, "status.storedVersions[0]")
    assert_invalid(response, KIND, f"widgets.{widgets.group}", expected)


def test_names_are_taken_once(client: Client) -> None:
    widgets = define(client, definition(new_group()))
    other = definition(widgets.group, names={"plural": "gadgets", "kind": "Widget"})
    other["metadata"]["name"] = f"gadgets.{widgets.group}"
    assert client.post(DEFINITIONS, other).status == 201

    def conditions() -> dict[str, Any]:
        status = client.get(f"{DEFINITIONS}/gadgets.{widgets.group}").json()["status"]
        return {each["type"]: each for each in status["conditions"] or []}

    eventually(lambda: "Established" in conditions(), "the definition has no conditions")
    accepted, established = conditions()["NamesAccepted"], conditions()["Established"]
    assert (accepted["status"], accepted["reason"]) == ("False", "ListKindConflict")
    assert accepted["message"] == '"WidgetList" is already in use'
    assert (established["status"], established["reason"]) == ("False", "NotAccepted")
    assert established["message"] == "not all names are accepted"
    response = client.get(f"/apis/{widgets.group}/v1/gadgets")
    assert (response.status, response.text) == (404, NOT_FOUND)


def test_the_scope_decides_about_paths(client: Client, widgets: Widgets, namespace: Namespace) -> None:
    cluster = define(client, definition(new_group(), scope="Cluster"))
    body = {"apiVersion": f"{cluster.group}/v1", "kind": "Widget", "metadata": {"name": "a"}}
    response = client.post(cluster.path(), body)
    assert response.status == 201
    assert "namespace" not in response.json()["metadata"]
    response = client.get(f"{cluster.path(namespace.name)}/a")
    assert (response.status, response.text) == (404, NOT_FOUND)
    response = client.post(widgets.path(), widgets.widget("a", size=1))
    assert (response.status, response.text) == (404, NOT_FOUND)


def test_without_subresources(client: Client) -> None:
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    cluster = define(client, definition(new_group(), version(schema=anything), scope="Cluster"))
    body = {
        "apiVersion": f"{cluster.group}/v1",
        "kind": "Widget",
        "metadata": {"name": "a"},
        "status": {"x": 1},
    }
    made = client.post(cluster.path(), body).json()
    # The status is a field as any other.
    assert made["status"] == {"x": 1}
    changed = client.patch(f"{cluster.path()}/a", {"status": {"x": 2}}).json()
    assert (changed["status"], changed["metadata"]["generation"]) == ({"x": 2}, 2)
    for name in ("status", "scale", "unheard"):
        response = client.get(f"{cluster.path()}/a/{name}")
        details = {"name": "a", "group": cluster.group, "kind": "widgets"}
        message = f'widgets.{cluster.group} "a" not found'
        assert_failure(response, 404, "NotFound", message, details)


def test_a_version_is_added(client: Client) -> None:
    widgets = define(client, definition(new_group()))
    body = client.get(widgets.definition).json()
    body["spec"]["versions"].append(version("v2"))
    changed = client.put(widgets.definition, body).json()
    assert changed["metadata"]["generation"] == 2
    eventually(lambda: client.get(widgets.path("", "v2")).status == 200, "v2 is not served")
    assert client.get(widgets.path("", "v2")).json()["apiVersion"] == f"{widgets.group}/v2"
    assert client.get(widgets.definition).json()["status"]["storedVersions"] == ["v1"]


def test_a_version_that_is_not_served(client: Client) -> None:
    widgets = define(client, definition(new_group(), version(), version("v2", served=False)))
    response = client.get(widgets.path("", "v2"))
    assert (response.status, response.text) == (404, NOT_FOUND)


def test_deleting_a_definition_deletes_all_of_its_objects(client: Client) -> None:
    cluster = define(client, definition(new_group(), scope="Cluster"))
    body = {"apiVersion": f"{cluster.group}/v1", "kind": "Widget", "metadata": {"name": "a"}}
    assert client.post(cluster.path(), body).status == 201
    with client.watch(cluster.path()) as watch:
        assert watch.next()[0] == "ADDED"
        marked = client.delete(cluster.definition).json()
        assert marked["metadata"]["finalizers"] == ["customresourcecleanup.apiextensions.k8s.io"]
        assert "deletionTimestamp" in marked["metadata"]
        kind, gone = watch.next()
        assert (kind, gone["metadata"]["name"]) == ("DELETED", "a")
        assert list(watch) == []
    eventually(lambda: client.get(cluster.definition).status == 404, "the definition is still there")
    eventually(lambda: client.get(f"/apis/{cluster.group}/v1").status == 404, "the group is still there")
    for path in (cluster.path(), f"{cluster.path()}/a", f"/apis/{cluster.group}/v1"):
        response = client.get(path)
        assert (response.status, response.text) == (404, NOT_FOUND)


def test_definitions_as_a_table(client: Client, widgets: Widgets) -> None:
    headers = {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}
    table = client.get(widgets.definition, headers=headers).json()
    assert [each["name"] for each in table["columnDefinitions"]] == ["Name", "Created At"]
    created = client.get(widgets.definition).json()["metadata"]["creationTimestamp"]
    assert table["rows"][0]["cells"] == [f"widgets.{widgets.group}", created]
