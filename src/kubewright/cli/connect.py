"""The cluster that a command works on: `--kubeconfig`, `--context`, and what to do where there is none."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from kubewright.cli.completion import complete_contexts
from kubewright.cli.errors import WrongUse, told
from kubewright.machinery.errors import (
    ApiError,
    Forbidden,
    KubewrightError,
    ParseError,
    TransportError,
    Unauthorized,
)

if TYPE_CHECKING:
    from logging import LogRecord

    from kubewright.config import Config
    from kubewright.sync import Client

__all__ = ["cluster_options", "connected", "is_missing_right", "meant_by", "trouble_of"]

F = TypeVar("F", bound=Callable[..., Any])

_PATIENCE: Final = 15.0
"""Seconds until a cluster that does not answer counts as none: some tries to connect, and a slow server."""

_CALLER: Final = re.compile(r'\b[Uu]ser ".*" (cannot |\(groups=)')
"""How API servers name a caller who has no right to a request, or may not give a right to others."""

_NO_CLUSTER: Final = "or start a cluster on this machine with `kubewright server`"


def cluster_options(command: F) -> F:
    """A decorator of commands: `--kubeconfig` and `--context`, as the parameters of `connected`."""
    command = click.option(
        "--context",
        metavar="NAME",
        shell_complete=complete_contexts,
        help="The context of the kubeconfig to use.  [default: its current one]",
    )(command)
    return click.option(
        "--kubeconfig",
        metavar="FILE",
        type=click.Path(),
        help="The kubeconfig to use.  [default: $KUBECONFIG, or ~/.kube/config]",
    )(command)


@contextmanager
def connected(kubeconfig: str | None, context: str | None, *, instead: str = _NO_CLUSTER) -> Iterator[Client]:
    """A blocking client of the cluster that is meant, which has answered once when the block is entered.

    Without a cluster, or when it goes away or refuses the caller within the block, the command ends with one
    sentence that says what to do, `instead` among it, and with the exit code 1. Other errors are left to
    `one_sentence`.
    """
    from kubewright.sync import Client  # noqa: PLC0415 - the help needs none of it

    with _meant(kubeconfig, context, instead) as config:
        with Client(config, timeout=_PATIENCE) as client, _answering(config):
            client.version()
        with Client(config) as client:
            yield client


async def trouble_of(
    kubeconfig: str | None, context: str | None, *, instead: str = _NO_CLUSTER
) -> str | None:
    """Why the cluster that is meant cannot be used now, in the sentence of `connected`; None when it can.

    It is for asking again and again, while nobody looks on: credential plugins have no terminal, and nothing
    is shown or logged.
    """
    from kubewright.client.client import Client  # noqa: PLC0415 - the help needs none of it
    from kubewright.config.exec_credentials import unattended  # noqa: PLC0415 - as above

    try:
        with _unlogged("kubewright.config"), _meant(kubeconfig, context, instead) as config:
            async with Client(unattended(config), timeout=_PATIENCE) as client:
                with _answering(config):
                    await client.version()
    except click.ClickException as error:
        return error.format_message()
    except (KubewrightError, OSError) as error:
        return told(error) or type(error).__name__
    return None


def meant_by(kubeconfig: str | None, context: str | None) -> str | None:
    """Which cluster is meant: its context and address, for people; None when that cannot be read.

    Nothing is asked, and no credential is used.
    """
    from kubewright.config import ConfigError, load_config  # noqa: PLC0415 - the help needs none of it

    try:
        with _unlogged("kubewright.config"):
            config = load_config(kubeconfig=kubeconfig, context=context)
    except (ConfigError, OSError):
        return None
    return f"{config.context or 'this pod'} ({_server(config)})"


@contextmanager
def _unlogged(name: str) -> Iterator[None]:
    """Have a logger say nothing within the block, where all that matters is raised."""

    import logging  # noqa: PLC0415 - the help needs none of it

    def drop(_: LogRecord) -> bool:
        return False

    logger = logging.getLogger(name)
    logger.addFilter(drop)
    try:
        yield
    finally:
        logger.removeFilter(drop)


@contextmanager
def _meant(kubeconfig: str | None, context: str | None, instead: str) -> Iterator[Config]:
    """How the cluster is reached; what goes wrong with it within the block is raised as one sentence."""
    from kubewright.config import ConfigError, load_config  # noqa: PLC0415 - the help needs none of it

    try:
        config = load_config(kubeconfig=kubeconfig, context=context)
        yield config
    except ConfigError as error:
        is_missing = kubeconfig is not None and not os.path.lexists(kubeconfig)
        raise (WrongUse if is_missing else click.ClickException)(_config_told(error, instead)) from error
    except Unauthorized as error:
        place = f"the user of the context {config.context}" if config.context else "this pod"
        raise click.ClickException(
            f"{_server(config)} does not accept the credentials of {place}, which may have expired; "
            "log in again, or choose another --context"
        ) from error
    except Forbidden as error:
        if not is_missing_right(error):
            raise
        raise click.ClickException(
            f"{_line(error)}; ask for this right, or choose a --context whose user has it"
        ) from error
    except TransportError as error:
        raise click.ClickException(_transport_told(error, instead)) from error


def is_missing_right(error: Forbidden) -> bool:
    """Whether something is refused for who the caller is, and not for what it is, as admission does."""
    return _CALLER.search(error.status.message or "") is not None


@contextmanager
def _answering(config: Config) -> Iterator[None]:
    """Around a question for the version, as all callers may ask: a wrong address is told, and what it is."""
    try:
        yield
    except (Unauthorized, TransportError):
        raise
    except Forbidden:
        return  # by rights stricter than the usual ones; what the command needs may be among them
    except (ApiError, ParseError) as error:
        if isinstance(error, ApiError) and (error.status.code or 0) >= 500:
            why = f"is not ready: {_line(error)}; try again, or choose another --context"
        else:
            why = (
                "does not answer as a Kubernetes API server does; correct the server in the kubeconfig, "
                "or choose another --context"
            )
        raise click.ClickException(f"{_server(config)} {why}") from error


def _config_told(error: KubewrightError, instead: str) -> str:
    line = _line(error)
    if line.startswith("no cluster is configured"):
        found, _, _ = line.partition(", and this is no pod")
        return f"{found}; name a kubeconfig with --kubeconfig or $KUBECONFIG, {instead}"
    return line


def _transport_told(error: TransportError, instead: str) -> str:
    line = _line(error)
    if error.lasting:
        return line  # has its remedy
    return f"{line}; start it, choose another --context, {instead}"


def _server(config: Config) -> str:
    from kubewright.config.config import without_password  # noqa: PLC0415 - the help needs none of it

    return without_password(config.server)


def _line(error: KubewrightError) -> str:
    return " ".join(str(error).split())
