"""pvcwatch as its users run it: a process, a cluster over sockets, signals, and a terminal."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from examples.pvcwatch import action
from examples.pvcwatch.display import Display
from examples.pvcwatch.usage import Usage
from kubewright import Quantity
from kubewright.sync import Client
from kubewright.testing import Cluster, FaultProxy
from tests.examples.programs import ROOT, WITHIN, Program, running
from tests.examples.servers import kubeconfig_of, nobody

pytestmark = pytest.mark.slow

MODULE = "examples.pvcwatch"
NUMBERS = count()


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster.in_thread(controllers="none") as cluster:
        yield cluster


class Claims:
    """The claims of a namespace that a test has for itself."""

    def __init__(self, client: Client) -> None:
        self.namespace = f"warehouse-{next(NUMBERS)}"
        self.api = client.core_v1.persistent_volume_claims(self.namespace)
        client.core_v1.namespaces().create({"metadata": {"name": self.namespace}})

    def create(self, name: str, size: str, **labels: str) -> None:
        spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}}
        self.api.create({"metadata": {"name": name, "labels": labels}, "spec": spec})

    def bind(self, name: str, size: str) -> None:
        """As the controller of volumes does; what is not bound cannot be resized."""
        self.api.patch(
            name, {"status": {"phase": "Bound", "capacity": {"storage": size}}}, subresource="status"
        )

    def resize(self, name: str, size: str) -> None:
        self.api.patch(name, {"spec": {"resources": {"requests": {"storage": size}}}})


@pytest.fixture
def claims(cluster: Cluster) -> Iterator[Claims]:
    with Client(cluster.config) as client:
        yield Claims(client)


def lines_of(text: str) -> list[str]:
    """Lines without the time of day that most begin with."""
    return [line[9:] if line[2:3] == ":" and line[5:6] == ":" else line for line in text.splitlines()]


def stopped(program: Program, number: signal.Signals = signal.SIGINT) -> None:
    """It ends well, and said nothing that it should not."""
    assert program.stop(number) == 0
    assert "Traceback" not in program.printed


def test_a_table_and_then_what_happens(cluster: Cluster, claims: Claims) -> None:
    name = claims.namespace
    claims.create("data-0", "50Gi")
    claims.create("data-1", "512Mi")
    claims.create("logs", "1536Mi")
    claims.bind("data-0", "50Gi")
    claims.bind("logs", "1Gi")
    claims.api.patch("logs", {"metadata": {"finalizers": ["example.com/in-use"]}})
    claims.api.delete("logs")  # which is there until its finalizer is gone
    options = ("--namespace", name, "--max-claims", "100Gi", "--kubeconfig", cluster.kubeconfig)
    with running(MODULE, *options) as program:
        assert lines_of(program.until(r"in use.*\n")) == [
            f"NAMESPACE{' ' * (len(name) - 6)}NAME     STATUS        CAPACITY",
            f"{name}   data-0   Bound         50Gi",
            f"{name}   data-1   Pending       512Mi",
            f"{name}   logs     Terminating   1536Mi (has 1Gi)",
            f"TOTAL{' ' * (len(name) + 21)}52Gi",
            "52.0% in use (52Gi of 100Gi)",
        ]
        claims.create("data-2", "48Gi")
        assert lines_of(program.until(r"\n")) == [
            f"{name}/data-2 added with 48Gi: 100.0% in use (100Gi of 100Gi)"
        ]
        claims.bind("data-2", "48Gi")  # of which nothing is told, since its size is the same
        claims.resize("data-2", "48.5Gi")
        claims.api.delete("data-1")
        claims.api.delete("data-0")
        assert lines_of(program.until(r"data-0 deleted.*\n")) == [
            f"{name}/data-2 resized from 48Gi to 49664Mi: 100.5% in use (102912Mi of 100Gi)",
            "ALARM: 512Mi over the limit of 100Gi",
            f"{name}/data-1 deleted with 512Mi: 100.0% in use (100Gi of 100Gi)",
            "CLEAR: within the limit of 100Gi again",
            f"{name}/data-0 deleted with 50Gi: 50.0% in use (50Gi of 100Gi)",
        ]
        stopped(program)
        assert "\x1b" not in program.printed
        assert "\r" not in program.printed


def test_selectors_and_namespaces(cluster: Cluster, claims: Claims) -> None:
    with Client(cluster.config) as client:
        other = Claims(client)
        claims.create("mine", "1Gi", app="db")
        claims.create("cache", "2Gi", app="cache")
        other.create("mine", "4Gi", app="db")
        other.create("scratch", "8Gi", app="db")
        namespaces = ("-n", claims.namespace, "-n", other.namespace)
        options = (*namespaces, "-l", "app=db", "-f", "metadata.name!=scratch")
        with running(MODULE, *options, KUBECONFIG=cluster.kubeconfig) as program:
            program.until(r"2.5% in use \(5Gi of 200Gi\)\n")
            other.create("more", "16Gi", app="db")
            program.until(
                rf"^.{{8}} {other.namespace}/more added with 16Gi: 10.5% in use \(21Gi of 200Gi\)\n"
            )
            stopped(program, signal.SIGTERM)
        with running(MODULE, KUBECONFIG=cluster.kubeconfig) as program:  # everywhere
            table = program.until(r"in use")
            for namespace in (claims.namespace, other.namespace):
                assert f"{namespace}   mine" in table


def test_an_alarm_from_the_start_and_a_command(cluster: Cluster, claims: Claims, tmp_path: Path) -> None:
    told = tmp_path / "told"
    claims.create("data", "3Gi")
    write = f"sh -c 'echo $PVCWATCH_EVENT $PVCWATCH_TOTAL $PVCWATCH_LIMIT $0 >> {told}; exit 3' '$(id)'"
    options = ("-n", claims.namespace, "--max-claims", "2Gi", "--exec", write)
    with running(MODULE, *options, KUBECONFIG=cluster.kubeconfig) as program:
        program.until(r"ALARM: 1Gi over the limit of 2Gi\n")
        program.until(r"the command sh failed with exit code 3\n")
        claims.create("more", "1Gi")  # no other alarm
        claims.api.delete("data")
        program.until(r"CLEAR")
        program.until(r"the command sh failed with exit code 3\n")
        stopped(program)
    # Quoted for `shlex`, and by no shell expanded after that.
    assert told.read_text() == "alarm 3Gi 2Gi $(id)\nclear 1Gi 2Gi $(id)\n"


def test_a_command_that_hangs(cluster: Cluster, claims: Claims) -> None:
    claims.create("data", "3Gi")
    options = (
        "-n",
        claims.namespace,
        "--max-claims",
        "2Gi",
        "--exec",
        "sh -c 'sleep 1000 & echo pid=$!.; wait'",
    )
    with running(MODULE, *options, KUBECONFIG=cluster.kubeconfig) as program:
        pid = int(program.until(r"pid=\d+\.").rpartition("=")[2].rstrip("."))
        claims.api.delete("data")
        program.until(r"data deleted with 3Gi: 0.0% in use \(0 of 2Gi\)\n")
        program.until(r"CLEAR")
        assert _is_running(pid)
        stopped(program, signal.SIGTERM)
    # What was killed takes a moment to go.
    deadline = time.monotonic() + WITHIN
    while _is_running(pid):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def _is_running(pid: int) -> bool:
    """Whether a process is there; one that is over is not, also if nobody has asked how it ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_command_that_cannot_be_run(cluster: Cluster, claims: Claims, tmp_path: Path) -> None:
    script = tmp_path / "empty"
    script.touch(mode=0o755)
    claims.create("data", "3Gi")
    options = ("-n", claims.namespace, "--max-claims", "2Gi", "--exec", str(script))
    with running(MODULE, *options, KUBECONFIG=cluster.kubeconfig) as program:
        program.until(r"the command \S*/empty cannot be run: Exec format error\n")
        stopped(program)


