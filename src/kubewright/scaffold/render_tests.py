"""The tests of a project."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kubewright.scaffold.files import ScaffoldFile
from kubewright.scaffold.record import ScaffoldedKind
from kubewright.scaffold.render_kinds import Kind, Names
from kubewright.scaffold.render_text import assignment, call, fill, from_imports, lines

__all__ = ["render_tests", "sample_file", "sample_name"]

_LABEL: Final = 40
"""Characters of a kind in the name of its sample, so that it fits into labels."""


def sample_file(kind: Kind, version: ScaffoldedKind) -> str:
    """The file of the sample of a version of a kind, in `config/samples`."""
    group = (version.group or kind.group).replace(".", "-")
    return f"{group}_{version.version}_{kind.name.lower()}.yaml"


def sample_name(kind: Kind, version: ScaffoldedKind) -> str:
    """The name of the object in it; each version has one of its own."""
    label = kind.name.lower()[:_LABEL]
    return f"{label}-sample" if version is kind.hub else f"{label}-{version.version}-sample"


def render_tests(names: Names, kinds: Sequence[Kind]) -> dict[str, ScaffoldFile]:
    """A test for each kind, for the webhooks of each version, and for the conversions of a kind."""
    files = {"tests/test_command_line.py": _command_line(names)}
    for kind in kinds:
        files[f"tests/test_{kind.module}.py"] = _kind(names, kind)
        for each in kind.asked:
            files[f"tests/test_{kind.module}_{each.version}_webhooks.py"] = _webhooks(names, kind, each)
        if kind.converts:
            files[f"tests/test_{kind.module}_conversion.py"] = _conversion(names, kind)
    return {path: ScaffoldFile(text=text, additions="both") for path, text in files.items()}


def _command_line(names: Names) -> str:
    imports = from_imports({f"{names.package}.__main__": ["main"]})
    return fill("test_command_line.py", {"imports": imports})


def _api(names: Names, kind: Kind, version: ScaffoldedKind) -> str:
    return f"{names.package}.api.{version.version}.{kind.module}"


def _kind(names: Names, kind: Kind) -> str:
    depth = 2 if kind.has_controller else 1
    imports = {_api(names, kind, kind.hub): [kind.name]}
    if kind.has_controller:
        imports[f"{names.package}.controllers.{kind.module}"] = ["setup"]
    api = [kind.name, '"default"'] if kind.namespaced else [kind.name]
    objects = call("objects = kube.api(", api, depth=depth)
    found = call("found = await objects.get(", [f'"{sample_name(kind, kind.hub)}"'], depth=depth)
    values = {
        "kind": kind.name,
        "imports": from_imports(imports),
        "sample": assignment("SAMPLE", f'"{sample_file(kind, kind.hub)}"'),
        "get": f"{objects}\n{found}\n",
    }
    return fill("test_controller.py" if kind.has_controller else "test_kind.py", values)


def _webhooks(names: Names, kind: Kind, version: ScaffoldedKind) -> str:
    functions: list[str] = []
    library = ["Review"]
    third_party = tests = ""
    if "defaulting" in version.webhooks:
        functions.append("complete")
        tests += fill("test_defaulting.py", {"name": names.project})
    if "validation" in version.webhooks:
        functions += ["MAX_NAME", "check"]
        library.append("Denied")
        third_party = "import pytest\n"
        tests += fill("test_validating.py", {})
    imports = {
        _api(names, kind, version): [kind.name],
        f"{names.package}.webhooks.{version.version}.{kind.module}": functions,
    }
    values = {
        "kind": kind.name,
        "version": version.version,
        "library": f"\n{third_party}{from_imports({'kubewright.webhooks': library})}",
        "imports": from_imports(imports),
        "signature": call("def reviewed(", ["name: str", "**spec: object"], f") -> Review[{kind.name}]:"),
        "tests": tests,
    }
    return fill("test_webhooks.py", values)


def _conversion(names: Names, kind: Kind) -> str:
    imports = {_api(names, kind, each): [f"{kind.name} as {_alias(kind, each)}"] for each in kind.spokes}
    imports[_api(names, kind, kind.hub)] = [f"{kind.name} as Hub"]
    values = {
        "kind": kind.name,
        "imports": from_imports(imports),
        "versions": lines(f"{_alias(kind, each)}," for each in kind.spokes),
    }
    return fill("test_conversion.py", values)


def _alias(kind: Kind, version: ScaffoldedKind) -> str:
    return f"{kind.name}{version.version.capitalize()}"
