"""Credentials that a program prints: the client.authentication.k8s.io plugins of a kubeconfig's `exec`."""

from __future__ import annotations

import logging
import os
import time
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import msgspec

from kubewright.config.config import Config
from kubewright.config.credentials import ClientCertificate, Credential, bearer
from kubewright.config.errors import ConfigError
from kubewright.config.renewal import Renewal
from kubewright.machinery.depth import decode_json
from kubewright.machinery.errors import DecodeError, ParseError, quoted
from kubewright.machinery.time import parse_time

__all__ = ["API_VERSIONS", "ExecCredentials", "ExecPlugin", "unattended"]

_log: Final = logging.getLogger("kubewright.config")

_GROUP: Final = "client.authentication.k8s.io"

API_VERSIONS: Final = (f"{_GROUP}/v1", f"{_GROUP}/v1beta1")
"""The versions that client-go speaks; v1alpha1 left it with Kubernetes 1.24."""

_MODES: Final = ("Never", "IfAvailable", "Always")

_TIMEOUT: Final = 300.0
"""Seconds that a plugin may take. client-go waits for ever; those that open a browser wait three minutes for
the login (kubelogin's default), and this is longer than that."""

_Status: TypeAlias = dict[str, Any]


class ExecPlugin(msgspec.Struct, frozen=True, kw_only=True):
    """What a kubeconfig's `exec` says about the plugin to run."""

    command: str
    """A name that is looked for in PATH, or a path."""
    api_version: str
    arguments: tuple[str, ...] = ()
    environment: Mapping[str, str] = {}
    """Added to our own."""
    interactive_mode: str = ""
    """Never, IfAvailable or Always: whether the plugin gets our standard input."""
    install_hint: str = ""
    cluster: Mapping[str, Any] | None = None
    """`spec.cluster` of what the plugin is told; None: nothing about the cluster."""

    def __repr__(self) -> str:
        return f"ExecPlugin({self.command!r})"


