"""Reading OpenAPI v3 documents: which schemas there are, and which of them are served as resources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from kubewright.machinery.gvk import GroupVersionKind

__all__ = ["Api", "ServedResource", "group_version_kinds", "read_documents", "reference"]

_REF_PREFIX: Final = "#/components/schemas/"
_GVK: Final = "x-kubernetes-group-version-kind"


@dataclass(frozen=True, slots=True)
class ServedResource:
    """How a kind is served: `/apis/GROUP/VERSION/[namespaces/NS/]PLURAL`."""

    plural: str
    namespaced: bool


@dataclass(frozen=True, slots=True)
class Api:
    """All that a server's OpenAPI documents say about its types."""

    schemas: dict[str, dict[str, Any]] = field(default_factory=dict)
    served: dict[GroupVersionKind, ServedResource] = field(default_factory=dict)


def read_documents(documents: Iterable[Mapping[str, Any]]) -> Api:
    """Put a server's OpenAPI v3 documents, one per group-version, together."""
    api = Api()
    for document in documents:
        api.schemas.update(document.get("components", {}).get("schemas", {}))
        for path, operations in document.get("paths", {}).items():
            found = _served(path, operations)
            if found is not None:
                gvk, resource = found
                api.served.setdefault(gvk, resource)
    return api


def _served(path: str, operations: Mapping[str, Any]) -> tuple[GroupVersionKind, ServedResource] | None:
    """What a path serves, if objects of a kind are created under it or, where they never are, listed."""
    creates = operations.get("post", operations.get("get", {}))
    gvk = creates.get(_GVK)
    segments = path.strip("/").split("/")
    root = 2 if segments[0] == "api" else 3
    rest = segments[root:]
    if gvk is None or creates.get("x-kubernetes-action") not in {"post", "list"} or rest[:1] == ["watch"]:
        return None
    namespaced = rest[:2] == ["namespaces", "{namespace}"]
    rest = rest[2:] if namespaced else rest
    if len(rest) != 1 or (creates.get("x-kubernetes-action") == "list" and _is_across_namespaces(creates)):
        return None
    kind = GroupVersionKind(gvk["group"], gvk["version"], gvk["kind"])
    return kind, ServedResource(plural=rest[0], namespaced=namespaced)


def _is_across_namespaces(operation: Mapping[str, Any]) -> bool:
    return str(operation.get("operationId", "")).endswith("ForAllNamespaces")


def reference(schema: Mapping[str, Any]) -> str | None:
    """The name of the schema that this one refers to, directly or as the only member of `allOf`."""
    target = schema.get("$ref")
    if target is None and len(schema.get("allOf", ())) == 1:
        target = schema["allOf"][0].get("$ref")
    return target.removeprefix(_REF_PREFIX) if isinstance(target, str) else None


def group_version_kinds(schema: Mapping[str, Any]) -> list[GroupVersionKind]:
    """The kinds that a schema says it is."""
    return [GroupVersionKind(item["group"], item["version"], item["kind"]) for item in schema.get(_GVK, ())]
