"""When certificates are renewed, by the rules alone: no cluster, and a clock that the test moves."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.webhooks.authorities import end_of, is_issued_by, issue, make_authority, names_in
from kubewright.webhooks.certificates import CertificateError, server_context
from kubewright.webhooks.rotation import CertificateState, Lifetimes, next_state

NOW = datetime(2026, 5, 6, 7, 8, 9, tzinfo=UTC)
DAY = timedelta(days=1)
NAMES = ("app.default.svc", "10.0.0.1")
LIFETIMES = Lifetimes(
    authority=100 * DAY,
    renew_authority_before=30 * DAY,
    serving=20 * DAY,
    renew_serving_before=5 * DAY,
    overlap=DAY,
)


def step(state: CertificateState | None, day: float, **options: Any) -> CertificateState:
    given = {"names": NAMES, "lifetimes": LIFETIMES, **options}
    made = next_state(state, now=NOW + day * DAY, **given)
    if made is not state:
        check(made)
    return made


def check(state: CertificateState) -> None:
    """What holds at every moment: the authority signed the certificate, and is in the bundle."""
    assert is_issued_by(state.certificate, state.authority.certificate)
    assert state.authority.certificate in state.bundle
    server_context(state.serving)
    assert ssl.create_default_context(cadata=state.bundle.decode()).cert_store_stats()["x509_ca"] == (
        state.bundle.count(b"BEGIN CERTIFICATE")
    )


def test_the_first() -> None:
    made = step(None, 0)
    assert names_in(made.certificate) == set(NAMES)
    assert end_of(made.authority.certificate) == NOW + 100 * DAY
    assert end_of(made.certificate) == NOW + 20 * DAY
    assert step(made, 0) is made
    assert step(made, 14.9) is made
    assert made.key.split(b"\n")[1].decode() not in repr(made)


def test_a_certificate_is_renewed_by_the_same_authority() -> None:
    first = step(None, 0)
    second = step(first, 15)
    assert second.bundle == first.bundle
    assert second.certificate != first.certificate
    assert second.key != first.key
    assert end_of(second.certificate) == NOW + 35 * DAY
    assert step(second, 15) is second


def test_other_names() -> None:
    first = step(None, 0)
    second = step(first, 1, names=(*NAMES, "other"))
    assert "other" in names_in(second.certificate)
    assert second.bundle == first.bundle
    # Two versions of an operator do not take turns: the certificate is for both, until it is renewed.
    third = step(second, 1, names=("new",))
    assert names_in(third.certificate) == {*NAMES, "other", "new"}
    assert step(third, 1) is third
    assert step(third, 1, names=("new",)) is third
    assert names_in(step(third, 16, names=("new",)).certificate) == {"new"}


def test_an_authority_changes_in_three_steps() -> None:
    first = renewed(step(None, 0), 70)
    staged = step(first, 70)
    assert staged.next is not None
    assert staged.bundle == first.authority.certificate + staged.next.certificate
    assert staged.certificate == first.certificate
    assert step(staged, 70.9) is staged
    # The time alone does not do: API servers must have been told.
    assert step(staged, 71, injected=False) is staged
    taken = step(staged, 71)
    assert taken.authority == staged.next
    assert taken.next is None
    assert taken.bundle == staged.next.certificate + first.authority.certificate
    assert step(taken, 71.9) is taken
    dropped = step(taken, 72)
    assert dropped.bundle == taken.authority.certificate
    assert dropped.certificate == taken.certificate
    assert step(dropped, 72) is dropped


def test_one_change_at_a_time() -> None:
    """An authority whose end is near is not followed before the one before it is gone."""
    near = Lifetimes(
        authority=10 * DAY,
        renew_authority_before=9.9 * DAY,
        serving=5 * DAY,
        renew_serving_before=DAY,
        overlap=DAY,
    )
    state = step(None, 0, lifetimes=near)
    bundles = []
    for quarter in range(1, 80):
        state = step(state, quarter / 4, lifetimes=near)
        bundles.append(state.bundle.count(b"BEGIN CERTIFICATE"))
    assert set(bundles) == {1, 2}


def test_an_authority_that_has_ended() -> None:
    first = step(None, 0)
    made = step(first, 101)
    assert made.authority != first.authority
    assert made.previous == b""
    staged = step(renewed(first, 70), 70)
    # Nobody trusts the old one any more, so that there is nothing to wait for.
    assert step(staged, 100, injected=False).authority == staged.next
    # And nobody was there until the next one had ended as well.
    assert end_of(step(staged, 171).certificate) == NOW + 191 * DAY


def test_a_certificate_that_ends_with_its_authority() -> None:
    """It is renewed once, and not at every look."""
    waits = Lifetimes(
        authority=100 * DAY,
        renew_authority_before=2 * DAY,
        serving=20 * DAY,
        renew_serving_before=19 * DAY,
        overlap=DAY,
    )
    state = step(None, 0, lifetimes=waits)
    for day in range(1, 98):
        state = step(state, day, lifetimes=waits)
    assert end_of(state.certificate) == end_of(state.authority.certificate)
    assert step(state, 97.5, lifetimes=waits) is state


@pytest.mark.slow
@given(st.lists(st.tuples(st.floats(0.05, 3), st.booleans()), max_size=60))
def test_whoever_has_the_last_bundle_trusts_what_is_shown(looks: list[tuple[float, bool]]) -> None:
    """Whoever is one step behind, be it an API server or a replica, still fits with all others."""
    quick = Lifetimes(
        authority=6 * DAY,
        renew_authority_before=4 * DAY,
        serving=3 * DAY,
        renew_serving_before=DAY,
        overlap=DAY,
    )
    day, state = 0.0, step(None, 0, lifetimes=quick)
    for wait, injected in looks:
        day += wait
        made = step(state, day, lifetimes=quick, injected=injected)
        if end_of(state.authority.certificate) > NOW + day * DAY:
            assert any(is_issued_by(made.certificate, each) for each in certificates(state.bundle))
            assert any(is_issued_by(state.certificate, each) for each in certificates(made.bundle))
        assert end_of(made.certificate) > NOW + day * DAY
        state = made


def certificates(bundle: bytes) -> list[bytes]:
    end = b"-----END CERTIFICATE-----\n"
    return [each + end for each in bundle.split(end) if each]


def renewed(state: CertificateState, until: int) -> CertificateState:
    """The state after looks at every day before one."""
    for day in range(until):
        state = step(state, day)
    return state


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"authority": DAY}, "renew_authority_before=90 days, 0:00:00 is not within the 1 day, 0:00:00"),
        ({"renew_serving_before": timedelta(0)}, "renew_serving_before=0:00:00 is not within"),
        ({"overlap": 80 * DAY}, "give at most half of renew_authority_before"),
        ({"overlap": -DAY}, "overlap=-1 day"),
    ],
)
def test_times_that_leave_no_room(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Lifetimes(**options)


def test_authorities_that_cannot_be_read() -> None:
    authority = make_authority(now=NOW, lifetime=DAY)
    with pytest.raises(CertificateError, match="what should be a certificate is none in PEM"):
        end_of(b"nothing")
    spoilt = type(authority)(authority.certificate, b"nothing")
    with pytest.raises(CertificateError, match="the key of the authority is no EC key in PEM"):
        issue(spoilt, ["a"], now=NOW, lifetime=DAY)
    assert not is_issued_by(authority.certificate, make_authority(now=NOW, lifetime=DAY).certificate)
