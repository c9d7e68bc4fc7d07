"""Leases: a small kind that no controller makes by itself, so that a test's namespace has its own alone."""

from __future__ import annotations

from typing import Any

__all__ = ["lease"]


def lease(name: str, holder: str = "nobody", **labels: str) -> dict[str, Any]:
    """A lease with a holder and labels."""
    return {"metadata": {"name": name, "labels": labels}, "spec": {"holderIdentity": holder}}
