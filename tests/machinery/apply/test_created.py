"""The fields of new objects: what a comparison says, in one walk."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kubewright.machinery.apply import compare
from kubewright.machinery.apply.created import created_fields
from kubewright.machinery.apply.field_manager import _underlaid
from kubewright.machinery.errors import ParseError
from kubewright.machinery.schema import ANY
from tests.machinery.apply.things import FEW, SCHEMA, SPEC, values

ALWAYS: tuple[dict[str, Any], ...] = (
    {},
    {"spec": {}},
    {"spec": {"containers": None, "set": None, "strings": None, "struct": {"inner": {}}}},
    {"spec": {"labels": {}, "points": None, "text": "", "replicas": 0, "ports": None, "atomicStruct": {}}},
    {"spec": {"struct": None, "free": {}, "open": {}, "flag": None, "atomicPoint": None}},
)


@FEW
@given(spec=values(SPEC), always=st.sampled_from(ALWAYS))
def test_is_what_a_comparison_adds_and_modifies(spec: Any, always: dict[str, Any]) -> None:
    new = {"spec": spec}
    try:
        found = created_fields(new, always, SCHEMA)
    except ParseError:
        return
    compared = compare(always, _underlaid(new, always), SCHEMA)
    assert not compared.removed or found is None
    if found is not None:
        # The texts, since the order counts.
        assert json.dumps(found.tree) == json.dumps((compared.added | compared.modified).tree)


def test_most_objects_need_no_comparison() -> None:
    always = {"metadata": {}, "spec": {"containers": None}, "status": {}}
    new = {"spec": {"replicas": 1, "containers": [{"name": "b"}, {"name": "a", "image": "i"}]}}
    found = created_fields(new, always, SCHEMA)
    assert found is not None
    assert found.tree == {
        "f:spec": {
            "f:containers": {
                'k:{"name":"a"}': {".": {}, "f:image": {}, "f:name": {}},
                'k:{"name":"b"}': {".": {}, "f:name": {}},
            },
            "f:replicas": {},
        }
    }


def test_values_without_a_structure_need_one() -> None:
    assert created_fields({"spec": {}}, {}, ANY) is None
