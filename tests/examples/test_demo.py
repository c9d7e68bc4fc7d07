"""`make demo` as people run it: on a pipe, on a terminal, until Ctrl-C; and what it says about going on."""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from examples.custompod.live import Lines, Live, PodRow, age, table
from tests.cel import needs_cel
from tests.examples.programs import ROOT, WITHIN, Program, running
from tests.examples.screens import shown
from tests.realcluster.binaries import find_kubectl

MODULE = "examples.custompod.demo"
LONGEST = 15.0
"""Seconds that the demo may take after the set-up, as the project promises."""
SAMPLE = "examples/custompod/sample.yaml"
PYTHON = os.path.relpath(sys.executable, ROOT)
OPENING = """\
a cluster in this process: https://127.0.0.1:PORT, Kubernetes 1.36, up in N s
custompods.zhhnzw.mock.com is installed
its operator runs; pods take a second to start and to stop here, to be seen
"""
ENDING = f"""
The cluster is gone. To go on with kubectl, have the demo keep it until Ctrl-C:
  make demo STAY=1
Or run a cluster that keeps its objects, and the operator, in two terminals:
  {PYTHON} -m kubewright server --data-dir cluster
  {PYTHON} -m examples.custompod --kubeconfig cluster/kubeconfig
and in a third one:
  kubectl --kubeconfig cluster/kubeconfig apply -f {SAMPLE}
  kubectl --kubeconfig cluster/kubeconfig scale custompod web --replicas 3
  kubectl --kubeconfig cluster/kubeconfig get custompods,pods
  kubectl --kubeconfig cluster/kubeconfig delete custompod web
"""
NOTES = "configmap/web-notes   owned by web, of which the operator knows nothing"
TABLE_OF_ONE = f"""
apply {SAMPLE} with replicas: 1
  custompod/web         1 wanted, 1 there, 1 ready
  {NOTES}
  NAME    PHASE     READY   NODE     AGE
  web-N   Running   1/1     node-N   Ns
"""
SCREEN = f"""\
{OPENING}\
{TABLE_OF_ONE}
apply {SAMPLE} with replicas: 3
  custompod/web         3 wanted, 3 there, 3 ready
  {NOTES}
  NAME    PHASE     READY   NODE     AGE
  web-N   Running   1/1     node-N   Ns
  web-N   Running   1/1     node-N   Ns
  web-N   Running   1/1     node-N   Ns
{TABLE_OF_ONE}
delete web: the operator deletes its pods, and then takes its finalizer away
  web is gone, after its pods; the garbage collector deletes what else it owned
  web-notes is gone
  no pods

the cluster stays until Ctrl-C, and the table goes on
  In another terminal:
    export KUBECONFIG=FILE
    kubectl apply -f {SAMPLE}
    kubectl scale custompod web --replicas 3
    kubectl get custompods,pods
    kubectl delete custompod web
  no pods
stopped
"""
COLORS = {"Pending": 33, "Running": 32, "Terminating": 31}


def as_ever(text: str) -> str:
    """What the demo has shown, with names, ports, nodes, times and ages as in every run."""
    for pattern, stands_for in [
        (r"127\.0\.0\.1:\d+", "127.0.0.1:PORT"),
        (r"up in [\d.]+ s", "up in N s"),
        (r"KUBECONFIG=\S+", "KUBECONFIG=FILE"),
        (r"NAME {8}PHASE", "NAME    PHASE"),
        (r"web-(?!notes)[a-z0-9]{5} ", "web-N "),
        (r"node-\d", "node-N"),
        (r"(?<= )\d+s$", "Ns"),
    ]:
        text = re.sub(pattern, stands_for, text, flags=re.MULTILINE)
    return text


def told(step: str, name: str) -> list[str]:
    """What a step's lines say of an object, without times and nodes."""
    lines = re.findall(rf"^ *[\d.]+s   {name}   (.*)$", step, re.MULTILINE)
    return [re.sub(r"   (node-\d|<none>)$", "", line) for line in lines]


