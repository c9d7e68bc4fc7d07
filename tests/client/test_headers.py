"""What goes into headers and comes out of them: warnings, impersonation, the name of the program, proxies."""

from __future__ import annotations

import sys

import pytest

from kubewright.client.impersonation import impersonation_headers
from kubewright.client.proxies import proxy_of
from kubewright.client.user_agent import default_user_agent
from kubewright.client.warning_headers import read_warnings
from kubewright.config import Config, ConfigError, Impersonation


def test_warnings_are_read_and_unquoted() -> None:
    headers = [
        '299 - "v1 Endpoints is deprecated"',
        r'299 k8s "say \"a\\b\"", 299 - "two"',
        '199 - "no"',
        "x",
    ]
    assert list(read_warnings(headers)) == ["v1 Endpoints is deprecated", 'say "a\\b"', "two"]


def test_nobody_else_is_acted_for() -> None:
    assert not impersonation_headers(None)


def test_all_of_somebody_else_is_said() -> None:
    somebody = Impersonation(user="ann", uid="7", groups=("a", "b"), extra={"example.com/Scopes": ("x", "y")})
    assert list(impersonation_headers(somebody)) == [
        ("Impersonate-User", "ann"),
        ("Impersonate-Uid", "7"),
        ("Impersonate-Group", "a"),
        ("Impersonate-Group", "b"),
        ("Impersonate-Extra-example.com%2FScopes", "x"),
        ("Impersonate-Extra-example.com%2FScopes", "y"),
    ]


@pytest.mark.parametrize(
    ("argument", "name"),
    [
        ("/usr/bin/my-operator", "my-operator"),
        ("deploy.py", "deploy"),
        ("-c", "python"),
        ("", "python"),
        ("/x/__main__.py", "python"),
        ("bad name\n€", "badname"),
    ],
)
def test_the_program_names_itself(monkeypatch: pytest.MonkeyPatch, argument: str, name: str) -> None:
    monkeypatch.setattr(sys, "argv", [argument])
    assert default_user_agent().partition("/")[0] == name


PROXY_VARIABLES = ("HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "ALL_PROXY")


@pytest.fixture
def environ(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in PROXY_VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    return monkeypatch


def test_no_proxy(environ: pytest.MonkeyPatch) -> None:
    assert proxy_of(Config(server="https://example.com")) is None


def test_the_proxy_of_the_configuration_comes_first(environ: pytest.MonkeyPatch) -> None:
    environ.setenv("https_proxy", "http://other:1")
    found = proxy_of(Config(server="https://example.com", proxy_url="http://proxy:3128"))
    assert found is not None
    assert (found.url, found.headers) == ("http://proxy:3128", {})


def test_the_proxy_of_the_environment_with_its_exceptions(environ: pytest.MonkeyPatch) -> None:
    environ.setenv("HTTPS_PROXY", "proxy:3128")
    environ.setenv("NO_PROXY", "localhost,.internal")
    found = proxy_of(Config(server="https://example.com:6443"))
    assert found is not None
    assert found.url == "http://proxy:3128"
    assert proxy_of(Config(server="https://api.internal:6443")) is None
    assert proxy_of(Config(server="http://example.com")) is None


def test_the_password_of_a_proxy_is_in_a_header_and_nowhere_else(environ: pytest.MonkeyPatch) -> None:
    found = proxy_of(Config(server="https://example.com", proxy_url="http://ann:s%40cret@proxy:3128"))
    assert found is not None
    assert found.url == "http://proxy:3128"
    assert found.headers == {"Proxy-Authorization": "Basic YW5uOnNAY3JldA=="}
    assert "cret" not in repr(found)


def test_a_proxy_that_cannot_be_used(environ: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match="has the scheme 'socks5'; http and https can be used"):
        proxy_of(Config(server="https://example.com", proxy_url="socks5://ann:secret@proxy:1080"))
