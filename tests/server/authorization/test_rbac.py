"""Who may do what by roles and bindings."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any

import pytest

from kubewright.server.authorization import Attributes, Decision
from kubewright.server.registry.write import User
from tests.server.authorization.policies import Policies, rule, subject


def run(test: Callable[[Policies], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    """A test with policies of its own, in an event loop."""

    @wraps(test)
    def running() -> None:
        asyncio.run(test(Policies()))

    del running.__wrapped__  # pytest would take the argument for a fixture
    return running


ALICE = subject("User", "alice")


async def given(policies: Policies, *rules: Any, to: Any = ALICE) -> None:
    await policies.role("r", *rules)
    await policies.binding("b", "r", to)


@run
async def test_nobody_may_anything_at_first(policies: Policies) -> None:
    assert policies.asks("alice", "get", "pods") == Decision(allowed=False, reason="")


@run
async def test_masters_may_everything_without_a_reason(policies: Policies) -> None:
    assert policies.asks("x", "any", "things", "system:masters") == Decision(allowed=True, reason="")


@run
async def test_a_cluster_role_binding_is_for_all_namespaces(policies: Policies) -> None:
    await given(policies, rule("get list"))
    for namespace in ("", "default", "other"):
        decision = policies.asks("alice", "list", "pods", namespace=namespace)
        told = 'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "r" to User "alice"'
        assert decision == Decision(allowed=True, reason=told)
    assert not policies.asks("alice", "watch", "pods").allowed
    assert not policies.asks("bob", "list", "pods").allowed
    assert not policies.asks("x", "list", "pods", "alice").allowed


@run
async def test_a_role_binding_is_for_its_namespace(policies: Policies) -> None:
    await policies.role("r", rule(), namespace="one")
    await policies.role("r", rule("delete"), namespace="two")
    await policies.role("r", rule("update"))
    await policies.binding("b", "r", ALICE, namespace="one", kind="Role")
    await policies.binding("c", "r", ALICE, namespace="one")
    told = 'RBAC: allowed by RoleBinding "b/one" of Role "r" to User "alice"'
    assert policies.asks("alice", "get", "pods", namespace="one") == Decision(allowed=True, reason=told)
    told = 'RBAC: allowed by RoleBinding "c/one" of ClusterRole "r" to User "alice"'
    assert policies.asks("alice", "update", "pods", namespace="one").reason == told
    for verb, namespace in [
        ("get", ""),
        ("get", "two"),
        ("delete", "one"),
        ("delete", "two"),
        ("update", "two"),
    ]:
        assert not policies.asks("alice", verb, "pods", namespace=namespace).allowed


@run
async def test_groups(policies: Policies) -> None:
    await given(policies, rule(), to=subject("Group", "devs"))
    told = 'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "r" to Group "devs"'
    assert policies.asks("alice", "get", "pods", "others", "devs").reason == told
    assert not policies.asks("devs", "get", "pods").allowed


@run
async def test_service_accounts(policies: Policies) -> None:
    await policies.role("r", rule())
    account = "system:serviceaccount:one:robot"
    await policies.binding("b", "r", subject("ServiceAccount", "robot"), namespace="one")
    told = 'RBAC: allowed by RoleBinding "b/one" of ClusterRole "r" to ServiceAccount "robot/one"'
    assert policies.asks(account, "get", "pods", namespace="one").reason == told
    assert not policies.asks(account, "get", "pods", namespace="two").allowed
    await policies.binding("b", "r", subject("ServiceAccount", "robot", "one"), namespace="two")
    assert policies.asks(account, "get", "pods", namespace="two").allowed
    assert not policies.asks("system:serviceaccount:two:robot", "get", "pods", namespace="two").allowed
    # In the cluster there is no namespace that could be meant.
    await policies.binding("b", "r", subject("ServiceAccount", "robot"))
    assert not policies.asks(account, "get", "pods").allowed


@pytest.mark.parametrize(
    ("resources", "asked", "allowed"),
    [
        ("pods", "pods", True),
        ("pods", "pods/log", False),
        ("pods/log", "pods/log", True),
        ("pods/log", "pods", False),
        ("*", "pods", True),
        ("*", "pods/log", True),
        ("*/log", "pods/log", True),
        ("*/log", "pods", False),
        ("*/log", "pods/exec", False),
        ("pods/*", "pods/log", False),
        ("services pods", "pods", True),
    ],
)
def test_resources(resources: str, asked: str, allowed: bool) -> None:
    async def main() -> None:
        policies = Policies()
        await given(policies, rule(resources=resources))
        assert policies.asks("alice", "get", asked).allowed is allowed

    asyncio.run(main())


@pytest.mark.parametrize(
    ("groups", "asked", "allowed"),
    [("core", "", True), ("core", "apps", False), ("*", "apps", True), ("apps batch", "batch", True)],
)
def test_api_groups(groups: str, asked: str, allowed: bool) -> None:
    async def main() -> None:
        policies = Policies()
        await given(policies, rule(groups=groups))
        assert policies.asks("alice", "get", "pods", group=asked).allowed is allowed

    asyncio.run(main())


@pytest.mark.parametrize(
    ("urls", "path", "allowed"),
    [
        ("/healthz", "/healthz", True),
        ("/healthz", "/healthz/", False),
        ("/healthz/*", "/healthz", False),
        ("/healthz/*", "/healthz/etcd", True),
        ("/healthz*", "/healthz", True),
        ("/healthz**", "/healthz", True),
        ("/h*z", "/healthz", False),
        ("*", "/anything", True),
    ],
)
def test_urls(urls: str, path: str, allowed: bool) -> None:
    async def main() -> None:
        policies = Policies()
        await given(policies, rule(urls=urls))
        assert policies.asks("alice", "get", path).allowed is allowed
        assert not policies.asks("alice", "post", path).allowed
        assert not policies.asks("alice", "get", "pods").allowed

    asyncio.run(main())


@run
async def test_rules_for_resources_say_nothing_of_paths(policies: Policies) -> None:
    await given(policies, rule("*", "*", "*"))
    assert not policies.asks("alice", "get", "/healthz").allowed


@run
async def test_names(policies: Policies) -> None:
    await given(policies, rule("get list", names="a b"), rule("get", resources="nodes"))
    assert policies.asks("alice", "get", "pods", name="a").allowed
    assert policies.asks("alice", "get", "pods", name="b").allowed
    assert not policies.asks("alice", "get", "pods", name="c").allowed
    assert not policies.asks("alice", "list", "pods").allowed
    assert policies.asks("alice", "get", "nodes", name="c").allowed


@run
async def test_the_first_that_allows_is_told(policies: Policies) -> None:
    await policies.role("some", rule(names="a"))
    await policies.role("all", rule())
    await policies.binding("b2", "all", ALICE)
    await policies.binding("b1", "some", subject("Group", "g"), ALICE)
    await policies.binding("b0", "all", ALICE, namespace="one")
    assert policies.asks("alice", "get", "pods", "g", name="a", namespace="one").reason.endswith(
        'ClusterRoleBinding "b1" of ClusterRole "some" to Group "g"'
    )
    assert policies.asks("alice", "get", "pods", name="a").reason.endswith('"some" to User "alice"')
    assert policies.asks("alice", "get", "pods", name="b", namespace="one").reason.endswith(
        '"b2" of ClusterRole "all" to User "alice"'
    )


@run
async def test_roles_that_are_missing(policies: Policies) -> None:
    missing = 'clusterrole.rbac.authorization.k8s.io "r" not found'
    await policies.binding("b", "r", ALICE)
    assert policies.asks("alice", "get", "pods") == Decision(allowed=False, reason=f"RBAC: {missing}")
    await policies.binding("c", "r", ALICE)
    assert policies.asks("alice", "get", "pods").reason == f"RBAC: {missing}"
    await policies.binding("d", "s", ALICE, namespace="one", kind="Role")
    both = f'RBAC: [{missing}, role.rbac.authorization.k8s.io "s" not found]'
    assert policies.asks("alice", "get", "pods", namespace="one").reason == both
    assert policies.asks("bob", "get", "pods").reason == ""
    await policies.role("r", rule())
    assert policies.asks("alice", "get", "pods").allowed


@run
async def test_every_write_is_in_force_at_once(policies: Policies) -> None:
    await policies.role("r")
    await policies.binding("b", "r", ALICE)
    assert not policies.asks("alice", "get", "pods").allowed
    await policies.role("r", rule())
    assert policies.asks("alice", "get", "pods").allowed
    await policies.binding("b", "r", subject("User", "bob"))
    assert not policies.asks("alice", "get", "pods").allowed
    assert policies.asks("bob", "get", "pods").allowed
    await policies.delete("clusterrolebindings", "b")
    assert not policies.asks("bob", "get", "pods").allowed
    await policies.binding("b", "r", ALICE)
    assert policies.asks("alice", "get", "pods").allowed
    await policies.delete("clusterroles", "r")
    assert not policies.asks("alice", "get", "pods").allowed


def test_who_slept_too_long_reads_anew() -> None:
    async def main() -> None:
        policies = Policies(max_waiting=3)
        await given(policies, rule())
        assert policies.asks("alice", "get", "pods").allowed
        for index in range(5):
            await policies.role(f"r{index}")
        await policies.binding("b", "r", subject("User", "bob"))
        await policies.role("r", rule("delete"))
        assert not policies.asks("alice", "get", "pods").allowed
        assert policies.asks("bob", "delete", "pods").allowed
        await policies.role("r", rule("update"))
        assert policies.asks("bob", "update", "pods").allowed

    asyncio.run(main())


@run
async def test_what_is_remembered_is_of_the_same_question(policies: Policies) -> None:
    await given(
        policies, rule("get", "apps", "pods/log pods"), rule("get", urls="/a"), rule("put", urls="pods")
    )
    for _ in range(2):
        assert policies.asks("alice", "get", "pods", group="apps").allowed
        assert not policies.asks("alice", "get", "pods").allowed
        assert policies.asks("alice", "get", "pods/log", group="apps").allowed
        assert not policies.asks("alice", "get", "pods/exec", group="apps").allowed
        assert not policies.asks("alice", "list", "pods", group="apps").allowed
        assert policies.asks("alice", "get", "/a").allowed
        assert not policies.asks("alice", "get", "/b").allowed
        assert not policies.asks("alice", "put", "/a").allowed
        assert not policies.asks("bob", "get", "/a").allowed
        assert not policies.asks("alice2", "get", "pods", "alice", group="apps").allowed


@run
async def test_reviews_of_odd_resources_are_no_questions_about_paths(policies: Policies) -> None:
    await given(policies, rule("get", "*", "*"))
    alice = User(name="alice")
    for resource in ("/", "", "/metrics"):
        odd = Attributes(user=alice, verb="get", resource=resource, subresource="/metrics", path="/metrics")
        assert policies.rbac.authorize(odd).allowed
        assert not policies.asks("alice", "get", "/metrics").allowed


@run
async def test_what_is_remembered_is_bounded(policies: Policies) -> None:
    await given(policies, rule("*", "*", "*"))
    most = 0
    for index in range(70_000):
        question = Attributes(user=User(name=f"alice{index % 10}"), verb="get", resource=f"r{index}")
        policies.rbac.authorize(question)
        if index % 1000 == 0:
            most = max(most, sum(len(each._answers) for each in policies.rbac._rights.values()))
    assert 60_000 < most <= 65_536
    assert sum(len(each._answers) for each in policies.rbac._rights.values()) < 10_000
    for index in range(5000):
        assert not policies.asks(f"bob{index}", "get", "pods").allowed
    for size in (10_000, 20_000):
        long = "x" * size
        assert policies.asks("alice", "get", long).allowed
        assert not policies.asks(long, "get", "pods").allowed
        assert not policies.asks("bob", "get", "pods", *(["g"] * size)).allowed
    rights = policies.rbac._rights
    assert all(sum(map(len, (name, *groups))) < 5000 for name, groups, _ in rights)
    assert all(sum(map(len, question)) < 5000 for each in rights.values() for question in each._answers)
    assert len(rights) <= 4096


@run
async def test_all_rules_of_a_user(policies: Policies) -> None:
    await given(policies, rule(), rule(urls="/x"))
    await policies.binding("missing", "none", ALICE)
    await policies.role("r", rule("list"), namespace="one")
    await policies.binding("b", "r", ALICE, namespace="one", kind="Role")
    found = policies.rbac.rules_for(User(name="alice"), "one")
    assert [(each.verbs, each.resources, each.non_resource_urls) for each in found.rules] == [
        (("get",), ("pods",), ()),
        (("get",), (), ("/x",)),
        (("list",), ("pods",), ()),
    ]
    assert [each.name for each in found.missing] == ["none"]
    assert len(policies.rbac.rules_for(User(name="alice"), "").rules) == 2
