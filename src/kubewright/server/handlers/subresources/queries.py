"""Yes and no in queries."""

from __future__ import annotations

from kubewright.server.handlers.call import Query

__all__ = ["is_true"]


def is_true(query: Query, name: str) -> bool:
    """Whether a parameter says yes: whatever is there and neither `0` nor `false`, as upstream has it."""
    return name in query and query.get(name, "").lower() not in {"0", "false"}
