"""The kinds of authentication.k8s.io: questions about who somebody is, which are answered and not kept.

What is wrong with them is no field error but a bad request, so there are no rules here but these: they have
no name, and nothing of them is reset.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kubewright.server.kinds.kind import Kind

__all__ = ["KINDS"]

_REVIEW: Final = Kind(resets=())

KINDS: Final[Mapping[str, Kind]] = {"selfsubjectreviews": _REVIEW, "tokenreviews": _REVIEW}