def test_a_command_is_killed_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(action, "LONGEST", 0.2)
    printed = io.StringIO()

    async def run() -> None:
        commands = action.Action(["sleep", "1000"], Display(printed, Usage(Quantity("1Gi"))))
        commands.add({})
        commands.add({})
        task = asyncio.create_task(commands.run())
        async with asyncio.timeout(WITHIN):
            while printed.getvalue().count("sleep did not end within 0.2 seconds and was killed") < 2:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.wait([task])

    asyncio.run(run())


def test_a_broken_connection_is_no_end(cluster: Cluster, claims: Claims, tmp_path: Path) -> None:
    claims.create("data-0", "1Gi")
    claims.create("data-1", "1Gi")
    with FaultProxy(cluster.url) as proxy:
        kubeconfig = tmp_path / "kubeconfig"
        kubeconfig.write_text(Path(cluster.kubeconfig).read_text().replace(cluster.url, proxy.url))
        with running(MODULE, "-n", claims.namespace, "--kubeconfig", str(kubeconfig)) as program:
            program.until(r"1.0% in use \(2Gi of 200Gi\)\n")
            proxy.stall()
            claims.api.delete("data-0")
            claims.create("data-2", "2Gi")
            proxy.cut()
            proxy.resume()
            program.until(r"the informer of PersistentVolumeClaim .* goes on\n")
            program.until(r"data-2 added with 2Gi: .* of 200Gi\)\n")
            assert "data-0 deleted with 1Gi" in program.printed
            stopped(program)


