"""Makes `kubewright/models/go_structs.py`: Go's structs, as the server's reader of bodies wants them.

The facts come from Go's own reflection. For a new release of Kubernetes, after `make models`:

echo '{"op": "wire.types"}' | (cd tests/oracle && go run .) > go.json
python -m kubewright.codegen.go_structs go.json
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from kubewright.machinery.errors import ParseError
from kubewright.models.protobuf_tables import KINDS

__all__ = ["GO_STRUCTS", "go_structs", "main"]

GO_STRUCTS: Final = Path(__file__).parents[1] / "models" / "go_structs.py"
"""The module that is made."""

_NAME: Final = re.compile(r"[A-Za-z_][\w.]*\.\w+")


def go_structs(types: Mapping[str, Any]) -> str:
    """The source text of the module, from the oracle's answer to `wire.types`.

    Raises ParseError when a kind that the server knows is not the struct that its message is named after.
    """
    for api_version, kinds in KINDS.items():
        for kind, name in kinds.items():
            if api_version and types["kinds"].get(api_version, {}).get(kind) != name:
                raise ParseError(f"{kind} of {api_version} is no {name} in Go; make the models anew")
    structs, named = types["structs"], types["named"]
    roots = {name for kinds in KINDS.values() for name in kinds.values()}
    reached = sorted(_reachable(structs, named, roots))
    lines = [
        '"""Go\'s structs of the built-in kinds: what each field is called in JSON, its type, and omitempty.',
        "",
        "Generated; see `kubewright.codegen.go_structs`.",
        '"""',
        "",
        "from __future__ import annotations",
        "",
        "from typing import Final",
        "",
        '__all__ = ["KINDS", "NAMED", "STRUCTS"]',
        "",
        "KINDS: Final[dict[str, dict[str, str]]] = {",
        *_kinds_lines(),
        "}",
        '"""apiVersion → kind → struct; an empty apiVersion stands for every one."""',
        "",
        "NAMED: Final[dict[str, str]] = {",
        *(f'    "{name}": "{named[name]}",' for name in reached if name in named),
        "}",
        '"""Types with a name that are no structs, and what they are."""',
        "",
        "STRUCTS: Final[dict[str, str]] = {",
    ]
    for name in reached:
        if structs.get(name) is not None and name not in types["forms"]:
            lines += [f'    "{name}": """', *_struct(name, structs[name]), '""",']
    lines += ["}", '"""Struct → its fields, in the notation of `kubewright.server.wire.go_types`."""']
    return "\n".join(lines) + "\n"


def _kinds_lines() -> Iterator[str]:
    for api_version, kinds in KINDS.items():
        yield f'    "{api_version}": {{'
        yield from (f'        "{kind}": "{name}",' for kind, name in kinds.items())
        yield "    },"


def _reachable(
    structs: Mapping[str, Sequence[Sequence[str]] | None], named: Mapping[str, str], roots: Iterable[str]
) -> set[str]:
    found: set[str] = set()
    todo = list(roots)
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            texts = [line[2] for line in structs.get(name) or ()] + [named.get(name, "")]
            todo += [match for text in texts for match in _NAME.findall(text)]
    return found


def _struct(name: str, fields: Sequence[Sequence[str]]) -> Iterator[str]:
    for go_name, json_name, type_text, *options in fields:
        flags = [option for option in options if option in {"omitempty", "omitzero"}]
        if unknown := set(options) - {"omitempty", "omitzero", "inline"}:
            raise ParseError(f"{name}.{go_name} has the json options {sorted(unknown)}, which nobody reads")
        yield " ".join([json_name or f">{go_name}", type_text, *flags[-1:]])


def main(arguments: list[str]) -> int:
    """Write the module anew; see the top of this one."""
    answer = msgspec.json.decode(Path(arguments[0]).read_bytes())
    GO_STRUCTS.write_text(go_structs(answer["ok"]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
