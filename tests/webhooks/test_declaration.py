"""Functions that are declared as webhooks."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kubewright import EMPTY, DeclarationError, LabelSelector, Resource, Struct, custom_resource
from kubewright.machinery.meta import LabelSelectorRequirement
from kubewright.models.apps_v1 import Deployment
from kubewright.models.core_v1 import Pod, PodSpec
from kubewright.webhooks.declaration import WebhookDeclaration, defaulting, validating, webhook_of


class Spec(Struct):
    size: int = 0


@custom_resource(group="web.example.com", version="v1alpha1")
class Site(Resource):
    spec: Spec = EMPTY


def declared(decorate: Any) -> WebhookDeclaration:
    async def function(obj: Any) -> int:
        return 3

    assert decorate(function) is function
    assert asyncio.run(function(None)) == 3
    found = webhook_of(function)
    assert found is not None
    return found


def test_paths_are_those_of_controller_runtime() -> None:
    assert declared(defaulting(Site)).path == "/mutate-web-example-com-v1alpha1-site"
    assert declared(validating(Site)).path == "/validate-web-example-com-v1alpha1-site"
    assert declared(validating(Pod)).path == "/validate--v1-pod"


def test_names_are_domains_of_three_segments() -> None:
    assert declared(defaulting(Site)).name == "msite-v1alpha1.web.example.com"
    assert declared(validating(Deployment)).name == "vdeployment-v1.apps.k8s.io"
    assert declared(validating(Pod)).name == "vpod-v1.core.k8s.io"


def test_what_is_not_said_is_left_to_the_server() -> None:
    made = declared(defaulting(Site))
    assert made.mutating
    assert (made.kind, made.operations) == (Site, ("CREATE", "UPDATE"))
    assert (made.failure_policy, made.side_effects) == ("Fail", "None")
    assert (made.timeout_seconds, made.match_policy, made.reinvocation_policy) == (None, "", "")
    assert not declared(validating(Site)).mutating


def test_operations_are_in_one_order() -> None:
    assert declared(validating(Site, operations=["DELETE", "CREATE"])).operations == ("CREATE", "DELETE")
    assert declared(validating(Site, operations=["DELETE", "*"])).operations == ("*",)


def test_a_function_without_a_mark() -> None:
    assert webhook_of(declared) is None
    assert webhook_of(3) is None


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"operations": []}, "operations is empty"),
        ({"operations": "CREATE"}, "write operations=['CREATE']"),
        ({"operations": ["create"]}, "there is no operation 'create'"),
        ({"failure_policy": "fail"}, "give Fail or Ignore"),
        ({"side_effects": "Some"}, "give None or NoneOnDryRun"),
        ({"match_policy": "exact"}, "give Exact or Equivalent"),
        ({"reinvocation_policy": "Always"}, "give Never or IfNeeded"),
        ({"timeout_seconds": 0}, "give 1 to 30"),
        ({"timeout_seconds": 31}, "give 1 to 30"),
        ({"name": "sites.example"}, "at least three segments"),
        ({"name": "A.example.com"}, "at least three segments"),
        ({"path": "check"}, "write it in lower case"),
        ({"path": "/Check"}, "write it in lower case"),
        ({"path": "/a//b"}, "write it in lower case"),
        ({"match_conditions": {"a b": "true"}}, "match_conditions has the name 'a b'"),
        ({"match_conditions": {"a": " "}}, "the match condition 'a' is empty"),
        ({"match_conditions": {f"a{n}": "true" for n in range(65)}}, "servers take 64"),
        (
            {
                "object_selector": LabelSelector(
                    match_expressions=[LabelSelectorRequirement(key="a", operator="In")]
                )
            },
            "object_selector: ",
        ),
    ],
)
def test_what_servers_refuse(options: dict[str, Any], said: str) -> None:
    with pytest.raises(DeclarationError) as raised:
        defaulting(Site, **options)
    assert said in str(raised.value)
    assert str(raised.value).startswith("@defaulting(Site): ")
    assert "\n" not in str(raised.value)


def test_what_cannot_be_a_webhook() -> None:
    def plain(site: Site) -> None: ...

    with pytest.raises(DeclarationError, match="plain is no async function"):
        validating(Site)(plain)  # type: ignore[arg-type]
    with pytest.raises(DeclarationError, match="PodSpec is no kind"):
        validating(PodSpec)  # type: ignore[type-var]

    @validating(Site)
    async def check(site: Site) -> None: ...

    with pytest.raises(DeclarationError, match="check is a webhook already"):
        defaulting(Site)(check)
