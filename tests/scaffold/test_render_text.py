"""Templates filled in, and code laid out as ruff does it."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

import pytest

from kubewright.scaffold import render_text
from kubewright.scaffold.render import render
from kubewright.scaffold.render_text import TemplateError, assignment, call, fill, from_imports, signature
from tests.scaffold.records import RECORDS

if TYPE_CHECKING:
    from collections.abc import Iterator

TEXT = "class {{kind}}({{kind}}Base):\n    {{body}}\n    {{nothing}}\n    end = 1\n"


@pytest.fixture
def template(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(render_text, "template", lambda name: TEXT)


@pytest.mark.usefixtures("template")
def test_values_of_one_line_and_of_many() -> None:
    filled = fill("any", {"kind": "Pod", "body": "a = 1\n\nb = 2\n", "nothing": ""})
    assert filled == "class Pod(PodBase):\n    a = 1\n\n    b = 2\n    end = 1\n"


@pytest.mark.usefixtures("template")
@pytest.mark.parametrize(
    ("values", "wrong"),
    [
        ({"kind": "Pod", "body": ""}, "nothing"),
        ({"kind": "Pod", "body": "", "nothing": "", "more": ""}, "more"),
        ({"kid": "Pod", "body": "", "nothing": ""}, "kid, kind"),
    ],
)
def test_values_that_do_not_fit(values: dict[str, str], wrong: str) -> None:
    with pytest.raises(TemplateError, match=f"differ in {wrong}$"):
        fill("any", values)


def test_every_template_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    read: set[str] = set()
    original = render_text.template

    def noting(name: str) -> str:
        read.add(f"{name}.txt")
        return original(name)

    monkeypatch.setattr(render_text, "template", noting)
    for record in RECORDS.values():
        render(record)
    assert read == set(_templates())


def _templates() -> Iterator[str]:
    folder = files("kubewright.scaffold").joinpath("templates")
    for each in folder.iterdir():
        if each.is_file():
            yield each.name
        else:
            yield from (f"{each.name}/{inside.name}" for inside in each.iterdir())


def test_layouts() -> None:
    assert call("f(", ["a", "b"]) == "f(a, b)"
    assert call("f(", ["a" * 50, "b" * 46]) == f"f(\n    {'a' * 50},\n    {'b' * 46},\n)"
    assert call("long(", ["a" * 50, "b" * 44]) == f"long(\n    {'a' * 50}, {'b' * 44}\n)"
    assert call("f(", ["a" * 60, "b" * 60]) == f"f(\n    {'a' * 60},\n    {'b' * 60},\n)"
    assert call("longer(", ["a" * 50, "b" * 40], depth=1) == f"longer(\n    {'a' * 50}, {'b' * 40}\n)"
    assert signature("def f(", ["a: int"], "):") == "def f(a: int):"
    assert signature("def f(", [f"a: {'b' * 95}"], "):") == f"def f(\n    a: {'b' * 95},\n):"
    assert assignment("A", "1") == "A = 1"
    assert assignment("LONG", '"' + "a" * 93 + '"') == 'LONG = (\n    "' + "a" * 93 + '"\n)'
    assert assignment("LONG", '"' + "a" * 120 + '"') == 'LONG = "' + "a" * 120 + '"'


def test_imports() -> None:
    assert from_imports({"b": ["setup as other", "ALL", "Class", "plain"], "a.c": ["x"], "a": ["y"]}) == (
        "from a import y\nfrom a.c import x\nfrom b import ALL, Class, plain\nfrom b import setup as other"
    )
