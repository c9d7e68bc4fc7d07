"""The classes of schemas that refer to one another, as those of built-in kinds and aggregated APIs do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from kubewright.codegen.crd_literals import prose
from kubewright.codegen.crd_names import ModuleNames, class_words, field_names
from kubewright.codegen.ir import FieldDef, StructDef
from kubewright.codegen.models import BY_HAND as MODELS_BY_HAND
from kubewright.codegen.models import PACKAGE, UNTYPED, module_of
from kubewright.codegen.openapi import ServedResource, reference
from kubewright.codegen.openapi_inlined import MAX_DEPTH
from kubewright.codegen.types import annotation_of, typing_of
from kubewright.machinery.errors import ParseError
from kubewright.machinery.gvk import GroupVersionKind

__all__ = ["ComponentWriter", "Components", "Place", "kind_arguments", "model_place"]

_RESERVED: Final = frozenset(
    {
        "Annotated",
        "Any",
        "EMPTY",
        "Field",
        "Literal",
        "MicroTime",
        "OpenEnum",
        "Resource",
        "ResourceList",
        "Struct",
        "Time",
        "field",
    }
)
"""Names that the annotations of a module use as they are, so that no class may be called so."""

_BY_HAND: Final = {
    **MODELS_BY_HAND,
    "io.k8s.apimachinery.pkg.apis.meta.v1.Duration": ("time", "Duration"),
}
"""Schemas that `machinery` has: those that the built-in kinds use, and one that they do not."""

_HEADER: Final = ("apiVersion", "kind", "metadata")
_DOC_WIDTH: Final = 100
"""Docstrings are prose, so that their lines are a little shorter than those of code."""
_SCHEMA_PROPS: Final = "JSONSchemaProps"

Place = tuple[str, str]
"""A module and the name of a class in it."""


class Components:
    """The schemas by name that a module can refer to; objects that stand inside of others are given names."""

    def __init__(self, own: Mapping[str, Mapping[str, Any]], others: Mapping[str, Mapping[str, Any]]) -> None:
        self._own = own
        self._others = others
        self._named: dict[str, Mapping[str, Any]] = {}

    def __getitem__(self, name: str) -> Mapping[str, Any]:
        """A schema whose parts are references, lists, maps and scalars. Raises ParseError for none."""
        known = self._named.get(name)
        if known is None:
            found = self._own.get(name, self._others.get(name))
            if found is None:
                raise ParseError(
                    f"a schema refers to {name}, which no document has; fetch the whole document again"
                )
            known = self._named[name] = self._parts(found, name, 0)
        return known

    def _parts(self, schema: Mapping[str, Any], name: str, depth: int) -> dict[str, Any]:
        if depth > MAX_DEPTH:
            raise ParseError(f"{name[:80]}...: the schema nests more than {MAX_DEPTH} levels deep")
        made = dict(schema)
        if made.get("properties"):
            made["properties"] = {
                wire_name: self._part(each, f"{name}#{class_words(wire_name)}", depth + 1)
                for wire_name, each in made["properties"].items()
            }
        for keyword in ("items", "additionalProperties"):
            if isinstance(made.get(keyword), Mapping):
                made[keyword] = self._part(made[keyword], name if "#" in name else f"{name}#Item", depth + 1)
        return made

    def _part(self, schema: Any, name: str, depth: int) -> dict[str, Any]:
        if not isinstance(schema, Mapping):
            raise ParseError(f"{name.replace('#', '.')}: its schema is no mapping; correct the document")
        made = self._parts(schema, name, depth)
        if not (made.get("properties") and reference(made) is None):
            return made
        key, number = name, 1
        while key in self._named:
            number += 1
            key = f"{name}{number}"
        self._named[key] = made
        return {"$ref": key, "description": made.get("description", "")}


def wanted_name(component: str) -> str:
    """What the class of a schema should be called: the last word of its name."""
    last = component.rpartition(".")[2]
    made = last if last.isidentifier() else class_words(last)
    return made if made.isidentifier() else f"N{made}"


def is_class(schema: Mapping[str, Any]) -> bool:
    """Whether a schema is a class of its own, and not another name of a scalar, a list or a map."""
    if schema.get("properties"):
        return True
    open_ = schema.get("additionalProperties") or schema.get("x-kubernetes-preserve-unknown-fields")
    return schema.get("type") == "object" and not open_ and reference(schema) is None


def kind_arguments(kind: GroupVersionKind, served: ServedResource | None) -> list[str]:
    """The arguments of the class of a kind."""
    arguments = [f'api_version="{kind.api_version}"', f'kind="{kind.kind}"']
    if served is not None:
        arguments += [f'plural="{served.plural}"', f"namespaced={served.namespaced}"]
    return arguments


@dataclass(kw_only=True)
class ComponentWriter:
    """Writes the classes of one module."""

    names: ModuleNames
    components: Components
    elsewhere: Callable[[str], Place | None]
    """The module and class that a schema is imported from; None for one that is of this module."""
    kinds: Mapping[str, GroupVersionKind]
    served: Mapping[GroupVersionKind, ServedResource]
    alone: bool
    """Whether all classes of the module are written here, so that few names are reserved."""
    classes: dict[str, str] = field(default_factory=dict)
    """The classes of this module by the names of their schemas."""
    _open: list[str] = field(default_factory=list)

    def claim(self, roots: Iterable[str]) -> None:
        """Find all classes that these schemas need here, and name them: kinds first, then by name."""
        found: dict[str, Mapping[str, Any]] = {}
        open_ = list(roots)
        while open_:
            name = open_.pop()
            if name not in found and not self._is_elsewhere(name):
                found[name] = self.components[name]
                open_ += self.needs(name)
        wanted = [name for name, schema in found.items() if name in self.kinds or is_class(schema)]
        for name in sorted(wanted, key=lambda name: (name not in self.kinds, name)):
            own = self.kinds[name].kind if name in self.kinds else wanted_name(name)
            self.classes[name] = (
                self.names.claim(own, reserved=_RESERVED) if self.alone else self.names.claim(own)
            )

    def needs(self, name: str) -> list[str]:
        """The schemas that one of this module needs for its annotations."""
        return [] if self._is_elsewhere(name) else _targets(self.components[name])

    def _is_elsewhere(self, name: str) -> bool:
        return name in UNTYPED or name in _BY_HAND or self.elsewhere(name) is not None

    def write(self) -> list[StructDef]:
        """The classes, sorted by name."""
        return [
            self._class(component, name)
            for component, name in sorted(self.classes.items(), key=lambda each: each[1])
        ]

    def _class(self, component: str, name: str) -> StructDef:
        schema = self.components[component]
        kind = self.kinds.get(component)
        doc = prose(schema.get("description") or "", width=_DOC_WIDTH)
        if kind is None:
            arguments = ['map_type="atomic"'] if schema.get("x-kubernetes-map-type") == "atomic" else []
            fields = self._fields(schema, base="Struct")
            return StructDef(
                name=name, base=self.names.use("Struct"), arguments=arguments, fields=fields, doc=doc
            )
        items = (schema.get("properties") or {}).get("items")
        if items is not None and kind.kind.endswith("List"):
            item = annotation_of(items.get("items") or {}, self._name_of)
            base = f"{self.names.use('ResourceList')}[{item}]"
            return StructDef(
                name=name, base=base, arguments=kind_arguments(kind, None), doc=f"A list of {item}."
            )
        return StructDef(
            name=name,
            base=self.names.use("Resource"),
            arguments=kind_arguments(kind, self.served.get(kind)),
            fields=self._fields(schema, base="Resource", without=_HEADER),
            doc=doc,
        )

    def _fields(self, schema: Mapping[str, Any], *, base: str, without: Sequence[str] = ()) -> list[FieldDef]:
        members = {
            name: each for name, each in (schema.get("properties") or {}).items() if name not in without
        }
        names = field_names(members, base=base)
        required = set(schema.get("required") or ())
        return [
            self._field(wire_name, names[wire_name], each, required=wire_name in required)
            for wire_name, each in members.items()
        ]

    def _field(self, wire_name: str, name: str, schema: Mapping[str, Any], *, required: bool) -> FieldDef:
        typing = typing_of(schema, required=required, name_of=self._name_of)
        for need in typing.needs:
            self.names.use(need)
        item = FieldDef(
            name=name,
            wire_name=wire_name,
            type=typing.annotation,
            default=typing.default,
            marker=typing.marker,
            doc=prose(schema.get("description") or "", width=_DOC_WIDTH),
        )
        if item.needs_wire_name:
            self.names.use("field")
        return item

    def _name_of(self, target: str) -> str:
        """The type of a schema that is referred to, imported where it lives elsewhere."""
        if target in UNTYPED:
            text = UNTYPED[target]
            if _SCHEMA_PROPS in text:
                named = f"{target.rpartition('.')[0]}.{_SCHEMA_PROPS}"
                text = text.replace(_SCHEMA_PROPS, self._name_of(named))
            return text
        if target in _BY_HAND:
            module, name = _BY_HAND[target]
            return self._by_hand(module, name)
        if target in self.classes:
            return self.classes[target]
        place = self.elsewhere(target)
        if place is not None:
            return self.names.bring(*place)
        if target in self._open:
            return "Any"  # a list or map of itself, for which there is no annotation
        self._open.append(target)
        try:
            return annotation_of(self.components[target], self._name_of)
        finally:
            self._open.pop()

    def _by_hand(self, module: str, name: str) -> str:
        import kubewright  # noqa: PLC0415 - what it exports, of which nothing is loaded

        if name in {"Time", "MicroTime"}:
            return self.names.use(name)
        public = name in kubewright.__all__
        return self.names.bring("kubewright" if public else f"kubewright.machinery.{module}", name)


def model_place(component: str) -> Place:
    """The class of kubewright.models of a built-in schema."""
    return f"{PACKAGE}.{module_of(component.rpartition('.')[0])}", wanted_name(component)


def _targets(schema: Mapping[str, Any]) -> list[str]:
    """The schemas that one needs for its annotations."""
    open_: list[Mapping[str, Any]] = [schema]
    found: list[str] = []
    while open_:
        node = open_.pop()
        target = reference(node)
        if target is not None:
            found.append(target)
            continue
        open_ += (node.get("properties") or {}).values()
        open_ += [
            node[name] for name in ("items", "additionalProperties") if isinstance(node.get(name), Mapping)
        ]
    return found
