"""The files that are watched, and what counts as a change."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from kubewright.cli.running.sources import Sources


def project(folder: Path) -> Sources:
    """A package, a virtual environment, and what else lies about."""
    for name in (
        *("src/demo/__init__.py", "src/demo/controllers/pod.py", "src/demo/__pycache__/pod.py"),
        *("src/.hidden/a.py", "src/demo/.#pod.py", "src/demo/data.yaml"),
        *("src/env/pyvenv.cfg", "src/env/lib/site.py", "pyproject.toml", "config/samples/a.yaml"),
    ):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    return Sources(folder / "src", folder / "pyproject.toml", folder / "config/samples")


def names(folder: Path, sources: Sources) -> set[str]:
    return {os.path.relpath(path, folder) for path in sources.snapshot()}


def test_modules_of_the_project_and_what_was_named(tmp_path: Path) -> None:
    assert names(tmp_path, project(tmp_path)) == {
        *("src/demo/__init__.py", "src/demo/controllers/pod.py", "pyproject.toml", "config/samples/a.yaml"),
    }


def test_what_is_not_there_is_nothing(tmp_path: Path) -> None:
    assert Sources(tmp_path / "src", tmp_path / "pyproject.toml").snapshot() == {}


CHANGES = {
    "written": lambda folder: (folder / "src/demo/__init__.py").write_text("x = 1"),
    "made": lambda folder: (folder / "src/demo/new.py").write_text(""),
    "deleted": lambda folder: (folder / "src/demo/__init__.py").unlink(),
    "replaced": lambda folder: os.replace(folder / "pyproject.toml", folder / "src/demo/__init__.py"),
    "a sample": lambda folder: (folder / "config/samples/b.yaml").write_text(""),
}


@pytest.mark.parametrize("change", CHANGES)
def test_changes_are_seen(tmp_path: Path, change: str) -> None:
    async def test() -> list[str]:
        before = sources.snapshot()
        changed = asyncio.create_task(sources.changed(before))
        await asyncio.sleep(0)
        CHANGES[change](tmp_path)
        async with asyncio.timeout(30):
            return await changed

    sources = project(tmp_path)
    assert asyncio.run(test())


def test_several_that_come_together_are_one_change(tmp_path: Path) -> None:
    async def test() -> list[str]:
        async def write() -> None:
            for number in range(6):
                (tmp_path / f"src/demo/new{number}.py").write_text("")
                await asyncio.sleep(0.03)

        async with asyncio.timeout(30), asyncio.TaskGroup() as tasks:
            changed = tasks.create_task(sources.changed(sources.snapshot()))
            tasks.create_task(write())
            return await changed

    sources = project(tmp_path)
    assert len(asyncio.run(test())) == 6


def test_what_was_undone_is_none(tmp_path: Path) -> None:
    async def test() -> None:
        before = sources.snapshot()
        path = tmp_path / "src/demo/new.py"
        path.write_text("")
        changed = asyncio.create_task(sources.changed(before))
        await asyncio.sleep(0.05)
        path.unlink()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(changed, 0.8)

    sources = project(tmp_path)
    asyncio.run(test())


def test_what_else_lies_about_is_none(tmp_path: Path) -> None:
    sources = project(tmp_path)
    before = sources.snapshot()
    for name in ("src/demo/data.yaml", "src/demo/.#pod.py", "src/env/lib/site.py", "README.md"):
        (tmp_path / name).write_text("changed")
    assert sources.snapshot() == before
