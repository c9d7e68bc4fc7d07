"""Cases of what schemas make of custom resources, with the answers of a real kube-apiserver.

`cases/<part>.py` has `SCHEMAS` and `CASES`; `answers/<part>.json` is what the real server said to them, by

    python -m tests.crd.harness --server URL --token TOKEN PART...

Each schema becomes a CustomResourceDefinition of its own group with two versions, deleted afterwards: v2 has
the schema, v1 takes anything, so that an old object may break the schema that its update is validated with.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import json
import ssl
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from kubewright.crd.defaulting import default
from kubewright.crd.go_values import as_stored
from kubewright.crd.pruning import prune
from kubewright.crd.structural import StructuralSchema, parse_schema
from kubewright.crd.validation import validate, validate_status
from kubewright.machinery.errors import ParseError
from kubewright.machinery.field_errors import FieldError
from kubewright.machinery.names import is_path_segment_name, is_path_segment_prefix
from kubewright.server.kinds.metadata_rules import validate_object_meta

ANSWERS = Path(__file__).with_name("answers")
GROUP = "crd.kubewright.test"
Json = dict[str, Any]


class Case(NamedTuple):
    """One write: the create of an object with these fields, or with `old` its update from there."""

    name: str
    schema: str
    obj: Json
    old: Json | None = None
    subresource: str = ""


class Schemas(NamedTuple):
    """A schema, with the subresources of its definition."""

    schema: Json
    subresources: Json | None = None


def cases(part: str) -> tuple[dict[str, Schemas], list[Case]]:
    """The schemas and cases of `cases/<part>.py`."""
    module = import_module(f"tests.crd.cases.{part}")
    found: list[Case] = module.CASES
    names = [case.name for case in found]
    assert len(names) == len(set(names)), [name for name in names if names.count(name) > 1]
    return module.SCHEMAS, found


def answers(part: str) -> Json:
    """What the real server said, by the cases' names."""
    recorded: Json = json.loads((ANSWERS / f"{part}.json").read_text())
    return recorded


def whole(case: Case, fields: Json) -> Json:
    """An object with the fields of a case."""
    obj: Json = {"apiVersion": f"{GROUP}/v2", "kind": "Thing", "metadata": {"name": "case"}}
    obj.update(copy.deepcopy(fields))
    return obj


def metadata_rule(metadata: Json, path: str) -> list[FieldError]:
    """The rules of metadata, as the server hands them in for embedded objects."""
    return list(
        validate_object_meta(metadata, namespaced="namespace" in metadata, name_rule=_name_rule, path=path)
    )


def _name_rule(name: str, *, prefix: bool = False) -> list[str]:
    return is_path_segment_prefix(name) if prefix else is_path_segment_name(name)


def embedded_answer(case: Case, schema: StructuralSchema, subresources: Json | None) -> Json:
    """What the rules make of a case, in the form of the recorded answers."""
    obj = whole(case, case.obj)
    scale = (subresources or {}).get("scale")
    try:
        warnings = prune(obj, schema)
    except ParseError as error:
        return {"code": 400, "message": f'Thing in version "v2" cannot be handled as a Thing: {error}'}
    default(obj, schema)
    old = None
    if case.old is not None:
        old = as_stored(whole(case, case.old))
        prune(old, schema, drop_invalid_metadata=True)
        default(old, schema)
    if case.subresource:
        assert old is not None
        errors = validate_status(obj, schema, old=old, scale=scale)
    else:
        errors = validate(obj, schema, old=old, scale=scale, metadata_rule=metadata_rule)
    if errors:
        return {"code": 422, "causes": sorted(list(error) for error in errors)}
    return {"object": _comparable(obj), "warnings": warnings}


def _comparable(obj: Json) -> Json:
    return {
        name: _as_go_reads(value)
        for name, value in obj.items()
        if name not in {"metadata", "apiVersion", "kind"}
    }


