"""Credential plugins, as real programs."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import subprocess
import sys
import textwrap
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from kubewright.config import (
    ClientCertificate,
    ConfigError,
    Credential,
    ExecCredentials,
    ExecPlugin,
    config_from_kubeconfig,
    load_config,
)
from kubewright.machinery.time import format_time
from tests.config.kubeconfigs import (
    SECRET,
    V1,
    V1BETA1,
    Clock,
    b64,
    checked,
    kubeconfig,
    plugin,
    prints,
    runs,
    shown,
    write,
)


def credentials_of(path: Path, *, clock: Clock | None = None, **changes: Any) -> ExecCredentials:
    settings = {"api_version": V1, "interactive_mode": "Never", **changes}
    timeout = settings.pop("timeout", 60.0)
    return ExecCredentials(
        ExecPlugin(command=str(path), **settings),
        clock=clock or Clock(),
        timeout=timeout,
        terminal=lambda: False,
    )


def failure(credentials: ExecCredentials) -> str:
    with pytest.raises(ConfigError) as caught:
        asyncio.run(credentials.current())
    return checked(caught.value)


@pytest.mark.parametrize("version", [V1, V1BETA1])
def test_a_token(version: str, tmp_path: Path) -> None:
    path = plugin(tmp_path / "p", prints({"token": "abc"}, version))
    credentials = credentials_of(path, api_version=version, interactive_mode="IfAvailable")

    async def body() -> None:
        first = await credentials.current()
        assert first == Credential("Bearer abc")
        assert await credentials.current() is first

    asyncio.run(body())
    # Without an expiry it is good until the server says otherwise, also in another event loop.
    asyncio.run(credentials.current())
    assert runs(path) == 1


def test_a_certificate(tmp_path: Path) -> None:
    certificate, key = "-----BEGIN CERTIFICATE-----\nM\n", "-----BEGIN EC PRIVATE KEY-----\nM\n"
    status = {"clientCertificateData": certificate, "clientKeyData": key, "token": None}
    credentials = credentials_of(plugin(tmp_path / "p", prints(status)))
    pair = ClientCertificate(certificate.encode(), key.encode())
    assert asyncio.run(credentials.current()) == Credential("", pair)


def test_a_hundred_waiters_make_one_run(tmp_path: Path) -> None:
    path = plugin(tmp_path / "p", "time.sleep(0.2)\n" + prints({"token": "abc"}))
    credentials = credentials_of(path)

    async def body() -> None:
        given = await asyncio.gather(*(credentials.current() for _ in range(100)))
        assert len({id(one) for one in given}) == 1
        rejected = await asyncio.gather(*(credentials.rejected(given[0]) for _ in range(100)))
        # The plugin gave the same token again: no reason to try once more.
        assert not any(rejected)
        # And whoever was slow to hear that the first one is rejected has nothing run again.
        assert not await credentials.rejected(given[0])

    asyncio.run(body())
    assert runs(path) == 2


def test_a_failed_run_fails_all_who_wait_and_is_tried_again(tmp_path: Path) -> None:
    path = plugin(tmp_path / "p", "time.sleep(0.1)\nsys.exit(3)\n")
    credentials = credentials_of(path)

    async def body() -> None:
        given = await asyncio.gather(*(credentials.current() for _ in range(10)), return_exceptions=True)
        assert all("exit code 3" in checked(one) for one in given if isinstance(one, ConfigError))
        assert len(given) == 10
        plugin(path, prints({"token": "abc"}))
        assert await credentials.current() == Credential("Bearer abc")

    asyncio.run(body())
    assert runs(path) == 2


def test_it_runs_again_when_it_has_expired(tmp_path: Path) -> None:
    end = datetime(2030, 1, 1, tzinfo=UTC)
    path = plugin(tmp_path / "p", prints({"token": "one", "expirationTimestamp": format_time(end)}))
    clock = Clock(end.timestamp() - 3600)
    credentials = credentials_of(path, clock=clock)

    async def body() -> None:
        first = await credentials.current()
        clock.now = end.timestamp()
        assert await credentials.current() is first
        plugin(path, prints({"token": "two", "expirationTimestamp": "2030-01-01T02:00:00+01:00"}))
        clock.now += 1
        assert (await credentials.current()).authorization == "Bearer two"
        # It asked whoever was rejected with the first one to use the second, and did not run again.
        assert await credentials.rejected(first)

    asyncio.run(body())
    assert runs(path) == 2


def test_it_runs_again_after_a_401_unless_somebody_had_it_done(tmp_path: Path) -> None:
    path = plugin(tmp_path / "p", f"n = os.path.getsize({str(tmp_path / 'p.runs')!r})\n" + PRINT_N)
    credentials = credentials_of(path)

    async def body() -> None:
        first = await credentials.current()
        assert first.authorization == "Bearer token-1"
        assert all(await asyncio.gather(*(credentials.rejected(first) for _ in range(20))))
        assert runs(path) == 2
        assert await credentials.rejected(first)
        assert runs(path) == 2
        assert (await credentials.current()).authorization == "Bearer token-2"

    asyncio.run(body())


PRINT_N = """
print(json.dumps({"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
                  "status": {"token": f"token-{n}"}}))
