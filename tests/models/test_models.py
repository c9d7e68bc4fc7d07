"""The generated models: complete, faithful to the facts, the same as a fresh run, and lazy to import."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from facts import KUBERNETES
from kubewright.codegen.models import BY_HAND, UNTYPED, package_files, read_directory
from kubewright.codegen.openapi import Api
from kubewright.machinery.gvk import GroupVersionKind
from kubewright.machinery.openapi_schema import schema_from_openapi
from kubewright.machinery.resource import Resource, ResourceList
from kubewright.machinery.schema import Schema
from kubewright.machinery.scheme import Scheme
from kubewright.machinery.struct import Struct
from kubewright.machinery.typed_schema import schema_of
from kubewright.models import KINDS, builtin_scheme
from kubewright.models.apps_v1 import Deployment
from kubewright.models.core_v1 import Container, Pod, PodList, Secret

ROOT = Path(__file__).parents[2]
RESOURCES = 68
"""What the discovery documents of Kubernetes 1.36 list, subresources aside."""


@pytest.fixture(scope="module")
def scheme() -> Scheme:
    return builtin_scheme()


@pytest.fixture(scope="module")
def api() -> Api:
    return read_directory(KUBERNETES / "openapi-v3")


def types(scheme: Scheme) -> list[type[Any]]:
    return [found for gvk in scheme if (found := scheme.type_of(gvk)) is not None]


class TestCompleteness:
    def test_every_kind_of_the_index_is_there(self, scheme: Scheme) -> None:
        found = types(scheme)
        assert len(found) == len(KINDS) + 5
        for cls in found:
            assert scheme.kinds_of(cls)[0] == cls.gvk
        generated = [cls for cls in found if cls.__module__.startswith("kubewright.models.")]
        assert len(generated) == len(KINDS)
        assert all(issubclass(cls, Resource | ResourceList) for cls in generated)

    def test_every_served_resource_is_there(self, scheme: Scheme) -> None:
        served = [cls for cls in types(scheme) if hasattr(cls, "gvr")]
        assert len(served) == RESOURCES
        for cls in served:
            listed = scheme.list_type_of(cls.gvk)
            assert listed is not None or "create" in _verbs(cls)

    def test_they_are_those_of_discovery(self, scheme: Scheme) -> None:
        discovered = set()
        for name in ("discovery-api.json", "discovery-apis.json"):
            for group in json.loads((KUBERNETES / name).read_text())["items"]:
                for version in group["versions"]:
                    for resource in version["resources"]:
                        kind = resource["responseKind"]
                        gvk = GroupVersionKind(
                            group["metadata"].get("name", ""), version["version"], kind["kind"]
                        )
                        discovered.add((gvk, resource["resource"], resource["scope"] == "Namespaced"))
        served = {(cls.gvk, cls.gvr.resource, cls.namespaced) for cls in types(scheme) if hasattr(cls, "gvr")}
        assert served == discovered


def _verbs(cls: type[Resource]) -> set[str]:
    """Kinds without a list are those that are only ever created: bindings and reviews."""
    return {"create"} if cls.__name__.endswith(("Review", "Binding")) else set()


def test_a_fresh_run_makes_the_same_files() -> None:
    made = package_files(KUBERNETES / "openapi-v3")
    package = ROOT / "src" / "kubewright" / "models"
    present = {path.name for path in package.iterdir() if path.suffix in {".py", ".json"}}
    # Made from Go's own reflection, and compared in tests/codegen.
    assert present - {"go_structs.py"} == made.keys()
    for name, text in made.items():
        assert (package / name).read_text() == text, f"{name} differs; run make models"


class TestFaithfulness:
    def test_every_definition_has_a_class_with_its_fields(self, api: Api) -> None:
        for name, schema in api.schemas.items():
            if name in UNTYPED or name in BY_HAND or "properties" not in schema or ".apimachinery." in name:
                continue
            cls = _class_of(name)
            assert set(cls.__struct_encode_fields__) == set(schema["properties"]), name
            required = {info.encode_name for info in msgspec.structs.fields(cls) if info.required}
            lazily = {_wire(cls, field) for field in cls.__required__}
            assert required | lazily == set(schema.get("required", ())) - {"metadata", "items"}, name

    def test_those_written_by_hand_have_the_fields_too(self, api: Api) -> None:
        for name, (module, cls_name) in BY_HAND.items():
            schema = api.schemas[name]
            if "properties" in schema:
                cls = getattr(importlib.import_module(f"kubewright.machinery.{module}"), cls_name)
                assert set(cls.__struct_encode_fields__) == set(schema["properties"]), name

    def test_merge_rules_are_those_of_openapi(self, api: Api) -> None:
        compared = 0
        for name, schema in api.schemas.items():
            if name in UNTYPED or name in BY_HAND or "properties" not in schema or ".apimachinery." in name:
                continue
            stated = schema_from_openapi(schema, api.schemas)
            for field in schema["properties"]:
                _compare(stated.field(field), schema_of(_class_of(name)).field(field), f"{name}.{field}")
                compared += 1
        assert compared > 2000


def _class_of(name: str) -> Any:
    *_, group, version, cls = name.split(".")
    return getattr(importlib.import_module(f"kubewright.models.{group}_{version}"), cls)


def _wire(cls: type[Struct], field: str) -> str:
    return cls.__struct_encode_fields__[cls.__struct_fields__.index(field)]


def _compare(stated: Schema, made: Schema, place: str) -> None:
    for attribute in ("list_type", "map_keys", "map_type", "patch_strategies", "patch_merge_key"):
        assert getattr(made, attribute) == getattr(stated, attribute), f"{place}: {attribute}"
    assert (made.default or None) == (stated.default or None), f"{place}: default"


class TestUse:
    def test_exact_names_and_types(self) -> None:
        pod = Pod.from_dict(
            {
                "metadata": {"name": "web", "creationTimestamp": None},
                "spec": {"containers": [{"name": "c", "image": "i", "resources": {"limits": {"cpu": "1"}}}]},
                "status": {"podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.1"}], "hostIP": "1.1.1.1"},
            }
        )
        assert pod.spec.containers[0].image == "i"
        assert pod.status.pod_ips[0].ip == "10.0.0.1"
        assert (pod.status.pod_ip, pod.status.host_ip, pod.status.phase) == ("10.0.0.1", "1.1.1.1", "")

    def test_zero_is_sent(self) -> None:
        deployment = Deployment.from_dict({"spec": {"replicas": 0, "selector": {}, "template": {}}})
        assert deployment.spec.replicas == 0
        assert deployment.to_dict()["spec"]["replicas"] == 0

    def test_bytes_are_base64_on_the_wire(self) -> None:
        secret = Secret(data={"k": b"v"})
        assert secret.to_dict()["data"] == {"k": "dg=="}
        assert Secret.from_json(secret.to_json()).data == {"k": b"v"}

    def test_a_newer_enum_value_is_read(self) -> None:
        container = Container.from_dict({"name": "c", "imagePullPolicy": "Sometimes"})
        assert container.image_pull_policy == "Sometimes"  # type: ignore[comparison-overlap]

    @pytest.mark.parametrize(
        ("wire", "message"),
        [
            (
                {"containers": [{"name": "c", "ports": [{"containerPort": "x"}]}]},
                "containers[0].ports[0].containerPort",
            ),
            ({"containers": [{"name": "c", "resources": {"limits": {"cpu": "1.2.3"}}}]}, "quantity '1.2.3'"),
            ({"containers": [{}]}, "containers[0]: object missing required field name"),
        ],
    )
    def test_a_wrong_type_deep_in_a_pod(self, wire: dict[str, Any], message: str) -> None:
        pod = Pod.from_dict({"metadata": {"name": "web", "namespace": "ns"}, "spec": wire})
        with pytest.raises(ValueError, match=r"^PodSpec containers") as caught:
            _ = pod.spec.containers
        assert message in str(caught.value)

    def test_recursive_definitions(self) -> None:
        from kubewright.models.apiextensions_v1 import JSONSchemaProps

        wire = {
            "type": "object",
            "properties": {
                "a": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"}
            },
            "additionalProperties": False,
            "default": {"a": [1]},
            "x-kubernetes-preserve-unknown-fields": True,
        }
        read = JSONSchemaProps.from_dict(wire)
        assert read.to_dict() == wire
        assert read.properties["a"].x_kubernetes_list_type == "set"

    def test_lists(self) -> None:
        listed = PodList.from_dict(
            {"metadata": {}, "items": [{"metadata": {"name": "a"}}, {"metadata": {"name": "b"}}]}
        )
        assert [pod.metadata.name for pod in listed] == ["a", "b"]


@pytest.mark.parametrize("module", sorted(set(KINDS.values())))
def test_a_module_loads_only_what_it_needs(module: str) -> None:
    source = (ROOT / "src" / "kubewright" / "models" / f"{module}.py").read_text()
    needed = {module} | {
        other for other in KINDS.values() if f"from kubewright.models.{other} import" in source
    }
    loaded = _modules_after(f"import kubewright.models.{module}")
    loaded = [name for name in loaded if name.startswith("kubewright.models.")]
    assert {name.rpartition(".")[2] for name in loaded} == needed


def test_importing_kubewright_loads_no_models() -> None:
    loaded = _modules_after("import kubewright")
    assert not [name for name in loaded if name.startswith("kubewright.models")]
    assert "yaml" not in loaded
    assert "aiohttp" not in loaded


def _modules_after(statement: str) -> list[str]:
    program = f"import sys; {statement}; print(*sys.modules)"
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()
