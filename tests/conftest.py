"""Fixtures that every test may use."""

from __future__ import annotations

import gc
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# CI machines have two busy cores: an example that is slow there is not a bug, and a run must not differ
# from the next for no reason. A developer who hunts for more sets HYPOTHESIS_PROFILE=deep.
# The same examples in every run, so that whoever changes nothing breaks nothing; `deep` looks for new ones.
settings.register_profile("default", deadline=None, max_examples=100, derandomize=True)
settings.register_profile("deep", deadline=None, max_examples=5000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

LONGEST = (
    "server/test_crash.py",
    "server/bad_input/test_fuzz.py",
    "cli/test_server.py",
    "server/bad_input/test_bodies.py",
    "informers/faults/test_model.py",
    "informers/faults/test_connections.py",
    "informers/faults/test_restored_servers.py",
    "codegen/test_crd_types.py",
    "codegen/test_openapi_types.py",
    "codegen/test_client_generator.py",
    "webhooks/test_rotation_under_load.py",
    "cli/test_manifests.py",
    "crd/cel/test_limits.py",
)
"""The files that take longest."""

ORACLE_SOURCE = Path(__file__).parent / "oracle"


class OracleRefusal(Exception):
    """Upstream's code answered with an error."""


class Oracle:
    """Asks upstream's own Go code, one question at a time."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def ask(self, op: str, arg: object) -> Any:
        """The answer to one question; raises OracleRefusal with upstream's message."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"op": op, "arg": arg}).encode() + b"\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        if "error" in answer:
            raise OracleRefusal(answer["error"])
        return answer.get("ok")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With several workers the longest files go first, so that no worker ends long before the others."""
    if hasattr(config, "workerinput"):
        root = Path(__file__).parent
        ranks = {root / name: rank for rank, name in enumerate(LONGEST)}
        items.sort(key=lambda item: ranks.get(item.path, len(ranks)))


def pytest_collection_finish() -> None:
    """Keep the garbage collector from going through thousands of tests again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def oracle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Oracle]:
    """Upstream's own code, built with Go once a session (Go's build cache makes the second time quick)."""
    go = shutil.which("go")
    if go is None:
        pytest.fail("the oracle tests need Go; `make test` leaves them out, `make test-real` runs them")
    binary = tmp_path_factory.mktemp("oracle") / "oracle"
    subprocess.run([go, "build", "-o", str(binary), "."], cwd=ORACLE_SOURCE, check=True)
    with subprocess.Popen([str(binary)], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield Oracle(process)
        process.kill()
