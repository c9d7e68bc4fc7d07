"""Finds the programs of Kubernetes of the release that kubewright speaks, and builds them when it must.

kube-apiserver, etcd and kubectl are one set; kube-controller-manager and kube-scheduler, which fewer tests
need, are another, and the tests of controller-runtime are a third, so that nobody waits for what he does not
use. They are taken from $KUBEBUILDER_ASSETS,
envtest's convention, when that is set. Otherwise they are built with Go from the modules beside this file,
once, into a cache outside the tree. etcd is built, too, and never taken from PATH: distributions have
releases on which kube-apiserver 1.36 refuses watch lists and does not serve consistent lists from its cache,
so that what the tests see would depend on the machine.
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

__all__ = [
    "VERSION",
    "Binaries",
    "ControllerBinaries",
    "MissingBinary",
    "find_binaries",
    "find_controller_binaries",
    "find_kubectl",
    "find_webhook_suite",
]

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
    build: tuple[str, ...] = ("build",)
    """The command of Go that makes a program of a package."""


# Two modules, so that what etcd needs does not move the versions that kube-apiserver is released with.
_SERVER_MODULES = (
    _Module(
        _HERE,
        {
            "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
            "kubectl": "k8s.io/kubernetes/cmd/kubectl",
        },
    ),
    _Module(_HERE / "etcd", {"etcd": "go.etcd.io/etcd/server/v3"}),
)
# Its module has the same versions as kube-apiserver's, so that Go compiles what they share once.
_CONTROLLER_MODULES = (
    _Module(
        _HERE / "controllers",
        {
            "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
            "kube-scheduler": "k8s.io/kubernetes/cmd/kube-scheduler",
        },
    ),
)
# The tests of a package as a program, unchanged.
_WEBHOOK_SUITE = "webhook.test"
_SUITE_MODULES = (
    _Module(
        _HERE / "controllerruntime",
        {_WEBHOOK_SUITE: "sigs.k8s.io/controller-runtime/pkg/webhook"},
        build=("test", "-c"),
    ),
)

_UNFINISHED = "building-"
"""Begins the names of directories in the cache that are not whole yet."""

_REMOVE = "there is no {}; remove that directory, so that it is built anew"
"""What is wrong with a directory of the cache that lacks a program."""


class MissingBinary(Exception):
    """A program is not there and cannot be made; the message says what to do."""


@dataclass(frozen=True)
class Binaries:
    """Where the programs are."""

    kube_apiserver: Path
    etcd: Path
    kubectl: Path
    """That of the same release; `find_kubectl` prefers what the user has."""


@dataclass(frozen=True)
class ControllerBinaries:
    """Where the programs are that make a server a cluster."""

    kube_controller_manager: Path
    kube_scheduler: Path


def find_binaries() -> Binaries:
    """The programs of $KUBEBUILDER_ASSETS, else those of the cache, which the first call fills.

    Filling takes about four minutes on two cores and is announced on stderr; of several processes one builds
    and the others wait. Raises MissingBinary.
    """
    assets = os.environ.get("KUBEBUILDER_ASSETS")
    if assets:
        return _binaries_in(Path(assets), "$KUBEBUILDER_ASSETS is set, but there is no {}: put it there")
    return _binaries_in(_built(_SERVER_MODULES), _REMOVE)


def find_controller_binaries() -> ControllerBinaries:
    """Those of $KUBEBUILDER_ASSETS where it has both, else those of the cache, which the first call fills.

    envtest's own assets have neither, so that a directory without them is no mistake. Filling takes about two
    minutes after `find_binaries` filled its part. Raises MissingBinary.
    """
    programs = [name for module in _CONTROLLER_MODULES for name in module.programs]
    assets = os.environ.get("KUBEBUILDER_ASSETS")
    if assets and all(os.access(Path(assets) / name, os.X_OK) for name in programs):
        directory = Path(assets)
    else:
        directory = _built(_CONTROLLER_MODULES)
    return ControllerBinaries(*(_program_in(directory, name, _REMOVE) for name in programs))


def find_webhook_suite() -> Path:
    """The webhook suite of controller-runtime, from the cache, which the first call fills in about a minute.

    Raises MissingBinary.
    """
    return _program_in(_built(_SUITE_MODULES), _WEBHOOK_SUITE, _REMOVE)


def find_kubectl() -> Path:
    """The kubectl of PATH, else the one that `find_binaries` finds. Raises MissingBinary."""
    found = shutil.which("kubectl")
    return Path(found) if found else find_binaries().kubectl


def _binaries_in(directory: Path, complaint: str) -> Binaries:
    return Binaries(
        *(_program_in(directory, name, complaint) for name in ("kube-apiserver", "etcd", "kubectl"))
    )


def _program_in(directory: Path, name: str, complaint: str) -> Path:
    path = directory / name
    if not os.access(path, os.X_OK):
        raise MissingBinary(complaint.format(path))
    return path


def _built(modules: Sequence[_Module]) -> Path:
    """The cache's directory for these modules and this Go, filled."""
    go = shutil.which("go")
    if go is None:
        raise MissingBinary(
            f"{_listed(modules)} are built with Go, which is not on PATH: install Go, or set "
            f"KUBEBUILDER_ASSETS to a directory with {_listed(modules)}"
        )
    made = _cache() / _fingerprint(go, modules)
    if made.is_dir():
        return made
    made.parent.mkdir(parents=True, exist_ok=True)
    with _locked(made.parent / "lock"):
        if not made.is_dir():
            _build_into(made, go, modules)
    return made


def _cache() -> Path:
    root = os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "kubewright" / "realcluster"


def _listed(modules: Sequence[_Module]) -> str:
    *most, last = [name for module in modules for name in module.programs]
    return f"{', '.join(most)} and {last}" if most else last


def _fingerprint(go: str, modules: Sequence[_Module]) -> str:
    """What the programs depend on, as a name: the modules, the flags, and Go's version and platform."""
    digest = hashlib.sha256(_LINKER_FLAGS.encode())
    for module in modules:
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
            _tell("another process is building programs of Kubernetes; waiting for it")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _build_into(made: Path, go: str, modules: Sequence[_Module]) -> None:
    """Builds beside the target and renames, so that the target is whole or not there."""
    for left in made.parent.glob(f"{_UNFINISHED}*"):
        # By a build that was killed: the lock says that no other is running.
        shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=made.parent, prefix=_UNFINISHED) as work:
        done = Path(work) / "bin"
        done.mkdir()
        for module in modules:
            for name, package in module.programs.items():
                _tell(f"building {name} into {made}, once; Go may take minutes for it")
                flags = ["-trimpath", "-ldflags", _LINKER_FLAGS, "-o", str(done / name)]
                _run([go, *module.build, *flags, package], module.directory, f"build {name}")
        done.rename(made)


def _run(command: Sequence[str], directory: Path, purpose: str) -> str:
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["it said nothing"]
        raise MissingBinary(
            f"could not {purpose} with Go ({lines[-1]}): run `{shlex.join(command)}` in {directory} to see "
            "all of it, or set KUBEBUILDER_ASSETS to a directory that has the programs"
        )
    return done.stdout


def _tell(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    # Before the tests, whose workers would wait for one another without a word of what for.
    find_binaries()
    find_controller_binaries()
    find_webhook_suite()
