"""Tokens of service accounts: asking for them, showing them, and when they end."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.conformance.callers import (
    base64url,
    claims_of,
    request_token,
    review,
    service_account,
    service_account_key,
    signed,
    token_of,
    who,
)
from tests.conformance.client import Client, ServerUnderTest
from tests.conformance.namespaces import Namespace, unique
from tests.conformance.statuses import assert_failure
from tests.conformance.waiting import eventually

JTI = "authentication.kubernetes.io/credential-id"
CRYPTOGRAPHIC = "[invalid bearer token, go-jose/go-jose: error in cryptographic primitive]"
UNKNOWN = "invalid bearer token"


def pod(name: str, **spec: Any) -> dict[str, Any]:
    containers = [{"name": "c", "image": "i"}]
    return {
        "metadata": {"name": name},
        "spec": {"serviceAccountName": "robot", "containers": containers, **spec},
    }


def reference(kind: str, name: str, **more: str) -> dict[str, str]:
    return {"kind": kind, "apiVersion": "v1", "name": name, **more}


class TestAsking:
    def test_what_it_says(self, namespace: Namespace) -> None:
        account = service_account(namespace)
        before = int(time.time())
        response = request_token(namespace, expirationSeconds=1200)
        made = response.json()
        metadata = {key: made["metadata"][key] for key in ("name", "namespace", "uid")}
        assert metadata == {key: account["metadata"][key] for key in metadata}
        assert made["spec"]["expirationSeconds"] == 1200
        header, claims = claims_of(made["status"]["token"])
        assert set(header) == {"alg", "kid"}
        assert claims["aud"] == made["spec"]["audiences"] == [claims["iss"]]
        assert claims["exp"] - claims["iat"] == 1200
        assert claims["nbf"] == claims["iat"] >= before
        assert claims["sub"] == f"system:serviceaccount:{namespace.name}:robot"
        assert claims["kubernetes.io"] == {
            "namespace": namespace.name,
            "serviceaccount": {"name": "robot", "uid": account["metadata"]["uid"]},
        }

    def test_each_is_another(self, namespace: Namespace) -> None:
        service_account(namespace)
        assert claims_of(token_of(namespace))[1]["jti"] != claims_of(token_of(namespace))[1]["jti"]

    def test_audiences(self, namespace: Namespace) -> None:
        service_account(namespace)
        assert claims_of(token_of(namespace, audiences=["a", "b"]))[1]["aud"] == ["a", "b"]

    @pytest.mark.parametrize("kind", ["Pod", "Secret", "Node"])
    def test_bound_to_what_is_not_there(self, namespace: Namespace, kind: str) -> None:
        service_account(namespace)
        response = request_token(namespace, boundObjectRef=reference(kind, "no-such"))
        resource = f"{kind.lower()}s"
        details = {"name": "no-such", "kind": resource}
        assert_failure(response, 404, "NotFound", f'{resource} "no-such" not found', details)

    @pytest.mark.parametrize(
        ("bound", "message"),
        [
            (reference("ConfigMap", "x"), "cannot bind token to object of type /v1, Kind=ConfigMap"),
            ({}, "cannot bind token to object of type /, Kind="),
            (
                {"kind": "Deployment", "apiVersion": "apps/v1", "name": "x"},
                "cannot bind token to object of type apps/v1, Kind=Deployment",
            ),
            ({"kind": "Secret", "apiVersion": "v1"}, "Name parameter required."),
        ],
        ids=["config map", "nothing", "deployment", "no name"],
    )
    def test_bound_to_what_cannot_be(self, namespace: Namespace, bound: dict[str, str], message: str) -> None:
        service_account(namespace)
        assert_failure(request_token(namespace, boundObjectRef=bound), 400, "BadRequest", message)

    def test_bound_to_an_object_of_another_uid(self, namespace: Namespace) -> None:
        service_account(namespace)
        namespace.create(namespace.path("secrets"), {"metadata": {"name": "s"}})
        response = request_token(namespace, boundObjectRef=reference("Secret", "s", uid="other"))
        message = (
            'Operation cannot be fulfilled on Secret "s": the UID in the bound object reference (other) does '
            "not match the UID in record. The object might have been deleted and then recreated"
        )
        assert_failure(response, 409, "Conflict", message, {"name": "s", "kind": "Secret"})

    def test_bound_to_somebody_elses_pod(self, namespace: Namespace) -> None:
        service_account(namespace)
        service_account(namespace, "other")
        namespace.create(namespace.pods, pod("p"))
        response = request_token(namespace, "other", boundObjectRef=reference("Pod", "p"))
        message = (
            'cannot bind token for serviceaccount "other" to pod running with different serviceaccount name.'
        )
        assert_failure(response, 400, "BadRequest", message)

    def test_for_an_account_of_another_uid(self, namespace: Namespace) -> None:
        account = service_account(namespace)
        body = {
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenRequest",
            "metadata": {"uid": "other"},
        }
        response = namespace.client.post(f"{namespace.path('serviceaccounts')}/robot/token", body)
        message = (
            'Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "robot": the UID in the '
            "token request (other) does not match the UID of the service account "
            f"({account['metadata']['uid']})"
        )
        details = {"name": "robot", "group": "authentication.k8s.io", "kind": "TokenRequest"}
        assert_failure(response, 409, "Conflict", message, details)

    def test_for_another_name(self, namespace: Namespace) -> None:
        service_account(namespace)
        body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "metadata": {"name": "x"}}
        response = namespace.client.post(f"{namespace.path('serviceaccounts')}/robot/token", body)
        assert response.status == 422
        assert "must match the service account name if specified" in response.json()["message"]

    def test_what_kubelets_ask_for_lasts_a_year(self, namespace: Namespace) -> None:
        service_account(namespace)
        namespace.create(namespace.pods, pod("p"))
        bound = reference("Pod", "p")
        made = request_token(namespace, expirationSeconds=3607, boundObjectRef=bound).json()
        claims = claims_of(made["status"]["token"])[1]
        assert claims["exp"] - claims["iat"] == 365 * 24 * 3600
        assert claims["kubernetes.io"]["warnafter"] - claims["iat"] == 3607
        assert made["spec"]["expirationSeconds"] == 3607
        other = claims_of(token_of(namespace, expirationSeconds=3607))[1]
        assert other["exp"] - other["iat"] == 3607
        elsewhere = token_of(namespace, expirationSeconds=3607, boundObjectRef=bound, audiences=["x"])
        assert "warnafter" not in claims_of(elsewhere)[1]["kubernetes.io"]


class TestShowing:
    def test_who_it_is(self, server: ServerUnderTest, namespace: Namespace) -> None:
        account = service_account(namespace)
        token = token_of(namespace)
        assert who(server, token) == {
            "username": f"system:serviceaccount:{namespace.name}:robot",
            "uid": account["metadata"]["uid"],
            "groups": [
                "system:serviceaccounts",
                f"system:serviceaccounts:{namespace.name}",
                "system:authenticated",
            ],
            "extra": {JTI: [f"JTI={claims_of(token)[1]['jti']}"]},
        }

    def test_bound_to_a_pod_on_a_node(
        self, server: ServerUnderTest, client: Client, namespace: Namespace
    ) -> None:
        service_account(namespace)
        node = unique("node")
        node_uid = client.post("/api/v1/nodes", {"metadata": {"name": node}}).json()["metadata"]["uid"]
        uid = namespace.create(namespace.pods, pod("p", nodeName=node))["metadata"]["uid"]
        token = token_of(namespace, boundObjectRef=reference("Pod", "p"))
        private = claims_of(token)[1]["kubernetes.io"]
        assert (private["pod"], private["node"]) == (
            {"name": "p", "uid": uid},
            {"name": node, "uid": node_uid},
        )
        extra = who(server, token)["extra"]
        del extra[JTI]
        assert extra == {
            "authentication.kubernetes.io/node-name": [node],
            "authentication.kubernetes.io/node-uid": [node_uid],
            "authentication.kubernetes.io/pod-name": ["p"],
            "authentication.kubernetes.io/pod-uid": [uid],
        }
        # The node may go; the pod is what it is bound to.
        assert client.delete(f"/api/v1/nodes/{node}").status == 200
        assert who(server, token)["extra"]["authentication.kubernetes.io/node-name"] == [node]

    def test_audiences(self, server: ServerUnderTest, client: Client, namespace: Namespace) -> None:
        service_account(namespace)
        token = token_of(namespace, audiences=["a", "b"])
        assert who(server, token) == 401
        assert review(client, token, ["c", "b", "a"])["audiences"] == ["b", "a"]
        (own,) = claims_of(token_of(namespace))[1]["aud"]
        why = f'token audiences ["a" "b"] is invalid for the target audiences ["{own}"]'
        assert review(client, token) == {"user": {}, "error": f"[invalid bearer token, {why}]"}
        why = 'token audiences ["a" "b"] is invalid for the target audiences ["c" "d"]'
        assert review(client, token, ["c", "d"])["error"] == f"[invalid bearer token, {why}]"


Change = Callable[[dict[str, Any], dict[str, Any]], object]


def claim(name: str, value: object) -> Change:
    return lambda _, claims: claims.update({name: value})


def later(name: str, seconds: int) -> Change:
    return lambda _, claims: claims.update({name: int(time.time()) + seconds})


def private(name: str, value: object) -> Change:
    return lambda _, claims: claims["kubernetes.io"].update({name: value})


def header(name: str, value: object) -> Change:
    return lambda head, _: head.update({name: value})


class TestForging:
    """Tokens with the server's own key, which nobody else has, and with others."""

    @pytest.mark.parametrize(
        "change",
        [
            lambda *_: None,
            later("exp", -30),
            later("nbf", 30),
            later("iat", 30),
            claim("sub", "somebody"),
            header("kid", ""),
            header("typ", "else"),
        ],
        ids=["unchanged", "just expired", "just early", "just issued", "subject", "no key id", "type"],
    )
    def test_good_ones(
        self, server: ServerUnderTest, client: Client, namespace: Namespace, change: Change
    ) -> None:
        service_account(namespace)
        head, claims = claims_of(token_of(namespace))
        change(head, claims)
        user = review(client, signed(service_account_key(server), head, claims))["user"]
        assert user["username"] == f"system:serviceaccount:{namespace.name}:robot"

    @pytest.mark.parametrize(
        ("change", "why"),
        [
            (later("exp", -90), "service account token has expired"),
            (claim("exp", 0), "service account token has expired"),
            (later("nbf", 90), "service account token is not valid yet"),
            (later("iat", 90), "service account token is issued in the future"),
            (claim("iss", "https://elsewhere"), ""),
            (claim("iss", ["x"]), ""),
            (header("kid", "other"), "invalid signature, no keys found"),
            (header("alg", "none"), "go-jose/go-jose: error in cryptographic primitive"),
            (header("alg", "HS256"), "go-jose/go-jose: error in cryptographic primitive"),
            (header("alg", "ES384"), "go-jose/go-jose: error in cryptographic primitive"),
            (header("crit", ["x"]), "go-jose/go-jose: error in cryptographic primitive"),
            (private("serviceaccount", {"name": "none", "uid": "x"}), 'serviceaccounts "none" not found'),
            (private("pod", {"name": "none", "uid": "x"}), "service account token has been invalidated"),
            (private("secret", {"name": "none", "uid": "x"}), "service account token has been invalidated"),
            (private("node", {"name": "none", "uid": "x"}), "service account token has been invalidated"),
        ],
    )
    def test_bad_ones(
        self, server: ServerUnderTest, client: Client, namespace: Namespace, change: Change, why: str
    ) -> None:
        service_account(namespace)
        head, claims = claims_of(token_of(namespace))
        change(head, claims)
        token = signed(service_account_key(server), head, claims)
        said = f"[invalid bearer token, {why}]" if why else UNKNOWN
        assert review(client, token) == {"user": {}, "error": said}
        assert who(server, token) == 401

    def test_another_uid(self, server: ServerUnderTest, client: Client, namespace: Namespace) -> None:
        account = service_account(namespace)
        head, claims = claims_of(token_of(namespace))
        claims["kubernetes.io"]["serviceaccount"]["uid"] = "other"
        why = f"service account UID ({account['metadata']['uid']}) does not match claim (other)"
        token = signed(service_account_key(server), head, claims)
        assert review(client, token)["error"] == f"[invalid bearer token, {why}]"

    def test_tampering(self, server: ServerUnderTest, client: Client, namespace: Namespace) -> None:
        service_account(namespace)
        token = token_of(namespace)
        parts = token.split(".")
        head, claims = claims_of(token)
        claims["kubernetes.io"]["serviceaccount"]["name"] = "default"
        other = base64url(json.dumps(claims).encode())
        changed = ("B" if parts[2][0] == "A" else "A") + parts[2][1:]
        for each, said in [
            ([base64url(json.dumps({**head, "x": 1}).encode()), parts[1], parts[2]], CRYPTOGRAPHIC),
            ([parts[0], other, parts[2]], CRYPTOGRAPHIC),
            ([parts[0], parts[1], changed], CRYPTOGRAPHIC),
            ([parts[0], parts[1], parts[2][:-8]], CRYPTOGRAPHIC),
            ([parts[0], parts[1], ""], CRYPTOGRAPHIC),
            ([base64url(b'{"alg":"none"}'), parts[1], ""], CRYPTOGRAPHIC),
            ([parts[0], parts[1]], UNKNOWN),
            ([*parts, "x"], UNKNOWN),
            ([*parts[:2], parts[2] + "=="], UNKNOWN),
            (["x", parts[1], parts[2]], UNKNOWN),
            ([base64url(b"[]"), parts[1], parts[2]], UNKNOWN),
            ([parts[0], base64url(b"{"), parts[2]], UNKNOWN),
        ]:
            shown = ".".join(each)
            assert review(client, shown) == {"user": {}, "error": said}, each
            assert who(server, shown) == 401

    def test_by_another_key(self, server: ServerUnderTest, client: Client, namespace: Namespace) -> None:
        service_account(namespace)
        head, claims = claims_of(token_of(namespace))
        key = ec.generate_private_key(ec.SECP256R1())
        assert review(client, signed(key, {**head, "alg": "ES256"}, claims))["error"] == CRYPTOGRAPHIC

    def test_by_the_public_key(self, server: ServerUnderTest, client: Client, namespace: Namespace) -> None:
        """Whoever verifies HS256 with a public key takes what everybody can sign."""
        service_account(namespace)
        head, claims = claims_of(token_of(namespace))
        public = service_account_key(server).public_key()
        for encoding in (serialization.Encoding.PEM, serialization.Encoding.DER):
            secret = public.public_bytes(encoding, serialization.PublicFormat.SubjectPublicKeyInfo)
            text = ".".join(
                base64url(json.dumps(part).encode()) for part in ({**head, "alg": "HS256"}, claims)
            )
            signature = base64url(hmac.new(secret, text.encode(), hashlib.sha256).digest())
            assert review(client, f"{text}.{signature}")["error"] == CRYPTOGRAPHIC


