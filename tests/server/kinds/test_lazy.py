"""Kinds that are imported when they are asked for."""

from __future__ import annotations

import subprocess
import sys

import pytest

from kubewright.server.kinds import kind_of
from kubewright.server.kinds.kind import Kind
from kubewright.server.kinds.lazy import LazyKinds
from kubewright.server.registry.resource import builtin_resources


def test_a_mapping_like_any_other() -> None:
    kinds = LazyKinds("kubewright.server.kinds.core", {"pods": "pod.POD", "secrets": "secret.SECRET"})
    assert list(kinds) == ["pods", "secrets"]
    assert len(kinds) == 2
    assert "pods" in kinds
    assert "nodes" not in kinds
    assert kinds.get("nodes") is None
    assert isinstance(kinds["pods"], Kind)
    assert kinds["pods"] is kinds["pods"]
    with pytest.raises(KeyError):
        kinds["nodes"]


def test_every_place_is_right() -> None:
    for served in builtin_resources():
        assert isinstance(kind_of(served.group, served.resource), Kind), served.resource
    with pytest.raises(KeyError):
        kind_of("", "widgets")


def test_only_what_is_asked_for_is_imported() -> None:
    program = """
import sys
from kubewright.server.kinds.core import KINDS
before = set(sys.modules)
assert "kubewright.server.kinds.core.secret" not in before
assert "secrets" in KINDS
assert "kubewright.server.kinds.core.secret" not in sys.modules
KINDS["secrets"]
assert "kubewright.server.kinds.core.secret" in sys.modules
assert "kubewright.server.kinds.core.pod" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)
