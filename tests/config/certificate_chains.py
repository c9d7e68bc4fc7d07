"""Chains of certificates, good and bad, and whether Go's `crypto/x509` accepts them."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

__all__ = [
    "CASES",
    "CLIENT_CASES",
    "DIFFERENCES",
    "HOST",
    "LOOPBACK_CASES",
    "Case",
    "Chain",
    "Issued",
    "issue",
]

HOST = "hook.default.svc"
_PEM = serialization.Encoding.PEM
_USAGES = (
    *("digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement"),
    *("key_cert_sign", "crl_sign", "encipher_only", "decipher_only"),
)


@dataclass(frozen=True)
class Issued:
    """A certificate and its key."""

    name: str
    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey = field(repr=False)

    @property
    def pem(self) -> bytes:
        return self.certificate.public_bytes(_PEM)

    @property
    def key_pem(self) -> bytes:
        return self.key.private_bytes(_PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())


def issue(
    name: str,
    issuer: Issued | None = None,
    *,
    names: Sequence[str] = (),
    ca: bool | None = None,
    critical: bool = True,
    path_length: int | None = None,
    usages: Sequence[str] = (),
    purposes: Sequence[x509.ObjectIdentifier] = (),
    days: tuple[int, int] = (-1, 1),
) -> Issued:
    """A certificate of an authority, or one that signs itself; `ca=None` leaves basic constraints out.

    `critical` is whether the basic constraints are; `days` are those from now between which it is valid.
    """
    key = ec.generate_private_key(ec.SECP256R1())
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(_name(name))
        .issuer_name(_name(name if issuer is None else issuer.name))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + timedelta(days=days[0]))
        .not_valid_after(now + timedelta(days=days[1]))
    )
    if ca is not None:
        builder = builder.add_extension(
            x509.BasicConstraints(ca=ca, path_length=path_length), critical=critical
        )
    if names:
        builder = builder.add_extension(
            x509.SubjectAlternativeName([_general_name(each) for each in names]), critical=False
        )
    if usages:
        builder = builder.add_extension(
            x509.KeyUsage(**{usage: usage in usages for usage in _USAGES}), critical=True
        )
    if purposes:
        builder = builder.add_extension(x509.ExtendedKeyUsage(purposes), critical=False)
    signer = key if issuer is None else issuer.key
    return Issued(name, builder.sign(signer, hashes.SHA256()), key)


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _general_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


class Chain(NamedTuple):
    """What a server sends, its own certificate first, and the bundle that its client trusts."""

    sent: tuple[Issued, ...]
    bundle: bytes

    @property
    def pem(self) -> bytes:
        """What the server sends."""
        return b"".join(issued.pem for issued in self.sent)


class Case(NamedTuple):
    """A chain, and whether Go accepts it: of a server for a host, or of a client."""

    make: Callable[[], Chain]
    is_accepted: bool
    host: str = HOST


_ANY = ExtendedKeyUsageOID.ANY_EXTENDED_KEY_USAGE
_SERVER = ExtendedKeyUsageOID.SERVER_AUTH
_CLIENT = ExtendedKeyUsageOID.CLIENT_AUTH


def _leaf(issuer: Issued | None, *names: str, **options: object) -> Issued:
    return issue("leaf", issuer, names=names or (HOST,), **options)  # type: ignore[arg-type] # those of issue


def _of_root(leaf: dict[str, object] | None = None, names: Sequence[str] = (), **root: object) -> Chain:
    authority = issue("root", **{"ca": True, **root})  # type: ignore[arg-type] # those of issue
    return Chain((_leaf(authority, *names, **(leaf or {})),), authority.pem)


def _of_three(trusted: str, sent: Sequence[str], *names: str, **intermediate: object) -> Chain:
    root = issue("root", ca=True)
    middle = issue("intermediate", root, **{"ca": True, **intermediate})  # type: ignore[arg-type]
    parts = {"root": root, "intermediate": middle, "leaf": _leaf(middle, *names)}
    return Chain(tuple(parts[each] for each in sent), parts[trusted].pem)


def _self_signed(*names: str, **options: object) -> Chain:
    leaf = _leaf(None, *names, **options)
    return Chain((leaf,), leaf.pem)


def _leaf_in_bundle(*names: str, **options: object) -> Chain:
    leaf = _leaf(issue("root", ca=True), *names, **options)
    return Chain((leaf,), leaf.pem)


def _common_name(host: str = HOST, *, is_issuer_trusted: bool = True) -> Chain:
    root = issue("root", ca=True)
    leaf = issue(host, root)
    return Chain((leaf,), (root if is_issuer_trusted else leaf).pem)


def _unrelated() -> Chain:
    return Chain((_leaf(issue("root", ca=True)),), issue("root", ca=True).pem)


def _with_bundle(make: Callable[[bytes], bytes]) -> Chain:
    chain = _of_root()
    return chain._replace(bundle=make(chain.bundle))


_GARBAGE = b"-----BEGIN CERTIFICATE-----\nMAAA\n-----END CERTIFICATE-----\n"

CASES = {
    "root": Case(_of_root, True),
    "root without key usage, basic constraints not critical": Case(lambda: _of_root(critical=False), True),
    "root with key usage": Case(lambda: _of_root(usages=["key_cert_sign", "crl_sign"]), True),
    "root whose key may not sign certificates": Case(lambda: _of_root(usages=["digital_signature"]), False),
    "root that is not an authority": Case(lambda: _of_root(ca=False), False),
    "root without basic constraints": Case(lambda: _of_root(ca=None), False),
    "root that has expired": Case(lambda: _of_root(days=(-2, -1)), False),
    "leaf in the bundle": Case(_leaf_in_bundle, True),
    "leaf in the bundle, for servers": Case(
        lambda: _leaf_in_bundle(purposes=[_SERVER], usages=["digital_signature", "key_encipherment"]), True
    ),
    "leaf in the bundle that has expired": Case(lambda: _leaf_in_bundle(days=(-2, -1)), False),
    "leaf in the bundle of another host": Case(_leaf_in_bundle, False, "other.default.svc"),
    "leaf in the bundle, for clients": Case(lambda: _leaf_in_bundle(purposes=[_CLIENT]), False),
    "self-signed leaf": Case(lambda: _self_signed(ca=False), True),
    "self-signed leaf without basic constraints": Case(_self_signed, True),
    "self-signed leaf that is an authority": Case(lambda: _self_signed(ca=True), True),
    "self-signed leaf of an address": Case(lambda: _self_signed("127.0.0.1"), True, "127.0.0.1"),
    "self-signed leaf that is not in the bundle": Case(
        lambda: Chain((_leaf(None),), issue("root", ca=True).pem), False
    ),
    "intermediate in the bundle": Case(lambda: _of_three("intermediate", ["leaf"]), True),
    "intermediate in the bundle and sent": Case(
        lambda: _of_three("intermediate", ["leaf", "intermediate"]), True
    ),
    "intermediate sent, root in the bundle": Case(lambda: _of_three("root", ["leaf", "intermediate"]), True),
    "intermediate missing": Case(lambda: _of_three("root", ["leaf"]), False),
    "intermediate that has expired": Case(
        lambda: _of_three("root", ["leaf", "intermediate"], days=(-2, -1)), False
    ),
    "intermediate in the bundle that has expired": Case(
        lambda: _of_three("intermediate", ["leaf"], days=(-2, -1)), False
    ),
    "intermediate that is not an authority": Case(
        lambda: _of_three("root", ["leaf", "intermediate"], ca=False), False
    ),
    "intermediate with basic constraints not critical": Case(
        lambda: _of_three("root", ["leaf", "intermediate"], critical=False), True
    ),
    "intermediate for clients": Case(
        lambda: _of_three("root", ["leaf", "intermediate"], purposes=[_CLIENT]), False
    ),
    "unrelated authority of the same name": Case(_unrelated, False),
    "another host": Case(_of_root, False, "other.default.svc"),
    "expired": Case(lambda: _of_root({"days": (-2, -1)}), False),
    "not yet valid": Case(lambda: _of_root({"days": (1, 2)}), False),
    "for clients": Case(lambda: _of_root({"purposes": [_CLIENT]}), False),
    "for clients and servers": Case(lambda: _of_root({"purposes": [_CLIENT, _SERVER]}), True),
    "name only in the common name": Case(_common_name, False),
    "name only in the common name, leaf in the bundle": Case(
        lambda: _common_name(is_issuer_trusted=False), False
    ),
    "wildcard": Case(lambda: _of_root(names=["*.default.svc"]), True),
    "wildcard of another level": Case(lambda: _of_root(names=["*.svc"]), False),
    "wildcard in part of a label": Case(lambda: _of_root(names=["h*k.default.svc"]), False),
    "name in capitals": Case(lambda: _of_root(names=["HOOK.default.svc"]), True),
    "address": Case(lambda: _of_root(names=["127.0.0.1"]), True, "127.0.0.1"),
    "address of version 6": Case(lambda: _of_root(names=["::1"]), True, "::1"),
    "another address": Case(lambda: _of_root(names=["127.0.0.2"]), False, "127.0.0.1"),
    "address among the names of hosts": Case(lambda: _self_signed("127.0.0.1.example"), False, "127.0.0.1"),
    "bundle with comments in any language": Case(
        lambda: _with_bundle(lambda pem: "# autorité\n".encode() + pem + "# schön\n".encode()), True
    ),
    "bundle with a certificate that cannot be read": Case(
        lambda: _with_bundle(lambda pem: issue("other", ca=True).pem + _GARBAGE + pem), True
    ),
    "bundle with the same certificate twice": Case(lambda: _with_bundle(lambda pem: pem + pem), True),
    "bundle with a key": Case(lambda: _with_bundle(lambda pem: issue("other").key_pem + pem), True),
}

DIFFERENCES = {
    "for any purpose": Case(lambda: _of_root({"purposes": [_ANY]}), True),
    "key that may only sign certificates": Case(
        lambda: _self_signed(ca=True, usages=["key_cert_sign", "crl_sign"]), True
    ),
    "root with key usage, but without basic constraints": Case(
        lambda: _of_root(ca=None, usages=["key_cert_sign"]), False
    ),
    "wildcard of a whole domain": Case(lambda: _of_root(names=["*.svc"]), True, "hook.svc"),
    "host with a final dot": Case(_of_root, True, f"{HOST}."),
}
"""Where OpenSSL judges otherwise than Go and Python cannot make it: docs/server-differences.md has them."""

CLIENT_CASES = {
    "root": Case(_of_root, True),
    "root without key usage, basic constraints not critical": Case(lambda: _of_root(critical=False), True),
    "root that is not an authority": Case(lambda: _of_root(ca=False), False),
    "leaf in the bundle": Case(_leaf_in_bundle, True),
    "self-signed leaf": Case(lambda: _self_signed(ca=False), True),
    "intermediate in the bundle": Case(lambda: _of_three("intermediate", ["leaf"]), True),
    "intermediate sent, root in the bundle": Case(lambda: _of_three("root", ["leaf", "intermediate"]), True),
    "intermediate missing": Case(lambda: _of_three("root", ["leaf"]), False),
    "unrelated authority of the same name": Case(_unrelated, False),
    "for clients": Case(lambda: _of_root({"purposes": [_CLIENT]}), True),
    "for servers": Case(lambda: _of_root({"purposes": [_SERVER]}), False),
    "expired": Case(lambda: _of_root({"days": (-2, -1)}), False),
    "not yet valid": Case(lambda: _of_root({"days": (1, 2)}), False),
    "name only in the common name": Case(_common_name, True),
    "bundle with comments in any language": CASES["bundle with comments in any language"],
}
"""Certificates of clients: whether Go's servers accept them."""

LOOPBACK = "127.0.0.1"
LOOPBACK_CASES = {
    "leaf in the bundle": Case(lambda: _leaf_in_bundle(LOOPBACK), True, LOOPBACK),
    "intermediate in the bundle": Case(lambda: _of_three("intermediate", ["leaf"], LOOPBACK), True, LOOPBACK),
    "self-signed leaf": Case(lambda: _self_signed(LOOPBACK, ca=False), True, LOOPBACK),
    "root without key usage, basic constraints not critical": Case(
        lambda: _of_root(names=[LOOPBACK], critical=False), True, LOOPBACK
    ),
    "another address": Case(lambda: _leaf_in_bundle("127.0.0.2"), False, LOOPBACK),
    "expired": Case(lambda: _leaf_in_bundle(LOOPBACK, days=(-2, -1)), False, LOOPBACK),
    "unrelated authority": Case(_unrelated, False, LOOPBACK),
    "name only in the common name": Case(lambda: _common_name("localhost"), False, "localhost"),
}
"""Chains of servers on loopback, with which each client is tried."""
