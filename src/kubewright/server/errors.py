"""The refusals of the API server, as errors that carry the Status it answers with, in upstream's words.

They are the same classes that a client raises, so that what the server raises here arrives there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from kubewright.machinery.errors import ApiError, error_from_status
from kubewright.machinery.field_errors import (
    FieldError,
    TooManyErrors,
    aggregate,
    go_quote,
    limit_errors,
    listed,
)
from kubewright.machinery.gvk import GroupKind, GroupResource
from kubewright.machinery.status import Status, StatusCause, StatusDetails

__all__ = [
    "MODIFIED",
    "already_exists",
    "apply_conflict",
    "bad_request",
    "check_errors",
    "conflict",
    "expired",
    "failed",
    "forbidden",
    "generate_name_conflict",
    "internal_error",
    "invalid",
    "method_not_allowed",
    "no_patch",
    "no_such_resource",
    "not_acceptable",
    "not_found",
    "not_unsigned",
    "parse_revision",
    "refusal",
    "request_too_large",
    "service_unavailable",
    "timeout",
    "too_large_resource_version",
    "too_many_requests",
    "unauthorized",
    "unknown_media_types",
    "unsupported_media_type",
    "uri_too_long",
]

MODIFIED = "the object has been modified; please apply your changes to the latest version and try again"
"""What a conflict says when the resourceVersion is not the latest; clients look for this text."""


def refusal(code: int, reason: str, message: str, details: StatusDetails | None = None) -> ApiError:
    """The error of a Status with these parts."""
    return error_from_status(
        Status(status="Failure", message=message, reason=reason, details=details, code=code)
    )


def bad_request(message: str) -> ApiError:
    """400: the request itself is wrong."""
    return refusal(400, "BadRequest", message)


def unauthorized() -> ApiError:
    """401: nobody knows the caller."""
    return refusal(401, "Unauthorized", "Unauthorized")


def forbidden(resource: GroupResource, name: str, why: str) -> ApiError:
    """403: the caller, or the state of things, does not allow it."""
    subject = f"{resource} {go_quote(name)} is" if name else f"{resource} is"
    if not resource.resource and not resource.group:
        subject = ""
    return refusal(403, "Forbidden", f"{subject} forbidden: {why}".lstrip(), _of_resource(resource, name))


def not_found(resource: GroupResource, name: str) -> ApiError:
    """404: there is no such object."""
    return refusal(404, "NotFound", f"{resource} {go_quote(name)} not found", _of_resource(resource, name))


def no_such_resource() -> ApiError:
    """404: there is no such resource at all."""
    return refusal(404, "NotFound", "the server could not find the requested resource", StatusDetails())


def method_not_allowed() -> ApiError:
    """405: the resource does not have this verb."""
    return refusal(
        405,
        "MethodNotAllowed",
        "the server does not allow this method on the requested resource",
        StatusDetails(),
    )


def not_acceptable(accepted: Iterable[str]) -> ApiError:
    """406: none of the forms that the caller accepts can be made of this."""
    return refusal(
        406, "NotAcceptable", f"only the following media types are accepted: {', '.join(accepted)}"
    )


def unknown_media_types(accepted: Iterable[str]) -> ApiError:
    """406: the caller accepts nothing that the server ever makes."""
    text = f"none of the media types of the Accept header is known; there are {', '.join(accepted)}"
    return refusal(406, "NotAcceptable", text, StatusDetails())


def already_exists(resource: GroupResource, name: str) -> ApiError:
    """409: the name is taken."""
    return refusal(
        409, "AlreadyExists", f"{resource} {go_quote(name)} already exists", _of_resource(resource, name)
    )


def generate_name_conflict(resource: GroupResource, name: str) -> ApiError:
    """409: the server made names until it gave up, and all were taken."""
    details = _of_resource(resource, name)
    details.retry_after_seconds = 1
    return refusal(
        409,
        "AlreadyExists",
        f"{resource} {go_quote(name)} already exists, the server was not able to generate a unique name "
        "for the object",
        details,
    )


def conflict(resource: GroupResource, name: str, why: str = MODIFIED) -> ApiError:
    """409: the object is not, or not any more, what the caller takes it for."""
    return refusal(
        409,
        "Conflict",
        f"Operation cannot be fulfilled on {resource} {go_quote(name)}: {why}",
        _of_resource(resource, name),
    )


def apply_conflict(message: str, causes: Sequence[StatusCause]) -> ApiError:
    """409: other managers own fields that were applied with other values."""
    return refusal(409, "Conflict", message, StatusDetails(causes=list(causes)))


def expired(message: str) -> ApiError:
    """410: the revision is compacted."""
    return refusal(410, "Expired", message)


def request_too_large(message: str) -> ApiError:
    """413: the body is larger than the server takes."""
    return refusal(413, "RequestEntityTooLarge", f"Request entity too large: {message}")


def unsupported_media_type(accepted: Iterable[str]) -> ApiError:
    """415: the body is in a form that the server does not read."""
    return refusal(
        415,
        "UnsupportedMediaType",
        "the body of the request was in an unknown format - accepted media types include: "
        + ", ".join(accepted),
    )


def no_patch() -> ApiError:
    """415: the content type is none of a patch."""
    return refusal(415, "UnsupportedMediaType", "415: Unsupported Media Type", StatusDetails())


def invalid(
    kind: GroupKind, name: str, errors: Sequence[FieldError], *, incomplete: bool = False
) -> ApiError:
    """422: the object breaks rules; each is a cause, up to a limit, and the message says if there are more.

    `incomplete` says that validation stopped, so that it is not known how many there are.
    """
    shown = listed(errors)
    hidden = len(errors) - len(shown)
    more = f"and {hidden} further error{'s' if hidden > 1 else ''}" if hidden else ""
    if incomplete:
        more = "and further errors"
    return refusal(
        422,
        "Invalid",
        f"{kind} {go_quote(name)} is invalid: {aggregate(shown, more=more)}",
        StatusDetails(name=name, group=kind.group, kind=kind.kind, causes=[error.cause() for error in shown]),
    )


def check_errors(kind: GroupKind, name: str, find: Callable[[], Sequence[FieldError]]) -> None:
    """Raises Invalid if an object has errors. `find` looks for them; too many of them end it."""
    try:
        with limit_errors():
            errors = find()
    except TooManyErrors as many:
        raise invalid(kind, name, many.errors, incomplete=True) from None
    if errors:
        raise invalid(kind, name, errors)


def too_many_requests(message: str, *, retry_after: int, causes: Sequence[StatusCause] = ()) -> ApiError:
    """429: try again later."""
    return refusal(
        429,
        "TooManyRequests",
        message,
        StatusDetails(causes=list(causes), retry_after_seconds=retry_after or None),
    )


def internal_error(message: str) -> ApiError:
    """500: the server failed; `message` must not have anything of its inside."""
    return refusal(
        500,
        "InternalError",
        f"Internal error occurred: {message}",
        StatusDetails(causes=[StatusCause(message=message)]),
    )


def failed(message: str) -> ApiError:
    """500 without a reason: what upstream makes of errors that it has no better status for."""
    return refusal(500, "", message)


def parse_revision(text: str) -> int | None:
    """A resourceVersion as a number of 64 bits without a sign; None when it is none."""
    if not text.isdecimal() or not text.isascii() or len(text) > 20:
        return None
    number = int(text)
    return number if number < 2**64 else None


def not_unsigned(text: str) -> str:
    """What upstream says of a revision that is no number."""
    large = text.isdecimal() and text.isascii()
    return (
        f"strconv.ParseUint: parsing {go_quote(text)}: {'value out of range' if large else 'invalid syntax'}"
    )


def service_unavailable(message: str) -> ApiError:
    """503: not now."""
    return refusal(503, "ServiceUnavailable", message)


def uri_too_long(message: str) -> ApiError:
    """414: the path is longer than any path of an API."""
    return refusal(414, "RequestURITooLong", message)


def timeout(message: str, *, retry_after: int = 0) -> ApiError:
    """504: it took longer than it may."""
    return refusal(
        504, "Timeout", f"Timeout: {message}", StatusDetails(retry_after_seconds=retry_after or None)
    )


def too_large_resource_version(wanted: int, current: int) -> ApiError:
    """504: the caller asks for a revision that the store has not come to."""
    error = timeout(f"Too large resource version: {wanted}, current: {current}", retry_after=1)
    details = error.status.details
    if details is not None:
        details.causes = [StatusCause(reason="ResourceVersionTooLarge", message="Too large resource version")]
    return error


def _of_resource(resource: GroupResource, name: str) -> StatusDetails:
    return StatusDetails(name=name, group=resource.group, kind=resource.resource)
