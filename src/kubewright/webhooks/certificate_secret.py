"""Certificates that a webhook server makes and renews by itself, kept in a Secret that its replicas share."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from msgspec import structs

from kubewright.controllers.rbac import MARKS, Permission
from kubewright.machinery.errors import (
    AlreadyExists,
    ApiError,
    Conflict,
    NotFound,
    ParseError,
    TransportError,
)
from kubewright.machinery.meta import ObjectMeta
from kubewright.machinery.time import MicroTime, format_micro_time
from kubewright.webhooks.authorities import Authority, end_of
from kubewright.webhooks.certificates import CertificateError, ServingCertificate
from kubewright.webhooks.injection import Injection, inject
from kubewright.webhooks.rotation import CertificateState, Lifetimes, next_state

if TYPE_CHECKING:
    from kubewright.client.client import Client
    from kubewright.models.core_v1 import Secret

__all__ = ["CertificateSecret", "SecretCertificates", "read_state", "write_state"]

_EVERY: Final = 60.0
"""Seconds between looks at the Secret: one request a minute."""
_ATTEMPTS: Final = 10
"""How often a step is tried that other replicas were quicker with; each try finds what they did."""
_REQUIRED: Final = ("tls.crt", "tls.key", "ca-current.crt", "ca.key")

_log: Final = logging.getLogger("kubewright.webhooks")


def _utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, kw_only=True)
class CertificateSecret:
    """Where a webhook server keeps its certificates, and what it does with them.

    The replicas of an operator share the Secret; it is created when it is not there, and an empty one is
    filled. Every `check_every` seconds a replica looks whether something is due or was done by another one,
    and whether `inject`'s objects have the present CA bundle. The operator may get, create and update the
    Secret, as `permissions` says. Raises ValueError for a `lifetimes.overlap` in which a replica might not
    look twice.
    """

    name: str
    namespace: str
    inject: Injection = field(default_factory=Injection)
    lifetimes: Lifetimes = field(default_factory=Lifetimes)
    check_every: float = _EVERY
    now: Callable[[], datetime] = _utc_now

    def __post_init__(self) -> None:
        if timedelta(seconds=2 * self.check_every) > self.lifetimes.overlap:
            raise ValueError(
                f"check_every={self.check_every:g} is too seldom for lifetimes.overlap="
                f"{self.lifetimes.overlap}; give at most half of it"
            )
        # So `kubewright manifests` finds the rights where it finds others; the object is frozen for all else.
        vars(self)[MARKS] = tuple(self.permissions())

    def permissions(self) -> list[Permission]:
        """The rights that an operator with such certificates needs, besides its own."""
        secret = Permission(
            groups=("",),
            resources=("secrets",),
            names=(self.name,),
            namespace=self.namespace,
            verbs=("get", "update"),
        )
        # A request to create an object does not name it.
        create = structs.replace(secret, names=(), verbs=("create",))
        return [secret, create, *self.inject.permissions()]


class SecretCertificates:
    """The certificates of one replica, in step with those of the others."""

    def __init__(self, client: Client, options: CertificateSecret, names: Sequence[str]) -> None:
        from kubewright.models.core_v1 import Secret  # noqa: PLC0415 - large, and for some servers only

        self._client: Final = client
        self._options: Final = options
        self._names: Final = tuple(names)
        self._secrets: Final = client.api(Secret, options.namespace)
        self._last: CertificateState | None = None
        self._injected = b""
        """The bundle that was last found or put in all places."""
        self._injected_since = options.now()

    async def first(self) -> ServingCertificate:
        """The certificate to begin with, made if there is none. Raises ApiError and CertificateError."""
        self._last = await self._step()
        await self._inject(self._last)
        return self._last.serving

    async def watch(self, use: Callable[[ServingCertificate], None]) -> None:
        """Look again and again, until it is cancelled; what fails is logged and tried again."""
        while True:
            await asyncio.sleep(self._options.check_every)
            try:
                await self.check(use)
            except (ApiError, TransportError, CertificateError) as error:
                _log.warning("the certificates of the webhooks could not be looked after: %s", error)
            except Exception:
                _log.exception("the certificates of the webhooks could not be looked after")

    async def check(self, use: Callable[[ServingCertificate], None]) -> None:
        """Look once, and do what is due. Raises ApiError, TransportError and CertificateError."""
        if self._last is not None:
            await self._inject(self._last)
        state = await self._step()
        if state != self._last:
            use(state.serving)
            self._last = state
            _log.info("the webhooks have another certificate or authority, from %s", self._shown())
        # What changed the bundle is not done before API servers can know it.
        await self._inject(state)

    async def _step(self) -> CertificateState:
        """Do what is due, unless another replica did; returns what all of them have then."""
        options = self._options
        for _ in range(_ATTEMPTS):
            secret = await self._get()
            state = read_state(secret, self._shown()) if secret is not None else None
            made = await asyncio.to_thread(
                next_state,
                # A Secret that somebody deleted comes back as it was, and nobody has to trust anything new.
                state or self._last,
                now=options.now(),
                names=self._names,
                lifetimes=options.lifetimes,
                injected=state is not None and self._reached_all(state.bundle),
            )
            if made is state:
                return made
            try:
                await self._put(secret, made)
            except (AlreadyExists, Conflict):
                continue
            except NotFound:
                # Deleted meanwhile; but where there was none, it is the namespace that is missing.
                if secret is None:
                    raise
                continue
            return made
        raise CertificateError(f"{self._shown()} keeps changing; look for who else writes it")

    async def _inject(self, state: CertificateState) -> None:
        """Put the bundle where API servers look, and note since when it is there."""
        done = await inject(self._client, self._options.inject, state.bundle, self._bundle)
        found = state.bundle if done else b""
        if found != self._injected:
            self._injected, self._injected_since = found, self._options.now()

    def _reached_all(self, bundle: bytes) -> bool:
        """Whether API servers have had the time to learn of a bundle since it was injected."""
        since = self._injected_since + self._options.lifetimes.overlap
        return self._injected == bundle and self._options.now() >= since

    async def _bundle(self) -> bytes:
        state = await self._read()
        if state is None:
            raise CertificateError(f"{self._shown()} was deleted; it is made anew at the next look")
        return state.bundle

    async def _read(self) -> CertificateState | None:
        secret = await self._get()
        return read_state(secret, self._shown()) if secret is not None else None

    async def _get(self) -> Secret | None:
        try:
            return await self._secrets.get(self._options.name)
        except NotFound:
            return None

    async def _put(self, present: Secret | None, state: CertificateState) -> None:
        """Write the state. Raises Conflict or AlreadyExists when somebody else was quicker."""
        if present is not None:
            # With the resourceVersion that was read.
            present.data = {**_foreign(present), **write_state(state)}
            await self._secrets.update(present)
            return
        from kubewright.models.core_v1 import Secret  # noqa: PLC0415 - see __init__

        meta = ObjectMeta(name=self._options.name, namespace=self._options.namespace)
        await self._secrets.create(Secret(metadata=meta, type="kubernetes.io/tls", data=write_state(state)))

    def _shown(self) -> str:
        return f"the Secret {self._options.namespace}/{self._options.name}"


_OURS: Final = frozenset(
    (
        *_REQUIRED,
        "ca.crt",
        "ca-next.crt",
        "ca-next.key",
        "ca-next.since",
        "ca-previous.crt",
        "ca-previous.since",
    )
)
"""The keys of the Secret. tls.crt, tls.key and ca.crt, the bundle, are those that everybody knows."""


def _foreign(secret: Secret) -> dict[str, bytes]:
    """What others keep in the Secret."""
    return {key: value for key, value in secret.data.items() if key not in _OURS}


def write_state(state: CertificateState) -> dict[str, bytes]:
    """The data of a Secret that holds the state."""
    data = {
        "tls.crt": state.certificate,
        "tls.key": state.key,
        "ca.crt": state.bundle,
        "ca-current.crt": state.authority.certificate,
        "ca.key": state.authority.key,
    }
    if state.next is not None and state.next_since is not None:
        data["ca-next.crt"] = state.next.certificate
        data["ca-next.key"] = state.next.key
        data["ca-next.since"] = format_micro_time(state.next_since).encode()
    if state.previous and state.previous_since is not None:
        data["ca-previous.crt"] = state.previous
        data["ca-previous.since"] = format_micro_time(state.previous_since).encode()
    return data


def read_state(secret: Secret, what: str = "the Secret") -> CertificateState | None:
    """The state that a Secret holds; None for one with nothing of ours, which is to be filled.

    Raises CertificateError for one that holds something else, or not all.
    """
    data = secret.data
    # A Secret of type kubernetes.io/tls that is prepared by hand has to have its keys, and has them empty.
    if not any(data.get(key) for key in _OURS):
        return None
    remedy = "delete it, and it is made anew"
    missing = [key for key in _REQUIRED if not data.get(key)]
    if missing:
        raise CertificateError(f"{what} has no {missing[0]}; {remedy}, or give another name")
    try:
        for key, value in data.items():
            if key in _OURS and key.endswith(".crt"):
                end_of(value)
        return CertificateState(
            certificate=data["tls.crt"],
            key=data["tls.key"],
            authority=Authority(data["ca-current.crt"], data["ca.key"]),
            next=Authority(data["ca-next.crt"], data["ca-next.key"]) if "ca-next.crt" in data else None,
            next_since=_since(data, "ca-next.since"),
            previous=data.get("ca-previous.crt", b""),
            previous_since=_since(data, "ca-previous.since"),
        )
    except (CertificateError, ParseError, KeyError, UnicodeDecodeError):
        raise CertificateError(f"{what} holds certificates that cannot be read; {remedy}") from None


def _since(data: dict[str, bytes], key: str) -> datetime | None:
    return MicroTime.parse(data[key].decode()) if key in data else None
