"""Pages of lists: the next one is asked for while one is still coming, and nothing is read twice or lost."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from aiohttp import web

from kubewright.client.page_reader import PageReader
from kubewright.client.request import Request
from kubewright.client.sender import Sender
from kubewright.machinery.errors import Expired
from kubewright.machinery.options import ListOptions
from tests.client.peers import Asked, peer, run, status

PAGES = 5


def page(number: int, *, ordered: bool = True, items: int = 3) -> bytes:
    """One of several pages, as a server writes it, or with its metadata at the end."""
    meta: dict[str, Any] = {"resourceVersion": "7"}
    if number < PAGES - 1:
        meta["continue"] = str(number + 1)
    listed = [
        {"metadata": {"name": f"m{number}-{item}", "annotations": {"x": "y" * 9000}}} for item in range(items)
    ]
    head = {"kind": "ConfigMapList", "apiVersion": "v1"}
    body = (
        {**head, "metadata": meta, "items": listed}
        if ordered
        else {"items": listed, **head, "metadata": meta}
    )
    return json.dumps(body, separators=(",", ":")).encode()


class Server:
    """Serves pages in two parts, the second one when it is told to."""

    def __init__(self, *, ordered: bool = True, held: bool = False) -> None:
        self.asked: list[int] = []
        self.wanted: dict[int, asyncio.Event] = {number: asyncio.Event() for number in range(PAGES)}
        self.release = asyncio.Event()
        self.breaks: set[int] = set()
        self.expired: set[int] = set()
        self._ordered = ordered
        if not held:
            self.release.set()

    async def __call__(self, asked: Asked, request: web.BaseRequest) -> web.StreamResponse | None:
        query = dict(parse_qsl(urlsplit(asked.target).query))
        number = int(query.get("continue", "0"))
        self.asked.append(number)
        self.wanted[number].set()
        if number in self.expired:
            return status(410, reason="Expired")
        body = page(number, ordered=self._ordered)
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(request)
        await response.write(body[:2000])
        await self.release.wait()
        if number in self.breaks:
            self.breaks.remove(number)
            return None
        await response.write(body[2000:])
        return response


def reading(server: Server, test: Callable[[PageReader], Awaitable[None]]) -> None:
    """Run a test with the pages of a server."""

    async def main() -> None:
        async def request(options: ListOptions) -> Request:
            return Request(method="GET", path="/api/v1/configmaps", query=options.to_query())

        async with peer(server, tls=False) as serving:
            sender = Sender(serving.config)
            pages = PageReader(sender, request)
            try:
                await test(pages)
            finally:
                server.release.set()
                await pages.close()
                await sender.close()

    run(main)


def options(number: int) -> ListOptions:
    return ListOptions(limit=3, continue_=str(number)) if number else ListOptions(limit=3)


@pytest.mark.parametrize("ordered", [True, False])
def test_all_pages_each_asked_for_once(ordered: bool) -> None:
    server = Server(ordered=ordered)

    async def test(pages: PageReader) -> None:
        for number in range(PAGES):
            assert await pages.read(options(number)) == page(number, ordered=ordered)
        assert server.asked == list(range(PAGES))

    reading(server, test)


def test_the_next_page_is_asked_for_while_one_comes_and_no_more() -> None:
    server = Server(held=True)

    async def test(pages: PageReader) -> None:
        first = asyncio.create_task(pages.read(options(0)))
        await server.wanted[1].wait()
        assert not first.done()
        server.release.set()
        assert await first == page(0)
        # The second says that there is a third, which is asked for when somebody takes the second.
        for _ in range(20):
            await asyncio.sleep(0.005)
        assert server.asked == [0, 1]
        server.release.clear()
        second = asyncio.create_task(pages.read(options(1)))
        await server.wanted[2].wait()
        server.release.set()
        assert await second == page(1)

    reading(server, test)


def test_a_page_that_breaks_is_asked_for_again() -> None:
    server = Server()
    server.breaks = {0, 2}

    async def test(pages: PageReader) -> None:
        for number in range(PAGES):
            assert await pages.read(options(number)) == page(number)

    reading(server, test)


def test_what_was_read_ahead_is_not_taken_for_something_else() -> None:
    server = Server()

    async def test(pages: PageReader) -> None:
        assert await pages.read(options(0)) == page(0)
        assert await pages.read(options(3)) == page(3)
        assert await pages.read(options(0)) == page(0)
        assert await pages.read(options(1)) == page(1)

    reading(server, test)


def test_a_refusal_is_raised_when_its_page_is_read() -> None:
    server = Server()
    server.expired = {1}

    async def test(pages: PageReader) -> None:
        assert await pages.read(options(0)) == page(0)
        with pytest.raises(Expired):
            await pages.read(options(1))
        server.expired.clear()
        assert await pages.read(options(1)) == page(1)

    reading(server, test)


def test_closing_ends_what_was_read_ahead() -> None:
    server = Server(held=True)

    async def test(pages: PageReader) -> None:
        before = asyncio.all_tasks()
        first = asyncio.create_task(pages.read(options(0)))
        await server.wanted[1].wait()
        first.cancel()
        await asyncio.wait([first])
        await pages.close()
        await pages.close()
        mine = [task for task in asyncio.all_tasks() - before if "PageReader" in repr(task.get_coro())]
        assert not mine

    reading(server, test)


def test_a_list_without_a_limit_is_read_whole() -> None:
    server = Server()

    async def test(pages: PageReader) -> None:
        assert await pages.read(ListOptions()) == page(0)
        assert server.asked == [0]

    reading(server, test)
