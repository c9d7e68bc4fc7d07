"""The modules of a generated client: source text as a formatter would leave it."""

from __future__ import annotations

import re
import textwrap
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from kubewright.codegen.client_names import ClientGroup, ClientKind
from kubewright.codegen.imports import import_lines
from kubewright.codegen.layout import layout, layout_ending
from kubewright.codegen.project import CLIENT_HEADER

__all__ = ["client_modules"]

_INDENT: Final = "    "
_NAMESPACE: Final = "namespace: str | None = None"
_LINT: Final = "# ruff: noqa\n# ruff: noqa: PGH004"
"""A project's rules are for what its people write. PGH004 is the rule against switching off all of them."""

_INIT: Final = '''"""The client of {package}: clientset, informers and listers of its kinds.

{header}
"""

{lint}

from .clientset import Clientset
from .informers import InformerFactory
from .listers import Listers

__all__ = ["Clientset", "InformerFactory", "Listers"]
'''


def client_modules(package: str, groups: Sequence[ClientGroup], *, width: int) -> dict[str, str]:
    """File name → source text of the client of a package, in lines of a certain width."""
    return {
        "__init__.py": _INIT.format(package=package, header=CLIENT_HEADER, lint=_LINT),
        "clientset.py": _clientset(package, groups, "kubewright", width),
        "informers.py": _informers(package, groups, width),
        "listers.py": _listers(package, groups, width),
        "py.typed": "",
        "sync.py": _clientset(package, groups, "kubewright.sync", width),
    }


def _clientset(package: str, groups: Sequence[ClientGroup], source: str, width: int) -> str:
    """The clientset over the client of a package, `kubewright` or `kubewright.sync`."""
    is_blocking = source == "kubewright.sync"
    title = f"The {'blocking ' if is_blocking else ''}clientset of {package}: its kinds by group and version."
    names = ["Clientset", *(group.class_name for group in groups)]
    imports = {"typing": ["Final"], source: ["Api", "Client"]}
    lines = [*_head(title, imports, groups, width), *_all(names, width)]
    classes = {group.attribute: group.class_name for group in groups}
    lines += _entry("Clientset", "client: Client", classes, groups, width)
    for group in groups:
        lines += _class(group.class_name, f"The kinds of {group.api_version}.", "client: Client", width)
        for kind in group.kinds:
            scope = "a namespace, or of all" if kind.namespaced else "the cluster"
            arguments = f"{kind.type}, namespace" if kind.namespaced else kind.type
            lines += [
                "",
                *_signature(kind.method, [_NAMESPACE] * kind.namespaced, f"Api[{kind.type}]", width),
                *_doc(f"`{kind.plural}` of {scope}.", _INDENT * 2, width),
                *layout(f"return self._client.api({arguments})", width=width, indent=_INDENT * 2),
            ]
    return "\n".join(lines) + "\n"


def _informers(package: str, groups: Sequence[ClientGroup], width: int) -> str:
    title = f"Informers of the kinds of {package}, by group and version."
    classes = {group.attribute: f"{group.class_name}Informers" for group in groups}
    imports = {
        "collections.abc": ["Mapping"],
        "kubewright.client.objects": ["Labels"],
        "kubewright.informers": ["Informer", "Informers", "drop_managed_fields"],
        "kubewright.informers.index": ["IndexFunction"],
        "kubewright.informers.transforms": ["Transform"],
        "typing": ["Final"],
    }
    if any(kind.namespaced for group in groups for kind in group.kinds):
        imports["collections.abc"].append("Iterable")
    lines = [*_head(title, imports, groups, width), *_all(["InformerFactory", *classes.values()], width)]
    lines += _entry("InformerFactory", "informers: Informers", classes, groups, width)
    for group in groups:
        doc = f"Informers of {group.api_version}, shared by all who ask for the same."
        lines += _class(classes[group.attribute], doc, "informers: Informers", width)
        for kind in group.kinds:
            lines += ["", *_informer(kind, width)]
    return "\n".join(lines) + "\n"


def _informer(kind: ClientKind, width: int) -> Iterator[str]:
    inner = _INDENT * 2
    yield f"{_INDENT}def {kind.method}("
    yield f"{inner}self,"
    if kind.namespaced:
        yield f"{inner}namespace: str | Iterable[str] | None = None,"
    yield f"{inner}*,"
    yield f'{inner}labels: Labels = "",'
    yield f'{inner}fields: str = "",'
    yield from _optional(f"index: Mapping[str, IndexFunction[{kind.type}]]", "None", width)
    yield from _optional(f"transform: Transform[{kind.type}]", "drop_managed_fields", width)
    yield from layout_ending(f") -> Informer[{kind.type}]:", width=width, indent=_INDENT)
    yield from _doc(f"The informer of `{kind.plural}`; see `Informers.of`.", inner, width)
    options = "labels=labels, fields=fields, index=index, transform=transform"
    namespace = "namespace, " if kind.namespaced else ""
    yield from layout(
        f"return self._informers.of({kind.type}, {namespace}{options})", width=width, indent=inner
    )


