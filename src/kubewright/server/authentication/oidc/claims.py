"""Making users of the claims of a token, as a configuration says, with upstream's words for what is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from kubewright.machinery.field_errors import go_quote
from kubewright.server.authentication.authenticator import CREDENTIAL_ID, InvalidCredentials
from kubewright.server.authentication.oidc.expressions import Expression
from kubewright.server.authentication.oidc.form import JWT
from kubewright.server.registry.write import User

__all__ = ["ClaimMapper", "Expressions"]

_LIST_WANTED: Final = "expression must return a string or a list of strings"


class Expressions(NamedTuple):
    """The compiled expressions of an issuer's configuration."""

    username: Expression | None = None
    groups: Expression | None = None
    uid: Expression | None = None
    extra: Mapping[str, Expression] = {}
    claim_rules: tuple[tuple[Expression, str], ...] = ()
    """Each with the message for when it fails."""
    user_rules: tuple[tuple[Expression, str], ...] = ()

    def any_on_claims(self) -> bool:
        """Whether one looks at claims."""
        return bool(self.username or self.groups or self.uid or self.extra or self.claim_rules)

    def all(self) -> list[Expression]:
        """Those that may name claims, but for the one of the groups and the uid."""
        named = [self.username, *self.extra.values(), *(rule for rule, _ in self.claim_rules)]
        return [expression for expression in named if expression is not None]


class ClaimMapper:
    """Makes users of claims whose signature and issuer are verified."""

    def __init__(self, form: JWT, expressions: Expressions) -> None:
        self._mappings: Final = form.claim_mappings
        self._required: Final = {
            rule.claim: rule.required_value for rule in form.claim_validation_rules if rule.claim
        }
        self._expressions: Final = expressions

    def user(self, claims: dict[str, object]) -> User:
        """Who a token is for. Raises InvalidCredentials."""
        seen = _seen(claims) if self._expressions.any_on_claims() else {}
        user = User(
            name=self._name(claims, seen),
            groups=tuple(self._groups(claims, seen)),
            uid=self._uid(claims, seen),
            extra=self._extra(claims, seen),
        )
        self._check_claims(claims, seen)
        self._check_user(user)
        return user

    def _name(self, claims: dict[str, object], seen: dict[str, object]) -> str:
        if self._expressions.username is not None:
            name = _evaluated(self._expressions.username, seen, "username claim")
            if not isinstance(name, str):
                raise InvalidCredentials(
                    "oidc: error evaluating username claim expression: username claim expression must return "
                    "a string"
                )
            if not name:
                raise InvalidCredentials("oidc: empty username via CEL expression is not allowed")
            return name
        claim = self._mappings.username.claim
        name = _text(claims, claim, f"oidc: parse username claims {go_quote(claim)}")
        if claim == "email" and "email_verified" in claims:
            verified = claims["email_verified"]
            if not isinstance(verified, bool):
                raise InvalidCredentials("oidc: parse 'email_verified' claim: it is no boolean")
            if not verified:
                raise InvalidCredentials("oidc: email not verified")
        return (self._mappings.username.prefix or "") + name

    def _groups(self, claims: dict[str, object], seen: dict[str, object]) -> list[str]:
        claim = self._mappings.groups.claim
        if claim and claim in claims:
            value = claims[claim]
            groups = [value] if isinstance(value, str) else value
            if groups is None:
                return []
            if not isinstance(groups, list) or not all(isinstance(group, str) for group in groups):
                raise InvalidCredentials(
                    f"oidc: parse groups claim {go_quote(claim)}: it is no list of texts"
                )
            prefix = self._mappings.groups.prefix or ""
            return [prefix + group for group in groups]
        if self._expressions.groups is None:
            return []
        value = _evaluated(self._expressions.groups, seen, "group claim")
        return _texts(value, "oidc: error evaluating group claim expression")

    def _uid(self, claims: dict[str, object], seen: dict[str, object]) -> str:
        claim = self._mappings.uid.claim
        if claim:
            return _text(claims, claim, f"oidc: parse uid claim {go_quote(claim)}")
        if self._expressions.uid is None:
            return ""
        uid = _evaluated(self._expressions.uid, seen, "uid claim")
        if not isinstance(uid, str):
            raise InvalidCredentials(
                "oidc: error evaluating uid claim expression: uid claim expression must return a string"
            )
        return uid

    def _extra(self, claims: dict[str, object], seen: dict[str, object]) -> dict[str, list[str]]:
        extra: dict[str, list[str]] = {}
        identifier = claims.get("jti")
        if isinstance(identifier, str) and identifier:
            extra[CREDENTIAL_ID] = [f"JTI={identifier}"]
        for key, expression in self._expressions.extra.items():
            why = f"oidc: error evaluating extra claim expression: {expression.text}"
            if values := _texts(expression.evaluate(seen), why):
                extra[key] = values
        return extra

    def _check_claims(self, claims: dict[str, object], seen: dict[str, object]) -> None:
        for claim, wanted in self._required.items():
            if claim not in claims:
                raise InvalidCredentials(f"oidc: required claim {claim} not present in ID token")
            value = _text(claims, claim, f"oidc: parse claim {claim}")
            if value != wanted:
                raise InvalidCredentials(
                    f"oidc: required claim {claim} value does not match. Got = {value}, want = {wanted}"
                )
        for rule, message in self._expressions.claim_rules:
            _check_rule(rule, message, seen, "oidc: error evaluating claim validation expression")

    def _check_user(self, user: User) -> None:
        if not self._expressions.user_rules:
            return
        value: dict[str, object] = {
            "username": user.name,
            "uid": user.uid,
            "groups": list(user.groups),
            "extra": user.extra,
        }
        for rule, message in self._expressions.user_rules:
            _check_rule(rule, message, value, "oidc: error evaluating user info validation rule")


