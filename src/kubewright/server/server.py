"""The API server put together: storage, registry, handlers and HTTPS, and its clean start and stop."""

from __future__ import annotations

import asyncio
import logging
import tempfile
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from kubewright.machinery.errors import KubewrightError
from kubewright.server.access import Access
from kubewright.server.admission import Admission, AdmissionPolicies, AdmissionWebhooks, NamespaceLifecycle
from kubewright.server.admission.definitions import DefinitionLifecycle
from kubewright.server.admission.plugins import check_plugin_names, chosen_plugins
from kubewright.server.arrivals import Arrivals
from kubewright.server.authentication import Authenticator
from kubewright.server.authentication.build import ISSUER, AuthenticationOptions, build
from kubewright.server.authentication.everybody import EverybodyIsAdministrator
from kubewright.server.authorization import RBAC, Authorizer, EverybodyMay
from kubewright.server.authorization.bootstrap import BootstrapPolicy
from kubewright.server.authorization.create_on_update import CreateOnUpdate
from kubewright.server.authorization.escalation import EscalationCheck
from kubewright.server.bootstrap import bootstrap_namespaces, bootstrap_rest
from kubewright.server.certificates import Credentials, KeyPair, issue_client_certificate
from kubewright.server.credentials import load_credentials, write_files
from kubewright.server.customresources.definitions import Definitions
from kubewright.server.event_expiry import EventExpiry
from kubewright.server.handlers.call import Call, Reply
from kubewright.server.handlers.documents import Documents
from kubewright.server.handlers.resources import Endpoint, handle_resource
from kubewright.server.handlers.subresources import AccessReviews, Connections, TokenRequests, endpoints
from kubewright.server.openapi.documents import OpenAPI
from kubewright.server.registry.registry import Registry
from kubewright.server.storage import Compactor, MemoryStorage, Storage
from kubewright.server.storage.compaction import INTERVAL

if TYPE_CHECKING:
    from kubewright.server.audit import Auditor
    from kubewright.server.handlers.subresources.kubelets import Kubelets
    from kubewright.server.http import Handle
    from kubewright.server.loopback import Loopback
    from kubewright.server.registry.write import User

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

_EVERYBODY: Final = (
    "ANONYMOUS ADMIN: this server asks nobody who they are. Every program that reaches its port may read and "
    "change everything, secrets included; leave out --anonymous-admin (anonymous_admin=True) to have callers "
    "and rights"
)

_log: Final = logging.getLogger("kubewright.server")


class ServerError(KubewrightError):
    """The server cannot start; the message says why and what to do."""