def _listers(package: str, groups: Sequence[ClientGroup], width: int) -> str:
    title = f"Listers of the kinds of {package}: what reads them from the memory of informers."
    classes = {group.attribute: f"{group.class_name}Listers" for group in groups}
    kinds = [kind for group in groups for kind in group.kinds]
    imports = {"typing": ["Final", "TypeAlias"], "kubewright.informers": ["Informers", "Lister"]}
    names = ["Listers", *classes.values(), *(kind.lister for kind in kinds)]
    lines = [*_head(title, imports, groups, width), *_all(names, width), ""]
    for kind in kinds:
        lines += _assignment(f"{kind.lister}: TypeAlias =", f"Lister[{kind.type}]", width, "")
    lines += _entry("Listers", "informers: Informers", classes, groups, width)
    for group in groups:
        doc = f"Listers of {group.api_version}; asking for one starts its informer."
        lines += _class(classes[group.attribute], doc, "informers: Informers", width)
        for kind in group.kinds:
            where = "a namespace, or of all" if kind.namespaced else "the cluster"
            arguments = f"{kind.type}, namespace" if kind.namespaced else kind.type
            lines += [
                "",
                *_signature(kind.method, [_NAMESPACE] * kind.namespaced, kind.lister, width),
                *_doc(f"What reads `{kind.plural}` of {where}.", _INDENT * 2, width),
                *layout(f"return self._informers.lister({arguments})", width=width, indent=_INDENT * 2),
            ]
    return "\n".join(lines) + "\n"


def _head(
    title: str, imports: Mapping[str, Sequence[str]], groups: Sequence[ClientGroup], width: int
) -> Iterator[str]:
    """Docstring and imports of a module that uses all kinds."""
    types: dict[str, set[str]] = defaultdict(set)
    for group in groups:
        for kind in group.kinds:
            types[kind.module].add(kind.imported)
    yield from (f'"""{title}', "", CLIENT_HEADER, '"""', "", _LINT, "")
    yield from ("from __future__ import annotations", "")
    yield from import_lines({**imports, **types}, width=width, first_party=types)
    yield ""


def _all(names: Sequence[str], width: int) -> Iterator[str]:
    listed = ", ".join(f'"{name}"' for name in sorted(names))
    yield from layout(f"__all__ = [{listed}]", width=width)


def _entry(
    name: str, parameter: str, classes: Mapping[str, str], groups: Sequence[ClientGroup], width: int
) -> Iterator[str]:
    """The class with which a program begins: an attribute for each group-version."""
    value = parameter.partition(":")[0]
    kind = groups[0].kinds[0]
    call = f'{kind.method}("default")' if kind.namespaced else f"{kind.method}()"
    yield from ("", "", f"class {name}:")
    yield from _doc(f"`{name}({value}).{groups[0].attribute}.{call}` and its like.", _INDENT, width)
    yield ""
    yield f"{_INDENT}def __init__(self, {parameter}) -> None:"
    for attribute, class_name in classes.items():
        yield from _assignment(f"self.{attribute}: Final =", f"{class_name}({value})", width, _INDENT * 2)


def _assignment(target: str, value: str, width: int, indent: str) -> Iterator[str]:
    """What has brackets, assigned; in further ones where those would not be on the line any more."""
    name = re.split(r"[(\[]", value)[0]
    if len(f"{indent}{target} {name}(") > width >= len(f"{indent}{target} ("):
        yield from (f"{indent}{target} (", f"{indent}{_INDENT}{value}", f"{indent})")
    else:
        yield from layout(f"{target} {value}", width=width, indent=indent)


def _class(name: str, doc: str, parameter: str, width: int) -> Iterator[str]:
    value = parameter.partition(":")[0]
    yield from ("", "", f"class {name}:")
    yield from _doc(doc, _INDENT, width)
    yield ""
    yield f"{_INDENT}def __init__(self, {parameter}) -> None:"
    yield f"{_INDENT * 2}self._{value}: Final = {value}"


def _signature(name: str, parameters: Sequence[str], returns: str, width: int) -> Iterator[str]:
    """The first lines of a method; where they are too long, its parameters stand on lines of their own."""
    given = ", ".join(["self", *parameters])
    line = f"{_INDENT}def {name}({given}) -> {returns}:"
    if len(line) <= width:
        yield line
    else:
        yield f"{_INDENT}def {name}("
        if parameters and len(_INDENT * 2 + given) <= width:
            yield f"{_INDENT * 2}{given}"
        else:
            yield from (f"{_INDENT * 2}{each}," for each in ["self", *parameters])
        yield from layout_ending(f") -> {returns}:", width=width, indent=_INDENT)


def _optional(parameter: str, default: str, width: int) -> Iterator[str]:
    """A parameter that may be None, on a line of its own."""
    indent, ending = _INDENT * 2, f"| None = {default},"
    if len(indent) + len(parameter) + 1 + len(ending) <= width:
        yield f"{indent}{parameter} {ending}"
    else:
        yield from layout(parameter, width=width, indent=indent)
        yield f"{indent}{ending}"


def _doc(text: str, indent: str, width: int) -> Iterator[str]:
    """A docstring, whose quotes end on a line of their own where it has several."""
    lines = [text]
    if len(indent) + len(text) + 6 > width:
        lines = textwrap.wrap(text, width - len(indent) - 3, break_long_words=False, break_on_hyphens=False)
    if len(lines) == 1:
        yield f'{indent}"""{text}"""'
        return
    yield f'{indent}"""{lines[0]}'
    yield from (f"{indent}{line}" for line in lines[1:])
    yield f'{indent}"""'
