"""A server that does nothing but say what it serves, in the form that a test wants."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

from kubewright.client.discovery import Discovery
from kubewright.client.sender import Sender
from tests.client.peers import Asked, peer, run, status

__all__ = [
    "PODS",
    "DiscoveryServer",
    "aggregated",
    "aggregated_documents",
    "discovering",
    "group",
    "old_form",
    "old_resource",
    "resource",
    "using",
]

Documents = dict[str, Any]
"""By path: a document, a refusal, or an event to wait for before there is no answer."""


def resource(name: str, kind: str, **more: Any) -> dict[str, Any]:
    """A resource in the aggregated form."""
    return {
        "resource": name,
        "responseKind": {"group": "", "version": "", "kind": kind},
        "scope": "Namespaced",
        "singularResource": kind.lower(),
        "verbs": ["get", "list"],
        **more,
    }


def group(name: str, versions: Mapping[str, Sequence[Any] | None]) -> dict[str, Any]:
    """A group in the aggregated form; None makes a version stale."""
    return {
        "metadata": {"name": name} if name else {},
        "versions": [
            {"version": version, "resources": list(found), "freshness": "Current"}
            if found is not None
            else {"version": version, "freshness": "Stale"}
            for version, found in versions.items()
        ],
    }


def aggregated(*groups: Any, version: str = "v2") -> dict[str, Any]:
    """A whole document in the aggregated form."""
    return {
        "kind": "APIGroupDiscoveryList",
        "apiVersion": f"apidiscovery.k8s.io/{version}",
        "metadata": {},
        "items": list(groups),
    }


def old_resource(name: str, kind: str, **more: Any) -> dict[str, Any]:
    """A resource in the old form."""
    return {
        "name": name,
        "singularName": kind.lower(),
        "namespaced": True,
        "kind": kind,
        "verbs": ["get", "list"],
        **more,
    }


def old_form(groups: Mapping[str, Sequence[str]], resources: Mapping[str, Sequence[Any]]) -> Documents:
    """All documents in the old form, from versions by group, the preferred first, and resources."""
    core = groups.get("", ())
    documents: Documents = {"/api": {"kind": "APIVersions", "versions": list(core)}}
    documents["/apis"] = {
        "kind": "APIGroupList",
        "apiVersion": "v1",
        "groups": [
            {
                "name": name,
                "versions": [{"groupVersion": f"{name}/{each}", "version": each} for each in versions],
                "preferredVersion": {"groupVersion": f"{name}/{versions[0]}", "version": versions[0]},
            }
            for name, versions in groups.items()
            if name
        ],
    }
    for group_version, found in resources.items():
        root = "/apis" if "/" in group_version else "/api"
        documents[f"{root}/{group_version}"] = {
            "kind": "APIResourceList",
            "apiVersion": "v1",
            "groupVersion": group_version,
            "resources": list(found),
        }
    return documents


class DiscoveryServer:
    """Answers with its documents, which a test may change, and keeps how often each was asked for.

    While `held` is an event, answers are made when the request comes and sent when the event is set.
    """

    def __init__(self, documents: Documents) -> None:
        self.documents = documents
        self.asked: list[str] = []
        self.accepted: set[str] = set()
        self.held: asyncio.Event | None = None
        self.on_request: Callable[[str], object] = lambda _: None

    def count(self, path: str = "/apis") -> int:
        """How often a document was asked for."""
        return self.asked.count(path)

    async def __call__(self, asked: Asked, _: web.BaseRequest) -> web.StreamResponse | None:
        self.asked.append(asked.target)
        self.accepted.add(asked.headers["Accept"])
        found = self.documents.get(asked.target, status(404, "NotFound"))
        held = self.held
        self.on_request(asked.target)
        if held is not None:
            await held.wait()
        if isinstance(found, asyncio.Event):
            await found.wait()
            return None
        if isinstance(found, bytes):
            return web.Response(body=found, content_type="text/html")
        if isinstance(found, web.Response):
            # An answer can be sent once only.
            return web.Response(status=found.status, body=found.body, headers=found.headers)
        return web.json_response(found)


PODS = resource(
    "pods",
    "Pod",
    shortNames=["po"],
    categories=["all"],
    subresources=[
        {
            "subresource": "status",
            "responseKind": {"group": "", "version": "v1", "kind": "Pod"},
            "verbs": ["get"],
        },
        {"subresource": "log", "verbs": ["get"]},
    ],
)


def aggregated_documents(**widgets: Any) -> Documents:
    """Pods, and widgets in the versions that are said, else in one; in the aggregated form."""
    versions = widgets or {"v1": [resource("widgets", "Widget")]}
    return {
        "/api": aggregated(group("", {"v1": [PODS]})),
        "/apis": aggregated(group("example.com", versions)),
    }


@asynccontextmanager
async def discovering(server: DiscoveryServer, **options: Any) -> AsyncIterator[Discovery]:
    """Discovery of such a server."""
    async with peer(server, tls=False) as made:
        sender = Sender(made.config)
        try:
            yield Discovery(sender, **options)
        finally:
            await sender.close()


def using(server: DiscoveryServer, test: Callable[[Discovery], Awaitable[None]], **options: Any) -> None:
    """Run an async test with discovery of such a server."""

    async def main() -> None:
        async with discovering(server, **options) as discovery:
            await test(discovery)

    run(main)
