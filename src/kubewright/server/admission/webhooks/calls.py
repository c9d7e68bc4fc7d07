"""Asking one webhook, and telling its failures from its refusals."""

from __future__ import annotations

import asyncio
import re
from typing import Any, Final

import msgspec

from kubewright.machinery.errors import ApiError, error_from_status
from kubewright.machinery.field_errors import go_quote
from kubewright.machinery.status import Status
from kubewright.server.admission.webhooks.matching import Invocation
from kubewright.server.admission.webhooks.reviews import (
    ReviewError,
    UnreadableReview,
    Verdict,
    make_review,
    read_answer,
)
from kubewright.server.admission.webhooks.versions import Versioned
from kubewright.server.admission.webhooks.webhook import Webhook
from kubewright.server.authorization import Authorizer
from kubewright.server.errors import bad_request, internal_error, timeout
from kubewright.server.registry.registry import Registry
from kubewright.server.registry.write import Write
from kubewright.server.webhook_client import WebhookClient, WebhookError
from kubewright.server.webhook_services import StoredServices

__all__ = ["CallFailed", "Caller", "check_time", "rejection", "seconds_left"]

_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f]").search
"""Finds what no header can hold; upstream leaves out warnings that have it."""

_REQUEST_SECONDS: Final = 34.0
"""How long all webhooks of a write may take together; upstream's requestTimeoutUpperBound."""

_FIRST_REFUSAL: Final = 400
"""A refusal has at least this code, whatever the webhook says."""


class CallFailed(Exception):
    """A webhook did not answer properly, which its failure policy decides about."""

    def __init__(self, webhook: Webhook, why: str) -> None:
        super().__init__(f"failed calling webhook {go_quote(webhook.name)}: {why}")

    def refusal(self) -> ApiError:
        """What the caller is told when failures are not ignored."""
        return internal_error(str(self))


class Caller:
    """Asks webhooks, through a client whose connections they share."""

    def __init__(self, registry: Registry, authorizer: Authorizer) -> None:
        self.registry: Final = registry
        self.authorizer: Final = authorizer
        self._client: Final = WebhookClient(StoredServices(registry.storage))

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def ask(self, invocation: Invocation, versioned: Versioned, *, mutating: bool) -> Verdict:
        """What a webhook says about a write; what it warns of and tells the audit log is taken down.

        Raises CallFailed when it does not answer properly, and ApiError for a dry run that it cannot take
        part in and for a write that it refuses.
        """
        webhook, write = invocation.webhook, versioned.attributes.write
        if write.dry_run and not webhook.allows_dry_run:
            raise bad_request(f"admission webhook {go_quote(webhook.name)} does not support dry run")
        if not webhook.review_version:
            why = "webhook does not accept known AdmissionReview versions (v1, v1beta1)"
            raise CallFailed(webhook, f"could not create admission objects: {why}")
        review = make_review(webhook.review_version, versioned, invocation.type)
        within = min(webhook.seconds, seconds_left(write))
        try:
            answer = await self._client.post(webhook.client_config, review.body, within=within)
            verdict = read_answer(review, answer, mutating=mutating)
        except (WebhookError, UnreadableReview) as error:
            raise CallFailed(webhook, f"failed to call webhook: {error}") from None
        except ReviewError as error:
            raise CallFailed(webhook, f"received invalid webhook response: {error}") from None
        for key, value in verdict.annotations.items():
            write.annotations[f"{webhook.name}/{key}"] = value
        write.warnings += [each for each in verdict.warnings if each and not _CONTROL(each)]
        if not verdict.allowed:
            raise rejection(webhook.name, verdict.status)
        return verdict


def seconds_left(write: Write) -> float:
    """How long webhooks may still be waited for in a write; the first one that is asked begins the time."""
    now = asyncio.get_running_loop().time()
    if not write.admission_ends:
        write.admission_ends = now + _REQUEST_SECONDS
    return write.admission_ends - now


def check_time(write: Write) -> None:
    """Raises Timeout when there is no time left to ask anybody else."""
    if seconds_left(write) <= 0:
        raise timeout("request did not complete within requested timeout")


def rejection(name: str, status: Any) -> ApiError:
    """The refusal of a webhook, with the status that it gives, if it gives one."""
    try:
        told = Status.from_dict({**(status or {}), "apiVersion": "v1", "kind": "Status"})
    except (msgspec.ValidationError, ValueError, TypeError):
        told = Status()
    if (told.code or 0) < _FIRST_REFUSAL:
        told.code = _FIRST_REFUSAL
    if told.status in {None, "", "Success"}:
        told.status = "Failure"
    denied = f"admission webhook {go_quote(name)} denied the request"
    why = told.message or told.reason
    told.message = f"{denied}: {why}" if why else f"{denied} without explanation"
    return error_from_status(told)
