"""The files of a project, for records of all sorts."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kubewright.codegen.manifest_files import HEADER
from kubewright.scaffold.record import ProjectRecord, ScaffoldedKind, WebhookPart
from kubewright.scaffold.render import render
from tests.scaffold.records import ALL, RECORDS, a_kind, a_record, write_project, written_with_manifests

RUFF = [sys.executable, "-m", "ruff"]


def lint(folder: Path) -> str:
    """What ruff has to say."""
    said = ""
    for words in (["check", "--output-format=concise"], ["format", "--diff"]):
        command = [*RUFF, *words, "--no-cache", "--quiet", "."]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        said += done.stdout + done.stderr
    return said


@pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS)
def test_the_files(record: ProjectRecord) -> None:
    files = render(record)
    assert files == render(record)
    assert list(files) == sorted(files)
    for path, file in files.items():
        assert file.text.endswith("\n") and not file.text.endswith("\n\n"), path  # noqa: PT018
        assert not re.search(r"\{\{|\}\}(?!\))| +$", file.text, re.MULTILINE) or path.endswith(".py"), path
        assert "\t" not in file.text or path == "Makefile"
        if path.endswith(".py"):
            ast.parse(file.text)
        elif path.endswith(".yaml"):
            assert list(yaml.safe_load_all(file.text)), path
    settings = tomllib.loads(files["pyproject.toml"].text)
    assert settings["tool"]["kubewright"]["package"] == record.package
    assert settings["project"]["dependencies"] == [f"kubewright>={record.kubewright}"]


def test_all_of_them_please_ruff(tmp_path: Path) -> None:
    for name, record in RECORDS.items():
        write_project(tmp_path / name.replace(" ", "-"), record)
    assert lint(tmp_path) == ""


_LABELS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=28)
_KINDS = st.builds(
    a_kind,
    st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=58).map(lambda text: f"Z{text}"),
    st.sampled_from(["v1", "v2", "v1beta1", "v2alpha10"]),
    group=st.sampled_from(["", "shop", "a-very-long-group.with-dots.in-it"]),
    namespaced=st.booleans(),
    controller=st.booleans(),
    webhooks=st.lists(st.sampled_from(ALL), unique=True).map(tuple),
)


def _alike(kinds: list[ScaffoldedKind]) -> list[ScaffoldedKind]:
    """Versions of one kind have its scope and plural, and there is one of each."""
    found = {(each.group, each.kind, each.version): each for each in kinds}
    return list(found.values())


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(_LABELS, st.lists(_KINDS, max_size=4).map(_alike)), min_size=4, max_size=4))
def test_whatever_their_names(
    tmp_path_factory: pytest.TempPathFactory, made: list[tuple[str, list[ScaffoldedKind]]]
) -> None:
    folder = tmp_path_factory.mktemp("projects")
    for number, (name, kinds) in enumerate(made):
        write_project(folder / str(number), a_record(f"p{name[:27]}", *kinds))
    assert lint(folder) == ""


@pytest.mark.parametrize("name", sorted(set(RECORDS) - {"long names"}))
def test_kustomizations_name_what_is_there(tmp_path: Path, name: str) -> None:
    folder = written_with_manifests(tmp_path, RECORDS[name]) / "config"
    named: set[Path] = set()
    for path in folder.rglob("kustomization.yaml"):
        found = yaml.safe_load(path.read_text())
        for each in [*found["resources"], *found.get("configurations", [])]:
            place = (path.parent / each).resolve()
            assert place.exists(), f"{path} names {each}"
            named.add(place)
    files = {path.resolve() for path in folder.rglob("*.yaml") if path.name != "kustomization.yaml"}
    assert files <= named
    generated = [path.relative_to(folder) for path in files if path.read_text().startswith(HEADER)]
    assert bool(generated) is bool(RECORDS[name].kinds)


def test_what_a_webhook_adds_is_all_that_changes() -> None:
    before = render(a_record("demo", a_kind()))
    parts: list[WebhookPart] = ["validation"]
    after = render(a_record("demo", a_kind(webhooks=tuple(parts))))
    changed = {path for path in before if before[path] != after[path]}
    assert changed == {
        "config/default/kustomization.yaml",
        "config/manager/manager.yaml",
        "config/rbac/kustomization.yaml",
        "src/demo/__main__.py",
        "src/demo/controllers/__init__.py",
    }
    assert set(after) - set(before) == {
        "config/rbac/namespace_role_binding.yaml",
        "config/webhook/kustomization.yaml",
        "config/webhook/kustomizeconfig.yaml",
        "config/webhook/service.yaml",
        "src/demo/webhooks/__init__.py",
        "src/demo/webhooks/v1/__init__.py",
        "src/demo/webhooks/v1/custompod.py",
        "tests/test_custompod_v1_webhooks.py",
    }
