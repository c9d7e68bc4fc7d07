"""Which worker runs which files of tests, and in which order, when several workers share them."""

from __future__ import annotations

import importlib
from contextlib import suppress
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

__all__ = ["LONGEST", "TOGETHER", "ByFile", "import_own_share", "unit_of"]

_CLUSTER = "tests/cluster: with kube-controller-manager and kube-scheduler"

TOGETHER = {
    f"tests/cluster/{name}.py": _CLUSTER
    for name in (
        "workloads/test_differential",
        "volumes/test_differential",
        "test_differential",
        "test_namespaces_differential",
        "garbage/test_random_graphs",
        "garbage/test_strangers_differential",
    )
}
"""Files that share the fixture `real_cluster`, which uses a tenth of a core while nobody asks it anything."""

LONGEST = (
    "tests/server/test_crash.py",
    "tests/client/test_cycles.py",
    "tests/server/handlers/test_idle_watch.py",
    "tests/client/test_watch_faults.py",
    _CLUSTER,
    "tests/informers/faults/test_leaks.py",
    "tests/controllers/leadership/test_paused.py",
    "tests/machinery/patch/test_oracle_strategic.py",
    "tests/server/bad_input/test_fuzz.py",
    "tests/conformance/fuzz/test_fuzz.py",
    "tests/docs/test_tutorial.py",
    "tests/machinery/apply/test_oracle_writes.py",
    "tests/codegen/test_openapi_real.py",
    "tests/cluster/nodes/test_differential.py",
    "tests/cluster/test_kubectl_pods.py",
    "tests/examples/test_network.py",
    "tests/examples/test_custompod.py",
    "tests/cli/test_server.py",
    "tests/server/bad_input/test_bodies.py",
    "tests/informers/faults/test_model.py",
    "tests/informers/faults/test_connections.py",
    "tests/informers/faults/test_restored_servers.py",
    "tests/codegen/test_crd_types.py",
    "tests/codegen/test_openapi_types.py",
    "tests/codegen/test_client_generator.py",
    "tests/webhooks/test_rotation_under_load.py",
    "tests/cli/test_manifests.py",
    "tests/crd/cel/test_limits.py",
)
"""The units that take longest: they are begun first, so that no worker ends long before the others."""


def unit_of(nodeid: str) -> str:
    """What a test runs together with, on one worker and one after the other: its file, or several files."""
    file = nodeid.partition("::")[0]
    return TOGETHER.get(file, file)


def import_own_share(config: pytest.Config) -> None:
    """Import some of the modules before all are collected: each worker others.

    The first to import a module compiles it, with assertions rewritten, for all; on a fresh checkout every
    worker would do that for every module, since they go through them in the same order.
    """
    worker: dict[str, Any] = config.workerinput  # type: ignore[attr-defined]
    number, count = int(worker["workerid"].removeprefix("gw")), int(worker["workercount"])
    files = sorted((config.rootpath / "tests").rglob("test_*.py"))
    for file in files[number::count]:
        name = ".".join(file.relative_to(config.rootpath).with_suffix("").parts)
        # What is wrong with a module is told when it is collected.
        with suppress(Exception, pytest.skip.Exception):
            importlib.import_module(name)


class ByFile(LoadScopeScheduling):
    """Gives each worker a unit at a time."""

    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid)
