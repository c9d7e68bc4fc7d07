"""The ConfigMap `kube-root-ca.crt` of each namespace, with which pods verify the API server."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kubewright.cluster.terminating import is_active, unless_terminating
from kubewright.controllers.requests import Request
from kubewright.controllers.sources import Source
from kubewright.machinery.errors import AlreadyExists, NotFound
from kubewright.machinery.meta import ObjectMeta
from kubewright.models.core_v1 import ConfigMap, Namespace

if TYPE_CHECKING:
    from kubewright.cluster.parts import Parts
    from kubewright.controllers.context import Context
    from kubewright.controllers.manager import Manager
    from kubewright.informers import Change

__all__ = ["RootCAPublisher", "setup"]

_NAME: Final = "kube-root-ca.crt"
_KEY: Final = "ca.crt"
_DESCRIPTION: Final = "kubernetes.io/description"
_DESCRIBED: Final = (
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such "
    "as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions "
    "of Kubernetes clusters."
)
"""The annotation that upstream gives it, word for word: a fact that others compare with."""


def setup(manager: Manager, parts: Parts) -> None:
    """Have it made and mended in every namespace."""
    publisher = RootCAPublisher(Path(parts.server.ca_file).read_text())
    published = Source(ConfigMap, _namespace_of, predicates=[_is_it])
    name = "root-ca-certificate-publisher-controller"
    manager.controller(Namespace, publisher.reconcile, name=name, watches=[published])


def _is_it(change: Change[ConfigMap]) -> bool:
    # By the key, which costs nothing: this is asked for every ConfigMap.
    return change.key.endswith(f"/{_NAME}")


def _namespace_of(config_map: ConfigMap) -> list[Request]:
    return [Request("", config_map.metadata.namespace)]


class RootCAPublisher:
    """Publishes the authority of a server."""

    def __init__(self, authority: str) -> None:
        """`authority` is in PEM."""
        self._authority: Final = authority

    async def reconcile(self, ctx: Context, request: Request) -> None:
        """Bring the ConfigMap of a namespace about, unless the namespace is on its way out."""
        if not await is_active(ctx, request.name):
            return
        config_maps = ctx.client.api(ConfigMap, request.name)
        try:
            there = await config_maps.get(_NAME)
        except NotFound:
            metadata = ObjectMeta(name=_NAME, annotations={_DESCRIPTION: _DESCRIBED})
            with suppress(AlreadyExists), unless_terminating():
                await config_maps.create(ConfigMap(metadata=metadata, data={_KEY: self._authority}))
            return
        if there.data == {_KEY: self._authority} and there.metadata.annotations.get(_DESCRIPTION):
            return
        there.data = {_KEY: self._authority}
        there.metadata.annotations = {**there.metadata.annotations, _DESCRIPTION: _DESCRIBED}
        await config_maps.update(there)
