"""The options of a server, for those who pass them on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypedDict

__all__ = ["ServerOptions"]


class ServerOptions(TypedDict, total=False):
    """The keyword arguments of `APIServer`, which says what they mean."""

    port: int
    data_dir: str | Path | None
    accept_data_loss: bool
    insecure_data_dir: bool
    kubeconfig: str | Path | None
    static_tokens: str | Path | None
    authentication_config: str | Path | Mapping[str, object] | None
    anonymous: bool | None
    service_account_issuer: str | None
    client_ca: str | Path | None
    admission_plugins: Sequence[str]
    anonymous_admin: bool
    audit_log: str | Path | None
    audit_policy: str | Path | Mapping[str, object] | None