def follow(found: list[str], *wanted: str) -> bool:
    """Whether these come in this order; what is there for a moment alone may be passed over."""
    rest = iter(found)
    return all(each in rest for each in wanted)


def own_time(program: Program) -> float:
    """A clock that stands still while others have the machine."""
    return time.monotonic() - program.starved


@pytest.mark.slow  # at a pace that people can follow
def test_on_a_pipe() -> None:
    with running(MODULE, KUBECONFIG="/no/such/file", TERM="xterm") as program:
        program.until("its operator runs")
        begun = own_time(program)
        assert program.wait() == 0
        assert own_time(program) - begun < LONGEST
    printed = program.printed
    assert "\x1b" not in printed
    assert as_ever(printed).startswith(OPENING)
    assert printed.endswith(ENDING)
    to_one, to_three, back, deleted = re.split(r"\n\n(?=apply|delete)", printed.removesuffix(ENDING))[1:]
    for step, replicas in ((to_one, 1), (to_three, 3)):
        assert step.startswith(f"apply {SAMPLE} with replicas: {replicas}\n")
        assert told(step, "custompod/web")[-1] == f"{replicas} wanted, {replicas} there, {replicas} ready"
    (first,) = set(re.findall(r" pod/\S+", to_one))
    others = set(re.findall(r" pod/\S+", to_three)) - {first}
    assert len(others) == 2
    for pod, start, end in [(first, to_one, deleted), *((other, to_three, back) for other in others)]:
        assert follow(told(start, pod.strip()), "Pending   0/1", "Running   0/1", "Running   1/1")
        assert follow(told(end, pod.strip()), "Terminating   1/1", "gone")
    assert told(back, first.strip()) == []
    # The finalizer keeps the object for as long as its pod takes; what it owned goes after it.
    assert told(deleted, "custompod/web") == ["being deleted, kept by zhhnzw.mock.com/pods", "gone"]
    assert told(deleted, "configmap/web-notes") == ["gone"]
    assert follow(
        re.findall(r"(pod|custompod|configmap)/\S+   (?:being deleted|Terminating   1|gone)", deleted),
        *("custompod", "pod", "custompod", "configmap"),
    )


@pytest.mark.slow  # as above
def test_on_a_terminal_that_stays_for_kubectl(tmp_path: Path) -> None:
    with running(MODULE, "--stay", terminal=(50, 80), TERM="xterm", TMPDIR=str(tmp_path)) as program:
        program.until("its operator runs")
        begun = own_time(program)
        program.until(r"delete custompod web\r\n")
        assert own_time(program) - begun < LONGEST
        export, *commands = re.findall(r"^    ((?:export|kubectl) .*)\r$", program.printed, re.MULTILINE)
        kubectl("get", "nodes", kubeconfig=export.partition("=")[2])
        for command in commands:
            kubectl(*shlex.split(command)[1:], kubeconfig=export.partition("=")[2])
            if "scale" in command:
                program.until(r"3 wanted, 3 there, 3 ready")
        program.until(r"no pods\x1b\[K\r\n\x1b\[J")
        assert program.stop() == 0
    assert "Traceback" not in program.printed
    assert list(tmp_path.iterdir()) == []  # the cluster's files
    assert as_ever("\n".join(shown(program.printed))) == SCREEN
    for phase, color in COLORS.items():
        assert f"\x1b[{color}m{phase}\x1b[0m" in program.printed


def kubectl(*arguments: str, kubeconfig: str) -> str:
    """What kubectl prints when it ends well."""
    return subprocess.run(
        [find_kubectl(), *arguments],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "KUBECONFIG": kubeconfig},
        timeout=WITHIN,
    ).stdout


