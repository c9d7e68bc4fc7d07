"""The form of an `AuthenticationConfiguration` of apiserver.config.k8s.io."""

from __future__ import annotations

import msgspec

__all__ = [
    "JWT",
    "AnonymousForm",
    "ClaimMappings",
    "ClaimOrExpression",
    "ClaimValidationRule",
    "ConfigurationForm",
    "ExtraMapping",
    "IssuerForm",
    "PrefixedClaimOrExpression",
    "UserValidationRule",
]


class _Form(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel", kw_only=True):
    """What is written by hand: a field that nobody knows is a mistake."""


class IssuerForm(_Form, frozen=True):
    url: str = ""
    discovery_url: str = msgspec.field(name="discoveryURL", default="")
    certificate_authority: str = ""
    audiences: list[str] = []
    audience_match_policy: str = ""
    egress_selector_type: str = ""


class PrefixedClaimOrExpression(_Form, frozen=True):
    claim: str = ""
    prefix: str | None = None
    expression: str = ""


class ClaimOrExpression(_Form, frozen=True):
    claim: str = ""
    expression: str = ""


class ExtraMapping(_Form, frozen=True):
    key: str = ""
    value_expression: str = ""


class ClaimMappings(_Form, frozen=True):
    username: PrefixedClaimOrExpression = PrefixedClaimOrExpression()
    groups: PrefixedClaimOrExpression = PrefixedClaimOrExpression()
    uid: ClaimOrExpression = ClaimOrExpression()
    extra: list[ExtraMapping] = []


class ClaimValidationRule(_Form, frozen=True):
    claim: str = ""
    required_value: str = ""
    expression: str = ""
    message: str = ""


class UserValidationRule(_Form, frozen=True):
    expression: str = ""
    message: str = ""


class JWT(_Form, frozen=True):
    """One issuer, and how its claims become users."""

    issuer: IssuerForm = IssuerForm()
    claim_mappings: ClaimMappings = ClaimMappings()
    claim_validation_rules: list[ClaimValidationRule] = []
    user_validation_rules: list[UserValidationRule] = []


class _Condition(_Form, frozen=True):
    path: str


class AnonymousForm(_Form, frozen=True):
    enabled: bool
    conditions: list[_Condition] = []


class ConfigurationForm(_Form, frozen=True):
    api_version: str
    kind: str
    jwt: list[JWT] = []
    anonymous: AnonymousForm | None = None
