"""`kubewright server`: an API server of one's own, until Ctrl-C."""

from __future__ import annotations

import asyncio
import gc
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from kubewright.machinery.errors import KubewrightError

if TYPE_CHECKING:
    from kubewright.server.options import ServerOptions
    from kubewright.server.server import APIServer

__all__ = ["server"]


@click.command()
@click.option(
    "--port",
    default=0,
    show_default="any free one",
    type=click.IntRange(0, 65535),
    help="Where to listen, on loopback.",
)
@click.option(
    "--data-dir",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep everything in this folder; without it, in memory.",
)
@click.option(
    "--kubeconfig",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where to write the kubeconfig; the file is replaced.",
)
@click.option(
    "--token-auth-file",
    "static_tokens",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help='Tokens of further callers, in lines of token,user,uid,"group1,group2".',
)
@click.option(
    "--authentication-config",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="OpenID Connect issuers whose tokens are taken: an AuthenticationConfiguration.",
)
@click.option(
    "--anonymous-auth",
    "anonymous",
    type=bool,
    default=None,
    show_default="true",
    help="Whether requests without credentials are served, as system:anonymous.",
)
@click.option(
    "--service-account-issuer",
    metavar="URL",
    help="In whose name tokens of service accounts are issued.",
)
@click.option(
    "--client-ca-file",
    "client_ca",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Further authorities whose client certificates are taken, in PEM.",
)
@click.option(
    "--enable-admission-plugins",
    "admission_plugins",
    metavar="NAMES",
    default="",
    callback=lambda _context, _option, names: [name for name in names.split(",") if name],
    help="Admission plugins that are off by default: OwnerReferencesPermissionEnforcement.",
)
@click.option(
    "--anonymous-admin",
    is_flag=True,
    help="No callers and no rights: whoever reaches the port may do everything.",
)
@click.option(
    "--audit-log",
    "--audit-log-path",
    "audit_log",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Append a line of JSON to this file for each request, in the form of kube-apiserver.",
)
@click.option(
    "--audit-policy",
    "--audit-policy-file",
    "audit_policy",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    show_default="the metadata of all requests, once answered",
    help="What the audit log tells of which requests: a Policy of audit.k8s.io/v1.",
)
def server(**options: Unpack[ServerOptions]) -> None:
    """Run a Kubernetes API server on this machine.

    \b
    Example:
      kubewright server --port 6443 --data-dir ./cluster &
      kubectl --kubeconfig ./cluster/kubeconfig get namespaces
    """
    try:
        _run(options)
    except KubewrightError as error:
        raise click.ClickException(str(error)) from None
    except OSError as error:
        where = f": {error.filename}; name another path" if error.filename else ""
        raise click.ClickException(f"{error.strerror or error}{where}") from None


def _run(options: ServerOptions) -> None:
    from kubewright.server.preload import preload_http  # noqa: PLC0415 - the help needs no server

    # Until the server is ready there is next to no garbage, and looking for it takes a tenth of the start.
    gc.disable()
    try:
        with preload_http():
            from kubewright.server.event_loop import new_event_loop  # noqa: PLC0415 - while aiohttp is loaded
            from kubewright.server.server import APIServer  # noqa: PLC0415 - as above

            with asyncio.Runner(loop_factory=new_event_loop) as runner:
                runner.run(_serve(APIServer(**options)))
    finally:
        gc.enable()


async def _serve(server: APIServer) -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    async with server as running:
        # What is loaded by now stays: the garbage collector need not look at it again and again.
        gc.freeze()
        gc.enable()
        click.echo(f"kubeconfig: {running.kubeconfig}")
        click.echo(f"ready: {running.url}")
        await stopped.wait()
        click.echo("stopping")
