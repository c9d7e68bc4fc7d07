"""Fixtures that every test may use."""

from __future__ import annotations

import fcntl
import gc
import json
import os
import shutil
import signal
import subprocess
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from tests import cel

if TYPE_CHECKING:
    from tests.realcluster.server import RealServer
    from tests.scheduling import ByFile

# CI machines have two busy cores: an example that is slow there, or slow to draw, is not a bug, and a run
# must not differ from the next for no reason. A developer who hunts for more sets HYPOTHESIS_PROFILE=deep.
# The same examples in every run, so that whoever changes nothing breaks nothing; `deep` looks for new ones.
ANY_TIME: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("default", **ANY_TIME, max_examples=100, derandomize=True)
settings.register_profile("deep", **ANY_TIME, max_examples=5000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
if settings.default is not None and settings.default.derandomize:
    # hypothesis mixes in the constants of whatever modules are loaded, which depends on the tests that the
    # worker ran before: examples would differ from run to run after all. It has no setting for that.
    providers._get_local_constants = lambda: providers._local_constants

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


def pytest_configure() -> None:
    """Let Ctrl-C be Ctrl-C: a shell starts what it runs in the background with the signal ignored."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With several workers the longest files go first, so that no worker ends long before the others."""
    if hasattr(config, "workerinput"):
        from tests.scheduling import LONGEST, unit_of

        ranks = {unit: rank for rank, unit in enumerate(LONGEST)}
        items.sort(key=lambda item: ranks.get(unit_of(item.nodeid), len(ranks)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByFile | None:
    """With `--dist loadfile`, keep a file, and files that share a server that is dear, on one worker."""
    if config.getoption("dist") != "loadfile":
        return None
    from tests.scheduling import ByFile

    return ByFile(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Keep the garbage collector from going through thousands of tests again and again."""
    gc.disable()
    if session.config.args == session.config.getini("testpaths") and hasattr(session.config, "workerinput"):
        from tests.scheduling import import_own_share

        import_own_share(session.config)


def pytest_collection_finish() -> None:
    """Let it work again, on what comes from now on."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, Any, pytest.CollectReport]:
    """Leave out files that declare rules in CEL, where it cannot be had."""
    report: pytest.CollectReport = yield
    if report.failed and _needs_cel(report.longreprtext):
        report.outcome, report.longrepr = "skipped", (str(collector.path), 0, f"Skipped: {cel.UNAVAILABLE}")
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, pytest.TestReport]:
    """Leave out tests that fail because of CEL alone, where it cannot be had; see `-rs` for which."""
    report: pytest.TestReport = yield
    if report.failed and _needs_cel(report.longreprtext, *(text for _, text in report.sections)):
        report.outcome, report.longrepr = "skipped", (str(item.path), 0, f"Skipped: {cel.UNAVAILABLE}")
    return report


def _needs_cel(*texts: str) -> bool:
    """Whether a failure says that cel-expr-python is not installed, on a Python that has no release of it."""
    return cel.IS_UNAVAILABLE and any(cel.UNAVAILABLE in text for text in texts)


@pytest.fixture(scope="session")
def oracle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Oracle]:
    """Upstream's own code, built with Go by the first worker that needs it."""
    go = shutil.which("go")
    if go is None:
        pytest.fail("the oracle tests need Go; `make test` leaves them out, `make test-real` runs them")
    directory = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        directory = directory.parent
    binary = directory / "oracle"
    with (directory / "oracle.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not binary.exists():
            subprocess.run([go, "build", "-o", str(binary), "."], cwd=ORACLE_SOURCE, check=True)
    with subprocess.Popen([str(binary)], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield Oracle(process)
        process.kill()


@pytest.fixture(scope="session")
def real_server() -> Iterator[RealServer]:
    """A real kube-apiserver on etcd, one for all tests of a worker; those that use it are marked `real`.

    Tests use namespaces, groups and names of their own. What needs flags, or changes what all share, starts a
    server of its own.
    """
    from tests.realcluster.server import RealServer

    with RealServer(fsync=False) as server:
        yield server
