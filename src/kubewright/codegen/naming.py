"""From wire names to Python names and back."""

from __future__ import annotations

import keyword
import re
from collections.abc import Collection
from typing import Final

__all__ = ["camel_case", "module_name", "python_name"]

# A word begins at an upper-case letter after a lower-case one, or at the last letter of a run of upper-case
# letters (HTTPGet → HTTP Get); a plural "s" stays with its acronym (podIPs → pod IPs).
_WORD: Final = re.compile(r"[A-Z]+s(?![a-z])|[A-Z]+(?![a-z])|[A-Z][a-z0-9]*|[a-z0-9]+")


SHADOWING: Final = frozenset({"bool", "bytes", "dict", "field", "float", "int", "list", "str"})
"""Names that the body of a generated class uses, so that no field may take them."""


def python_name(wire_name: str, *, taken: Collection[str] = ()) -> str:
    """The snake_case name of a wire name; keywords and names that are taken get an underscore at the end."""
    words = _WORD.findall(wire_name)
    name = "_".join(word.lower() for word in words) or "value"
    if name[0].isdigit():
        name = f"n{name}"
    return f"{name}_" if keyword.iskeyword(name) or name in SHADOWING or name in taken else name


def camel_case(name: str) -> str:
    """The wire name that `Struct` gives a Python name by itself."""
    first, *rest = name.split("_")
    return first + "".join(word.title() for word in rest)


def module_name(group: str, version: str) -> str:
    """The module of a group-version, as client-go names its clients: `core_v1`, `apps_v1`, `rbac_v1`."""
    first = group.partition(".")[0] or "core"
    return f"{first.replace('-', '_')}_{version}"
