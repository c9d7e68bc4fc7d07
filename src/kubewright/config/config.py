"""`Config`: all that is needed to reach one API server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

import msgspec

from kubewright.config.credentials import ANONYMOUS, ClientCertificate, Credentials

__all__ = ["ClientCertificate", "Config", "Impersonation", "without_password"]


class Impersonation(msgspec.Struct, frozen=True, kw_only=True):
    """Whom requests act for, if the server lets the caller."""

    user: str
    uid: str = ""
    groups: tuple[str, ...] = ()
    extra: Mapping[str, tuple[str, ...]] = {}


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """All that is needed to reach one API server; `repr` and `str` show no credential."""

    server: str
    """Such as https://host:port or https://host:port/path, without a slash at the end."""
    credentials: Credentials = ANONYMOUS
    namespace: str = "default"
    authority: bytes | None = None
    """The PEM of the authorities that the server's certificate may come from; None: those of the system."""
    authority_file: str = ""
    """Where `authority` was read, for messages and for programs that want a path."""
    insecure: bool = False
    """The server's certificate is not verified."""
    tls_server_name: str = ""
    """The name that the server's certificate must have, when it is not the host's."""
    proxy_url: str = ""
    """Such as http://proxy:3128, with https and socks5, too; empty: HTTPS_PROXY and NO_PROXY decide."""
    impersonation: Impersonation | None = None
    disable_compression: bool = False
    context: str = ""
    """The name of the context that it came from, for messages."""

    def __repr__(self) -> str:
        return f"Config({', '.join(f'{name}={text}' for name, text in self._shown())})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return list(self._shown())

    def _shown(self) -> Iterator[tuple[str, str]]:
        """Each field that says something: certificates by their size, addresses without passwords."""
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if isinstance(value, bytes):
                yield name, f"<{len(value)} bytes>"
            elif name in {"server", "proxy_url"} and value:
                yield name, repr(without_password(value))
            elif value or name == "credentials":
                yield name, repr(value)


def without_password(url: str) -> str:
    """A URL without the user and password that it may have, for messages."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "<not a URL>"
    if "@" not in parts.netloc:
        return url if "@" not in url else "<not a URL>"
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
