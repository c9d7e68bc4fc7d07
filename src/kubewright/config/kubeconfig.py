"""What kubeconfig files hold: their shape, and how several become one.

Fields are those of client-go's clientcmd/api/v1. As there, unknown fields are ignored, wrong types are not,
and an entry of a name comes as a whole from the first file that has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, Generic, NamedTuple, TypeVar

import msgspec

from kubewright.config.errors import ConfigError
from kubewright.machinery import yaml
from kubewright.machinery.errors import DecodeError, quoted

__all__ = [
    "AuthProvider",
    "Cluster",
    "Context",
    "Exec",
    "Kubeconfig",
    "Sourced",
    "User",
    "merge",
    "parse",
    "read",
]

_EntryT = TypeVar("_EntryT")


class _Piece(msgspec.Struct, frozen=True, kw_only=True, rename="kebab"):
    """A part of a kubeconfig; it may hold secrets, so that it never shows what it holds."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}(...)"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return []


class NamedExtension(_Piece, frozen=True, kw_only=True):
    """What other programs keep in a kubeconfig."""

    name: str = ""
    extension: Any = None


class Cluster(_Piece, frozen=True, kw_only=True):
    """A server and how to reach it."""

    server: str = ""
    tls_server_name: str = ""
    insecure_skip_tls_verify: bool = False
    certificate_authority: str = ""
    certificate_authority_data: str = ""
    proxy_url: str = ""
    disable_compression: bool = False
    extensions: list[NamedExtension] = []


class ExecVariable(_Piece, frozen=True, kw_only=True):
    """A variable of a plugin's environment."""

    name: str = ""
    value: str = ""


class Exec(_Piece, frozen=True, kw_only=True, rename="camel"):
    """A credential plugin."""

    command: str = ""
    args: list[str] = []
    env: list[ExecVariable] = []
    api_version: str = ""
    install_hint: str = ""
    provide_cluster_info: bool = False
    interactive_mode: str = ""


class AuthProvider(_Piece, frozen=True, kw_only=True):
    """What came before credential plugins."""

    name: str = ""
    config: dict[str, str] = {}


class User(_Piece, frozen=True, kw_only=True):
    """Who asks, by one of several means."""

    client_certificate: str = ""
    client_certificate_data: str = ""
    client_key: str = ""
    client_key_data: str = ""
    token: str = ""
    token_file: str = msgspec.field(default="", name="tokenFile")
    impersonate: str = msgspec.field(default="", name="as")
    as_uid: str = ""
    as_groups: list[str] = []
    as_user_extra: dict[str, list[str]] = {}
    username: str = ""
    password: str = ""
    auth_provider: AuthProvider | None = None
    exec: Exec | None = None


class Context(_Piece, frozen=True, kw_only=True):
    """A cluster, a user and a namespace under one name."""

    cluster: str = ""
    user: str = ""
    namespace: str = ""


class _NamedCluster(_Piece, frozen=True, kw_only=True):
    name: str = ""
    cluster: Cluster = Cluster()


class _NamedUser(_Piece, frozen=True, kw_only=True):
    name: str = ""
    user: User = User()


class _NamedContext(_Piece, frozen=True, kw_only=True):
    name: str = ""
    context: Context = Context()


class _Document(_Piece, frozen=True, kw_only=True):
    kind: str = msgspec.field(default="Config", name="kind")
    api_version: str = msgspec.field(default="v1", name="apiVersion")
    clusters: list[_NamedCluster] = []
    users: list[_NamedUser] = []
    contexts: list[_NamedContext] = []
    current_context: str = ""


class Sourced(NamedTuple, Generic[_EntryT]):
    """An entry, and the file that it stands in."""

    entry: _EntryT
    directory: Path
    """What its relative paths are relative to."""
    file: Path | None
    """None: it was given as a text."""


class Kubeconfig(NamedTuple):
    """One kubeconfig, or several merged."""

    clusters: Mapping[str, Sourced[Cluster]]
    users: Mapping[str, Sourced[User]]
    contexts: Mapping[str, Sourced[Context]]
    current_context: str
    source: str
    """Where it was read, for messages."""


