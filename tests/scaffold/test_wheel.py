"""The wheel that projects get where no package index has the version of kubewright."""

from __future__ import annotations

import base64
import csv
import io
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Mapping
from email import message_from_bytes
from hashlib import sha256
from importlib.metadata import Distribution, SimplePath, distribution
from os import PathLike
from pathlib import Path

import msgspec
import pytest

import kubewright
from kubewright.scaffold.errors import ScaffoldError
from kubewright.scaffold.project import make_project, read_record, update
from kubewright.scaffold.record import ProjectRecord
from kubewright.scaffold.render import render
from kubewright.scaffold.wheel import (
    Wheel,
    check_wheel_name,
    is_published,
    running_wheel,
    wheel_to_vendor,
)
from kubewright.version import __version__
from tests.scaffold.records import a_kind, a_record

OLD = f"kubewright-{__version__}+w000000000000-py3-none-any.whl"


class Described(Distribution):
    """A distribution with these metadata."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = files

    def read_text(self, filename: str | PathLike[str]) -> str | None:
        return self._files.get(str(filename))

    def locate_file(self, path: str | PathLike[str]) -> SimplePath:
        raise NotImplementedError


def described(version: str, **files: str) -> Described:
    metadata = f"Metadata-Version: 2.4\nName: kubewright\nVersion: {version}\n"
    return Described({"METADATA": metadata, **files})


@pytest.mark.parametrize(
    ("version", "published"),
    [
        ("0.1.0", True),
        ("1.2", True),
        ("0.1.0.post1", True),
        ("0.1.0.dev0", False),
        ("0.1.0rc1", False),
        ("0.1.0+wabc", False),
    ],
)
def test_releases_are_published(version: str, published: bool) -> None:
    assert is_published(described(version)) is published


def test_what_was_installed_from_a_folder_or_a_file_is_not_published() -> None:
    told = {"direct_url.json": '{"url": "file:///checkout", "dir_info": {"editable": true}}'}
    assert not is_published(described("0.1.0", **told))


@pytest.fixture(scope="module")
def wheel() -> Wheel:
    return running_wheel(distribution("kubewright"))


def test_what_the_wheel_has(wheel: Wheel) -> None:
    package = Path(kubewright.__file__).parent
    sources = {
        f"kubewright/{path.relative_to(package).as_posix()}": path.read_bytes()
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    info = f"kubewright-{wheel.version}.dist-info"
    described_by = {f"{info}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt")}
    with zipfile.ZipFile(io.BytesIO(wheel.encode())) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    assert content.keys() == {*sources, *described_by, f"{info}/licenses/LICENSE"}
    assert sources.items() <= content.items()
    metadata = message_from_bytes(content[f"{info}/METADATA"])
    assert (metadata["Name"], metadata["Version"]) == ("kubewright", wheel.version)
    assert any(each.startswith("msgspec") for each in metadata.get_all("Requires-Dist", []))
    assert b"kubewright.__main__:start" in content[f"{info}/entry_points.txt"]
    listed = list(csv.reader(content[f"{info}/RECORD"].decode().splitlines()))
    assert [name for name, _, _ in listed] == list(content)
    for name, digest, size in listed[:-1]:
        encoded = base64.urlsafe_b64encode(sha256(content[name]).digest()).decode().rstrip("=")
        assert (digest, size) == (f"sha256={encoded}", str(len(content[name])))


def test_the_same_files_are_the_same_wheel(wheel: Wheel) -> None:
    again = running_wheel(distribution("kubewright"))
    assert again.name == wheel.name
    assert again.encode() == wheel.encode()
    assert wheel.version.startswith(f"{__version__}+w")


def test_other_files_are_another_version() -> None:
    """Installers, which go by versions, would not replace it otherwise."""
    one, two = described(__version__), described(__version__, **{"entry_points.txt": "[x]\n"})
    assert running_wheel(one).version != running_wheel(two).version


def test_an_installation_of_the_wheel_makes_the_same_one_again() -> None:
    first = running_wheel(described(__version__))
    assert running_wheel(described(first.version)) == first


def test_names_that_lead_elsewhere_are_refused(wheel: Wheel) -> None:
    check_wheel_name("")
    check_wheel_name(wheel.name)
    check_wheel_name(OLD)
    for name in ("../x.whl", f"../{wheel.name}", f"{wheel.name}/x", 'x", "y', "other-1.0-py3-none-any.whl"):
        with pytest.raises(ScaffoldError, match="is not the name of a wheel of kubewright"):
            check_wheel_name(name)


def dependencies(record: ProjectRecord) -> list[str]:
    found: list[str] = tomllib.loads(render(record)["pyproject.toml"].text)["project"]["dependencies"]
    return found


def test_a_release_is_a_dependency_by_its_version() -> None:
    record = msgspec.structs.replace(a_record("demo", a_kind()), kubewright="0.1.0")
    assert dependencies(record) == ["kubewright>=0.1.0"]
    files = render(record)
    assert "direct-references" not in files["pyproject.toml"].text
    for path in ("pyproject.toml", "Dockerfile", ".dockerignore", "README.md"):
        assert "vendor" not in files[path].text


def test_a_wheel_is_a_dependency_by_its_place(wheel: Wheel) -> None:
    record = msgspec.structs.replace(a_record("demo", a_kind()), wheel=wheel.name)
    place = f"vendor/{wheel.name}"
    assert dependencies(record) == [f"kubewright @ {{root:uri}}/{place}"]
    tools = tomllib.loads(render(record)["pyproject.toml"].text)["tool"]
    assert tools["hatch"]["metadata"] == {"allow-direct-references": True}
    assert tools["uv"]["sources"] == {"kubewright": {"path": place}}
    # Before the sources, so that a change of them alone does not install it again.
    assert "COPY vendor ./vendor\nCOPY src" in render(record)["Dockerfile"].text
    assert "!vendor" in render(record)[".dockerignore"].text.splitlines()


def test_ruff_takes_the_place_of_a_wheel(tmp_path: Path, wheel: Wheel) -> None:
    record = msgspec.structs.replace(a_record("demo", a_kind()), wheel=wheel.name)
    make_project(tmp_path / "demo", record, render(record))
    ruff = Path(sys.executable).with_name("ruff")
    done = subprocess.run(
        [ruff, "check", "--no-cache", "."],
        cwd=tmp_path / "demo",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a wheel that is not of now, and others of a person's own."""
    record = msgspec.structs.replace(a_record("demo"), wheel=OLD)
    make_project(tmp_path / "demo", record, render(record))
    vendor = tmp_path / "demo" / "vendor"
    vendor.mkdir()
    for name in (OLD, "mine-1.0-py3-none-any.whl"):
        (vendor / name).write_bytes(b"")
    return tmp_path / "demo"


