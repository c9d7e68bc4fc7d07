"""The program of a deployed project, as a process and in this one."""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from importlib import import_module
from pathlib import Path

from tests.scaffold.real.deployment import PATIENCE, Project

__all__ = ["in_this_process", "the_program"]


@contextmanager
def the_program(
    project: Project, kubeconfig: Path, log: Path, *further: str
) -> Iterator[subprocess.Popen[bytes]]:
    """The program as config/manager starts it, but for the addresses of metrics and probes."""
    environment = {
        **os.environ,
        "KUBECONFIG": str(kubeconfig),
        "POD_NAMESPACE": project.namespace,
        "PYTHONPATH": str(project.folder / "src"),
    }
    (deployed,) = (each for each in project.objects if each["kind"] == "Deployment")
    (container,) = deployed["spec"]["template"]["spec"]["containers"]
    arguments = [each for each in container["args"] if "bind-address" not in each]
    command = [sys.executable, "-m", project.record.package, *arguments, *further]
    with log.open("ab") as output:
        program = subprocess.Popen(command, env=environment, stderr=output)
        try:
            yield program
        finally:
            program.kill()
            program.wait()


@asynccontextmanager
async def in_this_process(project: Project) -> AsyncIterator[asyncio.Task[None]]:
    """The same without a process of its own, which takes a second less; the environment is this one's."""
    options = argparse.Namespace(
        leader_elect=True, metrics_bind_address="0", health_probe_bind_address="0", webhooks="cluster"
    )
    program = import_module(f"{project.record.package}.__main__")
    running = asyncio.create_task(program.run(options))
    try:
        yield running
    finally:
        running.cancel()
        await asyncio.wait({running}, timeout=PATIENCE)
