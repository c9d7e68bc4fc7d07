"""Asks a real kube-apiserver about expressions and rules, and writes down what it says.

    python -m tests.crd.cel.harness --server URL --token TOKEN

makes CustomResourceDefinitions of a group of its own, which it deletes again, and writes `answers.json`.
`test_differential.py` compares `kubewright.crd.cel` with these answers.
"""

from __future__ import annotations

import argparse
import json
import re
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.crd.cel.estimates import SCHEMAS
from tests.crd.cel.expressions import EXPRESSIONS, OBJECT, REFUSED, SPEC
from tests.crd.cel.validations import CASES

ANSWERS = Path(__file__).with_name("answers.json")
Json = dict[str, Any]

_CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_CHUNK = 60


def answers() -> Json:
    """What the real server said."""
    recorded: Json = json.loads(ANSWERS.read_text())
    return recorded


def value_rule(expression: str) -> Json:
    """A rule that always fails, with the expression's value for its message, or the expression's error."""
    return {
        "rule": f"type({expression}) == optional_type && false",
        "messageExpression": f"'%s'.format([{expression}])",
    }


def schema_of(spec: Json, root: Json | None = None) -> Json:
    """The schema of a whole object with that `spec`."""
    return {"type": "object", "properties": {"spec": spec}, **(root or {})}


def definition(group: str, plural: str, schema: Json) -> Json:
    """A CustomResourceDefinition with one version that has the schema."""
    kind = plural.capitalize()
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": "Cluster",
            "names": {"plural": plural, "singular": plural, "kind": kind, "listKind": f"{kind}List"},
            "versions": [
                {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
            ],
        },
    }


def comparable(text: str) -> str:
    """Without the numbers that upstream makes up for types."""
    return re.sub(r"selfType\d+", "selfType", text)


class Server:
    """A real server."""

    def __init__(self, address: str, token: str, group: str) -> None:
        self._address = address
        self._token = token
        self.group = group

    def send(self, method: str, path: str, body: Json | None = None) -> tuple[int, Json, list[str]]:
        request = urllib.request.Request(  # noqa: S310 - the caller names a server on loopback
            f"{self._address}{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"},
        )
        context = ssl._create_unverified_context()  # noqa: S323 - on loopback, with its own certificate
        try:
            with urllib.request.urlopen(request, context=context) as response:  # noqa: S310
                return response.status, json.load(response), response.headers.get_all("Warning", [])
        except urllib.error.HTTPError as error:
            text = error.read()
            # What is no API at all is answered in plain text.
            body = json.loads(text) if text.startswith(b"{") else {}
            return error.code, body, error.headers.get_all("Warning", [])

    @contextmanager
    def defined(self, plural: str, schema: Json) -> Iterator[str]:
        """The path of the resource while there is a definition for it."""
        made = definition(self.group, plural, schema)
        code, body, _ = self.send("POST", _CRDS, made)
        assert code == 201, body["message"]
        try:
            path = f"/apis/{self.group}/v1/{plural}"
            for _ in range(200):
                if self.send("GET", path)[0] == 200:
                    break
                time.sleep(0.05)
            yield path
        finally:
            self.send("DELETE", f"{_CRDS}/{plural}.{self.group}")

    def instance(self, plural: str, spec: Any) -> Json:
        return {
            "apiVersion": f"{self.group}/v1",
            "kind": plural.capitalize(),
            "metadata": {"name": "one"},
            "spec": spec,
        }


def causes(code: int, body: Json) -> list[list[str]] | None:
    """The causes of a refusal; None if the object was taken."""
    if code < 300:
        return None
    assert code == 422, body
    found = body["details"].get("causes", [])
    return [[cause["reason"], cause.get("field", ""), comparable(cause["message"])] for cause in found]


def _compiled(server: Server, rule: Json, tail: str) -> list[list[str]] | None:
    schema = schema_of({**SPEC, "x-kubernetes-validations": [rule]})
    code, body, _ = server.send("POST", f"{_CRDS}?dryRun=All", definition(server.group, f"t{tail}", schema))
    return causes(code, body)


def record(server: Server) -> Json:
    """Ask everything."""
    refused = {text: _compiled(server, {"rule": text}, "refused") for text in REFUSED}
    compiled = {text: _compiled(server, value_rule(text), "value") for text in EXPRESSIONS}
    good = [text for text in EXPRESSIONS if compiled[text] is None]
    values: Json = {text: {"refused": found} for text, found in compiled.items() if found is not None}
    for start in range(0, len(good), _CHUNK):
        values.update(_evaluated(server, good[start : start + _CHUNK], f"values{start}"))
    return {
        "refused": refused,
        "values": values,
        "validations": dict(_validated(server)),
        "estimates": [_estimated(server, schema) for schema in SCHEMAS],
    }


def _estimated(server: Server, spec: Json) -> list[list[str]] | None:
    made = definition(server.group, "estimates", schema_of(spec))
    code, body, _ = server.send("POST", f"{_CRDS}?dryRun=All", made)
    return causes(code, body)


def _evaluated(server: Server, texts: list[str], plural: str) -> Json:
    rules = [{**value_rule(text), "reason": "FieldValueInvalid"} for text in texts]
    with server.defined(plural, schema_of({**SPEC, "x-kubernetes-validations": rules})) as path:
        code, body, _ = server.send("POST", f"{path}?dryRun=All", server.instance(plural, OBJECT))
    found = causes(code, body) or []
    assert len(found) == len(texts), (len(found), len(texts), body["message"])
    return {text: {"cause": cause} for text, cause in zip(texts, found, strict=True)}


def _validated(server: Server) -> Iterator[tuple[str, Any]]:
    for number, case in enumerate(CASES):
        plural = f"case{number}"
        schema = schema_of(case.schema, case.root)
        code, body, _ = server.send("POST", f"{_CRDS}?dryRun=All", definition(server.group, plural, schema))
        if code != 201:
            yield case.name, {"refused": causes(code, body)}
            continue
        # The rules must not keep the old object from being made, so they come after it.
        bare = schema_of({"type": "object", "x-kubernetes-preserve-unknown-fields": True})
        with server.defined(plural, bare if case.old is not None else schema) as path:
            yield case.name, _answer(server, case, plural, path, schema)


def _answer(server: Server, case: Any, plural: str, path: str, schema: Json) -> Json:
    if case.old is None:
        code, body, warnings = server.send("POST", f"{path}?dryRun=All", server.instance(plural, case.spec))
        return {"causes": causes(code, body), "warnings": warnings}
    code, made, _ = server.send("POST", path, server.instance(plural, case.old))
    assert code == 201, made
    name = f"{_CRDS}/{plural}.{server.group}"
    _, current, _ = server.send("GET", name)
    current["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = schema
    code, body, _ = server.send("PUT", name, current)
    assert code == 200, body
    changed = server.instance(plural, case.spec)
    changed["metadata"]["resourceVersion"] = made["metadata"]["resourceVersion"]
    time.sleep(1.5)
    code, body, warnings = server.send("PUT", f"{path}/one?dryRun=All", changed)
    return {"causes": causes(code, body), "warnings": warnings}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", required=True)
    parser.add_argument("--token", required=True)
    parser.add_argument("--group", default="cel-differential.kubewright.test")
    arguments = parser.parse_args()
    asked = record(Server(arguments.server, arguments.token, arguments.group))
    ANSWERS.write_text(json.dumps(asked, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
