"""controller-runtime's own tests of webhooks, unchanged, with this server in place of envtest's."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.realcluster.binaries import find_webhook_suite
from tests.server.processes import ServerProcess

TIMEOUT = 300.0
"""Seconds that the suite may take on a busy machine; on a quiet one it takes 5."""

ATTEMPTS = 5
"""How often a spec is tried: each waits only a second for a server to answer."""


@pytest.mark.oracle
def test_webhook_suite_of_controller_runtime(tmp_path: Path) -> None:
    suite = find_webhook_suite()
    with ServerProcess(tmp_path / "server") as server:
        done = subprocess.run(
            [suite, f"-ginkgo.flake-attempts={ATTEMPTS}", "-ginkgo.no-color", "-test.v"],
            cwd=tmp_path,
            env={**os.environ, "USE_EXISTING_CLUSTER": "true", "KUBECONFIG": server.kubeconfig},
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    # Two of the ten are marked as pending by upstream.
    assert "8 Passed | 0 Failed" in done.stdout
