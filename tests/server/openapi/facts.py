"""What was recorded from a kube-apiserver that had the definitions of crds.json in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kubewright.server.registry.resource import ServedResource, builtin_resources, custom_resources

RECORDED: dict[str, Any] = json.loads(Path(__file__).with_name("recorded.json").read_text())
"""Answers of kube-apiserver 1.36.4 with the definitions of crds.json in it, descriptions left out."""


def recorded_crds() -> list[dict[str, Any]]:
    """Four definitions as they were stored."""
    made: list[dict[str, Any]] = json.loads(Path(__file__).with_name("crds.json").read_text())
    return made


def served_with(crds: list[dict[str, Any]]) -> list[ServedResource]:
    """All built-ins, and what the definitions bring."""
    return [*builtin_resources(), *(item for crd in crds for item in custom_resources(crd))]
