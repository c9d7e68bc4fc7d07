"""Objects, and the rows that a real kube-apiserver makes of them.

`cases/<name>.py` has `CASES`; `answers/<name>.json` has the objects as the real server stored them, with
their rows and columns and the time of the answer, written by

    python -m tests.server.tables.harness --server URL --token TOKEN NAME...

It makes the objects in a namespace of its own and takes them away again. `test_tables.py` compares.
"""

from __future__ import annotations

import argparse
import copy
import json
import re
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from kubewright.machinery.gvk import GroupVersionKind
from kubewright.machinery.resource import Resource
from kubewright.models import builtin_scheme

ANSWERS = Path(__file__).with_name("answers")
NAMESPACE = "tables"
Json = dict[str, Any]

_TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
_FINALIZER = "example.com/keep"


class Case(NamedTuple):
    """An object to make. Texts such as `5m ago` in it are times when it is made."""

    name: str
    obj: Json
    status: Json | None = None
    """Written through /status, or through `written_through`."""
    deleted: bool = False
    """Whether it is deleted, and kept by a finalizer."""
    also_as: str = ""
    """Another apiVersion in which it is read as well."""
    subresource: str = ""
    """What is read as well, such as `scale`."""
    written_through: str = "status"
    delay: float = 0
    """Seconds until controllers of the server have seen it."""


class Existing(NamedTuple):
    """What is there without us: a path whose list is read. Lists show the order of rows."""

    path: str


def answers(name: str) -> list[Json]:
    """What the real server said."""
    recorded: list[Json] = json.loads((ANSWERS / f"{name}.json").read_text())
    return recorded


def group_and_resource(path: str) -> tuple[str, str]:
    """Of the path of an object, a list or a subresource."""
    parts = path.strip("/").split("/")
    group, rest = ("", parts[2:]) if parts[0] == "api" else (parts[1], parts[3:])
    if rest[0] == "namespaces" and len(rest) > 2:
        rest = rest[2:]
    return ("autoscaling", "scale") if rest[-1] == "scale" else (group, rest[0])


