"""What can go wrong, as one tree.

KubewrightError
├── ParseError (a ValueError): text that is not what it should be; the message names the place
│   └── DecodeError: JSON or YAML that does not decode into the asked-for kind
│       └── NestedTooDeeply: JSON with more levels than can be decoded
├── EncodeError (a ValueError): an object that has no JSON form
├── ConfigError: no configuration is found, or it cannot be used (in `kubewright.config`)
├── RegistrationError: a kind or type registered twice with different partners
├── DeclarationError (a TypeError): a class that cannot be the kind it is declared as
├── ConversionError: an object that cannot be converted to another version (in `kubewright.crd`)
├── ProjectError: a project whose code cannot be read by a generator (in `kubewright.codegen.project`)
├── ScaffoldError: a project, or a name in it, that cannot be as asked (in `kubewright.scaffold`)
├── RenderError, NotRolledOut, RunError: what `kubewright deploy` and `run` cannot do (in `kubewright.cli`)
├── Terminal: raised by a reconciler that is not to be asked again (in `kubewright.controllers`, as these:)
├── LeadershipLost: another manager may lead by now
├── AlreadyOwned: an object that another one controls
├── TransportError (a ConnectionError): no answer came, or only a part of one
│   ├── RequestTimeout (a TimeoutError): it did not come in time
│   └── ClientClosed: the client was closed before
├── WaitTimeout (a TimeoutError): an object did not become in time what was waited for
├── NotSynced: a cache was read before it has what is there
└── ApiError: the server answered with a Status; by its reason
    ├── BadRequest              400
    ├── Unauthorized            401
    ├── Forbidden               403
    ├── NotFound                404
    ├── MethodNotAllowed        405
    ├── NotAcceptable           406
    ├── AlreadyExists           409   the name is taken
    ├── Conflict                409   the object has changed since, or another manager owns a field
    ├── Expired                 410   the revision asked for is compacted: list again
    ├── Gone                    410
    ├── RequestEntityTooLarge   413
    ├── UnsupportedMediaType    415
    ├── Invalid                 422
    ├── TooManyRequests         429
    ├── InternalError           500
    ├── ServerTimeout           500   try again after `retry_after` seconds
    ├── StoreReadError          500
    ├── ServiceUnavailable      503
    └── Timeout                 504

AlreadyExists is no Conflict and Expired is no Gone, although they share their codes: what a program does
about them differs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

if TYPE_CHECKING:
    from kubewright.machinery.status import Status

__all__ = [
    "AlreadyExists",
    "ApiError",
    "BadRequest",
    "ClientClosed",
    "Conflict",
    "DeclarationError",
    "DecodeError",
    "EncodeError",
    "Expired",
    "Forbidden",
    "Gone",
    "InternalError",
    "Invalid",
    "KubewrightError",
    "MethodNotAllowed",
    "NestedTooDeeply",
    "NotAcceptable",
    "NotFound",
    "NotSynced",
    "ParseError",
    "RegistrationError",
    "RequestEntityTooLarge",
    "RequestTimeout",
    "ServerTimeout",
    "ServiceUnavailable",
    "StoreReadError",
    "Timeout",
    "TooManyRequests",
    "TransportError",
    "Unauthorized",
    "UnsupportedMediaType",
    "WaitTimeout",
    "describe_error",
    "error_from_status",
    "quoted",
]

_MAX_QUOTED: Final = 64
"""Longer texts would drown the sentence they are quoted in."""


def describe_error(error: BaseException) -> str:
    """Return an error in words, such as `KeyError: 'name'`.

    The errors of this library are sentences; the words of others often say nothing without their types. An
    error whose own words cannot be had is its type alone.
    """
    name = type(error).__name__
    try:
        words = str(error)
    except Exception:
        return name
    if not words:
        return name
    return words if isinstance(error, KubewrightError) else f"{name}: {words}"


def quoted(text: str) -> str:
    """A text in quotes for a message, cut short when it is long."""
    return repr(text) if len(text) <= _MAX_QUOTED else repr(text[: _MAX_QUOTED - 3] + "...")


class KubewrightError(Exception):
    """The root of every error that kubewright raises on purpose."""


class ParseError(KubewrightError, ValueError):
    """Text that is not what it should be; the message quotes it and names the place."""


class DecodeError(ParseError):
    """JSON or YAML that does not decode into the asked-for kind; the message names the field."""


class NestedTooDeeply(DecodeError):
    """JSON with more levels than can be decoded."""


class EncodeError(KubewrightError, ValueError):
    """An object that has no JSON form: it refers to itself, or holds something that JSON cannot say."""


class RegistrationError(KubewrightError):
    """A kind or a type was registered twice, with different partners."""


class DeclarationError(KubewrightError, TypeError):
    """A class that cannot be the kind it is declared as; the message names class, field and remedy."""


class TransportError(KubewrightError, ConnectionError):
    """The server could not be reached, or the connection broke before the whole answer was there."""

    def __init__(self, message: str, *, was_sent: bool = True, lasting: bool = False) -> None:
        super().__init__(message)
        self.was_sent: Final = was_sent
        """Whether the server may have got the request, and so may have acted on it."""
        self.lasting: Final = lasting
        """Whether the next try cannot fare better: the client is closed, a certificate is not trusted, or the
        server redirects."""


class RequestTimeout(TransportError, TimeoutError):
    """The answer did not come in time."""


class ClientClosed(TransportError):
    """The client was closed; make another one."""

    def __init__(
        self, message: str = "the client is closed; make another one", *, was_sent: bool = False
    ) -> None:
        super().__init__(message, was_sent=was_sent, lasting=True)


class NotSynced(KubewrightError):
    """A cache was read before it has what is there, or after it was closed."""


class WaitTimeout(KubewrightError, TimeoutError):
    """An object did not become in time what was waited for; the message says what it was last."""


class ApiError(KubewrightError):
    """The server refused; `status` is its whole answer.

    Made by `error_from_status`, which picks the class by the reason; this class itself stands for reasons
    that nobody knew when kubewright was written.
    """

    reason: ClassVar[str] = ""
    code: ClassVar[int] = 0

    def __init__(self, status: Status) -> None:
        super().__init__(status)
        self.status: Final = status

    @property
    def retry_after(self) -> int | None:
        """The seconds after which the server asks to try again, if it does."""
        details = self.status.details
        return details.retry_after_seconds if details is not None else None

    def __str__(self) -> str:
        reason = self.status.reason or self.reason
        told = " ".join(str(part) for part in (self.status.code, reason) if part)
        message = self.status.message or "the server gave no message"
        return f"{message} ({told})" if told else message


class BadRequest(ApiError):
    """400: the request itself is wrong."""

    reason, code = "BadRequest", 400


class Unauthorized(ApiError):
    """401: the server does not accept the credentials."""

    reason, code = "Unauthorized", 401


class Forbidden(ApiError):
    """403: the caller may not do this."""

    reason, code = "Forbidden", 403


class NotFound(ApiError):
    """404: there is no such object, or no such resource."""

    reason, code = "NotFound", 404


class MethodNotAllowed(ApiError):
    """405: the resource does not have this verb."""

    reason, code = "MethodNotAllowed", 405


class NotAcceptable(ApiError):
    """406: the server cannot answer in the asked-for form."""

    reason, code = "NotAcceptable", 406


class AlreadyExists(ApiError):
    """409: an object of this name is there."""

    reason, code = "AlreadyExists", 409


class Conflict(ApiError):
    """409: the object has changed since it was read, or another manager owns a field that was applied."""

    reason, code = "Conflict", 409


class Expired(ApiError):
    """410: the revision or continue token is too old; list again."""

    reason, code = "Expired", 410


class Gone(ApiError):
    """410: what was asked for is not there any more."""

    reason, code = "Gone", 410


class RequestEntityTooLarge(ApiError):
    """413: the body is larger than the server takes."""

    reason, code = "RequestEntityTooLarge", 413


class UnsupportedMediaType(ApiError):
    """415: the server does not read this content type."""

    reason, code = "UnsupportedMediaType", 415


class Invalid(ApiError):
    """422: the object breaks a rule; `status.details.causes` names each field."""

    reason, code = "Invalid", 422


class TooManyRequests(ApiError):
    """429: try again later; `retry_after` says when."""

    reason, code = "TooManyRequests", 429


class InternalError(ApiError):
    """500: the server failed."""

    reason, code = "InternalError", 500


class ServerTimeout(ApiError):
    """500: the server could not do it in time; try again after `retry_after` seconds."""

    reason, code = "ServerTimeout", 500


class StoreReadError(ApiError):
    """500: the stored object cannot be read."""

    reason, code = "StorageReadError", 500


class ServiceUnavailable(ApiError):
    """503: the server, or one behind it, does not serve now."""

    reason, code = "ServiceUnavailable", 503


class Timeout(ApiError):
    """504: the request took longer than it may."""

    reason, code = "Timeout", 504


_BY_REASON: Final[dict[str, type[ApiError]]] = {error.reason: error for error in ApiError.__subclasses__()}

# A status without a reason, as proxies and old servers send it: the most general class of its code.
_BY_CODE: Final[dict[int, type[ApiError]]] = {
    **{error.code: error for error in ApiError.__subclasses__()},
    409: Conflict,
    410: Gone,
    500: InternalError,
}


def error_from_status(status: Status) -> ApiError:
    """The error that a Status stands for: by its reason, else by its code."""
    found: Any = _BY_REASON.get(status.reason) or _BY_CODE.get(status.code or 0)
    error: ApiError = (found or ApiError)(status)
    return error
