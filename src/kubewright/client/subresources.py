"""Subresources with kinds of their own: scale, eviction, binding and tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic

from kubewright.client.forms import K
from kubewright.client.objects import Objects, write_query
from kubewright.client.request import MERGE_PATCH
from kubewright.machinery import codec

if TYPE_CHECKING:
    from kubewright.client.clientset.subresource_kinds import Scale, TokenRequest

__all__ = ["Subresources"]


class Subresources(Objects[K], Generic[K]):
    """The part of `Api` that is about subresources with kinds of their own."""

    async def scale(self, name: str) -> Scale:
        """How many replicas an object has, and is to have."""
        from kubewright.client.clientset.subresource_kinds import Scale  # noqa: PLC0415 - seldom used

        response = await self._send("GET", await self._path(name, "scale"))
        return Scale.from_json(response.body)

    async def set_scale(self, name: str, replicas: int, *, dry_run: bool = False, manager: str = "") -> Scale:
        """Have an object have so many replicas."""
        from kubewright.client.clientset.subresource_kinds import Scale  # noqa: PLC0415 - seldom used

        response = await self._send(
            "PATCH",
            await self._path(name, "scale"),
            write_query(dry_run=dry_run, manager=manager),
            body=codec.encode({"spec": {"replicas": replicas}}),
            content_type=MERGE_PATCH,
        )
        scale = Scale.from_json(response.body)
        # Its revision is that of the object which it is about.
        self._note(scale.metadata, dry_run=dry_run)
        return scale

    async def evict(self, name: str, *, grace_period: int | None = None, dry_run: bool = False) -> None:
        """Have a pod go, as far as disruption budgets allow. Raises TooManyRequests while they do not."""
        options: dict[str, Any] = {}
        if grace_period is not None:
            options["gracePeriodSeconds"] = grace_period
        if dry_run:
            options["dryRun"] = ["All"]
        body = {
            "apiVersion": "policy/v1",
            "kind": "Eviction",
            "metadata": {"name": name, "namespace": self.namespace},
            **({"deleteOptions": options} if options else {}),
        }
        await self._send("POST", await self._path(name, "eviction"), body=codec.encode(body))

    async def bind(self, name: str, node: str) -> None:
        """Have a pod run on a node. Raises Conflict when it has one already."""
        body = {
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": {"name": name, "namespace": self.namespace},
            "target": {"apiVersion": "v1", "kind": "Node", "name": node},
        }
        await self._send("POST", await self._path(name, "binding"), body=codec.encode(body))

    async def create_token(
        self,
        name: str,
        *,
        audiences: Sequence[str] = (),
        expiration_seconds: int | None = None,
        bound_object: Mapping[str, str] | None = None,
    ) -> TokenRequest:
        """A token of a service account, in `status.token`; it ceases to hold with `bound_object`."""
        from kubewright.client.clientset.subresource_kinds import TokenRequest  # noqa: PLC0415 - seldom used

        spec: dict[str, Any] = {"audiences": list(audiences)}
        if expiration_seconds is not None:
            spec["expirationSeconds"] = expiration_seconds
        if bound_object is not None:
            spec["boundObjectRef"] = dict(bound_object)
        body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec}
        response = await self._send("POST", await self._path(name, "token"), body=codec.encode(body))
        return TokenRequest.from_json(response.body)
