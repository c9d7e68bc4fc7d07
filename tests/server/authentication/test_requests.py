"""The chain of authenticators, with a clock and connections of one's own."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import pytest
from multidict import CIMultiDict

from kubewright.server.authentication.authenticator import Identity, InvalidCredentials
from kubewright.server.authentication.client_certificates import certificate_user
from kubewright.server.authentication.requests import AnonymousCallers, RequestAuthenticator
from kubewright.server.authentication.static_tokens import StaticTokens
from kubewright.server.registry.write import User

if TYPE_CHECKING:
    from ssl import SSLObject


class Connection:
    """As much of a TLS connection as is asked for."""

    def __init__(self, *subject: tuple[str, str], until: str = "Jan  1 00:00:00 2030 GMT") -> None:
        self.asked = 0
        self._fields = {"subject": tuple(((pair),) for pair in subject), "notAfter": until}

    def getpeercert(self, *, binary_form: bool = False) -> Any:
        self.asked += 1
        return b"DER" if binary_form else self._fields


class Broken:
    """Knows that every token is no good."""

    async def authenticate(self, token: str, digest: bytes, audiences: Sequence[str]) -> Identity | None:
        raise InvalidCredentials("broken")


def authenticator(now: float = 0.0, **options: Any) -> RequestAuthenticator:
    tokens = StaticTokens({"secret": User(name="jane"), "nobody": User(name="system:anonymous")}, ["api"])
    anonymous = options.pop("anonymous", AnonymousCallers())
    return RequestAuthenticator(
        [Broken(), tokens], audiences=["api"], anonymous=anonymous, clock=lambda: now, **options
    )


def ask(
    made: RequestAuthenticator, connection: Connection | None = None, path: str = "/", **headers: str
) -> str:
    async def main() -> str:
        sent = CIMultiDict({name.replace("_", "-"): value for name, value in headers.items()})
        user = await made.request(sent, cast("SSLObject", connection), path, [])
        return "401" if user is None else f"{user.name} {' '.join(user.groups)}"

    return asyncio.run(main())


JANE = "jane system:authenticated"
JOE = "joe staff system:authenticated"


def test_one_that_is_broken_does_not_matter() -> None:
    assert ask(authenticator(), Authorization="Bearer secret") == JANE
    assert ask(authenticator(), Authorization="Bearer wrong") == "401"


def test_a_certificate_is_read_once_and_expires() -> None:
    connection = Connection(("organizationName", "staff"), ("commonName", "joe"))
    early, late = authenticator(now=1_800_000_000.0), authenticator(now=1_900_000_000.0)
    for _ in range(3):
        assert ask(early, connection) == JOE
    assert connection.asked == 2
    # TLS has let it in; requests on the same connection are refused from then on.
    assert ask(late, connection) == "401"
    assert ask(late, connection, Authorization="Bearer secret") == JANE


def test_a_certificate_without_a_name() -> None:
    connection = Connection(("organizationName", "staff"))
    assert ask(authenticator(), connection) == "system:anonymous system:unauthenticated"


def test_the_anonymous() -> None:
    assert ask(authenticator()) == "system:anonymous system:unauthenticated"
    assert ask(authenticator(anonymous=AnonymousCallers(enabled=False))) == "401"
    some = authenticator(anonymous=AnonymousCallers(paths=frozenset({"/livez"})))
    assert ask(some, path="/livez").startswith("system:anonymous")
    assert ask(some, path="/livez/x") == "401"
    assert ask(some, path="/x", Authorization="Bearer secret") == JANE


def test_a_token_of_nobody() -> None:
    assert ask(authenticator(), Authorization="Bearer nobody") == "system:anonymous "


def test_reviews_when_nobody_may_be_anonymous() -> None:
    closed = authenticator(anonymous=AnonymousCallers(enabled=False))
    assert asyncio.run(closed.review(" ", [])) == (None, "")
    assert asyncio.run(closed.review("wrong", [])) == (None, "[invalid bearer token, broken]")


def subject(*pairs: tuple[str, str]) -> dict[str, Any]:
    return {"subject": tuple((pair,) for pair in pairs)}


def test_the_last_common_name_counts() -> None:
    user = certificate_user(subject(("commonName", "a"), ("commonName", "b")), b"")
    assert user is not None
    assert user.name == "b"


@pytest.mark.parametrize("uids", [[""], ["a", "b"], ["", ""]])
def test_uids_that_are_no_good(uids: list[str]) -> None:
    pairs = [("commonName", "a"), *(("1.3.6.1.4.1.57683.2", uid) for uid in uids)]
    with pytest.raises(InvalidCredentials, match="UID"):
        certificate_user(subject(*pairs), b"")
