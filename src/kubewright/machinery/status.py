"""`Status`: how the API says that something went well or wrong."""

from __future__ import annotations

from kubewright.machinery.field import EMPTY
from kubewright.machinery.meta import ListMeta
from kubewright.machinery.struct import Struct
from kubewright.machinery.type_meta import TypeMeta

__all__ = ["Status", "StatusCause", "StatusDetails"]


class StatusCause(Struct):
    """One thing that is wrong, and in which field."""

    reason: str = ""
    """Such as `FieldValueRequired` or `FieldManagerConflict`."""
    message: str = ""
    field: str = ""
    """The path of the field, such as `spec.containers[0].image`."""


class StatusDetails(Struct):
    """What a Status is about."""

    name: str = ""
    group: str = ""
    kind: str = ""
    """The kind or, for most errors, the resource."""
    uid: str = ""
    causes: list[StatusCause] = []
    retry_after_seconds: int | None = None


class Status(TypeMeta, api_version="v1", kind="Status"):
    """The answer of the API when there is no object to return, or when it refuses."""

    metadata: ListMeta = EMPTY
    status: str = ""
    """`Success` or `Failure`."""
    message: str = ""
    reason: str = ""
    """One word for programs; the errors are named after it."""
    details: StatusDetails | None = None
    code: int | None = None
    """The HTTP status code."""
