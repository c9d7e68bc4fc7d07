"""Messages that expressions make: `Object{...}` for what shall be applied, `JSONPatch{...}` for a patch.

The checker takes only messages whose fields are declared, and an `Object` may have any; so they are declared
for each expression, with the fields that it names. It also takes no message that stands below another one and
has the name of a field there; so `Object.spec` is called `Object_spec` where it is asked, which is as long.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from kubewright.crd.cel.ast import Checked, Const, MapExpr, walk
from kubewright.crd.cel.functions.conversions import to_string
from kubewright.crd.cel.go_errors import DESCRIPTOR_PACKAGE
from kubewright.crd.cel.values import CelError, Computed, Duration, Timestamp, type_name

__all__ = ["MessageValue", "fields_of_messages", "message_maker", "to_json", "with_plain_names"]

_OBJECT: Final = "Object"
_PATCH: Final = "JSONPatch"
_TEXTS: Final = ("op", "from", "path")

_NAMES: Final = re.compile(
    r"[rRbB]{0,2}(?:\"\"\"(?:\\.|[^\\])*?\"\"\"|'''(?:\\.|[^\\])*?'''|\"(?:\\.|[^\\\"])*\"|'(?:\\.|[^\\'])*')"
    r"|//[^\n]*|(?<![\w.])Object(?:\.[A-Za-z_]\w*)+(?=\s*\{)",
    re.DOTALL,
)
"""Texts and comments, in which nothing is a name, and the names of messages."""


class MessageValue(Computed):
    """A message; `name` is as the expression has it."""

    __slots__ = ("fields", "name")

    def __init__(self, name: str, fields: Mapping[str, object]) -> None:
        self.name = name
        self.fields = fields

    @property
    def cel_type(self) -> str:  # type: ignore[override] # of a class that has but one
        return self.name

    def select(self, field: str) -> object:
        if field not in self.fields:
            raise CelError(f"no such key: {field}")
        return self.fields[field]

    def has(self, field: str) -> bool:
        return field in self.fields

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MessageValue) and (self.name, self.fields) == (other.name, other.fields)

    def __hash__(self) -> int:
        return hash(self.name)

    def misnamed(self) -> Iterator[str]:
        """What is wrong with the names of the messages inside: they must be those of the way to them."""
        return _misnamed(self, self.name)


def _misnamed(value: object, path: str) -> Iterator[str]:
    if isinstance(value, MessageValue):
        if value.name != path:
            expected = f'expected "{path}", which matches field name path from root Object type'
            yield f'unexpected type name "{value.name}", {expected}'
        for name, member in value.fields.items():
            yield from _misnamed(member, f"{path}.{name}")
    elif isinstance(value, list):
        for member in value:
            yield from _misnamed(member, path)
    elif isinstance(value, dict):
        for member in value.values():
            yield from _misnamed(member, path)


def message_maker(message: str) -> Callable[[dict[str, object]], MessageValue] | None:
    """What makes messages of a name as the checker has it; None for those that cannot be made."""
    name = message.removeprefix(f"{DESCRIPTOR_PACKAGE}.")
    if name == _PATCH:
        return _patch
    if name == _OBJECT or name.startswith(f"{_OBJECT}_"):
        shown = name.replace("_", ".")
        return lambda fields: MessageValue(shown, fields)
    return None


def _patch(fields: dict[str, object]) -> MessageValue:
    for name in _TEXTS:
        if name in fields and not isinstance(fields[name], str):
            raise CelError(f"unexpected type {type_name(fields[name])} for JSONPatchType '{name}' field")
    return MessageValue(_PATCH, fields)


def with_plain_names(expression: str) -> str:
    """An expression with names of messages that the checker takes; nothing else is changed or moved."""
    return _NAMES.sub(
        lambda match: match[0].replace(".", "_") if match[0].startswith(_OBJECT) else match[0], expression
    )


def fields_of_messages(parsed: Checked) -> dict[str, dict[str, str]]:
    """The messages that an expression makes: their names, their fields, and the types of these."""
    found: dict[str, dict[str, str]] = {
        _OBJECT: {},
        _PATCH: {**dict.fromkeys(_TEXTS, "string"), "value": "dyn"},
    }
    for expr in walk(parsed.expr):
        if isinstance(expr, MapExpr) and expr.message.startswith(_OBJECT):
            fields = found.setdefault(expr.message, {})
            for entry in expr.entries:
                if isinstance(entry.key, Const) and isinstance(entry.key.value, str):
                    fields[entry.key.value] = "dyn"
    return found


def to_json(value: object, *, texts: bool = False) -> object:
    """A value as JSON has it, messages as objects; with `texts`, bytes and times are written as texts.

    Raises ValueError for what JSON cannot have.
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, MessageValue):
        return {name: to_json(member) for name, member in value.fields.items()}
    if type(value) in {bool, int, float}:
        return value
    if texts and isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if texts and isinstance(value, Timestamp | Duration):
        return to_string(value)
    if isinstance(value, list):
        return [to_json(member, texts=texts) for member in value]
    if isinstance(value, dict):
        wrong = next((key for key in value if not isinstance(key, str)), None)
        if wrong is not None:
            raise ValueError(f"map key {wrong!r} is of type {type_name(wrong)}, not string")
        return {key: to_json(member, texts=texts) for key, member in value.items()}
    raise ValueError(f"a value of type {type_name(value)} cannot be converted to JSON")
