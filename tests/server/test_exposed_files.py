"""Keys and Secrets that everybody could read or replace: a server refuses or warns, with the remedy."""

from __future__ import annotations

import asyncio
import stat
from pathlib import Path

import pytest

from kubewright.server.credentials import CredentialsExposed, load_credentials
from kubewright.server.server import APIServer
from kubewright.server.storage import SQLiteStorage

HOSTS = ["localhost"]
SECRET = ["token", "ca.key", "sa.key", "apiserver.key", "admin.key"]


def opened_and_closed(data_dir: Path) -> None:
    async def run() -> None:
        storage = await SQLiteStorage.open(data_dir)
        await storage.close()

    asyncio.run(run())


@pytest.mark.parametrize("mode", [0o777, 0o707, 0o702, 0o1777], ids=oct)
def test_a_data_dir_that_everybody_may_write_to(
    tmp_path: Path, mode: int, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    folder.chmod(mode)
    opened_and_closed(folder)
    (warned,) = caplog.messages
    assert warned == (
        f"everybody on this machine may write to the data dir {folder}, which holds keys and Secrets; "
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
