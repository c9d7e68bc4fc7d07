from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kubewright.machinery.errors import ParseError
from kubewright.machinery.gvk import GroupVersion, GroupVersionResource
from kubewright.machinery.paths import (
    RequestInfo,
    ResourcePath,
    encode_segment,
    group_path,
    group_version_path,
    parse_path,
    parse_request,
)
from tests.conftest import Oracle, OracleRefusal

PODS = GroupVersionResource("", "v1", "pods")
DEPLOYMENTS = GroupVersionResource("apps", "v1", "deployments")
NAMESPACES = GroupVersionResource("", "v1", "namespaces")
NODES = GroupVersionResource("", "v1", "nodes")


def proxied(*rest: str) -> ResourcePath:
    return ResourcePath(
        group="",
        version="v1",
        resource="services",
        namespace="ns",
        name="https:web:443",
        subresource="proxy",
        rest=rest,
    )


@pytest.mark.parametrize(
    ("resource", "path"),
    [
        (ResourcePath.of(PODS), "/api/v1/pods"),
        (ResourcePath.of(PODS, namespace="d"), "/api/v1/namespaces/d/pods"),
        (ResourcePath.of(PODS, namespace="d", name="p"), "/api/v1/namespaces/d/pods/p"),
        (
            ResourcePath.of(PODS, namespace="d", name="p", subresource="log"),
            "/api/v1/namespaces/d/pods/p/log",
        ),
        (ResourcePath.of(DEPLOYMENTS), "/apis/apps/v1/deployments"),
        (ResourcePath.of(DEPLOYMENTS, namespace="d"), "/apis/apps/v1/namespaces/d/deployments"),
        (ResourcePath.of(NODES, name="n"), "/api/v1/nodes/n"),
        (ResourcePath.of(NODES, name="n", subresource="status"), "/api/v1/nodes/n/status"),
        (ResourcePath.of(NAMESPACES), "/api/v1/namespaces"),
        (ResourcePath.of(NAMESPACES, name="d"), "/api/v1/namespaces/d"),
        (ResourcePath.of(NAMESPACES, name="d", subresource="status"), "/api/v1/namespaces/d/status"),
        (ResourcePath.of(NAMESPACES, name="d", subresource="finalize"), "/api/v1/namespaces/d/finalize"),
        (ResourcePath.of(NAMESPACES, namespace="d"), "/api/v1/namespaces/d/namespaces"),
        (ResourcePath.of(NODES, name="system:a b"), "/api/v1/nodes/system:a%20b"),
        (ResourcePath.of(NODES, name="é?#"), "/api/v1/nodes/%C3%A9%3F%23"),
        (proxied(), "/api/v1/namespaces/ns/services/https:web:443/proxy"),
        (proxied(""), "/api/v1/namespaces/ns/services/https:web:443/proxy/"),
        (proxied("a", "b c"), "/api/v1/namespaces/ns/services/https:web:443/proxy/a/b%20c"),
        (
            proxied("", "a%2Fb", "c/d", ""),
            "/api/v1/namespaces/ns/services/https:web:443/proxy//a%252Fb/c%2Fd/",
        ),
        (
            ResourcePath(group="", version="v1", resource="pods", namespace="d", name="p", legacy_watch=True),
            "/api/v1/watch/namespaces/d/pods/p",
        ),
        (
            ResourcePath(group="apps", version="v1", resource="deployments", legacy_watch=True),
            "/apis/apps/v1/watch/deployments",
        ),
        (
            ResourcePath(group="g", version="v1", resource="watch", namespace="d"),
            "/apis/g/v1/namespaces/d/watch",
        ),
    ],
)
def test_paths_are_built_and_read(resource: ResourcePath, path: str) -> None:
    assert str(resource) == resource.path() == path
    assert parse_path(path) == resource


def test_a_path_knows_its_resource() -> None:
    assert ResourcePath.of(DEPLOYMENTS, namespace="d", name="x").group_version_resource == DEPLOYMENTS


@pytest.mark.parametrize("path", ["/api/v1/pods/", "/api/v1/pods//"])
def test_a_trailing_slash_means_nothing_before_a_subresource(path: str) -> None:
    assert parse_path(path) == ResourcePath.of(PODS)


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/api",
        "/api/",
        "/api/v1",
        "/apis",
        "/apis/apps",
        "/apis/apps/v1",
        "/healthz",
        "/openapi/v3",
        "/version",
    ],
)
def test_other_paths_are_of_no_resource(path: str) -> None:
    assert parse_path(path) is None


