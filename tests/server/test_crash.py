"""kill -9 amid writes: what was acknowledged is there after the restart, whole, and nothing else is."""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import ssl
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import aiohttp
import pytest

from tests.server.processes import COMMAND, PATIENCE, ServerProcess, held_port
from tests.server.raw_http import Connection

IN_FLIGHT = 64
SLOWEST = 20
"""Writes a second that even the busiest machine makes."""

NAMES = 16
"""Names that each writer writes to, one after the other and some of them again."""

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"


@dataclass(frozen=True)
class Stored:
    """An object as it was acknowledged."""

    uid: str
    revision: int
    payload: str


@dataclass
class Ledger:
    """What the server has acknowledged, and what it may have done beyond that."""

    acknowledged: dict[str, Stored] = field(default_factory=dict)
    """By name; what was never created, or deleted, is not there."""
    unanswered: dict[str, tuple[Literal["create", "update", "delete"], str]] = field(default_factory=dict)
    """The writes that no answer came to, with what they would have written."""
    written: list[tuple[str, int]] = field(default_factory=list)
    """Every acknowledged create and update of this round, as name and revision."""
    deleted: list[str] = field(default_factory=list)
    count: int = 0
    highest: int = 0
    wanted: int = 0
    """When so many are acknowledged, it is enough."""
    enough: asyncio.Event = field(default_factory=asyncio.Event)

    def note(self, name: str, stored: Stored | None, before: int) -> None:
        """A write was acknowledged that was sent when `before` was the highest revision.

        Those under way at the same time may be answered in another order than they were made in.
        """
        del self.unanswered[name]
        self.count += 1
        if self.count >= self.wanted:
            self.enough.set()
        if stored is None:
            del self.acknowledged[name]
            self.deleted.append(name)
            return
        assert stored.revision > before, f"{name} has revision {stored.revision}, but {before} came before it"
        if name in self.acknowledged:
            assert stored.revision > self.acknowledged[name].revision
            assert stored.uid == self.acknowledged[name].uid
        self.acknowledged[name] = stored
        self.written.append((name, stored.revision))
        self.highest = max(self.highest, stored.revision)


def config_map(name: str, payload: str, revision: int | None) -> dict[str, Any]:
    """An object that says itself whether it is whole."""
    metadata = {"name": name} if revision is None else {"name": name, "resourceVersion": str(revision)}
    checksum = hashlib.sha256(payload.encode()).hexdigest()
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata,
        "data": {"payload": payload, "checksum": checksum},
    }


def read(obj: dict[str, Any]) -> Stored:
    """An object of an answer; fails when it is torn."""
    payload = obj["data"]["payload"]
    assert hashlib.sha256(payload.encode()).hexdigest() == obj["data"]["checksum"]
    return Stored(obj["metadata"]["uid"], int(obj["metadata"]["resourceVersion"]), payload)


async def write(session: aiohttp.ClientSession, ledger: Ledger, source: random.Random, writer: int) -> None:
    """Write until the server is gone."""
    while True:
        name = f"w{writer}-{source.randrange(NAMES)}"
        known = ledger.acknowledged.get(name)
        before = ledger.highest
        payload = source.randbytes(source.randrange(20, 1500)).hex()
        try:
            if known is not None and source.random() < 0.3:
                ledger.unanswered[name] = ("delete", "")
                async with session.delete(f"{CONFIG_MAPS}/{name}") as answer:
                    obj = await answer.json()
                    assert answer.status == 200, obj
                ledger.note(name, None, before)
                continue
            ledger.unanswered[name] = ("update" if known else "create", payload)
            body = config_map(name, payload, known.revision if known else None)
            method, path = ("PUT", f"{CONFIG_MAPS}/{name}") if known else ("POST", CONFIG_MAPS)
            async with session.request(method, path, json=body) as answer:
                obj = await answer.json()
                assert answer.status == (200 if known else 201), obj
            ledger.note(name, read(obj), before)
        except (aiohttp.ClientError, ConnectionError, TimeoutError):
            return


