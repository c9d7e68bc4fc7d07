"""Which proxy leads to a server: the configuration's, else the environment's."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Final, NamedTuple
from urllib.parse import unquote, urlsplit

from kubewright.config import Config, ConfigError

__all__ = ["Proxy", "proxy_of"]

_SCHEMES: Final = frozenset({"http", "https"})


class Proxy(NamedTuple):
    """A proxy, with what it wants to know of its callers in headers of its own."""

    url: str
    headers: Mapping[str, str]

    def __repr__(self) -> str:
        return f"Proxy({self.url})"


def proxy_of(config: Config) -> Proxy | None:
    """The proxy to a server; None when there is none. Raises ConfigError for one that cannot be used."""
    url = config.proxy_url or _from_environment(config.server)
    if not url:
        return None
    parts = urlsplit(url if "://" in url else f"http://{url}")
    if parts.scheme not in _SCHEMES:
        raise ConfigError(
            f"the proxy for {config.server} has the scheme {parts.scheme!r}; http and https can be used"
        )
    headers = {}
    if parts.username is not None:
        user = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        headers["Proxy-Authorization"] = "Basic " + base64.b64encode(user.encode()).decode()
    # Without the user, so that no error and no log shows a password.
    return Proxy(parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl(), headers)


def _from_environment(server: str) -> str:
    from urllib import request  # noqa: PLC0415 - slow to import

    parts = urlsplit(server)
    proxies = request.getproxies_environment()
    # Not in the type stubs, but in all versions of Python.
    if request.proxy_bypass_environment(parts.netloc.rpartition("@")[2], proxies):  # type: ignore[attr-defined]
        return ""
    return proxies.get(parts.scheme, "")
