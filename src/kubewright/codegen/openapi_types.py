"""Typed modules from OpenAPI v3: of all kinds that a cluster serves and `kubewright.models` lacks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files as resources
from typing import Any, Final

import msgspec

from kubewright.codegen.crd_classes import ClassWriter
from kubewright.codegen.crd_names import ModuleNames, type_modules
from kubewright.codegen.crd_types import HEADER, Note, package_of
from kubewright.codegen.definitions import DEFINITIONS
from kubewright.codegen.ir import ModuleDef
from kubewright.codegen.openapi import ServedResource, group_version_kinds, reference
from kubewright.codegen.openapi_classes import (
    Components,
    ComponentWriter,
    Place,
    kind_arguments,
    model_place,
)
from kubewright.codegen.openapi_documents import Document, explained_document
from kubewright.codegen.openapi_inlined import definition_schema, is_inlined
from kubewright.machinery.errors import ParseError, quoted
from kubewright.machinery.gvk import GroupVersionKind
from kubewright.machinery.names import is_dns1035_label, is_dns1123_subdomain
from kubewright.models import KINDS

__all__ = ["generate_openapi_modules", "openapi_type_files"]

_MACHINERY: Final = "io.k8s.apimachinery."
"""How the names of schemas begin that all APIs share, and that are no kinds of any."""
_UPSTREAM: Final = ("io.k8s.api.", "io.k8s.apiextensions-apiserver.", "io.k8s.kube-aggregator.")
"""How the names of the schemas of built-in kinds begin. These are in the module of their group-version; all
others, which several group-versions may share, are in each module that needs them."""
_HEADER: Final = frozenset({"apiVersion", "kind", "metadata"})

GroupVersion = tuple[str, str]


@dataclass(slots=True, kw_only=True)
class _Found:
    """The kinds of one group-version."""

    document: Document
    inlined: dict[str, GroupVersionKind] = field(default_factory=dict)
    """Those that come of CustomResourceDefinitions."""
    referring: dict[str, GroupVersionKind] = field(default_factory=dict)
    schemas: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    """The schemas of all of them."""


def openapi_type_files(
    documents: Sequence[Document], *, builtin: bool = False, groups: Collection[str] = (), note: Note
) -> dict[str, str]:
    """File name → source text of the package of these documents; see `generate_openapi_modules`."""
    return package_of(generate_openapi_modules(documents, builtin=builtin, groups=groups, note=note))


def generate_openapi_modules(
    documents: Sequence[Document], *, builtin: bool = False, groups: Collection[str] = (), note: Note
) -> list[ModuleDef]:
    """One module per group-version, of the kinds that kubewright.models lacks, or of all with `builtin`.

    Kinds of custom resources are the classes that their definition gives, though without `crd()`. Other
    schemas become a class each, and those that kubewright.models has are imported from there. `groups` are
    the groups to make modules of, the empty text being the core group; none is all. Raises ParseError.
    """
    found = _kinds(documents, builtin=builtin, groups=groups)
    if not found:
        told = "the documents have no kinds" if builtin else "kubewright.models has all kinds that there are"
        remedy = "name others" if builtin else "add --all for types of them too"
        where = f" in {', '.join(each or 'core' for each in groups)}" if groups else ""
        raise ParseError(f"{told}{where}; {remedy}")
    names = type_modules(found)
    places = _Places(found, names, builtin=builtin)
    served: dict[GroupVersionKind, ServedResource] = {}
    schemas: dict[str, Mapping[str, Any]] = {}
    for document in documents:
        served = {**document.served, **served}
        schemas = {**document.schemas, **schemas}
    writers = {
        key: ComponentWriter(
            names=ModuleNames([kind.kind for kind in each.inlined.values()]),
            components=Components(each.document.schemas, schemas),
            elsewhere=places.seen_from(key),
            kinds=each.referring,
            served=served,
            alone=not each.inlined,
        )
        for key, each in found.items()
    }
    for key, writer in writers.items():
        places.classes[key] = writer.classes
    _claim(found, writers, places)
    return [_module(key, found[key], writers[key], names[key], note) for key in sorted(found)]


def _kinds(
    documents: Sequence[Document], *, builtin: bool, groups: Collection[str]
) -> dict[GroupVersion, _Found]:
    """The kinds to write by group-version, each from the document that serves most of it."""
    known = frozenset() if builtin else KINDS.keys()
    found: dict[GroupVersion, _Found] = {}
    # A document has kinds of others too, such as the Scale of autoscaling: each has its own document first.
    owners: dict[GroupVersion, list[tuple[Document, str, GroupVersionKind]]] = defaultdict(list)
    for document in documents:
        with explained_document(document.place):
            for name, schema in document.schemas.items():
                kind = _kind_of(name, schema, document)
                if kind is None or (kind.api_version, kind.kind) in known:
                    continue
                if not groups or kind.group in groups:
                    owners[kind.group, kind.version].append((document, name, kind))
    for key, each in owners.items():
        serving = [document for document, _, kind in each if kind in document.served]
        pathless = [document for document, _, _ in each if not document.served]
        if not serving and not pathless:
            continue  # kinds that others use only, whose own document is not there
        chosen = (serving or pathless)[0]
        made = _Found(document=chosen)
        for document, name, kind in each:
            if name not in made.inlined and name not in made.referring:
                with explained_document(document.place):
                    inlined = is_inlined(name, document.schemas[name], kind)
                (made.inlined if inlined else made.referring)[name] = kind
                made.schemas[name] = document.schemas[name]
        _drop_lists(made)
        found[key] = made
    return {key: each for key, each in found.items() if each.inlined or each.referring}


def _kind_of(name: str, schema: Mapping[str, Any], document: Document) -> GroupVersionKind | None:
    kinds = group_version_kinds(schema)
    if not kinds or name.startswith(_MACHINERY):
        return None
    group, version, kind = kinds[0].group, kinds[0].version, kinds[0].kind
    if not (kind.isidentifier() and version):
        raise ParseError(f"{document.place}: {name} has the kind {kind!r}, which can name no class")
    # Modules are named after them, and so files.
    if is_dns1035_label(version) or (group and is_dns1123_subdomain(group)):
        raise ParseError(
            f"{document.place}: {name} is of {quoted(f'{group}/{version}')}, which is no version"
        )
    is_object = (schema.get("properties") or {}).keys() >= _HEADER
    return kinds[0] if is_object or kinds[0] in document.served else None


def _drop_lists(found: _Found) -> None:
    """Lists of custom resources have no class, as their definitions give none."""
    for name in list(found.referring):
        items = (found.schemas[name].get("properties") or {}).get("items") or {}
        if reference(items.get("items") or {}) in found.inlined:
            del found.referring[name]


class _Places:
    """Where the classes of schemas are that are not of a module itself."""

    def __init__(
        self, found: Mapping[GroupVersion, _Found], modules: Mapping[GroupVersion, str], *, builtin: bool
    ) -> None:
        self._modules = modules
        self._models = _model_schemas()
        self.classes: dict[GroupVersion, Mapping[str, str]] = {}
        """The classes of each module by the names of their schemas, which are there once all are named."""
        self._homes: dict[str, GroupVersion] = {}
        if builtin:
            for key, each in found.items():
                for name in each.referring:
                    if name.startswith(_UPSTREAM):
                        self._homes.setdefault(name.rpartition(".")[0], key)

    def home(self, component: str) -> GroupVersion | None:
        """The group-version of this run that has a built-in schema."""
        return self._homes.get(component.partition("#")[0].rpartition(".")[0])

    def seen_from(self, key: GroupVersion) -> Callable[[str], Place | None]:
        """Tells where to import a schema from; None for one that the module of `key` has itself."""

        def elsewhere(component: str) -> Place | None:
            home = self.home(component)
            if home is None:
                return model_place(component) if component in self._models else None
            if home == key:
                return None
            return f".{self._modules[home]}", self.classes[home].get(component, "")

        return elsewhere


def _model_schemas() -> frozenset[str]:
    """The schemas that kubewright.models has classes of."""
    text = (resources("kubewright.models") / DEFINITIONS).read_bytes()
    names = msgspec.json.decode(text, type=dict[str, msgspec.Raw])
    return frozenset(name for name in names if not name.startswith(_MACHINERY))


def _claim(
    found: Mapping[GroupVersion, _Found],
    writers: Mapping[GroupVersion, ComponentWriter],
    places: _Places,
) -> None:
    """Name the classes of all modules: those of a module's own kinds, and what other modules need of it."""
    wanted: dict[GroupVersion, set[str]] = {key: set(each.referring) for key, each in found.items()}
    reached: set[str] = set()
    open_ = [(key, name) for key, names in wanted.items() for name in sorted(names)]
    while open_:
        key, name = open_.pop()
        if name in reached:
            continue
        reached.add(name)
        home = places.home(name)
        if home is not None:
            wanted[home].add(name)
        here = home or key
        with explained_document(found[here].document.place):
            open_ += [(here, each) for each in writers[here].needs(name)]
    for key, writer in writers.items():
        with explained_document(found[key].document.place):
            writer.claim(wanted[key])


def _module(key: GroupVersion, found: _Found, writer: ComponentWriter, name: str, note: Note) -> ModuleDef:
    if not found.document.served:
        note(f"{found.document.place}: it has no paths, so that the plurals and scopes of kinds are unknown")
    inlined = ClassWriter(writer.names)
    with explained_document(found.document.place):
        for component, kind in sorted(found.inlined.items(), key=lambda each: each[1].kind):
            schema = found.schemas[component]
            served = writer.served.get(kind)
            inlined.resource(kind.kind, definition_schema(schema), arguments=kind_arguments(kind, served))
        structs = [*inlined.structs, *writer.write()]
    group_version = f"{key[0]}/{key[1]}" if key[0] else key[1]
    return ModuleDef(
        name=name,
        doc=f"{group_version}: types of its kinds.\n\n{HEADER}\n",
        structs=structs,
        comments=["ruff: noqa"],
        imports=writer.names.imports,
    )
