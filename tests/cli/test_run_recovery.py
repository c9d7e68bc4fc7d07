"""`kubewright run` with a kubeconfig that breaks and is mended while it runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kubewright.machinery import yaml
from kubewright.testing import Cluster
from tests.cli.run_process import RunProcess
from tests.cli.run_projects import plain_project

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are looked for in /proc"),
]

PROGRAM = """
import pathlib, sys, time
from kubewright.config import load_config

load_config()
print("up", flush=True)
fails = pathlib.Path("fails")
while not fails.exists():
    time.sleep(0.02)
fails.unlink()
sys.exit(1)
"""


@pytest.mark.parametrize("options", [(), ("--install",), ("--service-account", "default/default")], ids=str)
def test_it_starts_again_by_itself(tmp_path: Path, options: tuple[str, ...]) -> None:
    folder = plain_project(tmp_path / "project", PROGRAM)
    kubeconfig = tmp_path / "kubeconfig"
    with Cluster.in_thread(controllers="serviceaccount") as cluster:
        good = Path(cluster.kubeconfig).read_text()
        kubeconfig.write_text(good)
        with RunProcess(folder, "--kubeconfig", str(kubeconfig), *options) as run:
            run.until("^up$")
            kubeconfig.write_text(good.replace("server: https://127.0.0.1:", "server: https://127.0.0.1:x"))
            (folder / "fails").touch()
            run.until(
                r"^kubewright: the program ended .* when the cluster can be used, or a file changes: .+"
            )
            kubeconfig.unlink()
            run.until("^kubewright: the cluster still cannot be used: there is no kubeconfig")
            kubeconfig.write_text(good)
            run.until("^kubewright: the cluster can be used; starting again$", "^up$")
            assert run.stop() == 0
            assert "Traceback" not in run.printed


def test_it_does_not_go_to_another_cluster_by_itself(tmp_path: Path) -> None:
    folder = plain_project(tmp_path / "project", PROGRAM)
    kubeconfig = tmp_path / "kubeconfig"
    with Cluster.in_thread(controllers="none") as cluster:
        found = yaml.load(Path(cluster.kubeconfig).read_bytes())
        (context,) = found["contexts"]
        found["contexts"] = [{**context, "name": name} for name in ("dev", "prod")]

        def choose(name: str) -> None:
            kubeconfig.write_text(json.dumps({**found, "current-context": name}))

        choose("dev")
        with RunProcess(folder, "--kubeconfig", str(kubeconfig)) as run:
            run.until("^up$")
            choose("prod")
            (folder / "fails").touch()
            run.until(r"^kubewright: the program .*, and the kubeconfig now means prod \(https://.+\); ")
            choose("dev")
            run.until(r"^kubewright: the kubeconfig means dev \(https://.+\) again; starting again$", "^up$")
            assert run.stop() == 0
            assert run.printed.count("up\n") == 2, run.printed
