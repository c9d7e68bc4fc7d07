"""CertificateSigningRequests that are refused.

What is accepted is in `tests/server/kinds/certificates`: it records who asks, which the cases do not tell.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from textwrap import wrap
from typing import Any

from tests.server.kinds.harness import Case, Json

EC_REQUEST = (
    "MIHIMHECAQAwDzENMAsGA1UEAwwEamFuZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABNfjN47tL7UKFAci9+VVhCsVCkIcFFsn"
    "Fc4aTGdH4IAZ7ZXnuu9DXFf2y8yTz5RHm9a1+2VCbn7CdnVFt3UjPYOgADAKBggqhkjOPQQDAgNHADBEAiAaivtBbppdJDYCJh5G"
    "D1M+LSiIsNN7o7lsGVHfcdrb+QIgfTpAETZSjJxU3GC52y6L4T3nY0fGZfIYS4iBBs1tc+o="
)
ED_REQUEST = (
    "MIGOMEICAQAwDzENMAsGA1UEAwwEamFuZTAqMAUGAytlcAMhAEeORDaCkm2raewGrVRbCxwOiCgS/ZOujHaoJxPK9NC+oAAwBQYD"
    "K2VwA0EA62z+pzY3F5KoGgYdfvg+Pm3CGKFaPK+nChIgp8TfpLHEbwY1j6onHlejlEUIs8Zxrzq/31U6T4aCh+hipgvQBQ=="
)
CERTIFICATE = (
    "MIIBCTCBsaADAgECAgEBMAoGCCqGSM49BAMCMA8xDTALBgNVBAMMBGphbmUwHhcNMjYwMTAxMDAwMDAwWhcNMzUxMjMwMDAwMDAw"
    "WjAPMQ0wCwYDVQQDDARqYW5lMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE1+M3ju0vtQoUByL35VWEKxUKQhwUWycVzhpMZ0fg"
    "gBntlee670NcV/bLzJPPlEeb1rX7ZUJufsJ2dUW3dSM9gzAKBggqhkjOPQQDAgNHADBEAiBfDUJ4Ek2tOL8qivYV7KT0VLh5dmso"
    "sD3dljYpRZaQrQIgcd/GPZz3Gfa/beIEr1yc4VrvFml4t9+OgiC2xkNbF3w="
)


def pem(kind: str, body: str, *, headers: str = "") -> str:
    """A block, as a field of the type []byte has it."""
    lines = "\n".join(wrap(body, 64))
    return b64encode(f"-----BEGIN {kind}-----\n{headers}{lines}\n-----END {kind}-----\n".encode()).decode()


def tampered(body: str) -> str:
    """Another signature below the same request."""
    data = bytearray(b64decode(body))
    data[-1] ^= 1
    return b64encode(data).decode()


def joined(*texts: str) -> str:
    return b64encode(b"".join(map(b64decode, texts))).decode()


def text(plain: str) -> str:
    return b64encode(plain.encode()).decode()


REQUEST = pem("CERTIFICATE REQUEST", EC_REQUEST)
GOOD = pem("CERTIFICATE", CERTIFICATE)
SPEC: Json = {"request": REQUEST, "signerName": "example.com/signer", "usages": ["client auth"]}


def request(status: Json | None = None, /, **spec: Any) -> Json:
    obj: Json = {
        "apiVersion": "certificates.k8s.io/v1",
        "kind": "CertificateSigningRequest",
        "metadata": {"name": "case-request"},
        "spec": {**SPEC, **spec},
    }
    return obj if status is None else {**obj, "status": status}


def condition(kind: str, status: str = "True", **fields: Any) -> Json:
    times = {"lastUpdateTime": "2026-01-01T00:00:00Z", "lastTransitionTime": "2026-01-01T00:00:00Z"}
    return {"type": kind, "status": status, **times, **fields}


SPECS: dict[str, Json] = {
    "no request": {"request": None},
    "empty request": {"request": ""},
    "no pem": {"request": text("hello")},
    "other block": {"request": GOOD},
    "no end": {"request": text("-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n")},
    "other end": {"request": text("-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END OTHER-----\n")},
    "no base64": {
        "request": text("-----BEGIN CERTIFICATE REQUEST-----\n????\n-----END CERTIFICATE REQUEST-----\n")
    },
    "other block first": {"request": joined(GOOD, REQUEST)},
    "bad signature": {"request": pem("CERTIFICATE REQUEST", tampered(EC_REQUEST))},
    "bad signature of ed25519": {"request": pem("CERTIFICATE REQUEST", tampered(ED_REQUEST))},
    "no usages": {"usages": []},
    "unknown usage": {"usages": ["client auth", "flying"]},
    "usages twice": {"usages": ["client auth", "server auth", "client auth"]},
    "no signer": {"signerName": ""},
    "bad signer": {"signerName": "signer"},
    "bad domain": {"signerName": "Example/a"},
    "bad path": {"signerName": "example.com/a b"},
    "legacy signer": {"signerName": "kubernetes.io/legacy-unknown"},
    "short": {"expirationSeconds": 599},
    "all wrong": {"request": "", "usages": [], "signerName": "", "expirationSeconds": -1},
}
STATUSES: dict[str, Json] = {
    "no pem": {"certificate": text("hello")},
    "other block": {"certificate": REQUEST},
    "headers": {"certificate": pem("CERTIFICATE", CERTIFICATE, headers="A: b\n\n")},
    "two blocks": {"certificate": joined(GOOD, REQUEST)},
    "approved": {"conditions": [condition("Approved")]},
    "denied": {"conditions": [condition("Denied")]},
    "both": {"conditions": [condition("Denied"), condition("Approved")]},
    "false failure": {"conditions": [condition("Failed", "False")]},
    "no type": {"conditions": [condition("", "True")]},
    "no status": {"conditions": [condition("Other", "")]},
    "unknown status": {"conditions": [condition("Other", "Maybe")]},
    "twice": {"conditions": [condition("Other"), condition("Other", "False")]},
}
APPROVALS: dict[str, Json] = {
    "false": {"conditions": [condition("Approved", "False")]},
    "unknown": {"conditions": [condition("Denied", "Unknown")]},
    "both": {"conditions": [condition("Approved"), condition("Denied")]},
    "twice": {"conditions": [condition("Approved"), condition("Approved")]},
    "no type": {"conditions": [condition("")]},
    "no status": {"conditions": [condition("Approved", "")]},
}
CASES = [
    *[Case(name, request(**spec)) for name, spec in SPECS.items()],
    *[Case(f"status: {name}", request(each), request(), "status") for name, each in STATUSES.items()],
    *[Case(f"approval: {name}", request(each), request(), "approval") for name, each in APPROVALS.items()],
]
