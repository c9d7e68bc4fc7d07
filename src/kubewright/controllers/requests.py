"""What a reconciler is asked to look at, and what it may answer."""

from __future__ import annotations

from datetime import timedelta
from typing import Final, NamedTuple

from kubewright.machinery.errors import KubewrightError
from kubewright.machinery.resource import Resource
from kubewright.machinery.unstructured import Unstructured

__all__ = ["Request", "Result", "Terminal"]


class Request(NamedTuple):
    """Which object is to be brought into the state it should have; never what happened to it."""

    namespace: str
    """Empty for kinds without namespaces."""
    name: str

    @classmethod
    def of(cls, obj: Resource | Unstructured) -> Request:
        """The request for an object."""
        return cls(obj.metadata.namespace, obj.metadata.name)

    @classmethod
    def parse(cls, key: str) -> Request:
        """The request for a key of an informer, `namespace/name` or `name`."""
        namespace, _, name = key.rpartition("/")
        return cls(namespace, name)

    @property
    def key(self) -> str:
        """As informers know the object: `namespace/name`, or `name` for an object without a namespace."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name

    def __str__(self) -> str:
        return self.key


class Result:
    """What a reconciler returns that wants to be asked again: `Result(requeue_after=30)`.

    Nothing else has to be said: what changes is noticed, and what is raised is retried.
    """

    __slots__ = ("requeue_after",)

    def __init__(self, *, requeue_after: float | timedelta) -> None:
        """`requeue_after` is in seconds, or a timedelta. Raises ValueError when it is not more than 0."""
        seconds = (
            requeue_after.total_seconds() if isinstance(requeue_after, timedelta) else float(requeue_after)
        )
        if not 0 < seconds < float("inf"):
            raise ValueError(
                f"requeue_after is {requeue_after!r}; give more than 0 seconds, or raise to be retried"
            )
        self.requeue_after: Final = seconds

    def __repr__(self) -> str:
        return f"Result(requeue_after={self.requeue_after:g})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Result) and other.requeue_after == self.requeue_after

    def __hash__(self) -> int:
        return hash(self.requeue_after)


class Terminal(KubewrightError):
    """Raised by a reconciler for what trying again does not mend: it is reported, and not retried.

    The object is looked at again when it changes.
    """
