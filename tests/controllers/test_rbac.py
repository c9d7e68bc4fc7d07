"""Marks, and the rules that are made of them."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright import EMPTY, DeclarationError, Resource, Struct, custom_resource
from kubewright.controllers import rbac
from kubewright.controllers.rbac import Permission, permissions_of
from kubewright.controllers.roles import policy_rules, roles
from kubewright.models.apps_v1 import Deployment
from kubewright.models.core_v1 import ConfigMap, Node, Pod, PodSpec


class Spec(Struct):
    size: int = 0


@rbac(ConfigMap, verbs=["get"])
@custom_resource(group="example.com", version="v1")
class Site(Resource):
    spec: Spec = EMPTY


def marks(*decorators: object) -> tuple[Permission, ...]:
    def function() -> None: ...

    for decorate in decorators:
        assert callable(decorate)
        assert decorate(function) is function
    return permissions_of(function)


def rules(*permissions: Permission) -> list[dict[str, object]]:
    return [each.to_dict() for each in policy_rules(permissions)]


class TestMarks:
    def test_of_a_kind(self) -> None:
        (made,) = marks(rbac(Deployment, verbs=["get", "list"], names=["web"], namespace="shop"))
        assert made == Permission(
            groups=("apps",),
            resources=("deployments",),
            verbs=("get", "list"),
            names=("web",),
            namespace="shop",
        )

    def test_of_a_subresource(self) -> None:
        (made,) = marks(rbac(Pod, verbs=["get"], subresource="log"))
        assert (made.groups, made.resources) == (("",), ("pods/log",))

    def test_of_resources_and_of_urls(self) -> None:
        first, second = marks(
            rbac(urls=["/metrics", "/debug/*"], verbs=["get"]),
            rbac(groups=["core", "apps"], resources=["*", "pods/*"], verbs=["*"]),
        )
        assert first.groups == ("", "apps")
        assert second == Permission(urls=("/metrics", "/debug/*"), verbs=("get",))

    def test_on_a_class_but_not_on_those_derived_from_it(self) -> None:
        @rbac(Pod, verbs=["get"])
        class Base: ...

        class Derived(Base): ...

        @rbac(Pod, verbs=["list"])
        class Marked(Base): ...

        assert [each.verbs for each in permissions_of(Base)] == [("get",)]
        assert permissions_of(Derived) == ()
        assert [each.verbs for each in permissions_of(Marked)] == [("list",)]

    @pytest.mark.parametrize("marked", [len, 3, "text"])
    def test_what_cannot_be_marked(self, marked: object) -> None:
        with pytest.raises(DeclarationError, match="function or a class"):
            rbac(Pod, verbs=["get"])(marked)

    def test_constrained_impersonation_and_its_like_are_verbs(self) -> None:
        marks(
            rbac(
                groups=["authentication.k8s.io"],
                resources=["users"],
                verbs=["impersonate:user-info", "impersonate"],
            )
        )

    def test_names_restrict_requests_that_name_an_object(self) -> None:
        marks(rbac(Pod, verbs=["create"], subresource="exec", names=["web"]))
        marks(rbac(Pod, verbs=["list", "watch", "get"], names=["web"]))

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({"verbs": []}, "verbs is empty"),
            ({"verbs": "get"}, "write verbs=['get']"),
            ({"verbs": ["Get"]}, "there is no verb 'Get'"),
            ({"verbs": ["get", "creat"]}, "there is no verb 'creat'"),
            ({"verbs": [1]}, "verbs has 1, which is no text"),
            ({"verbs": ["get"], "names": "web"}, "write names=['web']"),
            ({"verbs": ["get"], "names": [""]}, "names has an empty one"),
            ({"verbs": ["create"], "names": ["web"]}, "names cannot restrict create"),
            ({"verbs": ["get", "deletecollection"], "names": ["a"]}, "cannot restrict deletecollection"),
            ({"verbs": ["get"], "namespace": "Shop"}, "'Shop' is no name of a namespace"),
            ({"verbs": ["get"], "subresource": "a/b"}, "must be one word"),
            ({"verbs": ["get"], "subresource": "Log"}, "resources has 'pods/Log'"),
            ({"verbs": ["get"], "groups": [""]}, "a kind says its group"),
            ({"verbs": ["get"], "urls": ["/a"]}, "a kind says its group"),
        ],
    )
    def test_bad_marks_of_a_kind(self, options: dict[str, object], said: str) -> None:
        with pytest.raises(DeclarationError) as raised:
            rbac(Pod, **options)  # type: ignore[call-overload]
        assert said in str(raised.value)
        assert "\n" not in str(raised.value)

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({}, "it is about nothing"),
            ({"groups": [""]}, "it is about nothing"),
            ({"resources": ["pods"]}, "it is about nothing"),
            ({"groups": ["apps/v1"], "resources": ["pods"]}, "groups has 'apps/v1'"),
            ({"groups": [""], "resources": ["Pod"]}, "resources has 'Pod'"),
            ({"groups": [""], "resources": [""]}, "resources has ''"),
            ({"groups": [""], "resources": ["pods/log/x"]}, "resources has 'pods/log/x'"),
            ({"groups": [""], "resources": ["pods"], "subresource": "log"}, "resources=['pods/log']"),
            ({"urls": ["metrics"]}, "urls has 'metrics'"),
            ({"urls": ["/a*b"]}, "urls has '/a*b'"),
            ({"urls": ["/a"], "verbs": ["list"]}, "there is no verb 'list'"),
            ({"urls": ["/a"], "groups": [""], "resources": ["pods"]}, "a mark of their own"),
            ({"urls": ["/a"], "namespace": "shop"}, "a mark of their own"),
        ],
    )
    def test_bad_marks_of_resources_and_urls(self, options: dict[str, object], said: str) -> None:
        with pytest.raises(DeclarationError) as raised:
            rbac(**{"verbs": ["get"], **options})  # type: ignore[call-overload]
        assert said in str(raised.value)

    def test_kinds_that_cannot_be(self) -> None:
        with pytest.raises(DeclarationError, match="PodSpec is no kind"):
            rbac(PodSpec, verbs=["get"])  # type: ignore[call-overload]
        with pytest.raises(DeclarationError, match="Node has no namespace"):
            rbac(Node, verbs=["get"], namespace="shop")

    def test_of_a_custom_resource(self) -> None:
        (made,) = marks(rbac(Site, verbs=["patch"]))
        assert (made.groups, made.resources) == (("example.com",), ("sites",))
        assert [each.resources for each in permissions_of(Site)] == [("configmaps",)]


class TestPolicyRules:
    def test_verbs_on_the_same_resources_are_one_rule(self) -> None:
        assert rules(
            Permission(groups=("",), resources=("pods",), verbs=("list", "get")),
            Permission(groups=("",), resources=("pods",), verbs=("watch", "get")),
        ) == [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list", "watch"]}]

    def test_resources_and_groups_with_the_same_verbs_are_one_rule(self) -> None:
        assert rules(
            Permission(groups=("events.k8s.io",), resources=("events",), verbs=("create",)),
            Permission(groups=("",), resources=("events",), verbs=("create",)),
            Permission(groups=("",), resources=("secrets",), verbs=("get",)),
            Permission(groups=("",), resources=("configmaps",), verbs=("get",)),
        ) == [
            {"apiGroups": [""], "resources": ["configmaps", "secrets"], "verbs": ["get"]},
            {"apiGroups": ["", "events.k8s.io"], "resources": ["events"], "verbs": ["create"]},
        ]

    def test_names(self) -> None:
        of_all = Permission(groups=("",), resources=("pods",), verbs=("get",))
        assert rules(
            of_all,
            Permission(groups=("",), resources=("pods",), verbs=("get", "delete"), names=("b",)),
            Permission(groups=("",), resources=("pods",), verbs=("delete",), names=("a",)),
            Permission(groups=("",), resources=("pods",), verbs=("get",), names=("c",)),
        ) == [
            {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]},
            {"apiGroups": [""], "resources": ["pods"], "resourceNames": ["a", "b"], "verbs": ["delete"]},
        ]

    def test_a_star_takes_the_place_of_all_verbs(self) -> None:
        assert rules(
            Permission(groups=("",), resources=("pods",), verbs=("get", "*")),
            Permission(groups=("",), resources=("pods",), verbs=("get",), names=("a",)),
        ) == [{"apiGroups": [""], "resources": ["pods"], "verbs": ["*"]}]

    def test_urls_come_last_and_are_merged_too(self) -> None:
        assert rules(
            Permission(urls=("/b",), verbs=("get",)),
            Permission(groups=("zoo",), resources=("cats",), verbs=("get",)),
            Permission(urls=("/a",), verbs=("get",)),
            Permission(urls=("/a", "/c"), verbs=("post",)),
        ) == [
            {"apiGroups": ["zoo"], "resources": ["cats"], "verbs": ["get"]},
            {"nonResourceURLs": ["/a"], "verbs": ["get", "post"]},
            {"nonResourceURLs": ["/b"], "verbs": ["get"]},
            {"nonResourceURLs": ["/c"], "verbs": ["post"]},
        ]

    def test_roles_are_by_namespace(self) -> None:
        made = roles(
            [
                Permission(groups=("",), resources=("pods",), verbs=("get",), namespace="b"),
                Permission(groups=("",), resources=("secrets",), verbs=("get",)),
                Permission(groups=("",), resources=("pods",), verbs=("list",), namespace="a"),
            ]
        )
        assert [(each.kind, each.metadata.name, each.metadata.namespace) for each in made] == [
            ("ClusterRole", "manager-role", ""),
            ("Role", "manager-role", "a"),
            ("Role", "manager-role", "b"),
        ]
        assert [each.rules[0].verbs for each in made] == [["get"], ["list"], ["get"]]
        assert roles([]) == []


words = st.sampled_from
some = st.lists
permissions = st.builds(
    lambda groups, resources, verbs, names: Permission(
        groups=tuple(groups), resources=tuple(resources), verbs=tuple(verbs), names=tuple(names)
    ),
    some(words(["", "apps", "*"]), min_size=1, max_size=2),
    some(words(["pods", "pods/log", "*"]), min_size=1, max_size=2),
    some(words(["get", "list", "delete", "*"]), min_size=1, max_size=3),
    some(words(["a", "b"]), max_size=2),
)


def allows(permission: Permission, group: str, resource: str, verb: str, name: str) -> bool:
    """As RBAC decides."""
    return (
        (group in permission.groups or "*" in permission.groups)
        and (resource in permission.resources or "*" in permission.resources)
        and (verb in permission.verbs or "*" in permission.verbs)
        and (not permission.names or name in permission.names)
    )


@given(st.lists(permissions, max_size=6), st.randoms())
def test_what_is_merged_allows_the_same_and_is_the_same_in_any_order(
    asked: list[Permission], random: object
) -> None:
    made = policy_rules(asked)
    shuffled = list(asked)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert policy_rules(shuffled) == made
    merged = [
        Permission(
            groups=tuple(rule.api_groups),
            resources=tuple(rule.resources),
            verbs=tuple(rule.verbs),
            names=tuple(rule.resource_names),
        )
        for rule in made
    ]
    for request in product(["", "apps", "x"], ["pods", "pods/log"], ["get", "list", "watch"], ["", "a", "c"]):
        assert any(allows(each, *request) for each in merged) == any(
            allows(each, *request) for each in asked
        ), request
