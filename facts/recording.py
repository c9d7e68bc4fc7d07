"""Asks a kube-apiserver for its documents and puts them into the form in which they are stored."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from facts.errors import RecordingError
from facts.normal_form import normalize_openapi, render_json
from facts.protobuf import download_modules, module_version, read_messages
from kubewright import Client

__all__ = ["read_server", "record", "write_documents"]

_VERSION: Final = "version.json"
_V3: Final = "openapi-v3"

_DISCOVERY: Final = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
_TABLE: Final = "application/json;as=Table;v=v1;g=meta.k8s.io"

_MANAGED: Final = "kube-aggregator.kubernetes.io/automanaged"
"""The label of an APIService that the server made: `onstart` for built-ins, `true` for custom resources."""


_PATIENCE: Final = 120.0
"""Seconds that a server may take to have its OpenAPI documents; one that is not busy needs about two."""

_INTERVAL: Final = 0.5
"""Seconds between looks at them; a document of OpenAPI v2 has megabytes."""


async def record(client: Client) -> dict[str, str]:
    """All that is stored, as file name → text: what the server serves, and the definitions of protobuf.

    The same server gives the same texts. Raises RecordingError when it serves more than its built-ins, or
    when the definitions of protobuf cannot be read; and what the client raises.
    """
    documents = await read_server(client)
    git_version = documents[_VERSION]["gitVersion"]
    packages = {_protobuf_package(name) for name in documents["openapi-v2.json"]["definitions"]}
    modules = download_modules(module_version(git_version))
    documents["protobuf-fields.json"] = read_messages(modules, packages=packages)
    return {name: render_json(document) for name, document in sorted(documents.items())}


async def read_server(client: Client) -> dict[str, Any]:
    """The documents that a server serves, in their normal form, by file name. Raises as `record` does."""
    await _await_group_versions(client, await _group_versions(client))
    discovery = {name: await _get(client, f"/{name}", _DISCOVERY) for name in ("api", "apis")}
    documents = {
        _VERSION: {"gitVersion": (await client.version()).git_version},
        "openapi-v2.json": normalize_openapi(await _get(client, "/openapi/v2")),
        "table-columns.json": await _table_columns(client, discovery),
        # Their order is that of the server, which clients rely on.
        **{f"discovery-{name}.json": document for name, document in discovery.items()},
    }
    for path in (await _get(client, "/openapi/v3"))["paths"]:
        document = await _get(client, f"/openapi/v3/{path}")
        documents[f"{_V3}/{path.replace('/', '__')}.json"] = normalize_openapi(document)
    return documents


def write_documents(documents: Mapping[str, str], directory: Path) -> None:
    """Replace the documents that the directory holds, or make it.

    Raises RecordingError for a directory that holds something else, of which nothing is removed.
    """
    if directory.exists() and any(directory.iterdir()):
        if not (directory / _VERSION).is_file() or not (directory / _V3).is_dir():
            raise RecordingError(f"{directory} holds other files than recorded facts: name a new directory")
        shutil.rmtree(directory)
    for name, text in documents.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


async def _get(client: Client, path: str, accept: str = "application/json") -> Any:
    return json.loads((await client.raw("GET", path, accept=accept)).body)


async def _group_versions(client: Client) -> set[str]:
    """The roots of all built-in group-versions: api/v1, apis/apps/v1. Raises RecordingError for others."""
    services = (await _get(client, "/apis/apiregistration.k8s.io/v1/apiservices"))["items"]
    extensions = sorted(
        item["metadata"]["name"]
        for item in services
        if item["metadata"].get("labels", {}).get(_MANAGED) != "onstart"
    )
    if extensions:
        raise RecordingError(
            f"the server serves more than the built-in kinds ({', '.join(extensions)}): record from one "
            "without custom resource definitions and without aggregated APIs"
        )
    return {
        f"apis/{item['spec']['group']}/{item['spec']['version']}" if item["spec"].get("group") else "api/v1"
        for item in services
    }


async def _await_group_versions(client: Client, roots: set[str]) -> None:
    """Wait until the documents of the server, which it puts together after its start, have everything."""
    missing = roots
    try:
        async with asyncio.timeout(_PATIENCE):
            while missing:
                v2 = (await _get(client, "/openapi/v2"))["paths"]
                v3 = (await _get(client, "/openapi/v3"))["paths"]
                missing = {root for root in roots if f"/{root}/" not in v2 or root not in v3}
                if missing:
                    await asyncio.sleep(_INTERVAL)
    except TimeoutError as error:
        raise RecordingError(
            f"the OpenAPI documents of the server lack {', '.join(sorted(missing))}: see its log for why"
        ) from error


async def _table_columns(client: Client, discovery: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """By path, the columns of each resource that can be listed, without their descriptions."""
    columns = {}
    for path in sorted(_listable(discovery)):
        table = await _get(client, path, _TABLE)
        columns[path] = [
            {key: column[key] for key in ("name", "type", "format", "priority")}
            for column in table["columnDefinitions"]
        ]
    return columns


def _listable(discovery: Mapping[str, Any]) -> list[str]:
    return [
        f"{root}/{version['version']}/{item['resource']}"
        for api, document in discovery.items()
        for group in document["items"]
        for root in [f"/apis/{group['metadata']['name']}" if api == "apis" else "/api"]
        for version in group["versions"]
        for item in version["resources"]
        if "list" in item["verbs"]
    ]


def _protobuf_package(definition: str) -> str:
    """The package of the message of a definition: k8s.io.api.core.v1 for io.k8s.api.core.v1.Pod."""
    package = definition.rpartition(".")[0].replace("-", "_")
    return package.replace("io.k8s.", "k8s.io.", 1)
