"""Reads the protobuf encoding of the API from the `.proto` files that Kubernetes publishes as Go modules.

No server serves them. `go mod download` fetches the modules of the release that the server says it is.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Final, TypeAlias

from facts.errors import RecordingError

__all__ = ["Messages", "download_modules", "module_version", "parse_messages", "read_messages"]

Messages: TypeAlias = dict[str, dict[str, list[str]]]
"""By the full name of the message, then by number: name, type, optional/repeated/map."""

MODULES: Final = (
    "k8s.io/api",
    "k8s.io/apiextensions-apiserver",
    "k8s.io/apimachinery",
    "k8s.io/kube-aggregator",
)
"""The modules that define what a kube-apiserver serves."""

_RELEASE: Final = re.compile(r"v1\.(\d+\.\d+(?:-(?:alpha|beta|rc)\.\d+)?)")
"""How versions begin, whatever a vendor adds: v1.36.4, v1.37.0-rc.0, v1.35.1+k3s1, v1.34.2-eks-1a2b3c."""

_COMMENT: Final = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_PACKAGE: Final = re.compile(r"package ([\w.]+);")
_MESSAGE: Final = re.compile(r"message (\w+) \{([^{}]*)\}")
_FIELD: Final = re.compile(r"(?:(optional|repeated) ([\w.]+)|(map)<string, ([\w.]+)>) (\w+) = (\d+)")
_PREVIEW: Final = re.compile(r"v\d+(alpha|beta)\d+")


def module_version(git_version: str) -> str:
    """The version of the Go modules of a release: v0.36.4 for v1.36.4. Raises RecordingError."""
    release = _RELEASE.match(git_version)
    if release is None:
        raise RecordingError(
            f"the server says that it is {git_version!r}, which is not a release of Kubernetes 1: "
            "record from a kube-apiserver that was built with its version"
        )
    return f"v0.{release[1]}"


def download_modules(version: str) -> list[Path]:
    """The directories of the modules, downloaded unless Go has them. Raises RecordingError."""
    go = shutil.which("go")
    if go is None:
        raise RecordingError("the definitions of protobuf are in Go modules: install Go and put it on PATH")
    command = [go, "mod", "download", "-json", *(f"{module}@{version}" for module in MODULES)]
    # In a directory without go.mod, so that no other module has a say in versions.
    done = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=False)  # noqa: S603
    decoder = json.JSONDecoder()
    directories = []
    text = done.stdout.strip()
    while text:
        module, end = decoder.raw_decode(text)
        text = text[end:].lstrip()
        if "Error" in module:
            raise RecordingError(f"go could not download {module['Path']}@{version}: {module['Error']}")
        directories.append(Path(module["Dir"]))
    if len(directories) != len(MODULES):
        raise RecordingError(f"`{' '.join(command)}` failed: {done.stderr.strip()}")
    return directories


def read_messages(directories: Iterable[Path], *, packages: Collection[str]) -> Messages:
    """The messages of all stable versions, and of the preview versions (v1beta1) that `packages` names."""
    messages: Messages = {}
    for directory in directories:
        for path in sorted(directory.rglob("generated.proto")):
            package, members = parse_messages(path.read_text())
            if package in packages or not _PREVIEW.fullmatch(package.rpartition(".")[2]):
                messages |= members
    return dict(sorted(messages.items()))


def parse_messages(text: str) -> tuple[str, Messages]:
    """The package of a `.proto` file, and its messages. Raises RecordingError for what it cannot read.

    Upstream's generator writes flat messages with fields of one form, and no other is understood: to skip a
    line would be to lose a field.
    """
    text = _COMMENT.sub("", text)
    package = _PACKAGE.search(text)
    if package is None:
        raise RecordingError("a .proto file has no package")
    messages: Messages = {}
    for name, body in _MESSAGE.findall(text):
        fields = {}
        for line in filter(None, (" ".join(part.split()) for part in body.split(";"))):
            field = _FIELD.fullmatch(line)
            if field is None:
                raise RecordingError(f"the field {line!r} of {package[1]}.{name} has an unknown form")
            label, type_name = field[1] or field[3], field[2] or field[4]
            fields[field[6]] = [field[5], _full_name(type_name, package[1]), label]
        messages[f"{package[1]}.{name}"] = dict(sorted(fields.items(), key=lambda item: int(item[0])))
    if len(messages) != len(re.findall(r"^\s*(?:message|enum)\b", text, re.MULTILINE)):
        raise RecordingError(f"{package[1]} has messages of an unknown form")
    return package[1], messages


def _full_name(type_name: str, package: str) -> str:
    if type_name.islower() and "." not in type_name:
        return type_name  # a scalar; the names of messages are those of Go's exported types
    return type_name[1:] if type_name.startswith(".") else f"{package}.{type_name}"
