"""A file as the scaffold has it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["Additions", "ScaffoldFile"]

Additions: TypeAlias = Literal["conflict", "both"]
"""What it means that a person and the scaffold both insert lines at one place: a conflict, or both stay, the
scaffold's first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaffoldFile:
    """What the scaffold wants of one file."""

    text: str
    """Whole lines that end with a line feed."""
    additions: Additions = "conflict"
    """`both` for files that are lists, such as what is registered or a kustomization."""
