"""A CustomResourceDefinition around schemas."""

from __future__ import annotations

from typing import Any

from kubewright.server.kinds.apiextensions.definition_rules import validate_create
from tests.codegen.crd_shapes import Schema, record

LIST_MAP = {"x-kubernetes-list-type": "map"}


def definition(
    group: str,
    kind: str,
    plural: str,
    schemas: dict[str, Schema],
    *,
    storage: str = "",
    scope: str = "Namespaced",
    names: dict[str, Any] | None = None,
    **version: Any,
) -> dict[str, Any]:
    """A definition with these versions; `storage` is the first unless it is named."""
    stored = storage or next(iter(schemas))
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": f"{plural}.{group}",
            "annotations": {"api-approved.kubernetes.io": "unapproved, made up"},
        },
        "spec": {
            "group": group,
            "names": {
                "kind": kind,
                "listKind": f"{kind}List",
                "plural": plural,
                "singular": kind.lower(),
                **(names or {}),
            },
            "scope": scope,
            "versions": [
                {
                    "name": name,
                    "served": True,
                    "storage": name == stored,
                    "schema": {"openAPIV3Schema": schema},
                    **version,
                }
                for name, schema in schemas.items()
            ],
        },
    }


def whole(spec: Schema, status: Schema | None = None, *required: str, **rules: Any) -> Schema:
    """The schema of a whole object."""
    made = record({"spec": spec, **({"status": status} if status else {})}, *required, **rules)
    header = {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": {"type": "object"}}
    return {**made, "properties": {**header, **made["properties"]}}


def server_errors(crd: dict[str, Any]) -> list[str]:
    """What a server would say to a new definition."""
    stored = [each["name"] for each in crd["spec"]["versions"] if each["storage"]]
    kind = crd["spec"]["names"]["kind"]
    names = {"listKind": f"{kind}List", "singular": kind.lower(), **crd["spec"]["names"]}
    status = {"storedVersions": stored, "acceptedNames": names}
    created = {**crd, "spec": {**crd["spec"], "names": names}, "status": status}
    return [f"{error.field}: {error.message}" for error in validate_create(created)]