def refused(server: ServerUnderTest, token: str) -> bool:
    return bool(who(server, token) == 401)


def test_tokens_end_with_their_objects(server: ServerUnderTest, client: Client, namespace: Namespace) -> None:
    """All at once, since the real server remembers good tokens for ten seconds."""
    accounts = namespace.path("serviceaccounts")
    for name in ("robot", "gone", "again"):
        service_account(namespace, name)
    namespace.create(namespace.path("secrets"), {"metadata": {"name": "s"}})
    for name in ("p", "q"):
        namespace.create(namespace.pods, pod(name))
    node = unique("node")
    client.post("/api/v1/nodes", {"metadata": {"name": node}})
    tokens = {
        "robot": token_of(namespace),
        "gone": token_of(namespace, "gone"),
        "again": token_of(namespace, "again"),
        "secret": token_of(namespace, boundObjectRef=reference("Secret", "s")),
        "pod": token_of(namespace, boundObjectRef=reference("Pod", "p")),
        "pod again": token_of(namespace, boundObjectRef=reference("Pod", "q")),
        "node": token_of(namespace, boundObjectRef=reference("Node", node)),
    }
    for token in tokens.values():
        assert who(server, token)["groups"][0] == "system:serviceaccounts"
    for path in (
        f"{accounts}/gone",
        f"{accounts}/again",
        f"{namespace.path('secrets')}/s",
        f"/api/v1/nodes/{node}",
    ):
        assert client.delete(path).status == 200
    for name in ("p", "q"):
        assert client.delete(f"{namespace.pods}/{name}", {"gracePeriodSeconds": 0}).status == 200
    recreated = service_account(namespace, "again")["metadata"]["uid"]
    recreated_pod = namespace.create(namespace.pods, pod("q"))["metadata"]["uid"]
    expected = {
        "gone": 'serviceaccounts "gone" not found',
        "again": f"service account UID ({recreated}) does not match claim ",
        "secret": "service account token has been invalidated",
        "pod": "service account token has been invalidated",
        "pod again": f"pod UID ({recreated_pod}) does not match service account pod ref claim ",
        "node": "service account token has been invalidated",
    }
    for name, why in expected.items():
        eventually(partial(refused, server, tokens[name]), f"the token {name} still works")
        assert review(client, tokens[name])["error"].startswith(f"[invalid bearer token, {why}")
    assert who(server, tokens["robot"])["groups"][0] == "system:serviceaccounts"


def test_the_issuers_documents(server: ServerUnderTest, client: Client, namespace: Namespace) -> None:
    service_account(namespace)
    head, claims = claims_of(token_of(namespace))
    document = client.get("/.well-known/openid-configuration").json()
    assert document["issuer"] == claims["iss"]
    assert document["jwks_uri"].endswith("/openid/v1/jwks")
    assert document["id_token_signing_alg_values_supported"] == [head["alg"]]
    response = client.get("/openid/v1/jwks", headers={"Accept": "application/jwk-set+json"})
    assert response.content_type == "application/jwk-set+json"
    assert response.headers["Cache-Control"] == "public, max-age=3600"
    (key,) = json.loads(response.body)["keys"]
    assert (key["kid"], key["alg"], key["use"]) == (head["kid"], head["alg"], "sig")
    message = "406: Not Acceptable\n\nAvailable representations: application/jwk-set+json"
    assert_failure(client.get("/openid/v1/jwks"), 406, "NotAcceptable", message, {})