def _evaluated(expression: Expression, seen: dict[str, object], what: str) -> object:
    try:
        return expression.evaluate(seen)
    except InvalidCredentials as error:
        raise InvalidCredentials(f"oidc: error evaluating {what} expression: {error}") from None


def _check_rule(rule: Expression, message: str, value: dict[str, object], what: str) -> None:
    try:
        result = rule.evaluate(value)
    except InvalidCredentials as error:
        raise InvalidCredentials(f"{what}: {error}") from None
    if not isinstance(result, bool):
        raise InvalidCredentials(f"{what}: validation expression must return a boolean")
    if not result:
        raise InvalidCredentials(f"{what}: validation expression '{rule.text}' failed: {message}")


def _text(claims: dict[str, object], claim: str, what: str) -> str:
    if claim not in claims:
        raise InvalidCredentials(f"{what}: claim not present")
    value = claims[claim]
    if value is None:
        # Go reads null as the empty text.
        return ""
    if not isinstance(value, str):
        raise InvalidCredentials(f"{what}: it is no text")
    return value


def _texts(value: object, what: str) -> list[str]:
    """A text or a list of them, without those that are empty; nothing for null. Raises InvalidCredentials."""
    if value is None:
        return []
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not all(isinstance(each, str) for each in values):
        raise InvalidCredentials(f"{what}: {_LIST_WANTED}")
    return [each for each in values if each]


def _seen(claims: dict[str, object]) -> dict[str, object]:
    """Claims as upstream's expressions see them.

    All numbers are doubles, and names that are none of CEL can be written with `__dot__` and its like.
    """
    from kubewright.crd.cel.escaping import escape  # noqa: PLC0415 - CEL is large; here it is loaded already

    def seen(value: object) -> object:
        if isinstance(value, dict):
            found = {key: seen(each) for key, each in value.items()}
            names = {escape(key): key for key in found}
            return found | {name: found[key] for name, key in names.items() if name and name != key}
        if isinstance(value, list):
            return [seen(each) for each in value]
        return float(value) if isinstance(value, int) and not isinstance(value, bool) else value

    made = seen(claims)
    assert isinstance(made, dict)  # noqa: S101 - as they are
    return made
