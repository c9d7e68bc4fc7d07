"""In whose name the kubelets act: each in that of its node, as real ones do."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Final

from kubewright.controllers.reconciling import RECONCILING, Reconciling
from kubewright.server.registry.write import User

__all__ = ["NODE_STATUS", "act_for", "acting_node"]

NODE_STATUS: Final = "kubelet-node-status"
"""The controller of what nodes say of themselves, beside the kubelet that looks after their pods."""

_NODE: Final[ContextVar[str]] = ContextVar("kubewright_acting_node", default="")


def act_for(node: str) -> None:
    """Send what the running code sends from here on in the name of a node."""
    _NODE.set(node)
    if RECONCILING.get() is None:
        # Heartbeats are no reconciles, and of several nodes.
        RECONCILING.set(Reconciling(NODE_STATUS, "", "", "", "", ""))


def acting_node() -> User:
    """The node that a kubelet acts for, as certificates of kubelets name it."""
    return User(name=f"system:node:{_NODE.get()}", groups=("system:nodes", "system:authenticated"))
