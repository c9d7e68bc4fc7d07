"""The ServiceAccount kind."""

from __future__ import annotations

from typing import Final

from kubewright.server.kinds.kind import Context, Kind, Object

__all__ = ["SERVICE_ACCOUNT"]

_ENFORCE_MOUNTABLE_SECRETS: Final = "kubernetes.io/enforce-mountable-secrets"


def _prepare_create(obj: Object, context: Context) -> None:
    secrets = obj.get("secrets")
    if secrets:
        # Of a reference to a secret, only the name counts.
        obj["secrets"] = [{"name": secret["name"]} if secret.get("name") else {} for secret in secrets]


def _prepare_update(obj: Object, old: Object, context: Context) -> None:
    _prepare_create(obj, context)


def _warnings(obj: Object, old: Object | None) -> list[str]:
    if not _enforces(obj) or (old is not None and _enforces(old)):
        return []
    advice = "prefer separate namespaces to isolate access to mounted secrets"
    return [f"metadata.annotations[{_ENFORCE_MOUNTABLE_SECRETS}]: deprecated in v1.32+; {advice}"]


def _enforces(obj: Object) -> bool:
    return _ENFORCE_MOUNTABLE_SECRETS in ((obj.get("metadata") or {}).get("annotations") or {})


SERVICE_ACCOUNT: Final = Kind(
    prepare_create=_prepare_create,
    prepare_update=_prepare_update,
    warnings=_warnings,
    resets=(),
    metadata_checks=2,
)
