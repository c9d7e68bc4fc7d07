"""Types from OpenAPI v3 documents: aggregated APIs, references of all kinds, and the built-in kinds again."""

from __future__ import annotations

import ast
import asyncio
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest

from kubewright import Client, Condition, Duration, ObjectMeta, Quantity
from kubewright.codegen.crd_files import write_files
from kubewright.codegen.crd_types import type_files
from kubewright.codegen.openapi_documents import Document, cluster_documents, parse_document
from kubewright.codegen.openapi_types import generate_openapi_modules, openapi_type_files
from kubewright.machinery.errors import ParseError
from kubewright.models import core_v1
from kubewright.models.apiextensions_v1 import CustomResourceDefinition
from kubewright.testing import Cluster
from tests.codegen.crd_definitions import definition, whole
from tests.codegen.crd_fixtures import FAMILIES
from tests.codegen.openapi_fixtures import (
    META,
    METRICS_DOCUMENT,
    document,
    kind_schema,
    list_schema,
    path_items,
    ref,
)

ACME = "com.acme.pkg.apis.tools.v1."
GROUP = ("tools.acme.com", "v1")
CONDITION = {
    "type": "Ready",
    "status": "True",
    "reason": "Done",
    "message": "",
    "lastTransitionTime": "2024-01-01T00:00:00Z",
}

Load = Callable[..., ModuleType]


def parsed(*documents: dict[str, Any]) -> list[Document]:
    return [parse_document(each, f"document {number}") for number, each in enumerate(documents)]


def silent(_sentence: str) -> None:
    raise AssertionError(_sentence)


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    """Writes the package of documents and imports one of its modules."""

    def loaded(module: str, *documents: dict[str, Any], **options: Any) -> ModuleType:
        write_files(tmp_path / "made", openapi_type_files(parsed(*documents), note=silent, **options))
        monkeypatch.syspath_prepend(str(tmp_path))
        for name in [name for name in sys.modules if name.partition(".")[0] == "made"]:
            del sys.modules[name]
        return import_module(f"made.{module}")

    return loaded


def tool(properties: dict[str, Any], **others: Any) -> dict[str, Any]:
    """A document of one kind, and of schemas that it uses."""
    schemas = {f"{ACME}Tool": kind_schema(*GROUP, "Tool", properties)}
    schemas |= {f"{ACME}{name}": each for name, each in others.items()}
    return document(schemas, path_items(*GROUP, "Tool", "tools", namespaced=True))


def checked(folder: Path) -> None:
    """What is written is formatted and has no type errors."""
    # One cache for the tests of a run: what mypy makes of kubewright takes seconds.
    cache = folder.parents[1] / "mypy-cache"
    for arguments in (
        ["ruff", "format", "--isolated", "--line-length=110", "--check"],
        ["mypy", "--strict", "--config-file=", f"--cache-dir={cache}"],
    ):
        ended = subprocess.run(
            [sys.executable, "-m", *arguments, str(folder)], capture_output=True, text=True, check=False
        )
        assert ended.returncode == 0, ended.stdout