def test_an_update_replaces_the_wheel(project: Path, wheel: Wheel) -> None:
    record = msgspec.structs.replace(a_record("demo"), wheel=wheel.name)
    found = update(project, record, render(record), wheel=wheel, old_wheel=OLD)
    assert (found.created, found.deleted) == ([f"vendor/{wheel.name}"], [f"vendor/{OLD}"])
    assert found.changed == ["pyproject.toml"]
    assert next(iter(found.writes)) == f"vendor/{wheel.name}"
    assert sorted(path.name for path in (project / "vendor").iterdir()) == sorted(
        [wheel.name, "mine-1.0-py3-none-any.whl"]
    )
    assert (project / "vendor" / wheel.name).read_bytes() == wheel.encode()
    assert read_record(project).wheel == wheel.name
    assert OLD not in (project / "pyproject.toml").read_text()
    assert update(project, record, render(record), wheel=wheel, old_wheel=wheel.name).is_empty


def test_an_update_to_a_release_takes_the_wheel_away(project: Path) -> None:
    record = a_record("demo")
    found = update(project, record, render(record), old_wheel=OLD)
    assert found.deleted == [f"vendor/{OLD}"]
    assert [path.name for path in (project / "vendor").iterdir()] == ["mine-1.0-py3-none-any.whl"]
    assert f'"kubewright>={__version__}"' in (project / "pyproject.toml").read_text()


def test_a_wheel_that_is_missing_is_put_back(project: Path, wheel: Wheel) -> None:
    record = msgspec.structs.replace(a_record("demo"), wheel=wheel.name)
    update(project, record, render(record), wheel=wheel, old_wheel=OLD)
    (project / "vendor" / wheel.name).unlink()
    found = update(project, record, render(record), wheel=wheel, old_wheel=wheel.name)
    assert found.created == [f"vendor/{wheel.name}"]


def test_this_checkout_is_not_published(wheel: Wheel) -> None:
    assert wheel_to_vendor() == wheel
