"""The cluster of a command: that it is reached, and what is said where it is not."""

from __future__ import annotations

import base64
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from kubewright.cli.connect import cluster_options, connected
from kubewright.cli.program import Program
from kubewright.machinery import yaml
from kubewright.models.core_v1 import ConfigMap
from tests.server.processes import ServerProcess

SECRET = "t0ken-0f-jane"  # noqa: S105 - of nobody

START = "start it, choose another --context, or start a cluster on this machine with `kubewright server`"


@click.command()
@cluster_options
def names(kubeconfig: str | None, context: str | None) -> None:
    """Print the names of config maps."""
    with connected(kubeconfig, context) as client:
        for each in client.api(ConfigMap, "default").list():
            click.echo(each.metadata.name)
        click.echo("done")


PROGRAM = Program("kubewright", sections={"Tests": {"names": (f"{__name__}:names", "Print names.")}})


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    folder = tmp_path_factory.mktemp("server")
    (folder / "tokens.csv").write_text(f"{SECRET},jane,u-1\n")
    with ServerProcess(folder, "--token-auth-file", str(folder / "tokens.csv")) as running:
        yield running


def refused(*arguments: str | Path, exit_code: int = 1, **environment: str) -> str:
    """The one sentence that a command refuses with."""
    ended = CliRunner().invoke(PROGRAM, ["names", *map(str, arguments)], env=environment)
    assert (ended.exit_code, ended.stdout) == (exit_code, ""), ended
    (line,) = ended.stderr.splitlines()
    assert SECRET not in line
    return line.removeprefix("Error: ")


def kubeconfig(path: Path, cluster: dict[str, Any], user: dict[str, Any] | None = None) -> Path:
    """A file that leads to this cluster by its only context, `mine`."""
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "mine",
        "contexts": [{"name": "mine", "context": {"cluster": "a", "user": "a"}}],
        "clusters": [{"name": "a", "cluster": cluster}],
        "users": [{"name": "a", "user": user or {}}],
    }
    path.write_text(yaml.dump(config))
    return path


@pytest.fixture
def trusted(server: ServerProcess) -> dict[str, Any]:
    """The server, with the authority of its certificate."""
    authority = base64.b64encode(Path(server.ca_file).read_bytes()).decode()
    return {"server": server.url, "certificate-authority-data": authority}


def test_by_the_option_and_by_the_environment(server: ServerProcess) -> None:
    for arguments, environment in (
        (["names", "--kubeconfig", server.kubeconfig], {}),
        (["names"], {"KUBECONFIG": server.kubeconfig}),
    ):
        ended = CliRunner().invoke(PROGRAM, arguments, env=environment)
        assert (ended.exit_code, ended.stderr) == (0, "")
        assert ended.stdout.splitlines()[-1] == "done"


def test_no_kubeconfig(tmp_path: Path) -> None:
    assert refused(KUBECONFIG="", HOME=str(tmp_path)) == (
        f"no cluster is configured: {tmp_path}/.kube/config is not there; name a kubeconfig with "
        "--kubeconfig or $KUBECONFIG, or start a cluster on this machine with `kubewright server`"
    )
    assert refused("--kubeconfig", tmp_path / "none", exit_code=2) == (
        f"there is no kubeconfig {tmp_path / 'none'}; correct the path"
    )


def test_a_kubeconfig_that_is_none(tmp_path: Path) -> None:
    assert str(tmp_path) in refused("--kubeconfig", tmp_path)
    (tmp_path / "text").write_text("a: [")
    assert str(tmp_path / "text") in refused("--kubeconfig", tmp_path / "text")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    assert str(tmp_path / "binary") in refused("--kubeconfig", tmp_path / "binary")


def test_a_context_that_there_is_not(tmp_path: Path) -> None:
    file = kubeconfig(tmp_path / "config", {"server": "https://127.0.0.1:1"})
    assert refused("--kubeconfig", file, "--context", "other") == (
        f"there is no context 'other' in {file}; choose one of its contexts: mine"
    )


def test_nobody_listens(tmp_path: Path) -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))  # and does not listen
        url = f"https://127.0.0.1:{bound.getsockname()[1]}"
        file = kubeconfig(tmp_path / "config", {"server": url})
        assert refused("--kubeconfig", file) == f"{url} cannot be reached: Connection refused; {START}"


def test_a_certificate_that_is_not_trusted(tmp_path: Path, server: ServerProcess) -> None:
    told = refused("--kubeconfig", kubeconfig(tmp_path / "config", {"server": server.url}))
    assert told.startswith(f"the certificate of {server.url} is not trusted: ")
    assert told.endswith("; set its certificate-authority, or tls-server-name where it has another name")


def test_credentials_that_have_expired(tmp_path: Path, trusted: dict[str, Any]) -> None:
    file = kubeconfig(tmp_path / "config", trusted, {"token": f"{SECRET}-of-yesterday"})
    assert refused("--kubeconfig", file) == (
        f"{trusted['server']} does not accept the credentials of the user of the context mine, which may "
        "have expired; log in again, or choose another --context"
    )


def test_a_right_that_is_missing(tmp_path: Path, trusted: dict[str, Any]) -> None:
    file = kubeconfig(tmp_path / "config", trusted, {"token": SECRET})
    assert refused("--kubeconfig", file) == (
        'configmaps is forbidden: User "jane" cannot list resource "configmaps" in API group "" in the '
        'namespace "default" (403 Forbidden); ask for this right, or choose a --context whose user has it'
    )


def test_a_server_of_something_else(tmp_path: Path, server: ServerProcess, trusted: dict[str, Any]) -> None:
    user = {"token": server.token}
    file = kubeconfig(tmp_path / "config", {**trusted, "server": f"{server.url}/nothing"}, user)
    assert refused("--kubeconfig", file) == (
        f"{server.url}/nothing does not answer as a Kubernetes API server does; correct the server in the "
        "kubeconfig, or choose another --context"
    )
