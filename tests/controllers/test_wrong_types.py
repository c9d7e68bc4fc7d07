"""Options of managers and controllers of a type that they cannot have: one sentence each, at once."""

from __future__ import annotations

from typing import Any

import pytest

from kubewright.client.client import Client
from kubewright.config import Config
from kubewright.controllers import LeaderElection, Manager
from kubewright.machinery.errors import DeclarationError
from kubewright.models.core_v1 import ConfigMap
from kubewright.testing import ManualClock
from kubewright.webhooks import WebhookServer
from kubewright.workqueue import ExponentialBackoff

CONFIG = Config(server="https://127.0.0.1")


async def reconcile(ctx: object, request: object) -> None:
    """Stands for a reconciler."""


async def awaited(change: object) -> int:
    return 1


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"priority": 5}, "priority: 5 is no function; give a function that returns an int for a Change"),
        ({"priority": None}, "priority: None is no function; give a function that returns an int"),
        ({"rate_limiter": 5}, r"rate_limiter is 5; give one such as ExponentialBackoff\(\), or None"),
        ({"rate_limiter": ExponentialBackoff}, "rate_limiter is ExponentialBackoff; give one such as"),
        ({"name": 5}, "name is 5; give a text, for logs and metrics"),
        ({"cluster": 5}, r"cluster is 5; give what manager.cluster\(...\) returned, or its name"),
        ({"cluster": None}, r"cluster is None; give what manager.cluster\(...\) returned"),
        ({"cluster": Client(CONFIG)}, r"cluster is Client\(...\); give what manager.cluster"),
    ],
)
def test_what_a_controller_cannot_be_made_of(options: dict[str, Any], sentence: str) -> None:
    manager = Manager(Client(CONFIG))
    with pytest.raises(DeclarationError, match=f"^{sentence}") as raised:
        manager.controller(ConfigMap, reconcile, **options)
    assert isinstance(raised.value, TypeError)
    assert manager.controllers == ()


def test_a_priority_that_was_called_is_named() -> None:
    called: Any = awaited(None)
    with pytest.raises(DeclarationError, match=r"priority: awaited\(\) was called; give the function itself"):
        Manager(Client(CONFIG)).controller(ConfigMap, reconcile, priority=called)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"client": CONFIG}, r"Manager\(Config.*\): it is no Client; give Client\(...\), or none"),
        ({"client": Client}, r"Manager\(Client\): it is no Client; give Client\(...\)"),
        ({"webhooks": True}, r"webhooks is True; give WebhookServer\(...\), or False to run without"),
        ({"webhooks": WebhookServer}, r"webhooks is WebhookServer; give WebhookServer\(...\)"),
        ({"webhooks": [reconcile]}, r"webhooks is \[.*\]; give WebhookServer\(...\)"),
        ({"webhooks": 0}, r"webhooks is 0; give WebhookServer\(...\)"),
        ({"leader_election": True}, r"leader_election is True; give the name of a Lease, LeaderElection\("),
        ({"leader_election": False}, r"leader_election is False; give .*, or None for no election"),
        ({"leader_election": LeaderElection}, "leader_election is LeaderElection; give the name"),
        ({"namespaces": 5}, r"namespaces=5 is one alone; write namespaces=\[5\]"),
        ({"namespaces": None}, r"namespaces is None; give texts, or \(\) for all$"),
        ({"namespaces": ["a", 5]}, "namespaces has 5, which is no name; give texts"),
        ({"signals": "SIGTERM"}, "signals is 'SIGTERM'; give True or False"),
        ({"signals": None}, "signals is None; give True or False"),
        ({"signals": 2}, "signals is 2; give True or False"),
        ({"metrics_address": 8080}, "metrics_address is 8080; give a text such as '127.0.0.1:8080'"),
        ({"health_address": None}, "health_address is None; give a text such as"),
        ({"clock": 5}, r"clock is 5; give a WallClock such as ManualClock\(\), or None for the real time"),
        ({"clock": ManualClock}, "clock is ManualClock; give a WallClock"),
    ],
)
def test_what_a_manager_cannot_be_made_of(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(DeclarationError, match=f"^{sentence}") as raised:
        Manager(**{"client": Client(CONFIG), **options})
    assert isinstance(raised.value, TypeError)


@pytest.mark.parametrize(
    "options",
    [
        {"webhooks": False},
        {"webhooks": None},
        {"leader_election": None},
        {"leader_election": "mine"},
        {"leader_election": LeaderElection(name="mine")},
        {"namespaces": "one"},
        {"namespaces": ("one", "two")},
        {"namespaces": iter(["one"])},
        {"signals": False},
        {"signals": 0},
        {"signals": 1},
        {"metrics_address": "0"},
        {"clock": ManualClock()},
    ],
)
def test_what_a_manager_can_be_made_of(options: dict[str, Any]) -> None:
    manager: Any = Manager(Client(CONFIG), **options)
    manager.controller(
        ConfigMap, reconcile, name=None, priority=lambda _: 5, rate_limiter=ExponentialBackoff()
    )
    other = manager.cluster(Client(CONFIG), name="other")
    manager.controller(ConfigMap, reconcile, name="there", cluster=other)
    manager.controller(ConfigMap, reconcile, name="again", cluster="other")
    assert [each.name for each in manager.controllers] == ["configmap", "there", "again"]