"""


def test_a_plugin_that_fails_after_a_401_leaves_the_401(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = plugin(tmp_path / "p", prints({"token": SECRET}))
    credentials = credentials_of(path)

    async def body() -> None:
        first = await credentials.current()
        plugin(path, f"print({SECRET!r})\n")
        assert not await credentials.rejected(first)
        assert await credentials.current() is first

    asyncio.run(body())
    assert "did not print JSON" in caplog.text
    assert SECRET not in caplog.text


BAD = {
    "nothing": ("", "did not print JSON"),
    "garbage": (f"print('{SECRET} {{')", "did not print JSON"),
    "bytes": (f"sys.stdout.buffer.write(b'\\xff\\x00{SECRET}')", "did not print JSON"),
    "a list": (f"print('[\"{SECRET}\"]')", "did not print JSON"),
    "another kind": (
        f'print(\'{{"kind": "Pod", "apiVersion": "v1", "token": "{SECRET}"}}\')',
        "no ExecCredential",
    ),
    "another version": (prints({"token": SECRET}, V1BETA1), "another version"),
    "no status": (prints(None), "without a status"),
    "a text as status": (prints(SECRET), "without a status"),
    "an empty status": (prints({}), "neither a token nor a certificate"),
    "a number as token": (prints({"token": 123456}), "status.token that is no string"),
    "a token in two lines": (prints({"token": f"{SECRET}\n{SECRET}"}), "header"),
    "a certificate alone": (prints({"clientCertificateData": SECRET}), "only one of"),
    "a key alone": (prints({"token": SECRET, "clientKeyData": SECRET}), "only one of"),
    "no PEM": (prints({"clientCertificateData": SECRET, "clientKeyData": SECRET}), "not PEM"),
    "no time": (prints({"token": SECRET, "expirationTimestamp": "tomorrow"}), "RFC 3339"),
    "a number as time": (prints({"token": SECRET, "expirationTimestamp": 5}), "RFC 3339"),
    "a failure": (f"print({SECRET!r}); sys.exit(7)", "exit code 7"),
    "a signal": ("os.kill(os.getpid(), 15)", "SIGTERM"),
    "too much": (f"sys.stdout.write({SECRET!r} * 100000)", "more than 1048576 bytes"),
    "endless output": (f"while True: sys.stdout.write({SECRET!r} * 1000)", "more than 1048576 bytes"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_plugins_give_one_sentence_each(case: str, tmp_path: Path) -> None:
    body, words = BAD[case]
    path = plugin(tmp_path / "p", body)
    text = failure(credentials_of(path))
    assert words in text
    assert str(path) in text


def test_yaml_is_read_as_client_go_does(tmp_path: Path) -> None:
    text = f"apiVersion: {V1}\nkind: ExecCredential\nstatus:\n  token: abc\n"
    credentials = credentials_of(plugin(tmp_path / "p", f"print({text!r})"))
    assert asyncio.run(credentials.current()) == Credential("Bearer abc")


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and was not asked for by its parent does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in {"Z", "X"}


HANGS = """
import subprocess
child = subprocess.Popen(["sleep", "600"])
with open(sys.argv[1], "w") as file: file.write(f"{os.getpid()} {child.pid}\\n")
time.sleep(600)
"""


def told_pids(path: Path) -> list[int]:
    text = path.read_text() if path.exists() else ""
    return [int(pid) for pid in text.split()] if text.endswith("\n") else []


async def started(path: Path) -> list[int]:
    while not (pids := told_pids(path)):  # noqa: ASYNC110 - another process tells
        await asyncio.sleep(0.01)
    return pids


async def gone(pids: list[int]) -> None:
    async with asyncio.timeout(60):
        while any(alive(pid) for pid in pids):  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.01)


def test_a_plugin_that_hangs_is_killed_with_all_that_it_started(tmp_path: Path) -> None:
    told = tmp_path / "pids"
    path = plugin(tmp_path / "p", HANGS)
    text = failure(credentials_of(path, arguments=(str(told),), timeout=2.0))
    assert "did not finish within 2 seconds" in text
    asyncio.run(gone(told_pids(told)))


def test_a_program_left_behind_does_not_keep_us(tmp_path: Path) -> None:
    """The plugin ends, and what it started holds its output: no answer is complete until that ends."""
    path = plugin(tmp_path / "p", HANGS.replace("time.sleep(600)", ""))
    told = tmp_path / "pids"
    assert "did not finish" in failure(credentials_of(path, arguments=(str(told),), timeout=2.0))
    asyncio.run(gone(told_pids(told)))


def test_the_last_who_is_cancelled_ends_the_run(tmp_path: Path) -> None:
    told = tmp_path / "pids"
    credentials = credentials_of(plugin(tmp_path / "p", HANGS), arguments=(str(told),))

    async def body() -> None:
        waiters = [asyncio.create_task(credentials.current()) for _ in range(3)]
        pids = await started(told)
        for waiter in waiters[:2]:
            waiter.cancel()
        await asyncio.wait(waiters[:2])
        assert all(alive(pid) for pid in pids)
        waiters[2].cancel()
        await asyncio.wait(waiters)
        assert all(waiter.cancelled() for waiter in waiters)
        await gone(pids)
        # And whoever comes next starts anew.
        plugin(tmp_path / "p", prints({"token": "abc"}))
        assert await credentials.current() == Credential("Bearer abc")
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(body())


def test_close_ends_the_run(tmp_path: Path) -> None:
    told = tmp_path / "pids"
    credentials = credentials_of(plugin(tmp_path / "p", HANGS), arguments=(str(told),))

    async def body() -> None:
        waiters = [asyncio.create_task(credentials.current()) for _ in range(3)]
        pids = await started(told)
        await credentials.close()
        await gone(pids)
        for result in await asyncio.gather(*waiters, return_exceptions=True):
            assert isinstance(result, ConfigError)
            assert "closed" in str(result)
        await credentials.close()

    asyncio.run(body())


def test_it_works_on_uvloop_and_in_a_thread(tmp_path: Path) -> None:
    uvloop = pytest.importorskip("uvloop")
    path = plugin(tmp_path / "p", prints({"token": "abc"}))

    def given(factory: Callable[[], asyncio.AbstractEventLoop]) -> Credential:
        with asyncio.Runner(loop_factory=factory) as runner:
            return runner.run(credentials_of(path).current())

    async def body(factory: Callable[[], asyncio.AbstractEventLoop]) -> None:
        assert await asyncio.to_thread(given, factory) == Credential("Bearer abc")

    for factory in (uvloop.new_event_loop, asyncio.new_event_loop):
        assert given(factory) == Credential("Bearer abc")
        asyncio.run(body(factory))
    assert "exit code" in failure(credentials_of(plugin(path, "sys.exit(1)")))


def test_what_the_plugin_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = tmp_path / "told"
    body = f"json.dump([sys.argv[1:], dict(os.environ)], open({str(told)!r}, 'w'))\n" + prints(
        {"token": "abc"}
    )
    (tmp_path / "bin").mkdir()
    plugin(tmp_path / "bin" / "p", body)
    monkeypatch.setenv("OURS", "yes")
    monkeypatch.setenv("CHANGED", "ours")
    entry = {
        "command": "./bin/p",
        "args": ["--flag", "a b"],
        "env": [{"name": "THEIRS", "value": "1"}, {"name": "CHANGED", "value": "theirs"}],
        "apiVersion": V1,
        "interactiveMode": "Never",
        "provideClusterInfo": True,
    }
    cluster = {
        "server": "https://host/prefix/?x=1",
        "certificate-authority-data": b64(b"pem"),
        "tls-server-name": "name",
        "proxy-url": "http://proxy:1",
        "extensions": [
            {"name": "other", "extension": {"a": 1}},
            {"name": "client.authentication.k8s.io/exec", "extension": {"audience": "x", "none": None}},
        ],
    }
    path = write(tmp_path / "config", kubeconfig(user={"exec": entry}, cluster=cluster))
    monkeypatch.chdir("/")
    assert asyncio.run(shown(load_config(kubeconfig=path))) == Credential("Bearer abc")
    arguments, environ = json.loads(told.read_text())
    assert arguments == ["--flag", "a b"]
    assert (environ["OURS"], environ["THEIRS"], environ["CHANGED"]) == ("yes", "1", "theirs")
    assert json.loads(environ["KUBERNETES_EXEC_INFO"]) == {
        "kind": "ExecCredential",
        "apiVersion": V1,
        "spec": {
            "cluster": {
                "server": "https://host/prefix/",
                "tls-server-name": "name",
                "certificate-authority-data": b64(b"pem"),
                "proxy-url": "http://proxy:1",
                "config": {"audience": "x", "none": None},
            },
            "interactive": False,
        },
    }
    del entry["provideClusterInfo"]
    asyncio.run(shown(config_from_kubeconfig(kubeconfig(user={"exec": entry}), directory=tmp_path)))
    spec = json.loads(json.loads(told.read_text())[1]["KUBERNETES_EXEC_INFO"])["spec"]
    assert spec == {"interactive": False}


def test_names_are_looked_for_in_path(tmp_path: Path) -> None:
    plugin(tmp_path / "my-plugin", prints({"token": "abc"}))
    entry = {"command": "my-plugin", "apiVersion": V1, "interactiveMode": "Never"}
    path = write(tmp_path / "config", kubeconfig(user={"exec": entry}))
    config = load_config(kubeconfig=path, environ={"PATH": str(tmp_path)})
    assert asyncio.run(shown(config)) == Credential("Bearer abc")


@pytest.mark.parametrize(
    ("command", "search"), [("no-such-plugin", "/usr/bin"), ("/no/such/plugin", ""), ("here", ".:")]
)
def test_a_plugin_that_is_not_installed(
    command: str, search: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    plugin(tmp_path / "here", prints({"token": "abc"}))
    settings = ExecPlugin(
        command=command, api_version=V1, interactive_mode="Never", install_hint="brew install \x1b[1mit"
    )
    text = failure(ExecCredentials(settings, environ={"PATH": search}))
    assert text == (
        f"the credential plugin {command!r} is not installed, or is not in PATH; brew install U+001B[1mit"
    )


def test_a_plugin_that_cannot_be_started(tmp_path: Path) -> None:
    path = tmp_path / "p"
    path.write_text("#!/no/such/interpreter\n")
    path.chmod(0o755)
    assert "cannot be started" in failure(credentials_of(path))
    path.chmod(0o644)
    assert "not installed" in failure(credentials_of(path))
    path = plugin(tmp_path / "q", "")
    assert "NUL" in failure(credentials_of(path, arguments=("\0",)))


def test_standard_error_is_ours(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = plugin(tmp_path / "p", "print('open your browser', file=sys.stderr)\n" + prints({"token": "abc"}))
    asyncio.run(credentials_of(path).current())
    assert capfd.readouterr() == ("", "open your browser\n")


INTERACTIVE = """
info = json.loads(os.environ["KUBERNETES_EXEC_INFO"])["spec"]["interactive"]
answer = sys.stdin.readline().strip()
print(json.dumps({"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
                  "status": {"token": f"{info}-{os.isatty(0)}-{answer}"}}))
