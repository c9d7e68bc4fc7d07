"""What the start of a server waits for: the modules that are slow to load are not among them."""

from __future__ import annotations

import subprocess
import sys

import pytest

STARTED = """
import asyncio, sys
from kubewright.server.server import APIServer

assert not [name for name in sys.modules if name.partition(".")[0] == "aiohttp"]

async def main():
    async with APIServer():
        for name in sorted(sys.modules):
            print(name)

asyncio.run(main())
"""


def run(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60
    )


@pytest.fixture(scope="module")
def loaded() -> set[str]:
    """The modules that are there when a server in memory is ready."""
    ended = run(STARTED)
    assert ended.returncode == 0, ended.stderr
    return set(ended.stdout.split())


@pytest.mark.parametrize(
    "name",
    [
        "aiohttp.web",
        "cryptography.x509",
        "kubewright.crd",
        "kubewright.machinery.patch",
        "kubewright.models.core_v1",
        "kubewright.server.audit",
        "kubewright.server.authentication.oidc",
        "kubewright.server.customresources.controller",
        "kubewright.server.issuer_client",
        "sqlite3",
        "yaml",
    ],
)
def test_it_comes_when_it_is_needed(loaded: set[str], name: str) -> None:
    assert "aiohttp.web_server" in loaded
    assert name not in loaded


def test_aiohttp_is_there_after_the_block() -> None:
    ended = run(
        "import sys; from kubewright.server.preload import preload_http\n"
        "with preload_http(): pass\n"
        "print('aiohttp.web_server' in sys.modules)"
    )
    assert (ended.stdout, ended.stderr) == ("True\n", "")


def test_a_process_that_ends_amid_an_import_does_not_wait_for_the_thread() -> None:
    """A signal that raises amid an import may leave its lock taken, which the thread wants as well."""
    ended = run(
        "import _imp, sys; from kubewright.server.preload import preload_http\n"
        "with preload_http():\n"
        "    _imp.acquire_lock()\n"
        "    sys.exit(3)\n"
    )
    assert (ended.returncode, ended.stderr) == (3, "")


def test_without_aiohttp_the_block_runs_and_its_import_says_why() -> None:
    ended = run(
        "import sys; from kubewright.server.preload import preload_http\n"
        "sys.modules['aiohttp'] = None\n"
        "with preload_http():\n"
        "    print('block')\n"
        "    import aiohttp\n"
    )
    assert ended.stdout == "block\n"
    assert "ModuleNotFoundError" in ended.stderr
    assert "kubewright-preload" not in ended.stderr
