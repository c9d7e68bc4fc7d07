"""A server of admission webhooks for tests: HTTPS on loopback, with an authority of its own."""

from __future__ import annotations

import base64
import http.server
import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from tests.conformance.client import Client, Response
from tests.conformance.conversion_webhook import make_certificates
from tests.conformance.namespaces import Namespace, unique
from tests.conformance.waiting import eventually

__all__ = ["Raw", "Webhooks", "allow", "caught_up", "deny", "json_patch", "respond", "rule"]

CONFIGURATIONS: Final = "/apis/admissionregistration.k8s.io/v1"
PROBE: Final = "webhook-probe"
"""The label of the objects by which tests see that a configuration is in use."""


class Raw:
    """An answer that is no proper one."""

    def __init__(
        self,
        body: bytes = b"",
        status: int = 200,
        headers: dict[str, str] | None = None,
        *,
        hang_up: bool = False,
    ) -> None:
        self.body, self.status, self.headers, self.hang_up = body, status, headers or {}, hang_up


Answer = Callable[[dict[str, Any]], dict[str, Any] | Raw]
"""Makes the answer to an AdmissionReview."""


def respond(review: dict[str, Any], **response: Any) -> dict[str, Any]:
    """The AdmissionReview of an answer; `response` is laid over its response."""
    return {
        "apiVersion": review["apiVersion"],
        "kind": "AdmissionReview",
        "response": {"uid": review["request"]["uid"], "allowed": True, **response},
    }


def allow(review: dict[str, Any]) -> dict[str, Any]:
    """Lets every write pass."""
    return respond(review)


def deny(**status: Any) -> Answer:
    """Refuses every write, with this status."""
    return lambda review: respond(review, allowed=False, **({"status": status} if status else {}))


def json_patch(*operations: dict[str, Any]) -> Answer:
    """Changes the object."""
    patch = base64.b64encode(json.dumps(operations).encode()).decode()
    return lambda review: respond(review, patch=patch, patchType="JSONPatch")


class Webhooks:
    """A server that runs, and the configurations that name it.

    Each webhook has a path of its own: `answers` are what they answer with, by path, `reviews` what they were
    asked, with the path, and `answered` the paths of those whose answers have been sent. Configurations are
    for one namespace unless a test says otherwise.
    """

    def __init__(self, client: Client, namespace: Namespace, url: str, authority: bytes) -> None:
        self.client = client
        self.namespace = namespace
        self.url = url
        self.bundle = base64.b64encode(authority).decode()
        self.answers: dict[str, Answer] = {}
        self.reviews: list[dict[str, Any]] = []
        self.answered: list[str] = []
        self._made: list[str] = []

    def hook(self, name: str, answer: Answer = allow, **fields: Any) -> dict[str, Any]:
        """A webhook of this server for config maps of the namespace, but for what `fields` say."""
        self.answers[f"/{name}"] = answer
        selector = {"matchLabels": {"kubernetes.io/metadata.name": self.namespace.name}}
        return {
            "name": f"{name}.example.com",
            "clientConfig": {"url": f"{self.url}/{name}", "caBundle": self.bundle},
            "rules": [rule("configmaps")],
            "namespaceSelector": selector,
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
            **fields,
        }

    def validate(self, *hooks: dict[str, Any], name: str = "") -> str:
        """Create a ValidatingWebhookConfiguration; returns its name when it is in use."""
        return self._configure("ValidatingWebhookConfiguration", hooks, name)

    def mutate(self, *hooks: dict[str, Any], name: str = "") -> str:
        """Create a MutatingWebhookConfiguration; returns its name when it is in use."""
        return self._configure("MutatingWebhookConfiguration", hooks, name)

    def asked(self, path: str = "") -> list[dict[str, Any]]:
        """The requests of the reviews so far, but for those of probes; only of one webhook with a path."""
        return [
            each["request"]
            for each in list(self.reviews)
            if not _is_probe(each["request"]) and (not path or each["path"].partition("?")[0] == f"/{path}")
        ]

    def clear(self) -> None:
        """Take back all configurations; returns when none is in use any more."""
        if not self._made:
            return
        for path in self._made:
            self.client.delete(path)
        self._made.clear()
        # kube-apiserver learns of that a little later, too.
        eventually(lambda: not self._is_asked(), "no configuration is used any more")

    def _configure(self, kind: str, hooks: tuple[dict[str, Any], ...], name: str) -> str:
        name = name or unique("hooks")
        collection = f"{CONFIGURATIONS}/{kind.lower()}s"
        probe = self._probe_hook(name)
        body = {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": kind,
            "metadata": {"name": name},
            "webhooks": [*hooks, probe],
        }
        response = self.client.post(collection, body)
        assert response.status == 201, response.text
        self._made.append(f"{collection}/{name}")
        # kube-apiserver learns of a configuration a little later.
        eventually(lambda: self._probe(name), f"{name} is used")
        return name

    def _probe_hook(self, name: str) -> dict[str, Any]:
        path = f"probe-{name}"
        hook = self.hook(path, rules=[rule("leases", group="coordination.k8s.io")])
        return {**hook, "objectSelector": {"matchExpressions": [{"key": PROBE, "operator": "Exists"}]}}

    def _probe(self, name: str) -> bool:
        response = self._send_probe()
        assert response.status == 201, response.text
        return any(each["path"].startswith(f"/probe-{name}?") for each in list(self.reviews))

    def _is_asked(self) -> bool:
        """Whether any webhook hears of a probe; the namespace may be one that takes none any more."""
        before = len(self.reviews)
        self._send_probe()
        return len(self.reviews) > before

    def _send_probe(self) -> Response:
        lease = {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"generateName": "probe-", "labels": {PROBE: "true"}},
        }
        return self.client.post(self.namespace.leases, lease, dryRun="All")

    @classmethod
    @contextmanager
    def running(
        cls, client: Client, namespace: Namespace, certificates: tuple[bytes, bytes] | None = None
    ) -> Iterator[Webhooks]:
        """A server on a free port, until the block is left; its configurations are gone then."""
        authority, chain = certificates or make_certificates()
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        server.daemon_threads = True
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        with TemporaryDirectory() as folder:
            file = Path(folder) / "webhook.pem"
            file.write_bytes(chain)
            context.load_cert_chain(file)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        made = cls(client, namespace, f"https://127.0.0.1:{server.server_address[1]}", authority)
        server.webhooks = made  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield made
        finally:
            made.clear()
            server.shutdown()
            thread.join()
            server.server_close()


