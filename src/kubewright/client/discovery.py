"""`Discovery`: what a server serves, asked once and kept."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from kubewright.client.request import Request
from kubewright.client.sender import Sender
from kubewright.client.served import Served, ServedGroup, ServedResource, ServedSubresource
from kubewright.config.config import without_password
from kubewright.config.renewal import Renewal
from kubewright.machinery.errors import (
    DecodeError,
    KubewrightError,
    NotFound,
    ServiceUnavailable,
    TransportError,
)
from kubewright.machinery.gvk import GroupVersion
from kubewright.machinery.paths import group_version_path
from kubewright.machinery.status import Status

if TYPE_CHECKING:
    from kubewright.client.discovery_documents import Group

__all__ = ["Discovery", "Served", "ServedGroup", "ServedResource", "ServedSubresource"]

T = TypeVar("T")

GROUP_TIMEOUT: Final = 10.0
"""Seconds for the document of one group-version in the old form. It is small, and all that asks for anything
waits for the slowest; client-go gives each 32."""

_BETWEEN_MISSES: Final = 1.0
"""Seconds between two fetches for the same name that is not there."""

_MAX_MISSED: Final = 1000
"""How many missed names are remembered, so that they take no memory without end."""


class Discovery:
    """What one API server serves; kept in memory from the first question on.

    The server is asked again when something is looked up that was not there, so that a custom resource that
    was defined a moment ago is found; for one name at most once a second, for which the lookup waits. However
    many ask at once, one fetch goes to the server, and what a lookup says is not there was not there after
    the lookup began. What has gone from the server stays here until the next fetch.

    A group whose server does not answer takes nothing from the rest: its resources are missing, and `failed`
    says why. Methods raise ApiError and TransportError when the server does not say what it serves at all.
    """

    def __init__(
        self,
        sender: Sender,
        *,
        group_timeout: float = GROUP_TIMEOUT,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._sender: Final = sender
        self._group_timeout: Final = group_timeout
        self._clock: Final = clock
        self._sleep: Final = sleep
        self._fetches: Final = Renewal(self._fetch)
        self._started = 0
        self._last: tuple[int, Served] = (0, Served((), {}))
        """The number of the last fetch that succeeded, and what it found."""
        self._missed: Final[dict[Hashable, tuple[float, int]]] = {}
        """When the server was last asked about what was not there, and by which fetch."""

    @property
    def server(self) -> str:
        """The URL of the server, for messages."""
        return without_password(self._sender.config.server)

    @property
    def failed(self) -> Mapping[GroupVersion, KubewrightError]:
        """The group-versions that the server could not tell about at the last fetch, with the reason."""
        return self._last[1].failed

    async def groups(self) -> Sequence[ServedGroup]:
        """All groups, the core group first."""
        return (await self.served()).groups

    async def resources(self, *, preferred: bool = False) -> Sequence[ServedResource]:
        """All resources in all versions, or with `preferred` each one once, in the version to use."""
        served = await self.served()
        return served.preferred_resources() if preferred else served.resources()

    async def preferred_version(self, group: str) -> str | None:
        """The version to use of a group; None when the server has no such group."""

        def preferred(served: Served) -> str | None:
            return next((each.preferred for each in served.groups if each.name == group), None) or None

        return await self.find(preferred, key=("group", group))

    async def served(self) -> Served:
        """All at once, as it was at the last fetch."""
        return await self._since(1)

    async def refresh(self) -> Served:
        """Ask the server now; what is returned was served after this call."""
        return await self._since(self._started + 1)

    async def find(self, lookup: Callable[[Served], T | None], *, key: Hashable) -> T | None:
        """What `lookup` finds, if need be after asking the server again; None when it is not there.

        `key` tells what is looked up from other things; see the class for how often the server is asked.
        """
        fresh = self._started + 1
        found = lookup(await self.served())
        if found is None:
            await self._pause(key, fresh)
            found = lookup(await self._since(fresh))
        return found

    async def _pause(self, key: Hashable, fresh: int) -> None:
        """Wait until the server may be asked about the same thing again, by the fetch of that number."""
        asked, number = self._missed.get(key, (0.0, 0))
        wait = asked + _BETWEEN_MISSES - self._clock()
        # Where somebody else has it fetched already, and late enough, there is nothing to wait for.
        if 0 < number < fresh and wait > 0:
            await self._sleep(wait)
        if len(self._missed) >= _MAX_MISSED:
            self._missed.clear()
        self._missed[key] = (self._clock(), fresh)

    async def _since(self, number: int) -> Served:
        """What a fetch of this number or a later one has found."""
        while self._last[0] < number:
            # The one that is joined may have begun too early; then there is another one.
            await self._fetches.done()
        return self._last[1]

    async def _fetch(self) -> None:
        self._started += 1
        number = self._started
        try:
            async with asyncio.TaskGroup() as tasks:
                roots = [tasks.create_task(self._root(path)) for path in ("/api", "/apis")]
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from None
        failures: dict[GroupVersion, KubewrightError] = {}
        async with asyncio.TaskGroup() as tasks:
            groups = [
                tasks.create_task(self._group(group, failures)) for root in roots for group in root.result()
            ]
        self._last = (number, Served([task.result() for task in groups], dict(sorted(failures.items()))))

    async def _root(self, path: str) -> Sequence[Group]:
        """The groups of `/api` or `/apis`. Raises TransportError for what is no document of discovery."""
        from kubewright.client.discovery_documents import ACCEPT, read_root  # noqa: PLC0415 - as below

        try:
            response = await self._sender.send(Request(method="GET", path=path, accept=ACCEPT))
        except NotFound:
            if path == "/api":
                return ()  # servers of aggregated groups have no core group
            raise
        try:
            return read_root(response.body)
        except DecodeError as error:
            raise TransportError(
                f"{self.server}{path} does not answer as an API server does: {error}; is that its URL?"
            ) from None

    async def _group(self, group: Group, failures: dict[GroupVersion, KubewrightError]) -> ServedGroup:
        """One group with its resources; the versions that could not be read are put into `failures`."""
        resources = group.resources
        if resources is None:
            resources = await self._documents(group, failures)
        else:
            for version in group.versions:
                if version not in resources:
                    failures[GroupVersion(group.name, version)] = _stale()
        listed = tuple(each for version in group.versions for each in resources.get(version, ()))
        preferred = group.preferred if group.preferred in resources else next(iter(resources), "")
        return ServedGroup(group.name, tuple(group.versions), preferred, listed)

    async def _documents(
        self, group: Group, failures: dict[GroupVersion, KubewrightError]
    ) -> dict[str, list[ServedResource]]:
        """The resources by version, in the old form."""
        async with asyncio.TaskGroup() as tasks:
            documents = {
                version: tasks.create_task(self._document(GroupVersion(group.name, version), failures))
                for version in group.versions
            }
        found = {version: task.result() for version, task in documents.items()}
        return {version: resources for version, resources in found.items() if resources is not None}

    async def _document(
        self, group_version: GroupVersion, failures: dict[GroupVersion, KubewrightError]
    ) -> list[ServedResource] | None:
        # Not loaded by programs that use typed kinds alone, which never come here.
        from kubewright.client.discovery_documents import read_resources  # noqa: PLC0415

        try:
            request = Request(method="GET", path=group_version_path(group_version))
            response = await self._sender.send(request, within=self._group_timeout)
            return read_resources(response.body, group_version)
        except NotFound:
            return None  # it has gone since the groups were listed, as those of custom resources do
        except KubewrightError as error:
            failures[group_version] = error
            return None


def _stale() -> ServiceUnavailable:
    message = "the API server cannot reach the server behind it; its APIService says why"
    return ServiceUnavailable(
        Status(status="Failure", code=503, reason="ServiceUnavailable", message=message)
    )