def test_discovery_paths() -> None:
    assert group_path("") == "/api"
    assert group_path("apps") == "/apis/apps"
    assert group_version_path(GroupVersion("", "v1")) == "/api/v1"
    assert group_version_path(GroupVersion("apps", "v1")) == "/apis/apps/v1"
    with pytest.raises(ParseError, match="the group"):
        group_path("..")
    with pytest.raises(ParseError, match="the version"):
        group_version_path(GroupVersion("apps", ""))


BAD_SEGMENTS = ["", ".", "..", "a/b", "../../secrets", "a%2Fb", "%", "/", "\ud800"]


@pytest.mark.parametrize("bad", BAD_SEGMENTS)
def test_no_part_can_lead_to_another_path(bad: str) -> None:
    good: dict[str, Any] = {
        "version": "v1",
        "resource": "pods",
        "namespace": "d",
        "name": "p",
        "subresource": "log",
    }
    for part in good:
        with pytest.raises(ParseError, match=f"the {part} in a request path is") as caught:
            ResourcePath(group="", **{**good, part: bad})
        assert not bad or repr(bad) in str(caught.value)
    if bad:
        with pytest.raises(ParseError, match="the group in a request path is"):
            ResourcePath(group=bad, version="v1", resource="pods")
    with pytest.raises(ParseError, match="the pod in a request path"):
        encode_segment(bad, "pod")


@pytest.mark.parametrize("bad", [".", "..", "a/../b", "\ud800"])
def test_what_follows_a_proxy_cannot_climb_out(bad: str) -> None:
    with pytest.raises(ParseError):
        proxied("a", bad)


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ({"resource": "pods", "subresource": "log"}, "needs the name"),
        ({"resource": "pods", "name": "p", "rest": ("a",)}, "after a subresource"),
        ({"resource": "status", "namespace": "d"}, "would read as the namespace's"),
        ({"resource": "watch"}, "legacy prefix"),
        ({"resource": "proxy", "name": "x"}, "legacy prefix"),
        ({"resource": "namespaces", "name": "d", "subresource": "pods"}, "would read as a resource in"),
    ],
)
def test_a_path_that_would_read_as_another_is_refused(parts: dict[str, Any], reason: str) -> None:
    with pytest.raises(ParseError, match=reason):
        ResourcePath(group="", version="v1", **parts)


TRICKS = [
    *("", "api/v1/pods", "*", "http://h/api/v1/pods", "/api/v1/pods?watch=1", "/api/v1/pods#x"),
    *("//api/v1/pods", "/api//v1/pods", "/api/v1//pods", "/api/v1/namespaces//pods", "/apis//v1/pods/x"),
    *(
        "/api/v1/../v1/pods",
        "/api/v1/pods/..",
        "/api/v1/pods/.",
        "/api/v1/pods/%2e%2e",
        "/healthz/../api/v1/pods",
    ),
    *("/api/v1/pods/a%2fb", "/api%2Fv1/pods/x", "/%2Fapi/v1/pods", "/api/v1/pods/a%252fb", "/api/v1/pods%2F"),
    *("/api/v1/pods/%zz", "/api/v1/pods/%a", "/api/v1/pods/%ff", "/api/v1/watch", "/apis/a/v1/proxy"),
    *("/api/v1/nodes/n/proxy/../../x", "/api/v1/nodes/n/proxy/a%2F..%2Fb", "/api/v1/nodes/n/proxy/%2E%2E"),
]


@pytest.mark.parametrize("path", TRICKS)
def test_tricks_are_refused(path: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_path(path)
    assert repr(path) in str(caught.value)
    with pytest.raises(ParseError):
        parse_request("GET", path)


def test_a_proxied_path_is_left_as_it_is() -> None:
    for path in ("/api/v1/nodes/n/proxy//a%2Fb/100%25", "/api/v1/proxy/nodes/n//a%2Fb/100%25"):
        assert parse_request("GET", path).parts[-4:] == ("", "a", "b", "100%")


def test_the_legacy_proxy_prefix_has_no_resource_path() -> None:
    with pytest.raises(ParseError, match="legacy prefix '/proxy'"):
        parse_path("/api/v1/proxy/nodes/n")


SEGMENTS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8) | st.sampled_from(
    ["namespaces", "status", "finalize", "watch", "proxy", "api", "apis", "pods", "https:a:1"]
)


