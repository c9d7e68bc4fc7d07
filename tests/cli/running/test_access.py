"""Kubeconfigs of the program: those that choose a context, and those that act for a service account."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from kubewright.cli.running.access import Account, acting_as, with_context
from kubewright.config import ConfigError, load_config
from kubewright.machinery import yaml

OPERATOR = Account("shop-system", "operator")


def written(path: Path, user: dict[str, Any], *, current: str = "a") -> str:
    """A kubeconfig with the contexts a and b, whose users are the same."""
    path.parent.mkdir(parents=True, exist_ok=True)
    clusters = [{"name": name, "cluster": {"server": f"https://{name}:6443"}} for name in "ab"]
    contexts = [{"name": name, "context": {"cluster": name, "user": "me"}} for name in "ab"]
    users = [{"name": "me", "user": user}]
    document = {"clusters": clusters, "contexts": contexts, "users": users, "current-context": current}
    path.write_text(yaml.dump({"apiVersion": "v1", "kind": "Config", **document}))
    return str(path)


def loaded(value: str) -> Any:
    return load_config(environ={"KUBECONFIG": value})


def test_a_context_is_chosen_by_a_file_without_secrets(tmp_path: Path) -> None:
    kubeconfig = written(tmp_path / "config", {"token": "secret"})
    value = with_context(tmp_path, kubeconfig, "b")
    assert loaded(value).server == "https://b:6443"
    assert loaded(with_context(tmp_path, kubeconfig, None)).server == "https://a:6443"
    assert "secret" not in Path(value.split(os.pathsep)[0]).read_text()


def test_without_options_it_is_what_kubectl_would_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = tmp_path / "first"
    first.write_text("current-context: b")
    monkeypatch.setenv("KUBECONFIG", f"{first}{os.pathsep}{written(tmp_path / 'second', {})}")
    assert loaded(with_context(tmp_path, None, None)).server == "https://b:6443"


def test_acting_for_an_account(tmp_path: Path) -> None:
    kubeconfig = written(tmp_path / "config", {"token": "secret", "as": "somebody", "as-groups": ["g"]})
    value = acting_as(OPERATOR, tmp_path, kubeconfig, "b")
    config = loaded(value)
    assert (config.server, config.namespace) == ("https://b:6443", "shop-system")
    assert config.impersonation.user == "system:serviceaccount:shop-system:operator"
    assert config.impersonation.groups == ()
    assert stat.S_IMODE(Path(value.split(os.pathsep)[0]).stat().st_mode) == 0o600


def test_there_is_no_other_way_to_the_cluster(tmp_path: Path) -> None:
    """Whoever chose another context would act with the rights of the caller."""
    kubeconfig = written(tmp_path / "config", {"token": "secret"})
    value = acting_as(OPERATOR, tmp_path, kubeconfig, "b")
    assert value == str(tmp_path / "account")
    document = yaml.load(Path(value).read_text())
    assert [each["name"] for each in document["contexts"]] == ["shop-system/operator"]
    assert [each["name"] for each in document["users"]] == ["shop-system/operator"]
    assert [each["name"] for each in document["clusters"]] == ["b"]
    with pytest.raises(ConfigError, match="there is no context 'b'"):
        load_config(environ={"KUBECONFIG": value}, context="b")


def test_the_authority_of_the_cluster_is_found(tmp_path: Path) -> None:
    kubeconfig = Path(written(tmp_path / "kube" / "config", {"token": "secret"}))
    with_authority = kubeconfig.read_text().replace("server:", "certificate-authority: ca.crt\n    server:")
    kubeconfig.write_text(with_authority)
    value = acting_as(OPERATOR, tmp_path, str(kubeconfig), None)
    cluster = yaml.load(Path(value).read_text())["clusters"][0]["cluster"]
    assert cluster["certificate-authority"] == str(tmp_path / "kube" / "ca.crt")


def test_files_that_an_entry_names_are_found(tmp_path: Path) -> None:
    place = tmp_path / "kube"
    kubeconfig = written(place / "config", {"tokenFile": "token"})
    (place / "token").write_text("secret")
    assert str(place / "token") in repr(loaded(acting_as(OPERATOR, tmp_path, kubeconfig, None)).credentials)


def test_a_plugin_beside_the_kubeconfig_is_found(tmp_path: Path) -> None:
    plugin = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": "./login",
        "interactiveMode": "Never",
    }
    kubeconfig = written(tmp_path / "kube" / "config", {"exec": plugin})
    value = acting_as(OPERATOR, tmp_path, kubeconfig, None)
    user = yaml.load(Path(value.split(os.pathsep)[0]).read_text())["users"][0]["user"]
    assert Path(user["exec"]["command"]) == tmp_path / "kube" / "login"
    assert loaded(value).impersonation.user == OPERATOR.user


def test_without_a_kubeconfig_nobody_acts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    with pytest.raises(ConfigError, match="name one with --kubeconfig"):
        acting_as(OPERATOR, tmp_path, None, None)
    with pytest.raises(ConfigError, match="there is no kubeconfig"):
        with_context(tmp_path, str(tmp_path / "none"), None)
