"""The tables of the protobuf encoding: the same as a fresh run, complete, and true to upstream's structs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from facts import KUBERNETES
from kubewright.codegen.models import main as make_models
from kubewright.codegen.models import read_directory
from kubewright.codegen.openapi import Api
from kubewright.codegen.protobuf import TABLES, Definitions, protobuf_tables, read_definitions, render_facts
from kubewright.machinery.errors import ParseError
from kubewright.machinery.protobuf.messages import FORMS, SCALARS
from kubewright.models import KINDS as MODELS
from kubewright.models.protobuf_tables import DEFINITIONS, KINDS, builtin_messages
from tests.conftest import Oracle

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def definitions() -> Definitions:
    return read_definitions(json.loads((KUBERNETES / "protobuf-fields.json").read_text()))


def test_a_fresh_run_makes_the_same_file(definitions: Definitions) -> None:
    made = protobuf_tables(read_directory(KUBERNETES / "openapi-v3"), definitions)
    assert (ROOT / "src" / "kubewright" / "models" / TABLES).read_text() == made, "run make models"


def test_models_are_made_with_tables_and_without(tmp_path: Path) -> None:
    facts = tmp_path / "facts"
    facts.mkdir()
    (facts / "openapi-v3").symlink_to(KUBERNETES / "openapi-v3")
    package = tmp_path / "models"
    package.mkdir()
    (package / "stale.py").touch()
    (package / TABLES).write_text("kept")
    make_models([str(facts / "openapi-v3"), str(package)])
    assert (package / TABLES).read_text() == "kept"
    assert not (package / "stale.py").exists()
    (facts / "protobuf-fields.json").symlink_to(KUBERNETES / "protobuf-fields.json")
    make_models([str(facts / "openapi-v3"), str(package)])
    assert (package / TABLES).read_text() == (ROOT / "src" / "kubewright" / "models" / TABLES).read_text()


@pytest.mark.oracle
def test_the_facts_are_those_of_upstreams_structs(oracle: Oracle, definitions: Definitions) -> None:
    made = render_facts(definitions, oracle.ask("protobuf.fields", None))
    assert (ROOT / "src" / "kubewright" / "codegen" / "protobuf_facts.py").read_text() == made


@pytest.mark.oracle
def test_numbers_and_names_are_those_of_upstreams_structs(oracle: Oracle, definitions: Definitions) -> None:
    structs = {_short(name): fields for name, fields in oracle.ask("protobuf.fields", None).items()}
    compared = 0
    for name in DEFINITIONS:
        message = builtin_messages()[name]
        if message.union:
            continue
        assert {str(field.number) for field in message.fields} == structs[name].keys(), name
        for field in message.fields:
            go = structs[name][str(field.number)]
            assert go["json"] == ("" if field.inline else field.name), f"{name}.{field.name}"
            assert not (field.omitempty and go["pointer"]), f"{name}.{field.name}"
            compared += 1
    assert compared > 2000


def _short(name: str) -> str:
    return ".".join(name.split(".")[-3:])


def test_every_model_has_a_message() -> None:
    missing = [gvk for gvk in MODELS if builtin_messages().of_kind(*gvk) is None]
    assert missing == []


def test_every_type_that_is_mentioned_is_there() -> None:
    messages = builtin_messages()
    for name in [*DEFINITIONS, *(name for kinds in KINDS.values() for name in kinds.values())]:
        for field in messages[name].fields:
            assert field.type in SCALARS or field.type in FORMS or field.type in DEFINITIONS, name


def test_zeros_that_matter_are_kept() -> None:
    fields = {field.name: field for field in builtin_messages()["apps.v1.DeploymentSpec"].fields}
    assert not fields["replicas"].omitempty
    assert not fields["revisionHistoryLimit"].omitempty
    assert fields["minReadySeconds"].omitempty
    assert fields["paused"].omitempty


def test_a_kind_without_a_message() -> None:
    api = Api(
        schemas={
            "io.x.y.v1.Z": {"x-kubernetes-group-version-kind": [{"group": "y", "version": "v1", "kind": "Z"}]}
        }
    )
    with pytest.raises(ParseError, match=r"Z of y/v1 has no protobuf message y\.v1\.Z"):
        protobuf_tables(api, {})


def test_two_messages_of_one_name() -> None:
    with pytest.raises(ParseError, match=r"would both be core\.v1\.Pod"):
        read_definitions({"a.core.v1.Pod": {}, "b.core.v1.Pod": {}})


def test_importing_the_tables_imports_no_other_models() -> None:
    program = "import sys; import kubewright.models.protobuf_tables; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    models = [name for name in loaded.split() if name.startswith("kubewright.models.")]
    assert models == ["kubewright.models.protobuf_tables"]
