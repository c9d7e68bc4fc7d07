"""Makes `kubewright/models/protobuf_tables.py`, the messages as `kubewright.machinery.protobuf` wants them.

`kubewright.codegen.models` calls it when `protobuf-fields.json` lies beside the OpenAPI documents. That file
has numbers, types and the names of the protobuf definitions; what only Go's structs say is in
`protobuf_facts`.
For a new release of Kubernetes, after `make facts`:

echo '{"op": "protobuf.fields"}' | (cd tests/oracle && go run .) > go.json
python -m kubewright.codegen.protobuf facts/kubernetes/protobuf-fields.json go.json
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

from kubewright.codegen import protobuf_facts
from kubewright.codegen.openapi import Api, group_version_kinds
from kubewright.machinery.errors import ParseError
from kubewright.machinery.protobuf.messages import SCALARS

__all__ = ["TABLES", "Definitions", "main", "protobuf_tables", "read_definitions", "render_facts"]

TABLES: Final = "protobuf_tables.py"
"""The file of `kubewright/models` that holds the tables."""

Definitions: TypeAlias = Mapping[str, Mapping[str, tuple[str, str, str]]]
"""By the short name of the message, then by number: name, type (its short name), optional/repeated/map."""

_FORMS: Final = {
    "meta.v1.Time": "Time",
    "meta.v1.MicroTime": "MicroTime",
    "meta.v1.Duration": "Duration",
    "meta.v1.FieldsV1": "JSON",
    "apiextensions.v1.JSON": "JSON",
    "resource.Quantity": "Quantity",
    "intstr.IntOrString": "IntOrString",
    "runtime.RawExtension": "RawExtension",
}
"""Messages that have a JSON form of their own: what the decoder calls them."""

_UNIONS: Final = frozenset(
    {
        "apiextensions.v1.JSONSchemaPropsOrArray",
        "apiextensions.v1.JSONSchemaPropsOrBool",
        "apiextensions.v1.JSONSchemaPropsOrStringArray",
        "authentication.v1.ExtraValue",
        "authorization.v1.ExtraValue",
        "certificates.v1.ExtraValue",
        "meta.v1.Verbs",
    }
)
"""Messages that are one of their members in JSON."""

_MORE_KINDS: Final = {
    ("", "CreateOptions"): "meta.v1.CreateOptions",
    ("", "DeleteOptions"): "meta.v1.DeleteOptions",
    ("", "GetOptions"): "meta.v1.GetOptions",
    ("", "ListOptions"): "meta.v1.ListOptions",
    ("", "PatchOptions"): "meta.v1.PatchOptions",
    ("", "UpdateOptions"): "meta.v1.UpdateOptions",
    ("", "WatchEvent"): "meta.v1.WatchEvent",
    ("apidiscovery.k8s.io/v2", "APIGroupDiscovery"): "apidiscovery.v2.APIGroupDiscovery",
    ("apidiscovery.k8s.io/v2", "APIGroupDiscoveryList"): "apidiscovery.v2.APIGroupDiscoveryList",
    ("meta.k8s.io/v1", "PartialObjectMetadata"): "meta.v1.PartialObjectMetadata",
    ("meta.k8s.io/v1", "PartialObjectMetadataList"): "meta.v1.PartialObjectMetadataList",
    ("v1", "List"): "core.v1.List",
}
"""Kinds that OpenAPI leaves out, and those that upstream registers with every group-version, here as ""."""

_VERSION: Final = re.compile(r"v[0-9]+((alpha|beta)[0-9]+)?")


def read_definitions(fields: Mapping[str, Mapping[str, Any]]) -> Definitions:
    """The messages of protobuf-fields.json by short names: core.v1.Pod, resource.Quantity.

    Raises ParseError when two messages would have the same.
    """
    made: dict[str, Mapping[str, tuple[str, str, str]]] = {}
    for full_name, members in fields.items():
        name = _short(full_name)
        if name in made:
            raise ParseError(f"two protobuf messages would both be {name}: one is {full_name}")
        made[name] = {number: (item[0], _short(item[1]), item[2]) for number, item in members.items()}
    return made


def _short(full_name: str) -> str:
    *packages, name = full_name.split(".")
    if not packages:
        return name
    kept = packages[-2:] if _VERSION.fullmatch(packages[-1]) else packages[-1:]
    return ".".join([*kept, name])


def protobuf_tables(api: Api, definitions: Definitions) -> str:
    """The source text of the tables: every message that a kind of the API needs.

    Raises ParseError when a kind of the API has no message.
    """
    kinds = dict(_kinds(api)) | _MORE_KINDS
    for (api_version, kind), name in kinds.items():
        if name not in definitions:
            raise ParseError(f"{kind} of {api_version} has no protobuf message {name}; run `make facts`")
    lines = [
        '"""The messages of the Kubernetes protobuf encoding: number, JSON name and type of each field.',
        "",
        "Generated; see CONTRIBUTING.md.",
        '"""',
        "",
        "from __future__ import annotations",
        "",
        "from typing import Final",
        "",
        "from kubewright.machinery.protobuf import Messages",
        "",
        '__all__ = ["DEFINITIONS", "KINDS", "builtin_messages"]',
        "",
        "",
        "def builtin_messages() -> Messages:",
        '    """The messages of all built-in kinds; each is made ready when it is first needed."""',
        "    return Messages(DEFINITIONS, KINDS)",
        "",
        "",
        "KINDS: Final[dict[str, dict[str, str]]] = {",
        *_kinds_lines(kinds),
        "}",
        '"""apiVersion → kind → message; an empty apiVersion stands for every one."""',
        "",
        "DEFINITIONS: Final[dict[str, str]] = {",
    ]
    for name in sorted(_reachable(definitions, kinds.values())):
        lines += [f'    "{name}": """', *_message(name, definitions[name]), '""",']
    lines += ["}", '"""Message → its fields, in the notation of `kubewright.machinery.protobuf.messages`."""']
    return "\n".join(lines) + "\n"