def test_nobody_reads(cluster: Cluster, claims: Claims) -> None:
    command = [sys.executable, "-m", MODULE, "-n", claims.namespace, "--kubeconfig", cluster.kubeconfig]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith(b"NAMESPACE")
        assert b"TOTAL" in process.stdout.readline()
        assert b"in use" in process.stdout.readline()
        process.stdout.close()
        claims.create("data", "1Gi")
        assert process.wait(WITHIN) == 0
        assert process.stderr is not None
        assert process.stderr.read() == b""


GREEN, RED, PLAIN = "\x1b[32m", "\x1b[31m", "\x1b[0m"


def test_a_bar_on_a_terminal(cluster: Cluster, claims: Claims) -> None:
    claims.create("data", "1Gi")
    options = ("-n", claims.namespace, "--max-claims", "4Gi", "--kubeconfig", cluster.kubeconfig)
    with running(MODULE, *options, terminal=(24, 60), TERM="xterm") as program:
        program.until(r"in use.*\n")
        bar = program.until(r"\] 25.0% in use \(1Gi of 4Gi\)")
        # 60 columns, without the words, the brackets and the place of the cursor, are 31.
        assert bar == f"\r\x1b[K[{GREEN}{'#' * 7}{PLAIN}{'-' * 24}] 25.0% in use (1Gi of 4Gi)"
        claims.create("more", "4Gi")
        text = program.until(r"125.0% in use \(5Gi of 4Gi\)\r\n")
        assert text.startswith("\r\x1b[K")
        program.until(rf"{_escaped(RED)}\S+ ALARM: 1Gi over the limit of 4Gi{_escaped(PLAIN)}\r\n")
        program.until(rf"\r\x1b\[K\[{_escaped(RED)}#+{_escaped(PLAIN)}\] 125.0% in use \(5Gi of 4Gi\)")
        stopped(program)
        assert program.printed.endswith("\r\x1b[K")


def _escaped(text: str) -> str:
    return text.replace("[", r"\[")


@pytest.mark.parametrize(
    ("environment", "has_bar"), [({"TERM": "xterm", "NO_COLOR": "1"}, True), ({"TERM": "dumb"}, False)]
)
def test_no_colors(cluster: Cluster, claims: Claims, environment: dict[str, str], has_bar: bool) -> None:
    claims.create("data", "5Gi")
    options = ("-n", claims.namespace, "--max-claims", "4Gi", "--kubeconfig", cluster.kubeconfig)
    with running(MODULE, *options, terminal=(24, 80), **environment) as program:
        program.until(r"ALARM: 1Gi over the limit of 4Gi\r\n")
        if has_bar:
            program.until(r"\[#+\] 125.0% in use")
        stopped(program)
        assert "\x1b[3" not in program.printed
        assert ("\r\x1b[K" in program.printed) == has_bar


BAD: list[tuple[list[str], str]] = [
    (["--max-claims", "lots"], "--max-claims 'lots' is no amount above 0; write one such as 200Gi"),
    (["--max-claims", "-1Gi"], "--max-claims '-1Gi' is no amount above 0; write one such as 200Gi"),
    (["--max-claims", "0"], "--max-claims '0' is no amount above 0; write one such as 200Gi"),
    (["--exec", "no-such-program x"], "--exec 'no-such-program x': there is no such program;"),
    (["--exec", ""], "--exec '': there is no such program;"),
    (["--exec", "sh 'x"], "No closing quotation"),
    (["--kubeconfig", "/no/such/file"], "there is no kubeconfig /no/such/file; correct the path"),
    (["--context", "nope"], "nope"),
    (["-l", "a in b"], "label selector 'a in b'"),
    (["-f", "spec.size=1"], '"spec.size" is not a known field selector'),
]


@pytest.mark.parametrize(("arguments", "sentence"), BAD)
def test_bad_input(cluster: Cluster, arguments: list[str], sentence: str) -> None:
    refused(sentence, *arguments, KUBECONFIG=cluster.kubeconfig)


def test_no_server(cluster: Cluster, tmp_path: Path) -> None:
    with nobody() as url:
        kubeconfig = kubeconfig_of(cluster.kubeconfig, tmp_path, url=url)
        refused(f"{url} cannot be reached", "--kubeconfig", kubeconfig)


def refused(sentence: str, *arguments: str, **environment: str) -> None:
    """One sentence, and exit code 1."""
    done: Any = subprocess.run(
        [sys.executable, "-m", MODULE, *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, **environment},
        timeout=WITHIN,
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1
    assert sentence in done.stderr
