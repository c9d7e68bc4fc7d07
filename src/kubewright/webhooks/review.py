"""`Review`: what an admission webhook is asked, and `Denied`: how it says no."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

import msgspec

from kubewright.machinery import codec
from kubewright.machinery.errors import ApiError, DecodeError, KubewrightError, quoted
from kubewright.machinery.field_errors import FieldError
from kubewright.machinery.names import is_qualified_name
from kubewright.machinery.resource import Resource
from kubewright.machinery.status import StatusCause

if TYPE_CHECKING:
    from kubewright.client.client import Client
    from kubewright.controllers.cached_client import CachedClient

__all__ = ["Denied", "Review", "UserInfo"]

K = TypeVar("K", bound=Resource)

_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f]+")
"""What no HTTP header holds; API servers drop warnings that have some."""

_FORBIDDEN: Final = 403
"""The code of a refusal whose reason has none: controller-runtime's."""

_SOME_WEBHOOK: Final = "webhook.example.com"
"""Stands for the webhook's name, which API servers put before a key, with a slash."""


class UserInfo(msgspec.Struct, frozen=True):
    """Who made the request, as the API server knows them."""

    username: str = ""
    uid: str = ""
    groups: tuple[str, ...] = ()
    extra: Mapping[str, tuple[str, ...]] = {}


class Denied(KubewrightError):
    """Raised by a webhook to refuse a request; the client is told the message.

    `causes` name the fields that are wrong: `kubewright.machinery.field_errors` makes them, as
    `invalid("spec.replicas", 3, "must be even")`. With causes the refusal is an Invalid with code 422, and
    without a message its text is that of the causes, as the API server's own validation puts it; else it is
    Forbidden with code 403. `reason` and `code` say otherwise. Raises ValueError for a code of no refusal.
    """

    def __init__(
        self,
        message: str = "",
        *,
        causes: Sequence[FieldError | StatusCause] = (),
        reason: str = "",
        code: int | None = None,
    ) -> None:
        super().__init__(message)
        if code is not None and not 400 <= code <= 599:
            raise ValueError(f"code={code} refuses nothing; give one from 400 to 599")
        self.message: Final = message
        self.causes: Final = tuple(each.cause() if isinstance(each, FieldError) else each for each in causes)
        self.reason: Final = reason or ("Invalid" if self.causes else "Forbidden")
        self.code: Final = code or _CODES.get(self.reason, _FORBIDDEN)

    def __str__(self) -> str:
        causes = ", ".join(
            f"{each.field}: {each.message}" if each.field else each.message for each in self.causes
        )
        return self.message or causes or "the request was denied"


_CODES: Final = {error.reason: error.code for error in ApiError.__subclasses__()}
"""The codes of the reasons that the API has."""


class Review(Generic[K]):
    """A request to the API server that a webhook looks at before it takes effect.

    Functions get one from the server. Tests make theirs, `Review(App(...), operation="CREATE")`, call the
    function with it, and look at `object`, `warnings` and `annotations`. A function that looks at other
    objects does so with `client`, which a test gives as `client=`.
    """

    __slots__ = (
        "_client",
        "_options",
        "annotations",
        "dry_run",
        "name",
        "namespace",
        "object",
        "old",
        "operation",
        "subresource",
        "uid",
        "user",
        "warnings",
    )

    def __init__(
        self,
        object: K,  # noqa: A002 - what the API calls it
        *,
        old: K | None = None,
        operation: str = "CREATE",
        user: UserInfo | None = None,
        dry_run: bool = False,
        namespace: str | None = None,
        name: str | None = None,
        subresource: str = "",
        options: Mapping[str, Any] | msgspec.Raw | None = None,
        uid: str = "",
        client: Client | None = None,
    ) -> None:
        self.object: K = object
        """The object as it would become. A defaulting function changes it in place, or puts another here.
        Of a deletion, which makes nothing, it is the object as it is."""
        self.old: Final = old
        """The object as it is: of an update and a deletion, else None."""
        self.operation: Final = operation
        """CREATE, UPDATE, DELETE or CONNECT."""
        self.user: Final = user or UserInfo()
        self.dry_run: Final = dry_run
        """Whether nothing will be stored, so that the function must have no effects either."""
        self.namespace: Final = object.metadata.namespace if namespace is None else namespace
        """Of the request: empty for kinds without namespaces."""
        self.name: Final = object.metadata.name if name is None else name
        """Of the request: empty where the server has yet to generate it."""
        self.subresource: Final = subresource
        """Such as `status`; empty for the object itself."""
        self.uid: Final = uid
        """Of the review, for logs."""
        self.warnings: Final[list[str]] = []
        self.annotations: Final[dict[str, str]] = {}
        self._options = options
        self._client = client

    @property
    def client(self) -> CachedClient:
        """For looking at other objects: it reads from the caches of the manager that serves the webhook.

        That is as `ctx.client` of a reconcile: a cache is filled when a kind is first read, may be some
        milliseconds behind, and `client.uncached` asks the server. Where no manager serves the webhook it is
        the client of `WebhookServer(client=...)`, and of tests that of `Review(..., client=...)`; each of its
        reads asks the server. Raises RuntimeError when there is none.
        """
        from kubewright.controllers.cached_client import CachedClient, uncached_client  # noqa: PLC0415 - for some only

        if self._client is None:
            raise RuntimeError(
                "this webhook has no client; have a Manager serve it, or give WebhookServer(client=...) one, "
                "and in a test Review(..., client=...)"
            )
        if not isinstance(self._client, CachedClient):
            self._client = uncached_client(self._client)
        return self._client

    @property
    def options(self) -> Mapping[str, Any]:
        """The options of the request as the API writes them, such as `{"fieldManager": "kubectl"}`."""
        if self._options is None:
            return {}
        if isinstance(self._options, msgspec.Raw):
            read = codec.decode_plain(self._options, what="the options of the request")
            if not isinstance(read, dict):
                raise DecodeError("the options of the request are no object")
            self._options = read
        return self._options

    def warn(self, text: str) -> None:
        """Tell the client something, whether the request is allowed or not; kubectl prints it.

        API servers cut what is long: 256 characters always come through.
        """
        shown = _CONTROL.sub(" ", text).strip()
        if shown:
            self.warnings.append(shown)

    def annotate(self, key: str, value: str) -> None:
        """Put something into the audit log; the API server puts the webhook's name before the key.

        Raises ValueError for a key that API servers would drop.
        """
        wrong = is_qualified_name(f"{_SOME_WEBHOOK}/{key}")
        if wrong:
            raise ValueError(f"the audit annotation {quoted(key)} is dropped by servers: {'; '.join(wrong)}")
        self.annotations[key] = value

    def __repr__(self) -> str:
        where = f"{self.namespace}/{self.name}" if self.namespace else self.name
        return f"<Review {self.operation} {type(self.object).__name__} {where}>"
