"""What decides who may do what."""

from __future__ import annotations

from typing import Final, NamedTuple, Protocol

from kubewright.server.authorization.attributes import Attributes
from kubewright.server.certificates import ADMIN_GROUP

__all__ = ["AdministratorsMay", "Authorizer", "Decision"]


class Decision(NamedTuple):
    """What an authorizer says to a question."""

    allowed: bool
    reason: str = ""
    """Why; for those who ask, not for those who are refused."""


class Authorizer(Protocol):
    """Decides, from memory: it is asked on every request."""

    def authorize(self, attributes: Attributes) -> Decision:
        """Whether the caller may."""
        ...


class AdministratorsMay:
    """Allows everything to system:masters and nothing to others."""

    _YES: Final = Decision(allowed=True)
    _NO: Final = Decision(allowed=False)

    def authorize(self, attributes: Attributes) -> Decision:
        return self._YES if ADMIN_GROUP in attributes.user.groups else self._NO
