"""Serving what CustomResourceDefinitions define, as they come, change and go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubewright.server.kinds.kind import Object
from kubewright.server.registry.registry import Registry

if TYPE_CHECKING:
    from kubewright.server.customresources.controller import DefinitionController

__all__ = ["Definitions"]


class Definitions:
    """Keeps the registry in step with the stored definitions.

    `load` serves what is there, at the start; `run` then follows every change until it is cancelled. Close it
    with `close`.
    """

    def __init__(self, registry: Registry) -> None:
        self._registry: Final = registry
        self._from = 0
        store = registry.find("apiextensions.k8s.io", "v1", "customresourcedefinitions")
        assert store is not None  # noqa: S101 - built in
        self._store: Final = store
        self._made: DefinitionController | None = None

    @property
    def objects(self) -> list[Object]:
        """The definitions, as they are stored."""
        return [] if self._made is None else self._made.objects

    async def load(self) -> None:
        """Serve what is stored."""
        page = self._store.storage.list(self._store.type.prefix)
        self._from = page.revision
        if page.entries:
            self._controller().load(page)

    async def run(self) -> None:
        """Follow the definitions as they come, change and go."""
        try:
            if self._made is not None:
                await self._made.reconcile()
            with self._store.storage.watch(self._store.type.prefix, after_revision=self._from) as events:
                async for batch in events:
                    for event in batch:
                        await self._controller().follow(event)
        finally:
            if self._made is not None:
                await self._made.stop()

    async def close(self) -> None:
        """Close the connections to conversion webhooks."""
        if self._made is not None:
            await self._made.close()

    def _controller(self) -> DefinitionController:
        """What does the work, made with the first definition."""
        if self._made is None:
            # The rules of schemas are many modules, which a server without definitions need not wait for.
            from kubewright.server.customresources.controller import DefinitionController  # noqa: PLC0415

            self._made = DefinitionController(self._registry, self._store)
        return self._made
