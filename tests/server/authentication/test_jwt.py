"""Reading tokens, and verifying signatures."""

from __future__ import annotations

import json

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from hypothesis import given
from hypothesis import strategies as st

from kubewright.server.authentication.jwt import (
    ALGORITHMS,
    MAX_TOKEN,
    PublicKey,
    VerificationKey,
    base64url,
    parse,
    verified,
)

RSA_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
EC_KEYS = {
    "ES256": ec.generate_private_key(ec.SECP256R1()),
    "ES384": ec.generate_private_key(ec.SECP384R1()),
    "ES512": ec.generate_private_key(ec.SECP521R1()),
}
SIZES = {"ES256": 32, "ES384": 48, "ES512": 66}


def sign(algorithm: str, text: bytes) -> bytes:
    digest = {"256": hashes.SHA256(), "384": hashes.SHA384(), "512": hashes.SHA512()}[algorithm[2:]]
    if algorithm in EC_KEYS:
        numbers = decode_dss_signature(EC_KEYS[algorithm].sign(text, ec.ECDSA(digest)))
        return b"".join(number.to_bytes(SIZES[algorithm], "big") for number in numbers)
    if algorithm.startswith("PS"):
        return RSA_KEY.sign(text, padding.PSS(padding.MGF1(digest), digest.digest_size), digest)
    return RSA_KEY.sign(text, padding.PKCS1v15(), digest)


def public(algorithm: str) -> PublicKey:
    return EC_KEYS[algorithm].public_key() if algorithm in EC_KEYS else RSA_KEY.public_key()


def token(algorithm: str, *, claimed: str = "", **header: object) -> str:
    head = {"alg": claimed or algorithm, **header}
    text = f"{base64url(json.dumps(head).encode())}.{base64url(b'{}')}"
    return f"{text}.{base64url(sign(algorithm, text.encode()))}"


def is_good(text: str, *keys: VerificationKey) -> bool:
    parsed = parse(text)
    assert parsed is not None
    return verified(parsed, keys)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_each_algorithm(algorithm: str) -> None:
    key = VerificationKey("k", public(algorithm))
    text = token(algorithm)
    assert is_good(text, key)
    assert is_good(token(algorithm, kid="k"), key)
    assert not is_good(token(algorithm, kid="other"), key)
    assert not is_good(f"{text[:-6]}{'A' if text[-6] != 'A' else 'B'}{text[-5:]}", key)
    assert not is_good(token(algorithm, crit=["x"]), key)
    assert not is_good(text, VerificationKey("k", public(algorithm), "XX256"))
    for other in ALGORITHMS:
        if other != algorithm:
            assert not is_good(token(algorithm, claimed=other), key), other
            if public(other) != public(algorithm):
                assert not is_good(text, VerificationKey("k", public(other)))


@pytest.mark.parametrize("claimed", ["none", "None", "", "HS256", "EdDSA", "rs256", "RS257"])
def test_no_other_algorithm(claimed: str) -> None:
    parsed = parse(token("RS256", claimed=claimed or "x"))
    assert parsed is not None
    assert not verified(parsed, [VerificationKey("k", RSA_KEY.public_key())])


def test_a_signature_of_another_length() -> None:
    head, body, signature = token("ES256").split(".")
    assert not is_good(f"{head}.{body}.{signature}AAAA", VerificationKey("k", public("ES256")))
    assert not is_good(f"{head}.{body}.", VerificationKey("k", public("ES256")))


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        "..",
        "a.b",
        "a.b.c.d",
        token("RS256") + "=",
        token("RS256").replace(".", ". ", 1),
        "x" * (MAX_TOKEN + 1),
        f"{base64url(b'[]')}.e30.",
        f"{base64url(b'{}')}.e30.",
        f"{base64url(b'{')}.e30.",
        base64url(b'{"alg":5}') + ".e30.",
        base64url(b'{"alg":"RS256","kid":5}') + ".e30.",
        base64url(b'{"alg":"\xff"}') + ".e30.",
        base64url(b'{"alg":"RS256","x":' + b"[" * 5000 + b"]" * 5000 + b"}") + ".e30.",
        "é.é.é",
        "\udcff.a.b",
    ],
)
def test_what_is_no_token(text: str) -> None:
    assert parse(text) is None


@given(st.text(alphabet=st.characters(codec="utf-8")) | st.from_regex(r"[\w=.+/-]{0,60}", fullmatch=True))
def test_nothing_is_too_odd(text: str) -> None:
    parsed = parse(text)
    if parsed is not None:
        assert not verified(parsed, [VerificationKey("", RSA_KEY.public_key())])


@given(st.binary(max_size=200), st.binary(max_size=50), st.binary(max_size=100))
def test_nor_what_is_in_it(head: bytes, body: bytes, signature: bytes) -> None:
    parsed = parse(".".join(map(base64url, (head, body, signature))))
    assert parsed is None or not verified(parsed, [VerificationKey("", RSA_KEY.public_key())])


def test_a_key_of_another_curve_of_the_same_size() -> None:
    key = ec.generate_private_key(ec.SECP256K1())
    text = ".".join(map(base64url, (b'{"alg":"ES256"}', b"{}")))
    numbers = decode_dss_signature(key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
    signature = base64url(b"".join(number.to_bytes(32, "big") for number in numbers))
    assert not is_good(f"{text}.{signature}", VerificationKey("k", key.public_key()))


def test_long_tokens() -> None:
    head = base64url(b'{"alg":"RS256"}')
    room = MAX_TOKEN - len(head) - len("..")
    assert parse(f"{head}.{'A' * (room // 4 * 4)}.") is not None
    assert parse(f"{head}.{'A' * (room // 4 * 4 + 4)}.") is None
