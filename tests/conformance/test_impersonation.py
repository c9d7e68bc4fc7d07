"""Acting for somebody else: what becomes of a caller, and what rights it takes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.callers import (
    SELF,
    certificate,
    grant,
    send,
    service_account,
    token_of,
)
from tests.conformance.client import Client, Response, ServerUnderTest
from tests.conformance.namespaces import Namespace, unique
from tests.conformance.objects import config_map
from tests.conformance.statuses import assert_failure

AUTHENTICATION = "authentication.k8s.io"
SELVES = "selfsubjectreviews"


def headers_of(*texts: str) -> list[tuple[str, str]]:
    """`User: x` for the header `Impersonate-User: x`."""
    split = [text.partition(":") for text in texts]
    return [(f"Impersonate-{name}", value.strip()) for name, _, value in split]


def as_admin(server: ServerUnderTest, *texts: str) -> Response:
    return send(server, [("Authorization", f"Bearer {server.token}"), *headers_of(*texts)])


def became(server: ServerUnderTest, *texts: str) -> Any:
    """Whom the administrator becomes."""
    response = as_admin(server, *texts)
    assert response.status == 201, response.text
    return response.json()["status"]["userInfo"]


class TestTheAdministrator:
    """May act for everybody."""

    @pytest.mark.parametrize(
        ("headers", "expected"),
        [
            (["User: alice"], {"username": "alice", "groups": ["system:authenticated"]}),
            (["User: alice", "User: bob"], {"username": "alice", "groups": ["system:authenticated"]}),
            (
                ["User: alice", "Group: b", "Group: a", "Uid: 7"],
                {"username": "alice", "uid": "7", "groups": ["b", "a", "system:authenticated"]},
            ),
            (
                ["User: alice", "Group: system:authenticated", "Group: x"],
                {"username": "alice", "groups": ["system:authenticated", "x"]},
            ),
            (["User: alice", "Group: "], {"username": "alice", "groups": ["", "system:authenticated"]}),
            (
                ["User: system:serviceaccount:default:robot"],
                {
                    "username": "system:serviceaccount:default:robot",
                    "groups": [
                        "system:serviceaccounts",
                        "system:serviceaccounts:default",
                        "system:authenticated",
                    ],
                },
            ),
            (
                ["User: system:serviceaccount:default:robot", "Group: g"],
                {"username": "system:serviceaccount:default:robot", "groups": ["g", "system:authenticated"]},
            ),
            (
                ["User: system:serviceaccount:default:No Name"],
                {"username": "system:serviceaccount:default:No Name", "groups": ["system:authenticated"]},
            ),
            (["User: system:node:n"], {"username": "system:node:n", "groups": ["system:authenticated"]}),
            (
                ["User: system:anonymous", "Group: system:authenticated"],
                {
                    "username": "system:anonymous",
                    "groups": ["system:authenticated", "system:unauthenticated"],
                },
            ),
        ],
        ids=lambda value: str(value) if isinstance(value, list) else "",
    )
    def test_becomes(self, server: ServerUnderTest, headers: list[str], expected: dict[str, Any]) -> None:
        assert became(server, *headers) == expected

    def test_extras(self, server: ServerUnderTest) -> None:
        texts = ["User: alice", "Extra-Foo: 1", "Extra-foo: 2", "Extra-Acme.com%2FProject: x y"]
        texts += ["Extra-Bad%zz: y", "Extra-: none", "Extra-Empty:", "Extra-Caf%C3%A9: c", "Extra-%41: upper"]
        assert became(server, *texts)["extra"] == {
            "": ["none"],
            "A": ["upper"],
            "acme.com/project": ["x y"],
            "bad%zz": ["y"],
            "café": ["c"],
            "empty": [""],
            "foo": ["1", "2"],
        }

    @pytest.mark.parametrize("headers", [["User: "], ["User:"], ["Name: alice"], []], ids=str)
    def test_stays(self, server: ServerUnderTest, headers: list[str]) -> None:
        assert "system:masters" in became(server, *headers)["groups"]

    @pytest.mark.parametrize(
        ("headers", "shown"),
        [
            (
                ["Group: a", 'Group: b"'],
                'Name:"", UID:"", Groups:[]string{"a", "b\\""}, Extra:map[string][]string(nil)',
            ),
            (["Uid: 7"], 'Name:"", UID:"7", Groups:[]string(nil), Extra:map[string][]string(nil)'),
            (
                ["User: ", "Extra-B: 2", "Extra-A: 1", "Extra-A: 0"],
                (
                    'Name:"", UID:"", Groups:[]string(nil), '
                    'Extra:map[string][]string{"a":[]string{"1", "0"}, "b":[]string{"2"}}'
                ),
            ),
        ],
        ids=["groups", "uid", "extra"],
    )
    def test_nobody(self, server: ServerUnderTest, headers: list[str], shown: str) -> None:
        message = f"requested &user.DefaultInfo{{{shown}}} without impersonating a user name"
        response = as_admin(server, *headers)
        assert_failure(response, 400, "BadRequest", message)
        assert response.headers["X-Content-Type-Options"] == "nosniff"

    def test_loses_its_rights(self, server: ServerUnderTest, client: Client, namespace: Namespace) -> None:
        headers = {"Impersonate-User": "alice"}
        assert client.post(namespace.config_maps, config_map("a"), headers=headers).status == 403
        assert client.get(f"{namespace.config_maps}/a").status == 404
        masters = {"Impersonate-User": "alice", "Impersonate-Group": "system:masters"}
        assert client.post(namespace.config_maps, config_map("a"), headers=masters).status == 201

    def test_the_unauthenticated_stay_it(self, server: ServerUnderTest) -> None:
        for texts in (["User: system:anonymous"], ["User: alice", "Group: system:unauthenticated"]):
            assert as_admin(server, *texts).status == 403


class Caller:
    """Somebody with a certificate and no rights but those that a test gives."""

    def __init__(self, server: ServerUnderTest, client: Client, folder: Any) -> None:
        self.name = unique("caller")
        self._server = server
        self._client = client
        self._pair = certificate(server, folder, self.name)

    def may(self, verb: str, resource: str, *names: str, group: str = "") -> None:
        rule: dict[str, Any] = {"apiGroups": [group], "resources": [resource], "verbs": [verb]}
        if names:
            rule["resourceNames"] = list(names)
        grant(self._client, self.name, rule)

    def ask(self, *texts: str, path: str = SELF, method: str = "POST") -> Response:
        return send(self._server, headers_of(*texts), pair=self._pair, path=path, method=method)

    def becomes(self, *texts: str) -> str | int:
        response = self.ask(*texts)
        return (
            response.json()["status"]["userInfo"]["username"] if response.status == 201 else response.status
        )

    def refused(self, rest: str, *texts: str) -> None:
        """Fails unless it is refused in these words, after who wanted it."""
        what, _, why = rest.partition(" cannot ")
        response = self.ask(*texts)
        assert response.status == 403, response.text
        wanted = f'{what} is forbidden: User "{self.name}" cannot {why}'
        assert response.json()["message"] == wanted
        assert response.headers["X-Content-Type-Options"] == "nosniff"


@pytest.fixture
def caller(server: ServerUnderTest, client: Client, tmp_path: Any) -> Caller:
    return Caller(server, client, tmp_path)


def on(mode: str) -> str:
    """What is said to somebody who may not ask who they are in a mode of impersonation."""
    return (
        f'{SELVES}.{AUTHENTICATION} cannot impersonate-on:{mode}:create resource "{SELVES}" '
        f'in API group "{AUTHENTICATION}" at the cluster scope'
    )


def old(resource: str, name: str, group: str = "") -> str:
    """What is said to somebody who may not take on something in the old mode."""
    what = resource.partition("/")[0]
    qualified = f"{what}.{group}" if group else what
    named = f' "{name}"' if name else ""
    return (
        f'{qualified}{named} cannot impersonate resource "{resource}" '
        f'in API group "{group}" at the cluster scope'
    )


class TestTheOldMode:
    def test_nobody_may_by_themselves(self, caller: Caller) -> None:
        # Refusals are those of the first mode that is for it.
        caller.refused(on("user-info"), "User: alice")
        caller.refused(on("arbitrary-node"), "User: system:node:n")
        caller.refused(on("serviceaccount"), "User: system:serviceaccount:default:robot")
        caller.refused(on("user-info"), "User: system:anonymous")
        caller.refused(on("user-info"), f"User: {caller.name}")

    def test_a_path(self, caller: Caller) -> None:
        response = caller.ask("User: alice", path="/version", method="GET")
        message = f'forbidden: User "{caller.name}" cannot impersonate-on:user-info:get path "/version"'
        assert_failure(response, 403, "Forbidden", message, {})

    def test_users(self, caller: Caller) -> None:
        caller.may("impersonate", "users", "alice")
        assert caller.becomes("User: alice") == "alice"
        # The mode that let it in last is asked first, and so it is this one that refuses.
        caller.refused(old("users", "bob"), "User: bob")
        caller.refused(old("groups", "g"), "User: alice", "Group: g")
        caller.refused(old("uids", "7", AUTHENTICATION), "User: alice", "Uid: 7")
        caller.refused(old("userextras/foo", "1", AUTHENTICATION), "User: alice", "Extra-Foo: 1")
        caller.refused(
            'serviceaccounts "robot" cannot impersonate resource "serviceaccounts" in API group "" '
            'in the namespace "default"',
            "User: system:serviceaccount:default:robot",
        )

    def test_groups(self, caller: Caller) -> None:
        caller.may("impersonate", "users", "alice")
        caller.may("impersonate", "groups", "a", "b")
        assert caller.becomes("User: alice", "Group: a", "Group: b") == "alice"
        caller.refused(old("groups", "c"), "User: alice", "Group: a", "Group: c")
        caller.refused(old("groups", "system:masters"), "User: alice", "Group: system:masters")
        caller.refused(old("groups", ""), "User: alice", "Group: ")

    def test_uids_and_extras(self, caller: Caller) -> None:
        caller.may("impersonate", "users", "alice")
        caller.may("impersonate", "uids", "7", group=AUTHENTICATION)
        caller.may("impersonate", "userextras/foo", "1", group=AUTHENTICATION)
        assert caller.becomes("User: alice", "Uid: 7", "Extra-Foo: 1") == "alice"
        caller.refused(old("uids", "8", AUTHENTICATION), "User: alice", "Uid: 8")
        caller.refused(old("userextras/foo", "2", AUTHENTICATION), "User: alice", "Extra-Foo: 2")
        caller.refused(old("userextras/bar", "1", AUTHENTICATION), "User: alice", "Extra-Bar: 1")

    def test_rights_of_another_group_do_not_count(self, caller: Caller) -> None:
        caller.may("impersonate", "users", group=AUTHENTICATION)
        assert caller.becomes("User: alice") == 403

    def test_service_accounts(self, caller: Caller) -> None:
        caller.may("impersonate", "serviceaccounts", "robot")
        robot = "system:serviceaccount:default:robot"
        assert caller.becomes(f"User: {robot}") == robot
        assert caller.becomes("User: system:serviceaccount:default:other") == 403
        assert caller.becomes("User: robot") == 403

    def test_impersonating_is_no_right_to_more(
        self, server: ServerUnderTest, caller: Caller, namespace: Namespace
    ) -> None:
        caller.may("impersonate", "users", "alice")
        response = caller.ask("User: alice", path=namespace.config_maps, method="GET")
        message = (
            'configmaps is forbidden: User "alice" cannot list resource "configmaps" in API group "" '
            f'in the namespace "{namespace.name}"'
        )
        assert_failure(response, 403, "Forbidden", message, {"kind": "configmaps"})


class TestConstrainedModes:
    def test_two_rights_are_needed(self, caller: Caller) -> None:
        caller.may("impersonate:user-info", "users", "alice", group=AUTHENTICATION)
        caller.refused(on("user-info"), "User: alice")
        caller.may("impersonate-on:user-info:create", SELVES, group=AUTHENTICATION)
        assert caller.becomes("User: alice") == "alice"
        caller.refused(
            f'users.{AUTHENTICATION} "bob" cannot impersonate:user-info resource "users" '
            f'in API group "{AUTHENTICATION}" at the cluster scope',
            "User: bob",
        )
        assert caller.ask("User: alice", path="/api/v1/nodes", method="GET").status == 403

    def test_what_no_right_gives(self, caller: Caller) -> None:
        caller.may("impersonate-on:user-info:create", SELVES, group=AUTHENTICATION)
        for resource in ("users", "groups", "userextras/acme.io/foo"):
            caller.may("impersonate:user-info", resource, group=AUTHENTICATION)
        assert caller.becomes("User: alice", "Group: a", "Extra-Acme.io%2Ffoo: 1") == "alice"
        start = f"groups.{AUTHENTICATION}"
        end = (
            'cannot impersonate:user-info resource "groups" '
            f'in API group "{AUTHENTICATION}" at the cluster scope'
        )
        caller.refused(
            f'{start} "system:masters" {end}: impersonating the system:masters group is not allowed',
            "User: alice",
            "Group: system:masters",
        )
        caller.refused(
            f"{start} {end}: impersonating the empty string group is not allowed", "User: alice", "Group:"
        )
        extras = (
            f'userextras.{AUTHENTICATION} cannot impersonate:user-info resource "userextras" '
            f'in API group "{AUTHENTICATION}" at the cluster scope: '
        )
        for header, why in (
            ("Extra-: x", "impersonating the empty string key in extra is not allowed"),
            (
                "Extra-Foo: x",
                (
                    'impersonating an invalid key in extra is not allowed: extra.key: Invalid value: "foo": '
                    'must be a domain-prefixed path (such as "acme.io/foo")'
                ),
            ),
            ("Extra-Acme.io%2Ffoo:", "impersonating the empty string value in extra is not allowed"),
        ):
            caller.refused(extras + why, "User: alice", header)

    def test_many_groups(self, caller: Caller) -> None:
        caller.may("impersonate-on:user-info:create", SELVES, group=AUTHENTICATION)
        caller.may("impersonate:user-info", "users", group=AUTHENTICATION)
        caller.may("impersonate:user-info", "groups", "a", "b", "c", "d", group=AUTHENTICATION)
        groups = [f"Group: {name}" for name in "abcd"]
        assert caller.becomes("User: alice", *groups) == "alice"
        assert caller.becomes("User: alice", *groups, "Group: e") == 403

    def test_service_accounts_and_nodes(self, caller: Caller) -> None:
        robot, node = "system:serviceaccount:default:robot", "system:node:n"
        caller.may("impersonate-on:serviceaccount:create", SELVES, group=AUTHENTICATION)
        caller.may("impersonate:serviceaccount", "serviceaccounts", "robot", group=AUTHENTICATION)
        assert caller.becomes(f"User: {robot}") == robot
        # The groups of a service account are its own, whatever rights there are.
        for mode in ("serviceaccount", "user-info", "arbitrary-node"):
            caller.may(f"impersonate:{mode}", "groups", "g", group=AUTHENTICATION)
        assert caller.becomes(f"User: {robot}", "Group: g") == 403
        assert caller.becomes(f"User: {node}") == 403
        caller.may("impersonate-on:arbitrary-node:create", SELVES, group=AUTHENTICATION)
        caller.may("impersonate:arbitrary-node", "nodes", "n", group=AUTHENTICATION)
        info = caller.ask(f"User: {node}").json()["status"]["userInfo"]
        assert info == {"username": node, "groups": ["system:nodes", "system:authenticated"]}
        assert caller.becomes("User: system:node:m") == 403
        assert caller.becomes(f"User: {node}", "Group: g") == 403

    def test_the_node_of_ones_own_pod(
        self, server: ServerUnderTest, client: Client, namespace: Namespace
    ) -> None:
        service_account(namespace)
        node = unique("node")
        client.post("/api/v1/nodes", {"metadata": {"name": node}})
        spec = {
            "serviceAccountName": "robot",
            "nodeName": node,
            "containers": [{"name": "c", "image": "i"}],
        }
        namespace.create(namespace.pods, {"metadata": {"name": "p"}, "spec": spec})
        bound = {"kind": "Pod", "apiVersion": "v1", "name": "p"}
        token = token_of(namespace, boundObjectRef=bound)
        account = f"system:serviceaccount:{namespace.name}:robot"

        def act_for(name: str, shown: str = token) -> Response:
            return send(
                server,
                [("Authorization", f"Bearer {shown}"), ("Impersonate-User", f"system:node:{name}")],
            )

        refused = act_for(node)
        assert f'User "{account}" cannot impersonate-on:associated-node:create' in refused.json()["message"]
        rules = [
            (f"{AUTHENTICATION}", SELVES, "impersonate-on:associated-node:create"),
            (f"{AUTHENTICATION}", "nodes", "impersonate:associated-node"),
        ]
        grant(
            client,
            account,
            *({"apiGroups": [group], "resources": [what], "verbs": [verb]} for group, what, verb in rules),
        )
        assert act_for(node).json()["status"]["userInfo"]["username"] == f"system:node:{node}"
        assert act_for("other").status == 403
        assert act_for(node, token_of(namespace)).status == 403