async def write_until_killed(
    server: ServerProcess, ledger: Ledger, source: random.Random, writes: int
) -> None:
    """Many writers at once, and a kill when they are amid their writes, which are `writes` at most."""
    ledger.enough = asyncio.Event()
    ledger.wanted = ledger.count + source.randrange(writes // 4, writes)
    context = ssl.create_default_context(cafile=server.ca_file)
    connector = aiohttp.TCPConnector(limit=IN_FLIGHT, ssl=context)
    session = aiohttp.ClientSession(
        server.url,
        connector=connector,
        headers={"Authorization": f"Bearer {server.token}"},
        timeout=aiohttp.ClientTimeout(total=60),
    )
    # When one writer fails, all of it does, at once.
    async with session, asyncio.TaskGroup() as writers:
        for number in range(IN_FLIGHT):
            writers.create_task(write(session, ledger, random.Random(source.random()), number))  # noqa: S311
        await asyncio.wait_for(ledger.enough.wait(), timeout=PATIENCE + writes / SLOWEST)
        await asyncio.to_thread(server.kill)
    revisions = [revision for _, revision in ledger.written]
    assert len(set(revisions)) == len(revisions), "two writes have the same revision"


def get(server: ServerProcess, path: str) -> Any:
    """The JSON at a path."""
    with Connection(server) as connection:
        answer = connection.request("GET", path)
    assert answer is not None
    assert answer.status == 200
    return answer.json()


def check_objects(server: ServerProcess, ledger: Ledger) -> None:
    """Everything acknowledged is there, and nothing that nobody wrote; then take over what is there."""
    listed = get(server, CONFIG_MAPS)
    assert int(listed["metadata"]["resourceVersion"]) >= ledger.highest
    found = {
        obj["metadata"]["name"]: read(obj)
        for obj in listed["items"]
        if obj["metadata"]["name"].startswith("w")
    }
    for name in {*found, *ledger.acknowledged}:
        now, then = found.get(name), ledger.acknowledged.get(name)
        if now == then:
            continue
        # Only a write that was under way explains a difference.
        assert name in ledger.unanswered, f"{name}: acknowledged {then}, found {now}"
        kind, payload = ledger.unanswered[name]
        if kind == "delete":
            assert now is None
        else:
            assert now is not None
            assert now.payload == payload
            assert now.revision > (then.revision if then else 0)
            assert then is None or now.uid == then.uid
    ledger.acknowledged = found
    ledger.unanswered.clear()
    ledger.highest = int(listed["metadata"]["resourceVersion"])


def check_watch(server: ServerProcess, ledger: Ledger) -> None:
    """A watch from a revision before the kill shows everything since, or says that it is gone."""
    first = ledger.written[len(ledger.written) // 2][1]
    with Connection(server) as connection:
        answer = connection.request(
            "GET", f"{CONFIG_MAPS}?watch=1&timeoutSeconds=1&resourceVersion={first}&limit=1"
        )
    assert answer is not None
    assert answer.status == 200
    events = [json.loads(line) for line in answer.body.splitlines()]
    if events and events[0]["type"] == "ERROR":
        assert events[0]["object"]["code"] == 410
        return
    revisions = [int(event["object"]["metadata"]["resourceVersion"]) for event in events]
    assert revisions == sorted(set(revisions))
    assert all(revision > first for revision in revisions)
    seen = {
        (event["object"]["metadata"]["name"], revision)
        for event, revision in zip(events, revisions, strict=True)
    }
    missed = {each for each in ledger.written if each[1] > first} - seen
    assert not missed


def check_goes_on(server: ServerProcess, ledger: Ledger) -> None:
    """New writes have revisions of their own."""
    with Connection(server) as connection:
        body = json.dumps(config_map(f"after-{ledger.highest}", "x", None)).encode()
        answer = connection.request("POST", CONFIG_MAPS, body)
    assert answer is not None
    assert answer.status == 201, server.stderr
    revision = read(answer.json()).revision
    assert revision > ledger.highest
    ledger.highest = revision


@pytest.mark.parametrize(
    ("rounds", "writes"), [(1, 2_500), pytest.param(20, 10_000, marks=pytest.mark.slow)], ids=str
)
def test_killed_amid_writes(tmp_path: Path, rounds: int, writes: int) -> None:
    source = random.Random(20_000)  # noqa: S311 - no secret, and the same in every run
    ledger = Ledger()
    data_dir = tmp_path / "data"
    credentials: set[tuple[str, str]] = set()
    # The port stays, so that the kubeconfig of before goes on working.
    with held_port() as port:
        for number in range(rounds):
            with ServerProcess(tmp_path / "process", data_dir=data_dir, port=port) as server:
                credentials.add((Path(server.kubeconfig).read_text(), server.token))
                ledger.written.clear()
                asyncio.run(write_until_killed(server, ledger, source, writes))
                assert not server.running
            with ServerProcess(tmp_path / "process", data_dir=data_dir, port=port) as server:
                check_watch(server, ledger)
                check_objects(server, ledger)
                check_goes_on(server, ledger)
                credentials.add((Path(server.kubeconfig).read_text(), server.token))
                assert len(credentials) == 1, f"round {number}: the credentials are others than before"
                server.kill()
                assert server.stderr == ""


@pytest.mark.slow
def test_killed_amid_its_start(tmp_path: Path) -> None:
    """A start that is cut short anywhere, the very first one included, leaves a folder that opens."""
    source = random.Random(3)  # noqa: S311 - no secret, and the same in every run
    data_dir = tmp_path / "data"
    for _ in range(8):
        process = subprocess.Popen(
            [COMMAND, "server", "--controllers=none", f"--data-dir={data_dir}"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        started = time.monotonic()
        wait = source.uniform(0.2, 2.0)
        try:
            _, complaints = process.communicate(timeout=wait)
            pytest.fail(f"ended after {time.monotonic() - started:.1f} s: {complaints.decode()}")
        except subprocess.TimeoutExpired:
            process.kill()
            _, complaints = process.communicate()
        assert complaints == b""
    with ServerProcess(tmp_path / "process", data_dir=data_dir) as server:
        names = {item["metadata"]["name"] for item in get(server, "/api/v1/namespaces")["items"]}
        assert {"default", "kube-system", "kube-public", "kube-node-lease"} <= names
        assert server.stop() == 0
        assert server.stderr == ""
