"""The clientset: the same as a fresh run, complete, and named as Kubernetes programmers expect."""

from __future__ import annotations

from pathlib import Path

import pytest

import kubewright
from kubewright.codegen.clientset import (
    ASYNC,
    BLOCKING,
    ServedKind,
    builtin_kinds,
    clientset_files,
    main,
    method_name,
)

PACKAGE = Path(kubewright.__file__).parent


@pytest.mark.parametrize("package", [ASYNC, BLOCKING])
def test_a_fresh_run_makes_the_same(package: str) -> None:
    folder = PACKAGE / package.rpartition(".")[2] / "clientset"
    made = clientset_files(builtin_kinds(), package)
    assert {path.name: path.read_text() for path in folder.glob("*.py")} == made, "run make models"


@pytest.mark.parametrize(
    ("kind", "plural", "name"),
    [
        ("Pod", "pods", "pods"),
        ("PersistentVolumeClaim", "persistentvolumeclaims", "persistent_volume_claims"),
        ("NetworkPolicy", "networkpolicies", "network_policies"),
        ("Ingress", "ingresses", "ingresses"),
        ("Endpoints", "endpoints", "endpoints"),
        ("CSINode", "csinodes", "csi_nodes"),
        ("ServiceCIDR", "servicecidrs", "service_cidrs"),
        ("Person", "people", "people"),
    ],
)
def test_names(kind: str, plural: str, name: str) -> None:
    assert method_name(kind, plural) == name


def test_kinds_of_users(tmp_path: Path) -> None:
    kinds = [
        ServedKind("example.com/v1", "Widget", "widgets", True, "mine.kinds"),
        ServedKind("example.com/v1", "Fleet", "fleets", False, "mine.kinds"),
    ]
    text = clientset_files(kinds, "mine.client")["example_v1.py"]
    compile(text, "example_v1.py", "exec")
    assert "from mine.kinds import Fleet, Widget" in text
    assert "def widgets(self, namespace: str | None = None) -> Api[Widget]:" in text
    assert "def fleets(self) -> Api[Fleet]:" in text


def test_it_is_written_where_it_is_asked_for(tmp_path: Path) -> None:
    main([str(tmp_path)])
    assert (tmp_path / "client" / "clientset" / "core_v1.py").is_file()
    assert (tmp_path / "sync" / "clientset" / "core_v1.py").is_file()
