"""Who sends a request: callers recognised by certificate, by token, or not at all, and whom they act for.

`requests` is the chain that every request passes. Tokens are those of `static_tokens`, those that were issued
for service accounts (`service_account_tokens`), and those of issuers of others (`oidc`). `impersonation` says
who may act for whom. `build` puts it together.
"""

from kubewright.server.authentication.authenticator import Authenticator, Identity
from kubewright.server.authentication.impersonation import Impersonation
from kubewright.server.authentication.impersonation_headers import wanted_user
from kubewright.server.authentication.requests import AnonymousCallers

__all__ = ["AnonymousCallers", "Authenticator", "Identity", "Impersonation", "wanted_user"]
