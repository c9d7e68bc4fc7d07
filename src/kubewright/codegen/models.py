"""Makes `kubewright/models` from a server's OpenAPI documents, and from what else was recorded beside them.

python -m kubewright.codegen.models DIRECTORY_OF_OPENAPI_V3_DOCUMENTS [OUTPUT]
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from kubewright.codegen.definitions import DEFINITIONS, read_definition_facts, render_definitions
from kubewright.codegen.ir import FieldDef, ModuleDef, StructDef
from kubewright.codegen.naming import module_name, python_name
from kubewright.codegen.openapi import Api, group_version_kinds, read_documents
from kubewright.codegen.protobuf import TABLES, protobuf_tables, read_definitions
from kubewright.codegen.render import render_module
from kubewright.codegen.served import SERVED, read_discovery, read_returned_when_deleted, served_table
from kubewright.codegen.types import typing_of
from kubewright.machinery.errors import ParseError
from kubewright.machinery.gvk import GroupVersionKind
from kubewright.machinery.resource import Resource

__all__ = ["generate_models", "main", "model_files", "module_of", "package_files", "read_directory"]

PACKAGE: Final = "kubewright.models"

_GENERATED: Final = "Generated; see CONTRIBUTING.md."

_GO_STRUCTS: Final = "go_structs.py"
"""A file of `kubewright/models` that `kubewright.codegen.go_structs` makes, after the tables."""

_META: Final = "io.k8s.apimachinery.pkg.apis.meta.v1."
_APIEXTENSIONS: Final = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1."

BY_HAND: Final[Mapping[str, tuple[str, str]]] = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": ("quantity", "Quantity"),
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": ("intstr", "IntOrString"),
    f"{_META}Time": ("time", "Time"),
    f"{_META}MicroTime": ("time", "MicroTime"),
    f"{_META}DeleteOptions": ("options", "DeleteOptions"),
    f"{_META}Status": ("status", "Status"),
    **{
        f"{_META}{name}": ("meta", name)
        for name in (
            "Condition",
            "FieldSelectorRequirement",
            "LabelSelector",
            "LabelSelectorRequirement",
            "ListMeta",
            "ManagedFieldsEntry",
            "ObjectMeta",
            "OwnerReference",
            "Preconditions",
        )
    },
}
"""Schemas that are written by hand in `machinery`, because rules are attached to them: module and name."""

UNTYPED: Final[Mapping[str, str]] = {
    "io.k8s.apimachinery.pkg.runtime.RawExtension": "dict[str, Any]",
    f"{_META}FieldsV1": "dict[str, Any]",
    f"{_META}Patch": "dict[str, Any]",
    f"{_APIEXTENSIONS}JSON": "Any",
    f"{_APIEXTENSIONS}CustomResourceSubresourceStatus": "dict[str, Any]",
    f"{_APIEXTENSIONS}JSONSchemaPropsOrArray": "JSONSchemaProps | list[JSONSchemaProps]",
    f"{_APIEXTENSIONS}JSONSchemaPropsOrBool": "JSONSchemaProps | bool",
    f"{_APIEXTENSIONS}JSONSchemaPropsOrStringArray": "JSONSchemaProps | list[str]",
}
"""Schemas whose definition says less than upstream's encoders do: what they are on the wire."""

_LAZY: Final[Mapping[str, frozenset[str]]] = {
    "io.k8s.api.core.v1.NodeStatus": frozenset({"conditions", "images"}),
    "io.k8s.api.core.v1.PodSpec": frozenset(
        {
            "affinity",
            "containers",
            "ephemeralContainers",
            "initContainers",
            "securityContext",
            "tolerations",
            "topologySpreadConstraints",
            "volumes",
        }
    ),
    "io.k8s.api.core.v1.PodStatus": frozenset(
        {"conditions", "containerStatuses", "ephemeralContainerStatuses", "initContainerStatuses"}
    ),
}
"""What stays bytes until it is read, of the types that programs read by the ten thousand and of which most
look at a field or two: the node of a pod, its phase. Reading such a field is three times as fast so."""

_RESERVED: Final = frozenset(name for name in dir(Resource) if not name.startswith("_"))


def generate_models(api: Api) -> list[ModuleDef]:
    """The modules of all types that an API has, one per group-version."""
    prefixes: dict[str, list[str]] = defaultdict(list)
    for name in sorted(api.schemas):
        if name not in BY_HAND and name not in UNTYPED and not name.startswith("io.k8s.apimachinery."):
            prefixes[name.rpartition(".")[0]].append(name)
    modules = [_ModuleWriter(api, prefix).write(names) for prefix, names in sorted(prefixes.items())]
    names = [module.name for module in modules]
    for name in names:
        if names.count(name) > 1:
            raise ParseError(
                f"two groups of the API would both become the module {name}; generate them apart"
            )
    return modules


