"""The blocking client has all that the async one has, with the same arguments."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from kubewright.client.api import Api as AsyncApi
from kubewright.client.client import Client as AsyncClient
from kubewright.client.clientset import Clientset as AsyncClientset
from kubewright.client.listing import Listing as AsyncListing
from kubewright.client.streams.forwarding import Connection as AsyncConnection
from kubewright.client.streams.forwarding import PortForward as AsyncPortForward
from kubewright.client.streams.session import Session as AsyncSession
from kubewright.sync import Api, Client, Listing
from kubewright.sync.clientset import Clientset
from kubewright.sync.streams import Connection, PortForward, Session

PAIRS = [
    (AsyncApi, Api),
    (AsyncClient, Client),
    (AsyncListing, Listing),
    (AsyncClientset, Clientset),
    (AsyncSession, Session),
    (AsyncConnection, Connection),
]

ASYNC_ONLY = {"discovery", "mapper", "check_stdin_can_end", "form", "watch_loop"}
"""What is reached through other methods (`resource`, `dynamic`, `close_stdin`), and what informers need."""


def public(of: type) -> dict[str, Any]:
    return {name: member for name, member in inspect.getmembers(of) if not name.startswith("_")}


@pytest.mark.parametrize(("theirs", "ours"), PAIRS, ids=lambda of: f"{of.__module__}.{of.__name__}")
def test_nothing_is_missing(theirs: type, ours: type) -> None:
    assert public(theirs).keys() - ASYNC_ONLY <= public(ours).keys()


@pytest.mark.parametrize(("theirs", "ours"), PAIRS, ids=lambda of: f"{of.__module__}.{of.__name__}")
def test_arguments_are_the_same(theirs: type, ours: type) -> None:
    compared = 0
    for name, member in public(theirs).items():
        mine = public(ours).get(name)
        if callable(member) and mine is not None:
            assert parameters(mine) == parameters(member), name
            assert (mine.__doc__ or "").partition("\n")[0]
            compared += 1
    assert compared or theirs is AsyncClientset


def test_ports_are_reached_the_same_way() -> None:
    for name in ("open", "local_port"):
        ours, theirs = public(PortForward)[name], public(AsyncPortForward)[name]
        assert parameters(ours) == parameters(theirs)


def test_the_clients_are_made_the_same_way() -> None:
    # Connections belong to an event loop, and that of the blocking client is nobody else's.
    theirs = [one for one in parameters(AsyncClient.__init__) if one[0] != "connections"]
    assert parameters(Client.__init__) == theirs


def test_groups_have_the_same_kinds() -> None:
    from kubewright.client.clientset.core_v1 import CoreV1 as AsyncCoreV1
    from kubewright.sync.clientset.core_v1 import CoreV1

    assert public(AsyncCoreV1).keys() == public(CoreV1).keys()


def parameters(of: Any) -> list[tuple[str, object, object, object]]:
    found = inspect.signature(of).parameters.values()
    return [(one.name, one.kind, one.default, one.annotation) for one in found]
