"""Names in projects: which are refused, and that what is to be taken instead is right."""

from __future__ import annotations

import ast
import keyword
import re
import sys
from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.crd.naming import plural_of
from kubewright.machinery.names import is_dns1035_label
from kubewright.scaffold import names
from kubewright.scaffold.errors import WrongName
from kubewright.scaffold.record import ProjectRecord, ScaffoldedKind, WebhookPart
from kubewright.scaffold.render import render

CHECKS: dict[str, Callable[[str], None]] = {
    "name": names.check_project_name,
    "package": names.check_package,
    "domain": names.check_domain,
    "group": partial(names.check_group, domain="mock.com"),
    "version": names.check_version,
    "kind": names.check_kind,
    "plural": names.check_plural,
}


def refusal(what: str, value: str) -> str:
    with pytest.raises(WrongName) as raised:
        CHECKS[what](value)
    return str(raised.value)


@pytest.mark.parametrize(
    ("what", "value", "reason", "instead"),
    [
        ("name", "Operator_Demo", "lower case letters", "operator-demo"),
        ("name", "operatorDemo", "lower case letters", "operator-demo"),
        ("name", "1st-operator", "begins with a letter", "st-operator"),
        ("name", "", "begins with a letter", "operator-demo"),
        ("name", "a--b", "single dashes", "a-b"),
        ("name", "../x", "lower case letters", "x"),
        ("name", "o" * 29, "too long", "o" * 28),
        ("package", "class", "a keyword of Python", "class_operator"),
        ("package", "json", "a module of Python's own", "json_operator"),
        ("package", "kubewright", "the one that operators import", "kubewright_operator"),
        ("package", "yaml", "the one that operators import", "yaml_operator"),
        ("package", "tests", "a folder of the project", "tests_operator"),
        ("package", "operator-demo", "underscores", "operator_demo"),
        ("package", "_thread", "a module of Python's own", "thread"),
        ("package", "Größe", "lower case letters", "gr_e"),
        ("domain", "Mock.Com", "lower case letters", "mock.com"),
        ("domain", "mock..com", "lower case letters", "mock.com"),
        ("domain", "", "lower case letters", "example.com"),
        ("domain", "k8s.io", "belongs to the Kubernetes community", "example.com"),
        ("domain", "apps.kubernetes.io", "belongs to the Kubernetes community", "example.com"),
        ("group", "My_Group", "lower case letters", "my-group"),
        ("group", "zhhnzw.mock.com", "put behind the group by itself", "zhhnzw"),
        ("group", "mock.com", "put behind the group by itself", "''"),
        ("version", "1", "written v1, v1beta1 or v2alpha1", "v1"),
        ("version", "V2", "written v1", "v2"),
        ("version", "v1.0", "written v1", "v1"),
        ("version", "v0", "written v1", "v1"),
        ("version", "v1gamma1", "written v1", "v1"),
        ("version", "v1\n", "written v1", "v1"),
        ("version", "../v3", "written v1", "v3"),
        ("kind", "customPod", "CamelCase", "CustomPod"),
        ("kind", "custom-pod", "CamelCase", "CustomPod"),
        ("kind", "Custom_Pod", "CamelCase", "CustomPod"),
        ("kind", "2Pod", "CamelCase", "Pod"),
        ("kind", "Größe", "CamelCase", "GrE"),
        ("kind", "../../Etc", "CamelCase", "Etc"),
        ("kind", "", "CamelCase", "CustomPod"),
        ("kind", "Class", "class, as its module is called, is a keyword", "CustomClass"),
        ("kind", "Import", "a keyword of Python", "CustomImport"),
        ("kind", "None", "None is a keyword", "CustomNone"),
        ("kind", "ASYNC", "a keyword of Python", "CustomASYNC"),
        ("kind", "class", "CamelCase", "CustomPod"),
        ("kind", "Resource", "modules use that name", "CustomResource"),
        ("kind", "WEBHOOKS", "modules use that name", "CustomWEBHOOKS"),
        ("kind", "CustomPodList", "the list of a kind", "CustomPod"),
        ("kind", "List", "the list of a kind", "CustomPod"),
        ("kind", "K" * 60, "too long", ""),
        ("plural", "CustomPods", "lower case letters", "custom-pods"),
        ("plural", "", "lower case letters", "custompods"),
        ("name", "no", "would not mean text", "no-operator"),
        ("kind", "Off", "would not mean text", "CustomOff"),
        ("kind", "Y", "would not mean text", "CustomY"),
        ("plural", "null", "would not mean text", "custompods"),
    ],
)
def test_wrong_names_are_refused_with_a_right_one(what: str, value: str, reason: str, instead: str) -> None:
    told = refusal(what, value)
    assert reason in told
    assert "\n" not in told
    if instead:
        assert told.endswith(f" {instead}")


