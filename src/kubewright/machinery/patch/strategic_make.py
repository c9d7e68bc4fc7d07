"""Making strategic merge patches: from two documents, and from three as kubectl apply does."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kubewright.machinery.patch.errors import PatchConflictError
from kubewright.machinery.patch.preconditions import Precondition, check_preconditions
from kubewright.machinery.patch.strategic import merge_objects
from kubewright.machinery.patch.strategic_conflict import find_conflict
from kubewright.machinery.patch.strategic_diff import Wanted, diff_objects
from kubewright.machinery.patch.values import own_object
from kubewright.machinery.schema import Schema

__all__ = ["make_strategic_patch", "make_three_way_strategic_patch"]


def make_strategic_patch(
    a: object, b: object, schema: Schema, *, preconditions: Iterable[Precondition] = ()
) -> dict[str, Any]:
    """The patch such that `apply_strategic_patch(a, patch, schema)` gives b; {} when they are equal.

    That holds, element order included, for documents without nulls whose merged lists have unique keys;
    null means "remove" in a patch, and namesakes cannot be told apart. The result shares nothing with a or b.
    Raises PatchError when either is not an object, when elements lack their merge key or are of mixed kinds,
    and PatchPreconditionError when a precondition does not hold.
    """
    before = own_object(a, "document a")
    after = own_object(b, "document b")
    patch = own_object(diff_objects(before, after, schema, "", Wanted()), "the patch")
    check_preconditions(patch, preconditions)
    return patch


def make_three_way_strategic_patch(
    original: object,
    modified: object,
    current: object,
    schema: Schema,
    *,
    overwrite: bool = True,
    preconditions: Iterable[Precondition] = (),
) -> dict[str, Any]:
    """The patch that kubectl apply sends for a built-in kind.

    It brings `current`, the live object, to what `modified` says, and removes what `original`, the
    configuration applied last, had and `modified` has no more; everything else that is in `current` stays.
    None for `original` or `current` stands for an empty object. The result shares nothing with the inputs.

    Raises what `make_strategic_patch` raises; and, when not `overwrite`, PatchConflictError if the patch
    would change a field that was changed otherwise between `original` and `current`.
    """
    before = own_object({} if original is None else original, "the original document")
    wanted = own_object(modified, "the modified document")
    live = own_object({} if current is None else current, "the current document")
    additions = diff_objects(live, wanted, schema, "", Wanted(deletions=False))
    removals = diff_objects(before, wanted, schema, "", Wanted(changes=False))
    # Both hold parts of the modified document, and merging uses them up.
    patch = merge_objects(
        own_object(removals, "the patch"), own_object(additions, "the patch"), schema, "", True
    )
    check_preconditions(patch, preconditions)
    if not overwrite:
        meanwhile = diff_objects(before, live, schema, "", Wanted(order=False))
        place = find_conflict(patch, meanwhile, schema)
        if place is not None:
            raise PatchConflictError(
                f'"{place}" was changed otherwise in the current document; overwrite=True would win over it'
            )
    return patch