class APIServer:
    """A Kubernetes API over HTTPS on loopback, as an async context manager.

    In memory, or with `data_dir` in files, where everything acknowledged outlives the process. Servers in one
    process do not know of each other. While it runs, `url`, `kubeconfig` and the files named by `ca_file`,
    `client_cert_file` and `client_key_file` say how to reach it; without a data dir they are gone afterwards.
    """

    def __init__(  # noqa: PLR0913 - one for each flag of the command
        self,
        *,
        port: int = 0,
        data_dir: str | Path | None = None,
        accept_data_loss: bool = False,
        insecure_data_dir: bool = False,
        kubeconfig: str | Path | None = None,
        static_tokens: str | Path | None = None,
        authentication_config: str | Path | Mapping[str, object] | None = None,
        anonymous: bool | None = None,
        service_account_issuer: str | None = None,
        client_ca: str | Path | None = None,
        admission_plugins: Sequence[str] = (),
        anonymous_admin: bool = False,
        audit_log: str | Path | None = None,
        audit_policy: str | Path | Mapping[str, object] | None = None,
    ) -> None:
        """Besides the administrator, whose credentials are in the data dir, callers are known by:

        - `static_tokens`, a CSV file of `token,user,uid,"group1,group2"`;
        - `authentication_config`, the issuers of an `AuthenticationConfiguration` of upstream, in a file or
          as plain data;
        - `client_ca`, a PEM file of authorities whose client certificates are taken, besides those of the
          server's own;
        - tokens of service accounts, which are issued in the name of `service_account_issuer`, or kubeadm's.

        Requests without credentials are served as `system:anonymous`, unless `anonymous` is False.

        What they may is decided by RBAC. With `anonymous_admin` nothing is asked of anybody: whoever reaches
        the port is an administrator. `admission_plugins` are those of upstream's that are off by default and
        wanted, or that belong to a cluster with controllers; see `admission.plugins`. Raises UnknownPlugin.

        `audit_log` is a file to which a line of JSON is appended for each request, in upstream's form. What
        is told of which is said by `audit_policy`, a `Policy` of `audit.k8s.io/v1` in a file or as plain
        data; without one, of each request its metadata, when it has been answered. Raises ServerError when
        there is a policy without a log.

        A data dir that has lost acknowledged writes is refused at the start, with StorageDamaged. With
        `accept_data_loss` the server goes on with what is readable, logs what was lost, and uses no revision
        twice. A data dir that everyone may write to is refused, with StorageUnusable, unless
        `insecure_data_dir`.
        """
        if audit_policy is not None and audit_log is None:
            raise ServerError("there is an audit policy but no audit log; name its file with --audit-log")
        self._audit_log: Final = None if audit_log is None else Path(audit_log)
        self._audit_policy: Final = audit_policy
        check_plugin_names(admission_plugins)
        self._admission_plugins: Final = tuple(admission_plugins)
        self._anonymous_admin: Final = anonymous_admin
        self._port: Final = port
        self._data_dir: Final = None if data_dir is None else Path(data_dir)
        self._accept_data_loss: Final = accept_data_loss
        self._insecure_data_dir: Final = insecure_data_dir
        self._wanted_kubeconfig: Final = None if kubeconfig is None else Path(kubeconfig)
        self._authentication: Final = AuthenticationOptions(
            static_tokens=None if static_tokens is None else Path(static_tokens),
            configuration=authentication_config,
            anonymous=anonymous,
            issuer=service_account_issuer or ISSUER,
        )
        self._client_ca: Final = None if client_ca is None else Path(client_ca)
        self._authority_key: bytes | None = None
        self._stack: AsyncExitStack | None = None
        self._ready = False
        self._handle: Handle
        self._arrivals: Final = Arrivals()
        self._auditor: Auditor | None = None
        self.url = ""
        self.token = ""
        self.kubeconfig = ""
        self.ca_file = ""
        self.client_cert_file = ""
        self.client_key_file = ""
        self.registry: Registry
        self.connections: Connections
        """The logs that are followed and the commands that run."""
        self.kubelets: Kubelets | None = None
        """Those of the nodes, where there are any in this process: they serve logs and run commands."""

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

    def issue_client_certificate(
        self,
        name: str,
        groups: Sequence[str] = (),
        *,
        uid: str = "",
        lifetime: timedelta = timedelta(days=365),
    ) -> KeyPair:
        """A client certificate, and its key, by which this server knows somebody. Raises ServerError."""
        if self._stack is None:
            raise ServerError("the server does not run; it issues certificates while it does")
        if self._authority_key is None:
            raise ServerError(
                "the data dir is of an older version, which did not keep the key of its authority; "
                "remove its folder pki to get new credentials, with which certificates can be issued"
            )
        if not name:
            raise ServerError("a client certificate without a name is nobody's; say who it is for")
        if isinstance(groups, str):
            raise ServerError(f"the groups of a client certificate are a list; write [{groups!r}]")
        return issue_client_certificate(self._authority_key, name, groups=groups, uid=uid, lifetime=lifetime)

    def loopback(self, user: Callable[[], User]) -> Loopback:
        """A door for what runs in this process and is trusted; `user` says on whose behalf a request is."""
        from kubewright.server.loopback import Loopback  # noqa: PLC0415 - servers without controllers need none

        return Loopback(self._handle, user, self._arrivals, self._auditor)

    async def _start(self, stack: AsyncExitStack) -> None:
        storage = await self._open_storage(stack)
        folder = self._data_dir or Path(stack.enter_context(_folder()))
        credentials = load_credentials(folder / "pki", _HOSTS, durable=self._data_dir is not None)
        rbac = RBAC(storage)
        stack.callback(rbac.close)
        authorizer: Authorizer = EverybodyMay() if self._anonymous_admin else rbac
        # The plugins are filled in below: some of them look into the registry.
        admission: list[Admission] = [
            CreateOnUpdate(authorizer),
            DefinitionLifecycle(),
            NamespaceLifecycle(storage),
        ]
        self.registry = Registry(storage, admission=admission)
        webhooks = AdmissionWebhooks(self.registry, authorizer)
        stack.push_async_callback(webhooks.close)
        policies = AdmissionPolicies(self.registry, authorizer)
        stack.callback(policies.close)
        # In upstream's order.
        admission += chosen_plugins(authorizer, self.registry, self._admission_plugins)
        admission += [policies.mutating, webhooks.mutating, policies.validating, webhooks.validating]
        if not self._anonymous_admin:
            # After all that may change an object.
            admission.append(EscalationCheck(rbac))
        definitions = Definitions(self.registry)
        stack.push_async_callback(definitions.close)
        await definitions.load()
        openapi = OpenAPI(lambda: self.registry.served, lambda: definitions.objects)
        authentication = build(self._authentication, credentials, self.registry)
        if authentication.issuers is not None:
            stack.push_async_callback(authentication.issuers.close)
        documents = Documents(
            self.registry,
            openapi,
            authentication.key,
            issuer=authentication.issuer,
            address=self._address,
            ready=lambda: self._ready,
        )
        await bootstrap_namespaces(self.registry)
        policy = BootstrapPolicy(self.registry)
        await policy.create_missing()
        tasks = await stack.enter_async_context(_Background())
        tasks.start(_repeat(Compactor(storage).tick))
        tasks.start(_repeat(EventExpiry(self.registry).tick))
        tasks.start(definitions.run())
        tasks.start(policies.keep_status(openapi))
        tasks.start(policy.run())
        if authentication.issuers is not None:
            tasks.start(authentication.issuers.run())
        authenticator: Authenticator = authentication.authenticator
        if self._anonymous_admin:
            authenticator = EverybodyIsAdministrator(authenticator)
            _log.warning(_EVERYBODY)
        access = Access(authenticator, authorizer)
        await self._listen(
            stack,
            credentials,
            documents,
            access,
            endpoints(
                TokenRequests(authentication.key, authentication.issuer),
                AccessReviews(authorizer),
                authenticator,
                self._connected(authorizer),
            ),
        )
        tasks.start(bootstrap_rest(self.registry, port=int(self.url.rpartition(":")[2])))
        files = write_files(folder / "pki", self.url, credentials, kubeconfig=self._kubeconfig_path(folder))
        self.token = credentials.token
        self._authority_key = credentials.authority_key
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

            storage = await SQLiteStorage.open(
                self._data_dir,
                accept_data_loss=self._accept_data_loss,
                allow_insecure=self._insecure_data_dir,
            )
        stack.push_async_callback(storage.close)
        return storage

    async def _listen(
        self,
        stack: AsyncExitStack,
        credentials: Credentials,
        documents: Documents,
        access: Access,
        particular: Mapping[tuple[str, str, str], Endpoint],
    ) -> None:
        async def handle(call: Call) -> Reply:
            if call.info.is_resource_request:
                return await handle_resource(call, self.registry, particular)
            return documents.handle(call)

        self._handle = handle
        # The first that needs aiohttp, which whoever starts a server may load meanwhile: see `preload`.
        from kubewright.server.listener import listen, ssl_context  # noqa: PLC0415

        context = ssl_context(credentials, self._client_authorities())
        self._auditor = auditor = await self._open_auditor(stack)
        try:
            port = await listen(
                stack,
                handle,
                access,
                context,
                host=HOST,
                port=self._port,
                arrivals=self._arrivals,
                auditor=auditor,
            )
        except OSError as error:
            raise ServerError(
                f"port {self._port} cannot be used ({error.strerror or error}); name another, or 0 for any"
            ) from None
        # Before the connections are cut, so that streams have their proper end.
        stack.callback(self.registry.end_watches)
        stack.callback(self.connections.end)
        self.url = f"https://{HOST}:{port}"

    def _connected(self, authorizer: Authorizer) -> Connections:
        self.connections = Connections(authorizer, lambda: self.kubelets)
        return self.connections

    async def _open_auditor(self, stack: AsyncExitStack) -> Auditor | None:
        if self._audit_log is None:
            return None
        from kubewright.server.audit import open_auditor  # noqa: PLC0415 - most servers have none

        return await open_auditor(stack, self._audit_log, self._audit_policy)

    def _client_authorities(self) -> str:
        """The authorities, besides the server's own, whose certificates callers may show, in PEM."""
        if self._client_ca is None:
            return ""
        try:
            return self._client_ca.read_text()
        except (OSError, UnicodeDecodeError) as error:
            why = getattr(error, "strerror", None) or "it is no text"
            raise ServerError(f"the client CA {self._client_ca} cannot be read: {why}") from None

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


async def _repeat(tick: Callable[[], Awaitable[None]]) -> None:
    """Have what is old forgotten, again and again."""
    while True:
        await asyncio.sleep(INTERVAL)
        await tick()


def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="kubewright-", ignore_cleanup_errors=True)
