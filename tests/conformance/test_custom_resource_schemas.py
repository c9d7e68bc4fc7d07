"""What the schema of a custom resource demands, and its rules in CEL."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.client import Client
from tests.conformance.custom_resources import Widgets
from tests.conformance.namespaces import Namespace
from tests.conformance.statuses import assert_invalid, cause

UNCHECKED = cause(
    "FieldValueInvalid",
    (
        "Invalid value: null: some validation rules were not checked because the object was invalid; "
        "correct the existing errors to complete validation"
    ),
    "<nil>",
)


# After these the rules in CEL are run all the same.
CHECKED_ANYWAY = {"FieldValueInvalid", "FieldValueDuplicate"}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, cause("FieldValueRequired", "Required value", "spec.size")),
        (
            {"size": "x"},
            cause(
                "FieldValueTypeInvalid",
                'Invalid value: "string": spec.size in body must be of type integer: "string"',
                "spec.size",
            ),
        ),
        (
            {"size": 99, "color": "blue"},
            cause(
                "FieldValueInvalid",
                "Invalid value: 99: spec.size in body should be less than or equal to 10",
                "spec.size",
            ),
        ),
        (
            {"size": -1},
            cause(
                "FieldValueInvalid",
                "Invalid value: -1: spec.size in body should be greater than or equal to 0",
                "spec.size",
            ),
        ),
        (
            {"size": 1, "color": "green"},
            cause(
                "FieldValueNotSupported",
                'Unsupported value: "green": supported values: "red", "blue"',
                "spec.color",
            ),
        ),
        (
            {"size": 1, "tags": ["a", "b", "c"]},
            cause("FieldValueTooMany", "Too many: 3: must have at most 2 items", "spec.tags"),
        ),
        (
            {"size": 1, "tags": ["long"]},
            cause("FieldValueTooLong", "Too long: may not be more than 3 bytes", "spec.tags[0]"),
        ),
        (
            {"size": 1, "title": "a"},
            cause(
                "FieldValueInvalid",
                'Invalid value: "a": spec.title in body should be at least 2 chars long',
                "spec.title",
            ),
        ),
        (
            {"size": 1, "title": "AB"},
            cause(
                "FieldValueInvalid",
                "Invalid value: \"AB\": spec.title in body should match '^[a-z]+$'",
                "spec.title",
            ),
        ),
        (
            {"size": 1, "ports": [{"name": "a"}, {"name": "a"}]},
            cause("FieldValueDuplicate", 'Duplicate value: {"name":"a"}', "spec.ports[1]"),
        ),
        (
            {"size": 1, "ports": [{"port": 1}]},
            cause("FieldValueRequired", "Required value", "spec.ports[0].name"),
        ),
        (
            {"size": 1, "limit": 1.5},
            cause(
                "FieldValueTypeInvalid",
                'Invalid value: "number": spec.limit in body must be of type integer,string: "number"',
                "spec.limit",
            ),
        ),
        (
            {"size": 1, "tags": "x"},
            cause(
                "FieldValueTypeInvalid",
                'Invalid value: "string": spec.tags in body must be of type array: "string"',
                "spec.tags",
            ),
        ),
    ],
    ids=[
        "required",
        "type",
        "maximum",
        "minimum",
        "enum",
        "maxItems",
        "maxLength",
        "minLength",
        "pattern",
        "keys",
        "required in a list",
        "int or string",
        "list",
    ],
)
def test_one_thing_is_wrong(
    client: Client, widgets: Widgets, namespace: Namespace, spec: dict[str, Any], expected: dict[str, str]
) -> None:
    response = client.post(widgets.path(namespace.name), widgets.widget("a", **spec))
    blocks = expected["reason"] not in CHECKED_ANYWAY
    causes = [expected, UNCHECKED] if blocks else [expected]
    assert_invalid(response, f"Widget.{widgets.group}", "a", *causes)


def test_many_things_are_wrong(client: Client, widgets: Widgets, namespace: Namespace) -> None:
    spec = {"size": 99, "color": "green", "tags": ["long", "b", "c"]}
    response = client.post(widgets.path(namespace.name), widgets.widget("a", **spec))
    assert response.status == 422
    causes = response.json()["details"]["causes"]
    assert {each["field"] for each in causes} == {
        "spec.size",
        "spec.color",
        "spec.tags",
        "spec.tags[0]",
        "<nil>",
    }
    assert causes[-1] == UNCHECKED


def test_a_fraction_for_an_integer(client: Client, widgets: Widgets, namespace: Namespace) -> None:
    ports = [{"name": "p", "port": 1.5}]
    response = client.post(widgets.path(namespace.name), widgets.widget("a", size=1, ports=ports))
    field = "spec.ports[0].port"
    message = f'Invalid value: "number": {field} in body must be of type integer: "number"'
    checked = f'Invalid value: "": Checked value must be of type integer (default format) in {field}'
    assert_invalid(
        response,
        f"Widget.{widgets.group}",
        "a",
        cause("FieldValueTypeInvalid", message, field),
        cause("FieldValueInvalid", checked, "<nil>"),
        UNCHECKED,
    )


def test_patches_are_checked_as_well(client: Client, widgets: Widgets, namespace: Namespace) -> None:
    collection = widgets.path(namespace.name)
    client.post(collection, widgets.widget("a", size=1))
    response = client.patch(f"{collection}/a", {"spec": {"size": "x"}})
    message = 'Invalid value: "string": spec.size in body must be of type integer: "string"'
    expected = cause("FieldValueTypeInvalid", message, "spec.size")
    assert_invalid(response, f"Widget.{widgets.group}", "a", expected, UNCHECKED)


def test_so_is_the_status(client: Client, widgets: Widgets, namespace: Namespace) -> None:
    collection = widgets.path(namespace.name)
    client.post(collection, widgets.widget("a", size=1))
    response = client.patch(f"{collection}/a/status", {"status": {"replicas": "x"}})
    message = 'Invalid value: "string": replicas in body must be of type integer: "string"'
    expected = cause("FieldValueTypeInvalid", message, "status.replicas")
    assert response.status == 422
    assert response.json()["details"]["causes"][0] == expected


@pytest.mark.parametrize("limit", [5, "50%"])
def test_an_integer_or_a_text(
    client: Client, widgets: Widgets, namespace: Namespace, limit: int | str
) -> None:
    response = client.post(widgets.path(namespace.name), widgets.widget("a", size=1, limit=limit))
    assert (response.status, response.json()["spec"]["limit"]) == (201, limit)


def test_nulls(client: Client, widgets: Widgets, namespace: Namespace) -> None:
    body = widgets.widget("a", size=1, color=None, maybe=None)
    response = client.post(widgets.path(namespace.name), body)
    # A null is replaced by the default, kept where it may be.
    assert response.json()["spec"] == {"color": "red", "maybe": None, "size": 1}


def test_a_null_that_may_not_be(client: Client, widgets: Widgets, namespace: Namespace) -> None:
    response = client.post(widgets.path(namespace.name), widgets.widget("a", size=None))
    assert response.status == 422
    assert response.json()["details"]["causes"][0]["field"] == "spec.size"


def test_a_rule(client: Client, widgets: Widgets, namespace: Namespace) -> None:
    collection = widgets.path(namespace.name)
    response = client.post(collection, widgets.widget("a", size=7))
    expected = cause("FieldValueInvalid", "Invalid value: big ones are blue", "spec")
    assert_invalid(response, f"Widget.{widgets.group}", "a", expected)
    assert client.post(collection, widgets.widget("a", size=7, color="blue")).status == 201


def test_a_rule_with_a_message_of_its_own_making(
    client: Client, widgets: Widgets, namespace: Namespace
) -> None:
    response = client.post(widgets.path(namespace.name), widgets.widget("a", size=3, tags=["yes", "no"]))
    expected = cause("FieldValueInvalid", "Invalid value: no is no tag, yes is the first", "spec")
    assert_invalid(response, f"Widget.{widgets.group}", "a", expected)


def test_a_rule_about_changes(client: Client, widgets: Widgets, namespace: Namespace) -> None:
    collection = widgets.path(namespace.name)
    client.post(collection, widgets.widget("a", size=1, title="joe"))
    response = client.patch(f"{collection}/a", {"spec": {"title": "jim"}})
    expected = cause("FieldValueForbidden", "Forbidden: the title stays", "spec.title")
    assert_invalid(response, f"Widget.{widgets.group}", "a", expected)
    assert client.patch(f"{collection}/a", {"spec": {"size": 2}}).status == 200
