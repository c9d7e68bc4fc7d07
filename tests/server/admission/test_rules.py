"""Which requests a rule is for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kubewright.server.admission.webhooks.rules import Request, make_rule

OPERATIONS = st.sampled_from(["CREATE", "UPDATE", "DELETE", "CONNECT"])
NAMES = st.sampled_from(["", "a", "b", "c"])
WORDS = st.sampled_from(["a", "b", "c"])
REQUESTS = st.builds(
    Request,
    operation=OPERATIONS,
    group=NAMES,
    version=WORDS,
    resource=WORDS,
    subresource=NAMES,
    namespaced=st.booleans(),
)
PARTS = st.one_of(st.just("*"), WORDS)
RULES = st.fixed_dictionaries(
    {
        "operations": st.one_of(st.just(["*"]), st.lists(OPERATIONS, min_size=1)),
        "apiGroups": st.one_of(st.just(["*"]), st.lists(NAMES, min_size=1)),
        "apiVersions": st.one_of(st.just(["*"]), st.lists(WORDS, min_size=1)),
        "resources": st.lists(
            st.one_of(PARTS, st.tuples(PARTS, PARTS).map("/".join)), min_size=1, max_size=3
        ),
    },
    optional={"scope": st.sampled_from(["*", "Namespaced", "Cluster"])},
)


@given(RULES, REQUESTS)
def test_every_part_must_name_the_request(rule: dict[str, list[str]], request: Request) -> None:
    def names(field: str, value: str) -> bool:
        return "*" in rule[field] or value in rule[field]

    def names_resource(text: str) -> bool:
        resource, _, subresource = text.partition("/")
        return resource in {"*", request.resource} and subresource in {"*", request.subresource}

    wanted = (
        names("operations", request.operation)
        and names("apiGroups", request.group)
        and names("apiVersions", request.version)
        and any(map(names_resource, rule["resources"]))
        and rule.get("scope", "*") in {"*", "Namespaced" if request.namespaced else "Cluster"}
    )
    assert make_rule(rule).matches(request) == wanted


@given(RULES, REQUESTS)
def test_a_rule_for_everything_is_for_whatever_another_is_for(
    rule: dict[str, list[str]], request: Request
) -> None:
    everything = make_rule(
        {"operations": ["*"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*/*"]}
    )
    assert everything.matches(request)
    if make_rule(rule).matches(request):
        assert make_rule({**rule, "operations": ["*"]}).matches(request)
        assert make_rule({**rule, "resources": ["*/*"]}).matches(request)


def test_a_star_alone_is_no_subresource() -> None:
    rule = make_rule({"operations": ["*"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"]})
    assert rule.matches(Request("CREATE", "", "v1", "pods", "", True))
    assert not rule.matches(Request("CREATE", "", "v1", "pods", "binding", True))


def test_a_scope_that_nobody_knows_is_for_nothing() -> None:
    rule = make_rule(
        {"operations": ["*"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"], "scope": "Other"}
    )
    assert not rule.matches(Request("CREATE", "", "v1", "pods", "", True))
    assert not rule.matches(Request("CREATE", "", "v1", "pods", "", False))
