"""The steps of a field path, in the form that `managedFields` spells them.

A path element is a string in its canonical wire form, so that equal elements are equal strings:

- `f:name`: the member `name` of an object or map,
- `k:{"name":"x"}`: the element of a list-map with these keys, sorted by name,
- `v:"x"`: a member of a set,
- `i:0`: a position in a list.

A path is a tuple of elements. Canonical means as Kubernetes itself writes it: compact JSON with `<`, `>` and
`&` escaped in strings, and `1.0` written `1`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Final, TypeAlias

import msgspec

from kubewright.machinery.depth import decode_json
from kubewright.machinery.errors import ParseError

__all__ = [
    "Path",
    "PathElement",
    "canonical_json",
    "canonical_string",
    "element_order",
    "field_element",
    "format_element",
    "format_path",
    "go_quote",
    "index_element",
    "key_element",
    "make_path",
    "parse_element",
    "value_element",
]

PathElement: TypeAlias = str
Path: TypeAlias = tuple[PathElement, ...]

_PLAIN: Final = re.compile(r'[^"\\<>&\x00-\x1f\u2028\u2029]*').fullmatch
_SPECIAL: Final = re.compile(r'["\\<>&\x00-\x1f\u2028\u2029]').sub
_SHORT_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_GO_ESCAPES: Final = {
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
    "\\": "\\\\",
    '"': '\\"',
}

# The exponents of numbers that Go writes without one: in JSON, and with `%v`, which upstream prints paths
# with.
_PLAIN_IN_JSON: Final = range(-6, 21)
_PLAIN_IN_PATHS: Final = range(-4, 6)

# Elements longer than this are not remembered, so that the memory of the caches below stays small.
_CACHED_LENGTH: Final = 256
_CACHE_SIZE: Final = 4096

_INDEX: Final = re.compile(r"[+-]?[0-9]{1,18}").fullmatch


def field_element(name: str) -> PathElement:
    """The member `name` of an object or map."""
    return "f:" + name


def key_element(keys: Mapping[str, object]) -> PathElement:
    """The element of a list-map whose key fields have these values."""
    members = ",".join(f"{_plain_string(name)}:{canonical_json(keys[name])}" for name in sorted(keys))
    return "k:{" + members + "}"


def value_element(value: object) -> PathElement:
    """The member of a set that equals `value`."""
    return "v:" + canonical_json(value)


def index_element(index: int) -> PathElement:
    """The position `index` in a list."""
    return f"i:{index}"


def make_path(*parts: str | int | Mapping[str, object]) -> Path:
    """A path from parts: a string is a field, a mapping the keys of a list-map's element, an int a position.

    Members of sets have no short form; append `value_element(...)` for them.
    """
    return tuple(
        field_element(part)
        if isinstance(part, str)
        else index_element(part)
        if isinstance(part, int)
        else key_element(part)
        for part in parts
    )


def parse_element(text: str) -> PathElement | None:
    """The canonical form of an element; None for a kind of element that Kubernetes does not know yet.

    Unknown kinds are dropped by Kubernetes, which expects them of its own future. Raises ParseError.
    """
    if text.startswith("f:"):
        return text
    if len(text) > _CACHED_LENGTH:
        return _parse_element(text)
    return _parse_cached(text)


def element_order(element: PathElement) -> tuple[object, ...]:
    """The sort key of an element: fields, then keys, then values (numbers first), then positions."""
    if element.startswith("f:"):
        return (0, element)
    if len(element) > _CACHED_LENGTH:
        return _order(element)
    return _order_cached(element)


def format_element(element: PathElement) -> str:
    """One element as conflicts print it: `.spec`, `[name="a"]`, `[="x"]`, `[0]`."""
    kind, content = element[:2], element[2:]
    if kind == "f:":
        return "." + content
    if kind == "i:":
        return f"[{content}]"
    value = decode_json(content)
    if kind == "k:":
        return "[" + ",".join(f"{name}={_format_value(value[name])}" for name in value) + "]"
    return f"[={_format_value(value)}]"


def format_path(path: Path) -> str:
    """A path as conflicts print it, for example `.spec.containers[name="a"].image`."""
    return "".join(map(format_element, path))


def canonical_json(value: object) -> str:
    """`value` as Kubernetes writes it inside an element."""
    if isinstance(value, str):
        return canonical_string(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _format_number(value, exponents=_PLAIN_IN_JSON)
    if isinstance(value, list):
        return "[" + ",".join(map(canonical_json, value)) + "]"
    if isinstance(value, Mapping):
        members = (f"{canonical_string(name)}:{canonical_json(value[name])}" for name in sorted(value))
        return "{" + ",".join(members) + "}"
    raise ParseError(f"{value!r} is not JSON data, which a path element is made of")


def canonical_string(text: str) -> str:
    """`text` as a JSON string, escaped as Go's encoder does it for HTML."""
    if _PLAIN(text):
        return f'"{text}"'
    return '"' + _SPECIAL(_escape, text) + '"'


