"""Lists that page by themselves."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final, Generic

from kubewright.client.forms import K, Listed
from kubewright.machinery.errors import Expired
from kubewright.machinery.options import ListOptions

__all__ = ["PAGE_SIZE", "Listing"]

PAGE_SIZE: Final = 500
"""Objects per page; client-go's and kubectl's."""

_PAGE_BYTES: Final = 1 << 19
"""About how many bytes a page of large objects has: while it is read it is in memory twice, and smaller pages
do not take less."""

_LEAST: Final = 50
"""Objects that a page has at least, however large they are."""


class Listing(Generic[K]):
    """The objects of a list, page by page: `async for pod in pods.list(): ...`.

    Each iteration lists anew. All pages are of one revision, but for this: when the token for the next page
    has expired, because the reading took too long, the rest is listed as it is now. What was given already is
    not given again, objects may be newer, and those that were deleted meanwhile are missing.
    """

    def __init__(self, page: Callable[[ListOptions], Awaitable[Listed[K]]], options: ListOptions) -> None:
        self._page: Final = page
        self._options: Final = options
        self.resource_version = ""
        """The revision of the list, once its first page is read: where a watch of what follows starts."""

    async def __aiter__(self) -> AsyncIterator[K]:
        async for page in self.pages():
            for item in page.items:
                yield item

    async def to_list(self) -> list[K]:
        """All objects at once."""
        pages = [page.items async for page in self.pages()]
        return pages[0] if len(pages) == 1 else [item for items in pages for item in items]

    async def pages(self) -> AsyncIterator[Listed[K]]:
        """The pages, as they come."""
        options = self._options.copy()
        given = ""
        while True:
            try:
                page = await self._page(options)
            except Expired:
                if not options.continue_:
                    raise
                yield await self._rest(given)
                return
            self.resource_version = page.resource_version
            yield page
            if not page.continue_:
                return
            if page.items:
                given = _key(page.items[-1])
            # What was said of revisions is in the token, and may not be said besides.
            options.continue_ = page.continue_
            if self._options.limit == PAGE_SIZE:
                options.limit = _limit_after(page)
            options.resource_version = options.resource_version_match = ""

    async def _rest(self, given: str) -> Listed[K]:
        """What comes after a key, listed whole: the server's own lists are in the order of keys."""
        options = self._options.copy()
        options.limit = None
        options.resource_version = options.resource_version_match = ""
        page = await self._page(options)
        self.resource_version = page.resource_version
        return Listed([item for item in page.items if _key(item) > given], page.resource_version, "", None)


def _limit_after(page: Listed[K]) -> int:
    """How many objects to ask for, by how large those were that came."""
    fitting = _PAGE_BYTES * len(page.items) // max(page.size, 1)
    return min(PAGE_SIZE, max(_LEAST, fitting))


def _key(obj: K) -> str:
    return f"{obj.metadata.namespace}/{obj.metadata.name}"
