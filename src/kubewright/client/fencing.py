"""Writes that are refused up to the last moment: for those who may lose the right to write at any time.

with fenced(fence):              # its `check` is called before each write, and raises when it may not be sent
    await pods.delete("web-0")
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Final, Protocol

from kubewright.machinery.errors import TransportError

__all__ = ["Fence", "fenced", "may_send", "sending"]


class Fence(Protocol):
    """Says whether something may be written. It is asked often, and reads a clock at most."""

    def check(self) -> None:
        """Raise when nothing may be written any more."""

    def broken_off(self) -> None:
        """Hear that a write was given up while it was under way: it may be done yet, or not."""


_FENCE: Final[ContextVar[Fence | None]] = ContextVar("kubewright_fence", default=None)
"""What the running code writes under."""

_SENDING: Final[ContextVar[Fence | None]] = ContextVar("kubewright_sending", default=None)
"""The same while a write is being sent: reads go over the same connections, and are never refused."""


@contextmanager
def fenced(fence: Fence | None) -> Iterator[None]:
    """Have a fence asked before each write in the block, of any client, and of tasks that it starts.

    It is asked before each attempt to send it, retries included, and again for each piece that is given to a
    socket, after all waiting: for a turn, for a credential, for a connection. None is for no fence.
    """
    token = _FENCE.set(fence)
    try:
        yield
    finally:
        _FENCE.reset(token)


def sending(*, writes: bool) -> AbstractContextManager[None]:
    """For a request until its answer begins. Raises what the fence raises, if it is a write."""
    fence = _FENCE.get() if writes else None
    return _UNFENCED if fence is None else _sending(fence)


_UNFENCED: Final = nullcontext()


@contextmanager
def _sending(fence: Fence) -> Iterator[None]:
    fence.check()
    token = _SENDING.set(fence)
    try:
        yield
    except TransportError as error:
        # Most likely the socket has asked `may_send`.
        fence.check()
        if error.was_sent:
            fence.broken_off()
        raise
    except BaseException:
        fence.broken_off()
        raise
    finally:
        _SENDING.reset(token)


def may_send() -> bool:
    """Whether bytes of the running code may leave this process: for sockets, right before they do."""
    fence = _SENDING.get()
    if fence is None:
        return True
    try:
        fence.check()
    except Exception:
        return False
    return True
