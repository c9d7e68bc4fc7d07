"""What is wrong with a field of an object, in the words of the API: the causes of an `Invalid` status.

Paths are plain texts, such as `spec.containers[0].image`: build them with f-strings, `f"{path}.image"` for a
member, `f"{path}[{index}]"` for an element and `f"{path}[{key}]"` for the value of a map.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final, NamedTuple

from kubewright.machinery.status import StatusCause

__all__ = [
    "OMIT_VALUE",
    "FieldError",
    "aggregate",
    "duplicate",
    "forbidden",
    "go_quote",
    "internal",
    "invalid",
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


def required(field: str, detail: str = "") -> FieldError:
    """A value that must be given is missing."""
    return FieldError("FieldValueRequired", field, _with("Required value", detail))


def forbidden(field: str, detail: str = "") -> FieldError:
    """A value is given that may not be, or changed that may not change."""
    return FieldError("FieldValueForbidden", field, _with("Forbidden", detail))


def invalid(field: str, value: object, detail: str = "") -> FieldError:
    """A value breaks a rule, which `detail` says."""
    return FieldError("FieldValueInvalid", field, _with(_shown("Invalid value", value), detail))


def type_invalid(field: str, value: object, detail: str = "") -> FieldError:
    """A value is of the wrong type."""
    return FieldError("FieldValueTypeInvalid", field, _with(_shown("Invalid value", value), detail))


def not_supported(field: str, value: object, supported: Iterable[str] = ()) -> FieldError:
    """A value is none of those there are; upstream gives them sorted, so pass them in that order."""
    names = ", ".join(go_quote(name) for name in supported)
    detail = f"supported values: {names}" if names else ""
    return FieldError("FieldValueNotSupported", field, _with(_shown("Unsupported value", value), detail))


def duplicate(field: str, value: object) -> FieldError:
    """A value stands twice where it may only once."""
    return FieldError("FieldValueDuplicate", field, _shown("Duplicate value", value))


def not_found(field: str, value: object) -> FieldError:
    """What a value refers to is not there."""
    return FieldError("FieldValueNotFound", field, _shown("Not found", value))


def too_long(field: str, limit: int) -> FieldError:
    """A text has more bytes than it may."""
    return FieldError("FieldValueTooLong", field, f"Too long: may not be more than {_counted(limit, 'byte')}")


def too_long_characters(field: str, limit: int) -> FieldError:
    """A text has more characters than it may."""
    return FieldError(
        "FieldValueTooLong", field, f"Too long: may not be more than {_counted(limit, 'character')}"
    )


def too_short(field: str, limit: int) -> FieldError:
    """A text has fewer characters than it must."""
    return FieldError(
        "FieldValueTooShort", field, f"Too short: must have at least {_counted(limit, 'character')}"
    )


def too_many(field: str, actual: int, limit: int) -> FieldError:
    """A list or map has more items than it may."""
    message = _with(_shown("Too many", actual), f"must have at most {_counted(limit, 'item')}")
    return FieldError("FieldValueTooMany", field, message)


def too_few(field: str, actual: int, limit: int) -> FieldError:
    """A list or map has fewer items than it must."""
    message = _with(_shown("Too few", actual), f"must have at least {_counted(limit, 'item')}")
    return FieldError("FieldValueTooFew", field, message)


def internal(field: str, detail: str) -> FieldError:
    """The server could not find out."""
    return FieldError("InternalError", field, _with("Internal error", detail))


def aggregate(errors: Iterable[FieldError]) -> str:
    """All errors in one text, each once: alone as it is, several in brackets, as upstream prints them."""
    texts = list(dict.fromkeys(map(str, errors)))
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
