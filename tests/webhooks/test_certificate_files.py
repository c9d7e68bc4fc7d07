"""Certificates in files that change under a running server, as kubelets change them."""

from __future__ import annotations

import asyncio
import json
import logging
import ssl
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from kubewright.webhooks import WebhookServer
from kubewright.webhooks.certificates import ServingCertificate, make_certificate
from tests.crd.versioned_kinds import Site
from tests.webhooks.apps import until
from tests.webhooks.caller import JSON, review

NAMES = ("tls.crt", "tls.key", "ca.crt")


def mount(folder: Path, number: int, made: ServingCertificate) -> None:
    """Write files as a kubelet does: into a folder of their own, to which a link is then renamed."""
    data = folder / f"..2026_{number}"
    data.mkdir()
    for name, content in zip(NAMES, (made.certificate, made.key, made.authority), strict=True):
        (data / name).write_bytes(content)
    link = folder / "..data_tmp"
    link.symlink_to(data.name)
    link.rename(folder / "..data")
    for name in NAMES:
        if not (folder / name).is_symlink():
            (folder / name).symlink_to(Path("..data") / name)


def files(folder: Path) -> dict[str, Any]:
    certificate, key, authority = (folder / name for name in NAMES)
    return {"certificate_file": certificate, "key_file": key, "ca_file": authority, "reload_every": 0.01}


async def ask(session: aiohttp.ClientSession, url: str, trusted: bytes) -> None:
    context = ssl.create_default_context(cadata=trusted.decode())
    async with session.post(f"{url}/convert", data=review(), headers=JSON, ssl=context) as answer:
        assert json.loads(await answer.read())["response"]["result"] == {"status": "Success"}


def test_files_that_are_swapped(tmp_path: Path) -> None:
    made = [make_certificate(["127.0.0.1"]) for _ in range(3)]
    mount(tmp_path, 0, made[0])

    async def test() -> None:
        async with asyncio.timeout(90), WebhookServer(**files(tmp_path)) as webhooks:
            webhooks.add_conversion(Site)
            async with aiohttp.ClientSession() as old:
                await ask(old, webhooks.url, made[0].authority)
                for number, each in enumerate(made[1:], 1):
                    mount(tmp_path, number, each)
                    await until(lambda each=each: webhooks.ca_bundle == each.authority)
                    async with aiohttp.ClientSession() as new:
                        await ask(new, webhooks.url, each.authority)
                        with pytest.raises(aiohttp.ClientConnectorCertificateError):
                            await ask(new, webhooks.url, made[0].authority)

    asyncio.run(test())


def test_connections_that_are_there_go_on(tmp_path: Path) -> None:
    """A new certificate is for new connections: the old one's are not cut, and reviews under way end."""
    made = [make_certificate(["127.0.0.1"]) for _ in range(2)]
    mount(tmp_path, 0, made[0])

    async def test() -> None:
        async with asyncio.timeout(90), WebhookServer(**files(tmp_path)) as webhooks:
            webhooks.add_conversion(Site)
            port = int(webhooks.url.rpartition(":")[2])
            context = ssl.create_default_context(cadata=made[0].authority.decode())
            reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=context)
            body = review()
            lines = ["POST /convert HTTP/1.1", "Host: a", "Content-Type: application/json"]
            head = "\r\n".join([*lines, f"Content-Length: {len(body)}", "", ""]).encode()
            writer.write(head + body[:10])
            await writer.drain()
            mount(tmp_path, 1, made[1])
            await until(lambda: webhooks.ca_bundle == made[1].authority)
            for rest in (body[10:], head + body):
                writer.write(rest)
                answer = await reader.readuntil(b"\r\n\r\n")
                assert answer.startswith(b"HTTP/1.1 200")
                length = int(answer.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
                assert b"Success" in await reader.readexactly(length)
            writer.close()

    asyncio.run(test())


def test_files_that_cannot_be_used(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The server goes on with what it has, and says so when it lasts."""
    made = [make_certificate(["127.0.0.1"]) for _ in range(2)]
    mount(tmp_path, 0, made[0])

    async def test() -> None:
        async with asyncio.timeout(90), WebhookServer(**files(tmp_path)) as webhooks:
            webhooks.add_conversion(Site)
            spoilt = (
                ServingCertificate(made[1].certificate, made[0].key, made[1].authority),
                ServingCertificate(b"nothing", made[0].key, made[1].authority),
            )
            for number, each in enumerate(spoilt, 10):
                caplog.clear()
                mount(tmp_path, number, each)
                await until(lambda: "go on with the certificate that they have" in caplog.text)
                assert webhooks.ca_bundle == made[0].authority
                async with aiohttp.ClientSession() as session:
                    await ask(session, webhooks.url, made[0].authority)
            (tmp_path / "..data").unlink()
            await until(lambda: "cannot be read: No such file" in caplog.text)
            mount(tmp_path, 2, made[1])
            await until(lambda: webhooks.ca_bundle == made[1].authority)
            assert "PRIVATE" not in caplog.text

    with caplog.at_level(logging.INFO, "kubewright"):
        asyncio.run(test())
    assert "was read anew from" in caplog.text
