"""What a setup function declares, and the rights that follow."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from inspect import iscoroutinefunction, signature
from typing import Any, cast

import pytest

from kubewright import EMPTY, DeclarationError, Resource, Struct, custom_resource
from kubewright.controllers.declared import Declarations, has_status
from kubewright.controllers.manager import Manager
from kubewright.controllers.rbac import Permission
from kubewright.controllers.roles import policy_rules
from kubewright.controllers.sources import Source
from kubewright.models.apps_v1 import Deployment
from kubewright.models.core_v1 import ConfigMap, Pod, PodSpec, Secret


class Spec(Struct):
    size: int = 0


@custom_resource(group="example.com", version="v1", subresources=["status"])
class Site(Resource):
    spec: Spec = EMPTY
    status: Spec = EMPTY


@custom_resource(group="example.com", version="v1")
class Plain(Resource):
    spec: Spec = EMPTY


async def reconcile(ctx: object, request: object) -> None: ...


def granted(declared: Declarations) -> dict[str, set[str]]:
    return verbs(declared.permissions())


def verbs(permissions: Iterable[Permission]) -> dict[str, set[str]]:
    return {
        f"{group}/{resource}": set(rule.verbs)
        for rule in policy_rules(permissions)
        for group in rule.api_groups
        for resource in rule.resources
    }


def test_rights_of_a_controller() -> None:
    declared = Declarations()
    declared.controller(Site, reconcile, owns=[Deployment], watches=[ConfigMap], workers=4, timeout=3)
    assert granted(declared) == {
        "example.com/sites": {"get", "list", "watch"},
        "apps/deployments": {"get", "list", "watch"},
        "/configmaps": {"get", "list", "watch"},
        "/events": {"create", "patch"},
    }
    (controller,) = declared.controllers
    assert verbs(controller.usual_permissions()) == {
        "example.com/sites/status": {"get", "update", "patch"},
        "example.com/sites/finalizers": {"update"},
        "apps/deployments": {"get", "list", "watch", "create", "update", "patch", "delete"},
    }


def test_what_else_a_manager_is_told() -> None:
    async def report() -> None: ...

    async def setup(manager: Any) -> None:
        manager.add_health_check("disk", report)
        manager.add_ready_check("disk", report)
        assert manager.add(report, leader=False) is report
        manager.index(Pod, {"node": lambda pod: [pod.spec.node_name]})

    declared = Declarations()
    asyncio.run(setup(declared))
    assert granted(declared) == {"/pods": {"get", "list", "watch"}}
    for name in ("add", "add_health_check", "add_ready_check", "index"):
        ours, theirs = getattr(Declarations, name), getattr(Manager, name)
        assert [*signature(ours).parameters] == [*signature(theirs).parameters]
        assert iscoroutinefunction(ours) == iscoroutinefunction(theirs)


def test_what_is_in_another_cluster_needs_no_rights_in_this_one() -> None:
    declared = Declarations()
    eu = declared.cluster(None, name="eu")
    eu.index(ConfigMap, {})
    declared.controller(Site, reconcile, cluster=eu, owns=[Deployment], watches=[Source(Secret, list)])
    declared.controller(Site, reconcile, cluster="eu", watches=[Source(Pod, list, cluster="")])
    assert granted(declared) == {"/pods": {"get", "list", "watch"}}
    declared.controller(Plain, reconcile, watches=[Source(Secret, list, cluster=cast("Any", eu))])
    assert "/secrets" not in granted(declared)
    assert "/events" in granted(declared)
    ours, theirs = signature(Declarations.cluster), signature(Manager.cluster)
    assert [*ours.parameters] == [*theirs.parameters]


def test_a_kind_without_status_has_no_rights_for_it() -> None:
    declared = Declarations()
    declared.controller(Plain, reconcile)
    (controller,) = declared.controllers
    assert verbs(controller.usual_permissions()) == {"example.com/plains/finalizers": {"update"}}


def test_what_is_in_another_cluster_has_no_usual_rights() -> None:
    declared = Declarations()
    declared.controller(Site, reconcile, cluster="eu", owns=[Deployment])
    assert declared.controllers[0].usual_permissions() == []


def test_functions_that_a_manager_calls_are_kept() -> None:
    def users_of(config: object) -> list[object]:
        return []

    def wants(change: object) -> bool:
        return True

    declared = Declarations()
    watched: Any = Source(ConfigMap, cast("Any", users_of), predicates=[wants])
    declared.controller(Site, reconcile, watches=[watched], predicates=[wants])
    (controller,) = declared.controllers
    assert controller.mappings == ((ConfigMap, users_of),)
    assert controller.functions == (wants, wants)


def test_status_of_built_in_kinds() -> None:
    assert has_status(Pod)
    assert has_status(Deployment)
    assert not has_status(ConfigMap)


def test_without_controllers_there_are_no_rights() -> None:
    assert Declarations().permissions() == []


def test_sources_are_taken_for_their_kinds() -> None:
    class Kind:
        kind = Pod

    declared = Declarations()
    declared.controller(Plain, reconcile, watches=[Kind()], owns=[Kind()])
    (controller,) = declared.controllers
    assert (controller.watches, controller.owns) == ((Pod,), (Pod,))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"owns": [PodSpec]}, "owns has PodSpec, which is no kind"),
        ({"watches": ["pods"]}, "watches has 'pods', which is no kind"),
    ],
)
def test_what_is_no_kind(options: dict[str, Any], said: str) -> None:
    with pytest.raises(DeclarationError) as raised:
        Declarations().controller(Site, reconcile, **options)
    assert said in str(raised.value)


def test_the_rest_of_a_manager_is_not_there() -> None:
    declared: Any = Declarations()
    with pytest.raises(DeclarationError, match=r"uses manager\.client, but there is no cluster"):
        _ = declared.client
    with pytest.raises(DeclarationError, match="decorate it with @defaulting"):
        declared.webhook(reconcile)
    assert not hasattr(declared, "__aenter__")
