"""The command line of pvcwatch."""

from __future__ import annotations

import asyncio
import logging
import shlex
import shutil
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress

import click

from examples.pvcwatch.action import Action
from examples.pvcwatch.display import Display
from examples.pvcwatch.usage import Usage
from examples.pvcwatch.watcher import Watcher
from kubewright import Client, Informers, KubewrightError, ParseError, Quantity, TransportError
from kubewright.config import load_config
from kubewright.models.core_v1 import PersistentVolumeClaim


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("-n", "--namespace", multiple=True, help="Where; may be repeated.  [default: everywhere]")
@click.option("-l", "--selector", default="", help="A label selector, such as app=db,tier!=test.")
@click.option("-f", "--field-selector", default="", help="A field selector, such as metadata.name!=tmp.")
@click.option("--max-claims", default="200Gi", show_default=True, help="How much may be claimed.")
@click.option("--exec", "command", metavar="CMD", help="What to run when an alarm is raised or cleared.")
@click.option("--kubeconfig", metavar="FILE", help="[default: what kubectl would use]")
@click.option("--context", metavar="NAME", help="A context of the kubeconfig.")
def main(
    namespace: Sequence[str],
    selector: str,
    field_selector: str,
    max_claims: str,
    command: str | None,
    kubeconfig: str | None,
    context: str | None,
) -> None:
    """Watch how much storage PersistentVolumeClaims ask for, and raise an alarm when it is too much.

    Lists the claims, then tells of each one that is added, resized or deleted, and of the share of the limit
    that is in use then, until Ctrl-C or SIGTERM. What counts is what claims request
    (spec.resources.requests.storage), bound or not. CAPACITY shows that, and what the volume has if it is not
    the same.

    CMD is split as a shell would do it, and run without one; write "sh -c '...'" for more. It finds
    PVCWATCH_EVENT (alarm or clear), PVCWATCH_TOTAL and PVCWATCH_LIMIT (such as 210Gi) in its environment. It
    is killed after 30 seconds, and when the watcher stops.

    \b
    Example:
      python -m examples.pvcwatch -n shop --max-claims 500Gi -l app=db --exec 'logger -t pvcwatch over'
    """
    usage, arguments = Usage(_limit(max_claims)), _arguments(command)
    try:
        client = Client(load_config(kubeconfig=kubeconfig, context=context))
        with suppress(KeyboardInterrupt, asyncio.CancelledError):
            asyncio.run(_watch(client, namespace, selector, field_selector, usage, arguments))
    except TransportError as error:
        raise click.ClickException(f"{error}; is the server up, and the right one?") from None
    except KubewrightError as error:
        raise click.ClickException(str(error)) from None


async def _watch(
    client: Client,
    namespaces: Sequence[str],
    labels: str,
    fields: str,
    usage: Usage,
    command: Sequence[str],
) -> None:
    # SIGINT cancels this task, by asyncio.run; so should SIGTERM, also where a shell has SIGINT ignored.
    task = asyncio.current_task()
    assert task is not None  # noqa: S101 - it runs in one
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    display = Display(sys.stdout, usage)
    logging.basicConfig(handlers=[display], format="%(message)s", level=logging.INFO)
    async with client:
        # An informer would try again and again where whoever calls this wants to know what is wrong.
        for namespace in namespaces or (None,):
            api = client.api(PersistentVolumeClaim, namespace)
            async for _ in api.list(labels=labels, fields=fields, page_size=1):
                break
        async with Informers(client) as informers:
            claims = informers.of(PersistentVolumeClaim, namespaces or None, labels=labels, fields=fields)
            try:
                await Watcher(usage, display, Action(command, display)).follow(claims)
            finally:
                display.clear()


def _limit(text: str) -> Quantity:
    try:
        limit = Quantity(text)
        positive = limit > 0
    except ParseError:
        positive = False
    if not positive:
        raise click.ClickException(f"--max-claims {text!r} is no amount above 0; write one such as 200Gi")
    return limit


def _arguments(command: str | None) -> Sequence[str]:
    try:
        arguments = shlex.split(command or "")
    except ValueError as error:
        raise click.ClickException(f"--exec {command!r}: {error}; close what is open") from None
    if command is not None and (not arguments or shutil.which(arguments[0]) is None):
        raise click.ClickException(f"--exec {command!r}: there is no such program; correct its name or path")
    return arguments


if __name__ == "__main__":
    main(prog_name="python -m examples.pvcwatch")
