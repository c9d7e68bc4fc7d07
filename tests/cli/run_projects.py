"""Projects for `kubewright run`: one that was scaffolded, and one that is no more than a program."""

from __future__ import annotations

from pathlib import Path

import msgspec

from kubewright.scaffold.record import RECORD_PATH, ProjectRecord, ScaffoldedKind, WebhookPart
from kubewright.scaffold.render import render

__all__ = ["CONTROLLER", "TYPES", "plain_project", "scaffolded_project"]

CONTROLLER = "src/operator_demo/controllers/custompod.py"
TYPES = "src/operator_demo/api/v1/custompod.py"


def scaffolded_project(folder: Path, *webhooks: WebhookPart) -> Path:
    """What `kubewright init` and `create api` make, with a controller of CustomPods."""
    kind = ScaffoldedKind(
        group="zhhnzw", version="v1", kind="CustomPod", plural="custompods", webhooks=webhooks
    )
    record = ProjectRecord(
        name="operator-demo", package="operator_demo", domain="mock.com", kubewright="0", kinds=(kind,)
    )
    files = {name: file.text for name, file in render(record).items()}
    for name, text in {**files, RECORD_PATH: msgspec.json.encode(record).decode()}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def plain_project(folder: Path, program: str) -> Path:
    """A package `demo` without kinds, which runs a program."""
    package = folder / "demo"
    package.mkdir(parents=True)
    (folder / "pyproject.toml").write_text('[tool.kubewright]\npackage = "demo"\n')
    (package / "__init__.py").write_text("")
    (package / "__main__.py").write_text(program)
    return folder
