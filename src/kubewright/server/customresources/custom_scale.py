"""The `/scale` of custom resources, by the paths that their definition names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kubewright.server.kinds.kind import Object

__all__ = ["custom_scale", "with_custom_replicas"]

_METADATA: Final = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
"""What a Scale shows of the metadata of its object."""


def custom_scale(obj: Object, paths: Mapping[str, str]) -> Object | None:
    """The Scale of a custom resource; None when it does not say how many replicas it wants."""
    metadata = obj["metadata"]
    replicas = _at(obj, paths["specReplicasPath"])
    if replicas is None:
        return None
    status: Object = {"replicas": _at(obj, paths["statusReplicasPath"]) or 0}
    selector = _at(obj, paths.get("labelSelectorPath") or "")
    if isinstance(selector, str) and selector:
        status["selector"] = selector
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {name: metadata[name] for name in _METADATA if name in metadata},
        "spec": {"replicas": replicas} if replicas else {},
        "status": status,
    }


def with_custom_replicas(obj: Object, paths: Mapping[str, str], replicas: object) -> Object:
    """A custom resource with a number of replicas; what does not change is shared."""
    made: Object = _with(obj, _names(paths["specReplicasPath"]), replicas)
    return made


def _names(path: str) -> list[str]:
    return [name for name in path.split(".") if name]


def _at(obj: Any, path: str) -> Any:
    for name in _names(path):
        obj = obj.get(name) if isinstance(obj, dict) else None
    return obj if path else None


def _with(obj: object, names: list[str], value: object) -> Any:
    if not names:
        return value
    inner = obj if isinstance(obj, dict) else {}
    return {**inner, names[0]: _with(inner.get(names[0]), names[1:], value)}