def _as_go_reads(value: Any) -> Any:
    """Integers beyond 64 bits as floats."""
    if isinstance(value, dict):
        return {name: _as_go_reads(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_as_go_reads(element) for element in value]
    return float(value) if isinstance(value, int) and not -(2**63) <= value < 2**63 else value


class _Server(NamedTuple):
    url: str
    token: str

    def send(self, method: str, path: str, body: Json | None = None) -> tuple[int, Json, list[str]]:
        request = urllib.request.Request(  # noqa: S310 - the caller names a server on loopback
            f"{self.url}{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"},
        )
        context = ssl._create_unverified_context()  # noqa: S323 - on loopback, with a certificate of its own
        try:
            with urllib.request.urlopen(request, context=context) as response:  # noqa: S310
                return response.status, json.load(response), _warnings(response.headers)
        except urllib.error.HTTPError as error:
            body = error.read()
            return error.code, json.loads(body) if body.startswith(b"{") else {}, []


def _warnings(headers: Any) -> list[str]:
    return [json.loads(text.split(" ", 2)[2]) for text in headers.get_all("Warning", [])]


def record(part: str, server: _Server) -> None:
    """Ask the real server all cases of a part and write down what it says."""
    schemas, found = cases(part)
    told: Json = {}
    for name, of_schema in schemas.items():
        with _definition(server, of_schema) as group:
            for case in found:
                if case.schema == name:
                    told[case.name] = _real_answer(server, group, case)
    ANSWERS.mkdir(exist_ok=True)
    text = json.dumps(told, indent=1, sort_keys=True, ensure_ascii=False)
    (ANSWERS / f"{part}.json").write_text(text + "\n")


@contextlib.contextmanager
def _definition(server: _Server, schemas: Schemas) -> Iterator[str]:
    group = f"g{uuid.uuid4().hex[:10]}.{GROUP}"
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    versions: list[Json] = [
        {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": anything}},
        {"name": "v2", "served": True, "storage": False, "schema": {"openAPIV3Schema": schemas.schema}},
    ]
    if schemas.subresources:
        versions[1]["subresources"] = schemas.subresources
    code, told, _ = server.send("POST", path, {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"things.{group}"},
        "spec": {
            "group": group,
            "scope": "Cluster",
            "names": {"plural": "things", "kind": "Thing"},
            "versions": versions,
        },
    })  # fmt: skip
    assert code == 201, told
    try:
        while server.send("GET", f"/apis/{group}/v2/things")[0] != 200:
            time.sleep(0.1)
        yield group
    finally:
        server.send("DELETE", f"{path}/things.{group}")


def _real_answer(server: _Server, group: str, case: Case) -> Json:
    root = f"/apis/{group}/v2/things"
    obj = whole(case, case.obj) | {"apiVersion": f"{group}/v2"}
    if case.old is None:
        return _told(server.send("POST", f"{root}?dryRun=All", obj), group)
    old = whole(case, case.old) | {"apiVersion": f"{group}/v1"}
    code, made, _ = server.send("POST", f"/apis/{group}/v1/things", old)
    assert code == 201, f"{case.name}: the old object was refused: {made}"
    try:
        obj["metadata"]["resourceVersion"] = made["metadata"]["resourceVersion"]
        tail = f"/{case.subresource}" if case.subresource else ""
        return _told(server.send("PUT", f"{root}/case{tail}?dryRun=All", obj), group)
    finally:
        server.send("DELETE", f"/apis/{group}/v1/things/case")


def _told(answer: tuple[int, Json, list[str]], group: str) -> Json:
    code, body, warnings = answer
    if code < 300:
        return {"object": _comparable(body), "warnings": warnings}
    if code == 422:
        causes = body["details"].get("causes", [])
        told = sorted([c["reason"], c.get("field", ""), c["message"]] for c in causes)
        return {"code": 422, "causes": json.loads(json.dumps(told).replace(group, GROUP))}
    return {"code": code, "message": body["message"].replace(group, GROUP)}


def parsed(part: str) -> dict[str, tuple[StructuralSchema, Json | None]]:
    """The schemas of a part, ready to use."""
    schemas, _ = cases(part)
    return {name: (parse_schema(of.schema), of.subresources) for name, of in schemas.items()}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", required=True)
    parser.add_argument("--token", required=True)
    parser.add_argument("parts", nargs="+")
    arguments = parser.parse_args()
    for named in arguments.parts:
        record(named, _Server(arguments.server, arguments.token))
