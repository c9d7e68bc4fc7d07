"""What `kubewright manifests` writes, applied with kubectl as its users do."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.test_manifests import run
from tests.codegen.manifest_project import write_operator
from tests.conformance.custom_resources import new_group
from tests.conformance.kubectl.program import Kubectl

# Each kubectl takes a tenth of a second: `make test` runs some files of this folder, `make test-real` all.
pytestmark = pytest.mark.slow


def test_all_of_an_operator_is_accepted_without_a_warning(kubectl: Kubectl, tmp_path: Path) -> None:
    write_operator(tmp_path, "operator_demo", group=new_group(), namespace=kubectl.namespace)
    assert run(tmp_path).returncode == 0
    written = sorted(str(path) for path in (tmp_path / "config").rglob("*.yaml"))
    assert len(written) == 4  # with the role for leader election
    try:
        for path in written:
            done = kubectl.success("apply", "-f", path)
            assert done.stderr == ""
            assert all(line.endswith(" created") for line in done.lines), done
        # Nothing that a server fills in is taken for a change, but for the scope of a webhook's rules, which
        # stand in a list that kubectl replaces whole.
        for path in written[:2]:
            done = kubectl.success("apply", "-f", path)
            assert done.stderr == ""
            assert all(line.endswith(" unchanged") for line in done.lines), done
    finally:
        _delete(kubectl, *written)


def test_the_stream_is_applied_in_one_go(kubectl: Kubectl, tmp_path: Path) -> None:
    write_operator(tmp_path, "operator_demo", group=new_group(), namespace=kubectl.namespace)
    stream = run(tmp_path, "--output", "-").stdout
    (tmp_path / "all.yaml").write_text(stream)
    done = kubectl.success("apply", "--server-side", "--dry-run=server", "-f", "-", stdin=stream)
    assert done.stderr == ""
    try:
        done = kubectl.success("apply", "-f", "-", stdin=stream)
        assert done.stderr == ""
        assert len(done.lines) == 6
    finally:
        _delete(kubectl, str(tmp_path / "all.yaml"))


def _delete(kubectl: Kubectl, *files: str) -> None:
    """Nobody serves the webhooks, so that nothing could be created any more, and names are fixed."""
    for file in files:
        kubectl("delete", "--ignore-not-found", "--wait=false", "-f", file)
