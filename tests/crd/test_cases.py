"""What schemas make of custom resources against the recorded answers of a real kube-apiserver."""

from __future__ import annotations

import pytest

from tests.crd.harness import ANSWERS, Case, answers, cases, embedded_answer, parsed

PARTS = sorted(path.stem for path in ANSWERS.glob("*.json"))
ALL = [(part, case) for part in PARTS for case in cases(part)[1]]
PARSED = {part: parsed(part) for part in PARTS}
TOLD = {part: answers(part) for part in PARTS}


@pytest.mark.parametrize(("part", "case"), ALL, ids=[f"{part}-{case.name}" for part, case in ALL])
def test_as_the_real_server(part: str, case: Case) -> None:
    schema, subresources = PARSED[part][case.schema]
    assert embedded_answer(case, schema, subresources) == TOLD[part][case.name]
