"""ID tokens renewed at a real provider over TLS, and written back into the kubeconfig."""

from __future__ import annotations

import asyncio
import base64
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from kubewright.config import Config, ConfigError, Credential, OIDCCredentials, load_config
from kubewright.config.write_back import write_auth_provider
from kubewright.machinery import yaml
from tests.config.issuer import Issuer, id_token, running
from tests.config.kubeconfigs import SECRET, Clock, b64, checked, kubeconfig, sentence, shown

NOW = 1_900_000_000.0


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The provider is on loopback, whatever the machine's proxies are."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")


@pytest.fixture
def issuer(tmp_path: Path) -> Iterator[Issuer]:
    with running(tmp_path) as found:
        yield found


def settings(issuer: Issuer, **changes: str) -> dict[str, str]:
    return {
        "idp-issuer-url": issuer.url,
        "client-id": "kube client",
        "client-secret": SECRET,
        "refresh-token": f"{SECRET}-r1",
        **{name.replace("_", "-"): value for name, value in changes.items()},
    }


def credentials_of(
    issuer: Issuer, clock: Clock | None = None, kept: list[Mapping[str, str]] | None = None, **changes: str
) -> OIDCCredentials:
    return OIDCCredentials(
        settings(issuer, **changes),
        authority=issuer.authority,
        clock=clock or Clock(NOW),
        persist=None if kept is None else kept.append,
    )


def failure(credentials: OIDCCredentials) -> str:
    with pytest.raises(ConfigError) as caught:
        asyncio.run(credentials.current())
    return checked(caught.value)


def test_a_valid_token_is_used_until_ten_seconds_before_its_end(issuer: Issuer) -> None:
    token, next_token = id_token(NOW + 60), id_token(NOW + 3600)
    issuer.answers = [(200, {"id_token": next_token, "access_token": "a"})]
    clock = Clock(NOW)
    credentials = credentials_of(issuer, clock, id_token=token)

    async def body() -> None:
        first = await credentials.current()
        assert first == Credential(f"Bearer {token}")
        clock.now = NOW + 49.9
        assert await credentials.current() is first
        assert not issuer.requests
        clock.now = NOW + 50
        assert await credentials.current() == Credential(f"Bearer {next_token}")
        assert await credentials.rejected(first)
        assert len(issuer.refreshes) == 1

    asyncio.run(body())


def test_a_refresh(issuer: Issuer) -> None:
    kept: list[Mapping[str, str]] = []
    one, two = id_token(NOW + 100, "one"), id_token(NOW + 200, "two")
    issuer.answers = [
        (200, {"id_token": one, "refresh_token": "r2", "access_token": "a"}),
        (200, {"id_token": two, "access_token": "a"}),
    ]
    clock = Clock(NOW)
    credentials = credentials_of(issuer, clock, kept, id_token=id_token(NOW))

    async def body() -> None:
        assert await credentials.current() == Credential(f"Bearer {one}")
        clock.now = NOW + 100
        assert await credentials.current() == Credential(f"Bearer {two}")

    asyncio.run(body())
    basic = base64.b64encode(f"kube+client:{SECRET}".encode()).decode()
    assert issuer.refreshes == [
        ({"grant_type": "refresh_token", "refresh_token": f"{SECRET}-r1"}, f"Basic {basic}"),
        ({"grant_type": "refresh_token", "refresh_token": "r2"}, f"Basic {basic}"),
    ]
    # Discovery is asked once.
    assert len(issuer.requests) == 3
    assert [(one["id-token"], one["refresh-token"]) for one in kept] == [(one, "r2"), (two, "r2")]


def test_a_provider_that_wants_the_secret_in_the_form(issuer: Issuer) -> None:
    issuer.wants_form = True
    clock = Clock(NOW)
    issuer.answers = [(200, {"id_token": id_token(NOW + 100)}), (200, {"id_token": id_token(NOW + 200)})]
    credentials = credentials_of(issuer, clock)

    async def body() -> None:
        await credentials.current()
        clock.now += 100
        await credentials.current()

    asyncio.run(body())
    headers = [bool(header) for _, header in issuer.refreshes]
    assert headers == [True, False, False]
    assert issuer.refreshes[1][0]["client_secret"] == SECRET


