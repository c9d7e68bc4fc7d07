"""The audit log: who asked for what, and what became of it, one JSON line per event in upstream's form."""

from __future__ import annotations

from kubewright.server.audit.auditor import Auditor, open_auditor
from kubewright.server.audit.log import AuditLogUnusable
from kubewright.server.audit.policy_file import AuditPolicyInvalid
from kubewright.server.audit.record import Record

__all__ = ["AuditLogUnusable", "AuditPolicyInvalid", "Auditor", "Record", "open_auditor"]
