"""Rights that follow from what an operator's webhooks and its leader election do by themselves."""

from __future__ import annotations

import pytest

from tests.codegen.conftest import Load

_FUNCTION = """
from kubewright.models.core_v1 import Pod
from kubewright.webhooks import validating

@validating(Pod)
async def check(review): ...
"""


def test_what_webhooks_do_by_themselves(load: Load) -> None:
    made = load(
        a="""
from kubewright.webhooks import CertificateSecret, Injection, WebhookServer

webhooks = WebhookServer(
    certificates=CertificateSecret(
        name="certificates",
        namespace="system",
        inject=Injection(configurations=["hooks"], definitions=["sites.example.com"]),
    )
)
"""
    )
    everywhere, system = made.roles
    groups = ("admissionregistration.k8s.io", "apiextensions.k8s.io")
    hooks = ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"]
    named = {resource: rule for rule in everywhere["rules"] for resource in rule["resources"]}
    assert named.keys() == {*hooks, "customresourcedefinitions"}
    for resource, rule in named.items():
        assert rule["verbs"] == ["get", "update"]
        names, group = (["hooks"], groups[0]) if resource in hooks else (["sites.example.com"], groups[1])
        assert (rule["resourceNames"], rule["apiGroups"]) == (names, [group])
    assert (system["kind"], system["metadata"]["namespace"]) == ("Role", "system")
    assert system["rules"] == [
        {"apiGroups": [""], "resources": ["secrets"], "verbs": ["create"]},
        {
            "apiGroups": [""],
            "resources": ["secrets"],
            "resourceNames": ["certificates"],
            "verbs": ["get", "update"],
        },
    ]
    assert made.leader_election == []


def test_labels_are_for_objects_of_any_name(load: Load) -> None:
    made = load(
        a="""
from kubewright.webhooks import CertificateSecret, Injection

kept = CertificateSecret(
    name="c", namespace="system", inject=Injection(configurations=["hooks"], labels="app=shop")
)
"""
    )
    rules = made.roles[0]["rules"]
    assert {resource for rule in rules for resource in rule["resources"]} == {
        "customresourcedefinitions",
        "mutatingwebhookconfigurations",
        "validatingwebhookconfigurations",
    }
    for rule in rules:
        assert "resourceNames" not in rule
        assert rule["verbs"] == ["get", "list", "update"]


@pytest.mark.parametrize(
    ("name", "verbs"), [("install", ["create", "delete", "get", "update"]), ("uninstall", ["delete"])]
)
def test_installing_webhooks(load: Load, name: str, verbs: list[str]) -> None:
    (role,) = load(a=f"from kubewright.webhooks import {name}\n").roles
    (rule,) = role["rules"]
    assert rule["apiGroups"] == ["admissionregistration.k8s.io"]
    assert rule["verbs"] == verbs


@pytest.mark.parametrize(
    ("body", "elected"),
    [
        ("manager.webhook(check)", False),
        ("manager.add(check, leader=False)", False),
        ("manager.add(check)", True),
        ("manager.controller(Pod, check)", True),
    ],
)
def test_leader_election(load: Load, body: str, elected: bool) -> None:
    made = load(setup="a:setup", a=f"{_FUNCTION}\ndef setup(manager):\n    {body}\n")
    assert [each["metadata"] for each in made.leader_election] == [{"name": "leader-election-role"}] * elected
