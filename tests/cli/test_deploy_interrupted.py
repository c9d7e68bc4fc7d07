"""Ctrl-C in the phases of `kubewright deploy` and `undeploy`, and a cluster that goes away meanwhile."""

from __future__ import annotations

import json
import os
import pty
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import pytest

from kubewright.machinery.errors import NotFound
from kubewright.sync import Client
from kubewright.testing import Cluster
from tests.cli.cluster_commands import Project, deployable, needs_kubectl, with_kubectl
from tests.server.processes import COMMAND, PATIENCE

pytestmark = [needs_kubectl, pytest.mark.slow]

NEXT = "      serviceAccountName: "
NOWHERE = "      nodeSelector: {there: is-none}\n"

DEPLOY = ("deploy", "--image", "registry.example.com/demo:v1")


@contextmanager
def running(project: Project, *arguments: str, **streams: Any) -> Iterator[subprocess.Popen[str]]:
    """A command in a process of its own."""
    process = subprocess.Popen(
        [COMMAND, *arguments],
        cwd=project.folder,
        env={**os.environ, "KUBECONFIG": project.kubeconfig, "PYTHONDONTWRITEBYTECODE": "1"},
        text=True,
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL, **streams},
    )
    with process:
        try:
            yield process
        finally:
            process.kill()  # which does nothing to one that has ended


def await_line(stream: IO[str] | None, words: str) -> None:
    """Read lines until one has these words."""
    assert stream is not None
    seen = []
    for line in stream:
        if words in line:
            return
        seen.append(line)
    raise AssertionError(f"{words!r} is not in {seen}")


def interrupted(
    process: subprocess.Popen[str], command: str, done: str = "what is told above is done"
) -> Any:
    """Send Ctrl-C; the JSON document of the command that has ended by it, if it has one."""
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, err
    told = f"interrupted; {done}, and `kubewright {command}` goes on from there"
    assert err.splitlines()[-1] == f"Error: {told}"
    assert "Traceback" not in err
    if not out.startswith("{"):
        return None
    assert json.loads(out)["error"] == told
    return json.loads(out)


def never_available(project: Project) -> None:
    """Have the operator's pods wait for a node that there is not."""
    project.edit("config/manager/manager.yaml", {NEXT: f"{NOWHERE}{NEXT}"})


def is_there(client: Client, name: str) -> bool:
    try:
        client.dynamic("v1", "Namespace").get(f"{name}-system")
    except NotFound:
        return False
    return True


@pytest.mark.parametrize("command", [DEPLOY, ("undeploy",)], ids=["deploy", "undeploy"])
def test_while_kubectl_renders(
    project: Project, client: Client, name: str, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    os.mkfifo(project.folder / "begun")
    project.write("bin/kubectl", "#!/bin/sh\necho > begun\nexec sleep 600\n")
    (project.folder / "bin/kubectl").chmod(0o755)
    monkeypatch.setenv("PATH", f"{project.folder}/bin{os.pathsep}{os.environ['PATH']}")
    with running(project, *command, "-o", "json") as process:
        (project.folder / "begun").read_text()
        assert interrupted(process, command[0])["objects"] == []
    assert not is_there(client, name)


def test_while_the_server_is_asked(project: Project, client: Client, name: str) -> None:
    """Here by a webhook that does not answer."""
    namespace = {"metadata": {"name": f"{name}-system"}}
    client.dynamic("v1", "Namespace").create(namespace)
    api = client.dynamic("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        hook = {
            "name": "hook.example.com",
            "clientConfig": {"url": f"https://127.0.0.1:{listening.getsockname()[1]}/x"},
            "rules": [
                {"apiGroups": [""], "apiVersions": ["*"], "operations": ["*"], "resources": ["services"]}
            ],
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": f"{name}-system"}},
            "sideEffects": "None",
            "timeoutSeconds": 30,
            "admissionReviewVersions": ["v1"],
        }
        api.create({"metadata": {"name": name}, "webhooks": [hook]})
        try:
            with running(project, *DEPLOY, "--dry-run", "-o", "json") as process:
                listening.settimeout(PATIENCE)
                connection, _ = listening.accept()
                with connection:
                    document = interrupted(process, "deploy", "nothing was changed")
        finally:
            api.delete(name)
    # All are asked about before the first is applied.
    assert document["objects"] == []


def test_while_the_pods_are_awaited(project: Project, client: Client, name: str) -> None:
    never_available(project)
    with running(project, *DEPLOY, "-o", "json") as process:
        await_line(process.stderr, "waiting: ")
        document = interrupted(process, "deploy")
    assert document["rolledOut"] is False
    assert document["objects"][-1]["result"] == "created"
    project.edit("config/manager/manager.yaml", {NOWHERE: ""})
    again = project.ok(*DEPLOY)
    assert [line for line in again.lines if line.endswith(" configured")] == [
        f"deployment.apps/{name}-controller-manager configured"
    ]


def test_while_the_namespace_goes_away(project: Project, client: Client, name: str) -> None:
    project.ok(*DEPLOY, "--no-wait")
    maps = client.dynamic("v1", "ConfigMap", f"{name}-system")
    maps.create({"metadata": {"name": "held", "finalizers": ["example.com/disk"]}})
    with running(project, "undeploy", "--yes", "-o", "json") as process:
        await_line(process.stderr, "waiting: the namespace")
        assert interrupted(process, "undeploy")["objects"][-1]["result"] == "deleted"
    with running(project, *DEPLOY) as process:
        await_line(process.stdout, "is being deleted; waiting until it is gone")
        interrupted(process, "deploy")
    maps.patch("held", {"metadata": {"finalizers": None}})


def test_at_the_question(project: Project, client: Client, name: str) -> None:
    project.ok(*DEPLOY, "--no-wait")
    client.dynamic("v1", "Secret", f"{name}-system").create({"metadata": {"name": "password"}})
    terminal, end = pty.openpty()
    with (
        os.fdopen(terminal, "rb", buffering=0) as shown,
        running(project, "undeploy", "-o", "json", stdin=end, stderr=end) as process,
    ):
        os.close(end)
        text = b""
        while b"Go on?" not in text:
            text += shown.read(4096)
        # A signal right before the read of the answer does not end the read: then Ctrl-C is pressed again.
        for _ in range(int(PATIENCE)):
            process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                process.wait(5)
                break
        out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    document = json.loads(out)
    assert document["lost"] == [f"Secret password in the namespace {name}-system"]
    assert (document["objects"], document["error"].partition(";")[0]) == ([], "interrupted")
    assert is_there(client, name)


def test_a_cluster_that_goes_away(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with_kubectl(monkeypatch)
    with ExitStack() as stack:
        cluster = stack.enter_context(Cluster.in_thread())
        project = deployable(tmp_path, name, cluster.kubeconfig)
        project.ok(*DEPLOY, "--no-wait")
        with Client(cluster.config) as client:
            held = {"metadata": {"name": "held", "finalizers": ["example.com/disk"]}}
            client.dynamic("v1", "ConfigMap", f"{name}-system").create(held)
        with running(project, "undeploy", "--yes") as process:
            await_line(process.stdout, "waiting: ")
            stack.close()
            _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    told = err.splitlines()[-1]
    assert told.startswith("Error: ")
    assert told.endswith(
        "; start it, choose another --context, or start a cluster on this machine with `kubewright server`"
    )
