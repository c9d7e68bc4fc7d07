"""What an operator's `setup` function declares, without running any of it.

    def setup(manager: Manager) -> None:
        manager.controller(CustomPod, reconcile, owns=[Pod])
        manager.webhook(check)

`kubewright manifests` hands it `Declarations`, which has the same methods as a manager and keeps what it is
told; the rights that such an operator needs follow from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar

import msgspec

from kubewright.controllers.rbac import Permission, allow
from kubewright.controllers.registration import check_lists
from kubewright.machinery.errors import DeclarationError

if TYPE_CHECKING:
    from kubewright.machinery.resource import Resource

__all__ = ["Declarations", "DeclaredCluster", "DeclaredController"]

F = TypeVar("F", bound=Callable[..., object])

_READ: Final = ("get", "list", "watch")
_OWNED: Final = ("get", "list", "watch", "create", "update", "patch", "delete")
_STATUS: Final = ("get", "update", "patch")
_LEASE: Final = ("get", "create", "update")
"""What `leader_election.Elector` does. It records no events, for which kubebuilder's role has rights too."""


class DeclaredController(msgspec.Struct, frozen=True, kw_only=True):
    """One controller: the kind that it reconciles, what it owns and what else it watches."""

    kind: type[Resource]
    reconcile: object
    owns: tuple[type[Resource], ...]
    watches: tuple[type[Resource], ...]
    """Those of the manager's own cluster."""
    elsewhere: bool = False
    """Whether the kind, and what it owns, is in another cluster than the manager's own."""
    mappings: tuple[tuple[type[Resource], object], ...] = ()
    """The functions of `watches` that give requests, with the kinds of the objects that they get."""
    functions: tuple[object, ...] = ()
    """The other functions that it calls: predicates."""

    def usual_permissions(self) -> list[Permission]:
        """The rights on its kind and on what it owns that most controllers need, whatever their code is."""
        if self.elsewhere:
            return []
        usual = [allow(self.kind, verbs=("update",), subresource="finalizers")]
        if has_status(self.kind):
            usual.append(allow(self.kind, verbs=_STATUS, subresource="status"))
        return usual + [allow(owned, verbs=_OWNED) for owned in self.owns]


class DeclaredCluster(msgspec.Struct, frozen=True):
    """Stands in for a `ManagedCluster`; rights in another cluster are granted there, and not by manifests."""

    name: str

    def index(self, kind: type[Resource], functions: object) -> None:
        """Pass over indexes."""


