"""Type checking of policies, against what upstream's TypeChecker says of the same policies.

type_checking.json has its answers, with the built-in kinds of Kubernetes 1.36; the number that it adds to the
names of kinds is left out.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kubewright.machinery.gvk import GroupVersionKind
from kubewright.server.admission.policies.type_checking import expression_warnings, resolved_schema
from kubewright.server.openapi.documents import OpenAPI
from kubewright.server.registry.resource import builtin_resources

CASES: list[Any] = json.loads(Path(__file__).with_name("type_checking.json").read_text())
SERVED = builtin_resources()
OPENAPI = OpenAPI(lambda: SERVED, list)


def schema(kind: GroupVersionKind, words: frozenset[str]) -> dict[str, Any] | None:
    name = f"apis/{kind.group}/{kind.version}" if kind.group else f"api/{kind.version}"
    found = OPENAPI.v3(name)
    return None if found is None else resolved_schema(msgspec.json.decode(found.body), kind, words)


@pytest.mark.parametrize("index", range(len(CASES)))
def test_same_as_upstream(index: int) -> None:
    case = CASES[index]
    assert expression_warnings(case["policy"], SERVED, schema) == case["warnings"]


def test_types_that_hold_themselves() -> None:
    policy = {
        "metadata": {"name": "p"},
        "spec": {
            "matchConstraints": {
                "resourceRules": [
                    {
                        "apiGroups": ["apiextensions.k8s.io"],
                        "apiVersions": ["v1"],
                        "operations": ["CREATE"],
                        "resources": ["customresourcedefinitions"],
                    }
                ]
            },
            "validations": [
                {"expression": "object.spec.versions.all(v, has(v.schema.openAPIV3Schema.properties))"},
                {"expression": "object.spec.versions[0].schema.openAPIV3Schema.not.not == null"},
            ],
        },
    }
    (warning,) = expression_warnings(policy, SERVED, schema)
    assert warning["fieldRef"] == "spec.validations[1].expression"
    # The second is below the first, of which nothing is known.
    assert warning["warning"].count("undefined field 'not'") == 1
