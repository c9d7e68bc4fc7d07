"""Kubeconfigs, plugins and clocks for the tests beside this file."""

from __future__ import annotations

import base64
import json
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kubewright.config import Config, ConfigError, Credential

SECRET = "s3cr3t-t0ken-value"  # noqa: S105
"""What must never be seen in a message."""

V1 = "client.authentication.k8s.io/v1"
V1BETA1 = "client.authentication.k8s.io/v1beta1"


class Clock:
    """A clock that stands until it is set."""

    def __init__(self, now: float = 1000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def kubeconfig(
    *, user: dict[str, Any] | None = None, cluster: dict[str, Any] | None = None, **context: str
) -> dict[str, Any]:
    """A kubeconfig with one context `ctx`, cluster `clu` and user `usr`."""
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "clu", "cluster": {"server": "https://10.0.0.1:6443", **(cluster or {})}}],
        "users": [{"name": "usr", "user": user or {}}],
        "contexts": [{"name": "ctx", "context": {"cluster": "clu", "user": "usr", **context}}],
        "current-context": "ctx",
    }


def write(path: Path, document: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def sentence(load: Callable[[], object]) -> str:
    """The message of the ConfigError that a call raises: one line, ended by no stop, without the secret."""
    with pytest.raises(ConfigError) as caught:
        load()
    return checked(caught.value)


def checked(error: ConfigError) -> str:
    text = str(error)
    assert "\n" not in text
    assert SECRET not in repr(error)
    assert not text.endswith(".")
    # Nothing behind it that a traceback would show.
    assert error.__cause__ is None
    assert error.__suppress_context__ or error.__context__ is None
    return text


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def plugin(path: Path, body: str) -> Path:
    """A program in Python that counts its runs in `PATH.runs` and prints what `body` says."""
    code = f"#!{sys.executable} -SE\nimport json, os, sys, time\n"
    code += f"with open({str(path) + '.runs'!r}, 'a') as runs: runs.write('x')\n"
    path.write_text(code + textwrap.dedent(body), encoding="utf-8")
    path.chmod(0o755)
    return path


def prints(status: object, api_version: str = V1) -> str:
    """The body of a plugin that prints a status."""
    document = {"apiVersion": api_version, "kind": "ExecCredential", "status": status}
    return f"print({json.dumps(document)!r})\n"


def runs(path: Path) -> int:
    counted = Path(f"{path}.runs")
    return len(counted.read_text()) if counted.exists() else 0


async def shown(config: Config) -> Credential:
    return await config.credentials.current()
