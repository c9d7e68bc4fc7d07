"""Loading the rules of what workloads write before the first of it is written."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from kubewright.server.registry.registry import Registry
    from kubewright.server.registry.resource_type import ResourceType

__all__ = ["load_workload_rules"]

_RULES: Final = (
    ("kubewright.server.kinds.core", ("binding", "container", "event", "pod", "volume")),
    ("kubewright.server.kinds.apps", ("int_or_percent", "workloads", "deployment", "replica_set")),
)
"""Packages, and what the names of those modules begin with that have the rules of pods and their makers."""

_POD: Final = {
    "metadata": {"name": "a", "labels": {"app": "a"}},
    "spec": {"containers": [{"name": "a", "image": "a"}]},
}

_WORKLOADS: Final = (
    ("", "pods", "Pod", _POD["spec"]),
    ("apps", "replicasets", "ReplicaSet", {"selector": {"matchLabels": {"app": "a"}}, "template": _POD}),
    ("apps", "deployments", "Deployment", {"selector": {"matchLabels": {"app": "a"}}, "template": _POD}),
)
"""Resources of version v1, by group, with the spec of an object that has what most have."""


async def load_workload_rules(registry: Registry) -> None:
    """Have all there that the first pods need, step by step, while others run in between.

    Whoever writes the first Deployment would have the rules imported and the types of the kinds made all at
    once, which takes 30 milliseconds, in which nobody else is answered.
    """
    for step in _steps(registry):
        step()
        await asyncio.sleep(0)


def _steps(registry: Registry) -> Iterator[Callable[[], object]]:
    for package, beginnings in _RULES:
        for each in iter_modules(import_module(package).__path__):
            if each.name.startswith(beginnings):
                yield partial(import_module, f"{package}.{each.name}")
    for group, resource, kind, spec in _WORKLOADS:
        store = registry.find(group, "v1", resource)
        if store is not None:
            version = f"{group}/v1" if group else "v1"
            obj = {"apiVersion": version, "kind": kind, "metadata": {"name": "a"}, "spec": spec}
            yield partial(store.type.read, msgspec.json.encode(obj), strict=False)
            yield partial(_manage, store.type, msgspec.json.encode(obj))


def _manage(resource: ResourceType, data: bytes) -> None:
    """Find out who manages what of an object, which needs the shape of its kind. It is not written."""
    obj = resource.read(data, strict=False).obj
    resource.manager("").update_no_errors(None, obj, manager="a", now=datetime.now(UTC))
