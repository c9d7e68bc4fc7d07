"""What containers have written, as lines or whole."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from datetime import datetime, timedelta
from math import ceil
from typing import Final

import msgspec

from kubewright.client.request import Request
from kubewright.client.sender import Sender
from kubewright.client.streams.lines import LineSplitter
from kubewright.machinery.errors import KubewrightError, ParseError
from kubewright.machinery.time import format_time

__all__ = ["MAX_LOG_TEXT", "LogOptions", "log_text", "read_logs"]

MAX_LOG_TEXT: Final = 64 << 20
"""The largest log that is returned whole, in bytes; kubelets keep 10 megabytes per file unless told
otherwise."""


class LogOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Which part of a log, in the words of `Api.logs`."""

    container: str = ""
    follow: bool = False
    previous: bool = False
    since: timedelta | int | None = None
    since_time: datetime | None = None
    tail: int | None = None
    timestamps: bool = False
    limit_bytes: int | None = None

    def to_query(self) -> list[tuple[str, str]]:
        """As a server takes it. Raises ParseError for what no server takes."""
        if self.since is not None and self.since_time is not None:
            raise ParseError("both since and since_time are given; a log begins at one of them")
        query = [("container", self.container)] if self.container else []
        query += [
            (name, "true")
            for name, wanted in (
                ("follow", self.follow),
                ("previous", self.previous),
                ("timestamps", self.timestamps),
            )
            if wanted
        ]
        if self.since is not None:
            query.append(("sinceSeconds", str(_at_least("since", _seconds(self.since), 1))))
        if self.since_time is not None:
            query.append(("sinceTime", format_time(self.since_time)))
        if self.tail is not None:
            query.append(("tailLines", str(_at_least("tail", self.tail, 0))))
        if self.limit_bytes is not None:
            query.append(("limitBytes", str(_at_least("limit_bytes", self.limit_bytes, 1))))
        return query


async def read_logs(sender: Sender, path: str, options: LogOptions) -> AsyncGenerator[str, None]:
    """The lines of a log as they come; see `Api.logs`."""
    lines = LineSplitter()
    async with sender.stream(_request(path, options)) as stream:
        while chunk := await stream.chunk():
            for line in lines.feed(chunk):
                yield line
    for line in lines.rest():
        yield line


async def log_text(sender: Sender, path: str, options: LogOptions, *, limit: int = MAX_LOG_TEXT) -> str:
    """A whole log; see `Api.log_text`."""
    parts: list[bytes] = []
    size = 0
    async with sender.stream(_request(path, options)) as stream:
        while chunk := await stream.chunk():
            parts.append(chunk)
            size += len(chunk)
            if size > limit:
                raise KubewrightError(
                    f"the log has more than {limit:,} bytes; ask for a part with tail, since or limit_bytes, "
                    "or read it line by line with logs"
                )
    return b"".join(parts).decode(errors="replace")


def _request(path: str, options: LogOptions) -> Request:
    # The log is text and a refusal is JSON; a server that finds neither type acceptable sends nothing at all.
    return Request(method="GET", path=path, query=options.to_query(), accept="*/*")


def _seconds(since: timedelta | int) -> int:
    return ceil(since.total_seconds()) if isinstance(since, timedelta) else since


def _at_least(name: str, value: int, least: int) -> int:
    if value < least:
        raise ParseError(f"{name} is {value}; it must be at least {least}")
    return value
