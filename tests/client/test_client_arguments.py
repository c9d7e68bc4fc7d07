"""What `Client` and `Api` are told: a file, a kind, a patch; and the sentences for what they cannot use."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from kubewright.client.client import Client
from kubewright.config import Config, ConfigError
from kubewright.models.core_v1 import Pod
from kubewright.sync import Client as BlockingClient

KUBECONFIG = """
apiVersion: v1
kind: Config
current-context: first
clusters:
- name: here
  cluster: {server: "https://here.example.com"}
- name: there
  cluster: {server: "https://there.example.com"}
contexts:
- name: first
  context: {cluster: here, user: nobody}
- name: second
  context: {cluster: there, user: nobody}
users:
- name: nobody
  user: {}
"""


@pytest.mark.parametrize("kind", [Client, BlockingClient])
def test_a_kubeconfig_and_one_of_its_contexts(kind: Any, tmp_path: Path) -> None:
    file = tmp_path / "kubeconfig"
    file.write_text(KUBECONFIG)
    assert kind(kubeconfig=file).config.server == "https://here.example.com"
    assert kind(kubeconfig=str(file), context="second").config.server == "https://there.example.com"
    with pytest.raises(ConfigError, match="there is no kubeconfig"):
        kind(kubeconfig=tmp_path / "other")


def test_a_path_alone_is_no_configuration() -> None:
    path: Any = "~/.kube/config"
    with pytest.raises(TypeError, match=r"write Client\(kubeconfig='~/.kube/config'\)"):
        Client(path)


def test_a_name_is_no_kind() -> None:
    name: Any = "Pod"
    with pytest.raises(TypeError, match=r"api\('Pod'\): give the class of a kind, .* client\.dynamic\("):
        Client(Config(server="https://127.0.0.1")).api(name, "default")


def test_a_patch_is_one_of_four() -> None:
    async def test() -> None:
        kind: Any = "application/merge-patch+json"
        async with Client(Config(server="https://127.0.0.1:1")) as client:
            with pytest.raises(ValueError, match="write one of merge, json, strategic, apply"):
                await client.api(Pod, "default").patch("web", {}, type=kind)

    asyncio.run(test())


def test_whoever_enters_the_wrong_client_is_told_which_is_the_other() -> None:
    config = Config(server="https://127.0.0.1")
    plain: Any = Client(config)
    with (
        pytest.raises(TypeError, match=r"write async with .* of kubewright\.sync"),
        plain,
    ):
        raise AssertionError("unreachable")

    async def test() -> None:
        blocking: Any = BlockingClient(config)
        async with blocking:
            raise AssertionError("unreachable")

    with pytest.raises(TypeError, match=r"write with .* from kubewright"):
        asyncio.run(test())
