"""What is wrong with a field of an object, in the words of the API: the causes of an `Invalid` status.

Paths are plain texts, such as `spec.containers[0].image`: build them with f-strings, `f"{path}.image"` for a
member, `f"{path}[{index}]"` for an element and `f"{path}[{key}]"` for the value of a map.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, NamedTuple

from kubewright.machinery.status import StatusCause

__all__ = [
    "MAX_LISTED",
    "MAX_LISTED_TEXT",
    "OMIT_VALUE",
    "FieldError",
    "TooManyErrors",
    "aggregate",
    "duplicate",
    "forbidden",
    "go_quote",
    "internal",
    "invalid",
    "limit_errors",
    "listed",
    "not_found",
    "not_supported",
    "required",
    "too_few",
    "too_long",
    "too_long_characters",
    "too_many",
    "too_short",
    "type_invalid",
]

OMIT_VALUE: Final = object()
"""Stands for a bad value that the message shall not show."""


class FieldError(NamedTuple):
    """One thing that is wrong: in which field, of what sort, and what to say about it."""

    reason: str
    """The cause's reason: `FieldValueInvalid` and its like."""
    field: str
    message: str
    """Without the field, which the cause names apart."""

    def __str__(self) -> str:
        return f"{self.field}: {self.message}"

    def cause(self) -> StatusCause:
        """The error as a cause of a Status."""
        return StatusCause(reason=self.reason, message=self.message, field=self.field)


MAX_LISTED: Final = 100
"""How many errors are listed of one object: as many as kube-apiserver lists unknown fields. It has no limit
for these, so an object of three megabytes can have an answer of gigabytes there."""

MAX_LISTED_TEXT: Final = 256 * 1024
"""How many characters the listed errors may have together; the first is listed whatever its length."""

_MAX_MADE: Final = 1_000
"""How many errors are made before validation stops; they take about 20 ms. More than are listed, since some
errors are made and then dropped, such as those that the stored object had already."""

_MAX_MADE_TEXT: Final = 4 * 1024 * 1024
"""How many characters they may have together: more than one body, of which an error may show the whole."""


class TooManyErrors(Exception):
    """An object has so many errors that validation stopped; `errors` are those so far."""

    def __init__(self, errors: Sequence[FieldError]) -> None:
        super().__init__(f"more than {len(errors)} errors")
        self.errors: Final = errors


class _Made:
    """The errors that were made while they are counted."""

    __slots__ = ("characters", "errors")

    def __init__(self) -> None:
        self.errors: list[FieldError] = []
        self.characters = 0

    def note(self, error: FieldError) -> None:
        errors = self.errors
        errors.append(error)
        self.characters += len(error.message)
        if len(errors) > 1 and (len(errors) > _MAX_MADE or self.characters > _MAX_MADE_TEXT):
            raise TooManyErrors(errors[:-1])


_made: Final[ContextVar[_Made | None]] = ContextVar("field errors", default=None)


@contextmanager
def limit_errors() -> Iterator[None]:
    """Raise TooManyErrors as soon as the functions of this module have made too many errors in the block."""
    token = _made.set(_Made())
    try:
        yield
    finally:
        _made.reset(token)


def _error(reason: str, field: str, message: str) -> FieldError:
    error = FieldError(reason, field, message)
    made = _made.get()
    if made is not None:
        made.note(error)
    return error


def listed(errors: Sequence[FieldError]) -> Sequence[FieldError]:
    """The first errors, as many as an answer lists."""
    characters = 0
    for count, error in enumerate(errors):
        characters += len(error.message)
        if count == MAX_LISTED or (count and characters > MAX_LISTED_TEXT):
            return errors[:count]
    return errors


def required(field: str, detail: str = "") -> FieldError:
    """A value that must be given is missing."""
    return _error("FieldValueRequired", field, _with("Required value", detail))


def forbidden(field: str, detail: str = "") -> FieldError:
    """A value is given that may not be, or changed that may not change."""
    return _error("FieldValueForbidden", field, _with("Forbidden", detail))


def invalid(field: str, value: object, detail: str = "") -> FieldError:
    """A value breaks a rule, which `detail` says."""
    return _error("FieldValueInvalid", field, _with(_shown("Invalid value", value), detail))


def type_invalid(field: str, value: object, detail: str = "") -> FieldError:
    """A value is of the wrong type."""
    return _error("FieldValueTypeInvalid", field, _with(_shown("Invalid value", value), detail))


def not_supported(field: str, value: object, supported: Iterable[str] = ()) -> FieldError:
    """A value is none of those there are; upstream gives them sorted, so pass them in that order."""
    names = ", ".join(go_quote(name) for name in supported)
    detail = f"supported values: {names}" if names else ""
    return _error("FieldValueNotSupported", field, _with(_shown("Unsupported value", value), detail))


def duplicate(field: str, value: object) -> FieldError:
    """A value stands twice where it may only once."""
    return _error("FieldValueDuplicate", field, _shown("Duplicate value", value))


def not_found(field: str, value: object) -> FieldError:
    """What a value refers to is not there."""
    return _error("FieldValueNotFound", field, _shown("Not found", value))


def too_long(field: str, limit: int) -> FieldError:
    """A text has more bytes than it may."""
    return _error("FieldValueTooLong", field, f"Too long: may not be more than {_counted(limit, 'byte')}")


def too_long_characters(field: str, limit: int) -> FieldError:
    """A text has more characters than it may."""
    return _error(
        "FieldValueTooLong", field, f"Too long: may not be more than {_counted(limit, 'character')}"
    )


def too_short(field: str, limit: int) -> FieldError:
    """A text has fewer characters than it must."""
    return _error(
        "FieldValueTooShort", field, f"Too short: must have at least {_counted(limit, 'character')}"
    )


def too_many(field: str, actual: int, limit: int) -> FieldError:
    """A list or map has more items than it may."""
    message = _with(_shown("Too many", actual), f"must have at most {_counted(limit, 'item')}")
    return _error("FieldValueTooMany", field, message)


def too_few(field: str, actual: int, limit: int) -> FieldError:
    """A list or map has fewer items than it must."""
    message = _with(_shown("Too few", actual), f"must have at least {_counted(limit, 'item')}")
    return _error("FieldValueTooFew", field, message)


def internal(field: str, detail: str) -> FieldError:
    """The server could not find out."""
    return _error("InternalError", field, _with("Internal error", detail))


def aggregate(errors: Iterable[FieldError], *, more: str = "") -> str:
    """All errors in one text, each once: alone as it is, several in brackets, as upstream prints them.

    `more` says at the end that there are others.
    """
    texts = list(dict.fromkeys(map(str, errors)))
    if more:
        texts.append(more)
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def go_quote(text: str) -> str:
    """A text in double quotes, as Go's %q prints it."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return f'"{"".join(_escaped(char) for char in text)}"'


# Go's strconv.Quote escapes these by a letter and what is not printable by its code.
_ESCAPES: Final = {
    '"': '\\"',
    "\\": "\\\\",
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
}


def _escaped(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    if char.isprintable():
        return char
    code = ord(char)
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


# Go's JSON is safe to put into HTML.
_HTML: Final = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def _with(message: str, detail: str) -> str:
    return f"{message}: {detail}" if detail else message


def _shown(message: str, value: object) -> str:
    if value is OMIT_VALUE:
        return message
    if isinstance(value, str):
        return f"{message}: {go_quote(value)}"
    if isinstance(value, bool):
        return f"{message}: {'true' if value else 'false'}"
    if isinstance(value, int | float):
        return f"{message}: {value}"
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, default=str)
    return f"{message}: {text.translate(_HTML)}"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