class TestAggregated:
    @pytest.mark.slow
    def test_metrics_are_read(self, load: Load, tmp_path: Path) -> None:
        made = load("metrics_v1beta1", METRICS_DOCUMENT)
        assert made.__all__ == [
            "ContainerMetrics",
            "NodeMetrics",
            "NodeMetricsList",
            "PodMetrics",
            "PodMetricsList",
        ]
        pod = made.PodMetrics.from_json(
            b'{"kind":"PodMetrics","apiVersion":"metrics.k8s.io/v1beta1","metadata":{"name":"web"},'
            b'"timestamp":"2024-01-01T00:00:00Z","window":"20.5s",'
            b'"containers":[{"name":"main","usage":{"cpu":"250m"}}]}'
        )
        assert (pod.metadata.name, pod.window) == ("web", Duration("20.5s"))
        assert pod.containers[0].usage == {"cpu": Quantity("250m")}
        checked(tmp_path / "made")

    def test_plurals_and_scopes_are_those_of_the_paths(self, load: Load) -> None:
        made = load("metrics_v1beta1", METRICS_DOCUMENT)
        assert (made.PodMetrics.gvr.resource, made.PodMetrics.namespaced) == ("pods", True)
        assert (made.NodeMetrics.gvr.resource, made.NodeMetrics.namespaced) == ("nodes", False)
        listed = made.NodeMetricsList.from_json(
            b'{"items":[{"metadata":{"name":"n1"},"timestamp":null,"window":"1s","usage":{}}]}'
        )
        assert [type(each) for each in listed] == [made.NodeMetrics]

    def test_descriptions_are_docstrings(self, load: Load, tmp_path: Path) -> None:
        made = load("metrics_v1beta1", METRICS_DOCUMENT)
        assert made.ContainerMetrics.__doc__ == "Of one container."
        assert '    """What it uses."""' in (tmp_path / "made" / "metrics_v1beta1.py").read_text()

    def test_without_paths_the_plural_is_unknown_and_that_is_said(self) -> None:
        notes: list[str] = []
        files = openapi_type_files(parsed({**METRICS_DOCUMENT, "paths": {}}), note=notes.append)
        assert "plural=" not in files["metrics_v1beta1.py"]
        assert notes == ["document 0: it has no paths, so that the plurals and scopes of kinds are unknown"]

    def test_the_same_document_gives_the_same_text(self) -> None:
        once, twice = (openapi_type_files(parsed(METRICS_DOCUMENT), note=silent) for _ in range(2))
        assert once == twice


