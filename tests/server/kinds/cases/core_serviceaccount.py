"""ServiceAccounts: references to secrets, a deprecated annotation."""

from __future__ import annotations

from typing import Any

from tests.server.kinds.harness import Case


def account(metadata: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    named = {"name": "core-case", **(metadata or {})}
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": named, **fields}


ENFORCE = {"annotations": {"kubernetes.io/enforce-mountable-secrets": "true"}}
REFERENCE = {
    "kind": "Secret",
    "namespace": "x",
    "name": "y",
    "uid": "z",
    "apiVersion": "v1",
    "fieldPath": "f",
}

CASES = [
    Case("minimal", account()),
    Case(
        "full",
        account(
            secrets=[REFERENCE, {"name": "b"}],
            imagePullSecrets=[{"name": "c"}],
            automountServiceAccountToken=False,
        ),
    ),
    Case("nameless secrets", account(secrets=[{}, {"kind": "Secret"}])),
    Case("enforce", account(ENFORCE)),
    Case("update", account(secrets=[REFERENCE]), account()),
    Case("update to enforce", account(ENFORCE), account()),
    Case("update with enforce", account(ENFORCE, secrets=[REFERENCE]), account(ENFORCE)),
    Case("update from enforce", account(), account(ENFORCE)),
]
