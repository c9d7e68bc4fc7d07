"""The reference has every public name, and nothing that is not there any more."""

from __future__ import annotations

import re
import sys
from contextlib import suppress
from importlib import import_module
from inspect import signature
from pathlib import Path
from types import ModuleType

import pytest

from tests.docs.pages import DOCS, ROOT

DIRECTIVES = re.compile(r"^\.\. auto(\w+):: ([\w.]+)((?:\n   :.*)*)", re.MULTILINE)
INNER = {"cli", "codegen", "gateway", "machinery", "models", "scaffold", "server", "client"}
"""Packages of which the reference has single modules or nothing."""


@pytest.fixture(scope="module")
def public_names() -> ModuleType:
    """What the build of the site takes for public."""
    sys.path.insert(0, str(DOCS / "_ext"))
    try:
        return import_module("public_names")
    finally:
        sys.path.remove(str(DOCS / "_ext"))


def described() -> dict[str, object]:
    """What the pages of the reference describe, by its full name."""
    found: dict[str, object] = {}
    for page in (DOCS / "reference").glob("*.md"):
        for directive, name, options in DIRECTIVES.findall(page.read_text()):
            if directive != "module":
                module, _, attribute = name.rpartition(".")
                found[name] = getattr(import_module(module), attribute)
            elif ":no-members:" not in options:
                module = import_module(name)
                found |= {f"{name}.{each}": getattr(module, each) for each in module.__all__}
    return found


def test_every_public_name_is_described(public_names: ModuleType) -> None:
    there = described()
    things = {id(thing) for thing in there.values()}
    missing = [
        name
        for name, thing in public_names.public_objects().items()
        if name not in there and id(thing) not in things
    ]
    assert missing == []


def test_every_package_is_known(public_names: ModuleType) -> None:
    source = ROOT / "src" / "kubewright"
    packages = {path.parent.name for path in source.glob("*/__init__.py")}
    assert packages - INNER == {name.removeprefix("kubewright.") for name in public_names.PACKAGES} - {
        "kubewright"
    }


def test_nothing_is_described_twice() -> None:
    named: dict[str, Path] = {}
    for page in sorted((DOCS / "reference").glob("*.md")):
        for directive, name, _ in DIRECTIVES.findall(page.read_text()):
            if directive != "module":
                assert name not in named, (name, page, named.get(name))
                named[name] = page


def test_no_signature_shows_the_machine_it_was_made_on() -> None:
    shown = {}
    for name, thing in described().items():
        members = [thing, *(vars(thing).values() if isinstance(thing, type) else ())]
        for member in filter(callable, members):
            with suppress(ValueError, TypeError):
                shown[name, getattr(member, "__name__", "")] = str(signature(member))
    assert len(shown) > 500
    assert [where for where, text in shown.items() if "environ({" in text] == []


def test_docstrings_become_markup() -> None:
    sys.path.insert(0, str(DOCS / "_ext"))
    try:
        convert = import_module("plain_docstrings").to_restructured_text
    finally:
        sys.path.remove(str(DOCS / "_ext"))
    text = """Use `Client.api`, `a * b`, *args; name_, `a b`s.

    with Client() as client: ...

    is code, and so is:

├── a tree

Then:
- one
- two, which goes
  on
and more."""
    assert convert(text.splitlines(), {"Client": "kubewright.Client"}) == [
        "Use :py:obj:`Client.api <kubewright.Client.api>`, ``a * b``, \\*args; name\\_, ``a b``\\ s.",
        "",
        ".. code-block:: python",
        "",
        "    with Client() as client: ...",
        "",
        ".. code-block:: text",
        "",
        "    is code, and so is:",
        "",
        ".. code-block:: text",
        "",
        "    ├── a tree",
        "",
        "Then:",
        "",
        "- one",
        "- two, which goes",
        "  on",
        "",
        "and more.",
        "",
    ]
