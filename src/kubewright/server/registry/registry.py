"""All resources that a server serves, built-in and custom, and the stores of their objects."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING, Final

from kubewright.server.large_requests import LargeRequests
from kubewright.server.registry.builtin import BuiltinType, builtin_type
from kubewright.server.registry.resource import ServedResource, builtin_resources
from kubewright.server.registry.resource_type import REGISTRY_ROOT, ResourceType
from kubewright.server.registry.services import ServiceReservations
from kubewright.server.registry.store import Store
from kubewright.server.storage import Storage

if TYPE_CHECKING:
    from kubewright.server.admission import Admission

__all__ = ["Registry"]


class Registry:
    """The stores of all resources, by group, version and resource.

    Built-in resources are there from the start; custom ones come and go with `serve` and `withdraw`, and
    `generation` counts how often, so that what is made from `served` can be made anew.
    """

    def __init__(
        self,
        storage: Storage,
        *,
        admission: Sequence[Admission] = (),
    ) -> None:
        self.storage: Final = storage
        self.generation = 0
        self.large_requests: Final = LargeRequests()
        self._admission: Final = admission
        self._random: Final = Random()  # noqa: S311 - for names and uids that need to be unique, not secret
        self._stores: Final[dict[tuple[str, str, str], Store]] = {}
        self._builtin: Final[list[ServedResource]] = []
        self._custom: Final[dict[tuple[str, str, str], ServedResource]] = {}
        self._versions: Final[dict[str, list[ResourceType]]] = {}
        self._versions_at = -1
        self._add_builtin()

    def find(self, group: str, version: str, resource: str) -> Store | None:
        """The store of a resource; None when it is not served."""
        return self._stores.get((group, version, resource))

    @property
    def served(self) -> list[ServedResource]:
        """What is served, built-in resources first."""
        return [*self._builtin, *self._custom.values()]

    def versions_of(self, resource: ResourceType) -> Sequence[ResourceType]:
        """All versions in which the objects of a resource are served, in the order in which they came."""
        if self._versions_at != self.generation:
            self._versions.clear()
            for store in self._stores.values():
                self._versions.setdefault(store.type.prefix, []).append(store.type)
            self._versions_at = self.generation
        return self._versions.get(resource.prefix, ())

    def has_builtin(self, group: str) -> bool:
        """Whether built-in resources of this group are served."""
        return any(served.group == group for served in self._builtin)

    @property
    def groups(self) -> set[str]:
        """The API groups of what is served."""
        return {served.group for served in self.served}

    def serve(self, resource: ResourceType) -> Store:
        """Serve a custom resource, or serve it anew when it has changed."""
        served = resource.served
        place = (served.group, served.version, served.resource)
        store = Store(
            self.storage,
            resource,
            admission=self._admission,
            random=self._random,
            large_requests=self.large_requests,
        )
        before = self._stores.get(place)
        if before is not None:
            store.watches = before.watches
        self._stores[place] = store
        self._custom[place] = served
        self.generation += 1
        return store

    def end_watches(self) -> None:
        """End all watches in an orderly way: their clients see a stream that is complete."""
        for store in self._stores.values():
            for watching in list(store.watches):
                watching.close()

    def withdraw(self, group: str, resource: str, *, keep_versions: Sequence[str] = ()) -> None:
        """Serve a custom resource no more, but for some versions."""
        gone = [
            place
            for place in self._custom
            if place[0] == group and place[2] == resource and place[1] not in keep_versions
        ]
        for place in gone:
            del self._custom[place]
            for watching in list(self._stores.pop(place).watches):
                watching.finish()
        if gone:
            self.generation += 1

    def _add_builtin(self) -> None:
        reservations = {
            ("", "services"): ServiceReservations(self.storage, f"{REGISTRY_ROOT}services/", self._random)
        }
        types: dict[tuple[str, str, str], BuiltinType] = {}
        resources = builtin_resources()
        # Resources that are stored in another version need that one's type first.
        for served in sorted(resources, key=_is_converted):
            place = (served.group, served.version, served.resource)
            types[place] = builtin_type(served, types)
            self._stores[place] = Store(
                self.storage,
                types[place],
                admission=self._admission,
                random=self._random,
                reservations=reservations.get((served.group, served.resource)),
                large_requests=self.large_requests,
            )
        self._builtin.extend(resources)


def _is_converted(served: ServedResource) -> bool:
    place = (served.group, served.version, served.resource)
    return place in {
        ("autoscaling", "v1", "horizontalpodautoscalers"),
        ("events.k8s.io", "v1", "events"),
    }
