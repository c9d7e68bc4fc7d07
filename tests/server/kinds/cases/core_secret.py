"""Secrets: keys, sizes, types, immutability."""

from __future__ import annotations

from base64 import b64encode
from datetime import UTC, datetime
from typing import Any

from tests.server.kinds.harness import Case


def secret(kind: str = "", metadata: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    typed = {"type": kind} if kind else {}
    named = {"name": "core-case", **(metadata or {})}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": named, **typed, **fields}


def encoded(text: str | bytes) -> str:
    return b64encode(text if isinstance(text, bytes) else text.encode()).decode()


DOCKER = "kubernetes.io/dockerconfigjson"
JSONS = [
    "{}",
    "",
    " ",
    "null",
    "1",
    '"a"',
    "[]",
    "true",
    "-",
    "01",
    "1.",
    "1.x",
    "1e",
    "1ex",
    "1e+",
    "{",
    "{a",
    "{'a'",
    '{"a"',
    '{"a" 1',
    '{"a":',
    '{"a":1',
    '{"a":1 "b"',
    '{"a":1,}',
    '{"a":1,"b":2}',
    '{"a":1}x',
    '{"a":1} ',
    "[1",
    "[1 2",
    "[1,]",
    "[,",
    '{"a":tru}',
    '{"a":trux}',
    '{"a":nul',
    '{"a":falsy}',
    '{"a":"\\x"}',
    '{"a":"\\u12"}',
    '{"a":"\\u12g4"}',
    '{"a":"\n"}',
    '{"a":"\t',
    '{"a":"',
    '{"a":"\\',
    '{"a":"b\\n"}',
    '{"a":{"b":[{"c":[]}]}}',
    '{"a":{"b":[{"c":[}]}}',
    "é",
    "\x00",
    "\x7f",
    "'",
    "\\",
    '{"a":1}{"b":2}',
    '{"a":-}',
    '{"a":-1.5e-7}',
    '{"a":+1}',
    '{"auths":{"x":{"auth":"b"}}}',
]


def key_pair(kind: str = "ec") -> tuple[str, str]:
    """A certificate and its key, always the same ones: the signature must be of a kind without randomness."""
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
    from cryptography.x509.oid import NameOID

    key: Any
    if kind == "ec":
        key = ec.derive_private_key(1234567, ec.SECP256R1())
    elif kind == "other":
        key = ec.derive_private_key(7654321, ec.SECP256R1())
    else:
        key = ed25519.Ed25519PrivateKey.from_private_bytes(b"k" * 32)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "case")])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(datetime(2024, 1, 1, tzinfo=UTC))
        .not_valid_after(datetime(2044, 1, 1, tzinfo=UTC))
        .sign(ed25519.Ed25519PrivateKey.from_private_bytes(b"k" * 32), None)
    )
    text = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    return certificate.public_bytes(Encoding.PEM).decode(), text


def tls(certificate: str, key: str) -> dict[str, Any]:
    return secret("kubernetes.io/tls", data={"tls.crt": encoded(certificate), "tls.key": encoded(key)})


EC, ED, OTHER = key_pair("ec"), key_pair("ed"), key_pair("other")
BAD_KEYS = ["", "a b", ".", "..", "..a", "a/b", "x" * 254, "x" * 253, ".dockercfg"]
DATA = {"a": "MQ=="}

