"""Nobody gives away rights that they do not have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from tests.conformance.authorization.policies import (
    GROUP,
    RBAC,
    as_user,
    binding,
    create,
    in_force,
    path_of,
    role,
    rule,
    subject,
)
from tests.conformance.client import Client, Response
from tests.conformance.namespaces import Namespace, new_namespace, unique
from tests.conformance.statuses import assert_failure

WRITE = "get list create update patch delete"
KINDS = "roles clusterroles rolebindings clusterrolebindings"


@dataclass(frozen=True)
class Scene:
    """A caller that may write all roles and bindings and has few rights besides."""

    client: Client
    namespace: Namespace
    user: str

    @property
    def headers(self) -> dict[str, str]:
        return as_user(self.user)

    def send(self, method: str, obj: dict[str, Any], **query: str) -> Response:
        path = path_of(obj)
        if method != "POST":
            path = f"{path}/{obj['metadata']['name']}"
        headers = self.headers
        if method == "PATCH":
            headers["Content-Type"] = "application/merge-patch+json"
        if method == "APPLY":
            headers["Content-Type"] = "application/apply-patch+yaml"
            query["fieldManager"] = "me"
        return self.client.request(
            "PATCH" if method == "APPLY" else method, path, obj, headers=headers, **query
        )

    def refusal(self, *missing: str, groups: str = '"system:authenticated"') -> str:
        return (
            f'user "{self.user}" (groups=[{groups}]) is attempting to grant RBAC permissions not currently '
            "held:\n" + "\n".join(missing)
        )


HELD = [
    rule("get list", "core", "pods"),
    rule("get", "core", "secrets", "a"),
    rule("get", "*", "*/log"),
    {"verbs": ["get"], "nonResourceURLs": ["/mine/*"]},
]


def new_scene(client: Client, *more: dict[str, Any]) -> Scene:
    user = unique("manager")
    name = unique("held")
    create(
        client,
        role(name, *HELD, rule(WRITE, GROUP, KINDS), *more),
        binding(name, name, subject("User", user)),
    )
    in_force(client, user, verb="create", group=GROUP, resource="roles")
    return Scene(client, new_namespace(client), user)


@pytest.fixture(scope="module")
def scene(client: Client) -> Scene:
    return new_scene(client)


def assert_refused(response: Response, kind: str, name: str, message: str) -> None:
    resource = f"{kind.lower()}s"
    details = {"name": name, "group": GROUP, "kind": resource}
    assert_failure(
        response, 403, "Forbidden", f'{resource}.{GROUP} "{name}" is forbidden: {message}', details
    )


def line(verbs: str, groups: str = "", resources: str = "pods", names: str = "") -> str:
    def quoted(texts: str) -> str:
        return "[" + " ".join(f'"{text}"' for text in (texts.split() or [""])) + "]"

    named = f", ResourceNames:{quoted(names)}" if names else ""
    return f"{{APIGroups:{quoted(groups)}, Resources:{quoted(resources)}{named}, Verbs:{quoted(verbs)}}}"


def url_line(verb: str, url: str) -> str:
    return f'{{NonResourceURLs:["{url}"], Verbs:["{verb}"]}}'


HOLDS = {
    "nothing": [],
    "the same": [rule("get list", "core", "pods")],
    "less": [rule("list", "core", "pods", "x y")],
    "its name": [rule("get", "core", "secrets", "a")],
    "subresources": [rule("get", "apps batch", "deployments/log */log")],
    "twice": [rule("get", "core", "pods"), rule("list get get", "core core", "pods pods")],
    "its rights to write": [rule("get update", GROUP, "roles clusterroles")],
}
LACKS = {
    "a verb": ([rule("delete get", "core", "pods")], [line("delete")]),
    "verbs": ([rule("watch delete", "core", "pods")], [line("watch delete")]),
    "all verbs": ([rule("*", "core", "pods")], [line("*")]),
    "a resource": ([rule("get", "core", "pods nodes")], [line("get", "", "nodes")]),
    "all resources": ([rule("get", "core", "*")], [line("get", "", "*")]),
    "a group": ([rule("get", "core apps", "pods")], [line("get", "apps")]),
    "all groups": ([rule("get", "*", "pods")], [line("get", "*")]),
    "a name": ([rule("get", "core", "secrets", "a b")], [line("get", "", "secrets", "b")]),
    "all names": ([rule("get", "core", "secrets")], [line("get", "", "secrets")]),
    "a subresource": ([rule("get", "core", "pods/exec pods/log")], [line("get", "", "pods/exec")]),
    "a verb of a subresource": ([rule("create", "core", "pods/log")], [line("create", "", "pods/log")]),
    "escalation": ([rule("escalate bind", GROUP, "roles")], [line("escalate bind", GROUP, "roles")]),
    "several": (
        [rule("get delete", "core apps", "pods nodes"), rule("get", "core", "pods", "z")],
        sorted(
            [
                line("delete"),
                line("get delete", "", "nodes"),
                line("get delete", "apps"),
                line("get delete", "apps", "nodes"),
            ]
        ),
    ),
    "names": (
        [rule("get delete", "core", "nodes", "y x")],
        [line("get delete", "", "nodes", "x"), line("get delete", "", "nodes", "y")],
    ),
}
EVERYWHERE_LACKS = {
    "a path": ([{"verbs": ["get"], "nonResourceURLs": ["/mine/x", "/yours"]}], [url_line("get", "/yours")]),
    "a verb of a path": (
        [{"verbs": ["get", "put", "post"], "nonResourceURLs": ["/mine/*"]}],
        [url_line("post", "/mine/*"), url_line("put", "/mine/*")],
    ),
    "more paths": ([{"verbs": ["get"], "nonResourceURLs": ["/mine*"]}], [url_line("get", "/mine*")]),
    "all": (
        [rule("*", "*", "*"), {"verbs": ["*"], "nonResourceURLs": ["*"]}],
        [line("*", "*", "*"), url_line("*", "*")],
    ),
}


@pytest.mark.parametrize("case", HOLDS)
def test_rights_that_one_has(scene: Scene, case: str) -> None:
    for namespace in (scene.namespace.name, ""):
        made = role(unique("r"), *HOLDS[case], namespace=namespace)
        assert scene.send("POST", made).status == 201
        assert scene.send("PUT", made).status == 200
        assert scene.send("PATCH", {**made, "rules": made["rules"][:1]}).status == 200
        assert scene.send("APPLY", made, force="true").status == 200
        to = subject("User", unique("anybody"))
        kind = "Role" if namespace else "ClusterRole"
        bound = binding(unique("b"), made["metadata"]["name"], to, namespace=namespace, kind=kind)
        assert scene.send("POST", bound).status == 201
        assert scene.send("PUT", bound).status == 200


@pytest.mark.parametrize("case", [*LACKS, *EVERYWHERE_LACKS])
def test_rights_that_one_has_not(scene: Scene, case: str) -> None:
    rules, missing = {**LACKS, **EVERYWHERE_LACKS}[case]
    for namespace in (scene.namespace.name, ""):
        if namespace and case in EVERYWHERE_LACKS:
            continue
        made = role(unique("r"), *rules, namespace=namespace)
        kind, name = made["kind"], made["metadata"]["name"]
        refused = scene.refusal(*missing)
        assert_refused(scene.send("POST", made), kind, name, refused)
        assert_refused(scene.send("POST", made, dryRun="All"), kind, name, refused)
        assert_refused(scene.send("PUT", made), kind, name, refused)
        assert_refused(scene.send("APPLY", made), kind, name, refused)
        create(scene.client, {**made, "rules": []})
        assert_refused(scene.send("PUT", made), kind, name, refused)
        assert_refused(scene.send("PATCH", made), kind, name, refused)
        assert_refused(scene.send("APPLY", made, force="true"), kind, name, refused)


@pytest.mark.parametrize("case", [*LACKS, *EVERYWHERE_LACKS])
def test_bindings_to_roles_with_more_rights(scene: Scene, case: str) -> None:
    rules, missing = {**LACKS, **EVERYWHERE_LACKS}[case]
    refused = scene.refusal(*missing)
    to = subject("User", unique("anybody"))
    made = role(unique("r"), *rules)
    create(scene.client, made)
    for namespace in (scene.namespace.name, ""):
        bound = binding(unique("b"), made["metadata"]["name"], to, namespace=namespace)
        kind, name = bound["kind"], bound["metadata"]["name"]
        assert_refused(scene.send("POST", bound), kind, name, refused)
        assert_refused(scene.send("PUT", bound), kind, name, refused)
        assert_refused(scene.send("APPLY", bound), kind, name, refused)
        create(scene.client, bound)
        more = {**bound, "subjects": [to, subject("Group", unique("everybody"))]}
        assert_refused(scene.send("PUT", more), kind, name, refused)
        assert_refused(scene.send("PATCH", more), kind, name, refused)


def test_what_was_written_by_others_can_be_touched_by_collectors(scene: Scene) -> None:
    made = role(unique("r"), rule("*", "*", "*"))
    bound = binding(unique("b"), made["metadata"]["name"], subject("User", unique("anybody")))
    create(scene.client, made, bound)
    for obj in (bound, made):
        patch = {**obj, "metadata": {**obj["metadata"], "finalizers": ["example.com/f"]}}
        assert scene.send("PATCH", patch).status == 200
        patch["metadata"]["finalizers"] = None
        assert scene.send("PATCH", patch).status == 200
        patch["metadata"]["labels"] = {"a": "b"}
        assert scene.send("PATCH", patch).status == 403
        path = f"{path_of(obj)}/{obj['metadata']['name']}"
        assert scene.client.delete(path, headers=scene.headers).status == 200


def test_a_role_that_is_missing(scene: Scene) -> None:
    ns = scene.namespace.name
    for namespace, kind in (("", "ClusterRole"), (ns, "ClusterRole"), (ns, "Role")):
        bound = binding(unique("b"), "absent", subject("User", unique("u")), namespace=namespace, kind=kind)
        # Upstream takes it for what the request is about.
        resource = "rolebindings" if namespace else "clusterrolebindings"
        assert_failure(
            scene.send("POST", bound),
            404,
            "NotFound",
            f'{resource}.{GROUP} "absent" not found',
            {"name": "absent", "group": GROUP, "kind": resource},
        )


def test_references_that_cannot_be(scene: Scene) -> None:
    bound = binding(unique("b"), "r", subject("User", unique("u")), kind="Role")
    assert_failure(scene.send("POST", bound), 400, "BadRequest", "Namespace parameter required.")
    bound = binding(unique("b"), "r", subject("User", unique("u")), kind="Thing")
    assert_failure(scene.send("POST", bound), 500, None, 'unsupported role reference kind: "Thing"')


def test_names_that_the_server_makes(scene: Scene) -> None:
    made = role("", rule("delete", "core", "pods"))
    made["metadata"] = {"generateName": "some-"}
    message = f"clusterroles.{GROUP} is forbidden: {scene.refusal(line('delete'))}"
    assert_failure(
        scene.send("POST", made), 403, "Forbidden", message, {"group": GROUP, "kind": "clusterroles"}
    )


def test_the_right_is_checked_before_the_object(scene: Scene) -> None:
    made = role(unique("r"), rule("delete", "core", "pods"), {"verbs": ["get"]})
    assert scene.send("POST", made).status == 403
    for wrong in ({"verbs": ["get"]}, {}, {"verbs": None, "apiGroups": None, "resources": ["pods"]}):
        made["rules"] = [wrong]
        assert scene.send("POST", made).status == 422
    made["rules"] = None
    assert scene.send("POST", made).status == 201
    bound = binding(unique("b"), made["metadata"]["name"], subject("ServiceAccount", "robot"))
    assert scene.send("POST", bound).status == 422
    assert scene.send("POST", {**bound, "subjects": None}).status == 201
    assert scene.send("POST", {**bound, "roleRef": None}).status == 500


def test_gathering_the_rules_of_others(scene: Scene) -> None:
    selector = {"clusterRoleSelectors": [{"matchLabels": {unique("gather"): "yes"}}]}
    made = role(unique("r"), aggregationRule=selector)
    why = "must have cluster-admin privileges to use the aggregationRule"
    name = made["metadata"]["name"]
    assert_refused(scene.send("POST", made), "ClusterRole", name, why)
    create(scene.client, made)
    assert_refused(scene.send("PUT", {**made, "aggregationRule": None}), "ClusterRole", name, why)
    assert_refused(
        scene.send("PATCH", {**made, "metadata": {"name": name, "labels": {"a": "b"}}}),
        "ClusterRole",
        name,
        why,
    )
    full = new_scene(scene.client, rule("*", "*", "*"), {"verbs": ["*"], "nonResourceURLs": ["*"]})
    assert full.send("PUT", made).status == 200


def test_escalate(client: Client) -> None:
    scene = new_scene(
        client, rule("escalate", GROUP, "roles"), rule("escalate", GROUP, "clusterroles", "known")
    )
    made = role(unique("r"), rule("*", "*", "*"), namespace=scene.namespace.name)
    assert scene.send("POST", made).status == 201
    made = role(unique("r"), rule("*", "*", "*"))
    assert scene.send("POST", made).status == 403
    # A name in the path is needed for a right to a name.
    known = role("known", rule("*", "*", "*"))
    assert scene.send("POST", known).status == 403
    response = scene.send("PUT", known)
    assert response.status == 201
    assert scene.send("PATCH", {**known, "rules": [rule("*", "*", "pods")]}).status == 200
    assert client.delete(f"{RBAC}/clusterroles/known").status == 200
    assert scene.send("APPLY", known).status == 201
    assert client.delete(f"{RBAC}/clusterroles/known").status == 200
    # Who may escalate may not bind.
    bound = binding(unique("b"), made["metadata"]["name"], subject("User", unique("u")))
    create(client, made)
    assert scene.send("POST", bound).status == 403


def test_bind(client: Client) -> None:
    one, two = unique("one"), unique("two")
    create(client, role(one, rule("*", "*", "*")), role(two, rule("*", "*", "*")))
    scene = new_scene(client, rule("bind", GROUP, "clusterroles", one))
    to = subject("User", unique("u"))
    for namespace in (scene.namespace.name, ""):
        bound = binding(unique("b"), one, to, namespace=namespace)
        assert scene.send("POST", bound).status == 201
        assert scene.send("PATCH", {**bound, "subjects": []}).status == 200
        assert scene.send("POST", binding(unique("b"), two, to, namespace=namespace)).status == 403
    # Who may bind in one namespace may not in others.
    name = unique("binder")
    create(
        client,
        role(name, rule("bind", GROUP, "clusterroles roles"), namespace=scene.namespace.name),
        binding(name, name, subject("User", scene.user), namespace=scene.namespace.name, kind="Role"),
    )
    in_force(
        client, scene.user, verb="bind", group=GROUP, resource="clusterroles", namespace=scene.namespace.name
    )
    assert scene.send("POST", binding(unique("b"), two, to, namespace=scene.namespace.name)).status == 201
    assert scene.send("POST", binding(unique("b"), two, to)).status == 403
    # One may bind what does not exist.
    absent = binding(unique("b"), "absent", to, namespace=scene.namespace.name, kind="Role")
    assert scene.send("POST", absent).status == 201


def test_rights_in_a_namespace_are_no_rights_elsewhere(client: Client) -> None:
    scene = new_scene(client)
    name, other = unique("local"), new_namespace(client).name
    create(
        client,
        role(name, rule(WRITE, "*", "*"), namespace=scene.namespace.name),
        binding(name, name, subject("User", scene.user), namespace=scene.namespace.name, kind="Role"),
    )
    in_force(client, scene.user, verb="delete", resource="pods", namespace=scene.namespace.name)
    rules = [rule("delete", "core", "pods")]
    assert scene.send("POST", role(unique("r"), *rules, namespace=scene.namespace.name)).status == 201
    assert scene.send("POST", role(unique("r"), *rules, namespace=other)).status == 403
    assert scene.send("POST", role(unique("r"), *rules)).status == 403
    bound = binding(
        unique("b"), "cluster-admin", subject("User", unique("u")), namespace=scene.namespace.name
    )
    refused = scene.refusal(line("*", "*", "*"), url_line("*", "*"))
    assert_refused(scene.send("POST", bound), "RoleBinding", bound["metadata"]["name"], refused)


def test_what_could_not_be_found_is_told(client: Client) -> None:
    scene = new_scene(client)
    names = sorted(unique("absent") for _ in range(2))
    made = role(unique("r"), rule("delete", "core", "pods"))
    told = f'clusterroles.{GROUP} "{names[0]}" not found'
    create(client, binding(names[0], names[0], subject("User", scene.user)))
    assert_refused(
        scene.send("POST", made),
        "ClusterRole",
        made["metadata"]["name"],
        scene.refusal(line("delete")) + f"; resolution errors: [{told}]",
    )
    create(client, binding(names[1], names[1], subject("User", scene.user)))
    both = f'{told}, clusterroles.{GROUP} "{names[1]}" not found'
    assert_refused(
        scene.send("POST", made),
        "ClusterRole",
        made["metadata"]["name"],
        scene.refusal(line("delete")) + f"; resolution errors: [[{both}]]",
    )
    bound = binding(
        unique("b"), "cluster-admin", subject("User", unique("u")), namespace=scene.namespace.name
    )
    message = scene.send("POST", bound).json()["message"]
    told = ", ".join(f'rolebindings.{GROUP} "{name}" not found' for name in names)
    assert message.endswith(f"; resolution errors: [[{told}]]")


def test_masters_may_all_of_it(client: Client) -> None:
    headers = as_user(unique("root"), "system:masters")
    made = role(
        unique("r"),
        rule("*", "*", "*"),
        aggregationRule={"clusterRoleSelectors": [{"matchLabels": {unique("x"): "y"}}]},
    )
    assert client.post(path_of(made), made, headers=headers).status == 201
    bound = binding(unique("b"), "absent", subject("User", unique("u")))
    assert client.post(path_of(bound), bound, headers=headers).status == 201


def test_masters_are_told_what_is_wrong(client: Client) -> None:
    for kind in ("Thing", "Role"):
        bound = binding(unique("b"), "r", subject("User", unique("u")), kind=kind)
        response = client.post(path_of(bound), bound)
        assert response.status == 422
        (found,) = response.json()["details"]["causes"]
        assert (found["reason"], found["field"]) == ("FieldValueNotSupported", "roleRef.kind")


def test_another_role_cannot_be_bound_by_the_same_binding(scene: Scene) -> None:
    bound = binding(unique("b"), "view", subject("User", unique("u")))
    create(scene.client, bound)
    other = binding(bound["metadata"]["name"], "edit", *bound["subjects"])
    response = scene.client.put(f"{path_of(bound)}/{bound['metadata']['name']}", other)
    assert response.status == 422
    assert "cannot change roleRef" in response.json()["message"]
