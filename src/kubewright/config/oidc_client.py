"""What a client asks an OpenID Connect provider: where tokens are given, and for new ones. Blocking."""

from __future__ import annotations

import base64
import http.client
import ssl
import time
import urllib.error
import urllib.request
from typing import IO, Any, Final, NamedTuple
from urllib.parse import quote_plus, urlencode, urlsplit

import msgspec

from kubewright.config.config import without_password
from kubewright.config.errors import ConfigError
from kubewright.config.verification import make_client_context
from kubewright.machinery.depth import decode_json

__all__ = ["Provider", "Tokens"]

_TIMEOUT: Final = 30.0
"""Seconds for one exchange, and for each step of it: client-go's limit for a connection."""

_MAX_ANSWER: Final = 1 << 20
"""Bytes of an answer that are read: the limit of Go's oauth2."""

_ERROR_CODES: Final = frozenset(
    {
        "invalid_request",
        "invalid_client",
        "invalid_grant",
        "unauthorized_client",
        "unsupported_grant_type",
        "invalid_scope",
    }
)
"""The codes of RFC 6749, section 5.2. Other texts of a provider are not repeated."""


class Tokens(NamedTuple):
    """What a refresh gave; `refresh_token` is empty when the old one stays."""

    id_token: str
    refresh_token: str

    def __repr__(self) -> str:
        return "Tokens(...)"


class _Answer(NamedTuple):
    status: int
    body: bytes


class Provider:
    """One identity provider, found through its discovery document with the first refresh."""

    def __init__(self, issuer: str, authority: bytes | None) -> None:
        """`authority` is the PEM of its CA; None: the system's. Raises ConfigError."""
        self._issuer: Final = issuer.removesuffix("/")
        self._name: Final = f"the OpenID Connect provider {without_password(self._issuer)}"
        if urlsplit(issuer).scheme not in {"http", "https"}:
            raise ConfigError("the idp-issuer-url of the auth-provider oidc must begin with https://")
        self._opener: Final = _opener(self._name, authority)
        self._endpoint = ""
        self._in_header: bool | None = None

    def refresh(self, refresh_token: str, *, client_id: str, client_secret: str) -> Tokens:
        """New tokens for a refresh token.

        How the provider wants the client's name and secret is told nowhere, so both ways are tried, the
        header first, and the one that worked is kept. Raises ConfigError, which repeats nothing secret.
        """
        form = {"grant_type": "refresh_token", "refresh_token": refresh_token}
        header = f"{quote_plus(client_id)}:{quote_plus(client_secret)}".encode()
        basic = {"Authorization": f"Basic {base64.b64encode(header).decode()}"}
        in_form = {"client_id": client_id, **({"client_secret": client_secret} if client_secret else {})}
        document: dict[str, Any] = {}
        answer = _Answer(0, b"")
        for in_header in (True, False) if self._in_header is None else (self._in_header,):
            answer = self._post(form if in_header else {**form, **in_form}, basic if in_header else {})
            document = _mapping(answer.body)
            # Some answer an error with 200.
            if 200 <= answer.status < 300 and "error" not in document:
                self._in_header = in_header
                return self._tokens(document, refresh_token)
        code = document.get("error")
        told = code if isinstance(code, str) and code in _ERROR_CODES else f"HTTP {answer.status}"
        raise ConfigError(f"{self._name} refused to renew the ID token ({told}); log in again")

    def _tokens(self, document: dict[str, Any], old: str) -> Tokens:
        token, new = document.get("id_token"), document.get("refresh_token")
        if not isinstance(token, str) or not token:
            raise ConfigError(
                f"{self._name} renewed the login without an id_token; log in again with the scope openid, "
                "or use an exec plugin that this provider supports"
            )
        return Tokens(token, new if isinstance(new, str) and new != old else "")

    def _post(self, form: dict[str, str], headers: dict[str, str]) -> _Answer:
        if not self._endpoint:
            self._endpoint = self._discovered()
        content = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
        return self._ask(self._endpoint, urlencode(form).encode(), {**content, **headers})

    def _discovered(self) -> str:
        answer = self._ask(
            f"{self._issuer}/.well-known/openid-configuration", None, {"Accept": "application/json"}
        )
        if answer.status != 200:
            raise ConfigError(
                f"{self._name} answered HTTP {answer.status} to discovery; correct idp-issuer-url"
            )
        endpoint = _mapping(answer.body).get("token_endpoint")
        if not isinstance(endpoint, str) or urlsplit(endpoint).scheme not in {"http", "https"}:
            raise ConfigError(
                f"{self._name} has no token_endpoint in its discovery document; correct idp-issuer-url"
            )
        if self._issuer.startswith("https:") and not endpoint.startswith("https:"):
            raise ConfigError(
                f"{self._name} names a token_endpoint without TLS, where tokens could be read; tell its owner"
            )
        return endpoint

    def _ask(self, url: str, data: bytes | None, headers: dict[str, str]) -> _Answer:
        """One exchange, within the time and size limits. Errors of HTTP are answers, too."""
        deadline = time.monotonic() + _TIMEOUT
        # Its scheme was checked, and the opener knows no other than http and https.
        request = urllib.request.Request(url, data, headers)  # noqa: S310
        try:
            try:
                response = self._opener.open(request, timeout=_TIMEOUT)
            except urllib.error.HTTPError as error:
                response = error
            with response:
                return _Answer(response.status, _read(response, deadline))
        except urllib.error.URLError as error:
            reason = error.reason if isinstance(error.reason, str) else _told(error.reason)
        except (OSError, http.client.HTTPException, ValueError) as error:
            reason = _told(error)
        raise ConfigError(
            f"{self._name} cannot be asked for a new ID token: {reason}; see that it can be reached"
        )


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows to TLS only, and never with a form, which holds the refresh token."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        if req.data is not None or (req.type == "https" and not newurl.startswith("https:")):
            return None
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _opener(name: str, authority: bytes | None) -> urllib.request.OpenerDirector:
    """HTTP and HTTPS only: the usual opener reads files and FTP as well."""
    try:
        context = make_client_context(authority)
    except (ssl.SSLError, ValueError):
        raise ConfigError(
            f"the idp-certificate-authority of {name} has no certificate in PEM; correct it"
        ) from None
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(context=context),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        _Redirects(),
    ):
        opener.add_handler(handler)
    return opener


def _read(response: http.client.HTTPResponse | urllib.error.HTTPError, deadline: float) -> bytes:
    """The body, as long as it is short and comes in time."""
    body = bytearray()
    while True:
        chunk = response.read1(1 << 16)
        if not chunk:
            return bytes(body)
        body += chunk
        if len(body) > _MAX_ANSWER:
            raise ValueError("its answer is too long")
        if time.monotonic() > deadline:
            raise TimeoutError("its answer took too long")


def _mapping(body: bytes) -> dict[str, Any]:
    try:
        found = decode_json(body)
    except msgspec.DecodeError:
        return {}
    return found if isinstance(found, dict) else {}


def _told(error: BaseException) -> str:
    """What an error says, for those whose words are the system's; HTTP errors may quote what was answered."""
    if isinstance(error, TimeoutError):
        return "it did not answer in time"
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted ({error.verify_message})"
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    return str(error) if type(error) is ValueError else type(error).__name__
