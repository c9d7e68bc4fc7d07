from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.machinery.errors import ParseError
from kubewright.machinery.gvk import (
    GroupKind,
    GroupResource,
    GroupVersion,
    GroupVersionKind,
    GroupVersionResource,
    compare_versions,
    parse_kind_arg,
    parse_resource_arg,
    version_sort_key,
)
from tests.conftest import Oracle

WORDS = st.text("abz09.-", min_size=1, max_size=6)


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("v1", GroupVersion("", "v1")),
        ("apps/v1", GroupVersion("apps", "v1")),
        ("a.b/v2", GroupVersion("a.b", "v2")),
    ],
)
def test_an_api_version_is_read_and_printed(text: str, parsed: GroupVersion) -> None:
    assert GroupVersion.parse(text) == parsed
    assert parsed.api_version == text
    assert str(parsed) == text


@pytest.mark.parametrize("text", ["", "/", "/v1", "apps/", "a/b/c", "//", "a//v1"])
def test_a_bad_api_version_is_named(text: str) -> None:
    with pytest.raises(ParseError, match="apiVersion is") as caught:
        GroupVersion.parse(text)
    assert repr(text) in str(caught.value)
    with pytest.raises(ParseError, match="apiVersion is"):
        GroupVersionKind.from_api_version(text, "Pod")


def test_a_kind_without_a_name_is_refused() -> None:
    with pytest.raises(ParseError, match=r"kind is ''.*'apps/v1'"):
        GroupVersionKind.from_api_version("apps/v1", "")


def test_the_parts_of_a_kind_and_of_a_resource() -> None:
    gvk = GroupVersionKind.from_api_version("apps/v1", "Deployment")
    assert gvk == GroupVersion("apps", "v1").with_kind("Deployment")
    assert (gvk.group_version, gvk.group_kind) == (
        GroupVersion("apps", "v1"),
        GroupKind("apps", "Deployment"),
    )
    assert gvk.group_kind.with_version("v1") == gvk
    assert gvk.api_version == "apps/v1"
    assert GroupVersionKind("", "v1", "Pod").api_version == "v1"
    gvr = GroupVersion("apps", "v1").with_resource("deployments")
    assert gvr == GroupVersionResource("apps", "v1", "deployments")
    assert (gvr.group_version, gvr.group_resource) == (
        GroupVersion("apps", "v1"),
        GroupResource("apps", "deployments"),
    )
    assert gvr.group_resource.with_version("v1") == gvr


def test_values_of_different_types_are_different_keys() -> None:
    values = [
        GroupVersion("a", "b"),
        GroupKind("a", "b"),
        GroupResource("a", "b"),
        GroupVersionKind("a", "b", "c"),
        GroupVersionResource("a", "b", "c"),
    ]
    assert len(set(values)) == len(values)
    with pytest.raises(AttributeError):
        GroupKind("a", "b").kind = "x"  # type: ignore[misc]


def test_values_have_an_order() -> None:
    kinds = [
        GroupVersionKind("b", "v1", "A"),
        GroupVersionKind("a", "v2", "A"),
        GroupVersionKind("a", "v1", "B"),
    ]
    assert sorted(kinds) == kinds[::-1]


def test_a_typed_resource_has_two_readings() -> None:
    assert parse_resource_arg("pods") == (None, GroupResource("", "pods"))
    assert parse_resource_arg("deployments.apps") == (None, GroupResource("apps", "deployments"))
    assert parse_resource_arg("deployments.v1.apps") == (
        GroupVersionResource("apps", "v1", "deployments"),
        GroupResource("v1.apps", "deployments"),
    )
    # How kubectl's users say "the core group".
    assert parse_resource_arg("pods.v1.")[0] == GroupVersionResource("", "v1", "pods")
    assert parse_kind_arg("Deployment.v1.apps") == (
        GroupVersionKind("apps", "v1", "Deployment"),
        GroupKind("v1.apps", "Deployment"),
    )
    assert parse_kind_arg("Pod") == (None, GroupKind("", "Pod"))


