from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.machinery.errors import ParseError
from kubewright.machinery.selectors import Operator, Requirement, Selector, parse_label_selector
from tests.conftest import Oracle, OracleRefusal

KEYS = ["a", "b", "in", "x.y/a", "notin"]
VALUES = ["", "1", "2", "10", "in", "a-b"]
INTEGERS = ["0", "1", "007", "9223372036854775807"]
LABELS = st.dictionaries(
    st.sampled_from(KEYS), st.sampled_from([*VALUES, *INTEGERS, "-1", "+3", "9223372036854775808", "1_0"])
)


def requirements() -> st.SearchStrategy[Requirement]:
    keys = st.sampled_from(KEYS)
    value = st.sampled_from(VALUES)
    one = st.builds(
        lambda key, operator, value: Requirement(key, operator, (value,)),
        keys,
        st.sampled_from(["=", "==", "!="]),
        value,
    )
    many = st.builds(
        lambda key, operator, values: Requirement(key, operator, tuple(sorted(values))),
        keys,
        st.sampled_from(["in", "notin"]),
        st.sets(value, min_size=1),
    )
    none = st.builds(Requirement, keys, st.sampled_from(["exists", "!"]))
    number = st.builds(
        lambda key, operator, value: Requirement(key, operator, (value,)),
        keys,
        st.sampled_from(["gt", "lt"]),
        st.sampled_from(INTEGERS),
    )
    return one | many | none | number


SELECTORS = st.builds(Selector, st.lists(requirements(), max_size=4))


def naive(requirement: Requirement, labels: Mapping[str, str]) -> bool:
    key, operator, values = requirement.key, requirement.operator, requirement.values
    here = key in labels
    if operator in {"exists", "!"}:
        return here == (operator == "exists")
    if operator in {"!=", "notin"}:
        return not here or labels[key] not in values
    if not here:
        return False
    if operator in {"gt", "lt"}:
        text = labels[key].lstrip("+-")
        if not text.isdigit() or abs(int(text)) >= 2**63:
            return False
        difference = int(labels[key]) - int(values[0])
        return difference > 0 if operator == "gt" else difference < 0
    return labels[key] in values


@given(SELECTORS, LABELS)
def test_matching_is_every_requirement_by_itself(selector: Selector, labels: dict[str, str]) -> None:
    expected = all(naive(requirement, labels) for requirement in selector.requirements)
    assert selector.matches(labels) is expected
    assert all(one.matches(labels) == naive(one, labels) for one in selector.requirements)