@pytest.mark.slow  # two processes, and kubectl
def test_how_to_go_on_afterwards(tmp_path: Path) -> None:
    commands = re.findall(r"^  ((?:\S*python\S*|kubectl) .*)$", ENDING, re.MULTILINE)
    # As printed, but for the folder.
    server, operator, *rest = [command.replace(" cluster", f" {tmp_path}/cluster") for command in commands]
    _, _, module, *arguments = shlex.split(server)
    with running(module, *arguments) as first:
        first.until("ready")
        _, _, module, *arguments = shlex.split(operator)
        with running(module, *arguments) as second:
            second.until("the operator runs, until Ctrl-C")
            for command in rest:
                kubectl(*shlex.split(command)[1:], kubeconfig="/no/such/file")
            assert second.stop() == 0
        assert first.stop() == 0


def test_ctrl_c(tmp_path: Path) -> None:
    with running(MODULE, TMPDIR=str(tmp_path)) as program:
        program.until("Pending")
        assert program.stop() == 0
    assert program.printed.endswith("\nstopped\n")
    assert "Traceback" not in program.printed
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_while_it_is_loaded() -> None:
    # Before anything is printed: the interrupt comes with the first module that takes long.
    program = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
class Interrupting:
    def find_spec(self, name, path, target=None):
        if name == "kubewright.testing":
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Interrupting())
from examples.custompod.demo import main
sys.argv = ["demo"]
main()
"""
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import signal; signal.signal(signal.SIGINT, signal.default_int_handler){program}",
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        timeout=WITHIN,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "stopped\n", "")


@needs_cel
def test_nobody_reads() -> None:
    command = [sys.executable, "-m", MODULE]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith(b"a cluster in this process")
        process.stdout.close()
        assert process.wait(WITHIN) == 0
        assert process.stderr is not None
        assert process.stderr.read() == b""


NOW = datetime(2030, 1, 1, tzinfo=UTC)
POD = PodRow("web-1", "Running", "1/1", "node-1", NOW - timedelta(seconds=5))


def test_a_small_terminal() -> None:
    written = io.StringIO()
    live = Live(written, colors=False, size=lambda: os.terminal_size((20, 5)), now=lambda: NOW)
    live.say("begins")
    live.pod("web-1", POD)
    live.step("step")
    for name in ("web-2", "web-3", "web-4"):
        live.pod(name, POD._replace(name=name))
    pods = ["  NAME    PHASE", "  web-1   Running", "  web-2   Running", "… and 2 more"]
    assert shown_of(written) == ["begins", "", "step", *pods, ""]
    live.pod("web-1", None)
    live.note("custompod/web", "there")
    live.say("said")
    live.end("over")
    live.tick()
    live.note("custompod/web", None)
    pods = ["  custompod/web   t", "  NAME    PHASE", "  web-2   Running", "… and 2 more"]
    assert shown_of(written) == ["begins", "", "step", "said", *pods, "over", ""]


def shown_of(written: io.StringIO) -> list[str]:
    """What a terminal shows of it, which turns the ends of lines into two characters."""
    return shown(written.getvalue().replace("\n", "\r\n"))


def test_lines_are_told_once() -> None:
    written, seconds = io.StringIO(), iter([0.0, 0.25, 10.0])
    lines = Lines(written, clock=lambda: next(seconds))
    lines.pod("web-1", POD)
    lines.pod("web-1", POD._replace(created=NOW))
    lines.tick()
    lines.pod("web-1", None)
    lines.pod("web-1", None)
    assert written.getvalue() == "  0.2s   pod/web-1   Running   1/1   node-1\n 10.0s   pod/web-1   gone\n"


def test_a_table() -> None:
    assert table({}, [], NOW) == ["  no pods"]
    assert age(NOW, NOW - timedelta(seconds=1)) == "0s"
    assert age(NOW, NOW + timedelta(seconds=119)) == "119s"
    assert age(NOW, NOW + timedelta(seconds=120)) == "2m"
