"""Rules that select fields whose names are keywords of CEL, by the keyword or by its escaped name."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.client import Client
from tests.conformance.custom_resources import DEFINITIONS, Widgets, define, definition, new_group, version
from tests.conformance.namespaces import Namespace
from tests.conformance.statuses import assert_invalid, cause

KEYWORDS = [
    *("as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop"),
    *("namespace", "package", "return", "var", "void", "while"),
]
"""Those that may follow a dot."""

TEXT = {"type": "string", "maxLength": 63}


def ruled(properties: dict[str, Any], *rules: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "x-kubernetes-validations": list(rules)}


SPEC = ruled(
    {
        **dict.fromkeys(KEYWORDS, TEXT),
        # The style of JobSet, whose rule is about the namespaces of templates.
        "jobs": {
            "type": "array",
            "maxItems": 10,
            "items": {
                "type": "object",
                "properties": {
                    "name": TEXT,
                    "metadata": {"type": "object", "properties": {"namespace": TEXT}},
                },
            },
            "x-kubernetes-validations": [
                {
                    "rule": "self.all(t, !has(t.metadata.namespace) || size(t.metadata.namespace) == 0)",
                    "message": "templates have no namespace",
                }
            ],
        },
    },
    *(
        {"rule": f"!has(self.{word}) || self.{word} == self.__{word}__", "message": f"{word} differs"}
        for word in KEYWORDS
    ),
    {
        "rule": "!has(self.namespace) || self.namespace != 'kube-system'",
        # Servers estimate the cost of a field by its escaped name, and take others to have any length.
        "messageExpression": "self.__namespace__ + ' is reserved'",
        "fieldPath": ".namespace",
    },
    {
        "rule": "!has(oldSelf.package) || (has(self.package) && self.package == oldSelf.__package__)",
        "message": "package is immutable",
    },
)


@pytest.fixture(scope="module")
def keywords(client: Client) -> Widgets:
    """A definition with such rules."""
    schema = {"type": "object", "properties": {"spec": SPEC}}
    return define(client, definition(new_group(), version(schema=schema)))


def test_objects_are_judged(keywords: Widgets, client: Client, namespace: Namespace) -> None:
    path, resource = keywords.path(namespace.name), f"Widget.{keywords.group}"
    values = dict.fromkeys(KEYWORDS, "a")
    stored = client.post(
        path, keywords.widget("a", **values, jobs=[{"name": "x", "metadata": {"namespace": ""}}])
    )
    assert stored.status == 201, stored.text
    assert_invalid(
        client.post(path, keywords.widget("b", namespace="kube-system")),
        resource,
        "b",
        cause("FieldValueInvalid", "Invalid value: kube-system is reserved", "spec.namespace"),
    )
    assert_invalid(
        client.post(path, keywords.widget("b", jobs=[{"metadata": {"namespace": "x"}}])),
        resource,
        "b",
        cause("FieldValueInvalid", "Invalid value: templates have no namespace", "spec.jobs"),
    )
    obj = stored.json()
    obj["spec"]["package"] = "b"
    assert_invalid(
        client.put(f"{path}/a", obj),
        resource,
        "a",
        cause("FieldValueInvalid", "Invalid value: package is immutable", "spec"),
    )


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ("self.true == 'a'", "1:6: Syntax error: mismatched input 'true' expecting IDENTIFIER"),
        ("namespace == 'a'", "1:1: reserved identifier: namespace"),
        ("self.loop == 'a'", "1:5: undefined field 'loop'"),
    ],
)
def test_other_uses_are_refused(client: Client, rule: str, why: str) -> None:
    spec = ruled({"true": TEXT, "namespace": TEXT}, {"rule": rule})
    schema = {"type": "object", "properties": {"spec": spec}}
    response = client.post(DEFINITIONS, definition(new_group(), version(schema=schema)), dryRun="All")
    assert response.status == 422
    assert f"compilation failed: ERROR: <input>:{why}\n | {rule}" in response.json()["message"]
