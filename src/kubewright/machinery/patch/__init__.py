"""Patches: JSON patch, merge patch and strategic merge patch, applied and made.

Everything works on plain JSON data (dict, list, str, int, float, bool, None), changes no input, and returns
results that share nothing with the inputs. Each `make_*` is the inverse of its `apply_*`; the three-way ones
are what kubectl apply sends. Behaviour is that of kube-apiserver and kubectl, and is compared with their code
in the oracle tests. Nesting is limited to MAX_DEPTH levels.
"""

from __future__ import annotations

from kubewright.machinery.patch.errors import (
    MalformedPatchError,
    PatchConflictError,
    PatchError,
    PatchPreconditionError,
    PatchTestError,
    PatchTooLargeError,
)
from kubewright.machinery.patch.json_diff import make_json_patch
from kubewright.machinery.patch.json_patch import MAX_COPIED_BYTES, MAX_OPERATIONS, apply_json_patch
from kubewright.machinery.patch.json_pointer import format_pointer, parse_pointer
from kubewright.machinery.patch.merge_patch import (
    apply_merge_patch,
    make_merge_patch,
    make_three_way_merge_patch,
)
from kubewright.machinery.patch.preconditions import (
    Precondition,
    require_key_unchanged,
    require_metadata_key_unchanged,
)
from kubewright.machinery.patch.strategic import apply_strategic_patch
from kubewright.machinery.patch.strategic_make import make_strategic_patch, make_three_way_strategic_patch
from kubewright.machinery.patch.values import MAX_DEPTH

__all__ = [
    "MAX_COPIED_BYTES",
    "MAX_DEPTH",
    "MAX_OPERATIONS",
    "MalformedPatchError",
    "PatchConflictError",
    "PatchError",
    "PatchPreconditionError",
    "PatchTestError",
    "PatchTooLargeError",
    "Precondition",
    "apply_json_patch",
    "apply_merge_patch",
    "apply_strategic_patch",
    "format_pointer",
    "make_json_patch",
    "make_merge_patch",
    "make_strategic_patch",
    "make_three_way_merge_patch",
    "make_three_way_strategic_patch",
    "parse_pointer",
    "require_key_unchanged",
    "require_metadata_key_unchanged",
]
