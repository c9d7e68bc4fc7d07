"""What the methods of the blocking clientset are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from kubewright.machinery.resource import Resource
from kubewright.machinery.unstructured import Unstructured

if TYPE_CHECKING:
    from kubewright.sync.api import Api

__all__ = ["HasApi"]

K = TypeVar("K", bound=Resource | Unstructured)


class HasApi:
    """Whoever gives the blocking `Api` of a kind: a `Client`."""

    def api(self, kind: type[K], namespace: str | None = None) -> Api[K]:
        """The objects of a kind in a namespace; without one, those of all namespaces."""
        raise NotImplementedError
