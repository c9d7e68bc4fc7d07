"""Every page has a title, its place on the site, and links that lead somewhere; so have the files around it.

The build of the site in `make check` looks at links between its pages, too. These tests take no time, and
look at what is not on the site: README.md and its like, paths in backticks, the form of addresses.
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.docs.pages import DOCS, ROOT

AROUND = [ROOT / f"{name}.md" for name in ("README", "ARCHITECTURE", "CONTRIBUTING", "CHANGELOG")]
PAGES = sorted(path for path in DOCS.rglob("*.md") if "_build" not in path.parts)
ALL = [pytest.param(path, id=path.relative_to(ROOT).as_posix()) for path in (*AROUND, *PAGES)]
SITE = [pytest.param(path, id=path.relative_to(DOCS).as_posix()) for path in PAGES]


def prose(path: Path) -> str:
    """A page without its programs."""
    return re.sub(r"^(```+).*?^\1", "", path.read_text(), flags=re.DOTALL | re.MULTILINE)


def headings(path: Path) -> list[tuple[int, str]]:
    return [(len(marks), text) for marks, text in re.findall(r"^(#+) (.+)$", prose(path), re.MULTILINE)]


def anchor(heading: str) -> str:
    """As GitHub and the site make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def links(path: Path) -> list[str]:
    text = re.sub(r"`[^`\n]*`", "`code`", prose(path))
    return re.findall(r"\]\(([^)\s]+)\)", text)


@pytest.mark.parametrize("path", ALL)
def test_links_lead_somewhere(path: Path) -> None:
    for link in links(path):
        address = urlsplit(link)
        if address.scheme:
            assert address.scheme == "https", link
            assert re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)+", address.netloc), link
            continue
        target = (path.parent / address.path).resolve() if address.path else path
        assert target.exists(), link
        assert target.is_relative_to(ROOT), link
        if address.fragment:
            assert address.fragment in [anchor(text) for _, text in headings(target)], link


@pytest.mark.parametrize("path", ALL)
def test_files_that_are_named_are_there(path: Path) -> None:
    for name in re.findall(r"`((?:docs|examples)/[\w./-]*)`", prose(path)):
        assert (ROOT / name).exists() or "_build" in name, name
    for name in re.findall(r"`([\w-]+\.md)`", prose(path)):
        assert (ROOT / name).exists() or (path.parent / name).exists(), name


@pytest.mark.parametrize("path", SITE)
def test_headings_stand_one_below_the_other(path: Path) -> None:
    levels = [level for level, _ in headings(path)]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


@pytest.mark.parametrize("path", SITE)
def test_each_page_has_its_place(path: Path) -> None:
    listed: set[Path] = set()
    for index in (DOCS / "index.md", DOCS / "reference" / "index.md"):
        for block in re.findall(r"^```{toctree}\n(.*?)^```", index.read_text(), re.DOTALL | re.MULTILINE):
            names = [line for line in block.splitlines() if line and not line.startswith(":")]
            listed |= {index.parent / f"{name}.md" for name in names}
    assert path == DOCS / "index.md" or path in listed


def test_the_looks_at_pages(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# One\n\n```\n# no heading\n```\n\n## `Two` & three\n\n[a](b.md#c) `[x](y)`\n")
    assert headings(page) == [(1, "One"), (2, "`Two` & three")]
    assert anchor("`Two` & three") == "two--three"
    assert links(page) == ["b.md#c"]