def test_a_hundred_waiters_make_one_refresh(issuer: Issuer) -> None:
    issuer.answers = [(200, {"id_token": id_token(NOW + 100)})]
    credentials = credentials_of(issuer)

    async def body() -> None:
        given = await asyncio.gather(*(credentials.current() for _ in range(100)))
        assert len({id(one) for one in given}) == 1
        assert len(issuer.refreshes) == 1
        issuer.answers = [(200, {"id_token": id_token(NOW + 200)})]
        assert all(await asyncio.gather(*(credentials.rejected(given[0]) for _ in range(100))))
        assert len(issuer.refreshes) == 2
        await credentials.close()

    asyncio.run(body())


def test_a_rejected_token_without_a_refresh_token(issuer: Issuer) -> None:
    credentials = credentials_of(issuer, id_token=id_token(NOW + 100), refresh_token="")

    async def body() -> None:
        assert not await credentials.rejected(await credentials.current())

    asyncio.run(body())
    assert not issuer.requests
    assert "no refresh-token" in failure(credentials_of(issuer, id_token=id_token(NOW), refresh_token=""))


def test_a_refresh_that_fails_after_a_401_leaves_the_401(
    issuer: Issuer, caplog: pytest.LogCaptureFixture
) -> None:
    issuer.answers = [(400, {"error": "invalid_grant", "error_description": SECRET})]
    credentials = credentials_of(issuer, id_token=id_token(NOW + 100))

    async def body() -> None:
        assert not await credentials.rejected(await credentials.current())

    asyncio.run(body())
    assert "invalid_grant" in caplog.text
    assert SECRET not in caplog.text


