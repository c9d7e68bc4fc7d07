"""Definitions of custom resources for tests, each in a group of its own."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from tests.conformance.client import Client
from tests.conformance.namespaces import unique
from tests.conformance.waiting import eventually

__all__ = [
    "AGGREGATED",
    "DEFINITIONS",
    "Widgets",
    "define",
    "definition",
    "new_group",
    "served",
    "version",
    "widgets_definition",
]

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
"""The form of discovery that has all groups in one document."""

WIDGET_SPEC: dict[str, Any] = {
    "type": "object",
    "required": ["size"],
    "properties": {
        "size": {"type": "integer", "minimum": 0, "maximum": 10},
        "color": {"type": "string", "default": "red", "enum": ["red", "blue"]},
        "tags": {"type": "array", "maxItems": 2, "items": {"type": "string", "maxLength": 3}},
        "title": {"type": "string", "minLength": 2, "pattern": "^[a-z]+$"},
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "ports": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
            "items": {
                "type": "object",
                "required": ["name"],
                "properties": {
                    "name": {"type": "string"},
                    "port": {"type": "integer"},
                    "protocol": {"type": "string", "default": "TCP"},
                },
            },
        },
        "replicas": {"type": "integer"},
        "limit": {"x-kubernetes-int-or-string": True},
        "maybe": {"type": "string", "nullable": True},
    },
    "x-kubernetes-validations": [
        {"rule": "self.size <= 5 || self.color == 'blue'", "message": "big ones are blue"},
        {
            "rule": "!has(oldSelf.title) || (has(self.title) && self.title == oldSelf.title)",
            "message": "the title stays",
            "reason": "FieldValueForbidden",
            "fieldPath": ".title",
        },
        {
            "rule": "!has(self.tags) || self.tags.all(tag, tag != 'no')",
            "messageExpression": "'no is no tag, ' + self.tags[0] + ' is the first'",
        },
    ],
}
WIDGET_STATUS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "replicas": {"type": "integer"},
        "selector": {"type": "string"},
        "phase": {"type": "string"},
    },
}


def new_group() -> str:
    """A group that no other test uses."""
    return f"{unique('group')}.example.com"


def version(name: str = "v1", schema: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    """A version that is served and, when it is v1, stored."""
    return {
        "name": name,
        "served": True,
        "storage": name == "v1",
        "schema": {"openAPIV3Schema": schema or {"type": "object"}},
        **fields,
    }


def definition(group: str, *versions: dict[str, Any], **spec: Any) -> dict[str, Any]:
    """A definition of namespaced widgets; `spec` is laid over its spec."""
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"widgets.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": "widgets", "kind": "Widget"},
            "versions": list(versions) or [version()],
            **spec,
        },
    }


def widgets_definition(group: str) -> dict[str, Any]:
    """A definition with all there is: schema, rules, subresources, columns, selectable fields, versions."""
    schema = {"type": "object", "properties": {"spec": WIDGET_SPEC, "status": WIDGET_STATUS}}
    scale = {
        "specReplicasPath": ".spec.replicas",
        "statusReplicasPath": ".status.replicas",
        "labelSelectorPath": ".status.selector",
    }
    columns = [
        {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
        {"name": "Color", "type": "string", "jsonPath": ".spec.color", "priority": 1},
        {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
    ]
    newest = version(
        schema=schema,
        subresources={"status": {}, "scale": scale},
        additionalPrinterColumns=columns,
        selectableFields=[{"jsonPath": ".spec.color"}],
    )
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    names = {
        "plural": "widgets",
        "singular": "widget",
        "kind": "Widget",
        "shortNames": ["wd"],
        "categories": ["all"],
    }
    return definition(group, newest, version("v1beta1", anything, deprecated=True), names=names)


@dataclass(frozen=True)
class Widgets:
    """A definition that is served."""

    client: Client
    group: str
    namespaced: bool = True

    @property
    def definition(self) -> str:
        """The path of the definition."""
        return f"{DEFINITIONS}/widgets.{self.group}"

    def path(self, namespace: str = "", version_name: str = "v1") -> str:
        """The path of the collection, in a namespace or in all."""
        place = f"namespaces/{namespace}/" if namespace else ""
        return f"/apis/{self.group}/{version_name}/{place}widgets"

    def widget(self, name: str, **spec: Any) -> dict[str, Any]:
        """A widget."""
        return {
            "apiVersion": f"{self.group}/v1",
            "kind": "Widget",
            "metadata": {"name": name},
            "spec": spec,
        }


def define(client: Client, body: dict[str, Any]) -> Widgets:
    """Creates a definition and waits until its versions are served and known to discovery."""
    response = client.post(DEFINITIONS, body)
    assert response.status == 201, response.text
    served(client, body)
    return Widgets(client, body["spec"]["group"])


def served(client: Client, body: dict[str, Any]) -> None:
    """Waits until the versions of a definition are served, and until all forms of discovery tell of them.

    A real server does one after the other: first the collections, each with a cache of its own, then the
    documents of the versions and of the group, then that of all groups, by which kubectl and dynamic clients
    go.
    """
    spec = body["spec"]
    group, plural = spec["group"], spec["names"]["plural"]
    versions = [each["name"] for each in spec["versions"] if each["served"]]
    for name in versions:
        place = f"/apis/{group}/{name}"
        eventually(lambda at=f"{place}/{plural}": client.get(at).status == 200, f"{place} is not served")  # type: ignore[misc]
        eventually(lambda at=place: plural in _resources(client, at), f"{place} does not list it")  # type: ignore[misc]
    eventually(lambda: _known(client, group, plural, versions), f"{group} is not known to discovery")


def _known(client: Client, group: str, plural: str, versions: list[str]) -> bool:
    """Whether the document of all groups has a resource in these versions, and in their order."""
    told = _aggregated(client, group, plural)
    ordered = [each for each in _versions(client, group) if each in versions]
    return sorted(told) == sorted(versions) and told == ordered


def _aggregated(client: Client, group: str, plural: str) -> list[str]:
    """The versions in which the document of all groups has a resource."""
    found = json.loads(client.get("/apis", headers={"Accept": AGGREGATED}).body)
    return [
        version["version"]
        for each in found["items"]
        if each["metadata"]["name"] == group
        for version in each["versions"]
        if plural in {resource["resource"] for resource in version.get("resources", ())}
    ]


def _versions(client: Client, group: str) -> list[str]:
    """The versions in the document of a group."""
    response = client.get(f"/apis/{group}")
    return [each["version"] for each in response.json()["versions"]] if response.status == 200 else []


def _resources(client: Client, path: str) -> list[str]:
    """The resources in the document of a version."""
    response = client.get(path)
    return [each["name"] for each in response.json()["resources"]] if response.status == 200 else []
