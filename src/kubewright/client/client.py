"""`Client`: everything that one API server serves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from kubewright.client.api import Api
from kubewright.client.clientset import Clientset
from kubewright.client.discovery import Discovery
from kubewright.client.endpoint import endpoint_of
from kubewright.client.forms import form_of
from kubewright.client.mapper import Mapper
from kubewright.client.request import JSON, Request, Response
from kubewright.client.sender import DEFAULT_TIMEOUT, Hooks, Sender, SendOptions
from kubewright.config import Config, load_config
from kubewright.machinery.gvk import GroupVersionKind
from kubewright.machinery.resource import Resource
from kubewright.machinery.unstructured import Unstructured

if TYPE_CHECKING:
    from kubewright.client.connections import Connections
    from kubewright.machinery.discovery import VersionInfo

__all__ = ["Client"]

K = TypeVar("K", bound=Resource | Unstructured)


class Client(Clientset):
    """A client of one API server: `async with Client() as client: ...`.

    Without a configuration it is found as kubectl finds it: `$KUBECONFIG`, `~/.kube/config`, or the service
    account of the pod that the program runs in. A client belongs to the event loop in which it is used, and
    any number of tasks may use it.
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
        connections: Connections | None = None,
    ) -> None:
        """Raises ConfigError when no configuration is given and none is found.

        `kubeconfig` is the file to read, and `context` picks one of its contexts; `timeout` is how many
        seconds a request may take; `qps` and `burst` limit how many are sent, which by default nothing does;
        see `SendOptions`. `connections` carry the requests in place of sockets.
        """
        if isinstance(config, str | PathLike):
            raise TypeError(f"Client({config!r}): write Client(kubeconfig={config!r}), if it is a kubeconfig")
        found = config if config is not None else load_config(kubeconfig=kubeconfig, context=context)
        self.config: Final = found
        options = SendOptions(
            timeout=timeout, user_agent=user_agent, qps=qps, burst=burst, hooks=hooks or Hooks()
        )
        self._sender: Final = Sender(self.config, options, connections=connections)
        self.discovery: Final = Discovery(self._sender)
        """What the server serves."""
        self.mapper: Final = Mapper(self.discovery)
        """Kinds, resources, short names and categories."""

    def api(self, kind: type[K], namespace: str | None = None) -> Api[K]:
        """The objects of a typed kind in a namespace; without one, those of all namespaces."""
        gvk = getattr(kind, "gvk", None)
        if not isinstance(gvk, GroupVersionKind):
            if not isinstance(kind, type):
                raise TypeError(
                    f"api({kind!r}): give the class of a kind, such as Pod of kubewright.models.core_v1, or "
                    'use client.dynamic("v1", "Pod", namespace) or client.resource("pods", namespace)'
                )
            raise TypeError(
                f"{kind.__name__} does not say its api_version and kind; write "
                f'class {kind.__name__}(Resource, api_version="group/v1"), or use client.dynamic(...)'
            )
        return Api(
            self._sender,
            form_of(kind),
            gvk,
            endpoint=endpoint_of(kind),
            resolve=self.mapper.endpoint,
            namespace=namespace,
        )

    def dynamic(self, api_version: str, kind: str, namespace: str | None = None) -> Api[Unstructured]:
        """The objects of any kind, without a type for it; where it is served is found by discovery."""
        return Api(
            self._sender,
            form_of(Unstructured),
            GroupVersionKind.from_api_version(api_version, kind),
            endpoint=None,
            resolve=self.mapper.endpoint,
            namespace=namespace,
        )

    async def resource(self, name: str, namespace: str | None = None) -> Api[Unstructured]:
        """The objects of what kubectl calls by this name: `deploy`, `pods`, `widgets.v1.example.com`.

        Raises NotFound when the server has nothing of that name.
        """
        endpoint = await self.mapper.resource(name)
        return Api(
            self._sender,
            form_of(Unstructured),
            endpoint.gvk,
            endpoint=endpoint,
            resolve=self.mapper.endpoint,
            namespace=namespace,
        )

    async def raw(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | Sequence[tuple[str, str]] = (),
        body: bytes | Mapping[str, Any] = b"",
        content_type: str = JSON,
        accept: str = JSON,
    ) -> Response:
        """Any request: `await client.raw("GET", "/metrics")`. Raises ApiError and TransportError."""
        from kubewright.machinery import codec  # noqa: PLC0415 - only for bodies that are not bytes

        pairs = list(query.items()) if isinstance(query, Mapping) else list(query)
        data = body if isinstance(body, bytes) else codec.encode(body)
        return await self._sender.send(
            Request(
                method=method, path=path, query=pairs, body=data, content_type=content_type, accept=accept
            )
        )

    async def version(self) -> VersionInfo:
        """Which version of Kubernetes the server is."""
        from kubewright.machinery.discovery import VersionInfo  # noqa: PLC0415 - seldom asked for

        return VersionInfo.from_json((await self.raw("GET", "/version")).body)

    async def apply_yaml(
        self,
        source: str | bytes | PathLike[str],
        *,
        manager: str = "kubewright",
        namespace: str | None = None,
        force: bool = False,
        dry_run: bool = False,
    ) -> list[Unstructured]:
        """Apply all documents of a YAML text, file or folder, each kind before those that need it.

        Raises ApiError and ParseError, which say of which document.
        """
        from kubewright.client.apply_yaml import apply_yaml  # noqa: PLC0415 - seldom used

        return await apply_yaml(
            self, source, manager=manager, namespace=namespace, force=force, dry_run=dry_run
        )

    @property
    def request_counts(self) -> Mapping[tuple[str, int], int]:
        """How many requests of each method were answered with each status so far; 0 is for no answer.

        Each attempt counts, those that open a watch or another stream included, WebSockets not.
        """
        return self._sender.request_counts

    async def close(self) -> None:
        """Close all connections. May be called again."""
        await self._sender.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    if not TYPE_CHECKING:  # which says it by itself

        def __enter__(self) -> None:
            raise TypeError(
                "this client is async; write async with Client() as ..., or use Client of kubewright.sync"
            )

        def __exit__(self, *_: object) -> None:
            raise AssertionError("it was not entered")