class Recorder:
    """Speaks to the real server."""

    def __init__(self, server: str, token: str) -> None:
        self._server = server
        self._token = token
        # On loopback, with a certificate of its own.
        self._context = ssl._create_unverified_context()  # noqa: S323

    def send(self, method: str, path: str, body: Json | None = None, **headers: str) -> tuple[int, Json]:
        """One request; its code and JSON."""
        request = urllib.request.Request(  # noqa: S310 - the caller names a server on loopback
            self._server + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "Authorization": f"Bearer {self._token}",
                "Content-Type": "application/merge-patch+json" if method == "PATCH" else "application/json",
                **headers,
            },
        )
        try:
            with urllib.request.urlopen(request, context=self._context) as response:  # noqa: S310
                return response.status, json.load(response)
        except urllib.error.HTTPError as error:
            text = error.read()
            # What is not served yet is refused in plain text.
            return error.code, json.loads(text) if text.startswith(b"{") else {"kind": ""}

    def want(self, method: str, path: str, body: Json | None = None, **headers: str) -> Json:
        """A request that must succeed."""
        code, answer = self.send(method, path, body, **headers)
        assert code < 300, f"{method} {path}: {code} {answer.get('message')}"
        return answer

    @contextmanager
    def namespace(self) -> Iterator[None]:
        """A namespace for the objects, which is taken away at the end: no controller would."""
        self.send("POST", "/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
        try:
            yield
        finally:
            self.take_away(f"/api/v1/namespaces/{NAMESPACE}")

    def record(self, case: Case) -> list[Json]:
        """What the server makes of a case."""
        obj = copy.deepcopy(case.obj)
        obj["metadata"] = {"name": case.name.lower().replace(" ", "-"), **obj.get("metadata", {})}
        if case.deleted:
            obj["metadata"]["finalizers"] = [_FINALIZER]
        collection, name = collection_path(obj), obj["metadata"]["name"]
        path = f"{collection}/{name}"
        self.take_away(path)
        self.want("POST", collection, with_times(obj))
        try:
            if case.status is not None:
                written = {"status": with_times(case.status)}
                self.want("PATCH", f"{path}/{case.written_through}", written)
            if case.deleted:
                self.want("DELETE", path)
            time.sleep(case.delay)
            paths = [path]
            if case.also_as:
                paths.append(path.replace(_root(obj["apiVersion"]), _root(case.also_as)))
            if case.subresource:
                paths.append(f"{path}/{case.subresource}")
            return [self.answer(case.name, one) for one in paths]
        finally:
            self.take_away(path)

    def take_away(self, path: str) -> None:
        """Delete an object, whatever keeps it."""
        self.send("PATCH", path, {"metadata": {"finalizers": None}})
        code, left = self.send("DELETE", f"{path}?gracePeriodSeconds=0")
        if left["kind"] == "Namespace" or (code == 409 and "/namespaces/" in path):
            name = path.rpartition("/")[2]
            self.send("PUT", f"{path}/finalize", {"metadata": {"name": name}, "spec": {}})

    def answer(self, name: str, path: str) -> Json:
        """An object or a list and its table, which is made in the second that is told."""
        found = self.want("GET", path)
        while True:
            before = datetime.now(UTC)
            table = self.want("GET", f"{path}?includeObject=None", Accept=_TABLE)
            if datetime.now(UTC).replace(microsecond=0) == before.replace(microsecond=0):
                break
        objects = [{**_type_of(found), **one} for one in found["items"]] if "items" in found else [found]
        for obj in objects:
            obj["metadata"].pop("managedFields", None)
        return {
            "name": name,
            "path": path,
            "now": before.isoformat(),
            "objects": objects,
            "columns": [
                {key: value for key, value in column.items() if key != "description"}
                for column in table["columnDefinitions"]
            ],
            "rows": [{key: row[key] for key in row if key != "object"} for row in table["rows"] or []],
        }


def _type_of(listed: Json) -> Json:
    return {"kind": listed["kind"].removesuffix("List"), "apiVersion": listed["apiVersion"]}


def collection_path(obj: Json) -> str:
    """Where objects like this one are made."""
    group_version, kind = obj["apiVersion"], obj["kind"]
    cls = builtin_scheme().type_of(GroupVersionKind.from_api_version(group_version, kind))
    assert cls is not None, f"{kind} is no built-in kind"
    assert issubclass(cls, Resource)
    namespace = f"namespaces/{NAMESPACE}/" if cls.namespaced else ""
    return f"{_root(group_version)}{namespace}{cls.gvr.resource}"


def _root(api_version: str) -> str:
    return f"/apis/{api_version}/" if "/" in api_version else f"/api/{api_version}/"


_AGO = re.compile(r"([0-9]+)([smhd]) ago( micro)?")
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def with_times(value: Any) -> Any:
    """With the times that texts such as `5m ago` name."""
    if isinstance(value, dict):
        return {name: with_times(member) for name, member in value.items()}
    if isinstance(value, list):
        return [with_times(element) for element in value]
    match = _AGO.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return value
    moment = datetime.now(UTC) - timedelta(seconds=int(match[1]) * _UNITS[match[2]])
    return moment.strftime("%Y-%m-%dT%H:%M:%S") + (".000000Z" if match[3] else "Z")


def record(name: str, server: str, token: str) -> None:
    """Ask the real server all cases of a module and write down what it says."""
    recorder = Recorder(server, token)
    module = import_module(f"tests.server.tables.cases.{name}")
    found: list[Json] = []
    refused: list[str] = []
    with recorder.namespace():
        if hasattr(module, "record"):
            found += module.record(recorder)
        for case in getattr(module, "CASES", ()):
            if isinstance(case, Existing):
                found.append(recorder.answer(case.path, case.path))
                continue
            try:
                found += recorder.record(case)
            except AssertionError as error:
                refused.append(f"{case.name}: {error}")
    assert not refused, "\n".join(refused)
    ANSWERS.mkdir(exist_ok=True)
    text = json.dumps(found, indent=1, sort_keys=True, ensure_ascii=False)
    (ANSWERS / f"{name}.json").write_text(text + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", required=True)
    parser.add_argument("--token", required=True)
    parser.add_argument("names", nargs="+")
    arguments = parser.parse_args()
    # The cases import this module by its name, and so have their own Case.
    this = import_module("tests.server.tables.harness")
    for named in arguments.names:
        this.record(named, arguments.server, arguments.token)
