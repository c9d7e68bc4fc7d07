"""`kubewright run` as a developer meets it: from a start on no cluster at all to Ctrl-C."""

from __future__ import annotations

import os
import re
import signal
import socket
import sqlite3
import stat
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from kubewright.cli import main
from kubewright.cli.run import run
from kubewright.config import load_config
from kubewright.machinery.unstructured import Unstructured
from kubewright.sync import Client
from tests.cli.commands import refusal, run_command
from tests.cli.run_process import RunProcess, processes_in
from tests.cli.run_projects import CONTROLLER, TYPES, plain_project, scaffolded_project
from tests.server.processes import PATIENCE

SAMPLE = "custompod-sample"


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def until(is_so: Callable[[], object], what: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


def sample(client: Client) -> Unstructured:
    return client.dynamic("zhhnzw.mock.com/v1", "CustomPod", "default").get(SAMPLE)


def ready(client: Client) -> str:
    """What the condition of the sample says."""
    (condition,) = sample(client)["status"]["conditions"]
    return str(condition["message"])


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are looked for in /proc")
@pytest.mark.slow
def test_a_day_at_work(tmp_path: Path) -> None:
    folder = scaffolded_project(tmp_path)
    reconciled = rf"^\S+Z DEBUG    custompod default/{SAMPLE} [0-9a-f]{{16}} reconciled in [0-9.]+ m?s$"
    with RunProcess(folder, "--embedded", "--samples", "--nodes=0") as running:
        running.until(
            r"^cluster: https://127.0.0.1:\d+, ready in [0-9.]+ s$",
            rf"^export KUBECONFIG={running.kubeconfig}$",
            r"^program: python -m operator_demo, started again when one of \d+ files changes$",
        )
        running.until(
            r"^kubewright: .*/custompods.zhhnzw.mock.com created$",
            rf"^kubewright: .*/{SAMPLE} created$",
            reconciled,
        )
        assert (folder / ".kubewright/cluster/.gitignore").read_text() == "*\n"
        with Client(load_config(kubeconfig=running.kubeconfig)) as client:
            assert ready(client) == "1 replicas are there"
            # New code runs.
            edit(folder / CONTROLLER, "replicas are there", "replicas are surely there")
            running.until(rf"^kubewright: {CONTROLLER} changed; starting again$", reconciled)
            until(lambda: ready(client) == "1 replicas are surely there", "the new code has run")
            # Code that cannot be imported is told, and waited for.
            edit(folder / TYPES, "class CustomPodSpec(Struct):", "class CustomPodSpec(Struct:")
            running.until(
                "^Error: the module .* cannot be imported: SyntaxError",
                "^kubewright: the program was not started, .*; it is started again when a file changes$",
            )
            # Kinds that have changed are installed again.
            edit(
                folder / TYPES,
                "class CustomPodSpec(Struct:",
                "class CustomPodSpec(Struct):\n    colour: str = 'red'",
            )
            running.until(r"^kubewright: .*/custompods.zhhnzw.mock.com configured$", reconciled)
            assert sample(client)["spec"]["colour"] == "red"
        in_use = refusal(run_command("run", "--embedded", folder=folder))
        assert in_use.startswith(f"the data dir {folder}/.kubewright/cluster is in use by process ")
        assert running.stop() == 0
        assert "Traceback" not in running.printed
    # Objects outlive the run; a supervisor that is killed takes the program along.
    with RunProcess(folder, "--embedded", "--nodes=0") as running:
        running.until(reconciled)
        assert len(processes_in(folder)) == 3  # itself, the program, and what hands on its signals
        running.send(signal.SIGKILL)
        running.ended()
        until(lambda: not processes_in(folder), "the program has died too")


def refused(folder: Path, *arguments: str, exit_code: int = 1, **environment: str) -> str:
    return refusal(run_command("run", *arguments, folder=folder, **environment), exit_code=exit_code)


def test_the_page_has_all_options_and_variables() -> None:
    page = (Path(__file__).parents[2] / "docs" / "running.md").read_text()
    options = {name for each in run.params for name in (*each.opts, *each.secondary_opts)}
    told = set(re.findall(r"--[a-z][a-z-]*", page))
    others = {"--force", "--image", "--leader-elect"}
    assert told - others == {name for name in options if name.startswith("--")} - {"--package", "--reload"}
    for name in ("KUBECONFIG", "LOG_LEVEL", "LOG_FORMAT", "WEBHOOKS", "PYTHONPATH", "POD_NAMESPACE"):
        assert f"`{name}`" in page


class TestRefusals:
    def test_no_project(self, tmp_path: Path) -> None:
        assert refused(tmp_path, "--embedded", exit_code=2) == (
            "there is no pyproject.toml here; go to the project's folder, or make one with `kubewright init`"
        )

    def test_no_program(self, tmp_path: Path) -> None:
        plain_project(tmp_path, "")
        (tmp_path / "demo" / "__main__.py").unlink()
        assert refused(tmp_path, "--embedded", exit_code=2) == (
            "the package demo is no program, since it has no __main__.py; write one that runs its Manager"
        )

    def test_no_samples(self, tmp_path: Path) -> None:
        plain_project(tmp_path, "")
        assert "no folder config/samples" in refused(tmp_path, "--embedded", "--samples", exit_code=2)

    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            (["--port", "1"], "--port is for a cluster of its own; give --embedded too, or leave it out"),
            (["--in-memory"], "--in-memory is for a cluster of its own"),
            (["--embedded", "--context", "a"], "--embedded and --kubeconfig or --context contradict"),
            (["--embedded", "--in-memory", "--data-dir", "a"], "--in-memory and --data-dir contradict"),
            (["--embedded", "--log-level", "loud"], "--log-level: level is 'loud'; write one of CRITICAL"),
            (["--embedded", "--service-account", "me"], "write it as NAMESPACE/NAME"),
        ],
    )
    def test_wrong_use(self, arguments: list[str], told: str) -> None:
        # Not the command alone: click would keep for later that it has no -h, which all of them have.
        ended = CliRunner().invoke(main, ["run", *arguments])
        assert ended.exit_code == 2
        assert told in ended.output

    def test_no_cluster(self, tmp_path: Path) -> None:
        plain_project(tmp_path, "")
        told = refused(tmp_path, KUBECONFIG=str(tmp_path / "none"))
        assert told.startswith("no cluster is configured")
        assert "--embedded" in told

    def test_a_port_that_is_taken(self, tmp_path: Path) -> None:
        plain_project(tmp_path, "")
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            told = refused(tmp_path, "--embedded", "--in-memory", f"--port={port}")
        assert told.startswith(f"port {port} cannot be used")

    def test_a_data_dir_of_a_newer_version(self, tmp_path: Path) -> None:
        plain_project(tmp_path, "")
        data_dir = tmp_path / "data"
        data_dir.mkdir()
        with sqlite3.connect(data_dir / "storage.db") as database:
            database.execute("PRAGMA user_version = 9999")
        database.close()
        told = refused(tmp_path, "--embedded", "--data-dir=data")
        assert str(data_dir) in told

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
    def test_a_folder_without_rights(self, tmp_path: Path) -> None:
        plain_project(tmp_path, "")
        tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
        try:
            assert "cannot use the data dir" in refused(tmp_path, "--embedded")
        finally:
            tmp_path.chmod(stat.S_IRWXU)
