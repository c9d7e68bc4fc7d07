"""Templates filled in, and the few forms of Python code whose layout depends on how long names are.

A template has `{{name}}` where a value goes. One that stands alone on its line takes a text of any number of
lines, each indented as it is; an empty one takes the line away. Nothing else can be said in a template: what
depends on more is made by functions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Final

__all__ = [
    "LINE_LENGTH",
    "TemplateError",
    "assignment",
    "call",
    "fill",
    "from_imports",
    "lines",
    "signature",
    "template",
]

LINE_LENGTH: Final = 100
"""Of scaffolded Python code; its pyproject.toml says the same to ruff."""

_PLACEHOLDER: Final = re.compile(r"\{\{([a-z_]*)\}\}")
_INDENT: Final = "    "


class TemplateError(Exception):
    """A template and its values do not fit: a mistake in kubewright, which no input leads to."""


@cache
def template(name: str) -> str:
    """The text of a template. Raises FileNotFoundError."""
    return files("kubewright.scaffold").joinpath("templates", f"{name}.txt").read_text(encoding="utf-8")


def fill(name: str, values: Mapping[str, str]) -> str:
    """A template with its values. Raises TemplateError unless it names each of them, and nothing else."""
    text = template(name)
    asked = set(_PLACEHOLDER.findall(text))
    if asked != set(values):
        wrong = ", ".join(sorted(asked ^ set(values)))
        raise TemplateError(f"the template {name} and its values differ in {wrong}")
    return "".join(_filled(line, values) for line in text.splitlines(keepends=True))


def _filled(line: str, values: Mapping[str, str]) -> str:
    bare = line.strip()
    alone = _PLACEHOLDER.fullmatch(bare)
    if alone is None:
        return _PLACEHOLDER.sub(lambda found: values[found[1]], line)
    indent = line[: line.index(bare)]
    found = values[alone[1]].splitlines()
    return "".join(f"{indent}{each}\n" if each else "\n" for each in found)


def lines(values: Iterable[str]) -> str:
    """Values as the lines of a text."""
    return "".join(f"{each}\n" for each in values)


def call(head: str, arguments: Sequence[str], tail: str = ")", *, depth: int = 0) -> str:
    """A call, such as `found = api(` with its arguments, laid out as ruff does at that depth of indentation.

    The lines have no indentation of their own but that of what is inside.
    """
    room = LINE_LENGTH - depth * len(_INDENT)
    inside = ", ".join(arguments)
    if len(whole := f"{head}{inside}{tail}") <= room:
        return whole
    if len(_INDENT) + len(inside) <= room:
        return f"{head}\n{_INDENT}{inside}\n{tail}"
    return f"{head}\n{lines(f'{_INDENT}{each},' for each in arguments)}{tail}"


def signature(head: str, parameters: Sequence[str], tail: str) -> str:
    """The first line or lines of a function with one parameter, at no indentation."""
    if len(whole := f"{head}{', '.join(parameters)}{tail}") <= LINE_LENGTH:
        return whole
    return f"{head}\n{lines(f'{_INDENT}{each},' for each in parameters)}{tail}"


def assignment(name: str, value: str) -> str:
    """A name for a value that cannot be broken, which has parentheses where it fits into those alone."""
    whole = f"{name} = {value}"
    if len(whole) <= LINE_LENGTH or len(_INDENT) + len(value) > LINE_LENGTH:
        return whole
    return f"{name} = (\n{_INDENT}{value}\n)"


def from_imports(imports: Mapping[str, Iterable[str]]) -> str:
    """Imports of one section, as ruff sorts and breaks them; those with `as` have lines of their own."""
    found: list[str] = []
    for module in sorted(imports, key=_order):
        names = sorted(set(imports[module]), key=_member_order)
        plain = [name for name in names if " " not in name]
        found += [_from_import(module, plain)] if plain else []
        found += [_from_import(module, [name]) for name in names if " " in name]
    return "\n".join(found)


def _from_import(module: str, names: Sequence[str]) -> str:
    head = f"from {module} import "
    if len(whole := f"{head}{', '.join(names)}") <= LINE_LENGTH:
        return whole
    return f"{head}(\n{lines(f'{_INDENT}{each},' for each in names)})"


def _order(module: str) -> list[str]:
    return module.lower().split(".")


def _member_order(name: str) -> tuple[int, str]:
    """Constants, then classes, then the rest, as isort has it."""
    word = name.partition(" ")[0]
    if word.isupper() and len(word) > 1:
        return 0, word
    return (1, word) if word[:1].isupper() else (2, word)
