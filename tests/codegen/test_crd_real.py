"""What a real kube-apiserver says to definitions that were generated and converted."""

from __future__ import annotations

import json
import ssl
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from kubewright.codegen.crd_convert import convert_definition
from kubewright.codegen.crd_files import write_files
from kubewright.codegen.crd_names import type_modules
from kubewright.codegen.crd_types import type_files
from kubewright.machinery import yaml
from tests.codegen.crd_fixtures import FAMILIES
from tests.codegen.test_crd_convert import OLD
from tests.realcluster.server import RealServer

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def real() -> Iterator[RealServer]:
    with RealServer(fsync=False) as server:
        yield server


def refusal(server: RealServer, crd: dict[str, Any]) -> str:
    """What the server says to a dry run of the definition's creation: an error, warnings, or nothing."""
    request = urllib.request.Request(  # noqa: S310 - the server's own address
        f"{server.url}/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All&fieldValidation=Strict",
        data=json.dumps(crd).encode(),
        headers={"Authorization": f"Bearer {server.token}", "Content-Type": "application/json"},
    )
    context = ssl.create_default_context(cafile=str(server.ca_file))
    try:
        with urllib.request.urlopen(request, context=context) as answer:  # noqa: S310 - as above
            return str(answer.headers.get("Warning") or "")
    except urllib.error.HTTPError as error:
        return error.read().decode()


@pytest.mark.parametrize("family", FAMILIES)
def test_the_way_back_is_accepted(
    real: RealServer, family: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    write_files(tmp_path / f"real_{family}", type_files(FAMILIES[family], note=print))
    for crd in FAMILIES[family]:
        assert refusal(real, crd) == ""
        spec = crd["spec"]
        (stored,) = ((spec["group"], each["name"]) for each in spec["versions"] if each["storage"])
        module = import_module(f"real_{family}.{type_modules([stored])[stored]}")
        assert refusal(real, getattr(module, spec["names"]["kind"]).crd().to_dict()) == ""
    for name in [name for name in sys.modules if name.startswith(f"real_{family}")]:
        del sys.modules[name]


@pytest.mark.parametrize("prune", [False, True])
def test_a_converted_definition_is_accepted(real: RealServer, *, prune: bool) -> None:
    old = yaml.load(OLD.replace("preserveUnknownFields: false", ""))
    assert refusal(real, convert_definition(old, prune=prune, note=print)) == ""
