"""What must hold of a patch before it is handed out.

kubectl apply makes its patches under three of them: apiVersion, kind and metadata.name stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from kubewright.machinery.patch.errors import PatchPreconditionError

__all__ = ["Precondition", "check_preconditions", "require_key_unchanged", "require_metadata_key_unchanged"]

Precondition: TypeAlias = Callable[[Mapping[str, Any]], str | None]
"""Looks at a finished patch and returns the sentence that says what is wrong with it, or None."""


def require_key_unchanged(key: str) -> Precondition:
    """The patch must not touch this top-level field."""

    def unchanged(patch: Mapping[str, Any]) -> str | None:
        return f'the patch would change "{key}", which must stay as it is' if key in patch else None

    return unchanged


def require_metadata_key_unchanged(key: str) -> Precondition:
    """The patch must not touch this field of metadata."""

    def unchanged(patch: Mapping[str, Any]) -> str | None:
        metadata = patch.get("metadata")
        if isinstance(metadata, Mapping) and key in metadata:
            return f'the patch would change "metadata.{key}", which must stay as it is'
        return None

    return unchanged


def check_preconditions(patch: Mapping[str, Any], preconditions: Iterable[Precondition]) -> None:
    """Raise PatchPreconditionError for the first precondition that does not hold."""
    for precondition in preconditions:
        complaint = precondition(patch)
        if complaint is not None:
            raise PatchPreconditionError(complaint)
