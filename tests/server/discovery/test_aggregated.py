"""Aggregated discovery: the same document and hash as a real server's, and who gets it."""

from __future__ import annotations

import json

import msgspec
import pytest

from facts import KUBERNETES
from kubewright.server.discovery.aggregated import accepts_aggregated, aggregated_discovery
from kubewright.server.discovery.groups import served_groups
from tests.server.openapi.facts import RECORDED, recorded_crds, served_with

V2 = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
V2BETA1 = V2.replace("v2", "v2beta1")


@pytest.mark.parametrize(("core", "name"), [(True, "discovery-api.json"), (False, "discovery-apis.json")])
def test_builtins_are_as_a_real_server_lists_them(core: bool, name: str) -> None:
    recorded = json.loads((KUBERNETES / name).read_text())
    made = aggregated_discovery(served_with([]), core=core)
    assert json.dumps(json.loads(made.body)) == json.dumps(recorded), "also the order of keys"


def test_custom_groups_follow_as_a_real_server_lists_them() -> None:
    made = json.loads(aggregated_discovery(served_with(recorded_crds()), core=False).body)
    assert json.dumps(made["items"][-2:]) == json.dumps(RECORDED["discovery"])


def test_the_hash_is_that_of_a_real_server() -> None:
    made = aggregated_discovery(served_with([]), core=True)
    assert made.etag.startswith("4D7E1BED90B364BC86049DD9E636494980AEF65B")


def test_the_hash_changes_with_what_is_served() -> None:
    crds = recorded_crds()
    before = aggregated_discovery(served_with(crds[:1]), core=False)
    assert before == aggregated_discovery(served_with(crds[:1]), core=False)
    assert before.etag != aggregated_discovery(served_with(crds), core=False).etag


def test_resources_of_custom_groups_are_sorted_whatever_their_order() -> None:
    crds = recorded_crds()
    made = aggregated_discovery(served_with(crds), core=False)
    assert made == aggregated_discovery(served_with(crds[::-1]), core=False)


def test_a_custom_version_of_a_builtin_group_comes_first() -> None:
    resources = served_with([])
    nodes = next(item for item in resources if item.resource == "nodes")
    added = msgspec.structs.replace(nodes, group="apps", version="v1alpha1", custom=True)
    group = next(item for item in served_groups([*resources, added]) if item.name == "apps")
    assert [item.group_version.version for item in group.versions] == ["v1alpha1", "v1"]


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        (f"{V2},{V2BETA1},application/json", "v2"),
        (f"{V2},{V2BETA1},application/vnd.kubernetes.protobuf", "v2"),
        (f"{V2BETA1},application/json", None),
        (f"{V2BETA1},{V2}", "v2"),
        (V2, "v2"),
        (V2.replace("json", "vnd.kubernetes.protobuf"), "v2"),
        (V2.replace(";", " ; ").upper().replace("APPLICATION", "application"), None),
        (V2.replace(";", "; "), "v2"),
        (f"{V2};profile=nopeer", "v2"),
        (f"application/json,{V2}", None),
        (f"application/json;q=0.5,{V2}", "v2"),
        (f"{V2};q=0.5,application/json", None),
        (f"text/html,{V2}", "v2"),
        (f"*/*,{V2}", None),
        ("application/json", None),
        ("application/json;as=Table;v=v1;g=meta.k8s.io", None),
        ("*/*", None),
        ("", None),
        (",;=,;q=x,;;;", None),
    ],
)
def test_which_form_an_accept_header_prefers(accept: str, expected: str | None) -> None:
    assert accepts_aggregated(accept) == expected