def _kinds_lines(kinds: Mapping[tuple[str, str], str]) -> Iterator[str]:
    for api_version, group in groupby(sorted(kinds.items()), key=lambda item: item[0][0]):
        yield f'    "{api_version}": {{'
        for (_, kind), name in group:
            yield f'        "{kind}": "{name}",'
        yield "    },"


def _kinds(api: Api) -> Iterator[tuple[tuple[str, str], str]]:
    for full_name, schema in api.schemas.items():
        for gvk in group_version_kinds(schema):
            if ("", gvk.kind) not in _MORE_KINDS:
                yield (gvk.api_version, gvk.kind), _short(full_name.replace("-", "_"))


def _reachable(definitions: Definitions, roots: Iterable[str]) -> set[str]:
    """The messages that the roots need, other than those that the decoder knows by itself."""
    found: set[str] = set()
    todo = list(roots)
    while todo:
        name = todo.pop()
        if name not in found and name not in SCALARS and name not in _FORMS:
            found.add(name)
            todo += [type_name for _, type_name, _ in definitions[name].values()]
    return found


def _message(name: str, members: Mapping[str, tuple[str, str, str]]) -> Iterator[str]:
    if name in _UNIONS:
        yield "union"
    omitted = _facts(protobuf_facts.OMITTED_WHEN_ZERO).get(name, ())
    inlined = _facts(protobuf_facts.INLINED).get(name, ())
    renamed = dict(pair.split("=") for pair in _facts(protobuf_facts.RENAMED).get(name, ()))
    for number, (field, type_name, label) in sorted(members.items(), key=lambda item: int(item[0])):
        prefix = {"optional": "", "repeated": "[]", "map": "map[string]"}[label]
        flag = " omitempty" if field in omitted else " inline" if field in inlined else ""
        yield f"{number} {renamed.get(field, field)} {prefix}{_FORMS.get(type_name, type_name)}{flag}"


def _facts(text: str) -> dict[str, list[str]]:
    """Message → words, from lines `MESSAGE: WORD WORD`, which go on in lines that are indented."""
    joined = text.replace("\n ", " ")
    return {name: words.split() for name, _, words in (line.partition(":") for line in joined.splitlines())}


def render_facts(definitions: Definitions, go_fields: Mapping[str, Mapping[str, Any]]) -> str:
    """The source text of `protobuf_facts`, from what the oracle says of Go's structs.

    Messages that no struct stands for, and those with a JSON form of their own, have no facts.
    """
    omitted: dict[str, list[str]] = {}
    inlined: dict[str, list[str]] = {}
    renamed: dict[str, list[str]] = {}
    for full_name, members in sorted(go_fields.items()):
        name = _short(full_name)
        if name not in definitions or name in _FORMS or name in _UNIONS:
            continue
        for number, (field, type_name, label) in definitions[name].items():
            go = members[number]
            scalar = type_name in SCALARS and label == "optional"
            if go["omitZero"] or (scalar and go["omitEmpty"] and not go["pointer"]):
                omitted.setdefault(name, []).append(field)
            if not go["json"]:
                inlined.setdefault(name, []).append(field)
            elif go["json"] != field:
                renamed.setdefault(name, []).append(f"{field}={go['json']}")
    return "\n".join(
        [
            '"""What Go\'s structs say of fields and the protobuf definitions do not, of Kubernetes 1.36.',
            "",
            "Recorded from upstream's Go code; the docstring of `kubewright.codegen.protobuf` says how.",
            '"""',
            "",
            "from __future__ import annotations",
            "",
            "from typing import Final",
            "",
            '__all__ = ["INLINED", "OMITTED_WHEN_ZERO", "RENAMED"]',
            "",
            *_facts_text(
                "INLINED", inlined, "Messages whose fields stand among those of the message around them."
            ),
            "",
            *_facts_text(
                "RENAMED", renamed, "Names in the protobuf definition, and in JSON where that differs."
            ),
            "",
            *_facts_text(
                "OMITTED_WHEN_ZERO",
                omitted,
                "Values that JSON lacks when they are zero: no pointers, and tagged omitempty (or omitzero).",
            ),
            "",
        ]
    )


def _facts_text(name: str, facts: Mapping[str, list[str]], doc: str) -> Iterator[str]:
    yield f'{name}: Final = """\\'
    for message, words in facts.items():
        line = f"{message}: {' '.join(sorted(words))}"
        yield from textwrap.wrap(line, 108, subsequent_indent="  ", break_on_hyphens=False)
    yield '"""'
    yield f'"""{doc}"""'


def main(arguments: list[str]) -> int:
    """Record what Go's structs say; see the top of this module."""
    definitions = read_definitions(msgspec.json.decode(Path(arguments[0]).read_bytes()))
    answer = msgspec.json.decode(Path(arguments[1]).read_bytes())
    (Path(__file__).parent / "protobuf_facts.py").write_text(render_facts(definitions, answer["ok"]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
