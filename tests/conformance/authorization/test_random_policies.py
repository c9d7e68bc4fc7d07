"""Random roles, bindings and questions: kubewright's server says what a real kube-apiserver says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.conformance.authorization.policies import (
    GROUP,
    as_user,
    ask,
    binding,
    create,
    in_force,
    path_of,
    role,
    rule,
    subject,
)
from tests.conformance.client import Client
from tests.conformance.namespaces import unique

pytestmark = [pytest.mark.real, pytest.mark.parametrize("server", ["real"], indirect=True)]

QUESTIONS = 30
"""In each example; with their number it makes some hundreds in a run."""

NAMESPACES = ("one", "two")


def some(*texts: str, least: int = 1) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(texts), min_size=least, max_size=3).map(" ".join)


VERBS = some("get", "list", "create", "*")
RESOURCES = some("pods", "pods/log", "pods/exec", "nodes", "nodes/log", "*/log", "pods/*", "*")
RULES = st.builds(rule, VERBS, some("core", "apps", "example.com", "*"), RESOURCES, some("a", "b", least=0))
URLS = st.builds(
    lambda verbs, urls: {"verbs": verbs.split(), "nonResourceURLs": urls.split()},
    VERBS,
    some("/a", "/a/", "/a/*", "/a*", "/a**", "/b/c", "/b/*", "*"),
)
SUBJECTS = st.one_of(
    st.builds(subject, st.just("User"), st.sampled_from(["ann", "bob"])),
    st.builds(subject, st.just("Group"), st.sampled_from(["devs", "ops", "ann"])),
    st.builds(
        subject, st.just("ServiceAccount"), st.sampled_from(["ann", "bob"]), st.sampled_from(NAMESPACES)
    ),
)
NAMES = st.sampled_from(["r0", "r1", "r2", "missing"])


@dataclass(frozen=True)
class Policy:
    """Roles r0 to r2 of the cluster and of each namespace, and bindings to them; short names, see `named`."""

    cluster_roles: list[list[Any]]
    roles: list[tuple[str, list[Any]]]
    cluster_bindings: list[tuple[str, list[Any]]]
    bindings: list[tuple[str, str, str, list[Any]]]
    questions: list[tuple[str, list[str], dict[str, str]]]


POLICIES = st.builds(
    Policy,
    st.lists(st.lists(RULES | URLS, max_size=3), min_size=3, max_size=3),
    st.lists(st.tuples(st.sampled_from(NAMESPACES), st.lists(RULES, max_size=3)), max_size=4),
    st.lists(st.tuples(NAMES, st.lists(SUBJECTS, max_size=3)), max_size=3),
    st.lists(
        st.tuples(
            st.sampled_from(NAMESPACES),
            st.sampled_from(["Role", "ClusterRole"]),
            NAMES,
            st.lists(SUBJECTS, max_size=3),
        ),
        max_size=4,
    ),
    st.lists(
        st.tuples(
            st.sampled_from(["ann", "bob", "sa one ann", "sa two ann", "sa one bob"]),
            st.lists(st.sampled_from(["devs", "ops", "ann"]), max_size=2),
            st.one_of(
                st.fixed_dictionaries(
                    {
                        "verb": st.sampled_from(["get", "list", "create", "delete"]),
                        "group": st.sampled_from(["", "apps", "example.com", "batch"]),
                        "resource": st.sampled_from(["pods", "nodes", "widgets"]),
                        "subresource": st.sampled_from(["", "", "log", "exec"]),
                        "namespace": st.sampled_from(["", *NAMESPACES]),
                        "name": st.sampled_from(["", "a", "b", "c"]),
                    }
                ),
                st.fixed_dictionaries(
                    {
                        "verb": st.sampled_from(["get", "create"]),
                        "path": st.sampled_from(["/a", "/a/", "/a/b", "/ab", "/b/c", "/b/", "/c"]),
                    }
                ),
            ),
        ),
        min_size=QUESTIONS,
        max_size=QUESTIONS,
    ),
)


class Named:
    """The names of one example: no other has them."""

    def __init__(self, namespaces: dict[str, str]) -> None:
        self.namespaces = namespaces
        self.suffix = unique("x")

    def name(self, short: str) -> str:
        return f"{short}-{self.suffix}"

    def user(self, short: str) -> str:
        if not short.startswith("sa "):
            return self.name(short)
        _, namespace, name = short.split()
        return f"system:serviceaccount:{self.namespaces[namespace]}:{self.name(name)}"

    def subjects(self, subjects: list[Any]) -> list[Any]:
        return [
            {
                **each,
                "name": self.name(each["name"]),
                **({"namespace": self.namespaces[each["namespace"]]} if "namespace" in each else {}),
            }
            for each in subjects
        ]

    def objects(self, policy: Policy) -> list[dict[str, Any]]:
        made = [role(self.name(f"r{index}"), *rules) for index, rules in enumerate(policy.cluster_roles)]
        for index, (short, rules) in enumerate(policy.roles):
            made.append(role(self.name(f"r{index}"), *rules, namespace=self.namespaces[short]))
        for index, (to, subjects) in enumerate(policy.cluster_bindings):
            made.append(binding(self.name(f"b{index}"), self.name(to), *self.subjects(subjects)))
        for index, (short, kind, to, subjects) in enumerate(policy.bindings):
            namespace = self.namespaces[short]
            bound = self.subjects(subjects)
            made.append(
                binding(self.name(f"b{index}"), self.name(to), *bound, namespace=namespace, kind=kind)
            )
        # The last of each kind: when these are in force, all others are.
        one, last = self.namespaces["one"], subject("User", self.name("last"))
        everything = rule("*", "*", "*")
        return [
            *made,
            role(self.name("last"), everything),
            role(self.name("last"), everything, namespace=one),
            binding(self.name("last"), self.name("last"), subject("User", self.name("last-of-cluster"))),
            binding(self.name("last"), self.name("last"), last, namespace=one, kind="Role"),
        ]


@pytest.fixture(scope="module")
def ours() -> Iterator[Client]:
    """kubewright's server, besides the real one."""
    from kubewright.testing import Cluster

    with Cluster.in_thread(controllers="none") as cluster:
        client = Client(cluster)
        yield client
        client.close()


