"""The documents of custom resources: as a real server makes them of the same definitions."""

from __future__ import annotations

import json
from typing import Any

import pytest

from facts.normal_form import normalize_openapi
from kubewright.server.openapi.custom import custom_definitions
from kubewright.server.openapi.documents import OpenAPI
from tests.server.openapi.facts import RECORDED, recorded_crds, served_with


@pytest.fixture(scope="module")
def openapi() -> OpenAPI:
    crds = recorded_crds()
    resources = served_with(crds)
    return OpenAPI(lambda: resources, lambda: crds)


def document(openapi: OpenAPI, name: str) -> Any:
    made = openapi.v3(name)
    assert made is not None
    return json.loads(made.body)


@pytest.mark.parametrize("name", RECORDED["v3_definitions"])
def test_definitions_of_v3_are_as_recorded(openapi: OpenAPI, name: str) -> None:
    *reversed_group, version, _ = name.split(".")
    group = ".".join(reversed(reversed_group))
    made = document(openapi, f"apis/{group}/{version}")["components"]["schemas"][name]
    assert normalize_openapi(made) == RECORDED["v3_definitions"][name]


@pytest.mark.parametrize("name", RECORDED["v2_definitions"])
def test_definitions_of_v2_are_as_recorded(openapi: OpenAPI, name: str) -> None:
    made = json.loads(openapi.v2().body)["definitions"][name]
    assert normalize_openapi(made) == RECORDED["v2_definitions"][name]


@pytest.mark.parametrize("path", RECORDED["v3_paths"])
def test_paths_of_v3_are_as_recorded(openapi: OpenAPI, path: str) -> None:
    made = document(openapi, "apis/oa.example.com/v1")["paths"][path]
    assert normalize_openapi(made) == normalize_openapi(RECORDED["v3_paths"][path])


@pytest.mark.parametrize("path", RECORDED["v2_paths"])
def test_paths_of_v2_are_as_recorded(openapi: OpenAPI, path: str) -> None:
    made = json.loads(openapi.v2().body)["paths"][path]
    assert normalize_openapi(made) == normalize_openapi(RECORDED["v2_paths"][path])


def test_no_other_paths_of_widgets(openapi: OpenAPI) -> None:
    paths = document(openapi, "apis/oa.example.com/v1")["paths"]
    assert {path for path in paths if "widgets" in path} == RECORDED["v3_paths"].keys()


def test_only_group_versions_have_documents(openapi: OpenAPI) -> None:
    assert openapi.v3("apis/oa.example.com") is None
    assert openapi.v3("apis/oa.example.com/v2alpha1") is None
    names = [name for name in json.loads(openapi.index().body)["paths"] if "example" in name]
    assert names == [
        "apis/aa.example.org/other",
        "apis/aa.example.org/v1",
        "apis/aa.example.org/v10beta3",
        "apis/aa.example.org/v2",
        "apis/oa.example.com/v1",
        "apis/oa.example.com/v1beta1",
    ]


def test_every_reference_leads_somewhere(openapi: OpenAPI) -> None:
    def references(value: object) -> set[str]:
        if isinstance(value, dict):
            found = {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
            return found.union(*map(references, value.values()))
        return set().union(*map(references, value)) if isinstance(value, list) else set()

    for name in ("apis/oa.example.com/v1", "apis/apps/v1", "api"):
        made = document(openapi, name)
        defined = {f"#/components/schemas/{item}" for item in made["components"]["schemas"]}
        assert references(made) == references(made["paths"]) | references(made["components"])
        assert references(made) <= defined


def test_descriptions_of_the_definition_are_kept(openapi: OpenAPI) -> None:
    widget = document(openapi, "apis/oa.example.com/v1")["components"]["schemas"]["com.example.oa.v1.Widget"]
    assert widget["description"] == "A widget."
    assert widget["properties"]["spec"]["properties"]["replicas"]["description"] == "how many"


class TestSchemas:
    def made(self, schema: dict[str, Any] | None, *, v2: bool = False) -> dict[str, Any]:
        crd = next(item for item in recorded_crds() if item["metadata"]["name"] == "gears.oa.example.com")
        crd["spec"]["versions"][0]["schema"] = {"openAPIV3Schema": schema} if schema is not None else None
        gears = served_with([crd])[-1]
        return custom_definitions(crd, gears, v2=v2)["com.example.oa.v1.Gear"]

    def test_none_is_any_object(self) -> None:
        for v2 in (False, True):
            made = self.made(None, v2=v2)
            assert made.pop("x-kubernetes-group-version-kind")
            assert made == {"type": "object"}

    def test_false_and_empty_words_say_nothing_but_values_do(self) -> None:
        member = {"type": "boolean", "default": False, "nullable": False, "title": "", "enum": [False]}
        made = self.made({"type": "object", "properties": {"a": member}})
        assert made["properties"]["a"] == {"type": "boolean", "default": False, "enum": [False]}

    def test_no_members_of_an_open_definition_in_v2(self) -> None:
        schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": {"a": {}}}
        assert "properties" not in self.made(schema, v2=True)
        assert self.made(schema)["properties"].keys() == {"a", "apiVersion", "kind", "metadata"}

    def test_the_definition_is_not_changed(self) -> None:
        crds = recorded_crds()
        for v2 in (False, True):
            for resource in served_with(crds):
                for crd in crds:
                    if resource.custom and crd["metadata"]["name"] == f"{resource.resource}.{resource.group}":
                        custom_definitions(crd, resource, v2=v2)
        assert crds == recorded_crds()

    @pytest.mark.parametrize("word", ["properties", "items", "additionalProperties", "allOf", "not"])
    def test_a_bottomless_schema_does_no_harm(self, word: str) -> None:
        schema: dict[str, Any] = {"type": "string"}
        for _ in range(5000):
            below: object = {"a": schema} if word == "properties" else schema
            schema = {word: [below] if word == "allOf" else below}
        crds = recorded_crds()
        for version in crds[0]["spec"]["versions"]:
            version["schema"] = {"openAPIV3Schema": {"type": "object", "properties": {"spec": schema}}}
        resources = served_with(crds)
        openapi = OpenAPI(lambda: resources, lambda: crds)
        assert openapi.v2_protobuf().body
        assert openapi.v3_protobuf("apis/aa.example.org/v2") is not None
