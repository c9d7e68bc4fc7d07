"""What the real server makes of the objects in `kinds`: recorded in kinds.json, compared on both servers.

For each object there is what came back when it was created, with defaults and managedFields, and its table,
which kubectl prints. `python -m tests.conformance.recorded_kinds` records anew; `make test-real` compares
with the real server, so that the file cannot be out of date for long.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from tests.conformance.client import Client
from tests.conformance.kinds import KINDS, Kind
from tests.conformance.namespaces import Namespace, new_namespace, unique

__all__ = ["MANAGER", "observed", "recorded", "refused"]

FILE = Path(__file__).parent / "kinds.json"
TABLE = {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}
MANAGER = "recorder"
# Who asks, which differs from server to server.
CALLER = {"username", "uid", "extra", "groups"}


def recorded() -> dict[str, Any]:
    """What was recorded, by the text of the kind."""
    found: dict[str, Any] = json.loads(FILE.read_text())
    return found


def observed(client: Client, namespace: Namespace, kind: Kind) -> dict[str, Any]:
    """Creates the object and tells what comes back, in the form of the record."""
    name = unique("kind")
    path = kind.path(namespace)
    response = client.post(path, kind.object(name, namespace), fieldManager=MANAGER)
    assert response.status == 201, response.text
    table = client.get(f"{path}/{name}", headers=TABLE, includeObject="None").json()
    columns = [
        [each[key] for key in ("name", "type", "format", "priority")] for each in table["columnDefinitions"]
    ]
    uid = response.json()["metadata"]["uid"]
    places = {name: "<name>", namespace.name: "<namespace>", uid: "<uid>"}
    return {
        "created": _normalised(response.json(), places),
        "columns": columns,
        "cells": _normalised(table["rows"][0]["cells"], places),
    }


def refused(client: Client, namespace: Namespace, kind: Kind) -> dict[str, Any]:
    """Tries to create the object with nothing but a name, and tells the answer, in the form of the record."""
    name = unique("kind")
    body = {"apiVersion": kind.group_version, "kind": kind.kind, "metadata": {"name": name}}
    response = client.post(kind.path(namespace), body, dryRun="All")
    told: dict[str, Any] = response.json() if response.status != 201 else {"code": 201}
    return _normalised(told, {name: "<name>", namespace.name: "<namespace>"})  # type: ignore[no-any-return]


def _normalised(value: Any, places: dict[str, str], key: str = "") -> Any:
    """Without what differs from run to run: names, uids, times, revisions, and who asked."""
    if isinstance(value, dict):
        return {
            name: _normalised(each, places, name)
            for name, each in value.items()
            if not (key == "spec" and name in CALLER)
        }
    if isinstance(value, list):
        return [_normalised(each, places) for each in value]
    if not isinstance(value, str):
        return value
    if key in {"uid", "resourceVersion"}:
        return f"<{key}>"
    for text, placeholder in places.items():
        value = value.replace(text, placeholder)
    value = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "<time>", value)
    # Of now, and of times that stand in the objects, whose age grows day by day.
    return re.sub(r"^(\d+s|\d+y\d*d?)$", "<age>", value)


def _record() -> None:
    from tests.realcluster.server import RealServer

    with RealServer(fsync=False) as server:
        client = Client(server)
        namespace = new_namespace(client)
        found = {
            str(kind): {**observed(client, namespace, kind), "empty": refused(client, namespace, kind)}
            for kind in KINDS
        }
        client.close()
    FILE.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    _record()
