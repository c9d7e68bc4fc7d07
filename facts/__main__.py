"""`make facts`: record the facts from a kube-apiserver, by default from the one that the tests build."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from facts import KUBERNETES
from facts.errors import RecordingError
from facts.recording import record, write_documents
from kubewright import ApiError, Client, TransportError
from kubewright.config import Config, ConfigError, load_config


def main() -> int:
    """Record, and say what was recorded; a failure is one line on stderr."""
    parser = argparse.ArgumentParser(prog="python -m facts", description=__doc__)
    parser.add_argument("--kubeconfig", type=Path, help="how to reach the server; its user must be an admin")
    parser.add_argument("--context", help="the context of the kubeconfig, if not its current one")
    parser.add_argument("--output", type=Path, default=KUBERNETES, help="a directory, which is replaced")
    arguments = parser.parse_args()
    try:
        with _server(arguments.kubeconfig, arguments.context) as config:
            documents = asyncio.run(_record(config))
        write_documents(documents, arguments.output)
    except (ApiError, ConfigError, RecordingError, TransportError) as error:
        sys.stderr.write(f"make facts: {error}\n")
        return 1
    size = sum(map(len, documents.values()))
    sys.stdout.write(f"{len(documents)} documents, {size / 1e6:.1f} MB, in {arguments.output}\n")
    return 0


@contextmanager
def _server(kubeconfig: Path | None, context: str | None) -> Iterator[Config]:
    if kubeconfig is not None:
        yield load_config(kubeconfig=kubeconfig, context=context)
        return
    from tests.realcluster.binaries import MissingBinary  # noqa: PLC0415 - not needed with a kubeconfig
    from tests.realcluster.server import RealServer, ServerFailed  # noqa: PLC0415

    try:
        with RealServer(fsync=False) as server:
            yield server.config
    except (MissingBinary, ServerFailed) as error:
        raise RecordingError(str(error)) from error


async def _record(config: Config) -> dict[str, str]:
    async with Client(config) as client:
        return await record(client)


if __name__ == "__main__":
    sys.exit(main())
