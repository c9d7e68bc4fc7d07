"""From wire names to Python names and back."""

from __future__ import annotations

import keyword
import re
from collections.abc import Collection
from typing import Final

__all__ = ["module_name", "python_name"]

# The words of a wire name, first match first: an acronym with a plural "s" (podIPs), IPv4 and IPv6, a version
# (openAPIV3Schema), an acronym before a version or another word (HTTPGet) or at the end (clusterIP), a word.
_WORD: Final = re.compile(
    r"""
    [A-Z]{2,}s(?![a-z0-9])
    | IPv[46]
    | V[0-9]+(?:alpha[0-9]+|beta[0-9]+)?(?![a-z])
    | [A-Z]+(?=V[0-9])
    | [A-Z]+(?=[A-Z][a-z0-9])
    | [A-Z]{2,}(?![a-z0-9])
    | [A-Z][a-z0-9]*
    | [a-z0-9]+
    """,
    re.VERBOSE,
)


SHADOWING: Final = frozenset({"bool", "bytes", "dict", "field", "float", "int", "list", "str"})
"""Names that the body of a generated class uses, so that no field may take them."""


def python_name(wire_name: str, *, taken: Collection[str] = ()) -> str:
    """The snake_case name of a wire name; keywords and names that are taken get an underscore at the end."""
    words = _WORD.findall(wire_name)
    name = "_".join(word.lower() for word in words) or "value"
    if name[0].isdigit():
        name = f"n{name}"
    return f"{name}_" if keyword.iskeyword(name) or name in SHADOWING or name in taken else name


def module_name(group: str, version: str) -> str:
    """The module of a group-version, as client-go names its clients: `core_v1`, `apps_v1`, `rbac_v1`."""
    first = group.partition(".")[0] or "core"
    return f"{first.replace('-', '_')}_{version}"