class TestReferences:
    def test_what_kubewright_has_is_imported(self, load: Load) -> None:
        pod_spec = "io.k8s.api.core.v1.PodSpec"
        properties = {
            "pod": ref(pod_spec),
            "conditions": {"type": "array", "items": ref(f"{META}Condition")},
            "schema": ref("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool"),
        }
        made = load("tools_v1", tool(properties))
        obj = made.Tool.from_dict({"pod": {"nodeName": "n"}, "conditions": [CONDITION]})
        assert isinstance(obj.pod, core_v1.PodSpec)
        assert isinstance(obj.conditions[0], Condition)
        assert isinstance(obj.metadata, ObjectMeta)
        assert made.__all__ == ["Tool"]

    def test_what_kubewright_has_no_class_of_becomes_one(self, load: Load) -> None:
        cause = {"type": "object", "properties": {"field": {"type": "string"}}}
        with_cause = tool({"cause": ref(f"{META}StatusCause")})
        with_cause["components"]["schemas"][f"{META}StatusCause"] = cause
        made = load("tools_v1", with_cause)
        assert made.Tool.from_dict({"cause": {"field": "a"}}).cause.field_ == "a"
        assert made.__all__ == ["StatusCause", "Tool"]

    @pytest.mark.slow
    def test_cycles(self, load: Load, tmp_path: Path) -> None:
        tree = {"type": "object", "properties": {"left": ref(f"{ACME}Tree"), "twig": ref(f"{ACME}Twig")}}
        twig = {"type": "object", "properties": {"trees": {"type": "array", "items": ref(f"{ACME}Tree")}}}
        nest = {"type": "array", "items": ref(f"{ACME}Nest")}
        made = load(
            "tools_v1",
            tool({"tree": ref(f"{ACME}Tree"), "nest": ref(f"{ACME}Nest")}, Tree=tree, Twig=twig, Nest=nest),
        )
        obj = made.Tool.from_dict({"tree": {"left": {"twig": {"trees": [{}]}}}, "nest": [[[]], []]})
        assert isinstance(obj.tree.left.twig.trees[0], made.Tree)
        assert obj.nest == [[[]], []]
        checked(tmp_path / "made")

    def test_other_names_of_scalars_and_maps_are_no_classes(self, load: Load) -> None:
        made = load(
            "tools_v1",
            tool(
                {"size": ref(f"{ACME}Size"), "tags": ref(f"{ACME}Tags"), "empty": ref(f"{ACME}Empty")},
                Size={"type": "string"},
                Tags={"type": "object", "additionalProperties": ref(f"{ACME}Size")},
                Empty={"type": "object"},
            ),
        )
        assert made.__all__ == ["Empty", "Tool"]
        obj = made.Tool.from_dict({"size": "big", "tags": {"a": "b"}, "empty": {"unknown": 1}})
        assert (obj.size, obj.tags) == ("big", {"a": "b"})
        assert obj.to_dict()["empty"] == {"unknown": 1}

    def test_objects_inside_of_others_are_named_by_where_they_stand(self, load: Load) -> None:
        inner = {"type": "object", "properties": {"port": {"type": "integer"}}}
        made = load(
            "tools_v1",
            tool({"spec": {"type": "object", "properties": {"ends": {"type": "array", "items": inner}}}}),
        )
        assert made.__all__ == ["Tool", "ToolSpec", "ToolSpecEnds"]
        assert made.Tool.from_dict({"spec": {"ends": [{"port": 1}]}}).spec.ends[0].port == 1

    def test_no_two_classes_have_one_name(self, load: Load, tmp_path: Path) -> None:
        own = {"type": "object", "properties": {"a": {"type": "string"}}}
        made = load(
            "tools_v1",
            document(
                {
                    f"{ACME}Tool": kind_schema(
                        *GROUP,
                        "Tool",
                        {
                            "a": ref(f"{ACME}Condition"),
                            "b": ref(f"{META}Condition"),
                            "c": ref("com.acme.common.Condition"),
                            "d": ref(f"{ACME}Field"),
                            "e": ref("com.acme.weird.A-b[int]"),
                            "f": ref("io.k8s.api.core.v1.ObjectReference"),
                            "g": ref(f"{ACME}ObjectReference"),
                        },
                    ),
                    f"{ACME}Condition": own,
                    "com.acme.common.Condition": own,
                    f"{ACME}Field": own,
                    "com.acme.weird.A-b[int]": own,
                    f"{ACME}ObjectReference": own,
                },
                path_items(*GROUP, "Tool", "tools", namespaced=True),
            ),
        )
        obj = made.Tool.from_dict({name: {"a": "x"} for name in "acdefg"} | {"b": CONDITION})
        classes = [type(getattr(obj, name)) for name in "abcdefg"]
        assert len(set(classes)) == 7
        assert classes[1] is Condition
        assert issubclass(classes[5], core_v1.ObjectReference)
        assert [each.__name__ for each in classes[3:5]] == ["Field2", "ABInt"]
        checked(tmp_path / "made")

    def test_a_list_and_the_required_and_optional_fields(self, load: Load) -> None:
        made = load(
            "tools_v1",
            document(
                {
                    f"{ACME}Tool": kind_schema(
                        *GROUP, "Tool", {"copy": {"type": "string"}, "size": {"type": "integer"}}, "size"
                    ),
                    f"{ACME}ToolList": list_schema(*GROUP, "Tool", f"{ACME}Tool"),
                },
                path_items(*GROUP, "Tool", "tools", namespaced=False),
            ),
        )
        assert made.Tool(size=1).to_dict()["size"] == 1
        with pytest.raises(TypeError):
            made.Tool()
        assert made.Tool.from_dict({"copy": "c", "size": 1}).copy_ == "c"
        assert made.ToolList.gvk.kind == "ToolList"


