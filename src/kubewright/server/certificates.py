"""The certificates of a server of one's own: an authority, the server's, and the administrator's."""

from __future__ import annotations

import hashlib
import ipaddress
import os
import secrets
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, NamedTuple

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

from kubewright.server import der

__all__ = [
    "ADMIN_GROUP",
    "ADMIN_NAME",
    "Credentials",
    "KeyPair",
    "issue_client_certificate",
    "make_credentials",
    "make_service_account_key",
    "write_private",
]

ADMIN_NAME: Final = "admin"
"""The common name of the administrator's certificate."""

ADMIN_GROUP: Final = "system:masters"
"""The group that may do everything."""

_LIFETIME: Final = timedelta(days=3650)
"""Ten years: a data dir shall open as long as anybody keeps it; what a process makes is gone with it."""

_SKEW: Final = timedelta(minutes=5)
"""How far clocks may differ."""

_AUTHORITY: Final = "kubewright"
"""What the authority is called."""

_COORDINATE: Final = 32
"""The bytes of a number of the curve P-256."""

_SERIAL_BITS: Final = 159
"""As random as RFC 5280 allows: twenty bytes, and positive."""

# Object identifiers: algorithms of RFC 5480 and RFC 5758, names of X.520, extensions of RFC 5280.
_EC_PUBLIC_KEY: Final = "1.2.840.10045.2.1"
_P256: Final = "1.2.840.10045.3.1.7"
_ECDSA_WITH_SHA256: Final = "1.2.840.10045.4.3.2"
_COMMON_NAME: Final = "2.5.4.3"
_USER_UID: Final = "1.3.6.1.4.1.57683.2"
"""Registered for Kubernetes."""
_ORGANIZATION: Final = "2.5.4.10"
_SUBJECT_KEY_IDENTIFIER: Final = "2.5.29.14"
_KEY_USAGE: Final = "2.5.29.15"
_SUBJECT_ALTERNATIVE_NAME: Final = "2.5.29.17"
_BASIC_CONSTRAINTS: Final = "2.5.29.19"
_AUTHORITY_KEY_IDENTIFIER: Final = "2.5.29.35"
_EXTENDED_KEY_USAGE: Final = "2.5.29.37"
_SERVER_AUTH: Final = "1.3.6.1.5.5.7.3.1"
_CLIENT_AUTH: Final = "1.3.6.1.5.5.7.3.2"

# The bits of a KeyUsage.
_DIGITAL_SIGNATURE: Final = 0
_KEY_CERT_SIGN: Final = 5
_CRL_SIGN: Final = 6

# The tags of a GeneralName.
_DNS_NAME: Final = 2
_IP_ADDRESS: Final = 7


class KeyPair(NamedTuple):
    """A certificate and its key, in PEM."""

    certificate: bytes
    key: bytes


class Credentials(NamedTuple):
    """All that a server and its administrator need to know each other."""

    authority: bytes
    """The certificate that clients trust, in PEM."""
    server: KeyPair
    admin: KeyPair
    token: str
    """The administrator's bearer token."""
    service_account_key: bytes
    """The key that signs the tokens of service accounts, in PEM."""
    authority_key: bytes | None
    """The authority's own key, in PEM, for further certificates; data dirs of old do not have it."""


def make_credentials(hosts: Sequence[str], *, now: datetime | None = None) -> Credentials:
    """New credentials for a server that is reached under these names and addresses."""
    begin = (now or datetime.now(UTC)) - _SKEW
    key = ec.generate_private_key(ec.SECP256R1())
    authority = _Issuer(key, begin)
    return Credentials(
        authority.own_certificate(),
        authority.issue("kube-apiserver", hosts=hosts),
        authority.issue(ADMIN_NAME, groups=[ADMIN_GROUP]),
        secrets.token_urlsafe(32),
        make_service_account_key(),
        _key_pem(key),
    )


def make_service_account_key() -> bytes:
    """A new key for signing the tokens of service accounts, in PEM."""
    return _key_pem(ec.generate_private_key(ec.SECP256R1()))


def issue_client_certificate(
    authority_key: bytes,
    name: str,
    *,
    groups: Sequence[str] = (),
    uid: str = "",
    lifetime: timedelta = _LIFETIME,
    now: datetime | None = None,
) -> KeyPair:
    """A certificate for a client of the server whose authority has this key."""
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415 - slow, and a start needs none

    key = serialization.load_pem_private_key(authority_key, password=None)
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise TypeError("the key of the authority is no elliptic curve key")
    issuer = _Issuer(key, (now or datetime.now(UTC)) - _SKEW, lifetime + _SKEW)
    return issuer.issue(name, groups=groups, uid=uid)


