"""Keys and Secrets that everybody could read or replace: a server refuses or warns, with the remedy."""

from __future__ import annotations

import asyncio
import os
import stat
from pathlib import Path

import pytest

from kubewright.server.credentials import CredentialsExposed, load_credentials
from kubewright.server.server import APIServer
from kubewright.server.storage import SQLiteStorage, StorageUnusable

HOSTS = ["localhost"]
SECRET = ["token", "ca.key", "sa.key", "apiserver.key", "admin.key"]


def opened_and_closed(data_dir: Path, *, allow_insecure: bool = False) -> None:
    async def run() -> None:
        storage = await SQLiteStorage.open(data_dir, allow_insecure=allow_insecure)
        await storage.close()

    asyncio.run(run())


@pytest.mark.parametrize("mode", [0o777, 0o707, 0o702, 0o1777], ids=oct)
def test_a_data_dir_that_everybody_may_write_to(
    tmp_path: Path, mode: int, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    folder.chmod(mode)
    with pytest.raises(StorageUnusable) as raised:
        opened_and_closed(folder)
    assert str(raised.value) == (
        f"everyone on this machine may write to the data dir {folder}, which holds keys and Secrets; "
        f"run chmod o-w {folder}, or allow it with --insecure-data-dir if nobody else uses the machine"
    )
    assert list(folder.iterdir()) == []
    opened_and_closed(folder, allow_insecure=True)
    (warned,) = caplog.messages
    assert warned == (
        f"everyone on this machine may write to the data dir {folder}, which holds keys and Secrets; "
        f"if others use the machine, run chmod o-w {folder}"
    )
    caplog.clear()
    folder.chmod(folder.stat().st_mode & ~stat.S_IWOTH)
    opened_and_closed(folder)
    assert not caplog.messages


@pytest.mark.parametrize("mode", [0o755, 0o775, 0o700, 0o2775], ids=oct)
def test_a_data_dir_as_people_make_it(tmp_path: Path, mode: int) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    folder.chmod(mode)
    opened_and_closed(folder)
    assert stat.S_IMODE((folder / "storage.db").stat().st_mode) == 0o600


@pytest.mark.parametrize("name", SECRET)
@pytest.mark.parametrize("mode", [0o644, 0o604, 0o602], ids=oct)
def test_a_key_that_everybody_may_read_or_change(tmp_path: Path, name: str, mode: int) -> None:
    before = load_credentials(tmp_path, HOSTS)
    path = tmp_path / name
    path.chmod(mode)
    with pytest.raises(CredentialsExposed) as raised:
        load_credentials(tmp_path, HOSTS)
    assert str(raised.value) == (
        f"everybody may read or change {path}, which only its owner may know; run chmod 600 {path}"
    )
    path.chmod(0o660)  # as in a volume with the group of its pod
    assert load_credentials(tmp_path, HOSTS) == before


def test_certificates_are_no_secret(tmp_path: Path) -> None:
    before = load_credentials(tmp_path, HOSTS)
    for name in ("ca.crt", "apiserver.crt", "admin.crt"):
        (tmp_path / name).chmod(0o644)
    tmp_path.chmod(0o755)
    assert load_credentials(tmp_path, HOSTS) == before


def test_a_folder_of_keys_that_everybody_may_write_to(tmp_path: Path) -> None:
    load_credentials(tmp_path, HOSTS)
    tmp_path.chmod(0o777)
    with pytest.raises(CredentialsExposed) as raised:
        load_credentials(tmp_path, HOSTS)
    assert str(raised.value) == (
        f"everybody may write to {tmp_path}, which holds keys; run chmod 700 {tmp_path}"
    )


def test_a_server_refuses_them(tmp_path: Path) -> None:
    async def start() -> None:
        async with APIServer(data_dir=tmp_path):
            pass

    asyncio.run(start())
    key = tmp_path / "pki" / "ca.key"
    key.chmod(0o644)
    with pytest.raises(CredentialsExposed, match="run chmod 600 "):
        asyncio.run(start())
    key.chmod(0o600)
    asyncio.run(start())


@pytest.mark.parametrize("name", ["token", ""], ids=["a key", "the folder"])
def test_nothing_is_left_of_the_look_at_the_file_system(tmp_path: Path, name: str) -> None:
    load_credentials(tmp_path, HOSTS)
    before = sorted(tmp_path.iterdir())
    (tmp_path / name).chmod(0o777)
    with pytest.raises(CredentialsExposed):
        load_credentials(tmp_path, HOSTS)
    assert sorted(tmp_path.iterdir()) == before


def keep_no_modes(
    monkeypatch: pytest.MonkeyPatch, *, files: int | None = 0o777, folders: int = 0o777
) -> None:
    """As on CIFS, exFAT and shared folders: each file has one mode and each folder, whatever is asked for.

    Without one for files these keep their own.
    """
    real = Path.stat

    def shown(self: Path, *, follow_symlinks: bool = True) -> os.stat_result:
        found = real(self, follow_symlinks=follow_symlinks)
        mode = folders if stat.S_ISDIR(found.st_mode) else files
        if mode is None:
            return found
        return os.stat_result((stat.S_IFMT(found.st_mode) | mode, *found[1:]))

    monkeypatch.setattr(Path, "stat", shown)


@pytest.mark.parametrize(
    ("files", "folders", "told"),
    [
        (0o777, 0o777, "everybody may write to {0}, which holds keys"),
        (0o600, 0o777, "everybody may write to {0}, which holds keys"),
        (0o755, 0o755, "everybody may read or change {0}/token, which only its owner may know"),
    ],
)
def test_a_file_system_that_keeps_no_permissions(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    files: int,
    folders: int,
    told: str,
) -> None:
    made = load_credentials(tmp_path, HOSTS)
    before = sorted(tmp_path.iterdir())
    keep_no_modes(monkeypatch, files=files, folders=folders)
    assert load_credentials(tmp_path, HOSTS) == made
    (warned,) = caplog.messages
    assert warned == (
        f"{told.format(tmp_path)}, and its file system keeps no permissions; "
        "if others use the machine, have the data dir on another file system"
    )
    assert sorted(tmp_path.iterdir()) == before


def test_a_key_is_refused_where_only_folders_keep_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_credentials(tmp_path, HOSTS)
    (tmp_path / "ca.key").chmod(0o644)
    keep_no_modes(monkeypatch, files=None)
    with pytest.raises(CredentialsExposed, match=r"run chmod 600 .*ca\.key$"):
        load_credentials(tmp_path, HOSTS)


def test_where_nothing_can_be_tried_they_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load_credentials(tmp_path, HOSTS)
    keep_no_modes(monkeypatch)

    def refuse(self: Path, mode: int = 0o777) -> None:
        raise PermissionError(self)

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(CredentialsExposed, match="run chmod 700 "):
        load_credentials(tmp_path, HOSTS)


def test_a_data_dir_on_such_a_file_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    keep_no_modes(monkeypatch)
    with pytest.raises(
        StorageUnusable, match="use another file system, as this one keeps no permissions, or "
    ):
        opened_and_closed(tmp_path)
    opened_and_closed(tmp_path, allow_insecure=True)
    (warned,) = caplog.messages
    assert warned == (
        f"everyone on this machine may write to the data dir {tmp_path}, which holds keys and Secrets; "
        "if others use the machine, use another file system, as this one keeps no permissions"
    )


def test_a_server_starts_again_on_such_a_file_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def start() -> None:
        async with APIServer(data_dir=tmp_path, insecure_data_dir=True):
            pass

    keep_no_modes(monkeypatch)
    asyncio.run(start())
    asyncio.run(start())
