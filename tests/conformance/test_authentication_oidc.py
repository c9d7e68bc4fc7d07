"""Tokens of an OpenID Connect issuer, by an authentication configuration."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from tests.config.issuer import Issuer, running
from tests.conformance.callers import Key, base64url, review, send, signed, who
from tests.conformance.client import Client, ServerUnderTest
from tests.conformance.waiting import eventually

RSA_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
EC_KEY = ec.generate_private_key(ec.SECP256R1())
NEW_KEY = ec.generate_private_key(ec.SECP256R1())


def number(value: int) -> str:
    return base64url(value.to_bytes((value.bit_length() + 7) // 8, "big"))


def public(key: Key, key_id: str) -> dict[str, str]:
    """A key as issuers publish it."""
    if isinstance(key, rsa.RSAPrivateKey):
        numbers = key.public_key().public_numbers()
        return {"kty": "RSA", "kid": key_id, "use": "sig", "n": number(numbers.n), "e": number(numbers.e)}
    point = key.public_key().public_numbers()
    x, y = (base64url(each.to_bytes(32, "big")) for each in (point.x, point.y))
    return {"kty": "EC", "kid": key_id, "crv": "P-256", "alg": "ES256", "x": x, "y": y}


def configuration(issuer: Issuer) -> dict[str, Any]:
    """By claims at one issuer, by expressions at the other."""
    authority = issuer.authority.decode()
    by_claims = {
        "issuer": {"url": issuer.url, "audiences": ["kube", "too"], "audienceMatchPolicy": "MatchAny"},
        "claimMappings": {
            "username": {"claim": "sub", "prefix": "oidc:"},
            "groups": {"claim": "groups", "prefix": "g:"},
            "uid": {"claim": "uid"},
            "extra": [{"key": "acme.io/tier", "valueExpression": "claims.?tier.orValue('none')"}],
        },
        "claimValidationRules": [
            {"claim": "hd", "requiredValue": "acme.io"},
            {"expression": "claims.exp - claims.iat <= 86400", "message": "too long"},
        ],
        "userValidationRules": [
            {"expression": "!user.username.startsWith('oidc:system:')", "message": "reserved"},
            {"expression": "user.groups.all(g, g != 'g:banned')", "message": "banned"},
        ],
    }
    by_expressions = {
        "issuer": {
            "url": f"{issuer.url}/tenant",
            "discoveryURL": f"{issuer.url}/elsewhere/.well-known/openid-configuration",
            "audiences": ["kube"],
        },
        "claimMappings": {
            "username": {"expression": "claims.email_verified ? claims.email : 'unverified'"},
            "groups": {"expression": "dyn(claims.roles).map(r, 'role:' + r)"},
            "uid": {"expression": "string(claims.number)"},
            "extra": [
                {"key": "acme.io/one", "valueExpression": "claims.sub"},
                {"key": "acme.io/dotted", "valueExpression": "claims.?a__dot__b.orValue('')"},
                {"key": "acme.io/none", "valueExpression": "''"},
            ],
        },
    }
    for each in (by_claims, by_expressions):
        each["issuer"]["certificateAuthority"] = authority  # type: ignore[index]
    return {
        "apiVersion": "apiserver.config.k8s.io/v1",
        "kind": "AuthenticationConfiguration",
        "jwt": [by_claims, by_expressions],
        "anonymous": {"enabled": True, "conditions": [{"path": "/readyz"}, {"path": "/healthz"}]},
    }


@pytest.fixture(scope="module")
def issuer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Issuer]:
    """Answers for two: itself and a tenant."""
    with running(tmp_path_factory.mktemp("issuer")) as made:
        made.discovery = (200, {"issuer": made.url, "jwks_uri": f"{made.url}/keys"})
        tenant = {"issuer": f"{made.url}/tenant", "jwks_uri": f"{made.url}/keys"}
        made.documents["/keys"] = {"keys": [public(RSA_KEY, "rsa"), public(EC_KEY, "ec")]}
        answer = made.answer

        def answer_both(path: str, form: dict[str, str], header: str) -> tuple[int, object]:
            found = answer(path, form, header)
            return (200, tenant) if path.startswith("/elsewhere/") else found

        made.answer = answer_both  # type: ignore[method-assign]
        yield made


@pytest.fixture(scope="module", params=["embedded", pytest.param("real", marks=pytest.mark.real)])
def server(
    request: pytest.FixtureRequest, issuer: Issuer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ServerUnderTest]:
    file = tmp_path_factory.mktemp("oidc") / "authentication.yaml"
    file.write_text(json.dumps(configuration(issuer)))
    if request.param == "real":
        from tests.realcluster.server import RealServer

        with RealServer(fsync=False, flags=[f"--authentication-config={file}"]) as real:
            yield real
    else:
        from kubewright.testing import Cluster

        with Cluster.in_thread(controllers="none", authentication_config=file) as cluster:
            yield cluster


@pytest.fixture(scope="module")
def client(server: ServerUnderTest, issuer: Issuer) -> Iterator[Client]:
    made = Client(server)
    token = make(issuer)
    # And until those who were recognised may ask who they are, by a role of the server's own making.
    eventually(lambda: isinstance(who(server, token), dict), "the issuer is not known yet")
    yield made
    made.close()


def make(
    issuer: Issuer, *, key: Key = RSA_KEY, header: Any = None, tenant: bool = False, **claims: Any
) -> str:
    """A token of the issuer; what is None is left out."""
    now = int(time.time())
    said: dict[str, Any] = {"iss": issuer.url, "aud": "kube", "iat": now, "exp": now + 600, "jti": "t-1"}
    if tenant:
        said |= {"iss": f"{issuer.url}/tenant", "sub": "s", "email": "jane@acme.io", "email_verified": True}
        said |= {"roles": ["dev", "ops"], "number": 7}
    else:
        said |= {"sub": "jane", "groups": ["a", "b"], "uid": "u-1", "hd": "acme.io"}
    said |= claims
    head = {"alg": "RS256", "kid": "rsa"} if key is RSA_KEY else {"alg": "ES256", "kid": "ec"}
    shown = {name: value for name, value in said.items() if value is not None}
    return signed(key, {**head, **(header or {})}, shown)


JANE = {
    "username": "oidc:jane",
    "uid": "u-1",
    "groups": ["g:a", "g:b", "system:authenticated"],
    "extra": {"authentication.kubernetes.io/credential-id": ["JTI=t-1"], "acme.io/tier": ["none"]},
}


@pytest.mark.parametrize("key", [RSA_KEY, EC_KEY], ids=["RS256", "ES256"])
def test_by_claims(server: ServerUnderTest, client: Client, issuer: Issuer, key: Key) -> None:
    assert who(server, make(issuer, key=key)) == JANE


def test_by_expressions(server: ServerUnderTest, client: Client, issuer: Issuer) -> None:
    token = make(issuer, tenant=True)
    eventually(lambda: "error" not in review(client, token), "the tenant is not known yet")
    assert who(server, token) == {
        "username": "jane@acme.io",
        "uid": "7",
        "groups": ["role:dev", "role:ops", "system:authenticated"],
        "extra": {"authentication.kubernetes.io/credential-id": ["JTI=t-1"], "acme.io/one": ["s"]},
    }
    assert who(server, make(issuer, tenant=True, email_verified=False))["username"] == "unverified"
    dotted: dict[str, Any] = {"a.b": "c"}
    user = who(server, make(issuer, tenant=True, **dotted))
    assert user["extra"]["acme.io/dotted"] == ["c"]


@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        ({"groups": "one"}, {"groups": ["g:one", "system:authenticated"]}),
        ({"groups": None}, {"groups": ["system:authenticated"]}),
        ({"groups": []}, {"groups": ["system:authenticated"]}),
        ({"jti": None, "tier": "gold"}, {"extra": {"acme.io/tier": ["gold"]}}),
        ({"jti": None, "tier": ["x", "", "y"]}, {"extra": {"acme.io/tier": ["x", "y"]}}),
        ({"aud": ["x", "too"]}, {}),
        ({"nbf": 0}, {}),
    ],
    ids=str,
)
def test_claims(
    server: ServerUnderTest, client: Client, issuer: Issuer, claims: dict[str, Any], expected: dict[str, Any]
) -> None:
    assert who(server, make(issuer, **claims)) == {**JANE, **expected}


@pytest.mark.parametrize(
    ("claims", "why"),
    [
        ({"aud": "else"}, 'oidc: verify token: oidc: expected audience in ["kube" "too"] got ["else"]'),
        ({"aud": None}, 'oidc: verify token: oidc: expected audience in ["kube" "too"] got []'),
        (
            {"exp": 1000},
            "oidc: verify token: oidc: token is expired (Token Expiry: 1970-01-01 00:16:40 +0000",
        ),
        ({"exp": None}, "oidc: verify token: oidc: token is expired"),
        ({"nbf": 32503680000}, "oidc: verify token: oidc: current time "),
        ({"sub": None}, 'oidc: parse username claims "sub": claim not present'),
        ({"sub": 7}, "oidc: verify token: oidc: failed to unmarshal claims"),
        ({"uid": None}, 'oidc: parse uid claim "uid": claim not present'),
        ({"groups": [1]}, 'oidc: parse groups claim "groups": '),
        ({"hd": None}, "oidc: required claim hd not present in ID token"),
        ({"hd": "x"}, "oidc: required claim hd value does not match. Got = x, want = acme.io"),
        (
            {"exp": 4000000000},
            (
                "oidc: error evaluating claim validation expression: validation expression "
                "'claims.exp - claims.iat <= 86400' failed: too long"
            ),
        ),
        (
            {"iat": None},
            (
                "oidc: error evaluating claim validation expression: expression "
                "'claims.exp - claims.iat <= 86400' resulted in error: no such key: iat"
            ),
        ),
        (
            {"sub": "system:x"},
            (
                "oidc: error evaluating user info validation rule: validation expression "
                "'!user.username.startsWith('oidc:system:')' failed: reserved"
            ),
        ),
        (
            {"groups": ["banned"]},
            (
                "oidc: error evaluating user info validation rule: validation expression "
                "'user.groups.all(g, g != 'g:banned')' failed: banned"
            ),
        ),
        ({"tier": 7}, "oidc: error evaluating extra claim expression: claims.?tier.orValue('none'): "),
    ],
    ids=str,
)
def test_claims_that_are_no_good(
    server: ServerUnderTest, client: Client, issuer: Issuer, claims: dict[str, Any], why: str
) -> None:
    token = make(issuer, **claims)
    status = review(client, token)
    assert status["user"] == {}
    assert status["error"].startswith(f"[invalid bearer token, {why}"), status["error"]
    assert who(server, token) == 401


def test_times(server: ServerUnderTest, client: Client, issuer: Issuer) -> None:
    """There is a minute before a token's time, and none after it."""
    now = int(time.time())
    assert who(server, make(issuer, exp=now - 2)) == 401
    assert who(server, make(issuer, nbf=now + 30)) == JANE
    assert who(server, make(issuer, nbf=now + 90)) == 401


