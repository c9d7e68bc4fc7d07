"""Reading an `AuthenticationConfiguration`, with upstream's rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from kubewright.machinery import yaml
from kubewright.machinery.errors import DecodeError, KubewrightError
from kubewright.server.authentication.oidc.form import ConfigurationForm
from kubewright.server.authentication.oidc.issuers import IssuerSettings
from kubewright.server.authentication.oidc.rules import RuleReader
from kubewright.server.authentication.requests import AnonymousCallers

__all__ = ["Configuration", "ConfigurationInvalid", "read_configuration"]

_GROUP: Final = "apiserver.config.k8s.io"
_VERSIONS: Final = ("v1", "v1beta1", "v1alpha1")
"""They have the same form."""

_KIND: Final = "AuthenticationConfiguration"

_MAX_FILE: Final = 4 << 20
"""The largest file that is read; each issuer is some hundred bytes, and its authorities some thousand."""


class ConfigurationInvalid(KubewrightError):
    """An authentication configuration cannot be used; the message says why."""


class Configuration(NamedTuple):
    """What an authentication configuration says."""

    issuers: Sequence[IssuerSettings]
    anonymous: AnonymousCallers | None
    """None when it says nothing of them."""


def read_configuration(source: str | Path | Mapping[str, object], *, own_issuer: str) -> Configuration:
    """Read a file, or plain data of the same form. Raises ConfigurationInvalid.

    `own_issuer`, who issues the tokens of service accounts, may not be among its issuers.
    """
    where = "" if isinstance(source, Mapping) else f" {source}"
    data = source if isinstance(source, Mapping) else _load(Path(source))
    try:
        form = msgspec.convert(data, ConfigurationForm)
    except msgspec.ValidationError as error:
        raise ConfigurationInvalid(f"the authentication configuration{where} is invalid: {error}") from None
    if form.kind != _KIND or form.api_version not in {f"{_GROUP}/{version}" for version in _VERSIONS}:
        raise ConfigurationInvalid(
            f"the authentication configuration{where} must be of {_GROUP}/{_VERSIONS[0]}, kind {_KIND}"
        )
    reader = RuleReader(own_issuer)
    issuers = reader.issuers(form.jwt)
    reader.check_anonymous(form.anonymous)
    if reader.errors:
        told = "; ".join(map(str, reader.errors))
        raise ConfigurationInvalid(f"the authentication configuration{where} is invalid: {told}")
    anonymous = None
    if form.anonymous is not None:
        paths = frozenset(condition.path for condition in form.anonymous.conditions)
        anonymous = AnonymousCallers(enabled=form.anonymous.enabled, paths=paths)
    return Configuration(issuers, anonymous)


def _load(path: Path) -> object:
    try:
        if path.stat().st_size > _MAX_FILE:
            raise ConfigurationInvalid(
                f"the authentication configuration {path} is larger than {_MAX_FILE >> 20} MiB"
            )
        return yaml.load(path.read_bytes())
    except OSError as error:
        why = f"cannot be read: {error.strerror}"
    except DecodeError as error:
        why = f"is no YAML: {error}"
    raise ConfigurationInvalid(f"the authentication configuration {path} {why}")
