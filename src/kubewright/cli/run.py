"""`kubewright run`: the operator from the source tree, on a cluster that is there or on one of its own."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypedDict, Unpack

import click

from kubewright.cli.connect import cluster_options, connected
from kubewright.cli.errors import WrongUse, one_sentence
from kubewright.cli.plain_signals import plain_signals

if TYPE_CHECKING:
    from kubewright.cli.running.access import Account
    from kubewright.cli.running.session import Session
    from kubewright.cluster.options import ClusterOptions

__all__ = ["run"]

_DATA_DIR: Final = ".kubewright/cluster"
"""Where a project keeps its own cluster; git is told to ignore it."""

_EMBEDDED: Final = "or give --embedded for a cluster of its own"

_LOG_LEVEL: Final = "info,kubewright.controllers.reconciles=debug"
"""What people want to see of a program that they work on: each reconcile, but nothing else of level debug."""


@click.command()
@click.option("--embedded", is_flag=True, help="On a cluster of its own, which is started on this machine.")
@click.option(
    "--data-dir",
    type=click.Path(file_okay=False, path_type=Path),
    help=f"Where the embedded cluster keeps its objects.  [default: {_DATA_DIR}]",
)
@click.option("--insecure-data-dir", is_flag=True, help="Use the data dir also if everyone may write to it.")
@click.option("--in-memory", is_flag=True, help="The embedded cluster keeps nothing, and is empty each time.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help="Where the embedded cluster listens, on loopback.  [default: any free one]",
)
@click.option(
    "--nodes", type=click.IntRange(0, 5000), help="How many nodes pretend to run pods.  [default: 1]"
)
@click.option(
    "--controllers",
    metavar="NAMES",
    help="Which controllers of the embedded cluster run, as for `kubewright server`.  [default: all]",
)
@cluster_options
@click.option("--package", metavar="NAME", help="The package to run.  [default: that of pyproject.toml]")
@click.option(
    "--install/--no-install",
    default=None,
    help="Whether the CRDs are installed before each start.  [default: with --embedded]",
)
@click.option("--samples", is_flag=True, help="Apply config/samples, and again when they change.")
@click.option(
    "--webhooks",
    type=click.Choice(["local", "off"]),
    help="Whether webhooks are served, to an API server on this machine.  "
    "[default: local with --embedded and without --service-account]",
)
@click.option(
    "--reload/--no-reload",
    default=True,
    show_default=True,
    help="Whether the program is started again when a file changes.",
)
@click.option(
    "--log-level",
    metavar="LEVEL",
    envvar="LOG_LEVEL",
    default=_LOG_LEVEL,
    show_default="info, and each reconcile",
    help="What the program logs: debug, info, warning, error, or such as info,some.logger=debug.",
)
@click.option(
    "--log-format",
    type=click.Choice(["text", "json"]),
    envvar="LOG_FORMAT",
    default="text",
    show_default=True,
    help="How the program logs.",
)
@click.option(
    "--service-account",
    metavar="NAMESPACE/NAME",
    help="Run with the rights of a service account alone, to see whether any are missing.",
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[-- ARGS...]")
def run(**options: Unpack[_Options]) -> None:
    """Run the operator from the source tree.

    What runs is `python -m` of the project's package, as in its image; ARGS are for it. It is started again
    when a file changes. Ctrl-C stops it.

    \b
    Examples:
      kubewright run --embedded --samples
      kubewright run --context staging --install -- --leader-elect
    """
    with one_sentence():
        session = _session(options)
        if session.cluster is None:
            # A cluster that is not there is told before anything is started.
            with connected(session.kubeconfig, session.context, instead=_EMBEDDED):
                pass
        code = _run(session)
    sys.exit(code)


class _Options(TypedDict):
    """The options of the command."""

    embedded: bool
    data_dir: Path | None
    insecure_data_dir: bool
    in_memory: bool
    port: int | None
    nodes: int | None
    controllers: str | None
    kubeconfig: str | None
    context: str | None
    package: str | None
    install: bool | None
    samples: bool
    webhooks: Literal["local", "off"] | None
    reload: bool
    log_level: str
    log_format: str
    service_account: str | None
    arguments: tuple[str, ...]


def _session(options: _Options) -> Session:
    from kubewright.cli.running.project import find_program  # noqa: PLC0415 - the help needs none of it
    from kubewright.cli.running.session import Session  # noqa: PLC0415 - as above

    embedded = options["embedded"]
    cluster = _cluster(options)
    account = _account(options["service_account"])
    level = _checked_level(options["log_level"])
    with one_sentence(WrongUse):
        program = find_program(Path().absolute(), options["package"], samples=options["samples"])
    return Session(
        program=program,
        arguments=options["arguments"],
        cluster=cluster,
        kubeconfig=options["kubeconfig"],
        context=options["context"],
        account=account,
        install=embedded if options["install"] is None else options["install"],
        samples=options["samples"],
        reload=options["reload"],
        # A deployed operator has no right to have an API server ask it elsewhere than in its Service.
        webhooks=options["webhooks"] or ("local" if embedded and account is None else "off"),
        environment={
            # What it prints is seen when it is printed, also through a pipe.
            "PYTHONUNBUFFERED": "1",
            **os.environ,
            "LOG_LEVEL": level,
            "LOG_FORMAT": options["log_format"],
        },
    )


def _cluster(given: _Options) -> ClusterOptions | None:
    """The cluster to start, if one is wanted. Raises UsageError for options that contradict each other."""
    if not given["embedded"]:
        values = {
            "--data-dir": given["data_dir"],
            "--insecure-data-dir": given["insecure_data_dir"] or None,
            "--in-memory": given["in_memory"] or None,
            "--port": given["port"],
            "--nodes": given["nodes"],
            "--controllers": given["controllers"],
        }
        for name in (name for name, value in values.items() if value is not None):
            raise click.UsageError(
                f"{name} is for a cluster of its own; give --embedded too, or leave it out"
            )
        return None
    if given["kubeconfig"] or given["context"]:
        raise click.UsageError("--embedded and --kubeconfig or --context contradict each other; choose one")
    if given["in_memory"] and given["data_dir"] is not None:
        raise click.UsageError("--in-memory and --data-dir contradict each other; choose one")
    kept = given["data_dir"] or Path(_DATA_DIR)
    made: ClusterOptions = {"data_dir": None if given["in_memory"] else kept.absolute()}
    if given["insecure_data_dir"]:
        made["insecure_data_dir"] = True
    if given["port"] is not None:
        made["port"] = given["port"]
    if given["nodes"] is not None:
        made["nodes"] = given["nodes"]
    if given["controllers"] is not None:
        made["controllers"] = given["controllers"]
    return made


def _checked_level(text: str) -> str:
    from kubewright.controllers.logs import levels_of  # noqa: PLC0415 - as above

    try:
        levels_of(text)
    except ValueError as error:
        raise click.UsageError(f"--log-level: {error}") from None
    return text


def _account(text: str | None) -> Account | None:
    from kubewright.cli.running.access import Account  # noqa: PLC0415 - as above

    if text is None:
        return None
    namespace, slash, name = text.partition("/")
    if not (namespace and slash and name) or "/" in name:
        raise click.UsageError(f"--service-account is {text}; write it as NAMESPACE/NAME")
    return Account(namespace, name)


def _run(session: Session) -> int:
    """Run it in an event loop, with what the start of a cluster needs loaded meanwhile."""
    import asyncio  # noqa: PLC0415 - the help needs none of it

    from kubewright.server.event_loop import new_event_loop  # noqa: PLC0415 - as above

    with ExitStack() as stack:
        if session.cluster is not None:
            from kubewright.server.preload import preload_http  # noqa: PLC0415 - for embedded clusters alone

            # As `kubewright server`: until it is ready there is next to no garbage.
            gc.disable()
            stack.callback(gc.enable)
            with plain_signals():
                stack.enter_context(preload_http())
                import kubewright.cluster.server  # noqa: PLC0415, F401 - while aiohttp is loaded

                new_event_loop().close()  # so that uvloop is loaded, too
        runner = stack.enter_context(asyncio.Runner(loop_factory=new_event_loop))
        return runner.run(session.run())
