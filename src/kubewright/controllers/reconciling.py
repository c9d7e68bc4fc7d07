"""Which reconcile the running code belongs to: known to it and to all tasks that it starts."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Final, NamedTuple

__all__ = ["RECONCILING", "Reconciling"]


class Reconciling(NamedTuple):
    """One reconcile, as logs and traces name it."""

    controller: str
    group: str
    """Of the kind that the controller is for; empty for the core group."""
    kind: str
    namespace: str
    name: str
    reconcile_id: str

    @property
    def object(self) -> str:
        """As `namespace/name`, or `name` for an object without a namespace."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name

    def extra(self) -> dict[str, str]:
        """What records of the log carry; `name` is what the logger is called there."""
        return {
            "controller": self.controller,
            "controller_group": self.group,
            "controller_kind": self.kind,
            "object": self.object,
            "namespace": self.namespace,
            "object_name": self.name,
            "reconcile_id": self.reconcile_id,
        }


RECONCILING: Final[ContextVar[Reconciling | None]] = ContextVar("kubewright_reconciling", default=None)
"""The reconcile around the running code, if there is one."""
