"""`PageReader`: the pages of a list, the next one asked for while one is still coming."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

from kubewright.client.connections import MAX_ANSWER
from kubewright.client.request import Request
from kubewright.client.sender import Sender
from kubewright.machinery import codec
from kubewright.machinery.errors import DecodeError, TransportError
from kubewright.machinery.meta import ListMeta
from kubewright.machinery.options import ListOptions

__all__ = ["PageReader"]

_HEAD: Final = re.compile(rb'\{"kind":"\w+","apiVersion":"[\w./-]+","metadata":(\{[^{}]*\}),"items":')
"""How API servers begin the list of a built-in kind: with the token of the next page. Where a list begins
otherwise, as those of custom resources do, the next page is asked for when the whole list is there."""

_MAX_HEAD: Final = 8192
"""Bytes within which a list says its metadata; tokens have some hundred."""


class PageReader:
    """Reads pages of lists one after the other.

    A server needs some time for a page, and so does a client. Here they work at the same time: while a page
    is read, the server makes the next one already, and no more than that.
    """

    def __init__(self, sender: Sender, request: Callable[[ListOptions], Awaitable[Request]]) -> None:
        """`request` makes the request of some options."""
        self._sender: Final = sender
        self._request: Final = request
        self._ahead: tuple[ListOptions, asyncio.Task[bytes]] | None = None
        """The next page, which is on its way."""
        self._after: ListOptions | None = None
        """The one after that, if the next one has said already which it is."""

    async def read(self, options: ListOptions) -> bytes:
        """The page of these options. Raises as `Sender.send` does."""
        ahead, self._ahead = self._ahead, None
        if ahead is None or ahead[0] != options:
            self._after = None
            await _end(ahead)
            return await self._page(options)
        after, self._after = self._after, None
        if after is not None:
            self._fetch(after)
        try:
            return await ahead[1]
        finally:
            await _end(ahead)

    async def close(self) -> None:
        """Read nothing any more. May be called again."""
        ahead, self._ahead, self._after = self._ahead, None, None
        await _end(ahead)

    async def _page(self, options: ListOptions) -> bytes:
        request = await self._request(options)
        try:
            return await self._streamed(request, options)
        except TransportError as error:
            if error.lasting:
                raise
        # As every other request, which is sent again when its connection breaks.
        return (await self._sender.send(request)).body

    async def _streamed(self, request: Request, options: ListOptions) -> bytes:
        parts: list[bytes] = []
        size = 0
        within = self._sender.options.timeout
        async with self._sender.stream(request) as stream:
            head = b""
            looking = options.limit is not None
            while part := await stream.chunk(within=within):
                parts.append(part)
                size += len(part)
                if size > MAX_ANSWER:
                    raise TransportError(f"the list has more than {MAX_ANSWER:,} bytes", lasting=True)
                if looking:
                    head += part
                    found = _HEAD.match(head)
                    looking = found is None and len(head) < _MAX_HEAD
                    if found is not None:
                        self._look_ahead(options, found[1])
        return b"".join(parts)

    def _look_ahead(self, options: ListOptions, metadata: bytes) -> None:
        """Ask for the next page if there is one, or have it asked for when the one before it is taken."""
        with suppress(DecodeError):
            token = codec.decode(metadata, ListMeta).continue_
            if token:
                following = options.copy()
                following.continue_ = token
                # A page says by its token which revision it is of.
                following.resource_version = following.resource_version_match = ""
                if self._ahead is None:
                    self._fetch(following)
                else:
                    self._after = following

    def _fetch(self, options: ListOptions) -> None:
        self._ahead = (options, asyncio.create_task(self._page(options)))


async def _end(ahead: tuple[ListOptions, asyncio.Task[bytes]] | None) -> None:
    if ahead is not None:
        task = ahead[1]
        task.cancel()
        await asyncio.wait([task])
        if not task.cancelled():
            task.exception()  # Which nobody wants to know any more.