def rule(
    *resources: str, group: str = "", versions: tuple[str, ...] = ("v1",), **fields: Any
) -> dict[str, Any]:
    """A rule for all operations on resources of a group."""
    return {
        "apiGroups": [group],
        "apiVersions": list(versions),
        "operations": ["*"],
        "resources": list(resources),
        **fields,
    }


def caught_up(client: Client, path: str) -> None:
    """Waits until the cache of a real server has an object as it is now.

    A write for which it has an old state is tried again with the present one, and webhooks are asked twice.
    """
    revision = client.get(path).json()["metadata"]["resourceVersion"]
    eventually(lambda: client.get(path, resourceVersion=revision).status == 200, f"{path} is in the cache")


def _is_probe(request: dict[str, Any]) -> bool:
    labels = ((request.get("object") or {}).get("metadata") or {}).get("labels") or {}
    return PROBE in labels


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        webhooks: Webhooks = self.server.webhooks  # type: ignore[attr-defined]
        body = self.rfile.read(int(self.headers["Content-Length"]))
        review = json.loads(body)
        headers = {name: self.headers[name] for name in ("Content-Type", "Accept", "User-Agent")}
        webhooks.reviews.append(
            {
                **review,
                "path": self.path,
                "headers": headers,
                "host": self.headers["Host"],
                "raw": body.decode(),
            }
        )
        answer = webhooks.answers.get(self.path.partition("?")[0], allow)(review)
        raw = answer if isinstance(answer, Raw) else Raw(json.dumps(answer).encode())
        if raw.hang_up:
            self.close_connection = True
            self.connection.close()
            return
        self.send_response(raw.status)
        for name, value in {"Content-Type": "application/json", **raw.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(raw.body)))
        self.end_headers()
        self.wfile.write(raw.body)
        webhooks.answered.append(self.path.partition("?")[0])

    def log_message(self, *_: object) -> None:
        pass

    def handle(self) -> None:
        try:
            super().handle()
        except (ssl.SSLError, ConnectionError, OSError):
            # A caller who does not trust the certificate, or waits no longer, hangs up.
            self.close_connection = True
