"""Updates of objects that have a status, against the recorded answers of a real kube-apiserver."""

from __future__ import annotations

import copy
import json
from datetime import UTC, datetime

import pytest

from kubewright.server.kinds import Context, kind_of
from tests.server.kinds.core.status_cases import ANSWERS, CASES
from tests.server.kinds.harness import Case, Json, _answer, _resource

CONTEXT = Context(now=datetime(2026, 1, 1, tzinfo=UTC))
RECORDED: Json = json.loads(ANSWERS.read_text())


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_as_the_real_server(case: Case) -> None:
    assert case.old is not None
    kind = kind_of(*_resource(case.obj))
    created = copy.deepcopy(case.old)
    kind.default(created)
    kind.prepare_create(created, CONTEXT)
    old = copy.deepcopy(case.old)
    kind.default(old)
    kind.subresources["status"].prepare(old, created, CONTEXT)
    assert kind.subresources["status"].validate(old, created) == []

    obj, kept = copy.deepcopy(case.obj), copy.deepcopy(old)
    kind.default(obj)
    rules = kind.subresources["status"] if case.subresource else None
    (rules.prepare if rules else kind.prepare_update)(obj, old, CONTEXT)
    errors = (rules.validate if rules else kind.validate_update)(obj, old)
    warnings = (rules or kind).warnings(obj, old)
    assert old == kept
    assert _answer(obj, errors, warnings) == RECORDED[case.name]
