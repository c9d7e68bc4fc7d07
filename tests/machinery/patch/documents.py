"""Schemas by hand and documents at random, for all tests of patches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from kubewright.machinery.schema import ANY, SCALAR, Schema

MAP = Schema("object", values=SCALAR)


def merged(merge_key: str, items: Schema, *strategies: str) -> Schema:
    return Schema("array", items=items, patch_strategies=strategies or ("merge",), patch_merge_key=merge_key)


METADATA = Schema(
    "object",
    fields={
        "name": SCALAR,
        "labels": MAP,
        "annotations": MAP,
        "finalizers": Schema("array", items=SCALAR, patch_strategies=["merge"]),
        "ownerReferences": merged("uid", Schema("object")),
    },
)

CONTAINER = Schema(
    "object",
    fields={
        "name": SCALAR,
        "image": SCALAR,
        "args": Schema("array", items=SCALAR),
        "ports": merged("containerPort", Schema("object")),
        "env": merged("name", Schema("object")),
        "volumeMounts": merged("mountPath", Schema("object")),
        "resources": Schema("object", fields={"limits": MAP, "requests": MAP}),
    },
)

POD_SPEC = Schema(
    "object",
    fields={
        "containers": merged("name", CONTAINER),
        "initContainers": merged("name", CONTAINER),
        "volumes": merged("name", Schema("object"), "merge", "retainKeys"),
        "tolerations": Schema("array", items=Schema("object")),
        "imagePullSecrets": merged("name", Schema("object")),
        "nodeSelector": MAP,
        "hostNetwork": SCALAR,
        "priority": SCALAR,
    },
)

POD = Schema(
    "object",
    fields={
        "apiVersion": SCALAR,
        "kind": SCALAR,
        "metadata": METADATA,
        "spec": POD_SPEC,
        "status": Schema("object", fields={"conditions": merged("type", Schema("object"))}),
    },
)

DEPLOYMENT = Schema(
    "object",
    fields={
        "apiVersion": SCALAR,
        "kind": SCALAR,
        "metadata": METADATA,
        "spec": Schema(
            "object",
            fields={
                "replicas": SCALAR,
                "selector": Schema("object", fields={"matchLabels": MAP}),
                "strategy": Schema("object", patch_strategies=["retainKeys"]),
                "template": Schema("object", fields={"metadata": METADATA, "spec": POD_SPEC}),
            },
        ),
    },
)

NODE: Schema = Schema("object", fields=lambda: {"children": merged("name", NODE), "child": NODE, "any": ANY})
"""A type that nests in itself without end."""

NAMES = st.sampled_from("abcdef")
SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.5, -1.5]) | st.text(max_size=4)
NOT_NULL = SCALARS.filter(lambda value: value is not None)
KEYS = ["a", "b", "a/b", "m~n"]


def _layer(scalars: st.SearchStrategy[Any], depth: int) -> st.SearchStrategy[Any]:
    """Values so many levels deep; layer by layer, which hypothesis draws much faster than `st.recursive`."""
    if not depth:
        return scalars
    inner = _layer(scalars, depth - 1)
    return scalars | st.lists(inner, max_size=2) | _objects(inner)


def _objects(values: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=dict.fromkeys(KEYS, values))


_VALUES = _layer(SCALARS, 3)
_DOCUMENTS, _DOCUMENTS_NOT_NULL = _objects(_layer(SCALARS, 2)), _objects(_layer(NOT_NULL, 2))


def json_values() -> st.SearchStrategy[Any]:
    return _VALUES


def json_objects(*, nulls: bool = True) -> st.SearchStrategy[dict[str, Any]]:
    return _DOCUMENTS if nulls else _DOCUMENTS_NOT_NULL


def documents() -> st.SearchStrategy[Any]:
    return _DOCUMENTS | st.lists(_layer(SCALARS, 2), max_size=3)


def optional(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """An object that may have each of these members."""
    return st.fixed_dictionaries({}, optional=fields)


def labels(values: st.SearchStrategy[Any] = NAMES) -> st.SearchStrategy[dict[str, Any]]:
    return st.dictionaries(NAMES, values, max_size=3)


def keyed(
    merge_key: str, keys: Sequence[Any], *, unique: bool = True, **fields: st.SearchStrategy[Any]
) -> st.SearchStrategy[list[dict[str, Any]]]:
    """A list of objects told apart by their merge key."""
    element = st.fixed_dictionaries({merge_key: st.sampled_from(keys)}, optional=fields)
    unique_by = (lambda item: item[merge_key]) if unique else None
    return st.lists(element, max_size=5, unique_by=unique_by)


VOLUME_SOURCES = {
    "emptyDir": optional(medium=NAMES),
    "hostPath": optional(path=NAMES, type=NAMES),
    "configMap": optional(
        name=NAMES, optional=st.booleans(), items=st.lists(optional(key=NAMES), max_size=2)
    ),
}


def containers(*, unique: bool = True) -> st.SearchStrategy[list[dict[str, Any]]]:
    return keyed(
        "name",
        "abcdef",
        unique=unique,
        image=NAMES,
        args=st.lists(NAMES, max_size=3),
        ports=keyed(
            "containerPort", [80, 443, 8080], unique=unique, protocol=st.sampled_from(["TCP", "UDP"])
        ),
        env=keyed("name", "ABCDE", unique=unique, value=NAMES),
        volumeMounts=keyed("mountPath", ["/a", "/b"], unique=unique, name=NAMES),
        resources=optional(limits=labels(), requests=labels()),
    )


def metadata() -> st.SearchStrategy[dict[str, Any]]:
    return optional(
        name=NAMES,
        labels=labels(),
        annotations=labels(),
        finalizers=st.lists(NAMES, max_size=5, unique=True),
        ownerReferences=keyed("uid", "uvw", kind=NAMES),
    )


def pod_specs(*, unique: bool = True) -> st.SearchStrategy[dict[str, Any]]:
    return optional(
        containers=containers(unique=unique),
        volumes=keyed("name", "abcd", unique=unique, **VOLUME_SOURCES),
        tolerations=st.lists(optional(key=NAMES, operator=NAMES), max_size=3),
        imagePullSecrets=keyed("name", "abc", unique=unique),
        nodeSelector=labels(),
        hostNetwork=st.booleans(),
        priority=st.integers(0, 3),
    )


def pods(*, unique: bool = True) -> st.SearchStrategy[dict[str, Any]]:
    return optional(
        apiVersion=st.just("v1"),
        kind=st.just("Pod"),
        metadata=metadata(),
        spec=pod_specs(unique=unique),
        status=optional(conditions=keyed("type", "RST", unique=unique, status=NAMES)),
    )


def deployments() -> st.SearchStrategy[dict[str, Any]]:
    rolling = optional(maxSurge=st.integers(0, 3) | st.just("25%"), maxUnavailable=st.integers(0, 3))
    return optional(
        metadata=metadata(),
        spec=optional(
            replicas=st.integers(0, 3),
            selector=optional(matchLabels=labels()),
            strategy=optional(type=st.sampled_from(["Recreate", "RollingUpdate"]), rollingUpdate=rolling),
            template=optional(metadata=metadata(), spec=pod_specs()),
        ),
    )


def nested(levels: int, *, key: str = "child", leaf: Any = None) -> Any:
    """An object in an object, so many levels deep."""
    value: Any = {} if leaf is None else {key: leaf}
    for _ in range(levels - 1):
        value = {key: value}
    return value
