"""Who may do what: authorizers, and the questions that they are asked."""

from kubewright.server.authorization.attributes import Attributes, attributes_of
from kubewright.server.authorization.authorizer import AdministratorsMay, Authorizer, Decision
from kubewright.server.authorization.refusals import refused

__all__ = ["AdministratorsMay", "Attributes", "Authorizer", "Decision", "attributes_of", "refused"]
