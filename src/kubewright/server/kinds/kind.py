"""What is particular to one kind: its defaults, its rules, and which fields a caller may write when.

The registry calls these functions in upstream's order; what they do not say is the same for all kinds
(metadata, uid, generation, managedFields, names, labels) and is done there. Objects are plain JSON values
as Go would write them: unknown fields, nulls and zero values that Go omits are gone, quantities are
canonical. A function may change the object it is given first, and must not change the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol, TypeAlias

import msgspec

from kubewright.machinery.field_errors import FieldError
from kubewright.machinery.names import name_is_dns_subdomain

__all__ = ["Context", "Errors", "Kind", "NameRule", "Object", "Subresource", "same_spec_generation"]

Object: TypeAlias = dict[str, Any]
"""An object, or a part of one, as JSON has it."""

Errors: TypeAlias = list[FieldError]


class Context(msgspec.Struct, frozen=True):
    """What a rule may want to know of the request."""

    now: datetime
    user: str = ""
    groups: Sequence[str] = ()
    uid: str = ""
    extra: Mapping[str, Sequence[str]] = {}
    """Who writes; CertificateSigningRequests record it."""


class NameRule(Protocol):
    """What is wrong with a name, or with what `generateName` says it shall start with."""

    def __call__(self, name: str, *, prefix: bool = False) -> Sequence[str]: ...


def _nothing(obj: Object) -> None:
    pass


def _nothing_created(obj: Object, context: Context) -> None:
    pass


def _nothing_updated(obj: Object, old: Object, context: Context) -> None:
    pass


def _no_errors(obj: Object) -> Errors:
    return []


def _no_update_errors(obj: Object, old: Object) -> Errors:
    return []


def _no_warnings(obj: Object, old: Object | None) -> list[str]:
    return []


class Subresource(msgspec.Struct, frozen=True, kw_only=True):
    """How `/status` and its like write the same stored object: other fields, other rules."""

    prepare: Callable[[Object, Object, Context], None] = _nothing_updated
    """(new, old): take back from `old` what this endpoint does not write."""
    validate: Callable[[Object, Object], Errors] = _no_update_errors
    """(new, old): all that is wrong with the update."""
    warnings: Callable[[Object, Object | None], list[str]] = _no_warnings
    resets: Sequence[str] = ()
    """The paths that `prepare` takes back, dotted, as the field manager shall know them: `spec`,
    `metadata.labels`."""
    metadata_checks: int = 1
    """As of the kind; 0 where upstream's rules of the subresource do not look at the metadata."""


class Kind(msgspec.Struct, frozen=True, kw_only=True):
    """The rules of one built-in kind."""

    default: Callable[[Object], None] = _nothing
    """Fill in the defaults of the versioned kind; runs after every decode, also of what is stored."""
    prepare_create: Callable[[Object, Context], None] = _nothing_created
    """Before validation: clear what callers may not set (status), set what the server sets."""
    prepare_update: Callable[[Object, Object, Context], None] = _nothing_updated
    """(new, old): take back what this endpoint does not write. `metadata.generation` is counted by the
    registry, see `generation`."""
    validate: Callable[[Object], Errors] = _no_errors
    """All that is wrong with a new object, but for its metadata."""
    validate_update: Callable[[Object, Object], Errors] = _no_update_errors
    """(new, old): all that is wrong with the update, but for its metadata; includes what `validate` says
    where upstream's update does."""
    warnings: Callable[[Object, Object | None], list[str]] = _no_warnings
    """(new, old or None): sentences for Warning headers."""
    name: NameRule = name_is_dns_subdomain
    """What is wrong with a name; [] for a good one."""
    generation: Callable[[Object, Object], bool] | None = None
    """(new, old): whether the update counts as a new generation; None for kinds that keep none."""
    subresources: Mapping[str, Subresource] = {}
    """How subresources that write the stored object differ; `status` of most kinds."""
    resets: Sequence[str] = ("status",)
    """The paths that `prepare_create` and `prepare_update` reset, dotted."""
    fields: Callable[[Object], Mapping[str, str]] | None = None
    """The fields that selectors may name, besides metadata.name and metadata.namespace, with their values."""
    metadata_checks: int = 1
    """How often upstream's rules of the kind look at the metadata of an update, after the check for all
    kinds: what is wrong is told as often. 0: never, also not of a new object, so that what is wrong with its
    metadata is told only when nothing else is wrong, and finalizers may have any name."""
    allow_create_on_update: bool = False
    allow_unconditional_update: bool = True
    """Whether an update without resourceVersion is taken; most kinds take it."""
    always: Mapping[str, Any] = {}
    """Go's structs that are no pointers and so are always there: `{"spec": {}, "status": {}}`. See
    `FieldManager`."""


def same_spec_generation(obj: Object, old: Object) -> bool:
    """The usual rule: a changed `spec` is a new generation."""
    return obj.get("spec") != old.get("spec")
