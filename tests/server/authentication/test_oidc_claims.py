"""Users of claims that are odd."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.server.authentication.authenticator import InvalidCredentials
from kubewright.server.authentication.oidc.claims import ClaimMapper
from kubewright.server.authentication.oidc.configuration import read_configuration

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@cache
def mapper(name: str) -> ClaimMapper:
    entry = {"issuer": {"url": "https://issuer.example", "audiences": ["kube"]}, **PARTS[name]}
    configuration = {
        "apiVersion": "apiserver.config.k8s.io/v1",
        "kind": "AuthenticationConfiguration",
        "jwt": [entry],
    }
    return read_configuration(configuration, own_issuer="").issuers[0].mapper


BY_CLAIMS: dict[str, Any] = {
    "claimMappings": {
        "username": {"claim": "email", "prefix": "x:"},
        "groups": {"claim": "groups", "prefix": ""},
        "uid": {"claim": "uid"},
    },
    "claimValidationRules": [{"claim": "hd", "requiredValue": "acme"}],
}
BY_EXPRESSIONS: dict[str, Any] = {
    "claimMappings": {
        "username": {"expression": "claims.email + string(claims.email_verified)"},
        "groups": {"expression": "claims.groups"},
        "uid": {"expression": "claims.uid"},
        "extra": [{"key": "a.io/b", "valueExpression": "claims.?hd.orValue('')"}],
    },
    "claimValidationRules": [{"expression": "claims.n > 1"}],
    "userValidationRules": [{"expression": "user.extra.all(k, size(user.extra[k]) > 0)"}],
}
PARTS = {"claims": BY_CLAIMS, "expressions": BY_EXPRESSIONS}
NAMES = st.sampled_from(["email", "email_verified", "groups", "uid", "hd", "n", "jti"])


@pytest.mark.parametrize("how", ["claims", "expressions"])
@given(claims=st.dictionaries(NAMES, JSON | st.sampled_from(["acme", True, ["a"], "b"])))
def test_nothing_is_too_odd(how: str, claims: dict[str, object]) -> None:
    try:
        user = mapper(how).user(claims)
    except (InvalidCredentials, OverflowError):
        # What is too large for a double is told by who calls this.
        return
    assert isinstance(user.name, str)
    assert user.name
    assert all(isinstance(group, str) for group in user.groups)


GOOD = {"email": "a", "email_verified": True, "groups": ["g"], "uid": "u", "hd": "acme", "n": 2}


def test_good_ones() -> None:
    user = mapper("claims").user(dict(GOOD))
    assert (user.name, user.groups, user.uid) == ("x:a", ("g",), "u")
    user = mapper("expressions").user(dict(GOOD))
    assert (user.name, user.groups, user.uid, user.extra) == ("atrue", ("g",), "u", {"a.io/b": ["acme"]})


@pytest.mark.parametrize(
    ("how", "change", "why"),
    [
        ("claims", {"email_verified": False}, "oidc: email not verified"),
        ("claims", {"email_verified": "true"}, "oidc: parse 'email_verified' claim"),
        ("claims", {"groups": {"a": 1}}, 'oidc: parse groups claim "groups"'),
        ("claims", {"uid": 5}, 'oidc: parse uid claim "uid"'),
        ("claims", {"hd": ["acme"]}, "oidc: parse claim hd"),
        ("expressions", {"email": 5}, "oidc: error evaluating username claim expression"),
        ("expressions", {"groups": [1]}, "must return a string or a list of strings"),
        ("expressions", {"uid": 5}, "uid claim expression must return a string"),
        ("expressions", {"hd": {}}, "oidc: error evaluating extra claim expression"),
        ("expressions", {"n": 1}, "validation expression 'claims.n > 1' failed"),
        ("expressions", {"n": "x"}, "expression 'claims.n > 1' resulted in error"),
    ],
)
def test_bad_ones(how: str, change: dict[str, object], why: str) -> None:
    with pytest.raises(InvalidCredentials) as caught:
        mapper(how).user({**GOOD, **change})
    assert why in str(caught.value)
