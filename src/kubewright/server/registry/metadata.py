"""The part of metadata that the server writes."""

from __future__ import annotations

from datetime import datetime, timedelta
from random import Random

import msgspec

from kubewright.machinery.time import format_time
from kubewright.machinery.uid import random_uid
from kubewright.server.errors import bad_request
from kubewright.server.kinds.kind import Object

__all__ = [
    "bound_managed_fields",
    "clear_system_fields",
    "dedup_owner_references",
    "fill_system_fields",
    "match_namespace",
    "seconds_after",
]

_MAX_MANAGERS = 1000
"""Far more than any object has: there is one for each program that writes it."""

_DUPLICATES = (
    ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and "
    "may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: "
)


_DUPLICATES_AFTER = _DUPLICATES.replace(";", " after mutating admission happens;", 1)


def clear_system_fields(metadata: Object) -> None:
    """Drop what a create may not say about its object."""
    for name in ("creationTimestamp", "uid", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"):
        metadata.pop(name, None)


def fill_system_fields(metadata: Object, now: datetime, random: Random) -> None:
    """Give a new object its uid and its date of birth."""
    metadata["uid"] = random_uid(random)
    metadata["creationTimestamp"] = format_time(now)


def bound_managed_fields(metadata: Object) -> None:
    """Drop managedFields that are too many to be anybody's: merging them would take minutes."""
    entries = metadata.get("managedFields")
    if isinstance(entries, list) and len(entries) > _MAX_MANAGERS:
        del metadata["managedFields"]


def match_namespace(metadata: Object, namespace: str) -> None:
    """Put an object into the namespace of the request, or into none. Raises BadRequest for another one."""
    given = metadata.get("namespace", "")
    if given == namespace:
        return
    if not namespace:
        metadata.pop("namespace", None)
    elif not given:
        metadata["namespace"] = namespace
    else:
        raise bad_request(
            "the namespace of the provided object does not match the namespace sent on the request"
        )


def dedup_owner_references(metadata: Object, warnings: list[str], *, admitted: bool = False) -> None:
    """Drop owner references that are there twice, and warn of it; `admitted`: after admission."""
    references = metadata.get("ownerReferences")
    if not references or len(references) < 2:
        return
    kept: dict[bytes, object] = {}
    duplicates = []
    for reference in references:
        # By their text, so that many of them are no work for hours.
        text = msgspec.json.encode(reference, order="sorted")
        if text in kept:
            duplicates.append(reference.get("uid", ""))
        else:
            kept[text] = reference
    if duplicates:
        metadata["ownerReferences"] = list(kept.values())
        warning = _DUPLICATES_AFTER if admitted else _DUPLICATES
        warnings.append(warning + ", ".join(duplicates))


def seconds_after(moment: datetime, seconds: int) -> str:
    """A time so many seconds later, as the API writes it; far-off ones end at the year 9999."""
    try:
        return format_time(moment + timedelta(seconds=seconds))
    except OverflowError:
        return "9999-12-31T23:59:59Z"
