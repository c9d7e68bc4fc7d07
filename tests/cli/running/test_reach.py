"""What a run asks of a cluster, and of a kubeconfig, while it waits for them."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from kubewright.cli.connect import meant_by, trouble_of
from kubewright.client.client import Client
from kubewright.testing import Cluster

DEV, PROD = "dev (https://dev:6443)", "prod (https://prod:6443)"

KUBECONFIG = """
current-context: {context}
contexts:
- {{name: dev, context: {{cluster: dev}}}}
- {{name: prod, context: {{cluster: prod}}}}
clusters:
- {{name: dev, cluster: {{server: "https://dev:6443"}}}}
- {{name: prod, cluster: {{server: "https://prod:6443"}}}}
"""


def test_which_cluster_a_kubeconfig_means(tmp_path: Path) -> None:
    path = tmp_path / "kubeconfig"
    assert meant_by(str(path), None) is None
    path.write_text("{")
    assert meant_by(str(path), None) is None
    path.write_text(KUBECONFIG.format(context="dev"))
    assert meant_by(str(path), None) == DEV
    assert meant_by(str(path), "prod") == PROD
    path.write_text(KUBECONFIG.format(context="prod"))
    assert meant_by(str(path), None) == PROD
    assert meant_by(str(path), "dev") == DEV
    assert meant_by(str(path), "no such") is None


def with_user(path: Path, user: Mapping[str, object]) -> str:
    """A kubeconfig of a server that is not there."""
    document = {
        "current-context": "dev",
        "contexts": [{"name": "dev", "context": {"cluster": "dev", "user": "me"}}],
        "clusters": [{"name": "dev", "cluster": {"server": "https://127.0.0.1:1"}}],
        "users": [{"name": "me", "user": user}],
    }
    path.write_text(json.dumps(document))
    return str(path)


PLUGIN = f"""#!{sys.executable}
import json, os, pathlib, sys
try:
    terminal = os.open("/dev/tty", os.O_RDWR) >= 0
except OSError:
    terminal = False
told = json.loads(os.environ["KUBERNETES_EXEC_INFO"])["spec"]["interactive"]
pathlib.Path(__file__).with_name("seen").write_text(str([os.isatty(0), terminal, told]))
print("open your browser", file=sys.stderr)
sys.exit(1)
"""

ASKS = """
import asyncio, sys
from kubewright.cli.connect import trouble_of
print(asyncio.run(trouble_of(sys.argv[1], None)))
"""


@pytest.mark.parametrize("mode", ["Never", "IfAvailable", "Always"])
def test_nobody_is_asked_for_credentials_while_the_cluster_is_asked(tmp_path: Path, mode: str) -> None:
    plugin = tmp_path / "plugin"
    plugin.write_text(PLUGIN)
    plugin.chmod(0o700)
    entry = {"command": str(plugin), "apiVersion": "client.authentication.k8s.io/v1", "interactiveMode": mode}
    kubeconfig = with_user(tmp_path / "kubeconfig", {"exec": entry})
    ours, theirs = pty.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-c", ASKS, kubeconfig],
            stdin=theirs,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
    finally:
        os.close(ours)
        os.close(theirs)
    assert done.stderr == ""
    seen = tmp_path / "seen"
    if mode == "Always":
        assert "must ask somebody, and standard input is no terminal" in done.stdout
        assert not seen.exists()
    else:
        assert done.stdout.endswith("failed with exit code 1; run it by hand to see why\n"), done.stdout
        assert seen.read_text() == "[False, False, False]"


def test_what_is_found_wrong_each_time_is_not_logged_each_time(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    kubeconfig = with_user(tmp_path / "kubeconfig", {"tokenFile": "gone", "token": "kept"})
    assert "https://127.0.0.1:1" in (asyncio.run(trouble_of(kubeconfig, None)) or "")
    assert [record for record in caplog.records if record.name == "kubewright.config"] == []


def test_an_error_without_words_is_trouble_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def version(_: Client) -> None:
        raise TimeoutError

    monkeypatch.setattr(Client, "version", version)
    kubeconfig = with_user(tmp_path / "kubeconfig", {})
    assert asyncio.run(trouble_of(kubeconfig, None)) == "TimeoutError"


def test_trouble_is_told_as_commands_tell_it(tmp_path: Path) -> None:
    path = tmp_path / "kubeconfig"

    async def asked() -> str | None:
        return await trouble_of(str(path), None, instead="or do without")

    assert asyncio.run(asked()) == f"there is no kubeconfig {path}; correct the path"
    path.write_text("{")
    assert str(path) in (asyncio.run(asked()) or "")
    with Cluster.in_thread(controllers="none") as cluster:
        path.write_text(Path(cluster.kubeconfig).read_text())
        assert asyncio.run(asked()) is None
    told = asyncio.run(asked()) or ""
    assert told.endswith("; start it, choose another --context, or do without")
    assert "\n" not in told
