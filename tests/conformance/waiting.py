"""Waiting for what a server does in its own time: roles come into force, definitions are established."""

from __future__ import annotations

import time
from collections.abc import Callable

from tests.conformance.client import Client, Response

__all__ = ["caught_up", "eventually", "watched"]

PATIENCE = 60.0
"""Seconds; kube-apiserver needs less than one for what is waited for here, on an idle machine."""

TIMES = (1, 5, 25)
"""Seconds after which watches end, so long as nothing has come: the first is enough on an idle machine."""


def eventually(condition: Callable[[], bool], what: str, *, patience: float = PATIENCE) -> None:
    """Asks until the condition holds; fails the test when it does not in time."""
    deadline = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < deadline, f"waited {patience:.0f} seconds: {what}"
        time.sleep(0.02)


def caught_up(client: Client, path: str) -> None:
    """Waits until the cache of a server has all that was written to a collection so far.

    A real server answers from it to those who ask for revision 0 or an old one, and begins watches with it.
    """
    now = client.get(path).json()["metadata"]["resourceVersion"]
    eventually(lambda: client.get(path, resourceVersion=now).status == 200, f"{path} is not cached")


def watched(client: Client, path: str, *, headers: dict[str, str] | None = None, **query: str) -> Response:
    """All that comes of a watch until its time is over, which is long enough for something to come."""
    caught_up(client, path)
    for seconds in TIMES:
        response = client.get(path, headers=headers, watch="1", timeoutSeconds=seconds, **query)
        if response.status == 200 and response.body:
            break
    return response