@pytest.mark.parametrize(
    ("what", "value"),
    [
        *(("name", name) for name in ("operator-demo", "a", "o" * 28, "op2-x")),
        *(("package", name) for name in ("operator_demo", "match", "op2")),
        *(("domain", domain) for domain in ("mock.com", "local", "x-k8s.io", "my.k8s.io.example.com")),
        *(("group", group) for group in ("", "zhhnzw", "a.b", "1-2")),
        *(("version", version) for version in ("v1", "v12", "v1beta1", "v2alpha10")),
        *(("kind", kind) for kind in ("CustomPod", "Pod", "Checklist", "HTTPRoute", "X", "Match", "Type")),
        *(("plural", plural) for plural in ("custompods", "custom-pods", "x")),
    ],
)
def test_right_names(what: str, value: str) -> None:
    CHECKS[what](value)


given_names = st.one_of(
    st.text(max_size=12),
    st.from_regex(r"[A-Za-z0-9_.\- ]{1,40}", fullmatch=True),
    st.text("aZ0-._", max_size=260),
    st.sampled_from([*keyword.kwlist, *(word.title() for word in keyword.kwlist)]),
    st.sampled_from(sorted(sys.stdlib_module_names)),
)


@given(what=st.sampled_from(sorted(CHECKS)), value=given_names)
def test_what_is_said_to_be_taken_instead_is_right(what: str, value: str) -> None:
    try:
        CHECKS[what](value)
    except WrongName as error:
        told = str(error)
        assert "\n" not in told
        found = re.search(r"(?:such as|give --[a-z]+) (\S+)$", told)
        if found is not None:
            CHECKS[what](found[1].removesuffix("''"))
        else:
            assert "too long" in told, told
        return
    if what == "package":
        compile(f"import {value}", "it", "exec")
    if what == "kind":
        assert not is_dns1035_label(f"{value.lower()}list")
        compile(f"class {value}: ...\nimport {value.lower()}", "it", "exec")


def test_groups_that_servers_refuse() -> None:
    with pytest.raises(WrongName, match="has no dot, and API servers want one; give a --group"):
        names.check_group("", "local")
    names.check_group("apps", "local")
    with pytest.raises(WrongName, match="belongs to the Kubernetes community"):
        names.check_group("k8s", "io")
    with pytest.raises(WrongName, match="too long"):
        names.check_group("g" * 100, ".".join(["d" * 50] * 4))
    with pytest.raises(WrongName, match="too long"):
        names.check_domain(".".join(["d" * 50] * 5)[:250])


def test_the_package_of_a_project() -> None:
    assert names.package_of("operator-demo") == "operator_demo"


def everything(*kinds: str) -> dict[str, str]:
    """The Python files of a project in which each kind has two versions and all webhooks."""
    parts: tuple[WebhookPart, ...] = ("defaulting", "validation", "conversion")
    made = tuple(
        ScaffoldedKind(group="g", version=version, kind=kind, plural=plural_of(kind), webhooks=parts)
        for kind in kinds
        for version in ("v1", "v2")
    )
    record = ProjectRecord(name="demo", package="demo", domain="mock.com", kubewright="0.1", kinds=made)
    return {path: file.text for path, file in render(record).items() if path.endswith(".py")}


def test_no_kind_may_have_a_name_that_the_modules_use() -> None:
    """Refused is what stands beside the class of a kind, and what functions would be named after twice."""
    for path, text in everything("Foo").items():
        used = names_in(ast.parse(text))
        if "Foo" in used:
            # V2 is what a test calls the kind in that version.
            for name in used - {"Foo", "FooSpec", "FooStatus", "V2"}:
                if name[0].isupper() and "_" not in name:
                    assert refusal("kind", name), path
        for name in used:
            prefix, of_kind, suffix = name.partition("foo")
            for other in used if of_kind else ():
                found = re.fullmatch(f"{prefix}([a-z]+){suffix}", other)
                if found is not None and found[1] != "foo":
                    assert refusal("kind", found[1].title()), path


def names_in(tree: ast.Module) -> set[str]:
    """What is bound in a module."""
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Import() | ast.ImportFrom():
                found |= {alias.asname or alias.name for alias in node.names}
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                found.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
    return found
