"""`Client` without `await`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from kubewright.client.client import Client as AsyncClient
from kubewright.client.request import JSON, Response
from kubewright.client.sender import DEFAULT_TIMEOUT, Hooks
from kubewright.config import Config
from kubewright.machinery.resource import Resource
from kubewright.machinery.unstructured import Unstructured
from kubewright.sync.api import Api
from kubewright.sync.clientset import Clientset
from kubewright.sync.loop import LoopThread

if TYPE_CHECKING:
    from kubewright.machinery.discovery import VersionInfo

__all__ = ["Client"]

K = TypeVar("K", bound=Resource | Unstructured)


class Client(Clientset):
    """A client of one API server: `with Client() as client: ...`; see `kubewright.client.client.Client`.

    Any number of threads may use it.
    """

    def __init__(
        self,
        config: Config | None = None,
        *,
        kubeconfig: str | PathLike[str] | None = None,
        context: str | None = None,
        timeout: float | None = DEFAULT_TIMEOUT,
        user_agent: str = "",
        qps: float | None = None,
        burst: int = 10,
        hooks: Hooks | None = None,
    ) -> None:
        """Raises ConfigError when no configuration is given and none is found."""
        self._client: Final = AsyncClient(
            config,
            kubeconfig=kubeconfig,
            context=context,
            timeout=timeout,
            user_agent=user_agent,
            qps=qps,
            burst=burst,
            hooks=hooks,
        )
        self._loop: Final = LoopThread()

    @property
    def config(self) -> Config:
        """How the server is reached."""
        return self._client.config

    @property
    def request_counts(self) -> Mapping[tuple[str, int], int]:
        """How many requests of each method were answered with each status so far; 0 is for no answer."""
        return self._client.request_counts

    def api(self, kind: type[K], namespace: str | None = None) -> Api[K]:
        """The objects of a typed kind in a namespace; without one, those of all namespaces."""
        return Api(self._client.api(kind, namespace), self._loop)

    def dynamic(self, api_version: str, kind: str, namespace: str | None = None) -> Api[Unstructured]:
        """The objects of any kind, without a type for it; where it is served is found by discovery."""
        return Api(self._client.dynamic(api_version, kind, namespace), self._loop)

    def resource(self, name: str, namespace: str | None = None) -> Api[Unstructured]:
        """The objects of what kubectl calls by this name. Raises NotFound."""
        return Api(self._loop.run(self._client.resource(name, namespace)), self._loop)

    def raw(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | Sequence[tuple[str, str]] = (),
        body: bytes | Mapping[str, Any] = b"",
        content_type: str = JSON,
        accept: str = JSON,
    ) -> Response:
        """Any request: `client.raw("GET", "/metrics")`. Raises ApiError and TransportError."""
        return self._loop.run(
            self._client.raw(method, path, query=query, body=body, content_type=content_type, accept=accept)
        )

    def version(self) -> VersionInfo:
        """Which version of Kubernetes the server is."""
        return self._loop.run(self._client.version())

    def apply_yaml(
        self,
        source: str | bytes | PathLike[str],
        *,
        manager: str = "kubewright",
        namespace: str | None = None,
        force: bool = False,
        dry_run: bool = False,
    ) -> list[Unstructured]:
        """Apply all documents of a YAML text, file or folder, each kind before those that need it."""
        return self._loop.run(
            self._client.apply_yaml(
                source, manager=manager, namespace=namespace, force=force, dry_run=dry_run
            )
        )

    def close(self) -> None:
        """Close all connections, and the thread. May be called again."""
        if self._loop.is_running:
            self._loop.run(self._client.close())
        self._loop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    if not TYPE_CHECKING:  # which says it by itself

        async def __aenter__(self) -> None:
            raise TypeError(
                "this client blocks; write with Client() as ..., or import Client from kubewright"
            )

        async def __aexit__(self, *_: object) -> None:
            raise AssertionError("it was not entered")
