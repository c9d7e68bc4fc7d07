"""Tokens of service accounts, by a clock that stands still and a store in memory."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from kubewright.server.authentication import service_account_tokens
from kubewright.server.authentication.authenticator import InvalidCredentials
from kubewright.server.authentication.jwt import base64url
from kubewright.server.authentication.service_account_keys import ServiceAccountKey
from kubewright.server.authentication.service_account_tokens import LEEWAY, ServiceAccountTokens
from kubewright.server.authentication.static_tokens import token_digest
from kubewright.server.certificates import make_service_account_key
from kubewright.server.registry.registry import Registry
from kubewright.server.registry.stored import split
from kubewright.server.storage import MemoryStorage

ISSUER = "https://issuer"
NOW = 1_800_000_000


class World:
    """A registry, a key, and what recognises tokens of it."""

    def __init__(self) -> None:
        self.now = float(NOW)
        self.key = ServiceAccountKey(make_service_account_key())
        self.storage = MemoryStorage()
        registry = Registry(self.storage)
        self.tokens = ServiceAccountTokens(self.key, registry, issuer=ISSUER, clock=lambda: self.now)
        self.registry = registry

    async def put(self, resource: str, name: str, **metadata: str) -> None:
        store = self.registry.find("", "v1", resource)
        assert store is not None
        key = store.key("ns", name)
        value = split({"metadata": {"name": name, "namespace": "ns", **metadata}}, with_type=False)
        entry = self.storage.get(key)
        if entry is None:
            await self.storage.create(key, value)
        else:
            await self.storage.update(key, value, expected_revision=entry.revision)

    async def remove(self, resource: str, name: str) -> None:
        store = self.registry.find("", "v1", resource)
        assert store is not None
        key = store.key("ns", name)
        entry = self.storage.get(key)
        assert entry is not None
        await self.storage.delete(
            key, split({"metadata": {}}, with_type=False), expected_revision=entry.revision
        )

    def token(self, **claims: Any) -> str:
        private = {"namespace": "ns", "serviceaccount": {"name": "robot", "uid": "u"}}
        private |= claims.pop("private", {})
        said = {"iss": ISSUER, "aud": [ISSUER], "iat": NOW, "nbf": NOW, "exp": NOW + 600, "jti": "j"}
        return self.key.sign({**said, "kubernetes.io": private, **claims})

    async def outcome(self, token: str, *audiences: str) -> str:
        """Who it is, or why it is nobody."""
        try:
            found = await self.tokens.authenticate(token, token_digest(token), audiences or [ISSUER])
        except InvalidCredentials as error:
            return str(error)
        return "" if found is None else found.user.name


def run(test: Callable[[World], Awaitable[None]]) -> None:
    async def main() -> None:
        world = World()
        await world.put("serviceaccounts", "robot", uid="u")
        await test(world)

    asyncio.run(main())


ROBOT = "system:serviceaccount:ns:robot"


def test_it_is_known_until_it_is_not() -> None:
    async def test(world: World) -> None:
        token = world.token()
        assert await world.outcome(token) == ROBOT
        for seconds, said in [
            (600 + LEEWAY, ROBOT),
            (600 + LEEWAY + 1, "service account token has expired"),
            (-LEEWAY, ROBOT),
            (-LEEWAY - 1, "service account token is not valid yet"),
        ]:
            world.now = NOW + seconds
            assert await world.outcome(token) == said
        world.now = NOW - LEEWAY - 1
        assert "issued in the future" in await world.outcome(world.token(nbf=None))

    run(test)


def test_it_ends_with_its_account_at_once() -> None:
    async def test(world: World) -> None:
        token = world.token()
        assert await world.outcome(token) == ROBOT
        await world.remove("serviceaccounts", "robot")
        assert await world.outcome(token) == 'serviceaccounts "robot" not found'
        await world.put("serviceaccounts", "robot", uid="v")
        assert await world.outcome(token) == "service account UID (v) does not match claim (u)"
        await world.put("serviceaccounts", "robot", uid="u")
        assert await world.outcome(token) == ROBOT

    run(test)


@pytest.mark.parametrize(("kind", "resource"), [("pod", "pods"), ("secret", "secrets"), ("node", "nodes")])
def test_it_ends_with_what_it_is_bound_to_at_once(kind: str, resource: str) -> None:
    async def test(world: World) -> None:
        token = world.token(private={kind: {"name": "x", "uid": "1"}})
        gone = "service account token has been invalidated"
        assert await world.outcome(token) == gone
        await world.put(resource, "x", uid="1")
        assert await world.outcome(token) == ROBOT
        # Being deleted, it has its grace, and a minute.
        await world.put(resource, "x", uid="1", deletionTimestamp="2027-01-15T08:01:00Z")
        for seconds, said in [(0, ROBOT), (60 + LEEWAY, ROBOT), (60 + LEEWAY + 1, gone)]:
            world.now = NOW + seconds
            assert await world.outcome(token) == said
        world.now = NOW
        await world.put(resource, "x", uid="2")
        assert await world.outcome(token) == (
            f"{kind} UID (2) does not match service account {kind} ref claim (1)"
        )
        await world.remove(resource, "x")
        assert await world.outcome(token) == gone

    run(test)


def test_the_node_of_a_pod_is_only_told() -> None:
    async def test(world: World) -> None:
        bound = {"pod": {"name": "x", "uid": "1"}, "node": {"name": "n", "uid": "2"}}
        await world.put("pods", "x", uid="1")
        token = world.token(private=bound)
        found = await world.tokens.authenticate(token, token_digest(token), [ISSUER])
        assert found is not None
        assert found.user.extra["authentication.kubernetes.io/node-uid"] == ["2"]

    run(test)


def test_what_it_remembers_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service_account_tokens, "_REMEMBERED", 3)

    async def test(world: World) -> None:
        tokens = [world.token(jti=str(number)) for number in range(6)]
        for token in (*tokens, *tokens):
            assert await world.outcome(token) == ROBOT
        assert len(world.tokens._known) == 3

    run(test)


def test_what_is_wrong_is_not_remembered() -> None:
    async def test(world: World) -> None:
        head, body, _ = world.token().split(".")
        assert "cryptographic" in await world.outcome(f"{head}.{body}.{base64url(bytes(64))}")
        assert not world.tokens._known

    run(test)


def test_the_same_digest_is_asked_for_its_audience_each_time() -> None:
    async def test(world: World) -> None:
        token = world.token()
        assert await world.outcome(token) == ROBOT
        assert await world.outcome(token, "else") == (
            f'token audiences ["{ISSUER}"] is invalid for the target audiences ["else"]'
        )

    run(test)


@pytest.mark.parametrize(
    ("claims", "said"),
    [
        ({"iss": "else"}, ""),
        ({"iss": 5}, ""),
        ({"exp": "soon"}, "the claims of the token are no claims of a service account"),
        ({"aud": 5}, "the claims of the token are no claims of a service account"),
        ({"kubernetes.io": {}}, "resource name may not be empty"),
        ({"kubernetes.io": None}, "the claims of the token are no claims of a service account"),
    ],
    ids=json.dumps,
)
def test_odd_claims(claims: dict[str, Any], said: str) -> None:
    async def test(world: World) -> None:
        assert await world.outcome(world.token(**claims)) == said

    run(test)
