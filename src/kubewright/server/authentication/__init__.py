"""Who sends a request: callers recognised by certificate, by token, or not at all."""

from kubewright.server.authentication.administrator import AdministratorOnly
from kubewright.server.authentication.authenticator import Authenticator

__all__ = ["AdministratorOnly", "Authenticator"]
