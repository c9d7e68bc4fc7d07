"""The rules of an `AuthenticationConfiguration`, upstream's, and the expressions in it, compiled."""

from __future__ import annotations

import ssl
from collections.abc import Iterator, Sequence
from typing import Final
from urllib.parse import urlsplit

from kubewright.config.verification import load_authorities
from kubewright.machinery.field_errors import FieldError, duplicate, invalid, required, too_many
from kubewright.server.authentication.oidc.claims import ClaimMapper, Expressions
from kubewright.server.authentication.oidc.expressions import (
    CLAIMS,
    USER,
    Expression,
    ExpressionInvalid,
    compile_expression,
)
from kubewright.server.authentication.oidc.form import (
    JWT,
    AnonymousForm,
    ClaimMappings,
    IssuerForm,
    PrefixedClaimOrExpression,
)
from kubewright.server.authentication.oidc.issuers import IssuerSettings
from kubewright.server.kinds.prefixed_paths import validate_domain_prefixed_path

__all__ = ["RuleReader"]

_MAX_ISSUERS: Final = 64
"""As many as upstream allows."""

_RESERVED: Final = ("kubernetes.io", "k8s.io")

_EITHER: Final = "claim and expression can't both be set"

_PREFIX_NEEDED: Final = (
    "prefix is required when claim is set. It can be set to an empty string to disable prefixing"
)


class RuleReader:
    """Gathers what is wrong, and compiles expressions on the way."""

    def __init__(self, own_issuer: str) -> None:
        self._own_issuer: Final = own_issuer
        self.errors: list[FieldError] = []

    def issuers(self, forms: Sequence[JWT]) -> list[IssuerSettings]:
        if len(forms) > _MAX_ISSUERS:
            self.errors.append(too_many("jwt", len(forms), _MAX_ISSUERS))
            return []
        found = []
        urls: set[str] = set()
        for index, form in enumerate(forms):
            path = f"jwt[{index}]"
            self._check_issuer(form.issuer, f"{path}.issuer")
            mapper = ClaimMapper(form, self._expressions(form, path))
            for field, url in (("url", form.issuer.url), ("discoveryURL", form.issuer.discovery_url)):
                if url and f"{field} {url}" in urls:
                    self.errors.append(duplicate(f"{path}.issuer.{field}", url))
                urls.add(f"{field} {url}")
            found.append(IssuerSettings(form.issuer, mapper))
        return found

    def check_anonymous(self, form: AnonymousForm | None) -> None:
        if form is not None and not form.enabled and form.conditions:
            self.errors.append(
                invalid(
                    "anonymous.conditions",
                    [{"path": condition.path} for condition in form.conditions],
                    "enabled should be set to true when conditions are defined",
                )
            )

    def _check_issuer(self, form: IssuerForm, path: str) -> None:
        if not form.url:
            self.errors.append(required(f"{path}.url"))
        else:
            if form.url == self._own_issuer:
                detail = f"URL must not overlap with disallowed issuers: [{self._own_issuer}]"
                self.errors.append(invalid(f"{path}.url", form.url, detail))
            self.errors += _url_errors(form.url, f"{path}.url")
        if form.discovery_url:
            if form.url.rstrip("/") == form.discovery_url.rstrip("/"):
                detail = "discoveryURL must be different from URL"
                self.errors.append(invalid(f"{path}.discoveryURL", form.discovery_url, detail))
            self.errors += _url_errors(form.discovery_url, f"{path}.discoveryURL")
        self.errors += _audience_errors(form, path)
        if form.certificate_authority and not _is_authority(form.certificate_authority):
            detail = "data does not contain any valid RSA or ECDSA certificates"
            self.errors.append(invalid(f"{path}.certificateAuthority", "<omitted>", detail))
        if form.egress_selector_type:
            detail = "this server has no egress selectors; leave it out"
            self.errors.append(invalid(f"{path}.egressSelectorType", form.egress_selector_type, detail))

    def _expressions(self, form: JWT, path: str) -> Expressions:
        mappings = form.claim_mappings
        at = f"{path}.claimMappings"
        expressions = Expressions(
            claim_rules=tuple(self._claim_rules(form, f"{path}.claimValidationRules")),
            username=self._prefixed(mappings.username, f"{at}.username", needed=True),
            groups=self._prefixed(mappings.groups, f"{at}.groups", needed=False),
            uid=self._uid(mappings, f"{at}.uid"),
            extra=dict(self._extra(mappings, f"{at}.extra")),
            user_rules=tuple(self._user_rules(form, f"{path}.userValidationRules")),
        )
        self._check_email(expressions, f"{at}.username.expression")
        return expressions

    def _check_email(self, expressions: Expressions, path: str) -> None:
        name = expressions.username
        if name is None or "email" not in name.selected:
            return
        if not any("email_verified" in expression.selected for expression in expressions.all()):
            self.errors.append(
                invalid(
                    path,
                    name.text,
                    "claims.email_verified must be used in claimMappings.username.expression or "
                    "claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when "
                    "claims.email is used in claimMappings.username.expression",
                )
            )

    def _prefixed(self, form: PrefixedClaimOrExpression, path: str, *, needed: bool) -> Expression | None:
        if form.expression and form.claim:
            self.errors.append(invalid(path, "", _EITHER))
        elif form.expression:
            if form.prefix is not None:
                detail = "may not be specified when expression is set"
                self.errors.append(invalid(f"{path}.prefix", form.prefix, detail))
            return self._compiled(form.expression, f"{path}.expression")
        elif form.claim:
            if form.prefix is None:
                self.errors.append(required(f"{path}.prefix", _PREFIX_NEEDED))
        elif needed:
            self.errors.append(required(path, "claim or expression is required"))
        return None

    def _uid(self, form: ClaimMappings, path: str) -> Expression | None:
        if form.uid.claim and form.uid.expression:
            self.errors.append(invalid(path, "", _EITHER))
        elif form.uid.expression:
            return self._compiled(form.uid.expression, f"{path}.expression")
        return None

    def _extra(self, form: ClaimMappings, path: str) -> Iterator[tuple[str, Expression]]:
        seen: set[str] = set()
        for index, mapping in enumerate(form.extra):
            key, at = mapping.key, f"{path}[{index}].key"
            self.errors += validate_domain_prefixed_path(key, at)
            if key != key.lower():
                self.errors.append(invalid(at, key, "must be lowercase"))
            domain, slash, _ = key.partition("/")
            if slash and any(domain == each or domain.endswith(f".{each}") for each in _RESERVED):
                detail = "k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use"
                self.errors.append(invalid(at, key, detail))
            if key in seen:
                self.errors.append(duplicate(at, key))
                continue
            seen.add(key)
            value = f"{path}[{index}].valueExpression"
            if not mapping.value_expression:
                self.errors.append(required(value))
            elif (compiled := self._compiled(mapping.value_expression, value)) is not None:
                yield key, compiled

    def _claim_rules(self, form: JWT, path: str) -> Iterator[tuple[Expression, str]]:
        seen: set[tuple[str, str]] = set()
        for index, rule in enumerate(form.claim_validation_rules):
            at = f"{path}[{index}]"
            if rule.claim and rule.expression:
                self.errors.append(invalid(at, rule.claim, _EITHER))
                continue
            if not rule.claim and not rule.expression:
                self.errors.append(required(at, "claim or expression is required"))
                continue
            kind, text = ("claim", rule.claim) if rule.claim else ("expression", rule.expression)
            other, value = ("message", rule.message) if rule.claim else ("requiredValue", rule.required_value)
            if value:
                detail = f"may not be specified when {kind} is set"
                self.errors.append(invalid(f"{at}.{other}", value, detail))
            if (kind, text) in seen:
                self.errors.append(duplicate(f"{at}.{kind}", text))
                continue
            seen.add((kind, text))
            if rule.expression:
                compiled = self._compiled(rule.expression, f"{at}.expression", boolean=True)
                if compiled is not None:
                    yield compiled, rule.message

    def _user_rules(self, form: JWT, path: str) -> Iterator[tuple[Expression, str]]:
        seen: set[str] = set()
        for index, rule in enumerate(form.user_validation_rules):
            at = f"{path}[{index}].expression"
            if not rule.expression:
                self.errors.append(required(at))
            elif rule.expression in seen:
                self.errors.append(duplicate(at, rule.expression))
            else:
                seen.add(rule.expression)
                compiled = self._compiled(rule.expression, at, variable=USER, boolean=True)
                if compiled is not None:
                    yield compiled, rule.message

    def _compiled(
        self, text: str, path: str, *, variable: str = CLAIMS, boolean: bool = False
    ) -> Expression | None:
        try:
            return compile_expression(text, variable, boolean=boolean)
        except ExpressionInvalid as error:
            self.errors.append(invalid(path, text, str(error)))
            return None


