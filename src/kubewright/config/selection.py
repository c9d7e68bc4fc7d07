"""From a kubeconfig and the name of a context to a `Config`."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

from kubewright.config.certificate_files import read_file
from kubewright.config.config import Config, without_password
from kubewright.config.credentials import ANONYMOUS
from kubewright.config.errors import ConfigError
from kubewright.config.kubeconfig import Cluster, Kubeconfig, Sourced, User
from kubewright.config.users import credentials_of, decoded, impersonation_of
from kubewright.machinery.errors import quoted

__all__ = ["config_of"]

_EXEC_EXTENSION: Final = "client.authentication.k8s.io/exec"
"""The extension of a cluster that is meant for exec plugins."""

_PROXIES: Final = ("http", "https", "socks5")
"""The schemes of proxies that clientcmd takes."""

_MAX_NAMES: Final = 10
"""How many names are listed in a message: more would drown it."""


def config_of(kubeconfig: Kubeconfig, context: str | None, environ: Mapping[str, str]) -> Config:
    """The configuration of a context, or of the current one.

    As with kubectl, a server without TLS gets no credentials, and what is said about TLS does not count. A
    user or cluster that is named and missing is an error here, where kubectl asks or guesses; and inline data
    goes before a file, where kubectl wants one of them. Raises ConfigError.
    """
    name = context or kubeconfig.current_context
    if not name:
        raise ConfigError(
            f"{kubeconfig.source} has no current-context; {_choose(kubeconfig.contexts, 'contexts')}"
        )
    chosen = kubeconfig.contexts.get(name)
    if chosen is None:
        choice = _choose(kubeconfig.contexts, "contexts")
        raise ConfigError(
            f"there is no context {quoted(name)} in {kubeconfig.source or 'any kubeconfig'}; {choice}"
        )
    if not chosen.entry.cluster:
        raise ConfigError(f"the context {quoted(name)} in {kubeconfig.source} names no cluster; add one")
    cluster = kubeconfig.clusters.get(chosen.entry.cluster)
    if cluster is None:
        raise _missing(kubeconfig, name, "cluster", chosen.entry.cluster, kubeconfig.clusters)
    user: Sourced[User] = Sourced(User(), chosen.directory, chosen.file)
    if chosen.entry.user:
        found = kubeconfig.users.get(chosen.entry.user)
        if found is None:
            raise _missing(kubeconfig, name, "user", chosen.entry.user, kubeconfig.users)
        user = found
    return _config(
        name, chosen.entry.namespace, chosen.entry.cluster, cluster, chosen.entry.user, user, environ
    )


def _config(
    context: str,
    namespace: str,
    cluster_name: str,
    cluster: Sourced[Cluster],
    user_name: str,
    user: Sourced[User],
    environ: Mapping[str, str],
) -> Config:
    entry = cluster.entry
    try:
        server = _server(entry.server)
        secure = server.startswith("https:")
        _check_proxy(entry.proxy_url)
        authority, file = _authority(entry, cluster.directory) if secure else (None, "")
    except ConfigError as error:
        raise ConfigError(f"cluster {quoted(cluster_name)}: {error}") from None
    return Config(
        server=server,
        credentials=credentials_of(user, user_name, cluster=_told(entry, authority), environ=environ)
        if secure
        else ANONYMOUS,
        namespace=namespace or "default",
        authority=authority,
        authority_file=file,
        insecure=entry.insecure_skip_tls_verify and secure,
        tls_server_name=entry.tls_server_name if secure else "",
        proxy_url=entry.proxy_url,
        impersonation=impersonation_of(user.entry, user_name),
        disable_compression=entry.disable_compression,
        context=context,
    )


def _server(text: str) -> str:
    """The address of a server; without a scheme it is http, as in clientcmd."""
    if not text:
        raise ConfigError("it has no server; add the address of the API server, such as https://host:6443")
    parts = _split(text)
    if not (parts.scheme and parts.netloc):
        parts = _split(f"http://{text}")
        if parts.path not in {"", "/"}:
            raise ConfigError(f"its server {_shown(text)} has no scheme; write it as https://host:port/path")
    if parts.scheme not in {"http", "https"}:
        raise ConfigError(
            f"its server {_shown(text)} is neither https nor http; write it as https://host:port"
        )
    if "@" in parts.netloc:
        raise ConfigError("its server has a user or password in its address; put them into the user's entry")
    return parts._replace(path=parts.path.rstrip("/"), query="", fragment="").geturl()


def _split(text: str) -> SplitResult:
    """The parts of an address. Raises ConfigError for one that has no host, or a port that is none."""
    try:
        parts = urlsplit(text)
        port_is_fine = parts.port is None or parts.port >= 0
    except ValueError:
        parts, port_is_fine = urlsplit(""), False
    if "://" in text and not (port_is_fine and parts.hostname and not set(" \t\r\n") & set(text)):
        raise ConfigError(f"its server {_shown(text)} is no address; write it as https://host:port")
    return parts


def _shown(text: str) -> str:
    return quoted(without_password(text))


def _check_proxy(url: str) -> None:
    if not url:
        return
    try:
        parts = urlsplit(url)
    except ValueError:
        raise ConfigError("its proxy-url is no URL; write it as http://host:port") from None
    if parts.scheme not in _PROXIES:
        raise ConfigError(
            f"its proxy-url has the scheme {quoted(parts.scheme)}, which is not supported; "
            f"use {', '.join(_PROXIES)}"
        )
    if not parts.hostname:
        raise ConfigError("its proxy-url has no host; write it as http://host:port")


def _authority(cluster: Cluster, directory: Path) -> tuple[bytes | None, str]:
    """The PEM of the authority, and the file that it was read from; inline data goes before the file."""
    field = "certificate-authority"
    if not (cluster.certificate_authority or cluster.certificate_authority_data):
        return None, ""
    if cluster.insecure_skip_tls_verify:
        raise ConfigError(
            f"{field} and insecure-skip-tls-verify contradict each other; remove insecure-skip-tls-verify"
        )
    if cluster.certificate_authority_data:
        return decoded(cluster.certificate_authority_data, f"{field}-data"), ""
    path = Path(os.path.normpath(directory / cluster.certificate_authority))
    return read_file(path, field), str(path)


def _told(cluster: Cluster, authority: bytes | None) -> dict[str, Any]:
    """`spec.cluster` for exec plugins: what is empty is left out, but not the server and config."""
    extension = next((one.extension for one in cluster.extensions if one.name == _EXEC_EXTENSION), None)
    optional = {
        "tls-server-name": cluster.tls_server_name,
        "insecure-skip-tls-verify": cluster.insecure_skip_tls_verify,
        "certificate-authority-data": base64.b64encode(authority).decode() if authority else "",
        "proxy-url": cluster.proxy_url,
        "disable-compression": cluster.disable_compression,
    }
    set_ones = {name: value for name, value in optional.items() if value}
    return {"server": _named_server(cluster.server), **set_ones, "config": extension}


def _named_server(text: str) -> str:
    """The server as clientcmd passes it on: as it was written, but a path is followed by nothing."""
    parts = _split(text)
    return parts._replace(query="", fragment="").geturl() if len(parts.path) > 1 else text


def _missing(
    kubeconfig: Kubeconfig, context: str, what: str, name: str, known: Mapping[str, object]
) -> ConfigError:
    there = _listed(known)
    remedy = f"correct it to one of {there}" if there else f"add the {what}"
    return ConfigError(
        f"the context {quoted(context)} names the {what} {quoted(name)}, "
        f"which is not in {kubeconfig.source}; {remedy}"
    )


def _choose(names: Mapping[str, object], what: str) -> str:
    listed = _listed(names)
    return f"choose one of its {what}: {listed}" if listed else f"it has no {what}, so add one"


def _listed(names: Mapping[str, object]) -> str:
    known = sorted(names)
    return ", ".join(known[:_MAX_NAMES]) + (", ..." if len(known) > _MAX_NAMES else "")
