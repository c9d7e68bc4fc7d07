"""What policies need of the server to judge a write."""

from __future__ import annotations

from typing import NamedTuple

from kubewright.server.admission.policies.params import Params
from kubewright.server.authorization import Authorizer
from kubewright.server.registry.registry import Registry

__all__ = ["Surroundings"]


class Surroundings(NamedTuple):
    """The objects of the server, the parameters among them, and who decides what callers may."""

    registry: Registry
    params: Params
    authorizer: Authorizer
