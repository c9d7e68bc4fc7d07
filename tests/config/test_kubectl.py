"""The same files given to kubectl and to us: the same is chosen, and plugins are told the same."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from kubewright.config import Config, ConfigError, load_config
from kubewright.config.kubeconfig import Kubeconfig, read
from tests.config.kubeconfigs import V1, V1BETA1, b64, kubeconfig, plugin, prints, shown, write
from tests.realcluster.binaries import find_kubectl

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def kubectl() -> Path:
    return find_kubectl()


def run(kubectl: Path, environ: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(kubectl), *arguments], env=environ, capture_output=True, text=True, timeout=60, check=False
    )


def entry(name: str, number: int) -> dict[str, Any]:
    return {"name": name, "cluster": {"server": f"https://{name}-{number}"}}


def document(
    number: int, clusters: str, users: str, contexts: dict[str, str], current: str = ""
) -> dict[str, Any]:
    """A file whose servers and tokens tell which file they come from."""
    return {
        "clusters": [entry(name, number) for name in clusters],
        "users": [{"name": name, "user": {"token": f"{name}-{number}"}} for name in users],
        "contexts": [
            {"name": name, "context": {"cluster": pair[0], "user": pair[1], "namespace": f"n{number}"}}
            for name, pair in contexts.items()
        ],
        "current-context": current,
    }


MERGES = {
    "one": [document(1, "a", "u", {"x": "au"}, "x")],
    "the first current-context": [
        document(1, "a", "u", {"x": "au"}, "y"),
        document(2, "b", "v", {"y": "bv"}, "x"),
    ],
    "the second current-context": [
        document(1, "ab", "uv", {"x": "au", "y": "bv"}),
        document(2, "ab", "uv", {"x": "bv", "y": "au"}, "x"),
    ],
    "spread over three": [
        document(1, "", "u", {}, ""),
        document(2, "ab", "", {"y": "bv"}, "x"),
        document(3, "a", "uv", {"x": "bu"}, "y"),
    ],
}


@pytest.mark.parametrize("case", MERGES)
def test_merging(case: str, kubectl: Path, tmp_path: Path) -> None:
    paths = [write(tmp_path / str(number), one) for number, one in enumerate(MERGES[case])]
    listed = os.pathsep.join([str(tmp_path / "missing"), *map(str, paths), str(paths[0])])
    environ = {"KUBECONFIG": listed, "HOME": str(tmp_path)}
    done = run(kubectl, environ, "config", "view", "--raw", "--minify", "-o", "json")
    view = json.loads(done.stdout)
    config = load_config(environ=environ)
    assert config.context == view["current-context"]
    assert config.server == view["clusters"][0]["cluster"]["server"]
    assert config.namespace == view["contexts"][0]["context"]["namespace"]
    token = asyncio.run(shown(config)).authorization
    assert token == f"Bearer {view['users'][0]['user']['token']}"


def test_paths(kubectl: Path, tmp_path: Path) -> None:
    for name in ("ca.crt", "c.crt", "c.key", "token"):
        (tmp_path / name).write_text(name)
    user = {"client-certificate": "../c.crt", "client-key": "../c.key"}
    path = write(
        tmp_path / "sub" / "config", kubeconfig(user=user, cluster={"certificate-authority": "../ca.crt"})
    )
    done = run(
        kubectl,
        {"HOME": "/"},
        f"--kubeconfig={path}",
        "config",
        "view",
        "--raw",
        "--minify",
        "--flatten",
        "-o",
        "json",
    )
    view = json.loads(done.stdout)
    config = load_config(kubeconfig=path)
    assert config.authority is not None
    assert b64(config.authority) == view["clusters"][0]["cluster"]["certificate-authority-data"]
    credential = asyncio.run(shown(config))
    assert credential.certificate is not None
    assert b64(credential.certificate.key) == view["users"][0]["user"]["client-key-data"]


REFUSED: dict[str, object] = {
    "another kind": {**kubeconfig(), "kind": "Pod"},
    "another version": {**kubeconfig(), "apiVersion": "v2"},
    "a number as token": kubeconfig(user={"token": 5}),
    "users as mapping": {**kubeconfig(), "users": {}},
    "two of a name": {**kubeconfig(), "users": [{"name": "a"}, {"name": "a"}]},
    "a text": "hello",
    "broken YAML": "a: [",
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_kubectl_does_not_read_we_do_not_read(case: str, kubectl: Path, tmp_path: Path) -> None:
    path = tmp_path / "config"
    what = REFUSED[case]
    path.write_text(what if isinstance(what, str) else json.dumps(what))
    assert run(kubectl, {"HOME": "/"}, f"--kubeconfig={path}", "config", "view").returncode != 0
    with pytest.raises(ConfigError):
        read(path)


READ = {
    "nothing": "",
    "a comment": "# nothing\n",
    "nulls": "clusters: null\nusers:\ncontexts: ~\ncurrent-context:\n",
    "no kind": "clusters: []\n",
    "unknown fields": "clusters: []\nmore: {a: 1}\n",
    "two documents": "current-context: a\n---\ncurrent-context: b\n",
    "nulls inside": "users: [{name: a, user: null}]\nclusters: [{name: a, cluster: {server: null}}]\n",
}


@pytest.mark.parametrize("case", READ)
def test_what_kubectl_reads_we_read(case: str, kubectl: Path, tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text(READ[case])
    done = run(kubectl, {"HOME": "/"}, f"--kubeconfig={path}", "config", "view", "--raw", "-o", "json")
    assert done.returncode == 0, done.stderr
    view = json.loads(done.stdout)
    ours: Kubeconfig = read(path)
    assert ours.current_context == view["current-context"]
    assert sorted(ours.users) == [one["name"] for one in view["users"] or ()]
    assert sorted(ours.clusters) == [one["name"] for one in view["clusters"] or ()]


@pytest.mark.parametrize("version", [V1, V1BETA1])
@pytest.mark.parametrize(
    "server", ["https://127.0.0.1:1", "https://127.0.0.1:1/", "https://127.0.0.1:1/a/b/"]
)
@pytest.mark.parametrize("informed", [True, False])
def test_plugins_are_told_the_same(
    version: str, server: str, informed: bool, kubectl: Path, tmp_path: Path
) -> None:
    told = tmp_path / "told"
    body = f"open({str(told)!r}, 'w').write(os.environ['KUBERNETES_EXEC_INFO'])\n"
    plugin(tmp_path / "p", body + prints({"token": "abc"}, version))
    entry = {
        "command": "./p",
        "apiVersion": version,
        "interactiveMode": "Never",
        "provideClusterInfo": informed,
    }
    cluster = {
        "server": server,
        "insecure-skip-tls-verify": True,
        "proxy-url": "http://127.0.0.1:1",
        "extensions": [{"name": "client.authentication.k8s.io/exec", "extension": {"a": [1, None]}}],
    }
    path = write(
        tmp_path / "config",
        kubeconfig(user={"exec": entry}, cluster=cluster if informed else {"server": server}),
    )
    environ = {"HOME": str(tmp_path), "KUBECONFIG": str(path), "PATH": os.environ["PATH"]}
    run(kubectl, environ, "get", "--raw", "/version", "--request-timeout=2s")
    theirs = told.read_text()
    told.unlink()
    config: Config = load_config(environ=environ)
    asyncio.run(shown(config))
    assert json.loads(told.read_text()) == json.loads(theirs)
