"""What policies see of all sorts of writes: deletes, subresources, connections, custom resources."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import pytest

from tests.conformance.admission.policies import (
    PATHS,
    VALIDATING,
    Policies,
    await_policies,
    new_policies,
    rule,
)
from tests.conformance.callers import grant
from tests.conformance.client import Client, Response
from tests.conformance.custom_resources import define, definition, new_group, version
from tests.conformance.namespaces import unique
from tests.conformance.objects import config_map, deployment, pod
from tests.conformance.waiting import eventually

SHOWN = """[
    request.kind.group, request.kind.kind, request.kind.version, request.requestKind.version,
    request.resource.resource, has(request.subResource) ? request.subResource : '-',
    has(request.name) ? request.name : '-', has(request.namespace) ? request.namespace : '-',
    request.operation, object == null ? 'null' : string(object.kind),
    oldObject == null ? 'null' : string(oldObject.kind),
    request.options == null ? '-' : string(request.options.kind)
].join(' ')"""
"""What an expression can tell of a request."""

Do = Callable[[Client, Policies], Response]


class Case(NamedTuple):
    """A write for which a policy denies everything, and what the policy sees of it."""

    rule: dict[str, Any]
    do: Do
    seen: str
    expression: str = SHOWN


def maps(policies: Policies) -> str:
    return policies.namespace.config_maps


def connect(subresource: str) -> Do:
    def do(client: Client, policies: Policies) -> Response:
        path = f"{policies.namespace.pods}/a/{subresource}"
        return client.get(path) if subresource == "proxy" else client.post(path, None, command="sh")

    return do


def create_below(collection: str, subresource: str, body: dict[str, Any]) -> Do:
    return lambda client, policies: client.post(
        f"{policies.namespace.path(collection)}/a/{subresource}", body
    )


EVICTION = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "a"}}
BINDING = {
    "apiVersion": "v1",
    "kind": "Binding",
    "metadata": {"name": "a"},
    "target": {"kind": "Node", "name": "n"},
}
TOKEN = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
TEXTS = "string(oldObject.data.k) + string(object.data.k)"

CASES: Mapping[str, Case] = {
    "delete": Case(
        rule("configmaps", "DELETE"),
        lambda client, policies: client.delete(f"{maps(policies)}/a"),
        " ConfigMap v1 v1 configmaps - a NAMESPACE DELETE null ConfigMap DeleteOptions",
    ),
    "delete_collection": Case(
        rule("configmaps", "DELETE"),
        lambda client, policies: client.delete(maps(policies)),
        " ConfigMap v1 v1 configmaps - - NAMESPACE DELETE null ConfigMap DeleteOptions",
    ),
    "patch": Case(
        rule("configmaps", "UPDATE"),
        lambda client, policies: client.patch(f"{maps(policies)}/a", {"data": {"k": "w"}}),
        " ConfigMap v1 v1 configmaps - a NAMESPACE UPDATE ConfigMap ConfigMap UpdateOptions",
    ),
    "old_and_new": Case(
        rule("configmaps", "UPDATE"),
        lambda client, policies: client.put(f"{maps(policies)}/a", config_map("a", {"k": "w"})),
        "vw",
        TEXTS,
    ),
    "apply": Case(
        rule("configmaps", "CREATE", "UPDATE"),
        lambda client, policies: client.apply(f"{maps(policies)}/z", config_map("z")),
        " ConfigMap v1 v1 configmaps - z NAMESPACE CREATE ConfigMap null CreateOptions",
    ),
    "status": Case(
        rule("deployments/status", "UPDATE", group="apps"),
        lambda client, policies: client.patch(
            f"{policies.namespace.deployments}/a/status", {"status": {"replicas": 2}}
        ),
        "apps Deployment v1 v1 deployments status a NAMESPACE UPDATE Deployment Deployment UpdateOptions",
    ),
    "scale": Case(
        rule("deployments/scale", "UPDATE", group="apps"),
        lambda client, policies: client.patch(
            f"{policies.namespace.deployments}/a/scale", {"spec": {"replicas": 2}}
        ),
        "autoscaling Scale v1 v1 deployments scale a NAMESPACE UPDATE Scale Scale UpdateOptions",
    ),
    "exec": Case(
        rule("pods/exec", "CONNECT"),
        connect("exec"),
        " PodExecOptions v1 v1 pods exec a NAMESPACE CONNECT PodExecOptions null -",
    ),
    "command": Case(rule("pods/exec", "CONNECT"), connect("exec"), "sh", "string(object.command[0])"),
    "proxy": Case(
        rule("pods/proxy", "CONNECT"),
        connect("proxy"),
        " PodProxyOptions v1 v1 pods proxy a NAMESPACE CONNECT PodProxyOptions null -",
    ),
    "eviction": Case(
        rule("pods/eviction", "CREATE"),
        create_below("pods", "eviction", EVICTION),
        "policy Eviction v1 v1 pods eviction a NAMESPACE CREATE Eviction null CreateOptions",
    ),
    "binding": Case(
        rule("pods/binding", "CREATE"),
        create_below("pods", "binding", BINDING),
        " Binding v1 v1 pods binding a NAMESPACE CREATE Binding null CreateOptions",
    ),
    "token": Case(
        rule("serviceaccounts/token", "CREATE"),
        create_below("serviceaccounts", "token", TOKEN),
        "authentication.k8s.io TokenRequest v1 v1 serviceaccounts token a NAMESPACE CREATE TokenRequest null "
        "CreateOptions",
    ),
}


def deny(expression: str = SHOWN) -> dict[str, Any]:
    """A rule that never holds, with what an expression makes for its message."""
    return {"validations": [{"expression": "false", "messageExpression": expression}]}


@pytest.fixture(scope="module")
def made(client: Client) -> Iterator[Mapping[str, Policies]]:
    """The policies of all cases, in force."""
    policies = {}
    for name, case in CASES.items():
        made = policies[name] = new_policies(client)
        namespace = made.namespace
        namespace.create(namespace.config_maps, config_map("a", {"k": "v"}))
        namespace.create(namespace.deployments, deployment("a", 1))
        namespace.create(namespace.pods, pod("a"))
        namespace.create(namespace.path("serviceaccounts"), {"metadata": {"name": "a"}})
        made.validating(**deny(case.expression), match={"resourceRules": [case.rule]})
    await_policies(client)
    yield policies
    for made in policies.values():
        made.remove()


@pytest.mark.parametrize("name", CASES)
def test_seen(made: Mapping[str, Policies], client: Client, name: str) -> None:
    policies, case = made[name], CASES[name]
    verdict = policies.verdict(case.do(client, policies))
    assert verdict.status == 422
    assert verdict.message.partition(" denied request: ")[2] == case.seen.strip()


def test_cluster_scope(client: Client, make_policies: Callable[[], Policies]) -> None:
    """Namespaces are in themselves for selectors, have no namespaceObject, and no namespaced parameter."""
    label, node = unique("label"), unique("node")
    seen, parameterized = make_policies(), make_policies()
    seen.validating(
        **deny(f"{SHOWN} + string(namespaceObject == null)"),
        match={
            "resourceRules": [rule("namespaces", "*")],
            "namespaceSelector": {"matchLabels": {"only": label}},
        },
    )
    parameterized.validating(
        validations=[{"expression": "true"}],
        paramKind={"apiVersion": "v1", "kind": "ConfigMap"},
        match={
            "resourceRules": [{**rule("nodes", "*"), "resourceNames": [node]}],
            "namespaceSelector": {},
        },
        binding={"paramRef": {"name": "x", "parameterNotFoundAction": "Deny"}},
    )
    await_policies(client)
    body = {"metadata": {"name": "seen", "labels": {"only": label}}}
    message = seen.verdict(client.post("/api/v1/namespaces", body)).message
    expected = "Namespace v1 v1 namespaces - seen seen CREATE Namespace null CreateOptionstrue"
    assert message.partition(" denied request: ")[2] == expected
    verdict = parameterized.verdict(client.post("/api/v1/nodes", {"metadata": {"name": node}}))
    why = "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources"
    assert verdict.message.endswith(f"failed to configure binding: {why}")


def test_what_is_exempt(client: Client, make_policies: Callable[[], Policies]) -> None:
    """Policies cannot lock everybody out: they do not judge themselves, nor reviews; webhooks they do."""
    name = unique("exempt")
    group = "admissionregistration.k8s.io"
    names = ("validatingadmissionpolicies", "validatingwebhookconfigurations")
    rules = [{**rule(each, "*", group=group), "resourceNames": [name]} for each in names]
    rules.append(rule("selfsubjectaccessreviews", "*", group="authorization.k8s.io"))
    policies = make_policies()
    policies.validating(
        **deny("request.resource.resource"), match={"resourceRules": rules, "namespaceSelector": {}}
    )
    await_policies(client)
    body = policies.body(VALIDATING, "other", {"validations": [{"expression": "true"}]})
    assert client.post(PATHS[VALIDATING], {**body, "metadata": {"name": name}}).status == 201
    review = {"spec": {"nonResourceAttributes": {"path": "/", "verb": "get"}}}
    assert client.post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", review).status == 201
    path = f"/apis/{group}/v1/validatingwebhookconfigurations"
    denied = policies.verdict(client.post(path, {"metadata": {"name": name}}))
    assert (denied.status, denied.message.rpartition(" ")[2]) == (422, "validatingwebhookconfigurations")


def test_custom_resources(client: Client, make_policies: Callable[[], Policies]) -> None:
    """In the version that the rules name, unless only their own will do; as parameters, and mutated."""
    group = new_group()
    schema = {
        "type": "object",
        "properties": {"spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
    }
    define(client, definition(group, version("v1", schema), version("v2", schema, storage=False)))

    def create(policies: Policies, served: str, **spec: Any) -> Response:
        path = policies.namespace.path("widgets", f"{group}/{served}")
        body = {"apiVersion": f"{group}/{served}", "kind": "Widget", "metadata": {"name": "a"}, "spec": spec}
        return client.post(path, body)

    def said(policies: Policies, response: Response) -> str:
        return policies.verdict(response).message.partition(" denied request: ")[2].replace(group, "GROUP")

    match = {"resourceRules": [rule("widgets", group=group, version="v1")]}
    equivalent, exact, parameter, mutated = (make_policies() for _ in range(4))
    equivalent.validating(**deny(), match=match)
    exact.validating(**deny(), match={**match, "matchPolicy": "Exact"})
    assert create(parameter, "v1", max=5).status == 201
    shown = "string(params.spec.max) + ' ' + string(params.kind) + ' ' + string(params.apiVersion)"
    parameter.validating(
        **deny(shown),
        paramKind={"apiVersion": f"{group}/v2", "kind": "Widget"},
        binding={"paramRef": {"name": "a", "parameterNotFoundAction": "Deny"}},
    )
    mutated.mutating(
        mutations=[_applied("Object{spec: Object.spec{added: 'x', size: object.spec.size + 1}}")], match=match
    )
    await_policies(client)
    seen = "GROUP Widget v1 v2 widgets - a NAMESPACE CREATE Widget null CreateOptions"
    assert said(equivalent, create(equivalent, "v2")) == seen
    assert create(exact, "v2").status == 201
    eventually(
        lambda: said(parameter, client.post(maps(parameter), config_map("b"))) == "5 Widget GROUP/v2",
        "the parameter should be found: a real server looks for new resources every 30 seconds",
        patience=120,
    )
    eventually(
        lambda: create(mutated, "v2", size=5).status in {201, 409},
        "the types of widgets should be known: a real server reads them every five seconds",
        patience=120,
    )
    found = client.get(f"{mutated.namespace.path('widgets', f'{group}/v1')}/a").json()
    assert found["spec"] == {"added": "x", "size": 6}


def _applied(expression: str) -> dict[str, Any]:
    return {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": expression}}


def test_authorizer_asks_for_the_caller(client: Client, make_policies: Callable[[], Policies]) -> None:
    good, bad = unique("good"), unique("bad")
    writes = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["create"]}
    things = {
        "apiGroups": ["example.com"],
        "resources": ["things"],
        "resourceNames": ["one"],
        "verbs": ["use"],
    }
    grant(client, bad, writes)
    grant(client, good, writes, things, {"nonResourceURLs": ["/special"], "verbs": ["get"]})
    thing = "authorizer.group('example.com').resource('things')"
    verdicts = {
        f"{thing}.name('one').check('use').allowed()": (201, 422),
        f"{thing}.name('two').check('use').allowed()": (422, 422),
        f"{thing}.name('one').subresource('x').check('use').allowed()": (422, 422),
        "authorizer.path('/special').check('get').allowed()": (201, 422),
        "authorizer.path('/special').check('post').allowed()": (422, 422),
        "authorizer.requestResource.check('create').allowed()": (201, 201),
        "authorizer.requestResource.check('delete').allowed()": (422, 422),
    }
    policies = {}
    for expression in verdicts:
        policies[expression] = make_policies()
        policies[expression].validating(validations=[{"expression": expression}])
    await_policies(client)
    for expression, made in policies.items():
        found = tuple(
            client.post(maps(made), config_map(who), headers={"Impersonate-User": who}).status
            for who in (good, bad)
        )
        assert found == verdicts[expression], expression


def test_order(client: Client, make_policies: Callable[[], Policies]) -> None:
    """What policies change is seen by those that judge; a policy may want to see what others have changed."""
    judged, again = make_policies(), make_policies()
    judged.mutating("m", mutations=[_applied("Object{data: {'x': 'mutated'}}")])
    judged.validating("v", **deny("'x is ' + string(object.data.x)"))
    seen = "has(object.data.late) ? 'yes' : 'no'"
    count = "has(object.data.count) ? string(object.data.count) + 'x' : 'x'"
    again.mutating(
        "a",
        mutations=[_applied(f"Object{{data: {{'seen': {seen}, 'count': {count}}}}}")],
        reinvocationPolicy="IfNeeded",
    )
    again.mutating("b", mutations=[_applied("Object{data: {'late': 'yes'}}")])
    await_policies(client)
    message = judged.verdict(client.post(maps(judged), config_map("a"))).message
    assert message.endswith("denied request: x is mutated")
    made = client.post(maps(again), config_map("a", {"k": "v"})).json()
    # The order of policies is not settled upstream.
    assert made["data"]["late"] == made["data"]["seen"] == "yes"


def test_several_bindings(client: Client, make_policies: Callable[[], Policies]) -> None:
    """Each of them speaks for itself."""
    policies = make_policies()
    warn = {"validationActions": ["Warn"]}
    policies.validating("one", warn, validations=[{"expression": "false", "message": "first"}])
    policies.bind(VALIDATING, "one", warn, "one-second")
    policies.validating("two", warn, validations=[{"expression": "false", "message": "second"}])
    await_policies(client)
    verdict = policies.verdict(client.post(maps(policies), config_map("a")))
    start = "Validation failed for ValidatingAdmissionPolicy"
    assert verdict.status == 201
    assert sorted(verdict.warnings) == [
        f"{start} 'one' with binding 'one-binding': first",
        f"{start} 'one' with binding 'one-second': first",
        f"{start} 'two' with binding 'two-binding': second",
    ]


def test_changes_and_deletion(client: Client, make_policies: Callable[[], Policies]) -> None:
    """A policy that is changed, or gone, or whose binding is gone, is no longer what it was."""
    policies = make_policies()
    policies.validating(**deny("'before'"))
    await_policies(client)
    assert "before" in client.post(maps(policies), config_map("a")).text
    path = f"{PATHS[VALIDATING]}/{policies.name('policy')}"
    change = {"spec": {"validations": [{"expression": "false", "message": "after"}]}}
    assert client.patch(path, change).status == 200
    await_policies(client)
    assert "denied request: after" in client.post(maps(policies), config_map("a")).text
    assert client.delete(path).status == 200
    await_policies(client)
    assert client.post(maps(policies), config_map("a")).status == 201
