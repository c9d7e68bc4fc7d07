"""`kubewright server`: an API server of one's own, until Ctrl-C."""

from __future__ import annotations

import gc
import signal
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from kubewright.cli.errors import one_sentence
from kubewright.cli.output import output_option
from kubewright.cli.plain_signals import plain_signals

if TYPE_CHECKING:
    from kubewright.cluster.options import ClusterOptions
    from kubewright.server.server import APIServer
    from kubewright.server.storage.backup import Summary

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
    "--insecure-data-dir",
    is_flag=True,
    help="Use the data dir also if everyone on this machine may write to it.",
)
@click.option(
    "--accept-data-loss",
    is_flag=True,
    help="Go on with what is readable of a damaged data dir. The damaged files are kept in it.",
)
@click.option(
    "--backup",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the objects of the data dir to this new file, and end. A server may run on it meanwhile.",
)
@click.option(
    "--restore",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Make a data dir of a backup, and end.",
)
@click.option(
    "--kubeconfig",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where to write the kubeconfig; the file is replaced.",
)
@click.option(
    "--controllers",
    metavar="NAMES",
    default="*",
    show_default="all",
    help="Which controllers run: '*' for all, '-deployment' for all but one, a list of names, or 'none'.",
)
@click.option(
    "--nodes",
    default=1,
    show_default=True,
    type=click.IntRange(0, 5000),
    help="How many nodes pretend to run pods.",
)
@click.option(
    "--token-auth-file",
    "static_tokens",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help='Tokens of further callers, in lines of token,user,uid,"group1,group2".',
)
@click.option(
    "--authentication-config",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
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
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
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
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    show_default="the metadata of all requests, once answered",
    help="What the audit log tells of which requests: a Policy of audit.k8s.io/v1.",
)
@output_option
def server(
    *, output: str, backup: Path | None, restore: Path | None, **options: Unpack[ClusterOptions]
) -> None:
    """Run a Kubernetes cluster on this machine.

    Its nodes pretend to run pods. It prints where its kubeconfig is when it is ready, as a line of JSON with
    --output json, and runs until Ctrl-C or SIGTERM, which end it with the exit code 0.

    \b
    Example:
      kubewright server --port 6443 --data-dir ./cluster &
      kubectl --kubeconfig ./cluster/kubeconfig create deployment web --image nginx
    """
    if options.get("data_dir") is None:
        for name, value in (
            ("--backup", backup),
            ("--restore", restore),
            ("--accept-data-loss", options.get("accept_data_loss") or None),
            ("--insecure-data-dir", options.get("insecure_data_dir") or None),
        ):
            if value is not None:
                raise click.UsageError(f"{name} is for a data dir; name it with --data-dir")
    if backup is not None and restore is not None:
        raise click.UsageError("--backup and --restore contradict each other; choose one")
    with one_sentence():
        if backup is not None:
            _back_up(options, backup, output)
        elif restore is not None:
            _restore(options, restore, output)
        else:
            _run(options, output)


def _back_up(options: ClusterOptions, file: Path, output: str) -> None:
    from kubewright.server.storage.backup import back_up  # noqa: PLC0415 - the help needs none of it

    data_dir = Path(options["data_dir"] or "")
    summary = back_up(data_dir, file)
    _report(output, f"backed up {summary.objects} objects to {file}", "backup", file, summary)


def _restore(options: ClusterOptions, file: Path, output: str) -> None:
    from kubewright.server.storage.backup import restore  # noqa: PLC0415 - as above

    data_dir = Path(options["data_dir"] or "")
    summary = restore(file, data_dir, allow_insecure=options.get("insecure_data_dir", False))
    text = f"restored {summary.objects} objects to {data_dir}"
    _report(output, text, "dataDir", data_dir, summary)


def _report(output: str, text: str, name: str, path: Path, summary: Summary) -> None:
    if output == "json":
        import json  # noqa: PLC0415 - for scripts alone

        content = {name: str(path), "objects": summary.objects, "revision": summary.revision}
        click.echo(json.dumps(content))
    else:
        click.echo(f"{text}, at revision {summary.revision}")


def _run(options: ClusterOptions, output: str) -> None:
    from kubewright.server.open_files import raise_limit  # noqa: PLC0415 - the help needs no server
    from kubewright.server.preload import preload_http  # noqa: PLC0415 - as above

    raise_limit()
    # Until the server is ready there is next to no garbage, and looking for it takes a tenth of the start.
    gc.disable()
    with ExitStack() as stack:
        stack.callback(gc.enable)
        with plain_signals():
            stack.enter_context(preload_http())
            import asyncio  # noqa: PLC0415 - as above

            from kubewright.cluster.server import ClusterServer  # noqa: PLC0415 - while aiohttp is loaded
            from kubewright.server.event_loop import new_event_loop  # noqa: PLC0415 - as above

            runner = stack.enter_context(asyncio.Runner(loop_factory=new_event_loop))
            runner.get_loop()  # so that uvloop is loaded, too
        runner.run(_serve(ClusterServer(**options), output))


async def _serve(server: APIServer, output: str) -> None:
    import asyncio  # noqa: PLC0415 - the help needs none of it

    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    from kubewright.server.collecting import collect_at_rest  # noqa: PLC0415 - as above

    async with server as running:
        with collect_at_rest(loop):
            if output == "json":
                import json  # noqa: PLC0415 - for scripts alone

                # In one line, which a script can read while the server runs.
                click.echo(json.dumps({"kubeconfig": str(running.kubeconfig), "url": running.url}))
            else:
                click.echo(f"kubeconfig: {running.kubeconfig}")
                click.echo(f"ready: {running.url}")
            await stopped.wait()
            if output != "json":
                click.echo("stopping")
