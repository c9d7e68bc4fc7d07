"""Finds kube-apiserver, etcd and kubectl of the release that kubewright speaks, and builds them when it must.

They are taken from $KUBEBUILDER_ASSETS, envtest's convention, when that is set. Otherwise they are built
with Go from the modules beside this file, once, into a cache outside the tree. etcd is built, too, and never
taken from PATH: distributions have releases on which kube-apiserver 1.36 refuses watch lists and does not
serve consistent lists from its cache, so that what the tests see would depend on the machine.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

__all__ = ["VERSION", "Binaries", "MissingBinary", "find_binaries", "find_kubectl"]

VERSION = "v1.36.4"
"""The release in go.mod; `go build` cannot know it, so that it is linked in for /version to tell."""

_HERE = Path(__file__).parent
_VERSION_PACKAGE = "k8s.io/component-base/version"
_LINKER_FLAGS = " ".join(
    [
        "-s -w",
        f"-X {_VERSION_PACKAGE}.gitVersion={VERSION}",
        f"-X {_VERSION_PACKAGE}.gitMajor=1",
        f"-X {_VERSION_PACKAGE}.gitMinor=36",
    ]
)


@dataclass(frozen=True)
class _Module:
    """A Go module beside this file, and the programs that are built from it: name by package."""

    directory: Path
    programs: dict[str, str]


# Two modules, so that what etcd needs does not move the versions that kube-apiserver is released with.
_MODULES = (
    _Module(
        _HERE,
        {
            "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
            "kubectl": "k8s.io/kubernetes/cmd/kubectl",
        },
    ),
    _Module(_HERE / "etcd", {"etcd": "go.etcd.io/etcd/server/v3"}),
)


_UNFINISHED = "building-"
"""Begins the names of directories in the cache that are not whole yet."""


class MissingBinary(Exception):
    """A program is not there and cannot be made; the message says what to do."""


@dataclass(frozen=True)
class Binaries:
    """Where the programs are."""

    kube_apiserver: Path
    etcd: Path
    kubectl: Path
    """That of the same release; `find_kubectl` prefers what the user has."""


def find_binaries() -> Binaries:
    """The programs of $KUBEBUILDER_ASSETS, else those of the cache, which the first call fills.

    Filling takes about four minutes on two cores and is announced on stderr; of several processes one builds
    and the others wait. Raises MissingBinary.
    """
    assets = os.environ.get("KUBEBUILDER_ASSETS")
    if assets:
        return _binaries_in(Path(assets), "$KUBEBUILDER_ASSETS is set, but there is no {}: put it there")
    return _binaries_in(_built(), "there is no {}; remove that directory, so that it is built anew")


def find_kubectl() -> Path:
    """The kubectl of PATH, else the one that `find_binaries` finds. Raises MissingBinary."""
    found = shutil.which("kubectl")
    return Path(found) if found else find_binaries().kubectl


def _binaries_in(directory: Path, complaint: str) -> Binaries:
    def program(name: str) -> Path:
        path = directory / name
        if not os.access(path, os.X_OK):
            raise MissingBinary(complaint.format(path))
        return path

    return Binaries(program("kube-apiserver"), program("etcd"), program("kubectl"))


def _built() -> Path:
    """The cache's directory for these modules and this Go, filled."""
    go = shutil.which("go")
    if go is None:
        raise MissingBinary(
            "kube-apiserver and etcd are built with Go, which is not on PATH: install Go, or set "
            "KUBEBUILDER_ASSETS to a directory with kube-apiserver, etcd and kubectl"
        )
    made = _cache() / _fingerprint(go)
    if made.is_dir():
        return made
    made.parent.mkdir(parents=True, exist_ok=True)
    with _locked(made.parent / "lock"):
        if not made.is_dir():
            _build_into(made, go)
    return made


def _cache() -> Path:
    root = os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "kubewright" / "realcluster"


def _fingerprint(go: str) -> str:
    """What the programs depend on, as a name: the modules, the flags, and Go's version and platform."""
    digest = hashlib.sha256(_LINKER_FLAGS.encode())
    for module in _MODULES:
        digest.update((module.directory / "go.mod").read_bytes())
        digest.update((module.directory / "go.sum").read_bytes())
    digest.update(_run([go, "env", "GOVERSION", "GOOS", "GOARCH"], _HERE, "ask Go for its version").encode())
    return digest.hexdigest()[:16]


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Holds a lock between processes, which ends with the process however it ends."""
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _tell("another process is building kube-apiserver and etcd; waiting for it")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _build_into(made: Path, go: str) -> None:
    """Builds beside the target and renames, so that the target is whole or not there."""
    for left in made.parent.glob(f"{_UNFINISHED}*"):
        # By a build that was killed: the lock says that no other is running.
        shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=made.parent, prefix=_UNFINISHED) as work:
        done = Path(work) / "bin"
        done.mkdir()
        for module in _MODULES:
            for name, package in module.programs.items():
                _tell(f"building {name} into {made}, once; all of it takes about four minutes")
                flags = ["-trimpath", "-ldflags", _LINKER_FLAGS, "-o", str(done / name)]
                _run([go, "build", *flags, package], module.directory, f"build {name}")
        done.rename(made)


def _run(command: Sequence[str], directory: Path, purpose: str) -> str:
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["it said nothing"]
        raise MissingBinary(
            f"could not {purpose} with Go ({lines[-1]}): run `{shlex.join(command)}` in {directory} to see "
            "all of it, or set KUBEBUILDER_ASSETS to a directory with kube-apiserver, etcd and kubectl"
        )
    return done.stdout


def _tell(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
