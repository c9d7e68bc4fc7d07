"""Keeping the credentials of a server in files, and writing the kubeconfig for its administrator."""

from __future__ import annotations

import base64
import logging
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from kubewright.machinery.errors import KubewrightError
from kubewright.server.certificates import (
    Credentials,
    KeyPair,
    make_credentials,
    make_service_account_key,
    write_private,
)
from kubewright.server.modes import chmod_helps, mode_of

__all__ = ["CredentialsDamaged", "CredentialsExposed", "Files", "load_credentials", "write_files"]

_NAME: Final = "kubewright"
"""What the cluster, the user and the context are called in the kubeconfig."""

# The names are those that kubeadm has for the same.
_AUTHORITY: Final = "ca.crt"
_AUTHORITY_KEY: Final = "ca.key"
_SERVICE_ACCOUNT_KEY: Final = "sa.key"
_SERVER: Final = ("apiserver.crt", "apiserver.key")
_ADMIN: Final = ("admin.crt", "admin.key")
_TOKEN: Final = "token"  # noqa: S105 - the name of a file

_PRIVATE: Final = (_TOKEN, _AUTHORITY_KEY, _SERVICE_ACCOUNT_KEY, _SERVER[1], _ADMIN[1])
"""With these one is anybody."""

_log: Final = logging.getLogger("kubewright.server")


class CredentialsDamaged(KubewrightError):
    """A file with credentials does not hold what was written to it, or cannot be read."""

    def __init__(self, folder: Path, name: str, what: str = "is damaged") -> None:
        super().__init__(f"{folder / name} {what}; remove the folder {folder} to get new credentials")


class CredentialsExposed(KubewrightError):
    """A file with a key can be read or changed by everybody."""


class Files(NamedTuple):
    """Where a client finds what it needs."""

    authority: Path
    client_certificate: Path
    client_key: Path
    kubeconfig: Path


def load_credentials(folder: Path, hosts: Sequence[str], *, durable: bool = True) -> Credentials:
    """The credentials in a folder; new ones when it has none, or not all of them.

    New ones are written so that they outlive a crash of the machine, if they are to be durable. Folders of
    old have no key of the authority, and get none: then no further certificates can be issued. They get a key
    for the tokens of service accounts. Raises CredentialsDamaged, and CredentialsExposed for those that
    everybody can read or change. A group may have them: volumes of pods belong to the group of the pod. Warns
    in place of that on file systems that keep no permissions.
    """
    try:
        _refuse_exposed(folder)
        credentials = Credentials(
            _read(folder, _AUTHORITY),
            KeyPair(*(_read(folder, name) for name in _SERVER)),
            KeyPair(*(_read(folder, name) for name in _ADMIN)),
            # What is no text is no token of ours, and is told below.
            _read(folder, _TOKEN).decode(errors="ignore").strip(),
            _read_if_there(folder, _SERVICE_ACCOUNT_KEY) or b"",
            _read_if_there(folder, _AUTHORITY_KEY),
        )
        if not (folder / _SERVICE_ACCOUNT_KEY).exists():
            credentials = credentials._replace(service_account_key=make_service_account_key())
            write_private(folder / _SERVICE_ACCOUNT_KEY, credentials.service_account_key, durable=durable)
        _check(folder, credentials)
    except FileNotFoundError:
        credentials = make_credentials(hosts)
    else:
        return credentials
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_private(folder / _AUTHORITY, credentials.authority, durable=durable)
    write_private(folder / _AUTHORITY_KEY, credentials.authority_key or b"", durable=durable)
    write_private(folder / _SERVICE_ACCOUNT_KEY, credentials.service_account_key, durable=durable)
    for names, pair in ((_SERVER, credentials.server), (_ADMIN, credentials.admin)):
        for name, data in zip(names, pair, strict=True):
            write_private(folder / name, data, durable=durable)
    # Written last: with it, all of them are there.
    write_private(folder / _TOKEN, credentials.token.encode(), durable=durable)
    return credentials


