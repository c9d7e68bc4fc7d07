"""The documents of built-in kinds: every path, operation and definition as a real server has it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from facts import KUBERNETES
from facts.normal_form import normalize_openapi
from kubewright.server.openapi.documents import OpenAPI
from kubewright.server.registry.resource import builtin_resources


def _openapi() -> OpenAPI:
    builtins = builtin_resources()
    return OpenAPI(lambda: builtins, list)


@pytest.fixture(scope="module")
def openapi() -> OpenAPI:
    return _openapi()


def _recorded() -> list[Path]:
    return sorted(KUBERNETES.glob("openapi-v3/*.json"))


def _name(path: Path) -> str:
    return path.stem.replace("__", "/")


@pytest.mark.parametrize("path", _recorded(), ids=_name)
def test_a_document_of_v3_is_as_recorded(openapi: OpenAPI, path: Path) -> None:
    made = openapi.v3(_name(path))
    assert made is not None
    recorded = json.loads(path.read_text())
    document = normalize_openapi(json.loads(made.body))
    for name, item in recorded["paths"].items():
        assert document["paths"].get(name) == item, name
    schemas = recorded["components"].get("schemas", {})
    for name, schema in schemas.items():
        assert document["components"]["schemas"].get(name) == schema, name
    assert document == recorded


def test_the_index_has_every_recorded_document_and_no_other(openapi: OpenAPI) -> None:
    paths = json.loads(openapi.index().body)["paths"]
    assert list(paths) == sorted(_name(path) for path in _recorded())


def test_the_document_of_v2_is_as_recorded(openapi: OpenAPI) -> None:
    recorded = json.loads((KUBERNETES / "openapi-v2.json").read_text())
    document = normalize_openapi(json.loads(openapi.v2().body))
    for part in ("paths", "definitions", "parameters"):
        for name, item in recorded[part].items():
            assert document[part].get(name) == item, name
    assert document == recorded


def test_every_response_is_described_as_openapi_demands(openapi: OpenAPI) -> None:
    made = openapi.v3("apis/apps/v1")
    assert made is not None
    for item in json.loads(made.body)["paths"].values():
        for method, operation in item.items():
            if method != "parameters":
                assert all(response["description"] for response in operation["responses"].values())


def test_the_facts_were_found() -> None:
    assert len(_recorded()) == 47
