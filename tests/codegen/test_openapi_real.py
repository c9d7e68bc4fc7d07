"""Types of a real kube-apiserver's OpenAPI: they import, have no type errors, and read and write objects."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kubewright import NotFound, ObjectMeta
from kubewright.codegen.crd_files import definitions_of, write_files
from kubewright.codegen.crd_types import type_files
from kubewright.codegen.openapi_documents import Document, cluster_documents
from kubewright.codegen.openapi_types import openapi_type_files
from kubewright.config import load_config
from kubewright.machinery.gvk import GroupVersionKind
from kubewright.models.apiextensions_v1 import CustomResourceDefinition
from kubewright.sync import Client
from tests.codegen.crd_fixtures import FAMILIES
from tests.codegen.test_openapi_types import ODD_DEFINITION, checked, class_texts, silent
from tests.realcluster.server import RealServer

pytestmark = pytest.mark.real

PATIENCE = 60.0
"""Seconds within which a server publishes the OpenAPI of a new definition."""


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with RealServer(fsync=False) as server, Client(load_config(kubeconfig=server.kubeconfig)) as found:
        yield found


def documents(client: Client, *groups: str) -> list[Document]:
    return cluster_documents(lambda path: client.raw("GET", path).body, groups=groups, note=silent)


@pytest.fixture
def imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Writes a package and imports all of its modules."""

    def made(name: str, files: dict[str, str]) -> dict[str, Any]:
        write_files(tmp_path / name, files)
        monkeypatch.syspath_prepend(str(tmp_path))
        checked(tmp_path / name)
        stems = [file.removesuffix(".py") for file in files if file.endswith(".py") and file != "__init__.py"]
        return {stem: import_module(f"{name}.{stem}") for stem in stems}

    return made


def test_all_kinds(client: Client, imported: Callable[..., Any]) -> None:
    modules = imported("real_all", openapi_type_files(documents(client), builtin=True, note=silent))
    core, apps = modules["core_v1"], modules["apps_v1"]
    assert "is a collection of containers" in core.Pod.__doc__

    maps = client.api(core.ConfigMap, "default")
    made = maps.create(core.ConfigMap(metadata=ObjectMeta(name="made"), data={"a": "b"}))
    assert maps.get("made").data == made.data == {"a": "b"}

    template = core.PodTemplateSpec(
        metadata=ObjectMeta(labels={"app": "web"}),
        spec=core.PodSpec(containers=[core.Container(name="web", image="web")]),
    )
    selector = {"matchLabels": {"app": "web"}}
    spec = apps.DeploymentSpec(selector=apps.LabelSelector.from_dict(selector), template=template)
    deployments = client.api(apps.Deployment, "default")
    deployments.create(apps.Deployment(metadata=ObjectMeta(name="web"), spec=spec))
    (found,) = deployments.list()
    assert isinstance(found, apps.Deployment)
    assert isinstance(found.spec.template, core.PodTemplateSpec)
    assert found.spec.template.spec.containers[0].image == "web"
    assert found.spec.strategy.rolling_update.max_surge == "25%"
    assert {each.metadata.name for each in client.api(core.Namespace).list()} >= {"default", "kube-system"}
    with pytest.raises(NotFound):
        client.api(core.Pod, "default").get("missing")


def test_a_custom_resource(client: Client, imported: Callable[..., Any]) -> None:
    definitions = client.api(CustomResourceDefinition)
    crds = [*FAMILIES["gateway_api"], ODD_DEFINITION]
    for crd in crds:
        definitions.create(CustomResourceDefinition.from_dict(crd))
    kinds = {
        GroupVersionKind(crd["spec"]["group"], version["name"], crd["spec"]["names"]["kind"])
        for crd in crds
        for version in crd["spec"]["versions"]
    }
    files = published(client, kinds)
    stored = [each.to_dict() for each in definitions.list()]
    expected = type_files(definitions_of(stored, note=silent), note=silent)
    assert files.keys() == expected.keys()
    for name in files:
        assert class_texts(files[name]) == class_texts(expected[name])
    modules = imported("real_custom", files)
    route = modules["gateway_v1"].HTTPRoute
    made = route.from_dict(
        {"metadata": {"name": "web"}, "spec": {"rules": [{"backendRefs": [{"name": "a"}]}]}}
    )
    created = client.api(route, "default").create(made)
    assert created.spec.rules[0].backend_refs[0].weight == 1


def published(client: Client, kinds: set[GroupVersionKind]) -> dict[str, str]:
    """The types of kinds and of their groups, once the server has published them all, in each version."""
    ends = time.monotonic() + PATIENCE
    groups = {kind.group for kind in kinds}
    served: set[GroupVersionKind] = set()
    while not served >= kinds:
        assert time.monotonic() < ends, served
        time.sleep(0.2)
        index = msgspec.json.decode(client.raw("GET", "/openapi/v3").body)["paths"]
        if groups <= {path.split("/")[1] for path in index if path.startswith("apis/")}:
            found = documents(client, *groups)
            served = {kind for each in found for kind in each.served}
    return openapi_type_files(found, note=silent)