class ExecCredentials:
    """The token or client certificate that a plugin prints.

    The plugin runs with the first request, again when what it printed has expired, and after a 401, unless
    another request had that done meanwhile; one run serves all who wait.
    """

    def __init__(
        self,
        plugin: ExecPlugin,
        *,
        environ: Mapping[str, str] | None = None,
        terminal: Callable[[], bool] | None = None,
        quiet: bool = False,
        timeout: float = _TIMEOUT,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`terminal` says whether standard input can be passed on. With `quiet`, what the plugin writes to
        standard error is not shown. Raises ConfigError for a wrong plugin.
        """
        self._plugin: Final = _checked(plugin)
        self._environ: Final = os.environ if environ is None else environ
        self._terminal: Final = terminal
        self._quiet: Final = quiet
        self._timeout: Final = timeout
        self._clock: Final = clock
        self._renewal: Final = Renewal(self._renew)
        self._credential: Credential | None = None
        self._expires: float | None = None

    async def current(self) -> Credential:
        credential = self._credential
        if credential is not None and (self._expires is None or self._clock() <= self._expires):
            return credential
        await self._renewal.done()
        assert self._credential is not None  # noqa: S101 - or the renewal had raised
        return self._credential

    async def rejected(self, credential: Credential) -> bool:
        # By identity: whoever was rejected with what the last run gave asks for another run, nobody else.
        if credential is self._credential:
            try:
                await self._renewal.done()
            except ConfigError as error:
                _log.warning("the server rejected the credentials, and there are no others: %s", error)
        return self._credential is not None and credential != self._credential

    async def close(self) -> None:
        await self._renewal.close()

    def unattended(self) -> ExecCredentials:
        """The same for who asks while nobody looks on: the plugin has no terminal, and shows nothing."""
        return ExecCredentials(
            self._plugin,
            environ=self._environ,
            terminal=lambda: False,
            quiet=True,
            timeout=self._timeout,
            clock=self._clock,
        )

    async def _renew(self) -> None:
        from kubewright.config.plugin_process import NotInstalled, is_terminal, run_plugin  # noqa: PLC0415 - asyncio

        plugin = self._plugin
        interactive = _interactive(plugin, self._terminal or is_terminal)
        environ = {**self._environ, **plugin.environment, "KUBERNETES_EXEC_INFO": _told(plugin, interactive)}
        try:
            output = await run_plugin(
                plugin.command,
                plugin.arguments,
                environ=environ,
                interactive=interactive,
                quiet=self._quiet,
                timeout=self._timeout,
            )
        except NotInstalled as error:
            hint = _printable(plugin.install_hint.strip())
            remedy = hint or "install it, or correct `command` in the kubeconfig"
            raise ConfigError(f"{error}; {remedy}") from None
        self._credential, self._expires = _answer(plugin, output)

    def __repr__(self) -> str:
        return f"ExecCredentials({self._plugin!r})"


def unattended(config: Config) -> Config:
    """The same configuration, whose credential plugin, if it has one, has no terminal and shows nothing."""
    credentials = config.credentials
    if not isinstance(credentials, ExecCredentials):
        return config
    return msgspec.structs.replace(config, credentials=credentials.unattended())


def _checked(plugin: ExecPlugin) -> ExecPlugin:
    """The plugin with its defaults. Raises ConfigError for a version or mode that we do not speak."""
    if not plugin.command:
        raise ConfigError("the exec plugin has no command; name the program to run in `command`")
    if plugin.api_version not in API_VERSIONS:
        raise ConfigError(
            f"the exec plugin {plugin.command!r} has the apiVersion {quoted(plugin.api_version)}, "
            f"which is not spoken here; use {' or '.join(API_VERSIONS)}, and update the plugin if need be"
        )
    mode = plugin.interactive_mode
    if not mode and plugin.api_version != API_VERSIONS[0]:
        mode = "IfAvailable"
    if mode not in _MODES:
        said = f"the interactiveMode {quoted(mode)}" if mode else "no interactiveMode, which v1 asks for"
        raise ConfigError(f"the exec plugin {plugin.command!r} has {said}; write one of {', '.join(_MODES)}")
    return msgspec.structs.replace(plugin, interactive_mode=mode)


def _interactive(plugin: ExecPlugin, terminal: Callable[[], bool]) -> bool:
    if plugin.interactive_mode == "Never":
        return False
    available = terminal()
    if plugin.interactive_mode == "Always" and not available:
        raise ConfigError(
            f"the credential plugin {plugin.command!r} must ask somebody, and standard input is no terminal; "
            "run the program in a terminal, or use a plugin that needs none"
        )
    return available


def _told(plugin: ExecPlugin, interactive: bool) -> str:
    """The ExecCredential that the plugin finds in KUBERNETES_EXEC_INFO."""
    cluster = {} if plugin.cluster is None else {"cluster": plugin.cluster}
    told = {
        "kind": "ExecCredential",
        "apiVersion": plugin.api_version,
        "spec": {**cluster, "interactive": interactive},
    }
    return msgspec.json.encode(told).decode()


def _answer(plugin: ExecPlugin, output: bytes) -> tuple[Credential, float | None]:
    """The credential that a plugin printed, and when it expires. No error repeats any of it."""
    name = f"the credential plugin {plugin.command!r}"
    document = _document(name, output)
    if document.get("kind") != "ExecCredential" or not isinstance(document.get("apiVersion"), str):
        raise ConfigError(
            f"{name} printed something that is no ExecCredential; see that it prints nothing else"
        )
    if document["apiVersion"] != plugin.api_version:
        raise ConfigError(
            f"{name} answered in another version than {plugin.api_version}; "
            "correct `apiVersion` in the kubeconfig"
        )
    status = document.get("status")
    if not isinstance(status, dict):
        raise ConfigError(f"{name} printed an ExecCredential without a status; it gave no credentials")
    token = _text(name, status, "token")
    certificate = _text(name, status, "clientCertificateData")
    key = _text(name, status, "clientKeyData")
    if not (token or certificate or key):
        raise ConfigError(f"{name} gave neither a token nor a certificate; log in with it first")
    if bool(certificate) != bool(key):
        raise ConfigError(
            f"{name} gave only one of clientCertificateData and clientKeyData; it must give both"
        )
    if certificate and not ("-----BEGIN CERTIFICATE" in certificate and "PRIVATE KEY-----" in key):
        raise ConfigError(
            f"{name} gave a client certificate or key that is not PEM; it must print both in PEM"
        )
    pair = ClientCertificate(certificate.encode(), key.encode()) if certificate else None
    return Credential(_bearer(name, token) if token else "", pair), _expiry(name, status)


def _document(name: str, output: bytes) -> _Status:
    """The mapping that was printed: JSON, or YAML, which client-go reads as well."""
    from kubewright.machinery import yaml  # noqa: PLC0415 - hardly any plugin prints it

    found: object
    try:
        found = decode_json(output)
    except msgspec.DecodeError:
        try:
            found = yaml.load(output)
        except DecodeError:
            found = None
    if not isinstance(found, dict):
        raise ConfigError(f"{name} did not print JSON; it must print an ExecCredential and nothing else")
    return found


def _text(name: str, status: _Status, field: str) -> str:
    value = status.get(field)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ConfigError(f"{name} printed a status.{field} that is no string; update the plugin")
    return value


def _bearer(name: str, token: str) -> str:
    try:
        return bearer(token)
    except ConfigError:
        raise ConfigError(
            f"{name} gave a token with characters that a header cannot hold; update the plugin"
        ) from None


def _expiry(name: str, status: _Status) -> float | None:
    text = status.get("expirationTimestamp")
    if text is None:
        return None
    try:
        return parse_time(text).timestamp()
    except (ParseError, TypeError):
        raise ConfigError(
            f"{name} printed an expirationTimestamp that is not RFC 3339; update the plugin"
        ) from None


def _printable(text: str) -> str:
    """A text without what could set a terminal into a strange state; as client-go does, lines stay."""
    return "".join(
        char if char in "\t\n\v\f\r" or unicodedata.category(char)[0] != "C" else f"U+{ord(char):04X}"
        for char in text
    )
