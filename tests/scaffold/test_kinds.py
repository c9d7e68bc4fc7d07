"""What becomes of records when kinds and webhooks are asked for."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from kubewright.scaffold.errors import ScaffoldError, WrongName
from kubewright.scaffold.kinds import check_record, with_kind, with_webhooks
from kubewright.scaffold.record import ProjectRecord, ScaffoldedKind
from kubewright.scaffold.render import render

EMPTY = ProjectRecord(name="operator-demo", package="operator_demo", domain="mock.com", kubewright="0.1.0")


def added(record: ProjectRecord, kind: str = "CustomPod", group: str = "g", **options: Any) -> ProjectRecord:
    return with_kind(record, group=group, kind=kind, **{"version": "v1", **options})


def refusal(record: ProjectRecord, kind: str = "CustomPod", group: str = "g", **options: Any) -> str:
    with pytest.raises(ScaffoldError) as raised:
        added(record, kind, group, **options)
    return str(raised.value)


def test_a_new_kind() -> None:
    assert added(EMPTY).kinds == (
        ScaffoldedKind(group="g", version="v1", kind="CustomPod", plural="custompods"),
    )
    made = added(EMPTY, plural="pods", namespaced=False, controller=False)
    assert made.kinds[0] == ScaffoldedKind(
        group="g", version="v1", kind="CustomPod", plural="pods", namespaced=False, controller=False
    )
    check_record(made)


def test_the_same_again_changes_nothing() -> None:
    for options in ({}, {"plural": "pods"}, {"namespaced": False}, {"controller": False}):
        made = added(EMPTY, **options)
        assert added(made) == made
        assert added(made, **options) == made


def test_a_controller_comes_later_but_never_goes() -> None:
    without = added(EMPTY, controller=False)
    with_one = added(without, controller=True)
    assert with_one == added(EMPTY)
    assert refusal(with_one, controller=False) == (
        "CustomPod has a controller already, which no command takes away; leave out --no-controller"
    )


def test_another_version_is_as_the_first() -> None:
    first = added(EMPTY, plural="pods", namespaced=False, controller=False)
    one, two = added(first, version="v2").kinds
    assert two == msgspec.structs.replace(one, version="v2")
    assert added(added(EMPTY), version="v2").kinds[1].controller
    assert "has the plural pods in all its versions; leave out" in refusal(first, version="v2", plural="x")
    assert "is cluster-scoped in all its versions; leave" in refusal(first, version="v2", namespaced=True)
    assert "lies in namespaces in all its versions" in refusal(added(EMPTY), version="v2", namespaced=False)


def test_kinds_that_are_in_each_others_way() -> None:
    there = added(EMPTY)
    assert "differs in capitals only; give --kind CustomPod" in refusal(there, "Custompod")
    assert "give another --plural for Other" in refusal(there, "Other", plural="custompods")
    added(there, "CustomPod", "other")
    dotted = added(EMPTY, "CustomPod", "a.b")
    assert "would have the same names; take another --kind" in refusal(dotted, "CustomPod", "a-b")
    assert "too long for the name of a definition" in refusal(
        EMPTY, group=".".join(["g" * 55] * 4), plural="p" * 60
    )


def test_a_kind_named_like_another_with_its_group() -> None:
    there = added(added(EMPTY, "Foo"), "Foo", "a")
    assert "take another --kind, such as CustomAFoo" in refusal(there, "AFoo")
    assert "files of Foo of a.mock.com" in refusal(added(added(EMPTY, "AFoo"), "Foo"), "Foo", "a")
    tested = added(added(EMPTY, "Foo"), "Conversion")
    assert "files of Foo of g.mock.com and of Conversion of foo" in refusal(tested, "Conversion", "foo")
    added(tested, "Conversion", "a")


@pytest.mark.parametrize(
    "wrong", [{"kind": "class"}, {"group": "G"}, {"version": "1"}, {"plural": "P"}, {"kind": "Resource"}]
)
def test_wrong_names(wrong: dict[str, str]) -> None:
    with pytest.raises(WrongName):
        added(EMPTY, **wrong)


def test_webhooks_are_added_to_each_other() -> None:
    there = added(EMPTY)
    one = with_webhooks(there, group="g", version="v1", kind="CustomPod", parts=["validation"])
    assert one.kinds[0].webhooks == ("validation",)
    two = with_webhooks(one, group="g", version="v1", kind="CustomPod", parts=["defaulting", "validation"])
    assert two.kinds[0].webhooks == ("defaulting", "validation")
    assert with_webhooks(two, group="g", version="v1", kind="CustomPod", parts=["validation"]) == two
    assert added(two) == two
    check_record(two)


def test_webhooks_need_their_kind() -> None:
    for version, kind, group in (("v1", "Other", "g"), ("v2", "CustomPod", "g"), ("v1", "CustomPod", "")):
        with pytest.raises(ScaffoldError) as raised:
            with_webhooks(added(EMPTY), group=group, version=version, kind=kind, parts=["defaulting"])
        command = f"kubewright create api --group {group or repr('')} --kind {kind} --version {version}"
        assert str(raised.value) == f"the project has no {kind} of version {version}; run `{command}` first"
    with pytest.raises(WrongName, match="give --defaulting, --validation or --conversion"):
        with_webhooks(added(EMPTY), group="g", version="v1", kind="CustomPod", parts=[])


@pytest.mark.parametrize(("has", "lacks"), [("v1", "v2"), ("v9", "v10"), ("v2beta1", "v2")])
def test_conversions_need_two_versions(has: str, lacks: str) -> None:
    there = added(EMPTY, version=has)
    with pytest.raises(ScaffoldError, match=f"nothing to convert to; run `.* --version {lacks}` first"):
        with_webhooks(there, group="g", version=has, kind="CustomPod", parts=["conversion"])
    both = added(there, version=lacks)
    converted = with_webhooks(both, group="g", version=has, kind="CustomPod", parts=["conversion"])
    other = added(added(converted, group="other"), group="other", version="v2")
    with pytest.raises(ScaffoldError, match="another group are converted already"):
        with_webhooks(other, group="other", version="v2", kind="CustomPod", parts=["conversion"])


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": "../x"},
        {"package": "json"},
        {"domain": "k8s.io"},
        {"kinds": (ScaffoldedKind(group="g", version="../..", kind="Pod", plural="pods"),)},
        {"kinds": (ScaffoldedKind(group="g", version="v1", kind="../x", plural="pods"),)},
        {"kinds": (ScaffoldedKind(group="/g", version="v1", kind="Pod", plural="pods"),)},
        {"kinds": (ScaffoldedKind(group="g", version="v1", kind="Pod", plural="../x"),)},
        {"kinds": added(EMPTY).kinds * 2},
    ],
)
def test_records_that_no_command_has_written(wrong: dict[str, Any]) -> None:
    with pytest.raises(ScaffoldError):
        check_record(msgspec.structs.replace(EMPTY, **wrong))


def test_all_that_is_allowed_can_be_rendered_without_two_files_of_one_name() -> None:
    record = EMPTY
    for group in ("g", "", "other.group"):
        for kind in ("CustomPod", "Class2", "HTTPRoute", "FooSpec", "Foo", "Pod"):
            for version in ("v1", "v2beta1"):
                before = set(render(record))
                record = added(record, kind, group, version=version)
                assert before < set(render(record))
    for path, file in render(record).items():
        if path.endswith(".py"):
            compile(file.text, path, "exec")
