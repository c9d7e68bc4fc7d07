"""The events of the audit log, `Event` of `audit.k8s.io/v1`, and their lines."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Final

import msgspec

from kubewright.server.registry.write import User

__all__ = [
    "AuthenticationMetadata",
    "Event",
    "ObjectReference",
    "UserInfo",
    "encode_event",
    "readable",
    "timestamp",
    "user_info",
]


class UserInfo(msgspec.Struct, omit_defaults=True, gc=False):
    """Who somebody is."""

    username: str = ""
    uid: str = ""
    groups: tuple[str, ...] = ()
    extra: dict[str, list[str]] | None = None


class ObjectReference(msgspec.Struct, omit_defaults=True, gc=False, rename="camel"):
    """What a request is for, as far as it says so."""

    resource: str = ""
    namespace: str = ""
    name: str = ""
    uid: str = ""
    api_group: str = ""
    api_version: str = ""
    resource_version: str = ""
    subresource: str = ""


class AuthenticationMetadata(msgspec.Struct, gc=False, rename="camel"):
    """How it was found out who may act for whom."""

    impersonation_constraint: str


class Event(msgspec.Struct, omit_defaults=True, gc=False, rename="camel", kw_only=True):
    """What one line tells, in the order of upstream's type. What has no default is always told."""

    kind: str
    api_version: str
    level: str
    audit_id: str = msgspec.field(name="auditID")
    stage: str
    request_uri: str = msgspec.field(name="requestURI")
    verb: str
    user: UserInfo
    impersonated_user: UserInfo | None = None
    authentication_metadata: AuthenticationMetadata | None = None
    source_ips: tuple[str, ...] = msgspec.field(name="sourceIPs", default=())
    user_agent: str = ""
    object_ref: ObjectReference | None = None
    response_status: dict[str, Any] | None = None
    request_object: msgspec.Raw | None = None
    response_object: msgspec.Raw | None = None
    request_received_timestamp: str
    stage_timestamp: str
    annotations: dict[str, str] | None = None


_encode: Final = msgspec.json.Encoder().encode


def encode_event(event: Event) -> bytes:
    """The line of an event, with its end."""
    try:
        return _encode(event) + b"\n"
    except UnicodeEncodeError:
        # Bytes of a header that are no UTF-8; nothing that anybody sends may keep a request out of the log.
        return _encode(_readable_all(msgspec.to_builtins(event, builtin_types=(msgspec.Raw,)))) + b"\n"


def user_info(user: User) -> UserInfo:
    """A user as events tell of them."""
    return UserInfo(user.name, user.uid, user.groups, user.extra or None)


def timestamp(moment: int) -> str:
    """A moment, in nanoseconds since 1970, as Go's MicroTime is written."""
    seconds, rest = divmod(moment, 1_000_000_000)
    return f"{_second(seconds)}.{rest // 1000:06d}Z"


@lru_cache(4)
def _second(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def readable(text: str) -> str:
    """A text of a header in which bytes that are no UTF-8 are replaced, as Go replaces them."""
    if text.isascii():
        return text
    return text.encode(errors="surrogateescape").decode(errors="replace")


def _readable_all(value: Any) -> Any:
    if isinstance(value, str):
        return readable(value)
    if isinstance(value, dict):
        return {readable(name): _readable_all(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [_readable_all(each) for each in value]
    return value
