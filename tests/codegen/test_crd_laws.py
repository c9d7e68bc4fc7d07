"""What holds of the types of all schemas: the way back accepts, rejects and stores the same."""

from __future__ import annotations

import copy
import sys
from types import ModuleType
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kubewright.codegen.crd_types import type_files
from kubewright.crd.cel import compile_schema
from kubewright.crd.defaulting import default
from kubewright.crd.pruning import prune
from kubewright.crd.schema_check import checker
from kubewright.crd.structural import StructuralSchema, parse_schema
from kubewright.machinery.errors import ParseError
from tests.codegen.crd_definitions import definition, server_errors, whole
from tests.crd.schemas import SCHEMAS, VALUES


def emitted(crd: dict[str, Any]) -> dict[str, Any]:
    """The definition that the generated class gives."""
    text = type_files([crd], note=lambda sentence: None)["example_v1.py"]
    module = ModuleType("generated_for_a_law")
    sys.modules[module.__name__] = module
    try:
        exec(compile(text, module.__name__, "exec"), vars(module))  # noqa: S102 - what was generated just now
        back: dict[str, Any] = module.Thing.crd().to_dict()
    finally:
        del sys.modules[module.__name__]
    return back


def number_formats(schema: Any, path: str = "") -> dict[str, str]:
    """The formats of all numbers of a schema by their paths."""
    if not isinstance(schema, dict):
        return {}
    found = {path: schema.get("format", "")} if schema.get("type") in {"integer", "number"} else {}
    members = {f".{name}": each for name, each in (schema.get("properties") or {}).items()}
    members |= {f"/{name}": schema.get(name) for name in ("items", "additionalProperties")}
    for name, each in members.items():
        found |= number_formats(each, f"{path}{name}")
    return found


def judged(obj: dict[str, Any], schema: StructuralSchema) -> tuple[dict[str, Any], bool]:
    """What a server stores of an object, and whether it takes it."""
    try:
        prune(obj, schema)
    except ParseError:
        return {}, False
    default(obj, schema)
    return obj, checker(schema)(obj)


@settings(max_examples=150, deadline=None)
@given(SCHEMAS, VALUES, VALUES)
def test_the_way_back_makes_the_same_of_every_object(schema: dict[str, Any], one: Any, two: Any) -> None:
    crd = definition("example.com", "Thing", "things", {"v1": whole({"type": "object"})})
    root = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    root["properties"]["field"] = schema
    assume(not server_errors(crd))
    back = emitted(crd)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    assert number_formats(back) == number_formats(root)
    before, after = parse_schema(root), parse_schema(back)
    assert (compile_schema(root) is None) == (compile_schema(back) is None)
    for value in (one, two):
        obj = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}, "field": value}
        assert judged(copy.deepcopy(obj), before) == judged(copy.deepcopy(obj), after)


_KEYS = st.sampled_from(
    ["tier", "example.com/a", "controller-gen.kubebuilder.io/version", "helm.sh", "a.b/kubectl"]
)
_ADDED = st.sampled_from(["kubectl.kubernetes.io/x", "meta.helm.sh/y", "app.kubernetes.io/managed-by"])


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(_KEYS, st.text()), st.dictionaries(_ADDED, st.text()))
def test_labels_and_annotations_come_back(own: dict[str, str], added: dict[str, str]) -> None:
    crd = definition("example.com", "Thing", "things", {"v1": whole({"type": "object"})})
    crd["metadata"] |= {"labels": own | added, "annotations": added | own}
    metadata = emitted(crd)["metadata"]
    assert metadata.get("labels", {}) == metadata.get("annotations", {}) == own
