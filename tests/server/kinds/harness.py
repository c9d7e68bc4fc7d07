"""Cases of what built-in kinds accept, refuse and make of objects, with the answers of a real kube-apiserver.

`cases/<group>.py` has `CASES`; `answers/<group>.json` is what the real server said to them, written by

    python -m tests.server.kinds.harness --server URL --token TOKEN GROUP...

`test_cases.py` compares the rules in `kubewright.server.kinds` with these answers.
"""

from __future__ import annotations

import argparse
import copy
import json
import ssl
import urllib.error
import urllib.request
from datetime import UTC, datetime
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from kubewright.machinery.field_errors import FieldError
from kubewright.machinery.gvk import GroupVersionKind
from kubewright.machinery.resource import Resource
from kubewright.machinery.scheme import Scheme
from kubewright.models import builtin_scheme
from kubewright.server.kinds import Context, Kind, kind_of

ANSWERS = Path(__file__).with_name("answers")
Json = dict[str, Any]


class Case(NamedTuple):
    """One write: the create of `obj`, or with `old` its update from there."""

    name: str
    obj: Json
    old: Json | None = None
    subresource: str = ""


def cases(group: str) -> list[Case]:
    """The cases of `cases/<group>.py`."""
    found: list[Case] = import_module(f"tests.server.kinds.cases.{group}").CASES
    names = [case.name for case in found]
    assert len(names) == len(set(names)), "two cases have the same name"
    return found


def answers(group: str) -> Json:
    """What the real server said, by the cases' names."""
    recorded: Json = json.loads((ANSWERS / f"{group}.json").read_text())
    return recorded


def embedded_answer(case: Case) -> Json:
    """What the rules make of a case, in the form of the recorded answers."""
    group, resource = _resource(case.obj)
    kind = kind_of(group, resource)
    obj = copy.deepcopy(case.obj)
    kind.default(obj)
    context = Context(now=datetime(2026, 1, 1, tzinfo=UTC), user="admin", groups=("system:masters",))
    if case.old is None:
        kind.prepare_create(obj, context)
        return _answer(obj, kind.validate(obj), kind.warnings(obj, None))
    return _updated(kind, case, obj, context)


def _updated(kind: Kind, case: Case, obj: Json, context: Context) -> Json:
    assert case.old is not None
    old = copy.deepcopy(case.old)
    kind.default(old)
    kind.prepare_create(old, context)
    kept = copy.deepcopy(old)
    rules = kind.subresources[case.subresource] if case.subresource else None
    if rules is not None:
        rules.prepare(obj, old, context)
        errors = rules.validate(obj, old)
    else:
        kind.prepare_update(obj, old, context)
        errors = kind.validate_update(obj, old)
    assert old == kept, "the rules changed the old object"
    return _answer(obj, errors, (rules or kind).warnings(obj, old))


def _answer(obj: Json, errors: list[FieldError], warnings: list[str]) -> Json:
    if errors:
        return {"code": 422, "causes": [list(error) for error in errors]}
    return {"object": _comparable(obj), "warnings": warnings}


def _comparable(obj: Json) -> Json:
    """Without metadata, and without what Go always writes, null or empty, which is not the rules' affair."""
    return {name: _without_nulls(value) for name, value in obj.items() if name != "metadata" and value}


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nulls(member) for name, member in value.items() if member is not None}
    if isinstance(value, list):
        return [_without_nulls(element) for element in value]
    return value


def _resource(obj: Json) -> tuple[str, str]:
    cls = _type(obj)
    return cls.gvr.group, cls.gvr.resource


@cache
def _scheme() -> Scheme:
    """One for all cases: it takes as long to make as a case to check."""
    return builtin_scheme()


def _type(obj: Json) -> type[Resource]:
    found = _scheme().type_of(GroupVersionKind.from_api_version(obj["apiVersion"], obj["kind"]))
    assert found is not None, f"{obj['kind']} is no built-in kind"
    assert issubclass(found, Resource)
    return found


def record(group: str, server: str, token: str) -> None:
    """Ask the real server all cases of a group and write down what it says."""
    found = {case.name: _real_answer(case, server, token) for case in cases(group)}
    ANSWERS.mkdir(exist_ok=True)
    text = json.dumps(found, indent=1, sort_keys=True, ensure_ascii=False)
    (ANSWERS / f"{group}.json").write_text(text + "\n")


def _real_answer(case: Case, server: str, token: str) -> Json:
    path = _path(case.obj, server)
    name = case.obj["metadata"]["name"]
    if case.old is None:
        return _told(_send("POST", f"{path}?dryRun=All", token, case.obj))
    _send("DELETE", f"{path}/{name}?gracePeriodSeconds=0&propagationPolicy=Background", token)
    code, made, _ = _send("POST", path, token, case.old)
    assert code == 201, f"{case.name}: the old object was refused: {made}"
    try:
        tail = f"/{case.subresource}" if case.subresource else ""
        changed = copy.deepcopy(case.obj)
        changed["metadata"] = {"resourceVersion": made["metadata"]["resourceVersion"], **changed["metadata"]}
        return _told(_send("PUT", f"{path}/{name}{tail}?dryRun=All", token, changed))
    finally:
        _send("DELETE", f"{path}/{name}?gracePeriodSeconds=0&propagationPolicy=Background", token)


def _told(answer: tuple[int, Json, list[str]]) -> Json:
    code, body, warnings = answer
    if code < 300:
        return {"object": _comparable(body), "warnings": warnings}
    if code == 422:
        causes = body["details"].get("causes", [])
        return {"code": 422, "causes": [[c["reason"], c.get("field", ""), c["message"]] for c in causes]}
    return {"code": code, "message": body["message"]}


def _path(obj: Json, server: str) -> str:
    cls = _type(obj)
    gvr = cls.gvr
    root = f"{server}/apis/{gvr.group}/{gvr.version}" if gvr.group else f"{server}/api/{gvr.version}"
    if cls.namespaced:
        root += f"/namespaces/{obj['metadata'].get('namespace', 'default')}"
    return f"{root}/{gvr.resource}"


def _send(method: str, url: str, token: str, body: Json | None = None) -> tuple[int, Json, list[str]]:
    request = urllib.request.Request(  # noqa: S310 - the caller names a server on loopback
        url,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
    )
    context = ssl._create_unverified_context()  # noqa: S323 - on loopback, with a certificate of its own
    try:
        with urllib.request.urlopen(request, context=context) as response:  # noqa: S310
            return response.status, json.load(response), _warnings(response.headers)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error), []


def _warnings(headers: Any) -> list[str]:
    return [json.loads(text.split(" ", 2)[2]) for text in headers.get_all("Warning", [])]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", required=True)
    parser.add_argument("--token", required=True)
    parser.add_argument("groups", nargs="+")
    arguments = parser.parse_args()
    for named in arguments.groups:
        record(named, arguments.server, arguments.token)
