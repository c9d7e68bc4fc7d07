"""What commands print: for people, or for scripts."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import click
from click.testing import CliRunner

from kubewright.cli.output import note, output_option, print_result
from tests.server.processes import COMMAND, PATIENCE


@click.command()
@output_option
def command(output: str) -> None:
    note("by the way")
    print_result(output, {"name": "a", "files": ["b"]}, (line for line in ("made a", "with b")))


def test_for_people() -> None:
    for arguments in ([], ["--output", "text"]):
        ended = CliRunner().invoke(command, arguments)
        assert (ended.stdout, ended.stderr) == ("made a\nwith b\n", "by the way\n")


def test_for_scripts() -> None:
    for arguments in (["-o", "json"], ["--output=json"]):
        ended = CliRunner().invoke(command, arguments)
        assert json.loads(ended.stdout) == {"name": "a", "files": ["b"]}
        assert ended.stderr == "by the way\n"


def test_no_other_form() -> None:
    ended = CliRunner().invoke(command, ["-o", "yaml"])
    assert ended.exit_code == 2


def test_a_server_says_where_it_is_in_one_line() -> None:
    arguments = [COMMAND, "server", "--controllers=none", "--output=json"]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        found = json.loads(process.stdout.readline())
        assert found["url"].startswith("https://127.0.0.1:")
        assert found["url"] in Path(found["kubeconfig"]).read_text()
        process.send_signal(signal.SIGTERM)
        printed, complaints = process.communicate(timeout=PATIENCE)
    assert (set(found), printed, complaints, process.returncode) == ({"kubeconfig", "url"}, b"", b"", 0)
