"""Which rule of an audit policy a request falls under."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.machinery.paths import RequestInfo, parse_request
from kubewright.server.audit.policy import DEFAULT_POLICY, LEVELS, METADATA, NOTHING, Decided
from kubewright.server.audit.policy_file import read_policy
from kubewright.server.registry.write import User

ALICE = User(name="alice", groups=("team", "system:authenticated"))
POD = "/api/v1/namespaces/ns/pods/p"


def policy(*rules: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "rules": list(rules), **fields}


def decided(
    *rules: dict[str, Any], method: str = "GET", path: str = POD, user: User | None = ALICE, **fields: Any
) -> Decided:
    return read_policy(policy(*rules, **fields)).decide(user, parse_request(method, path))


def matches(path: str = POD, *, method: str = "GET", user: User | None = ALICE, **rule: Any) -> bool:
    return decided({"level": "Metadata", **rule}, method=method, path=path, user=user).level == METADATA


def core(*resources: str, **fields: Any) -> list[dict[str, Any]]:
    return [{"group": "", "resources": list(resources), **fields}]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ({}, True),
        ({"users": ["alice"]}, True),
        ({"users": ["bob"]}, False),
        ({"users": []}, True),
        ({"userGroups": ["x", "team"]}, True),
        ({"userGroups": ["x"]}, False),
        ({"verbs": ["get", "list"]}, True),
        ({"verbs": ["list"]}, False),
        ({"namespaces": ["ns"]}, True),
        ({"namespaces": [""]}, False),
        ({"namespaces": ["ns"], "verbs": ["list"]}, False),
        ({"resources": core("pods")}, True),
        ({"resources": core("pods/log")}, False),
        ({"resources": core("pods/*")}, True),
        ({"resources": core("*/log")}, False),
        ({"resources": core("*")}, True),
        ({"resources": core("secrets", "pods")}, True),
        ({"resources": core()}, True),
        ({"resources": [{"group": "apps"}]}, False),
        ({"resources": [{"group": "*"}]}, True),
        ({"resources": [{}]}, True),
        ({"resources": [{"group": "apps"}, {"group": ""}]}, True),
        ({"resources": core("pods", resourceNames=["p"])}, True),
        ({"resources": core("pods", resourceNames=["q"])}, False),
        ({"resources": core("pods"), "namespaces": ["other"]}, False),
        ({"nonResourceURLs": ["*"]}, False),
    ],
)
def test_a_get_of_a_pod(rule: dict[str, Any], *, expected: bool) -> None:
    assert matches(**rule) is expected


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        (["pods"], False),
        (["pods/log"], True),
        (["pods/*"], True),
        (["*/log"], True),
        (["*/exec"], False),
        (["*"], True),
        ([], True),
    ],
)
def test_a_subresource(resources: list[str], *, expected: bool) -> None:
    assert matches(f"{POD}/log", resources=core(*resources)) is expected


@pytest.mark.parametrize(
    ("urls", "expected"),
    [
        (["/healthz"], False),
        (["/healthz*"], True),
        (["/healthz/*"], True),
        (["/healthz/ping"], True),
        (["*"], True),
        (["/api", "/healthz*"], True),
        ([], True),
    ],
)
def test_a_path(urls: list[str], *, expected: bool) -> None:
    assert matches("/healthz/ping", nonResourceURLs=urls) is expected


def test_rules_for_resources_are_for_no_paths() -> None:
    assert not matches("/healthz", resources=[{"group": "*"}])
    assert not matches("/healthz", namespaces=[""])
    assert matches("/api/v1/nodes/n", namespaces=[""])


def test_who_is_unknown_has_no_name_and_no_group() -> None:
    assert not matches(user=None, users=[""])
    assert not matches(user=None, userGroups=["system:unauthenticated"])
    assert matches(user=None)


def test_the_first_rule_decides_and_without_any_nothing_is_told() -> None:
    first = {"level": "Request", "verbs": ["get"]}
    assert LEVELS[decided(first, {"level": "RequestResponse"}).level] == "Request"
    assert LEVELS[decided({"level": "None"}, {"level": "RequestResponse"}).level] == "None"
    assert decided(first, method="PUT") == NOTHING


def test_stages_of_rule_and_policy_are_both_left_out() -> None:
    rule = {"level": "Metadata", "omitStages": ["Panic"]}
    found = decided(rule, omitStages=["RequestReceived"])
    assert found.omit_stages == {"Panic", "RequestReceived"}


@pytest.mark.parametrize(
    ("of_rule", "of_policy", "expected"),
    [
        (None, None, False),
        (None, True, True),
        (False, True, False),
        (True, False, True),
        (True, None, True),
    ],
)
def test_the_rule_says_more_of_managed_fields(
    of_rule: bool | None, of_policy: bool | None, *, expected: bool
) -> None:
    found = decided({"level": "Metadata", "omitManagedFields": of_rule}, omitManagedFields=of_policy)
    assert found.omit_managed_fields is expected


def test_by_default_everything_is_told_of_once() -> None:
    for user in (ALICE, None):
        for path in (POD, "/healthz"):
            found = DEFAULT_POLICY.decide(user, parse_request("GET", path))
            assert found == Decided(METADATA, frozenset({"RequestReceived"}))


RESOURCES = st.lists(
    st.sampled_from(["pods", "pods/log", "pods/*", "*/log", "*", "secrets", "*/*", "secrets/*"]), max_size=3
)


@given(
    resources=RESOURCES,
    names=st.lists(st.sampled_from(["p", "q"]), max_size=2),
    group=st.sampled_from(["", "*", "apps"]),
    resource=st.sampled_from(["pods", "secrets"]),
    subresource=st.sampled_from(["", "log", "status"]),
    name=st.sampled_from(["p", "q", ""]),
)
def test_resources_match_as_upstream_says(
    resources: list[str], names: list[str], group: str, resource: str, subresource: str, name: str
) -> None:
    def wanted(text: str) -> bool:
        first, _, second = text.partition("/")
        if text == "*":
            return True
        if second == "*":
            return first == resource
        return second == subresource and (first == resource or (first == "*" and bool(second)))

    names = names if resources else []
    expected = group in {"", "*"} and (
        not resources or ((not names or name in names) and any(map(wanted, resources)))
    )
    info = RequestInfo(
        is_resource_request=True, path="/", verb="get", resource=resource, subresource=subresource, name=name
    )
    rule = {"group": group, "resources": resources, "resourceNames": names}
    found = read_policy(policy({"level": "Metadata", "resources": [rule]})).decide(ALICE, info)
    assert (found.level == METADATA) is expected
