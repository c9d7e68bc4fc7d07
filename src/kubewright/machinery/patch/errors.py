"""What can go wrong with a patch, as one tree.

ParseError
└── PatchError: the patch cannot be made, or does not apply to this document   (a server answers 422)
    ├── MalformedPatchError: not a patch of this type, whatever the document   (400)
    ├── PatchTooLargeError: more operations, or more copying, than is allowed  (413)
    ├── PatchTestError: a `test` operation of a JSON patch found another value (422)
    ├── PatchConflictError: both sides changed the same field, differently     (409)
    └── PatchPreconditionError: the patch would change what must not change    (412)
"""

from __future__ import annotations

from kubewright.machinery.errors import ParseError

__all__ = [
    "MalformedPatchError",
    "PatchConflictError",
    "PatchError",
    "PatchPreconditionError",
    "PatchTestError",
    "PatchTooLargeError",
]


class PatchError(ParseError):
    """A patch that cannot be made, or that does not apply to this document."""


class MalformedPatchError(PatchError):
    """Not a patch of this type: it would not apply to any document."""


class PatchTooLargeError(PatchError):
    """A patch that asks for more work than the API allows."""


class PatchTestError(PatchError):
    """A `test` operation of a JSON patch that found another value."""


class PatchConflictError(PatchError):
    """Two sides changed the same field in different ways."""


class PatchPreconditionError(PatchError):
    """A patch that would change a field that its maker said must not change."""
