"""The names in a generated client: of group-versions, kinds, methods and listers, no two the same."""

from __future__ import annotations

import keyword
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from kubewright.codegen.clientset import method_name
from kubewright.codegen.crd_names import type_modules
from kubewright.codegen.project import ProjectError
from kubewright.crd.declaration import declaration_of
from kubewright.machinery.resource import Resource

__all__ = ["ClientGroup", "ClientKind", "client_groups"]

_RESERVED: Final = frozenset(
    {
        "Api",
        "Client",
        "Clientset",
        "Final",
        "IndexFunction",
        "Informer",
        "InformerFactory",
        "Informers",
        "Iterable",
        "Labels",
        "Lister",
        "Listers",
        "Mapping",
        "Transform",
        "TypeAlias",
    }
)
"""What generated modules import or define themselves, so that no kind may be called so in them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientKind:
    """A kind of a project, and what it is called in the client."""

    module: str
    """Where its class is."""
    imported: str
    """How it is imported from there: `App`, or `App as ShopV1App` where two are called so."""
    type: str
    """What the class is called in the client."""
    plural: str
    namespaced: bool
    method: str
    lister: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientGroup:
    """A group-version of a project, and what it is called in the client."""

    api_version: str
    attribute: str
    """Such as `shop_v1`, as in `client.shop_v1`."""
    class_name: str
    """Such as `ShopV1`; what is added to it names the class for informers and listers."""
    kinds: Sequence[ClientKind]


def client_groups(classes: Iterable[type[Resource]]) -> list[ClientGroup]:
    """Group-versions in the order of their names, with their kinds in the order of their methods.

    The same classes give the same names, in whatever order they come. Raises ProjectError for two kinds of
    one plural, and for a class that cannot be imported by a name.
    """
    ordered = sorted(classes, key=lambda cls: (cls.gvk.group, cls.gvk.version, cls.gvk.kind))
    _check_plurals(ordered)
    members: dict[tuple[str, str], list[type[Resource]]] = defaultdict(list)
    for cls in ordered:
        members[cls.gvk.group, cls.gvk.version].append(cls)
    taken = set(_RESERVED)
    attributes = _attributes(members)
    class_names = {key: _claimed(_class_name(attributes[key]), taken) for key in members}
    taken |= {f"{name}{ending}" for name in class_names.values() for ending in ("Informers", "Listers")}
    prefixes = {cls: class_names[cls.gvk.group, cls.gvk.version] for cls in ordered}
    sources = {cls: _source_name(cls) for cls in ordered}
    types = _unique(sources, prefixes, taken)
    listers = _unique({cls: f"{cls.gvk.kind}Lister" for cls in ordered}, prefixes, taken)
    groups = []
    for key, kinds in members.items():
        methods: set[str] = set()
        made = [
            ClientKind(
                module=cls.__module__,
                imported=types[cls] if types[cls] == sources[cls] else f"{sources[cls]} as {types[cls]}",
                type=types[cls],
                plural=declaration_of(cls).names.plural,
                namespaced=cls.namespaced,
                method=_claimed(_method(cls), methods),
                lister=listers[cls],
            )
            for cls in kinds
        ]
        groups.append(
            ClientGroup(
                api_version=kinds[0].gvk.api_version,
                attribute=attributes[key],
                class_name=class_names[key],
                kinds=sorted(made, key=lambda kind: kind.method),
            )
        )
    return sorted(groups, key=lambda group: group.attribute)


def _check_plurals(classes: Iterable[type[Resource]]) -> None:
    kinds: dict[tuple[str, str], type[Resource]] = {}
    for cls in classes:
        plural = declaration_of(cls).names.plural
        first = kinds.setdefault((cls.gvk.group, plural), cls)
        if first.gvk.kind != cls.gvk.kind:
            raise ProjectError(
                f"{first.gvk.kind} in {first.__module__} and {cls.gvk.kind} in {cls.__module__} are both "
                f"called {plural}.{cls.gvk.group}; give one of them another plural="
            )


def _source_name(cls: type[Resource]) -> str:
    """The name by which a class is imported from its module."""
    wanted = str(cls.__name__)
    names = vars(sys.modules[cls.__module__])
    for name in (wanted, *names):
        if names.get(name) is cls and name.isidentifier():
            return name
    raise ProjectError(f"{cls.__module__} has no name for {wanted}; assign the class to one")


def _attributes(versions: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Names as modules of types have them, all versions of a group alike."""
    ordered = sorted(versions)
    groups = type_modules((group, "v1") for group, _ in ordered)
    taken: set[str] = set()
    return {
        (group, version): _claimed(_identifier(groups[group, "v1"].removesuffix("v1") + version), taken)
        for group, version in ordered
    }


def _class_name(attribute: str) -> str:
    return "".join(word.capitalize() for word in attribute.split("_"))


def _method(cls: type[Resource]) -> str:
    return _identifier(method_name(cls.gvk.kind, declaration_of(cls).names.plural))


def _identifier(name: str) -> str:
    """A name with what may stand in Python in place of dashes, and no keyword."""
    made = re.sub(r"\W", "_", name)
    return f"{made}_" if keyword.iskeyword(made) else made


def _claimed(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def _unique(
    wanted: dict[type[Resource], str], prefixes: dict[type[Resource], str], taken: set[str]
) -> dict[type[Resource], str]:
    """Names as they are wanted, or behind their group-version's where two are alike or one is taken."""
    count = Counter(wanted.values())
    clear = {cls: name for cls, name in wanted.items() if count[name] == 1 and name not in taken}
    taken |= set(clear.values())
    return {
        cls: clear[cls] if cls in clear else _claimed(f"{prefixes[cls]}{name}", taken)
        for cls, name in wanted.items()
    }
