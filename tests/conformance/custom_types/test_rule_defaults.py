"""A rule sees the zero values that Python reads, on each server."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

from kubewright import Field, Resource, Struct, custom_resource, rule
from tests.conformance.client import Client
from tests.conformance.custom_resources import DEFINITIONS
from tests.conformance.namespaces import Namespace
from tests.conformance.waiting import eventually


@rule("self.colors.size() <= self.size", message="no more colors than its size")
@rule("self.name != 'bad'")
class PaletteSpec(Struct):
    size: Annotated[int, Field(minimum=1, maximum=100)] = 1
    colors: Annotated[list[str], Field(max_items=100)] = []
    name: Annotated[str, Field(max_length=10)] = ""


@custom_resource(group="rules.kubewright.example.com", version="v1")
class Palette(Resource):
    spec: PaletteSpec


@pytest.fixture(scope="module")
def palettes(client: Client) -> str:
    """The resource, served."""
    answer = client.post(DEFINITIONS, Palette.crd().to_dict())
    assert answer.status == 201, answer.text
    path = f"/apis/{Palette.gvk.api_version}/palettes"
    eventually(lambda: client.get(path).status == 200, f"{path} is not served")
    return "palettes"


@pytest.mark.parametrize(
    ("spec", "status"),
    [
        ({}, 201),
        ({"size": 2}, 201),
        ({"colors": []}, 201),
        ({"colors": ["a"]}, 201),
        ({"colors": ["a", "b"]}, 422),
        ({"size": 2, "colors": ["a", "b"]}, 201),
        ({"name": "bad"}, 422),
    ],
)
def test_each_object_is_judged(
    client: Client, namespace: Namespace, palettes: str, spec: dict[str, Any], status: int
) -> None:
    api_version = Palette.gvk.api_version
    obj = {"apiVersion": api_version, "kind": "Palette", "metadata": {"name": "a"}, "spec": spec}
    response = client.post(namespace.path(palettes, api_version), obj, dryRun="All")
    assert response.status == status, response.text
    if status == 201:
        assert response.json()["spec"] == {"size": 1, "colors": [], "name": "", **spec}
