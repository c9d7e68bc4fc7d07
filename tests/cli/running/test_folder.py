"""The folder of a run: who may read it, what is in it, and who takes it away."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from kubewright.cli.running.folder import RunFolder

LEFT = """
import os, signal, sys
from kubewright.cli.running.folder import RunFolder
folder = RunFolder()
(folder.path / "account").write_text("token: secret")
print(folder.path, flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def age(folder: Path) -> None:
    """Have it last changed an hour ago."""
    os.utime(folder, (time.time() - 3600,) * 2)


def test_temporary_files_are_in_it_while_it_is_there(temporary: Path) -> None:
    folder = RunFolder()
    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700
    with tempfile.NamedTemporaryFile() as file:
        assert Path(file.name).parent == folder.path
    Path(tempfile.mkdtemp(), "key").write_text("secret")
    folder.remove()
    assert list(temporary.iterdir()) == []
    assert tempfile.gettempdir() == str(temporary)


def test_what_killed_runs_left_is_taken_away_and_nothing_else(temporary: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", LEFT],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(temporary)},
    ) as process:
        assert process.stdout is not None
        left = Path(process.stdout.readline().strip())
        age(left)
        # One that lives has its folder locked, however old it is.
        RunFolder().remove()
        assert (left / "account").exists()
        process.send_signal(signal.SIGKILL)
        process.wait(30)
    fresh, other = temporary / "kubewright-run-fresh", temporary / "kubewright-other"
    elsewhere, link = temporary / "elsewhere", temporary / "kubewright-run-link"
    for each in (fresh, other, elsewhere):
        each.mkdir()
    link.symlink_to(elsewhere)
    for each in (left, other, elsewhere):
        age(each)
    RunFolder().remove()
    assert sorted(temporary.iterdir()) == sorted([fresh, other, elsewhere, link])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give folders away")
def test_folders_of_others_are_theirs(temporary: Path) -> None:
    theirs = temporary / "kubewright-run-theirs"
    theirs.mkdir()
    os.chown(theirs, 65534, 65534)
    age(theirs)
    RunFolder().remove()
    assert theirs.is_dir()


def test_two_at_once(temporary: Path) -> None:
    one = RunFolder()
    age(one.path)
    # As in another process, whose temporary files are where they always are.
    tempfile.tempdir = str(temporary)
    other = RunFolder()
    assert one.path.is_dir()
    other.remove()
    one.remove()
    assert list(temporary.iterdir()) == []
