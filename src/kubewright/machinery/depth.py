"""How deep JSON may nest, the same on every Python.

Python's own limit differs between versions: a thousand calls in 3.11, ten thousand in 3.12, and in 3.14
whatever fits into the stack of the thread. So JSON that is decoded into data of any shape is counted first.
Parts that stay bytes (`msgspec.Raw`) are counted when they are decoded, and data of a fixed shape cannot be
deeper than its type.
"""

from __future__ import annotations

import re
import types
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import (
    Annotated,
    Any,
    Final,
    Generic,
    Literal,
    NewType,
    Protocol,
    TypeVar,
    Union,
    get_args,
    get_origin,
)

import msgspec

__all__ = [
    "MAX_DEPTH",
    "BoundedDecoder",
    "JsonDecoder",
    "TooDeep",
    "check_depth",
    "decode_json",
    "make_decoder",
]

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

MAX_DEPTH: Final = 200
"""Levels of lists and objects; a CRD with a whole pod template has 45. Recursive functions take up to four
calls for a level, which stays within the thousand calls of Python's default limit."""

JsonText = bytes | bytearray | memoryview | msgspec.Raw | str


class TooDeep(RecursionError):
    """JSON nests deeper than it may. A RecursionError, since that is what the decoder raises much deeper."""


class JsonDecoder(Protocol[T_co]):
    """What decodes JSON into one type."""

    def decode(self, data: Any, /) -> T_co:
        """Returns the value. Raises msgspec's errors, UnicodeDecodeError and RecursionError."""


class BoundedDecoder(Generic[T]):
    """A decoder that refuses JSON that is nested deeper than MAX_DEPTH with TooDeep, before it is decoded."""

    __slots__ = ("_decode",)

    def __init__(self, wanted: Any = Any, *, dec_hook: Callable[[type, Any], Any] | None = None) -> None:
        self._decode: Final = msgspec.json.Decoder(wanted, dec_hook=dec_hook).decode

    def decode(self, data: JsonText) -> T:
        """Returns the value. Raises TooDeep, and msgspec's errors."""
        check_depth(data)
        return self._decode(data)  # type: ignore[no-any-return]


_plain: Final[BoundedDecoder[Any]] = BoundedDecoder()


def decode_json(data: JsonText) -> Any:
    """Returns the plain data of a JSON text. Raises TooDeep, msgspec's errors and UnicodeDecodeError."""
    return _plain.decode(data)


def make_decoder(wanted: Any, *, dec_hook: Callable[[type, Any], Any] | None = None) -> JsonDecoder[Any]:
    """Returns a decoder that counts the depth only where the type does not bound it."""
    decoder = msgspec.json.Decoder(wanted, dec_hook=dec_hook)
    return BoundedDecoder(wanted, dec_hook=dec_hook) if _may_nest(wanted, frozenset()) else decoder


_ESCAPED: Final = re.compile(rb"\\.", re.DOTALL)
_NOT_STRUCTURE: Final = bytes(set(range(256)) - set(b'{}[]"'))
_BRACES: Final = bytes.maketrans(b"[]", b"{}")
_OPENING: Final = ord("{")

_ROUNDS: Final = 12
"""How many levels are taken away one by one before the rest is counted, which is slower but linear."""


def check_depth(data: JsonText, limit: int = MAX_DEPTH) -> None:
    """Raises TooDeep when brackets nest deeper than a limit; work of C only, and mostly two counts."""
    if not isinstance(data, bytes):
        data = data.encode(errors="surrogatepass") if isinstance(data, str) else bytes(memoryview(data))
    if len(data) <= limit or data.count(b"{") + data.count(b"[") <= limit:
        return
    if b"\\" in data:
        data = _ESCAPED.sub(b"", data)
    brackets = b"".join(data.translate(_BRACES, _NOT_STRUCTURE).split(b'"')[::2])
    too_deep = b"{" * (limit + 1)
    # Each round takes the innermost level away, wherever it is; usual documents have few.
    for levels in range(limit, limit - _ROUNDS, -1):
        if brackets.count(b"{") <= levels:
            return
        if too_deep in brackets:
            raise _too_deep(limit)
        brackets = brackets.replace(b"{}", b"")
    if max(accumulate(1 if byte == _OPENING else -1 for byte in brackets), default=0) > limit - _ROUNDS:
        raise _too_deep(limit)


def _too_deep(limit: int) -> TooDeep:
    return TooDeep(f"the JSON nests deeper than {limit} levels")


_COLLECTIONS: Final = (list, dict, tuple, set, frozenset, Sequence, Mapping)


def _may_nest(annotation: Any, above: frozenset[Any]) -> bool:
    """Whether the type sets no limit to the depth of its values: it has data of any shape, or holds itself.

    Types that are read by a hook do not count: hooks take texts and numbers, or keep bytes.
    """
    if isinstance(annotation, NewType):
        return _may_nest(annotation.__supertype__, above)
    if hasattr(annotation, "__value__"):  # a `type X = ...` statement of Python 3.12
        return annotation in above or _may_nest(annotation.__value__, above | {annotation})
    origin = get_origin(annotation)
    kind = origin or annotation
    if origin is Literal:
        return False
    if origin is Annotated:
        return _may_nest(get_args(annotation)[0], above)
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return annotation in above or _struct_may_nest(annotation, above)
    if origin is Union or origin is types.UnionType or kind in _COLLECTIONS:
        parts = get_args(annotation)
        return not parts or any(part is not ... and _may_nest(part, above) for part in parts)
    return annotation is Any or annotation is object or isinstance(annotation, TypeVar)


_bounded: Final[set[Any]] = set()
"""Struct types of a limited depth. The limit is the same wherever the type stands."""


def _struct_may_nest(struct: Any, above: frozenset[Any]) -> bool:
    if struct in _bounded:
        return False
    if any(_may_nest(info.type, above | {struct}) for info in msgspec.structs.fields(struct)):
        return True
    _bounded.add(struct)
    return False
