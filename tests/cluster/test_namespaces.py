"""Namespaces that are deleted: their content goes first, and what holds it is told."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from kubewright import Client, NotFound
from kubewright.cluster.namespace_conditions import conditions_of
from kubewright.cluster.namespace_content import PODS, Leftovers, delete_content
from kubewright.cluster.namespaces import _Waiting
from kubewright.machinery.gvk import GroupResource
from kubewright.models.core_v1 import ConfigMap, Namespace, NamespaceCondition, Pod, Secret
from tests.cluster.clusters import eventually, with_cluster
from tests.cluster.policies import refused

CONFIG_MAPS, SECRETS = GroupResource("", "configmaps"), GroupResource("", "secrets")

HELD = {"metadata": {"name": "held", "finalizers": ["example.com/hold"]}}


async def make(client: Client, name: str = "team") -> None:
    await client.api(Namespace).create(Namespace.from_dict({"metadata": {"name": name}}))


async def is_gone(client: Client, name: str = "team") -> bool:
    try:
        await client.api(Namespace).get(name)
    except NotFound:
        return True
    return False


async def conditions(client: Client, name: str = "team") -> dict[str, tuple[str, str, str]]:
    namespace = await client.api(Namespace).get(name)
    return {each.type: (each.status, each.reason, each.message) for each in namespace.status.conditions}


def test_it_goes_with_all_that_is_in_it() -> None:
    async def test(client: Client) -> None:
        await make(client)
        for number in range(5):
            await client.api(ConfigMap, "team").create({"metadata": {"name": f"c{number}"}})
            await client.api(Secret, "team").create({"metadata": {"name": f"s{number}"}})
        await client.api(ConfigMap, "default").create({"metadata": {"name": "other"}})
        await client.api(Namespace).delete("team")
        await eventually(lambda: is_gone(client), "the namespace is still there")
        assert [each async for each in client.api(Secret).list()] == []
        assert [each.metadata.name async for each in client.api(ConfigMap).list()] == ["other"]

    with_cluster(test, "namespace")


def test_what_holds_it_is_told_and_it_goes_when_that_lets_go() -> None:
    async def test(client: Client) -> None:
        await make(client)
        await client.api(ConfigMap, "team").create(HELD)
        await client.api(Namespace).delete("team")

        async def told() -> bool:
            return bool(await conditions(client))

        await eventually(told, "nothing is told")
        held = "example.com/hold in 1 resource instances"
        assert await conditions(client) == {
            "NamespaceDeletionDiscoveryFailure": (
                "False",
                "ResourcesDiscovered",
                "All resources successfully discovered",
            ),
            "NamespaceDeletionGroupVersionParsingFailure": (
                "False",
                "ParsedGroupVersions",
                "All legacy kube types successfully parsed",
            ),
            "NamespaceDeletionContentFailure": (
                "False",
                "ContentDeleted",
                "All content successfully deleted, may be waiting on finalization",
            ),
            "NamespaceContentRemaining": (
                "True",
                "SomeResourcesRemain",
                "Some resources are remaining: configmaps. has 1 resource instances",
            ),
            "NamespaceFinalizersRemaining": (
                "True",
                "SomeFinalizersRemain",
                f"Some content in the namespace has finalizers remaining: {held}",
            ),
        }
        await client.api(ConfigMap, "team").patch("held", {"metadata": {"finalizers": None}})
        await eventually(lambda: is_gone(client), "the namespace is still there")

    with_cluster(test, "namespace")


def test_pods_go_before_all_else() -> None:
    async def test(client: Client) -> None:
        await make(client)
        spec = {"containers": [{"name": "c", "image": "i"}]}
        await client.api(Pod, "team").create({**HELD, "spec": spec})
        await client.api(ConfigMap, "team").create({"metadata": {"name": "later"}})
        await client.api(Namespace).delete("team")

        async def terminating() -> bool:
            return (await client.api(Pod, "team").get("held")).metadata.deletion_timestamp is not None

        await eventually(terminating, "the pod is not deleted")
        assert (await client.api(ConfigMap, "team").get("later")).metadata.deletion_timestamp is None
        await client.api(Pod, "team").patch("held", {"metadata": {"finalizers": None}})
        await eventually(lambda: is_gone(client), "the namespace is still there")

    with_cluster(test, "namespace")


def test_somebody_elses_finalizer_of_the_namespace_is_left_to_them() -> None:
    async def test(client: Client) -> None:
        finalizers = ["example.com/mine"]
        await client.api(Namespace).create(
            Namespace.from_dict({"metadata": {"name": "team"}, "spec": {"finalizers": finalizers}})
        )
        await client.api(Namespace).delete("team")

        async def ours_is_out() -> bool:
            return (await client.api(Namespace).get("team")).spec.finalizers == finalizers

        await eventually(ours_is_out, "the finalizer kubernetes is still there")
        assert (await conditions(client))["NamespaceContentRemaining"][0] == "False"
        namespace = await client.api(Namespace).get("team")
        namespace.spec.finalizers = []
        await client.api(Namespace).update(namespace, subresource="finalize")
        await eventually(lambda: is_gone(client), "the namespace is still there")

    with_cluster(test, "namespace")


def test_what_is_refused_is_told_and_tried_again() -> None:
    async def test(client: Client) -> None:
        await make(client)
        for name in ("kept", "not-kept"):
            await client.api(ConfigMap, "team").create({"metadata": {"name": name}})
        await client.api(Secret, "team").create({"metadata": {"name": "other"}})
        async with refused(
            client,
            "stay",
            resources="configmaps",
            operation="DELETE",
            namespace="team",
            allowed="oldObject.metadata.name != 'kept'",
        ):
            await client.api(Namespace).delete("team")

            async def told() -> bool:
                return bool(await conditions(client))

            await eventually(told, "nothing is told")
            status, reason, message = (await conditions(client))["NamespaceDeletionContentFailure"]
            assert (status, reason) == ("True", "ContentDeletionFailed")
            assert message == (
                'Failed to delete all resource types, 1 remaining: configmaps "Unknown" is forbidden: '
                "ValidatingAdmissionPolicy 'stay' with binding 'stay' denied request: it stays"
            )
            # Of what was not deleted nothing is counted.
            assert (await conditions(client))["NamespaceContentRemaining"][0] == "False"
            assert [each async for each in client.api(Secret, "team").list()] == []
        await eventually(lambda: is_gone(client), "the namespace is still there")

    with_cluster(test, "namespace")


def test_one_that_is_made_anew_is_another() -> None:
    async def test(client: Client) -> None:
        for number in range(3):
            await make(client)
            await client.api(ConfigMap, "team").create({"metadata": {"name": f"c{number}"}})
            await client.api(Namespace).delete("team")
            await eventually(lambda: is_gone(client), "the namespace is still there")
        await make(client)
        await client.api(ConfigMap, "team").create({"metadata": {"name": "stays"}})
        await make(client, "other")
        await client.api(Namespace).delete("other")
        await eventually(lambda: is_gone(client, "other"), "the namespace is still there")
        await client.api(ConfigMap, "team").get("stays")

    with_cluster(test, "namespace")


def test_only_what_was_left_is_looked_at_again() -> None:
    """A namespace that hangs for long costs little."""

    async def test(client: Client) -> None:
        await make(client)
        config_maps, secrets = client.api(ConfigMap, "team"), client.api(Secret, "team")
        await config_maps.create(HELD)
        await secrets.create(HELD)
        first = await delete_content(client, "team", age=timedelta(seconds=1))
        assert dict(first.resources) == {CONFIG_MAPS: 1, SECRETS: 1}
        assert first.looked_at_again() == frozenset({CONFIG_MAPS, SECRETS})
        await config_maps.patch("held", {"metadata": {"finalizers": None}})
        of_secrets = await delete_content(client, "team", age=timedelta(seconds=1), only={SECRETS})
        assert dict(of_secrets.resources) == {SECRETS: 1}
        # When nothing of these is left, all others are looked at.
        await config_maps.create(HELD)
        await secrets.patch("held", {"metadata": {"finalizers": None}})
        again = await delete_content(client, "team", age=timedelta(seconds=1), only={SECRETS})
        assert dict(again.resources) == {CONFIG_MAPS: 1}
        assert again.hold

    with_cluster(test, "none")


def test_pods_have_their_grace_and_are_unexpected_after_it() -> None:
    async def test(client: Client) -> None:
        await make(client)
        spec = {
            "containers": [{"name": "c", "image": "i"}],
            "nodeName": "far",
            "terminationGracePeriodSeconds": 7,
        }
        await client.api(Pod, "team").create({"metadata": {"name": "p"}, "spec": spec})
        await client.api(ConfigMap, "team").create({"metadata": {"name": "later"}})
        early = await delete_content(client, "team", age=timedelta(seconds=6))
        assert (early.failures, early.hold) == ([], True)
        assert early.looked_at_again() == frozenset({PODS})
        late = await delete_content(client, "team", age=timedelta(seconds=7), only={PODS})
        assert late.failures == [
            "unexpected items still remain in namespace: team for gvr: /v1, Resource=pods"
        ]
        assert late.hold
        await client.api(ConfigMap, "team").get("later")

    with_cluster(test, "none")


def test_conditions_of_others_and_times_without_a_change_stay() -> None:
    then, now = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 2, tzinfo=UTC)
    leftovers = Leftovers()
    leftovers.resources[CONFIG_MAPS] = 1
    before = conditions_of([], leftovers, then)
    mine = NamespaceCondition(type="Mine", status="True")
    before.insert(2, mine)
    leftovers.resources[CONFIG_MAPS] = 2
    same = conditions_of(before, leftovers, now)
    assert [each.type for each in same] == [each.type for each in before]
    assert same[2] == mine
    assert {each.last_transition_time for each in same if each != mine} == {then}
    assert same[4].message == "Some resources are remaining: configmaps. has 2 resource instances"
    leftovers.resources.clear()
    changed = conditions_of(same, leftovers, now)
    assert [each.type for each in changed if each.last_transition_time == now] == [
        "NamespaceContentRemaining"
    ]
    assert (changed[4].status, changed[4].reason) == ("False", "ContentRemoved")


def test_a_pause_is_over_when_the_clock_is_set_back() -> None:
    since = datetime(2026, 1, 1, tzinfo=UTC)
    waiting = _Waiting("uid", None, since, timedelta(seconds=15))
    seconds = {-3600: True, -1: True, 0: False, 14: False, 15: True, 3600: True}
    assert {each: waiting.is_over(since + timedelta(seconds=each)) for each in seconds} == seconds
