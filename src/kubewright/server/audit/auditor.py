"""Decides for each request whether it is told of, and begins its record."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AsyncExitStack
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from kubewright.machinery.paths import RequestInfo
from kubewright.server.audit.events import Event, UserInfo, readable, timestamp, user_info
from kubewright.server.audit.log import AuditLog
from kubewright.server.audit.policy import DEFAULT_POLICY, NONE, Policy
from kubewright.server.audit.policy_file import read_policy
from kubewright.server.audit.record import Record
from kubewright.server.handlers.call import Headers
from kubewright.server.registry.write import User

__all__ = ["Auditor", "open_auditor"]

_MAX_AGENT: Final = 1024
"""The bytes of a User-Agent that are told, upstream's maxUserAgentLength."""

_CUT: Final = "...TRUNCATED"
_NOBODY: Final = UserInfo()


async def open_auditor(
    stack: AsyncExitStack, log: Path, policy: str | Path | Mapping[str, object] | None
) -> Auditor:
    """An auditor until the stack is left; without a policy, that of `DEFAULT_POLICY`.

    Raises AuditPolicyInvalid and AuditLogUnusable.
    """
    chosen = DEFAULT_POLICY if policy is None else read_policy(policy)
    return Auditor(chosen, await stack.enter_async_context(AuditLog(log)))


class Auditor:
    """Tells a log of requests, as a policy says."""

    def __init__(self, policy: Policy, log: AuditLog) -> None:
        self._policy: Final = policy
        self._log: Final = log

    @property
    def full(self) -> bool:
        """Whether a request should wait for `room` before it is served, so that nothing of it is lost."""
        return self._log.full

    async def room(self) -> None:
        """Wait until the log has room."""
        await self._log.room()

    def record(
        self,
        headers: Headers,
        info: RequestInfo,
        user: User | None,
        *,
        audit_id: str,
        uri: str,
        remote: str | None,
        received: int,
    ) -> Record | None:
        """The record of a request, for as long as it is served; None when it is not told of.

        `user` is whom it is from, and None when nobody knows; `received` is when it came, in nanoseconds. Of
        the headers, none is told that has a secret.
        """
        decided = self._policy.decide(user, info)
        if decided.level == NONE:
            return None
        moment = timestamp(received)
        event = Event(
            kind="Event",
            api_version="audit.k8s.io/v1",
            level="",
            audit_id=audit_id,
            stage="",
            request_uri=uri,
            verb=info.verb,
            user=_NOBODY if user is None else user_info(user),
            source_ips=_source_ips(headers, remote),
            user_agent=_agent(headers.get("User-Agent", "")),
            request_received_timestamp=moment,
            stage_timestamp=moment,
        )
        return Record(event, decided, info, self._log.write)


def _agent(text: str) -> str:
    if len(text) <= _MAX_AGENT and text.isascii():
        return text
    data = text.encode(errors="surrogateescape")
    if len(data) <= _MAX_AGENT:
        return readable(text)
    return data[:_MAX_AGENT].decode(errors="replace") + _CUT


def _source_ips(headers: Headers, remote: str | None) -> tuple[str, ...]:
    """Where a request comes from: what proxies say, of which all but the last may be a lie, and the peer."""
    if "X-Forwarded-For" not in headers and "X-Real-Ip" not in headers:
        return () if remote is None else (remote,)
    found = [ip for part in headers.get("X-Forwarded-For", "").split(",") if (ip := _ip(part.strip()))]
    real = _ip(headers.get("X-Real-Ip", ""))
    if real and real not in found:
        found.append(real)
    if remote is not None and found[-1:] != [remote]:
        found.append(remote)
    return tuple(found)


def _ip(text: str) -> str:
    """An address in the form in which Go writes it; empty for what is none."""
    try:
        address = ip_address(text)
    except ValueError:
        return ""
    if "%" in text:
        return ""
    mapped = getattr(address, "ipv4_mapped", None)
    return str(mapped or address)