@pytest.fixture(scope="module")
def namespaces(client: Client, ours: Client) -> dict[str, str]:
    found = {short: unique(short) for short in NAMESPACES}
    for each in (client, ours):
        for name in found.values():
            body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
            assert each.post("/api/v1/namespaces", body).status == 201
    return found


def verdict(status: dict[str, Any]) -> tuple[bool, set[str]]:
    """Whether it is allowed, and, when it is not, which roles are missing; upstream has no order."""
    reason = "" if status["allowed"] else status.get("reason", "")
    return status["allowed"], set(re.findall(r'\w+\.rbac\.authorization\.k8s\.io "[^"]+" not found', reason))


def randomly(examples: int) -> settings:
    # Nothing is made smaller: each example leaves objects behind.
    return settings(
        max_examples=examples,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )


@randomly(12)
@given(policy=POLICIES)
def test_random_policies(client: Client, ours: Client, namespaces: dict[str, str], policy: Policy) -> None:
    named = Named(namespaces)
    for each in (client, ours):
        create(each, *named.objects(policy))
        in_force(each, named.name("last-of-cluster"), verb="get", resource="pods")
        in_force(each, named.name("last"), verb="get", resource="pods", namespace=namespaces["one"])
    for user, groups, attributes in policy.questions:
        asked = {name: namespaces.get(value, value) for name, value in attributes.items() if value}
        who = named.user(user), [named.name(group) for group in groups]
        real, own = ask(client, *who, **asked), ask(ours, *who, **asked)
        assert verdict(own) == verdict(real), (who, asked, named.objects(policy))


@randomly(12)
@given(
    held=st.lists(RULES | URLS, max_size=4),
    wanted=st.lists(st.lists(RULES | URLS, min_size=1, max_size=3), min_size=5, max_size=5),
)
def test_random_escalations(
    client: Client, ours: Client, namespaces: dict[str, str], held: list[Any], wanted: list[list[Any]]
) -> None:
    """Roles that somebody wants to make: both refuse the same, in the same words."""
    name, ns = unique("escalation"), namespaces["one"]
    user = subject("User", name)
    write = rule("create", GROUP, "roles clusterroles rolebindings clusterrolebindings")
    roles = [role(f"{name}-{index}", *rules) for index, rules in enumerate(wanted)]
    for each in (client, ours):
        create(each, role(name, write, *held), binding(name, name, user), *roles)
        in_force(each, name, verb="create", group=GROUP, resource="roles")
    attempts = [role(f"{name}-try-{index}", *rules) for index, rules in enumerate(wanted)]
    attempts += [binding(f"{name}-try", made["metadata"]["name"], user) for made in roles]
    attempts += [binding(f"{name}-try", made["metadata"]["name"], user, namespace=ns) for made in roles]
    for obj in attempts:
        answers = [
            each.post(path_of(obj), obj, headers=as_user(name), dryRun="All") for each in (client, ours)
        ]
        real, own = (
            (answer.status, answer.json()["message"] if answer.status != 201 else "") for answer in answers
        )
        assert own == real, (held, obj)
