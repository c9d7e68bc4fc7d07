"""What decides who may do what."""

from __future__ import annotations

from typing import Final, NamedTuple, Protocol

from kubewright.server.authorization.attributes import Attributes
from kubewright.server.authorization.policy_rules import EVERYTHING, Rules
from kubewright.server.registry.write import User

__all__ = ["ALLOWED", "DENIED", "Authorizer", "Decision", "EverybodyMay"]


class Decision(NamedTuple):
    """What an authorizer says to a question."""

    allowed: bool
    reason: str = ""
    """Why: for those who ask; and in refusals, what could not be found out."""


ALLOWED: Final = Decision(allowed=True)
DENIED: Final = Decision(allowed=False)


class Authorizer(Protocol):
    """Decides, from memory: it is asked on every request."""

    def authorize(self, attributes: Attributes) -> Decision:
        """Whether the caller may."""
        ...

    def rules_for(self, user: User, namespace: str) -> Rules:
        """All that a user may, in a namespace, or in the cluster when it is empty."""
        ...


class EverybodyMay:
    """Allows everything to everybody: `--anonymous-admin`."""

    def authorize(self, attributes: Attributes) -> Decision:
        return ALLOWED

    def rules_for(self, user: User, namespace: str) -> Rules:
        return Rules(EVERYTHING)
