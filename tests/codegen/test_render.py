"""Source text: laid out as a formatter would, importable, and the same every time."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.codegen.ir import FieldDef, ModuleDef, StructDef
from kubewright.codegen.layout import layout
from kubewright.codegen.render import render_module

MODULE = ModuleDef(
    name="things_v1",
    doc="things/v1.",
    imports={
        "kubewright.machinery.struct": {"Struct"},
        "kubewright.machinery.field": {"field", "Field"},
        "typing": {"Annotated"},
    },
    structs=[
        StructDef(
            name="Thing",
            doc='A thing.\n\nIt has """quotes""" and a \\ backslash.',
            arguments=['map_type="atomic"'],
            fields=[
                FieldDef(name="b_c", wire_name="bC", type="str", default='""', doc="What it is."),
                FieldDef(name="ip", wire_name="IP", type="str", default='""'),
                FieldDef(
                    name="ips",
                    wire_name="IPs",
                    type="list[str]",
                    default="[]",
                    marker='Field(list_type="set")',
                ),
                FieldDef(name="a", wire_name="a", type="int"),
                FieldDef(name="required_ip", wire_name="requiredIP", type="str"),
            ],
        ),
        StructDef(name="Empty"),
    ],
)


def test_a_module_can_be_used(tmp_path: Path) -> None:
    text = render_module(MODULE)
    assert text == render_module(MODULE)
    (tmp_path / "things_v1.py").write_text(text)
    program = (
        "from things_v1 import Empty, Thing\n"
        "thing = Thing(a=1, required_ip='r', ip='i', ips=['x'])\n"
        "print(thing.to_json().decode(), Thing.__doc__, Thing.__map_type__, Empty())"
    )
    printed = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout
    assert printed.startswith('{"a":1,"requiredIP":"r","IP":"i","IPs":["x"]} A thing.')
    assert '"""quotes""" and a \\ backslash' in printed
    assert printed.endswith("atomic Empty()\n")


def test_what_is_said_of_a_module_is_no_code() -> None:
    doc = 'a\\"""\nimport os\nos.abort()\n"""'
    made = ast.parse(render_module(ModuleDef(name="a", doc=doc, imports={}, structs=[])))
    assert ast.get_docstring(made, clean=False) == doc
    assert not any(isinstance(each, ast.Import) for each in ast.walk(made))


@pytest.mark.parametrize("width", [88, 110])
def test_a_formatter_would_change_nothing(width: int) -> None:
    text = render_module(MODULE, width=width)
    command = [
        sys.executable,
        "-m",
        "ruff",
        "format",
        "--isolated",
        "--diff",
        "-",
        "--line-length",
        str(width),
    ]
    formatted = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert formatted.returncode == 0, formatted.stdout


class TestLayout:
    def test_what_fits_stays(self) -> None:
        assert list(layout("a(b, c)", width=7)) == ["a(b, c)"]

    def test_one_line_inside(self) -> None:
        assert list(layout("aa: List[bb, cc]", width=12)) == ["aa: List[", "    bb, cc", "]"]

    def test_one_part_a_line(self) -> None:
        assert list(layout("aa: List[bbbbb, ccccc]", width=13)) == [
            "aa: List[",
            "    bbbbb,",
            "    ccccc,",
            "]",
        ]

    def test_brackets_and_commas_in_texts_are_not_seen(self) -> None:
        lines = list(layout('aa: Literal["b,b]", "c(c"]', width=18))
        assert lines == ["aa: Literal[", '    "b,b]", "c(c"', "]"]

    @given(
        st.lists(st.from_regex(r'[a-z]{1,8}|"[a-z,()\[\] ]{0,8}"', fullmatch=True), min_size=1),
        st.integers(10, 60),
    )
    def test_nothing_is_lost(self, parts: list[str], width: int) -> None:
        line = f"name: Outer[Inner[{', '.join(parts)}], last] = []"
        laid_out = "".join(
            part.strip() + ("" if part.endswith("[") else " ") for part in layout(line, width=width)
        )
        assert laid_out.replace(" ", "").replace(",]", "]") == line.replace(" ", "").replace(",]", "]")
