"""Writing modules down: source text as a formatter would leave it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kubewright.codegen.ir import FieldDef, ModuleDef, StructDef
from kubewright.codegen.layout import layout
from kubewright.codegen.types import literal

__all__ = ["render_module"]

DEFAULT_WIDTH: Final = 110
"""kubewright's own line length."""

_INDENT: Final = "    "


def render_module(module: ModuleDef, *, width: int = DEFAULT_WIDTH) -> str:
    """The source text of a module; the same module gives the same text."""
    parts = [f'"""{module.doc}"""', "", "from __future__ import annotations", ""]
    parts += _imports(module, width)
    parts += ["", *_all(module)]
    for struct in module.structs:
        parts += ["", "", *_struct(struct, width)]
    return "\n".join(parts) + "\n"


def _imports(module: ModuleDef, width: int) -> Iterator[str]:
    standard = [name for name in module.imports if "." not in name]
    own = [name for name in module.imports if "." in name]
    for group in (standard, own):
        for source in sorted(group):
            names = sorted(module.imports[source], key=_import_order)
            line = f"from {source} import {', '.join(names)}"
            if len(line) > width:
                line = f"from {source} import ({', '.join(names)})"
            yield from layout(line, width=width)
        if group is standard and standard and own:
            yield ""


def _import_order(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions, as isort has it."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


def _all(module: ModuleDef) -> Iterator[str]:
    names = sorted((struct.name for struct in module.structs), key=_import_order)
    yield "__all__ = ["
    for name in names:
        yield f'{_INDENT}"{name}",'
    yield "]"


def _struct(struct: StructDef, width: int) -> Iterator[str]:
    yield from layout(f"class {struct.name}({', '.join([struct.base, *struct.arguments])}):", width=width)
    body = False
    if struct.doc:
        yield from _docstring(struct.doc, width)
        body = True
    if struct.doc and struct.fields:
        yield ""
    for item in sorted(struct.fields, key=lambda item: item.default is not None):
        yield from _field(item, width)
        body = True
    if not body:
        yield f"{_INDENT}pass"


def _docstring(doc: str, width: int) -> Iterator[str]:
    escaped = doc.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    lines = escaped.splitlines()
    if len(lines) == 1 and len(lines[0]) + len(_INDENT) + 6 <= width:
        yield f'{_INDENT}"""{lines[0]}"""'
        return
    yield f'{_INDENT}"""{lines[0]}'
    for line in lines[1:]:
        yield f"{_INDENT}{line}".rstrip()
    yield f'{_INDENT}"""'


def _field(item: FieldDef, width: int) -> Iterator[str]:
    annotation = f"Annotated[{item.type}, {item.marker}]" if item.marker else item.type
    default = _default(item)
    ending = f" = {default}" if default else ""
    yield from layout(f"{item.name}: {annotation}{ending}", width=width, indent=_INDENT)
    if item.doc:
        yield from _docstring(item.doc, width)


def _default(item: FieldDef) -> str:
    if not item.needs_wire_name:
        return item.default or ""
    if item.default is None:
        return f"field(name={literal(item.wire_name)})"
    if item.default in {"[]", "{}"}:
        factory = "list" if item.default == "[]" else "dict"
        return f"field(default_factory={factory}, name={literal(item.wire_name)})"
    return f"field(default={item.default}, name={literal(item.wire_name)})"
