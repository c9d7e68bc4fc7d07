"""A server of webhooks for each test, in a namespace of the test's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.conformance.admission.policies import Policies, new_policies
from tests.conformance.admission.webhook import Webhooks
from tests.conformance.client import Client
from tests.conformance.namespaces import Namespace


@pytest.fixture
def hooks(client: Client, namespace: Namespace) -> Iterator[Webhooks]:
    """Webhooks that are asked about the test's namespace."""
    with Webhooks.running(client, namespace) as running:
        yield running


@pytest.fixture
def make_policies(client: Client) -> Iterator[Callable[[], Policies]]:
    """Makes policies for namespaces of their own, and removes them."""
    made: list[Policies] = []

    def make() -> Policies:
        made.append(new_policies(client))
        return made[-1]

    yield make
    for policies in made:
        policies.remove()
