"""What a manager serves to those who look after it: `/metrics`, `/healthz` and `/readyz`."""

from __future__ import annotations

from contextlib import AsyncExitStack
from functools import cached_property
from typing import TYPE_CHECKING, Final

from kubewright.controllers.exposition import Numbers, new_registry, rendered
from kubewright.controllers.http import Address, Answer, HttpServer, parse_address
from kubewright.controllers.probes import Checks, shown

if TYPE_CHECKING:
    from aiohttp import web
    from prometheus_client import CollectorRegistry

__all__ = ["Serving"]

_OFF: Final = "0"
"""The address that serves nothing, as for controller-runtime."""


class Serving:
    """The checks and the metrics of a manager, and the servers that tell of them, one for each address."""

    def __init__(self, numbers: Numbers, *, metrics_address: str, health_address: str) -> None:
        """An empty address, or "0", serves nothing. Raises ValueError for what is none."""
        self._numbers: Final = numbers
        self.health: Final = Checks("healthz")
        self.ready: Final = Checks("readyz")
        self.health.add("ping", lambda: None)
        servers: dict[Address, HttpServer] = {}
        self._metrics_server: Final = _server(servers, metrics_address, "metrics_address")
        self._health_server: Final = _server(servers, health_address, "health_address")
        self._servers: Final = list(servers.values())

    @cached_property
    def registry(self) -> CollectorRegistry:
        """The metrics; made when somebody first asks, since what makes it takes its time to load."""
        return new_registry(self._numbers)

    @property
    def metrics_address(self) -> str:
        """Where metrics are served, with the port that was found; empty when they are not."""
        return str(self._metrics_server.address) if self._metrics_server is not None else ""

    @property
    def health_address(self) -> str:
        """Where probes are answered, with the port that was found; empty when they are not."""
        return str(self._health_server.address) if self._health_server is not None else ""

    async def start(self, stack: AsyncExitStack) -> None:
        """Serve until the stack is left. Raises ListenError."""
        if self._metrics_server is not None:
            registry = self.registry
            self._metrics_server.add("/metrics", lambda rest, _: _metrics(registry, rest))
        if self._health_server is not None:
            self._health_server.add("/healthz", lambda rest, request: _probe(self.health, rest, request))
            self._health_server.add("/readyz", lambda rest, request: _probe(self.ready, rest, request))
        for server in self._servers:
            await stack.enter_async_context(server)


def _server(servers: dict[Address, HttpServer], text: str, option: str) -> HttpServer | None:
    if text in ("", _OFF):
        return None
    address = parse_address(text, option)
    return servers.setdefault(address, HttpServer(address, option))


async def _metrics(registry: CollectorRegistry, rest: str) -> Answer | None:
    return Answer(200, *rendered(registry)) if not rest else None


async def _probe(checks: Checks, name: str, request: web.BaseRequest) -> Answer | None:
    """The answer to a probe: of all checks, or of one, which says why it fails."""
    if name:
        if name not in checks:
            return None
        (result,) = await checks.run(only=[name])
        if result.failure:
            return Answer(500, f"internal server error: {result.failure}\n".encode())
        return Answer(200, b"ok")
    exclude = request.query.getall("exclude", [])
    results = await checks.run(exclude=exclude)
    failed = any(each.failure for each in results)
    if not failed and "verbose" not in request.query:
        return Answer(200, b"ok")
    unknown = [each for each in exclude if each not in checks]
    return Answer(500 if failed else 200, shown(checks.title, results, unknown).encode())
