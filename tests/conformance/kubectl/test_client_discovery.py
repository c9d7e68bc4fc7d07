"""kubewright's client understands names as kubectl does, and lists the same resources."""

from __future__ import annotations

import re

import pytest

from kubewright.client.client import Client
from kubewright.machinery.errors import NotFound
from tests.conformance.client import Client as PlainClient
from tests.conformance.client import ServerUnderTest
from tests.conformance.client_discovery.connecting import connected
from tests.conformance.custom_resources import Widgets, define, new_group, widgets_definition
from tests.conformance.kubectl.output import rows
from tests.conformance.kubectl.program import Kubectl

# Each kubectl takes a tenth of a second: `make test` runs some files of this folder, `make test-real` all.
pytestmark = pytest.mark.slow


def test_api_resources(server: ServerUnderTest, cluster_kubectl: Kubectl) -> None:
    async def test(client: Client) -> None:
        printed = rows(cluster_kubectl("api-resources", "-o", "wide", "--sort-by=name"))
        ours = [
            [
                each.gvr.resource,
                ",".join(each.short_names),
                each.gvk.api_version,
                str(each.namespaced).lower(),
                each.gvk.kind,
                ",".join(sorted(each.verbs)),
                ",".join(each.categories),
            ]
            for each in await client.discovery.resources(preferred=True)
        ]
        theirs = [[*cells[:5], ",".join(sorted(cells[5].split(","))), cells[6]] for cells in printed]
        assert sorted(_built_in(ours)) == sorted(_built_in(theirs))
        assert len(_built_in(ours)) > 50

    connected(server, test)


def _built_in(found: list[list[str]]) -> list[list[str]]:
    """Without what other tests define, which comes and goes meanwhile."""
    return [cells for cells in found if "example.com" not in cells[2]]


@pytest.fixture(scope="module")
def events(client: PlainClient) -> Widgets:
    """Custom resources with names that others have, too."""
    definition = widgets_definition(new_group())
    definition["spec"]["names"] = {
        "plural": "events",
        "singular": "event",
        "kind": "Happening",
        "shortNames": ["po", "hap"],
    }
    definition["metadata"]["name"] = f"events.{definition['spec']['group']}"
    # Beside another definition of the group: discovery may have the one and not yet the other.
    made = define(client, widgets_definition(definition["spec"]["group"]))
    define(client, definition)
    return made


@pytest.mark.parametrize(
    "name",
    [
        "pods",
        "PODS",
        "Pod",
        "po",
        "PO",
        "events",
        "ev",
        "events.events.k8s.io",
        "Event.v1.events.k8s.io",
        "hpa",
        "horizontalpodautoscalers.v1.autoscaling",
        "horizontalpodautoscaler.autoscal",
        "sc.storage",
        "storageclass.storage",
        "pods.v1.",
        "deployments.v1.",
        "deploy.apps",
        "pods.apps",
        "nonsense",
        "endpoints",
        "hap",
        "events.GROUP",
        "event.v1beta1.GROUP",
        "Happening.v1.GROUP",
        "po.GROUP",
        "widgets.GROUP",
    ],
)
def test_names(server: ServerUnderTest, events: Widgets, cluster_kubectl: Kubectl, name: str) -> None:
    name = name.replace("GROUP", events.group)

    async def test(client: Client) -> None:
        asked = _path_of(cluster_kubectl, name)
        if asked is None:
            with pytest.raises(NotFound):
                await client.mapper.resource(name)
        else:
            assert (await client.mapper.resource(name)).path("default") == asked

    connected(server, test)


def _path_of(kubectl: Kubectl, name: str) -> str | None:
    """Where kubectl looks for the objects that are called so; None when it knows no such resource.

    Kinds that differ from their singular it knows with their group only, and we without it as well.
    """
    outcome = kubectl.outcome("get", name, "-n", "default", "-v=8")
    if "the server doesn't have a resource type" in outcome.stderr:
        return None
    (path,) = set(re.findall(r'https://[^/\s"]+(/[^?\s"]+)\?limit=500', outcome.stderr))
    return str(path)
