"""The versions that `make` installs: each has hashes, and each dependency of the project has a version."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tests.packaging.installed import ROOT, pinned

CONSTRAINTS = {"constraints.txt": "dev", "constraints-bench.txt": "bench"}
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")


def versions(name: str) -> dict[str, str]:
    """The version of each package."""
    lines = [line.partition(";")[0].strip() for line in pinned((ROOT / name).read_text())]
    return dict(line.split("==") for line in lines)


def requirements(extra: str) -> set[str]:
    """The packages that the project needs with an extra, by their normal names."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras[extra]]
    names = set()
    while wanted:
        each = wanted.pop()
        if each.startswith("kubewright["):
            wanted += [more for name in each[len("kubewright[") : -1].split(",") for more in extras[name]]
        else:
            names.add(re.sub(r"[-_.]+", "-", re.split(r"[<>=;\[ ]", each)[0]).lower())
    return names


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_each_package_has_one_version_and_its_hashes(name: str) -> None:
    for entry in (ROOT / name).read_text().replace("\\\n", " ").splitlines():
        pin, *hashes = entry.split(" --hash=")
        assert re.fullmatch(r"[a-z0-9-]+==[\w.]+( ; .+)?", pin.strip()), pin
        assert len(HASH.findall(entry)) == len(hashes) > 0, pin


@pytest.mark.parametrize(("name", "extra"), CONSTRAINTS.items())
def test_each_dependency_is_there(name: str, extra: str) -> None:
    assert requirements(extra) <= set(versions(name))


def test_both_files_agree() -> None:
    one, other = map(versions, CONSTRAINTS)
    assert {name: one[name] for name in set(one) & set(other)} == {
        name: other[name] for name in set(one) & set(other)
    }


def test_make_checks_the_hashes() -> None:
    makefile = (ROOT / "Makefile").read_text()
    installs = [line for line in makefile.splitlines() if line.startswith("\t@$(PIP)")]
    assert all("--require-hashes" in line or "--no-deps --no-build-isolation" in line for line in installs)
    assert {name for name in CONSTRAINTS if f"--require-hashes -r {name}" in makefile} == set(CONSTRAINTS)
    assert makefile.count("pip install") == 1


def test_they_name_no_registry() -> None:
    for name in CONSTRAINTS:
        assert "://" not in Path(ROOT / name).read_text()
