"""The names in a generated module: its classes, what it imports, and its fields in Python."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Final

from kubewright.codegen.naming import module_name, python_name
from kubewright.machinery.resource import Resource
from kubewright.machinery.struct import Struct

__all__ = ["ModuleNames", "class_words", "field_names", "type_modules"]

_SOURCES: Final = {
    **dict.fromkeys(("Annotated", "Any", "Literal"), "typing"),
    **dict.fromkeys(
        (
            "EMPTY",
            "Field",
            "IntOrString",
            "MicroTime",
            "ObjectMeta",
            "OpenEnum",
            "PrinterColumn",
            "Quantity",
            "Resource",
            "ResourceList",
            "Rule",
            "Scale",
            "Struct",
            "Time",
            "Unstructured",
            "custom_resource",
            "field",
            "rule",
        ),
        "kubewright",
    ),
}
"""The names that generated code uses, and where they come from."""

_TAKEN: Final = {
    "Struct": frozenset(dir(Struct)),
    "Resource": frozenset({"gvk", "gvr", "namespaced"}.union(dir(Resource))),
}
"""The attributes that the base of a class has already, so that no field may be called so."""


class ModuleNames:
    """Hands out the names of one module, each once, and notes what is imported."""

    def __init__(self, kinds: Iterable[str]) -> None:
        self._classes = set(kinds)
        self._kinds = frozenset(self._classes)
        self._foreign: set[str] = set()
        self._brought: dict[tuple[str, str], str] = {}
        self.imports: dict[str, set[str]] = defaultdict(set)

    def use(self, name: str) -> str:
        """How to write a name of kubewright or typing, which is imported; a kind of that name comes first."""
        if name not in self._kinds:
            self.imports[_SOURCES[name]].add(name)
            return name
        alias = f"Kubewright{name}"
        self.imports[_SOURCES[name]].add(f"{name} as {alias}")
        return alias

    def bring(self, source: str, name: str) -> str:
        """How to write a name of another module, imported; with a word before it where it is taken."""
        known = self._brought.get((source, name))
        if known is not None:
            return known
        word = "Kubewright" if source.count(".") < 2 else class_words(source.rpartition(".")[2])
        made, number = name, 0
        while self._is_taken(made, source):
            number += 1
            made = f"{word}{name}{number if number > 1 else ''}"
        self._foreign.add(made)
        self._brought[source, name] = made
        self.imports[source].add(name if made == name else f"{name} as {made}")
        return made

    def _is_taken(self, name: str, source: str) -> bool:
        return name in self._classes or name in self._foreign or _SOURCES.get(name, source) != source

    def claim(self, name: str, *, reserved: Collection[str] = _SOURCES) -> str:
        """A name for a class: the one that is wanted, or with a number where it is taken or reserved."""
        made, number = name, 1
        while made in self._classes or made in self._foreign or made in reserved:
            number += 1
            made = f"{name}{number}"
        self._classes.add(made)
        return made


def class_words(wire_name: str) -> str:
    """A field's name as a part of a class's name: `privateKey` is `PrivateKey`."""
    return "".join(word[:1].upper() + word[1:] for word in re.findall(r"[A-Za-z0-9]+", wire_name))


def field_names(wire_names: Iterable[str], *, base: str) -> dict[str, str]:
    """The Python names of a class's fields by wire name, no two the same."""
    made: dict[str, str] = {}
    used = set(_TAKEN[base])
    for wire_name in wire_names:
        name = python_name(wire_name, taken=used)
        while name in used:
            name += "_"
        used.add(name)
        made[wire_name] = name
    return made


def type_modules(versions: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """The modules of group-versions: by the group's first word, or all of it where two would be alike."""
    wanted = sorted(set(versions))
    short = [_module(group.partition(".")[0], version) for group, version in wanted]
    return {
        (group, version): name if short.count(name) == 1 else _module(group, version)
        for (group, version), name in zip(wanted, short, strict=True)
    }


def _module(group: str, version: str) -> str:
    name = module_name(re.sub(r"[^a-z0-9]", "_", group.lower()), version)
    return f"n{name}" if name[0].isdigit() else name
