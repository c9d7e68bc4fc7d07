"""Blocking methods out of async ones: the same signature and documentation, no second implementation."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from kubewright.machinery.resource import Resource
from kubewright.machinery.unstructured import Unstructured

if TYPE_CHECKING:
    from kubewright.client.api import Api as AsyncApi
    from kubewright.sync.api import Api

__all__ = ["blocking", "iterating"]

K = TypeVar("K", bound=Resource | Unstructured)
P = ParamSpec("P")
R = TypeVar("R")


def blocking(
    method: Callable[Concatenate[AsyncApi[K], P], Coroutine[Any, Any, R]],
) -> Callable[Concatenate[Api[K], P], R]:
    """A method that waits for the result of an async one."""

    @wraps(method)
    def call(self: Api[K], /, *args: P.args, **kwargs: P.kwargs) -> R:
        return self._loop.run(method(self._api, *args, **kwargs))

    return call


def iterating(
    method: Callable[Concatenate[AsyncApi[K], P], AsyncIterator[R]],
) -> Callable[Concatenate[Api[K], P], Iterator[R]]:
    """A method that iterates over what an async one gives, each item when it comes."""

    @wraps(method)
    def call(self: Api[K], /, *args: P.args, **kwargs: P.kwargs) -> Iterator[R]:
        return self._loop.iterate(method(self._api, *args, **kwargs))

    return call
