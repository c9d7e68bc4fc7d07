"""Requests as bytes, and answers out of bytes, as RFC 9112 has them; no I/O."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from enum import Enum, auto
from typing import Final

from multidict import CIMultiDict, istr

__all__ = ["AnswerReader", "encode_head"]

_MAX_HEAD: Final = 1 << 16
"""Bytes of an answer before its body; proxies refuse far less, and API servers send some hundred."""

_MAX_LINE: Final = 1 << 12
"""Bytes of the line before a chunk, or of a trailer."""

_MAX_TRAILERS: Final = 64
"""Lines after the last chunk; API servers send none."""

_BEGINNING: Final = b"HTTP/1."
_STATUS_LINE: Final = re.compile(r"HTTP/1\.([01]) ([1-9][0-9]{2})(?: [^\r\n]*)?\r\n")
_HEADER: Final = re.compile(r"^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*([^\r\n]*?)[ \t]*\r\n", re.MULTILINE)
_TOKEN: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_LENGTH: Final = re.compile(r"[0-9]{1,18}")
_CHUNK_SIZE: Final = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;.*)?")
_BREAKS: Final = re.compile(r"[\r\n\0]")

# As the headers keep them, which saves them from being folded each time.
_CONNECTION: Final = istr("Connection")
_TRANSFER_ENCODING: Final = istr("Transfer-Encoding")
_CONTENT_LENGTH: Final = istr("Content-Length")
_CONTENT_ENCODING: Final = istr("Content-Encoding")

_NO_HEADERS: Final = CIMultiDict[str]()
"""Those of answers whose head has not come; never changed."""

_GZIP: Final = 16 + zlib.MAX_WBITS
"""zlib's window for gzip, with its header and its checksum."""


def encode_head(headers: Sequence[tuple[str, str]], *, host: str) -> bytes:
    """Headers as they follow the request line, without the empty line at their end.

    Raises ValueError for one that cannot be sent: a line break would begin another header.
    """
    lines = [f"Host: {host}"]
    names = set()
    for name, value in headers:
        if not _TOKEN.fullmatch(name) or _BREAKS.search(value):
            # Without the value, which may be a credential.
            raise ValueError(f"the header {name!r} has characters that cannot be sent")
        lines.append(f"{name}: {value}")
        names.add(name.lower())
    if "accept-encoding" not in names:
        lines.append("Accept-Encoding: gzip")
    return ("\r\n".join(lines) + "\r\n").encode()


class _State(Enum):
    HEAD = auto()
    FIXED = auto()
    """A body of a known length."""
    TO_THE_END = auto()
    """A body that ends with the connection."""
    CHUNK_SIZE = auto()
    CHUNK = auto()
    CHUNK_END = auto()
    TRAILERS = auto()
    COMPLETE = auto()


