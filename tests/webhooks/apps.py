"""A custom kind, and a cluster that asks webhooks about it for as long as a test lasts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Annotated, Any
from uuid import uuid4

from kubewright import (
    AlreadyExists,
    ApiError,
    Client,
    Field,
    LabelSelector,
    Resource,
    Struct,
    custom_resource,
)
from kubewright.client.sender import Hooks
from kubewright.models.apiextensions_v1 import CustomResourceDefinition
from kubewright.models.core_v1 import ConfigMap, Namespace
from kubewright.webhooks import Review, WebhookServer, defaulting, install, uninstall, validating
from tests.conformance.client import ServerUnderTest
from tests.informers.faults.connecting import discovered

__all__ = ["App", "AppSpec", "AppStatus", "InCluster", "app", "call", "connected", "run_in", "until"]


class AppSpec(Struct):
    replicas: int | None = None
    image: str = ""
    args: list[str] = []
    labels: dict[str, str] = {}


class AppStatus(Struct):
    ready: int = 0


@custom_resource(group="webhooks.example.com", version="v1", subresources=["status"])
class App(Resource):
    spec: Annotated[AppSpec, Field(preserve_unknown_fields=True)]
    status: AppStatus | None = None


def app(name: str = "web", **spec: Any) -> dict[str, Any]:
    metadata = {"name": name}
    return {"apiVersion": "webhooks.example.com/v1", "kind": "App", "metadata": metadata, "spec": spec}


class InCluster:
    """A client on a namespace of its own, and the warnings that the server gave it."""

    def __init__(self, client: Client, namespace: str, warnings: list[str]) -> None:
        self.client = client
        self.namespace = namespace
        self.warnings = warnings
        self.apps = client.api(App, namespace)
        self.plain = client.dynamic(App.gvk.api_version, "App", namespace)

    @asynccontextmanager
    async def asking(self, *functions: Any, **options: Any) -> AsyncIterator[WebhookServer]:
        """The API server asks these functions until the block is left."""
        async with WebhookServer(**options) as webhooks:
            for each in functions:
                webhooks.add(each)
            async with self.asked(webhooks):
                yield webhooks

    @asynccontextmanager
    async def asked(self, webhooks: WebhookServer) -> AsyncIterator[None]:
        """The API server asks these webhooks until the block is left."""
        called = self._add_probes(webhooks)
        name = f"{self.namespace}.example.com"
        for each in await install(self.client, webhooks, name=name):
            assert each.metadata.name == name
        try:
            # Servers hear of configurations a moment after they are written.
            while len(called) < 2:
                await self.client.api(ConfigMap, self.namespace).create(
                    {"metadata": {"name": "a"}}, dry_run=True
                )
                await asyncio.sleep(0.02)
            self.warnings.clear()
            yield
        finally:
            await uninstall(self.client, name=name)

    def _add_probes(self, webhooks: WebhookServer) -> set[str]:
        """Functions in both configurations that note that they were called."""
        called: set[str] = set()
        here = LabelSelector(match_labels={"kubernetes.io/metadata.name": self.namespace})

        @defaulting(ConfigMap, namespace_selector=here)
        async def mutating(review: Review[ConfigMap]) -> None:
            called.add("mutating")

        @validating(ConfigMap, namespace_selector=here)
        async def checking(review: Review[ConfigMap]) -> None:
            called.add("validating")

        webhooks.add(mutating)
        webhooks.add(checking)
        return called


@asynccontextmanager
async def connected(server: ServerUnderTest) -> AsyncIterator[InCluster]:
    warnings: list[str] = []
    async with Client(server.config, hooks=Hooks(warning=warnings.append)) as client:  # type: ignore[attr-defined]
        definitions = client.api(CustomResourceDefinition)
        with suppress(AlreadyExists):
            await definitions.create(App.crd())
        await definitions.wait_for("apps.webhooks.example.com", "Established", timeout=60)
        await discovered(client, App.gvk)
        namespace = f"hooks-{uuid4().hex[:8]}"
        await client.api(Namespace).create({"metadata": {"name": namespace}})
        yield InCluster(client, namespace, warnings)


def run_in(
    server: ServerUnderTest, test: Callable[[InCluster], Awaitable[None]], within: float = 180
) -> None:
    async def ran() -> None:
        async with asyncio.timeout(within), connected(server) as cluster:
            await test(cluster)

    asyncio.run(ran())


async def call(work: Awaitable[Any]) -> ApiError:
    """The refusal of a call that must be refused."""
    try:
        done = await work
    except ApiError as error:
        return error
    raise AssertionError(f"it was allowed: {done}")


async def until(done: Callable[[], bool]) -> None:
    """Wait for something of which nobody tells; tests end when it takes too long."""
    while not done():  # noqa: ASYNC110 - see above
        await asyncio.sleep(0.01)