def _url_errors(url: str, path: str) -> list[FieldError]:
    try:
        parts = urlsplit(url)
    except ValueError as error:
        return [invalid(path, url, str(error))]
    problems = {
        "URL scheme must be https": parts.scheme != "https",
        "URL must not contain a username or password": "@" in parts.netloc,
        "URL must not contain a query": bool(parts.query),
        "URL must not contain a fragment": bool(parts.fragment),
    }
    return [invalid(path, url, detail) for detail, wrong in problems.items() if wrong]


def _audience_errors(form: IssuerForm, path: str) -> list[FieldError]:
    at = f"{path}.audiences"
    if not form.audiences:
        return [required(at, f"at least one {at} is required")]
    errors = []
    for index, audience in enumerate(form.audiences):
        if not audience:
            errors.append(required(f"{at}[{index}]"))
        if audience in form.audiences[:index]:
            errors.append(duplicate(f"{at}[{index}]", audience))
    policy = form.audience_match_policy
    several = len(form.audiences) > 1
    if policy != "MatchAny" and (several or policy):
        detail = (
            "audienceMatchPolicy must be MatchAny for multiple audiences"
            if several
            else "audienceMatchPolicy must be empty or MatchAny for single audience"
        )
        errors.append(invalid(f"{path}.audienceMatchPolicy", policy, detail))
    return errors


def _is_authority(pem: str) -> bool:
    try:
        load_authorities(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), pem.encode())
    except (ssl.SSLError, ValueError):
        return False
    return True