def module_of(prefix: str) -> str:
    """The module of the schemas whose names begin so."""
    *_, group, version = prefix.split(".")
    return module_name(group, version)


class _ModuleWriter:
    """Writes one module, noting what it imports on the way."""

    def __init__(self, api: Api, prefix: str) -> None:
        self._api = api
        self._prefix = prefix
        self._imports: dict[str, set[str]] = defaultdict(set)

    def write(self, names: Iterable[str]) -> ModuleDef:
        structs = [self._struct(name) for name in names]
        group_version = next(
            (gvk.group_version for name in names for gvk in group_version_kinds(self._api.schemas[name])),
            None,
        )
        return ModuleDef(
            name=module_of(self._prefix),
            doc=f"{group_version or module_of(self._prefix)} of the Kubernetes API. {_GENERATED}",
            structs=structs,
            imports=self._imports,
        )

    def _struct(self, full_name: str) -> StructDef:
        schema = self._api.schemas[full_name]
        properties: Mapping[str, Any] = schema.get("properties", {})
        name = full_name.rpartition(".")[2]
        kinds = group_version_kinds(schema)
        if not (kinds and {"apiVersion", "kind", "metadata"} <= properties.keys()):
            self._imports["kubewright.machinery.struct"].add("Struct")
            arguments = ['map_type="atomic"'] if schema.get("x-kubernetes-map-type") == "atomic" else []
            fields = self._fields(schema)
            lazy = _LAZY.get(full_name, frozenset())
            if lazy:
                names = ", ".join(f'"{field.name}"' for field in fields if field.wire_name in lazy)
                arguments.append(f"lazy=({names})")
            return StructDef(name=name, arguments=arguments, fields=fields)
        if "items" in properties and name.endswith("List"):
            return self._list(name, kinds[0], properties["items"]["items"])
        return self._resource(name, kinds[0], schema)

    def _list(self, name: str, gvk: GroupVersionKind, items: Mapping[str, Any]) -> StructDef:
        self._imports["kubewright.machinery.resource"].add("ResourceList")
        item = typing_of(items, required=True, name_of=self._name_of).annotation
        arguments = [f'api_version="{gvk.api_version}"', f'kind="{gvk.kind}"']
        return StructDef(
            name=name, base=f"ResourceList[{item}]", arguments=arguments, doc=f"A list of {item}."
        )

    def _resource(self, name: str, gvk: GroupVersionKind, schema: Mapping[str, Any]) -> StructDef:
        self._imports["kubewright.machinery.resource"].add("Resource")
        arguments = [f'api_version="{gvk.api_version}"', f'kind="{gvk.kind}"']
        served = self._api.served.get(gvk)
        doc = "Sent to or returned by subresources of others; not served by itself."
        if served is not None:
            arguments += [f'plural="{served.plural}"', f"namespaced={served.namespaced}"]
            scope = "in a namespace" if served.namespaced else "cluster-wide"
            doc = f"Served {scope} as `{served.plural}`."
        fields = self._fields(schema, without=("apiVersion", "kind", "metadata"), taken=_RESERVED)
        return StructDef(name=name, base="Resource", arguments=arguments, fields=fields, doc=doc)

    def _fields(
        self, schema: Mapping[str, Any], *, without: Iterable[str] = (), taken: Iterable[str] = ()
    ) -> list[FieldDef]:
        required = set(schema.get("required", ()))
        used = set(taken)
        fields = []
        for wire_name, member in schema.get("properties", {}).items():
            if wire_name not in without:
                made = self._field(wire_name, member, required=wire_name in required, taken=used)
                used.add(made.name)
                fields.append(made)
        return fields

    def _field(
        self, wire_name: str, schema: Mapping[str, Any], *, required: bool, taken: set[str]
    ) -> FieldDef:
        typing = typing_of(schema, required=required, name_of=self._name_of)
        for need in typing.needs:
            source = "typing" if need in {"Annotated", "Any", "Literal"} else "kubewright.machinery.field"
            self._imports[source].add(need)
        item = FieldDef(
            name=python_name(wire_name, taken=taken),
            wire_name=wire_name,
            type=typing.annotation,
            default=typing.default,
            marker=typing.marker,
        )
        if item.needs_wire_name:
            self._imports["kubewright.machinery.field"].add("field")
        return item

    def _name_of(self, target: str) -> str:
        """The Python name of a referenced schema, imported where it lives elsewhere."""
        if target in UNTYPED:
            return UNTYPED[target]
        if target in BY_HAND:
            module, name = BY_HAND[target]
            self._imports[f"kubewright.machinery.{module}"].add(name)
            return name
        prefix, _, name = target.rpartition(".")
        if prefix != self._prefix:
            self._imports[f"{PACKAGE}.{module_of(prefix)}"].add(name)
        return name


