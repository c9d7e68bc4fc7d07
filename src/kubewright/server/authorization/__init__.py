"""Who may do what: RBAC, and the questions that it is asked.

`authorizer` says what an authorizer is, `rbac` decides by the stored roles and bindings that `policy`
follows, `refusals` has the words for those who may not. `escalation` and `coverage` keep callers from giving
away rights that they do not have; `bootstrap` writes the roles that every cluster has, and `aggregation`
keeps roles up to date that gather the rules of others.
"""

from kubewright.server.authorization.attributes import Attributes, attributes_of
from kubewright.server.authorization.authorizer import Authorizer, Decision, EverybodyMay
from kubewright.server.authorization.policy_rules import Rules
from kubewright.server.authorization.rbac import RBAC, aggregate
from kubewright.server.authorization.refusals import refused

__all__ = [
    "RBAC",
    "Attributes",
    "Authorizer",
    "Decision",
    "EverybodyMay",
    "Rules",
    "aggregate",
    "attributes_of",
    "refused",
]
