"""From a user's entry in a kubeconfig to credentials, by client-go's rules of what goes before what."""

from __future__ import annotations

import base64
import binascii
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from kubewright.config.certificate_files import CertificateFiles, WithCertificate, read_file
from kubewright.config.config import Impersonation
from kubewright.config.credentials import (
    ANONYMOUS,
    ClientCertificate,
    Credentials,
    StaticCredentials,
    TokenFile,
)
from kubewright.config.errors import ConfigError
from kubewright.config.exec_credentials import ExecCredentials, ExecPlugin
from kubewright.config.kubeconfig import Exec, Sourced, User
from kubewright.machinery.errors import quoted

__all__ = ["credentials_of", "decoded", "impersonation_of"]

_REMOVED: Final = {
    "azure": "kubelogin (https://github.com/Azure/kubelogin)",
    "gcp": "gke-gcloud-auth-plugin (https://cloud.google.com/kubernetes-engine/docs/how-to/cluster-access-for-kubectl)",
}
"""The auth-providers that Kubernetes dropped with 1.26, and the exec plugins that took their places."""


def credentials_of(
    user: Sourced[User], name: str, *, cluster: Mapping[str, Any], environ: Mapping[str, str]
) -> Credentials:
    """The credentials of a user; `cluster` is what an exec plugin may be told about the server.

    A token file goes before the token; a token, a password or a client certificate before exec; a token or a
    password before auth-provider. Raises ConfigError for entries that contradict themselves or name what
    cannot be read.
    """
    entry = user.entry
    try:
        _check(entry)
        certificate = _certificate(entry, user.directory)
        if entry.token_file:
            file = TokenFile(_path(user.directory, entry.token_file), fallback=entry.token)
            if not entry.token:
                file.read()
            return _with(file, certificate)
        if entry.token or entry.username or entry.password:
            static = StaticCredentials(token=entry.token, username=entry.username, password=entry.password)
            return _with(static, certificate)
        if entry.auth_provider is not None:
            return _with(_auth_provider(user, name), certificate)
        if certificate is not None or entry.exec is None:
            return _with(ANONYMOUS, certificate)
        return ExecCredentials(_plugin(entry.exec, user.directory, cluster), environ=environ)
    except ConfigError as error:
        raise ConfigError(f"user {quoted(name)}: {error}") from None


def impersonation_of(user: User, name: str) -> Impersonation | None:
    """Whom a user's entry asks to act for. Raises ConfigError when it names groups and no user."""
    if user.impersonate:
        return Impersonation(
            user=user.impersonate,
            uid=user.as_uid,
            groups=tuple(user.as_groups),
            extra={key: tuple(values) for key, values in user.as_user_extra.items()},
        )
    if user.as_uid or user.as_groups or user.as_user_extra:
        raise ConfigError(
            f"user {quoted(name)}: as-uid, as-groups or as-user-extra stand without `as`; "
            "name the user to act for"
        )
    return None


def decoded(text: str, field: str) -> bytes:
    """The bytes of a field in base64; line breaks are skipped, as Go does. Raises ConfigError."""
    try:
        data = base64.b64decode(text.replace("\n", "").replace("\r", ""), validate=True)
    except (binascii.Error, ValueError):
        raise ConfigError(f"{field} is not base64; encode the PEM with `base64 -w0`") from None
    return data


def _check(user: User) -> None:
    if (user.token or user.token_file) and (user.username or user.password):
        raise ConfigError(
            "a token and a username or password are given, and a request can show one; remove one"
        )
    if user.exec is not None and user.auth_provider is not None:
        raise ConfigError("both exec and auth-provider are given; remove auth-provider")


def _certificate(user: User, directory: Path) -> ClientCertificate | CertificateFiles | None:
    if not (user.client_certificate or user.client_certificate_data):
        return None
    if not (user.client_key or user.client_key_data):
        raise ConfigError("a client-certificate is given without its key; add client-key or client-key-data")
    if not (user.client_certificate_data or user.client_key_data):
        return CertificateFiles(_path(directory, user.client_certificate), _path(directory, user.client_key))
    return ClientCertificate(
        _data(user.client_certificate_data, user.client_certificate, "client-certificate", directory),
        _data(user.client_key_data, user.client_key, "client-key", directory),
    )


def _data(inline: str, file: str, field: str, directory: Path) -> bytes:
    return decoded(inline, f"{field}-data") if inline else read_file(_path(directory, file), field)


def _with(others: Credentials, certificate: ClientCertificate | CertificateFiles | None) -> Credentials:
    if certificate is None:
        return others
    if others is ANONYMOUS and isinstance(certificate, ClientCertificate):
        return StaticCredentials(certificate=certificate)
    return WithCertificate(others, certificate)


def _plugin(entry: Exec, directory: Path, cluster: Mapping[str, Any]) -> ExecPlugin:
    if any(not variable.name for variable in entry.env):
        raise ConfigError("a variable in the env of the exec plugin has no name; name it")
    command = entry.command
    # Only what is no name for PATH; and a path without a slash would be one.
    if os.sep in command:
        command = str(_path(directory, command))
    return ExecPlugin(
        command=command,
        api_version=entry.api_version,
        arguments=tuple(entry.args),
        environment={variable.name: variable.value for variable in entry.env},
        interactive_mode=entry.interactive_mode,
        install_hint=entry.install_hint,
        cluster=cluster if entry.provide_cluster_info else None,
    )


def _auth_provider(user: Sourced[User], name: str) -> Credentials:
    from kubewright.config.oidc import OIDCCredentials  # noqa: PLC0415 - few have one

    provider = user.entry.auth_provider
    assert provider is not None  # noqa: S101 - the caller saw it
    if provider.name != "oidc":
        plugin = _REMOVED.get(provider.name, "of your identity provider")
        raise ConfigError(
            f"the auth-provider {quoted(provider.name)} is not supported, and no longer by kubectl; "
            f"use `exec` with the plugin {plugin}"
        )
    return OIDCCredentials(
        provider.config, authority=_issuer_authority(user), persist=_persister(user.file, name)
    )


def _issuer_authority(user: Sourced[User]) -> bytes | None:
    provider = user.entry.auth_provider
    config = {} if provider is None else provider.config
    field = "idp-certificate-authority"
    inline, file = config.get(f"{field}-data", ""), config.get(field, "")
    return _data(inline, file, field, user.directory) if inline or file else None


def _persister(file: Path | None, name: str) -> Any:
    if file is None:
        return None

    def persist(config: Mapping[str, str]) -> None:
        from kubewright.config.write_back import write_auth_provider  # noqa: PLC0415 - once an hour

        write_auth_provider(file, name, config)

    return persist


def _path(directory: Path, path: str) -> Path:
    return Path(os.path.normpath(directory / path))