@given(SELECTORS)
def test_what_is_printed_reads_back(selector: Selector) -> None:
    again = parse_label_selector(str(selector))
    assert again == selector
    assert hash(again) == hash(selector)
    assert str(again) == str(selector)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("", ""),
        (" \t\r\n", ""),
        ("b=1,a=2", "a=2,b=1"),
        ("a==1", "a==1"),
        (" a = 1 , b != 2 ", "a=1,b!=2"),
        ("a=,b", "a=,b"),
        ("a!=", "a!="),
        ("! a", "!a"),
        ("a in (z, y,z)", "a in (y,z)"),
        ("a in ()", "a in ()"),
        ("a in (,)", "a in ()"),
        ("a notin (b,,c)", "a notin (,b,c)"),
        ("in in (in,notin)", "in in (in,notin)"),
        ("notin", "notin"),
        ("a>1,b<2", "a>1,b<2"),
        ("x.y/a in(b)", "x.y/a in (b)"),
        ("a=in", "a=in"),
        ("a=1,a=2", "a=1,a=2"),
    ],
)
def test_printing_is_sorted_and_normal(text: str, printed: str) -> None:
    assert str(parse_label_selector(text)) == printed


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a,", "the end stands where the key"),
        (",a", "',' stands where the key"),
        ("!", "the end stands where the key"),
        ("!!a", "'!' stands where the key"),
        ("!a=b", "'=' stands where a comma or the end"),
        ("a b", "'b' stands after 'a'"),
        ("a=b c", "'c' stands where a comma or the end"),
        ("a=)", "')' stands where the value of 'a'"),
        ("a in", "the end stands where the '('"),
        ("a in b", "'b' stands where the '('"),
        ("a in (b", "the end stands after a value of 'a'"),
        ("a in (b c)", "'c' stands after a value of 'a'"),
        ("a in ((b))", "'(' stands where the value of 'a'"),
        ("a in (b),,c", "',' stands where the key"),
        ("a>b", "compared with 'b'"),
        ("a>9223372036854775808", "compared with '9223372036854775808'"),
        ("a>1>2", "'>' stands where"),
        ("a===b", "'=' stands where the value"),
        ("-a", "'-a' is not the key of a label"),
        ("a/b/c=1", "'a/b/c' is not the key of a label"),
        ("a=-b", "label 'a' has the value '-b'"),
        ("a=" + "b" * 64, "must be no more than 63 bytes"),
        ("é", "'é' is not the key of a label"),
    ],
)
def test_a_bad_selector_is_quoted_with_the_place(text: str, place: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_label_selector(text)
    assert str(caught.value).startswith(f"label selector {text!r}: ")
    assert place in str(caught.value)


@pytest.mark.parametrize(
    ("operator", "values"),
    [
        ("=", ()),
        ("=", ("a", "b")),
        ("gt", ()),
        ("in", ()),
        ("exists", ("a",)),
        ("!", ("a",)),
        ("like", ("a",)),
    ],
)
def test_a_requirement_has_the_values_that_its_operator_takes(
    operator: Operator, values: tuple[str, ...]
) -> None:
    with pytest.raises(ParseError, match="label 'k'"):
        Requirement("k", operator, values)


def test_everything_and_nothing() -> None:
    everything, nothing = Selector.everything(), Selector.nothing()
    assert everything.matches({})
    assert everything.empty
    assert everything == parse_label_selector("")
    assert not nothing.matches({})
    assert not nothing.matches({"a": "b"})
    assert not nothing.empty
    assert nothing != everything
    assert nothing == Selector.nothing()
    assert nothing.requires_exact_match("a") is None


def test_from_labels() -> None:
    selector = Selector.from_labels({"b": "2", "a": "1"})
    assert str(selector) == "a=1,b=2"
    assert selector.matches({"a": "1", "b": "2", "c": "3"})
    assert not selector.matches({"a": "1"})
    assert Selector.from_labels({}).empty
    with pytest.raises(ParseError, match="'a b' is not the key"):
        Selector.from_labels({"a b": "1"})


def test_from_label_selector() -> None:
    selector = Selector.from_label_selector(
        {
            "matchLabels": {"z": "1"},
            "matchExpressions": [
                {"key": "a", "operator": "In", "values": ["y", "x"]},
                {"key": "b", "operator": "NotIn", "values": ["x"]},
                {"key": "c", "operator": "Exists"},
                {"key": "d", "operator": "DoesNotExist", "values": []},
            ],
        }
    )
    assert str(selector) == "a in (x,y),b notin (x),c,!d,z=1"
    assert Selector.from_label_selector(None) == Selector.nothing()
    assert Selector.from_label_selector({}).empty
    assert Selector.from_label_selector({"matchLabels": None, "matchExpressions": []}).empty


@pytest.mark.parametrize(
    ("selector", "place"),
    [
        ({"matchLabel": {"a": "b"}}, "no field 'matchLabel'"),
        ({"matchLabels": ["a"]}, "matchLabels is ['a']"),
        ({"matchLabels": {"a": 1}}, "matchLabels has 'a': 1"),
        ({"matchLabels": {"-": "1"}}, "matchLabels: '-' is not the key"),
        ({"matchExpressions": {}}, "matchExpressions is {}"),
        ({"matchExpressions": ["a"]}, "matchExpressions[0] is 'a'"),
        ({"matchExpressions": [{"key": "a", "operator": "In", "value": "b"}]}, "[0] has no field 'value'"),
        ({"matchExpressions": [{"operator": "Exists"}]}, "matchExpressions[0].key is None"),
        ({"matchExpressions": [{"key": "a", "operator": "in"}]}, "matchExpressions[0].operator is 'in'"),
        ({"matchExpressions": [{"key": "a", "operator": []}]}, "matchExpressions[0].operator is []"),
        ({"matchExpressions": [{"key": "a", "operator": "In", "values": "b"}]}, "[0].values is 'b'"),
        ({"matchExpressions": [{"key": "a", "operator": "In", "values": [1]}]}, "[0].values is [1]"),
        ({"matchExpressions": [{"key": "a", "operator": "In"}]}, "at least one value"),
        ({"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b"]}]}, "takes no values"),
    ],
)
def test_a_bad_label_selector_names_the_field(selector: dict[str, object], place: str) -> None:
    with pytest.raises(ParseError) as caught:
        Selector.from_label_selector(selector)
    assert place in str(caught.value)


def test_requires_exact_match() -> None:
    selector = parse_label_selector("a=1,b in (2),c in (1,2),d!=1,e,a=9")
    assert [selector.requires_exact_match(key) for key in "abcdex"] == ["1", "2", None, None, None, None]


