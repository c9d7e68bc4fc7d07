"""Which files are read, how they are merged, and what a kubeconfig's entries become."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kubewright.config import (
    ANONYMOUS,
    Config,
    ConfigError,
    Impersonation,
    config_from_kubeconfig,
    in_cluster,
    load_config,
)
from tests.config.kubeconfigs import SECRET, V1, b64, kubeconfig, sentence, shown, write

PEM = b"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"


def named(server: str, *, current: str = "", **names: str) -> dict[str, Any]:
    """A kubeconfig whose entries have other names."""
    document = kubeconfig(cluster={"server": server}, user={"token": server})
    for field, name in names.items():
        document[field][0]["name"] = name
    return {**document, "current-context": current}


def test_a_named_file_is_the_only_one(tmp_path: Path) -> None:
    one = write(tmp_path / "one", kubeconfig(cluster={"server": "https://one"}))
    two = write(tmp_path / "two", kubeconfig(cluster={"server": "https://two"}))
    assert load_config(kubeconfig=one, environ={"KUBECONFIG": str(two)}).server == "https://one"


def test_home_is_the_default(tmp_path: Path) -> None:
    write(tmp_path / ".kube" / "config", kubeconfig(cluster={"server": "https://home"}))
    assert load_config(environ={"HOME": str(tmp_path)}).server == "https://home"
    assert load_config(environ={"HOME": str(tmp_path), "KUBECONFIG": ""}).server == "https://home"


def test_the_first_file_wins_entry_by_entry(tmp_path: Path) -> None:
    first = named("https://first", users="other", contexts="other")
    second = named("https://second", current="ctx")
    paths = [write(tmp_path / "a", first), tmp_path / "missing", write(tmp_path / "b", second)]
    listed = os.pathsep.join(["", *map(str, paths)])
    config = load_config(environ={"KUBECONFIG": listed})
    # The cluster is in both files, the user and the context only in the second.
    assert config.server == "https://first"
    assert asyncio.run(shown(config)).authorization == "Bearer https://second"
    assert config.context == "ctx"


def test_an_entry_comes_whole_from_its_first_file(tmp_path: Path) -> None:
    first = write(tmp_path / "a", kubeconfig(cluster={"server": "https://first"}))
    second = write(tmp_path / "b", kubeconfig(cluster={"server": "https://second", "tls-server-name": "x"}))
    config = load_config(environ={"KUBECONFIG": f"{first}{os.pathsep}{second}"})
    assert (config.server, config.tls_server_name) == ("https://first", "")


def test_a_context_may_be_chosen(tmp_path: Path) -> None:
    document = kubeconfig()
    document["contexts"].append({"name": "second", "context": {"cluster": "clu", "namespace": "other"}})
    path = write(tmp_path / "config", document)
    assert load_config(kubeconfig=path).namespace == "default"
    chosen = load_config(kubeconfig=path, context="second")
    assert (chosen.namespace, chosen.context, chosen.credentials) == ("other", "second", ANONYMOUS)


def test_paths_are_relative_to_their_own_file(tmp_path: Path) -> None:
    for name in ("one/pki/ca.crt", "two/pki/token"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(name)
    cluster = kubeconfig(cluster={"certificate-authority": "pki/ca.crt"})
    user = kubeconfig(user={"tokenFile": "../two/pki/token"})
    one = write(tmp_path / "one" / "config", {**cluster, "users": []})
    two = write(tmp_path / "two" / "config", user)
    config = load_config(environ={"KUBECONFIG": f"{one}{os.pathsep}{two}"})
    assert config.authority == b"one/pki/ca.crt"
    assert config.authority_file == str(tmp_path / "one/pki/ca.crt")
    assert asyncio.run(shown(config)).authorization == "Bearer two/pki/token"


def test_a_text_is_relative_to_the_given_directory(tmp_path: Path) -> None:
    (tmp_path / "ca.crt").write_bytes(PEM)
    document = kubeconfig(cluster={"certificate-authority": "ca.crt"})
    assert config_from_kubeconfig(document, directory=tmp_path).authority == PEM


def test_all_of_a_cluster() -> None:
    config = config_from_kubeconfig(
        kubeconfig(
            cluster={
                "server": "https://host:6443/prefix/",
                "certificate-authority-data": b64(PEM)[:20] + "\n" + b64(PEM)[20:],
                "certificate-authority": "/does/not/exist",
                "tls-server-name": "kubernetes",
                "proxy-url": "socks5://user:hidden@proxy:1080",
                "disable-compression": True,
                "extensions": None,
            },
            namespace="kube-system",
        )
    )
    assert config == Config(
        server="https://host:6443/prefix",
        namespace="kube-system",
        authority=PEM,
        tls_server_name="kubernetes",
        proxy_url="socks5://user:hidden@proxy:1080",
        disable_compression=True,
        context="ctx",
    )
    assert "hidden" not in repr(config)
    assert "socks5://proxy:1080" in str(config)


def test_insecure() -> None:
    assert config_from_kubeconfig(kubeconfig(cluster={"insecure-skip-tls-verify": True})).insecure
    both = {"insecure-skip-tls-verify": True, "certificate-authority-data": b64(PEM)}
    assert "contradict" in sentence(lambda: config_from_kubeconfig(kubeconfig(cluster=both)))


def test_impersonation() -> None:
    user = {"as": "jane", "as-uid": "7", "as-groups": ["a", "b"], "as-user-extra": {"scopes": ["x", "y"]}}
    config = config_from_kubeconfig(kubeconfig(user=user))
    assert config.impersonation == Impersonation(
        user="jane", uid="7", groups=("a", "b"), extra={"scopes": ("x", "y")}
    )
    del user["as"]
    assert "without `as`" in sentence(lambda: config_from_kubeconfig(kubeconfig(user=user)))
    assert config_from_kubeconfig(kubeconfig()).impersonation is None


@pytest.mark.parametrize(
    ("written", "server"),
    [
        ("https://host", "https://host"),
        ("https://host/", "https://host"),
        ("https://host:6443/a/b/?x=1#y", "https://host:6443/a/b"),
        ("https://[2001:db8::1]:6443", "https://[2001:db8::1]:6443"),
        ("http://localhost:8080", "http://localhost:8080"),
        ("localhost:8080", "http://localhost:8080"),
        ("10.0.0.1:8080", "http://10.0.0.1:8080"),
        ("host", "http://host"),
    ],
)
def test_servers(written: str, server: str) -> None:
    assert config_from_kubeconfig(kubeconfig(cluster={"server": written})).server == server


def test_a_server_without_tls_gets_no_credentials() -> None:
    document = kubeconfig(cluster={"server": "http://host"}, user={"token": SECRET, "as": "jane"})
    config = config_from_kubeconfig(document)
    assert config.credentials is ANONYMOUS
    assert config.impersonation is not None


def _service_account(root: Path) -> Path:
    root.mkdir()
    (root / "token").write_text("pod-token\n")
    (root / "ca.crt").write_bytes(PEM)
    (root / "namespace").write_text("apps\n")
    return root


POD = {"KUBERNETES_SERVICE_HOST": "10.96.0.1", "KUBERNETES_SERVICE_PORT": "443"}


def test_a_pod(tmp_path: Path) -> None:
    root = _service_account(tmp_path / "sa")
    config = in_cluster(environ=POD, root=root)
    assert (config.server, config.namespace, config.authority) == ("https://10.96.0.1:443", "apps", PEM)
    assert asyncio.run(shown(config)).authorization == "Bearer pod-token"
    six = in_cluster(
        environ={**POD, "KUBERNETES_SERVICE_HOST": "fd00::1", "POD_NAMESPACE": "mine"}, root=root
    )
    assert (six.server, six.namespace) == ("https://[fd00::1]:443", "mine")


def test_a_pod_without_an_authority_trusts_the_systems(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    root = _service_account(tmp_path / "sa")
    (root / "ca.crt").unlink()
    (root / "namespace").unlink()
    config = in_cluster(environ=POD, root=root)
    assert (config.authority, config.authority_file, config.namespace) == (None, "", "default")
    assert "ca.crt" in caplog.text


def test_no_pod(tmp_path: Path) -> None:
    assert "KUBERNETES_SERVICE_HOST" in sentence(lambda: in_cluster(environ={}, root=tmp_path))
    assert str(tmp_path / "token") in sentence(lambda: in_cluster(environ=POD, root=tmp_path))


def test_the_pod_comes_last(tmp_path: Path) -> None:
    root = _service_account(tmp_path / "sa")
    environ = {**POD, "HOME": str(tmp_path)}
    assert load_config(environ=environ, root=root).server == "https://10.96.0.1:443"
    missing = {**environ, "KUBECONFIG": str(tmp_path / "missing")}
    assert load_config(environ=missing, root=root).server == "https://10.96.0.1:443"
    empty = tmp_path / ".kube" / "config"
    empty.parent.mkdir()
    empty.write_text("# nothing yet\n")
    assert load_config(environ=environ, root=root).server == "https://10.96.0.1:443"
    write(empty, kubeconfig())
    config = load_config(environ=environ, root=root)
    # As kubectl: the pod's namespace counts when the context names none.
    assert (config.server, config.namespace) == ("https://10.0.0.1:6443", "apps")
    write(empty, kubeconfig(namespace="default"))
    assert load_config(environ=environ, root=root).namespace == "default"


def test_a_named_file_is_never_passed_over(tmp_path: Path) -> None:
    root = _service_account(tmp_path / "sa")
    empty = tmp_path / "empty"
    empty.touch()
    assert str(empty) in sentence(lambda: load_config(kubeconfig=empty, environ=POD, root=root))
    missing = tmp_path / "missing"
    assert str(missing) in sentence(lambda: load_config(kubeconfig=missing, environ=POD, root=root))
    wanted = {**POD, "HOME": str(tmp_path)}
    assert "'x'" in sentence(lambda: load_config(context="x", environ=wanted, root=root))


def test_nothing_at_all_says_where_it_looked(tmp_path: Path) -> None:
    text = sentence(lambda: load_config(environ={"HOME": str(tmp_path)}, root=tmp_path / "sa"))
    assert str(tmp_path / ".kube" / "config") in text
    assert str(tmp_path / "sa") in text
    listed = f"{tmp_path / 'a'}{os.pathsep}{tmp_path / 'b'}"
    text = sentence(lambda: load_config(environ={"KUBECONFIG": listed}, root=tmp_path / "sa"))
    assert listed in text
    assert "HOME" in sentence(lambda: load_config(environ={}, root=tmp_path / "sa"))


def test_no_current_context(tmp_path: Path) -> None:
    path = write(tmp_path / "config", {**kubeconfig(), "current-context": ""})
    text = sentence(lambda: load_config(environ={"KUBECONFIG": str(path)}, root=tmp_path))
    assert text == f"{path} has no current-context; choose one of its contexts: ctx"


def _with(**changes: object) -> dict[str, Any]:
    return {**kubeconfig(user={"token": SECRET}), **changes}


BAD: dict[str, tuple[object, str]] = {
    "a list": (f"[{SECRET}]", "mapping"),
    "a text": (SECRET, "mapping"),
    "bad YAML": (f"users:\n- name: a\n  user: {{token: {SECRET}", "it breaks off at line"),
    "bad YAML that quotes": (f"users: *{SECRET}", "line 1, column 8"),
    "an alias within itself": ("contexts: &a [*a]", "line 1"),
    "no UTF-8": (b"users: \xff\xfe", "not YAML"),
    "another kind": (_with(kind="Pod"), "'Pod'"),
    "another version": (_with(apiVersion="v2"), "'v2'"),
    "users are no list": (_with(users={"a": SECRET}), "users"),
    "a user is a text": (_with(users=[{"name": "usr", "user": SECRET}]), "users[0].user"),
    "a token is a number": (_with(users=[{"name": "usr", "user": {"token": 123456}}]), "users[0].user.token"),
    "two users of a name": (_with(users=[{"name": "usr"}, {"name": "usr"}]), "'usr' twice"),
    "the context is missing": (_with(**{"current-context": "other"}), "choose one of its contexts: ctx"),
    "no cluster": (_with(contexts=[{"name": "ctx", "context": {"user": "usr"}}]), "names no cluster"),
    "the cluster is missing": (_with(clusters=[]), "names the cluster 'clu'"),
    "the user is missing": (_with(users=[]), "names the user 'usr'"),
    "the context names itself": (
        _with(contexts=[{"name": "ctx", "context": {"cluster": "ctx", "user": "ctx"}}]),
        "names the cluster 'ctx'",
    ),
    "no server": (kubeconfig(cluster={"server": ""}), "no server"),
    "server with a password": (kubeconfig(cluster={"server": f"https://a:{SECRET}@host"}), "password"),
    "server of another scheme": (kubeconfig(cluster={"server": "ftp://host"}), "ftp://host"),
    "server without a scheme": (kubeconfig(cluster={"server": "host/path"}), "host/path"),
    "server without a host": (kubeconfig(cluster={"server": "https://"}), "no address"),
    "server with a port that is none": (kubeconfig(cluster={"server": "https://host:abc"}), "no address"),
    "proxy of another scheme": (kubeconfig(cluster={"proxy-url": f"ftp://a:{SECRET}@host"}), "'ftp'"),
    "proxy without a host": (kubeconfig(cluster={"proxy-url": "http://"}), "no host"),
    "authority is no base64": (kubeconfig(cluster={"certificate-authority-data": SECRET}), "base64"),
    "authority is missing": (kubeconfig(cluster={"certificate-authority": "/no/such/file"}), "/no/such/file"),
    "certificate is no base64": (
        kubeconfig(user={"client-certificate-data": SECRET, "client-key-data": SECRET}),
        "client-certificate-data is not base64",
    ),
    "certificate without a key": (kubeconfig(user={"client-certificate": "a"}), "without its key"),
    "certificate is missing": (
        kubeconfig(user={"client-certificate": "/no/cert", "client-key": "/no/key"}),
        "/no/cert",
    ),
    "token file is missing": (kubeconfig(user={"tokenFile": "/no/token"}), "/no/token"),
    "token and password": (kubeconfig(user={"token": SECRET, "username": "a"}), "remove one"),
    "a token in two lines": (kubeconfig(user={"token": f"{SECRET}\n{SECRET}"}), "pasted"),
    "azure": (kubeconfig(user={"auth-provider": {"name": "azure"}}), "kubelogin"),
    "gcp": (kubeconfig(user={"auth-provider": {"name": "gcp"}}), "gke-gcloud-auth-plugin"),
    "unknown auth-provider": (kubeconfig(user={"auth-provider": {"name": "openstack"}}), "'openstack'"),
    "OIDC without an issuer": (kubeconfig(user={"auth-provider": {"name": "oidc"}}), "idp-issuer-url"),
    "OIDC token that is none": (
        kubeconfig(
            user={
                "auth-provider": {
                    "name": "oidc",
                    "config": {"idp-issuer-url": "https://i", "client-id": "c", "id-token": SECRET},
                }
            }
        ),
        "JSON web token",
    ),
    "exec and auth-provider": (
        kubeconfig(user={"exec": {"command": "a", "apiVersion": V1}, "auth-provider": {"name": "oidc"}}),
        "remove auth-provider",
    ),
    "exec without a command": (kubeconfig(user={"exec": {"apiVersion": V1}}), "no command"),
    "exec of an unknown version": (
        kubeconfig(user={"exec": {"command": "a", "apiVersion": "client.authentication.k8s.io/v1alpha1"}}),
        "v1alpha1",
    ),
    "exec without a version": (kubeconfig(user={"exec": {"command": "a"}}), "apiVersion ''"),
    "exec without a mode": (
        kubeconfig(user={"exec": {"command": "a", "apiVersion": V1}}),
        "no interactiveMode",
    ),
    "exec of an unknown mode": (
        kubeconfig(user={"exec": {"command": "a", "apiVersion": V1, "interactiveMode": "Maybe"}}),
        "'Maybe'",
    ),
    "exec with a nameless variable": (
        kubeconfig(user={"exec": {"command": "a", "apiVersion": V1, "env": [{"value": SECRET}]}}),
        "no name",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_kubeconfigs_give_one_sentence(case: str, tmp_path: Path) -> None:
    document, words = BAD[case]
    assert words in sentence(lambda: config_from_kubeconfig(document))  # type: ignore[arg-type]
    path = tmp_path / "config"
    if isinstance(document, dict):
        write(path, document)
    else:
        path.write_bytes(document if isinstance(document, bytes) else str(document).encode())
    assert words in sentence(lambda: load_config(kubeconfig=path))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    assert str(tmp_path) in sentence(lambda: load_config(kubeconfig=tmp_path))
    listed = {"KUBECONFIG": f"{write(tmp_path / 'a', kubeconfig())}{os.pathsep}{tmp_path}"}
    assert str(tmp_path) in sentence(lambda: load_config(environ=listed))


def test_what_kubectl_ignores_is_ignored() -> None:
    document = kubeconfig(user={"token": "t", "extensions": [], "unknown": 1, "username": None})
    document["preferences"] = {"colors": True}
    document["clusters"][0]["cluster"]["certificate-authority"] = None
    # A key without a certificate is not looked at, and of several documents only the first is read.
    document["users"][0]["user"]["client-key"] = "/no/such/file"
    assert asyncio.run(shown(config_from_kubeconfig(document))).authorization == "Bearer t"


def test_the_import_loads_nothing_slow() -> None:
    slow = (
        "asyncio",
        "ssl",
        "subprocess",
        "urllib.request",
        "http.client",
        "yaml",
        "cryptography",
        "aiohttp",
    )
    code = f"import sys, kubewright.config; print([name for name in {slow!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_config_error_is_ours() -> None:
    from kubewright import KubewrightError

    assert issubclass(ConfigError, KubewrightError)