BAD: dict[str, tuple[tuple[int, object] | None, tuple[int, object], str]] = {
    "discovery is missing": ((404, {}), (200, {}), "HTTP 404 to discovery"),
    "discovery is garbage": ((200, SECRET.encode()), (200, {}), "no token_endpoint"),
    "discovery has no endpoint": ((200, {"issuer": "x"}), (200, {}), "no token_endpoint"),
    "an endpoint in a file": (
        (200, {"token_endpoint": "file:///etc/passwd"}),
        (200, {}),
        "no token_endpoint",
    ),
    "an endpoint without TLS": ((200, {"token_endpoint": "http://127.0.0.1/"}), (200, {}), "without TLS"),
    "discovery is endless": ((200, SECRET.encode() * 200_000), (200, {}), "too long"),
    "expired": (
        None,
        (400, {"error": "invalid_grant", "error_description": SECRET}),
        "(invalid_grant); log in",
    ),
    "an error with 200": (None, (200, {"error": "invalid_grant"}), "(invalid_grant)"),
    "an error of its own": (None, (400, {"error": SECRET}), "(HTTP 400)"),
    "broken": (None, (500, SECRET.encode()), "(HTTP 500)"),
    "garbage": (None, (200, SECRET.encode()), "without an id_token"),
    "no ID token": (None, (200, {"access_token": SECRET}), "without an id_token"),
    "an ID token that is none": (None, (200, {"id_token": SECRET}), "JSON web token"),
    "a form is not sent elsewhere": (None, (307, {}), "(HTTP 307)"),
    "nor asked for elsewhere": (None, (302, {}), "(HTTP 302)"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_providers_give_one_sentence_each(case: str, issuer: Issuer) -> None:
    discovery, answer, words = BAD[case]
    issuer.discovery = discovery or issuer.discovery
    issuer.location = f"{issuer.url}/elsewhere"
    issuer.answers = [answer]
    text = failure(credentials_of(issuer))
    assert words in text
    assert issuer.url in text
    assert "/elsewhere" not in [path for path, _, _ in issuer.requests]


def test_a_redirect_may_not_leave_tls(issuer: Issuer) -> None:
    issuer.discovery = (302, {})
    issuer.location = "http://127.0.0.1:1/"
    assert "HTTP 302" in failure(credentials_of(issuer))


def test_a_provider_that_cannot_be_reached_or_trusted(issuer: Issuer, tmp_path: Path) -> None:
    settings_here = settings(issuer)
    text = failure(OIDCCredentials(settings_here, clock=Clock(NOW)))
    assert "certificate is not trusted" in text
    gone = {**settings_here, "idp-issuer-url": "https://127.0.0.1:1/"}
    assert "Connection refused" in failure(OIDCCredentials(gone, clock=Clock(NOW)))
    text = failure(OIDCCredentials({**settings_here, "idp-issuer-url": "file:///etc"}, clock=Clock(NOW)))
    assert "https://" in text
    assert "no certificate in PEM" in failure(
        OIDCCredentials(settings_here, authority=b"x", clock=Clock(NOW))
    )


@pytest.mark.parametrize("expiry", ["soon", True, [1], {}])
def test_an_expiry_that_is_none(expiry: object, issuer: Issuer) -> None:
    text = sentence(lambda: credentials_of(issuer, id_token=id_token(expiry)))
    assert "JSON web token" in text


def test_a_token_without_an_expiry_has_expired(issuer: Issuer) -> None:
    issuer.answers = [(200, {"id_token": id_token(NOW + 100.5)})]
    credentials = credentials_of(issuer, id_token=id_token(None))
    assert asyncio.run(credentials.current()) == Credential(f"Bearer {id_token(NOW + 100.5)}")


def _written(path: Path, issuer: Issuer, **changes: str) -> Config:
    (path.parent / "ca.crt").write_bytes(issuer.authority)
    config = settings(issuer, **{"id-token": id_token(1), **changes})
    document = kubeconfig(user={"auth-provider": {"name": "oidc", "config": config}})
    document["users"].append({"name": "other", "user": {"token": "o", "unknown": {"a": [1]}}})
    document["unknown"] = {"kept": True}
    path.write_text("# a comment\n" + yaml.dump(document))
    return load_config(kubeconfig=path)


def test_new_tokens_are_written_back(issuer: Issuer, tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    path = tmp_path / "config"
    _written(real / "config", issuer, **{"idp-certificate-authority": "ca.crt"})
    (real / "config").chmod(0o640)
    path.symlink_to(real / "config")
    before = yaml.load(path.read_text())
    new = id_token(9_999_999_999)
    issuer.answers = [(200, {"id_token": new, "refresh_token": "r2"})]
    (tmp_path / "ca.crt").write_bytes(issuer.authority)
    config = load_config(kubeconfig=path)
    assert asyncio.run(shown(config)) == Credential(f"Bearer {new}")
    after = yaml.load(path.read_text())
    before["users"][0]["user"]["auth-provider"]["config"] |= {"id-token": new, "refresh-token": "r2"}
    assert after == before
    assert path.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert sorted(os.listdir(real)) == ["ca.crt", "config"]
    assert not path.with_name("config.lock").exists()
    # And what was written is what the next program starts with.
    assert asyncio.run(shown(load_config(kubeconfig=path))) == Credential(f"Bearer {new}")
    assert len(issuer.refreshes) == 1


def test_tokens_that_cannot_be_written_are_used_all_the_same(
    issuer: Issuer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "config"
    config = _written(path, issuer, **{"idp-certificate-authority-data": b64(issuer.authority)})
    new = id_token(9_999_999_999)
    issuer.answers = [(200, {"id_token": new})]
    path.write_text("users: [")
    assert asyncio.run(shown(config)) == Credential(f"Bearer {new}")
    assert "in memory only" in caplog.text
    assert SECRET not in caplog.text
    assert new not in caplog.text
    assert path.read_text() == "users: ["


def test_the_lock_of_another_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kubewright.config.write_back._PATIENCE", 0.1)
    path = tmp_path / "config"
    path.write_text(yaml.dump(kubeconfig(user={"auth-provider": {"name": "oidc", "config": {"a": "b"}}})))
    lock = tmp_path / "config.lock"
    lock.touch()
    assert str(lock) in sentence(lambda: write_auth_provider(path, "usr", {"c": "d"}))
    assert lock.exists()
    lock.unlink()
    old = path.read_bytes()
    write_auth_provider(path, "nobody", {"c": "d"})
    assert path.read_bytes() == old
    write_auth_provider(path, "usr", {"c": "d"})
    assert yaml.load(path.read_text())["users"][0]["user"]["auth-provider"]["config"] == {"c": "d"}
    assert "cannot write" in sentence(lambda: write_auth_provider(tmp_path / "none", "usr", {}))


def test_nothing_shows_a_secret(issuer: Issuer) -> None:
    assert SECRET not in repr(credentials_of(issuer, idp_issuer_url=f"https://u:{SECRET}@host"))
