"""Thousands of bodies of all kinds, read here and by upstream's own serializer."""

from __future__ import annotations

import random
from base64 import b64encode
from typing import Any

import pytest

from kubewright.server.wire import Read, WireError, WrongKind, read_json, wire_type
from tests.conftest import Oracle
from tests.server.wire.bodies import ALL_KINDS, Bodies

pytestmark = pytest.mark.oracle

BODIES_EACH = 1500


def _ask(oracle: Oracle, op: str, kind: tuple[str, str], body: bytes, *, strict: bool) -> Any:
    api_version, name = kind
    asked = {"body": b64encode(body).decode(), "apiVersion": api_version, "kind": name, "strict": strict}
    answer = oracle.ask(op, asked)
    if answer.get("error"):
        return answer["error"], answer["kind"]
    return _floats(answer["object"]), tuple(answer["problems"])


def _floats(value: object) -> object:
    """Go writes large floats as whole numbers, which Python reads as ints."""
    if isinstance(value, dict):
        return {key: _floats(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_floats(item) for item in value]
    return float(value) if type(value) is int and abs(value) >= 2**63 else value


def _mine(found: Read) -> tuple[object, tuple[str, ...]]:
    return _floats(found.obj), tuple(found.problems)


@pytest.mark.parametrize("oddness", [0.0, 0.005, 0.03, 0.1, 0.4])
def test_built_in_kinds(oracle: Oracle, oddness: float) -> None:
    chance = random.Random(oddness)  # noqa: S311 - the same bodies in every run
    bodies = Bodies(chance, oddness)
    for number in range(BODIES_EACH):
        kind = ALL_KINDS[number % len(ALL_KINDS)]
        body, strict = bodies.body(*kind), chance.random() < 0.8
        try:
            mine: object = _mine(wire_type(*kind).read(body, strict=strict))
        except WrongKind:
            continue  # test_wire_type has the sentences of a whole server
        except WireError as error:
            mine = str(error), error.kind
        assert mine == _ask(oracle, "wire.read", kind, body, strict=strict), body


@pytest.mark.parametrize("oddness", [0.0, 0.03, 0.2])
def test_custom_resources(oracle: Oracle, oddness: float) -> None:
    chance = random.Random(oddness)  # noqa: S311
    bodies = Bodies(chance, oddness)
    for number in range(BODIES_EACH):
        kind = ALL_KINDS[number % len(ALL_KINDS)]
        body = bodies.body(*kind)
        try:
            mine: tuple[object, object] = _mine(read_json(body, strict=True))
        except WireError as error:
            # The kind that a body lacks would be the endpoint's, of which read_json knows nothing.
            mine = str(error), error.kind or ("" if "Kind" in str(error) else None)
        theirs = _ask(oracle, "wire.json", kind, body, strict=True)
        assert mine == theirs or (mine[1] is None and mine[0] == theirs[0]), body


def test_what_go_always_writes(oracle: Oracle) -> None:
    for kind in ALL_KINDS:
        answer = _ask(oracle, "wire.read", kind, b"{}", strict=True)
        assert answer == (wire_type(*kind).always, ()), kind