def test_a_selector_can_be_copied_and_pickled() -> None:
    for selector in (parse_label_selector("a in (1,2),b"), Selector.nothing()):
        assert copy.deepcopy(selector) == selector
        again = pickle.loads(pickle.dumps(selector))  # noqa: S301 - our own
        assert again == selector
        assert again.matches({"a": "1", "b": ""}) == selector.matches({"a": "1", "b": ""})


def test_numbers_are_compared_as_numbers() -> None:
    values = ["-5", "9", "10", "+11", "x", ""]
    assert [parse_label_selector("a>9").matches({"a": value}) for value in values] == [
        *(False, False, True, True, False, False)
    ]
    assert [parse_label_selector("a<10").matches({"a": value}) for value in values] == [
        *(True, True, False, False, False, False)
    ]


def test_a_nul_ends_the_text_unless_it_ends_a_token() -> None:
    assert str(parse_label_selector("a \x00,b")) == "a"
    assert str(parse_label_selector("a\x00,b")) == "a,b"


def test_a_number_may_have_any_number_of_zeros() -> None:
    assert parse_label_selector("a>1").matches({"a": "0" * 10_000 + "2"})
    assert not parse_label_selector("a>1").matches({"a": "9" * 10_000})


WORDS = st.sampled_from("ab1-/é_.,,=!()<> \t\n\r\x00\v") | st.sampled_from(
    ["x.y/a", "in", "notin", "10", "=="]
)
TEXTS = st.lists(WORDS, max_size=12).map("".join) | st.lists(WORDS, max_size=10).map(" ".join)


def ask(oracle: Oracle, op: str, ours: Selector | None, **question: object) -> None:
    sets = [
        {},
        {"a": "1"},
        {"a": "in", "b": ""},
        {"x.y/a": "10", "in": "a"},
        {"a": "", "notin": "-5"},
        {"a": "10"},
    ]
    keys = [*KEYS, "zz"]
    try:
        theirs = oracle.ask(op, {**question, "sets": sets, "keys": keys})
    except OracleRefusal:
        theirs = None
    if ours is None or theirs is None:
        assert ours is theirs
        return
    assert {
        "string": str(ours),
        "empty": ours.empty,
        "selectable": ours.selectable,
        "matches": [ours.matches(labels) for labels in sets],
        "exact": [ours.requires_exact_match(key) for key in keys],
        "requirements": [[one.key, one.operator, list(one.values)] for one in ours.requirements],
    } == theirs


def ours_or_none(text: str) -> Selector | None:
    try:
        return parse_label_selector(text)
    except ParseError:
        return None


@pytest.mark.oracle
@given(TEXTS | SELECTORS.map(str))
def test_texts_are_read_as_upstream_reads_them(oracle: Oracle, text: str) -> None:
    ask(oracle, "selectors.labels", ours_or_none(text), text=text)


@pytest.mark.oracle
@pytest.mark.parametrize(
    "text",
    [
        *("a\x00b", "a,\x00b", "a \x00b", "\x00a", "a\x00,b", "a=\x00\x00b", "a in (b\x00)", "a\u00a0=b"),
        *(
            "a>+1",
            "a>-1",
            "a>01",
            "a>1_0",
            "a<0x1",
            "a=b,",
            "a in (,b,,)",
            "a in (b,",
            "!a,!b",
            "a!b",
            "a=!b",
        ),
        *("a!==b", "a=>b", "a=b=c", "(a)", "a in in (in)", "x/x/a", "a" * 63 + "=" + "b" * 63, "a" * 64),
    ],
)
def test_odd_texts_are_read_as_upstream_reads_them(oracle: Oracle, text: str) -> None:
    ask(oracle, "selectors.labels", ours_or_none(text), text=text)


EXPRESSIONS = st.fixed_dictionaries(
    {
        "key": st.sampled_from([*KEYS, "-", ""]),
        "operator": st.sampled_from(["In", "NotIn", "Exists", "DoesNotExist", "in", ""]),
    },
    optional={"values": st.lists(st.sampled_from([*VALUES, "-"]), max_size=3)},
)
STRUCTURED = st.none() | st.fixed_dictionaries(
    {},
    optional={
        "matchLabels": st.dictionaries(
            st.sampled_from([*KEYS, "-"]), st.sampled_from([*VALUES, "é"]), max_size=3
        ),
        "matchExpressions": st.lists(EXPRESSIONS, max_size=3),
    },
)


@pytest.mark.oracle
@given(STRUCTURED)
def test_structured_selectors_mean_what_upstream_says(
    oracle: Oracle, structured: dict[str, object] | None
) -> None:
    try:
        ours = Selector.from_label_selector(structured)
    except ParseError:
        ours = None
    ask(oracle, "selectors.structured", ours, structured=structured)