def write_private(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Write a file that only its owner may read, whole or not at all.

    What is durable outlives a crash of the machine, which takes the time of a write to the disk. Raises
    OSError, which names the file also where a disk is full.
    """
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        _write(draft, path, data, durable=durable)
    except OSError as error:
        error.filename = str(path)
        error.filename2 = None
        raise


def _write(draft: Path, path: Path, data: bytes, *, durable: bool) -> None:
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


class _Issuer:
    """An authority by its key: the certificate that it gives itself, and those that it gives to others."""

    def __init__(
        self, key: ec.EllipticCurvePrivateKey, begin: datetime, lifetime: timedelta = _LIFETIME
    ) -> None:
        self._key: Final = key
        self._name: Final = _name(_AUTHORITY)
        self._begin: Final = begin
        self._end: Final = begin + lifetime

    def own_certificate(self) -> bytes:
        """The certificate that clients trust, in PEM."""
        usage = der.named_bits(_DIGITAL_SIGNATURE, _KEY_CERT_SIGN, _CRL_SIGN)
        extensions = [
            _extension(_BASIC_CONSTRAINTS, der.sequence(der.boolean(True), der.integer(0)), critical=True),
            _extension(_KEY_USAGE, usage, critical=True),
        ]
        return self._signed(self._name, self._key, extensions)

    def issue(
        self, name: str, *, groups: Sequence[str] = (), uid: str = "", hosts: Sequence[str] = ()
    ) -> KeyPair:
        """A certificate for a server that is reached as `hosts`, or, without any, for a client."""
        key = ec.generate_private_key(ec.SECP256R1())
        purpose = der.object_identifier(_SERVER_AUTH if hosts else _CLIENT_AUTH)
        identifier = der.context(0, _key_identifier(self._key))
        extensions = [
            _extension(_BASIC_CONSTRAINTS, der.sequence(), critical=True),
            _extension(_KEY_USAGE, der.named_bits(_DIGITAL_SIGNATURE), critical=True),
            _extension(_EXTENDED_KEY_USAGE, der.sequence(purpose)),
            _extension(_AUTHORITY_KEY_IDENTIFIER, der.sequence(identifier)),
        ]
        if hosts:
            extensions.append(_extension(_SUBJECT_ALTERNATIVE_NAME, der.sequence(*map(_host, hosts))))
        return KeyPair(self._signed(_name(name, groups, uid), key, extensions), _key_pem(key))

    def _signed(self, subject: bytes, key: ec.EllipticCurvePrivateKey, extensions: Iterable[bytes]) -> bytes:
        """A certificate in PEM, with the fields of RFC 5280, section 4.1."""
        algorithm = der.sequence(der.object_identifier(_ECDSA_WITH_SHA256))
        identifier = _extension(_SUBJECT_KEY_IDENTIFIER, der.octet_string(_key_identifier(key)))
        content = der.sequence(
            der.context(0, der.integer(2), constructed=True),  # version 3
            der.integer(secrets.randbits(_SERIAL_BITS)),
            algorithm,
            self._name,
            der.sequence(der.time(self._begin), der.time(self._end)),
            subject,
            der.sequence(_key_algorithm(), der.bit_string(_point(key))),
            der.context(3, der.sequence(identifier, *extensions), constructed=True),
        )
        signature = self._key.sign(content, ec.ECDSA(hashes.SHA256()))
        return der.pem("CERTIFICATE", der.sequence(content, algorithm, der.bit_string(signature)))


def _name(name: str, groups: Sequence[str] = (), uid: str = "") -> bytes:
    pairs = [*((_ORGANIZATION, group) for group in groups), (_COMMON_NAME, name)]
    if uid:
        pairs.append((_USER_UID, uid))
    return der.sequence(
        *(
            der.set_of(der.sequence(der.object_identifier(kind), der.utf8_string(text)))
            for kind, text in pairs
        )
    )


def _extension(kind: str, value: bytes, *, critical: bool = False) -> bytes:
    mark = der.boolean(True) if critical else b""
    return der.sequence(der.object_identifier(kind), mark, der.octet_string(value))


def _host(host: str) -> bytes:
    try:
        return der.context(_IP_ADDRESS, ipaddress.ip_address(host).packed)
    except ValueError:
        return der.context(_DNS_NAME, host.encode("ascii"))


def _key_identifier(key: ec.EllipticCurvePrivateKey) -> bytes:
    """The first method of RFC 5280, section 4.2.1.2."""
    return hashlib.sha1(_point(key), usedforsecurity=False).digest()


def _key_algorithm() -> bytes:
    return der.sequence(der.object_identifier(_EC_PUBLIC_KEY), der.object_identifier(_P256))


def _point(key: ec.EllipticCurvePrivateKey) -> bytes:
    """The public key, as an uncompressed point."""
    numbers = key.public_key().public_numbers()
    return b"\x04" + numbers.x.to_bytes(_COORDINATE, "big") + numbers.y.to_bytes(_COORDINATE, "big")


def _key_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    """The private key as PKCS #8 (RFC 5208) around RFC 5915."""
    private = key.private_numbers().private_value.to_bytes(_COORDINATE, "big")
    public = der.context(1, der.bit_string(_point(key)), constructed=True)
    inner = der.sequence(der.integer(1), der.octet_string(private), public)
    return der.pem("PRIVATE KEY", der.sequence(der.integer(0), _key_algorithm(), der.octet_string(inner)))
