"""`Api[K]` without `await`."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AbstractContextManager, contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, Final, Generic, ParamSpec, TypeVar

from kubewright.client.api import Api as AsyncApi
from kubewright.client.listing import Listing as AsyncListing
from kubewright.machinery.gvk import GroupVersionKind
from kubewright.machinery.resource import Resource
from kubewright.machinery.table import PartialObjectMetadata
from kubewright.machinery.unstructured import Unstructured
from kubewright.sync.blocking import blocking, iterating
from kubewright.sync.listing import Listing
from kubewright.sync.loop import LoopThread

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubewright.client.streams.forwarding import PortForward as AsyncPortForward
    from kubewright.client.streams.session import Session as AsyncSession
    from kubewright.sync.streams import PortForward, Session

__all__ = ["Api"]

K = TypeVar("K", bound=Resource | Unstructured)
P = ParamSpec("P")


def _listing(
    method: Callable[Concatenate[AsyncApi[K], P], AsyncListing[K]],
) -> Callable[Concatenate[Api[K], P], Listing[K]]:
    @wraps(method)
    def call(self: Api[K], /, *args: P.args, **kwargs: P.kwargs) -> Listing[K]:
        return Listing(method(self._api, *args, **kwargs), self._loop)

    return call


def _session(
    method: Callable[Concatenate[AsyncApi[K], P], AbstractAsyncContextManager[AsyncSession]],
) -> Callable[Concatenate[Api[K], P], AbstractContextManager[Session]]:
    @contextmanager
    @wraps(method)
    def call(self: Api[K], /, *args: P.args, **kwargs: P.kwargs) -> Iterator[Session]:
        from kubewright.sync.streams import Session  # noqa: PLC0415 - seldom used

        with self._loop.enter(method(self._api, *args, **kwargs)) as session:
            yield Session(session, self._loop)

    return call


def _port_forward(
    method: Callable[Concatenate[AsyncApi[K], P], AbstractAsyncContextManager[AsyncPortForward]],
) -> Callable[Concatenate[Api[K], P], AbstractContextManager[PortForward]]:
    @contextmanager
    @wraps(method)
    def call(self: Api[K], /, *args: P.args, **kwargs: P.kwargs) -> Iterator[PortForward]:
        from kubewright.sync.streams import PortForward  # noqa: PLC0415 - seldom used

        with self._loop.enter(method(self._api, *args, **kwargs)) as forward:
            yield PortForward(forward, self._loop)

    return call


class Api(Generic[K]):
    """The objects of one kind; made by `Client.api` and its like. See `kubewright.client.api.Api`."""

    def __init__(self, api: AsyncApi[K], loop: LoopThread) -> None:
        self._api: Final = api
        self._loop: Final = loop

    @property
    def gvk(self) -> GroupVersionKind:
        """The kind."""
        return self._api.gvk

    @property
    def namespace(self) -> str | None:
        """None for all namespaces, and for kinds that have none."""
        return self._api.namespace

    def in_namespace(self, namespace: str | None) -> Api[K]:
        """The objects of the same kind in another namespace; None for all."""
        return Api(self._api.in_namespace(namespace), self._loop)

    def metadata(self) -> Api[PartialObjectMetadata]:
        """The metadata of the same objects alone, which is a fraction of their bytes; for reading."""
        return Api(self._api.metadata(), self._loop)

    endpoint = blocking(AsyncApi.endpoint)
    get = blocking(AsyncApi.get)
    list = _listing(AsyncApi.list)
    watch = iterating(AsyncApi.watch)
    create = blocking(AsyncApi.create)
    update = blocking(AsyncApi.update)
    update_status = blocking(AsyncApi.update_status)
    patch = blocking(AsyncApi.patch)
    apply = blocking(AsyncApi.apply)
    delete = blocking(AsyncApi.delete)
    delete_collection = blocking(AsyncApi.delete_collection)
    retry_on_conflict = blocking(AsyncApi.retry_on_conflict)
    wait_for = blocking(AsyncApi.wait_for)
    scale = blocking(AsyncApi.scale)
    set_scale = blocking(AsyncApi.set_scale)
    evict = blocking(AsyncApi.evict)
    bind = blocking(AsyncApi.bind)
    create_token = blocking(AsyncApi.create_token)
    logs = iterating(AsyncApi.logs)
    log_text = blocking(AsyncApi.log_text)
    exec = blocking(AsyncApi.exec)
    exec_stream = _session(AsyncApi.exec_stream)
    attach = _session(AsyncApi.attach)
    port_forward = _port_forward(AsyncApi.port_forward)
    copy_from = blocking(AsyncApi.copy_from)
    copy_to = blocking(AsyncApi.copy_to)
