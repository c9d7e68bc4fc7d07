"""What a real kube-apiserver makes of definitions that are there: their updates, names and conditions.

`cases/definitions.py` has `UPDATES` and `NEIGHBOURS`; `answers/definitions.json` is what the real server
said, written by

    python -m tests.server.customresources.harness --server URL --token TOKEN

Answers keep what the server's controllers had made of the old definition when it was updated.
"""

from __future__ import annotations

import argparse
import copy
import json
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from kubewright.machinery.field_errors import FieldError
from kubewright.server.kinds import Context, kind_of
from tests.server.kinds import harness as kinds

ANSWERS = Path(__file__).with_name("answers") / "definitions.json"
PATH = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
Json = dict[str, Any]


class Update(NamedTuple):
    """The update of `old`, once its names are accepted or refused."""

    name: str
    old: Json
    obj: Json
    subresource: str = ""


def told() -> Json:
    """What the real server said, by the cases' names."""
    recorded: Json = json.loads(ANSWERS.read_text())
    return recorded


def embedded_update(case: Update, old_status: Json) -> Json:
    """What the rules make of an update, in the form of the recorded answers."""
    kind = kind_of("apiextensions.k8s.io", "customresourcedefinitions")
    context = Context(now=datetime(2026, 1, 1, tzinfo=UTC))
    old, obj = copy.deepcopy(case.old), copy.deepcopy(case.obj)
    kind.default(old)
    old["status"] = copy.deepcopy(old_status)
    kind.default(obj)
    kept = copy.deepcopy(old)
    if case.subresource:
        rules = kind.subresources[case.subresource]
        rules.prepare(obj, old, context)
        errors = rules.validate(obj, old)
        warnings = rules.warnings(obj, old)
    else:
        kind.prepare_update(obj, old, context)
        errors = kind.validate_update(obj, old)
        warnings = kind.warnings(obj, old)
    assert old == kept, "the rules changed the old object"
    return _answer(obj, errors, warnings)


def _answer(obj: Json, errors: list[FieldError], warnings: list[str]) -> Json:
    if errors:
        return {"code": 422, "causes": [list(error) for error in errors]}
    return {"object": _comparable(obj), "warnings": warnings}


def _comparable(obj: Json) -> Json:
    return {"spec": obj["spec"], "status": without_times(obj["status"])}


def without_times(status: Json) -> Json:
    """A status whose conditions have no times, and nothing that Go leaves out."""
    conditions = status.get("conditions") or []
    found = {**status, "conditions": [
        {name: value for name, value in one.items() if name != "lastTransitionTime"} for one in conditions
    ]}  # fmt: skip
    return {name: value for name, value in found.items() if value is not None}


class _Server(NamedTuple):
    url: str
    token: str

    def send(self, method: str, path: str, body: Json | None = None) -> tuple[int, Json, list[str]]:
        return kinds._send(method, f"{self.url}{path}", self.token, body)

    def create(self, crd: Json) -> None:
        code, body, _ = self.send("POST", PATH, crd)
        assert code == 201, body

    def get(self, name: str) -> Json:
        return self.send("GET", f"{PATH}/{name}")[1]

    def settled(self, name: str, is_settled: Callable[[Json], bool]) -> Json:
        """The definition, once the controllers have done with it."""
        for _ in range(200):
            found = self.get(name)
            if is_settled(found.get("status", {})):
                return found
            time.sleep(0.1)
        raise AssertionError(f"{name} did not settle: {found.get('status')}")

    def delete(self, name: str) -> None:
        self.send("DELETE", f"{PATH}/{name}")
        for _ in range(200):
            if self.send("GET", f"{PATH}/{name}")[0] == 404:
                return
            time.sleep(0.1)


def is_named(status: Json) -> bool:
    """Whether names are refused, or accepted and the definition established."""
    states = {one["type"]: one["status"] for one in status.get("conditions") or ()}
    return states.get("NamesAccepted") == "False" or states.get("Established") == "True"


def record(server: _Server, updates: list[Update], neighbours: dict[str, list[Json]]) -> None:
    """Ask the real server and write down what it says."""
    found: Json = {"updates": {}, "neighbours": {}}
    for case in updates:
        found["updates"][case.name] = _real_update(server, case)
    for name, crds in neighbours.items():
        found["neighbours"][name] = _real_neighbours(server, crds)
    ANSWERS.parent.mkdir(exist_ok=True)
    ANSWERS.write_text(json.dumps(found, indent=1, sort_keys=True, ensure_ascii=False) + "\n")


def _real_update(server: _Server, case: Update) -> Json:
    name = case.old["metadata"]["name"]
    server.create(case.old)
    try:
        old = server.settled(name, is_named)
        obj = copy.deepcopy(case.obj)
        obj["metadata"] = {**obj["metadata"], "resourceVersion": old["metadata"]["resourceVersion"]}
        tail = f"/{case.subresource}" if case.subresource else ""
        code, body, warnings = server.send("PUT", f"{PATH}/{name}{tail}?dryRun=All", obj)
        told_status = without_times(old["status"])
        if code == 200:
            return {"old": told_status, "answer": {"object": _comparable(body), "warnings": warnings}}
        causes = [[one["reason"], one.get("field", ""), one["message"]] for one in body["details"]["causes"]]
        return {"old": told_status, "answer": {"code": code, "causes": causes}}
    finally:
        server.delete(name)


def _real_neighbours(server: _Server, crds: list[Json]) -> list[Json]:
    made: list[str] = []
    try:
        for crd in crds:
            made.append(crd["metadata"]["name"])
            server.create(crd)
            server.settled(made[-1], is_named)
        return [without_times(server.get(name)["status"]) for name in made]
    finally:
        for name in reversed(made):
            server.delete(name)


if __name__ == "__main__":
    from tests.server.customresources.cases.definitions import NEIGHBOURS, UPDATES

    parser = argparse.ArgumentParser()
    parser.add_argument("--server", required=True)
    parser.add_argument("--token", required=True)
    arguments = parser.parse_args()
    record(_Server(arguments.server, arguments.token), UPDATES, NEIGHBOURS)
