"""`Mapper`: from kinds, and from what people call them, to where they are served."""

from __future__ import annotations

from typing import Final

from kubewright.client.discovery import Discovery
from kubewright.client.endpoint import Endpoint
from kubewright.client.resource_index import ResourceIndex
from kubewright.client.served import Served, ServedResource
from kubewright.machinery.errors import ApiError, error_from_status, quoted
from kubewright.machinery.gvk import GroupVersionKind, GroupVersionResource, version_sort_key
from kubewright.machinery.status import Status, StatusDetails

__all__ = ["Mapper"]

_MAX_LISTED: Final = 5
"""How many alternatives or failures a message names, so that it stays one sentence."""


class Mapper:
    """Maps kinds to endpoints and names to kinds, by discovery.

    What was not there is asked for again, so that a definition made a moment ago is found. All methods raise
    NotFound when the server has nothing of the kind, which says what it has in its place and which groups
    could not be read, and ApiError and TransportError when the server cannot be asked.
    """

    def __init__(self, discovery: Discovery) -> None:
        self._discovery: Final = discovery
        self._index: ResourceIndex | None = None

    async def endpoint(self, gvk: GroupVersionKind) -> Endpoint:
        """Where a kind is served in this very version."""
        found = await self._discovery.find(lambda served: self._of(served).of_kind(gvk), key=gvk)
        if found is None:
            raise await self._no_kind(gvk)
        return found.endpoint

    async def resource(self, name: str) -> Endpoint:
        """What kubectl means by a name: `pods`, `po`, `Pod`, `deploy.apps`, `widgets.v1.example.com`.

        Where it fits several, the core group wins, then the group that the server lists first, in its
        preferred version. Raises ParseError for the empty name.
        """
        found = await self._discovery.find(
            lambda served: self._of(served).named(name), key=("resource", name)
        )
        if found is None:
            message = (
                f"{self._discovery.server} serves nothing that is called {quoted(name)}; is it spelled as "
                f"kubectl api-resources shows it, and its CustomResourceDefinition installed?"
            )
            raise self._not_found(message, StatusDetails(kind=name))
        return found.endpoint

    async def category(self, name: str) -> list[Endpoint]:
        """The resources of a category such as `all`, each in its preferred version."""

        def members(served: Served) -> list[ServedResource] | None:
            return self._of(served).category(name) or None

        found = await self._discovery.find(members, key=("category", name))
        if found is None:
            message = f"{self._discovery.server} serves nothing of the category {quoted(name)}"
            raise self._not_found(message, StatusDetails(kind=name))
        return [each.endpoint for each in found]

    async def kind_for(self, gvr: GroupVersionResource) -> GroupVersionKind:
        """The kind of the objects of a resource."""
        found = await self._discovery.find(lambda served: self._of(served).of_resource(gvr), key=gvr)
        if found is None:
            where = gvr.group_version.api_version
            message = f"{self._discovery.server} serves no resource {quoted(gvr.resource)} in {where}"
            raise self._not_found(message, StatusDetails(group=gvr.group, kind=gvr.resource))
        return found.gvk

    def _of(self, served: Served) -> ResourceIndex:
        if self._index is None or self._index.served is not served:
            self._index = ResourceIndex(served)
        return self._index

    async def _no_kind(self, gvk: GroupVersionKind) -> ApiError:
        others = self._of(await self._discovery.served()).others_of_kind(gvk.kind)
        same = {each.gvk.version for each in others if each.gvk.group == gvk.group}
        message = f"{self._discovery.server} serves no {gvk.kind} in {gvk.api_version}"
        if same:
            versions = sorted(same, key=version_sort_key, reverse=True)
            message += (
                f"; it serves it in the {'version' if len(same) == 1 else 'versions'} {_some(versions)}"
            )
        elif others:
            places = dict.fromkeys(each.gvk.api_version for each in others)
            message += f"; it serves {gvk.kind} in {_some(list(places))}"
        else:
            message += "; is its CustomResourceDefinition installed?"
        return self._not_found(message, StatusDetails(group=gvk.group, kind=gvk.kind))

    def _not_found(self, message: str, details: StatusDetails) -> ApiError:
        failed = self._discovery.failed
        if failed:
            reasons = [f"{group_version} ({error})" for group_version, error in failed.items()]
            message += f"; what these groups have is not known: {_some(reasons)}"
        return error_from_status(
            Status(status="Failure", code=404, reason="NotFound", message=message, details=details)
        )


def _some(texts: list[str]) -> str:
    more = len(texts) - _MAX_LISTED
    return ", ".join(texts[:_MAX_LISTED]) + (f" and {more} more" if more > 0 else "")
