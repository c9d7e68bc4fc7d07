"""The execution of one command, with or without a terminal."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from kubewright.cluster.kubelet.commands import run_command
from kubewright.cluster.kubelet.script import ContainerScript
from kubewright.cluster.kubelet.surroundings import Surroundings
from kubewright.cluster.kubelet.terminal import Terminal
from kubewright.cluster.kubelet.typed_into import SHELLS
from kubewright.models.core_v1 import Container, EphemeralContainer, Pod
from kubewright.server.handlers.subresources.kubelets import CommandStreams

__all__ = ["execute"]


async def execute(
    pod: Pod,
    container: Container | EphemeralContainer,
    script: ContainerScript,
    command: Sequence[str],
    streams: CommandStreams,
) -> int:
    """Run a command to its end; its exit code."""
    around = Surroundings(pod, container, script)
    if not streams.tty:
        return await run_command(around, command, streams)
    async with Terminal(streams) as terminal:
        if posixpath.basename(command[0]) in SHELLS:
            # It outlives an interrupt of what it runs.
            return await run_command(around, command, terminal)
        return await terminal.run(run_command(around, command, terminal))
