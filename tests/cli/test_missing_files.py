"""A path that is given and leads to nothing is wrong use of every command, with one exit code."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.commands import refusal, run_command
from tests.cli.scaffolds import KIND, new_project


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new_project(tmp_path_factory.mktemp("made"), KIND)


@pytest.mark.parametrize(
    "arguments",
    [
        ("convert", "crd", "nowhere.yaml"),
        ("generate", "types", "--from", "nowhere.yaml"),
        ("generate", "types", "--from", "cluster", "--kubeconfig", "nowhere"),
        ("generate", "client", "--package", "nowhere"),
        ("manifests", "--check", "nowhere.yaml"),
        ("manifests", "--package", "nowhere"),
        ("install", "--kubeconfig", "nowhere"),
        ("uninstall", "--kubeconfig", "nowhere"),
        ("run", "--kubeconfig", "nowhere"),
        ("deploy", "--image", "registry/it:v1", "--directory", "nowhere"),
        ("undeploy", "--directory", "nowhere"),
        ("server", "--token-auth-file", "nowhere"),
        ("server", "--authentication-config", "nowhere"),
        ("server", "--client-ca-file", "nowhere"),
        ("server", "--audit-policy", "nowhere"),
        ("init", "--domain", "mock.com", "nowhere/demo"),
    ],
    ids=" ".join,
)
def test_a_path_that_leads_nowhere(project: Path, arguments: tuple[str, ...]) -> None:
    # In a process of its own, since some commands import the project.
    told = refusal(run_command(*arguments, folder=project), exit_code=2)
    assert "nowhere" in told
    assert ";" in told
