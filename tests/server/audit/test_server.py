"""A server with an audit log: what is in the file when it has stopped."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from click.testing import CliRunner

from kubewright.cli import main as command
from kubewright.server.audit import AuditLogUnusable, AuditPolicyInvalid
from kubewright.server.audit import log as log_module
from kubewright.server.audit.log import AuditLog
from kubewright.server.handlers import reads
from kubewright.server.server import ServerError
from kubewright.testing import Cluster

PATIENCE = 60.0
"""Seconds that an answer, or its line in the log, may take on a busy machine."""

MAPS = "/api/v1/namespaces/default/configmaps"
EVERYTHING: dict[str, Any] = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "rules": [{"level": "RequestResponse"}],
}


@asynccontextmanager
async def session(cluster: Cluster, **options: Any) -> AsyncIterator[aiohttp.ClientSession]:
    context = ssl.create_default_context(cafile=cluster.ca_file)
    async with aiohttp.ClientSession(
        cluster.url,
        connector=aiohttp.TCPConnector(ssl=context, limit=100),
        headers={"Authorization": f"Bearer {cluster.token}"},
        **options,
    ) as made:
        yield made


def events(log: Path) -> list[dict[str, Any]]:
    data = log.read_bytes()
    assert not data or data.endswith(b"\n")
    return [json.loads(line) for line in data.splitlines()]


def named(log: Path, audit_id: str) -> list[dict[str, Any]]:
    return [event for event in events(log) if event["auditID"] == audit_id]


def test_a_thousand_requests_at_once_are_told_of_once_each(tmp_path: Path) -> None:
    log = tmp_path / "audit.log"
    count = 1000

    async def main() -> list[str]:
        async with Cluster(controllers="none", audit_log=log) as cluster, session(cluster) as client:

            async def send(number: int) -> str:
                headers = {"Audit-ID": f"request-{number}"} if number % 2 else {}
                if number % 4:
                    sent = client.get(f"{MAPS}/none", headers=headers)
                else:
                    sent = client.post(MAPS, json={"metadata": {"name": f"m-{number}"}}, headers=headers)
                async with sent as answer:
                    await answer.read()
                    assert answer.status == (404 if number % 4 else 201)
                    return answer.headers["Audit-Id"]

            return await asyncio.gather(*map(send, range(count)))

    ids = asyncio.run(main())
    assert len(set(ids)) == count
    found = events(log)
    assert Counter(event["auditID"] for event in found) == Counter(ids)
    assert {event["stage"] for event in found} == {"ResponseComplete"}
    assert {event["level"] for event in found} == {"Metadata"}
    assert Counter(event["responseStatus"]["code"] for event in found) == {404: 750, 201: 250}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_full_disk_costs_events_and_bounded_memory_but_no_request(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit, size, count = 200_000, 20_000, 60
    monkeypatch.setattr(log_module, "_MAX_WAITING", limit)
    monkeypatch.setattr(log_module, "_RETRY", 0.05)
    path, real = tmp_path / "audit.log", tmp_path / "real.log"
    path.symlink_to("/dev/full")
    largest = 0

    async def main() -> None:
        nonlocal largest
        write = AuditLog.write

        def measured(log: AuditLog, line: bytes) -> None:
            nonlocal largest
            write(log, line)
            largest = max(largest, log._size)

        monkeypatch.setattr(AuditLog, "write", measured)
        async with (
            Cluster(controllers="none", audit_log=path, audit_policy=EVERYTHING) as cluster,
            session(cluster) as client,
        ):

            async def send(number: int) -> None:
                body = {"metadata": {"name": f"m-{number}"}, "data": {"a": "x" * size}}
                async with client.post(MAPS, json=body) as answer:
                    assert answer.status == 201

            async with asyncio.timeout(PATIENCE):
                for number in range(count):
                    await send(number)
                    async with client.get("/readyz") as answer:
                        assert answer.status == 200
            assert not real.exists()
            path.unlink()
            path.symlink_to(real)
            async with asyncio.timeout(PATIENCE):
                while not any("is written again" in each for each in caplog.messages):  # noqa: ASYNC110
                    await asyncio.sleep(0.005)
            await send(count)

    asyncio.run(main())
    # One event is taken beyond the limit: with the object that was sent and the one that was answered.
    assert limit < largest < limit + 4 * size
    failed, recovered = caplog.messages
    assert failed.startswith(f"the audit log {path} cannot be written: No space left on device; ")
    lost = int(recovered.removeprefix(f"the audit log {path} is written again; ").split()[0])
    assert lost > 0
    complete = [
        each for each in events(real) if (each["verb"], each["stage"]) == ("create", "ResponseComplete")
    ]
    names = [event["objectRef"]["name"] for event in complete]
    assert names[0] == "m-0"
    assert names[-1] == f"m-{count}"
    assert len(names) < count


def test_watches_are_told_of_when_they_begin_and_however_they_end(tmp_path: Path) -> None:
    log = tmp_path / "audit.log"

    async def watch(client: aiohttp.ClientSession, audit_id: str) -> aiohttp.ClientResponse:
        query, headers = {"watch": "1"}, {"Audit-ID": audit_id}
        watching = await client.get("/api/v1/namespaces", params=query, headers=headers)
        assert watching.headers["Audit-Id"] == audit_id
        async with asyncio.timeout(PATIENCE):
            await watching.content.readany()
        return watching

    async def main() -> None:
        async with Cluster(controllers="none", audit_log=log) as cluster, session(cluster) as client:
            left = await watch(client, "left")
            kept = await watch(client, "kept")
            left.close()
            async with asyncio.timeout(PATIENCE):
                while len(named(log, "left")) < 2:  # noqa: ASYNC110 - what a thread writes
                    await asyncio.sleep(0.01)
            assert [event["stage"] for event in named(log, "kept")] == ["ResponseStarted"]
            # The server stops first.
            await cluster.__aexit__(None, None, None)
            kept.close()

    asyncio.run(main())
    for audit_id in ("left", "kept"):
        told = named(log, audit_id)
        assert [event["stage"] for event in told] == ["ResponseStarted", "ResponseComplete"]
        assert [event["responseStatus"]["code"] for event in told] == [200, 200]


def test_a_failure_is_told_of_as_a_panic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "audit.log"

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("a secret")

    monkeypatch.setattr(reads, "list_selected", fail)

    async def main() -> None:
        async with (
            Cluster(controllers="none", audit_log=log, audit_policy=EVERYTHING) as cluster,
            session(cluster) as client,
        ):
            answer = await client.get(MAPS, headers={"Audit-ID": "failing"})
            assert answer.status == 500

    asyncio.run(main())
    told = named(log, "failing")
    assert [event["stage"] for event in told] == ["RequestReceived", "Panic"]
    assert told[1]["responseStatus"]["message"] == "APIServer panic'd: RuntimeError"
    assert "secret" not in log.read_text()


def test_a_caller_who_does_not_wait_for_the_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "audit.log"
    asked = asyncio.Event()

    async def hang(*_: object, **__: object) -> None:
        asked.set()
        await asyncio.sleep(60)

    monkeypatch.setattr(reads, "list_selected", hang)

    async def main() -> None:
        async with Cluster(controllers="none", audit_log=log) as cluster, session(cluster) as client:
            task = asyncio.create_task(client.get(MAPS, headers={"Audit-ID": "impatient"}).__aenter__())
            async with asyncio.timeout(PATIENCE):
                await asked.wait()
            task.cancel()
            await asyncio.wait([task])

    asyncio.run(main())
    (event,) = named(log, "impatient")
    assert event["responseStatus"]["message"] == "Connection closed early"


@pytest.mark.parametrize(
    ("path", "code"), [("/api/v1/../secrets", 400), ("/api//v1", 404), ("/api/v1/watch", 400)]
)
def test_paths_with_tricks_are_told_of(tmp_path: Path, path: str, code: int) -> None:
    log = tmp_path / "audit.log"

    async def main() -> None:
        async with Cluster(controllers="none", audit_log=log) as cluster:
            host, port = cluster.url.removeprefix("https://").split(":")
            context = ssl.create_default_context(cafile=cluster.ca_file)
            for token in (cluster.token, "wrong"):
                reader, writer = await asyncio.open_connection(host, int(port), ssl=context)
                head = f"GET {path} HTTP/1.1\r\nHost: x\r\nAudit-ID: trick\r\nConnection: close\r\n"
                writer.write(f"{head}Authorization: Bearer {token}\r\n\r\n".encode())
                await reader.read()
                writer.close()
            assert token not in log.read_text()

    asyncio.run(main())
    known, unknown = named(log, "trick")
    assert (known["requestURI"], known["verb"], known["user"]["username"]) == (path, "get", "admin")
    assert (known["stage"], known["responseStatus"]["code"]) == ("ResponseComplete", code)
    assert (unknown["user"], unknown["stage"]) == ({}, "ResponseStarted")
    assert unknown["responseStatus"]["code"] == 401


def test_an_audit_id_of_odd_bytes_is_answered_with(tmp_path: Path) -> None:
    log = tmp_path / "audit.log"

    async def main() -> bytes:
        async with Cluster(controllers="none", audit_log=log) as cluster:
            host, port = cluster.url.removeprefix("https://").split(":")
            context = ssl.create_default_context(cafile=cluster.ca_file)
            reader, writer = await asyncio.open_connection(host, int(port), ssl=context)
            head = (
                b"GET /version HTTP/1.1\r\nHost: x\r\nAudit-ID: odd\xff\xc3\xa4\r\nConnection: close\r\n\r\n"
            )
            writer.write(head)
            answer = await reader.read()
            writer.close()
            return answer

    answer = asyncio.run(main())
    assert answer.startswith(b"HTTP/1.1 200")
    assert "Audit-Id: odd\ufffdä\r\n".encode() in answer
    assert len(named(log, "odd\ufffdä")) == 1


def test_a_new_server_goes_on_where_another_ended(tmp_path: Path) -> None:
    log = tmp_path / "audit.log"

    async def main(audit_id: str) -> None:
        async with Cluster(controllers="none", audit_log=str(log)) as cluster, session(cluster) as client:
            await (await client.get("/version", headers={"Audit-ID": audit_id})).read()

    asyncio.run(main("first"))
    asyncio.run(main("second"))
    assert [event["auditID"] for event in events(log)] == ["first", "second"]


def test_a_policy_needs_a_log(tmp_path: Path) -> None:
    with pytest.raises(ServerError) as caught:
        Cluster(controllers="none", audit_policy=EVERYTHING)
    told = "there is an audit policy but no audit log; name its file with --audit-log"
    assert str(caught.value) == told
    (tmp_path / "policy.yaml").touch()
    ended = CliRunner().invoke(command, ["server", "--audit-policy", str(tmp_path / "policy.yaml")])
    assert (ended.exit_code, ended.output) == (1, f"Error: {told}\n")


def test_a_server_that_cannot_tell_does_not_start(tmp_path: Path) -> None:
    async def main(log: Path, policy: dict[str, Any]) -> None:
        async with Cluster(controllers="none", audit_log=log, audit_policy=policy):
            pass

    with pytest.raises(AuditPolicyInvalid):
        asyncio.run(main(tmp_path / "audit.log", {**EVERYTHING, "rules": []}))
    with pytest.raises(AuditLogUnusable):
        asyncio.run(main(tmp_path / "none" / "audit.log", EVERYTHING))
    for option in ("--audit-log", "--audit-log-path"):
        ended = CliRunner().invoke(command, ["server", option, str(tmp_path / "none" / "audit.log")])
        assert ended.exit_code == 1
        assert "cannot be opened: No such file or directory; name a file that can be written" in ended.output
