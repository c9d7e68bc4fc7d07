"""When certificates are renewed, and in which steps: rules without I/O.

A new authority is of use only when every API server trusts it, and an old one can go only when no server
shows a certificate of it. So an authority is changed in three steps, each of which waits for the one before
to reach everybody: the next authority is put beside the present one, in the bundle alone; it takes over, and
signs a new certificate; the previous one leaves the bundle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from kubewright.webhooks.authorities import Authority, end_of, is_issued_by, issue, make_authority, names_in
from kubewright.webhooks.certificates import ServingCertificate

__all__ = ["CertificateState", "Lifetimes", "next_state"]


@dataclass(frozen=True, kw_only=True)
class Lifetimes:
    """How long certificates last, and how long before their end they are renewed.

    `overlap` is how long a step of an authority's change waits for the one before to reach all API servers
    and all replicas. Raises ValueError for times that leave no room.
    """

    authority: timedelta = timedelta(days=365)
    renew_authority_before: timedelta = timedelta(days=90)
    serving: timedelta = timedelta(days=90)
    """As those of Let's Encrypt and cert-manager."""
    renew_serving_before: timedelta = timedelta(days=30)
    overlap: timedelta = timedelta(minutes=10)
    """Far longer than watches of API servers lag behind."""

    def __post_init__(self) -> None:
        for what in ("authority", "serving"):
            life, before = getattr(self, what), getattr(self, f"renew_{what}_before")
            if not timedelta(0) < before < life:
                raise ValueError(
                    f"renew_{what}_before={before} is not within the {life} that it lasts; give less"
                )
        if self.overlap < timedelta(0) or 2 * self.overlap > self.renew_authority_before:
            raise ValueError(
                f"overlap={self.overlap} is waited for twice before an authority ends; "
                f"give at most half of renew_authority_before={self.renew_authority_before}"
            )


@dataclass(frozen=True, kw_only=True)
class CertificateState:
    """All that the replicas of a webhook server share."""

    certificate: bytes
    key: bytes = field(repr=False)
    authority: Authority
    """Has signed the certificate, and signs the next one."""
    next: Authority | None = None
    next_since: datetime | None = None
    """When the next authority was put into the bundle."""
    previous: bytes = b""
    """The certificate of the authority before, in PEM, while somebody may show one of its."""
    previous_since: datetime | None = None

    @property
    def bundle(self) -> bytes:
        """What API servers shall trust, in PEM."""
        return self.authority.certificate + (self.next.certificate if self.next else b"") + self.previous

    @property
    def serving(self) -> ServingCertificate:
        """What a server shows."""
        return ServingCertificate(self.certificate, self.key, self.bundle)


def next_state(
    state: CertificateState | None,
    *,
    now: datetime,
    names: Sequence[str],
    lifetimes: Lifetimes,
    injected: bool = True,
) -> CertificateState:
    """What the state should be now: the very same object when nothing is due, else one step further.

    `injected` says whether the present bundle is where API servers find it; no authority takes over before.
    Raises CertificateError for names that are none, and for certificates that cannot be read.
    """
    if state is None:
        return _made(now, names, lifetimes)
    made = _authority_step(state, now, names, lifetimes, injected=injected)
    wanted: Sequence[str] = names
    if not _is_due(made, now, lifetimes):
        present = names_in(made.certificate)
        if present >= frozenset(names):
            return made
        # The others stay for now: replicas of another version are reached by them.
        wanted = (*names, *sorted(present.difference(names)))
    issued = issue(made.authority, wanted, now=now, lifetime=lifetimes.serving)
    return replace(made, certificate=issued.certificate, key=issued.key)


def _authority_step(
    state: CertificateState, now: datetime, names: Sequence[str], lifetimes: Lifetimes, *, injected: bool
) -> CertificateState:
    """The state after what is due of an authority's change."""
    end = end_of(state.authority.certificate)
    if end <= now and (state.next is None or end_of(state.next.certificate) <= now):
        return _made(now, names, lifetimes)
    if state.next is not None and state.next_since is not None:
        waited = now >= state.next_since + lifetimes.overlap
        # Whoever waits while the authority has ended waits for nothing.
        if end <= now or (waited and injected):
            return _taken_over(state, state.next, now, names, lifetimes)
    elif state.previous and state.previous_since is not None:
        if now >= state.previous_since + lifetimes.overlap:
            return replace(state, previous=b"", previous_since=None)
    elif end - now <= lifetimes.renew_authority_before:
        following = make_authority(now=now, lifetime=lifetimes.authority)
        return replace(state, next=following, next_since=now)
    return state


def _made(now: datetime, names: Sequence[str], lifetimes: Lifetimes) -> CertificateState:
    authority = make_authority(now=now, lifetime=lifetimes.authority)
    issued = issue(authority, names, now=now, lifetime=lifetimes.serving)
    return CertificateState(certificate=issued.certificate, key=issued.key, authority=authority)


def _taken_over(
    state: CertificateState, authority: Authority, now: datetime, names: Sequence[str], lifetimes: Lifetimes
) -> CertificateState:
    issued = issue(authority, names, now=now, lifetime=lifetimes.serving)
    return CertificateState(
        certificate=issued.certificate,
        key=issued.key,
        authority=authority,
        previous=state.authority.certificate,
        previous_since=now,
    )


def _is_due(state: CertificateState, now: datetime, lifetimes: Lifetimes) -> bool:
    """Whether the server needs another certificate of the same authority."""
    end = end_of(state.certificate)
    reached = min(now + lifetimes.serving, end_of(state.authority.certificate))
    # One that ends with its authority is not renewed before that: it would not last longer.
    if end - now <= lifetimes.renew_serving_before and reached - end >= timedelta(seconds=1):
        return True
    return not is_issued_by(state.certificate, state.authority.certificate)