def read(path: Path) -> Kubeconfig:
    """The kubeconfig in a file. Raises FileNotFoundError, and ConfigError for what else is wrong."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise ConfigError(
            f"cannot read the kubeconfig {path}: {error.strerror}; correct the path or its mode"
        ) from None
    return parse(data, source=str(path), directory=path.absolute().parent, file=path.absolute())


def parse(
    data: str | bytes | Mapping[str, Any], *, source: str, directory: Path, file: Path | None = None
) -> Kubeconfig:
    """The kubeconfig in a text or a mapping. Raises ConfigError, which names the field and no value."""
    if isinstance(data, (str, bytes)):
        data = _plain(data, source)
    try:
        document = msgspec.convert(_without_nulls(data), _Document)
    except (msgspec.ValidationError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else _reason(error)
        raise ConfigError(f"{source} has not the form of a kubeconfig: {reason}; correct it") from None
    if (document.kind or "Config", document.api_version or "v1") != ("Config", "v1"):
        told = f"kind {quoted(document.kind)} of {quoted(document.api_version)}"
        raise ConfigError(f"{source} holds the {told}; a kubeconfig is the kind Config of v1")
    return Kubeconfig(
        _by_name(
            "clusters", ((e.name, Sourced(e.cluster, directory, file)) for e in document.clusters), source
        ),
        _by_name("users", ((e.name, Sourced(e.user, directory, file)) for e in document.users), source),
        _by_name(
            "contexts", ((e.name, Sourced(e.context, directory, file)) for e in document.contexts), source
        ),
        document.current_context,
        source,
    )


def merge(kubeconfigs: Iterable[Kubeconfig], source: str) -> Kubeconfig:
    """Several as one: an entry comes from the first that has its name, and so does current-context."""
    clusters: dict[str, Sourced[Cluster]] = {}
    users: dict[str, Sourced[User]] = {}
    contexts: dict[str, Sourced[Context]] = {}
    current = ""
    for one in kubeconfigs:
        _add(clusters, one.clusters)
        _add(users, one.users)
        _add(contexts, one.contexts)
        current = current or one.current_context
    return Kubeconfig(clusters, users, contexts, current, source)


def _add(merged: dict[str, Sourced[_EntryT]], entries: Mapping[str, Sourced[_EntryT]]) -> None:
    for name, entry in entries.items():
        merged.setdefault(name, entry)


def _plain(text: str | bytes, source: str) -> Mapping[str, Any]:
    """The first document of a text; nothing at all is an empty kubeconfig, as for kubectl."""
    try:
        found = next(iter(yaml.load_all(text)), None)
    except DecodeError as error:
        raise ConfigError(f"{source} is not YAML: {_position(error)}; correct it") from None
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise ConfigError(
            f"{source} has not the form of a kubeconfig; write a mapping with clusters, users and contexts"
        )
    return found


_PLACE: Final = re.compile(r"line [0-9]+, column [0-9]+")


def _position(error: DecodeError) -> str:
    """Where and why YAML breaks off. What would quote the text is left out, since that may be a token."""
    text = str(error).removeprefix("YAML does not decode: ")
    if not any(mark in text for mark in "'\"*`"):
        return text
    place = _PLACE.search(text)
    return f"it breaks off at {place[0]}" if place else "it does not decode"


def _reason(error: Exception) -> str:
    """msgspec names types and places, and no values: `Expected str, got int at users[].user.token`."""
    return (
        str(error).replace("`", "").replace(" - at $.", " at ").replace(" - at $", "").replace("[...]", "[]")
    )


def _without_nulls(value: Any) -> Any:
    """Go reads null as the absent value; extensions stay as they are."""
    if isinstance(value, Mapping):
        return {
            key: item if key == "extension" else _without_nulls(item)
            for key, item in value.items()
            if item is not None
        }
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value


def _by_name(
    field: str, entries: Iterable[tuple[str, Sourced[_EntryT]]], source: str
) -> dict[str, Sourced[_EntryT]]:
    found: dict[str, Sourced[_EntryT]] = {}
    for name, entry in entries:
        if name in found:
            raise ConfigError(f"{source} has {quoted(name)} twice among its {field}; remove or rename one")
        found[name] = entry
    return found