class AnswerReader:
    """Reads one answer out of the bytes of a connection, however they are cut.

    `feed` raises ValueError for what is not HTTP. After `is_complete`, `is_reusable` says whether the
    connection may carry another request.
    """

    __slots__ = (
        "_body_expected",
        "_buffer",
        "_decoder",
        "_remaining",
        "_state",
        "_trailers",
        "headers",
        "is_complete",
        "is_reusable",
        "length",
        "status",
    )

    def __init__(self, *, body_expected: bool = True) -> None:
        """`body_expected` is False for HEAD, whose answer has the headers of a body and none."""
        self.status = 0
        """0 until the head has come."""
        self.headers: CIMultiDict[str] = _NO_HEADERS
        self.length: int | None = None
        """The bytes of the body on the wire, if the head says so."""
        self.is_complete = False
        """Whether all of the answer has come."""
        self.is_reusable = False
        self._body_expected: Final = body_expected
        self._state = _State.HEAD
        self._buffer = b""
        self._remaining = 0
        self._trailers = 0
        self._decoder: zlib._Decompress | None = None

    def feed(self, data: bytes) -> bytes:
        """Take in bytes, and return those of the body that are in them, decompressed."""
        if self.is_complete:
            self._complete(more=bool(data))
            return b""
        if self._state is _State.HEAD:
            if self._buffer:
                data = self._buffer + data
            rest = self._read_head(data)
            if rest is None:
                self._buffer = data
                return b""
            self._buffer = b""
            data = rest
        body = self._read_body(data)
        if self._decoder is None or not (body or self.is_complete):
            return body
        return self._decompress(body)

    def end(self, *, is_clean: bool = True) -> None:
        """Take in the end of the connection. Raises ValueError when something is missing, or may be.

        `is_clean` is False when the server has not said that it ends here.
        """
        if self._state is _State.TO_THE_END and is_clean:
            self._complete(more=False)
            if self._decoder is not None:
                self._decompress(b"")
        elif not self.is_complete:
            raise ValueError("it ended in the middle of an answer")

    def _read_head(self, data: bytes) -> bytes | None:
        """Read the head and return what follows it; None if it has not come yet."""
        while True:
            end = data.find(b"\r\n\r\n", 0, _MAX_HEAD)
            if end < 0:
                if not _BEGINNING.startswith(data[: len(_BEGINNING)]):
                    # Whatever this is, the end of a head will not come.
                    raise ValueError("an answer does not begin as one of HTTP/1.1")
                if len(data) >= _MAX_HEAD:
                    raise ValueError(f"the head of an answer is longer than {_MAX_HEAD:,} bytes")
                return None
            head, data = data[: end + 2].decode("utf-8", "surrogateescape"), data[end + 4 :]
            status = _STATUS_LINE.match(head)
            if status is None:
                raise ValueError("an answer does not begin as one of HTTP/1.1")
            code = int(status[2])
            if code >= 200 or code == 101:
                pairs = _HEADER.findall(head, status.end())
                if len(pairs) != head.count("\n") - 1:
                    raise ValueError("an answer has a header that is none")
                self.status, self.headers = code, CIMultiDict(pairs)
                self._begin(is_older=status[1] == "0")
                return data
            # An interim answer (100 Continue, 103 Early Hints): the real one follows.

    def _begin(self, *, is_older: bool) -> None:
        """Decide by the head how the body comes (RFC 9112, section 6.3)."""
        headers = self.headers
        options = headers.get(_CONNECTION)
        self.is_reusable = not is_older if options is None else _keeps_alive(options, is_older=is_older)
        coding = headers.get(_TRANSFER_ENCODING)
        lengths = headers.getall(_CONTENT_LENGTH, ())
        if coding is not None and (coding.lower() != "chunked" or lengths):
            raise ValueError("an answer does not say clearly where its body ends")
        if lengths and (len(set(lengths)) > 1 or not _LENGTH.fullmatch(lengths[0])):
            raise ValueError("an answer has a Content-Length that is not one number")
        if not self._body_expected or self.status in {101, 204, 304}:
            self._complete(more=False)
            return
        if coding is not None:
            self._state = _State.CHUNK_SIZE
        elif lengths:
            self.length = self._remaining = int(lengths[0])
            self._state = _State.FIXED
            if not self._remaining:
                self._complete(more=False)
        else:
            self._state = _State.TO_THE_END
            self.is_reusable = False
        encoding = headers.get(_CONTENT_ENCODING)
        if encoding is None or self.is_complete:
            return
        if encoding.lower() in {"gzip", "x-gzip"}:
            self._decoder = zlib.decompressobj(_GZIP)
        elif encoding.lower() != "identity":
            raise ValueError(f"an answer is encoded in a way that was not asked for: {encoding[:40]!r}")

    def _read_body(self, data: bytes) -> bytes:
        if self._state is _State.FIXED:
            missing = self._remaining - len(data)
            if missing > 0:
                self._remaining = missing
                return data
            self._complete(more=missing < 0)
            return data[: self._remaining] if missing else data
        if self._state is _State.TO_THE_END:
            return data
        if self.is_complete:
            # By its head: there is no body.
            self._complete(more=bool(data))
            return b""
        return self._read_chunks(data)

    def _read_chunks(self, data: bytes) -> bytes:
        if self._buffer:
            data, self._buffer = self._buffer + data, b""
        parts, position, size = [], 0, len(data)
        while position < size and self._state is not _State.COMPLETE:
            if self._state is _State.CHUNK:
                part = data[position : position + self._remaining]
                parts.append(part)
                position += len(part)
                self._remaining -= len(part)
                if not self._remaining:
                    self._state = _State.CHUNK_END
                continue
            end = data.find(b"\r\n", position, position + _MAX_LINE)
            if end < 0:
                if size - position >= _MAX_LINE:
                    raise ValueError("a line between the chunks of an answer is too long")
                self._buffer = data[position:]
                break
            line, position = data[position:end], end + 2
            self._read_line(line, more=position < size)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _read_line(self, line: bytes, *, more: bool) -> None:
        """Read a line between chunks, or one after the last of them."""
        if self._state is _State.CHUNK_SIZE:
            match = _CHUNK_SIZE.fullmatch(line)
            if match is None:
                raise ValueError("the chunks of an answer do not say how long they are")
            self._remaining = int(match[1], 16)
            self._state = _State.CHUNK if self._remaining else _State.TRAILERS
        elif self._state is _State.CHUNK_END:
            if line:
                raise ValueError("a chunk of an answer is longer than it says")
            self._state = _State.CHUNK_SIZE
        elif line:
            self._trailers += 1
            if self._trailers > _MAX_TRAILERS:
                raise ValueError("an answer has too many trailers")
        else:
            self._complete(more=more)

    def _complete(self, *, more: bool) -> None:
        self._state, self.is_complete = _State.COMPLETE, True
        if more:
            # Nothing was asked that this could be the answer to.
            self.is_reusable = False

    def _decompress(self, body: bytes) -> bytes:
        assert self._decoder is not None  # noqa: S101 - by the callers
        try:
            plain = self._decoder.decompress(body)
            if self.is_complete:
                plain += self._decoder.flush()
                if not self._decoder.eof:
                    raise ValueError("the compressed body of an answer is cut off")
        except zlib.error as error:
            raise ValueError(f"the body of an answer is not gzip: {error}") from None
        return plain


def _keeps_alive(options: str, *, is_older: bool) -> bool:
    """Whether the header Connection leaves the connection open; `is_older` in an answer of HTTP/1.0."""
    words = {option.strip().lower() for option in options.split(",")}
    return "keep-alive" in words if is_older else "close" not in words