CASES = [
    Case("minimal", secret()),
    Case("opaque", secret("Opaque", data=DATA, immutable=True)),
    Case("own type", secret("example.com/own type!", data=DATA)),
    Case("empty value", secret(data={"a": ""})),
    Case("string data", secret(stringData={"a": "1", "b": "ä"})),
    Case("string data over data", secret(data={"a": "MQ==", "c": "MQ=="}, stringData={"a": "2"})),
    Case("bad string data key", secret(stringData={"a b": "1"})),
    *[Case(f"key {index}", secret(data={key: "MQ=="})) for index, key in enumerate(BAD_KEYS)],
    Case("too large", secret(data={"a": "AAAA" * 349525 + "AAA="})),
    Case("token without account", secret("kubernetes.io/service-account-token")),
    Case(
        "token with empty account",
        secret(
            "kubernetes.io/service-account-token",
            {"annotations": {"kubernetes.io/service-account.name": ""}},
        ),
    ),
    Case(
        "token",
        secret(
            "kubernetes.io/service-account-token",
            {"annotations": {"kubernetes.io/service-account.name": "core-case"}},
        ),
    ),
    Case("dockercfg without key", secret("kubernetes.io/dockercfg")),
    Case("dockercfg", secret("kubernetes.io/dockercfg", data={".dockercfg": encoded("{}")})),
    Case("dockercfg bad", secret("kubernetes.io/dockercfg", data={".dockercfg": encoded("[")})),
    Case("docker config without key", secret(DOCKER, data=DATA)),
    *[
        Case(f"docker config {index}", secret(DOCKER, data={".dockerconfigjson": encoded(text)}))
        for index, text in enumerate(JSONS)
    ],
    Case("docker config not utf-8", secret(DOCKER, data={".dockerconfigjson": encoded(b'{"a":"\xff"}')})),
    Case("docker config lone byte", secret(DOCKER, data={".dockerconfigjson": encoded(b"\xff")})),
    Case("basic auth empty", secret("kubernetes.io/basic-auth")),
    Case("basic auth user", secret("kubernetes.io/basic-auth", data={"username": "MQ=="})),
    Case("basic auth password", secret("kubernetes.io/basic-auth", data={"password": ""})),
    Case("ssh empty", secret("kubernetes.io/ssh-auth")),
    Case("ssh empty key", secret("kubernetes.io/ssh-auth", data={"ssh-privatekey": ""})),
    Case("ssh", secret("kubernetes.io/ssh-auth", data={"ssh-privatekey": "MQ=="})),
    Case("tls empty", secret("kubernetes.io/tls")),
    Case("tls only key", secret("kubernetes.io/tls", data={"tls.key": "MQ=="})),
    Case("tls only certificate", secret("kubernetes.io/tls", data={"tls.crt": "MQ=="})),
    Case("tls nonsense", tls("a", "b")),
    Case("tls empty values", tls("", "")),
    Case("tls pair", tls(*EC)),
    Case("tls ed25519 pair", tls(*ED)),
    Case("tls chain", tls(EC[0] + ED[0], EC[1])),
    Case("tls other key", tls(EC[0], OTHER[1])),
    Case("tls other type of key", tls(EC[0], ED[1])),
    Case("tls other type of certificate", tls(ED[0], EC[1])),
    Case("tls switched", tls(EC[1], EC[0])),
    Case("tls no key", tls(EC[0], "")),
    Case("tls certificate as key", tls(*[EC[0]] * 2)),
    Case("tls two certificates as key", tls(EC[0], EC[0] * 2)),
    Case("tls two keys as certificate", tls(EC[1] * 2, EC[1])),
    Case("tls bad key", tls(EC[0], "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")),
    Case("tls text around", tls(f"hello\n{EC[0]}bye\n", f"hello\n{EC[1]}bye")),
    Case("tls mismatched end", tls(EC[0].replace("END CERTIFICATE", "END X"), EC[1])),
    Case("tls with headers", tls(EC[0].replace("E-----\nM", "E-----\na: b\n\nM", 1), EC[1])),
    Case("update", secret(data={"b": "MQ=="}, type="Opaque"), secret(data=DATA)),
    Case("update without type", secret(data=DATA), secret("example.com/x")),
    Case("update type", secret("a", data=DATA), secret("b", data=DATA)),
    Case("update to bad key", secret(data={"a b": "MQ=="}), secret(data=DATA)),
    Case("immutable unset", secret(data=DATA), secret(data=DATA, immutable=True)),
    Case("immutable data", secret(immutable=True), secret(data=DATA, immutable=True)),
    Case(
        "immutable string data",
        secret(stringData={"a": "2"}, immutable=True),
        secret(data=DATA, immutable=True),
    ),
    Case("immutable same", secret(stringData={"a": "1"}, immutable=True), secret(data=DATA, immutable=True)),
]
