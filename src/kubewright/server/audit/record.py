"""What the audit log learns of one request on its way through the server."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from kubewright.machinery.paths import RequestInfo
from kubewright.machinery.status import Status
from kubewright.server.audit.bodies import as_json, without_managed_fields
from kubewright.server.audit.events import (
    AuthenticationMetadata,
    Event,
    ObjectReference,
    encode_event,
    timestamp,
    user_info,
)
from kubewright.server.audit.policy import LEVELS, REQUEST, REQUEST_RESPONSE, Decided
from kubewright.server.handlers.call import Answer, PiecedAnswer
from kubewright.server.handlers.negotiation import JSON, PROTOBUF, YAML
from kubewright.server.handlers.respond import plain_status
from kubewright.server.kinds.kind import Object
from kubewright.server.registry.write import User

__all__ = ["Record"]

_DECISION: Final = "authorization.k8s.io/decision"
_REASON: Final = "authorization.k8s.io/reason"

_OF_REQUESTS: Final = "patch.webhook.admission.k8s.io/"
"""How annotations begin that show what is in a body: they come with the level Request."""

_LONG_VERBS: Final = frozenset({"watch", "proxy"})
_LONG_SUBRESOURCES: Final = frozenset({"attach", "exec", "proxy", "log", "portforward"})
"""What upstream expects to go on: there is an event when the answer begins."""

_TOLD: Final = ("metadata", "status", "message", "reason", "details")
"""What is told of a Status, besides its code."""

_FAILURES: Final = 400
"""Where the codes of HTTP begin that tell of failures."""

_OBJECTS: Final = (JSON, YAML, PROTOBUF)
"""The content types in which there are objects."""

_encode: Final = msgspec.json.Encoder().encode

Write = Callable[[bytes], None]


class Record:
    """One request that is told of, and the events that have come of it.

    Whatever is learned is in the events that follow. After the last one, nothing happens any more.
    """

    __slots__ = ("_annotations", "_decided", "_done", "_event", "_long", "_of_api", "_status", "_write")

    def __init__(self, event: Event, decided: Decided, info: RequestInfo, write: Write) -> None:
        self._event: Final = event
        self._decided: Final = decided
        self._write: Final = write
        self._annotations: Mapping[str, str] = {}
        self._status: Object | None = None
        self._done = False
        self._of_api: Final = info.path.startswith("/api")
        self._long: Final = info.is_resource_request and (
            info.verb in _LONG_VERBS or info.subresource in _LONG_SUBRESOURCES
        )
        event.level = LEVELS[decided.level]
        if info.is_resource_request:
            event.object_ref = ObjectReference(
                resource=info.resource,
                namespace=info.namespace,
                name=info.name,
                api_group=info.api_group,
                api_version=info.api_version,
                subresource=info.subresource,
            )

    def received(self) -> None:
        """The request has come, and it is known whose it is."""
        self._tell("RequestReceived", self._event.request_received_timestamp)

    def impersonates(self, user: User, constraint: str) -> None:
        """It is served in the name of somebody else."""
        self._event.impersonated_user = user_info(user)
        if constraint:
            self._event.authentication_metadata = AuthenticationMetadata(constraint)

    def decided(self, *, allowed: bool, reason: str) -> None:
        """Whether the caller may."""
        self._event.annotations = {_DECISION: "allow" if allowed else "forbid", _REASON: reason}

    def annotated(self, annotations: Mapping[str, str]) -> None:
        """Where others write what is to be told besides, until the end of the request."""
        self._annotations = annotations

    def request_object(self, obj: Object) -> None:
        """What was read of the body."""
        metadata = obj.get("metadata")
        reference = self._event.object_ref
        if isinstance(metadata, dict) and reference is not None:
            reference.namespace = reference.namespace or metadata.get("namespace") or ""
            reference.name = reference.name or metadata.get("name") or ""
            reference.uid = reference.uid or metadata.get("uid") or ""
            reference.resource_version = reference.resource_version or metadata.get("resourceVersion") or ""
        if self._decided.level < REQUEST:
            return
        if self._decided.omit_managed_fields:
            obj = without_managed_fields(obj)
        kind = {name: obj[name] for name in ("kind", "apiVersion") if name in obj}
        self._event.request_object = msgspec.Raw(_encode(kind | obj))

    def request_patch(self, body: bytes, content_type: str) -> None:
        """The body of a patch, which is told as it came; what is no JSON is made JSON, or else a text."""
        if self._decided.level >= REQUEST:
            self._event.request_object = msgspec.Raw(as_json(body, content_type))

    def unauthenticated(self, answer: Answer) -> None:
        """Nobody knows whose it is: this is the only event, and told as the beginning of the answer."""
        self._answer(answer.status, answer.said, None if answer.said is None else answer)
        self._tell("ResponseStarted")
        self._done = True

    def started(self, code: int) -> None:
        """An answer that goes on has begun."""
        self._answer(code, None, None)
        if self._long:
            self._tell("ResponseStarted")

    def answered(self, answer: Answer | PiecedAnswer) -> None:
        """There is the whole answer."""
        self._answer(answer.status, answer.said, answer if self._shows(answer) else None)
        if self._long:
            self._tell("ResponseStarted")
        self.ended()

    def ended(self) -> None:
        """The answer is complete."""
        if self._status is None:
            # As upstream tells of callers who were gone before there was an answer.
            self._status = {"metadata": {}, "status": "Success", "message": "Connection closed early"}
            self._status["code"] = 200
            if self._long:
                self._tell("ResponseStarted")
        self._tell("ResponseComplete")
        self._done = True

    def panicked(self, error: Exception) -> None:
        """The server has failed; only its own log says all of how."""
        self._status = {
            "metadata": {},
            "status": "Failure",
            "message": f"APIServer panic'd: {type(error).__name__}",
            "reason": "InternalError",
            "code": 500,
        }
        self._tell("Panic")
        self._done = True

    def _shows(self, answer: Answer | PiecedAnswer) -> bool:
        """Whether an answer is an object, as a Status and what the APIs answer with are."""
        if answer.said is not None:
            return True
        return self._of_api and answer.status < _FAILURES and answer.content_type.startswith(_OBJECTS)

    def _answer(self, code: int, said: Status | None, answer: Answer | PiecedAnswer | None) -> None:
        self._status = _status(code, said)
        if answer is not None and self._decided.level >= REQUEST_RESPONSE:
            shown = as_json(answer.body, answer.content_type)
            if self._decided.omit_managed_fields and b'"managedFields"' in shown:
                shown = _encode(without_managed_fields(msgspec.json.decode(shown)))
            self._event.response_object = msgspec.Raw(shown)

    def _tell(self, stage: str, moment: str = "") -> None:
        if self._done or stage in self._decided.omit_stages:
            return
        event = self._event
        event.stage = stage
        event.stage_timestamp = moment or timestamp(time.time_ns())
        event.response_status = self._status
        if self._annotations:
            event.annotations = self._all_annotations()
        self._write(encode_event(event))

    def _all_annotations(self) -> dict[str, str]:
        """What stands first, stays, as upstream has it: nobody takes the word of the authorizer's place."""
        bodies = self._decided.level >= REQUEST
        others = {
            name: value
            for name, value in self._annotations.items()
            if bodies or not name.startswith(_OF_REQUESTS)
        }
        return {**others, **(self._event.annotations or {})}


def _status(code: int, said: Status | None) -> Object:
    """The answer's status: of a Status what it says, of others the code."""
    if said is None:
        return {"metadata": {}, "code": code}
    plain = plain_status(said)
    return {**{name: plain[name] for name in _TOLD if name in plain}, "code": code}
