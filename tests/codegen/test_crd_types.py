"""Types from CustomResourceDefinitions as large as those that clusters have, and the way back."""

from __future__ import annotations

import copy
import random
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from kubewright.codegen.crd_files import write_files
from kubewright.codegen.crd_names import type_modules
from kubewright.codegen.crd_types import type_files
from kubewright.crd.cel import compile_schema
from kubewright.crd.defaulting import default
from kubewright.crd.pruning import prune
from kubewright.crd.structural import parse_schema
from kubewright.crd.validation import validate
from kubewright.machinery import yaml
from kubewright.machinery.errors import ParseError
from kubewright.machinery.resource import Resource
from tests.codegen.crd_definitions import server_errors
from tests.codegen.crd_fixtures import FAMILIES
from tests.codegen.crd_objects import changed_object, right_object

Schema = dict[str, Any]

MAX_IMPORT_SECONDS = 0.3
"""What a generated module may take to import, whatever its size."""

DEFINITIONS = [(family, each) for family, found in FAMILIES.items() for each in found]
IDS = [each["spec"]["names"]["kind"] for _, each in DEFINITIONS]


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The generated packages of all families, on the path of imports."""
    root = tmp_path_factory.mktemp("generated")
    notes: list[str] = []
    for family, found in FAMILIES.items():
        write_files(root / f"kinds_{family}", type_files(found, note=notes.append))
    assert notes == []
    sys.path.insert(0, str(root))
    yield root
    sys.path.remove(str(root))


def generated(family: str, definition: dict[str, Any]) -> type[Resource]:
    """The class of the version in which a kind is stored."""
    spec = definition["spec"]
    (stored,) = (each["name"] for each in spec["versions"] if each["storage"])
    key = (spec["group"], stored)
    module = import_module(f"kinds_{family}.{type_modules([key])[key]}")
    found: type[Resource] = getattr(module, spec["names"]["kind"])
    return found


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=300
    )


def modules(package: Path) -> list[str]:
    return [
        f"{path.parent.name}.{path.stem}"
        for path in sorted(package.glob("*/*.py"))
        if path.stem != "__init__"
    ]


def test_the_largest_definitions_have_ten_thousand_lines() -> None:
    assert max(yaml.dump(each).count("\n") for _, each in DEFINITIONS) > 10_000


@pytest.mark.parametrize(("family", "definition"), DEFINITIONS, ids=IDS)
def test_the_fixtures_are_definitions_that_servers_take(family: str, definition: dict[str, Any]) -> None:
    assert server_errors(definition) == []


def test_modules_are_formatted(package: Path) -> None:
    ended = run("-m", "ruff", "format", "--isolated", "--line-length=110", "--check", package)
    assert ended.returncode == 0, ended.stdout


@pytest.mark.slow
def test_modules_have_no_type_errors(package: Path, tmp_path: Path) -> None:
    use = package / "use.py"
    use.write_text(
        "from typing import assert_type\n"
        "from kinds_cert_manager.cert_manager_v1 import Certificate, CertificateSpecPrivateKey\n"
        "def of(certificate: Certificate) -> None:\n"
        "    assert_type(certificate.spec.private_key if certificate.spec else None,"
        " CertificateSpecPrivateKey | None)\n"
    )
    ended = run("-m", "mypy", "--strict", "--config-file=", f"--cache-dir={tmp_path}", *package.iterdir())
    assert ended.returncode == 0, ended.stdout


def test_modules_import_quickly(package: Path) -> None:
    program = (
        "import sys, time\n"
        "from kubewright import Field, IntOrString, PrinterColumn, Quantity, Resource, Rule, Scale, Struct\n"
        "from kubewright import Time, Unstructured, custom_resource, rule\n"
        f"sys.path.insert(0, {str(package)!r})\n"
        "started = time.process_time()\n"
        "__import__(sys.argv[1])\n"
        "print(time.process_time() - started)\n"
    )
    for module in modules(package):
        # The best of a few, since the machine has other things to do.
        best = min(float(run("-c", program, module).stdout) for _ in range(2))
        assert best < MAX_IMPORT_SECONDS, module


def test_the_same_definitions_give_the_same_files(package: Path) -> None:
    for family, found in FAMILIES.items():
        shuffled = list(found)
        random.Random(1).shuffle(shuffled)  # noqa: S311 - not for secrets
        files = type_files(copy.deepcopy(shuffled), note=lambda sentence: None)
        assert write_files(package / f"kinds_{family}", files) == []


@pytest.mark.parametrize(("family", "definition"), DEFINITIONS, ids=IDS)
def test_the_definition_comes_back(package: Path, family: str, definition: dict[str, Any]) -> None:
    emitted = generated(family, definition).crd().to_dict()
    assert server_errors(emitted) == []
    assert emitted["spec"]["names"] == definition["spec"]["names"]
    assert emitted["spec"]["scope"] == definition["spec"]["scope"]
    assert emitted["metadata"] == definition["metadata"]
    versions = {each["name"]: each for each in emitted["spec"]["versions"]}
    for version in definition["spec"]["versions"]:
        back = versions.pop(version["name"])
        assert plain(back.pop("schema")["openAPIV3Schema"]) == plain(version["schema"]["openAPIV3Schema"])
        assert back == {name: value for name, value in version.items() if name != "schema"}
    assert versions == {}


def plain(schema: Schema) -> Schema:
    """A schema without what makes no difference: prose, and what is required although it has a default."""
    made = {name: value for name, value in schema.items() if name not in {"description", "required"}}
    properties = {name: plain(each) for name, each in schema.get("properties", {}).items()}
    if properties:
        made["properties"] = properties
    else:
        made.pop("properties", None)
    filled = {name for name, each in properties.items() if "default" in each} | {"metadata"}
    required = sorted(set(schema.get("required", ())) - filled)
    if required:
        made["required"] = required
    for inner in ("items", "additionalProperties"):
        if inner in made:
            made[inner] = plain(made[inner])
    return made


@pytest.mark.parametrize(("family", "definition"), DEFINITIONS, ids=IDS)
def test_the_same_objects_are_accepted_and_rejected(
    package: Path, family: str, definition: dict[str, Any]
) -> None:
    emitted = generated(family, definition).crd().to_dict()
    versions = {each["name"]: each["schema"]["openAPIV3Schema"] for each in emitted["spec"]["versions"]}
    source = random.Random(6)  # noqa: S311 - not for secrets
    accepted = rejected = 0
    for version in definition["spec"]["versions"]:
        schema = version["schema"]["openAPIV3Schema"]
        judges = [judge(schema), judge(versions[version["name"]])]
        for _ in range(40):
            right = right_object(schema, source)
            for obj in (right, changed_object(right, source)):
                (stored, errors), again = (each(copy.deepcopy(obj)) for each in judges)
                assert (stored, errors) == again
                accepted += not errors
                rejected += bool(errors)
    assert rejected
    assert accepted


def judge(schema: Schema) -> Any:
    """What a server makes of an object: how it is stored, and what is wrong with it."""
    parsed, rules = parse_schema(schema), compile_schema(schema)

    def judged(obj: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
        try:
            prune(obj, parsed)
        except ParseError as error:
            return {}, [str(error)]
        default(obj, parsed)
        found = validate(obj, parsed, rules=rules)
        return obj, sorted(f"{error.field}: {error.reason}" for error in found)

    return judged


def test_objects_are_read_and_written(package: Path) -> None:
    module = import_module("kinds_gateway_api.gateway_v1")
    route = module.HTTPRoute.from_dict(
        {
            "apiVersion": "gateway.networking.k8s.io/v1",
            "kind": "HTTPRoute",
            "metadata": {"name": "web", "namespace": "default"},
            "spec": {
                "rules": [{"backendRefs": [{"name": "a"}], "matches": [{"path": {"value": "/x"}}]}],
                "new": 1,
            },
        }
    )
    assert route.spec.rules[0].backend_refs[0].weight == 1
    assert route.spec.rules[0].matches[0].path.value == "/x"
    assert route.to_dict()["spec"]["new"] == 1
    assert module.HTTPRoute.gvr.resource == "httproutes"
    assert not import_module("kinds_cert_manager.cert_manager_v1").ClusterIssuer.namespaced
