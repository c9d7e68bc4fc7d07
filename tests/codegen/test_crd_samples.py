"""Objects come back from generated types as they went in, however much of them is read."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from typing import Any

import msgspec
import pytest

from kubewright.codegen.crd_files import write_files
from kubewright.codegen.crd_names import type_modules
from kubewright.codegen.crd_types import type_files
from kubewright.machinery.errors import DecodeError
from kubewright.machinery.resource import Resource
from kubewright.machinery.twins import known_type
from tests.codegen.crd_definitions import server_errors
from tests.codegen.crd_fixtures import FAMILIES
from tests.codegen.crd_objects import right_object
from tests.codegen.crd_samples import DEFINITIONS, samples

_ALL = {
    **{name: [each] for name, each in DEFINITIONS.items()},
    **{f"big_{k}": v for k, v in FAMILIES.items()},
}
_STORED = [(name, crd) for name, crds in _ALL.items() if name.startswith("big_") for crd in crds]


@pytest.fixture(scope="module", autouse=True)
def packages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The generated packages, on the path of imports."""
    root = tmp_path_factory.mktemp("samples")
    for name, crds in _ALL.items():
        write_files(root / f"samples_{name}", type_files(crds, note=lambda sentence: None))
    sys.path.insert(0, str(root))
    yield
    sys.path.remove(str(root))


def generated(name: str, crd: dict[str, Any]) -> type[Resource]:
    """The class of the version in which a kind is stored."""
    spec = crd["spec"]
    (stored,) = (each["name"] for each in spec["versions"] if each["storage"])
    key = (spec["group"], stored)
    module = import_module(f"samples_{name}.{type_modules([key])[key]}")
    found: type[Resource] = getattr(module, spec["names"]["kind"])
    return found


def read_all(value: Any) -> int:
    """Read each field of an object, and of all that is in it; returns how many there were."""
    if isinstance(value, msgspec.Struct):
        return sum(1 + read_all(getattr(value, name)) for name in known_type(type(value)).__struct_fields__)
    if isinstance(value, dict):
        return sum(map(read_all, value.values()))
    return sum(map(read_all, value)) if isinstance(value, list) else 0


def mean_the_same(one: Any, other: Any) -> bool:
    """Whether two documents are equal; a quantity may be written as a number or as its text."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(mean_the_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(mean_the_same, one, other))
    return bool(one == other) or (isinstance(one, str) and isinstance(other, int) and one == str(other))


@pytest.mark.parametrize("name", DEFINITIONS)
def test_a_server_takes_the_definition(name: str) -> None:
    assert server_errors(DEFINITIONS[name]) == []


@pytest.mark.parametrize(("name", "wire"), samples())
def test_samples(name: str, wire: dict[str, Any]) -> None:
    obj = generated(name, DEFINITIONS[name]).from_dict(wire)
    assert obj.to_dict() == wire
    assert read_all(obj) > 15
    assert obj.to_dict() == wire
    assert obj.copy().to_dict() == wire
    assert type(obj).from_json(obj.to_json()).to_dict() == wire


@pytest.mark.parametrize(("name", "crd"), _STORED, ids=[crd["spec"]["names"]["kind"] for _, crd in _STORED])
def test_random_objects(name: str, crd: dict[str, Any]) -> None:
    kind = generated(name, crd)
    (schema,) = (
        each["schema"]["openAPIV3Schema"] for each in crd["spec"]["versions"] if each["storage"] is True
    )
    source = random.Random(kind.__name__)  # noqa: S311 - not for cryptography
    compared = 0
    while compared < 5:
        wire = right_object(schema, source)
        wire |= {"apiVersion": kind.gvk.api_version, "kind": kind.gvk.kind}
        obj = kind.from_dict(wire)
        with suppress(DecodeError):  # a few are wrong, as of quantities that are none
            read_all(obj)
            assert mean_the_same(obj.to_dict(), wire)
            compared += 1
