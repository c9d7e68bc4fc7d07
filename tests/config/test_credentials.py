"""Credentials that nobody else has to be asked for: tokens, passwords, token files and certificates."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from kubewright.config import (
    ANONYMOUS,
    CertificateFiles,
    ClientCertificate,
    ConfigError,
    Credential,
    StaticCredentials,
    TokenFile,
    WithCertificate,
    config_from_kubeconfig,
)
from kubewright.config.kubeconfig import User
from tests.config.kubeconfigs import SECRET, Clock, b64, checked, kubeconfig, shown

ABC, OPEN = "abc", "open sesame"
PAIR = ClientCertificate(b"certificate", b"key")


def test_static_credentials() -> None:
    async def body() -> None:
        assert await ANONYMOUS.current() == Credential()
        token = StaticCredentials(token=ABC)
        assert await token.current() == Credential("Bearer abc")
        assert await token.current() is await token.current()
        assert not await token.rejected(await token.current())
        # RFC 7617's own example.
        basic = StaticCredentials(username="Aladdin", password=OPEN)
        assert (await basic.current()).authorization == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="
        with pytest.raises(ConfigError, match="remove one"):
            StaticCredentials(token=ABC, username="b")
        await basic.close()

    asyncio.run(body())


def test_a_token_file_is_read_again_after_fifty_seconds(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text("one\n")
    clock = Clock()
    credentials = TokenFile(path, clock=clock)

    async def body() -> None:
        first = await credentials.current()
        assert first.authorization == "Bearer one"
        path.write_text("two\n")
        clock.now += 49.9
        assert await credentials.current() is first
        clock.now += 0.1
        assert (await credentials.current()).authorization == "Bearer two"
        clock.now += 50
        assert await credentials.current() is await credentials.current()

    asyncio.run(body())


def test_a_rejected_token_is_read_again_at_once(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text("one")
    credentials = TokenFile(path, clock=Clock())

    async def body() -> None:
        first = await credentials.current()
        assert not await credentials.rejected(first)
        path.write_text("two")
        assert await credentials.rejected(first)
        second = await credentials.current()
        assert second.authorization == "Bearer two"
        # Somebody who was still using the first one is told that there is another.
        path.unlink()
        assert await credentials.rejected(first)
        assert not await credentials.rejected(second)

    asyncio.run(body())


@pytest.mark.parametrize("broken", ["missing", "empty", "huge", "a directory", "two tokens"])
def test_a_file_that_is_broken_for_a_while_keeps_the_last_token(
    broken: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "token"
    path.write_text(SECRET)
    clock = Clock()
    credentials = TokenFile(path, clock=clock)

    async def body() -> None:
        first = await credentials.current()
        path.unlink()
        if broken == "a directory":
            path.mkdir()
        elif broken != "missing":
            path.write_text(
                {"empty": " \n", "huge": "x" * 2_000_000, "two tokens": f"{SECRET}\n{SECRET}"}[broken]
            )
        clock.now += 60
        assert await credentials.current() is first
        assert await credentials.current() is first
        if broken == "a directory":
            path.rmdir()
        # Not after another minute, but with the next request.
        path.write_text("new")
        assert (await credentials.current()).authorization == "Bearer new"

    asyncio.run(body())
    assert len(caplog.records) == 1
    assert SECRET not in caplog.text


def test_a_token_file_that_was_never_there(tmp_path: Path) -> None:
    path = tmp_path / "token"

    async def body() -> None:
        with pytest.raises(ConfigError) as caught:
            await TokenFile(path).current()
        assert str(path) in checked(caught.value)

    asyncio.run(body())


def test_a_token_file_goes_before_the_token(tmp_path: Path) -> None:
    path = tmp_path / "token"
    config = config_from_kubeconfig(kubeconfig(user={"token": "inline", "tokenFile": str(path)}))

    async def body() -> None:
        inline = await shown(config)
        assert inline.authorization == "Bearer inline"
        assert not await config.credentials.rejected(inline)
        path.write_text("file")
        assert (await shown(config)).authorization == "Bearer file"
        assert await config.credentials.rejected(inline)

    asyncio.run(body())


def test_certificate_files_are_read_again_when_they_change(tmp_path: Path) -> None:
    certificate, key = tmp_path / "a.crt", tmp_path / "a.key"
    certificate.write_bytes(b"c1")
    key.write_bytes(b"k1")
    credentials = WithCertificate(StaticCredentials(token=ABC), CertificateFiles(certificate, key))

    async def body() -> None:
        first = await credentials.current()
        assert first == Credential("Bearer abc", ClientCertificate(b"c1", b"k1"))
        assert await credentials.current() is first
        assert not await credentials.rejected(first)
        for path, data in ((certificate, b"c2"), (key, b"k2")):
            new = tmp_path / "new"
            new.write_bytes(data)
            new.replace(path)
        assert await credentials.rejected(first)
        second = await credentials.current()
        assert second.certificate == ClientCertificate(b"c2", b"k2")
        certificate.unlink()
        assert await credentials.current() is second
        # Written again with the same content: the same object, so that connections stay.
        certificate.write_bytes(b"c2")
        assert (await credentials.current()).certificate is second.certificate
        await credentials.close()

    asyncio.run(body())


def test_a_half_renewed_pair_is_mended_by_the_next_look(tmp_path: Path) -> None:
    certificate, key = tmp_path / "a.crt", tmp_path / "a.key"
    certificate.write_bytes(b"c1")
    key.write_bytes(b"k1")
    files = CertificateFiles(certificate, key)
    certificate.write_bytes(b"c22")
    assert files.current() == ClientCertificate(b"c22", b"k1")
    key.write_bytes(b"")
    assert files.current() == ClientCertificate(b"c22", b"k1")
    key.write_bytes(b"k22")
    assert files.current() == ClientCertificate(b"c22", b"k22")


def test_certificates_in_a_kubeconfig(tmp_path: Path) -> None:
    (tmp_path / "c").write_bytes(b"certificate")
    (tmp_path / "k").write_bytes(b"key")
    data = {"client-certificate-data": b64(b"certificate"), "client-key-data": b64(b"key")}
    files = {"client-certificate": "c", "client-key": "k"}
    missing = {"client-certificate": "/none", "client-key": "/none"}
    mixed = {"client-certificate": "c", "client-key-data": b64(b"key")}
    for user in (data, files, mixed, {**data, **missing}):
        config = config_from_kubeconfig(kubeconfig(user=user), directory=tmp_path)
        assert asyncio.run(shown(config)) == Credential("", PAIR)
        config = config_from_kubeconfig(kubeconfig(user={**user, "token": "t"}), directory=tmp_path)
        assert asyncio.run(shown(config)) == Credential("Bearer t", PAIR)
    # A certificate goes before a plugin, as in client-go.
    config = config_from_kubeconfig(kubeconfig(user={**data, "exec": {"command": os.devnull}}))
    assert asyncio.run(shown(config)) == Credential("", PAIR)


def test_the_token_beside_a_certificate_rotates(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text("one")
    credentials = WithCertificate(TokenFile(path, clock=Clock()), PAIR)

    async def body() -> None:
        first = await credentials.current()
        path.write_text("two")
        assert await credentials.rejected(first)
        assert await credentials.current() == Credential("Bearer two", PAIR)
        assert await credentials.rejected(first)

    asyncio.run(body())


def test_nothing_shows_a_secret() -> None:
    pair = ClientCertificate(SECRET.encode(), SECRET.encode())
    credential = Credential(f"Bearer {SECRET}", pair)
    static = StaticCredentials(token=SECRET, certificate=pair)
    config = config_from_kubeconfig(
        kubeconfig(user={"token": SECRET}, cluster={"proxy-url": f"http://a:{SECRET}@b"})
    )
    parsed = User(token=SECRET)
    for thing in (
        pair,
        credential,
        static,
        WithCertificate(static, pair),
        config,
        parsed,
        TokenFile("/a", fallback=SECRET),
    ):
        assert SECRET not in repr(thing)
        assert SECRET not in str(thing)
        assert SECRET not in f"{thing}"
        rich = getattr(thing, "__rich_repr__", None)
        assert SECRET not in repr(list(rich()) if rich else [])