"""

PROGRAM = """
import asyncio, sys
from kubewright.config import ConfigError, ExecCredentials, ExecPlugin
command, mode = sys.argv[1:]
plugin = ExecPlugin(command=command, api_version="client.authentication.k8s.io/v1", interactive_mode=mode)
try:
    print(asyncio.run(ExecCredentials(plugin).current()).authorization)
except ConfigError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("mode", "terminal", "answer"),
    [
        ("Never", True, "Bearer False-False-"),
        ("IfAvailable", True, "Bearer True-True-typed"),
        ("Always", True, "Bearer True-True-typed"),
        ("Never", False, "Bearer False-False-"),
        ("IfAvailable", False, "Bearer False-False-"),
        ("Always", False, "standard input is no terminal"),
    ],
)
def test_interactive_modes(mode: str, terminal: bool, answer: str, tmp_path: Path) -> None:
    path = plugin(tmp_path / "p", INTERACTIVE)
    command = [sys.executable, "-c", textwrap.dedent(PROGRAM), str(path), mode]
    ours, theirs = pty.openpty()
    try:
        os.write(ours, b"typed\n")
        done = subprocess.run(
            command,
            stdin=theirs if terminal else subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
    finally:
        os.close(ours)
        os.close(theirs)
    assert answer in done.stdout
