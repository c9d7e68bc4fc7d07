"""The authentication of a server, put together from its options."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from kubewright.server.authentication.authenticator import TokenAuthenticator
from kubewright.server.authentication.requests import AnonymousCallers, RequestAuthenticator
from kubewright.server.authentication.service_account_keys import ServiceAccountKey
from kubewright.server.authentication.service_account_tokens import ServiceAccountTokens
from kubewright.server.authentication.static_tokens import StaticTokens, read_token_file
from kubewright.server.certificates import ADMIN_GROUP, ADMIN_NAME, Credentials
from kubewright.server.registry.registry import Registry
from kubewright.server.registry.write import User

if TYPE_CHECKING:
    from kubewright.server.authentication.oidc import Issuers

__all__ = ["ISSUER", "Authentication", "AuthenticationOptions", "build"]

ISSUER: Final = "https://kubernetes.default.svc.cluster.local"
"""Who issues the tokens of service accounts, and for whom they are when a request names nobody; kubeadm's."""


class AuthenticationOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Who is known besides the administrator; see `APIServer`."""

    static_tokens: Path | None = None
    configuration: str | Path | Mapping[str, object] | None = None
    anonymous: bool | None = None
    issuer: str = ISSUER


class Authentication(msgspec.Struct, frozen=True, kw_only=True):
    """What recognises callers, and what signs the tokens of service accounts."""

    authenticator: RequestAuthenticator
    key: ServiceAccountKey
    issuer: str
    issuers: Issuers | None
    """The issuers of others; run it beside the requests, and close it."""


def build(options: AuthenticationOptions, credentials: Credentials, registry: Registry) -> Authentication:
    """Put it together. Raises TokenFileInvalid and ConfigurationInvalid."""
    audiences = (options.issuer,)
    users = {} if options.static_tokens is None else read_token_file(options.static_tokens)
    users[credentials.token] = User(name=ADMIN_NAME, groups=(ADMIN_GROUP,))
    key = ServiceAccountKey(credentials.service_account_key)
    tokens: list[TokenAuthenticator] = [
        StaticTokens(users, audiences),
        ServiceAccountTokens(key, registry, issuer=options.issuer),
    ]
    anonymous = AnonymousCallers(enabled=options.anonymous is not False)
    issuers: Issuers | None = None
    if options.configuration is not None:
        # It loads YAML, and CEL where it is used.
        from kubewright.server.authentication import oidc  # noqa: PLC0415

        configuration = oidc.read_configuration(options.configuration, own_issuer=options.issuer)
        if configuration.anonymous is not None:
            if options.anonymous is not None:
                raise oidc.ConfigurationInvalid(
                    "the authentication configuration says who may be anonymous; leave the option out"
                )
            anonymous = configuration.anonymous
        issuers = oidc.Issuers(configuration.issuers, audiences)
        tokens.append(issuers)
    authenticator = RequestAuthenticator(tokens, audiences=audiences, anonymous=anonymous)
    return Authentication(authenticator=authenticator, key=key, issuer=options.issuer, issuers=issuers)