def model_files(api: Api) -> dict[str, str]:
    """File name → source text of the whole package of models."""
    modules = generate_models(api)
    files = {f"{module.name}.py": render_module(module) for module in modules}
    files["__init__.py"] = _index(api, modules)
    return files


def _index(api: Api, modules: Iterable[ModuleDef]) -> str:
    lines = [
        '"""The built-in kinds, one module per group-version, imported only when used.',
        "",
        _GENERATED,
        '"""',
        "",
        "from __future__ import annotations",
        "",
        "from typing import TYPE_CHECKING, Final",
        "",
        "if TYPE_CHECKING:",
        "    from kubewright.machinery.scheme import Scheme",
        "",
        '__all__ = ["KINDS", "builtin_scheme"]',
        "",
        "KINDS: Final[dict[tuple[str, str], str]] = {",
    ]
    for module in modules:
        for struct in module.structs:
            if struct.base != "Struct":
                api_version = struct.arguments[0].partition("=")[2]
                kind = struct.arguments[1].partition("=")[2]
                lines.append(f'    ({api_version}, {kind}): "{module.name}",')
    lines += [
        "}",
        '"""apiVersion and kind → the module that defines the class of that name."""',
        "",
        "_BY_HAND: Final = (",
        '    ("v1", "DeleteOptions", "options"),',
        '    ("v1", "Status", "status"),',
        '    ("meta.k8s.io/v1", "PartialObjectMetadata", "table"),',
        '    ("meta.k8s.io/v1", "PartialObjectMetadataList", "table"),',
        '    ("meta.k8s.io/v1", "Table", "table"),',
        ")",
        "",
        "",
        "def builtin_scheme() -> Scheme:",
        '    """A scheme that knows every built-in kind; modules are imported when first asked for."""',
        "    from kubewright.machinery.scheme import Scheme  # noqa: PLC0415 - models need none",
        "",
        "    scheme = Scheme()",
        "    for api_version, kind, module in _BY_HAND:",
        '        scheme.register_lazily(api_version, kind, f"kubewright.machinery.{module}", kind)',
        "    for (api_version, kind), module in KINDS.items():",
        '        scheme.register_lazily(api_version, kind, f"{__name__}.{module}", kind)',
        "    return scheme",
    ]
    return "\n".join(lines) + "\n"


def read_directory(directory: Path) -> Api:
    """The API that a directory of OpenAPI v3 documents describes."""
    paths = sorted(directory.glob("api*__v*.json"))
    return read_documents(msgspec.json.decode(path.read_bytes()) for path in paths)


def package_files(directory: Path) -> dict[str, str]:
    """File name → source text from a directory of OpenAPI v3 documents.

    With the tables of the protobuf encoding when `protobuf-fields.json` lies beside the directory, and with
    what is served when the recorded discovery does, and with all definitions when OpenAPI v2 does. Servers do
    not serve the first of these, so they may be missing.
    """
    api = read_directory(directory)
    files = model_files(api)
    fields = directory.parent / "protobuf-fields.json"
    if fields.is_file():
        definitions = read_definitions(msgspec.json.decode(fields.read_bytes()))
        files[TABLES] = protobuf_tables(api, definitions)
    discovery = read_discovery(directory.parent)
    if discovery is not None:
        files[SERVED] = served_table(discovery, read_returned_when_deleted(directory))
    facts = read_definition_facts(directory)
    if facts is not None:
        files[DEFINITIONS] = render_definitions(facts)
    return files


def main(arguments: list[str]) -> int:
    """Write the models; removes modules that the API no longer has, and keeps tables it cannot make anew."""
    directory = Path(arguments[0])
    output = Path(arguments[1]) if len(arguments) > 1 else Path(__file__).parent.parent / "models"
    files = package_files(directory)
    for stale in output.glob("*.py"):
        if stale.name not in files and stale.name not in {TABLES, SERVED, _GO_STRUCTS}:
            stale.unlink()
    for name, text in files.items():
        (output / name).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
