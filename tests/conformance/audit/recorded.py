"""The events of a real kube-apiserver, recorded in events.json, with which both servers are compared.

`python -m tests.conformance.audit.recorded` records anew; `make test-real` compares with the real server, so
that the file cannot be out of date for long.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.conformance.audit.requests import LAST, POLICY, send_all
from tests.conformance.client import ServerUnderTest
from tests.conformance.waiting import eventually

__all__ = ["LATENCY", "audited_server", "events_of", "normalised", "observed", "recorded"]

FILE = Path(__file__).parent / "events.json"

TIMES = {
    "creationTimestamp",
    "deletionTimestamp",
    "expirationTimestamp",
    "lastTransitionTime",
    "requestReceivedTimestamp",
    "stageTimestamp",
    "time",
}
UID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
DIGEST = re.compile(r"X509SHA256=[0-9a-f]{64}")
LATENCY = "apiserver.latency.k8s.io/"
"""How annotations begin that kube-apiserver makes for slow requests."""
AGE = re.compile(r"\d+s")
MADE = re.compile(r"made-[a-z0-9]{5}")


@contextmanager
def audited_server(kind: str, policy: dict[str, Any]) -> Iterator[tuple[ServerUnderTest, Path]]:
    """The embedded or the real server, and its audit log."""
    with TemporaryDirectory() as folder:
        log, file = Path(folder) / "audit.log", Path(folder) / "policy.yaml"
        file.write_text(json.dumps(policy))
        if kind == "real":
            from tests.realcluster.server import RealServer

            flags = [f"--audit-log-path={log}", f"--audit-policy-file={file}"]
            with RealServer(fsync=False, flags=flags) as real:
                yield real, log
        else:
            from kubewright.testing import Cluster

            with Cluster.in_thread(controllers="none", audit_log=log, audit_policy=file) as cluster:
                yield cluster, log


def recorded() -> dict[str, Any]:
    """What was recorded, by the names of the requests."""
    found: dict[str, Any] = json.loads(FILE.read_text())
    return found


def observed(server: ServerUnderTest, log: Path) -> dict[str, Any]:
    """Sends all requests and tells the events that come of them, in the form of the record."""
    send_all(server)
    return {name: [normalised(event) for event in events] for name, events in events_of(log, LAST).items()}


def events_of(log: Path, last: str) -> dict[str, list[dict[str, Any]]]:
    """All events by their ids, as soon as those of the last request are complete."""

    def all_there() -> bool:
        return any(each["auditID"] == last and each["stage"] == "ResponseComplete" for each in _events(log))

    eventually(all_there, f"the events of {last}")
    found: dict[str, list[dict[str, Any]]] = {}
    for event in _events(log):
        if not UID.fullmatch(event["auditID"]):
            found.setdefault(event["auditID"], []).append(event)
    return found


def _events(log: Path) -> list[dict[str, Any]]:
    text = log.read_text() if log.exists() else ""
    return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]


def normalised(value: Any, key: str = "") -> Any:
    """Without what differs from run to run and from server to server."""
    if isinstance(value, dict):
        # The administrators of the two are not the same.
        left_out = {"uid"} if key in {"user", "userInfo"} else set()
        if value.get("kind") == "Table":
            left_out = {"columnDefinitions"}
        return {
            name: normalised(each, name)
            for name, each in value.items()
            if name not in left_out and not name.startswith(LATENCY)
        }
    if isinstance(value, list):
        return [normalised(each, key) for each in value]
    if not isinstance(value, str):
        return value
    if key in TIMES or (key == "cells" and AGE.fullmatch(value)):
        return "<time>"
    if key in {"resourceVersion", "token"} and value:
        return f"<{key}>"
    value = MADE.sub("made-<random>", value)
    return UID.sub("<uid>", DIGEST.sub("<digest>", value))


def main() -> None:
    """Record anew."""
    with audited_server("real", POLICY) as (server, log):
        found = observed(server, log)
    FILE.write_text("{\n" + ",\n".join(_lines(name, events) for name, events in found.items()) + "\n}\n")


def _lines(name: str, events: list[Any]) -> str:
    """An event in each line, so that one sees what has changed."""
    told = ",\n  ".join(json.dumps(event, ensure_ascii=False) for event in events)
    return f" {json.dumps(name)}: [\n  {told}\n ]"


if __name__ == "__main__":
    main()