def go_quote(text: str) -> str:
    """`text` as Go's `%q` prints it."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return '"' + "".join(map(_go_escape, text)) + '"'


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    return _SHORT_ESCAPES.get(character) or f"\\u{ord(character):04x}"


def _plain_string(text: str) -> str:
    # Upstream writes the names of key fields without the escapes for HTML.
    quoted = canonical_string(text)
    if "\\u" not in quoted:
        return quoted
    for character in "<>&\u2028\u2029":
        quoted = quoted.replace(f"\\u{ord(character):04x}", character)
    return quoted


def _go_escape(character: str) -> str:
    short = _GO_ESCAPES.get(character)
    if short is not None:
        return short
    if character.isprintable():
        return character
    point = ord(character)
    if point < 0x20 or point == 0x7F:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"


def _format_number(value: float, *, exponents: range) -> str:
    """The shortest digits that make the number, without an exponent if that is in `exponents`."""
    number = Decimal(repr(value)).normalize()
    exponent = number.adjusted()
    if exponent in exponents:
        return format(number, "f")
    sign, digits, _ = number.as_tuple()
    mantissa = "".join(map(str, digits))
    mantissa = f"{mantissa[0]}.{mantissa[1:]}" if len(mantissa) > 1 else mantissa
    return f"{'-' if sign else ''}{mantissa}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"


def _format_value(value: object) -> str:
    if isinstance(value, str):
        return go_quote(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _format_number(float(value), exponents=_PLAIN_IN_PATHS)
    if isinstance(value, list):
        return "[" + ",".join(map(_format_value, value)) + "]"
    if isinstance(value, dict):
        return "".join(f"{name}={_format_value(member)}" for name, member in value.items())
    return canonical_json(value)


def _parse_element(text: str) -> PathElement | None:
    if len(text) < 2 or text[1] != ":":
        raise ParseError(f'field path element {text!r} is not "kind:content", such as "f:spec"')
    kind, content = text[0], text[2:]
    if kind == "i":
        if not _INDEX(content):
            raise ParseError(f'field path element {text!r} has no number after "i:"')
        return f"i:{int(content)}"
    if kind not in ("k", "v"):
        return None
    try:
        value = decode_json(content)
    except (msgspec.DecodeError, RecursionError):
        raise ParseError(f"field path element {text!r} has no valid JSON after {kind + ':'!r}") from None
    if kind == "v":
        return value_element(value)
    if not isinstance(value, dict):
        raise ParseError(f'field path element {text!r} has no JSON object after "k:"')
    return key_element(value)


_parse_cached = lru_cache(_CACHE_SIZE)(_parse_element)


def _order(element: PathElement) -> tuple[object, ...]:
    kind, content = element[0], element[2:]
    if kind == "i":
        return (3, int(content))
    value = decode_json(content)
    if kind == "v":
        return (2, _value_order(value))
    return (1, tuple((name, _value_order(value[name])) for name in sorted(value)))


_order_cached = lru_cache(_CACHE_SIZE)(_order)


def _value_order(value: object) -> tuple[object, ...]:
    if isinstance(value, bool):
        return (2, value)
    if isinstance(value, int | float):
        return (0, value)
    if isinstance(value, str):
        return (1, value)
    if isinstance(value, list):
        return (3, tuple(map(_value_order, value)))
    if isinstance(value, dict):
        return (4, tuple((name, _value_order(value[name])) for name in sorted(value)))
    return (5,)
