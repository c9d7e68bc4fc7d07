"""Answers to AdmissionReviews: `AdmissionHandler` gives them to a defaulting or validating function."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from msgspec import Raw

from kubewright.machinery import codec
from kubewright.machinery.errors import DecodeError, KubewrightError
from kubewright.machinery.patch import PatchError
from kubewright.machinery.resource import Resource
from kubewright.webhooks.admission_wire import (
    AdmissionRequest,
    AdmissionResponse,
    answer,
    read_request,
    refusal,
)
from kubewright.webhooks.declaration import WebhookDeclaration
from kubewright.webhooks.http import HandlerFailed
from kubewright.webhooks.patches import patch_of
from kubewright.webhooks.review import Denied, Review, UserInfo
from kubewright.webhooks.whole_objects import read_all

if TYPE_CHECKING:
    from kubewright.controllers.cached_client import CachedClient

__all__ = ["AdmissionHandler"]

K = TypeVar("K", bound=Resource)

_PATIENCE: Final = 10.0
"""Seconds that a caller waits who does not say: the API's default of timeoutSeconds."""

_ON_THE_WAY: Final = 0.5
"""Seconds, or a tenth of the time if that is less, that are kept for the answer to reach the caller."""

_NOBODY: Final = UserInfo()

_log: Final = logging.getLogger("kubewright.webhooks")


class AdmissionHandler(Generic[K]):
    """Answers reviews with one function.

    A request is denied when the function raises Denied, and when its object does not decode into the kind.
    When the function fails otherwise, or is not done when the caller's time is nearly over, it is the
    declared failure policy that decides: with "Fail" the answer is a refusal with code 500 or 504, as
    controller-runtime's, and with "Ignore" an HTTP error, which API servers pass over. What a function raised
    is logged, and not told to callers.
    """

    def __init__(
        self,
        declared: WebhookDeclaration,
        function: Callable[[Review[K]], Coroutine[Any, Any, None]],
        *,
        client: Callable[[], CachedClient | None] = lambda: None,
    ) -> None:
        """`client` gives what functions read other objects with; None where there is nothing."""
        self.declared: Final = declared
        self._function: Final = function
        self._client: Final = client
        self._kind: Final[type[K]] = declared.kind  # type: ignore[assignment]
        self._running: Final[set[asyncio.Task[None]]] = set()

    async def __call__(self, body: bytes, within: float | None = None) -> bytes:
        """Answer a review within so many seconds. Raises DecodeError for a body that is none."""
        api_version, request = read_request(body)
        review: Review[K] | None = None
        try:
            base, review = self._review(request)
            before = codec.encode(review.object) if self.declared.mutating else b""
            await self._run(review, _PATIENCE if within is None else within)
            response = AdmissionResponse(request.uid, allowed=True)
            if self.declared.mutating:
                self._add_patch(response, base, before, review)
        except Denied as denied:
            response = AdmissionResponse(request.uid, allowed=False, status=refusal(denied, request))
        if review is not None:
            response.warnings = review.warnings or None
            response.audit_annotations = review.annotations or None
        return answer(api_version, response)

    def close(self) -> None:
        """Cancel functions that did not end when they were told to."""
        for task in self._running:
            task.cancel()

    def _review(self, request: AdmissionRequest) -> tuple[Raw, Review[K]]:
        """What the function gets, and the bytes of its object. Raises Denied."""
        kind, given = self._kind.gvk, request.kind
        if (given.group, given.version, given.kind) != (kind.group, kind.version, kind.kind):
            raise Denied(
                f"the webhook {self.declared.name} takes {kind.api_version} {kind.kind}, but was asked about "
                f"{given}; its configuration has the wrong rules",
                reason="BadRequest",
            )
        deleted = request.operation == "DELETE"
        base = request.old_object if deleted else request.object
        if not request.has(base):
            missing = "oldObject" if deleted else "object"
            raise Denied(f"AdmissionReview: request.{missing} is missing", reason="BadRequest")
        return base, Review(
            self._decoded(base),
            old=self._old(request.old_object) if request.has(request.old_object) else None,
            operation=request.operation,
            user=request.user_info or _NOBODY,
            dry_run=bool(request.dry_run),
            namespace=request.namespace or "",
            name=request.name or "",
            subresource=request.sub_resource or "",
            options=request.options if request.has(request.options) else None,
            uid=request.uid,
            client=self._client(),
        )

    def _old(self, raw: Raw) -> K:
        """The stored object, which the type may have outgrown: no field is decoded before it is read."""
        try:
            return self._kind.from_json(bytes(raw))
        except DecodeError as error:
            raise Denied(f"oldObject: {error}", reason="BadRequest") from None

    def _decoded(self, raw: Raw) -> K:
        """The object, all of it decoded, so that a function never meets what is not of its type."""
        try:
            obj = self._kind.from_json(bytes(raw))
            read_all(obj)
        except DecodeError as error:
            raise Denied(str(error), reason="BadRequest") from None
        except RecursionError:
            raise Denied("the object is nested too deeply", reason="BadRequest") from None
        return obj

    async def _run(self, review: Review[K], within: float) -> None:
        """Call the function. Raises Denied, and HandlerFailed when failures are to be ignored."""
        task = asyncio.get_running_loop().create_task(self._function(review))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        try:
            # Not asyncio.timeout, which would wait for a function that does not end when it is cancelled.
            await asyncio.wait((task,), timeout=within - min(_ON_THE_WAY, within / 10))
        finally:
            if not task.done():
                task.cancel()
                task.add_done_callback(_ignored)
        if not task.done():
            _log.error("the webhook %s took longer than %g s: %r", self.declared.name, within, review)
            raise self._failure("was not done in time", "Timeout")
        if task.cancelled():
            raise self._failure("was cancelled", "InternalError")
        error = task.exception()
        if error is None:
            return
        if isinstance(error, Denied):
            raise error
        _log.error("the webhook %s failed: %r, %s", self.declared.name, review, review.uid, exc_info=error)
        raise self._failure(f"failed ({type(error).__name__}), and its log says why", "InternalError")

    def _add_patch(self, response: AdmissionResponse, raw: Raw, before: bytes, review: Review[K]) -> None:
        """Add what the function changed. Raises Denied for what it left, if that cannot be sent."""
        try:
            after = codec.encode(review.object)
            if after == before:
                return
            operations = patch_of(raw, before, after)
        except (KubewrightError, PatchError) as error:
            _log.error("the webhook %s failed: %r: %s", self.declared.name, review, error)
            raise self._failure(
                "left an object that cannot be sent, and its log says why", "InternalError"
            ) from None
        if operations and review.operation == "DELETE":
            _log.error("the webhook %s changed an object that is deleted: %r", self.declared.name, review)
            raise self._failure("changed an object that is deleted", "InternalError")
        if operations:
            response.patch, response.patch_type = codec.encode(operations), "JSONPatch"

    def _failure(self, what: str, reason: str) -> Exception:
        told = f"the webhook {self.declared.name} {what}"
        code = 504 if reason == "Timeout" else 500
        if self.declared.failure_policy == "Ignore":
            return HandlerFailed(code, told)
        return Denied(told, reason=reason, code=code)


def _ignored(task: asyncio.Task[None]) -> None:
    """Look at what a cancelled function raised, so that asyncio does not complain that nobody did."""
    if not task.cancelled():
        task.exception()
