"""YAML of manifests, quickly: the definition of one kind with a template of pods has 5,000 lines.

What is written is what `machinery.yaml.dump` writes, with the keys of all mappings sorted, as kubectl and
controller-gen have them. Only what is hard to write, of which there is little, is left to PyYAML.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final

from kubewright.machinery import codec, yaml
from kubewright.machinery.yaml_scalars import must_be_quoted

__all__ = ["dump_sorted"]

_SIMPLE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*(?: [A-Za-z0-9_./-]+)*", re.ASCII).fullmatch
"""Texts without a character that means something in YAML, or at a place where it does not."""
_PLAIN: Final = frozenset({str, bool, float, type(None), dict, list})
_LONGEST_KEY: Final = 100
"""Longer keys may need a form of their own, since libyaml's limit is 128 bytes."""
_REMEMBERED: Final = 1 << 14
"""How many texts are kept in the form in which they are written: the names in all built-in types."""


def dump_sorted(document: dict[str, Any]) -> str:
    """The YAML of a mapping, of which values that are no plain data, such as a Quantity, become such.

    Raises EncodeError for what has no JSON form.
    """
    if not document:
        return yaml.dump(document)
    out: list[str] = []
    try:
        _mapping(document, "", "", out)
    except _NotPlainError:
        return dump_sorted(codec.decode_plain(codec.encode(document)))
    except _NotInOneLineError:
        return yaml.dump(_sorted(document))
    return "".join(out)


class _NotInOneLineError(Exception):
    """A key, or a text with empty lines at its end, whose form depends on what is around it."""


class _NotPlainError(Exception):
    """A value of a type that JSON does not have."""


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _sorted(value[name]) for name in sorted(value)}
    return [_sorted(each) for each in value] if isinstance(value, list) else value


def _mapping(value: dict[str, Any], pad: str, first: str, out: list[str]) -> None:
    """Write a mapping that is not empty; `first` stands before its first key, `pad` before the others."""
    deeper = pad + "  "
    for name in sorted(value):
        member = value[name]
        if member.__class__ is dict and member:
            out.append(f"{first}{_key(name)}:\n")
            _mapping(member, deeper, deeper, out)
        elif member.__class__ is list and member:
            out.append(f"{first}{_key(name)}:\n")
            _sequence(member, pad, pad, out)
        else:
            out.append(f"{first}{_key(name)}: {_value(member, pad)}\n")
        first = pad


def _sequence(value: list[Any], pad: str, first: str, out: list[str]) -> None:
    deeper = pad + "  "
    for member in value:
        if member.__class__ is dict and member:
            _mapping(member, deeper, f"{first}- ", out)
        elif member.__class__ is list and member:
            _sequence(member, deeper, f"{first}- ", out)
        else:
            out.append(f"{first}- {_value(member, pad)}\n")
        first = pad


def _value(value: object, pad: str) -> str:
    """A scalar, or an empty mapping or list, as it stands after a key at this indentation."""
    if value.__class__ is int:
        return str(value)
    if value.__class__ not in _PLAIN:
        raise _NotPlainError
    text = _text(value) if isinstance(value, str) else _written(value)
    if "\n" not in text:
        return text
    head, *lines = text.split("\n")
    if head.endswith("+"):
        raise _NotInOneLineError
    return "\n".join([head, *(pad + line if line else line for line in lines)])


@lru_cache(_REMEMBERED)
def _text(text: str) -> str:
    return text if _SIMPLE(text) and not must_be_quoted(text) else _written(text)


def _written(value: object) -> str:
    return yaml.dump({"k": value}).removeprefix("k: ").removesuffix("\n")


@lru_cache(_REMEMBERED)
def _key(name: str) -> str:
    if _SIMPLE(name) and not must_be_quoted(name) and len(name) <= _LONGEST_KEY:
        return name
    written = yaml.dump({name: 1}).removesuffix(": 1\n")
    if "\n" in written:
        raise _NotInOneLineError
    return written
