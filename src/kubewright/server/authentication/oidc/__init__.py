"""Tokens of OpenID Connect issuers, by upstream's `AuthenticationConfiguration`.

`configuration` reads it by the rules of `rules`, `claims` makes users of claims, `keys` keeps an issuer's
keys, and `issuers` recognises callers by its tokens.
"""

from kubewright.server.authentication.oidc.configuration import ConfigurationInvalid, read_configuration
from kubewright.server.authentication.oidc.issuers import Issuers

__all__ = ["ConfigurationInvalid", "Issuers", "read_configuration"]
