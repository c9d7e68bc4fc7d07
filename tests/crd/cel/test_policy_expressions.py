"""What expressions of policies have besides those of rules: the authorizer, and messages for patches."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.crd.cel.declared import Declared, compile_declared
from kubewright.crd.cel.functions.authorization import (
    AuthorizerValue,
    DecisionValue,
    PathCheck,
    ResourceCheck,
)
from kubewright.crd.cel.message_values import MessageValue, to_json, with_plain_names

VARIABLES = {
    "object": Declared("dyn"),
    "authorizer": Declared("kubernetes.authorization.Authorizer"),
    "authorizer.requestResource": Declared("kubernetes.authorization.ResourceCheck"),
}
LIMIT = 1_000_000


def evaluate(expression: str, *, patches: bool = False) -> tuple[object, str, int]:
    def check(
        question: ResourceCheck | PathCheck, verb: str, service_account: tuple[str, str] | None
    ) -> DecisionValue:
        asked.append((question[1:], verb, service_account))
        return DecisionValue(verb == "get", "because", "" if verb != "fail" else "broken")

    asked.clear()
    resource = AuthorizerValue(check, request_resource=lambda value: ResourceCheck(value, "g", "own"))
    compiled = compile_declared(expression, VARIABLES, patches=patches)
    return compiled.program.run({"object": {"a": 1}, "authorizer": resource}, cost_limit=LIMIT)


asked: list[object] = []


def test_questions() -> None:
    chain = "authorizer.group('apps').resource('deployments').subresource('scale').namespace('n').name('x')"
    value, error, cost = evaluate(f"{chain}.fieldSelector('a=b').labelSelector('c').check('get').allowed()")
    assert (value, error) == (True, "")
    assert asked == [(("apps", "deployments", "scale", "n", "x", "a=b", "c"), "get", None)]
    assert cost == 350_000 + 9
    evaluate("authorizer.path('/x').check('get').allowed()")
    assert asked == [(("/x",), "get", None)]
    evaluate("authorizer.serviceAccount('n', 's').group('').resource('pods').check('get').allowed()")
    assert asked == [(("", "pods", "", "", "", "", ""), "get", ("n", "s"))]
    evaluate("authorizer.requestResource.check('get').allowed()")
    assert asked == [(("g", "own", "", "", "", "", ""), "get", None)]


def test_answers() -> None:
    start = "authorizer.path('/x').check('fail')"
    assert [evaluate(f"{start}.{name}()")[0] for name in ("allowed", "reason", "errored", "error")] == [
        False,
        "because",
        True,
        "broken",
    ]
    assert evaluate("authorizer.path('/x').check('get').errored()")[0] is False


def test_two_questions_are_the_most() -> None:
    one = "authorizer.path('/x').check('get').allowed()"
    assert evaluate(f"{one} && {one}")[1] == ""
    assert "actual cost limit exceeded" in evaluate(f"{one} && {one} && {one}")[1]


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        ("authorizer.path(' ').check('get').allowed()", "path must not be empty"),
        ("authorizer.group('').resource('').check('get').allowed()", "resource must not be empty"),
        (
            "authorizer.serviceAccount('n', 'A').path('/').check('get').allowed()",
            "Invalid service account name",
        ),
        (
            "authorizer.serviceAccount('a.b', 'a').path('/').check('get').allowed()",
            "Invalid service account namespace",
        ),
        (
            "authorizer.serviceAccount('n', 'a').group('').resource(object.a).check('get').allowed()",
            "no such overload: resource(kubernetes.authorization.GroupCheck, int)",
        ),
    ],
)
def test_wrong_questions(expression: str, error: str) -> None:
    assert evaluate(expression)[1] == error


def test_messages() -> None:
    made, error, _ = evaluate("Object{spec: Object.spec{a: object.a, ?b: object.?b}}", patches=True)
    assert error == ""
    assert isinstance(made, MessageValue)
    assert to_json(made) == {"spec": {"a": 1}}
    assert list(made.misnamed()) == []
    wrong, _, _ = evaluate("Object{spec: [Object.status{}], data: {'k': Object.data{}}}", patches=True)
    assert isinstance(wrong, MessageValue)
    (said,) = wrong.misnamed()
    assert said.startswith('unexpected type name "Object.status", expected "Object.spec", which matches')


@pytest.mark.parametrize(
    ("expression", "texts", "expected"),
    [
        ("[dyn(b'abc'), dyn(timestamp('2020-01-01T00:00:00Z')), dyn(duration('90s'))]", True, None),
        ("{'a': [dyn(1.5), dyn(true), dyn(null), dyn('x')]}", False, {"a": [1.5, True, None, "x"]}),
    ],
)
def test_json(expression: str, texts: bool, expected: object) -> None:
    value = evaluate(expression)[0]
    found = to_json(value, texts=texts)
    assert found == (expected if expected is not None else ["YWJj", "2020-01-01T00:00:00Z", "90s"])
    if texts:
        with pytest.raises(ValueError, match="cannot be converted to JSON"):
            to_json(value)


def test_keys_of_objects_are_texts() -> None:
    with pytest.raises(ValueError, match="map key 1 is of type int, not string"):
        to_json(evaluate("{1: 2}")[0])


NAMES = st.lists(
    st.sampled_from(["Object", ".", "spec", "{", "}", " ", "'", '"', "Object.a.b{", "x", "\\", "//", "\n"])
)


@given(NAMES)
def test_plain_names_move_nothing(parts: list[str]) -> None:
    text = "".join(parts)
    plain = with_plain_names(text)
    assert len(plain) == len(text)
    assert {(one, other) for one, other in zip(text, plain, strict=True) if one != other} <= {(".", "_")}


def test_texts_keep_their_dots() -> None:
    expression = "Object{a: 'Object.a{', b: Object.b{} /* no */} // Object.c{"
    assert with_plain_names(expression) == "Object{a: 'Object.a{', b: Object_b{} /* no */} // Object.c{"