class Declarations:
    """Stands in for a manager when only what is declared matters: it starts nothing and has no cluster.

    What needs a cluster raises DeclarationError, which tells where such code belongs.
    """

    def __init__(self) -> None:
        self.controllers: Final[list[DeclaredController]] = []
        self.indexed: Final[list[type[Resource]]] = []
        self.webhooks: Final[list[Callable[..., object]]] = []
        self.runnables: Final[list[Callable[..., object]]] = []
        self._leads = False

    def controller(
        self,
        kind: type[Resource],
        reconcile: object,
        *,
        owns: Sequence[object] = (),
        watches: Sequence[object] = (),
        predicates: Sequence[object] = (),
        cluster: object = "",
        **options: object,
    ) -> None:
        """Keep a controller. Options that change no rights, such as workers, are passed over."""
        check_lists(owns=owns, watches=watches)
        self._leads = True
        kinds = [(_kind("watches", _watched(each)), _cluster(each, cluster)) for each in watches]
        self.controllers.append(
            DeclaredController(
                kind=_kind("controller", kind),
                reconcile=reconcile,
                owns=tuple(_kind("owns", _watched(each)) for each in owns),
                watches=tuple(watched for watched, where in kinds if not where),
                elsewhere=bool(_cluster(None, cluster)),
                mappings=tuple(
                    (kind, mapping)
                    for (kind, _), each in zip(kinds, watches, strict=True)
                    if (mapping := getattr(each, "mapping", None)) is not None
                ),
                functions=(
                    *predicates,
                    *(test for each in (*owns, *watches) for test in getattr(each, "predicates", ())),
                ),
            )
        )

    def cluster(
        self, client: object, *, name: str, namespaces: object = (), uncached: object = ()
    ) -> DeclaredCluster:
        """Something to be given as `cluster=`: what is there needs no rights here."""
        return DeclaredCluster(name)

    def webhook(self, function: F) -> F:
        """Keep a function that `@defaulting` or `@validating` declared."""
        if not hasattr(function, "__kubewright_webhook__"):
            shown = getattr(function, "__qualname__", repr(function))
            raise DeclarationError(
                f"webhook({shown}): it is no webhook; decorate it with @defaulting(Kind) or @validating(Kind)"
            )
        self.webhooks.append(function)
        return function

    def index(self, kind: type[Resource], functions: object) -> None:
        """Keep a kind that is cached for its indexes, which is a watch."""
        self.indexed.append(_kind("index", kind))

    def add(self, runnable: F, *, leader: bool = True) -> F:
        """Keep what runs beside the controllers."""
        self._leads = self._leads or leader
        self.runnables.append(runnable)
        return runnable

    def add_health_check(self, name: str, check: object) -> None:
        """Pass over a check, which needs no rights."""

    def add_ready_check(self, name: str, check: object) -> None:
        """Pass over a check, which needs no rights."""

    def permissions(self) -> list[Permission]:
        """The rights that the controllers need whatever their code does: for their caches, and for events."""
        found = [each for controller in self.controllers for each in _needed(controller)]
        found += [allow(kind, verbs=_READ) for kind in self.indexed]
        if any(not each.elsewhere for each in self.controllers):
            found.append(Permission(groups=("",), resources=("events",), verbs=("create", "patch")))
        return found

    def leader_election(self) -> list[Permission]:
        """The rights to be elected, in the operator's own namespace, which only its deployment knows.

        Whether there is an election is not said in `setup`; there is none where nothing waits to lead.
        """
        if not self._leads:
            return []
        return [Permission(groups=("coordination.k8s.io",), resources=("leases",), verbs=_LEASE)]

    if not TYPE_CHECKING:  # so that type checkers still find what is misspelt

        def __getattr__(self, name: str) -> NoReturn:
            if name.startswith("__"):
                raise AttributeError(name)
            raise DeclarationError(
                f"the setup function uses manager.{name}, but there is no cluster while manifests are made; "
                "declare controllers and webhooks there, and use the rest in a reconcile function"
            )


def _needed(controller: DeclaredController) -> Iterator[Permission]:
    for watched in controller.watches:
        yield allow(watched, verbs=_READ)
    if controller.elsewhere:
        return
    for kind in (controller.kind, *controller.owns):
        yield allow(kind, verbs=_READ)


def has_status(kind: type[Resource]) -> bool:
    """Whether a server has `/status` for the kind: by its declaration, or among the built-in ones."""
    declared: Any = getattr(kind, "__custom_resource__", None)
    if declared is not None:
        return "status" in declared.version.subresources
    from kubewright.models.served import RESOURCES  # noqa: PLC0415 - large, and for built-in kinds only

    place = (kind.gvk.api_version, kind.gvr.resource)
    return any(
        sub.name == "status"
        for row in RESOURCES
        if (row.api_version, row.plural) == place
        for sub in row.subresources
    )


def _watched(entry: object) -> object:
    """The kind of an entry of `owns` or `watches`: it itself, or that of a `Source`."""
    return entry if isinstance(entry, type) else getattr(entry, "kind", entry)


def _cluster(source: object, default: object) -> str:
    """The name of the cluster of a source, or of its controller; empty for the manager's own."""
    found = getattr(source, "cluster", None)
    found = default if found is None else found
    return found if isinstance(found, str) else str(getattr(found, "name", ""))


def _kind(option: str, value: Any) -> type[Resource]:
    if not isinstance(value, type) or not hasattr(value, "gvr"):
        shown = getattr(value, "__name__", repr(value))
        raise DeclarationError(
            f"{option} has {shown}, which is no kind of the API; give a class such as Pod, or one with "
            "@custom_resource"
        )
    found: type[Resource] = value
    return found
