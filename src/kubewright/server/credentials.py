"""Keeping the credentials of a server in files, and writing the kubeconfig for its administrator."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from kubewright.machinery import yaml
from kubewright.server.certificates import Credentials, KeyPair, make_credentials, write_private

__all__ = ["Files", "load_credentials", "write_files"]

_NAME: Final = "kubewright"
"""What the cluster, the user and the context are called in the kubeconfig."""

_AUTHORITY: Final = "ca.crt"
_SERVER: Final = ("apiserver.crt", "apiserver.key")
_ADMIN: Final = ("admin.crt", "admin.key")
_TOKEN: Final = "token"  # noqa: S105 - the name of a file


class Files(NamedTuple):
    """Where a client finds what it needs."""

    authority: Path
    client_certificate: Path
    client_key: Path
    kubeconfig: Path


def load_credentials(folder: Path, hosts: Sequence[str]) -> Credentials:
    """The credentials in a folder; new ones when it has none, or not all of them."""
    try:
        return Credentials(
            (folder / _AUTHORITY).read_bytes(),
            KeyPair(*((folder / name).read_bytes() for name in _SERVER)),
            KeyPair(*((folder / name).read_bytes() for name in _ADMIN)),
            (folder / _TOKEN).read_text().strip(),
        )
    except FileNotFoundError:
        credentials = make_credentials(hosts)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_private(folder / _AUTHORITY, credentials.authority)
    for names, pair in ((_SERVER, credentials.server), (_ADMIN, credentials.admin)):
        for name, data in zip(names, pair, strict=True):
            write_private(folder / name, data)
    # Written last: with it, all of them are there.
    write_private(folder / _TOKEN, credentials.token.encode())
    return credentials


def write_files(folder: Path, url: str, credentials: Credentials, *, kubeconfig: Path) -> Files:
    """Write the kubeconfig, and say where the rest is."""
    kubeconfig.parent.mkdir(parents=True, exist_ok=True)
    write_private(kubeconfig, _kubeconfig(url, credentials).encode())
    return Files(folder / _AUTHORITY, folder / _ADMIN[0], folder / _ADMIN[1], kubeconfig)


def _kubeconfig(url: str, credentials: Credentials) -> str:
    return yaml.dump(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [
                {
                    "name": _NAME,
                    "cluster": {"server": url, "certificate-authority-data": _base64(credentials.authority)},
                }
            ],
            "users": [
                {
                    "name": _NAME,
                    "user": {
                        "client-certificate-data": _base64(credentials.admin.certificate),
                        "client-key-data": _base64(credentials.admin.key),
                    },
                }
            ],
            "contexts": [
                {"name": _NAME, "context": {"cluster": _NAME, "user": _NAME, "namespace": "default"}}
            ],
            "current-context": _NAME,
        }
    )


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