def _refuse_exposed(folder: Path) -> None:
    """Raises CredentialsExposed, or warns once where no chmod would help: else no second start succeeded."""
    without_remedy: list[str] = []
    for each in _exposures(folder):
        if chmod_helps(each.path, each.bits):
            raise CredentialsExposed(f"{each.sentence}; run {each.remedy} {each.path}")
        without_remedy.append(each.sentence)
    if without_remedy:
        _log.warning(
            "%s, and its file system keeps no permissions; "
            "if others use the machine, have the data dir on another file system",
            without_remedy[0],
        )


class _Exposure(NamedTuple):
    """What others may do that they should not."""

    path: Path
    bits: int
    sentence: str
    remedy: str


def _exposures(folder: Path) -> Iterator[_Exposure]:
    if bits := mode_of(folder) & stat.S_IWOTH:
        yield _Exposure(folder, bits, f"everybody may write to {folder}, which holds keys", "chmod 700")
    for path in (folder / name for name in _PRIVATE):
        if bits := mode_of(path) & stat.S_IRWXO:
            sentence = f"everybody may read or change {path}, which only its owner may know"
            yield _Exposure(path, bits, sentence, "chmod 600")


def _read(folder: Path, name: str) -> bytes:
    try:
        return (folder / name).read_bytes()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise CredentialsDamaged(folder, name, f"cannot be read ({error.strerror})") from None


def _read_if_there(folder: Path, name: str) -> bytes | None:
    try:
        return _read(folder, name)
    except FileNotFoundError:
        return None


def _check(folder: Path, credentials: Credentials) -> None:
    """Raises CredentialsDamaged for files that cannot be what was written."""
    if not credentials.token.isascii() or not credentials.token.isprintable() or not credentials.token:
        raise CredentialsDamaged(folder, _TOKEN)
    if not _is_certificate(credentials.authority):
        raise CredentialsDamaged(folder, _AUTHORITY)
    if credentials.authority_key is not None and not _is_key(
        credentials.authority_key, credentials.authority
    ):
        raise CredentialsDamaged(folder, _AUTHORITY_KEY)
    if not _is_signing_key(credentials.service_account_key):
        raise CredentialsDamaged(folder, _SERVICE_ACCOUNT_KEY)
    for names, pair in ((_SERVER, credentials.server), (_ADMIN, credentials.admin)):
        if not _is_certificate(pair.certificate):
            raise CredentialsDamaged(folder, names[0])
        if not _is_key(pair.key, pair.certificate):
            raise CredentialsDamaged(folder, names[1])


def _is_certificate(data: bytes) -> bool:
    from cryptography import x509  # noqa: PLC0415 - heavy, and credentials that are new need no check

    try:
        x509.load_pem_x509_certificate(data)
    except ValueError:
        return False
    return True


def _is_key(data: bytes, certificate: bytes) -> bool:
    from cryptography import x509  # noqa: PLC0415 - see _is_certificate
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415

    try:
        key = serialization.load_pem_private_key(data, password=None)
        return key.public_key() == x509.load_pem_x509_certificate(certificate).public_key()
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return False


def _is_signing_key(data: bytes) -> bool:
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415 - see _is_certificate
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415

    try:
        key = serialization.load_pem_private_key(data, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return False
    return isinstance(key, ec.EllipticCurvePrivateKey) and isinstance(key.curve, ec.SECP256R1)


def write_files(folder: Path, url: str, credentials: Credentials, *, kubeconfig: Path) -> Files:
    """Write the kubeconfig, and say where the rest is."""
    kubeconfig.parent.mkdir(parents=True, exist_ok=True)
    write_private(kubeconfig, _kubeconfig(url, credentials).encode())
    return Files(folder / _AUTHORITY, folder / _ADMIN[0], folder / _ADMIN[1], kubeconfig)


def _kubeconfig(url: str, credentials: Credentials) -> str:
    # Put together as a text: no value in it needs quotes, and loading PyYAML would hold up every start.
    return f"""\
apiVersion: v1
kind: Config
clusters:
- name: {_NAME}
  cluster:
    server: {url}
    certificate-authority-data: {_base64(credentials.authority)}
users:
- name: {_NAME}
  user:
    client-certificate-data: {_base64(credentials.admin.certificate)}
    client-key-data: {_base64(credentials.admin.key)}
contexts:
- name: {_NAME}
  context:
    cluster: {_NAME}
    user: {_NAME}
    namespace: default
current-context: {_NAME}
"""


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
