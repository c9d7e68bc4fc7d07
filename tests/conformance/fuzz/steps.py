"""One request of a sequence, as it is before a server's own names, revisions and uids are filled in."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from tests.conformance.client import JSON, Client, Response
from tests.conformance.fuzz.kinds import Kind
from tests.conformance.fuzz.paths import Edit, edited, json_patch

__all__ = ["Changed", "Operations", "Request", "Seen", "Step"]


@dataclass(frozen=True)
class Changed:
    """A body: the object as the server last showed it, or else this one, with changes."""

    edits: tuple[Edit, ...]
    otherwise: dict[str, Any]


@dataclass(frozen=True)
class Operations:
    """A body: a JSON patch of the object as the server last showed it."""

    edits: tuple[Edit, ...]


@dataclass
class Seen:
    """What one server has shown: what the requests to it are made of."""

    namespace: str
    objects: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By path."""
    tokens: dict[str, str] = field(default_factory=dict)
    """How each list goes on, by the path of its collection."""
    generated: dict[str, str] = field(default_factory=dict)
    """The names that were made, by their beginning."""


@dataclass(frozen=True)
class Request:
    """What is sent to one server."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Any

    def send(self, client: Client) -> Response:
        """Sends it."""
        return client.request(self.method, self.path, self.body, headers=self.headers, **self.query)

    def __str__(self) -> str:
        query = "&".join(f"{key}={value}" for key, value in self.query.items())
        headers = " ".join(f"{key}: {value}" for key, value in self.headers.items())
        body = "" if self.body is None else f"\n  {json.dumps(self.body, ensure_ascii=False)}"
        return f"{self.method} {self.path}{'?' if query else ''}{query} {headers}{body}"


@dataclass(frozen=True)
class Step:
    """One request; `$uid`, `$revision` and `$continue` in it stand for what the server has told."""

    method: str
    kind: Kind
    name: str = ""
    """Empty for the collection; `gen1-*` for the name that the server made of `gen1-`."""
    subresource: str = ""
    query: dict[str, str] = field(default_factory=dict)
    content_type: str = ""
    accept: str = JSON
    body: Any = None

    def path(self, seen: Seen) -> str:
        """Where it goes."""
        name = self.name
        if name.endswith("*"):
            name = seen.generated.get(name[:-1], f"{name[:-1]}none")
        parts = (self.kind.collection(seen.namespace), name, self.subresource)
        return "/".join(part for part in parts if part)

    def request(self, seen: Seen) -> Request:
        """The request to the server that has shown this."""
        path = self.path(seen)
        values = _values(seen, path)
        headers = {"Accept": self.accept} | ({"Content-Type": self.content_type} if self.content_type else {})
        query = {key: _filled(value, values) for key, value in self.query.items()}
        return Request(self.method, path, query, headers, self._body(seen, path, values))

    def _body(self, seen: Seen, path: str, values: dict[str, str]) -> Any:
        current = seen.objects.get(path)
        if isinstance(self.body, Changed):
            body = edited(current if current is not None else self.body.otherwise, self.body.edits)
        elif isinstance(self.body, Operations):
            body = json_patch(current or {}, self.body.edits)  # type: ignore[assignment]
        else:
            body = self.body
        return _filled(body, values)


def _values(seen: Seen, path: str) -> dict[str, str]:
    metadata = seen.objects.get(path, {}).get("metadata") or {}
    name = path.removesuffix("/scale").removesuffix("/status").rpartition("/")[2]
    return {
        "$uid": metadata.get("uid", "00000000-0000-0000-0000-000000000000"),
        "$revision": metadata.get("resourceVersion", "1"),
        "$continue": seen.tokens.get(path, ""),
        "$name": metadata.get("name", name),
    }


def _filled(value: Any, values: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _filled(each, values) for key, each in value.items()}
    if isinstance(value, list):
        return [_filled(each, values) for each in value]
    return values.get(value, value) if isinstance(value, str) else value
