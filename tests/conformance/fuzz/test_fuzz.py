"""Random requests, to both servers: the answers are the same but for what docs/server-differences.md lists.

FUZZ_SEQUENCES says how many sequences are tried and FUZZ_SEED with which the first begins.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest

from kubewright.testing import Cluster
from tests.conformance.client import Client
from tests.conformance.fuzz.run import Fuzzer

LENGTH = 30
SEQUENCES = int(os.environ.get("FUZZ_SEQUENCES", "150"))
SEED = int(os.environ.get("FUZZ_SEED", "0"))
PATIENCE = 60.0 if "FUZZ_SEQUENCES" not in os.environ else float("inf")
"""Seconds after which no further sequence is begun, on machines that are too busy for all of them."""


@pytest.fixture(scope="module")
def fuzzer() -> Iterator[Fuzzer]:
    """Servers of its own: other tests change the ones they share."""
    from tests.realcluster.server import RealServer

    with RealServer(fsync=False) as real, Cluster.in_thread(controllers="none") as ours:
        clients = Client(real), Client(ours)
        made = Fuzzer(*clients)
        yield made
        made.close()
        for client in clients:
            client.close()


@pytest.mark.real
def test_both_servers_answer_the_same(fuzzer: Fuzzer) -> None:
    deadline = time.monotonic() + PATIENCE
    for seed in range(SEED, SEED + SEQUENCES):
        found = fuzzer.run(seed, LENGTH)
        if found is not None:
            pytest.fail(str(fuzzer.shortened(found)), pytrace=False)
        if time.monotonic() > deadline:
            break
