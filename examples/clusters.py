"""Where an example runs: on a cluster in the process, or on any to which a kubeconfig leads."""

from __future__ import annotations

import asyncio
import io
import signal
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any

import click

from kubewright import Client, KubewrightError, TransportError
from kubewright.config import load_config
from kubewright.testing import Cluster


def cluster_options(command: Callable[..., None]) -> Callable[..., None]:
    """A decorator of commands: `--kubeconfig` and `--context`, as kubectl has them."""
    command = click.option("--context", metavar="NAME", help="A context of the kubeconfig.")(command)
    return click.option("--kubeconfig", metavar="FILE", help="Run on the cluster to which it leads.")(command)


@asynccontextmanager
async def connected(kubeconfig: str | None, context: str | None) -> AsyncIterator[Client]:
    """A client of the cluster that is meant; of one that lasts as long as the block when none is."""
    if kubeconfig is not None or context is not None:
        async with Client(load_config(kubeconfig=kubeconfig, context=context)) as client:
            yield client
    else:
        async with Cluster() as cluster, Client(cluster.config) as client:
            yield client


def run(work: Coroutine[Any, Any, None]) -> None:
    """Run a program until it ends, or until Ctrl-C or SIGTERM; what goes wrong is told in one sentence."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # also when another program reads it
    try:
        with suppress(KeyboardInterrupt, asyncio.CancelledError):
            asyncio.run(_with_sigterm(work))
    except (KubewrightError, BaseExceptionGroup) as error:
        first = _first(error)
        if isinstance(first, TransportError):
            raise click.ClickException(f"{first}; is the server up, and the right one?") from None
        if isinstance(first, KubewrightError):
            raise click.ClickException(str(first)) from None
        raise first from None


async def _with_sigterm(work: Coroutine[Any, Any, None]) -> None:
    # SIGINT cancels this task, by asyncio.run; so should SIGTERM, also where a shell has SIGINT ignored.
    task = asyncio.current_task()
    assert task is not None  # noqa: S101 - it runs in one
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    await work


def _first(error: BaseException) -> BaseException:
    """What went wrong first, in tasks that end together."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
