"""Logs of a program with controllers: lines for people, or JSON for machines with controller-runtime's keys.

    logs.configure(format="json")

Every record that is made inside a reconcile, by any logger and in any task that the reconcile starts, says
which controller, object and reconcile it belongs to. Programs that set up logging by themselves have that
with `handler.addFilter(ReconcileFilter())`.
"""

from __future__ import annotations

import logging
import os
import sys
from datetime import UTC, datetime
from typing import Any, Final, Literal, TextIO

import msgspec

from kubewright.controllers.reconciling import RECONCILING

__all__ = ["JsonFormatter", "ReconcileFilter", "TextFormatter", "configure"]

_PLAIN: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
"""What every record has; the rest was given as `extra`."""

_KEYS: Final = {
    "controller": "controller",
    "controller_group": "controllerGroup",
    "controller_kind": "controllerKind",
    "namespace": "namespace",
    "object_name": "name",
    "reconcile_id": "reconcileID",
    "error": "error",
}
"""controller-runtime's keys for the attributes of our records."""

_LEVELS: Final = {"WARNING": "warn"}
"""Levels that zap, which controller-runtime logs with, spells otherwise in lower case."""

_COLOURS: Final = {
    logging.DEBUG: "\x1b[2m",
    logging.WARNING: "\x1b[33m",
    logging.ERROR: "\x1b[31m",
    logging.CRITICAL: "\x1b[1;31m",
}
"""Of the level in a terminal: dim, yellow, red and bold red; INFO has none."""

_UNPRINTABLE: Final = {code: f"\\x{code:02x}" for code in (*range(0x20), 0x7F) if chr(code) not in "\n\t"}
"""Control characters as text, so that what others wrote cannot steer a terminal."""


class ReconcileFilter(logging.Filter):
    """Lets every record pass, and adds to it which reconcile it was made in."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Add what the record does not carry already."""
        reconciling = RECONCILING.get()
        if reconciling is not None:
            attributes = record.__dict__
            for key, value in reconciling.extra().items():
                attributes.setdefault(key, value)
        return True


class TextFormatter(logging.Formatter):
    """Lines for people: time, level, controller, object, reconcile id and message; traces follow below."""

    def __init__(self, *, colour: bool = False) -> None:
        """With `colour`, levels have colours."""
        super().__init__()
        self._colour: Final = colour

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        given = record.__dict__
        level = f"{record.levelname:<8}"
        colour = _COLOURS.get(record.levelno, "") if self._colour else ""
        parts = [
            _time(record),
            f"{colour}{level}\x1b[0m" if colour else level,
            str(given.get("controller") or record.name),
            str(given.get("object", "")),
            str(given.get("reconcile_id", "")),
            record.getMessage(),
            *(f"{key}={value}" for key, value in _extra(record).items()),
        ]
        line = " ".join(part for part in parts[:5] if part)
        text = " ".join([line, *(part.translate(_UNPRINTABLE) for part in parts[5:])])
        traces = (self._trace(record), record.stack_info)
        return "\n".join([text, *(each.translate(_UNPRINTABLE) for each in traces if each)])

    def _trace(self, record: logging.LogRecord) -> str:
        info = record.exc_info
        return self.formatException(info) if info and info[0] is not None else record.exc_text or ""


class JsonFormatter(logging.Formatter):
    """One JSON object on a line for each record, with the keys that controller-runtime's logs have.

    They are ts, level, logger, msg; inside a reconcile controller, controllerGroup, controllerKind,
    namespace, name and reconcileID; error and stacktrace where something failed; and what `extra` gave.
    """

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        given = record.__dict__
        fields: dict[str, Any] = {
            "ts": _time(record),
            "level": _LEVELS.get(record.levelname, record.levelname.lower()),
            "logger": record.name,
            "msg": record.getMessage(),
        }
        fields |= {key: given[attribute] for attribute, key in _KEYS.items() if attribute in given}
        info = record.exc_info
        if info and info[1] is not None:
            fields.setdefault("error", str(info[1]) or type(info[1]).__name__)
            fields["stacktrace"] = self.formatException(info)
        elif record.stack_info:
            fields["stacktrace"] = record.stack_info
        for key, value in _extra(record).items():
            fields.setdefault(key, value)
        return _json(fields)


def configure(
    *,
    format: Literal["text", "json"] = "text",  # noqa: A002 - what it is called everywhere
    level: int | str = logging.INFO,
    stream: TextIO | None = None,
) -> None:
    """Have all that is logged written to a stream, stderr by default, from a level on.

    It adds a handler to the root logger and sets its level; called again, it replaces that handler and leaves
    those of others. Lines for people have colours where the stream is a terminal, unless $NO_COLOR is set.
    Raises ValueError for another format, and for a level that there is none of.
    """
    chosen = stream if stream is not None else sys.stderr
    formatter: logging.Formatter
    if format == "json":
        formatter = JsonFormatter()
    elif format == "text":
        formatter = TextFormatter(colour=chosen.isatty() and not os.environ.get("NO_COLOR"))
    else:
        raise ValueError(f'format is {format!r}; write "text" or "json"')
    handler = _Handler(chosen)
    handler.setFormatter(formatter)
    handler.addFilter(ReconcileFilter())
    root = logging.getLogger()
    root.setLevel(_level(level))
    for each in [each for each in root.handlers if isinstance(each, _Handler)]:
        root.removeHandler(each)
    root.addHandler(handler)


class _Handler(logging.StreamHandler[TextIO]):
    """The one that `configure` adds."""


def _level(level: int | str) -> int:
    if isinstance(level, int):
        return level
    known = logging.getLevelNamesMapping()
    found = known.get(level.upper())
    if found is None:
        raise ValueError(f"level is {level!r}; write one of {', '.join(known)}")
    return found


def _time(record: logging.LogRecord) -> str:
    """As in RFC 3339, in UTC, with milliseconds."""
    made = datetime.fromtimestamp(record.created, UTC)
    return f"{made:%Y-%m-%dT%H:%M:%S}.{made.microsecond // 1000:03d}Z"


def _extra(record: logging.LogRecord) -> dict[str, Any]:
    """What was given as `extra` and is not about the reconcile."""
    return {
        key: value
        for key, value in record.__dict__.items()
        if key not in _PLAIN and key not in _KEYS and key != "object"
    }


def _json(fields: dict[str, Any]) -> str:
    try:
        return msgspec.json.encode(fields, enc_hook=str).decode()
    except (ValueError, TypeError, RecursionError, UnicodeError):
        # A value that JSON has no form for, deep in a container: the record is not lost for that.
        return msgspec.json.encode({key: _plain(value) for key, value in fields.items()}).decode()


def _plain(value: object) -> str | int | float | bool | None:
    if value is None or isinstance(value, bool | int | float):
        return value
    return str(value).encode("utf-8", "replace").decode()