class TestBadInput:
    @pytest.mark.parametrize(
        ("properties", "complaint"),
        [
            (
                {"a": ref(f"{ACME}Missing")},
                f"document 0: a schema refers to {ACME}Missing, which no document",
            ),
            ({"a": {"$ref": "other.json#/Foo"}}, "refers to other.json#/Foo, which no document has"),
            ({"a": 1}, "document 0: .*Tool.A: its schema is no mapping"),
            ({"a": {"allOf": [1]}}, "document 0: this is no correct OpenAPI v3"),
        ],
    )
    def test_is_named(self, properties: dict[str, Any], complaint: str) -> None:
        with pytest.raises(ParseError, match=complaint):
            openapi_type_files(parsed(tool(properties)), note=silent)

    @pytest.mark.parametrize("prefix", [ACME, "com.acme.tools.v1."])
    def test_a_schema_that_nests_too_deep(self, prefix: str) -> None:
        schema: dict[str, Any] = {"type": "string"}
        for _ in range(500):
            schema = {"type": "object", "properties": {"a": schema}}
        made = document(
            {f"{prefix}Tool": kind_schema(*GROUP, "Tool", {"spec": schema})},
            path_items(*GROUP, "Tool", "tools", namespaced=True),
        )
        with pytest.raises(ParseError, match="nests more than 100 levels"):
            openapi_type_files(parsed(made), note=silent)

    def test_a_kind_that_can_name_no_class(self) -> None:
        made = document(
            {f"{ACME}Tool": kind_schema(*GROUP, "A B", {})},
            path_items(*GROUP, "A B", "tools", namespaced=True),
        )
        with pytest.raises(ParseError, match="has the kind 'A B', which can name no class"):
            openapi_type_files(parsed(made), note=silent)

    @pytest.mark.parametrize("key", [("tools.acme.com", "../../v1"), ('a"""\nimport os', "v1")])
    def test_a_version_that_can_name_no_file(self, key: tuple[str, str]) -> None:
        made = document(
            {f"{ACME}Tool": kind_schema(*key, "Tool", {})}, path_items(*key, "Tool", "tools", namespaced=True)
        )
        with pytest.raises(ParseError, match="which is no version"):
            openapi_type_files(parsed(made), note=silent)

    @pytest.mark.parametrize("builtin", [False, True])
    def test_nothing_to_write(self, *, builtin: bool) -> None:
        with pytest.raises(ParseError, match="no kinds; name others" if builtin else "add --all"):
            openapi_type_files(parsed(document({})), builtin=builtin, note=silent)
        with pytest.raises(ParseError, match=r"in example\.com"):
            openapi_type_files(parsed(METRICS_DOCUMENT), builtin=builtin, groups=["example.com"], note=silent)


EITHER = {"anyOf": [{"type": "integer"}, {"type": "string"}]}
INT_OR_STRING = {"x-kubernetes-int-or-string": True}
ODD = {
    "plain": INT_OR_STRING,
    "said": {**INT_OR_STRING, **EITHER},
    "all": {**INT_OR_STRING, "allOf": [EITHER, {"pattern": "^a"}]},
    "any": {**INT_OR_STRING, "anyOf": [{"minimum": 1}, {"pattern": "^a"}]},
    "number": {"type": "integer"},
    "template": {
        "type": "object",
        "x-kubernetes-embedded-resource": True,
        "x-kubernetes-preserve-unknown-fields": True,
    },
    "embedded": {
        "type": "object",
        "x-kubernetes-embedded-resource": True,
        "required": ["spec"],
        "properties": {"spec": {"type": "object", "properties": {"a": {"type": "string", "nullable": True}}}},
    },
}
"""Where servers publish more than a definition says."""
ODD_DEFINITION = definition(
    "example.com", "Odd", "odds", {"v1": whole({"type": "object", "properties": ODD})}
)


def embedded_documents(crds: Sequence[dict[str, Any]]) -> list[Document]:
    """The OpenAPI of an embedded server with these definitions."""

    async def fetched() -> dict[str, bytes]:
        async with Cluster(controllers="none") as cluster, Client(cluster.config) as client:
            for crd in crds:
                await client.api(CustomResourceDefinition).create(CustomResourceDefinition.from_dict(crd))
            index = (await client.raw("GET", "/openapi/v3")).body
            paths = [f"/openapi/v3/{path}" for path in msgspec.json.decode(index)["paths"]]
            return {"/openapi/v3": index, **{path: (await client.raw("GET", path)).body for path in paths}}

    return cluster_documents(asyncio.run(fetched()).__getitem__, note=silent)


