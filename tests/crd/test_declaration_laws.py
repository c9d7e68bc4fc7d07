"""Random types: what the server says of an object is what the type says, and what it takes the type reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from kubewright import Resource
from kubewright.crd.verdict import errors_in
from kubewright.testing import Cluster
from tests.conformance.client import Client
from tests.conformance.custom_resources import DEFINITIONS, new_group
from tests.conformance.waiting import eventually
from tests.crd.random_kinds import kind_of, mutated, specs

EXAMPLES = 60
"""Each installs a definition on the embedded server, which takes some 30 ms; the whole takes seconds."""

KNOWN = settings(
    max_examples=EXAMPLES,
    deadline=None,
    phases=[phase for phase in Phase if phase is not Phase.explain],
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with Cluster.in_thread(controllers="none") as cluster:
        made = Client(cluster)
        yield made
        made.close()


@KNOWN
@given(st.data())
def test_server_and_type_agree(client: Client, data: st.DataObject) -> None:
    spec = data.draw(specs())
    kind = kind_of(spec, new_group())
    _install(client, kind)
    for _ in range(2):
        good = data.draw(spec.data)
        _check(client, kind, good, must_be_good=True)
        _check(client, kind, data.draw(mutated(good)))
        _check(client, kind, data.draw(mutated(good)))


def _install(client: Client, kind: type[Resource]) -> None:
    answer = client.post(DEFINITIONS, kind.crd(max_description=0).to_dict())
    assert answer.status == 201, answer.text
    assert answer.warnings == []
    eventually(lambda: client.get(_path(kind)).status == 200, "the kind is not served")


def _path(kind: type[Resource]) -> str:
    return f"/apis/{kind.gvk.api_version}/namespaces/default/things"


def _check(client: Client, kind: type[Resource], spec: Any, *, must_be_good: bool = False) -> None:
    body = {"apiVersion": kind.gvk.api_version, "kind": "Thing", "metadata": {"name": "a"}, "spec": spec}
    answer = client.post(_path(kind), body, dryRun="All")
    said = [
        {"reason": each.reason, "message": each.message, "field": each.field}
        for each in errors_in(kind, body)
    ]
    if answer.status == 201:
        assert said == []
        # What the server takes the type reads, and sends back as it was.
        made: Any = kind.from_json(answer.body)
        _ = made.spec
        assert made.to_dict().get("spec") == answer.json().get("spec")
    else:
        assert answer.status == 422, answer.text
        assert answer.json()["details"]["causes"] == said
        assert not must_be_good, (said, spec)
