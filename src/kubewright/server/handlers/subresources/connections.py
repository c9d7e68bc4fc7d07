"""The connections to pods that are open: the logs that are followed and the commands that run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from kubewright.server.authorization import Authorizer
from kubewright.server.errors import too_many_requests
from kubewright.server.handlers.call import Call, Reply
from kubewright.server.registry.registry import Registry
from kubewright.server.registry.store import Store

if TYPE_CHECKING:
    from kubewright.server.handlers.subresources.kubelets import FollowedPod, Kubelets

__all__ = ["MAX_OPEN", "Connections"]

MAX_OPEN: Final = 500
"""How many logs may be followed and commands run at once: each is a connection and a task or two."""


class Connections:
    """Serves connections by the kubelets that there are; none, in a server that is no cluster."""

    def __init__(self, authorizer: Authorizer, kubelets: Callable[[], Kubelets | None]) -> None:
        self._kubelets: Final = kubelets
        self._open: Final[set[FollowedPod]] = set()
        self.authorizer: Final = authorizer

    @property
    def kubelets(self) -> Kubelets | None:
        """Those that can be reached."""
        return self._kubelets()

    @property
    def count(self) -> int:
        """How many are open."""
        return len(self._open)

    async def connect(self, call: Call, _: Registry, store: Store) -> Reply:
        """log, exec, attach, portforward and proxy."""
        from kubewright.server.handlers.subresources.connecting import connect  # noqa: PLC0415 - few do

        return await connect(self, call, store)

    def check_room(self) -> None:
        """Raises TooManyRequests when no more may be open."""
        if len(self._open) >= MAX_OPEN:
            raise too_many_requests(
                f"{MAX_OPEN} logs are followed and commands run already; end some of them", retry_after=1
            )

    @contextmanager
    def opened(self, pod: FollowedPod) -> Iterator[None]:
        """A connection is open to a pod."""
        self._open.add(pod)
        try:
            yield
        finally:
            pod.close()
            self._open.discard(pod)

    def end(self) -> None:
        """End all connections, as if their pods were gone."""
        for pod in list(self._open):
            pod.close()
