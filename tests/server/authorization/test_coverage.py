"""Whether rules cover others."""

from __future__ import annotations

import time
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.server.authorization import Attributes
from kubewright.server.authorization.coverage import described, parts_of, uncovered
from kubewright.server.authorization.policy_rules import PolicyRule, rule_allows
from kubewright.server.registry.write import User
from tests.server.authorization.policies import rule


def rules(*made: Any) -> tuple[PolicyRule, ...]:
    return msgspec.convert(made, tuple[PolicyRule, ...])


@pytest.mark.parametrize(
    ("owned", "wanted", "missing"),
    [
        ([rule("*", "*", "*")], [rule("get list", "apps", "pods/log", "a")], []),
        ([rule("*", "*", "*")], [rule(urls="/x")], ['{NonResourceURLs:["/x"], Verbs:["get"]}']),
        ([rule("get")], [rule("get list")], ['{APIGroups:[""], Resources:["pods"], Verbs:["list"]}']),
        ([rule("get"), rule("list")], [rule("list get")], []),
        (
            [],
            [rule("list get", "core apps", "pods")],
            [
                '{APIGroups:[""], Resources:["pods"], Verbs:["list" "get"]}',
                '{APIGroups:["apps"], Resources:["pods"], Verbs:["list" "get"]}',
            ],
        ),
        ([rule(names="a")], [rule()], ['{APIGroups:[""], Resources:["pods"], Verbs:["get"]}']),
        ([rule()], [rule(names="a")], []),
        (
            [rule(names="a c")],
            [rule("get list", names="a b")],
            [
                '{APIGroups:[""], Resources:["pods"], ResourceNames:["a"], Verbs:["list"]}',
                '{APIGroups:[""], Resources:["pods"], ResourceNames:["b"], Verbs:["get" "list"]}',
            ],
        ),
        ([rule(resources="*/log")], [rule(resources="pods/log */log")], []),
        (
            [rule(resources="*/log")],
            [rule(resources="pods pods/exec")],
            [
                '{APIGroups:[""], Resources:["pods"], Verbs:["get"]}',
                '{APIGroups:[""], Resources:["pods/exec"], Verbs:["get"]}',
            ],
        ),
        (
            [rule(resources="pods")],
            [rule(resources="*")],
            ['{APIGroups:[""], Resources:["*"], Verbs:["get"]}'],
        ),
        ([rule(urls="/a/*")], [rule(urls="/a/b /a/c/* /a/*")], []),
        ([rule(urls="/a/*")], [rule(urls="/a")], ['{NonResourceURLs:["/a"], Verbs:["get"]}']),
        ([rule(urls="/a")], [rule(urls="/a*")], ['{NonResourceURLs:["/a*"], Verbs:["get"]}']),
        ([rule(urls="*")], [rule(urls="/a*")], []),
    ],
)
def test_coverage(owned: list[Any], wanted: list[Any], missing: list[str]) -> None:
    assert described(uncovered(rules(*owned), rules(*wanted))) == missing


def test_the_number_of_parts() -> None:
    assert [parts_of(each) for each in rules(rule("get list", "a b", "x y z"), rule(names="a b c"))] == [
        12,
        3,
    ]
    assert parts_of(rules(rule("get put", urls="/a /b"))[0]) == 4


def some(*texts: str) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(texts), min_size=1, max_size=3).map(" ".join)


VERBS = some("get", "list", "*")
RESOURCES = some("pods", "pods/log", "*/log", "nodes", "*")
RULES = st.one_of(
    st.builds(rule, VERBS, some("core", "apps", "*"), RESOURCES, st.just("") | some("a", "b")),
    st.builds(lambda verbs, urls: rule(verbs, urls=urls), VERBS, some("/a", "/a/*", "/a*", "/b", "*")),
)
QUESTIONS = [
    Attributes(
        user=User(name="u"), verb=verb, group=group, resource=resource, subresource=subresource, name=name
    )
    for verb in ("get", "list", "put")
    for group in ("", "apps", "batch")
    for resource, subresource in (("pods", ""), ("pods", "log"), ("nodes", "log"), ("nodes", ""), ("x", "y"))
    for name in ("", "a", "b", "c")
] + [
    Attributes(user=User(name="u"), verb=verb, is_resource_request=False, path=path)
    for verb in ("get", "list", "put")
    for path in ("/a", "/a/", "/a/b", "/ab", "/b", "/c")
]


def allowed(held: tuple[PolicyRule, ...], question: Attributes) -> bool:
    return any(
        rule_allows(each, question) and (not each.resource_names or question.name in each.resource_names)
        for each in held
    )


@given(st.lists(RULES, max_size=4), st.lists(RULES, max_size=3))
def test_who_is_covered_may_nothing_that_the_other_may_not(owned: list[Any], wanted: list[Any]) -> None:
    held, asked = rules(*owned), rules(*wanted)
    missing = tuple(uncovered(held, asked))
    for question in QUESTIONS:
        if allowed(asked, question):
            assert allowed((*held, *missing), question)
        if not missing:
            assert not allowed(asked, question) or allowed(held, question)


@given(st.lists(RULES, max_size=4))
def test_everybody_covers_their_own(owned: list[Any]) -> None:
    assert uncovered(rules(*owned), rules(*owned)) == []


def test_the_time_does_not_grow_with_rules_times_parts() -> None:
    """Somebody with many rights must not stop the server by a role of many parts."""
    held = rules(*[rule("*", "*", " ".join(f"x{number}" for number in range(50)))] * 300)
    verbs, groups, resources = (
        " ".join(f"{letter}{number}" for number in range(count))
        for letter, count in (("v", 10), ("g", 10), ("r", 100))
    )
    wanted = rules(rule(verbs, groups, resources))
    start = time.process_time()
    assert len(uncovered(held, wanted)) == 10_000
    # It takes hundredths of a second, and would take a quarter of a minute.
    assert time.process_time() - start < 3
