"""Lists that page by themselves, without `await`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Generic, TypeVar

from kubewright.client.forms import Listed
from kubewright.client.listing import Listing as AsyncListing
from kubewright.machinery.resource import Resource
from kubewright.machinery.unstructured import Unstructured
from kubewright.sync.loop import LoopThread

__all__ = ["Listing"]

K = TypeVar("K", bound=Resource | Unstructured)


class Listing(Generic[K]):
    """The objects of a list, page by page: `for pod in pods.list(): ...`; see `kubewright.client.listing`."""

    def __init__(self, listing: AsyncListing[K], loop: LoopThread) -> None:
        self._listing: Final = listing
        self._loop: Final = loop

    @property
    def resource_version(self) -> str:
        """The revision of the list, once its first page is read: where a watch of what follows starts."""
        return self._listing.resource_version

    def __iter__(self) -> Iterator[K]:
        for page in self.pages():
            yield from page.items

    def to_list(self) -> list[K]:
        """All objects at once."""
        return self._loop.run(self._listing.to_list())

    def pages(self) -> Iterator[Listed[K]]:
        """The pages, as they come."""
        return self._loop.iterate(self._listing.pages())
