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
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Final, Literal, TextIO

import msgspec

from kubewright.controllers.reconciling import RECONCILING
from kubewright.machinery.printable import STEERING, one_line, printable

__all__ = ["JsonFormatter", "ReconcileFilter", "TextFormatter", "configure", "levels_of"]

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
    "reconcile_result": "result",
    "reconcile_duration": "duration",
    "reconcile_again": "requeueAfter",
    "reconcile_failures": "failures",
}
"""controller-runtime's keys for the attributes of our records, and ours for how a reconcile ended."""

_SHOWN: Final = frozenset(_KEYS) | {"object", "short_message", "trace_is_repeated"}
"""Attributes of ours that lines for people have in other places, or that JSON has as other keys."""

_LEVELS: Final = {"WARNING": "warn"}
"""Levels that zap, which controller-runtime logs with, spells otherwise in lower case."""

_COLOURS: Final = {
    logging.DEBUG: "\x1b[2m",
    logging.WARNING: "\x1b[33m",
    logging.ERROR: "\x1b[31m",
    logging.CRITICAL: "\x1b[1;31m",
}
"""Of the level in a terminal: dim, yellow, red and bold red; INFO has none."""

_BRIEF_ID: Final = 8
"""Digits of a reconcile id in a terminal: enough to tell those on a screen apart."""


_INDENT: Final = "    "
"""Of what follows a line: records begin with the time."""

_IN_JSON: Final = {code: f"\\u{code:04x}" for code in STEERING}
"""JSON has to escape those of one byte alone, and all of them may be escaped."""


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
    """Lines for people: time, level, controller, object, reconcile id and message.

    Traces follow below, unless the last failure of the same object had the same. Each record is one line,
    whatever was logged: line feeds and control characters are spelled out, and the lines of traces indented.
    """

    def __init__(self, *, colour: bool = False, brief: bool = False) -> None:
        """With `colour`, levels have colours; with `brief`, for who looks on, lines have the local time of
        day and the first digits of reconcile ids.
        """
        super().__init__()
        self._colour: Final = colour
        self._brief: Final = brief

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        given = record.__dict__
        level = f"{record.levelname:<8}"
        if self._colour and (colour := _COLOURS.get(record.levelno)):
            level = f"{colour}{level}\x1b[0m"
        identity = str(given.get("reconcile_id", ""))
        about = (
            str(given.get("controller") or record.name),
            str(given.get("object", "")),
            identity[:_BRIEF_ID] if self._brief else identity,
        )
        said = (_message(record), *(f"{key}={value}" for key, value in _extra(record).items()))
        line = one_line(" ".join([*filter(None, about), *said]))
        made = _time_of_day(record) if self._brief else _time(record)
        return "\n".join([f"{made} {level} {line}", *self._below(record)])

    def _below(self, record: logging.LogRecord) -> Iterator[str]:
        """What follows the line: what others wrote may be in it, but never looks like another record."""
        traces = () if record.__dict__.get("trace_is_repeated") else (self._trace(record), record.stack_info)
        for line in printable("\n".join(filter(None, traces))).splitlines():
            yield f"{_INDENT}{line}"

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
            "msg": _message(record),
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

    `level` may name loggers with levels of their own, as in "info,kubewright.controllers.reconciles=debug".

    It adds a handler to the root logger and sets its level; called again, it replaces that handler, with the
    levels that it named, and leaves those of others. Lines for people are brief where the stream is a
    terminal, and have colours there unless $NO_COLOR is set. Raises ValueError for another format, and for a
    level that there is none of.
    """
    chosen = stream if stream is not None else sys.stderr
    levels = {"": level} if isinstance(level, int) else levels_of(level)
    formatter: logging.Formatter
    if format == "json":
        formatter = JsonFormatter()
    elif format == "text":
        terminal = chosen.isatty()
        formatter = TextFormatter(colour=terminal and not os.environ.get("NO_COLOR"), brief=terminal)
    else:
        raise ValueError(f'format is {format!r}; write "text" or "json"')
    handler = _Handler(chosen, named=[name for name in levels if name])
    handler.setFormatter(formatter)
    handler.addFilter(ReconcileFilter())
    root = logging.getLogger()
    for each in [each for each in root.handlers if isinstance(each, _Handler)]:
        root.removeHandler(each)
        for name in each.named:
            logging.getLogger(name).setLevel(logging.NOTSET)
    for name, number in levels.items():
        logging.getLogger(name).setLevel(number)
    root.addHandler(handler)


class _Handler(logging.StreamHandler[TextIO]):
    """The one that `configure` adds."""

    def __init__(self, stream: TextIO, *, named: Sequence[str]) -> None:
        super().__init__(stream)
        self.named: Final = named
        """The loggers that were given levels of their own."""


def levels_of(text: str) -> dict[str, int]:
    """What `configure` takes as a level, by the names of loggers; the root has none, and INFO by default.

    Raises ValueError.
    """
    levels = {"": logging.INFO}
    for part in text.split(","):
        name, _, level = part.rpartition("=")
        levels[name.strip()] = _level(level.strip())
    return levels


def _level(level: str) -> int:
    known = logging.getLevelNamesMapping()
    found = known.get(level.upper())
    if found is None:
        raise ValueError(
            f"level is {level!r}; write one of {', '.join(known)}, or such as info,some.logger=debug"
        )
    return found


def _message(record: logging.LogRecord) -> str:
    """What it says, without what the other parts of the line say."""
    short: object = record.__dict__.get("short_message")
    return record.getMessage() if short is None else str(short)


def _time_of_day(record: logging.LogRecord) -> str:
    """Here, with milliseconds."""
    made = datetime.fromtimestamp(record.created, UTC).astimezone()
    return f"{made:%H:%M:%S}.{made.microsecond // 1000:03d}"


def _time(record: logging.LogRecord) -> str:
    """As in RFC 3339, in UTC, with milliseconds."""
    made = datetime.fromtimestamp(record.created, UTC)
    return f"{made:%Y-%m-%dT%H:%M:%S}.{made.microsecond // 1000:03d}Z"


def _extra(record: logging.LogRecord) -> dict[str, Any]:
    """What was given as `extra` and is not about the reconcile."""
    return {key: value for key, value in record.__dict__.items() if key not in _PLAIN and key not in _SHOWN}


def _json(fields: dict[str, Any]) -> str:
    try:
        line = msgspec.json.encode(fields, enc_hook=str).decode()
    except (ValueError, TypeError, RecursionError, UnicodeError):
        # A value that JSON has no form for, deep in a container: the record is not lost for that.
        line = msgspec.json.encode({key: _plain(value) for key, value in fields.items()}).decode()
    # What others wrote steers no terminal in which it is looked at, and is no line for anybody.
    return line.translate(_IN_JSON)


def _plain(value: object) -> str | int | float | bool | None:
    if value is None or isinstance(value, bool | int | float):
        return value
    return str(value).encode("utf-8", "replace").decode()
