"""Webhooks that may change objects: asked one after the other, each about what the others have made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from kubewright.machinery.errors import ApiError, ParseError
from kubewright.machinery.field_errors import go_quote
from kubewright.machinery.patch import PatchError, apply_json_patch
from kubewright.server.admission.attributes import Attributes, Reinvocation
from kubewright.server.admission.webhooks.calls import Caller, CallFailed, check_time
from kubewright.server.admission.webhooks.matching import Invocation, find_invocation
from kubewright.server.admission.webhooks.reviews import JSON_NAMES, Verdict
from kubewright.server.admission.webhooks.versions import Versioned
from kubewright.server.admission.webhooks.webhook import Webhook
from kubewright.server.errors import internal_error
from kubewright.server.kinds.kind import Object
from kubewright.server.wire import read_value

__all__ = ["dispatch"]

_PLUGIN: Final = "MutatingAdmissionWebhook"
_MUTATION: Final = "mutation.webhook.admission.k8s.io/"
_PATCH: Final = "patch.webhook.admission.k8s.io/"
_FAILED_OPEN: Final = f"failed-open.{_MUTATION}"
"""How the names of the audit annotations begin, as upstream's."""


class _Again(msgspec.Struct):
    """What decides which webhooks are asked a second time."""

    output: Object | None = None
    """What the webhooks have made of the object the first time."""
    asked: set[str] = set()
    """Those that want to be asked again if something changes after them."""
    due: set[str] = set()
    """Those that something has changed after."""

    def changed(self) -> None:
        self.due |= self.asked
        self.asked.clear()


async def dispatch(caller: Caller, webhooks: Sequence[Webhook], attributes: Attributes) -> None:
    """Ask the webhooks that a write is for, and give the write the object that they make of it.

    Raises ApiError: what a webhook refuses with, and InternalError when one fails that may not.
    """
    again: _Again = attributes.reinvoked().values.setdefault(_PLUGIN, _Again())
    reinvocation = attributes.reinvoked()
    if reinvocation.running and again.output != attributes.obj:
        # Another plugin has changed the object since.
        again.changed()
    versioned = Versioned(attributes)
    try:
        for position, webhook in enumerate(webhooks):
            invocation = await find_invocation(webhook, versioned, caller.registry, caller.authorizer)
            if invocation is None or (reinvocation.running and webhook.uid not in again.due):
                continue
            await versioned.to(invocation.type)
            round_ = _Round(attributes, reinvocation, position, webhook)
            if await _ask(caller, invocation, versioned, round_):
                again.changed()
                reinvocation.wanted = True
            if webhook.is_reinvoked:
                again.asked.add(webhook.uid)
        await versioned.finish()
    finally:
        again.output = attributes.obj


class _Round:
    """What the audit log is told of one webhook."""

    def __init__(
        self, attributes: Attributes, reinvocation: Reinvocation, position: int, webhook: Webhook
    ) -> None:
        self._annotations: Final = attributes.write.annotations
        self._place: Final = f"round_{int(reinvocation.running)}_index_{position}"
        self._webhook: Final = webhook

    def mutated(self, *, changed: bool) -> None:
        self._annotations[_MUTATION + self._place] = self._told(mutated=changed)

    def patched(self, patch: object) -> None:
        self._annotations[_PATCH + self._place] = self._told(patch=patch, patchType="JSONPatch")

    def failed_open(self) -> None:
        self._annotations[_FAILED_OPEN + self._place] = self._webhook.name

    def _told(self, **fields: object) -> str:
        told = {"configuration": self._webhook.configuration, "webhook": self._webhook.name, **fields}
        return msgspec.json.encode(told).decode()


async def _ask(caller: Caller, invocation: Invocation, versioned: Versioned, round_: _Round) -> bool:
    """Ask one webhook; whether it has changed the object. Raises ApiError."""
    changed = False
    try:
        verdict = await caller.ask(invocation, versioned, mutating=True)
        changed = _patched(invocation.webhook, verdict, versioned, round_)
    except CallFailed as failure:
        if not invocation.webhook.ignores_failures:
            raise failure.refusal() from None
        round_.failed_open()
        check_time(versioned.attributes.write)
    finally:
        round_.mutated(changed=changed)
    return changed


def _patched(webhook: Webhook, verdict: Verdict, versioned: Versioned, round_: _Round) -> bool:
    """Apply a webhook's patch; whether it has changed the object. Raises CallFailed and ApiError."""
    if not verdict.patch:
        return False
    operations = _operations(webhook, verdict.patch)
    if not operations:
        return False
    before = versioned.obj
    if before is None:
        subject = f"admission webhook {go_quote(webhook.name)} attempted to modify the object"
        raise internal_error(f"{subject}, which is not supported for this operation")
    if verdict.patch_type != "JSONPatch":
        raise CallFailed(webhook, f"unsupported patch type {go_quote(verdict.patch_type)}")
    try:
        made = versioned.read(apply_json_patch(before, operations))
    except (PatchError, ParseError) as error:
        raise internal_error(str(error)) from None
    except ApiError as error:
        raise internal_error(error.status.message or "") from None
    round_.patched(operations)
    versioned.change(made)
    return made != before


def _operations(webhook: Webhook, patch: bytes) -> list[Any]:
    """The operations of a patch; null is none. Raises CallFailed with Go's words."""
    try:
        operations, _ = read_value(patch, strict=False)
    except ParseError as error:
        raise _undecodable(webhook, str(error)) from None
    if operations is None:
        return []
    if not isinstance(operations, list):
        raise _undecodable(webhook, _wrong_type(operations, "jsonpatch.Patch"))
    for operation in operations:
        if operation is not None and not isinstance(operation, dict):
            raise _undecodable(webhook, _wrong_type(operation, "jsonpatch.Operation"))
    return operations


def _undecodable(webhook: Webhook, why: str) -> CallFailed:
    return CallFailed(webhook, f"received undecodable patch in webhook response: {why}")


def _wrong_type(value: object, wanted: str) -> str:
    return f"json: cannot unmarshal {JSON_NAMES[type(value)]} into Go value of type {wanted}"
