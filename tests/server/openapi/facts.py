"""What was recorded from a kube-apiserver: the built-ins, and what it makes of those in crds.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kubewright.server.registry.resource import ServedResource, builtin_resources, custom_resources

FACTS = Path(__file__).parents[4] / "shared" / "k8s-1.36"

needs_facts = pytest.mark.skipif(
    not FACTS.is_dir(), reason="the recorded facts of the API are not beside this checkout"
)

RECORDED: dict[str, Any] = json.loads(Path(__file__).with_name("recorded.json").read_text())
"""Answers of kube-apiserver 1.36.4 with the definitions of crds.json in it, descriptions left out."""


def recorded_crds() -> list[dict[str, Any]]:
    """Four definitions as they were stored."""
    made: list[dict[str, Any]] = json.loads(Path(__file__).with_name("crds.json").read_text())
    return made


def served_with(crds: list[dict[str, Any]]) -> list[ServedResource]:
    """All built-ins, and what the definitions bring."""
    return [*builtin_resources(), *(item for crd in crds for item in custom_resources(crd))]


def without_descriptions(value: Any, *, names: bool = False) -> Any:
    """A document less its descriptions, the order of parameters aside; `names` where keys are no words."""
    if isinstance(value, dict):
        kept = {
            key: without_descriptions(member, names=not names and key in {"properties", "definitions"})
            for key, member in value.items()
            if names or not (key == "description" and isinstance(member, str))
        }
        if not names and isinstance(kept.get("parameters"), list):
            kept["parameters"] = sorted(kept["parameters"], key=lambda item: json.dumps(item, sort_keys=True))
        return kept
    return [without_descriptions(item) for item in value] if isinstance(value, list) else value
