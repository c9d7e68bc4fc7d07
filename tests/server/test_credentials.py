"""Credentials in files: kept, private, and never half of them."""

from __future__ import annotations

import base64
import ssl
import stat
from pathlib import Path

import pytest

from kubewright.machinery import yaml
from kubewright.server.certificates import make_credentials
from kubewright.server.credentials import CredentialsDamaged, load_credentials, write_files

HOSTS = ["localhost"]
LATER = ["ca.key", "sa.key"]
"""Those that folders of old do not have."""
FIRST = ["admin.crt", "admin.key", "apiserver.crt", "apiserver.key", "ca.crt", "token"]
FILES = sorted([*FIRST, *LATER])


def test_they_are_made_once(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "pki"
    made = load_credentials(folder, HOSTS)
    assert load_credentials(folder, HOSTS) == made
    assert sorted(each.name for each in folder.iterdir()) == FILES


def test_they_are_their_owners(tmp_path: Path) -> None:
    folder = tmp_path / "pki"
    load_credentials(folder, HOSTS)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(each.stat().st_mode) for each in folder.iterdir()} == {0o600}


def test_a_folder_of_old_keeps_what_it_has(tmp_path: Path) -> None:
    before = load_credentials(tmp_path, HOSTS)
    for name in LATER:
        (tmp_path / name).unlink()
    after = load_credentials(tmp_path, HOSTS)
    assert after.authority_key is None
    assert after.service_account_key not in {b"", before.service_account_key}
    assert after[:4] == before[:4]
    assert load_credentials(tmp_path, HOSTS) == after
    assert stat.S_IMODE((tmp_path / "sa.key").stat().st_mode) == 0o600


def test_no_key_signs_for_another() -> None:
    made = make_credentials(HOSTS)
    keys = [made.service_account_key, made.authority_key, made.server.key, made.admin.key]
    assert len(set(keys)) == 4


@pytest.mark.parametrize("missing", FIRST)
def test_when_one_is_missing_all_are_made_anew(tmp_path: Path, missing: str) -> None:
    before = load_credentials(tmp_path, HOSTS)
    (tmp_path / missing).unlink()
    after = load_credentials(tmp_path, HOSTS)
    assert after.authority != before.authority
    assert after.token != before.token
    assert load_credentials(tmp_path, HOSTS) == after


@pytest.mark.parametrize("content", [b"", b"garbage", b"\xff\xfe\x00", b"-----BEGIN CERTIFICATE-----\n"])
@pytest.mark.parametrize("name", FILES)
def test_damage_is_told_in_one_sentence(tmp_path: Path, name: str, content: bytes) -> None:
    load_credentials(tmp_path, HOSTS)
    (tmp_path / name).write_bytes(content)
    if name == "token" and content.strip().isascii() and content:
        # Any text is a token.
        assert load_credentials(tmp_path, HOSTS).token == content.decode().strip()
        return
    with pytest.raises(CredentialsDamaged) as caught:
        load_credentials(tmp_path, HOSTS)
    text = str(caught.value)
    assert text.startswith(f"{tmp_path / name} is damaged")
    assert "\n" not in text


@pytest.mark.parametrize("name", ["apiserver.key", "admin.key", "ca.key"])
def test_a_key_of_another_certificate_is_damage(tmp_path: Path, name: str) -> None:
    first, second = tmp_path / "one", tmp_path / "two"
    load_credentials(first, HOSTS)
    load_credentials(second, HOSTS)
    (first / name).write_bytes((second / name).read_bytes())
    with pytest.raises(CredentialsDamaged, match=f"{name} is damaged"):
        load_credentials(first, HOSTS)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    load_credentials(tmp_path, HOSTS)
    (tmp_path / "ca.crt").unlink()
    (tmp_path / "ca.crt").mkdir()
    with pytest.raises(
        CredentialsDamaged, match=r"ca\.crt cannot be read \(Is a directory\); remove the folder"
    ):
        load_credentials(tmp_path, HOSTS)


def test_the_kubeconfig_says_it_all(tmp_path: Path) -> None:
    credentials = load_credentials(tmp_path / "pki", HOSTS)
    wanted = tmp_path / "else" / "config"
    files = write_files(tmp_path / "pki", "https://127.0.0.1:1", credentials, kubeconfig=wanted)
    assert files.kubeconfig == wanted
    assert stat.S_IMODE(wanted.stat().st_mode) == 0o600
    config = yaml.load(wanted.read_bytes())
    assert isinstance(config, dict)
    (context,) = config["contexts"]
    assert config["current-context"] == context["name"]
    (cluster,), (user,) = config["clusters"], config["users"]
    assert (context["context"]["cluster"], context["context"]["user"]) == (cluster["name"], user["name"])
    assert cluster["cluster"]["server"] == "https://127.0.0.1:1"
    authority = base64.b64decode(cluster["cluster"]["certificate-authority-data"])
    assert authority == files.authority.read_bytes() == credentials.authority
    assert base64.b64decode(user["user"]["client-key-data"]) == files.client_key.read_bytes()


def test_tls_takes_them(tmp_path: Path) -> None:
    load_credentials(tmp_path, HOSTS)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "apiserver.crt", tmp_path / "apiserver.key")
    context.load_verify_locations(tmp_path / "ca.crt")