@pytest.mark.slow
def test_custom_resources_are_the_classes_of_their_definitions() -> None:
    crds = [*(crd for found in FAMILIES.values() for crd in found), ODD_DEFINITION]
    files = openapi_type_files(embedded_documents(crds), note=silent)
    expected = type_files(crds, note=silent)
    assert files.keys() == expected.keys()
    for name in files:
        assert class_texts(files[name]) == class_texts(expected[name]), name


class TestBuiltIn:
    """Of the embedded server, whose documents are those of a real one."""

    @pytest.fixture(scope="class")
    @staticmethod
    def documents() -> list[Document]:
        return embedded_documents([])

    def test_the_models_have_it_all(self, documents: list[Document]) -> None:
        with pytest.raises(ParseError, match="has all kinds that there are; add --all"):
            openapi_type_files(documents, note=silent)

    def test_the_classes_are_those_of_the_models(
        self, documents: list[Document], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        written = write_files(
            tmp_path / "everything", openapi_type_files(documents, builtin=True, note=silent)
        )
        monkeypatch.syspath_prepend(str(tmp_path))
        names = [path.stem for path in written if path.suffix == ".py" and path.stem != "__init__"]
        assert {"core_v1", "apps_v1", "apiextensions_v1", "rbac_v1"} <= set(names)
        differing = set()
        for name in names:
            ours = import_module(f"everything.{name}")
            models = import_module(f"kubewright.models.{name}")
            assert set(ours.__all__) == set(models.__all__)
            for each in ours.__all__:
                mine, model = getattr(ours, each), getattr(models, each)
                assert getattr(mine, "gvk", None) == getattr(model, "gvk", None)
                assert getattr(mine, "gvr", None) == getattr(model, "gvr", None)
                if shape(mine) != shape(model):
                    differing.add(f"{name}.{each}")
        # What is lazy in a model has a default there.
        assert differing == {"core_v1.PodSpec"}
        checked(tmp_path / "everything")

    def test_a_group_alone_takes_the_rest_from_the_models(self, documents: list[Document]) -> None:
        (module,) = generate_openapi_modules(documents, builtin=True, groups=["apps"], note=silent)
        assert module.name == "apps_v1"
        assert module.imports["kubewright.models.core_v1"] == {"PersistentVolumeClaim", "PodTemplateSpec"}

    def test_a_document_alone_makes_no_modules_of_kinds_that_it_only_uses(
        self, documents: list[Document]
    ) -> None:
        (apps,) = (each for each in documents if each.place.endswith("apps/v1"))
        assert any(name.endswith("core.v1.PersistentVolumeClaim") for name in apps.schemas)
        (module,) = generate_openapi_modules([apps], builtin=True, note=silent)
        assert module.name == "apps_v1"

    def test_all_groups_refer_to_one_another(self, documents: list[Document]) -> None:
        modules = generate_openapi_modules(documents, builtin=True, groups=["apps", ""], note=silent)
        assert [module.name for module in modules] == ["core_v1", "apps_v1"]
        assert modules[1].imports[".core_v1"] == {"PersistentVolumeClaim", "PodTemplateSpec"}
        assert not any(source.startswith("kubewright.models.core") for source in modules[1].imports)


def shape(cls: type) -> list[tuple[str, str, bool]]:
    return [(each.name, each.encode_name, each.required) for each in msgspec.structs.fields(cls)]


def class_texts(source: str) -> list[str]:
    """The classes of a module without what is about the definition itself, which OpenAPI does not have."""
    tree = ast.parse(source)
    made = []
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            node.keywords = []
            node.decorator_list = [
                each for each in node.decorator_list if "custom_resource" not in ast.unparse(each)
            ]
            # What a definition says of metadata, servers do not publish.
            node.body = [each for each in node.body if not ast.unparse(each).startswith("metadata:")]
            made.append(ast.unparse(node))
    return made
