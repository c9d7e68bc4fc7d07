"""A server for each module, and a look after each test at whether it is unharmed."""

from __future__ import annotations

import itertools
import json
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from kubewright.testing import Cluster
from tests.server.raw_http import Connection, Reachable

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"

_numbers = itertools.count()


@pytest.fixture(scope="module")
def server() -> Iterator[Cluster]:
    """The server that is maltreated."""
    with Cluster.in_thread(controllers="none") as cluster:
        yield cluster


@pytest.fixture(autouse=True)
def unharmed(server: Cluster, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """After the test the server has logged no error and no traceback, and it still serves."""
    with caplog.at_level(logging.WARNING):
        yield
    serves(server)
    records = [*caplog.get_records("call"), *caplog.get_records("teardown")]
    harm = [each.getMessage() for each in records if each.exc_info or each.levelno >= logging.ERROR]
    assert not harm, harm[:3]


@pytest.fixture
def existing(server: Cluster) -> str:
    """The path of a ConfigMap that is there."""
    name = f"existing-{next(_numbers)}"
    with Connection(server) as connection:
        answer = connection.request("POST", CONFIG_MAPS, config_map(name, data={"k": "v"}))
    assert answer is not None
    assert answer.status == 201
    return f"{CONFIG_MAPS}/{name}"


def serves(server: Reachable) -> None:
    """Fail unless the server is ready, creates, reads and deletes."""
    name = f"still-there-{next(_numbers)}"
    with Connection(server) as connection:
        wanted = (
            ("GET", "/readyz", b"", 200),
            ("POST", CONFIG_MAPS, config_map(name), 201),
            ("GET", f"{CONFIG_MAPS}/{name}", b"", 200),
            ("DELETE", f"{CONFIG_MAPS}/{name}", b"", 200),
        )
        for method, path, body, status in wanted:
            answer = connection.request(method, path, body)
            assert answer is not None, f"{method} {path}"
            assert answer.status == status, f"{method} {path}: {answer.status} {answer.body[:200]!r}"


def config_map(name: str, **more: object) -> bytes:
    """The JSON of a ConfigMap."""
    obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, **more}
    return json.dumps(obj).encode()


@contextmanager
def cpu_budget(seconds: float) -> Iterator[None]:
    """Fail when this process, in which the server runs too, works longer than that.

    Waiting does not count, so that a busy machine does not fail the test.
    """
    start = time.process_time()
    yield
    used = time.process_time() - start
    assert used < seconds, f"{used:.1f} s of CPU"
