"""Import statements, sorted as isort and ruff leave them."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from kubewright.codegen.layout import layout

__all__ = ["import_lines", "import_order"]

_DIGITS: Final = re.compile(r"(\d+)")


def import_lines(
    imports: Mapping[str, Collection[str]], *, width: int, first_party: Collection[str] = ()
) -> Iterator[str]:
    """The lines that import names from modules: the standard library's, others, those of `first_party`.

    A name may be `A as B`, which has a line of its own. `first_party` are modules.
    """
    sections: list[list[str]] = [[], [], []]
    for name in sorted(imports, key=_natural):
        is_standard = name.partition(".")[0] in sys.stdlib_module_names
        sections[2 if name in first_party else 0 if is_standard else 1].append(name)
    for number, section in enumerate(section for section in sections if section):
        if number:
            yield ""
        for source in section:
            for names in _statements(imports[source]):
                line = f"from {source} import {names}"
                if len(line) > width:
                    line = f"from {source} import ({names})"
                yield from layout(line, width=width)


def import_order(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions, as isort has it."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


def _statements(names: Collection[str]) -> Iterator[str]:
    """What follows `import` in each statement."""
    plain = sorted((name for name in names if " as " not in name), key=import_order)
    renamed = sorted((name for name in names if " as " in name), key=import_order)
    together = [", ".join(plain)] if plain else []
    yield from sorted([*together, *renamed], key=import_order)


def _natural(module: str) -> list[tuple[int, str]]:
    """A key that puts v2 before v10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in _DIGITS.split(module)]
