"""kubewright itself as a wheel, for projects whose package index does not have this version.

A wheel is put together from the package that is running and the metadata of its installation, so that neither
a network nor build tools are needed, and a checkout, an editable install and an installed wheel all give one.
Its version has a local label, by which installers see that a refreshed wheel is another one: the version of
a checkout says nothing about its content.
"""

from __future__ import annotations

import base64
import io
import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Final

from kubewright.scaffold.errors import ScaffoldError
from kubewright.version import __version__

__all__ = ["VENDOR_PATH", "Wheel", "check_wheel_name", "is_published", "running_wheel", "wheel_to_vendor"]

VENDOR_PATH: Final = "vendor"
"""The folder of a project that wheels are in, from the project's folder."""

_NAME: Final = "kubewright"
_FINAL: Final = re.compile(r"\d+(\.\d+)*(\.post\d+)?")
"""Versions that are published; not development, pre-release and local ones."""
_WHEEL_NAME: Final = re.compile(rf"{_NAME}-\d[a-z0-9.]*\+w[0-9a-f]{{12}}-py3-none-any\.whl")
_VERSION_LINE: Final = re.compile(r"^Version: .*$", re.MULTILINE)
_TIME: Final = (1980, 1, 1, 0, 0, 0)
"""The earliest that a zip file can say: the same files give the same wheel whenever it is made."""


@dataclass(frozen=True, slots=True)
class Wheel:
    """A wheel that is yet to be written."""

    version: str
    files: Mapping[str, bytes]
    """By their paths in the wheel, but for those that list the others."""

    @property
    def name(self) -> str:
        """The name of the file, from which installers take the version."""
        return f"{_NAME}-{self.version}-py3-none-any.whl"

    def encode(self) -> bytes:
        """Return the content of the file."""
        info = f"{_NAME}-{self.version}.dist-info"
        generator = f"Generator: {_NAME} {__version__}"
        tags = ["Wheel-Version: 1.0", generator, "Root-Is-Purelib: true", "Tag: py3-none-any"]
        files = {**self.files, f"{info}/WHEEL": "".join(f"{tag}\n" for tag in tags).encode()}
        lines = [f"{path},{_record_digest(content)},{len(content)}" for path, content in files.items()]
        files[f"{info}/RECORD"] = "".join(f"{line}\n" for line in [*lines, f"{info}/RECORD,,"]).encode()
        target = io.BytesIO()
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for path, content in files.items():
                entry = zipfile.ZipInfo(path, _TIME)
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = 0o100644 << 16
                archive.writestr(entry, content)
        return target.getvalue()


@lru_cache(maxsize=1)
def wheel_to_vendor() -> Wheel | None:
    """Return the wheel that a project needs, or None if its package index has this version.

    Raises ScaffoldError if kubewright runs without being installed.
    """
    try:
        installed = distribution(_NAME)
    except PackageNotFoundError:
        raise ScaffoldError(
            "kubewright runs from its sources without being installed, so that no project can install it; "
            f"install it first: pip install -e {Path(__file__).parents[3]}"
        ) from None
    return None if is_published(installed) else running_wheel(installed)


def is_published(installed: Distribution) -> bool:
    """Whether an installation is a release that came from a package index, by PEP 440 and PEP 610."""
    return bool(_FINAL.fullmatch(installed.version)) and installed.read_text("direct_url.json") is None


def running_wheel(installed: Distribution) -> Wheel:
    """Return the package that is running as a wheel, with the metadata of its installation."""
    package = Path(__file__).parents[1]
    files = {
        f"{_NAME}/{path.relative_to(package).as_posix()}": path.read_bytes()
        for path in sorted(package.rglob("*"))
        if path.is_file() and path.suffix != ".pyc" and "__pycache__" not in path.parts
    }
    described = dict(_metadata(installed, __version__))
    digest = sha256()
    for name, content in sorted({**files, **described}.items()):
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    # With a letter first: a label of digits alone is a number, which may lose zeros.
    version = f"{__version__}+w{digest.hexdigest()[:12]}"
    for name, content in _metadata(installed, version):
        files[f"{_NAME}-{version}.dist-info/{name}"] = content
    return Wheel(version, files)


def _metadata(installed: Distribution, version: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files that describe a distribution, under a version; not those of the installer."""
    described = installed.read_text("METADATA") or ""
    yield "METADATA", _VERSION_LINE.sub(f"Version: {version}", described, count=1).encode()
    yield "entry_points.txt", (installed.read_text("entry_points.txt") or "").encode()
    for file in sorted(installed.files or (), key=str):
        if file.parent.name == "licenses" and file.parent.parent.suffix == ".dist-info":
            yield f"licenses/{file.name}", file.read_binary()


def _record_digest(content: bytes) -> str:
    """Return a checksum as RECORD files have it."""
    return "sha256=" + base64.urlsafe_b64encode(sha256(content).digest()).decode().rstrip("=")


def check_wheel_name(name: str) -> None:
    """Raises ScaffoldError for a name that no wheel made here has; a path is made of it."""
    if name and not _WHEEL_NAME.fullmatch(name):
        raise ScaffoldError(f"{name!r} is not the name of a wheel of kubewright; take it away")
