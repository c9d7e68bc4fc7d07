"""Writing renewed tokens back into the kubeconfig that they came from, as kubectl does."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from kubewright.config.errors import ConfigError
from kubewright.machinery import yaml
from kubewright.machinery.errors import DecodeError, EncodeError

__all__ = ["write_auth_provider"]

_PATIENCE: Final = 2.0
"""Seconds to wait for another program that holds the lock: it writes a small file, too."""

_PAUSE: Final = 0.05


def write_auth_provider(path: Path, user: str, config: Mapping[str, str]) -> None:
    """Put a new config into the auth-provider of a user, and keep all else in the file but comments.

    The file is replaced in one step and keeps its mode; a link stays a link. It is locked as kubectl locks
    it, with FILE.lock. A user who is not there any more, or has no auth-provider, is left alone. Blocks;
    raises ConfigError.
    """
    try:
        with _locked(path):
            document = yaml.load(path.read_bytes())
            if _changed(document, user, config):
                _replace(Path(os.path.realpath(path)), yaml.dump(document).encode())
    except (DecodeError, EncodeError):
        raise ConfigError(f"{path} does not hold one YAML document any more; repair the file") from None
    except OSError as error:
        raise ConfigError(f"cannot write {path}: {error.strerror}; make it and its folder writable") from None


def _changed(document: Any, user: str, config: Mapping[str, str]) -> bool:
    users = document.get("users") if isinstance(document, dict) else None
    for entry in users if isinstance(users, list) else ():
        if isinstance(entry, dict) and entry.get("name") == user:
            details = entry.get("user")
            provider = details.get("auth-provider") if isinstance(details, dict) else None
            if isinstance(provider, dict):
                provider["config"] = dict(config)
                return True
    return False


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    lock = Path(f"{path}.lock")
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL, 0))
        except FileExistsError:
            if time.monotonic() >= deadline:
                raise ConfigError(f"{lock} is held by another program; remove it if there is none") from None
            time.sleep(_PAUSE)
        else:
            break
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)


def _replace(path: Path, data: bytes) -> None:
    """Give a file another content, so that whoever reads it sees the old or the new one."""
    old = path.stat()
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(descriptor, old.st_mode & 0o7777)
            if (old.st_uid, old.st_gid) != (os.geteuid(), os.getegid()):
                # Another owner's file: who may not give files away leaves it as it is.
                with suppress(PermissionError):
                    os.fchown(descriptor, old.st_uid, old.st_gid)
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
