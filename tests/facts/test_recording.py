"""Recording from a server: what is stored is what the real one says, and no extension gets in."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from facts import KUBERNETES
from facts.errors import RecordingError
from facts.normal_form import render_json
from facts.recording import read_server, record, write_documents
from kubewright import Client
from kubewright.config import Config
from kubewright.models.apiregistration_v1 import APIService
from kubewright.testing import Cluster
from kubewright.version import KUBERNETES_VERSION
from tests.realcluster.server import RealServer

WITHIN = 120.0
"""Seconds that the server may take on a busy machine to notice a definition."""

DEFINITION = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.facts.example.com}
spec:
  group: facts.example.com
  scope: Namespaced
  names: {plural: gadgets, kind: Gadget}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object}}
"""


def stored() -> dict[str, str]:
    return {path.relative_to(KUBERNETES).as_posix(): path.read_text() for path in KUBERNETES.rglob("*.json")}


def test_the_stored_facts_are_of_the_release_that_is_spoken() -> None:
    assert json.loads((KUBERNETES / "version.json").read_text()) == {"gitVersion": f"v{KUBERNETES_VERSION}"}


def test_the_embedded_server_says_what_is_stored() -> None:
    async def read() -> dict[str, Any]:
        async with Cluster() as cluster, Client(cluster.config) as client:
            return await read_server(client)

    documents = asyncio.run(read())
    texts = stored()
    del texts["protobuf-fields.json"]  # not served
    assert documents.keys() == texts.keys()
    del texts["version.json"]  # says kubewright's version as well
    for name, text in texts.items():
        assert render_json(documents[name]) == text, name


def test_documents_replace_what_was_recorded_before(tmp_path: Path) -> None:
    directory = tmp_path / "facts"
    write_documents({"version.json": "1\n", "openapi-v3/old.json": "2\n"}, directory)
    write_documents({"version.json": "3\n", "openapi-v3/new.json": "4\n"}, directory)
    files = {path.relative_to(directory).as_posix() for path in directory.rglob("*") if path.is_file()}
    assert files == {"version.json", "openapi-v3/new.json"}
    assert (directory / "version.json").read_text() == "3\n"


def test_a_directory_of_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").touch()
    with pytest.raises(RecordingError, match="holds other files than recorded facts"):
        write_documents({"version.json": "1\n"}, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


@pytest.mark.real
def test_the_real_server_says_what_is_stored_and_says_it_twice() -> None:
    # Not the server that tests share, which has their definitions.
    with RealServer(fsync=False) as server:
        asyncio.run(_compare(server.config))


async def _compare(config: Config) -> None:
    async with Client(config) as client:
        documents = await record(client)
        assert documents.keys() == stored().keys(), "run make facts"
        for name, text in stored().items():
            assert documents[name] == text, f"{name} differs; run make facts"
        assert await record(client) == documents
        await client.apply_yaml(DEFINITION)
        async with asyncio.timeout(WITHIN):
            async for event in client.api(APIService).watch():
                if event.object.metadata.name == "v1.facts.example.com":
                    break
        with pytest.raises(RecordingError, match=r"more than the built-in kinds \(v1\.facts\.example\.com\)"):
            await record(client)
