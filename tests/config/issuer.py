"""An OpenID Connect provider on loopback, over TLS, that does what a test tells it."""

from __future__ import annotations

import base64
import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from kubewright.server.certificates import make_credentials
from tests.config.certificate_chains import Chain

__all__ = ["Issuer", "id_token", "running"]


def id_token(expiry: object, mark: str = "") -> str:
    """A token as a provider would sign it; nobody here looks at the signature."""

    def part(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    return f"{part({'alg': 'none'})}.{part({'exp': expiry, 'mark': mark})}.signature"


class Issuer:
    """What the provider answers, and what it was asked."""

    def __init__(self, url: str, authority: bytes) -> None:
        self.url = url
        self.authority = authority
        self.requests: list[tuple[str, dict[str, str], str]] = []
        """Path, form and Authorization header of each."""
        self.discovery: tuple[int, object] = (200, {"token_endpoint": f"{url}/token"})
        self.answers: list[tuple[int, object]] = []
        """What /token answers, one after the other; the last one stays."""
        self.documents: dict[str, object] = {}
        """What else it answers, by path."""
        self.location = ""
        self.wants_form = False
        """Whether the client must show its secret in the form."""

    @property
    def refreshes(self) -> list[tuple[dict[str, str], str]]:
        return [(form, header) for path, form, header in self.requests if path == "/token"]

    def answer(self, path: str, form: dict[str, str], header: str) -> tuple[int, object]:
        self.requests.append((path, form, header))
        if path.endswith("/.well-known/openid-configuration"):
            return self.discovery
        if path == "/token":
            if self.wants_form and "client_id" not in form:
                return 401, {"error": "invalid_client"}
            return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return (200, self.documents[path]) if path in self.documents else (404, {})


def _handler(issuer: Issuer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer({})

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            self._answer(dict(parse_qsl(body.decode())))

        def _answer(self, form: dict[str, str]) -> None:
            status, document = issuer.answer(self.path, form, self.headers.get("Authorization", ""))
            data = document if isinstance(document, bytes) else json.dumps(document).encode()
            self.send_response(status)
            if 300 <= status < 400:
                self.send_header("Location", issuer.location)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            with suppress(OSError):
                self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    return Handler


@contextmanager
def running(folder: Path, chain: Chain | None = None) -> Iterator[Issuer]:
    """A provider for as long as the block lasts; its key is put into a folder.

    It sends a chain of certificates, whose bundle is its `authority`, or one of an authority of its own.
    """
    pem = folder / "issuer.pem"
    if chain is None:
        credentials = make_credentials(["127.0.0.1"])
        authority = credentials.authority
        pem.write_bytes(credentials.server.certificate + credentials.server.key)
    else:
        authority = chain.bundle
        pem.write_bytes(chain.pem + chain.sent[0].key_pem)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    issuer = Issuer("", authority)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(issuer))
    server.daemon_threads = True
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    issuer.__init__(f"https://127.0.0.1:{server.server_port}", authority)  # type: ignore[misc]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield issuer
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
