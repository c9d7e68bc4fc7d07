"""The channel protocols of exec and attach, without I/O: which byte means which stream, and how a command
ended.

Each message is a byte, the channel, and what is written to it. Version 5 adds to version 4 that a client can
end a channel: a message of channel 255 whose one byte is the channel. Both end with a Status on channel 3.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import msgspec

from kubewright.machinery.errors import (
    ApiError,
    DecodeError,
    ParseError,
    TransportError,
    error_from_status,
    quoted,
)
from kubewright.machinery.status import Status

__all__ = [
    "COMMAND_PROTOCOLS",
    "OUTPUTS",
    "STATUS",
    "STDIN",
    "V4",
    "V5",
    "OutputName",
    "StatusReader",
    "close_message",
    "resize_message",
]

V5: Final = "v5.channel.k8s.io"
V4: Final = "v4.channel.k8s.io"

COMMAND_PROTOCOLS: Final = (V5, V4)
"""What is offered, best first. API servers speak version 5 since 1.29, by default since 1.30; older ones hand
the request on to the container runtime, which speaks version 4."""

OutputName: TypeAlias = Literal["stdout", "stderr"]

STDIN: Final = 0
OUTPUTS: Final[dict[int, OutputName]] = {1: "stdout", 2: "stderr"}
STATUS: Final = 3
_RESIZE: Final = 4
_CLOSE: Final = 255

_MAX_STATUS: Final = 1 << 20
"""The largest Status that is read; those of kubelets have some hundred bytes."""

_MAX_SIZE: Final = 65535
"""The widest and highest terminal: upstream keeps both in 16 bits."""


def close_message(channel: int) -> bytes:
    """Says that nothing more is written to a channel; version 5 alone knows it."""
    return bytes((_CLOSE, channel))


def resize_message(width: int, height: int) -> bytes:
    """Says how large the terminal is. Raises ParseError for sizes that no terminal has."""
    if not (0 < width <= _MAX_SIZE and 0 < height <= _MAX_SIZE):
        raise ParseError(
            f"a terminal cannot have {width} columns and {height} rows; say 1 to {_MAX_SIZE} of each"
        )
    return bytes((_RESIZE,)) + msgspec.json.encode({"Width": width, "Height": height})


class StatusReader:
    """Puts together the Status with which a command ends, and says what it means."""

    def __init__(self, server: str) -> None:
        self._server: Final = server
        self._data = b""
        self.exit_code: int | None = None
        """None until the command has ended."""

    def feed(self, data: bytes) -> None:
        """Take what came on the status channel.

        Raises ApiError when the command could not be run, and TransportError for what is too large.
        """
        self._data += data
        if len(self._data) > _MAX_STATUS:
            raise TransportError(
                f"{self._server} sent more than {_MAX_STATUS:,} bytes where the Status of a command belongs"
            )
        if not self._data.startswith(b"{"):
            return
        try:
            status = Status.from_json(self._data)
        except DecodeError:
            return  # The rest may be to come.
        self._data = b""
        self.exit_code = _exit_code(status, self._server)

    def missing(self) -> TransportError:
        """The error of a connection that ended before the command did."""
        told = f"; it said {quoted(self._data.decode(errors='replace'))} last" if self._data else ""
        return TransportError(
            f"the connection to {self._server} ended before it said how the command ended{told}"
        )


def _exit_code(status: Status, server: str) -> int:
    if status.status == "Success":
        return 0
    if status.reason != "NonZeroExitCode":
        error: ApiError = error_from_status(status)
        raise error
    causes = status.details.causes if status.details is not None else []
    for cause in causes:
        text = cause.message
        if cause.reason == "ExitCode" and text.isascii() and text.lstrip("-").isdigit() and len(text) < 12:
            return int(text)
    raise TransportError(
        f"{server} said that the command failed and not with which exit code: {quoted(status.message)}"
    )
