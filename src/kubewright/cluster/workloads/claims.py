"""Who belongs to a controller: what matches its selector is adopted, and what does not is released."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, Final, TypeVar

from kubewright.controllers.owners import controller_of, owner_reference
from kubewright.machinery.errors import ApiError, Invalid, KubewrightError, NotFound
from kubewright.machinery.resource import Resource

if TYPE_CHECKING:
    from kubewright.client.api import Api
    from kubewright.controllers.context import Context
    from kubewright.machinery.label_selectors import Selector

__all__ = ["Claim", "OwnerGone", "adoption_patch", "claim", "decide", "release_patch"]

K = TypeVar("K", bound=Resource)


class OwnerGone(KubewrightError):
    """Nothing is adopted, since the controller is deleted by now, or replaced by another of its name."""


class Claim(Enum):
    """What is to be done about an object."""

    KEEP = auto()
    """It is the controller's, and matches."""
    ADOPT = auto()
    RELEASE = auto()
    IGNORE = auto()


def decide(owner: Resource, selector: Selector, obj: Resource) -> Claim:
    """What a controller does about an object of its namespace.

    A controller that is being deleted keeps what it has and does nothing else.
    """
    controller = controller_of(obj)
    if controller is not None and controller.uid != owner.metadata.uid:
        return Claim.IGNORE
    matches = selector.matches(obj.metadata.labels)
    if controller is not None and matches:
        return Claim.KEEP
    if owner.metadata.deletion_timestamp is not None:
        return Claim.IGNORE
    if controller is not None:
        return Claim.RELEASE
    return Claim.ADOPT if matches and obj.metadata.deletion_timestamp is None else Claim.IGNORE


def adoption_patch(owner: Resource, obj: Resource) -> dict[str, Any]:
    """A strategic merge patch, which holds for just this object and none that has its name later."""
    reference = owner_reference(owner, controller=True, block_owner_deletion=True)
    return _patch(obj, reference.to_dict())


def release_patch(owner: Resource, obj: Resource) -> dict[str, Any]:
    """The opposite of `adoption_patch`."""
    return _patch(obj, {"$patch": "delete", "uid": owner.metadata.uid})


async def claim(
    ctx: Context, owner: Resource, selector: Selector, objects: Iterable[K], api: Api[K]
) -> list[K]:
    """The objects that are a controller's, after what has to be adopted or released was.

    `objects` are its own and those without a controller; `api` is that of their namespace. Each is tried,
    then what failed first is raised.
    """
    claimed: list[K] = []
    failures: list[ApiError | OwnerGone] = []
    adoption = _Adoption(ctx, owner)
    for obj in objects:
        match decide(owner, selector, obj):
            case Claim.KEEP:
                claimed.append(obj)
            case Claim.RELEASE:
                try:
                    await _release(owner, obj, api)
                except ApiError as error:
                    failures.append(error)
            case Claim.ADOPT:
                try:
                    claimed.append(await adoption.adopt(obj, api))
                except NotFound:
                    continue
                except (ApiError, OwnerGone) as error:
                    failures.append(error)
            case Claim.IGNORE:
                pass
    if failures:
        raise failures[0]
    return claimed


async def _release(owner: Resource, obj: K, api: Api[K]) -> None:
    try:
        await api.patch(obj.metadata.name, release_patch(owner, obj), type="strategic")
    except (NotFound, Invalid):
        # It is gone, or another one has its name.
        return


class _Adoption:
    """Adopts for one controller, once the server has said that it is still there."""

    def __init__(self, ctx: Context, owner: Resource) -> None:
        self._ctx: Final = ctx
        self._owner: Final = owner
        self._may = False

    async def adopt(self, obj: K, api: Api[K]) -> K:
        if not self._may:
            await self._check()
            self._may = True
        return await api.patch(obj.metadata.name, adoption_patch(self._owner, obj), type="strategic")

    async def _check(self) -> None:
        """Ask the server: the cache may not know yet that the controller is being deleted."""
        owner = self._owner.metadata
        api = self._ctx.client.uncached.api(type(self._owner), owner.namespace)
        try:
            fresh = await api.get(owner.name)
        except NotFound:
            raise OwnerGone(f"{self._owner} is gone, so it adopts nothing") from None
        if fresh.metadata.uid != owner.uid:
            raise OwnerGone(f"{self._owner} was replaced by another one, so it adopts nothing")
        if fresh.metadata.deletion_timestamp is not None:
            raise OwnerGone(f"{self._owner} is being deleted, so it adopts nothing")


def _patch(obj: Resource, reference: Mapping[str, Any]) -> dict[str, Any]:
    return {"metadata": {"ownerReferences": [reference], "uid": obj.metadata.uid}}
