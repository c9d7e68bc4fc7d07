"""Writing modules down: source text as a formatter would leave it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kubewright.codegen.imports import import_lines, import_order
from kubewright.codegen.ir import FieldDef, ModuleDef, StructDef
from kubewright.codegen.layout import layout, layout_ending, layout_inside
from kubewright.codegen.types import literal

__all__ = ["render_module"]

DEFAULT_WIDTH: Final = 110
"""kubewright's own line length."""

_INDENT: Final = "    "
_CLOSING: Final = frozenset(")]}")


def render_module(module: ModuleDef, *, width: int = DEFAULT_WIDTH) -> str:
    """The source text of a module; the same module gives the same text."""
    parts = [f'"""{_escaped(module.doc)}"""', "", *(f"# {line}" for line in module.comments)]
    parts += [*([""] if module.comments else []), "from __future__ import annotations", ""]
    parts += import_lines(module.imports, width=width)
    parts += ["", *_all(module)]
    for struct in module.structs:
        parts += ["", "", *_struct(struct, width)]
    return "\n".join(parts) + "\n"


def _all(module: ModuleDef) -> Iterator[str]:
    names = sorted((struct.name for struct in module.structs), key=import_order)
    yield "__all__ = ["
    for name in names:
        yield f'{_INDENT}"{name}",'
    yield "]"


def _struct(struct: StructDef, width: int) -> Iterator[str]:
    for decorator in struct.decorators:
        yield from layout(f"@{decorator}", width=width)
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


def _escaped(doc: str) -> str:
    """A text as it stands between three quotes, whoever wrote it."""
    return doc.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')


def _docstring(doc: str, width: int) -> Iterator[str]:
    escaped = _escaped(doc)
    lines = escaped.splitlines()
    # A quote beside the quotes around it would be taken for one of them.
    first = f" {lines[0]}" if lines[0].startswith('"') else lines[0]
    last = " " if first.endswith('"') else ""
    if len(lines) == 1 and len(first) + len(last) + len(_INDENT) + 6 <= width:
        yield f'{_INDENT}"""{first}{last}"""'
        return
    yield f'{_INDENT}"""{first}'
    for line in lines[1:]:
        yield f"{_INDENT}{line}".rstrip()
    yield f'{_INDENT}"""'


def _field(item: FieldDef, width: int) -> Iterator[str]:
    annotation = f"Annotated[{item.type}, {item.marker}]" if item.marker else item.type
    default = _default(item)
    yield from _assignment(f"{item.name}:", annotation, default, width)
    if item.doc:
        yield from _docstring(item.doc, width)


def _assignment(name: str, annotation: str, default: str, width: int) -> Iterator[str]:
    """A field's line, or the lines that a formatter makes of one that is too long."""
    ending = f" = {default}" if default else ""
    line = f"{_INDENT}{name} {annotation}{ending}"
    inner = _INDENT * 2
    is_union = annotation.endswith(" | None")
    is_name = annotation.isidentifier() and len(inner) + len(annotation) <= width
    if len(line) <= width:
        yield line
    elif default[-1:] in _CLOSING and len(line) - len(default) + len(default.partition("(")[0]) < width:
        yield from layout(line.strip(), width=width, indent=_INDENT)
    elif default and default[-1] not in _CLOSING and len(line) - len(default) < width:
        yield f"{line.removesuffix(default)}("
        yield f"{inner}{default}"
        yield f"{_INDENT})"
    elif is_union or is_name:
        yield f"{_INDENT}{name} ("
        yield from layout_inside(annotation, width=width, indent=inner)
        yield from layout_ending(f"){ending}", width=width, indent=_INDENT)
    else:
        yield from layout(line.strip(), width=width, indent=_INDENT)


def _default(item: FieldDef) -> str:
    if item.factory:
        named = f", name={literal(item.wire_name)}" if item.needs_wire_name else ""
        return f"field(default_factory={item.default}{named})"
    if not item.needs_wire_name:
        return item.default or ""
    if item.default is None:
        return f"field(name={literal(item.wire_name)})"
    if item.default in {"[]", "{}"}:
        factory = "list" if item.default == "[]" else "dict"
        return f"field(default_factory={factory}, name={literal(item.wire_name)})"
    return f"field(default={item.default}, name={literal(item.wire_name)})"
