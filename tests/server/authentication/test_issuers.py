"""Issuers that are slow, down, lying, or asked too often."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from kubewright.server import issuer_client
from kubewright.server.authentication.authenticator import InvalidCredentials
from kubewright.server.authentication.jwt import JSONWebToken, VerificationKey, parse
from kubewright.server.authentication.oidc import keys
from kubewright.server.authentication.oidc.form import IssuerForm
from kubewright.server.authentication.oidc.keys import IssuerKeys, read_key_set
from kubewright.server.authentication.service_account_keys import ServiceAccountKey
from kubewright.server.certificates import make_service_account_key
from kubewright.server.issuer_client import IssuerClient, IssuerUnreachable
from tests.config.issuer import Issuer, running

KEY = ServiceAccountKey(make_service_account_key())
PATIENCE = 60.0
"""Seconds that an answer may take on a busy machine."""


@pytest.fixture
def issuer(tmp_path: Path) -> Iterator[Issuer]:
    with running(tmp_path) as made:
        made.discovery = (200, {"issuer": made.url, "jwks_uri": f"{made.url}/keys"})
        made.documents["/keys"] = json.loads(KEY.key_set())
        yield made


def fetched(issuer: Issuer) -> int:
    return [path for path, _, _ in issuer.requests].count("/keys")


def with_keys(issuer: Issuer, test: Callable[[IssuerKeys], Awaitable[None]], now: list[float]) -> None:
    async def main() -> None:
        client = IssuerClient(issuer.authority.decode())
        try:
            made = IssuerKeys(IssuerForm(url=issuer.url), client, clock=lambda: now[0])
            await test(made)
        finally:
            await client.close()

    asyncio.run(main())


def token(key: ServiceAccountKey = KEY) -> JSONWebToken:
    parsed = parse(key.sign({}))
    assert parsed is not None
    return parsed


def test_keys_are_fetched_once(issuer: Issuer) -> None:
    async def test(made: IssuerKeys) -> None:
        with pytest.raises(InvalidCredentials, match="oidc: authenticator not initialized"):
            await made.verify(token())
        await made.discover()
        await asyncio.gather(*(made.verify(token()) for _ in range(20)))
        assert fetched(issuer) == 1

    with_keys(issuer, test, [0.0])


def test_unknown_keys_do_not_have_them_fetched_without_end(issuer: Issuer) -> None:
    now = [100.0]
    others = [ServiceAccountKey(make_service_account_key()) for _ in range(10)]

    async def refused(made: IssuerKeys, each: ServiceAccountKey) -> None:
        with pytest.raises(InvalidCredentials, match="failed to verify id token signature"):
            await made.verify(token(each))

    async def test(made: IssuerKeys) -> None:
        await made.discover()
        for _ in range(3):
            for each in others:
                await refused(made, each)
        assert fetched(issuer) == 1
        now[0] += 2
        await asyncio.gather(*(refused(made, each) for each in others))
        assert fetched(issuer) == 2
        issuer.documents["/keys"] = json.loads(others[0].key_set())
        now[0] += 2
        await made.verify(token(others[0]))
        await refused(made, KEY)

    with_keys(issuer, test, now)


def test_old_keys_are_good_while_the_issuer_is_down(issuer: Issuer) -> None:
    now = [0.0]

    async def test(made: IssuerKeys) -> None:
        await made.discover()
        await made.verify(token())
        del issuer.documents["/keys"]
        now[0] += 100
        with pytest.raises(
            InvalidCredentials, match=r"fetching keys Get .*/keys: the issuer answered with 404"
        ):
            await made.verify(token(ServiceAccountKey(make_service_account_key())))
        await made.verify(token())

    with_keys(issuer, test, now)


@pytest.mark.parametrize(
    ("document", "why"),
    [
        (
            {"issuer": "https://else", "jwks_uri": "https://x"},
            "issuer did not match the issuer returned by provider",
        ),
        ({"issuer": "URL"}, "no jwks_uri"),
        ({"issuer": "URL", "jwks_uri": "http://x"}, "no jwks_uri that begins with https://"),
        ({"issuer": "URL", "jwks_uri": 5}, "no jwks_uri"),
        ([], "no JSON object"),
        (b"<html>", "no JSON object"),
    ],
    ids=str,
)
def test_discovery_documents_that_are_no_good(
    issuer: Issuer, caplog: pytest.LogCaptureFixture, document: object, why: str
) -> None:
    text = (
        document
        if isinstance(document, bytes)
        else json.dumps(document).replace('"URL"', f'"{issuer.url}"').encode()
    )
    issuer.discovery = (200, text)

    async def test(made: IssuerKeys) -> None:
        discovering = asyncio.ensure_future(made.discover())
        async with asyncio.timeout(PATIENCE):
            while not caplog.records:  # noqa: ASYNC110 - what is logged wakes nobody
                await asyncio.sleep(0.01)
        # It has told of it, and goes on all the same.
        assert not discovering.done()
        discovering.cancel()
        await asyncio.wait([discovering])

    with_keys(issuer, test, [0.0])
    assert why in caplog.text


def test_discovery_goes_on_until_the_issuer_is_there(issuer: Issuer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "_RETRY", 0.01)
    good, issuer.discovery = issuer.discovery, (503, {})

    async def test(made: IssuerKeys) -> None:
        answer = issuer.answer

        def third_time(path: str, form: dict[str, str], header: str) -> tuple[int, object]:
            if len(issuer.requests) == 2:
                issuer.discovery = good
            return answer(path, form, header)

        issuer.answer = third_time  # type: ignore[method-assign]
        await made.discover()
        assert len(issuer.requests) == 3
        await made.verify(token())

    with_keys(issuer, test, [0.0])


class TestClient:
    def get(self, issuer: Issuer, path: str = "/keys", authority: str = "") -> object:
        async def main() -> object:
            client = IssuerClient(authority or issuer.authority.decode())
            try:
                return await client.get(f"{issuer.url}{path}")
            finally:
                await client.close()

        return asyncio.run(main())

    def test_it_reads_json(self, issuer: Issuer) -> None:
        assert self.get(issuer) == json.loads(KEY.key_set())

    def test_large_answers(self, issuer: Issuer) -> None:
        issuer.documents["/keys"] = b'{"x":"' + b"x" * (2 << 20) + b'"}'
        with pytest.raises(IssuerUnreachable, match="larger than 1048576 bytes"):
            self.get(issuer)

    def test_slow_answers(self, issuer: Issuer, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(issuer_client, "_WITHIN", 0.1)
        answer, given_up = issuer.answer, threading.Event()

        def slowly(path: str, form: dict[str, str], header: str) -> tuple[int, object]:
            given_up.wait(PATIENCE)
            return answer(path, form, header)

        issuer.answer = slowly  # type: ignore[method-assign]
        try:
            with pytest.raises(IssuerUnreachable, match=r"no answer in 0\.1 seconds"):
                self.get(issuer)
        finally:
            given_up.set()

    def test_redirects_are_not_followed(self, issuer: Issuer) -> None:
        issuer.location = f"{issuer.url}/keys"
        issuer.discovery = (302, {})
        with pytest.raises(IssuerUnreachable, match="answered with 302"):
            self.get(issuer, "/.well-known/openid-configuration")
        assert fetched(issuer) == 0

    def test_whom_nobody_vouches_for(self, issuer: Issuer, tmp_path: Path) -> None:
        (tmp_path / "x").mkdir()
        with running(tmp_path / "x") as other, pytest.raises(IssuerUnreachable, match="certificate"):
            self.get(issuer, authority=other.authority.decode())
        assert issuer.requests == []

    def test_nobody_there(self, issuer: Issuer) -> None:
        issuer.url = "https://127.0.0.1:1"
        with pytest.raises(IssuerUnreachable, match=r"https://127\.0\.0\.1:1/keys"):
            self.get(issuer)


def test_key_sets() -> None:
    (good,) = json.loads(KEY.key_set())["keys"]
    found = read_key_set({"keys": [good]})
    assert [(each.id, each.algorithm) for each in found] == [(good["kid"], "ES256")]
    assert isinstance(found[0], VerificationKey)
    bad = [
        5,
        {},
        {"kty": "oct", "k": "AAAA"},
        {"kty": "OKP", "crv": "Ed25519", "x": "AAAA"},
        {"kty": "RSA"},
        {"kty": "RSA", "n": "!", "e": "AQAB"},
        {"kty": "RSA", "n": "AQAB", "e": "AQAB"},
        {"kty": "RSA", "n": "_" * 4000, "e": "AQAB"},
        {"kty": "RSA", "n": 5, "e": 5},
        {**good, "crv": "P-999"},
        {**good, "x": good["y"]},
        {**good, "x": ""},
        {**good, "use": "enc"},
    ]
    assert [each.id for each in read_key_set({"keys": [*bad, good]})] == [good["kid"]]
    assert read_key_set({}) == read_key_set({"keys": None}) == read_key_set({"keys": {}}) == []
    assert len(read_key_set({"keys": [good] * 500})) == 100