SIGNATURE = "oidc: verify token: failed to verify signature: failed to verify id token signature"


def tampered(token: str) -> str:
    head, body, signature = token.split(".")
    return f"{head}.{body}.{'B' if signature[0] == 'A' else 'A'}{signature[1:]}"


@pytest.mark.parametrize(
    ("forge", "why"),
    [
        (lambda issuer: tampered(make(issuer)), SIGNATURE),
        (lambda issuer: make(issuer, key=NEW_KEY), SIGNATURE),
        (lambda issuer: make(issuer, key=NEW_KEY, header={"kid": "unheard"}), SIGNATURE),
        (lambda issuer: make(issuer, header={"alg": "RS512"}), SIGNATURE),
        (lambda issuer: make(issuer, header={"kid": "ec"}), SIGNATURE),
        (
            lambda issuer: make(issuer, header={"alg": "none"}),
            "oidc: verify token: oidc: id token signed with unsupported algorithm, expected [",
        ),
        (
            lambda issuer: make(issuer, header={"alg": "HS256"}),
            "oidc: verify token: oidc: id token signed with unsupported algorithm, expected [",
        ),
    ],
    ids=["tampered", "another key", "unknown key", "RS512", "key of another", "none", "HS256"],
)
def test_signatures_that_are_no_good(
    server: ServerUnderTest, client: Client, issuer: Issuer, forge: Callable[[Issuer], str], why: str
) -> None:
    token = forge(issuer)
    status = review(client, token)
    assert status["error"].startswith(f"[invalid bearer token, {why}"), status["error"]
    assert who(server, token) == 401