def resource_paths() -> st.SearchStrategy[ResourcePath]:
    def build(**parts: Any) -> ResourcePath | None:
        try:
            return ResourcePath(**parts)
        except ParseError:
            return None

    optional = st.none() | SEGMENTS
    return st.builds(
        build,
        group=st.just("") | SEGMENTS,
        version=SEGMENTS,
        resource=SEGMENTS,
        namespace=optional,
        name=optional,
        subresource=optional,
        rest=st.just(()) | st.lists(st.just("") | st.just("a/b") | SEGMENTS, max_size=3).map(tuple),
        legacy_watch=st.booleans(),
    ).flatmap(lambda path: st.nothing() if path is None else st.just(path))


@given(resource_paths())
def test_a_built_path_reads_back(resource: ResourcePath) -> None:
    path = resource.path()
    assert path.isascii()
    assert parse_path(path) == resource
    info = parse_request("GET", path)
    assert (info.api_group, info.api_version, info.resource) == (
        resource.group,
        resource.version,
        resource.resource,
    )
    assert (info.name, info.subresource) == (resource.name or "", resource.subresource or "")
    if resource.namespace is not None:
        assert info.namespace == resource.namespace


@given(st.text("/ap.i1%2eF?n", max_size=14))
def test_any_path_is_read_or_refused_and_reads_back(path: str) -> None:
    try:
        resource = parse_path(path)
    except ParseError:
        return
    if resource is not None:
        assert parse_path(resource.path()) == resource


def info_of(method: str, path: str, **query: str) -> dict[str, object]:
    info = parse_request(method, path, query)
    return {name: value for name, value in msgspec.structs.asdict(info).items() if value not in {"", ()}}


@pytest.mark.parametrize(
    ("method", "path", "verb"),
    [
        ("GET", "/api/v1/pods", "list"),
        ("HEAD", "/api/v1/pods", "list"),
        ("GET", "/api/v1/namespaces/d/pods/p", "get"),
        ("POST", "/api/v1/namespaces/d/pods", "create"),
        ("PUT", "/api/v1/namespaces/d/pods/p", "update"),
        ("PATCH", "/api/v1/namespaces/d/pods/p/status", "patch"),
        ("DELETE", "/api/v1/namespaces/d/pods/p", "delete"),
        ("DELETE", "/api/v1/namespaces/d/pods", "deletecollection"),
        ("GET", "/api/v1/watch/pods", "watch"),
        ("GET", "/api/v1/proxy/nodes/n", "proxy"),
        ("OPTIONS", "/api/v1/pods", ""),
        ("GET", "/healthz", "get"),
        ("POST", "/apis/apps/v1", "post"),
    ],
)
def test_verbs(method: str, path: str, verb: str) -> None:
    assert parse_request(method, path).verb == verb


def test_a_request_for_a_subresource() -> None:
    assert info_of("PUT", "/apis/apps/v1/namespaces/d/deployments/web/scale") == {
        "is_resource_request": True,
        "path": "/apis/apps/v1/namespaces/d/deployments/web/scale",
        "verb": "update",
        "api_prefix": "apis",
        "api_group": "apps",
        "api_version": "v1",
        "namespace": "d",
        "resource": "deployments",
        "subresource": "scale",
        "name": "web",
        "parts": ("deployments", "web", "scale"),
    }


def test_a_namespace_is_in_itself() -> None:
    info = parse_request("GET", "/api/v1/namespaces/d/finalize")
    assert (info.namespace, info.resource, info.name, info.subresource) == (
        "d",
        "namespaces",
        "d",
        "finalize",
    )


@pytest.mark.parametrize(
    ("watch", "verb"),
    [("1", "watch"), ("true", "watch"), ("", "watch"), ("0", "list"), ("FALSE", "list"), ("no", "watch")],
)
def test_the_watch_parameter(watch: str, verb: str) -> None:
    assert parse_request("GET", "/api/v1/pods", {"watch": watch}).verb == verb


def test_a_name_comes_from_the_field_selector() -> None:
    def name(**query: str) -> str:
        return parse_request("GET", "/api/v1/pods", query).name

    assert name(fieldSelector="metadata.name=web") == "web"
    assert name(fieldSelector="metadata.name==web,spec.nodeName=n") == "web"
    assert name(fieldSelector="metadata.name=web", watch="true") == "web"
    assert name(fieldSelector="metadata.name=..") == ""
    assert name(fieldSelector="metadata.name=a/b") == ""
    assert name(fieldSelector="metadata.name!=web") == ""
    assert name(fieldSelector="metadata.name=web,") == "web"
    assert name(fieldSelector="metadata.name=web,x") == ""
    assert name(fieldSelector="metadata.name=web", labelSelector="a in") == ""
    assert name(fieldSelector="metadata.name=web", limit="many") == ""


