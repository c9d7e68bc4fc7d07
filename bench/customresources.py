"""`kubewright manifests` on a project of 50 kinds, as a process from a cold start."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Final

from bench.row import Row
from bench.scale import scaled

__all__ = ["rows", "write_project"]

KINDS: Final = scaled(50, tiny=3)
ROUNDS: Final = scaled(5, tiny=1)
BOUND_MS: Final = 2_000.0
"""What the issue allows for 50 kinds."""

_HEAD: Final = '''"""Kinds of a project that is measured."""

from typing import Annotated, Literal

from kubewright import EMPTY, Condition, Field, Quantity, Resource, Struct, custom_resource, rule
from kubewright.models.core_v1 import PodTemplateSpec
'''

_KIND: Final = '''

class Endpoint{n}(Struct):
    """Where it is reached."""

    host: Annotated[str, Field(min_length=1, max_length=253)]
    port: Annotated[int, Field(minimum=1, maximum=65535, default=443)] = 443


@rule("self.minReplicas <= self.maxReplicas", message="minReplicas must not exceed maxReplicas")
@rule("!has(self.region) || self.region.startsWith(self.zone)", message="the region begins with the zone")
class Kind{n}Spec(Struct):
    """What is wanted of a Kind{n}."""

    min_replicas: Annotated[int, Field(minimum=0, default=1)] = 1
    """The fewest there may be."""
    max_replicas: Annotated[int, Field(maximum=100, default=10)] = 10
    """The most there may be."""
    mode: Literal["Rolling", "Recreate"] = "Rolling"
    memory: Quantity = Quantity("64Mi")
    zone: Annotated[str, Field(max_length=20)]
    region: Annotated[str, Field(immutable=True, max_length=40)] | None = None
    labels: Annotated[dict[str, str], Field(max_properties=20)] = {{}}
    hosts: Annotated[list[str], Field(max_items=16)] = []
    endpoints: Annotated[list[Endpoint{n}], Field(list_type="map", map_keys=("host",), max_items=16)] = []
    paused: bool = False
    priority: Annotated[int, Field(minimum=-10, maximum=10)] = 0
    owner: Annotated[str, Field(pattern="^[a-z]+$", max_length=63)] = ""{template}


class Kind{n}Status(Struct):
    replicas: int = 0
    conditions: Annotated[list[Condition], Field(list_type="map", map_keys=("type",))] = []


@custom_resource(group="bench.example.com", version="v1", subresources=["status"])
class Kind{n}(Resource):
    """Kind number {n}."""

    spec: Kind{n}Spec
    status: Kind{n}Status = EMPTY
'''


def rows() -> list[Row]:
    """The rows about custom resources."""
    return [
        _row("manifests of 50 kinds, 10 with a PodTemplateSpec", templates=min(10, KINDS), least=1),
        _row("manifests of 50 kinds, all with a PodTemplateSpec", templates=KINDS),
    ]


def write_project(folder: Path, *, kinds: int, templates: int) -> None:
    """A project whose kinds have a dozen fields and two rules each, the first ones a template of pods too."""
    package = folder / "src" / "bench_kinds"
    package.mkdir(parents=True)
    (folder / "pyproject.toml").write_text('[tool.kubewright]\npackage = "bench_kinds"\n')
    (package / "__init__.py").write_text("")
    for n in range(kinds):
        template = "\n    template: PodTemplateSpec | None = None" if n < templates else ""
        (package / f"kind{n}.py").write_text(_HEAD + _KIND.format(n=n, template=template))


def _row(subject: str, *, templates: int, least: float | None = None) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        write_project(Path(folder), kinds=KINDS, templates=templates)
        return Row(subject, "what is allowed", "ms", _milliseconds(folder), BOUND_MS, least=least)


def _milliseconds(folder: str) -> float:
    """The best of several processes; the first leaves bytecode, and files that the others compare with."""
    command = [sys.executable, "-m", "kubewright", "manifests"]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    times: list[float] = []
    for _ in range(ROUNDS):
        start = perf_counter()
        subprocess.run(command, check=True, cwd=folder, env=environment, stdout=subprocess.DEVNULL)
        times.append((perf_counter() - start) * 1e3)
    return min(times)
