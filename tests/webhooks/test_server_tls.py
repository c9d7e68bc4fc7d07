"""The webhook server's certificates: who trusts them, those from files, and that no key gets out."""

from __future__ import annotations

import asyncio
import logging
import ssl
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from kubewright.webhooks import WebhookServer, server
from kubewright.webhooks.certificates import CertificateError, make_certificate
from tests.webhooks.caller import Caller, run


def test_callers_who_do_not_know_the_authority_refuse_it() -> None:
    async def test(caller: Caller) -> None:
        async with aiohttp.ClientSession() as session:
            for trusted in (None, make_certificate(["127.0.0.1"]).authority.decode()):
                context = ssl.create_default_context(cadata=trusted)
                with pytest.raises(aiohttp.ClientConnectorCertificateError):
                    await session.post(caller.webhooks.url, ssl=context)
        assert (await caller.review())["result"] == {"status": "Success"}

    run(test)


def test_callers_who_call_it_by_another_name_refuse_it() -> None:
    async def test(caller: Caller) -> None:
        port = caller.webhooks.url.rpartition(":")[2]
        context = ssl.create_default_context(cadata=caller.webhooks.ca_bundle.decode())
        async with aiohttp.ClientSession() as session:
            with pytest.raises(
                aiohttp.ClientConnectorCertificateError, match=r"not valid for '127\.0\.0\.1'"
            ):
                await session.post(f"https://127.0.0.1:{port}/convert", ssl=context)

    run(test, names=["localhost"])


def written(folder: Path, **files: bytes) -> dict[str, Any]:
    options = {}
    for name, data in files.items():
        (folder / name).write_bytes(data)
        options[f"{name}_file"] = folder / name
    return options


def test_a_certificate_from_files(tmp_path: Path) -> None:
    made = make_certificate(["127.0.0.1"])
    options = written(tmp_path, certificate=made.certificate, key=made.key, ca=made.authority)

    async def test(caller: Caller) -> None:
        assert caller.webhooks.ca_bundle == made.authority
        assert (await caller.review())["result"] == {"status": "Success"}

    run(test, **options)
    del options["ca_file"]

    async def known_anyway() -> None:
        async with WebhookServer(**options) as webhooks:
            assert webhooks.ca_bundle == b""
            assert "caBundle" not in webhooks.client_config("/x").to_dict()

    asyncio.run(known_anyway())


def test_certificates_that_cannot_be_used(tmp_path: Path) -> None:
    one, two = make_certificate(["a"]), make_certificate(["a"])
    for files, message in (
        (
            {"certificate": one.certificate, "key": two.key},
            "cannot be used .*MISMATCH.*in PEM and not encrypted",
        ),
        ({"certificate": b"nothing", "key": one.key}, "the certificate and its key cannot be used"),
        ({"certificate": one.certificate, "key": b""}, "the certificate and its key cannot be used"),
    ):
        with pytest.raises(CertificateError, match=message) as caught:
            asyncio.run(WebhookServer(**written(tmp_path, **files)).__aenter__())
        assert "PRIVATE" not in str(caught.value)
    options: dict[str, Any] = {"certificate_file": tmp_path / "absent", "key_file": tmp_path / "key"}
    with pytest.raises(CertificateError, match="absent cannot be read: No such file or directory"):
        asyncio.run(WebhookServer(**options).__aenter__())


@pytest.mark.parametrize("options", [{"certificate_file": "a"}, {"key_file": "a"}, {"ca_file": "a"}])
def test_half_a_certificate(options: dict[str, Any]) -> None:
    with pytest.raises(
        ValueError, match="a certificate comes with its key; give certificate_file= and key_file="
    ):
        WebhookServer(**options)


def test_no_key_is_left_anywhere(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    made = make_certificate(["127.0.0.1"])
    secret = made.key.split(b"\n")[1].decode()
    assert secret not in repr(made)
    modes: list[tuple[int, int]] = []
    loads = ssl.SSLContext.load_cert_chain

    def load(self: ssl.SSLContext, file: Path, **options: Any) -> None:
        modes.append((file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777))
        loads(self, file, **options)

    monkeypatch.setattr(ssl.SSLContext, "load_cert_chain", load)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(server, "make_certificate", lambda _: made)

    async def test(caller: Caller) -> None:
        assert (await caller.review())["result"] == {"status": "Success"}

    with caplog.at_level(logging.DEBUG):
        run(test)
    assert modes == [(0o600, 0o700)]
    assert list(tmp_path.iterdir()) == []
    assert secret not in caplog.text
