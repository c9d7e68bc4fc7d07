"""What a ValidatingAdmissionPolicy of five rules adds to a create, without the wire around it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from typing import Any

from bench.pods import small_pod
from bench.row import Row
from bench.scale import scaled
from kubewright.server.registry.create import create
from tests.server.admission.policies.registries import GROUP, Server, serving, write_for

_COUNT = scaled(300, tiny=2)
_ROUNDS = scaled(15, tiny=1)
"""The figure is the difference of the best of so many rounds, in turns, of `_COUNT` creates each."""

_MOST = 100.0
"""Microseconds that a policy may add."""

_MAP_RULES = (
    "object.metadata.name.startsWith('measured')",
    "!has(object.metadata.labels) || object.metadata.labels.all(key, key.size() < 64)",
    "has(object.data) && object.data.size() < 100",
    "object.data.all(key, object.data[key].size() < 1000)",
    "request.userInfo.username != 'nobody' || request.namespace == 'kube-system'",
)
_POD_RULES = (
    "object.spec.containers.all(c, c.image.size() > 0 && !c.image.endsWith(':latest'))",
    (
        "object.spec.containers.all(c, !has(c.securityContext) || !has(c.securityContext.privileged) || "
        "!c.securityContext.privileged)"
    ),
    "!has(object.spec.hostNetwork) || !object.spec.hostNetwork",
    "!has(object.spec.volumes) || object.spec.volumes.all(v, !has(v.hostPath))",
    "request.userInfo.username != 'nobody' || request.namespace == 'kube-system'",
)


def rows() -> list[Row]:
    """Of a config map with ten entries, and of a small pod."""
    return [
        Row(f"server: what a policy of five rules adds to a create, {what}", "100 µs", "µs", added, _MOST, 1)
        for what, added in (
            ("config map", asyncio.run(_added("configmaps", _MAP_RULES, _config_map))),
            ("pod", asyncio.run(_added("pods", _POD_RULES, small_pod))),
        )
    ]


async def _added(resource: str, rules: tuple[str, ...], make: Callable[[str], dict[str, Any]]) -> float:
    without: list[float] = []
    with_it: list[float] = []
    async with serving() as free, serving() as judged:
        await _judge(judged, resource, rules)
        for round_ in range(_ROUNDS + 2):
            for server, found in ((free, without), (judged, with_it)):
                seconds = await _creates(server, resource, make, f"measured-{round_}")
                if round_ >= 2:
                    found.append(seconds)
    return max((min(with_it) - min(without)) * 1e6, 0.001)


async def _judge(server: Server, resource: str, rules: tuple[str, ...]) -> None:
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": [resource]}
    spec = {
        "matchConstraints": {"resourceRules": [rule]},
        "validations": [{"expression": each} for each in rules],
    }
    policy = {"metadata": {"name": "measured"}, "spec": spec}
    await server.create("validatingadmissionpolicies", policy, GROUP)
    bound = {"policyName": "measured", "validationActions": ["Deny"]}
    binding = {"metadata": {"name": "measured"}, "spec": bound}
    await server.create("validatingadmissionpolicybindings", binding, GROUP)


async def _creates(server: Server, resource: str, make: Callable[[str], dict[str, Any]], start: str) -> float:
    """The seconds of the process that one create takes."""
    store = server.store(resource)
    bodies = [json.dumps(make(f"{start}-{number}")).encode() for number in range(_COUNT)]
    objects = [store.type.read(body, strict=False).obj for body in bodies]
    began = time.process_time()
    for obj in objects:
        await create(store, obj, write_for(store))
    return (time.process_time() - began) / _COUNT


def _config_map(name: str) -> dict[str, Any]:
    data = {f"key-{number}": "some value" for number in range(10)}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}
