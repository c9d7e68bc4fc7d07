"""OpenAPI v3 documents in the shape in which servers publish them."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

META = "io.k8s.apimachinery.pkg.apis.meta.v1."
METRICS = "io.k8s.metrics.pkg.apis.metrics.v1beta1."
QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity"


def ref(name: str, **beside: Any) -> Schema:
    """A reference; something can stand beside one in allOf only."""
    plain = {"$ref": f"#/components/schemas/{name}"}
    return {**beside, "allOf": [plain]} if beside else plain


def gvk(group: str, version: str, kind: str) -> Schema:
    return {"group": group, "version": version, "kind": kind}


def kind_schema(
    group: str, version: str, kind: str, properties: Schema, *required: str, **more: Any
) -> Schema:
    """The schema of a whole object."""
    header = {
        "apiVersion": {"type": "string"},
        "kind": {"type": "string"},
        "metadata": ref(f"{META}ObjectMeta", default={}),
    }
    return {
        "type": "object",
        "properties": {**header, **properties},
        **({"required": list(required)} if required else {}),
        "x-kubernetes-group-version-kind": [gvk(group, version, kind)],
        **more,
    }


def list_schema(group: str, version: str, kind: str, item: str) -> Schema:
    header = {
        "apiVersion": {"type": "string"},
        "kind": {"type": "string"},
        "metadata": ref(f"{META}ListMeta", default={}),
    }
    return {
        "type": "object",
        "required": ["items"],
        "properties": {**header, "items": {"type": "array", "items": ref(item)}},
        "x-kubernetes-group-version-kind": [gvk(group, version, f"{kind}List")],
    }


def path_items(group: str, version: str, kind: str, plural: str, *, namespaced: bool) -> Schema:
    """The paths of a kind that is listed and read, and nothing else."""

    def get(action: str, name: str) -> Schema:
        said = {"x-kubernetes-action": action, "x-kubernetes-group-version-kind": gvk(group, version, kind)}
        return {"get": {"operationId": name, **said}}

    root = f"/apis/{group}/{version}"
    inner = f"{root}/namespaces/{{namespace}}" if namespaced else root
    made = {
        f"{inner}/{plural}": get("list", f"list{kind}"),
        f"{inner}/{plural}/{{name}}": get("get", f"read{kind}"),
    }
    if namespaced:
        made[f"{root}/{plural}"] = get("list", f"list{kind}ForAllNamespaces")
    return made


def document(schemas: Schema, *paths: Schema) -> Schema:
    shared = {
        f"{META}ObjectMeta": {"type": "object", "properties": {"name": {"type": "string"}}},
        f"{META}ListMeta": {"type": "object", "properties": {"continue": {"type": "string"}}},
    }
    merged = {path: each for these in paths for path, each in these.items()}
    return {
        "openapi": "3.0.0",
        "info": {"title": "Kubernetes", "version": "v1.36.0"},
        "paths": merged,
        "components": {"schemas": {**shared, **schemas}},
    }


def _metrics() -> Schema:
    usage = {"type": "object", "additionalProperties": ref(QUANTITY), "description": "What it uses."}
    times = {"timestamp": ref(f"{META}Time"), "window": ref(f"{META}Duration", description="How long.")}
    group = ("metrics.k8s.io", "v1beta1")
    containers = {
        "type": "array",
        "items": ref(f"{METRICS}ContainerMetrics", default={}),
        "x-kubernetes-list-type": "atomic",
    }
    required = ("timestamp", "window")
    schemas = {
        f"{METRICS}ContainerMetrics": {
            "description": "Of one container.",
            "type": "object",
            "required": ["name", "usage"],
            "properties": {"name": {"type": "string", "default": ""}, "usage": usage},
        },
        f"{METRICS}NodeMetrics": kind_schema(
            *group, "NodeMetrics", {**times, "usage": usage}, *required, "usage"
        ),
        f"{METRICS}NodeMetricsList": list_schema(*group, "NodeMetrics", f"{METRICS}NodeMetrics"),
        f"{METRICS}PodMetrics": kind_schema(
            *group, "PodMetrics", {**times, "containers": containers}, *required, "containers"
        ),
        f"{METRICS}PodMetricsList": list_schema(*group, "PodMetrics", f"{METRICS}PodMetrics"),
        f"{META}Time": {"type": "string", "format": "date-time"},
        f"{META}Duration": {"type": "string"},
        QUANTITY: {"oneOf": [{"type": "string"}, {"type": "number"}]},
    }
    return document(
        schemas,
        path_items(*group, "NodeMetrics", "nodes", namespaced=False),
        path_items(*group, "PodMetrics", "pods", namespaced=True),
    )


METRICS_DOCUMENT = _metrics()
"""metrics.k8s.io/v1beta1, which is aggregated and has no CustomResourceDefinition."""
