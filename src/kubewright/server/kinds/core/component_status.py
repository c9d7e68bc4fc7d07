"""The ComponentStatus kind, which is never stored."""

from __future__ import annotations

from typing import Final

from kubewright.server.kinds.kind import Kind

__all__ = ["COMPONENT_STATUS"]

COMPONENT_STATUS: Final = Kind(resets=())
