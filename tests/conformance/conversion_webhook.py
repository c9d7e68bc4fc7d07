"""A webhook that converts widgets: HTTPS on loopback, with an authority of its own."""

from __future__ import annotations

import base64
import copy
import http.server
import ipaddress
import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

__all__ = ["ConversionWebhook", "converted", "success"]

Answer = Callable[[dict[str, Any]], dict[str, Any] | bytes | int]
"""Makes the ConversionReview of an answer, or its raw body, or the code of a refusal, of a request."""

_NAMES = {"v1": "size", "v2": "width"}
"""What the versions call the same field."""

_ONLY = {"v1": "one", "v2": "two"}
"""Fields that only one version has."""


def converted(obj: dict[str, Any], api_version: str) -> dict[str, Any]:
    """A widget in another version."""
    made = copy.deepcopy(obj)
    old, new = (each.rpartition("/")[2] for each in (obj["apiVersion"], api_version))
    made["apiVersion"] = api_version
    for part in (made.get("spec") or {}, made.get("status") or {}):
        if _NAMES[old] in part:
            part[_NAMES[new]] = part.pop(_NAMES[old])
        part.pop(_ONLY[old], None)
    return made


def success(review: dict[str, Any]) -> dict[str, Any]:
    """The answer of a webhook that works."""
    request = review["request"]
    wanted = request["desiredAPIVersion"]
    return answer(review, [converted(each, wanted) for each in request["objects"]])


def answer(review: dict[str, Any], objects: list[Any], **response: Any) -> dict[str, Any]:
    """A ConversionReview with these objects; `response` is laid over its response."""
    return {
        "apiVersion": review["apiVersion"],
        "kind": "ConversionReview",
        "response": {
            "uid": review["request"]["uid"],
            "result": {"status": "Success"},
            "convertedObjects": objects,
            **response,
        },
    }


class ConversionWebhook:
    """A webhook that runs: what it was asked is in `reviews`, and `answer` may be changed at any time."""

    def __init__(self, url: str, authority: bytes) -> None:
        self.url = url
        self.authority = authority
        self.answer: Answer = success
        self.reviews: list[dict[str, Any]] = []

    def conversion(self, **client_config: Any) -> dict[str, Any]:
        """The `spec.conversion` that asks this webhook."""
        bundle = base64.b64encode(self.authority).decode()
        return {
            "strategy": "Webhook",
            "webhook": {
                "conversionReviewVersions": ["v1"],
                "clientConfig": {"url": self.url, "caBundle": bundle, **client_config},
            },
        }

    @classmethod
    @contextmanager
    def running(cls) -> Iterator[ConversionWebhook]:
        """A webhook on a free port, until the block is left."""
        authority, chain = make_certificates()
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        server.daemon_threads = True
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        with TemporaryDirectory() as folder:
            file = Path(folder) / "webhook.pem"
            file.write_bytes(chain)
            context.load_cert_chain(file)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        webhook = cls(f"https://127.0.0.1:{server.server_address[1]}/convert", authority)
        server.webhook = webhook  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield webhook
        finally:
            server.shutdown()
            thread.join()
            server.server_close()


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        webhook: ConversionWebhook = self.server.webhook  # type: ignore[attr-defined]
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        webhook.reviews.append({**review, "path": self.path, "type": self.headers["Content-Type"]})
        made = webhook.answer(review)
        body = made if isinstance(made, bytes) else json.dumps(made).encode()
        self.send_response(made if isinstance(made, int) else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass

    def handle(self) -> None:
        try:
            super().handle()
        except (ssl.SSLError, ConnectionError):
            # A caller who does not trust the certificate hangs up.
            self.close_connection = True


def make_certificates(host: str = "127.0.0.1") -> tuple[bytes, bytes]:
    """An authority's certificate, and a certificate of it for a host with its key, in PEM."""
    key, authority_key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    authority = _builder("authority", "authority", authority_key).add_extension(
        x509.BasicConstraints(ca=True, path_length=None), critical=True
    )
    names = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(host))])
    certificate = _builder("webhook", "authority", key).add_extension(names, critical=False)
    pem = serialization.Encoding.PEM
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return (
        authority.sign(authority_key, hashes.SHA256()).public_bytes(pem),
        certificate.sign(authority_key, hashes.SHA256()).public_bytes(pem) + private,
    )


def _builder(subject: str, issuer: str, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, subject)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + timedelta(days=1))
    )
