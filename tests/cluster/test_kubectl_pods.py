"""kubectl with the pods of a cluster in the process: logs, exec and attach."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kubewright.testing import Cluster
from tests.realcluster.binaries import find_kubectl

pytestmark = pytest.mark.real

PREFIX = "kubelet.kubewright.dev/"
PATIENCE = 90.0
"""Seconds that anything may take on a busy machine."""


class Kubectl:
    """kubectl, and the cluster that it talks to."""

    def __init__(self, program: Path, cluster: Cluster) -> None:
        self._command = [str(program), "--kubeconfig", str(cluster.kubeconfig)]
        self.cluster = cluster

    def __call__(
        self, *arguments: str, stdin: str | None = None, code: int | None = 0
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [*self._command, *arguments],
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        # Older ones may not be ready yet for the empty message with which a connection begins, and say so.
        done.stderr = re.sub(r"^E\d{4} .*Unknown stream id .*\n", "", done.stderr, flags=re.MULTILINE)
        if code is not None:
            assert done.returncode == code, (arguments, done.stdout, done.stderr)
        return done

    def start(self, *arguments: str, terminal: int | None = None) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*self._command, *arguments],
            stdin=terminal,
            stdout=subprocess.PIPE if terminal is None else terminal,
            stderr=subprocess.PIPE if terminal is None else terminal,
            text=True,
        )

    def run(
        self, name: str, *containers: str, labels: str = "", policy: str = "Always", **script: str
    ) -> None:
        """Create a pod with containers that pretend what a script says, and wait until it does."""
        annotations = {
            PREFIX + word.replace("__", ".").replace("_", "-"): text for word, text in script.items()
        }
        pod = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "annotations": annotations, "labels": {"app": labels or name}},
            "spec": {
                "restartPolicy": policy,
                "containers": [{"name": each, "image": "nginx:1"} for each in containers or ("main",)],
            },
        }
        self("create", "-f", "-", stdin=json.dumps(pod))
        self("wait", "pod", name, "--for=jsonpath={.status.containerStatuses}", "--timeout=60s")

    def until(self, *arguments: str, shows: Callable[[str], Any]) -> str:
        deadline = time.monotonic() + PATIENCE
        while True:
            done = self(*arguments, code=None)
            if shows(done.stdout) or time.monotonic() > deadline:
                assert shows(done.stdout), (done.stdout, done.stderr)
                return done.stdout
            time.sleep(0.1)


@pytest.fixture(scope="module")
def kubectl() -> Iterator[Kubectl]:
    program = find_kubectl()
    with Cluster.in_thread() as cluster:
        yield Kubectl(program, cluster)


def soon(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def read_until(terminal: int, end: str) -> str:
    """What a terminal shows up to a text."""
    shown = b""
    deadline = time.monotonic() + PATIENCE
    while not shown.endswith(end.encode()):
        ready, _, _ = select.select([terminal], [], [], 1)
        assert time.monotonic() < deadline, shown
        if ready:
            shown += os.read(terminal, 4096)
    return shown.decode()


def test_the_log_of_a_pod(kubectl: Kubectl) -> None:
    kubectl.run("plain")
    assert kubectl("logs", "plain").stdout.startswith("container main (nginx:1) has started\n")


def test_parts_of_a_log(kubectl: Kubectl) -> None:
    kubectl.run("parts", log="one\ntwo\nthree")
    assert kubectl("logs", "parts").stdout == "one\ntwo\nthree\n"
    assert kubectl("logs", "parts", "--tail=2").stdout == "two\nthree\n"
    assert kubectl("logs", "parts", "--tail=0").stdout == ""
    assert kubectl("logs", "parts", "--limit-bytes=6").stdout == "one\ntw"
    assert kubectl("logs", "parts", "--since=1h").stdout == "one\ntwo\nthree\n"
    assert kubectl("logs", "parts", "--since-time=2100-01-01T00:00:00Z").stdout == ""
    stamped = kubectl("logs", "parts", "--timestamps", "--tail=1").stdout
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z three\n", stamped)


def test_a_log_that_is_followed(kubectl: Kubectl) -> None:
    kubectl.run("ticking", policy="Never", log="tick", log_every="200ms", run_for="3s")
    with kubectl.start("logs", "-f", "ticking") as following:
        out, errors = following.communicate(timeout=PATIENCE)
    assert (following.returncode, errors) == (0, "")
    assert 5 <= out.count("tick\n") <= 21
    assert kubectl("logs", "ticking", "--since=1h").stdout.startswith("tick\ntick\n")


def test_a_log_ends_with_its_pod(kubectl: Kubectl) -> None:
    kubectl.run("leaving", log="hello")
    with kubectl.start("logs", "-f", "leaving") as following:
        assert following.stdout is not None
        assert following.stdout.readline() == "hello\n"
        kubectl("delete", "pod", "leaving", "--wait=false")
        assert following.wait(PATIENCE) == 0


def test_logs_of_many(kubectl: Kubectl) -> None:
    for name in ("many-a", "many-b"):
        kubectl.run(name, "one", "two", labels="many", log__one=f"{name} one", log__two=f"{name} two")
    whole = kubectl("logs", "-l", "app=many", "--all-containers", "--prefix").stdout
    assert sorted(whole.splitlines()) == [
        f"[pod/{pod}/{container}] {pod} {container}"
        for pod in ("many-a", "many-b")
        for container in ("one", "two")
    ]
    assert kubectl("logs", "many-a", "-c", "two").stdout == "many-a two\n"
    assert "Defaulted container" in kubectl("logs", "many-a").stderr


def test_the_log_before_a_restart(kubectl: Kubectl) -> None:
    kubectl.run("crashing", crash_loop="true")
    kubectl.until("logs", "crashing", "--previous", shows=lambda out: "has ended with exit code 1" in out)


def test_logs_that_are_not_there(kubectl: Kubectl) -> None:
    kubectl.run("waiting", start_after="1h")
    assert kubectl("logs", "waiting", code=1).stderr == (
        'Error from server (BadRequest): container "main" in pod "waiting" is waiting to start: '
        "ContainerCreating\n"
    )
    assert 'pods "absent" not found' in kubectl("logs", "absent", code=1).stderr
    kubectl.run("running")
    assert kubectl("logs", "running", "--previous", code=1).stderr == (
        'Error from server (BadRequest): previous terminated container "main" in pod "running" not found\n'
    )
    assert kubectl("logs", "running", "-c", "other", code=1).stderr == (
        "error: container other is not valid for pod running\n"
    )


def test_commands(kubectl: Kubectl) -> None:
    kubectl.run("commands", exec='{"nginx -t": {"stdout": "out\\n", "stderr": "err\\n", "exitCode": 3}}')
    assert kubectl("exec", "commands", "--", "echo", "hi").stdout == "hi\n"
    failed = kubectl("exec", "commands", "--", "nginx", "-t", code=3)
    assert (failed.stdout, failed.stderr) == ("out\n", "err\ncommand terminated with exit code 3\n")
    unknown = kubectl("exec", "commands", "--", "top", code=127)
    assert unknown.stderr.startswith("sh: top: not found\n")
    assert kubectl("exec", "commands", "--", "sh", "-c", "echo a >&2; exit 7", code=7).stderr.startswith(
        "a\n"
    )


def test_the_input_of_commands(kubectl: Kubectl) -> None:
    kubectl.run("input")
    assert kubectl("exec", "-i", "input", "--", "cat", stdin="a\nb").stdout == "a\nb"
    assert kubectl("exec", "-i", "input", "--", "sh", stdin="echo a\nexit 4\n", code=4).stdout == "a\n"
    much = "0123456789abcde\n" * (200 << 10)
    assert kubectl("exec", "-i", "input", "--", "cat", stdin=much).stdout == much
    # One that ends without reading its input has ended all the same.
    assert (
        kubectl("exec", "-i", "input", "--", "sh", "-c", "echo a; exit 6", stdin=much, code=6).stdout == "a\n"
    )


def test_a_shell_at_a_terminal(kubectl: Kubectl) -> None:
    kubectl.run("terminal")
    ours, theirs = pty.openpty()
    with kubectl.start("exec", "-it", "terminal", "--", "sh", terminal=theirs) as shell:
        os.close(theirs)
        shown = read_until(ours, "/ # ")
        os.write(ours, b"echo $HOSTNAME\r")
        shown = read_until(ours, "/ # ")
        assert shown == "echo $HOSTNAME\r\nterminal\r\n/ # "
        os.write(ours, b"exit 5\r")
        assert shell.wait(PATIENCE) == 5
    os.close(ours)


def test_commands_that_cannot_be_run(kubectl: Kubectl) -> None:
    kubectl.run("idle", "one", "two", start_after__two="1h")
    waiting = kubectl("exec", "idle", "-c", "two", "--", "id", code=1).stderr
    assert waiting == (
        'error: Internal error occurred: unable to upgrade connection: container not found ("two")\n'
    )
    assert kubectl("exec", "idle", "-c", "three", "--", "id", code=1).stderr == (
        "Error from server (BadRequest): container three is not valid for pod idle\n"
    )
    assert 'pods "absent" not found' in kubectl("exec", "absent", "--", "id", code=1).stderr
    kubectl.run("over", policy="Never")
    told = "error: cannot exec into a container in a completed pod; current phase is Succeeded\n"
    kubectl("wait", "pod", "over", "--for=jsonpath={.status.phase}=Succeeded")
    assert kubectl("exec", "over", "--", "id", code=1).stderr == told


def test_a_command_ends_with_its_container(kubectl: Kubectl) -> None:
    kubectl.run("ending")
    with kubectl.start("exec", "ending", "--", "sh", "-c", "echo begun; sleep 1000") as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "begun\n"
        kubectl("delete", "pod", "ending", "--wait=false")
        assert running.wait(PATIENCE) == 137


def test_attaching(kubectl: Kubectl) -> None:
    kubectl.run("attached", policy="Never", log="tick", log_every="100ms", run_for="1h")
    with kubectl.start("attach", "attached") as attached:
        assert attached.stdout is not None
        assert attached.stdout.readline() == "tick\n"
        # It ends now, and not before somebody is attached, however long that takes.
        kubectl("annotate", "pod", "attached", "--overwrite", f"{PREFIX}run-for=0s")
        _, errors = attached.communicate(timeout=PATIENCE)
    assert attached.returncode == 0, errors


def test_there_is_no_network_of_pods(kubectl: Kubectl) -> None:
    kubectl.run("forwarded")
    told = kubectl("port-forward", "pod/forwarded", ":80", code=1).stderr
    assert told == (
        "error: error upgrading connection: pod forwarded cannot be reached: its containers are pretended, "
        "and there is no network of pods; run the program beside the cluster, and connect to that\n"
    )


def test_nothing_is_copied(kubectl: Kubectl, tmp_path: Path) -> None:
    kubectl.run("copied", files='{"/etc/motd": "welcome\\n"}')
    there, here = "copied:/etc/motd", str(tmp_path / "motd")
    (tmp_path / "motd").write_text("welcome\n")
    for source, target in ((there, here), (here, there)):
        told = kubectl("cp", source, target, code=None)
        assert told.returncode
        # Which of the two it is written to depends on the direction.
        hint, end = (told.stdout + told.stderr).splitlines()
        assert "name the files that it is to have by the annotation kubelet.kubewright.dev/files" in hint
        assert end == "command terminated with exit code 127"
    assert kubectl("exec", "copied", "--", "cat", "/etc/motd").stdout == "welcome\n"


def test_debugging(kubectl: Kubectl) -> None:
    kubectl.run("debugged")
    ours, theirs = pty.openpty()
    added = ("debug", "-it", "debugged", "--image=busybox", "-c", "debugger", "--profile=general")
    with kubectl.start(*added, terminal=theirs) as shell:
        os.close(theirs)
        read_until(ours, "/ # ")
        os.write(ours, b"hostname\r")
        assert read_until(ours, "/ # ") == "hostname\r\ndebugged\r\n/ # "
        os.write(ours, b"exit\r")
        assert shell.wait(PATIENCE) == 0
    os.close(ours)
    told = kubectl("logs", "debugged", "-c", "debugger").stdout
    assert told.startswith("container debugger (busybox) has started\n")


def test_without_websockets(kubectl: Kubectl, monkeypatch: pytest.MonkeyPatch) -> None:
    kubectl.run("spdy")
    monkeypatch.setenv("KUBECTL_REMOTE_COMMAND_WEBSOCKETS", "false")
    told = kubectl("exec", "spdy", "--", "id", code=1).stderr
    assert "this server speaks WebSockets (v5.channel.k8s.io, v4.channel.k8s.io, " in told


def test_nothing_is_left_of_a_kubectl_that_is_killed(kubectl: Kubectl) -> None:
    kubectl.run("killed", log="hello", log_every="1h")
    # What earlier tests had open may still be about to close.
    soon(lambda: kubectl.cluster.connections.count == 0)
    with (
        kubectl.start("logs", "-f", "killed") as following,
        kubectl.start("exec", "killed", "--", "sh", "-c", "echo hello; sleep 1000") as running,
        kubectl.start("attach", "killed") as attached,
    ):
        for each in (following, running):
            assert each.stdout is not None
            assert each.stdout.readline() == "hello\n"
        soon(lambda: kubectl.cluster.connections.count == 3)
        for each in (following, running, attached):
            each.kill()
    soon(lambda: kubectl.cluster.connections.count == 0)
