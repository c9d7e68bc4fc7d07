"""Watches over WebSockets: an event in each message."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kubewright.machinery.protobuf import CONTENT_TYPE
from tests.conformance.client import Client, ServerUnderTest
from tests.conformance.namespaces import Namespace
from tests.conformance.objects import config_map
from tests.conformance.waiting import caught_up
from tests.conformance.websocket import Refused, WebSocket

ORIGIN = {"Origin": "https://example.com"}
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


def opened(server: ServerUnderTest, path: str, headers: dict[str, str], *protocols: str) -> WebSocket:
    headers = {"Authorization": f"Bearer {server.token}", **headers}
    return WebSocket(server.url, path, ca_file=server.ca_file, headers=headers, protocols=protocols)


def refusal(server: ServerUnderTest, path: str, headers: dict[str, str], *protocols: str) -> int:
    """The code with which a WebSocket is refused."""
    with pytest.raises(Refused) as refused:
        opened(server, path, headers, *protocols)
    return refused.value.status


@pytest.fixture
def watched(client: Client, namespace: Namespace) -> tuple[str, list[Any]]:
    """The path of a watch that shows two config maps, and these."""
    path = namespace.config_maps
    start = client.get(path).json()["metadata"]["resourceVersion"]
    objects = [namespace.create(path, config_map(name, {"k": "\u00e9\n"})) for name in ("a", "b")]
    caught_up(client, path)
    return f"{path}?watch=1&resourceVersion={start}", objects


def test_events_are_text(server: ServerUnderTest, watched: tuple[str, list[Any]]) -> None:
    path, objects = watched
    with opened(server, f"{path}&timeoutSeconds=2", ORIGIN) as socket:
        assert socket.protocol == ""
        frames = list(socket)
        assert socket.close_code == 1000
    assert all(frame.is_text and frame.data.endswith(b"\n") for frame in frames)
    events = [json.loads(frame.data) for frame in frames]
    assert events == [{"type": "ADDED", "object": each} for each in objects]


def test_later_events_and_what_clients_send(
    server: ServerUnderTest, client: Client, namespace: Namespace, watched: tuple[str, list[Any]]
) -> None:
    path, objects = watched
    with opened(server, path, ORIGIN) as socket:
        for _ in objects:
            socket.receive()
        socket.send(b"ignored", text=True)
        socket.send(b"ignored")
        later = namespace.create(namespace.config_maps, config_map("c"))
        assert event(socket) == {"type": "ADDED", "object": later}
        client.delete(f"{namespace.config_maps}/c")
        assert event(socket)["type"] == "DELETED"


def event(socket: WebSocket) -> Any:
    frame = socket.receive()
    assert frame is not None
    return json.loads(frame.data)


def test_one_subprotocol_of_any_name(server: ServerUnderTest, watched: tuple[str, list[Any]]) -> None:
    path, _ = watched
    with opened(server, path, ORIGIN, "any.thing") as socket:
        assert socket.protocol == "any.thing"
    assert refusal(server, path, ORIGIN, "one", "two") == 400


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "%zz"}, 403),
        ({**ORIGIN, "Sec-WebSocket-Version": "12"}, 400),
        ({**ORIGIN, "Sec-WebSocket-Key": ""}, 400),
    ],
    ids=str,
)
def test_handshakes_that_cannot_be(
    server: ServerUnderTest, watched: tuple[str, list[Any]], headers: dict[str, str], code: int
) -> None:
    assert refusal(server, watched[0], headers) == code


def test_protobuf_is_binary_and_has_no_length(
    server: ServerUnderTest, watched: tuple[str, list[Any]]
) -> None:
    path, objects = watched
    with opened(server, path, {**ORIGIN, "Accept": CONTENT_TYPE}) as socket:
        for _ in objects:
            frame = socket.receive()
            assert frame is not None
            assert not frame.is_text
            # The first field of a WatchEvent is its type.
            assert frame.data.startswith(b"\x0a\x05ADDED\x12")


def test_tables(server: ServerUnderTest, watched: tuple[str, list[Any]]) -> None:
    with opened(server, watched[0], {**ORIGIN, "Accept": TABLE}) as socket:
        assert event(socket)["object"]["columnDefinitions"]
        assert event(socket)["object"]["columnDefinitions"] is None


def test_watches_that_are_refused(server: ServerUnderTest, namespace: Namespace) -> None:
    path = f"{namespace.config_maps}?watch=1"
    assert refusal(server, f"{path}&resourceVersion=x", ORIGIN) == 500
    assert refusal(server, f"{path}&fieldSelector=no.such=x", ORIGIN) == 400
    with opened(server, f"{path}&resourceVersion=999999999&timeoutSeconds=1", ORIGIN) as socket:
        # What is wrong with the revision is an event, as without a WebSocket.
        assert all(json.loads(frame.data)["type"] == "ERROR" for frame in socket)


def test_other_requests_ignore_the_upgrade(client: Client, namespace: Namespace) -> None:
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", **ORIGIN}
    for _ in range(2):
        # Over one connection, if the server keeps it.
        assert client.get(namespace.config_maps, headers=upgrade).json()["items"] == []
