"""How the cases of pods are made: a small pod, and what differs from it."""

from __future__ import annotations

import json
from typing import Any

from tests.server.kinds.harness import Case

Json = dict[str, Any]


def container(name: str = "main", **fields: Any) -> Json:
    """A container with an image; fields that are None are left out."""
    made = {"name": name, "image": "registry.example.com/app:1.0", **fields}
    return {key: value for key, value in made.items() if value is not None}


def pod(metadata: Json | None = None, status: Json | None = None, **spec: Any) -> Json:
    """A pod with one container, unless the spec says otherwise; fields that are None are left out."""
    body = {"containers": [container()], **spec}
    made: Json = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "case-pod", "namespace": "default", **(metadata or {})},
        "spec": {key: value for key, value in body.items() if value is not None},
    }
    if status is not None:
        made["status"] = status
    # Parts that cases share must not become the same object.
    shared: Json = json.loads(json.dumps(made))
    return shared


def template(metadata: Json | None = None, **spec: Any) -> Json:
    """A PodTemplate with the spec that `pod` makes; `metadata` is the template's."""
    inner = pod(**spec)
    return {
        "apiVersion": "v1",
        "kind": "PodTemplate",
        "metadata": {"name": "case-template", "namespace": "default"},
        "template": {"metadata": metadata or {}, "spec": inner["spec"]},
    }


def created(prefix: str, **specs: Json) -> list[Case]:
    """Creates of pods by name, each of what the spec says."""
    return [Case(f"{prefix}_{name}", pod(**spec)) for name, spec in specs.items()]


def with_container(prefix: str, **containers: Json) -> list[Case]:
    """Creates of pods with one container of these fields."""
    return [
        Case(f"{prefix}_{name}", pod(containers=[container(**fields)])) for name, fields in containers.items()
    ]


def with_volume(prefix: str, **volumes: Json) -> list[Case]:
    """Creates of pods with one volume, named after nothing but `data` unless it says so."""
    return [
        Case(f"{prefix}_{name}", pod(volumes=[{"name": "data", **fields}]))
        for name, fields in volumes.items()
    ]
