"""The API server put together: storage, registry, handlers and HTTPS, and its clean start and stop."""

from __future__ import annotations

import asyncio
import logging
import tempfile
from collections.abc import Coroutine, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from kubewright.machinery.errors import KubewrightError
from kubewright.server.access import Access
from kubewright.server.admission import NamespaceLifecycle
from kubewright.server.authentication import AdministratorOnly
from kubewright.server.authorization import AdministratorsMay
from kubewright.server.bootstrap import bootstrap_namespaces, bootstrap_rest
from kubewright.server.certificates import Credentials
from kubewright.server.credentials import load_credentials, write_files
from kubewright.server.customresources.definitions import Definitions
from kubewright.server.handlers.call import Call, Reply
from kubewright.server.handlers.documents import Documents
from kubewright.server.handlers.resources import Endpoint, handle_resource
from kubewright.server.handlers.subresources import Tokens, endpoints
from kubewright.server.openapi.documents import OpenAPI
from kubewright.server.registry.registry import Registry
from kubewright.server.storage import Compactor, MemoryStorage, Storage
from kubewright.server.storage.compaction import INTERVAL

__all__ = ["HOST", "APIServer", "ServerError"]

HOST: Final = "127.0.0.1"
"""The server is for programs on this machine."""

_HOSTS: Final = (
    HOST,
    "::1",
    "localhost",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "10.0.0.1",
)
"""The names in the server's certificate: loopback, and those under which pods know an API server."""

_log: Final = logging.getLogger("kubewright.server")


class ServerError(KubewrightError):
    """The server cannot start; the message says why and what to do."""


class APIServer:
    """A Kubernetes API over HTTPS on loopback, as an async context manager.

    In memory, or with `data_dir` in files, where everything acknowledged outlives the process. Servers in one
    process do not know of each other. While it runs, `url`, `kubeconfig` and the files named by `ca_file`,
    `client_cert_file` and `client_key_file` say how to reach it; without a data dir they are gone afterwards.
    """

    def __init__(
        self, *, port: int = 0, data_dir: str | Path | None = None, kubeconfig: str | Path | None = None
    ) -> None:
        self._port: Final = port
        self._data_dir: Final = None if data_dir is None else Path(data_dir)
        self._wanted_kubeconfig: Final = None if kubeconfig is None else Path(kubeconfig)
        self._stack: AsyncExitStack | None = None
        self._ready = False
        self.url = ""
        self.token = ""
        self.kubeconfig = ""
        self.ca_file = ""
        self.client_cert_file = ""
        self.client_key_file = ""
        self.registry: Registry

    async def __aenter__(self) -> Self:
        if self._stack is not None:
            raise ServerError("this server runs already; make another one")
        async with AsyncExitStack() as stack:
            await self._start(stack)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        stack, self._stack = self._stack, None
        self._ready = False
        if stack is not None:
            await stack.aclose()

    async def _start(self, stack: AsyncExitStack) -> None:
        storage = await self._open_storage(stack)
        folder = self._data_dir or Path(stack.enter_context(_folder()))
        credentials = load_credentials(folder / "pki", _HOSTS, durable=self._data_dir is not None)
        self.registry = Registry(storage, admission=[NamespaceLifecycle(storage)])
        definitions = Definitions(self.registry)
        stack.push_async_callback(definitions.close)
        await definitions.load()
        openapi = OpenAPI(lambda: self.registry.served, lambda: definitions.objects)
        tokens = Tokens(credentials.server.key)
        documents = Documents(
            self.registry, openapi, tokens, address=self._address, ready=lambda: self._ready
        )
        await bootstrap_namespaces(self.registry)
        compaction = Compactor(storage)
        tasks = await stack.enter_async_context(_Background())
        tasks.start(_compact(compaction))
        tasks.start(definitions.run())
        await self._listen(stack, credentials, documents, endpoints(tokens))
        tasks.start(bootstrap_rest(self.registry, port=int(self.url.rpartition(":")[2])))
        files = write_files(folder / "pki", self.url, credentials, kubeconfig=self._kubeconfig_path(folder))
        self.token = credentials.token
        self.kubeconfig = str(files.kubeconfig)
        self.ca_file = str(files.authority)
        self.client_cert_file = str(files.client_certificate)
        self.client_key_file = str(files.client_key)
        self._ready = True

    async def _open_storage(self, stack: AsyncExitStack) -> Storage:
        storage: Storage
        if self._data_dir is None:
            storage = MemoryStorage()
        else:
            from kubewright.server.storage import SQLiteStorage  # noqa: PLC0415 - it is loaded when it is used

            storage = await SQLiteStorage.open(self._data_dir)
        stack.push_async_callback(storage.close)
        return storage

    async def _listen(
        self,
        stack: AsyncExitStack,
        credentials: Credentials,
        documents: Documents,
        particular: Mapping[tuple[str, str, str], Endpoint],
    ) -> None:
        async def handle(call: Call) -> Reply:
            if call.info.is_resource_request:
                return await handle_resource(call, self.registry, particular)
            return documents.handle(call)

        # The first that needs aiohttp, which whoever starts a server may load meanwhile: see `preload`.
        from kubewright.server.listener import listen, ssl_context  # noqa: PLC0415

        access = Access(AdministratorOnly(credentials.token), AdministratorsMay())
        context = ssl_context(credentials)
        try:
            port = await listen(stack, handle, access, context, host=HOST, port=self._port)
        except OSError as error:
            raise ServerError(
                f"port {self._port} cannot be used ({error.strerror or error}); name another, or 0 for any"
            ) from None
        # Before the connections are cut, so that streams have their proper end.
        stack.callback(self.registry.end_watches)
        self.url = f"https://{HOST}:{port}"

    def _kubeconfig_path(self, folder: Path) -> Path:
        return self._wanted_kubeconfig or folder / "kubeconfig"

    def _address(self) -> str:
        return self.url.removeprefix("https://")


class _Background:
    """Owns the tasks that run beside the requests, and ends them."""

    def __init__(self) -> None:
        self._tasks: list[asyncio.Task[None]] = []

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Run something until the server stops; if it fails, the log says so."""
        task = asyncio.create_task(work)
        task.add_done_callback(_log_failure)
        self._tasks.append(task)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


def _log_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        _log.error("a task of the server has failed", exc_info=error)


async def _compact(compactor: Compactor) -> None:
    while True:
        await asyncio.sleep(INTERVAL)
        await compactor.tick()


def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="kubewright-", ignore_cleanup_errors=True)