@pytest.mark.parametrize("text", ["", ".", ".apps", "..apps"])
def test_a_resource_or_kind_without_a_name_is_refused(text: str) -> None:
    with pytest.raises(ParseError, match="names no resource"):
        parse_resource_arg(text)
    with pytest.raises(ParseError, match="names no kind"):
        parse_kind_arg(text)


@given(WORDS, WORDS)
def test_what_is_printed_reads_back(group: str, name: str) -> None:
    name = name.replace(".", "x")
    assert GroupResource.parse(str(GroupResource(group, name))) == GroupResource(group, name)
    assert GroupKind.parse(str(GroupKind(group, name))) == GroupKind(group, name)
    assert GroupVersion.parse(str(GroupVersion(group, name))) == GroupVersion(group, name)


# The example in the documentation of CustomResourceDefinition versions, highest priority first.
ORDER = [
    *("v10", "v2", "v1", "v11beta2", "v10beta3", "v3beta1", "v12alpha1", "v11alpha2"),
    *("foo1", "foo10"),
]


@pytest.mark.parametrize(
    "versions", [ORDER, ["v1", "v1beta2", "v1beta1", "v1alpha1", "V1", "alpha", "v1beta"]]
)
def test_versions_are_ordered_by_priority(versions: list[str]) -> None:
    assert sorted(sorted(versions), key=version_sort_key, reverse=True) == versions
    for better, worse in permutations(range(len(versions)), 2):
        sign = compare_versions(versions[better], versions[worse])
        assert sign == (1 if better < worse else -1)


@pytest.mark.parametrize(
    "version", ["v9223372036854775808", "v1beta9223372036854775808", "v1\n", "v\u0661", "v1beta", "v"]
)
def test_what_only_looks_like_a_version_comes_last(version: str) -> None:
    assert compare_versions(version, "v1alpha1") < 0


def test_zeros_in_front_do_not_count() -> None:
    assert compare_versions("v1", "v" + "0" * 10_000 + "1") == 0


VERSIONS = st.from_regex(r"v[0-9]{1,3}((alpha|beta)[0-9]{1,3})?", fullmatch=True) | st.text(
    "vV10ab.", max_size=5
)
NEAR_INT64 = st.builds(
    "v{}beta{}".format, st.integers(2**63 - 2, 2**63 + 1), st.integers(2**63 - 2, 2**63 + 1)
)


@pytest.mark.oracle
@given(VERSIONS | NEAR_INT64, VERSIONS | NEAR_INT64)
def test_versions_compare_as_upstream(oracle: Oracle, a: str, b: str) -> None:
    theirs = oracle.ask("gvk.compare_versions", [a, b])
    assert compare_versions(a, b) == (theirs > 0) - (theirs < 0)


@pytest.mark.oracle
@given(st.text("aBv1./", max_size=10))
def test_parsing_agrees_with_upstream(oracle: Oracle, text: str) -> None:
    theirs = oracle.ask("gvk.parse", text)
    try:
        ours = GroupVersion.parse(text)
    except ParseError:
        # Stricter than upstream on purpose: it reads empty groups and versions.
        assert (
            "group_version" not in theirs or text in {"", "/"} or text.startswith("/") or text.endswith("/")
        )
    else:
        printed = [str(ours), str(ours.with_kind("K")), str(ours.with_resource("r"))]
        assert [ours.group, ours.version, *printed] == theirs["group_version"]
    if text.partition(".")[0]:
        gvr, gr = parse_resource_arg(text)
        gvk, gk = parse_kind_arg(text)
        assert [gr.group, gr.resource, str(gr)] == theirs["without_version"]
        assert [gk.group, gk.kind, str(gk)] == theirs["kind_without_version"]
        assert (gvr and [gvr.group, gvr.version, gvr.resource]) == theirs.get("with_version")
        assert (gvk and [gvk.group, gvk.version, gvk.kind]) == theirs.get("kind_with_version")
