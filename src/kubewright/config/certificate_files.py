"""Client certificates beside other credentials, and in files that are renewed."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Final, TypeAlias

from kubewright.config.credentials import ClientCertificate, Credential, Credentials
from kubewright.config.errors import ConfigError

__all__ = ["CertificateFiles", "WithCertificate", "read_file"]

_log: Final = logging.getLogger("kubewright.config")

_Versions: TypeAlias = tuple[tuple[int, int, int], ...]


class CertificateFiles:
    """A client certificate in two files, read again as soon as one of them is another or has changed.

    client-go looks every five minutes; looking with each request costs two system calls and leaves no time in
    which an old certificate is shown. While a file is missing or unreadable, the last pair stays.
    """

    def __init__(self, certificate: str | os.PathLike[str], key: str | os.PathLike[str]) -> None:
        """Raises ConfigError when a file cannot be read."""
        self._paths: Final = (Path(certificate), Path(key))
        self._versions = _versions(self._paths)
        self._pair = self._read()

    def current(self) -> ClientCertificate:
        """The pair that the files hold now."""
        versions = _versions(self._paths)
        # No versions: a file is missing for a moment. A half-renewed pair is mended by the next look.
        if versions is not None and versions != self._versions:
            try:
                pair = self._read()
            except ConfigError as error:
                _log.warning("%s; the certificate from before stays in use", error)
            else:
                self._pair = self._pair if pair == self._pair else pair
            self._versions = versions
        return self._pair

    def _read(self) -> ClientCertificate:
        certificate, key = self._paths
        return ClientCertificate(
            certificate=read_file(certificate, "client-certificate"), key=read_file(key, "client-key")
        )

    def __repr__(self) -> str:
        return f"CertificateFiles({', '.join(repr(str(path)) for path in self._paths)})"


class WithCertificate:
    """Other credentials with a client certificate added to each."""

    def __init__(self, others: Credentials, certificate: ClientCertificate | CertificateFiles) -> None:
        self._others: Final = others
        self._certificate: Final = certificate
        self._other = Credential()
        self._credential = Credential()

    async def current(self) -> Credential:
        other = await self._others.current()
        certificate = self._current_certificate()
        if other is not self._other or certificate is not self._credential.certificate:
            self._other = other
            self._credential = Credential(other.authorization, certificate)
        return self._credential

    async def rejected(self, credential: Credential) -> bool:
        if credential is self._credential:
            renewed = await self._others.rejected(self._other)
            return renewed or self._current_certificate() is not credential.certificate
        return credential != self._credential

    async def close(self) -> None:
        await self._others.close()

    def _current_certificate(self) -> ClientCertificate:
        return (
            self._certificate
            if isinstance(self._certificate, ClientCertificate)
            else self._certificate.current()
        )

    def __repr__(self) -> str:
        return f"WithCertificate({self._others!r}, {self._certificate!r})"


def read_file(path: Path, field: str) -> bytes:
    """What a file holds that a field of a kubeconfig names. Raises ConfigError for a missing or empty one."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(
            f"cannot read the {field} {path}: {error.strerror}; correct the path in the kubeconfig"
        ) from None
    if not data.strip():
        raise ConfigError(f"the {field} {path} is empty; it must hold PEM")
    return data


def _versions(paths: tuple[Path, ...]) -> _Versions | None:
    try:
        found = [path.stat() for path in paths]
    except OSError:
        return None
    return tuple((stat.st_ino, stat.st_mtime_ns, stat.st_size) for stat in found)