def test_an_issuer_that_nobody_knows(server: ServerUnderTest, client: Client, issuer: Issuer) -> None:
    for other in (f"{issuer.url}/", f"{issuer.url}/other", "https://elsewhere.example"):
        assert review(client, make(issuer, iss=other)) == {"user": {}, "error": "invalid bearer token"}


def test_audiences_of_reviews(client: Client, issuer: Issuer) -> None:
    """Such tokens are good for the server, whatever audience they name."""
    token = make(issuer)
    (audience,) = review(client, token)["audiences"]
    assert review(client, token, ["x", audience])["audiences"] == [audience]
    assert review(client, token, ["kube"]) == {"user": {}, "error": "invalid bearer token"}


def test_a_new_key(server: ServerUnderTest, client: Client, issuer: Issuer) -> None:
    token = make(issuer, key=NEW_KEY, header={"kid": "new"})
    assert who(server, token) == 401
    keys = issuer.documents["/keys"]
    issuer.documents["/keys"] = {
        "keys": [public(RSA_KEY, "rsa"), {"kty": "oct", "k": "AAAA"}, public(NEW_KEY, "new")]
    }
    try:
        eventually(lambda: who(server, token) == JANE, "the new key is not known")
        assert who(server, make(issuer)) == JANE
    finally:
        issuer.documents["/keys"] = keys


def test_where_the_anonymous_may_go(server: ServerUnderTest, client: Client) -> None:
    for path in ("/readyz", "/healthz"):
        # Not at once for a real server whose etcd is busy.
        eventually(
            lambda path=path: send(server, [], method="GET", path=path).status == 200,  # type: ignore[misc]
            f"{path} is not there",
        )
    for path in ("/livez", "/version", "/readyz/ping", "/api/v1/pods", "/readyz/"):
        assert send(server, [], method="GET", path=path).status == 401
