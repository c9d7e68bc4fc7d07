"""Annotations of classes, with and without `from __future__ import annotations`, on every Python."""

from __future__ import annotations

import json
import sys
from types import ModuleType
from typing import Any

import pytest

from kubewright.controllers.registration import check_reconcile
from kubewright.machinery.annotations import evaluate, forward_text, take_annotations
from kubewright.machinery.errors import DeclarationError

IMPORTS = """
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, ClassVar
from kubewright import EMPTY, Field, Resource, Struct, custom_resource
if TYPE_CHECKING:
    from nowhere import Elsewhere
"""

KINDS = """
class WidgetSpec(Struct):
    LIMIT: ClassVar[int] = 3
    size: Annotated[int, Field(minimum=1)] = 1
    colors: list[str] = []
    since: datetime | None = None

class WidgetStatus(Struct):
    ready: bool = False

@custom_resource(group="example.com", version="v1")
class Widget(Resource):
    spec: WidgetSpec
    status: WidgetStatus | None = None
"""

FORWARD = """
class Tree(Struct):
    name: str = ""
    children: list[Tree] = []
    root: Later | None = None
    notes: dict[str, Later] = {}

class Forest(Resource, api_version="example.com/v1"):
    spec: Tree
    extra: Later | None = None
    many: list[Annotated[Later, Field(description="x")]] = []
    empty: Later = EMPTY

class Later(Struct):
    age: int = 0
"""

IN_FUNCTION = (
    "def define():\n" + "".join(f"    {line}\n" for line in FORWARD.splitlines()) + "    return Forest\n"
)


def run_module(monkeypatch: pytest.MonkeyPatch, source: str, *, future: bool) -> ModuleType:
    """Run a program as a module, since annotations are looked up in their module."""
    module = ModuleType("annotated_program")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    head = "from __future__ import annotations\n" if future else ""
    # Not inherited: this file has the future statement.
    exec(compile(head + IMPORTS + source, "annotated_program.py", "exec", dont_inherit=True), vars(module))  # noqa: S102
    return module


since_3_14 = pytest.mark.skipif(sys.version_info < (3, 14), reason="names must be defined before Python 3.14")


@pytest.mark.parametrize("future", [False, True])
def test_fields_of_a_custom_resource(monkeypatch: pytest.MonkeyPatch, future: bool) -> None:
    module = run_module(monkeypatch, KINDS, future=future)
    data = {"metadata": {"name": "a"}, "spec": {"size": 2, "since": "2026-01-01T00:00:00Z"}, "status": {}}
    widget = module.Widget.from_json(json.dumps(data))
    assert widget.spec.size == 2
    assert widget.spec.since.year == 2026
    assert widget.spec.LIMIT == 3
    assert widget.status.ready is False
    assert module.Widget(spec=module.WidgetSpec(colors=["red"])).to_dict()["spec"] == {"colors": ["red"]}
    schema = module.Widget.crd().to_dict()["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    assert set(schema["properties"]) == {"apiVersion", "kind", "metadata", "spec", "status"}
    assert schema["properties"]["spec"]["properties"]["size"]["minimum"] == 1


def check_forest(forest: Any) -> None:
    spec = {"children": [{"name": "b", "root": {"age": 1}}], "notes": {"a": {"age": 2}}}
    read = forest.from_dict({"spec": spec, "extra": {"age": 3}, "many": [{"age": 4}]})
    (child,) = read.spec.children
    assert (child.name, child.root.age) == ("b", 1)
    assert read.spec.notes["a"].age == 2
    assert read.extra.age == 3
    assert [each.age for each in read.many] == [4]
    assert read.empty.age == 0
    assert read.to_dict()["spec"] == spec


@pytest.mark.parametrize("future", [pytest.param(False, marks=since_3_14), True])
def test_names_that_are_defined_later(monkeypatch: pytest.MonkeyPatch, future: bool) -> None:
    check_forest(run_module(monkeypatch, FORWARD, future=future).Forest)


@since_3_14
def test_classes_in_a_function(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python finds the names in the function, which no text of an annotation can."""
    check_forest(run_module(monkeypatch, IN_FUNCTION, future=False).define())


@pytest.mark.parametrize("future", [pytest.param(False, marks=since_3_14), True])
def test_names_for_type_checkers_only(monkeypatch: pytest.MonkeyPatch, future: bool) -> None:
    source = (
        "class Lazy(Resource, api_version='example.com/v1'):\n    spec: Elsewhere | None = None\n"
        "class Eager(Struct):\n    it: Elsewhere | None = None\n"
    )
    module = run_module(monkeypatch, source, future=future)
    read = module.Lazy.from_dict({"metadata": {"name": "a"}, "spec": {}})
    assert read.metadata.name == "a"
    with pytest.raises(TypeError, match=r"Lazy\.spec: the type 'Elsewhere \| None' is not known"):
        _ = read.spec
    with pytest.raises(TypeError, match="Eager has a field of an unknown type: name 'Elsewhere' is not def"):
        module.Eager.from_dict({"it": {}})


@pytest.mark.parametrize("future", [False, True])
def test_subclasses_with_and_without_fields(monkeypatch: pytest.MonkeyPatch, future: bool) -> None:
    base, same, more = "    a: int = 1", "    pass", "    b: str = ''"
    source = f"class Base(Struct):\n{base}\nclass Same(Base):\n{same}\nclass More(Base):\n{more}\n"
    module = run_module(monkeypatch, source, future=future)
    assert module.Same.__struct_fields__ == ("a",)
    assert module.More.__struct_fields__ == ("a", "b")


@pytest.mark.parametrize("future", [False, True])
def test_two_fields_with_one_wire_name(monkeypatch: pytest.MonkeyPatch, future: bool) -> None:
    with pytest.raises(DeclarationError, match="a_b and aB are both 'aB' on the wire"):
        run_module(monkeypatch, "class Spec(Struct):\n    a_b: int = 0\n    aB: int = 0\n", future=future)


@pytest.mark.parametrize("future", [pytest.param(False, marks=since_3_14), True])
def test_a_reconcile_function_with_names_for_type_checkers_only(
    monkeypatch: pytest.MonkeyPatch, future: bool
) -> None:
    source = (
        "async def good(ctx: Elsewhere, request: Elsewhere) -> Elsewhere: ...\n"
        "def sync(ctx: Elsewhere, request: Elsewhere) -> Elsewhere: ...\n"
        "async def short(ctx: Elsewhere) -> None: ...\n"
    )
    module = run_module(monkeypatch, source, future=future)
    check_reconcile("here", module.good)
    with pytest.raises(DeclarationError, match="sync is no async function"):
        check_reconcile("here", module.sync)
    with pytest.raises(DeclarationError, match=r"short\(ctx\) cannot be called"):
        check_reconcile("here", module.short)


def test_take_annotations() -> None:
    namespace: dict[str, Any] = {}
    assert take_annotations(namespace) == {}
    take_annotations(namespace)["a"] = int
    assert namespace["__annotations__"] == {"a": int}


def test_evaluate() -> None:
    assert evaluate("list[Name]", {"Name": int}) == list[int]
    assert evaluate(list["Name"], {"Name": int}) == list[int]  # type: ignore[name-defined]  # noqa: F821
    assert evaluate(int, {}) is int
    with pytest.raises(NameError):
        evaluate("Name", {})
    assert forward_text("a") == "a"
    assert forward_text(int) is None