def test_selectors_are_kept_for_the_verbs_that_honour_them() -> None:
    query = {"fieldSelector": "a=b", "labelSelector": "x"}
    assert parse_request("DELETE", "/api/v1/pods", query).label_selector == "x"
    assert parse_request("GET", "/api/v1/pods", query).field_selector == "a=b"
    assert parse_request("GET", "/api/v1/nodes/n", query).field_selector == ""
    assert parse_request("GET", "/api/v1/watch/pods", query).field_selector == ""


METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "get", "CONNECT"]
STEPS = st.sampled_from(
    [
        "api",
        "apis",
        "v1",
        "apps",
        "namespaces",
        "pods",
        "d",
        "status",
        "finalize",
        "watch",
        "proxy",
        "a%20b",
        "%C3%A9",
        "x:y",
    ]
)
PATHS = st.builds(
    lambda root, steps, end: "/" + "/".join([*root, *steps]) + end,
    st.sampled_from([["api", "v1"], ["apis", "apps", "v1"], ["api", "v1", "namespaces"], []]),
    st.lists(STEPS, max_size=6),
    st.sampled_from(["", "", "/"]),
)
QUERIES = st.fixed_dictionaries(
    {},
    optional={
        "watch": st.sampled_from(["", "0", "1", "false", "False", "true", "x"]),
        "fieldSelector": st.sampled_from(
            [
                "metadata.name=x",
                "metadata.name!=x",
                "a=b,metadata.name==y",
                "metadata.name=a/b",
                "metadata.name=",
                "bad",
                "",
            ]
        ),
        "labelSelector": st.sampled_from(["a=b", "a in", ""]),
        "limit": st.sampled_from(["5", "-1", "", "x", "9223372036854775808"]),
        "timeoutSeconds": st.sampled_from(["5", "1.5"]),
    },
)


def compare(oracle: Oracle, method: str, path: str, query: dict[str, str]) -> None:
    ours: RequestInfo | None
    try:
        ours = parse_request(method, path, query)
    except ParseError:
        ours = None
    try:
        theirs = oracle.ask("paths.request", {"method": method, "path": path, "query": query})
    except OracleRefusal:
        theirs = None
    assert (ours and {**msgspec.structs.asdict(ours), "parts": list(ours.parts)}) == theirs


@pytest.mark.oracle
@given(st.sampled_from(METHODS), PATHS, QUERIES)
def test_requests_are_read_as_upstream_reads_them(
    oracle: Oracle, method: str, path: str, query: dict[str, str]
) -> None:
    assume("//" not in path)
    compare(oracle, method, path, query)


@pytest.mark.oracle
@pytest.mark.parametrize(
    "path",
    [
        *(
            "/",
            "/api",
            "/api/",
            "/api/v1",
            "/api/v1/",
            "/apis/apps",
            "/apis/apps/v1",
            "/apis/apps/v1/",
            "/version",
        ),
        *(
            "/api/v1/watch",
            "/apis/apps/v1/watch/",
            "/api/v1/proxy",
            "/api/v1/watch/namespaces/d/pods/p/status",
        ),
        *(
            "/api/v1/proxy/namespaces/d/services/s/a/b",
            "/api/v1/namespaces/d/pods/p/proxy/a//b",
            "/openapi/v3",
        ),
        *(
            "/api/v1/namespaces/d/services/https:web:443/proxy/a/b",
            "/api/v1/namespaces/d/status/x/y",
            "/logs/x/y",
        ),
        *("/api/v1/namespaces/d/namespaces/e", "/api/v1/pods/%zz", "/api/v1/nodes/n/proxy/"),
    ],
)
def test_each_kind_of_path_is_read_as_upstream_reads_it(oracle: Oracle, path: str) -> None:
    for method in METHODS:
        compare(oracle, method, path, {})


@pytest.mark.oracle
@given(st.text(st.characters(codec="utf-8", exclude_characters="/%"), min_size=1, max_size=8))
def test_segments_are_encoded_as_go_encodes_them(oracle: Oracle, segment: str) -> None:
    assume(segment not in {".", ".."})
    assert "/" + encode_segment(segment) == oracle.ask("paths.escape", "/" + segment)
