"""Where the real programs are looked for, and what is said when they are not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.realcluster.binaries import (
    MissingBinary,
    find_binaries,
    find_controller_binaries,
    find_kubectl,
    find_webhook_suite,
)

PROGRAMS = ["etcd", "kube-apiserver", "kubectl"]
CONTROLLERS = ["kube-controller-manager", "kube-scheduler"]


def _program(path: Path, script: str = "exit 0") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_the_assets_of_envtest_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PROGRAMS:
        _program(tmp_path / name)
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(tmp_path))
    found = find_binaries()
    assert [found.etcd, found.kube_apiserver, found.kubectl] == [tmp_path / name for name in PROGRAMS]


def test_assets_that_lack_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _program(tmp_path / "kube-apiserver")
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(tmp_path))
    with pytest.raises(MissingBinary, match=f"there is no {tmp_path}/etcd: put it there"):
        find_binaries()


def test_no_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KUBEBUILDER_ASSETS", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingBinary, match="built with Go, which is not on PATH: install Go, or set KUBEB"):
        find_binaries()


# Stands for Go: tells a version, and "builds" by writing a program to where -o says.
_PRETEND_GO = """
if [ "$1" = env ]; then echo go0.0; exit 0; fi
while [ "$1" != -o ]; do shift; done
echo "$2" >> {calls}
printf '#!/bin/sh\\n' > "$2" && /bin/chmod +x "$2"
"""


def test_built_once_into_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KUBEBUILDER_ASSETS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path))
    _program(tmp_path / "go", _PRETEND_GO.format(calls=tmp_path / "calls"))
    # Left by a build that was killed.
    (tmp_path / "cache" / "kubewright" / "realcluster" / "building-x").mkdir(parents=True)
    found = find_binaries()
    assert found.etcd.is_relative_to(tmp_path / "cache" / "kubewright" / "realcluster")
    assert find_binaries() == found
    assert sorted(Path(line).name for line in (tmp_path / "calls").read_text().split()) == PROGRAMS
    assert sorted(path.name for path in found.etcd.parent.parent.iterdir()) == sorted(
        ["lock", found.etcd.parent.name]
    )


def test_controllers_are_built_beside_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KUBEBUILDER_ASSETS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path))
    _program(tmp_path / "go", _PRETEND_GO.format(calls=tmp_path / "calls"))
    server = find_binaries()
    found = find_controller_binaries()
    assert find_controller_binaries() == found
    assert find_binaries() == server
    assert found.kube_scheduler.parent == found.kube_controller_manager.parent != server.etcd.parent
    built = sorted(Path(line).name for line in (tmp_path / "calls").read_text().split())
    assert built == sorted([*PROGRAMS, *CONTROLLERS])


def test_the_suite_of_webhooks_is_built_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path))
    _program(tmp_path / "go", _PRETEND_GO.format(calls=tmp_path / "calls"))
    suite = find_webhook_suite()
    assert find_webhook_suite() == suite
    assert [Path(line).name for line in (tmp_path / "calls").read_text().split()] == [suite.name]


def test_assets_without_controllers_are_no_mistake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assets = tmp_path / "assets"
    for name in PROGRAMS:
        _program(assets / name)
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(assets))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path))
    _program(tmp_path / "go", _PRETEND_GO.format(calls=tmp_path / "calls"))
    assert find_controller_binaries().kube_scheduler.is_relative_to(tmp_path / "cache")
    for name in CONTROLLERS:
        _program(assets / name)
    assert find_controller_binaries().kube_scheduler == assets / "kube-scheduler"


def test_a_build_that_fails_leaves_nothing_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KUBEBUILDER_ASSETS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path))
    _program(tmp_path / "go", 'if [ "$1" = env ]; then exit 0; fi; echo "no such module" >&2; exit 1')
    with pytest.raises(MissingBinary, match=r"build kube-apiserver with Go \(no such module\): run `"):
        find_binaries()
    assert [path.name for path in (tmp_path / "cache" / "kubewright" / "realcluster").iterdir()] == ["lock"]


def test_the_users_own_kubectl_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _program(tmp_path / "path" / "kubectl")
    for name in PROGRAMS:
        _program(tmp_path / "assets" / name)
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(tmp_path / "assets"))
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    assert find_kubectl() == tmp_path / "path" / "kubectl"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_kubectl() == tmp_path / "assets" / "kubectl"
