"""The options of `pods/log`, read from a query and checked as upstream checks them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Final

from kubewright.machinery.errors import ParseError
from kubewright.machinery.field_errors import FieldError, go_quote
from kubewright.machinery.field_errors import forbidden as forbidden_field
from kubewright.machinery.field_errors import invalid as invalid_field
from kubewright.machinery.gvk import GroupKind
from kubewright.machinery.label_selectors import parse_int64
from kubewright.machinery.time import parse_time
from kubewright.server.errors import bad_request, invalid
from kubewright.server.handlers.call import Call
from kubewright.server.handlers.subresources.kubelets import LogOptions
from kubewright.server.handlers.subresources.queries import is_true
from kubewright.server.wire.go_forms import canonical_time

__all__ = ["log_options"]

_OPTIONS: Final = GroupKind("", "PodLogOptions")

_LEAST: Final[Mapping[str, tuple[int, str]]] = {
    "tailLines": (0, "must be greater than or equal to 0"),
    "limitBytes": (1, "must be greater than 0"),
    "sinceSeconds": (1, "must be greater than 0"),
}
"""The least that a number may be, and what is said of less; in upstream's order."""

_LONGEST: Final = 100 * 365 * 24 * 3600
"""No log is older than these seconds, and a moment can be reckoned back by them."""


def log_options(call: Call) -> LogOptions:
    """Which part of a log a request wants. Raises BadRequest and Invalid."""
    numbers = {name: _number(call, name) for name in _LEAST}
    since = parse_time(text) if (text := _since_time(call)) else None
    errors = _errors(numbers, both=since is not None and numbers["sinceSeconds"] is not None)
    if "stream" in call.query:
        errors.append(forbidden_field("stream", "may not be specified"))
    if errors:
        raise invalid(_OPTIONS, call.info.name, errors)
    seconds = numbers["sinceSeconds"]
    if seconds is not None:
        since = call.now - timedelta(seconds=min(seconds, _LONGEST))
    return LogOptions(
        follow=is_true(call.query, "follow"),
        previous=is_true(call.query, "previous"),
        timestamps=is_true(call.query, "timestamps"),
        since=since,
        tail_lines=numbers["tailLines"],
        limit_bytes=numbers["limitBytes"],
    )


def _number(call: Call, name: str) -> int | None:
    text = call.query.get(name, "")
    if not text:
        return None
    number = parse_int64(text)
    if number is None:
        wrong = "value out of range" if text.lstrip("+-").isdecimal() and text.isascii() else "invalid syntax"
        raise bad_request(f"strconv.ParseInt: parsing {go_quote(text[:100])}: {wrong}")
    return number


def _since_time(call: Call) -> str:
    text = call.query.get("sinceTime", "")
    try:
        return canonical_time(text) if text else ""
    except ParseError as error:
        raise bad_request(str(error)) from None


def _errors(numbers: Mapping[str, int | None], *, both: bool) -> list[FieldError]:
    errors = []
    for name, (least, detail) in _LEAST.items():
        given = numbers[name]
        if name == "sinceSeconds" and both:
            told = "at most one of `sinceTime` or `sinceSeconds` may be specified"
            errors.append(forbidden_field("[]", told))
        elif given is not None and given < least:
            errors.append(invalid_field(name, given, detail))
    return errors
