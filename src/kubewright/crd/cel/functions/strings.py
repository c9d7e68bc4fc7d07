"""The functions of texts: CEL's own, and those of the strings extension in its version 2."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from kubewright.crd.cel.functions.format_string import format_string
from kubewright.crd.cel.functions.function import Function, ceil_tenths, per_argument, per_regex, per_result
from kubewright.crd.cel.functions.lists import list_index_of, list_last_index_of, traversal
from kubewright.crd.cel.functions.regex import PATTERN_FUNCTIONS
from kubewright.crd.cel.values import CelError, CostExceededError, no_such_overload, size_of

__all__ = ["FUNCTIONS"]

_MAX_RESULT: Final = 20_000_000
"""No text of an object is longer than a request, 3 MiB; a replacement that makes more than this of one is
work that its cost, reckoned by what it starts from, does not show."""

_SPACE: Final = (
    " \t\n\v\f\r\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""What Go's strings.TrimSpace takes off."""


def _char_at(text: object, at: object) -> str:
    if not isinstance(text, str) or type(at) is not int:
        raise no_such_overload("charAt", text, at)
    if not 0 <= at <= len(text):
        raise CelError(f"index out of range: {at}")
    return text[at : at + 1]


def _index_of(text: object, part: object, offset: object = None) -> int:
    if isinstance(text, list) and offset is None:
        return list_index_of(text, part)
    if not isinstance(text, str) or not isinstance(part, str) or type(offset) not in {int, type(None)}:
        raise no_such_overload("indexOf", *((text, part) if offset is None else (text, part, offset)))
    start = offset if isinstance(offset, int) else 0
    if not part:
        return start
    if start < 0:
        raise CelError(f"index out of range: {start}")
    return text.find(part, start)


def _last_index_of(text: object, part: object, offset: object = None) -> int:
    if isinstance(text, list) and offset is None:
        return list_last_index_of(text, part)
    if not isinstance(text, str) or not isinstance(part, str) or type(offset) not in {int, type(None)}:
        raise no_such_overload("lastIndexOf", *((text, part) if offset is None else (text, part, offset)))
    if not isinstance(offset, int):
        return text.rfind(part)
    if not part:
        return offset
    if offset < 0:
        raise CelError(f"index out of range: {offset}")
    return -1 if offset >= len(text) else text.rfind(part, 0, offset + len(part))


def _ascii(function: str, change: Callable[[str], str]) -> Function:
    def convert(text: object) -> str:
        if not isinstance(text, str):
            raise no_such_overload(function, text)
        if text.isascii():
            return change(text)
        return "".join(change(char) if char.isascii() else char for char in text)

    return Function(convert, per_argument())


def _replace(text: object, old: object, new: object, count: object = -1) -> str:
    if not isinstance(text, str) or not isinstance(old, str) or not isinstance(new, str):
        raise no_such_overload("replace", text, old, new)
    if type(count) is not int:
        raise no_such_overload("replace", text, old, new, count)
    places = text.count(old) if count < 0 else min(count, text.count(old))
    if len(text) + places * len(new) > _MAX_RESULT:
        raise CostExceededError("operation cancelled: actual cost limit exceeded")
    return text.replace(old, new, count if count >= 0 else -1)


def _split(text: object, separator: object, count: object = -1) -> list[object]:
    if not isinstance(text, str) or not isinstance(separator, str):
        raise no_such_overload("split", text, separator)
    if type(count) is not int:
        raise no_such_overload("split", text, separator, count)
    if count == 0:
        return []
    if not separator:
        if count < 0 or count >= len(text):
            return list(text)
        return [*text[: count - 1], text[count - 1 :]]
    return list(text.split(separator, count - 1 if count > 0 else -1))


def _substring(text: object, start: object, end: object = None) -> str:
    if not isinstance(text, str) or type(start) is not int or type(end) not in {int, type(None)}:
        raise no_such_overload("substring", *((text, start) if end is None else (text, start, end)))
    if isinstance(end, int):
        if start > end:
            raise CelError(f"invalid substring range. start: {start}, end: {end}")
        for at in (start, end):
            if not 0 <= at <= len(text):
                raise CelError(f"index out of range: {at}")
        return text[start:end]
    if not 0 <= start <= len(text):
        raise CelError(f"index out of range: {start}")
    return text[start:]


def _trim(text: object) -> str:
    if not isinstance(text, str):
        raise no_such_overload("trim", text)
    return text.strip(_SPACE)


def _join(elements: object, separator: object = "") -> str:
    if not isinstance(elements, list) or not isinstance(separator, str):
        raise no_such_overload("join", elements, separator)
    for element in elements:
        if not isinstance(element, str):
            raise CelError(f"join: invalid input: {element}")
    if len(elements) * len(separator) > _MAX_RESULT:
        raise CostExceededError("operation cancelled: actual cost limit exceeded")
    return separator.join(elements)


_QUOTED: Final = str.maketrans(
    {
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
)


def _quote(text: object) -> str:
    if not isinstance(text, str):
        raise no_such_overload("strings.quote", text)
    return f'"{text.translate(_QUOTED)}"'


def _contains(text: object, part: object) -> bool:
    if isinstance(text, str) and isinstance(part, str):
        return part in text
    raise no_such_overload("contains", text, part)


def _starts_with(text: object, part: object) -> bool:
    if isinstance(text, str) and isinstance(part, str):
        return text.startswith(part)
    raise no_such_overload("startsWith", text, part)


def _ends_with(text: object, part: object) -> bool:
    if isinstance(text, str) and isinstance(part, str):
        return text.endswith(part)
    raise no_such_overload("endsWith", text, part)


def _contains_cost(args: Sequence[object], _result: object) -> int:
    return ceil_tenths(size_of(args[0])) * ceil_tenths(size_of(args[1]))


def _traversal_cost(args: Sequence[object], _result: object) -> int:
    return traversal(args[0])


FUNCTIONS: Final[Mapping[str, Function]] = {
    "charAt": Function(_char_at),
    "indexOf": Function(_index_of, _traversal_cost),
    "lastIndexOf": Function(_last_index_of, _traversal_cost),
    "lowerAscii": _ascii("lowerAscii", str.lower),
    "upperAscii": _ascii("upperAscii", str.upper),
    "replace": Function(_replace, per_argument(2)),
    "split": Function(_split, per_argument(2)),
    "substring": Function(_substring, per_argument()),
    "trim": Function(_trim, per_argument()),
    "join": Function(_join, per_result(2), by_result=True),
    "format": Function(format_string, per_argument()),
    "strings.quote": Function(_quote, per_argument()),
    "contains": Function(_contains, _contains_cost),
    "startsWith": Function(_starts_with, per_argument()),
    "endsWith": Function(_ends_with, per_argument()),
    **{name: Function(call, per_regex, prepare) for name, (call, prepare) in PATTERN_FUNCTIONS.items()},
}
